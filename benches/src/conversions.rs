//! Rotation conversions: elea, glam, nalgebra.

use crate::row::Row;

/// The whole comparison.
#[must_use]
pub fn rows() -> Vec<Row> {
    Vec::new()
}
