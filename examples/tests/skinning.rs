//! The program as a person runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use elea_anim::{Pose, bvh, gltf, local_to_model};
use glam::Affine3A;
use image::AnimationDecoder as _;

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skinning").join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("the folder of the last run goes away");
    }
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

fn skinning(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skinning"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Share of the pixels for which `is` holds.
fn share(picture: &image::RgbImage, is: impl Fn([i32; 3]) -> bool) -> f64 {
    let hits = picture
        .pixels()
        .filter(|pixel| is(pixel.0.map(i32::from)))
        .count();
    hits as f64 / f64::from(picture.width() * picture.height())
}

#[test]
fn without_arguments_it_draws_the_figure_and_says_where() {
    let folder = folder("plain");
    let output = skinning(&folder, &[]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    assert!(stdout.contains("wrote out/skinning.png"), "{stdout}");
    assert!(
        stdout.contains("vertices") && stdout.contains("ms a frame"),
        "{stdout}"
    );

    let picture = image::open(folder.join("out/skinning.png"))
        .expect("a PNG")
        .to_rgb8();
    assert_eq!(picture.dimensions(), (1600, 1000), "the size");
    // A figure in a blue-green shirt, with skin, red shoes and an orange ball, before much grey.
    let shirt = share(&picture, |[r, g, b]| b > r + 40 && g > r + 30);
    let skin = share(&picture, |[r, g, b]| r > 90 && r > g + 20 && g > b + 8);
    let ball = share(&picture, |[r, g, b]| r > 200 && g > 90 && g < 180 && b < 90);
    let grey = share(&picture, |[r, g, b]| (r - g).abs() < 30 && (g - b).abs() < 30);
    assert!((0.02..0.3).contains(&shirt), "shirt {shirt}");
    assert!((0.01..0.2).contains(&skin), "skin {skin}");
    assert!((0.0005..0.02).contains(&ball), "ball {ball}");
    assert!((0.4..0.95).contains(&grey), "ground and background {grey}");
}

#[test]
fn the_performance_goes_to_bvh_glb_and_gif() {
    let folder = folder("files");
    let arguments = [
        "--bvh",
        "made/own.bvh",
        "--gif",
        "made/own.gif",
        "--glb",
        "made/own.glb",
        "--png",
        "made/own.png",
        "--size",
        "320x200",
    ];
    let output = skinning(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    let model = gltf::load(folder.join("made/own.glb")).expect("the GLB can be read");
    assert!(model.report.is_clean(), "{:?}", model.report);
    let names: Vec<&str> = model
        .animations
        .iter()
        .map(|animation| &*animation.name)
        .collect();
    assert_eq!(names, ["performance", "walk", "wave"]);
    let mesh = &model.meshes[0];
    assert_eq!(model.skins[0].binding.len(), model.skeleton.len());
    assert_eq!(mesh.colors.len(), mesh.mesh.positions.len());
    let tall = mesh.mesh.positions.iter().map(|position| position.y);
    let (low, high) = tall.fold((1.0_f32, 0.0_f32), |(low, high), y| (low.min(y), high.max(y)));
    assert!(
        low.abs() < 0.02 && (1.7..1.9).contains(&high),
        "from {low} to {high} m"
    );

    let bytes = std::fs::read(folder.join("made/own.bvh")).expect("the BVH");
    let motion = bvh::parse(&bytes).expect("what was written can be read");
    assert!(motion.warnings.is_empty(), "{:?}", motion.warnings);
    assert_eq!(motion.frames, 52, "two strides at 25 Hz");
    let skeleton = &motion.skeleton;
    let at = |name: &str| skeleton.joint(name).expect("a joint of the figure").index();
    let (mut pose, mut model) = (
        Pose::identity(skeleton.len()),
        vec![Affine3A::IDENTITY; skeleton.len()],
    );
    let mut hips = Vec::new();
    for frame in 0..52_u8 {
        motion
            .animation
            .sample(skeleton, f32::from(frame) / 25.0, &mut pose);
        local_to_model(skeleton, &pose, &mut model);
        let place = |name: &str| model[at(name)].translation;
        // Upright, one foot on the ground, the right hand up, the left one in front.
        let low = place("LeftFoot").y.min(place("RightFoot").y);
        assert!((0.06..0.13).contains(&low), "ankle at {low} in frame {frame}");
        assert!(place("Head").y > 1.4, "head at {}", place("Head").y);
        assert!(
            place("RightHand").y > place("Head").y - 0.05,
            "waving hand at {}",
            place("RightHand").y
        );
        let ahead = place("LeftHand").z - place("Hips").z;
        assert!(ahead > 0.2, "reaching hand {ahead} ahead in frame {frame}");
        hips.push(place("Hips").z);
    }
    let way = hips[51] - hips[0];
    assert!((2.0..2.4).contains(&way), "two strides of 1.12 m: {way}");

    let file = std::fs::File::open(folder.join("made/own.gif")).expect("the GIF");
    let decoder = image::codecs::gif::GifDecoder::new(std::io::BufReader::new(file)).expect("a GIF");
    let frames = decoder.into_frames().collect_frames().expect("whole frames");
    assert_eq!(frames.len(), 52, "frames of the GIF");
    assert_eq!(frames[0].delay().numer_denom_ms(), (40, 1), "25 frames a second");
    assert_eq!(frames[0].buffer().dimensions(), (64, 100), "half the main view");
}

const TWO_JOINTS: &str = "HIERARCHY\nROOT base\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n\
    JOINT tip\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\n}\n\
    MOTION\nFrames: 1\nFrame Time: 0.04\n0 0 0 0 0 0\n";

#[test]
fn bad_files_are_named_in_one_line() {
    let folder = folder("bad");
    let no_frames = TWO_JOINTS
        .replace("Frames: 1", "Frames: 0")
        .replace("0 0 0 0 0 0\n", "");
    let broken_line = TWO_JOINTS.replace("0 0 0 0 0 0", "0 0 x 0 0 0");
    let cases: [(&str, Option<&str>, &str); 6] = [
        ("gone.bvh", None, "can't be read"),
        ("empty.bvh", Some(""), "is empty"),
        ("text.bvh", Some("Dear diary,\nnothing moved today.\n"), "line 1"),
        ("broken.bvh", Some(&broken_line), "line 15"),
        ("frameless.bvh", Some(&no_frames), "no complete frame"),
        ("hipless.bvh", Some(TWO_JOINTS), "hips"),
    ];
    for (name, content, said) in cases {
        if let Some(content) = content {
            std::fs::write(folder.join(name), content).expect("a file for the test");
        }
        let output = skinning(&folder, &["--motion", name]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{name}: {stderr}");
        assert!(stderr.contains(name) && stderr.contains(said), "{name}: {stderr}");
        assert!(!folder.join("out").exists(), "{name}: nothing is drawn");
    }
}

#[test]
fn bad_arguments_exit_with_2() {
    let folder = folder("arguments");
    for arguments in [
        &["--size", "big"][..],
        &["--size", "1x1"],
        &["--frames", "0"],
        &["--chars", "5"],
        &["--chars", "0", "--bench"],
        &["--motion"],
        &["--nonsense"],
    ] {
        let output = skinning(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// They went by without a word, and no file came.
#[test]
fn files_that_check_and_bench_do_not_write_are_refused() {
    let folder = folder("refused");
    for mode in ["--check", "--bench"] {
        for file in ["--gif", "--bvh", "--glb"] {
            for arguments in [[mode, file, "made.file"], [file, "made.file", mode]] {
                let output = skinning(&folder, &arguments);
                let stderr = text(&output.stderr);
                assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
                let first = stderr.lines().next().unwrap_or_default();
                let said = ["cannot be used with", mode, file];
                assert!(
                    said.iter().all(|part| first.contains(part)),
                    "{arguments:?}: {first}"
                );
                assert!(!folder.join("out").exists(), "{arguments:?}: nothing is drawn");
            }
        }
    }
}

#[test]
fn a_picture_that_cannot_be_written_exits_with_1() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("file"), "in the way").expect("a file for the test");
    let output = skinning(&folder, &["--png", "file/picture.png", "--size", "200x160"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("picture.png"),
        "{}",
        text(&output.stderr)
    );
}
