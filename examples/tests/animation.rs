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
    assert!(image::open(path).is_ok(), "a PNG");
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
