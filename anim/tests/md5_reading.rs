//! Reading MD5: small files whose contents follow from a drawing, damage, and files from outside.
#![allow(
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    reason = "tests"
)]

use std::{fs, io::Write as _, path::Path};

use elea_anim::{
    JointId, Pose, SkinBinding, SkinInput, SkinOutput, Transform,
    glam::{Affine3A, Quat, Vec2, Vec3, Vec4},
    local_to_model,
    md5::{Md5Anim, Md5Error, Md5Mesh, parse_anim, parse_mesh},
    palette, skin,
};

use md5_sample::{ANIM, MESH, with};

mod md5_sample;

fn mesh(text: &str) -> Md5Mesh {
    parse_mesh(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

fn anim(text: &str) -> Md5Anim {
    parse_anim(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

#[track_caller]
fn near(found: Vec3, wanted: [f32; 3]) {
    assert!(
        found.distance(Vec3::from(wanted)) < 2e-6,
        "{found}, not {wanted:?}"
    );
}

/// Length of the difference of two rotations, of whichever sign.
fn off(found: Quat, wanted: Quat) -> f32 {
    (found - wanted).length().min((found + wanted).length())
}

fn quarter(axis: Vec3) -> Quat {
    Quat::from_axis_angle(axis, std::f32::consts::FRAC_PI_2)
}

#[test]
fn a_mesh_stands_where_it_was_drawn() {
    let mesh = mesh(MESH);
    assert_eq!(mesh.command_line, "by hand");
    let skeleton = &mesh.skeleton;
    assert_eq!(skeleton.parents(), [None, Some(JointId(0))]);
    assert_eq!(
        skeleton
            .joints()
            .map(|joint| skeleton.name(joint))
            .collect::<Vec<_>>(),
        ["origin", "tip"]
    );
    // The file has the joints in model space: the tip is 4 along y, which is the origin's x.
    let [origin, tip] = [0, 1].map(|joint| skeleton.rest_pose().get(JointId(joint)));
    near(origin.translation, [0.0, 0.0, 2.0]);
    near(tip.translation, [4.0, 0.0, 0.0]);
    assert!(off(origin.rotation, quarter(Vec3::Z)) < 1e-6);
    assert!(off(origin.rotation * tip.rotation, quarter(Vec3::X)) < 1e-6);
    let [surface] = &mesh.surfaces[..] else { panic!() };
    assert_eq!(
        (surface.shader.as_str(), &surface.triangles[..]),
        ("models/stone", &[[0, 2, 1]][..])
    );
    assert_eq!(surface.vertices[1].uv, Vec2::new(0.5, 0.25));
    let mut model = vec![Affine3A::IDENTITY; 2];
    local_to_model(skeleton, skeleton.rest_pose(), &mut model);
    // (1, 2, 3) turned by 90 degrees about z and lifted by 2.
    near(surface.position(0, &model), [-2.0, 1.0, 5.0]);
    // A quarter of (0, 4, 2), the tip's origin three quarters: the same place.
    near(surface.position(1, &model), [0.0, 4.0, 2.0]);
    // (1, 2, 3) turned by 90 degrees about x, from (0, 4, 2).
    near(surface.position(2, &model), [1.0, 1.0, 4.0]);
}

#[test]
fn a_surface_becomes_a_skinned_mesh_that_moves_alike() {
    let mesh = mesh(MESH);
    let (skinned, report) = mesh.surfaces[0].to_skinned_mesh(&mesh.skeleton).unwrap();
    skinned.check().unwrap();
    assert!(
        report.weights.is_clean() && report.dropped_weights == 0 && report.spread < 1e-6,
        "{report:?}"
    );
    assert_eq!(
        (skinned.influences.per_vertex(), &skinned.triangles[..]),
        (2, &[[0, 1, 2]][..])
    );
    let [a, b, c] = [0, 1, 2].map(|vertex| skinned.positions[vertex]);
    let across = (b - a).cross(c - a).normalize();
    assert!(
        skinned
            .normals
            .iter()
            .all(|normal| normal.distance(across) < 1e-6)
    );
    let mut pose = mesh.skeleton.rest_pose().clone();
    pose.set_rotation(JointId(0), Quat::from_rotation_y(0.7));
    pose.set_rotation(JointId(1), Quat::from_rotation_x(-1.9));
    let mut model = vec![Affine3A::IDENTITY; 2];
    local_to_model(&mesh.skeleton, &pose, &mut model);
    let binding = SkinBinding::from_rest_pose(&mesh.skeleton).unwrap();
    let mut rows = vec![[Vec4::ZERO; 3]; 2];
    palette(&model, &binding, &mut rows);
    let mut positions = vec![Vec3::ZERO; 3];
    let input = SkinInput {
        positions: &skinned.positions,
        normals: &[],
        tangents: &[],
        influences: &skinned.influences,
    };
    let output = SkinOutput {
        positions: &mut positions,
        normals: &mut [],
        tangents: &mut [],
    };
    skin(&rows, input, output);
    for (vertex, position) in positions.iter().enumerate() {
        near(*position, mesh.surfaces[0].position(vertex, &model).to_array());
    }
}

#[test]
fn what_a_skinned_mesh_cannot_keep_is_reported() {
    let apart = mesh(&with(
        MESH,
        "weight 2 1 0.75 ( 0 0 0 )",
        "weight 2 1 0.75 ( 0 0 3 )",
    ));
    let (_, report) = apart.surfaces[0].to_skinned_mesh(&apart.skeleton).unwrap();
    // The point that is 3 away weighs 3/4, so that the vertex is 9/4 from the other one.
    assert!((report.spread - 2.25).abs() < 1e-5, "{report:?}");
    let mesh = mesh(&with(MESH, "weight 0 0 1 (", "weight 0 0 0.5 ("));
    let (skinned, report) = mesh.surfaces[0].to_skinned_mesh(&mesh.skeleton).unwrap();
    assert_eq!((report.weights.renormalized, report.dropped_weights), (1, 0));
    assert_eq!(skinned.influences.of(0).collect::<Vec<_>>(), [(0, 1.0), (0, 0.0)]);
    let ten: String = (0..10)
        .map(|weight| format!("weight {weight} 0 0.{weight} ( 0 0 0 )\n"))
        .collect();
    let many = MESH
        .replace("numverts 3", "numverts 1")
        .replace("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) 0 10")
        .replace("	vert 1 ( 0.5 0.25 ) 1 2\n	vert 2 ( 1 1 ) 3 1\n", "")
        .replace("numtris 1\n	tri 0 0 2 1", "numtris 0")
        .replace("numweights 4", &format!("numweights 10\n{ten}"));
    let many = &many[..many.find("	weight 0 0 1").unwrap()];
    let mesh = self::mesh(&format!("{many}}}"));
    let (skinned, report) = mesh.surfaces[0].to_skinned_mesh(&mesh.skeleton).unwrap();
    assert_eq!((report.dropped_weights, skinned.influences.per_vertex()), (2, 8));
    // 0.9 of 0.9 + 0.8 + ... + 0.2 = 4.4.
    let largest = skinned.influences.of(0).next().unwrap().1;
    assert!((largest - 0.9 / 4.4).abs() < 1e-6, "{largest}");
    let negative = with(MESH, "0.25 (", "-0.25 (");
    let mesh = self::mesh(&negative);
    assert!(mesh.surfaces[0].to_skinned_mesh(&mesh.skeleton).is_err());
}

fn local(anim: &Md5Anim, frame: usize, joint: u16) -> Transform {
    let mut pose = Pose::identity(anim.skeleton.len());
    let time = (frame as f64 / anim.frame_rate) as f32;
    anim.animation.sample(&anim.skeleton, time, &mut pose);
    pose.get(JointId(joint))
}

#[test]
fn a_motion_takes_what_it_does_not_animate_from_the_base_frame() {
    let anim = anim(ANIM);
    assert_eq!(
        (anim.frames, anim.frame_rate, anim.bounds.len(), anim.components),
        (3, 10.0, 3, 5)
    );
    assert_eq!(
        anim.bounds[1],
        [Vec3::new(-2.0, -2.0, -3.0), Vec3::new(1.0, 2.0, 3.0)]
    );
    assert_eq!((anim.animation.start(), anim.animation.end()), (0.0, 0.2));
    for (frame, [x, z]) in [[1.0, 3.0], [2.0, 5.0], [3.0, 4.0]].into_iter().enumerate() {
        let origin = local(&anim, frame, 0);
        assert_eq!(origin.translation, Vec3::new(x, 8.0, z));
        assert!(off(origin.rotation, quarter(Vec3::Z)) < 1e-6);
        assert_eq!(local(&anim, frame, 1).translation, Vec3::new(4.0, 0.0, 0.0));
    }
    let turned = |frame, wanted: Quat| {
        let found = local(&anim, frame, 1).rotation;
        assert!(off(found, wanted) < 1e-6, "frame {frame}: {found}");
    };
    turned(0, Quat::IDENTITY);
    turned(1, quarter(Vec3::X));
    // y is 1, nothing is left for w: half a turn.
    turned(2, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0));
    assert_eq!(
        anim.skeleton.rest_pose().get(JointId(0)).translation,
        Vec3::new(9.0, 8.0, 7.0)
    );
    // Only what the flags name is animated.
    assert_eq!(anim.animation.channels.len(), 2);
}

#[test]
fn w_is_never_positive_and_never_nan() {
    for (text, wanted) in [
        ("0 0 0", Quat::from_xyzw(0.0, 0.0, 0.0, -1.0)),
        ("0.6 0 0", Quat::from_xyzw(0.6, 0.0, 0.0, -0.8)),
        ("0.48 -0.6 0", Quat::from_xyzw(0.48, -0.6, 0.0, -0.64)),
        // Above one by rounding, and far above.
        ("0 0 1.0000001", Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)),
        ("3 -4 0", Quat::from_xyzw(0.6, -0.8, 0.0, 0.0)),
        ("1e37 0 0", Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
    ] {
        let text = with(ANIM, "( 0 0 -0.70710678118654752 )", &format!("( {text} )"));
        let found = anim(&text).skeleton.rest_pose().get(JointId(0)).rotation;
        assert!((found - wanted).length() < 1e-7, "{found}, not {wanted}");
    }
}

#[test]
fn line_ends_blanks_comments_and_encodings_mean_nothing() {
    let (plain_mesh, plain_anim) = (mesh(MESH), anim(ANIM));
    let variants = |text: &str| {
        [
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
            format!("\u{feff}{text}"),
            text.replace('\n', "\n\n  // a { comment } \" (\n"),
            text.replace('\n', "\n/* one\n \" more */\n"),
        ]
    };
    for text in variants(MESH) {
        assert_eq!(mesh(&text), plain_mesh, "{text}");
    }
    for text in variants(ANIM) {
        assert_eq!(anim(&text), plain_anim, "{text}");
    }
    // No blanks but where words would grow together, and comments that touch a number.
    let tight = with(MESH, "\"tip\"	0 ( 0 4 2 ) (", "\"tip\"0(0 4 2)(");
    assert_eq!(mesh(&tight), plain_mesh);
    let touching = with(MESH, "numweights 4\n", "numweights 4// four\n");
    assert_eq!(mesh(&touching), plain_mesh);
    let without = with(ANIM, "commandline \"by hand\"\n", "");
    assert_eq!(anim(&without).command_line, "");
    let unicode = with(MESH, "\"tip\"", "\"gauche : épaule 左\"");
    assert_eq!(mesh(&unicode).skeleton.name(JointId(1)), "gauche : épaule 左");
    let mut latin = with(MESH, "\"tip\"", "\"?paule\"").into_bytes();
    let at = latin.iter().position(|&byte| byte == b'?').unwrap();
    latin[at] = 0xe9;
    assert_eq!(parse_mesh(&latin).unwrap().skeleton.name(JointId(1)), "épaule");
    let backslash = with(MESH, "\"by hand\"", "\"mesh C:\\models\\\"");
    assert_eq!(mesh(&backslash).command_line, "mesh C:\\models\\");
}

#[test]
fn empty_files_of_either_kind() {
    let empty = mesh("MD5Version 10 numJoints 0 numMeshes 0 joints { }");
    assert!(empty.skeleton.is_empty() && empty.surfaces.is_empty());
    let still = with(
        &ANIM[..ANIM.find("frame 0").unwrap()].replace("numFrames 3", "numFrames 0"),
        "	( -1 -2 -3 ) ( 1 2 3 )\n	( -2 -2 -3 ) ( 1 2 3 )\n	( -3 -2 -3 ) ( 1 2 3 )\n",
        "",
    );
    let still = anim(&still);
    assert_eq!(
        (still.frames, still.animation.channels.len(), still.skeleton.len()),
        (0, 0, 2)
    );
}

#[test]
fn every_mesh_error_names_its_line() {
    for (old, new, message) in [
        (
            "MD5Version 10",
            "MD5Version 6",
            "line 1: MD5 version 6; only version 10 is known",
        ),
        (
            "MD5Version 10",
            "HIERARCHY",
            "line 1: not an MD5 file: it begins with \"HIERARCHY\", not with MD5Version",
        ),
        (
            "MD5Version 10",
            "MD5Version ten",
            "line 1: expected an integer, found \"ten\"",
        ),
        (
            "\"by hand\"",
            "\"by hand",
            "line 2: expected text in quotes, found a quote that is not closed in its line",
        ),
        (
            "numJoints 2",
            "numJoints 3",
            "line 10: 3 joints declared, but 2 found",
        ),
        (
            "numJoints 2",
            "numJoints -1",
            "line 10: -1 joints declared, but 2 found",
        ),
        (
            "numJoints 2",
            "numJoints 99999999999999999999",
            "line 4: expected an integer, found \"99999999999999999999\"",
        ),
        (
            "numMeshes 1",
            "numMeshes 2",
            "line 30: 2 meshes declared, but 1 found",
        ),
        (
            "\"tip\"	0",
            "\"tip\"	1",
            "line 9: there is no earlier joint 1 (there are 1)",
        ),
        (
            "\"tip\"	0",
            "\"tip\"	-2",
            "line 9: there is no earlier joint -2 (there are 1)",
        ),
        (
            "( 0 4 2 )",
            "( 0 nan 2 )",
            "line 9: \"nan\" is not a finite number",
        ),
        (
            "( 0 4 2 )",
            "( 0 1e39 2 )",
            "line 9: \"1e39\" is not a finite number",
        ),
        ("( 0 4 2 )", "( 0 4 )", "line 9: expected a number, found \")\""),
        ("( 0 4 2 )", "( 0 4 2 1 )", "line 9: expected ), found \"1\""),
        (
            "( 0 4 2 )",
            "( 0 4,5 2 )",
            "line 9: expected a number, found \"4,5\"",
        ),
        (
            "shader \"models/stone\"",
            "shader models/stone",
            "line 14: expected text in quotes, found \"models/stone\"",
        ),
        (
            "numverts 3",
            "numverts 4",
            "line 21: 4 vertices declared, but 3 found",
        ),
        ("vert 1 (", "vert 2 (", "line 18: vertex 2 where 1 comes next"),
        (
            "vert 1 ( 0.5 0.25 ) 1 2",
            "vert 1 ( 0.5 0.25 ) 1 4",
            "line 18: there is no weight 4 (there are 4)",
        ),
        (
            "vert 1 ( 0.5 0.25 ) 1 2",
            "vert 1 ( 0.5 0.25 ) 4294967295 4294967295",
            "line 18: there is no weight 8589934589 (there are 4)",
        ),
        (
            "vert 1 ( 0.5 0.25 ) 1 2",
            "vert 1 ( 0.5 0.25 ) -1 2",
            "line 18: expected the index of a weight, found \"-1\"",
        ),
        (
            "tri 0 0 2 1",
            "tri 0 0 3 1",
            "line 22: there is no vertex 3 (there are 3)",
        ),
        (
            "tri 0 0 2 1",
            "tri 4294967295 0 2 1",
            "line 22: triangle 4294967295 where 0 comes next",
        ),
        (
            "weight 2 1",
            "weight 2 2",
            "line 27: there is no joint 2 (there are 2)",
        ),
        (
            "weight 2 1",
            "weight 2 999",
            "line 27: there is no joint 999 (there are 2)",
        ),
        (
            "3 1 1 ( 1 2 3 )\n}",
            "3 1 1 ( 1 2 3 )\n",
            "line 30: expected }, found the end of the file",
        ),
        (
            "mesh {",
            "mash {",
            "line 12: expected mesh or the end of the file, found \"mash\"",
        ),
    ] {
        let error = parse_mesh(with(MESH, old, new).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(
            message.starts_with(&format!("line {}: ", error.line())),
            "{error:?}"
        );
    }
    // A file that ends anywhere is an error, never a smaller mesh.
    for end in 0..MESH.trim_end().len() {
        assert!(parse_mesh(&MESH.as_bytes()[..end]).is_err(), "{end}");
    }
}

#[test]
fn files_of_another_kind_are_named() {
    let no_file = parse_anim(b"\n").unwrap_err().to_string();
    assert_eq!(
        no_file,
        "line 2: not an MD5 file: it begins with nothing, not with MD5Version"
    );
    let mesh = parse_anim(MESH.as_bytes()).unwrap_err().to_string();
    assert_eq!(mesh, "line 4: this is an MD5 mesh; parse_mesh reads it");
    let motion = parse_mesh(ANIM.as_bytes()).unwrap_err().to_string();
    assert_eq!(motion, "line 4: this is an MD5 motion; parse_anim reads it");
}

#[test]
fn every_motion_error_names_its_line() {
    for (old, new, message) in [
        (
            "numFrames 3",
            "numFrames 4",
            "line 18: 4 bounds declared, but 3 found",
        ),
        (
            "frameRate 10",
            "frameRate 0",
            "line 6: expected frames a second, above zero, found \"0\"",
        ),
        (
            "frameRate 10",
            "frameRate -24",
            "line 6: expected frames a second, above zero, found \"-24\"",
        ),
        (
            "frameRate 10",
            "frameRate inf",
            "line 6: \"inf\" is not a finite number",
        ),
        ("-1 5 0	", "-1 64 0	", "line 10: flags 64 are not 0 to 63"),
        (
            "-1 5 0	",
            "-1 5 4	",
            "line 10: there is no component 5 (there are 5)",
        ),
        (
            "0 56 2	",
            "0 56 -1	",
            "line 11: there is no component -1 (there are 5)",
        ),
        (
            "0 56 2	",
            "0 60 0	",
            "line 11: 5 animated components declared, but 6 found",
        ),
        (
            "( 9 8 7 )",
            "( 9 8 x )",
            "line 21: expected a number, found \"x\"",
        ),
        ("frame 1 {", "frame 2 {", "line 29: frame 2 where 1 comes next"),
        (
            "	2 5\n",
            "	2\n",
            "line 32: 5 values in a frame declared, but 4 found",
        ),
        (
            "	2 5\n",
            "	2 5 6\n",
            "line 32: 5 values in a frame declared, but 6 found",
        ),
        (
            "	0 1 0\n",
            "	0 NaN 0\n",
            "line 35: \"NaN\" is not a finite number",
        ),
    ] {
        let error = parse_anim(with(ANIM, old, new).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(
            message.starts_with(&format!("line {}: ", error.line())),
            "{error:?}"
        );
    }
    for end in 0..ANIM.trim_end().len() {
        assert!(parse_anim(&ANIM.as_bytes()[..end]).is_err(), "{end}");
    }
    let missing = with(ANIM, "frame 2 {\n	3 4\n	0 1 0\n}\n", "");
    assert_eq!(
        parse_anim(missing.as_bytes()).unwrap_err(),
        Md5Error::Count {
            line: 33,
            what: "frames",
            declared: 3,
            found: 2
        }
    );
    // Without flags nobody looks up a component, whatever its index is.
    let unused = with(
        &with(ANIM, "0 56 2	", "0 0 -7	"),
        "numAnimatedComponents 5",
        "numAnimatedComponents 2",
    );
    let unused = ["	0 0 0\n", "	-0.70710678118654752 0 0\n", "	0 1 0\n"]
        .iter()
        .fold(unused, |text, row| with(&text, row, ""));
    assert_eq!(anim(&unused).animation.channels.len(), 1);
}

#[test]
fn files_from_outside() {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/models/md5"
    ));
    if !folder.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", folder.display());
        return;
    }
    let read = |name: &str| parse_mesh(&fs::read(folder.join(name)).unwrap());
    for (name, message) in [
        (
            "InvalidBoneIndex.md5mesh",
            "line 23: there is no joint 999 (there are 1)",
        ),
        (
            "OverflowingTriangleIndex.md5mesh",
            "line 18: triangle 4294967295 where 0 comes next",
        ),
        (
            "OverflowingVertexIndex.md5mesh",
            "line 15: vertex 4294967295 where 0 comes next",
        ),
        (
            "OverflowingWeightIndex.md5mesh",
            "line 21: weight 4294967295 where 0 comes next",
        ),
    ] {
        assert_eq!(read(name).unwrap_err().to_string(), message, "{name}");
    }
    let cube = read("SimpleCube.md5mesh").unwrap();
    let (mesh, report) = cube.surfaces[0].to_skinned_mesh(&cube.skeleton).unwrap();
    assert!(report.weights.is_clean() && report.spread < 1e-2, "{report:?}");
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (24, 12));
    // A cube of 64 units around the z axis; each face has its own vertices, normals pointing out.
    let centre = Vec3::new(0.0, 0.0, 0.0);
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
        let from_centre = *position - centre;
        assert!(
            (from_centre.abs() - Vec3::splat(32.0)).abs().max_element() < 0.05,
            "{position}"
        );
        assert!(normal.dot(from_centre) > 30.0, "{position} {normal}");
    }
}
