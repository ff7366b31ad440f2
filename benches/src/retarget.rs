//! Retargeting: every public motion onto every other public skeleton.
//!
//! The contenders are the two methods in use: `copy rotations` gives each joint its twin's model rotation (three.js's
//! `retargetClip` does), `rest-pose delta` gives it its twin's turn since the rest pose, with the limbs of both rest poses
//! laid over each other by hand (game engines do). All start from the same bone maps and the same retarget poses.
//!
//! Angles and slides are measured in f64 from joint positions, apart from what elea says of itself. One row a motion holds
//! the mean over all skeletons, or the worst of them.

mod contenders;
mod view;

use std::{fs, hint::black_box, io::Write, path::Path};

use elea_anim::{Pose, bvh};
use elea_ik::retarget::{BoneMap, Options, Retargeter, Rig};

use self::{
    contenders::{Method, Twins},
    view::{Errors, View},
};
use crate::{
    measure::{Timed, nanoseconds},
    row::Row,
};

/// Frames of a motion that are compared at most.
const MAX_FRAMES: usize = 600;

/// A motion has this many frames at least; shorter files are skeletons alone.
const MIN_FRAMES: usize = 10;

/// Interleaved rounds of the time measurement.
const ROUNDS: usize = 15;

/// A file's figure.
struct Figure {
    name: String,
    rig: Rig,
    bvh: bvh::Bvh,
}

/// The whole comparison; empty, with a word on stderr, where the public motions are not here.
///
/// # Panics
///
/// If a rig that the automatic map accepts can't be retargeted.
#[must_use]
pub fn rows() -> Vec<Row> {
    let figures = figures();
    if figures.is_empty() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no motions in {MOTION}");
    }
    let mut rows = Vec::new();
    let mut all: Vec<(Method, Errors)> = Vec::new();
    for source in figures.iter().filter(|figure| figure.bvh.frames >= MIN_FRAMES) {
        let of_source = compare(source, &figures);
        push(&mut rows, &source.name, &of_source);
        all.extend(of_source);
    }
    push(&mut rows, "all", &all);
    let find = |name: &str| figures.iter().find(|figure| figure.name == name);
    for [from, to] in [["cmu_12_01_walk", "game_engine_rest"], ["01_01", "mixamo_rest"]] {
        if let (Some(source), Some(target)) = (find(from), find(to)) {
            time(source, target, &mut rows);
        }
    }
    rows
}

const MOTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/motion");

/// All files that hold a humanoid, by name.
fn figures() -> Vec<Figure> {
    let mut figures = Vec::new();
    let folders = fs::read_dir(Path::new(MOTION)).into_iter().flatten().flatten();
    for file in folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten()) {
        let path = file.path();
        let Some(bvh) = fs::read(&path).ok().and_then(|bytes| bvh::parse(&bytes).ok()) else {
            continue;
        };
        let (mut rig, _) = Rig::auto(bvh.skeleton.clone(), Some(&bvh.animation));
        rig.add_foot_tips(bvh.tips.iter().map(|tip| (tip.joint, tip.offset)));
        if rig.check().is_ok() {
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            figures.push(Figure { name, rig, bvh });
        }
    }
    figures.sort_by(|a, b| a.name.cmp(&b.name));
    figures
}

/// Whether two figures are of one skeleton.
fn same(a: &Figure, b: &Figure) -> bool {
    let joints = |figure: &Figure| figure.bvh.skeleton.to_joints();
    joints(a) == joints(b)
}

fn frame_times(bvh: &bvh::Bvh) -> Vec<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "animation times are f32")]
    (0..bvh.frames.min(MAX_FRAMES))
        .map(|frame| (frame as f64 * bvh.frame_time) as f32)
        .collect()
}

/// One motion on all other skeletons by all methods.
fn compare(source: &Figure, figures: &[Figure]) -> Vec<(Method, Errors)> {
    let times = frame_times(&source.bvh);
    let mut clip = source.bvh.animation.clone();
    if let Some(&end) = times.last() {
        clip.trim(clip.start(), end.min(clip.end()))
            .expect("within the animation");
    }
    let poses: Vec<Pose> = times
        .iter()
        .map(|&time| {
            let mut pose = source.rig.pose.clone();
            clip.sample(&source.rig.skeleton, time, &mut pose);
            pose
        })
        .collect();
    let seen = View::new(&source.rig, poses.iter(), source.bvh.frame_time);
    let mut out = Vec::new();
    for target in figures.iter().filter(|figure| !same(figure, source)) {
        let twins = Twins::new(&source.rig, &target.rig);
        for method in Method::ALL {
            let result: Vec<Pose> = match method {
                Method::Elea { foot_lock } => {
                    let options = Options {
                        foot_lock,
                        ..Options::default()
                    };
                    let mut retargeter = Retargeter::new(source.rig.clone(), target.rig.clone(), options)
                        .expect("both rigs were checked");
                    let animation = retargeter.retarget_animation(&clip);
                    let sample = |&time: &f32| {
                        let mut pose = target.rig.pose.clone();
                        animation.sample(&target.rig.skeleton, time, &mut pose);
                        pose
                    };
                    times.iter().map(sample).collect()
                }
                Method::CopyRotations => poses.iter().map(|pose| twins.copy(pose)).collect(),
                Method::RestPoseDelta => poses.iter().map(|pose| twins.delta(pose)).collect(),
            };
            let result = View::new(&target.rig, result.iter(), source.bvh.frame_time);
            out.push((method, seen.errors(&result)));
        }
    }
    out
}

/// Rows of a case: means and worsts over its skeletons.
fn push(rows: &mut Vec<Row>, case: &str, errors: &[(Method, Errors)]) {
    for method in Method::ALL {
        let of_method: Vec<&Errors> = errors
            .iter()
            .filter(|(by, _)| *by == method)
            .map(|(_, e)| e)
            .collect();
        if of_method.is_empty() {
            continue;
        }
        let mean = |value: fn(&Errors) -> f64| {
            of_method.iter().map(|errors| value(errors)).sum::<f64>() / of_method.len() as f64
        };
        let worst = |value: fn(&Errors) -> f64| {
            of_method
                .iter()
                .map(|errors| value(errors))
                .fold(0.0_f64, f64::max)
        };
        for (metric, value, unit) in [
            ("limb_direction_mean", mean(|e| e.limb_mean), "degrees"),
            ("limb_direction_worst", worst(|e| e.limb_mean), "degrees"),
            ("limb_direction_p95_worst", worst(|e| e.limb_p95), "degrees"),
            ("hip_line_worst", worst(|e| e.hip_line), "degrees"),
            ("shoulder_line_mean", mean(|e| e.shoulder_line), "degrees"),
            ("shoulder_line_worst", worst(|e| e.shoulder_line), "degrees"),
            ("trunk_mean", mean(|e| e.trunk), "degrees"),
            ("trunk_worst", worst(|e| e.trunk), "degrees"),
            ("foot_slide_mean", mean(|e| e.slide), "heights/s"),
            ("foot_slide_source", mean(|e| e.source_slide), "heights/s"),
            ("jerk_ratio_mean", mean(|e| e.jerk_ratio), ""),
            ("jerk_ratio_worst", worst(|e| e.jerk_ratio), ""),
            ("bone_length_drift", worst(|e| e.drift), ""),
        ] {
            rows.push(Row {
                area: "retarget",
                case: case.into(),
                contender: method.name().into(),
                metric: metric.into(),
                value,
                unit,
            });
        }
    }
}

/// Frames a second of whole clips: sampling the source, solving, writing channels.
fn time(source: &Figure, target: &Figure, rows: &mut Vec<Row>) {
    let clip = &source.bvh.animation;
    let new = |foot_lock| {
        let options = Options {
            foot_lock,
            ..Options::default()
        };
        Retargeter::new(source.rig.clone(), target.rig.clone(), options).expect("both rigs were checked")
    };
    let (mut free, mut locked) = (new(false), new(true));
    let twins = Twins::new(&source.rig, &target.rig);
    let times: Vec<f32> = {
        #[expect(clippy::cast_possible_truncation, reason = "animation times are f32")]
        let time = |frame: usize| (frame as f64 * source.bvh.frame_time) as f32;
        (0..source.bvh.frames).map(time).collect()
    };
    let by = |method: &dyn Fn(&Pose) -> Pose| {
        let mut pose = source.rig.pose.clone();
        for &time in &times {
            clip.sample(&source.rig.skeleton, time, &mut pose);
            black_box(method(&pose));
        }
    };
    let mut contenders: [Timed<'_>; 4] = [
        (
            "elea",
            Box::new(|| drop(black_box(free.retarget_animation(clip)))),
        ),
        (
            "elea foot lock",
            Box::new(|| drop(black_box(locked.retarget_animation(clip)))),
        ),
        ("copy rotations", Box::new(|| by(&|pose| twins.copy(pose)))),
        ("rest-pose delta", Box::new(|| by(&|pose| twins.delta(pose)))),
    ];
    let names = contenders.each_ref().map(|(name, _)| *name);
    let found = nanoseconds(&mut contenders, source.bvh.frames, ROUNDS);
    for (name, nanoseconds) in names.into_iter().zip(found) {
        for (metric, value, unit) in [
            ("time", nanoseconds, "ns/frame"),
            ("speed", 1e9 / nanoseconds, "frames/s"),
        ] {
            rows.push(Row {
                area: "retarget",
                case: format!("{} to {}", source.name, target.name),
                contender: name.into(),
                metric: metric.into(),
                value,
                unit,
            });
        }
    }
}

/// A map's joint ids by part, for the parts of two maps alike.
fn parts_of_both(maps: [&BoneMap; 2]) -> Vec<elea_ik::retarget::Part> {
    let [a, b] = maps;
    a.iter()
        .map(|(part, _)| part)
        .filter(|&part| b.get(part).is_some())
        .collect()
}
