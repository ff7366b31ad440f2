//! Many figures of one mesh in a grid.

use elea_anim::glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use elea_anim::glam::{Affine3A, Vec3};

use crate::frame::Frame;

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
        let columns = (f64::from(characters)).sqrt().ceil() as usize;
        let rows = (characters as usize).div_ceil(columns);
        let place = |index: usize, count: usize| (index as f32 - 0.5 * (count - 1) as f32) * SPACING;
        let models = (0..characters as usize)
            .map(|index| {
                let offset = Vec3::new(place(index % columns, columns), 0.0, place(index / columns, rows));
                // A stride that shares no factor with most clip lengths: neighbours differ.
                let frame = &frames[index * 37 % frames.len()];
                placed(&frame.model, offset, index == 0)
            })
            .collect();

        let focus = Vec3::new(0.0, 0.9, 0.0);
        // The circle round the grid fills the narrower angle of view.
        let radius = 0.5 * SPACING * (columns as f32).hypot(rows as f32) + 0.6;
        let half_angle = (0.5 * VIEW_ANGLE)
            .tan()
            .min((0.5 * VIEW_ANGLE).tan() * aspect)
            .atan();
        let distance = radius / half_angle.sin();
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
