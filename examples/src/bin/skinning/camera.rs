//! Where the picture is taken from.

use glam::{Mat4, Vec3};

/// A camera that looks at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Camera {
    /// Model space.
    pub(crate) eye: Vec3,
    /// What is in the middle of the picture.
    pub(crate) focus: Vec3,
    /// Vertical angle of view in radians.
    pub(crate) view_angle: f32,
}

impl Camera {
    /// Round `focus` at `distance` metres: `turn` radians about Y from +Z (0: in front of the figure,
    /// a quarter turn: at its left side), `rise` radians above the horizontal.
    pub(crate) fn orbit(focus: Vec3, turn: f32, rise: f32, distance: f32) -> Self {
        let away = Vec3::new(turn.sin() * rise.cos(), rise.sin(), turn.cos() * rise.cos());
        Self {
            eye: focus + away * distance,
            focus,
            view_angle: 0.5,
        }
    }

    /// Clip from model, z from 0 at 0.1 m to 1 at infinity's side, 60 m.
    pub(crate) fn view_projection(&self, aspect: f32) -> Mat4 {
        let view = glam::camera::rh::view::look_at_mat4(self.eye, self.focus, Vec3::Y);
        glam::camera::rh::proj::directx::perspective(self.view_angle, aspect, 0.1, 60.0) * view
    }
}
