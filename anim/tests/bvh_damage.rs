//! Damaged BVH files, each kind on a small file.
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::{
    JointId,
    bvh::{BvhError, BvhOptions, BvhWarning, NonFinite, parse, parse_with},
    glam::{DVec3, Vec3},
};

use bvh_sample::{SAMPLE, fails, is_sample, local, read, turned, warns, with};

mod bvh_sample;

#[test]
fn row_counts_that_differ_from_the_header() {
    let (bvh, warning) = warns(&with("Frames: 2", "Frames: 7"));
    is_sample(&bvh);
    assert_eq!(
        warning,
        BvhWarning::FrameCount {
            line: 17,
            declared: 7,
            found: 2
        }
    );
    let (bvh, warning) = warns(&with("Frames: 2", "Frames: 1"));
    is_sample(&bvh);
    assert_eq!(
        warning,
        BvhWarning::FrameCount {
            line: 17,
            declared: 1,
            found: 2
        }
    );
    let (bvh, warning) = warns(&with("Frames: 2\n", ""));
    is_sample(&bvh);
    assert_eq!(warning, BvhWarning::FrameCountMissing { line: 16, found: 2 });
    let (bvh, warning) = warns(&format!("{SAMPLE}3 83 -5 12\n"));
    is_sample(&bvh);
    assert_eq!(
        warning,
        BvhWarning::CutRow {
            line: 21,
            frame: 2,
            found: 4,
            expected: 9
        }
    );
    let cut = read(&with(" 55 66\n", ""));
    assert_eq!(
        cut.warnings,
        [
            BvhWarning::FrameCount {
                line: 17,
                declared: 2,
                found: 1
            },
            BvhWarning::CutRow {
                line: 20,
                frame: 1,
                found: 7,
                expected: 9
            }
        ]
    );
    for text in ["-1", "2.5", "two", "0x2"] {
        let error = fails(&with("Frames: 2", &format!("Frames: {text}")));
        assert!(matches!(error, BvhError::Unexpected { line: 17, .. }), "{error}");
    }
}

#[test]
fn frame_times_that_are_none() {
    for (text, found) in [("0", 0.0), ("-0.02", -0.02), ("0.0000", 0.0)] {
        let (bvh, warning) = warns(&with("Time: 0.02", &format!("Time: {text}")));
        assert_eq!((bvh.frames, bvh.frame_time), (2, 1.0 / 30.0));
        assert_eq!(warning, BvhWarning::FrameTimeNotPositive { line: 18, found });
    }
    for missing in [with("Frame Time: 0.02\n", ""), with("Time: 0.02\n", "Time:\n")] {
        let (bvh, warning) = warns(&missing);
        assert_eq!((bvh.frames, bvh.frame_time), (2, 1.0 / 30.0));
        assert_eq!(warning, BvhWarning::FrameTimeMissing { line: 16 });
    }
    for text in ["nan", "inf", "1e400", "1e30"] {
        let error = fails(&with("Time: 0.02", &format!("Time: {text}")));
        assert!(
            matches!(
                error,
                BvhError::NonFiniteHeader {
                    line: 18,
                    what: "Frame Time",
                    ..
                }
            ),
            "{error}"
        );
    }
    let error = fails(&with("Time: 0.02", "Time: fast"));
    assert_eq!(
        error.to_string(),
        "line 18: expected a number of seconds behind Frame Time, found \"fast\""
    );
}

#[test]
fn glued_numbers_and_decimal_commas() {
    let (bvh, warning) = warns(&SAMPLE.replace("30 -40", "30-40").replace("33 -44", "33-44"));
    is_sample(&bvh);
    assert_eq!(warning, BvhWarning::GluedNumbers { line: 19, count: 2 });
    let (bvh, warning) = warns(&with("OFFSET 1.5 80 -2", "OFFSET 1.5+80-2"));
    is_sample(&bvh);
    assert_eq!(warning, BvhWarning::GluedNumbers { line: 4, count: 2 });
    assert_eq!(
        bvh.skeleton.rest_pose().get(JointId(0)).translation,
        Vec3::new(1.5, 80.0, -2.0)
    );
    let (bvh, warning) = warns(
        &SAMPLE
            .replace("1.5", "1,5")
            .replace("12.5", "12,5")
            .replace("0.02", "0,02")
            .replace(" 60", " 60,0"),
    );
    is_sample(&bvh);
    assert_eq!(warning, BvhWarning::DecimalCommas { line: 4, count: 4 });
    let both = read(&SAMPLE.replace("30 -40", "3,0e1-40,000"));
    is_sample(&both);
    assert_eq!(
        both.warnings,
        [
            BvhWarning::GluedNumbers { line: 19, count: 1 },
            BvhWarning::DecimalCommas { line: 19, count: 2 }
        ]
    );
    // Nothing that could be two readings: lists with commas, two points, a thousand's comma.
    for (text, channel) in [
        ("1,81,-3", 0),
        ("1. .5.5", 1),
        ("1.000,5", 0),
        ("1-", 0),
        ("--1", 0),
        ("1e5e5", 0),
    ] {
        let error = fails(&with("1 81 -3 10", text));
        assert!(
            matches!(error, BvhError::NotANumber { line: 19, frame: 0, channel: c, .. } if c == channel),
            "{error}"
        );
    }
}

#[test]
fn values_that_are_not_finite() {
    for text in [
        "NaN",
        "nan",
        "-NaN(ind)",
        "inf",
        "-Infinity",
        "1.#QNAN",
        "-1.#IND00",
        "1e999",
        "-4e38",
    ] {
        let bad = with("11 22 33", &format!("11 {text} 33"));
        let error = fails(&bad);
        let BvhError::NonFinite {
            line: 20,
            frame: 1,
            channel: 4,
            text: found,
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!(*found, format!("{text:?}"));
        let hold = BvhOptions {
            non_finite: NonFinite::Hold,
            ..BvhOptions::default()
        };
        let bvh = parse_with(bad.as_bytes(), &hold).unwrap();
        assert_eq!(bvh.warnings, [BvhWarning::HeldValues { line: 20, count: 1 }]);
        turned(
            local(&bvh, 1, 0),
            &[(DVec3::Y, 11.0), (DVec3::X, 20.0), (DVec3::Z, 33.0)],
        );
        let error = fails(&with("OFFSET 0 12.5 3", &format!("OFFSET 0 12.5 {text}")));
        assert!(
            matches!(
                error,
                BvhError::NonFiniteHeader {
                    line: 8,
                    what: "OFFSET",
                    ..
                }
            ),
            "{error}"
        );
    }
    assert_eq!(
        fails(&with("11 22 33", "11 nan 33")).to_string(),
        "line 20: frame 1, channel 4: \"nan\" is not a finite number"
    );
}

#[test]
fn text_after_the_data_and_in_it() {
    for text in [
        "exported by X, 2 frames",
        "MOTION\nFrames: 2",
        "}",
        "# end",
        "Frame Time: 0.02",
        "\u{1a}",
        "3 frames 4",
    ] {
        let bvh = read(&format!("{SAMPLE}{text}\n"));
        is_sample(&bvh);
        assert!(
            matches!(bvh.warnings[..], [BvhWarning::TextAfterData { line: 21, .. }]),
            "{text}: {:?}",
            bvh.warnings
        );
    }
    // Before the frames are complete it is damage, unless nothing follows that could be one.
    let error = fails(&with("2 82 -4", "pose 2 82 -4"));
    assert_eq!(
        error.to_string(),
        "line 20: frame 1, channel 0: expected a number, found \"pose\""
    );
    let error = fails(&with("11 22 33", "11 2z 33"));
    assert!(
        matches!(
            error,
            BvhError::NotANumber {
                line: 20,
                frame: 1,
                channel: 4,
                ..
            }
        ),
        "{error}"
    );
    let early = read(&with("2 82 -4 11 22 33 -44 55 66", "(transmission ended)"));
    assert_eq!(early.frames, 1);
    assert!(matches!(
        early.warnings[..],
        [
            BvhWarning::FrameCount { .. },
            BvhWarning::TextAfterData { line: 20, .. }
        ]
    ));
    let cut = read(&with("2 82 -4 11 22 33 -44 55 66", "2 82 -4 <br>"));
    assert_eq!(cut.frames, 1);
    assert_eq!(cut.warnings.len(), 3, "{:?}", cut.warnings);
}

#[test]
fn braces_that_are_missing_or_too_many() {
    for (text, line, expected) in [
        (with("  }\n}\nMOTION", "  }\nMOTION"), 15, '}'),
        (with("    }\n  }\n}\nMOTION", "MOTION"), 13, '}'),
        (with("Torso\n  {\n", "Torso\n"), 7, '{'),
        (with("End Site\n    {\n", "End Site\n"), 11, '{'),
    ] {
        let (bvh, warning) = warns(&text);
        is_sample(&bvh);
        assert_eq!(warning, BvhWarning::MissingBrace { line, expected });
    }
    let (bvh, warning) = warns(&with("}\nMOTION", "}\n}\nMOTION"));
    is_sample(&bvh);
    assert_eq!(warning, BvhWarning::ExtraBrace { line: 16 });
    let (bvh, _) = warns(&SAMPLE[..SAMPLE.find("    }\n").unwrap()]);
    assert_eq!(
        (bvh.skeleton.len(), bvh.tips.len(), bvh.has_motion),
        (2, 1, false)
    );
    let second = "ROOT Prop\n{\nOFFSET 9 9 9\nCHANNELS 0\n}\n";
    let (bvh, warning) = warns(&with("  }\n}\nMOTION", &format!("  }}\n{second}MOTION")));
    assert_eq!(bvh.skeleton.parent(JointId(2)), None);
    assert_eq!(
        warning,
        BvhWarning::MissingBrace {
            line: 15,
            expected: '}'
        }
    );
}

#[test]
fn repeated_names_are_kept_and_named() {
    let (bvh, warning) = warns(&with("Torso", "Pelvis"));
    is_sample(&bvh);
    assert_eq!(
        warning,
        BvhWarning::DuplicateName {
            line: 6,
            name: "Pelvis".into(),
            first_line: 2
        }
    );
}

#[test]
fn files_that_have_no_reading_say_where_and_why() {
    for (text, message) in [
        (
            String::new(),
            "line 1: not a BVH file: expected HIERARCHY, found the end of the file",
        ),
        (
            "\n \n".into(),
            "line 3: not a BVH file: expected HIERARCHY, found the end of the file",
        ),
        (
            "\nMD5Version 10".into(),
            "line 2: not a BVH file: expected HIERARCHY, found \"MD5Version\"",
        ),
        (
            "HIERARCHY\n\nMOTION\nFrames: 0".into(),
            "line 3: the hierarchy has no ROOT",
        ),
        ("HIERARCHY".into(), "line 1: the hierarchy has no ROOT"),
        (
            with("Zposition", "Wposition"),
            "line 5: unknown channel \"Wposition\"",
        ),
        (
            with("3 Xrotation", "3 Pitch"),
            "line 9: unknown channel \"Pitch\"",
        ),
        (
            with("CHANNELS 3", "CHANNELS 6"),
            "line 9: CHANNELS 6, but 3 channel names follow",
        ),
        (
            with("CHANNELS 3", "CHANNELS 2"),
            "line 9: CHANNELS 2, but 3 channel names follow",
        ),
        (
            with("CHANNELS 3", "CHANNELS 99999999999"),
            "line 9: CHANNELS 99999999999, but 3 channel names follow",
        ),
        (
            with("CHANNELS 3", "CHANNELS"),
            "line 9: expected the number of channels, found \"Xrotation\"",
        ),
        (
            with("OFFSET 0 12.5 3", "OFFSET 0 12.5"),
            "line 9: expected three numbers behind OFFSET, found \"CHANNELS\"",
        ),
        (
            with("OFFSET 0 12.5 3", "OFFSET 0 12.5 3 4"),
            "line 8: expected OFFSET, CHANNELS, JOINT, End Site or a brace, found \"4\"",
        ),
        (
            with("JOINT Torso", "BONE Torso"),
            "line 6: expected OFFSET, CHANNELS, JOINT, End Site or a brace, found \"BONE\"",
        ),
        (
            with("ROOT Pelvis", "JOINT Pelvis"),
            "line 2: expected ROOT or MOTION, found \"JOINT\"",
        ),
        (
            with("  JOINT Torso", "  CHANNELS 0\nCHANNELS 1 Xrotation\nJOINT Torso"),
            "line 6: expected one CHANNELS for each joint, found \"CHANNELS\"",
        ),
    ] {
        let error = fails(&text);
        assert_eq!(error.to_string(), message);
    }
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend(SAMPLE.encode_utf16().flat_map(u16::to_le_bytes));
    let error = parse(&utf16).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: not a BVH file: expected HIERARCHY, found UTF-16 (save it as UTF-8)"
    );
}
