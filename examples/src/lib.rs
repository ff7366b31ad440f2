//! Programs that use the elea family, and the README's snippets, compiled and run as documentation tests.
#![doc = include_str!("../../README.md")]

pub mod canvas;
pub mod file;
