//! Many characters in one frame, on one thread and on two; and what clips weigh.

use std::{sync::Arc, time::Instant};

use elea_anim::{
    Animux, BakeOptions, Clip, Kernel, Layer, Mask, Pose, Scratch, SkinBinding, Transition, Workers,
    animate_many, local_to_model_with, palette_with,
};
use glam::{Affine3A, Vec4};

use super::{KERNELS, Rig, sampling::animation};
use crate::row::Row;

const CHARACTERS: usize = 2_000;
const LAYERS: usize = 4;
const FRAMES: usize = 30;

struct Character {
    animux: Animux,
    palette: Vec<[Vec4; 3]>,
}

#[derive(Clone)]
struct Worker {
    scratch: Scratch,
    pose: Pose,
    model: Vec<Affine3A>,
}

/// Milliseconds a frame: time goes on, four layers (two of them masked, with weights below one) are sampled and
/// mixed, then model matrices and palette.
pub(super) fn crowd(rig: &mut Rig, rows: &mut Vec<Row>) {
    let clips: Vec<Arc<Clip>> = (0..8).map(|_| Arc::new(rotations_only(rig))).collect();
    let half = Mask::uniform(&rig.skeleton, 0.5);
    let binding = SkinBinding::from_rest_pose(&rig.skeleton).expect("rest scales are one");
    for (contender, kernel) in KERNELS {
        for threads in [1, 2] {
            let mut characters: Vec<Character> = (0..CHARACTERS)
                .map(|index| character(rig, &clips, &half, kernel, index))
                .collect();
            let mut workers = Workers::new(Worker {
                scratch: Scratch::new(),
                pose: Pose::identity(rig.joints),
                model: vec![Affine3A::IDENTITY; rig.joints],
            });
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("two threads");
            let mut frame = || {
                animate_many(&mut characters, &mut workers, |character, worker| {
                    let _ = character.animux.advance(1.0 / 60.0, |_| {});
                    let _ = character
                        .animux
                        .evaluate(&rig.skeleton, &mut worker.scratch, &mut worker.pose);
                    local_to_model_with(kernel, &rig.skeleton, &worker.pose, &mut worker.model);
                    palette_with(kernel, &worker.model, &binding, &mut character.palette);
                });
            };
            let mut times: Vec<f64> = pool.install(|| {
                frame();
                (0..FRAMES)
                    .map(|_| {
                        let start = Instant::now();
                        frame();
                        start.elapsed().as_secs_f64() * 1e3
                    })
                    .collect()
            });
            times.sort_by(f64::total_cmp);
            rows.push(Row {
                area: "animation",
                case: format!("crowd_{CHARACTERS}x{}x{LAYERS}", rig.joints),
                contender: contender.into(),
                metric: format!("frame, {threads} thread{}", if threads == 1 { "" } else { "s" }),
                value: times[FRAMES / 2],
                unit: "ms",
            });
        }
    }
}

fn character(rig: &Rig, clips: &[Arc<Clip>], half: &Mask, kernel: Kernel, index: usize) -> Character {
    let mut animux = Animux::new(&rig.skeleton);
    animux.set_kernel(kernel);
    for layer in 0..LAYERS {
        let id = animux.add_layer(Layer {
            weight: if layer == 0 { 1.0 } else { 0.5 },
            mask: (layer > 1).then(|| half.clone()),
            speed: 0.8 + 0.1 * (index % 5) as f32,
            ..Layer::default()
        });
        animux.play(
            id,
            Arc::clone(&clips[(index + layer) % clips.len()]),
            Transition::Cut,
        );
    }
    Character {
        animux,
        palette: vec![[Vec4::ZERO; 3]; rig.joints],
    }
}

/// A clip as real ones are: every joint turns, none moves or grows.
fn rotations_only(rig: &mut Rig) -> Clip {
    let channels = rig.channels(true);
    let mut animation = animation(&rig.skeleton, &channels);
    animation
        .channels
        .retain(|channel| matches!(channel.values(), elea_anim::Values::Rotation(_)));
    animation
        .bake(&rig.skeleton, &BakeOptions::default())
        .expect("joints exist")
        .0
}

/// Bytes of clips of 4 s at 30 Hz.
pub(super) fn sizes(rig: &mut Rig, rows: &mut Vec<Row>) {
    let rotations = rotations_only(rig).size();
    let channels = rig.channels(true);
    let all = animation(&rig.skeleton, &channels)
        .bake(&rig.skeleton, &BakeOptions::default())
        .expect("joints exist")
        .0
        .size();
    for (case, bytes) in [("clip_rotations", rotations), ("clip_all_channels", all)] {
        rows.push(Row {
            area: "animation",
            case: format!("{case}_{}", rig.joints),
            contender: "elea".into(),
            metric: "size".into(),
            value: bytes as f64,
            unit: "bytes",
        });
    }
}
