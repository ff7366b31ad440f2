//! The input of one picture.

use glam::{Affine3A, Mat4, Vec3};

/// A body part as the ground's shadow sees it: the points within `radius` of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Capsule {
    /// One end, model space, metres.
    pub(crate) a: Vec3,
    /// The other end; equal to `a` for a sphere.
    pub(crate) b: Vec3,
    /// Metres, > 0.
    pub(crate) radius: f32,
}

/// The most capsules that a frame holds.
pub(crate) const MAX_CAPSULES: usize = 24;

/// One picture's input; the mesh is the same for all pictures.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Model from slot, one per palette slot: the figure's joints come first, then the ground and
    /// the ball that marks the IK target.
    pub(crate) model: Vec<Affine3A>,
    /// Clip from model, z from 0 (near) to 1 (far) as in wgpu.
    pub(crate) view_projection: Mat4,
    /// The camera, model space.
    pub(crate) eye: Vec3,
    /// What the camera looks at: the ground fades out around it.
    pub(crate) focus: Vec3,
    /// Unit, towards the light.
    pub(crate) light: Vec3,
    /// What casts the shadow on the ground; at most [`MAX_CAPSULES`].
    pub(crate) capsules: Vec<Capsule>,
}
