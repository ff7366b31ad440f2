//! Retargeting: what each option does, hands and heads, figures that lack parts or have four legs.

mod figures;

use std::f32::consts::PI;

use allocation_counter::measure;
use elea_anim::{
    Animation, Channel, Interpolation, Joint, JointId, Key, Pose, Skeleton, Transform, local_to_model,
};
use elea_ik::{
    glam::{Affine3A, DVec3, Quat, Vec3},
    retarget::{
        BoneMap, Finger, Limbs, MapWarning, Options, Part, Phalanx, RetargetError, Retargeter, Rig, Scale,
        Side, choose_pose,
    },
};
use figures::{Build, PLAIN, errors, figure, pose, view};

fn model(rig: &Rig, pose: &Pose) -> Vec<Affine3A> {
    let mut model = vec![Affine3A::IDENTITY; rig.skeleton.len()];
    local_to_model(&rig.skeleton, pose, &mut model);
    model
}

fn retarget(source: Rig, target: Rig, options: Options, pose: &Pose) -> (Retargeter, Pose) {
    let mut retargeter = Retargeter::new(source, target, options).unwrap();
    let mut out = retargeter.target().pose.clone();
    retargeter.retarget_pose(pose, &mut out);
    (retargeter, out)
}

/// Largest error of hip line, shoulder line and trunk, degrees.
fn body_error(options: Options) -> f64 {
    // Another spine and other shoulders: the source's rotations alone miss the lines.
    let target = Build {
        spine: 4,
        arms: 45.0,
        clavicles: false,
        ..PLAIN
    };
    let source = figure(PLAIN);
    let bent = pose(&source, 3, 0.4);
    let (retargeter, out) = retarget(source, figure(target), options, &bent);
    let errors = errors(
        &view(retargeter.source(), &bent),
        &view(retargeter.target(), &out),
        Quat::IDENTITY,
    );
    errors[..3].iter().copied().fold(0.0, f64::max)
}

#[test]
fn the_body_is_solved_as_far_as_the_options_say() {
    let full = body_error(Options::default());
    assert!(full < 0.02, "the default leaves {full} degrees");
    let unsolved = body_error(Options {
        iterations: 0,
        ..Options::default()
    });
    assert!(unsolved > 3.0, "no step leaves {unsolved} degrees");
    let content = body_error(Options {
        e_max: PI,
        ..Options::default()
    });
    assert!(
        (content - unsolved).abs() < 1e-4,
        "an error that is allowed is left: {content}"
    );
    let e_max = 0.01_f32;
    let coarse = body_error(Options {
        e_max,
        ..Options::default()
    });
    assert!(
        coarse <= f64::from(e_max.to_degrees()),
        "{coarse} degrees at e_max {e_max}"
    );
    let held = |runs| {
        body_error(Options {
            t_scale: 5.0,
            iterations: 2,
            runs,
            ..Options::default()
        })
    };
    let (once, often) = (held(1), held(5));
    assert!(
        once > 0.3 * unsolved && once < unsolved,
        "held hard, {once} of {unsolved} degrees are left"
    );
    assert!(
        often < 0.1 * once,
        "four more runs leave {often} of {once} degrees"
    );
}

#[test]
fn a_spine_joint_of_no_weight_turns_as_its_source_does() {
    let build = Build { spine: 3, ..PLAIN };
    // Shoulders of another width and other collar bones: the spine has something to correct.
    let target = Build {
        arms: 45.0,
        clavicles: false,
        ..build
    };
    let source = figure(build);
    let bent = pose(&source, 5, 0.4);
    // Turn of a joint in model space since the retarget pose.
    let turn = |rig: &Rig, pose: &Pose, name: &str| {
        let joint = rig.skeleton.joint(name).unwrap().index();
        let rotation = |pose: &Pose| Quat::from_mat3a(&model(rig, pose)[joint].matrix3);
        rotation(pose) * rotation(&rig.pose).inverse()
    };
    let difference = |weights: Vec<f32>, name: &str| {
        let options = Options {
            spine_weights: weights,
            ..Options::default()
        };
        let (retargeter, out) = retarget(source.clone(), figure(target), options, &bent);
        let [a, b] = [turn(&source, &bent, name), turn(retargeter.target(), &out, name)];
        a.angle_between(b)
    };
    assert!(
        difference(vec![], "Spine1") > 1e-2,
        "the middle joint corrects by default"
    );
    assert!(difference(vec![1.0, 0.0], "Spine1") < 1e-3, "held, it does not");
    let (less, more) = (
        difference(vec![0.1, 1.0, 1.0], "Spine"),
        difference(vec![1.0, 0.1, 0.1], "Spine"),
    );
    assert!(less < more, "{less} with a small weight, {more} with a large one");
}

#[test]
fn a_given_scale_is_the_length_of_steps_and_the_lift() {
    let options = Options {
        scale: Scale::Fixed {
            scale: 3.0,
            vertical: 0.25,
        },
        ..Options::default()
    };
    let source = figure(PLAIN);
    let mut at = source.pose.clone();
    let hips = source.skeleton.joint("Hips").unwrap();
    at.set_translation(hips, Vec3::new(0.4, 1.2, -0.7));
    let (retargeter, out) = retarget(source, figure(PLAIN), options, &at);
    let (from, to) = (view(retargeter.source(), &at), view(retargeter.target(), &out));
    let expected = from.middle(Part::Thigh) * 3.0 + DVec3::Y * 0.25;
    let found = to.middle(Part::Thigh);
    assert!(found.distance(expected) < 1e-5, "{found}, not {expected}");
    assert_eq!(retargeter.scale(), 3.0);
}

#[test]
fn a_blend_of_limbs_lies_between_its_ends() {
    let source = figure(PLAIN);
    let bent = pose(&source, 7, 0.6);
    let target = Build {
        thigh: 0.3,
        shin: 0.6,
        ..PLAIN
    };
    let foot = |limbs| {
        let options = Options {
            limbs,
            ..Options::default()
        };
        let (retargeter, out) = retarget(source.clone(), figure(target), options, &bent);
        let view = view(retargeter.target(), &out);
        view.at(Part::Foot(Side::Left)) - view.at(Part::Thigh(Side::Left))
    };
    let [directions, half, ends] = [Limbs::Direction, Limbs::Blend(0.5), Limbs::EndPoint].map(foot);
    assert!(
        directions.distance(ends) > 0.01,
        "the ends differ: {directions}, {ends}"
    );
    assert!(
        half.distance((directions + ends) * 0.5) < 1e-4,
        "{half} of {directions}, {ends}"
    );
    assert!(
        foot(Limbs::Blend(0.0)).distance(directions) < 1e-6,
        "0 is Direction"
    );
    assert!(foot(Limbs::Blend(1.0)).distance(ends) < 1e-6, "1 is EndPoint");
}

/// A figure with index and little fingers of three bones.
fn with_fingers(build: Build, length: f32) -> Rig {
    let bare = figure(build);
    let model = model(&bare, &bare.pose);
    let mut joints = bare.skeleton.to_joints();
    for (side, x) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
        let hand = bare.map.joint(Part::Hand(side), &bare.skeleton).unwrap();
        let (down, out) = build.arms.to_radians().sin_cos();
        let along = Vec3::new(out * x, -down, 0.0);
        let name = bare.skeleton.name(hand).to_owned();
        for (finger, z) in [("Index", 0.03), ("Pinky", -0.03)] {
            let mut parent = hand;
            let mut at = build.turn * (along * 0.08 + Vec3::Z * z);
            for number in 1..=3 {
                // The fingers' joints have the hand's axes.
                let local = model[hand.index()].matrix3.transpose() * (at * build.size);
                joints.push(Joint {
                    name: format!("{name}{finger}{number}"),
                    parent: Some(parent),
                    rest: Transform::from_translation(local),
                });
                parent = JointId::from_index(joints.len() - 1);
                at = build.turn * (along * length);
            }
        }
    }
    let (rig, report) = Rig::auto(Skeleton::new(joints).unwrap(), None);
    let last = Part::Finger(Side::Right, Finger::Pinky, Phalanx::Third);
    assert!(rig.map.get(last).is_some(), "{report:?}");
    rig
}

#[test]
fn palms_and_fingers_point_as_the_source_s() {
    let source = with_fingers(PLAIN, 0.03);
    let target = with_fingers(
        Build {
            arms: 45.0,
            axes: 12,
            size: 2.0,
            ..PLAIN
        },
        0.04,
    );
    for seed in 0..10 {
        let bent = pose(&source, seed, 0.4);
        let (retargeter, out) = retarget(source.clone(), target.clone(), Options::default(), &bent);
        let views = [view(retargeter.source(), &bent), view(retargeter.target(), &out)];
        for side in Side::BOTH {
            for finger in [Finger::Index, Finger::Pinky] {
                let joint = |phalanx| Part::Finger(side, finger, phalanx);
                for [from, to] in [
                    [joint(Phalanx::First), joint(Phalanx::Second)],
                    [joint(Phalanx::Second), joint(Phalanx::Third)],
                ] {
                    let [a, b] = views.each_ref().map(|view| view.at(to) - view.at(from));
                    let angle = a.angle_between(b).to_degrees();
                    assert!(angle < 0.1, "pose {seed}, {from}: {angle} degrees");
                }
            }
            // The palm: across the knuckles, and from the wrist to their middle.
            let knuckle = |finger| Part::Finger(side, finger, Phalanx::First);
            let [a, b] = views.each_ref().map(|view| {
                let (index, pinky) = (view.at(knuckle(Finger::Index)), view.at(knuckle(Finger::Pinky)));
                [index - pinky, (index + pinky) * 0.5 - view.at(Part::Hand(side))]
            });
            for (a, b) in a.into_iter().zip(b) {
                let angle = a.angle_between(b).to_degrees();
                assert!(angle < 0.1, "pose {seed}: the palm is off by {angle} degrees");
            }
        }
    }
}

#[test]
fn the_head_turns_as_the_source_s_and_the_neck_points_as_it_does() {
    let build = Build {
        axes: 77,
        spine: 4,
        ..PLAIN
    };
    let source = figure(PLAIN);
    for seed in 0..10 {
        let bent = pose(&source, seed, 0.5);
        let (retargeter, out) = retarget(source.clone(), figure(build), Options::default(), &bent);
        let views = [view(retargeter.source(), &bent), view(retargeter.target(), &out)];
        let [a, b] = views
            .each_ref()
            .map(|view| view.at(Part::Head) - view.at(Part::Neck));
        assert!(a.angle_between(b) < 1e-3, "the neck of pose {seed}: {a}, {b}");
        // Both figures look along Z in their rest poses, whatever the joints' own axes are.
        let look = |rig: &Rig, pose: &Pose| {
            let head = rig.map.joint(Part::Head, &rig.skeleton).unwrap().index();
            let [rest, now] = [&rig.pose, pose].map(|pose| model(rig, pose)[head].matrix3);
            now * (rest.transpose() * Vec3::Z)
        };
        let [a, b] = [look(retargeter.source(), &bent), look(retargeter.target(), &out)];
        assert!(a.angle_between(b) < 1e-3, "the look of pose {seed}: {a}, {b}");
    }
}

#[test]
fn parts_that_are_not_needed_are_skipped_with_a_warning() {
    let whole = figure(PLAIN);
    let optional = ["Neck", "Head", "ToeBase", "Shoulder"];
    // Take the optional joints out, children hang from their grandparents.
    let joints = whole.skeleton.to_joints();
    let keep: Vec<usize> = (0..joints.len())
        .filter(|&index| !optional.iter().any(|name| joints[index].name.ends_with(name)))
        .collect();
    let rest = model(&whole, &whole.pose);
    let bare = keep.iter().map(|&index| {
        let mut above = joints[index].parent.map(|parent| parent.index());
        while let Some(parent) = above.filter(|parent| !keep.contains(parent)) {
            above = joints[parent].parent.map(|parent| parent.index());
        }
        let at = rest[index].translation - above.map_or(Vec3::ZERO.into(), |parent| rest[parent].translation);
        Joint {
            name: joints[index].name.clone(),
            parent: above
                .map(|parent| JointId::from_index(keep.iter().position(|&kept| kept == parent).unwrap())),
            rest: Transform::from_translation(at.into()),
        }
    });
    let (bare, report) = Rig::auto(Skeleton::new(bare.collect()).unwrap(), None);
    for part in [
        Part::Neck,
        Part::Head,
        Part::Toe(Side::Left),
        Part::Clavicle(Side::Right),
    ] {
        assert!(report.missing.contains(&part), "{part} is missing");
        let warning = MapWarning::Skipped { part };
        assert!(
            report.warnings.contains(&warning),
            "{part}: {:?}",
            report.warnings
        );
    }
    for [from, to] in [[&whole, &bare], [&bare, &whole]] {
        let bent = pose(from, 4, 0.15);
        let (retargeter, out) = retarget(from.clone(), to.clone(), Options::default(), &bent);
        let errors = errors(
            &view(retargeter.source(), &bent),
            &view(retargeter.target(), &out),
            Quat::IDENTITY,
        );
        assert!(
            errors[3..].iter().all(|error| *error < 0.05),
            "limbs without the rest: {errors:?}"
        );
    }
}

#[test]
fn four_legs_are_told() {
    let upright = figure(PLAIN);
    assert!(!upright.is_four_legged(), "two legs");
    // The trunk turned down forward about the hips, arms and legs down: a figure on all fours.
    let mut joints = upright.skeleton.to_joints();
    for joint in &mut joints {
        let down = Quat::from_rotation_x(PI / 2.0);
        match joint.name.as_str() {
            "Spine" => joint.rest.translation = Vec3::new(0.0, 0.05, 0.2),
            "Spine1" | "Neck" | "LeftShoulder" | "RightShoulder" | "LeftArm" | "RightArm" | "Head" => {
                joint.rest.translation = down * joint.rest.translation;
            }
            "LeftForeArm" | "RightForeArm" => joint.rest.translation = Vec3::NEG_Y * 0.4,
            "LeftHand" | "RightHand" => joint.rest.translation = Vec3::NEG_Y * 0.4,
            _ => {}
        }
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let report = BoneMap::auto(&skeleton);
    assert!(
        report.warnings.contains(&MapWarning::FourLegged),
        "{:?}",
        report.warnings
    );
    assert!(
        Rig::auto(skeleton, None).0.is_four_legged(),
        "the rig says so too"
    );
    let text = MapWarning::FourLegged.to_string();
    assert!(text.contains("four legs"), "{text}");
}

#[test]
fn a_rest_pose_that_is_no_pose_gives_way_to_the_first_frame() {
    // Every bone along X, as some exporters write them; the first frame stands.
    let standing = figure(PLAIN);
    let mut joints = standing.skeleton.to_joints();
    let mut channels = Vec::new();
    for (index, joint) in joints.iter_mut().enumerate() {
        let id = JointId::from_index(index);
        let times = std::sync::Arc::from([0.0_f32]);
        let values = elea_anim::Values::Translation(vec![joint.rest.translation]);
        channels.push(Channel::new(id, Interpolation::Linear, times, values).unwrap());
        joint.rest.translation = Vec3::X * joint.rest.translation.length();
    }
    let clip = Animation::new("stand", channels);
    let skeleton = Skeleton::new(joints).unwrap();
    let found = choose_pose(&skeleton, &standing.map, Some(&clip));
    assert_eq!(found, standing.pose);
    assert_eq!(
        choose_pose(&skeleton, &standing.map, None),
        *skeleton.rest_pose(),
        "without a clip there is nothing better"
    );
}

#[test]
fn a_frame_allocates_nothing() {
    let source = with_fingers(PLAIN, 0.03);
    let bent = pose(&source, 1, 0.5);
    let mut retargeter = Retargeter::new(source, with_fingers(PLAIN, 0.05), Options::default()).unwrap();
    let mut out = retargeter.target().pose.clone();
    let counted = measure(|| {
        for _ in 0..10 {
            retargeter.retarget_pose(&bent, &mut out);
        }
    });
    assert_eq!(counted.count_total, 0, "allocations of ten frames");
}

#[test]
fn poses_that_are_none_are_told_and_never_passed_on() {
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let mut retargeter = Retargeter::new(figure(PLAIN), figure(PLAIN), Options::default()).unwrap();
    let bent = pose(retargeter.source(), 3, 0.4);
    let mut out = retargeter.target().pose.clone();
    for joint in retargeter.source().skeleton.joints() {
        for rotation in [zero, Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0)] {
            let mut bad = bent.clone();
            bad.set_rotation(joint, rotation);
            retargeter.retarget_pose(&bad, &mut out);
            assert!(out.is_finite(), "joint {joint:?} turned by {rotation}");
        }
    }
    let mut bad = bent.clone();
    bad.set_translation(bad_joint(&retargeter), Vec3::NAN);
    assert!(
        retargeter.errors(&bad, &out).max().is_nan(),
        "a NaN is no small error"
    );
    let mut rig = figure(PLAIN);
    rig.pose.set_rotation(bad_joint(&retargeter), zero);
    assert!(
        matches!(rig.check(), Err(RetargetError::NotFinite { .. })),
        "a rig's pose without a rotation"
    );
    let mut rig = figure(PLAIN);
    rig.pose
        .set_translation(bad_joint(&retargeter), Vec3::X * Channel::MAX_VALUE.next_up());
    assert!(
        matches!(rig.check(), Err(RetargetError::NotFinite { .. })),
        "a rig's pose that no channel takes"
    );
    // Hips so far away that no channel takes where the target's would be are left out.
    let root = JointId(0);
    let far = [0.5, 1.0].map(|part| Key::new(part, Vec3::X * Channel::MAX_VALUE * part));
    let far = Channel::translation(root, Interpolation::Linear, &far).unwrap();
    let options = Options {
        scale: Scale::Fixed {
            scale: 1.5,
            vertical: 0.0,
        },
        ..Options::default()
    };
    let mut grown = Retargeter::new(figure(PLAIN), figure(PLAIN), options).unwrap();
    let found = grown.retarget_animation(&Animation::new("", vec![far]));
    assert!(
        !found.channels.is_empty(),
        "the animation of a figure that is out of reach"
    );
    // A tip of a joint that is not there is left out.
    let mut rig = figure(PLAIN);
    let joints = rig.skeleton.len();
    rig.add_foot_tips([(JointId(60_000), Vec3::X)]);
    assert_eq!(rig.skeleton.len(), joints);
}

fn bad_joint(retargeter: &Retargeter) -> JointId {
    let rig = retargeter.source();
    rig.map.joint(Part::Shin(Side::Left), &rig.skeleton).unwrap()
}

/// A few keys far apart must not be filled with frames until the memory is.
#[test]
fn keys_far_apart_are_not_filled_without_end() {
    let mut retargeter = Retargeter::new(figure(PLAIN), figure(PLAIN), Options::default()).unwrap();
    let joint = bad_joint(&retargeter);
    let keys: Vec<Key<Quat>> = (0..40_u8)
        .map(|key| Key::new(f32::from(key) * 20_000.0, Quat::IDENTITY))
        .collect();
    let channel = Channel::rotation(joint, Interpolation::Linear, &keys).unwrap();
    let out = retargeter.retarget_animation(&Animation::new("slow", vec![channel]));
    let keys = out.channels.iter().map(Channel::keys).max();
    assert_eq!(keys, Some(40), "the source's keys alone");
}
