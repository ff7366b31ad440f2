//! Changes of axes, lengths and scales.

use elea_anim::{
    Animation, Channel, Interpolation, JointId, MorphTarget, Pose, Skeleton, SkinBinding, Transform, Values,
};
use glam::{Affine3A, DAffine3, DQuat, Quat, Vec3};

use elea_examples::file::Format;

use crate::document::{Document, Up};

/// (x, y, z) to (z, x, y): y up and z forward becomes z up and x forward. A third of a turn about (1, 1, 1).
const UP_Z: Quat = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);

/// From y up to z up, or back: the roots are turned, and with them everything.
pub(crate) fn turn(document: &mut Document) -> Result<(), String> {
    let (turn, text) = match document.up {
        Up::Y => (
            UP_Z,
            "turned: y up, z forward -> z up, x forward (--keep-axes leaves them)",
        ),
        Up::Z => (
            UP_Z.inverse(),
            "turned: z up, x forward -> y up, z forward (--keep-axes leaves them)",
        ),
    };
    document.up = match document.up {
        Up::Y => Up::Z,
        Up::Z => Up::Y,
    };
    document.changes.push(text.to_owned());
    let roots: Vec<bool> = document
        .file
        .skeleton
        .joints()
        .map(|joint| document.is_root(joint))
        .collect();
    let is_root = |joint: JointId| roots[joint.index()];
    each_rest(document, |joint, rest| {
        if is_root(joint) {
            rest.translation = turn * rest.translation;
            rest.rotation = turn * rest.rotation;
        }
    })?;
    each_channel(document, |joint, values| {
        if is_root(joint) {
            match values {
                Values::Translation(values) => values.iter_mut().for_each(|value| *value = turn * *value),
                Values::Rotation(values) => values.iter_mut().for_each(|value| *value = turn * *value),
                _ => {}
            }
        }
    })?;
    // An MD5 mesh was laid around the joints as they stood. Other meshes follow the joints as they are.
    if document.format == Format::Md5Mesh {
        for mesh in &mut document.file.meshes {
            let lists = [&mut mesh.mesh.positions, &mut mesh.mesh.normals];
            lists
                .into_iter()
                .flatten()
                .for_each(|value| *value = turn * *value);
        }
        let back = Affine3A::from_quat(turn.inverse());
        each_binding(document, |_, inverse_bind| *inverse_bind *= back)?;
    }
    Ok(())
}

/// Multiplies every length.
pub(crate) fn scale(document: &mut Document, factor: f32) -> Result<(), String> {
    document
        .changes
        .push(format!("scaled: every length times {factor}"));
    each_rest(document, |_, rest| rest.translation *= factor)?;
    each_channel(document, |_, values| {
        if let Values::Translation(values) = values {
            values.iter_mut().for_each(|value| *value *= factor);
        }
    })?;
    for tip in &mut document.tips {
        tip.offset *= factor;
    }
    for mesh in &mut document.file.meshes {
        mesh.mesh.positions.iter_mut().for_each(|value| *value *= factor);
        for MorphTarget { positions, .. } in &mut mesh.targets {
            positions.iter_mut().for_each(|value| *value *= factor);
        }
    }
    each_binding(document, |_, inverse_bind| inverse_bind.translation *= factor)
}

/// Takes scales out of the rest pose and of one animation, for formats without any: every joint keeps its place in model
/// space and its rotation. The animation is sampled at these times. An End Site has one place for all frames: where the
/// first frame has it, or the rest pose where there is no animation.
pub(crate) fn unscale(
    document: &mut Document,
    animation: Option<usize>,
    times: &[f32],
) -> Result<(), String> {
    let skeleton = document.file.skeleton.clone();
    let rest = rigid(&skeleton, skeleton.rest_pose());
    // For the End Sites.
    let mut first = model_in_f64(&skeleton, skeleton.rest_pose());
    if let Some(animation) = animation.map(|index| &mut document.file.animations[index]) {
        let mut tracks = vec![(Vec::new(), Vec::new()); skeleton.len()];
        let mut pose = Pose::identity(skeleton.len());
        for (frame, &time) in times.iter().enumerate() {
            animation.sample(&skeleton, time, &mut pose);
            if frame == 0 {
                first = model_in_f64(&skeleton, &pose);
            }
            for (track, joint) in tracks.iter_mut().zip(rigid(&skeleton, &pose)) {
                track.0.push(joint.translation);
                track.1.push(joint.rotation);
            }
        }
        let mut channels = Vec::new();
        for (joint, (positions, rotations)) in skeleton.joints().zip(tracks) {
            for values in [Values::Translation(positions), Values::Rotation(rotations)] {
                let channel = Channel::new(joint, Interpolation::Linear, times, values);
                channels.push(channel.map_err(|error| error.to_string())?);
            }
        }
        *animation = Animation {
            channels,
            ..animation.clone()
        };
    }
    for tip in &mut document.tips {
        let (here, turn) = first[tip.joint.index()];
        tip.offset = (turn.inverse() * here.transform_vector3(tip.offset.as_dvec3())).as_vec3();
    }
    // The surface stays where it is at rest.
    let models = |poses: &[Transform]| {
        let mut model: Vec<Affine3A> = Vec::with_capacity(poses.len());
        for (local, parent) in poses.iter().zip(skeleton.parents()) {
            let local = local.to_affine();
            model.push(parent.map_or(local, |parent| model[parent.index()] * local));
        }
        model
    };
    let (old, new) = (
        models(&skeleton.rest_pose().transforms().collect::<Vec<_>>()),
        models(&rest),
    );
    each_binding(document, |joint, inverse_bind| {
        *inverse_bind = new[joint.index()].inverse() * old[joint.index()] * *inverse_bind;
    })?;
    each_rest(document, |joint, transform| *transform = rest[joint.index()])?;
    document
        .changes
        .push("folded: scales into the places of the joints below, since the format has none".to_owned());
    Ok(())
}

/// From each joint's space to model space: everything, and the rotation alone. In f64, since differences of places are
/// taken.
fn model_in_f64(skeleton: &Skeleton, pose: &Pose) -> Vec<(DAffine3, DQuat)> {
    let mut model: Vec<(DAffine3, DQuat)> = Vec::with_capacity(pose.len());
    for (transform, parent) in pose.transforms().zip(skeleton.parents()) {
        let rotation = transform.rotation.as_dquat();
        let own = DAffine3::from_scale_rotation_translation(
            transform.scale.as_dvec3(),
            rotation,
            transform.translation.as_dvec3(),
        );
        let (above, turn) = parent.map_or(STANDING, |parent| model[parent.index()]);
        model.push((above * own, (turn * rotation).normalize()));
    }
    model
}

/// Model space itself.
const STANDING: (DAffine3, DQuat) = (DAffine3::IDENTITY, DQuat::IDENTITY);

/// Local transforms of scale one by which every joint is where it was.
fn rigid(skeleton: &Skeleton, pose: &Pose) -> Vec<Transform> {
    let model = model_in_f64(skeleton, pose);
    let joints = pose.transforms().zip(skeleton.parents()).zip(&model);
    let locals = joints.map(|((transform, parent), (here, _))| {
        let (above, turn) = parent.map_or(STANDING, |parent| model[parent.index()]);
        Transform {
            translation: (turn.inverse() * (here.translation - above.translation)).as_vec3(),
            rotation: transform.rotation,
            scale: Vec3::ONE,
        }
    });
    locals.collect()
}

/// Whether anything is scaled, at rest or in an animation. Rounding is not.
pub(crate) fn is_scaled(document: &Document, animation: Option<usize>) -> bool {
    let is_one = |scale: Vec3| (scale - Vec3::ONE).abs().max_element() <= 1e-5;
    let animation = animation.map(|index| &document.file.animations[index]);
    let channels = animation.iter().flat_map(|animation| &animation.channels);
    let mut moved = channels.filter_map(|channel| match channel.values() {
        Values::Scale(values) => Some(values),
        _ => None,
    });
    document
        .file
        .skeleton
        .rest_pose()
        .transforms()
        .any(|rest| !is_one(rest.scale))
        || moved.any(|values| values.iter().any(|value| !is_one(*value)))
}

// What is too large for f32 after a change is an error of the joint.

fn each_rest(document: &mut Document, mut change: impl FnMut(JointId, &mut Transform)) -> Result<(), String> {
    let mut joints = document.file.skeleton.to_joints();
    for (index, joint) in joints.iter_mut().enumerate() {
        change(JointId::from_index(index), &mut joint.rest);
    }
    document.file.skeleton = Skeleton::new(joints).map_err(|error| error.to_string())?;
    Ok(())
}

fn each_channel(document: &mut Document, change: impl Fn(JointId, &mut Values)) -> Result<(), String> {
    for channel in document
        .file
        .animations
        .iter_mut()
        .flat_map(|animation| &mut animation.channels)
    {
        let mut values = channel.values().clone();
        change(channel.joint(), &mut values);
        let times = channel.times().clone();
        *channel = Channel::new(channel.joint(), channel.interpolation(), times, values)
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn each_binding(document: &mut Document, change: impl Fn(JointId, &mut Affine3A)) -> Result<(), String> {
    for skin in &mut document.file.skins {
        let joints = skin.binding.joints().to_vec();
        let mut matrices = skin.binding.inverse_bind().to_vec();
        for (joint, matrix) in joints.iter().zip(&mut matrices) {
            change(*joint, matrix);
        }
        skin.binding = SkinBinding::new(joints, matrices).map_err(|error| error.to_string())?;
    }
    Ok(())
}
