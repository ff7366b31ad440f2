//! The small programs about animation, run as a person runs them: they end well and draw what they say.

use std::path::PathBuf;
use std::process::Command;

use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;

/// Runs a program that draws into a file of that name. Returns the file and what it printed.
fn draw(program: &str, name: &str) -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    let output = Command::new(program)
        .arg(&path)
        .output()
        .expect("the program starts");
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    (path, String::from_utf8(output.stdout).expect("UTF-8"))
}

/// Every number in a line that has the word.
fn numbers(text: &str, word: &str) -> Vec<f64> {
    let line = text
        .lines()
        .find(|line| line.contains(word))
        .unwrap_or_else(|| panic!("{word} in {text}"));
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    line.split(|c: char| !is_number(c))
        .filter_map(|part| part.trim_end_matches('.').parse().ok())
        .collect()
}

#[test]
fn blend_layers_plays_three_clips_and_reaches() {
    let (path, text) = draw(env!("CARGO_BIN_EXE_blend_layers"), "blend_layers.gif");
    // Thighs up to 0.9 and down to -0.5 rad: the feet cannot be closer than this at their farthest.
    assert!(numbers(&text, "Run_legs")[0] > 0.8, "{text}");
    // 70 frames of 0.04 s: 2.8 s of a shot at 0.5 s in every second.
    assert_eq!(numbers(&text, "Shoot_torso"), [3.0], "{text}");
    // 0.6 rad at the middle of the phoneme, which some frame comes near.
    let open = numbers(&text, "Face_phoneme")[0];
    assert!((0.55..=0.61).contains(&open), "{text}");
    // The target is always within the arm's reach.
    assert!(numbers(&text, "inverse kinematics")[0] < 0.005, "{text}");
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("the file"));
    let frames = GifDecoder::new(file).expect("a GIF").into_frames();
    let frames = frames.collect_frames().expect("frames");
    assert_eq!(frames.len(), 70, "frames");
    let is_red = |pixel: &&image::Rgba<u8>| i32::from(pixel.0[0]) - i32::from(pixel.0[2]) > 100;
    for (index, frame) in frames.iter().enumerate() {
        let red = frame.buffer().pixels().filter(is_red).count();
        // A disc of radius 5, partly under nothing: it is drawn last.
        assert!(
            (60..100).contains(&red),
            "frame {index}: a target of {red} pixels"
        );
    }
}

#[test]
fn root_motion_ends_where_the_formula_says_at_every_frame_rate() {
    let (path, text) = draw(env!("CARGO_BIN_EXE_root_motion"), "root_motion.png");
    // 1.4 m/s on a circle of radius 1.4 / 1.2 for 4 s: (r (1 - cos 4.8), r sin 4.8).
    let (radius, angle) = (1.4 / 1.2, 4.8_f64);
    let after_walk = [radius * (1.0 - angle.cos()), radius * angle.sin()];
    let mut ends = Vec::new();
    for rate in ["200 frames/s", " 60 frames/s", " 20 frames/s"] {
        let found = numbers(&text, rate);
        let [_, length, x, y, end_x, end_y, strayed] = found[..] else {
            panic!("{found:?} in {text}");
        };
        for (found, expected) in [x, y].into_iter().zip(after_walk) {
            assert!(
                (found - expected).abs() < 0.005,
                "{rate}: {found}, not {expected}"
            );
        }
        // 4 s of 1.4 m/s, half a second of a mean of 1.4 and 3.5, 2.5 s of 3.5; chords are a little shorter.
        let expected = 4.0 * 1.4 + 0.5 * 2.45 + 2.5 * 3.5;
        assert!(
            (length - expected).abs() < 0.03,
            "{rate}: {length} m, not {expected}"
        );
        assert!(strayed < 1e-5, "{rate}: hips {strayed} m off");
        ends.push((end_x, end_y));
    }
    for (x, y) in &ends {
        let off = (x - ends[0].0).hypot(y - ends[0].1);
        assert!(off < 0.01, "{off} m apart in {text}");
    }
    let picture = image::open(path).expect("a PNG").into_rgb8();
    let mut drawn = picture
        .enumerate_pixels()
        .filter(|(.., pixel)| pixel.0 != [255; 3]);
    let (x, y, _) = drawn.next().expect("a path");
    let (low, high) = drawn.fold(([x, y], [x, y]), |(low, high), (x, y, _)| {
        ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)])
    });
    for (axis, size) in [picture.width(), picture.height()].into_iter().enumerate() {
        let (before, after) = (low[axis], size - 1 - high[axis]);
        assert!(
            before >= 10 && after >= 10,
            "cut off: {low:?} to {high:?} in a picture of {size}"
        );
        assert!(before.abs_diff(after) <= 10, "aside: {low:?} to {high:?}");
    }
}

#[test]
fn tiles_prints_fewer_and_draws_each() {
    let (path, text) = draw(env!("CARGO_BIN_EXE_tiles"), "tiles.png");
    for limit in [6, 9, 12, 28, 49] {
        let word = format!("{limit:12} |");
        let found = numbers(&text, &word);
        let [_, tiles, ratio, plain] = found[..] else {
            panic!("{found:?} in {text}");
        };
        // 49 bones in tiles of so many; a seam costs a bone or two.
        let least = (49.0 / f64::from(limit)).ceil();
        assert!(
            tiles >= least && tiles <= 1.5 * least + 1.0,
            "{tiles} tiles in {text}"
        );
        assert!(ratio <= 1.06, "{ratio} of the vertices in {text}");
        assert!(tiles <= plain, "{plain} in index order in {text}");
    }
    assert!(text.contains("needs 3 bones"), "{text}");
    let picture = image::open(path).expect("a PNG").into_rgb8();
    let colors: std::collections::HashSet<_> = picture.pixels().collect();
    let tiles = numbers(&text, "          12 |")[1];
    assert_eq!(
        f64::from(u16::try_from(colors.len()).expect("few")),
        tiles + 1.0,
        "a colour each, and white"
    );
}

/// What the program does with one argument, in an empty folder of that name.
fn run_in(program: &str, folder: &str, argument: Option<&str>) -> (PathBuf, std::process::Output) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder of its own");
    std::fs::write(folder.join("walk.bvh"), "HIERARCHY").expect("it can be written");
    let mut command = Command::new(program);
    command.current_dir(&folder).args(argument);
    (folder, command.output().expect("the program starts"))
}

const PROGRAMS: [(&str, &str, &str); 7] = [
    (env!("CARGO_BIN_EXE_blend_layers"), "blend_layers", "gif"),
    (env!("CARGO_BIN_EXE_root_motion"), "root_motion", "png"),
    (env!("CARGO_BIN_EXE_tiles"), "tiles", "png"),
    (env!("CARGO_BIN_EXE_reach"), "reach", "gif"),
    (env!("CARGO_BIN_EXE_look_at"), "look_at", "gif"),
    (env!("CARGO_BIN_EXE_tension"), "tension", "png"),
    (env!("CARGO_BIN_EXE_normal_error_map"), "normal_error_map", "png"),
];

#[test]
fn a_file_of_another_format_is_refused_and_left_as_it_is() {
    for (program, name, ending) in PROGRAMS {
        let (folder, output) = run_in(program, &format!("{name}-refuses"), Some("walk.bvh"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.contains(&format!("end the name with .{ending}")), "{error}");
        let kept = std::fs::read_to_string(folder.join("walk.bvh")).expect("still there");
        assert_eq!(kept, "HIERARCHY", "{name} wrote over its argument");
    }
}

#[test]
fn help_names_the_file_that_is_written() {
    for (program, name, ending) in PROGRAMS {
        let (_, output) = run_in(program, &format!("{name}-helps"), Some("--help"));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {text}");
        assert!(text.contains(&format!("out/{name}.{ending}")), "{text}");
    }
}

#[test]
fn without_an_argument_the_picture_is_in_out() {
    let (folder, output) = run_in(env!("CARGO_BIN_EXE_root_motion"), "root_motion-out", None);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(
        image::open(folder.join("out/root_motion.png")).is_ok(),
        "a PNG in out"
    );
}

#[test]
fn a_failure_is_one_line_in_plain_words() {
    let (_, output) = run_in(
        env!("CARGO_BIN_EXE_tiles"),
        "tiles-fails",
        Some("walk.bvh/tiles.png"),
    );
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(
        error.starts_with("tiles: walk.bvh/tiles.png: cannot be written"),
        "{error}"
    );
}
