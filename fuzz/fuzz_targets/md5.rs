//! Any bytes: a typed error or a reading, and what is read and can be written is read again.
#![no_main]

use elea_anim::md5;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = md5::parse_mesh(bytes) {
        for surface in &mesh.surfaces {
            let _ = surface.to_skinned_mesh(&mesh.skeleton);
        }
        if let Ok(text) = md5::write_mesh(&mesh) {
            let again = md5::parse_mesh(text.as_bytes()).expect("what was written can be read");
            assert_eq!(again.surfaces.len(), mesh.surfaces.len());
        }
    }
    if let Ok(anim) = md5::parse_anim(bytes)
        && let Ok(text) = md5::write_anim(&anim.skeleton, &anim.animation, anim.frame_rate)
    {
        let again = md5::parse_anim(text.as_bytes()).expect("what was written can be read");
        assert_eq!(again.skeleton.parents(), anim.skeleton.parents());
    }
});
