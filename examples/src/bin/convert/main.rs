//! Turns a motion or model file into one of another format: `convert IN OUT`.
//!
//! `convert walk.bvh walk.glb`, `convert figure.md5mesh figure.glb --motion wave.md5anim`
//!
//! Standard output says what was kept and what was lost. Exit status: 0 when OUT was written, 2 when not; then one line
//! on standard error says with which file, which line or part, and what to do.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use clap::Parser;
use elea_examples::file::{self, Format};
use indicatif::{ProgressBar, ProgressStyle};

mod change;
mod document;
mod input;
mod output;
mod summary;

use document::{Document, Up};

/// Turns a motion or model file into one of another format.
#[derive(Debug, Parser)]
#[command(name = "convert", version)]
struct Arguments {
    /// A BVH, glTF, GLB, md5mesh or md5anim file; what it is shows in its first bytes.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Where to write; the ending says as what: .bvh, .glb, .md5mesh or .md5anim.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// A file whose motion is put on IN's joints of the same names, lengths of bones included.
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// Name or number (from 0) of the animation to write, where OUT holds one only; the first when left out.
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// Frames a second, where OUT has frames; IN's own when left out.
    #[arg(long, value_name = "RATE")]
    fps: Option<f64>,
    /// Multiplies every length: 0.01 makes metres of centimetres.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    scale: f32,
    /// Do not turn figures between MD5 (z is up, x is forward) and the other formats (y is up, z is forward).
    #[arg(long)]
    keep_axes: bool,
}

/// What can be written.
const FORMATS: [Format; 4] = [Format::Bvh, Format::Gltf, Format::Md5Mesh, Format::Md5Anim];

/// OUT was not written, or the command line is wrong.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            // What clap says before it explains the usage, in one line.
            let text = error.to_string();
            let lines = text
                .lines()
                .map(str::trim)
                .take_while(|line| !line.starts_with("Usage"));
            let line = lines
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join(" ");
            eprintln!("convert: {}; see --help", line.trim_start_matches("error: "));
            return ExitCode::from(FAILED);
        }
        Err(error) => error.exit(),
    };
    // Hidden where standard error is no terminal.
    let bar = ProgressBar::new(4);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
        bar.set_style(style);
    }
    let result = run(&arguments, &bar);
    bar.finish_and_clear();
    match result {
        Ok((warnings, summary)) => {
            for warning in warnings {
                eprintln!("warning: {warning}");
            }
            // A reader that has seen enough (`| head`) is no failure.
            let _ = writeln!(std::io::stdout().lock(), "{}", summary.trim_end());
            ExitCode::SUCCESS
        }
        Err(message) => {
            // A message may quote the file; it stays one line.
            eprintln!("convert: {}", message.replace(char::is_control, " "));
            ExitCode::from(FAILED)
        }
    }
}

/// Warnings, and the summary.
fn run(arguments: &Arguments, bar: &ProgressBar) -> Result<(Vec<String>, String), String> {
    let out = arguments.output.display();
    let format = file::format_of_output(&arguments.output, &FORMATS)?;
    if !(arguments.scale.is_finite() && arguments.scale > 0.0) {
        return Err(format!("--scale {}: give a factor above zero", arguments.scale));
    }
    if let Some(fps) = arguments.fps
        && !(fps.is_finite() && fps > 0.0)
    {
        return Err(format!(
            "--fps {fps}: give a number of frames a second above zero"
        ));
    }
    let inputs = std::iter::once(&arguments.input).chain(&arguments.motion);
    file::keep_inputs(&arguments.output, inputs)?;
    step(bar, format!("reading {}", arguments.input.display()));
    let mut document = input::read(&arguments.input)?;
    if let Some(path) = &arguments.motion {
        step(bar, format!("reading {}", path.display()));
        let mut motion = input::read(path)?;
        if motion.up != document.up && !arguments.keep_axes {
            change::turn(&mut motion).map_err(|error| {
                format!(
                    "{}: {error}; correct it there, or try --keep-axes",
                    path.display()
                )
            })?;
        }
        document.add_motion(motion, path)?;
    } else {
        bar.inc(1);
    }
    step(bar, "converting".to_owned());
    let input = arguments.input.display();
    let bytes = convert(&mut document, arguments, format).map_err(|error| format!("{input}: {error}"))?;
    step(bar, format!("writing {out}"));
    std::fs::write(&arguments.output, bytes)
        .map_err(|error| format!("{out}: cannot be written: {error}; choose another place"))?;
    let summary = summary::text(&document, format, &input.to_string(), &out.to_string());
    Ok((document.warnings, summary))
}

fn convert(document: &mut Document, arguments: &Arguments, format: Format) -> Result<Vec<u8>, String> {
    if document.up != Up::of(format) && !arguments.keep_axes {
        change::turn(document).map_err(|error| format!("{error}; correct it in IN, or try --keep-axes"))?;
    }
    if arguments.scale != 1.0 {
        change::scale(document, arguments.scale)
            .map_err(|error| format!("{error}; give a --scale nearer to 1"))?;
    }
    if let Some(wanted) = &arguments.animation {
        document.choose(wanted)?;
    }
    match format {
        Format::Bvh => output::bvh(document, arguments.fps),
        Format::Md5Anim => output::md5anim(document, arguments.fps),
        Format::Md5Mesh => output::md5mesh(document),
        Format::Gltf => output::glb(document),
    }
}

fn step(bar: &ProgressBar, message: String) {
    bar.set_message(message);
    bar.inc(1);
}
