//! From local space to model space.

use glam::Affine3A;

use crate::{
    JointId, Kernel, Pose, Skeleton, check,
    pose::{Block, LANES},
    simd::{Job, Simd, dispatch},
};

/// Multiplies every joint's local transform onto its parent's: `model[joint] = model[parent] * local[joint]`.
///
/// * `pose`: local space, one transform per joint.
/// * `model`: out, one matrix per joint, in the space in which the roots' transforms are given.
///
/// # Panics
/// If `pose` or `model` has another number of joints than `skeleton`.
///
/// ```
/// # use elea_anim::{Joint, JointId, Skeleton, Transform, glam::{Affine3A, Vec3}, local_to_model};
/// # let up = Transform::from_translation(Vec3::Y);
/// # let joint = |parent| Joint { name: String::new(), parent, rest: up };
/// # let skeleton = Skeleton::new(vec![joint(None), joint(Some(JointId(0)))])?;
/// let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
/// local_to_model(&skeleton, skeleton.rest_pose(), &mut model);
/// assert_eq!(model[1].translation, (Vec3::Y * 2.0).into());
/// # Ok::<(), elea_anim::SkeletonError>(())
/// ```
#[track_caller]
pub fn local_to_model(skeleton: &Skeleton, pose: &Pose, model: &mut [Affine3A]) {
    local_to_model_with(Kernel::Deterministic, skeleton, pose, model);
}

/// As [`local_to_model`], with a chosen arithmetic.
///
/// # Panics
/// If `pose` or `model` has another number of joints than `skeleton`.
#[track_caller]
pub fn local_to_model_with(kernel: Kernel, skeleton: &Skeleton, pose: &Pose, model: &mut [Affine3A]) {
    check::same_joints("pose", pose.len(), "skeleton", skeleton.len());
    check::one_each("model matrices", model.len(), "joints", skeleton.len());
    dispatch(
        kernel,
        &mut LocalToModel {
            blocks: pose.blocks(),
            by_level: skeleton.by_level(),
            model,
        },
    );
}

struct LocalToModel<'a> {
    blocks: &'a [Block],
    by_level: &'a [[JointId; 2]],
    model: &'a mut [Affine3A],
}

impl Job for LocalToModel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) {
        for (block, out) in self.blocks.iter().zip(self.model.chunks_mut(LANES)) {
            let [x, y, z, t] = columns(simd, block);
            let zero = simd.splat(0.0);
            let x = simd.transpose_back([x[0], x[1], x[2], zero]);
            let y = simd.transpose_back([y[0], y[1], y[2], zero]);
            let z = simd.transpose_back([z[0], z[1], z[2], zero]);
            let t = simd.transpose_back([t[0], t[1], t[2], zero]);
            // The usual full block by itself: its loop is unrolled and needs no array in memory.
            if let Some(out) = out.as_mut_array::<LANES>() {
                for lane in 0..LANES {
                    out[lane] = simd.to_affine([x[lane], y[lane], z[lane], t[lane]]);
                }
            } else {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = simd.to_affine([x[lane], y[lane], z[lane], t[lane]]);
                }
            }
        }
        // Level by level: a joint does not wait for the parent that was computed just before it.
        for [joint, parent] in self.by_level {
            self.model[joint.index()] =
                simd.mul_affine(&self.model[parent.index()], &self.model[joint.index()]);
        }
    }
}

/// The local matrices of eight joints, column by column.
#[inline(always)]
fn columns<S: Simd>(simd: S, block: &Block) -> [[S::F; 3]; 4] {
    let [x, y, z, w] = &block.rotation;
    let (x, y, z, w) = (simd.load(x), simd.load(y), simd.load(z), simd.load(w));
    let [sx, sy, sz] = &block.scale;
    let (sx, sy, sz) = (simd.load(sx), simd.load(sy), simd.load(sz));
    let [tx, ty, tz] = &block.translation;
    let translation = [simd.load(tx), simd.load(ty), simd.load(tz)];
    let one = simd.splat(1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        [(one - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx],
        [(xy - wz) * sy, (one - (xx + zz)) * sy, (yz + wx) * sy],
        [(xz + wy) * sz, (yz - wx) * sz, (one - (xx + yy)) * sz],
        translation,
    ]
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat};

    use super::*;
    use crate::rigs::Random;

    #[test]
    fn products_are_those_of_f64_and_the_same_bits_everywhere() {
        let mut random = Random(17);
        for joints in [1, 7, 8, 9, 64, 100] {
            let skeleton = random.skeleton(joints);
            let pose = random.pose(joints);
            let mut exact: Vec<DAffine3> = Vec::new();
            for (local, parent) in pose.transforms().zip(skeleton.parents()) {
                let rotation = DQuat::from_vec4(local.rotation.as_dquat().into());
                let local = DAffine3::from_scale_rotation_translation(
                    local.scale.as_dvec3(),
                    rotation,
                    local.translation.as_dvec3(),
                );
                exact.push(parent.map_or(local, |parent| exact[parent.index()] * local));
            }
            let run = |kernel| {
                let mut model = vec![Affine3A::ZERO; joints];
                local_to_model_with(kernel, &skeleton, &pose, &mut model);
                model
            };
            let found = crate::simd::tests::same_on_every_set(|| {
                let bits = |matrix: &Affine3A| matrix.to_cols_array().map(f32::to_bits);
                run(Kernel::Deterministic).iter().map(bits).collect::<Vec<_>>()
            });
            let found = found
                .iter()
                .map(|bits| Affine3A::from_cols_array(&bits.map(f32::from_bits)));
            for (found, exact) in found.chain(run(Kernel::Fast)).zip(exact.iter().cycle()) {
                let (found, exact) = (found.to_cols_array(), exact.to_cols_array());
                let size = exact.iter().fold(1.0, |size: f64, number| size.max(number.abs()));
                for (found, exact) in found.iter().zip(exact) {
                    assert!(
                        (f64::from(*found) - exact).abs() < 1e-5 * size,
                        "{found}, not {exact}"
                    );
                }
            }
        }
    }
}
