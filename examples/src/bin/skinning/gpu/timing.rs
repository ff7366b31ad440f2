//! How long a frame takes.

use std::fmt;
use std::time::{Duration, Instant};

use super::device::Device;
use super::error::GpuError;
use super::passes::{Pass, QUERIES};
use super::pipelines::Pipelines;
use super::scene::Scene;

/// Frames before the first measured one: drivers compile shaders on first use (a second on a CPU adapter).
const WARM_UP: usize = 2;
/// A measurement ends after so long, whatever the number of repeats that were asked for: a crowd on a CPU adapter takes
/// seconds a frame.
const BUDGET: Duration = Duration::from_secs(5);
/// But not before so many repeats.
const LEAST: usize = 5;

/// Medians of many frames.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    /// The least number of repeats that a median was taken of.
    pub(crate) repeats: usize,
    pub(crate) characters: u32,
    /// Skinned vertices of all characters.
    pub(crate) vertices: u64,
    /// From submitting a frame to its end, milliseconds, without uploads and readback.
    pub(crate) frame_ms: f64,
    /// Milliseconds of each pass, in the order of a frame.
    pub(crate) passes_ms: [f64; 4],
    /// Whether `passes_ms` are the GPU's own timestamps. Otherwise each pass was submitted alone and timed by the
    /// clock on the wall: on a CPU adapter timestamps leave out the work that is still under way.
    pub(crate) timestamps: bool,
}

impl Timing {
    /// Vertices a second in the skinning pass alone.
    pub(crate) fn skinned_per_second(&self) -> f64 {
        self.vertices as f64 / (self.passes_ms[Pass::Skinning as usize] * 1e-3)
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            repeats,
            characters,
            vertices,
            frame_ms,
            ..
        } = self;
        let figures = if *characters == 1 { "figure" } else { "figures" };
        writeln!(
            f,
            "{characters} {figures}, {vertices} vertices: {frame_ms:.3} ms a frame, {:.0} frames/s",
            1e3 / frame_ms
        )?;
        let how = if self.timestamps {
            "GPU timestamps"
        } else {
            "wall time of the pass alone"
        };
        write!(f, "medians of {repeats}; by {how}:")?;
        for (pass, ms) in Pass::ALL.iter().zip(self.passes_ms) {
            write!(f, " {} {ms:.3} ms", pass.name())?;
        }
        write!(
            f,
            "; {:.1} M vertices/s skinned",
            self.skinned_per_second() * 1e-6
        )
    }
}

/// The middle of `values`, the lower of two; 0 for none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values
        .get(values.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(0.0)
}

pub(super) fn measure(
    device: &Device,
    pipelines: &Pipelines,
    scene: &Scene,
    repeats: usize,
) -> Result<Timing, GpuError> {
    let run = |passes: &[Pass]| {
        let mut encoder = device.encoder();
        for &pass in passes {
            scene.encode(pass, pipelines, &mut encoder, None, None);
        }
        let start = Instant::now();
        device.finish(encoder)?;
        Ok::<f64, GpuError>(start.elapsed().as_secs_f64() * 1e3)
    };
    let mut least = repeats;
    let mut median_of = |passes: &[Pass]| {
        for _ in 0..WARM_UP {
            run(passes)?;
        }
        let mut times = Vec::with_capacity(repeats);
        let start = Instant::now();
        while times.len() < repeats && (times.len() < LEAST || start.elapsed() < BUDGET) {
            times.push(run(passes)?);
        }
        least = least.min(times.len());
        Ok::<f64, GpuError>(median(&mut times))
    };
    let frame_ms = median_of(&Pass::ALL)?;
    let mut passes_ms = [0.0; 4];
    if let Some(period) = device.timestamp_period {
        passes_ms = measure_by_timestamps(device, pipelines, scene, repeats, f64::from(period))?;
    } else {
        for pass in Pass::ALL {
            passes_ms[pass as usize] = median_of(&[pass])?;
        }
    }
    Ok(Timing {
        repeats: least,
        characters: scene.characters(),
        vertices: scene.vertices(),
        frame_ms,
        passes_ms,
        timestamps: device.timestamp_period.is_some(),
    })
}

/// `period`: nanoseconds a step.
fn measure_by_timestamps(
    device: &Device,
    pipelines: &Pipelines,
    scene: &Scene,
    repeats: usize,
    period: f64,
) -> Result<[f64; 4], GpuError> {
    let queries = device.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: Some("timestamps"),
        ty: wgpu::QueryType::Timestamp,
        count: QUERIES,
    });
    let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
    let resolved = device.buffer("timestamps", u64::from(QUERIES) * 8, usage)?;
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..repeats {
        let mut encoder = device.encoder();
        for pass in Pass::ALL {
            scene.encode(pass, pipelines, &mut encoder, Some(&queries), None);
        }
        encoder.resolve_query_set(&queries, 0..QUERIES, &resolved, 0);
        device.finish(encoder)?;
        let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(&device.read_buffer(&resolved)?);
        for (pass, stamp) in times.iter_mut().zip(stamps.chunks_exact(2)) {
            pass.push(stamp[1].saturating_sub(stamp[0]) as f64 * period * 1e-6);
        }
    }
    Ok(times.map(|mut pass| median(&mut pass)))
}
