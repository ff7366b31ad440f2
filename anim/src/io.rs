//! File formats, one module each.

pub mod bvh;
#[cfg(feature = "gltf")]
pub mod glb;
#[cfg(feature = "gltf")]
pub mod gltf;
pub mod md5;
mod sampling;
