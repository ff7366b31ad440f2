//! What is read of glTF files: containers, buffers and accessors.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::gltf::{self, GltfError, parse};
use gltf_sample::{base64, fails, full, read};
use serde_json::json;

mod gltf_sample;

#[test]
fn buffers_in_every_place() {
    let folder = std::env::temp_dir().join(format!("elea-gltf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub folder")).unwrap();
    let sample = full();
    let expected = read(&sample);
    std::fs::write(folder.join("sub folder/data.bin"), &sample.bytes).unwrap();
    let path = folder.join("file.gltf");
    std::fs::write(&path, sample.gltf_with("sub%20folder/data.bin")).unwrap();
    assert_eq!(gltf::load(&path).unwrap(), expected);
    // Without a place there are no files.
    let error = parse(&sample.gltf_with("data.bin")).unwrap_err();
    assert_eq!(error.path(), Some("buffers[0].uri"));
    assert!(error.to_string().contains("use load"), "{error}");
    for (uri, part) in [
        ("missing.bin", "missing.bin: "),
        ("sub%20folder", "not a file"),
        ("https://example.org/data.bin", "nothing else is read"),
        ("/etc/passwd", "nothing else is read"),
        ("data:;base64,AA!A", "broken base64"),
        ("data:nothing", "without a comma"),
        ("%ff.bin", "not UTF-8"),
    ] {
        std::fs::write(&path, sample.gltf_with(uri)).unwrap();
        let error = gltf::load(&path).unwrap_err();
        assert_eq!(error.path(), Some("buffers[0].uri"), "{error}");
        assert!(error.to_string().contains(part), "{uri}: {error}");
        let file = format!("{}: ", path.display());
        assert!(error.to_string().starts_with(&file), "{uri}: {error}");
        assert!(matches!(error.reason(), GltfError::Buffer { .. }), "{error:?}");
    }
    std::fs::write(&path, sample.gltf_with("missing.bin")).unwrap();
    let error = gltf::load(&path).unwrap_err().to_string();
    let looked = format!("; looked for it in the folder {}", folder.display());
    assert!(error.ends_with(&looked), "{error}");
    // Padding missing, escapes, line breaks, data as text.
    let data = base64(&sample.bytes);
    let bare = data.trim_end_matches('=').replace('+', "%2B");
    let (head, tail) = bare.split_at(20);
    let text = sample.gltf_with(&format!("data:;base64,{head}\n{tail}"));
    assert_eq!(parse(&text).unwrap(), expected);
    let escaped: String = sample.bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    assert_eq!(
        parse(&sample.gltf_with(&format!("data:,{escaped}"))).unwrap(),
        expected
    );
    std::fs::write(folder.join("sub folder/data.bin"), &sample.bytes[..100]).unwrap();
    std::fs::write(&path, sample.gltf_with("sub%20folder/data.bin")).unwrap();
    let error = gltf::load(&path).unwrap_err().to_string();
    assert!(
        error.contains("file.gltf: buffers[0].byteLength: needs"),
        "{error}"
    );
    assert!(error.ends_with("but there are 100"), "{error}");
    assert!(matches!(
        gltf::load(folder.join("no.gltf")),
        Err(GltfError::File { .. })
    ));
    std::fs::write(&path, "").unwrap();
    let error = gltf::load(&path).unwrap_err().to_string();
    assert_eq!(error, format!("{}: the file is empty", path.display()));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn containers_that_are_broken() {
    let message = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
    let not = "not a glTF file: it starts neither with \"glTF\" nor with \"{\"";
    assert_eq!(message(b""), "the file is empty");
    assert_eq!(message(b" "), not);
    assert_eq!(message(b"HIERARCHY"), not);
    assert_eq!(
        message(b"glTF"),
        "broken GLB file: its header has 12 bytes, but it has 4 bytes"
    );
    assert_eq!(
        message(b"glTF\x01\0\0\0\x0c\0\0\0"),
        "glTF version 1; only version 2 can be read"
    );
    // A header that says less than the header.
    assert_eq!(
        message(b"glTF\x02\0\0\0\x05\0\0\0"),
        "broken GLB file: it needs a JSON chunk, but it has 12 bytes"
    );
    let good = full().glb();
    assert_eq!(
        message(&good[..100]),
        format!(
            "broken GLB file: its header says {} bytes, but it has 100 bytes",
            good.len()
        )
    );
    let mut long = good.clone();
    long[12..16].copy_from_slice(&[0xff; 4]);
    assert!(message(&long).starts_with("broken GLB file: a chunk says 4294967295 bytes"));
    // Bytes behind the end mean nothing.
    let mut more = good.clone();
    more.extend(b"more");
    assert_eq!(parse(&more), parse(&good));
    assert_eq!(
        message(br#"{"asset": {"version": "1.0"}}"#),
        "glTF version 1.0; only version 2 can be read"
    );
    assert_eq!(
        message(b"{"),
        "EOF while parsing an object (line 1, column 1 of the JSON)"
    );
    assert_eq!(
        message(b"{}"),
        "missing field `asset` (line 1, column 2 of the JSON)"
    );
    assert!(
        message(br#"{"asset": {"version": "2.0"}, "nodes": [{"children": [-1]}]}"#)
            .starts_with("nodes[0].children[0]: invalid value: integer `-1`")
    );
    let deep = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"extras\": {}",
        "[".repeat(100_000)
    );
    assert!(parse(deep.as_bytes()).is_err());
    assert!(parse(b"\xef\xbb\xbf {\"asset\": {\"version\": \"2.1\"}}").is_ok());
}

/// Files that the specification allows and that a strict reading of its schema trips over.
#[test]
fn legal_rarities() {
    for text in [
        r#"{"asset": {"version": "2.0"}, "scenes": [{}]}"#,
        r#"{"asset": {"version": "2.0"}, "nodes": [{"extras": "text"}, {"extras": 5}, {"extras": [1]}]}"#,
        r#"{"asset": {"version": "2.0"}, "meshes": [{"primitives": [], "extras": "no names"}], "nodes": [{"mesh": 0}]}"#,
        r#"{"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_materials_unlit", "KHR_mesh_quantization"]}"#,
        r#"{"asset": {"version": "2.0"}, "unknown": {"deep": [[[]]]}}"#,
    ] {
        parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let draco = br#"{"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_draco_mesh_compression"]}"#;
    assert_eq!(
        parse(draco).unwrap_err().to_string(),
        "extensionsRequired[0]: the file needs the extension KHR_draco_mesh_compression: export it without"
    );
}

#[test]
fn what_accessors_claim_is_checked() {
    let mut sample = full();
    let position = 0;
    sample.set(position, "count", json!(9_007_199_254_740_991_u64));
    assert!(
        fails(&sample).starts_with("accessors[0]: needs"),
        "{}",
        fails(&sample)
    );
    sample.set(position, "count", json!(u64::MAX));
    assert!(fails(&sample).starts_with("accessors[0]: needs 18446744073709551615 bytes"));
    sample.set(position, "byteOffset", json!(u64::MAX));
    assert!(fails(&sample).starts_with("accessors[0].byteOffset: needs"));
    sample.set(position, "bufferView", json!(99));
    assert!(fails(&sample).starts_with("accessors[0].bufferView: 99, but there are"));
    let mut sample = full();
    sample.json["bufferViews"][0]["byteLength"] = json!(u64::MAX);
    assert!(fails(&sample).starts_with("bufferViews[0]: needs 18446744073709551615 bytes"));
    sample.json["bufferViews"][0]["buffer"] = json!(1);
    assert!(fails(&sample).starts_with("bufferViews[0].buffer: 1, but there are 1"));
    let mut sample = full();
    sample.json["bufferViews"][0]["byteStride"] = json!(4);
    assert!(fails(&sample).starts_with("accessors[0]: needs"));
    // An accessor without a view is all zero, however many it claims.
    let mut sample = full();
    sample.json["accessors"][0]
        .as_object_mut()
        .unwrap()
        .remove("bufferView");
    sample.set(0, "count", json!(1_u64 << 40));
    // The limit depends on the file's size, which differs between text and GLB.
    let error = parse(&sample.glb()).unwrap_err().to_string();
    assert!(
        error.starts_with("meshes[0].primitives[0].attributes.POSITION: the file's accessors add up"),
        "{error}"
    );
    sample.set(0, "componentType", json!(5124));
    assert!(fails(&sample).contains("an accessor of component type 5124 VEC3 where VEC3 is needed"));
}
