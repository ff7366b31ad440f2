//! The picture without a GPU: skinning, a z-buffer rasteriser into a G-buffer, and the lighting pass.

use elea_anim::{Influences, JointId, SkinBinding, SkinInput, SkinOutput, palette, skin};
use gbuffer_codec::{pack, warped};
use glam::{Mat4, UVec2, Vec2, Vec3, Vec4};
use image::RgbaImage;

use crate::frame::Frame;
use crate::lighting;
use crate::mesh::Mesh;

/// Samples along each side of a pixel.
const SAMPLES: u32 = 2;
/// Sub-pixel positions along each axis: edges are exact integers, so neighbours never both draw or
/// both leave out a sample.
const SUBPIXELS: f32 = 256.0;

/// Bits a component of the normals' codes.
const NORMAL_BITS: u32 = 16;

/// What the geometry pass leaves for the lighting pass, one element a sample.
#[derive(Debug, Clone)]
struct GBuffer {
    /// Linear RGB, 0 to 1.
    albedo: Vec<[f32; 3]>,
    /// Warped 2x16 bits.
    normal: Vec<u32>,
    /// 0 near, 1 where nothing is.
    depth: Vec<f32>,
}

/// Draws frames of one mesh; keeps its buffers from picture to picture.
#[derive(Debug)]
pub(crate) struct Cpu {
    size: UVec2,
    /// The band of rows of each thread.
    bands: Vec<GBuffer>,
    rows_per_band: u32,
    corners: Vec<Corner>,
}

/// A skinned vertex.
#[derive(Debug, Clone, Copy)]
struct Corner {
    clip: Vec4,
    normal: Vec3,
    albedo: Vec3,
}

impl Corner {
    fn lerp(self, other: Self, t: f32) -> Self {
        Self {
            clip: self.clip.lerp(other.clip, t),
            normal: self.normal.lerp(other.normal, t),
            albedo: self.albedo.lerp(other.albedo, t),
        }
    }
}

impl Cpu {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = u32::try_from(threads).unwrap_or(1).min(height.max(1));
        let rows_per_band = height.div_ceil(threads) * SAMPLES;
        let samples = (width * SAMPLES * rows_per_band) as usize;
        let band = GBuffer {
            albedo: vec![[0.0; 3]; samples],
            normal: vec![0; samples],
            depth: vec![1.0; samples],
        };
        Self {
            size: UVec2::new(width, height),
            bands: vec![band; threads as usize],
            rows_per_band,
            corners: Vec::new(),
        }
    }

    pub(crate) fn draw(&mut self, mesh: &Mesh, frame: &Frame) -> RgbaImage {
        skinned(mesh, frame, &mut self.corners);
        let (size, rows, corners) = (self.size, self.rows_per_band, &self.corners);
        let mut pixels = vec![0_u8; (size.x * size.y * 4) as usize];
        let band_bytes = (size.x * 4 * rows / SAMPLES) as usize;
        std::thread::scope(|scope| {
            for (index, (band, out)) in
                (0_u32..).zip(self.bands.iter_mut().zip(pixels.chunks_mut(band_bytes)))
            {
                scope.spawn(move || {
                    let mut target = Target {
                        size: size * SAMPLES,
                        first_row: index * rows,
                        rows,
                        buffer: band,
                    };
                    target.draw(&mesh.indices, corners);
                    target.light(frame, out);
                });
            }
        });
        RgbaImage::from_raw(size.x, size.y, pixels).expect("four bytes a pixel")
    }
}

/// Skins the mesh with elea-anim and projects it.
fn skinned(mesh: &Mesh, frame: &Frame, corners: &mut Vec<Corner>) {
    let slots = mesh.inverse_bind.len();
    let binding = SkinBinding::new(
        (0..slots).map(JointId::from_index).collect(),
        mesh.inverse_bind.clone(),
    )
    .expect("finite bind matrices");
    let (influences, _) = Influences::new(
        4,
        slots,
        mesh.joints.as_flattened().to_vec(),
        mesh.weights.as_flattened().to_vec(),
    )
    .expect("weights of the figure");
    let mut rows = vec![[Vec4::ZERO; 3]; slots];
    palette(&frame.model, &binding, &mut rows);
    let mut positions = mesh.positions.clone();
    let mut normals = mesh.normals.clone();
    skin(
        &rows,
        SkinInput {
            positions: &mesh.positions,
            normals: &mesh.normals,
            tangents: &[],
            influences: &influences,
        },
        SkinOutput {
            positions: &mut positions,
            normals: &mut normals,
            tangents: &mut [],
        },
    );
    corners.clear();
    corners.extend((0..positions.len()).map(|k| Corner {
        clip: frame.view_projection * positions[k].extend(1.0),
        normal: normals[k],
        albedo: mesh.albedo[k].into(),
    }));
}

/// A band of rows of the picture, in samples.
struct Target<'a> {
    /// Of the whole picture.
    size: UVec2,
    first_row: u32,
    rows: u32,
    buffer: &'a mut GBuffer,
}

impl Target<'_> {
    fn draw(&mut self, indices: &[u32], corners: &[Corner]) {
        self.buffer.depth.fill(1.0);
        for triangle in indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| corners[index as usize]);
            // Behind the near plane (z < 0) there is no picture: cut there.
            let behind = [a, b, c].map(|corner| corner.clip.z < 0.0);
            match behind {
                [false, false, false] => self.triangle([a, b, c]),
                [true, true, true] => {}
                _ => self.clipped([a, b, c]),
            }
        }
    }

    fn clipped(&mut self, triangle: [Corner; 3]) {
        let mut polygon = Vec::with_capacity(4);
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            let (z0, z1) = (from.clip.z, to.clip.z);
            if z0 >= 0.0 {
                polygon.push(from);
            }
            if (z0 >= 0.0) != (z1 >= 0.0) {
                polygon.push(from.lerp(to, z0 / (z0 - z1)));
            }
        }
        for k in 1..polygon.len().saturating_sub(1) {
            self.triangle([polygon[0], polygon[k], polygon[k + 1]]);
        }
    }

    fn triangle(&mut self, corners: [Corner; 3]) {
        let size = self.size.as_vec2();
        // Sample coordinates, y down.
        let at = corners.map(|c| {
            let ndc = Vec2::new(c.clip.x, c.clip.y) / c.clip.w;
            Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y) * size
        });
        // A triangle that reaches far outside would overflow the integers; the ground's tiles are
        // small and those beside the camera are not in the picture.
        if !at.iter().all(|p| p.abs().max_element() < 30_000.0) {
            return;
        }
        let fixed = at.map(|p| {
            let p = (p * SUBPIXELS).round();
            [snapped(p.x), snapped(p.y)]
        });
        // Twice the signed area; with y down, front faces are clockwise in numbers: negative.
        let area = edge(fixed[0], fixed[1], fixed[2]);
        if area >= 0 {
            return;
        }
        let low = at[0].min(at[1]).min(at[2]);
        let high = at[0].max(at[1]).max(at[2]);
        let range = |low: f32, high: f32, first: u32, end: u32| {
            let first_sample = (low - 0.5).ceil().max(first as f32);
            let last_sample = (high - 0.5).floor().min(end as f32 - 1.0);
            (first_sample <= last_sample).then(|| index(first_sample)..=index(last_sample))
        };
        let end_row = (self.first_row + self.rows).min(self.size.y);
        let (Some(columns), Some(rows)) = (
            range(low.x - 0.01, high.x + 0.01, 0, self.size.x),
            range(low.y - 0.01, high.y + 0.01, self.first_row, end_row),
        ) else {
            return;
        };

        let inverse_w = corners.map(|c| 1.0 / c.clip.w);
        let depth = corners.map(|c| c.clip.z / c.clip.w);
        let bias = [1, 2, 0].map(|k| top_left(fixed[k], fixed[(k + 1) % 3]));
        for y in rows {
            for x in columns.clone() {
                let p = [x, y].map(|v| i64::from(v) * 256 + 128);
                // Each corner's share is the area opposite to it.
                let areas = [1, 2, 0].map(|k| -edge(fixed[k], fixed[(k + 1) % 3], p));
                if (0..3).any(|k| areas[k] < bias[k]) {
                    continue;
                }
                #[expect(clippy::cast_precision_loss, reason = "a share of the picture")]
                let share = areas.map(|a| a as f32 / -area as f32);
                let z = share[0] * depth[0] + share[1] * depth[1] + share[2] * depth[2];
                let sample = ((y - self.first_row) * self.size.x + x) as usize;
                if z >= self.buffer.depth[sample] || z < 0.0 {
                    continue;
                }
                let scaled = [0, 1, 2].map(|k| share[k] * inverse_w[k]);
                let sum = scaled[0] + scaled[1] + scaled[2];
                let blend = |f: fn(&Corner) -> Vec3| {
                    (f(&corners[0]) * scaled[0] + f(&corners[1]) * scaled[1] + f(&corners[2]) * scaled[2])
                        / sum
                };
                self.buffer.depth[sample] = z;
                self.buffer.albedo[sample] = blend(|c| c.albedo).to_array();
                let code = warped::encode::<NORMAL_BITS>(blend(|c| c.normal));
                self.buffer.normal[sample] = pack::to_snorm16x2(code);
            }
        }
    }

    /// Lights every sample and writes the band's pixels, four bytes each.
    fn light(&self, frame: &Frame, out: &mut [u8]) {
        let model_from_clip: Mat4 = frame.view_projection.inverse();
        let size = self.size.as_vec2();
        let width = self.size.x / SAMPLES;
        for (pixel, bytes) in (0_u32..).zip(out.as_chunks_mut::<4>().0) {
            let (column, row) = (pixel % width, pixel / width);
            let samples = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| {
                let (x, y) = (column * SAMPLES + dx, row * SAMPLES + dy);
                let index = (y * self.size.x + x) as usize;
                let at = (Vec2::new(x as f32, (y + self.first_row) as f32) + 0.5) / size;
                let depth = self.buffer.depth[index];
                let ndc = Vec3::new(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, depth);
                let place = (depth < 1.0).then(|| model_from_clip.project_point3(ndc));
                (index, at, place)
            });
            // The shadow is soft: where the whole pixel is ground, once for its middle will do.
            let middle = samples.iter().filter_map(|(.., place)| *place).sum::<Vec3>() * 0.25;
            let is_ground = |place: Option<Vec3>| place.is_some_and(|p| lighting::groundness(p) >= 1.0);
            let shared = samples
                .iter()
                .all(|(.., place)| is_ground(*place))
                .then(|| lighting::reaching(frame, middle));
            let mut sum = Vec3::ZERO;
            for (index, at, place) in samples {
                sum += place.map_or_else(
                    || lighting::background(at),
                    |position| {
                        let code = pack::from_snorm16x2(self.buffer.normal[index]);
                        let normal = Vec3::from(warped::decode::<NORMAL_BITS>(code));
                        let albedo = self.buffer.albedo[index].into();
                        let reaching = shared.unwrap_or_else(|| lighting::reaching(frame, position));
                        lighting::shade(frame, at, position, normal, albedo, reaching)
                    },
                );
            }
            let mean = sum * 0.25;
            *bytes = [
                lighting::srgb8(mean.x),
                lighting::srgb8(mean.y),
                lighting::srgb8(mean.z),
                255,
            ];
        }
    }
}

/// Twice the signed area of a, b, p.
fn edge(a: [i64; 2], b: [i64; 2], p: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

/// The least area with which a sample on the edge from a to b is drawn: 0 on top and left edges,
/// else 1. Front faces run counter-clockwise on the screen, which is y down here.
fn top_left(a: [i64; 2], b: [i64; 2]) -> i64 {
    let top = a[1] == b[1] && b[0] < a[0];
    let left = b[1] > a[1];
    i64::from(!(top || left))
}

#[expect(clippy::cast_possible_truncation, reason = "below 2^23 by the caller's check")]
fn snapped(v: f32) -> i64 {
    v as i64
}

#[expect(clippy::cast_possible_truncation, reason = "inside the picture")]
#[expect(clippy::cast_sign_loss, reason = "not negative: inside the picture")]
fn index(v: f32) -> u32 {
    v as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws triangles given in samples (z 0.5) and counts how often each sample is hit, by depths
    /// that fall from triangle to triangle.
    fn coverage(size: u32, triangles: &[[[f32; 2]; 3]]) -> Vec<u32> {
        let mut counts = vec![0; (size * size) as usize];
        for triangle in triangles {
            let mut buffer = GBuffer {
                albedo: vec![[0.0; 3]; counts.len()],
                normal: vec![0; counts.len()],
                depth: vec![1.0; counts.len()],
            };
            let mut target = Target {
                size: UVec2::splat(size),
                first_row: 0,
                rows: size,
                buffer: &mut buffer,
            };
            target.triangle(triangle.map(|[x, y]| Corner {
                clip: Vec4::new(x / size as f32 * 2.0 - 1.0, 1.0 - y / size as f32 * 2.0, 0.5, 1.0),
                normal: Vec3::Z,
                albedo: Vec3::ONE,
            }));
            for (count, depth) in counts.iter_mut().zip(&buffer.depth) {
                *count += u32::from(*depth < 1.0);
            }
        }
        counts
    }

    #[test]
    fn neighbours_share_no_sample_and_leave_none_out() {
        // A fan round an inner point, its rim exactly on sample centres, turned through many angles.
        for step in 0..64 {
            let turn = step as f32 * 0.1;
            let at = |k: usize| {
                let angle = turn - k as f32 * std::f32::consts::TAU / 7.0;
                [16.5 + 12.0 * angle.cos(), 16.5 + 12.0 * angle.sin()]
            };
            let fan: Vec<_> = (0..7).map(|k| [[16.5, 16.5], at(k), at(k + 1)]).collect();
            let counts = coverage(33, &fan);
            assert!(counts.iter().all(|&count| count <= 1), "drawn twice, turn {turn}");
            // Everything well inside the rim is drawn.
            for y in 0..33_u32 {
                for x in 0..33_u32 {
                    let away = (x as f32 - 16.0).hypot(y as f32 - 16.0);
                    if away < 10.0 {
                        assert_eq!(counts[(y * 33 + x) as usize], 1, "hole at {x}, {y}, turn {turn}");
                    }
                }
            }
        }
        // Two halves of a square whose corners are sample centres: top and left edges belong to it.
        let [a, b, c, d] = [[4.5, 4.5], [4.5, 12.5], [12.5, 12.5], [12.5, 4.5]];
        let counts = coverage(33, &[[a, b, c], [a, c, d]]);
        assert_eq!(counts.iter().sum::<u32>(), 64, "8 x 8 samples");
        assert_eq!(counts[4 * 33 + 4], 1, "the top left corner is drawn");
        assert_eq!(counts[12 * 33 + 12], 0, "the bottom right one is not");
    }

    #[test]
    fn back_faces_are_not_drawn() {
        let front = [[4.5, 4.5], [4.5, 12.5], [12.5, 12.5]];
        let back = [front[0], front[2], front[1]];
        assert!(coverage(33, &[front]).contains(&1), "the front is drawn");
        assert!(!coverage(33, &[back]).contains(&1), "the back is not");
    }
}
