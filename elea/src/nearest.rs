//! The rotation nearest to a matrix, as a quaternion: the kernels.
//!
//! The largest eigenvector of Davenport's symmetric 4x4 matrix K of M is the rotation that maximises trace(R^T M), which
//! is the one nearest to M in the Frobenius norm (Davenport 1968; Horn 1987). For a matrix that is nearly a scaled
//! rotation two multiplications by K give it to rounding; the others go by the characteristic polynomial (Horn; the
//! Newton iteration from the upper bound is QUEST's, Shuster 1981) and, where its roots meet, by Jacobi rotations.

use crate::scalar::{Real, select};

/// Acceptance of the fast path: how far the squared eigenvalue ratio may fall short (dimensionless). The two power steps
/// leave an error of about (tau)^(3/2), below rounding for either value.
pub trait Fast: Real {
    /// (1 + 3 / sqrt(1 + tau / 0.75))^2 / 3
    const ACCEPT: Self;
    /// Squared Frobenius norms between these neither overflow nor lose digits in |K^3 column|^2.
    const NORM2_MIN: Self;
    const NORM2_MAX: Self;

    /// The fast path of one matrix, all three steps: a quaternion, and whether it may be used.
    #[inline(always)]
    fn fast(m: [[Self; 3]; 3]) -> ([Self; 4], bool) {
        let (n2, s) = fast_shift(m);
        let (a2, b) = fast_powers(m, s);
        fast_finish(n2, a2, b)
    }
}

impl Fast for f32 {
    // tau = 2e-5
    const ACCEPT: Self = 5.333_227;
    const NORM2_MIN: Self = 1e-10;
    const NORM2_MAX: Self = 1e12;

    #[cfg(feature = "glam")]
    #[inline(always)]
    fn fast(m: [[Self; 3]; 3]) -> ([Self; 4], bool) {
        crate::quad::fast(m)
    }
}

impl Fast for f64 {
    // tau = 2e-11
    const ACCEPT: Self = 5.333_333_333_226_667;
    const NORM2_MIN: Self = 1e-90;
    const NORM2_MAX: Self = 1e90;
}

/// Davenport's matrix of `m[column][row]`, upper triangle: xx, yy, zz, ww, xy, xz, yz, xw, yw, zw.
#[inline(always)]
fn davenport<T: Real>(m: [[T; 3]; 3]) -> [T; 10] {
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m;
    [
        m00 - m11 - m22,
        m11 - m00 - m22,
        m22 - m00 - m11,
        m00 + m11 + m22,
        m01 + m10,
        m02 + m20,
        m12 + m21,
        m21 - m12,
        m02 - m20,
        m10 - m01,
    ]
}

#[inline(always)]
fn multiply<T: Real>(k: [T; 10], q: [T; 4]) -> [T; 4] {
    let [xx, yy, zz, ww, xy, xz, yz, xw, yw, zw] = k;
    let [x, y, z, w] = q;
    [
        (xx * x + xy * y) + (xz * z + xw * w),
        (xy * x + yy * y) + (yz * z + yw * w),
        (xz * x + yz * y) + (zz * z + zw * w),
        (xw * x + yw * y) + (zw * z + ww * w),
    ]
}

#[inline(always)]
fn dot<T: Real>(a: [T; 4], b: [T; 4]) -> T {
    (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])
}

/// The sign that is returned: w >= 0, and at w = 0 the first nonzero of x, y, z positive. No component is -0.
#[inline(always)]
pub(crate) fn canonical_sign<T: Real>(q: [T; 4]) -> [T; 4] {
    let [x, y, z, w] = q;
    let lead = select(
        w != T::ZERO,
        w,
        select(x != T::ZERO, x, select(y != T::ZERO, y, z)),
    );
    [
        x.flip_by(lead) + T::ZERO,
        y.flip_by(lead) + T::ZERO,
        z.flip_by(lead) + T::ZERO,
        w.flip_by(lead) + T::ZERO,
    ]
}

/// First step of the fast path: |M|^2, and the shift s that makes K + s I the projection on the answer (times 4 s).
#[inline(always)]
pub(crate) fn fast_shift<T: Fast>(m: [[T; 3]; 3]) -> (T, T) {
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m;
    // In this order, as two registers of four add up.
    let n2 = (((m00 * m00 + m11 * m11) + (m10 * m10 + m21 * m21))
        + ((m20 * m20 + m02 * m02) + (m01 * m01 + m12 * m12)))
        + m22 * m22;
    (n2, (n2 * T::THIRD).sqrt())
}

/// Second step: two multiplications by K + s I from a column with at least a quarter of the eigenvector (in squares: x y z w of
/// a rotation are chosen by the signs of m22 and of m00 -+ m11). Gives the squared length before the last, and the result.
#[inline(always)]
pub(crate) fn fast_powers<T: Fast>(m: [[T; 3]; 3], s: T) -> (T, [T; 4]) {
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m;
    let (xy, xz, yz) = (m01 + m10, m02 + m20, m12 + m21);
    let (xw, yw, zw) = (m21 - m12, m02 - m20, m10 - m01);
    let (difference, sum) = (m00 - m11, m00 + m11);
    let (below, above) = (s - m22, s + m22);
    let (xx, yy, zz, ww) = (below + difference, below - difference, above - sum, above + sum);
    let k = [xx, yy, zz, ww, xy, xz, yz, xw, yw, zw];
    let (x_or_y, y, z) = (m22.is_negative(), difference.is_negative(), sum.is_negative());
    let pick =
        |of_x: T, of_y: T, of_z: T, of_w: T| select(x_or_y, select(y, of_y, of_x), select(z, of_z, of_w));
    let q0 = [
        pick(xx, xy, xz, xw),
        pick(xy, yy, yz, yw),
        pick(xz, yz, zz, zw),
        pick(xw, yw, zw, ww),
    ];
    let a = multiply(k, q0);
    (dot(a, a), multiply(k, a))
}

/// Third step: the unit quaternion, and whether it may be used.
#[inline(always)]
pub(crate) fn fast_finish<T: Fast>(n2: T, a2: T, b: [T; 4]) -> ([T; 4], bool) {
    let b2 = dot(b, b);
    // `>` and not `>=`: zero and infinite sums must fail.
    let accepted = (b2 > a2 * n2 * T::ACCEPT) & (n2 > T::NORM2_MIN) & (n2 < T::NORM2_MAX);
    let inverse = T::ONE / b2.sqrt();
    let q = [b[0] * inverse, b[1] * inverse, b[2] * inverse, b[3] * inverse];
    (canonical_sign(q), accepted)
}

/// The nearest rotation to any matrix; the identity for NaN, infinities and zero.
#[inline(always)]
pub(crate) fn nearest<T: Fast>(m: [[T; 3]; 3]) -> [T; 4] {
    let (q, accepted) = T::fast(m);
    if accepted { q } else { cold(m) }
}

/// The nearest rotation where the fast path has refused.
#[cold]
#[inline(never)]
pub(crate) fn cold<T: Real>(m: [[T; 3]; 3]) -> [T; 4] {
    match unit_scale(m) {
        Some(unit) => canonical_sign(nearest_at_unit_scale(&unit).map(T::from_f64)),
        None => [T::ZERO, T::ZERO, T::ZERO, T::ONE],
    }
}

/// A matrix brought to a squared Frobenius norm of 3, that of a rotation, with its determinant and cofactor norm.
pub(crate) struct UnitScale {
    m: [[f64; 3]; 3],
    pub(crate) determinant: f64,
    /// Squared Frobenius norm of the cofactor matrix.
    pub(crate) cofactor2: f64,
}

/// None for a matrix that is zero or not finite.
pub(crate) fn unit_scale<T: Real>(m: [[T; 3]; 3]) -> Option<UnitScale> {
    // 2^500 and 2^600: squares of what lies between stay normal, and the smallest denormal is brought between.
    const EDGE: f64 = f64::from_bits((1023 + 500) << 52);
    const STEP: f64 = f64::from_bits((1023 + 600) << 52);
    let mut m = m.map(|c| c.map(T::to_f64));
    let mut largest = 0.0_f64;
    for v in m.as_flattened() {
        if !v.is_finite() {
            return None;
        }
        largest = largest.max(v.abs());
    }
    if largest == 0.0 {
        return None;
    }
    if largest > EDGE {
        m = m.map(|c| c.map(|v| v / STEP));
    } else if largest < 1.0 / EDGE {
        m = m.map(|c| c.map(|v| v * STEP));
    }
    let n2: f64 = m.as_flattened().iter().map(|v| v * v).sum();
    let scale = Real::sqrt(3.0 / n2);
    let m = m.map(|c| c.map(|v| v * scale));
    let [a, b, c] = m;
    let cofactors = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = a[0] * cofactors[0][0] + a[1] * cofactors[0][1] + a[2] * cofactors[0][2];
    let cofactor2 = cofactors.as_flattened().iter().map(|v| v * v).sum();
    Some(UnitScale {
        m,
        determinant,
        cofactor2,
    })
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Newton steps at most; 12 have been seen.
const NEWTON_STEPS: usize = 40;
/// Where the slope of the characteristic polynomial is below this (at unit scale, no unit), the largest eigenvalue has
/// neighbours, and the adjugate loses digits: Jacobi takes over.
///
/// At the largest root the slope is 8 (s1 + s2)(s1 + s3)(s2 + s3) (s: singular values, s3 with the determinant's sign): the
/// product of the distances to the other roots, and the size of the adjugate, whose entries are products of three
/// numbers of up to 6. Their roundings turn the eigenvector by up to 100 eps / slope (measured, 6,000 matrices of slopes
/// from 1e-6 to 40 against 40 digits), 2e-14 rad at 1, a fifth of the 8 eps s1 / (s2 + s3) that are promised there;
/// below 1e-3 it can be more than that. Matrices of s1 <= 2 (s2 + s3), which are promised more, have slopes above 6.
const NEWTON_SLOPE_MIN: f64 = 1.0;

pub(crate) fn nearest_at_unit_scale(unit: &UnitScale) -> [f64; 4] {
    let (det, cof2) = (unit.determinant, unit.cofactor2);
    let k = davenport(unit.m);
    let mut l = 3.0_f64;
    for _ in 0..NEWTON_STEPS {
        let t = l * l - 3.0;
        let slope = 4.0 * l * t - 8.0 * det;
        if slope <= NEWTON_SLOPE_MIN {
            return jacobi(k);
        }
        let step = (t * t - 8.0 * l * det - 4.0 * cof2) / slope;
        if step > 0.0 {
            l -= step;
        }
        if step <= f64::EPSILON * l {
            break;
        }
    }
    let q = adjugate_column(k, l);
    // The Rayleigh quotient has the eigenvalue to the square of the vector's error.
    let q = adjugate_column(k, dot(q, multiply(k, q)) / dot(q, q));
    let mut shifted = k;
    for v in &mut shifted[..4] {
        *v += 1.0;
    }
    normalise(multiply(shifted, q))
}

fn normalise(q: [f64; 4]) -> [f64; 4] {
    let inverse = 1.0 / Real::sqrt(dot(q, q));
    q.map(|v| v * inverse)
}

fn full(k: [f64; 10]) -> [[f64; 4]; 4] {
    let [xx, yy, zz, ww, xy, xz, yz, xw, yw, zw] = k;
    [
        [xx, xy, xz, xw],
        [xy, yy, yz, yw],
        [xz, yz, zz, zw],
        [xw, yw, zw, ww],
    ]
}

/// The column of adj(l I - K) with the largest diagonal: parallel to the eigenvector of l.
fn adjugate_column(k: [f64; 10], l: f64) -> [f64; 4] {
    let mut a = full(k);
    for (i, row) in a.iter_mut().enumerate() {
        for (j, v) in row.iter_mut().enumerate() {
            *v = if i == j { l - *v } else { -*v };
        }
    }
    let cofactor = |row: usize, column: usize| {
        let others = |skip: usize| {
            let mut it = (0..4).filter(move |&i| i != skip);
            core::array::from_fn::<usize, 3, _>(|_| it.next().unwrap_or(0))
        };
        let ([r0, r1, r2], [c0, c1, c2]) = (others(row), others(column));
        let det = a[r0][c0] * (a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1])
            - a[r0][c1] * (a[r1][c0] * a[r2][c2] - a[r1][c2] * a[r2][c0])
            + a[r0][c2] * (a[r1][c0] * a[r2][c1] - a[r1][c1] * a[r2][c0]);
        if (row + column).is_multiple_of(2) {
            det
        } else {
            -det
        }
    };
    let mut best = 0;
    let mut largest = f64::NEG_INFINITY;
    for i in 0..4 {
        let c = cofactor(i, i);
        if c > largest {
            (best, largest) = (i, c);
        }
    }
    core::array::from_fn(|i| cofactor(i, best))
}

/// Sweeps at most; a symmetric 4x4 matrix converges quadratically, 6 have been seen.
const JACOBI_SWEEPS: usize = 16;
/// Sum of squares above the diagonal at which the sweeps end: 1e-20, squared. The elements of K at unit scale carry roundings
/// of 1e-16, which turn the eigenvectors ten thousand times as far as what is left.
const OFF_DIAGONAL_DONE: f64 = 1e-40;
/// Eigenvalues this close to the largest (at unit scale) count as equal to it: a few roundings of the sums in K.
const TIE: f64 = 16.0 * f64::EPSILON;
/// Smallest squared share of a coordinate axis in the tied eigenvectors with which that axis is chosen. One of the four
/// always has 1/2 or more, as the squared shares of a space of two or more dimensions add up to its dimension.
const TIE_SHARE: f64 = 0.2;

const OFF_DIAGONAL: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

/// The largest eigenvector of K by cyclic Jacobi rotations; where it is not unique, the one nearest to the identity.
fn jacobi(k: [f64; 10]) -> [f64; 4] {
    let mut a = full(k);
    let mut v = [[0.0; 4]; 4];
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..JACOBI_SWEEPS {
        let off: f64 = OFF_DIAGONAL.iter().map(|&(p, q)| a[p][q] * a[p][q]).sum();
        if off < OFF_DIAGONAL_DONE {
            break;
        }
        for (p, q) in OFF_DIAGONAL {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = if theta.abs() > 1e150 {
                0.5 / theta
            } else {
                let t = 1.0 / (theta.abs() + Real::sqrt(theta * theta + 1.0));
                if theta < 0.0 { -t } else { t }
            };
            let c = 1.0 / Real::sqrt(t * t + 1.0);
            let s = t * c;
            let change = t * a[p][q];
            a[p][p] -= change;
            a[q][q] += change;
            a[p][q] = 0.0;
            a[q][p] = 0.0;
            for r in 0..4 {
                if r != p && r != q {
                    let (rp, rq) = (a[r][p], a[r][q]);
                    a[r][p] = c * rp - s * rq;
                    a[r][q] = s * rp + c * rq;
                    a[p][r] = a[r][p];
                    a[q][r] = a[r][q];
                }
                let (rp, rq) = (v[r][p], v[r][q]);
                v[r][p] = c * rp - s * rq;
                v[r][q] = s * rp + c * rq;
            }
        }
    }
    let largest = (0..4).map(|i| a[i][i]).fold(f64::NEG_INFINITY, f64::max);
    let tied = |i: usize| a[i][i] >= largest - TIE;
    if (0..4).filter(|&i| tied(i)).count() == 1 {
        let best = (0..4).find(|&i| tied(i)).unwrap_or(3);
        return normalise(core::array::from_fn(|r| v[r][best]));
    }
    for axis in [3, 0, 1, 2] {
        let mut q = [0.0; 4];
        for i in (0..4).filter(|&i| tied(i)) {
            for r in 0..4 {
                q[r] += v[r][i] * v[axis][i];
            }
        }
        if q[axis] > TIE_SHARE {
            return normalise(q);
        }
    }
    [0.0, 0.0, 0.0, 1.0]
}
