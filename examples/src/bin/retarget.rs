//! Plays the motion of one BVH file on the skeleton of another.
//!
//! `retarget walk.bvh --to hero.bvh -o hero_walk.bvh`
//!
//! Exit status: 0 when the file was written, 2 when something was wrong; then one line on stderr says with which file,
//! which line or part, and what to do.

use std::{path::Path, process::ExitCode};

use clap::Parser;
use elea_anim::{
    Pose, Skeleton,
    bvh::{self, Bvh},
};
use elea_ik::retarget::{
    BoneMap, Limbs, MapReport, MapWarning, Options, Retargeter, Rig, Scale, choose_pose,
};
use indicatif::{ProgressBar, ProgressStyle};

/// Plays the motion of one BVH file on the skeleton of another.
#[derive(Parser)]
#[command(name = "retarget", version)]
struct Arguments {
    /// The motion: a BVH file of a humanoid.
    #[arg(value_name = "IN.bvh")]
    input: String,
    /// A BVH file with the skeleton to play it on; its own motion is not used.
    #[arg(long, value_name = "TARGET.bvh")]
    to: String,
    /// Where to write the motion on that skeleton.
    #[arg(short, long, value_name = "OUT.bvh")]
    output: String,
    /// Bone map of IN, a JSON object {part: joint}; found by itself when left out.
    #[arg(long, value_name = "MAP.json")]
    map_in: Option<String>,
    /// Bone map of TARGET, as above.
    #[arg(long, value_name = "MAP.json")]
    map_out: Option<String>,
    /// A BVH file of IN's skeleton that stands: tells IN's rotations apart from its rest pose, where IN itself can't.
    #[arg(long, value_name = "POSE.bvh")]
    pose_in: Option<String>,
    /// The same for TARGET.
    #[arg(long, value_name = "POSE.bvh")]
    pose_out: Option<String>,
    /// Hold feet in their place while they stand.
    #[arg(long)]
    foot_lock: bool,
    /// 0 keeps the directions of arms and legs (the default), 1 where hands and feet are; or between.
    #[arg(long, value_name = "0..1", default_value_t = 0.0)]
    end_points: f32,
    /// Target length per source length; guessed from the legs when left out.
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f32>,
    /// Print the bone maps that are used, as JSON, and what they leave out.
    #[arg(short, long)]
    verbose: bool,
}

/// A file with its figure.
struct Figure {
    bvh: Bvh,
    rig: Rig,
    convention: &'static str,
    /// What a person should know, once it is sure that nothing is wrong.
    notes: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("retarget: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    let verbose = arguments.verbose;
    let source = figure(
        &arguments.input,
        Given {
            map: arguments.map_in.as_deref(),
            map_flag: "--map-in",
            pose: arguments.pose_in.as_deref(),
        },
        verbose,
    )?;
    let target = figure(
        &arguments.to,
        Given {
            map: arguments.map_out.as_deref(),
            map_flag: "--map-out",
            pose: arguments.pose_out.as_deref(),
        },
        verbose,
    )?;
    if source.bvh.frames == 0 {
        return Err(format!(
            "{}: no frames: give a file with a MOTION section",
            arguments.input
        ));
    }
    let options = Options {
        foot_lock: arguments.foot_lock,
        limbs: if arguments.end_points == 0.0 {
            Limbs::Direction
        } else {
            Limbs::Blend(arguments.end_points)
        },
        scale: arguments
            .scale
            .map_or(Scale::Guess, |scale| Scale::Fixed { scale, vertical: 0.0 }),
        ..Options::default()
    };
    let Figure {
        bvh: source,
        rig,
        convention,
        notes,
    } = source;
    let mut retargeter = Retargeter::new(rig, target.rig, options)
        .map_err(|error| format!("{} -> {}: {error}", arguments.input, arguments.to))?;
    for note in notes.iter().chain(&target.notes) {
        eprintln!("{note}");
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames") {
        bar.set_style(style);
    }
    let animation = retargeter.retarget_animation_with(&source.animation, |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let errors = limb_error(&retargeter, &source, &animation);
    let mut out = target.bvh;
    out.animation = animation;
    out.frame_time = source.frame_time;
    out.has_motion = true;
    let text = out
        .write()
        .map_err(|error| format!("{}: {error}", arguments.output))?;
    std::fs::write(&arguments.output, text)
        .map_err(|error| format!("{}: {error}: choose another place with -o", arguments.output))?;
    Ok(format!(
        "{} ({convention}, {} joints) -> {} ({}, {} joints): {} frames, scale {:.4}, limb directions off by {:.2} degrees on average",
        arguments.input,
        source.skeleton.len(),
        arguments.output,
        target.convention,
        out.skeleton.len(),
        source.frames,
        retargeter.scale(),
        errors.to_degrees(),
    ))
}

/// Mean angle between the limb bones of both motions, radians, over the source's frames.
fn limb_error(retargeter: &Retargeter, source: &Bvh, result: &elea_anim::Animation) -> f32 {
    let (from, to) = (&retargeter.source().skeleton, &retargeter.target().skeleton);
    let mut poses: [Pose; 2] = [from.rest_pose().clone(), to.rest_pose().clone()];
    let mut sum = 0.0;
    for frame in 0..source.frames {
        #[expect(clippy::cast_possible_truncation, reason = "animation times are f32")]
        let time = (frame as f64 * source.frame_time) as f32;
        source.animation.sample(from, time, &mut poses[0]);
        result.sample(to, time, &mut poses[1]);
        sum += retargeter.errors(&poses[0], &poses[1]).limb_mean();
    }
    sum / source.frames as f32
}

/// What the command line says of a figure.
struct Given<'a> {
    map: Option<&'a str>,
    map_flag: &'static str,
    pose: Option<&'a str>,
}

fn read(path: &str) -> Result<Bvh, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}: check the path"))?;
    if bytes.is_empty() {
        return Err(format!("{path}: line 1: the file is empty: give a BVH file"));
    }
    bvh::parse(&bytes).map_err(|error| format!("{path}: {error}: give a BVH file, or export this one again"))
}

/// Reads a file and finds its figure; every error says what to do.
fn figure(path: &str, given: Given<'_>, verbose: bool) -> Result<Figure, String> {
    let Given { map, map_flag, pose } = given;
    let bvh = read(path)?;
    let mut notes: Vec<String> = bvh
        .warnings
        .iter()
        .map(|warning| format!("warning: {path}: {warning}"))
        .collect();
    let (mut rig, report) = Rig::auto(bvh.skeleton.clone(), Some(&bvh.animation));
    let mut convention = report.convention.unwrap_or("unknown names");
    if let Some(file) = map {
        rig.map = BoneMap::load(Path::new(file)).map_err(|error| error.to_string())?;
        rig.pose = choose_pose(&rig.skeleton, &rig.map, Some(&bvh.animation));
        convention = "own map";
    } else {
        notes.extend(map_notes(path, &report, verbose));
    }
    if let Some(file) = pose {
        let standing = read(file)?;
        let names = |skeleton: &Skeleton| -> Vec<String> {
            skeleton
                .joints()
                .map(|joint| skeleton.name(joint).to_owned())
                .collect()
        };
        if names(&standing.skeleton) != names(&rig.skeleton) {
            return Err(format!(
                "{file}: its joints are not those of {path}: give a file of the same skeleton"
            ));
        }
        rig.pose = choose_pose(&standing.skeleton, &rig.map, Some(&standing.animation));
    }
    rig.add_foot_tips(bvh.tips.iter().map(|tip| (tip.joint, tip.offset)));
    let by_hand =
        format!("name the joints yourself with {map_flag} MAP.json, like {{\"hips\": \"Hips\", ...}}");
    rig.check()
        .map_err(|error| format!("{path}: {error}: {by_hand}"))?;
    if map.is_none() && rig.is_four_legged() {
        return Err(format!(
            "{path}: hips and shoulders lie along the ground, a figure with four legs: give a humanoid, or {by_hand}"
        ));
    }
    if verbose {
        let map = serde_json::to_string(&rig.map).map_err(|error| error.to_string())?;
        notes.push(format!("{path}: {map}"));
    }
    Ok(Figure {
        bvh,
        rig,
        convention,
        notes,
    })
}

/// What a person should know of a map that was found. Missing optional parts only when asked for.
fn map_notes(path: &str, report: &MapReport, verbose: bool) -> Vec<String> {
    let told = |warning: &&MapWarning| verbose || !matches!(warning, MapWarning::Skipped { .. });
    let warnings = report.warnings.iter().filter(told);
    warnings
        .map(|warning| format!("warning: {path}: {warning}"))
        .collect()
}
