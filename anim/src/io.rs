//! File formats, one module each.

pub mod bvh;
#[cfg(feature = "gltf")]
pub mod gltf;
