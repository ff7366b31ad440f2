//! The whole comparison as Markdown or JSON rows.
fn main() {}
