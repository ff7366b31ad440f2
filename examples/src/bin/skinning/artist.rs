//! Who draws: the GPU where there is one, else the CPU.

use std::time::{Duration, Instant};

use glam::UVec2;
use image::RgbaImage;

use crate::cpu::Cpu;
use crate::frame::Frame;
use crate::gpu::{Gpu, GpuError};
use crate::mesh::Mesh;

/// Draws frames of one mesh in any size.
#[derive(Debug)]
pub(crate) struct Artist<'a> {
    mesh: &'a Mesh,
    gpu: Option<Gpu>,
    /// What is prepared.
    size: UVec2,
    cpu: Option<Cpu>,
}

impl<'a> Artist<'a> {
    /// On the GPU, or without one on the CPU.
    pub(crate) fn new(mesh: &'a Mesh, gpu: Option<Gpu>) -> Self {
        Self {
            mesh,
            gpu,
            size: UVec2::ZERO,
            cpu: None,
        }
    }

    /// Who it is, for people.
    pub(crate) fn name(&self) -> String {
        self.gpu.as_ref().map_or_else(
            || {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                format!("CPU ({threads} threads)")
            },
            Gpu::adapter,
        )
    }

    /// One picture.
    pub(crate) fn draw(&mut self, frame: &Frame, size: UVec2) -> Result<RgbaImage, GpuError> {
        let resized = size != self.size;
        self.size = size;
        if let Some(gpu) = &mut self.gpu {
            if resized {
                gpu.prepare(self.mesh, size.x, size.y)?;
            }
            return gpu.draw(frame);
        }
        let cpu = match &mut self.cpu {
            Some(cpu) if !resized => cpu,
            other => other.insert(Cpu::new(size.x, size.y)),
        };
        Ok(cpu.draw(self.mesh, frame))
    }

    /// The median time of drawing a frame and having the picture, after one that warms up.
    pub(crate) fn time(&mut self, frame: &Frame, size: UVec2) -> Result<Duration, GpuError> {
        const DRAWS: usize = 3;
        self.draw(frame, size)?;
        let mut times = [Duration::ZERO; DRAWS];
        for time in &mut times {
            let start = Instant::now();
            self.draw(frame, size)?;
            *time = start.elapsed();
        }
        times.sort();
        Ok(times[DRAWS / 2])
    }
}
