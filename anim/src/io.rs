//! File formats, one module each.

pub mod bvh;
