//! The small programs about inverse kinematics, run as a person runs them: they end well and draw what they say.

use std::fs::File;
use std::io::BufReader;
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

/// The number before a word of the output.
fn number_before(text: &str, word: &str) -> f64 {
    let before = &text[..text.find(word).expect("the word")];
    let last = before.split_whitespace().next_back().expect("a number");
    last.parse().expect("a number")
}

/// Where a GIF is red, frame by frame: the mean of x and y of the target's pixels, that of the blue ones, and the
/// number of each.
fn colours(path: &PathBuf) -> Vec<[(f64, f64, f64); 2]> {
    let file = BufReader::new(File::open(path).expect("the file"));
    let frames = GifDecoder::new(file).expect("a GIF").into_frames();
    let of_frame = |frame: image::Frame| {
        let mut sums = [(0.0, 0.0, 0.0); 2];
        for (x, y, pixel) in frame.buffer().enumerate_pixels() {
            let [red, _, blue, _] = pixel.0.map(i32::from);
            let colour = match red - blue {
                100.. => 0,
                ..=-100 => 1,
                _ => continue,
            };
            let sum: &mut (f64, f64, f64) = &mut sums[colour];
            sum.0 += f64::from(x);
            sum.1 += f64::from(y);
            sum.2 += 1.0;
        }
        sums.map(|(x, y, count)| (x / count, y / count, count))
    };
    frames.map(|frame| of_frame(frame.expect("a frame"))).collect()
}

#[test]
fn reach_draws_an_arm_that_follows() {
    let (path, text) = draw(env!("CARGO_BIN_EXE_reach"), "reach.gif");
    let frames = colours(&path);
    assert_eq!(frames.len(), 200, "{text}");
    // The eight is to the right of 0.74 in a sixth of the frames.
    assert!(number_before(&text, "reached") >= 150.0, "{text}");
    assert!(number_before(&text, "degrees") <= 10.0, "{text}");
    for [_, arm] in frames {
        // Bones of 0.74 times 260 pixels, 6 wide; joints and target cover some.
        assert!((700.0..1_600.0).contains(&arm.2), "an arm of {} pixels", arm.2);
    }
}

#[test]
fn look_at_draws_a_head_that_looks_at_the_target_in_front_of_it() {
    let (path, text) = draw(env!("CARGO_BIN_EXE_look_at"), "look_at.gif");
    let frames = colours(&path);
    assert_eq!(frames.len(), 90, "{text}");
    assert!(number_before(&format!("{text} end"), " end") <= 9.0, "{text}");
    for (index, [target, sight]) in frames.into_iter().enumerate() {
        // The target is at most 60 degrees aside: within the limits of neck and head together.
        if !(15..75).contains(&index) {
            let (dx, dy) = (target.0 - 120.0, target.1 - 120.0);
            let (sx, sy) = (sight.0 - 120.0, sight.1 - 120.0);
            let off = (dx * sy - dy * sx).atan2(dx * sx + dy * sy).to_degrees().abs();
            assert!(off < 6.0, "frame {index}: looks {off} degrees beside the target");
        }
    }
}

#[test]
fn tension_draws_the_articles_curve() {
    let (path, text) = draw(env!("CARGO_BIN_EXE_tension"), "tension.png");
    // R + 1 at each limit.
    for value in ["T(-1) = 2.00", "T(0) = 0.00", "T(1.5) = 1.10"] {
        assert!(text.contains(value), "{text}");
    }
    let image = image::open(path).expect("a PNG").into_rgb8();
    // The curve passes the limits at those heights: 240 + 150 x across, 419 - (30 + 150 y) down.
    for (x, y) in [(90, 89), (465, 224), (240, 389)] {
        let near = (x - 3..=x + 3).flat_map(|x| (y - 3..=y + 3).map(move |y| (x, y)));
        let blue = near.filter(|&(x, y)| {
            let [red, _, blue] = image.get_pixel(x, y).0.map(i32::from);
            blue - red > 100
        });
        assert!(blue.count() > 5, "no curve at {x}, {y}");
    }
}
