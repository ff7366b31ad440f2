//! The default mapping: an octahedron warped so that its cells are even hexagons on the sphere.
//!
//! The barycentrics (a, b, c) of the octahedron's face decode to n = normalise(f(a), f(b), f(c)) with
//! f(t) = t (1 - 0.8 t + 0.486 t^2), scaled here so that f(1) = 1, and the signs put back. Encoding inverts the cubic, finds
//! the triangle of the lattice and takes the nearest of its three corners by angle. [`mappings`](crate::mappings) has the
//! derivation and a figure.

use crate::batch::{self, Conversion};
use crate::lattice::{self, Direction, half, round};

/// f(t) = t (`LINEAR` + t (`SQUARE` + t `CUBE`)): 1, -0.8, 0.486 over 0.686. The first is the f32 above the nearest, with
/// which they sum to exactly 1: so the axes stay exact on devices whose square root and reciprocal are exact at 1 only.
const LINEAR: f32 = 1.457_726;
const SQUARE: f32 = -1.166_180_8;
const CUBE: f32 = 0.708_454_85;

/// First guess of a barycentric t from the classic octahedral barycentrics s of the same direction, with
/// q = sx^2 + sy^2 + sz^2: t = s (G0 + q (G1 + q G2) + s (G3 + q G4 + s G5)). Fitted over the face; wrong by at most
/// 2.1e-3, which one Newton step brings to 4.2e-6: 0.14 lattice steps at 16 bits.
const GUESS: [f32; 6] = [
    1.000_350_4,
    -0.914_309_1,
    0.673_899_25,
    0.922_754_6,
    -0.618_374_97,
    -0.062_263_06,
];

/// The code of the direction of `normal`, each component in -h..=h with h = 2^(BITS-1) - 1, BITS in 2..=16.
///
/// The length of `normal` does not matter. Zero, NaN and infinities give +z's code, `[0, 0]`; see [`try_encode`].
///
/// ```
/// use gbuffer_codec::warped;
/// let code = warped::encode::<8>([0.0, 3.0, -4.0]);
/// let [x, y, z] = warped::decode::<8>(code);
/// assert!(x == 0.0 && (y - 0.6).abs() < 0.01 && (z + 0.8).abs() < 0.01);
/// ```
#[inline]
#[must_use]
pub fn encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> [i16; 2] {
    code_from_point::<BITS>(point::<BITS>(Direction::new(normal.into())))
}

/// As [`encode`], but `None` for the zero vector and for a component that is NaN or infinite.
///
/// ```
/// use gbuffer_codec::warped;
/// assert_eq!(warped::try_encode::<16>([0.0, 1e-40, 0.0]), Some([0, 32767]));
/// assert_eq!(warped::try_encode::<16>([0.0, f32::NAN, 0.0]), None);
/// ```
#[inline]
#[must_use]
pub fn try_encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> Option<[i16; 2]> {
    let normal = normal.into();
    Direction::new(normal).valid.then(|| encode::<BITS>(normal))
}

/// [a, b, x, y, z]: the two first barycentrics on the warped face, in steps, and the direction with |x| + |y| + |z| = 1.
#[inline(always)]
fn point<const BITS: u32>(direction: Direction) -> [f32; 5] {
    let scale = 1.0 / direction.sum;
    let [x, y, z] = direction.vector.map(|x| x * scale);
    let [a, b] = unwarp([x.abs(), y.abs(), z.abs()]);
    let h = half::<BITS>();
    direction.or_z([a * h, b * h, x, y, z], [0.0, 0.0, 0.0, 0.0, 1.0])
}

/// The code of a point.
#[inline(always)]
fn code_from_point<const BITS: u32>([a, b, x, y, z]: [f32; 5]) -> [i16; 2] {
    let corner = nearest_corner::<BITS>([a, b], [x.abs(), y.abs(), z.abs()]);
    lattice::code::<BITS>(corner, [x, y, z])
}

/// f, the cubic of the module's documentation, made odd so that signs pass through.
#[inline(always)]
fn warp(t: f32) -> f32 {
    let a = t.abs();
    t * (LINEAR + a * (SQUARE + a * CUBE))
}

/// The same for t >= 0.
#[inline(always)]
fn warp_positive(t: f32) -> f32 {
    t * (LINEAR + t * (SQUARE + t * CUBE))
}

/// f'.
#[inline(always)]
fn warp_slope(t: f32) -> f32 {
    LINEAR + t * (2.0 * SQUARE + t * (3.0 * CUBE))
}

/// The two first barycentrics (a, b) of the point on the face that f sends to the direction `s` (components >= 0,
/// sum 1): the guess and one Newton step for f(a) : f(b) : f(c) = sx : sy : sz and a + b + c = 1.
#[inline(always)]
fn unwarp(s: [f32; 3]) -> [f32; 2] {
    let q = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    let constant = GUESS[0] + q * (GUESS[1] + q * GUESS[2]);
    let linear = GUESS[3] + q * GUESS[4];
    let t = s.map(|x| x * (constant + x * (linear + x * GUESS[5])));
    let value = t.map(warp_positive);
    let slope = t.map(warp_slope);
    // With f(t) + f'(t) dt = m s in each component, the multiplier m follows from the sum of all t + dt, which is 1.
    // Everything is multiplied by the three slopes: two divisions fewer.
    let others = [slope[1] * slope[2], slope[2] * slope[0], slope[0] * slope[1]];
    let all = slope[0] * others[0];
    let missing = 1.0 - (t[0] + t[1] + t[2]);
    let numerator = value[0] * others[0] + value[1] * others[1] + value[2] * others[2] + missing * all;
    let denominator = s[0] * others[0] + s[1] * others[1] + s[2] * others[2];
    let step = 1.0 / (denominator * all);
    [
        t[0] + (numerator * s[0] - denominator * value[0]) * others[0] * step,
        t[1] + (numerator * s[1] - denominator * value[1]) * others[1] * step,
    ]
}

/// The corner (i, j) of the lattice triangle around (a, b) that decodes nearest to the direction `s` by angle.
#[inline(always)]
fn nearest_corner<const BITS: u32>([a, b]: [f32; 2], s: [f32; 3]) -> (i32, i32) {
    let h = half::<BITS>();
    let step = const { 1.0 / half::<BITS>() };
    // The lattice square around the point; on its border either neighbour will do.
    let ((i, i_float), (j, j_float)) = (round(a - 0.5), round(b - 0.5));
    // The two triangles of the square share the corners (i+1, j) and (i, j+1).
    let upper = (a - i_float) + (b - j_float) >= 1.0;
    let k = h - i_float - j_float - 1.0;
    let x = [i_float, i_float + 1.0].map(|i| warp_positive(i * step));
    let y = [j_float, j_float + 1.0].map(|j| warp_positive(j * step));
    let z = warp(k * step);
    let beyond = warp((if upper { k - 1.0 } else { k + 1.0 }) * step);
    let (x_third, y_third) = if upper { (x[1], y[1]) } else { (x[0], y[0]) };
    let along_i = squared_sine([x[1], y[0], z], s);
    let along_j = squared_sine([x[0], y[1], z], s);
    let third = squared_sine([x_third, y_third, beyond], s);
    let i_wins = along_i.less(along_j);
    let best = Fraction {
        numerator: if i_wins {
            along_i.numerator
        } else {
            along_j.numerator
        },
        denominator: if i_wins {
            along_i.denominator
        } else {
            along_j.denominator
        },
    };
    let third_wins = third.less(best);
    let di = i32::from(if third_wins { upper } else { i_wins });
    let dj = i32::from(if third_wins { upper } else { !i_wins });
    (i + di, j + dj)
}

/// A non-negative fraction, compared without a division.
#[derive(Clone, Copy)]
struct Fraction {
    numerator: f32,
    denominator: f32,
}

impl Fraction {
    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self.numerator * other.denominator < other.numerator * self.denominator
    }
}

/// The squared sine of the angle between `d` and `s`, but for |s|^2: unlike the cosine it loses no digits at small
/// angles.
#[inline(always)]
fn squared_sine(d: [f32; 3], s: [f32; 3]) -> Fraction {
    let x = d[1] * s[2] - d[2] * s[1];
    let y = d[2] * s[0] - d[0] * s[2];
    let z = d[0] * s[1] - d[1] * s[0];
    Fraction {
        numerator: x * x + y * y + z * z,
        denominator: d[0] * d[0] + d[1] * d[1] + d[2] * d[2],
    }
}

/// f of each barycentric of a code, with the signs.
#[inline(always)]
fn warped_octahedron_from_code<const BITS: u32>(code: [i16; 2]) -> [f32; 3] {
    let ([x, y], z) = lattice::barycentrics_from_code::<BITS>(code);
    let [x, y] = lattice::with_signs([warp_positive(x), warp_positive(y)], code);
    [x, y, warp(z)]
}

/// The unit normal of a code: any pair of integers (a component beyond h counts as h).
///
/// Axes are exact and no zero is negative. Components and length are right within 2e-7.
///
/// ```
/// use gbuffer_codec::warped;
/// assert_eq!(warped::decode::<16>([0, -32767]), [0.0, -1.0, 0.0]);
/// ```
#[inline]
#[must_use]
pub fn decode<const BITS: u32>(code: [i16; 2]) -> [f32; 3] {
    lattice::normalize(warped_octahedron_from_code::<BITS>(code))
}

/// The unit normal of texture coordinates as a snorm texture gives them: u / h and v / h.
///
/// Clamps to -1..=1 (snorm's most negative integer reads as a little less than -1 on some devices); NaN counts as 0.
/// Never filter the texture: between two codes across the fold lie normals up to 180 degrees away.
///
/// ```
/// use gbuffer_codec::warped;
/// let [u, v] = warped::encode::<8>([0.6, 0.0, -0.8]);
/// let sampled = [f32::from(u) / 127.0, f32::from(v) / 127.0];
/// let [x, _, z] = warped::decode_uv(sampled);
/// assert!((x - 0.6).abs() < 0.01 && (z + 0.8).abs() < 0.01);
/// ```
#[inline]
#[must_use]
pub fn decode_uv(uv: [f32; 2]) -> [f32; 3] {
    lattice::normalize(lattice::octahedron_from_uv(uv).map(warp))
}

/// [`encode`] in two halves, for slices.
pub(crate) struct Encode<const BITS: u32>;

impl<const BITS: u32> Conversion<5> for Encode<BITS> {
    type Input = [f32; 3];
    type Output = [i16; 2];

    #[inline(always)]
    fn first(normal: [f32; 3]) -> [f32; 5] {
        point::<BITS>(Direction::new(normal))
    }

    #[inline(always)]
    fn usual(normal: [f32; 3]) -> ([f32; 5], u32) {
        let direction = Direction::usual(normal);
        (point::<BITS>(direction), direction.length())
    }

    #[inline(always)]
    fn second(point: [f32; 5]) -> [i16; 2] {
        code_from_point::<BITS>(point)
    }
}

/// [`decode`] in two halves, for slices.
pub(crate) struct Decode<const BITS: u32>;

impl<const BITS: u32> Conversion<3> for Decode<BITS> {
    type Input = [i16; 2];
    type Output = [f32; 3];

    #[inline(always)]
    fn first(code: [i16; 2]) -> [f32; 3] {
        warped_octahedron_from_code::<BITS>(code)
    }

    #[inline(always)]
    fn usual(code: [i16; 2]) -> ([f32; 3], u32) {
        (Self::first(code), 0)
    }

    #[inline(always)]
    fn second(point: [f32; 3]) -> [f32; 3] {
        lattice::normalize(point)
    }
}

/// [`encode`] for slices, with the same results bit for bit.
///
/// ```
/// use gbuffer_codec::warped;
/// let mut codes = [[0; 2]; 2];
/// warped::encode_slice::<8>(&[[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], &mut codes);
/// assert_eq!(codes, [[0, 0], [0, -127]]);
/// ```
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn encode_slice<const BITS: u32>(normals: &[impl Into<[f32; 3]> + Copy], codes: &mut [[i16; 2]]) {
    batch::encode_slice::<Encode<BITS>, _, 5>(normals, codes);
}

/// [`decode`] for slices, with the same results bit for bit.
///
/// ```
/// use gbuffer_codec::warped;
/// let mut normals = [[0.0_f32; 3]; 2];
/// warped::decode_slice::<8>(&[[0, 0], [0, -127]], &mut normals);
/// assert_eq!(normals, [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]);
/// ```
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn decode_slice<const BITS: u32>(codes: &[[i16; 2]], normals: &mut [impl From<[f32; 3]>]) {
    batch::decode_slice::<Decode<BITS>, _>(codes, normals);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f's coefficients as the documentation has them; for f32 they are divided by their sum, so that f(1) = 1.
    fn warp_f64(t: f64) -> f64 {
        t * (1.0 - 0.8 * t + 0.486 * t * t) / 0.686
    }

    #[test]
    fn warp_is_the_documented_cubic() {
        assert_eq!(warp(1.0), 1.0, "exactly, for the sake of the axes");
        assert_eq!(warp(0.0), 0.0);
        for n in 0..=1000_u16 {
            let t = f32::from(n) / 1000.0;
            let expected = warp_f64(f64::from(t));
            assert!((f64::from(warp(t)) - expected).abs() <= 2.4e-7, "f({t})");
            assert_eq!(warp(-t), -warp(t), "odd");
        }
    }

    /// The documented accuracy of the inversion: what decides the lattice triangle is wrong by 0.14 steps of 16 bits at most.
    #[test]
    fn one_newton_step_is_enough() {
        const N: u16 = 400;
        let mut worst = 0.0_f64;
        for i in 0..=N {
            for j in 0..=N - i {
                let t = [i, j, N - i - j].map(|n| f64::from(n) / f64::from(N));
                let f = t.map(warp_f64);
                let sum = f[0] + f[1] + f[2];
                #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
                let found = unwarp(f.map(|x| (x / sum) as f32));
                for n in 0..2 {
                    worst = worst.max((f64::from(found[n]) - t[n]).abs());
                }
            }
        }
        assert!(worst <= 4.6e-6, "{worst}");
        assert!(
            worst > 3e-6,
            "{worst}: the documentation says 4.2e-6 and f32's rounding"
        );
    }
}
