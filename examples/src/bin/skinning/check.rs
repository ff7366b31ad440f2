//! `--check`: every stage of the GPU against the CPU's, frame by frame.

use std::fmt;

use elea_anim::glam::{DVec3, Vec3, Vec4};
use elea_anim::{Influences, JointId, SkinBinding, SkinError, SkinInput, SkinOutput};
use gbuffer_codec::{pack, warped};

use crate::cpu::Cpu;
use crate::frame::Frame;
use crate::gpu::{Gpu, GpuError, Stages};
use crate::mesh::Mesh;

/// Per palette element, relative to elements above 1 (metres, in the translations): 8 roundings of f32.
const PALETTE_BOUND: f64 = 1e-6;
/// Metres; relative to coordinates above one metre.
const POSITION_BOUND: f64 = 1e-6;
/// Degrees.
const NORMAL_BOUND: f64 = 0.01;
/// Normals whose code may be unlike the CPU's, of all, and how far apart in degrees the two codes' errors may then be:
/// the encoder has to choose the nearer of two codes, and where both are as near it goes by the last bit.
#[derive(Debug, Clone, Copy)]
struct TieBounds {
    share: f64,
    degrees: f64,
}

/// An adapter that computes as IEEE 754 says.
const CPU_TIES: TieBounds = TieBounds {
    share: 1e-4,
    degrees: 1e-8,
};
/// One that fuses multiplications and additions, or divides by an approximate reciprocal: the decision moves by a
/// rounding error of f32, 2^-22 radians, in a lattice whose cells are 7e-5 wide.
const GPU_TIES: TieBounds = TieBounds {
    share: 0.02,
    degrees: 1.37e-5,
};
/// Degrees between a normal and its decoded code: the codec's documented maximum at 2x16 bits.
const CODE_ERROR_BOUND: f64 = 0.00201;
/// Levels of 255 a pixel's channel may differ without being counted.
const PICTURE_LEVELS: u8 = 2;
/// Pixels that may differ by more, of all: silhouettes, where one of a pixel's four samples hits the edge of a
/// triangle that the two rasterisers place differently in the last bit.
const PICTURE_SHARE_BOUND: f64 = 2e-3;
/// The mean difference in levels over all channels: the GPU's G-buffer holds the albedo in 8 bits, half a level off at
/// most, the CPU's in floats.
const PICTURE_MEAN_BOUND: f64 = 0.25;
/// Samples of the G-buffer that have to be drawn: a check of an empty picture would show nothing.
const DRAWN_SHARE: f64 = 0.01;

/// The picture's size where the caller prepared none.
const DEFAULT_SIZE: [u32; 2] = [480, 360];

/// What the check found.
#[derive(Debug, Clone)]
pub(crate) struct CheckReport {
    /// One line a stage, each with its figure and its bound; then what failed otherwise.
    pub(crate) lines: Vec<String>,
    /// Whether everything kept its bound.
    pub(crate) ok: bool,
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        f.write_str(if self.ok { "check passed" } else { "check FAILED" })
    }
}

/// Compares every stage of `frames` on the GPU with the CPU's, at the size that `gpu` was prepared for (else at
/// 480 x 360). Leaves `gpu` prepared for `mesh` at that size. Errors of the GPU, wgpu's validation included, are
/// failures in the report.
pub(crate) fn run(gpu: &mut Gpu, mesh: &Mesh, frames: &[Frame]) -> CheckReport {
    let mut worst = Worst::default();
    let ties = if gpu.is_cpu() { CPU_TIES } else { GPU_TIES };
    let error = compare(gpu, mesh, frames, &mut worst).err();
    let mut report = worst.report(frames.len(), ties);
    if let Some(error) = error {
        report.lines.push(format!("MISS  {error}"));
        report.ok = false;
    }
    report
}

fn compare(gpu: &mut Gpu, mesh: &Mesh, frames: &[Frame], worst: &mut Worst) -> Result<(), GpuError> {
    let [width, height] = gpu.size().unwrap_or(DEFAULT_SIZE);
    gpu.prepare(mesh, width, height)?;
    let mut reference = Reference::new(mesh)?;
    let mut cpu = Cpu::new(width, height);
    for frame in frames {
        let stages = gpu.stages(frame)?;
        reference.skin(mesh, frame);
        worst.skinning(&reference, &stages);
        worst.codes(&stages);
        worst.picture(stages.picture.as_raw(), cpu.draw(mesh, frame).as_raw());
    }
    Ok(())
}

/// The worst of each stage over all frames.
#[derive(Debug, Default)]
struct Worst {
    palette: f64,
    position: f64,
    normal: f64,
    /// Of the G-buffer.
    samples: u64,
    drawn: u64,
    /// Samples with a normal but no depth, or the other way round.
    torn: u64,
    /// Codes unlike the CPU's.
    unlike: u64,
    /// The largest difference of the two errors among them, degrees.
    tie: f64,
    code_error: f64,
    channels: u64,
    pixels_off: u64,
    level_sum: u64,
    largest_level: u8,
}

/// The larger one; NaN counts as larger than everything, where `f64::max` would drop it.
fn raise(worst: &mut f64, value: f64) {
    if value.is_nan() || value > *worst {
        *worst = if value.is_nan() { f64::INFINITY } else { value };
    }
}

impl Worst {
    fn skinning(&mut self, cpu: &Reference, gpu: &Stages) {
        assert_eq!(cpu.palette.len(), gpu.palette.len(), "one matrix a slot");
        assert_eq!(cpu.positions.len(), gpu.vertices.len(), "one vertex a vertex");
        for (cpu, gpu) in cpu.palette.iter().flatten().zip(gpu.palette.iter().flatten()) {
            for (cpu, gpu) in cpu.to_array().into_iter().zip(gpu.to_array()) {
                raise(&mut self.palette, relative(cpu, gpu));
            }
        }
        for ((cpu_position, cpu_normal), gpu) in cpu.positions.iter().zip(&cpu.normals).zip(&gpu.vertices) {
            for (cpu, gpu) in cpu_position.to_array().into_iter().zip(gpu.position.to_array()) {
                raise(&mut self.position, relative(cpu, gpu));
            }
            raise(
                &mut self.normal,
                degrees(cpu_normal.as_dvec3(), gpu.normal.as_dvec3()),
            );
        }
    }

    /// The G-buffer's codes: the CPU encodes the very normals that the fragment shader encoded.
    fn codes(&mut self, stages: &Stages) {
        let texels = stages.codes.iter().zip(&stages.normals).zip(&stages.depths);
        for ((&word, &[x, y, z, drawn]), &depth) in texels {
            self.samples += 1;
            self.torn += u64::from((drawn == 0.0) != (depth == 1.0));
            if drawn == 0.0 {
                continue;
            }
            self.drawn += 1;
            let normal = DVec3::new(x.into(), y.into(), z.into());
            let gpu = pack::from_snorm16x2(word);
            let cpu = warped::encode::<16>([x, y, z]);
            let gpu_error = degrees(normal, decoded(gpu));
            raise(&mut self.code_error, gpu_error);
            if gpu != cpu {
                self.unlike += 1;
                raise(&mut self.tie, (gpu_error - degrees(normal, decoded(cpu))).abs());
            }
        }
    }

    fn picture(&mut self, gpu: &[u8], cpu: &[u8]) {
        assert_eq!(gpu.len(), cpu.len(), "two pictures of one size");
        for (gpu, cpu) in gpu.as_chunks::<4>().0.iter().zip(cpu.as_chunks::<4>().0) {
            let mut largest = 0;
            for (&gpu, &cpu) in gpu.iter().zip(cpu) {
                let level = gpu.abs_diff(cpu);
                largest = largest.max(level);
                self.level_sum += u64::from(level);
                self.channels += 1;
            }
            self.pixels_off += u64::from(largest > PICTURE_LEVELS);
            self.largest_level = self.largest_level.max(largest);
        }
    }

    fn report(&self, frames: usize, bounds: TieBounds) -> CheckReport {
        let mut report = CheckReport {
            lines: Vec::new(),
            ok: true,
        };
        let mut line = |ok: bool, text: String| {
            report
                .lines
                .push(format!("{}  {text}", if ok { "ok  " } else { "MISS" }));
            report.ok &= ok;
        };
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let ties = share(self.unlike, self.drawn);
        let off = share(self.pixels_off, self.channels / 4);
        let mean = share(self.level_sum, self.channels);
        let drawn = share(self.drawn, self.samples);
        line(
            self.palette <= PALETTE_BOUND,
            format!(
                "palette: off by {:.1e} at most (bound {PALETTE_BOUND:.0e})",
                self.palette
            ),
        );
        line(
            self.position <= POSITION_BOUND,
            format!(
                "positions: off by {:.1e} m at most (bound {POSITION_BOUND:.0e})",
                self.position
            ),
        );
        line(
            self.normal <= NORMAL_BOUND,
            format!(
                "normals: off by {:.1e} degrees at most (bound {NORMAL_BOUND})",
                self.normal
            ),
        );
        line(
            ties <= bounds.share && self.tie <= bounds.degrees,
            format!(
                "codes: {} of {} unlike the CPU's, nearer or farther by {:.1e} degrees at most (bounds {:.0e} of \
                 them, {:.1e} degrees)",
                self.unlike, self.drawn, self.tie, bounds.share, bounds.degrees
            ),
        );
        line(
            self.code_error <= CODE_ERROR_BOUND,
            format!(
                "code error: {:.6} degrees at most (bound {CODE_ERROR_BOUND})",
                self.code_error
            ),
        );
        line(
            off <= PICTURE_SHARE_BOUND && mean <= PICTURE_MEAN_BOUND,
            format!(
                "picture: {:.4} % of the pixels off by more than {PICTURE_LEVELS} levels (bound {} %), {mean:.4} \
                 levels in the mean (bound {PICTURE_MEAN_BOUND}), {} at most",
                100.0 * off,
                100.0 * PICTURE_SHARE_BOUND,
                self.largest_level
            ),
        );
        line(
            frames > 0 && drawn >= DRAWN_SHARE && self.torn == 0,
            format!(
                "compared: {frames} frames, {:.1} % of their samples drawn, {} of them in part",
                100.0 * drawn,
                self.torn
            ),
        );
        report
    }
}

/// The CPU's side of palette and skinning, with its buffers.
#[derive(Debug)]
struct Reference {
    binding: SkinBinding,
    influences: Influences,
    palette: Vec<[Vec4; 3]>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Reference {
    fn new(mesh: &Mesh) -> Result<Self, GpuError> {
        let fault = |error: SkinError| GpuError::Mesh(error.to_string());
        let slots = mesh.inverse_bind.len();
        let last = u16::try_from(slots).map_err(|_| GpuError::Mesh(format!("{slots} palette slots")))?;
        // A slot's matrix is its own joint's: a frame lists them in the palette's order.
        let joints = (0..last).map(JointId).collect();
        let (influences, _) =
            Influences::new(4, slots, mesh.joints.concat(), mesh.weights.concat()).map_err(fault)?;
        Ok(Self {
            binding: SkinBinding::new(joints, mesh.inverse_bind.clone()).map_err(fault)?,
            influences,
            palette: vec![[Vec4::ZERO; 3]; slots],
            positions: vec![Vec3::ZERO; mesh.positions.len()],
            normals: vec![Vec3::ZERO; mesh.normals.len()],
        })
    }

    fn skin(&mut self, mesh: &Mesh, frame: &Frame) {
        elea_anim::palette(&frame.model, &self.binding, &mut self.palette);
        let input = SkinInput {
            positions: &mesh.positions,
            normals: &mesh.normals,
            tangents: &[],
            influences: &self.influences,
        };
        let output = SkinOutput {
            positions: &mut self.positions,
            normals: &mut self.normals,
            tangents: &mut [],
        };
        elea_anim::skin(&self.palette, input, output);
    }
}

/// |a - b|, relative to values above 1.
fn relative(a: f32, b: f32) -> f64 {
    let (a, b) = (f64::from(a), f64::from(b));
    (a - b).abs() / a.abs().max(1.0)
}

/// The angle between two vectors of any length, without the cosine's loss of digits at small angles; NaN where one is
/// zero.
fn degrees(a: DVec3, b: DVec3) -> f64 {
    if a == DVec3::ZERO || b == DVec3::ZERO {
        return f64::NAN;
    }
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// A warped code of 2x16 bits in f64, from the codec's documented formula: the codec's own f32 rounds to 4e-6 degrees,
/// too coarse to judge a tie.
fn decoded(code: [i16; 2]) -> DVec3 {
    let half = f64::from(i16::MAX);
    let [u, v] = code.map(|component| f64::from(component) / half);
    let k = 1.0 - u.abs() - v.abs();
    let fold = (-k).max(0.0);
    let warp = |t: f64| t * (1.0 - 0.8 * t + 0.486 * t * t);
    DVec3::new(
        warp(u.abs() - fold).copysign(u),
        warp(v.abs() - fold).copysign(v),
        warp(k.abs()).copysign(k),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_compared_is_no_pass() {
        assert!(!Worst::default().report(0, CPU_TIES).ok, "no frames");
        assert!(!Worst::default().report(3, CPU_TIES).ok, "three empty pictures");
    }

    #[test]
    fn a_nan_is_a_miss() {
        let mut worst = Worst {
            samples: 100,
            drawn: 50,
            channels: 400,
            ..Worst::default()
        };
        assert!(worst.report(1, CPU_TIES).ok, "all zeros are a pass");
        raise(&mut worst.position, relative(1.0, f32::NAN));
        raise(&mut worst.position, relative(1.0, 1.0));
        assert!(!worst.report(1, CPU_TIES).ok, "f64::max would have dropped it");
        assert!(
            degrees(DVec3::ZERO, DVec3::X).is_nan(),
            "a zero normal has no angle"
        );
    }

    #[test]
    fn angles_are_right_where_the_cosine_has_no_digits() {
        let near = DVec3::new(1.0, 1e-9, 0.0);
        assert!(
            (degrees(DVec3::X * 3.0, near) / 1e-9_f64.to_degrees() - 1.0).abs() < 1e-12,
            "1e-9 radians"
        );
        assert_eq!(degrees(DVec3::X, -DVec3::X), 180.0, "opposite");
    }

    /// The codec's own decoder in f32 is the other source.
    #[test]
    fn the_decoder_in_f64_is_the_codecs() {
        for u in (-32767..=32767_i16).step_by(1311) {
            for v in (-32767..=32767_i16).step_by(1311) {
                let codec = Vec3::from(warped::decode::<16>([u, v])).as_dvec3();
                let error = degrees(codec, decoded([u, v]));
                // Components rounded to 6e-8.
                assert!(error < 2e-5, "{u} {v}: {error} degrees");
            }
        }
    }
}
