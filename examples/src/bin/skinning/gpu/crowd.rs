//! Many figures of one mesh in a grid.

use elea_anim::glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use elea_anim::glam::{Affine3A, Vec3};

use image::RgbaImage;

use super::{Gpu, GpuError, Timing};
use crate::frame::Frame;
use crate::mesh::Mesh;

/// Metres between neighbours.
const SPACING: f32 = 1.3;
/// Slots at the end of a frame's matrices that are no joints: the ground and the ball.
const PROPS: usize = 2;
/// The crowd's camera looks down by this much: radians.
const PITCH: f32 = 0.35;
/// Vertical angle of view, radians.
const VIEW_ANGLE: f32 = 0.6;

/// The input of one picture of a crowd.
#[derive(Debug, Clone)]
pub(crate) struct Crowd {
    /// Camera and light.
    pub(crate) view: Frame,
    /// Each character's model matrices.
    pub(crate) models: Vec<Vec<Affine3A>>,
}

impl Crowd {
    /// `characters` figures in a square grid, each in another of `frames`' poses; `aspect` is width / height.
    /// `None` without frames or characters.
    pub(crate) fn new(frames: &[Frame], characters: u32, aspect: f32) -> Option<Self> {
        let first = frames.first()?;
        if characters == 0 {
            return None;
        }
        let characters = characters as usize;
        let root = characters.isqrt();
        let columns = root + usize::from(root * root < characters);
        let rows = characters.div_ceil(columns);
        let place = |index: usize, count: usize| (index as f32 - 0.5 * (count - 1) as f32) * SPACING;
        let models = (0..characters)
            .map(|index| {
                let offset = Vec3::new(place(index % columns, columns), 0.0, place(index / columns, rows));
                // A stride that shares no factor with most clip lengths: neighbours differ.
                let frame = &frames[index * 37 % frames.len()];
                placed(&frame.model, offset, index == 0)
            })
            .collect();

        let focus = Vec3::new(0.0, 0.9, 0.0);
        // The circle round the grid fits the picture's width, seen at the slant of the pitch its height, from in front
        // of the first row.
        let radius = 0.5 * SPACING * (columns as f32).hypot(rows as f32) + 0.6;
        let slope = (0.5 * VIEW_ANGLE).tan();
        let beside = radius / (slope * aspect);
        let above = (radius * PITCH.sin() + 1.0) / slope;
        let distance = beside.max(above) + 0.5 * radius;
        let eye = focus + Vec3::new(0.0, PITCH.sin(), PITCH.cos()) * distance;
        let view = look_at_mat4(eye, focus, Vec3::Y);
        let projection = perspective(VIEW_ANGLE, aspect, 0.05 * distance, 2.0 * distance + radius);
        let view = Frame {
            model: Vec::new(),
            view_projection: projection * view,
            eye,
            focus,
            light: first.light,
            capsules: Vec::new(),
        };
        Some(Self { view, models })
    }

    pub(crate) fn models(&self) -> impl Iterator<Item = &[Affine3A]> {
        self.models.iter().map(Vec::as_slice)
    }
}

impl Gpu {
    /// `--bench`: prepares the device for `characters` figures in the poses of `frames` (one: the first frame as it
    /// is), draws them `repeats` times, and returns the figures and the picture.
    pub(crate) fn bench(
        &mut self,
        mesh: &Mesh,
        frames: &[Frame],
        characters: u32,
        size: [u32; 2],
        repeats: usize,
    ) -> Result<(Timing, RgbaImage), GpuError> {
        let nothing = || GpuError::Frame("nothing to draw: no frame, or no character".into());
        let [width, height] = size;
        if characters == 1 {
            let frame = frames.first().ok_or_else(nothing)?;
            self.prepare(mesh, width, height)?;
            let timing = self.time(frame, [frame.model.as_slice()], repeats)?;
            return Ok((timing, self.draw(frame)?));
        }
        // The limits first: a crowd beyond them would fill the memory here.
        self.prepare_crowd(mesh, width, height, characters)?;
        let aspect = width as f32 / height as f32;
        let crowd = Crowd::new(frames, characters, aspect).ok_or_else(nothing)?;
        let timing = self.time(&crowd.view, crowd.models(), repeats)?;
        Ok((timing, self.draw_crowd(&crowd.view, crowd.models())?))
    }
}

/// A character's matrices moved by `offset`. There is one ground: all others shrink to a point.
fn placed(model: &[Affine3A], offset: Vec3, with_ground: bool) -> Vec<Affine3A> {
    let mut moved: Vec<_> = model
        .iter()
        .map(|m| Affine3A::from_translation(offset) * *m)
        .collect();
    let ground = model.len().checked_sub(PROPS);
    if let Some(ground) = ground.and_then(|index| Some((moved.get_mut(index)?, model.get(index)?))) {
        *ground.0 = if with_ground {
            *ground.1
        } else {
            Affine3A::from_scale(Vec3::ZERO)
        };
    }
    moved
}
