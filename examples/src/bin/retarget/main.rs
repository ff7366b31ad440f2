//! Plays the motion of one file on the skeleton of another.
//!
//! `retarget walk.bvh --to hero.bvh -o hero_walk.bvh`
//! `retarget walk.bvh --to hero.glb -o hero_walk.glb`
//!
//! Files are BVH, glTF and GLB in, BVH and GLB out. A GLB that is written keeps the target's meshes and skins; of its
//! materials the colours, not the textures.
//!
//! Exit status: 0 when the file was written, 2 when something was wrong; then one line on stderr says with which file,
//! which line or part, and what to do.

use std::{path::Path, process::ExitCode};

use clap::Parser;
use document::Document;
use elea_anim::{Animation, Pose, Skeleton, bvh};
use elea_examples::file::{self, Format};
use elea_ik::retarget::{
    BoneMap, Limbs, MapReport, MapWarning, Options, RetargetError, Retargeter, Rig, Scale, choose_pose,
};
use indicatif::{ProgressBar, ProgressStyle};

mod document;
mod rehang;

/// Plays the motion of one file on the skeleton of another.
#[derive(Parser)]
#[command(name = "retarget", version)]
struct Arguments {
    /// The motion: a BVH, glTF or GLB file of a humanoid.
    #[arg(value_name = "IN")]
    input: String,
    /// A file with the skeleton to play it on; its own motion is not used.
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// Where to write the motion on that skeleton; the name says as what: .bvh or .glb.
    #[arg(short, long, value_name = "OUT")]
    output: String,
    /// Which of IN's motions, where it has several; the first one when left out.
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// Bone map of IN, a JSON object {part: joint}; found by itself when left out.
    #[arg(long, value_name = "MAP.json")]
    map_in: Option<String>,
    /// Bone map of TARGET, as above.
    #[arg(long, value_name = "MAP.json")]
    map_out: Option<String>,
    /// A file of IN's skeleton that stands: tells IN's rotations apart from its rest pose, where IN itself can't.
    #[arg(long, value_name = "POSE")]
    pose_in: Option<String>,
    /// The same for TARGET.
    #[arg(long, value_name = "POSE")]
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

/// What can be written.
const FORMATS: [Format; 2] = [Format::Bvh, Format::Gltf];

/// A file with its figure.
struct Figure {
    document: Document,
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
    // Before any work.
    let output = Path::new(&arguments.output);
    let format = file::format_of_output(output, &FORMATS)?;
    let inputs = [&arguments.input, &arguments.to];
    let asides = [
        &arguments.map_in,
        &arguments.map_out,
        &arguments.pose_in,
        &arguments.pose_out,
    ];
    file::keep_inputs(output, inputs.into_iter().chain(asides.into_iter().flatten()))?;
    let source = figure(
        &arguments.input,
        Given {
            map: arguments.map_in.as_deref(),
            map_flag: "--map-in",
            pose: arguments.pose_in.as_deref(),
            animation: arguments.animation.as_deref(),
        },
        verbose,
    )?;
    let target = figure(
        &arguments.to,
        Given {
            map: arguments.map_out.as_deref(),
            map_flag: "--map-out",
            pose: arguments.pose_out.as_deref(),
            animation: None,
        },
        verbose,
    )?;
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
    let motion = source.document.motion(arguments.animation.as_deref());
    let motion = motion.map_err(|error| format!("{}: {error}", arguments.input))?;
    let mut retargeter = Retargeter::new(source.rig, target.rig, options).map_err(|error| {
        let advice = match error {
            RetargetError::NoSize => ", of a file that stands, with --pose-in or --pose-out",
            RetargetError::BadOption { .. } => "; give another on the command line",
            _ => "; name the joints yourself with --map-in or --map-out",
        };
        format!("{} -> {}: {error}{advice}", arguments.input, arguments.to)
    })?;
    for note in source.notes.iter().chain(&target.notes) {
        eprintln!("{note}");
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} frames") {
        bar.set_style(style);
    }
    let mut animation = retargeter.retarget_animation_with(motion, |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    if animation.name.is_empty() {
        let stem = Path::new(&arguments.input).file_stem().unwrap_or_default();
        animation.name = stem.to_string_lossy().into_owned();
    }
    let (errors, keys) = limb_error(&retargeter, motion, &animation);
    let (frames, frame_time) = match &source.document {
        Document::Bvh(file) => (file.frames, file.frame_time),
        Document::Gltf(_) => {
            let steps = keys.saturating_sub(1).max(1) as f64;
            let seconds = f64::from(animation.duration()) / steps;
            // One key lasts as long as any other frame.
            (
                keys,
                if seconds > 0.0 {
                    seconds
                } else {
                    bvh::DEFAULT_FRAME_TIME
                },
            )
        }
    };
    let joints = target.document.skeleton().len();
    target
        .document
        .write(animation, frame_time, &arguments.output, format)?;
    Ok(format!(
        "{} ({}, {} joints) -> {} ({}, {joints} joints): {frames} frames, scale {:.4}, limb directions off by {:.2} degrees on average",
        arguments.input,
        source.convention,
        source.document.skeleton().len(),
        arguments.output,
        target.convention,
        retargeter.scale(),
        errors.to_degrees(),
    ))
}

/// Mean angle between the limb bones of both motions, radians, over the result's keys; and how many these are.
fn limb_error(retargeter: &Retargeter, motion: &Animation, result: &Animation) -> (f32, usize) {
    let (from, to) = (&retargeter.source().skeleton, &retargeter.target().skeleton);
    let mut poses: [Pose; 2] = [from.rest_pose().clone(), to.rest_pose().clone()];
    // What moves has a key at every frame; what doesn't has one.
    let longest = result.channels.iter().max_by_key(|channel| channel.keys());
    let times = longest.map_or(&[][..], |channel| &channel.times()[..]);
    let mut sum = 0.0;
    for &time in times {
        motion.sample(from, time, &mut poses[0]);
        result.sample(to, time, &mut poses[1]);
        sum += retargeter.errors(&poses[0], &poses[1]).limb_mean();
    }
    (sum / times.len().max(1) as f32, times.len())
}

/// What the command line says of a figure.
struct Given<'a> {
    map: Option<&'a str>,
    map_flag: &'static str,
    pose: Option<&'a str>,
    /// Which of its motions is played.
    animation: Option<&'a str>,
}

/// Reads a file and finds its figure; every error says what to do.
fn figure(path: &str, given: Given<'_>, verbose: bool) -> Result<Figure, String> {
    let Given {
        map,
        map_flag,
        pose,
        animation,
    } = given;
    let mut document = Document::read(path)?;
    let warn = |warning: String| format!("warning: {path}: {warning}");
    let mut notes: Vec<String> = document.warnings().into_iter().map(warn).collect();
    let own_map = match map {
        Some(file) => {
            let map = BoneMap::load(Path::new(file));
            Some(map.map_err(|error| format!("{error}: check the file of {map_flag}"))?)
        }
        None => None,
    };
    if let Document::Gltf(file) = &mut document {
        let map = own_map.clone();
        let map = map.unwrap_or_else(|| BoneMap::auto(&file.skeleton).map);
        notes.extend(rehang::feet(file, &map).into_iter().map(warn));
    }
    let motion = document.motion(animation).ok();
    let (mut rig, report) = Rig::auto(document.skeleton().clone(), motion);
    let mut convention = report.convention.unwrap_or("unknown names");
    if let Some(map) = own_map {
        rig.map = map;
        rig.pose = choose_pose(&rig.skeleton, &rig.map, motion);
        convention = "own map";
    } else {
        if matches!(document, Document::Gltf(_)) {
            notes.extend(rehang::hands(&rig.skeleton, &mut rig.map).into_iter().map(warn));
        }
        notes.extend(map_notes(path, &report, &rig.map, verbose));
    }
    if let Some(file) = pose {
        let standing = Document::read(file)?;
        let names = |skeleton: &Skeleton| -> Vec<String> {
            skeleton
                .joints()
                .map(|joint| skeleton.name(joint).to_owned())
                .collect()
        };
        if names(standing.skeleton()) != names(&rig.skeleton) {
            return Err(format!(
                "{file}: its joints are not those of {path}: give a file of the same skeleton"
            ));
        }
        rig.pose = choose_pose(standing.skeleton(), &rig.map, standing.motion(None).ok());
    }
    if let Document::Bvh(file) = &document {
        rig.add_foot_tips(file.tips.iter().map(|tip| (tip.joint, tip.offset)));
    }
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
        document,
        rig,
        convention,
        notes,
    })
}

/// What a person should know of a map that was found. Missing optional parts only when asked for.
fn map_notes(path: &str, report: &MapReport, map: &BoneMap, verbose: bool) -> Vec<String> {
    let told = |warning: &&MapWarning| match warning {
        MapWarning::Skipped { .. } => verbose,
        // A better guess may have been made since.
        MapWarning::Guessed { part, joint } => map.get(*part) == Some(joint),
        _ => true,
    };
    let warnings = report.warnings.iter().filter(told);
    warnings
        .map(|warning| format!("warning: {path}: {warning}"))
        .collect()
}
