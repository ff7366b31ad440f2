//! Many characters at once: the same bits on any number of threads.

#![cfg(feature = "rayon")]
#![allow(clippy::cast_possible_truncation, reason = "small counts")]

use std::sync::Arc;

use elea_anim::{
    Animation, Animux, BakeOptions, Blend, Channel, Clip, Interpolation, Joint, JointId, Key, Layer, Mask,
    Pose, RootMotion, RootTrack, Scratch, Skeleton, SkinBinding, Transform, Transition, Workers,
    animate_many,
    glam::{Affine3A, Quat, Vec3, Vec4},
    local_to_model, palette,
};

const JOINTS: u16 = 40;

fn skeleton() -> Skeleton {
    let joint = |index: u16| Joint {
        name: format!("joint {index}"),
        parent: index.checked_sub(1).map(|index| JointId(index / 2)),
        rest: Transform::from_translation(Vec3::Y),
    };
    Skeleton::new((0..JOINTS).map(joint).collect()).unwrap()
}

fn clip(skeleton: &Skeleton, seconds: f32, axis: Vec3, additive: bool) -> Arc<Clip> {
    let channel = |joint: u16| {
        let key = |part: f32| {
            Key::new(
                seconds * part,
                Quat::from_axis_angle(axis, (part * 6.0 + f32::from(joint)).sin()),
            )
        };
        Channel::rotation(
            JointId(joint),
            Interpolation::Linear,
            &[key(0.0), key(0.3), key(1.0)],
        )
        .unwrap()
    };
    let animation = Animation::new("turn", (0..JOINTS).map(channel).collect());
    let animation = if additive {
        animation.to_additive(skeleton.rest_pose()).unwrap()
    } else {
        animation
    };
    Arc::new(animation.bake(skeleton, &BakeOptions::default()).unwrap().0)
}

#[derive(Clone)]
struct Character {
    animux: Animux,
    palette: Vec<[Vec4; 3]>,
    walked: RootMotion,
    heard: usize,
}

#[derive(Clone)]
struct Worker {
    scratch: Scratch,
    pose: Pose,
    model: Vec<Affine3A>,
}

struct Stage {
    skeleton: Skeleton,
    binding: SkinBinding,
    clips: [Arc<Clip>; 3],
}

impl Stage {
    fn new() -> Self {
        let skeleton = skeleton();
        Self {
            binding: SkinBinding::from_rest_pose(&skeleton).unwrap(),
            clips: [
                clip(&skeleton, 1.0, Vec3::X, false),
                clip(&skeleton, 0.7, Vec3::Z, false),
                clip(&skeleton, 1.3, Vec3::Y, true),
            ],
            skeleton,
        }
    }

    /// Every character plays something else.
    fn crowd(&self, count: u16) -> Vec<Character> {
        (0..count)
            .map(|index| {
                let mut animux = Animux::new(&self.skeleton);
                animux.set_root_motion(Some(RootTrack {
                    joint: JointId(0),
                    axes: [true, false, true],
                    turn: Some(Vec3::Y),
                }));
                let body = animux.add_layer(Layer {
                    speed: 0.5 + f32::from(index % 7) * 0.2,
                    ..Layer::default()
                });
                let mask = Some(Mask::subtree(&self.skeleton, JointId(1 + index % 5)));
                let arm = animux.add_layer(Layer {
                    mask,
                    weight: 0.7,
                    ..Layer::default()
                });
                let more = animux.add_layer(Layer {
                    blend: Blend::Additive,
                    weight: 0.5,
                    ..Layer::default()
                });
                animux.play(body, Arc::clone(&self.clips[0]), Transition::Cut);
                animux.play(arm, Arc::clone(&self.clips[1]), Transition::Cut);
                animux.play(more, Arc::clone(&self.clips[2]), Transition::Cut);
                animux.seek(body, f32::from(index % 10) * 0.1);
                if index % 3 == 0 {
                    animux.play(body, Arc::clone(&self.clips[1]), Transition::Inertialized(0.3));
                }
                Character {
                    animux,
                    palette: vec![[Vec4::ZERO; 3]; usize::from(JOINTS)],
                    walked: RootMotion::NONE,
                    heard: 0,
                }
            })
            .collect()
    }

    fn workers(&self) -> Workers<Worker> {
        let joints = self.skeleton.len();
        Workers::new(Worker {
            scratch: Scratch::new(),
            pose: Pose::identity(joints),
            model: vec![Affine3A::IDENTITY; joints],
        })
    }

    fn frame(&self, character: &mut Character, worker: &mut Worker) {
        let Character {
            animux,
            palette: rows,
            walked,
            heard,
        } = character;
        *walked = walked.then(animux.advance(1.0 / 60.0, |_| *heard += 1));
        let _ = animux.evaluate(&self.skeleton, &mut worker.scratch, &mut worker.pose);
        local_to_model(&self.skeleton, &worker.pose, &mut worker.model);
        palette(&worker.model, &self.binding, rows);
    }
}

fn bits(crowd: &[Character]) -> Vec<u32> {
    crowd
        .iter()
        .flat_map(|character| {
            let rows = character.palette.iter().flatten().flat_map(|row| row.to_array());
            let walked = character.walked.translation.to_array();
            rows.chain(walked).chain(character.walked.rotation.to_array())
        })
        .map(f32::to_bits)
        .collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let stage = Stage::new();
    let start = stage.crowd(150);
    let mut one_by_one = start.clone();
    let mut worker = Worker {
        scratch: Scratch::new(),
        pose: Pose::identity(stage.skeleton.len()),
        model: vec![Affine3A::IDENTITY; stage.skeleton.len()],
    };
    for _ in 0..30 {
        for character in &mut one_by_one {
            stage.frame(character, &mut worker);
        }
    }
    let expected = bits(&one_by_one);
    assert!(
        expected.iter().collect::<std::collections::HashSet<_>>().len() > 1000,
        "they differ from one another"
    );
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let (mut crowd, mut workers) = (start.clone(), stage.workers());
        pool.install(|| {
            for _ in 0..30 {
                animate_many(&mut crowd, &mut workers, |character, worker| {
                    stage.frame(character, worker)
                });
            }
        });
        assert_eq!(bits(&crowd), expected, "on {threads} threads");
    }
}

/// A frame that waits for the pool in the middle: its thread may begin with another character meanwhile.
#[test]
fn parallel_loops_within_a_frame_are_allowed() {
    use rayon::prelude::*;
    let stage = Stage::new();
    let start = stage.crowd(40);
    let (mut plain, mut nested) = (start.clone(), start);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        let mut workers = stage.workers();
        animate_many(&mut plain, &mut workers, |character, worker| {
            stage.frame(character, worker)
        });
        animate_many(&mut nested, &mut workers, |character, worker| {
            let sum: u64 = (0..2000_u64).into_par_iter().sum();
            assert_eq!(sum, 1_999_000, "the loop inside");
            stage.frame(character, worker);
        });
    });
    assert_eq!(bits(&nested), bits(&plain));
}

#[test]
fn a_warm_crowd_allocates_nothing() {
    let stage = Stage::new();
    let mut crowd = stage.crowd(60);
    let mut workers = stage.workers();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // One thread in the pool, which is the one that counts.
    let count = pool.install(|| {
        let mut frame = || {
            animate_many(&mut crowd, &mut workers, |character, worker| {
                stage.frame(character, worker)
            })
        };
        frame();
        allocation_counter::measure(|| (0..20).for_each(|_| frame())).count_total
    });
    assert_eq!(count, 0);
}
