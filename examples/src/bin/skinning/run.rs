//! What the program does, from its options to its last line.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use elea_anim::{Animation, bvh, glb};
use glam::UVec2;

use crate::artist::Artist;
use crate::figure::{Figure, bones};
use crate::gpu::{Gpu, GpuError, NoDevice};
use crate::motion::{self, Motion, MotionError};
use crate::options::Options;
use crate::output::{self, OutputError};
use crate::scene::{self, Moment, RATE, Scene};
use crate::{check, clips, export};

/// Frames of a long recorded motion that are played unless told otherwise.
const MAX_FRAMES: usize = 250;

/// Why the program ends early.
#[derive(Debug)]
pub(crate) enum RunError {
    Motion(MotionError),
    Output(OutputError),
    NoDevice(NoDevice),
    Gpu(GpuError),
    #[cfg(feature = "window")]
    Window(crate::window::WindowError),
    /// `--check` found a miss; its lines are out already.
    Check,
}

impl RunError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Output(_) | Self::Gpu(_) | Self::Check => ExitCode::from(1),
            #[cfg(feature = "window")]
            Self::Window(_) => ExitCode::from(1),
            Self::Motion(_) => ExitCode::from(2),
            Self::NoDevice(_) => ExitCode::from(3),
        }
    }
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Motion(error) => write!(f, "{error}"),
            Self::Output(error) => write!(f, "{error}"),
            Self::NoDevice(error) => write!(f, "{error}"),
            Self::Gpu(error) => write!(f, "{error}"),
            #[cfg(feature = "window")]
            Self::Window(error) => write!(f, "{error}"),
            Self::Check => write!(
                f,
                "a stage of the GPU differs from the CPU's by more than its bound; try another driver, and report \
                 the lines above if that changes nothing"
            ),
        }
    }
}

impl std::error::Error for RunError {}

impl From<OutputError> for RunError {
    fn from(error: OutputError) -> Self {
        Self::Output(error)
    }
}

impl From<GpuError> for RunError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(error)
    }
}

pub(crate) fn run(options: &Options) -> Result<(), RunError> {
    // A bad file is told before anything else, then a device that is a must and missing.
    let skeleton = bones::skeleton();
    let motion = options
        .motion
        .as_deref()
        .map(|path| motion::load(path, &skeleton))
        .transpose()
        .map_err(RunError::Motion)?;
    let gpu = match Gpu::new() {
        Ok(gpu) => Some(gpu),
        Err(error) if options.needs_gpu() => {
            return Err(RunError::NoDevice(error));
        }
        Err(error) => {
            eprintln!("drawing on the CPU: {error}");
            None
        }
    };
    let figure = Figure::new(skeleton);
    if let Some(Motion { notes, summary, .. }) = &motion {
        for note in notes {
            eprintln!("note: {note}");
        }
        println!("{summary}");
    }

    let mut scene = Scene::new(&figure, motion.as_ref().map(|motion| &motion.animation));
    #[cfg(feature = "window")]
    let gpu = match gpu {
        Some(gpu) if options.window => {
            return crate::window::show(gpu, &figure.mesh, scene).map_err(RunError::Window);
        }
        gpu => gpu,
    };
    let frames = options.frames.map_or_else(
        || scene.frames().min(MAX_FRAMES),
        |frames| usize::try_from(frames).unwrap_or(usize::MAX),
    );
    let moments = scene.play(frames);
    let mut misses: Vec<f32> = moments.iter().map(|moment| moment.miss * 1e3).collect();
    misses.sort_by(f32::total_cmp);
    println!(
        "{} frames; palm to ball: {:.1} mm (median), {:.1} mm (most)",
        moments.len(),
        misses[misses.len() / 2],
        misses[misses.len() - 1],
    );

    match gpu {
        Some(mut gpu) if options.check || options.bench => {
            measure(options, &mut gpu, &figure, &scene, &moments)
        }
        gpu => draw(options, gpu, &figure, &scene, &moments, motion.as_ref()),
    }
}

/// --check and --bench.
fn measure(
    options: &Options,
    gpu: &mut Gpu,
    figure: &Figure,
    scene: &Scene<'_>,
    moments: &[Moment],
) -> Result<(), RunError> {
    println!("{}", gpu.adapter());
    let frames_of = |size: UVec2, stride: usize| {
        let moments = moments.iter().step_by(stride);
        moments
            .map(|moment| scene.frame(moment, output::MAIN, output::aspect(size)))
            .collect::<Vec<_>>()
    };
    if options.check {
        const CHECKED_FRAMES: usize = 4;
        let size = UVec2::new(480, 300);
        gpu.prepare(&figure.mesh, size.x, size.y)?;
        let frames = frames_of(size, moments.len().div_ceil(CHECKED_FRAMES).max(1));
        let report = check::run(gpu, &figure.mesh, &frames);
        println!("{report}");
        return if report.ok { Ok(()) } else { Err(RunError::Check) };
    }
    const REPEATS: usize = 50;
    // A crowd fills the whole picture, one figure its large view.
    let size = if options.chars > 1 {
        options.size
    } else {
        output::main_size(options.size)
    };
    let frames = frames_of(size, 1);
    let (timing, picture) = gpu.bench(&figure.mesh, &frames, options.chars, size.into(), REPEATS)?;
    println!("{timing}");
    output::write_png(&options.png, &picture)?;
    said(&options.png);
    Ok(())
}

fn draw(
    options: &Options,
    gpu: Option<Gpu>,
    figure: &Figure,
    scene: &Scene<'_>,
    moments: &[Moment],
    motion: Option<&Motion>,
) -> Result<(), RunError> {
    let mut artist = Artist::new(&figure.mesh, gpu);
    let sheet = output::sheet(&mut artist, scene, moments, options.size)?;
    output::write_png(&options.png, &sheet)?;

    let size = output::main_size(options.size);
    let frame = scene.frame(&moments[0], output::MAIN, output::aspect(size));
    let time = artist.time(&frame, size)?;
    println!(
        "{}: {} vertices, {} triangles, {:.1} ms a frame of {} x {}",
        artist.name(),
        figure.mesh.positions.len(),
        figure.mesh.indices.len() / 3,
        time.as_secs_f64() * 1e3,
        size.x,
        size.y
    );
    said(&options.png);

    if let Some(path) = &options.gif {
        let start = Instant::now();
        let half: UVec2 = size / 2;
        output::write_gif(path, &mut artist, scene, moments, half)?;
        println!(
            "wrote {} ({} frames in {:.1} s)",
            path.display(),
            moments.len(),
            start.elapsed().as_secs_f64()
        );
    }
    if let Some(path) = &options.bvh {
        let skeleton = &figure.skeleton;
        let text = match motion {
            Some(motion) => bvh::write(skeleton, &motion.animation, motion.frame_time),
            None => bvh::write(
                skeleton,
                &scene::recording(skeleton, moments),
                1.0 / f64::from(RATE),
            ),
        };
        let text = text.map_err(|error| OutputError::Bvh(path.clone(), error))?;
        output::write_bytes(path, text.as_bytes())?;
        said(path);
    }
    if let Some(path) = &options.glb {
        let skeleton = &figure.skeleton;
        let animations = match motion {
            Some(motion) => vec![Animation {
                name: "motion".to_owned(),
                ..motion.animation.clone()
            }],
            None => vec![
                scene::recording(skeleton, moments),
                clips::walk(skeleton),
                clips::wave(skeleton),
            ],
        };
        let bytes = glb::write(&export::document(figure, animations));
        let bytes = bytes.map_err(|error| OutputError::Glb(path.clone(), error))?;
        output::write_bytes(path, &bytes)?;
        said(path);
    }
    Ok(())
}

fn said(path: &Path) {
    println!("wrote {}", path.display());
}
