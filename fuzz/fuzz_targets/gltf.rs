//! Any bytes: a typed error or a reading, and what is read and can be written is read again.
#![no_main]

use elea_anim::{glb, gltf};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = gltf::parse(bytes) else { return };
    if let Ok(written) = glb::write(&file) {
        let again = gltf::parse(&written).expect("what was written can be read");
        assert_eq!(again.meshes.len(), file.meshes.len());
    }
});
