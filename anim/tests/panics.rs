//! What a caller does wrong is said with its numbers, at the caller's own line.
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

use elea_anim::{
    Animation, Animux, BakeOptions, BlendInput, Channel, Clip, DualQuaternion, Influences, Interpolation,
    Joint, JointId, Key, Layer, Mask, MeshKeys, MorphInput, MorphTrack, Pose, RootTrack, Scratch, Skeleton,
    SkinBinding, SkinInput, SkinOutput, Transform, Transition, blend, blend_additive, blend_mesh_keys,
    dual_palette,
    glam::{Affine3A, Vec3, Vec4},
    local_to_model, morph, palette, skin,
};

thread_local! {
    /// Text and file of this thread's last panic that was expected.
    static CAUGHT: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what must panic with `text`, and checks that the panic points into this file.
fn panics<T>(text: &str, run: impl FnOnce() -> T) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_EXPECTED.get() {
                return usual(info);
            }
            let text = info.payload_as_str().unwrap_or_default().to_owned();
            let file = info.location().map_or("", |place| place.file());
            CAUGHT.set(Some((text, file.to_owned())));
        }));
    });
    IS_EXPECTED.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| drop(run())));
    IS_EXPECTED.set(false);
    assert!(result.is_err(), "no panic: {text}");
    let (found, file) = CAUGHT.take().unwrap();
    assert_eq!(found, text);
    assert!(file.ends_with("panics.rs"), "{text}: in {file}");
}

fn skeleton(joints: u16) -> Skeleton {
    let joint = |index: u16| Joint {
        name: index.to_string(),
        parent: index.checked_sub(1).map(JointId),
        rest: Transform::IDENTITY,
    };
    Skeleton::new((0..joints).map(joint).collect()).unwrap()
}

fn clip(joints: u16) -> Clip {
    let keys = [Key::new(0.0, Vec3::ZERO), Key::new(1.0, Vec3::X)];
    let channel = Channel::translation(JointId(0), Interpolation::Linear, &keys).unwrap();
    let animation = Animation::new("", vec![channel]);
    animation
        .bake(&skeleton(joints), &BakeOptions::default())
        .unwrap()
        .0
}

#[test]
fn joints_that_are_not_there() {
    let (three, far) = (skeleton(3), JointId(9));
    let mut pose = Pose::identity(3);
    panics("joint 9 of a pose of 3 joints", || pose.get(far));
    panics("joint 9 of a pose of 3 joints", || {
        pose.set(far, Transform::IDENTITY)
    });
    panics("joint 9 of a pose of 3 joints", || {
        pose.set_translation(far, Vec3::X)
    });
    panics("joint 9 of a skeleton of 3 joints", || three.name(far));
    panics("joint 9 of a skeleton of 3 joints", || three.parent(far));
    panics("joint 9 of a skeleton of 3 joints", || three.subtree(far));
    panics("joint 9 of a skeleton of 3 joints", || {
        three.is_in_subtree(far, far)
    });
    panics("joint 9 of a skeleton of 3 joints", || Mask::subtree(&three, far));
    panics("joint index 70000: a skeleton has at most 65535 joints", || {
        JointId::from_index(70_000)
    });
    let mut mask = Mask::uniform(&three, 1.0);
    panics("joint 9 of a mask of 3 joints", || mask.get(far));
    panics("joint 9 of a mask of 3 joints", || mask.set(far, 0.5));
    panics("mask weight 2 is not in 0..=1", || mask.set(JointId(0), 2.0));
    panics("the skeleton has 5 joints, the mask 3", || {
        mask.set_subtree(&skeleton(5), JointId(0), 0.5);
    });
}

#[test]
fn poses_and_masks_of_other_skeletons() {
    let (three, mut pose) = (skeleton(3), Pose::identity(3));
    let (clip, other) = (clip(5), Pose::identity(5));
    panics("the pose has 3 joints, the clip 5", || {
        clip.sample(0.0, &mut pose)
    });
    panics("the pose has 3 joints, the pose to copy 5", || {
        pose.copy_from(&other)
    });
    panics("the pose has 5 joints, the skeleton 3", || {
        Animation::default().sample(&three, 0.0, &mut other.clone());
    });
    let mut model = [Affine3A::IDENTITY; 3];
    panics("the pose has 5 joints, the skeleton 3", || {
        local_to_model(&three, &other, &mut model);
    });
    panics("2 model matrices for 3 joints", || {
        local_to_model(&three, three.rest_pose(), &mut model[..2]);
    });
    let mask = Mask::uniform(&skeleton(5), 1.0);
    let input = |pose, mask| {
        [BlendInput {
            pose,
            weight: 1.0,
            mask,
        }]
    };
    let rest = three.rest_pose();
    panics("the rest pose has 5 joints, the pose to fill 3", || {
        blend(&input(rest, None), &other, &mut pose)
    });
    panics("the pose of an input has 5 joints, the pose to fill 3", || {
        blend(&input(&other, None), rest, &mut pose)
    });
    panics("the mask of an input has 5 joints, the pose to add to 3", || {
        blend_additive(&input(rest, Some(&mask)), &mut pose)
    });
}

#[test]
fn a_multiplexer_of_another_skeleton() {
    let (three, five) = (skeleton(3), skeleton(5));
    let mut other = Animux::new(&five);
    let _ = other.add_layer(Layer::default());
    let stranger = other.add_layer(Layer::default());
    let mut animux = Animux::new(&three);
    let id = animux.add_layer(Layer::default());
    let (small, large) = (std::sync::Arc::new(clip(3)), std::sync::Arc::new(clip(5)));
    panics("the clip has 5 joints, the multiplexer 3", || {
        animux.play(id, large.clone(), Transition::Cut);
    });
    let layer = "layer 1 of a multiplexer of 1 layers";
    panics(layer, || animux.play(stranger, small.clone(), Transition::Cut));
    panics(layer, || animux.layer(stranger).clone());
    panics(layer, || animux.layer_mut(stranger).weight = 0.0);
    panics(layer, || animux.stop(stranger));
    panics(layer, || animux.fade_weight(stranger, 0.0, 0.0));
    panics(layer, || animux.playing(stranger));
    panics(layer, || animux.is_finished(stranger));
    panics(layer, || animux.seek(stranger, 0.0));
    let track = |joint, turn| {
        Some(RootTrack {
            joint,
            axes: [true; 3],
            turn: Some(turn),
        })
    };
    panics("joint 500 of a multiplexer of 3 joints", || {
        animux.set_root_motion(track(JointId(500), Vec3::Y));
    });
    panics(
        "the turn's axis [0, 0, 0] has no direction: it must be finite and longer than zero",
        || animux.set_root_motion(track(JointId(0), Vec3::ZERO)),
    );
    let mask = Some(Mask::uniform(&five, 1.0));
    let masked = Layer {
        mask: mask.clone(),
        ..Layer::default()
    };
    panics("the mask of a layer has 5 joints, the multiplexer 3", || {
        animux.add_layer(masked)
    });
    let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(3));
    panics("the skeleton has 5 joints, the multiplexer 3", || {
        animux.evaluate(&five, &mut scratch, &mut pose)
    });
    panics("the pose has 5 joints, the multiplexer 3", || {
        animux.evaluate(&three, &mut scratch, &mut Pose::identity(5))
    });
    animux.layer_mut(id).mask = mask;
    panics("the mask of a layer has 5 joints, the multiplexer 3", || {
        animux.evaluate(&three, &mut scratch, &mut pose)
    });
}

#[test]
fn lists_of_other_lengths() {
    let binding = SkinBinding::with_identity(vec![JointId(1), JointId(9), JointId(0)]);
    let model = [Affine3A::IDENTITY; 4];
    let mut rows = [[Vec4::ZERO; 3]; 3];
    panics("2 palette entries for 3 slots of the binding", || {
        palette(&model, &binding, &mut rows[..2]);
    });
    panics("joint 9 of a list of model matrices of 4 joints", || {
        palette(&model, &binding, &mut rows);
    });
    let (influences, _) = Influences::new(1, 5, vec![4, 0], vec![1.0, 1.0]).unwrap();
    let (positions, normals) = ([Vec3::ZERO; 2], [Vec3::X; 1]);
    let mut out = [Vec3::ZERO; 2];
    let mut run = |slots: usize, positions, normals, count: usize| {
        let input = SkinInput {
            positions,
            normals,
            tangents: &[],
            influences: &influences,
        };
        let output = SkinOutput {
            positions: &mut out[..count],
            normals: &mut [],
            tangents: &mut [],
        };
        skin(&vec![rows[0]; slots], input, output);
    };
    panics("the palette has 3 slots, the influences need 5", || {
        run(3, &positions, &[], 2);
    });
    panics("2 vertices with influences for 1 positions", || {
        run(5, &positions[..1], &[], 1);
    });
    panics("1 output positions for 2 positions", || {
        run(5, &positions, &[], 1)
    });
    panics("1 normals for 2 positions", || run(5, &positions, &normals, 2));
    panics("1 motions for 2 palette slots", || {
        dual_palette(&rows[..2], &mut [DualQuaternion::IDENTITY], &mut []);
    });
    let track = MorphTrack::new(2, Interpolation::Linear, vec![0.0], vec![0.0; 2]).unwrap();
    panics("3 weights for 2 morph targets", || {
        track.sample(0.0, &mut [0.0; 3])
    });
    panics("1 output positions for 2 positions", || {
        let input = MorphInput {
            positions: &positions,
            normals: &[],
            tangents: &[],
            targets: &[],
        };
        let output = SkinOutput {
            positions: &mut [Vec3::ZERO],
            normals: &mut [],
            tangents: &mut [],
        };
        morph(input, &[], output)
    });
    let keys = MeshKeys::new(vec![0.0], 2, positions.to_vec(), Vec::new()).unwrap();
    panics("key 1 of a mesh of 1 keys", || keys.positions(1).to_vec());
    panics("1 next positions for 2 current positions", || {
        blend_mesh_keys(&positions, &normals, 0.5, &mut [Vec3::ZERO; 2]);
    });
}
