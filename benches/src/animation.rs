//! Sampling, blending, hierarchy, palette and skinning against `naive`: plain glam, an array of structs, as a
//! competent engineer writes it first.
//!
//! Every case runs with 64 and 256 joints (skinning: 10,000 vertices on as many slots). Clips last 4 s; all
//! channels of a joint are animated, with keys at 30 Hz that all share (`sample_forward`, `sample_seek`) or with
//! random times of their own (`sample_keys`, `sample_keys_seek`). Poses are sampled at 60 Hz, or at random times.
//! Errors are the largest against f64: radians for sampling, otherwise the largest difference of a coordinate.

#![allow(clippy::cast_possible_truncation, reason = "random test data")]

use elea_anim::{
    Animation, BakeOptions, BlendInput, Channel, Clip, Influences, Interpolation, Joint, JointId, Kernel,
    Key, Mask, Pose, Skeleton, SkinBinding, SkinInput, SkinOutput, Transform, blend_additive_with,
    blend_with, local_to_model_with, palette_with, skin_with,
};
use glam::{Affine3A, DAffine3, DQuat, DVec3, Mat3A, Quat, Vec3, Vec3A, Vec4};

use crate::{
    measure::{Timed, nanoseconds},
    random::Random,
    row::Row,
};

const SECONDS: f32 = 4.0;
const ROUNDS: usize = 60;
/// Calls per measurement.
const CALLS: usize = 100;
const VERTICES: usize = 10_000;
const KERNELS: [(&str, Kernel); 2] = [
    ("elea deterministic", Kernel::Deterministic),
    ("elea fast", Kernel::Fast),
];

/// The whole area.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for joints in [64, 256] {
        let mut rig = Rig::new(joints);
        sampling(&mut rig, &mut rows);
        blending(&mut rig, &mut rows);
        matrices(&mut rig, &mut rows);
        skinning(&mut rig, &mut rows);
    }
    rows
}

struct Rig {
    random: Random,
    joints: usize,
    skeleton: Skeleton,
}

impl Rig {
    fn new(joints: usize) -> Self {
        let mut random = Random::new(joints as u64);
        let joint = |index: usize| Joint {
            name: format!("joint {index}"),
            // Limbs and fingers of four joints that begin anywhere.
            parent: (index > 0).then(|| {
                let anywhere = (random.unit() * index as f64) as usize;
                JointId::from_index(if index % 4 == 1 { anywhere } else { index - 1 })
            }),
            rest: Transform::from_translation(Vec3::Y * 0.1),
        };
        let skeleton =
            Skeleton::new((0..joints).map(joint).collect()).expect("parents stand before children");
        Self {
            random,
            joints,
            skeleton,
        }
    }

    fn vector(&mut self) -> Vec3 {
        let mut one = || self.random.range(-1.0, 1.0) as f32;
        Vec3::new(one(), one(), one())
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_array(self.random.quaternion().map(|c| c as f32)).normalize()
    }

    fn transforms(&mut self) -> Vec<Transform> {
        (0..self.joints)
            .map(|_| Transform {
                translation: self.vector(),
                rotation: self.rotation(),
                scale: Vec3::ONE + self.vector() * 0.2,
            })
            .collect()
    }

    fn shared_times(&self) -> Vec<f32> {
        (0..=120_u8).map(|key| f32::from(key) / 30.0).collect()
    }

    fn own_times(&mut self) -> Vec<f32> {
        let mut times: Vec<f32> = (0..58)
            .map(|_| self.random.range(0.0, f64::from(SECONDS)) as f32)
            .collect();
        times.extend([0.0, SECONDS]);
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// A motion without jumps: each key is a small step from the one before.
    fn channels(&mut self, shared: bool) -> Vec<NaiveJoint> {
        let channel_times = |rig: &mut Self| {
            if shared {
                rig.shared_times()
            } else {
                rig.own_times()
            }
        };
        (0..self.joints)
            .map(|_| {
                let (tt, rt, st) = (channel_times(self), channel_times(self), channel_times(self));
                let mut rotation = self.rotation();
                let rotations = rt
                    .iter()
                    .map(|_| {
                        rotation = (Quat::from_scaled_axis(self.vector() * 0.15) * rotation).normalize();
                        rotation
                    })
                    .collect();
                NaiveJoint {
                    translations: tt.iter().map(|_| self.vector() * 0.1).collect(),
                    translation_times: tt,
                    rotations,
                    rotation_times: rt,
                    scales: st.iter().map(|_| Vec3::ONE + self.vector() * 0.1).collect(),
                    scale_times: st,
                }
            })
            .collect()
    }
}

struct NaiveJoint {
    translation_times: Vec<f32>,
    translations: Vec<Vec3>,
    rotation_times: Vec<f32>,
    rotations: Vec<Quat>,
    scale_times: Vec<f32>,
    scales: Vec<Vec3>,
}

fn naive_place(times: &[f32], time: f32) -> (usize, usize, f32) {
    let after = times.partition_point(|&key| key <= time);
    if after == 0 {
        return (0, 0, 0.0);
    }
    if after == times.len() {
        return (after - 1, after - 1, 0.0);
    }
    (
        after - 1,
        after,
        (time - times[after - 1]) / (times[after] - times[after - 1]),
    )
}

impl NaiveJoint {
    fn sample(&self, time: f32) -> Transform {
        let (a, b, f) = naive_place(&self.translation_times, time);
        let translation = self.translations[a].lerp(self.translations[b], f);
        let (a, b, f) = naive_place(&self.rotation_times, time);
        let (from, to) = (self.rotations[a], self.rotations[b]);
        let rotation = from.slerp(if from.dot(to) < 0.0 { -to } else { to }, f);
        let (a, b, f) = naive_place(&self.scale_times, time);
        Transform {
            translation,
            rotation,
            scale: self.scales[a].lerp(self.scales[b], f),
        }
    }

    fn exact_rotation(&self, time: f32) -> DQuat {
        let (a, b, _) = naive_place(&self.rotation_times, time);
        let (from, mut to) = (self.rotations[a].as_dquat(), self.rotations[b].as_dquat());
        if from.dot(to) < 0.0 {
            to = -to;
        }
        let [start, end, time] = [self.rotation_times[a], self.rotation_times[b], time].map(f64::from);
        let angle = 2.0 * (to - from).length().atan2((to + from).length());
        if a == b || angle == 0.0 {
            return from.normalize();
        }
        let f = (time - start) / (end - start);
        ((from * ((1.0 - f) * angle).sin() + to * (f * angle).sin()) * (1.0 / angle.sin())).normalize()
    }
}

fn bake(skeleton: &Skeleton, joints: &[NaiveJoint]) -> Clip {
    fn keys<V: Copy>(times: &[f32], values: &[V]) -> Vec<Key<V>> {
        times
            .iter()
            .zip(values)
            .map(|(&time, &value)| Key::new(time, value))
            .collect()
    }
    let linear = Interpolation::Linear;
    let mut channels = Vec::new();
    for (id, joint) in skeleton.joints().zip(joints) {
        channels.push(Channel::translation(
            id,
            linear,
            &keys(&joint.translation_times, &joint.translations),
        ));
        channels.push(Channel::rotation(
            id,
            linear,
            &keys(&joint.rotation_times, &joint.rotations),
        ));
        channels.push(Channel::scale(
            id,
            linear,
            &keys(&joint.scale_times, &joint.scales),
        ));
    }
    let channels = channels
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .expect("finite keys in order");
    Animation::new("bench", channels)
        .bake(skeleton, &BakeOptions::default())
        .expect("joints exist")
        .0
}

/// Rows of one case: the time of each contender, its ratio to the first (naive), and its error.
fn report(
    rows: &mut Vec<Row>,
    case: &str,
    size: usize,
    items: usize,
    contenders: &mut [Timed<'_>],
    errors: &[f64],
    error_unit: &'static str,
) {
    let times = nanoseconds(contenders, items, ROUNDS);
    for (((contender, _), time), error) in contenders.iter().zip(&times).zip(errors) {
        let row = |metric: &str, value, unit| Row {
            area: "animation",
            case: format!("{case}_{size}"),
            contender: (*contender).into(),
            metric: metric.into(),
            value,
            unit,
        };
        rows.push(row("ns", *time, "ns"));
        rows.push(row("ratio_to_naive", time / times[0], ""));
        rows.push(row("max_error", *error, error_unit));
    }
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * (chord / 2.0).min(1.0).asin()
}

fn sampling(rig: &mut Rig, rows: &mut Vec<Row>) {
    let forward: Vec<f32> = (0..CALLS).map(|frame| frame as f32 / 60.0).collect();
    let seek: Vec<f32> = (0..CALLS)
        .map(|_| rig.random.range(0.0, f64::from(SECONDS)) as f32)
        .collect();
    for (case, shared, times) in [
        ("sample_forward", true, &forward),
        ("sample_seek", true, &seek),
        ("sample_keys", false, &forward),
        ("sample_keys_seek", false, &seek),
    ] {
        let joints = rig.channels(shared);
        let clip = bake(&rig.skeleton, &joints);
        let mut errors = vec![0.0_f64; 1 + KERNELS.len()];
        let mut pose = Pose::identity(rig.joints);
        for &time in times {
            for joint in &joints {
                errors[0] = errors[0].max(angle(
                    joint.sample(time).rotation.as_dquat(),
                    joint.exact_rotation(time),
                ));
            }
            for ((_, kernel), error) in KERNELS.iter().zip(&mut errors[1..]) {
                let _ = clip.sample_with(*kernel, time, &mut pose);
                for (joint, found) in joints.iter().zip(pose.transforms()) {
                    *error = error.max(angle(found.rotation.as_dquat(), joint.exact_rotation(time)));
                }
            }
        }
        let mut naive = vec![Transform::IDENTITY; rig.joints];
        let joints = &joints;
        let mut contenders: Vec<Timed<'_>> = vec![(
            "naive",
            Box::new(move || {
                for &time in times {
                    for (joint, out) in joints.iter().zip(&mut naive) {
                        *out = joint.sample(time);
                    }
                    std::hint::black_box(&mut naive);
                }
            }),
        )];
        let clip = &clip;
        for (name, kernel) in KERNELS {
            let mut pose = Pose::identity(rig.joints);
            contenders.push((
                name,
                Box::new(move || {
                    for &time in times {
                        let _ = clip.sample_with(kernel, time, &mut pose);
                        std::hint::black_box(&mut pose);
                    }
                }),
            ));
        }
        report(
            rows,
            case,
            rig.joints,
            rig.joints * CALLS,
            &mut contenders,
            &errors,
            "rad",
        );
    }
}

fn naive_blend(inputs: &[(Vec<Transform>, f32)], mask: Option<&[f32]>, out: &mut [Transform]) {
    for (joint, out) in out.iter_mut().enumerate() {
        let weight = |layer: usize| {
            inputs[layer].1
                * if layer == 1 {
                    mask.map_or(1.0, |mask| mask[joint])
                } else {
                    1.0
                }
        };
        let total: f32 = (0..inputs.len()).map(weight).sum();
        let first = inputs[0].0[joint].rotation;
        let (mut t, mut r, mut s) = (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO);
        for (layer, (pose, _)) in inputs.iter().enumerate() {
            let (part, transform) = (weight(layer) / total, pose[joint]);
            t += transform.translation * part;
            s += transform.scale * part;
            let sign = if transform.rotation.dot(first) < 0.0 {
                -part
            } else {
                part
            };
            r += transform.rotation * sign;
        }
        *out = Transform {
            translation: t,
            rotation: r.normalize(),
            scale: s,
        };
    }
}

fn naive_add(pose: &[Transform], weight: f32, out: &mut [Transform]) {
    for (more, out) in pose.iter().zip(out) {
        out.translation += more.translation * weight;
        out.rotation = Quat::IDENTITY.lerp(more.rotation, weight) * out.rotation;
        out.scale *= Vec3::ONE.lerp(more.scale, weight);
    }
}

/// Largest difference of a coordinate between two poses, rotations with the nearer sign.
fn pose_difference(a: impl Iterator<Item = Transform>, b: &[Transform]) -> f64 {
    a.zip(b).fold(0.0, |worst: f64, (a, b)| {
        let sign = if a.rotation.dot(b.rotation) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let rotation = (a.rotation - b.rotation * sign).length();
        let rest = (a.translation - b.translation)
            .abs()
            .max_element()
            .max((a.scale - b.scale).abs().max_element());
        worst.max(f64::from(rotation.max(rest)))
    })
}

fn blending(rig: &mut Rig, rows: &mut Vec<Row>) {
    let mut mask = Mask::uniform(&rig.skeleton, 0.0);
    for joint in rig.skeleton.joints() {
        mask.set(joint, rig.random.unit() as f32);
    }
    for (case, layers, masked, additive) in [
        ("blend_2", 2, false, false),
        ("blend_4", 4, false, false),
        ("blend_8", 8, false, false),
        ("blend_masked", 2, true, false),
        ("blend_additive", 2, false, true),
    ] {
        let poses: Vec<(Vec<Transform>, f32)> = (0..layers)
            .map(|_| (rig.transforms(), rig.random.range(0.2, 1.0) as f32))
            .collect();
        let more = rig.transforms();
        let soa: Vec<(Pose, f32)> = poses
            .iter()
            .map(|(pose, w)| (pose.iter().copied().collect(), *w))
            .collect();
        let more_soa: Pose = more.iter().copied().collect();
        let inputs: Vec<BlendInput<'_>> = soa
            .iter()
            .enumerate()
            .map(|(layer, (pose, weight))| BlendInput {
                pose,
                weight: *weight,
                mask: (masked && layer == 1).then_some(&mask),
            })
            .collect();
        let add = [BlendInput {
            pose: &more_soa,
            weight: 0.4,
            mask: None,
        }];
        let weights = masked.then(|| mask.weights());
        let mut expected = vec![Transform::IDENTITY; rig.joints];
        naive_blend(&poses, weights, &mut expected);
        if additive {
            naive_add(&more, 0.4, &mut expected);
        }
        let rest = rig.skeleton.rest_pose();
        let mut errors = vec![0.0];
        let mut naive = vec![Transform::IDENTITY; rig.joints];
        let (poses, more, inputs, add) = (&poses, &more, &inputs, &add);
        let mut contenders: Vec<Timed<'_>> = vec![(
            "naive",
            Box::new(move || {
                for _ in 0..CALLS {
                    naive_blend(std::hint::black_box(poses), weights, &mut naive);
                    if additive {
                        naive_add(more, 0.4, &mut naive);
                    }
                    std::hint::black_box(&mut naive);
                }
            }),
        )];
        for (name, kernel) in KERNELS {
            let mut pose = Pose::identity(rig.joints);
            let mut work = move || {
                let _ = blend_with(kernel, std::hint::black_box(inputs), rest, &mut pose);
                if additive {
                    let _ = blend_additive_with(kernel, add, &mut pose);
                }
                std::hint::black_box(&mut pose).transforms().next()
            };
            work();
            let mut found = Pose::identity(rig.joints);
            let _ = blend_with(kernel, inputs, rest, &mut found);
            if additive {
                let _ = blend_additive_with(kernel, add, &mut found);
            }
            errors.push(pose_difference(found.transforms(), &expected));
            contenders.push((
                name,
                Box::new(move || {
                    for _ in 0..CALLS {
                        std::hint::black_box(work());
                    }
                }),
            ));
        }
        report(
            rows,
            case,
            rig.joints,
            rig.joints * CALLS,
            &mut contenders,
            &errors,
            "difference",
        );
    }
}

fn matrices(rig: &mut Rig, rows: &mut Vec<Row>) {
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

fn skinning(rig: &mut Rig, rows: &mut Vec<Row>) {
    let palette: Vec<[Vec4; 3]> = (0..rig.joints)
        .map(|_| {
            let matrix = Affine3A::from_rotation_translation(rig.rotation(), rig.vector());
            let Mat3A {
                x_axis: x,
                y_axis: y,
                z_axis: z,
            } = matrix.matrix3;
            let t = matrix.translation;
            [0, 1, 2].map(|axis: usize| Vec4::new(x[axis], y[axis], z[axis], t[axis]))
        })
        .collect();
    let columns: Vec<(Mat3A, Vec3A)> = palette
        .iter()
        .map(|[a, b, c]| {
            (
                Mat3A::from_cols_array(&[a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z]),
                Vec3A::new(a.w, b.w, c.w),
            )
        })
        .collect();
    let positions: Vec<Vec3> = (0..VERTICES).map(|_| rig.vector()).collect();
    let normals: Vec<Vec3> = (0..VERTICES).map(|_| rig.rotation() * Vec3::X).collect();
    let slots: Vec<u16> = (0..4 * VERTICES)
        .map(|_| (rig.random.unit() * rig.joints as f64) as u16)
        .collect();
    let weights: Vec<f32> = (0..4 * VERTICES).map(|_| rig.random.unit() as f32).collect();
    let (influences, _) =
        Influences::new(4, rig.joints, slots.clone(), weights).expect("slots within the palette");
    let weights: Vec<f32> = (0..VERTICES)
        .flat_map(|vertex| influences.of(vertex).map(|(_, weight)| weight))
        .collect();
    let (positions, normals, influences) = (&positions, &normals, &influences);
    let naive_skin = |out_positions: &mut [Vec3], out_normals: &mut [Vec3]| {
        for vertex in 0..VERTICES {
            let (mut m, mut t) = (Mat3A::ZERO, Vec3A::ZERO);
            for influence in 4 * vertex..4 * vertex + 4 {
                let (matrix, translation) = columns[usize::from(slots[influence])];
                m += matrix * weights[influence];
                t += translation * weights[influence];
            }
            out_positions[vertex] = (m * Vec3A::from(positions[vertex]) + t).into();
            out_normals[vertex] = (m * Vec3A::from(normals[vertex])).into();
        }
    };
    let exact: Vec<DVec3> = (0..VERTICES)
        .map(|vertex| {
            let point = positions[vertex].as_dvec3().extend(1.0);
            influences.of(vertex).fold(DVec3::ZERO, |sum, (slot, weight)| {
                let [a, b, c] = palette[usize::from(slot)].map(|row| row.as_dvec4().dot(point));
                sum + DVec3::new(a, b, c) * f64::from(weight)
            })
        })
        .collect();
    let error = |found: &[Vec3]| {
        found.iter().zip(&exact).fold(0.0, |worst: f64, (a, b)| {
            worst.max((a.as_dvec3() - *b).abs().max_element())
        })
    };
    let (mut p, mut n) = (positions.clone(), normals.clone());
    naive_skin(&mut p, &mut n);
    let mut errors = vec![error(&p)];
    let mut contenders: Vec<Timed<'_>> = vec![(
        "naive",
        Box::new(move || {
            naive_skin(&mut p, &mut n);
            std::hint::black_box((&mut p, &mut n));
        }),
    )];
    let palette = &palette;
    for (name, kernel) in KERNELS {
        let (mut p, mut n) = (positions.clone(), normals.clone());
        let mut work = move || {
            let input = SkinInput {
                positions,
                normals,
                tangents: &[],
                influences,
            };
            let output = SkinOutput {
                positions: &mut p,
                normals: &mut n,
                tangents: &mut [],
            };
            skin_with(kernel, std::hint::black_box(palette), input, output);
            p[0].x
        };
        work();
        let (mut p, mut n) = (positions.clone(), normals.clone());
        skin_with(
            kernel,
            palette,
            SkinInput {
                positions,
                normals,
                tangents: &[],
                influences,
            },
            SkinOutput {
                positions: &mut p,
                normals: &mut n,
                tangents: &mut [],
            },
        );
        errors.push(error(&p));
        contenders.push((
            name,
            Box::new(move || {
                std::hint::black_box(work());
            }),
        ));
    }
    report(
        rows,
        "skin_4",
        rig.joints,
        VERTICES,
        &mut contenders,
        &errors,
        "difference",
    );
}
