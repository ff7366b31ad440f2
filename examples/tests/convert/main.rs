//! The contract of `convert`: what comes out is what went in, exit status, one line for every error.
#![allow(clippy::missing_assert_message, reason = "tests")]

mod failures;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use elea_anim::{
    Animation, Pose, Skeleton, SkinInput, SkinOutput, bvh, glb, gltf, local_to_model, md5, palette, skin,
};
use glam::{Affine3A, Vec3, Vec4};

/// Two joints that turn, and one that is moved.
const WALK: &str = "\
HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT leg
  {
    OFFSET 1 -4 0.5
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -3 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
1 10 0 0 0 0 10 -20 30
1 10 2 0 0 45 20 -40 60
1 11 4 90 10 200 30 -60 90
";

const FIGURE: &str = "\
MD5Version 10
commandline \"\"
numJoints 2
numMeshes 1
joints {
	\"hips\" -1 ( 0 0 4 ) ( -0.5 -0.5 -0.5 )
	\"leg\" 0 ( 0.5 1 0 ) ( -0.5 -0.5 -0.5 )
}
mesh {
	shader \"models/cloth\"
	numverts 3
	vert 0 ( 0 0 ) 0 1
	vert 1 ( 1 0 ) 1 2
	vert 2 ( 0 1 ) 3 1
	numtris 1
	tri 0 0 2 1
	numweights 4
	weight 0 0 1 ( 1 2 3 )
	weight 1 0 0.25 ( 1 -4 0.5 )
	weight 2 1 0.75 ( 0 0 0 )
	weight 3 1 1 ( 1 0 2 )
}
";

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("convert-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Converts to a file in this folder, and says what was printed.
    fn convert(&self, input: &Path, output: &str, arguments: &[&str]) -> (PathBuf, String) {
        let output = self.0.join(output);
        let result = convert(input, &output, arguments);
        let error = String::from_utf8(result.stderr).unwrap();
        assert_eq!((result.status.code(), error.as_str()), (Some(0), ""));
        (output, String::from_utf8(result.stdout).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn convert(input: &Path, output: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_convert"))
        .args([input, output])
        .args(arguments)
        .output()
        .unwrap()
}

/// Where every joint is at a time.
fn places(skeleton: &Skeleton, animation: &Animation, time: f32) -> Vec<Vec3> {
    let mut pose = Pose::identity(skeleton.len());
    animation.sample(skeleton, time, &mut pose);
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(skeleton, &pose, &mut model);
    model.iter().map(|model| Vec3::from(model.translation)).collect()
}

#[track_caller]
fn near(found: &[Vec3], wanted: &[Vec3], tolerance: f32) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(found.distance(*wanted) < tolerance, "{found}, not {wanted}");
    }
}

/// y up, z forward to z up, x forward.
fn turned(places: &[Vec3]) -> Vec<Vec3> {
    places
        .iter()
        .map(|place| Vec3::new(place.z, place.x, place.y))
        .collect()
}

fn read_bvh(path: &Path) -> bvh::Bvh {
    bvh::parse(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_motion_goes_to_md5_and_comes_back() {
    let folder = Folder::new("there");
    let walk = folder.file("walk.bvh", WALK);
    let original = read_bvh(&walk);
    let (path, summary) = folder.convert(&walk, "walk.md5anim", &[]);
    for line in [
        "walk.bvh (BVH) -> ",
        "kept: 2 joints\n",
        "kept: animation \"walk\", 0.067 s\n",
        "lost: 1 End Site, which md5anim does not have\n",
        "turned: y up, z forward -> z up, x forward",
    ] {
        assert!(summary.contains(line), "{line} in\n{summary}");
    }
    let there = md5::parse_anim(&fs::read(&path).unwrap()).unwrap();
    // 30.0003 a second: what is meant is 30.
    assert_eq!((there.frames, there.frame_rate), (3, 30.0));
    let (back, _) = folder.convert(&path, "back.bvh", &[]);
    let back = read_bvh(&back);
    let (still, summary) = folder.convert(&walk, "still.md5anim", &["--keep-axes"]);
    assert!(!summary.contains("turned"), "{summary}");
    let still = md5::parse_anim(&fs::read(&still).unwrap()).unwrap();
    assert_eq!(back.frames, 3);
    for frame in 0..3_u8 {
        let at = |seconds: f64| {
            #[expect(clippy::cast_possible_truncation, reason = "key times are f32")]
            let time = (f64::from(frame) * seconds) as f32;
            time
        };
        let wanted = places(&original.skeleton, &original.animation, at(original.frame_time));
        // Frames of 1/30 s are sampled from frames of 0.0333333 s: 1e-6 of a frame beside each key.
        near(
            &places(&still.skeleton, &still.animation, at(1.0 / 30.0)),
            &wanted,
            2e-5,
        );
        near(
            &places(&there.skeleton, &there.animation, at(1.0 / 30.0)),
            &turned(&wanted),
            2e-5,
        );
        near(
            &places(&back.skeleton, &back.animation, at(1.0 / 30.0)),
            &wanted,
            3e-5,
        );
    }
}

#[test]
fn a_bvh_file_in_another_layout_holds_the_same() {
    let folder = Folder::new("layout");
    let walk = folder.file("walk.bvh", WALK);
    let original = read_bvh(&walk);
    let (path, summary) = folder.convert(&walk, "copy.bvh", &["--scale", "0.5"]);
    assert!(summary.contains("kept: 1 End Site\n") && summary.contains("scaled: every length times 0.5\n"));
    assert!(!summary.contains("lost"), "{summary}");
    let copy = read_bvh(&path);
    assert_eq!(
        (copy.frames, copy.frame_time),
        (original.frames, original.frame_time)
    );
    assert_eq!(copy.tips[0].offset, Vec3::new(0.0, -1.5, 0.0));
    for time in [0.0, 0.03, 0.06] {
        let halves: Vec<Vec3> = places(&original.skeleton, &original.animation, time)
            .into_iter()
            .map(|place| place * 0.5)
            .collect();
        near(&places(&copy.skeleton, &copy.animation, time), &halves, 1e-5);
    }
    let (fast, summary) = folder.convert(&walk, "fast.bvh", &["--fps", "60"]);
    assert!(summary.contains("sampled: 60 frames a second"), "{summary}");
    assert_eq!(read_bvh(&fast).frames, 5);
}

#[test]
fn a_figure_takes_a_motion_by_the_names_of_its_joints() {
    let folder = Folder::new("figure");
    let figure = folder.file("figure.md5mesh", FIGURE);
    let walk = folder.file("walk.bvh", WALK);
    let (mesh, summary) = folder.convert(&figure, "copy.md5mesh", &[]);
    assert!(
        summary.contains("kept: 1 mesh with 3 vertices\n") && !summary.contains("lost"),
        "{summary}"
    );
    let (copy, original) = (
        md5::parse_mesh(&fs::read(&mesh).unwrap()).unwrap(),
        md5::parse_mesh(FIGURE.as_bytes()).unwrap(),
    );
    assert_eq!(copy.surfaces[0].triangles, original.surfaces[0].triangles);
    assert_eq!(copy.surfaces[0].shader, "models/cloth");
    for (copy, original) in copy.surfaces[0].weights.iter().zip(&original.surfaces[0].weights) {
        assert_eq!((copy.joint, copy.bias), (original.joint, original.bias));
        near(&[copy.position], &[original.position], 1e-5);
    }
    // (1, -4, 0.5) from the hips with y up is (0.5, 1, -4) with z up: where the figure's leg is.
    let (moved, summary) = folder.convert(&figure, "moved.md5anim", &["--motion", walk.to_str().unwrap()]);
    assert!(
        summary.contains("lost: 1 mesh, which md5anim does not have\n"),
        "{summary}"
    );
    let moved = md5::parse_anim(&fs::read(&moved).unwrap()).unwrap();
    assert_eq!(moved.frames, 3);
    let walk = read_bvh(&walk);
    for (frame, time) in [0.0, 1.0 / 30.0, 2.0 / 30.0].into_iter().enumerate() {
        let wanted = turned(&places(&walk.skeleton, &walk.animation, time));
        near(&places(&moved.skeleton, &moved.animation, time), &wanted, 2e-5);
        assert_eq!(moved.bounds.len(), 3, "frame {frame}");
    }
}

/// Where the vertices of the first mesh are at a time.
fn vertices(file: &gltf::Gltf, time: f32) -> Vec<Vec3> {
    let mut pose = Pose::identity(file.skeleton.len());
    match file.animations.first() {
        Some(animation) => animation.sample(&file.skeleton, time, &mut pose),
        None => pose.copy_from(file.skeleton.rest_pose()),
    }
    let mut model = vec![Affine3A::IDENTITY; file.skeleton.len()];
    local_to_model(&file.skeleton, &pose, &mut model);
    let instance = &file.instances[0];
    let binding = &file.skins[instance.skin].binding;
    let mut rows = vec![[Vec4::ZERO; 3]; binding.len()];
    palette(&model, binding, &mut rows);
    let mesh = &file.meshes[instance.meshes[0]].mesh;
    let mut positions = vec![Vec3::ZERO; mesh.positions.len()];
    let input = SkinInput {
        positions: &mesh.positions,
        normals: &[],
        tangents: &[],
        influences: &mesh.influences,
    };
    let output = SkinOutput {
        positions: &mut positions,
        normals: &mut [],
        tangents: &mut [],
    };
    skin(&rows, input, output);
    positions
}

#[test]
fn an_md5_figure_and_its_motion_become_one_glb() {
    let folder = Folder::new("glb");
    let figure = folder.file("figure.md5mesh", FIGURE);
    let walk = folder.file("walk.bvh", WALK);
    let (motion, _) = folder.convert(&walk, "walk.md5anim", &[]);
    let (path, summary) = folder.convert(&figure, "figure.glb", &["--motion", motion.to_str().unwrap()]);
    for line in [
        "kept: 1 mesh with 3 vertices\n",
        "kept: animation \"walk\", 0.067 s\n",
        "turned: z up",
    ] {
        assert!(summary.contains(line), "{line} in\n{summary}");
    }
    assert!(!summary.contains("lost"), "{summary}");
    let glb = gltf::load(&path).unwrap();
    assert!(glb.report.is_clean(), "{:?}", glb.report);
    let (mesh, anim) = (
        md5::parse_mesh(FIGURE.as_bytes()).unwrap(),
        md5::parse_anim(&fs::read(&motion).unwrap()).unwrap(),
    );
    assert_eq!(glb.materials[0].name, "models/cloth");
    for time in [0.0, 1.0 / 30.0, 0.05, 2.0 / 30.0] {
        let mut pose = Pose::identity(2);
        anim.animation.sample(&anim.skeleton, time, &mut pose);
        let mut model = vec![Affine3A::IDENTITY; 2];
        local_to_model(&anim.skeleton, &pose, &mut model);
        let carried: Vec<Vec3> = (0..3)
            .map(|vertex| mesh.surfaces[0].position(vertex, &model))
            .collect();
        near(&turned(&vertices(&glb, time)), &carried, 2e-5);
    }
    // And back: the weighted points stand in their joints' spaces, which turn with them.
    let (back, summary) = folder.convert(&path, "back.md5mesh", &[]);
    assert!(
        summary.contains("lost: 1 animation, for .md5anim files\n"),
        "{summary}"
    );
    let back = md5::parse_mesh(&fs::read(&back).unwrap()).unwrap();
    assert_eq!(back.surfaces[0].triangles, mesh.surfaces[0].triangles);
    for (back, original) in back.surfaces[0].weights.iter().zip(&mesh.surfaces[0].weights) {
        assert_eq!(back.joint, original.joint);
        near(&[back.position], &[original.position], 2e-5);
    }
}

#[test]
fn a_bvh_motion_becomes_a_glb_with_joints() {
    let folder = Folder::new("joints");
    let walk = folder.file("walk.bvh", WALK);
    let original = read_bvh(&walk);
    let (path, summary) = folder.convert(&walk, "walk.glb", &["--scale", "0.01"]);
    assert!(
        summary.contains("lost: 1 End Site, which glTF does not have\n"),
        "{summary}"
    );
    let glb = gltf::load(&path).unwrap();
    assert_eq!(
        (glb.skins[0].binding.len(), glb.animations[0].name.as_str()),
        (2, "walk")
    );
    let (back, summary) = folder.convert(&path, "back.bvh", &["--scale", "100"]);
    assert!(
        !summary.contains("lost") && !summary.contains("sampled"),
        "{summary}"
    );
    let back = read_bvh(&back);
    assert_eq!(back.frames, 3);
    for frame in 0..3_u8 {
        let time = f32::from(frame) * 0.033_333_3;
        let wanted = places(&original.skeleton, &original.animation, time);
        let hundredth: Vec<Vec3> = wanted.iter().map(|place| *place * 0.01).collect();
        near(&places(&glb.skeleton, &glb.animations[0], time), &hundredth, 1e-6);
        near(&places(&back.skeleton, &back.animation, time), &wanted, 5e-5);
    }
}

/// The frames of the first animation were once taken for those of any other.
#[test]
fn the_chosen_animation_keeps_its_own_frames() {
    let folder = Folder::new("chosen");
    let fast = bvh::parse(WALK.as_bytes()).unwrap();
    let slow = bvh::parse(WALK.replace("0.0333333", "0.1").as_bytes()).unwrap();
    let mut file = gltf::Gltf::new(fast.skeleton);
    for (name, animation) in [("fast", fast.animation), ("slow", slow.animation)] {
        let name = name.to_owned();
        file.animations.push(Animation { name, ..animation });
    }
    let input = folder.file("two.glb", glb::write(&file).unwrap());
    for (name, seconds) in [("fast", 0.033_333_3), ("slow", 0.1)] {
        let (path, _) = folder.convert(&input, &format!("{name}.bvh"), &["--animation", name]);
        let bvh = read_bvh(&path);
        assert_eq!(bvh.frames, 3, "{name}");
        assert!(
            (bvh.frame_time - seconds).abs() < 1e-6,
            "{name}: {}",
            bvh.frame_time
        );
    }
}

#[test]
fn scales_become_places() {
    let folder = Folder::new("scales");
    // An armature in centimetres, as exporters write it, turned about x; the child is mirrored as well.
    let text = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [
        {"name": "armature", "scale": [0.01, 0.01, 0.01], "rotation": [0.70710678, 0, 0, 0.70710678], "children": [1]},
        {"name": "hips", "translation": [100, 200, 300], "scale": [1, -2, 1], "children": [2]},
        {"name": "tip", "translation": [0, 50, 0]}]}"#;
    let scaled = folder.file("scaled.gltf", text);
    let (path, summary) = folder.convert(&scaled, "flat.bvh", &[]);
    for line in ["folded: scales", "added: one frame of the rest pose"] {
        assert!(summary.contains(line), "{line} in\n{summary}");
    }
    let flat = read_bvh(&path);
    assert_eq!(flat.frames, 1);
    // A quarter turn about x takes (x, y, z) to (x, -z, y).
    let wanted = [Vec3::ZERO, Vec3::new(1.0, -3.0, 2.0), Vec3::new(1.0, -3.0, 1.0)];
    near(&places(&flat.skeleton, &flat.animation, 0.0), &wanted, 1e-5);
    let (path, _) = folder.convert(&scaled, "flat.md5anim", &["--keep-axes"]);
    let flat = md5::parse_anim(&fs::read(&path).unwrap()).unwrap();
    near(&places(&flat.skeleton, &flat.animation, 0.0), &wanted, 1e-5);
}

/// A BVH figure gets scales from the motion that is put on it; its End Site grows as its joint does.
#[test]
fn end_sites_are_scaled_with_their_joint() {
    let folder = Folder::new("tips");
    let walk = folder.file("walk.bvh", WALK);
    let bvh = read_bvh(&walk);
    let mut joints = bvh.skeleton.to_joints();
    joints[0].rest.scale = Vec3::splat(2.0);
    joints[1].rest.scale = Vec3::new(1.0, 3.0, 1.0);
    let mut file = gltf::Gltf::new(Skeleton::new(joints).unwrap());
    file.animations.push(bvh.animation);
    let motion = folder.file("scaled.glb", glb::write(&file).unwrap());
    let (path, _) = folder.convert(&walk, "out.bvh", &["--motion", motion.to_str().unwrap()]);
    // Three units, times 3 in the leg, times 2 in the hips.
    near(
        &[read_bvh(&path).tips[0].offset],
        &[Vec3::new(0.0, -18.0, 0.0)],
        1e-4,
    );
}

#[test]
fn warnings_of_the_reader_are_told() {
    let folder = Folder::new("warnings");
    let walk = folder.file("walk.bvh", WALK.replace("Frames: 3", "Frames: 4"));
    let result = convert(&walk, &folder.0.join("out.md5anim"), &[]);
    assert_eq!(result.status.code(), Some(0));
    let text = String::from_utf8(result.stderr).unwrap();
    assert!(
        text.starts_with("warning: ") && text.contains("walk.bvh: line 17: Frames says 4"),
        "{text}"
    );
}

#[test]
fn real_files_go_through_md5_and_back() {
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data"));
    let walk = data.join("motion/cmu/cmu_12_01_walk.bvh");
    if !walk.is_file() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", walk.display());
        return;
    }
    let folder = Folder::new("real");
    let (there, _) = folder.convert(&walk, "walk.md5anim", &["--fps", "120"]);
    let (back, _) = folder.convert(&there, "back.bvh", &[]);
    let (original, back) = (read_bvh(&walk), read_bvh(&back));
    assert_eq!(back.frames, original.frames);
    let size = places(&original.skeleton, &original.animation, 0.0)
        .iter()
        .map(|place| place.length())
        .fold(0.0, f32::max);
    for time in [0.0, 0.5, 1.0, 2.0, 3.0, 4.0] {
        let wanted = places(&original.skeleton, &original.animation, time);
        near(
            &places(&back.skeleton, &back.animation, time),
            &wanted,
            2e-5 * size,
        );
    }
}
