//! What is said when nothing comes out.

use std::process::Command;

use super::{FIGURE, Folder, WALK, convert};

#[test]
fn every_failure_is_one_line_with_the_file_and_exit_2() {
    let folder = Folder::new("failures");
    let walk = folder.file("walk.bvh", WALK);
    let missing = folder.0.join("missing.bvh");
    let empty = folder.file("empty.bvh", "");
    let image = folder.file("image.bvh", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let broken = folder.file("broken.bvh", WALK.replace("CHANNELS 3", "CHANNELS 4"));
    let nan = folder.file("nan.bvh", WALK.replace("1 10 2", "1 nan 2"));
    let mesh = folder.file("bad.md5mesh", FIGURE.replace("weight 2 1", "weight 2 7"));
    let negative = folder.file("negative.md5mesh", FIGURE.replace("2 1 0.75", "2 1 -0.75"));
    let cut = folder.file("cut.glb", b"glTF\x02\0\0\0\xff\xff\0\0");
    let json = folder.file(
        "bad.gltf",
        r#"{"asset": {"version": "2.0"}, "nodes": [{"children": [5]}]}"#,
    );
    let figure = folder.file("figure.md5mesh", FIGURE);
    let other = folder.file("other.bvh", WALK.replace("hips", "a").replace("leg", "b"));
    let out = folder.0.join("out.bvh");
    let other = other.to_str().unwrap();
    for (input, output, arguments, part) in [
        (
            &missing,
            &out,
            &[][..],
            "missing.bvh: there is no such file; check the path",
        ),
        (&empty, &out, &[], "empty.bvh: the file is empty; export it again"),
        (&folder.0, &out, &[], "is a folder; name a file in it"),
        (
            &image,
            &out,
            &[],
            "image.bvh: line 1: not a BVH file: expected HIERARCHY, found",
        ),
        (
            &broken,
            &out,
            &[],
            "broken.bvh: line 9: CHANNELS 4, but 3 channel names follow; correct this line",
        ),
        (
            &nan,
            &out,
            &[],
            "nan.bvh: line 20: frame 1, channel 1: \"nan\" is not a finite number",
        ),
        (
            &mesh,
            &out,
            &[],
            "bad.md5mesh: line 20: there is no joint 7 (there are 2)",
        ),
        (&negative, &out, &[], "negative.md5mesh: surface 0: "),
        (&cut, &out, &[], "cut.glb: broken GLB file"),
        (
            &json,
            &out,
            &[],
            "bad.gltf: nodes[0].children[0]: 5, but there are 1",
        ),
        (
            &walk,
            &folder.0.join("out.txt"),
            &[],
            "out.txt: end the name with .bvh",
        ),
        (
            &walk,
            &folder.0.join("out.gltf"),
            &[],
            "out.gltf: end the name with .glb",
        ),
        (
            &walk,
            &folder.0.join("out.md5mesh"),
            &[],
            "walk.bvh: holds no mesh; write its motion as",
        ),
        (
            &walk,
            &folder.0.join("no/such/folder.bvh"),
            &[],
            "folder.bvh: cannot be written: ",
        ),
        (
            &walk,
            &walk,
            &[],
            "walk.bvh: would replace the file that is read; name another",
        ),
        (
            &walk,
            &out,
            &["--animation", "run"],
            "there is no animation \"run\"; give a name or a number of: \"walk\"",
        ),
        (
            &walk,
            &out,
            &["--fps", "0"],
            "--fps 0: give a number of frames a second above zero",
        ),
        (
            &walk,
            &out,
            &["--fps", "1e-30"],
            "BVH cannot hold it: try another --fps or --scale, or write .glb",
        ),
        (&walk, &out, &["--fps", "1e12"], "more than 4194304 frames"),
        (
            &walk,
            &out,
            &["--scale=-1"],
            "--scale -1: give a factor above zero",
        ),
        (&walk, &out, &["--scale", "1e38"], "walk.bvh: joint 1 (\"leg\")"),
        (&walk, &out, &["--scale", "3e38"], "; give a --scale nearer to 1"),
        (
            &figure,
            &out,
            &["--animation", "0"],
            "figure.md5mesh: holds no animation; leave --animation out",
        ),
        (
            &figure,
            &out,
            &["--motion", other],
            "other.bvh: none of its joints has a name that IN has",
        ),
        (
            &figure,
            &out,
            &["--motion", "nowhere.bvh"],
            "nowhere.bvh: there is no such file",
        ),
        (&walk, &out, &["--sideways"], "unexpected argument '--sideways'"),
    ] {
        let result = convert(input, output, arguments);
        let text = String::from_utf8(result.stderr).unwrap();
        assert_eq!(result.status.code(), Some(2), "{part}: {text}");
        assert!(result.stdout.is_empty(), "{part}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.starts_with("convert: ") && text.contains(part),
            "{part} in {text}"
        );
        assert!(!out.exists(), "{part}: {text}");
    }
    let nothing = Command::new(env!("CARGO_BIN_EXE_convert")).output().unwrap();
    let text = String::from_utf8(nothing.stderr).unwrap();
    assert_eq!(
        (nothing.status.code(), text.lines().count()),
        (Some(2), 1),
        "{text}"
    );
    assert!(text.contains("<IN> <OUT>"), "{text}");
}
