//! Unit normals in two small integers.
#![no_std]
