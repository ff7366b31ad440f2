//! What is drawn: one skinned mesh.

use glam::{Affine3A, Vec3};

/// A skinned triangle mesh in bind space: right-handed, Y up, metres, triangles counter-clockwise
/// seen from outside.
///
/// Everything in the picture is in it: the figure, the ground and the ball. `positions`, `normals`,
/// `albedo`, `joints` and `weights` have one element a vertex.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mesh {
    /// Bind space, metres.
    pub(crate) positions: Vec<Vec3>,
    /// Unit length.
    pub(crate) normals: Vec<Vec3>,
    /// Linear RGB, 0 to 1.
    pub(crate) albedo: Vec<[f32; 3]>,
    /// Palette slots; unused influences have weight 0.
    pub(crate) joints: Vec<[u16; 4]>,
    /// Sum 1.
    pub(crate) weights: Vec<[f32; 4]>,
    /// Three a triangle.
    pub(crate) indices: Vec<u32>,
    /// Bind to slot, one per palette slot.
    pub(crate) inverse_bind: Vec<Affine3A>,
}
