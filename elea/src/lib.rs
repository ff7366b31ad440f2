//! Stable rotation conversions.
#![no_std]
