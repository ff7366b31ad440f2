//! Skinning with dual quaternions: twisted joints keep their volume.

use glam::{Mat3, Mat3A, Quat, Vec3, Vec4};

use crate::{
    Influences, SkinInput, SkinOutput, check,
    influences::{BYTE_UNIT, Weights},
    skin::{check_lengths, unit_or},
};

/// A rotation and a translation after it, as a unit dual quaternion.
///
/// `real` is the rotation r, `dual` is t r / 2 with the translation t as a quaternion without real part. Negated as
/// a whole it is the same motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct DualQuaternion {
    /// The rotation, of length one.
    pub real: Quat,
    /// Across `real` (their dot product is zero).
    pub dual: Quat,
}

impl DualQuaternion {
    /// No motion.
    pub const IDENTITY: Self = Self {
        real: Quat::IDENTITY,
        dual: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
    };

    /// First the rotation (of length one), then the translation.
    #[must_use]
    pub fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        let [x, y, z, w] = rotation.to_array();
        let [a, b, c] = translation.to_array();
        Self {
            real: rotation,
            dual: Quat::from_xyzw(
                0.5 * (a * w + b * z - c * y),
                0.5 * (b * w + c * x - a * z),
                0.5 * (c * w + a * y - b * x),
                -0.5 * (a * x + b * y + c * z),
            ),
        }
    }

    /// The translation, which comes after the rotation.
    #[must_use]
    pub fn translation(self) -> Vec3 {
        Vec3::from_array(translation(self.real.to_array(), self.dual.to_array()))
    }
}

impl Default for DualQuaternion {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A palette for [`skin_dual_quaternion`].
#[derive(Clone, Copy, Debug)]
pub struct DualPalette<'a> {
    /// One per slot.
    pub motions: &'a [DualQuaternion],
    /// One per slot: scale and shear before the motion. Or none at all: the joints are rigid.
    pub stretches: &'a [Mat3A],
}

/// Takes the matrices of a [`palette`](crate::palette) apart: into the nearest rotation and the translation, and
/// what is to be done before them. `matrix = motion * stretch` holds for every matrix, mirrored and flat ones
/// included. Without `stretches` (an empty slice) scale and shear are dropped.
///
/// # Panics
/// If `motions`, or `stretches` unless empty, is not as long as `palette`.
///
/// ```
/// use elea_anim::{DualQuaternion, dual_palette, glam::{Mat3A, Vec3, Vec4}};
/// // Twice as long along x, then a quarter turn about z, then up.
/// let rows = [[Vec4::new(0.0, -1.0, 0.0, 0.0), Vec4::new(2.0, 0.0, 0.0, 0.0), Vec4::new(0.0, 0.0, 1.0, 5.0)]];
/// let (mut motions, mut stretches) = ([DualQuaternion::IDENTITY], [Mat3A::IDENTITY]);
/// dual_palette(&rows, &mut motions, &mut stretches);
/// assert!((motions[0].real * Vec3::X).distance(Vec3::Y) < 1e-6);
/// assert!(motions[0].translation().distance(Vec3::Z * 5.0) < 1e-6);
/// assert!((stretches[0] * Vec3::X).distance(Vec3::X * 2.0) < 1e-6);
/// ```
#[track_caller]
pub fn dual_palette(palette: &[[Vec4; 3]], motions: &mut [DualQuaternion], stretches: &mut [Mat3A]) {
    check::one_each("motions", motions.len(), "palette slots", palette.len());
    if !stretches.is_empty() {
        check::one_each("stretches", stretches.len(), "palette slots", palette.len());
    }
    for (slot, ([a, b, c], motion)) in palette.iter().zip(motions).enumerate() {
        let matrix = Mat3::from_cols_array(&[a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z]);
        let rotation = elea::quat_from_mat3(matrix);
        *motion = DualQuaternion::from_rotation_translation(rotation, Vec3::new(a.w, b.w, c.w));
        if let Some(stretch) = stretches.get_mut(slot) {
            *stretch = (elea::mat3_from_quat(rotation).transpose() * matrix).into();
        }
    }
}

/// Dual quaternion skinning: each vertex is moved by the weighted sum of its slots' dual quaternions, made a motion
/// again, after the weighted sum of their stretches.
///
/// Where [`skin`](crate::skin) lets a twisted wrist or a bent elbow lose volume, a sum of dual quaternions is a
/// rigid motion again; in return, the outside of a bent joint bulges a little, and a vertex takes several times as long
/// (this is plain code, without the wide registers of linear skinning). With one influence, and wherever
/// all slots of a vertex have the same matrix, both give the same.
///
/// Signs are taken against the slot of the largest weight (the first of equals), so that no slot goes the long way
/// round. Normals go by the cofactors of the stretch and the rotation, tangents by stretch and rotation, both
/// renormalised; what has no direction then keeps the input.
///
/// Source: Kavan, Collins, Zara, O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion Blending", ACM
/// Transactions on Graphics 27(4), 2008, with its two-phase scheme for scale and shear.
///
/// # Panics
/// If a buffer is not as long as the input's, or the palette is shorter than
/// [`Influences::slots`].
///
/// ```
/// use elea_anim::{DualPalette, DualQuaternion, Influences, SkinInput, SkinOutput, skin_dual_quaternion};
/// use elea_anim::glam::{Quat, Vec3};
/// // Half way between two slots of which one is twisted by 120 degrees: a linear blend would halve the radius.
/// let twist = DualQuaternion { real: Quat::from_rotation_x(2.0943952), ..DualQuaternion::IDENTITY };
/// let motions = [DualQuaternion::IDENTITY, twist];
/// let (influences, _) = Influences::new(2, 2, vec![0, 1], vec![0.5, 0.5])?;
/// let mut positions = [Vec3::ZERO];
/// skin_dual_quaternion(
///     DualPalette { motions: &motions, stretches: &[] },
///     SkinInput { positions: &[Vec3::Y], normals: &[], tangents: &[], influences: &influences },
///     SkinOutput { positions: &mut positions, normals: &mut [], tangents: &mut [] },
/// );
/// assert!((positions[0].length() - 1.0).abs() < 1e-6);
/// # Ok::<(), elea_anim::SkinError>(())
/// ```
#[track_caller]
pub fn skin_dual_quaternion(palette: DualPalette<'_>, input: SkinInput<'_>, output: SkinOutput<'_>) {
    check_lengths(palette.motions.len(), &input, &output);
    if !palette.stretches.is_empty() {
        check::one_each(
            "stretches",
            palette.stretches.len(),
            "motions",
            palette.motions.len(),
        );
    }
    match input.influences.weights() {
        Weights::Float(weights) => skin_with_weights(palette, input, output, weights, |weight| weight),
        Weights::Byte(weights) => {
            skin_with_weights(palette, input, output, weights, |weight| {
                f32::from(weight) * BYTE_UNIT
            });
        }
    }
}

fn skin_with_weights<W: Copy>(
    palette: DualPalette<'_>,
    input: SkinInput<'_>,
    output: SkinOutput<'_>,
    weights: &[W],
    factor: impl Fn(W) -> f32,
) {
    let SkinInput {
        positions,
        normals,
        tangents,
        influences,
    } = input;
    let count = influences.per_vertex();
    let slots = influences.joints().chunks_exact(count);
    for (vertex, (slots, weights)) in slots.zip(weights.chunks_exact(count)).enumerate() {
        let mut factors = [0.0; Influences::MAX];
        let mut largest = 0;
        for (influence, &weight) in weights.iter().enumerate() {
            factors[influence] = factor(weight);
            if factors[influence] > factors[largest] {
                largest = influence;
            }
        }
        let (real, dual) = motion(palette.motions, slots, &factors, slots[largest]);
        let moved = |[x, y, z]: [f32; 3]| {
            let [a, b, c] = turned(real, [x, y, z]);
            let [tx, ty, tz] = translation(real, dual);
            Vec3::new(a + tx, b + ty, c + tz)
        };
        let stretch = (!palette.stretches.is_empty()).then(|| stretch(palette.stretches, slots, &factors));
        let stretched = |v: [f32; 3]| stretch.map_or(v, |[x, y, z]| combined([x, y, z], v));
        output.positions[vertex] = moved(stretched(positions[vertex].to_array()));
        if !normals.is_empty() {
            let normal = normals[vertex].to_array();
            let cofactors = |[x, y, z]: [[f32; 3]; 3]| [cross(y, z), cross(z, x), cross(x, y)];
            let normal = stretch.map_or(normal, |columns| combined(cofactors(columns), normal));
            output.normals[vertex] = unit(turned(real, normal), normals[vertex]);
        }
        if !tangents.is_empty() {
            let tangent = tangents[vertex].truncate();
            let turned = turned(real, stretched(tangent.to_array()));
            output.tangents[vertex] = unit(turned, tangent).extend(tangents[vertex].w);
        }
    }
}

/// Between these squared lengths f32 can normalise without over- or underflow of the squares.
const MIN_SQUARE: f32 = 1e-30;
const MAX_SQUARE: f32 = 1e30;

/// `vector` with length one, or `fallback` where it has no direction.
#[inline(always)]
fn unit([x, y, z]: [f32; 3], fallback: Vec3) -> Vec3 {
    let square = x * x + y * y + z * z;
    if square > MIN_SQUARE && square < MAX_SQUARE {
        let inverse = 1.0 / square.sqrt();
        Vec3::new(x * inverse, y * inverse, z * inverse)
    } else {
        unit_or(Vec3::new(x, y, z), fallback)
    }
}

/// The weighted sum, with `real` of length one.
///
/// It cannot vanish: every term has a part along `pivot` of the same sign, and the pivot's own is the largest
/// weight, an eighth at least.
#[inline(always)]
fn motion(motions: &[DualQuaternion], slots: &[u16], factors: &[f32], pivot: u16) -> ([f32; 4], [f32; 4]) {
    let pivot = motions[usize::from(pivot)].real.to_array();
    let (mut real, mut dual) = (Vec4::ZERO, Vec4::ZERO);
    for (&slot, &factor) in slots.iter().zip(factors) {
        let motion = &motions[usize::from(slot)];
        let r = motion.real.to_array();
        let along = r[0] * pivot[0] + r[1] * pivot[1] + r[2] * pivot[2] + r[3] * pivot[3];
        let factor = Vec4::splat(if along < 0.0 { -factor } else { factor });
        real += Vec4::from(motion.real) * factor;
        dual += Vec4::from(motion.dual) * factor;
    }
    let [x, y, z, w] = real.to_array();
    let inverse = Vec4::splat(1.0 / (x * x + y * y + z * z + w * w).sqrt());
    ((real * inverse).to_array(), (dual * inverse).to_array())
}

/// Columns of the weighted sum.
#[inline(always)]
fn stretch(stretches: &[Mat3A], slots: &[u16], factors: &[f32]) -> [[f32; 3]; 3] {
    let mut sum = [[0.0; 3]; 3];
    for (&slot, &factor) in slots.iter().zip(factors) {
        let columns = stretches[usize::from(slot)].to_cols_array_2d();
        for (sum, column) in sum.iter_mut().zip(columns) {
            for axis in 0..3 {
                sum[axis] += column[axis] * factor;
            }
        }
    }
    sum
}

/// The vector part of 2 dual real*; the rest of `dual`, along `real`, drops out.
#[inline(always)]
fn translation([x, y, z, w]: [f32; 4], [a, b, c, d]: [f32; 4]) -> [f32; 3] {
    [
        2.0 * (a * w - d * x + y * c - z * b),
        2.0 * (b * w - d * y + z * a - x * c),
        2.0 * (c * w - d * z + x * b - y * a),
    ]
}

/// `v` turned by a unit quaternion: v + 2 r x (r x v + w v).
#[inline(always)]
fn turned([x, y, z, w]: [f32; 4], v: [f32; 3]) -> [f32; 3] {
    let [a, b, c] = cross([x, y, z], v);
    let [a, b, c] = cross([x, y, z], [a + w * v[0], b + w * v[1], c + w * v[2]]);
    [v[0] + 2.0 * a, v[1] + 2.0 * b, v[2] + 2.0 * c]
}

#[inline(always)]
fn combined([x, y, z]: [[f32; 3]; 3], [a, b, c]: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis: usize| x[axis] * a + y[axis] * b + z[axis] * c)
}

#[inline(always)]
fn cross([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

#[cfg(test)]
mod tests;
