//! From local to model space, and palettes.

use elea_anim::{Pose, SkinBinding, local_to_model_with, palette_with};
use glam::{Affine3A, DAffine3, Mat3A, Vec4};

use super::{CALLS, KERNELS, Rig, report};
use crate::{measure::Timed, row::Row};

pub(super) fn matrices(rig: &mut Rig, rows: &mut Vec<Row>) {
    let locals = rig.transforms();
    let pose: Pose = locals.iter().copied().collect();
    let skeleton = &rig.skeleton;
    let mut exact: Vec<DAffine3> = Vec::new();
    for (local, parent) in locals.iter().zip(skeleton.parents()) {
        let own = DAffine3::from_scale_rotation_translation(
            local.scale.as_dvec3(),
            local.rotation.as_dquat(),
            local.translation.as_dvec3(),
        );
        exact.push(parent.map_or(own, |parent| exact[parent.index()] * own));
    }
    let error = |model: &[Affine3A]| {
        model.iter().zip(&exact).fold(0.0, |worst: f64, (found, exact)| {
            let (found, exact) = (found.to_cols_array(), exact.to_cols_array());
            let size = exact.iter().fold(1.0, |size: f64, c| size.max(c.abs()));
            found
                .iter()
                .zip(exact)
                .fold(worst, |worst, (f, e)| worst.max((f64::from(*f) - e).abs() / size))
        })
    };
    let naive_model = |model: &mut [Affine3A]| {
        for (joint, local) in locals.iter().enumerate() {
            let own =
                Affine3A::from_scale_rotation_translation(local.scale, local.rotation, local.translation);
            model[joint] = match skeleton.parents()[joint] {
                Some(parent) => model[parent.index()] * own,
                None => own,
            };
        }
    };
    let mut model = vec![Affine3A::IDENTITY; rig.joints];
    naive_model(&mut model);
    let mut errors = vec![error(&model)];
    let mut out = model.clone();
    let mut contenders: Vec<Timed<'_>> = vec![(
        "naive",
        Box::new(move || {
            for _ in 0..CALLS {
                naive_model(&mut out);
                std::hint::black_box(&mut out);
            }
        }),
    )];
    let pose = &pose;
    for (name, kernel) in KERNELS {
        let mut out = model.clone();
        local_to_model_with(kernel, skeleton, pose, &mut out);
        errors.push(error(&out));
        contenders.push((
            name,
            Box::new(move || {
                for _ in 0..CALLS {
                    local_to_model_with(kernel, skeleton, std::hint::black_box(pose), &mut out);
                    std::hint::black_box(&mut out);
                }
            }),
        ));
    }
    report(
        rows,
        "local_to_model",
        rig.joints,
        rig.joints * CALLS,
        &mut contenders,
        &errors,
        "relative",
    );

    let binding = SkinBinding::from_rest_pose(skeleton).expect("the rest pose has no scale of zero");
    let (model, binding) = (&model, &binding);
    let naive_palette = |out: &mut [[Vec4; 3]]| {
        for ((joint, inverse), out) in binding.joints().iter().zip(binding.inverse_bind()).zip(out) {
            let matrix = model[joint.index()] * *inverse;
            let Mat3A {
                x_axis: x,
                y_axis: y,
                z_axis: z,
            } = matrix.matrix3;
            let t = matrix.translation;
            *out = [
                Vec4::new(x.x, y.x, z.x, t.x),
                Vec4::new(x.y, y.y, z.y, t.y),
                Vec4::new(x.z, y.z, z.z, t.z),
            ];
        }
    };
    let mut expected = vec![[Vec4::ZERO; 3]; rig.joints];
    naive_palette(&mut expected);
    let difference = |rows: &[[Vec4; 3]]| {
        let all = rows.iter().flatten().zip(expected.iter().flatten());
        all.fold(0.0, |worst: f64, (a, b)| {
            worst.max(f64::from(
                (*a - *b).abs().max_element() / b.abs().max_element().max(1.0),
            ))
        })
    };
    let mut errors = vec![0.0];
    let mut out = expected.clone();
    let mut contenders: Vec<Timed<'_>> = vec![(
        "naive",
        Box::new(move || {
            for _ in 0..CALLS {
                naive_palette(&mut out);
                std::hint::black_box(&mut out);
            }
        }),
    )];
    for (name, kernel) in KERNELS {
        let mut out = expected.clone();
        palette_with(kernel, model, binding, &mut out);
        errors.push(difference(&out));
        contenders.push((
            name,
            Box::new(move || {
                for _ in 0..CALLS {
                    palette_with(kernel, std::hint::black_box(model), binding, &mut out);
                    std::hint::black_box(&mut out);
                }
            }),
        ));
    }
    report(
        rows,
        "palette",
        rig.joints,
        rig.joints * CALLS,
        &mut contenders,
        &errors,
        "relative",
    );
}
