//! The program `retarget`, run as a person runs it.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use elea_anim::{
    Animation, Joint, JointId, Pose, Skeleton, bvh,
    glam::{Affine3A, Vec3},
    glb, gltf, local_to_model,
};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

/// An empty folder of this test's own.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("retarget_{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn retarget(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_retarget"))
        .args(arguments)
        .output()
        .unwrap()
}

/// A humanoid that stands in a T pose, `size` long legs, joints named `prefix` + Mixamo's names; its motion bends the
/// left knee by `knee` degrees in the second frame. `lying` lays the trunk along the ground: a figure with four legs.
fn figure(prefix: &str, size: f64, knee: f64, lying: bool) -> String {
    let mut text = String::from("HIERARCHY\n");
    let mut joints = 0;
    let mut knee_at = 0;
    let mut open = |text: &mut String, name: &str, at: [f64; 3]| {
        let word = if joints == 0 { "ROOT" } else { "JOINT" };
        let positions = if joints == 0 {
            "6 Xposition Yposition Zposition"
        } else {
            "3"
        };
        let [x, y, z] = at.map(|c| c * size);
        text.push_str(&format!("{word} {prefix}{name}\n{{\nOFFSET {x} {y} {z}\n"));
        text.push_str(&format!("CHANNELS {positions} Zrotation Xrotation Yrotation\n"));
        if name == "LeftLeg" {
            knee_at = joints;
        }
        joints += 1;
    };
    let (trunk, arm) = if lying {
        ([0.0, 0.0, 0.5], [0.0, -0.3, 0.0])
    } else {
        ([0.0, 0.5, 0.0], [0.3, 0.0, 0.0])
    };
    open(&mut text, "Hips", [0.0, 1.0, 0.0]);
    open(&mut text, "Spine", trunk);
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        let out = [arm[0] * x, arm[1], arm[2]];
        open(&mut text, &format!("{side}Arm"), [0.2 * x, 0.0, 0.0]);
        open(&mut text, &format!("{side}ForeArm"), out);
        open(&mut text, &format!("{side}Hand"), out);
        text.push_str("}\n}\n}\n");
    }
    text.push_str("}\n");
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        open(&mut text, &format!("{side}UpLeg"), [0.1 * x, 0.0, 0.0]);
        open(&mut text, &format!("{side}Leg"), [0.0, -0.48, 0.0]);
        open(&mut text, &format!("{side}Foot"), [0.0, -0.48, 0.0]);
        open(&mut text, &format!("{side}ToeBase"), [0.0, -0.04, 0.12]);
        text.push_str("}\n}\n}\n}\n");
    }
    text.push_str("}\nMOTION\nFrames: 2\nFrame Time: 0.04\n");
    for frame in 0..2 {
        let mut values = vec![0.0; 3 + 3 * joints];
        values[1] = size;
        if frame == 1 {
            values[3 + 3 * knee_at + 1] = knee;
        }
        let line: Vec<String> = values.iter().map(f64::to_string).collect();
        text.push_str(&line.join(" "));
        text.push('\n');
    }
    text
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_knee_bends_on_the_other_figure_as_on_the_first() {
    let folder = folder("knee");
    let source = write(&folder, "in.bvh", &figure("mixamorig:", 1.0, 70.0, false));
    let target = write(&folder, "to.bvh", &figure("", 2.5, 0.0, false));
    let out = folder.join("out.bvh").display().to_string();
    let run = retarget(&[&source, "--to", &target, "-o", &out]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let told = String::from_utf8(run.stdout).unwrap();
    assert!(
        told.contains("2 frames") && told.contains("scale 2.5000"),
        "{told}"
    );
    let result = bvh::parse(&fs::read(&out).unwrap()).unwrap();
    assert_eq!((result.frames, result.frame_time), (2, 0.04));
    let joint = result.skeleton.joint("LeftLeg").unwrap();
    let mut pose = result.skeleton.rest_pose().clone();
    for (time, degrees) in [(0.0, 0.0), (0.04, 70.0_f32)] {
        result.animation.sample(&result.skeleton, time, &mut pose);
        let bend = pose.get(joint).rotation.to_axis_angle().1.to_degrees();
        assert!(
            (bend - degrees).abs() < 0.01,
            "{bend} degrees instead of {degrees}"
        );
        let hips = pose.get(result.skeleton.joint("Hips").unwrap()).translation;
        assert!((hips.y - 2.5).abs() < 1e-4, "hips at {hips}");
    }
}

/// Where a joint is at some times.
fn positions(skeleton: &Skeleton, animation: &Animation, joint: &str) -> Vec<Vec3> {
    let joint = skeleton.joint(joint).unwrap();
    let mut pose = Pose::identity(skeleton.len());
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    [0.0, 0.02, 0.04]
        .map(|time| {
            animation.sample(skeleton, time, &mut pose);
            local_to_model(skeleton, &pose, &mut model);
            model[joint.index()].translation.into()
        })
        .to_vec()
}

#[test]
fn glb_files_are_targets_results_and_sources() {
    let folder = folder("glb");
    let source = write(&folder, "in.bvh", &figure("mixamorig:", 1.0, 70.0, false));
    let target = write(&folder, "to.bvh", &figure("", 2.5, 0.0, false));
    let path = |name: &str| folder.join(name).display().to_string();
    let run = |arguments: &[&str]| {
        let run = retarget(arguments);
        let told = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.success(), "{told}");
        told
    };
    run(&[&source, "--to", &target, "-o", &path("out.bvh")]);
    let expected = bvh::parse(&fs::read(path("out.bvh")).unwrap()).unwrap();
    let toe = |file: &gltf::Gltf| positions(&file.skeleton, &file.animations[0], "LeftToeBase");
    let expected = positions(&expected.skeleton, &expected.animation, "LeftToeBase");
    assert!(expected[0].distance(expected[2]) > 0.5, "{expected:?}");
    let is_expected = |found: &[Vec3]| {
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.distance(*expected) < 1e-4, "{found} instead of {expected}");
        }
    };
    // As a result: one motion, named after its file, on a skeleton with a skin.
    run(&[&source, "--to", &target, "-o", &path("out.glb")]);
    let mut out = gltf::load(path("out.glb")).unwrap();
    assert_eq!((&*out.animations[0].name, out.skins.len()), ("in", 1));
    is_expected(&toe(&out));
    // As a target, and as a source.
    run(&[&source, "--to", &path("out.glb"), "-o", &path("again.glb")]);
    is_expected(&toe(&gltf::load(path("again.glb")).unwrap()));
    run(&[&path("out.glb"), "--to", &target, "-o", &path("back.bvh")]);
    let back = bvh::parse(&fs::read(path("back.bvh")).unwrap()).unwrap();
    // Two frames, and one between them: they are more than 1/30 s apart.
    assert_eq!(back.frames, 3);
    is_expected(&positions(&back.skeleton, &back.animation, "LeftToeBase"));
    // Feet that hang on the root, as rigs for inverse kinematics have them, come under their shins.
    let mut joints: Vec<Joint> = out.skeleton.to_joints();
    for side in ["Left", "Right"] {
        let foot = out.skeleton.joint(&format!("{side}Foot")).unwrap();
        let mut at = Vec3::ZERO;
        let mut joint = Some(foot);
        while let Some(id) = joint.filter(|id| *id != JointId(0)) {
            at += out.skeleton.rest_pose().get(id).translation;
            joint = out.skeleton.parent(id);
        }
        joints[foot.index()].parent = Some(JointId(0));
        joints[foot.index()].rest.translation = at;
    }
    out.skeleton = Skeleton::new(joints).unwrap();
    fs::write(path("loose.glb"), glb::write(&out).unwrap()).unwrap();
    let told = run(&[&source, "--to", &path("loose.glb"), "-o", &path("hung.glb")]);
    assert!(told.contains("\"LeftFoot\" was hung under \"LeftLeg\""), "{told}");
    is_expected(&toe(&gltf::load(path("hung.glb")).unwrap()));
    run(&[&path("loose.glb"), "--to", &target, "-o", &path("loose.bvh")]);
    let failed = retarget(&[
        &path("hung.glb"),
        "--to",
        &target,
        "-o",
        &path("no.bvh"),
        "--animation",
        "run",
    ]);
    let told = String::from_utf8(failed.stderr).unwrap();
    let said = "no animation \"run\": name one of these with --animation: ";
    assert!(failed.status.code() == Some(2) && told.contains(said), "{told}");
    let failed = retarget(&[&source, "--to", &target, "-o", &path("out.gltf")]);
    let told = String::from_utf8(failed.stderr).unwrap();
    assert!(told.contains("out.gltf: end the name with .glb"), "{told}");
}

#[test]
fn the_output_is_checked_before_anything_is_read() {
    let folder = folder("output");
    let text = figure("", 1.0, 30.0, false);
    let (source, target) = (write(&folder, "in.bvh", &text), write(&folder, "to.bvh", &text));
    let (ending, replace) = (
        "out.txt: end the name with .bvh or .glb",
        "would replace the file",
    );
    let around = folder.join("../retarget_output/in.bvh").display().to_string();
    for (input, to, out, part) in [
        ("absent.bvh", &target, "out.txt", ending),
        ("absent.bvh", &target, &*target, replace),
        (&*source, &target, &*source, replace),
        (&*source, &target, &*around, replace),
    ] {
        let run = retarget(&[input, "--to", to, "-o", out]);
        let told = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains(part), "\"{part}\" is not in: {told}");
    }
    for path in [&source, &target] {
        assert_eq!(fs::read_to_string(path).unwrap(), text, "nothing is replaced");
    }
    assert!(!Path::new("out.txt").exists(), "nothing is written");
}

#[test]
fn what_is_wrong_is_said_in_one_line_with_file_and_remedy() {
    let folder = folder("wrong");
    let good = write(&folder, "good.bvh", &figure("", 1.0, 30.0, false));
    let joint = |name: &str| format!("JOINT {name}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Zrotation\n");
    let chain = joint("a").replace("JOINT", "ROOT") + &joint("b") + &joint("c") + "}\n}\n}\n";
    let no_hips = format!("HIERARCHY\n{chain}MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3\n");
    // Without the left arm's joints, and without the motion that has values for them.
    let whole = figure("", 1.0, 30.0, false);
    let (before, behind) = (
        whole.split("JOINT LeftArm").next().unwrap(),
        whole.split("JOINT RightArm").nth(1).unwrap(),
    );
    let no_arm = format!("{before}JOINT RightArm{}", behind.split("MOTION").next().unwrap());
    let no_motion = whole.split("MOTION").next().unwrap().to_owned();
    let cases = [
        ("absent.bvh", None, vec!["absent.bvh", "check the path"]),
        (
            "empty.bvh",
            Some(String::new()),
            vec!["line 1", "empty", "give a BVH file"],
        ),
        (
            "text.bvh",
            Some("once upon\na time".into()),
            vec!["line 1", "not a BVH file"],
        ),
        (
            "hero.md5mesh",
            Some("MD5Version 10\ncommandline \"\"\n".into()),
            vec!["hero.md5mesh", "MD5", "program convert"],
        ),
        (
            "run.md5anim",
            Some("MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 0\n".into()),
            vec!["run.md5anim", "MD5", "program convert"],
        ),
        (
            "mark.gltf",
            // JSON behind a byte order mark, of a version that nobody reads.
            Some("\u{feff}{\"asset\": {\"version\": \"9.0\"}}".into()),
            vec!["mark.gltf", "version", "export it again"],
        ),
        (
            "cut.bvh",
            Some("HIERARCHY\nROOT a\n{\nOFFSET 0 x 0\n".into()),
            vec!["line 4"],
        ),
        (
            "no_hips.bvh",
            Some(no_hips),
            vec!["no_hips.bvh", "no joint for hips", "--map-in"],
        ),
        (
            "no_arm.bvh",
            Some(no_arm),
            vec!["no joint for l_upperarm", "--map-in"],
        ),
        ("still.bvh", Some(no_motion), vec!["still.bvh", "no frames"]),
        (
            "four_legs.bvh",
            Some(figure("", 1.0, 30.0, true)),
            vec!["four_legs.bvh", "four legs", "humanoid"],
        ),
    ];
    for (name, text, words) in cases {
        let path = match &text {
            Some(text) => write(&folder, name, text),
            None => folder.join(name).display().to_string(),
        };
        let out = folder.join("out.bvh").display().to_string();
        let run = retarget(&[&path, "--to", &good, "-o", &out]);
        let told = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{name}: {told}");
        assert_eq!(told.lines().count(), 1, "{name}: {told}");
        for word in words {
            assert!(told.contains(word), "{name}: \"{word}\" is not in: {told}");
        }
        assert!(!Path::new(&out).exists(), "{name}: nothing is written");
    }
    let out = folder.join("out.bvh").display().to_string();
    for (option, value, words) in [
        (
            "--scale=-1",
            None,
            ["option scale is -1", "give another on the command line"],
        ),
        (
            "--map-in",
            Some("absent.json"),
            ["absent.json: ", "check the file of --map-in"],
        ),
        (
            "--map-out",
            Some(&*good),
            ["a map is a JSON object", "check the file of --map-out"],
        ),
    ] {
        let arguments = [&*good, "--to", &*good, "-o", &*out, option]
            .into_iter()
            .chain(value);
        let run = retarget(&arguments.collect::<Vec<_>>());
        let told = String::from_utf8(run.stderr).unwrap();
        assert_eq!((run.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(
            words.iter().all(|word| told.contains(word)),
            "{words:?} in {told}"
        );
        assert!(!Path::new(&out).exists(), "{option}: nothing is written");
    }
}

#[test]
fn a_map_by_hand_takes_the_place_of_names() {
    let folder = folder("map");
    let strange = figure("", 1.0, 50.0, false).replace("LeftForeArm", "Stump");
    let source = write(&folder, "in.bvh", &strange);
    let target = write(&folder, "to.bvh", &figure("", 1.0, 0.0, false));
    let out = folder.join("out.bvh").display().to_string();
    let mut map = serde_json::Map::new();
    let sides = [("l_", "Left"), ("r_", "Right")];
    let parts = [
        ("upperarm", "Arm"),
        ("forearm", "ForeArm"),
        ("hand", "Hand"),
        ("thigh", "UpLeg"),
        ("shin", "Leg"),
        ("foot", "Foot"),
    ];
    map.insert("hips".into(), "Hips".into());
    for (short, long) in sides {
        for (part, name) in parts {
            map.insert(format!("{short}{part}"), format!("{long}{name}").into());
        }
    }
    map.insert("l_forearm".into(), "Stump".into());
    let file = write(&folder, "map.json", &serde_json::to_string(&map).unwrap());
    let run = retarget(&[&source, "--to", &target, "-o", &out, "--map-in", &file]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    map.insert("l_forearm".into(), "Nowhere".into());
    let file = write(&folder, "bad.json", &serde_json::to_string(&map).unwrap());
    let run = retarget(&[&source, "--to", &target, "-o", &out, "--map-in", &file]);
    let told = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{told}");
    assert!(told.contains("l_forearm") && told.contains("Nowhere"), "{told}");
}

#[test]
fn every_public_humanoid_clip_comes_out_finite_and_as_it_was() {
    let motion = Path::new(SHARED).join("motion");
    if !motion.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not here", motion.display());
        return;
    }
    let folder = folder("clips");
    let target = motion.join("mpfb/game_engine_rest.bvh").display().to_string();
    let mut clips = 0;
    for entry in fs::read_dir(&motion)
        .unwrap()
        .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
    {
        let path = entry.unwrap().path();
        let source = path.display().to_string();
        let out = folder.join("out.bvh").display().to_string();
        let run = retarget(&[&source, "--to", &target, "-o", &out]);
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        if source.ends_with("sinusoidal.bvh") {
            assert_eq!(run.status.code(), Some(2), "a toy chain is no humanoid: {told}");
            continue;
        }
        assert!(run.status.success(), "{source}: {told}");
        let summary = String::from_utf8(run.stdout).unwrap();
        let degrees = summary
            .split("off by ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        assert!(degrees.unwrap().parse::<f32>().unwrap() <= 1.0, "{summary}");
        let result = bvh::parse(&fs::read(&out).unwrap()).unwrap();
        let mut pose = result.skeleton.rest_pose().clone();
        result
            .animation
            .sample(&result.skeleton, result.animation.end(), &mut pose);
        assert!(pose.is_finite(), "{source}");
        clips += 1;
    }
    assert_eq!(clips, 21);
}
