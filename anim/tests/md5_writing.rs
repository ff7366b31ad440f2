//! Writing MD5: what is written is read again, by this crate and by a reader of a few lines in f64.
#![allow(
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    reason = "tests"
)]

use elea_anim::{
    Animation, Channel, Influences, Interpolation, Joint, JointId, Key, Pose, Skeleton, SkinBinding,
    SkinInput, SkinOutput, SkinnedMesh, Transform,
    glam::{Affine3A, DQuat, DVec3, EulerRot, Quat, Vec2, Vec3, Vec4},
    local_to_model,
    md5::{Md5Mesh, Md5Surface, Md5WriteError, parse_anim, parse_mesh, write_anim, write_mesh},
    palette, skin,
};

/// A tail of six joints, each turned against the one before, with a tube of six-sided rings around it.
struct Tail {
    skeleton: Skeleton,
    mesh: SkinnedMesh,
    uvs: Vec<Vec2>,
    swing: Animation,
}

const JOINTS: u16 = 6;
const RATE: f64 = 24.0;
const FRAMES: u16 = 49;

fn turn(joint: u16, frame: u16) -> Quat {
    let (joint, frame) = (f32::from(joint), f32::from(frame));
    // Through half a turn and more: w changes its sign on the way.
    Quat::from_euler(
        EulerRot::XYZ,
        0.13 * frame,
        0.3 * joint * (0.2 * frame).sin(),
        0.05 * frame * joint,
    )
}

fn tail() -> Tail {
    let joints = (0..JOINTS).map(|joint| Joint {
        name: format!("tail {joint}"),
        parent: joint.checked_sub(1).map(JointId),
        rest: Transform {
            translation: Vec3::new(0.1, 2.0, 0.05 * f32::from(joint)),
            rotation: Quat::from_euler(EulerRot::ZYX, 0.4, -0.2 * f32::from(joint), 0.1),
            scale: Vec3::ONE,
        },
    });
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(&skeleton, skeleton.rest_pose(), &mut model);
    let (mut positions, mut uvs, mut slots, mut weights) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for joint in 0..JOINTS {
        for side in 0..6_u16 {
            let angle = f32::from(side) * std::f32::consts::TAU / 6.0;
            let ring = Vec3::new(angle.cos(), 0.3, angle.sin()) * 0.5;
            positions.push(model[usize::from(joint)].transform_point3(ring));
            uvs.push(Vec2::new(f32::from(side) / 6.0, f32::from(joint) / 5.0));
            slots.extend([joint, joint.saturating_sub(1)]);
            weights.extend([0.7, 0.3]);
        }
    }
    let corner = |joint: u16, side: u16| u32::from(joint * 6 + side % 6);
    let mut triangles = Vec::new();
    for joint in 1..JOINTS {
        for side in 0..6 {
            triangles.push([
                corner(joint - 1, side),
                corner(joint, side),
                corner(joint, side + 1),
            ]);
            triangles.push([
                corner(joint - 1, side),
                corner(joint, side + 1),
                corner(joint - 1, side + 1),
            ]);
        }
    }
    let mesh = SkinnedMesh {
        positions,
        normals: Vec::new(),
        tangents: Vec::new(),
        influences: Influences::new(2, usize::from(JOINTS), slots, weights).unwrap().0,
        triangles,
    };
    let time = |frame: u16| (f64::from(frame) / RATE) as f32;
    let mut channels = Vec::new();
    for joint in 0..JOINTS {
        let keys: Vec<Key<Quat>> = (0..FRAMES)
            .map(|frame| Key::new(time(frame), turn(joint, frame)))
            .collect();
        channels.push(Channel::rotation(JointId(joint), Interpolation::Linear, &keys).unwrap());
    }
    let keys: Vec<Key<Vec3>> = (0..FRAMES)
        .map(|frame| Key::new(time(frame), Vec3::new(0.1, 2.0, 0.037 * f32::from(frame))))
        .collect();
    channels.push(Channel::translation(JointId(0), Interpolation::Linear, &keys).unwrap());
    Tail {
        skeleton,
        mesh,
        uvs,
        swing: Animation::new("swing", channels),
    }
}

fn models(skeleton: &Skeleton, animation: &Animation, time: f32) -> Vec<Affine3A> {
    let mut pose = Pose::identity(skeleton.len());
    animation.sample(skeleton, time, &mut pose);
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(skeleton, &pose, &mut model);
    model
}

#[test]
fn a_figure_is_the_same_when_it_is_read_again() {
    let tail = tail();
    let binding = SkinBinding::from_rest_pose(&tail.skeleton).unwrap();
    let surface = Md5Surface::from_skinned_mesh("scales", &tail.mesh, &tail.uvs, &binding);
    let text = write_mesh(&Md5Mesh::new(tail.skeleton.clone(), vec![surface.clone()])).unwrap();
    let read = parse_mesh(text.as_bytes()).unwrap();
    assert_eq!(read.surfaces, [surface]);
    assert_eq!(read.skeleton.parents(), tail.skeleton.parents());
    for joint in tail.skeleton.joints() {
        let (found, wanted) = (
            read.skeleton.rest_pose().get(joint),
            tail.skeleton.rest_pose().get(joint),
        );
        assert_eq!(read.skeleton.name(joint), tail.skeleton.name(joint));
        assert!(
            found.translation.distance(wanted.translation) < 2e-6,
            "{joint:?}: {found:?} {wanted:?}"
        );
        assert!(angle(found.rotation, wanted.rotation) < 1e-6, "{joint:?}");
    }
    let text = write_anim(&tail.skeleton, &tail.swing, RATE).unwrap();
    let motion = parse_anim(text.as_bytes()).unwrap();
    assert_eq!((motion.frames, motion.frame_rate), (usize::from(FRAMES), RATE));
    // The mesh as it was skinned, and as an engine of that time does it: sums of weighted points.
    let mut rows = vec![[Vec4::ZERO; 3]; tail.skeleton.len()];
    let mut skinned = vec![Vec3::ZERO; tail.mesh.positions.len()];
    let mut worst = 0.0_f32;
    for frame in 0..FRAMES {
        let time = (f64::from(frame) / RATE) as f32;
        palette(&models(&tail.skeleton, &tail.swing, time), &binding, &mut rows);
        let input = SkinInput {
            positions: &tail.mesh.positions,
            normals: &[],
            tangents: &[],
            influences: &tail.mesh.influences,
        };
        let output = SkinOutput {
            positions: &mut skinned,
            normals: &mut [],
            tangents: &mut [],
        };
        skin(&rows, input, output);
        let model = models(&read.skeleton, &motion.animation, time);
        for (vertex, wanted) in skinned.iter().enumerate() {
            worst = worst.max(read.surfaces[0].position(vertex, &model).distance(*wanted));
        }
    }
    assert!(worst < 1e-5, "{worst} of a tail of 12");
}

/// The angle between two rotations, radians; exact near zero.
fn angle(a: Quat, b: Quat) -> f64 {
    let d = a.as_dquat().conjugate() * b.as_dquat();
    2.0 * d.xyz().length().atan2(d.w.abs())
}

/// Frames of a file as David Henry describes them, without this crate: numbers by `split_whitespace`.
fn frames_of(text: &str, joints: usize) -> Vec<Vec<(DVec3, DQuat)>> {
    let section = |name: &str| {
        let start = text.find(&format!("{name} {{")).unwrap();
        let body = &text[start..];
        body[body.find('{').unwrap() + 1..body.find('}').unwrap()].to_owned()
    };
    let numbers = |text: &str| -> Vec<f64> {
        text.split_whitespace()
            .filter(|word| !matches!(*word, "(" | ")"))
            .map(|word| word.parse().unwrap())
            .collect()
    };
    let base = numbers(&section("baseframe"));
    let hierarchy: Vec<Vec<usize>> = section("hierarchy")
        .lines()
        .filter_map(|line| line.rsplit_once('"'))
        .map(|(_, rest)| {
            rest.split_whitespace()
                .skip(1)
                .map(|word| word.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!((base.len(), hierarchy.len()), (6 * joints, joints));
    let count = text.matches("\nframe ").count();
    (0..count)
        .map(|frame| {
            let values = numbers(&section(&format!("\nframe {frame}")));
            (0..joints)
                .map(|joint| {
                    let mut own = base[6 * joint..][..6].to_vec();
                    let (flags, mut next) = (hierarchy[joint][0], hierarchy[joint][1]);
                    for (bit, value) in own.iter_mut().enumerate() {
                        if flags & (1 << bit) != 0 {
                            *value = values[next];
                            next += 1;
                        }
                    }
                    let [x, y, z, qx, qy, qz] = own[..] else { panic!() };
                    let w = -(1.0 - qx * qx - qy * qy - qz * qz).max(0.0).sqrt();
                    (DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, w))
                })
                .collect()
        })
        .collect()
}

#[test]
fn every_frame_keeps_rotations_to_a_millionth_and_positions_exactly() {
    let tail = tail();
    let text = write_anim(&tail.skeleton, &tail.swing, RATE).unwrap();
    let frames = frames_of(&text, usize::from(JOINTS));
    assert_eq!(frames.len(), usize::from(FRAMES));
    for (frame, joints) in (0..FRAMES).zip(&frames) {
        for (joint, (position, rotation)) in (0..JOINTS).zip(joints) {
            let wanted = turn(joint, frame);
            let off = angle(rotation.as_quat(), wanted);
            assert!(off < 1e-6, "frame {frame}, joint {joint}: {off}");
            let wanted = if joint == 0 {
                Vec3::new(0.1, 2.0, 0.037 * f32::from(frame))
            } else {
                tail.skeleton.rest_pose().get(JointId(joint)).translation
            };
            assert_eq!(position.as_vec3(), wanted, "frame {frame}, joint {joint}");
        }
    }
}

#[test]
fn turns_close_to_a_half_keep_their_last_digits() {
    let skeleton = Skeleton::new(vec![Joint {
        name: "door".into(),
        parent: None,
        rest: Transform::IDENTITY,
    }])
    .unwrap();
    let axis = Vec3::new(2.0, -1.0, 3.0).normalize();
    for step in -40..=40_i16 {
        let angle_of = std::f32::consts::PI + 1e-4 * f32::from(step).powi(3) / 64.0;
        let wanted = Quat::from_axis_angle(axis, angle_of);
        let key = Channel::rotation(JointId(0), Interpolation::Linear, &[Key::new(0.0, wanted)]).unwrap();
        let text = write_anim(&skeleton, &Animation::new("", vec![key]), 24.0).unwrap();
        let read = parse_anim(text.as_bytes()).unwrap();
        let mut pose = Pose::identity(1);
        read.animation.sample(&read.skeleton, 0.0, &mut pose);
        let off = angle(pose.get(JointId(0)).rotation, wanted);
        assert!(off < 1e-6, "{angle_of}: {off}");
        let shut = Skeleton::new(vec![Joint {
            name: "shut".into(),
            parent: None,
            rest: Transform {
                rotation: wanted,
                ..Transform::IDENTITY
            },
        }])
        .unwrap();
        let text = write_mesh(&Md5Mesh::new(shut, Vec::new())).unwrap();
        let read = parse_mesh(text.as_bytes()).unwrap();
        let off = angle(read.skeleton.rest_pose().get(JointId(0)).rotation, wanted);
        assert!(off < 1e-6, "rest {angle_of}: {off}");
    }
}

#[test]
fn only_what_moves_is_written_in_frames() {
    let tail = tail();
    let text = write_anim(&tail.skeleton, &tail.swing, RATE).unwrap();
    // The root moves along z and turns; every other joint only turns.
    let animated = 1 + 3 * usize::from(JOINTS);
    assert!(
        text.contains(&format!("numAnimatedComponents {animated}\n")),
        "{text}"
    );
    let still = Animation::new("", Vec::new());
    let text = write_anim(&tail.skeleton, &still, RATE).unwrap();
    let read = parse_anim(text.as_bytes()).unwrap();
    assert_eq!((read.frames, read.animation.channels.len()), (1, 0));
    assert!(text.contains("numFrames 1\n") && text.contains("numAnimatedComponents 0\n"));
    // Boxes around the joints: those of one frame, here the rest pose.
    let model = models(&tail.skeleton, &still, 0.0);
    let high = model
        .iter()
        .map(|model| Vec3::from(model.translation))
        .reduce(Vec3::max)
        .unwrap();
    assert_eq!(read.bounds.len(), 1);
    assert_eq!(read.bounds[0][1], high);
    let nobody = Skeleton::new(Vec::new()).unwrap();
    let text = write_anim(&nobody, &still, RATE).unwrap();
    assert!(parse_anim(text.as_bytes()).unwrap().skeleton.is_empty());
}

#[test]
fn names_that_would_break_the_file_are_mended() {
    let named = |name: &str| {
        Skeleton::new(vec![Joint {
            name: name.into(),
            parent: None,
            rest: Transform::IDENTITY,
        }])
        .unwrap()
    };
    for (name, wanted) in [
        ("a \"b\"\nc", "a _b__c"),
        ("// x {", "// x {"),
        ("", ""),
        ("左 é", "左 é"),
    ] {
        let text = write_anim(&named(name), &Animation::new("", Vec::new()), 30.0).unwrap();
        assert_eq!(
            parse_anim(text.as_bytes()).unwrap().skeleton.name(JointId(0)),
            wanted
        );
        let mut mesh = Md5Mesh::new(named(name), Vec::new());
        mesh.command_line = name.into();
        let read = parse_mesh(write_mesh(&mesh).unwrap().as_bytes()).unwrap();
        assert_eq!(
            (read.skeleton.name(JointId(0)), read.command_line.as_str()),
            (wanted, wanted)
        );
    }
}

#[test]
fn what_the_format_cannot_hold_is_an_error_with_its_place() {
    let tail = tail();
    let write = |animation: &Animation, rate| write_anim(&tail.skeleton, animation, rate).unwrap_err();
    for rate in [0.0, -24.0, f64::NAN, f64::INFINITY, 1e-21] {
        assert!(
            matches!(write(&tail.swing, rate), Md5WriteError::FrameRate { .. }),
            "{rate}"
        );
    }
    let long = [Key::new(0.0, Vec3::ZERO), Key::new(1e9, Vec3::ZERO)];
    let long = Channel::translation(JointId(0), Interpolation::Linear, &long).unwrap();
    assert_eq!(
        write(&Animation::new("", vec![long]), 24.0).to_string(),
        "the animation lasts 1000000000 s: more than 4194304 frames"
    );
    let key = |value| [Key::new(0.0, value)];
    let far = Channel::translation(JointId(9), Interpolation::Linear, &key(Vec3::ZERO)).unwrap();
    assert_eq!(
        write(&Animation::new("", vec![far]), 24.0).to_string(),
        "joint 9 is animated, but the skeleton has 6 joints"
    );
    let grow = Channel::scale(JointId(2), Interpolation::Linear, &key(Vec3::splat(2.0))).unwrap();
    assert_eq!(
        write(&Animation::new("", vec![grow]), 24.0).to_string(),
        "joint 2 (\"tail 2\") is scaled in frame 0; MD5 has no scale"
    );
    let away = Channel::translation(JointId(1), Interpolation::Linear, &key(Vec3::splat(5e37))).unwrap();
    assert_eq!(
        write(&Animation::new("", vec![away]), 24.0).to_string(),
        "joint 1 (\"tail 1\") is not finite in frame 0"
    );
    let binding = SkinBinding::from_rest_pose(&tail.skeleton).unwrap();
    let sound = Md5Surface::from_skinned_mesh("", &tail.mesh, &tail.uvs, &binding);
    let broken = |change: &dyn Fn(&mut Md5Surface)| {
        let mut surface = sound.clone();
        change(&mut surface);
        write_mesh(&Md5Mesh::new(tail.skeleton.clone(), vec![sound.clone(), surface]))
            .unwrap_err()
            .to_string()
    };
    for (change, message) in [
        (
            &(|surface: &mut Md5Surface| surface.vertices[5].weights = 999) as &dyn Fn(&mut Md5Surface),
            "surface 1: vertex 5 names weights that are not there",
        ),
        (
            &|surface| surface.vertices[3].uv.y = f32::NAN,
            "surface 1: vertex 3 has texture coordinates that are not finite",
        ),
        (
            &|surface| {
                surface.weights.resize(3000, surface.weights[0]);
                surface
                    .vertices
                    .iter_mut()
                    .for_each(|vertex| vertex.weights = 2900);
            },
            "surface 1: vertex 1 is one of too many that share weights",
        ),
        (
            &|surface| surface.triangles[2][1] = 36,
            "surface 1: triangle 2 names a vertex that is not there",
        ),
        (
            &|surface| surface.weights[7].joint = JointId(6),
            "surface 1: weight 7 names a joint that is not there",
        ),
        (
            &|surface| surface.weights[8].bias = f32::INFINITY,
            "surface 1: weight 8 is not finite",
        ),
        (
            &|surface| surface.weights[9].position.x = 2e38,
            "surface 1: weight 9 is not finite",
        ),
    ] {
        assert_eq!(broken(change), message);
    }
    let mut joints = tail.skeleton.to_joints();
    joints[4].rest.scale = Vec3::new(1.0, 1.0, -1.0);
    let scaled = Skeleton::new(joints).unwrap();
    assert_eq!(
        write_mesh(&Md5Mesh::new(scaled, Vec::new()))
            .unwrap_err()
            .to_string(),
        "joint 4 (\"tail 4\") is scaled in the rest pose; MD5 has no scale"
    );
}
