//! All crates on a GPU.
fn main() {}
