//! What the programs of this package share.

pub mod canvas;
pub mod drawing;
pub mod file;
pub mod film;

/// The README's snippets, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
