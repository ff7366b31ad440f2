//! What a BVH file may look like, each rule on a small file.
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::{
    JointId,
    bvh::{
        Axis, Bvh, BvhChannel, BvhError, BvhOptions, BvhWarning, Positions, Strictness, parse, parse_with,
    },
    glam::{DVec3, Vec3},
};

use bvh_sample::{SAMPLE, fails, is_sample, local, read, turned, warns, with};

mod bvh_sample;

#[test]
fn clean_files_in_any_spelling() {
    let (head, rows) = SAMPLE.split_once("1 81").unwrap();
    let rows = format!("1 81{rows}");
    let all_lower = SAMPLE
        .to_lowercase()
        .replace("pelvis", "Pelvis")
        .replace("torso", "Torso");
    for text in [
        SAMPLE.to_owned(),
        SAMPLE.replace('\n', "\r\n"),
        SAMPLE.replace('\n', "\r"),
        format!("{}{}", head.replace('\n', "\r\n"), rows),
        format!("\u{feff}{SAMPLE}"),
        format!("\n\n  {SAMPLE}\n\n\t\n"),
        all_lower,
        SAMPLE
            .to_uppercase()
            .replace("PELVIS", "Pelvis")
            .replace("TORSO", "Torso"),
        SAMPLE.trim_end().to_owned(),
        SAMPLE.replace("  ", "\t"),
        with("Frames: 2\n", "Frames 2\n"),
        with("Frames: 2\n", "Frames:2\n"),
        with("Frames: 2\n", "Frames :\t2\n"),
        with("Frames: 2\n", "Frame: 2\n"),
        with("Frame Time: 0.02", "FrameTime:.02"),
        with("Frame Time: 0.02", "Frame  Time  2E-2"),
        with("Frame Time: 0.02", "FRAME TIME : +0.020"),
        with("Frame Time: 0.02", "Frame Time:\n0.02"),
        with("Frames: 2\nFrame Time: 0.02\n", "Frame Time: 0.02\nFrames: 2\n"),
        with("Frames: 2\nFrame Time: 0.02\n", "Frames: 2 Frame Time: 0.02 "),
        format!("{head}{}", rows.replace(' ', "\n")),
        format!("{head}{}", rows.replace('\n', "\t\r")),
        format!("{head}{}", rows.replace(' ', "   ")),
        format!("{head}1.0e0 8.1E+1 -300e-2 10. 2.0e1 +30 -4.0E1 5E1 60\n2 82 -4 11 22 33 -44 55 66"),
        with("Pelvis\n{", "Pelvis {"),
        with("Pelvis\n{", "Pelvis{"),
        with("Torso\n  {\n    OFFSET 0 12.5 3\n", "Torso {   OFFSET 0 12.5 3  "),
        with(
            "    End Site\n    {\n      OFFSET 0 25 0\n    }\n  }\n}",
            "End Site { OFFSET 0 25 0 } } }",
        ),
        with(
            "    OFFSET 0 12.5 3\n    CHANNELS 3 Xrotation Zrotation Yrotation\n",
            "CHANNELS 3 Xrotation Zrotation Yrotation\nOFFSET 0 12.5 3\n",
        ),
        with(
            "CHANNELS 3 Xrotation Zrotation",
            "CHANNELS\n3 Xrotation\nZrotation",
        ),
        with("    End Site\n", "    EndSite\n"),
    ] {
        let bvh = read(&text);
        assert_eq!(bvh.warnings, [], "{text}");
        is_sample(&bvh);
        assert_eq!(bvh.skeleton.name(JointId(1)), "Torso", "{text}");
        let strict = BvhOptions {
            strictness: Strictness::Strict,
            ..BvhOptions::default()
        };
        assert!(parse_with(text.as_bytes(), &strict).is_ok(), "{text}");
    }
}

#[test]
fn names_keep_blanks_colons_and_any_script() {
    for name in [
        "Bip01 L Thigh",
        "mixamorig:Hips",
        "腰",
        "a|b:c-d.e",
        "Tête",
        "}odd{ name",
        "Frames: 2",
        "JOINT",
    ] {
        let bvh = read(&with("Torso", &format!("  {name}\t ")));
        assert_eq!((bvh.skeleton.name(JointId(1)), bvh.warnings.len()), (name, 0));
    }
    let mut bytes = with("Torso", "Bras_arri?re").into_bytes();
    let at = bytes.iter().position(|&byte| byte == b'?').unwrap();
    bytes[at] = 0xe8;
    let bvh = parse(&bytes).unwrap();
    assert_eq!(bvh.skeleton.name(JointId(1)), "Bras_arrière");
    assert_eq!(bvh.warnings, [BvhWarning::NotUtf8 { line: 6, count: 1 }]);
    is_sample(&bvh);
}

#[test]
fn end_sites_keep_their_names_and_number() {
    let two = "    End Site\n    {\n OFFSET 1 2 3\n }\n End Site Nose Tip\n {\n OFFSET 4 5 6 \n }\n end site: x\n{\nOFFSET 7 8 9\n}\n";
    let bvh = read(&with("    End Site\n    {\n      OFFSET 0 25 0\n    }\n", two));
    let tips: Vec<_> = bvh
        .tips
        .iter()
        .map(|tip| (tip.joint.0, tip.name.as_deref(), tip.offset.to_array()))
        .collect();
    assert_eq!(
        tips,
        [
            (1, None, [1.0, 2.0, 3.0]),
            (1, Some("Nose Tip"), [4.0, 5.0, 6.0]),
            (1, Some("x"), [7.0, 8.0, 9.0])
        ]
    );
    let none = read(&with("    End Site\n    {\n      OFFSET 0 25 0\n    }\n", ""));
    assert_eq!((none.tips.len(), none.warnings.len()), (0, 0));
    for nested in [
        "End Site\n{\nOFFSET 1 2 3\n}\n",
        "JOINT x\n{\nOFFSET 1 2 3\n}\n",
        "CHANNELS 1 Xrotation\n",
    ] {
        let error = fails(&with(
            "      OFFSET 0 25 0\n",
            &format!("OFFSET 0 25 0\n{nested}"),
        ));
        assert!(
            matches!(error, BvhError::NestedEndSite { line: 13, .. }),
            "{error}"
        );
    }
}

#[test]
fn channels_in_any_number_and_order() {
    let chain = |channels: &str, row: &str| {
        read(&format!(
            "HIERARCHY ROOT a {{ OFFSET 5 6 7 CHANNELS {channels} }} MOTION Frames: 1 Frame Time: 1 {row}"
        ))
    };
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    turned(
        local(&chain("3 Zrotation Xrotation Zrotation", "10 20 30"), 0, 0),
        &[(z, 10.0), (x, 20.0), (z, 30.0)],
    );
    turned(local(&chain("1 Yrotation", "-70"), 0, 0), &[(y, -70.0)]);
    turned(
        local(&chain("2 Yrotation Xrotation", "-70 5"), 0, 0),
        &[(y, -70.0), (x, 5.0)],
    );
    turned(
        local(
            &chain("5 Xrotation Xrotation Yrotation Zrotation Yrotation", "1 2 3 4 5"),
            0,
            0,
        ),
        &[(x, 3.0), (y, 3.0), (z, 4.0), (y, 5.0)],
    );
    // Whole turns, and an angle of many.
    turned(
        local(&chain("2 Zrotation Xrotation", "730 -1080.5"), 0, 0),
        &[(z, 10.0), (x, -0.5)],
    );
    turned(local(&chain("1 Zrotation", "36000000090"), 0, 0), &[(z, 90.0)]);
    // Positions between and behind the rotations move outside of them, whatever the order.
    let mixed = local(
        &chain(
            "6 Xrotation Zposition Yrotation Xposition Zrotation Yposition",
            "10 107 20 105 30 106",
        ),
        0,
        0,
    );
    turned(mixed, &[(x, 10.0), (y, 20.0), (z, 30.0)]);
    // Distance from the OFFSET 173, from zero 183: they replace.
    assert_eq!(mixed.translation, Vec3::new(105.0, 106.0, 107.0));
    // An axis without a channel keeps its OFFSET in both meanings.
    let partial = chain("1 Yposition", "6.5");
    assert!(
        !partial.joints[0].replaces_offset,
        "10.5 from OFFSET, 6.5 from zero"
    );
    assert_eq!(local(&partial, 0, 0).translation, Vec3::new(5.0, 12.5, 7.0));
    let none = chain("0", "");
    assert_eq!(
        (none.frames, none.channels(), none.animation.channels.len()),
        (0, 0, 0)
    );
}

#[test]
fn positions_replace_or_add_by_the_median() {
    let file = |rows: &str| {
        let head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{\nOFFSET 0 10 0\nCHANNELS 3 Xposition Yposition Zposition\n}\n}\nMOTION\n";
        let frames = rows.split_whitespace().count() / 3;
        format!("{head}Frames: {frames}\nFrame Time: 0.1\n{rows}\n")
    };
    // Two of three frames are near the OFFSET.
    let replacing = file("0 9 0  0 1 0  1 11 0");
    // With an even number the middle is between two: 9.5 from zero, 9.4 from the OFFSET, and the other way round.
    let even = file("0 0.4 0  0 0.2 0  0 19.6 0  0 19.2 0");
    let adding = file("0 1 0  0 0 2  0 9 0");
    let y = |bvh: &Bvh| [0, 1].map(|frame| local(bvh, frame, 1).translation.y);
    for (text, replaces, wanted) in [
        (&replacing, true, [9.0, 1.0]),
        (&adding, false, [11.0, 10.0]),
        (&even, true, [0.4, 0.2]),
    ] {
        let bvh = read(text);
        assert_eq!(
            (bvh.joints[1].replaces_offset, bvh.warnings.len()),
            (replaces, 0),
            "{text}"
        );
        assert_eq!(y(&bvh), wanted, "{text}");
    }
    for (positions, wanted) in [(Positions::Replace, [1.0, 0.0]), (Positions::Add, [11.0, 10.0])] {
        let bvh = parse_with(
            adding.as_bytes(),
            &BvhOptions {
                positions,
                ..BvhOptions::default()
            },
        )
        .unwrap();
        assert_eq!(y(&bvh), wanted);
        assert_eq!(
            (bvh.joints[1].replaces_offset, bvh.positions),
            (positions == Positions::Replace, positions)
        );
    }
}

#[test]
fn several_roots_and_no_motion() {
    let (head, motion) = SAMPLE.split_once("MOTION").unwrap();
    let second = "ROOT Prop\n{\nOFFSET 9 9 9\nCHANNELS 1 Zrotation\n}\n";
    let row = "1 81 -3 10 20 30 -40 50 60";
    let bvh = read(&format!(
        "{head}{second}MOTION{}",
        motion
            .replace(row, &format!("{row} 5"))
            .replace("55 66", "55 66 6")
    ));
    assert_eq!(bvh.skeleton.parents(), [None, Some(JointId(0)), None]);
    is_sample_without_count(&bvh);
    turned(local(&bvh, 1, 2), &[(DVec3::Z, 6.0)]);
    let none = read(head);
    assert_eq!((none.has_motion, none.frames, none.warnings.len()), (false, 0, 0));
    assert_eq!(none.channels(), 9);
    let empty = read(&format!("{head}MOTION\nFrames: 0\nFrame Time: 0.5\n"));
    assert_eq!(
        (
            empty.has_motion,
            empty.frames,
            empty.frame_time,
            empty.warnings.len()
        ),
        (true, 0, 0.5, 0)
    );
}

fn is_sample_without_count(bvh: &Bvh) {
    turned(
        local(bvh, 1, 1),
        &[(DVec3::X, -44.0), (DVec3::Z, 55.0), (DVec3::Y, 66.0)],
    );
}

#[test]
fn scale_channels_are_a_scale() {
    let text = |scale: &str| {
        let text = with(
            "CHANNELS 3 Xrotation Zrotation Yrotation",
            "CHANNELS 6 Xrotation Zrotation Yrotation Xscale Yscale Zscale",
        );
        text.replace("50 60", &format!("50 60 {scale}"))
            .replace("55 66", "55 66 1 1 1")
    };
    for (scale, value, all_one) in [
        ("1 1.0 1", Vec3::ONE, true),
        ("2 0.5 -1", Vec3::new(2.0, 0.5, -1.0), false),
    ] {
        let (bvh, warning) = warns(&text(scale));
        assert_eq!(local(&bvh, 0, 1).scale, value);
        assert_eq!(
            warning,
            BvhWarning::ScaleChannels {
                line: 6,
                joint: "Torso".into(),
                all_one
            }
        );
        turned(
            local(&bvh, 1, 1),
            &[(DVec3::X, -44.0), (DVec3::Z, 55.0), (DVec3::Y, 66.0)],
        );
    }
    let one = read(&with(
        "CHANNELS 3 Xrotation Zrotation Yrotation",
        "CHANNELS 3 Xrotation Zrotation Yscale",
    ));
    assert_eq!(local(&one, 0, 1).scale, Vec3::new(1.0, 60.0, 1.0));
    assert_eq!(one.joints[1].channels[2], BvhChannel::Scale(Axis::Y));
}
