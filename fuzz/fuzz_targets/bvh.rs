//! Any bytes: a typed error or a reading, and what is read can be written and read again.
#![no_main]

use elea_anim::bvh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = bvh::parse(bytes) else { return };
    let text = file.write().expect("what was read can be written");
    let again = bvh::parse(text.as_bytes()).expect("what was written can be read");
    assert_eq!(again.skeleton.len(), file.skeleton.len());
    assert_eq!(again.frames, file.frames);
});
