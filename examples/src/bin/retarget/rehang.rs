//! Skeletons that are rigged for an editor's inverse kinematics: feet that hang on the root and follow targets
//! there, forearms without a hand.

use elea_anim::{
    Animation, Channel, Interpolation, Joint, JointId, Pose, Skeleton, SkinBinding, Transform, Values,
    glam::{Affine3A, Vec3A},
    gltf::Gltf,
    local_to_model,
};
use elea_ik::retarget::{BoneMap, Part, Side};

/// Hangs each foot under its shin where it hangs elsewhere. Says what was done.
pub(crate) fn feet(file: &mut Gltf, map: &BoneMap) -> Vec<String> {
    let skeleton = &file.skeleton;
    let mut moves = Vec::new();
    for side in Side::BOTH {
        if let Some(shin) = map.joint(Part::Shin(side), skeleton)
            && let Some(foot) = map.joint(Part::Foot(side), skeleton)
            && !skeleton.is_in_subtree(foot, shin)
            && !skeleton.is_in_subtree(shin, foot)
        {
            moves.push((foot, shin));
        }
    }
    let note = |(foot, shin): &(JointId, JointId)| {
        let (foot, shin) = (skeleton.name(*foot), skeleton.name(*shin));
        format!("\"{foot}\" was hung under \"{shin}\": a leg must carry its foot")
    };
    let notes = moves.iter().map(note).collect();
    if !moves.is_empty() {
        rehang(file, &moves);
    }
    notes
}

/// Names a joint for each hand that the map lacks: of what hangs on the forearm, the one in the middle.
pub(crate) fn hands(skeleton: &Skeleton, map: &mut BoneMap) -> Vec<String> {
    let model = rest(skeleton);
    let at = |joint: JointId| model[joint.index()].translation;
    let mut notes = Vec::new();
    for side in Side::BOTH {
        let Some(forearm) = map.joint(Part::Forearm(side), skeleton) else {
            continue;
        };
        let hand = map.joint(Part::Hand(side), skeleton);
        if hand.is_some_and(|hand| hand != forearm) {
            continue;
        }
        let children: Vec<JointId> = skeleton.children(forearm).collect();
        let middle = children.iter().map(|&child| at(child)).sum::<Vec3A>() / children.len().max(1) as f32;
        let distance = |joint: &&JointId| at(**joint).distance_squared(middle);
        let nearest = children.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(&hand) = nearest {
            let name = skeleton.name(hand);
            map.set(Part::Hand(side), name);
            notes.push(format!("{}: taken to be joint \"{name}\"", Part::Hand(side)));
        }
    }
    notes
}

fn rest(skeleton: &Skeleton) -> Vec<Affine3A> {
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(skeleton, skeleton.rest_pose(), &mut model);
    model
}

/// Gives joints new parents. Every joint keeps its place in model space, in the rest pose and in every motion.
fn rehang(file: &mut Gltf, moves: &[(JointId, JointId)]) {
    let old = &file.skeleton;
    let model = rest(old);
    let mut parents = old.parents().to_vec();
    for &(joint, parent) in moves {
        parents[joint.index()] = Some(parent);
    }
    // Depth first, so that parents stand before children again.
    let (mut children, mut stack) = (vec![Vec::new(); old.len()], Vec::new());
    for joint in old.joints().rev() {
        match parents[joint.index()] {
            Some(parent) => children[parent.index()].push(joint),
            None => stack.push(joint),
        }
    }
    let mut order = Vec::with_capacity(old.len());
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.append(&mut children[joint.index()]);
    }
    let mut new = vec![JointId(0); old.len()];
    for (index, joint) in order.iter().enumerate() {
        new[joint.index()] = JointId::from_index(index);
    }
    let joint = |&joint: &JointId| {
        let moved = moves.iter().find(|(moved, _)| *moved == joint);
        let rest = moved.map_or_else(
            || old.rest_pose().get(joint),
            |(_, parent)| local(&model, *parent, joint),
        );
        Joint {
            name: old.name(joint).to_owned(),
            parent: parents[joint.index()].map(|parent| new[parent.index()]),
            rest,
        }
    };
    let Ok(skeleton) = Skeleton::new(order.iter().map(joint).collect()) else {
        // A parent that is flattened to nothing: leave it as it is, and the retargeter says what is wrong.
        return;
    };
    for skin in &mut file.skins {
        let binding = &skin.binding;
        let joints = binding.joints().iter().map(|joint| new[joint.index()]).collect();
        if let Ok(binding) = SkinBinding::new(joints, binding.inverse_bind().to_vec()) {
            skin.binding = binding;
        }
    }
    for joint in file.joint_of_node.iter_mut().flatten() {
        *joint = new[joint.index()];
    }
    for animation in &mut file.animations {
        animation.channels = channels(&file.skeleton, animation, moves)
            .into_iter()
            .map(|channel| {
                let joint = new[channel.joint().index()];
                channel.with_joint(joint)
            })
            .collect();
    }
    file.skeleton = skeleton;
}

/// Where `joint` stands as `parent` sees it.
fn local(model: &[Affine3A], parent: JointId, joint: JointId) -> Transform {
    let local = model[parent.index()].inverse() * model[joint.index()];
    let (scale, rotation, translation) = local.to_scale_rotation_translation();
    Transform {
        translation,
        rotation,
        scale,
    }
}

/// The channels of an animation when joints have new parents: those of moved joints are made anew, with keys wherever
/// anything has one.
fn channels(skeleton: &Skeleton, animation: &Animation, moves: &[(JointId, JointId)]) -> Vec<Channel> {
    let is_moved = |joint: JointId| moves.iter().any(|(moved, _)| *moved == joint);
    let mut channels = animation.channels.clone();
    channels.retain(|channel| !is_moved(channel.joint()));
    let mut times: Vec<f32> = Vec::new();
    for channel in &animation.channels {
        times.extend(channel.times().iter());
        times.sort_by(f32::total_cmp);
        times.dedup();
    }
    let mut pose = Pose::identity(skeleton.len());
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    let mut tracks: Vec<Vec<Transform>> = vec![Vec::new(); moves.len()];
    for &time in &times {
        animation.sample(skeleton, time, &mut pose);
        local_to_model(skeleton, &pose, &mut model);
        for (track, &(joint, parent)) in tracks.iter_mut().zip(moves) {
            track.push(local(&model, parent, joint));
        }
    }
    for (track, &(joint, _)) in tracks.iter().zip(moves) {
        for values in [
            Values::Translation(track.iter().map(|key| key.translation).collect()),
            Values::Rotation(track.iter().map(|key| key.rotation).collect()),
            Values::Scale(track.iter().map(|key| key.scale).collect()),
        ] {
            // Without keys, or under a parent that is flattened to nothing, the rest pose has to do.
            channels.extend(Channel::new(joint, Interpolation::Linear, times.clone(), values).ok());
        }
    }
    channels
}
