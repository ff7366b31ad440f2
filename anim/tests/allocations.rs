//! Nothing that runs every frame allocates.

use std::sync::Arc;

use elea_anim::{
    Animation, Animux, BakeOptions, Blend, BlendInput, Channel, Clip, DualPalette, DualQuaternion,
    Influences, Interpolation, Joint, JointId, Key, Layer, Loop, Marker, Mask, MeshKeys, MorphInput,
    MorphTarget, MorphTrack, Pose, RootTrack, Scratch, Skeleton, SkinBinding, SkinInput, SkinOutput, Stage,
    Transform, Transition, blend, blend_additive, dual_palette,
    glam::{Affine3A, Mat3A, Quat, Vec3, Vec4},
    local_to_model, morph, palette, skin, skin_dual_quaternion,
};

const JOINTS: u16 = 30;

fn skeleton() -> Skeleton {
    let joint = |index: u16| Joint {
        name: format!("joint {index}"),
        parent: index.checked_sub(1).map(JointId),
        rest: Transform::from_translation(Vec3::Y),
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).unwrap()
}

/// Turns about an axis, with different key times for each joint if `odd`.
fn animation(axis: Vec3, odd: bool) -> Animation {
    let channel = |joint: u16| {
        let end = if odd { 1.0 + f32::from(joint) * 0.05 } else { 1.0 };
        let key = |time: f32, angle: f32| Key::new(time, Quat::from_axis_angle(axis, angle));
        let keys = [key(0.0, 0.0), key(end * 0.4, 1.0), key(end, 0.0)];
        Channel::rotation(JointId(joint), Interpolation::Linear, &keys).unwrap()
    };
    let mut animation = Animation::new("turn", (0..JOINTS).map(channel).collect());
    animation.events = vec![Marker::new(0.0, "start"), Marker::new(0.5, "half")];
    animation
}

fn bake(animation: &Animation, skeleton: &Skeleton) -> Arc<Clip> {
    Arc::new(animation.bake(skeleton, &BakeOptions::default()).unwrap().0)
}

/// Runs `frame` once to make room, then counts.
fn allocations(mut frame: impl FnMut()) -> u64 {
    frame();
    allocation_counter::measure(|| (0..20).for_each(|_| frame())).count_total
}

#[test]
fn sampling_and_blending_allocate_nothing() {
    let skeleton = skeleton();
    let joints = skeleton.len();
    let clips = [
        bake(&animation(Vec3::X, false), &skeleton),
        bake(&animation(Vec3::Z, true), &skeleton),
    ];
    let mask = Mask::subtree(&skeleton, JointId(9));
    let mut poses = [Pose::identity(joints), Pose::identity(joints)];
    let mut out = Pose::identity(joints);
    let mut time = 0.0;
    let count = allocations(|| {
        time += 0.03;
        for (clip, pose) in clips.iter().zip(&mut poses) {
            let _ = clip.sample(time, pose);
        }
        let [a, b] = &poses;
        let inputs = [
            BlendInput {
                pose: a,
                weight: 0.5,
                mask: None,
            },
            BlendInput {
                pose: b,
                weight: 0.7,
                mask: Some(&mask),
            },
        ];
        let _ = blend(&inputs, skeleton.rest_pose(), &mut out);
        let _ = blend_additive(&inputs, &mut out);
    });
    assert_eq!(count, 0);
}

#[test]
fn the_multiplexer_allocates_nothing() {
    let skeleton = skeleton();
    let turn = animation(Vec3::X, false);
    let additive = turn.to_additive(skeleton.rest_pose()).unwrap();
    let clips = [
        bake(&turn, &skeleton),
        bake(&animation(Vec3::Z, true), &skeleton),
        bake(&additive, &skeleton),
    ];
    let mut animux = Animux::new(&skeleton);
    animux.set_root_motion(Some(RootTrack {
        joint: JointId(0),
        axes: [true, false, true],
        turn: Some(Vec3::Y),
    }));
    let body = animux.add_layer(Layer {
        sync: Some(1),
        ..Layer::default()
    });
    let mask = Some(Mask::subtree(&skeleton, JointId(5)));
    let arm = animux.add_layer(Layer {
        mask,
        sync: Some(1),
        looping: Loop::PingPong,
        ..Layer::default()
    });
    let breath = animux.add_layer(Layer {
        blend: Blend::Additive,
        weight: 0.3,
        ..Layer::default()
    });
    animux.play(breath, Arc::clone(&clips[2]), Transition::Cut);
    let mut scratch = Scratch::new();
    let mut pose = Pose::identity(skeleton.len());
    let (mut frames, mut events) = (0, 0);
    let mut nod = |_: &Skeleton, pose: &mut Pose, _: &mut [Affine3A]| {
        pose.set_rotation(JointId(3), Quat::from_rotation_y(0.1));
    };
    let count = allocations(|| {
        let transition = match frames % 3 {
            0 => Transition::Crossfade(0.2),
            1 => Transition::Inertialized(0.2),
            _ => Transition::Cut,
        };
        animux.play(body, Arc::clone(&clips[frames % 2]), transition);
        animux.play(
            arm,
            Arc::clone(&clips[(frames + 1) % 2]),
            Transition::Crossfade(1.0),
        );
        animux.fade_weight(arm, 0.5, 0.3);
        for _ in 0..3 {
            let _ = animux.advance(0.04, |_| events += 1);
            let stages = &mut [Stage {
                after: Some(body),
                modifier: &mut nod,
            }];
            let _ = animux.evaluate_with(&skeleton, &mut scratch, &mut pose, stages);
        }
        frames += 1;
    });
    assert_eq!(count, 0);
    assert!(events > 10, "{events} events were reported on the way");
}

#[test]
fn saving_and_restoring_allocates_nothing() {
    let skeleton = skeleton();
    let clip = bake(&animation(Vec3::X, false), &skeleton);
    let mut animux = Animux::new(&skeleton);
    let mask = Some(Mask::subtree(&skeleton, JointId(5)));
    let body = animux.add_layer(Layer {
        mask,
        ..Layer::default()
    });
    let (mut saved, mut fresh) = (animux.clone(), animux.clone());
    let play = |animux: &mut Animux| {
        for _ in 0..5 {
            animux.play(body, Arc::clone(&clip), Transition::Crossfade(0.2));
        }
    };
    let first = allocation_counter::measure(|| play(&mut fresh));
    assert_eq!(
        first.count_total, 0,
        "a clone has room for all that can play at once"
    );
    let count = allocations(|| {
        play(&mut animux);
        saved.clone_from(&animux);
        let _ = animux.advance(0.1, |_| {});
        animux.clone_from(&saved);
    });
    assert_eq!(count, 0);
}

fn positions_only(positions: &mut [Vec3]) -> SkinOutput<'_> {
    SkinOutput {
        positions,
        normals: &mut [],
        tangents: &mut [],
    }
}

#[test]
fn other_ways_to_move_vertices_allocate_nothing() {
    let (slots, vertices) = (30, 100_usize);
    let rows = vec![[Vec4::X, Vec4::Y, Vec4::Z]; slots];
    let mut motions = vec![DualQuaternion::IDENTITY; slots];
    let mut stretches = vec![Mat3A::IDENTITY; slots];
    let joints = (0..400).map(|index| index % JOINTS).collect();
    let (influences, _) = Influences::new(4, slots, joints, vec![0.25; 400]).unwrap();
    let base = vec![Vec3::ONE; vertices];
    let target = MorphTarget::from_differences("up", &vec![Vec3::Y; vertices], &[], &[]).unwrap();
    let targets = [target.clone(), target];
    let track = MorphTrack::new(2, Interpolation::Linear, [0.0, 1.0], vec![0.0, 0.5, 1.0, 1.0]).unwrap();
    let keys = MeshKeys::new([0.0, 1.0], vertices, vec![Vec3::ONE; 2 * vertices], vec![]).unwrap();
    let (mut shape, mut out, mut weights) = (base.clone(), base.clone(), [0.0; 2]);
    let mut time = 0.0;
    let count = allocations(|| {
        time += 0.01;
        track.sample(time, &mut weights);
        let _ = keys.sample(time, &mut out, &mut []);
        let input = MorphInput {
            positions: &base,
            normals: &[],
            tangents: &[],
            targets: &targets,
        };
        let _ = morph(input, &weights, positions_only(&mut shape));
        dual_palette(&rows, &mut motions, &mut stretches);
        let palette = DualPalette {
            motions: &motions,
            stretches: &stretches,
        };
        let input = SkinInput {
            positions: &shape,
            normals: &[],
            tangents: &[],
            influences: &influences,
        };
        skin_dual_quaternion(palette, input, positions_only(&mut out));
    });
    assert_eq!(count, 0);
}

#[test]
fn matrices_and_skinning_allocate_nothing() {
    let skeleton = skeleton();
    let joints = skeleton.len();
    let binding = SkinBinding::from_rest_pose(&skeleton).unwrap();
    let mut model = vec![Affine3A::IDENTITY; joints];
    let mut rows = vec![[Vec4::ZERO; 3]; joints];
    let positions = vec![Vec3::ONE; 100];
    let normals = vec![Vec3::X; 100];
    let tangents = vec![Vec4::X; 100];
    let slots = (0..400).map(|index| index % JOINTS).collect();
    let (influences, _) = Influences::new(4, joints, slots, vec![0.25; 400]).unwrap();
    let (mut p, mut n, mut t) = (positions.clone(), normals.clone(), tangents.clone());
    let count = allocations(|| {
        local_to_model(&skeleton, skeleton.rest_pose(), &mut model);
        palette(&model, &binding, &mut rows);
        skin(
            &rows,
            SkinInput {
                positions: &positions,
                normals: &normals,
                tangents: &tangents,
                influences: &influences,
            },
            SkinOutput {
                positions: &mut p,
                normals: &mut n,
                tangents: &mut t,
            },
        );
    });
    assert_eq!(count, 0);
    let counts = allocation_counter::measure(|| drop(std::hint::black_box(vec![1_u8; 10])));
    assert!(counts.count_total == 1, "the counter counts");
}
