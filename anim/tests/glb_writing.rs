//! What is written as GLB, read back and looked at as JSON.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::{
    Animation, Channel, Influences, Interpolation, Joint, JointId, Key, Marker, MorphTarget, MorphTrack,
    Pose, Skeleton, SkinBinding, SkinnedMesh, Transform, Values,
    glam::{Quat, Vec2, Vec3, Vec4},
    glb::{self, GlbError},
    gltf::{self, Gltf, Instance, Material, Mesh, MorphChannel, Skin},
};
use serde_json::Value;

mod gltf_sample;

fn joint(name: &str, parent: Option<u16>, rest: Transform) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest,
    }
}

/// Two joints, a skinned sheet with two morph targets, a rigid one, three animations.
fn figure() -> Gltf {
    let turned = Transform {
        translation: Vec3::new(0.1, 1.0, -0.3),
        rotation: Quat::from_rotation_x(0.7),
        scale: Vec3::new(1.0, 2.0, -0.5),
    };
    let skeleton = Skeleton::new(vec![
        joint("hips", None, Transform::from_translation(Vec3::Y * 0.9)),
        joint("spine \"1\"", Some(0), turned),
        joint("", Some(0), Transform::IDENTITY),
    ])
    .unwrap();
    let mut file = Gltf::new(skeleton);
    let positions: Vec<Vec3> = (0..6_u8)
        .map(|k| Vec3::new(f32::from(k), f32::from(k * k) * 0.1, 0.0))
        .collect();
    let sheet = |influences| SkinnedMesh {
        positions: positions.clone(),
        normals: vec![Vec3::Z; 6],
        tangents: vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 6],
        influences,
        triangles: vec![[0, 1, 2], [3, 4, 5]],
    };
    let joints = vec![0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0];
    let weights = vec![0.5, 0.5, 1.0, 0.0, 0.25, 0.75, 1.0, 0.0, 0.9, 0.1, 0.3, 0.7];
    let (soft, _) = Influences::new(2, 2, joints, weights).unwrap();
    let (hard, _) = Influences::new(1, 1, vec![0; 6], vec![1.0; 6]).unwrap();
    let binding = SkinBinding::from_rest_pose(&file.skeleton).unwrap();
    let binding = SkinBinding::new(binding.joints()[..2].into(), binding.inverse_bind()[..2].into()).unwrap();
    file.skins = vec![
        Skin {
            name: "body".into(),
            binding,
            is_rigid: false,
        },
        Skin {
            name: String::new(),
            binding: SkinBinding::with_identity(vec![JointId(2)]),
            is_rigid: true,
        },
    ];
    let mut soft = Mesh::new(sheet(soft));
    soft.texcoords = vec![Vec2::new(0.25, 0.5); 6];
    soft.colors = vec![Vec4::new(0.1, 0.2, 0.3, 1.0); 6];
    soft.material = Some(0);
    // One that moves little of the mesh, and one that moves most of it.
    soft.targets = vec![
        MorphTarget {
            name: "one".into(),
            vertices: vec![4],
            positions: vec![Vec3::X],
            normals: vec![Vec3::Y],
            tangents: vec![-Vec3::Z],
        },
        MorphTarget {
            name: "most".into(),
            vertices: vec![0, 1, 2, 4, 5],
            positions: vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, -Vec3::X],
            ..MorphTarget::default()
        },
    ];
    file.meshes = vec![soft, Mesh::new(sheet(hard))];
    file.materials = vec![Material {
        name: "paint".into(),
        base_color: [0.1, 0.2, 0.3, 0.5],
        ..Material::default()
    }];
    file.instances = vec![
        Instance {
            name: "skin of all".into(),
            skin: 0,
            meshes: vec![0],
            weights: vec![0.0, 0.25],
            ..Instance::default()
        },
        Instance {
            name: "box".into(),
            skin: 1,
            meshes: vec![1],
            ..Instance::default()
        },
    ];
    let turn = |angle| Quat::from_rotation_z(angle);
    let rotation = Channel::rotation(
        JointId(1),
        Interpolation::Linear,
        &[
            Key::new(0.0, turn(0.1)),
            Key::new(0.5, turn(1.1)),
            Key::new(2.0, turn(-0.4)),
        ],
    );
    let translation = Channel::translation(
        JointId(0),
        Interpolation::Step,
        &[Key::new(0.25, Vec3::Y), Key::new(0.5, Vec3::X)],
    );
    let spline = |time, value| Key {
        time,
        value,
        tangents: Some([Vec3::X, Vec3::Y]),
    };
    let scale = Channel::scale(
        JointId(1),
        Interpolation::CubicSpline,
        &[spline(0.0, Vec3::ONE), spline(2.0, Vec3::splat(2.0))],
    );
    let mut all = Animation::new(
        "all",
        vec![translation.unwrap(), rotation.unwrap(), scale.unwrap()],
    );
    all.events = vec![Marker::new(0.5, "step")];
    all.markers = vec![Marker::new(1.0, "down")];
    file.animations = vec![
        all,
        Animation::new("nothing", Vec::new()),
        Animation::new("smile", Vec::new()),
    ];
    let track = MorphTrack::new(2, Interpolation::Linear, [0.0, 1.0], vec![0.0, 1.0, 1.0, 0.5]);
    file.morphs = vec![MorphChannel {
        animation: 2,
        instance: 0,
        track: track.unwrap(),
    }];
    file
}

fn json(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn what_is_written_is_read_back() {
    let file = figure();
    let bytes = glb::write(&file).unwrap();
    assert_eq!(bytes, glb::write(&file).unwrap(), "the same bytes again");
    assert_eq!(bytes.len() % 4, 0);
    let back = gltf::parse(&bytes).unwrap();
    assert!(back.report.is_clean(), "{:?}", back.report);
    // A joint without a name gets one.
    let names: Vec<&str> = back
        .skeleton
        .joints()
        .map(|joint| back.skeleton.name(joint))
        .collect();
    assert_eq!(names, ["hips", "spine \"1\"", "node 2"]);
    assert_eq!(back.skeleton.rest_pose(), file.skeleton.rest_pose());
    assert_eq!(back.skeleton.parents(), file.skeleton.parents());
    assert_eq!(back.skins, file.skins);
    let [hanging, soft] = &back.instances[..] else {
        panic!("two instances")
    };
    let (ours, theirs) = (&file.meshes[0], &back.meshes[soft.meshes[0]]);
    assert_eq!(theirs.targets, ours.targets);
    assert_eq!(
        (&theirs.texcoords, &theirs.colors),
        (&ours.texcoords, &ours.colors)
    );
    assert_eq!(theirs.mesh.positions, ours.mesh.positions);
    assert_eq!(theirs.mesh.normals, ours.mesh.normals);
    assert_eq!(theirs.mesh.tangents, ours.mesh.tangents);
    assert_eq!(theirs.mesh.triangles, ours.mesh.triangles);
    for vertex in 0..6 {
        let sorted = |mesh: &Mesh| {
            let mut list: Vec<(u16, f32)> = mesh
                .mesh
                .influences
                .of(vertex)
                .filter(|(_, w)| *w > 0.0)
                .collect();
            list.sort_by_key(|(slot, _)| *slot);
            list
        };
        assert_eq!(sorted(theirs), sorted(ours));
    }
    assert_eq!(back.meshes[hanging.meshes[0]], file.meshes[1]);
    assert_eq!(back.materials, file.materials);
    assert_eq!(soft.name, "skin of all");
    assert_eq!(soft.weights, [0.0, 0.25]);
    // The rigid one hangs on its joint again.
    assert_eq!(back.skins[hanging.skin].binding.joints(), [JointId(2)]);
    let names: Vec<&str> = back.animations.iter().map(|animation| &*animation.name).collect();
    assert_eq!(names, ["all", "smile"], "an animation of nothing is none");
    let ours = &file.animations[0];
    assert_eq!(back.animations[0], *ours);
    assert_eq!(back.morphs[0].track, file.morphs[0].track);
    // And once more: what was read writes the same motion.
    let again = gltf::parse(&glb::write(&back).unwrap()).unwrap();
    assert_eq!((&again.animations, &again.skins), (&back.animations, &back.skins));
    assert_eq!((&again.meshes, &again.skeleton), (&back.meshes, &back.skeleton));
    assert_eq!(again.scenes, back.scenes);
}

/// The accessor's numbers as another reader sees them.
fn floats(bytes: &[u8], index: usize) -> Vec<f32> {
    let file = gltf_crate::Gltf::from_slice(bytes).unwrap();
    let accessor = file.accessors().nth(index).unwrap();
    let view = accessor.view().unwrap();
    let start = view.offset() + accessor.offset();
    let bytes = &file.blob.as_ref().unwrap()[start..start + accessor.count() * accessor.size()];
    bytes
        .chunks(4)
        .map(|number| f32::from_le_bytes(number.try_into().unwrap()))
        .collect()
}

fn only_channel(channel: Channel) -> (Vec<u8>, Value) {
    let skeleton = Skeleton::new(vec![joint("a", None, Transform::IDENTITY)]).unwrap();
    let mut file = Gltf::new(skeleton);
    file.animations = vec![Animation::new("only", vec![channel])];
    let bytes = glb::write(&file).unwrap();
    let json = json(&bytes);
    (bytes, json)
}

#[test]
fn times_grow_and_begin_at_zero_as_the_format_wants() {
    let key = |time: f32| Key::new(time, Vec3::splat(time));
    let keys = [-1.0, 0.5, 0.5, 0.5, 1.0].map(key);
    let channel = Channel::translation(JointId(0), Interpolation::Linear, &keys).unwrap();
    let (bytes, json) = only_channel(channel);
    let input = json["animations"][0]["samplers"][0]["input"].as_u64().unwrap();
    let times = floats(&bytes, usize::try_from(input).unwrap());
    let second = 1.5_f32.next_up();
    assert_eq!(times, [0.0, 1.5, second, second.next_up(), 2.0]);
    let accessor = &json["accessors"][usize::try_from(input).unwrap()];
    assert_eq!(
        (&accessor["min"][0], &accessor["max"][0]),
        (&0.0.into(), &2.0.into())
    );
    assert_eq!(gltf::parse(&bytes).unwrap().animations[0].end(), 2.0);
}

#[test]
fn a_spline_of_one_key_is_a_constant() {
    let key = Key {
        time: 3.0,
        value: Quat::from_rotation_x(1.0),
        tangents: None,
    };
    let channel = Channel::rotation(JointId(0), Interpolation::CubicSpline, &[key]).unwrap();
    let (bytes, json) = only_channel(channel);
    assert_eq!(json["animations"][0]["samplers"][0]["interpolation"], "LINEAR");
    let back = gltf::parse(&bytes).unwrap();
    let channel = &back.animations[0].channels[0];
    assert_eq!(
        *channel.values(),
        Values::Rotation(vec![Quat::from_rotation_x(1.0)])
    );
}

#[test]
fn channels_share_their_times_and_the_last_of_a_property_counts() {
    let keys = |value: f32| [Key::new(0.0, Vec3::splat(value)), Key::new(1.0, Vec3::ZERO)];
    let channel =
        |joint, value| Channel::translation(JointId(joint), Interpolation::Linear, &keys(value)).unwrap();
    let names = ["a", "b"].map(|name| joint(name, None, Transform::IDENTITY));
    let mut file = Gltf::new(Skeleton::new(names.into()).unwrap());
    file.animations = vec![Animation::new(
        "x",
        vec![channel(0, 1.0), channel(1, 2.0), channel(0, 3.0)],
    )];
    let bytes = glb::write(&file).unwrap();
    let animation = &json(&bytes)["animations"][0];
    assert_eq!(animation["channels"].as_array().unwrap().len(), 2);
    assert_eq!(
        animation["samplers"][0]["input"],
        animation["samplers"][1]["input"]
    );
    let back = gltf::parse(&bytes).unwrap();
    let mut pose = Pose::identity(2);
    back.animations[0].sample(&back.skeleton, 0.0, &mut pose);
    assert_eq!(pose.get(JointId(0)).translation, Vec3::splat(3.0));
}

#[test]
fn joints_in_two_trees_get_a_common_root() {
    let names = ["left", "right"].map(|name| joint(name, None, Transform::IDENTITY));
    let mut file = Gltf::new(Skeleton::new(names.into()).unwrap());
    assert_eq!(
        json(&glb::write(&file).unwrap())["scenes"][0]["nodes"],
        Value::from(vec![0, 1])
    );
    file.skins = vec![Skin {
        name: String::new(),
        binding: SkinBinding::from_rest_pose(&file.skeleton).unwrap(),
        is_rigid: false,
    }];
    let json = json(&glb::write(&file).unwrap());
    assert_eq!(json["scenes"][0]["nodes"], Value::from(vec![2]));
    assert_eq!(json["nodes"][2]["name"], "armature");
    assert_eq!(json["nodes"][2]["children"], Value::from(vec![0, 1]));
}

#[test]
fn vertices_are_as_the_format_wants() {
    let mut file = figure();
    // One joint twice on a vertex, a normal and a tangent of no direction, a colour out of range.
    let joints = [1, 1, 0, 1].repeat(6);
    let weights = [0.25, 0.25, 0.5, 0.0].repeat(6);
    let mesh = &mut file.meshes[0];
    mesh.mesh.influences = Influences::new(4, 2, joints, weights).unwrap().0;
    mesh.mesh.normals[0] = Vec3::ZERO;
    mesh.mesh.normals[1] = Vec3::new(0.0, 0.0, 1e-30);
    mesh.mesh.tangents[0] = Vec4::new(0.0, 0.0, 0.0, 0.5);
    mesh.colors[0] = Vec4::new(-1.0, 2.0, 0.5, 1.0);
    let back = gltf::parse(&glb::write(&file).unwrap()).unwrap();
    let mesh = &back.meshes[back.instances[1].meshes[0]];
    assert_eq!(mesh.mesh.normals[..3], [Vec3::Y, Vec3::Z, Vec3::Z]);
    assert_eq!(mesh.mesh.tangents[0], Vec4::new(1.0, 0.0, 0.0, 1.0));
    assert_eq!(mesh.colors[0], Vec4::new(0.0, 1.0, 0.5, 1.0));
    let influences: Vec<(u16, f32)> = mesh.mesh.influences.of(0).collect();
    assert_eq!(influences, [(1, 0.5), (0, 0.5), (0, 0.0), (0, 0.0)]);
    // Bytes stay bytes, and add up to 255.
    let bytes = file.meshes[0].mesh.influences.to_bytes();
    file.meshes[0].mesh.influences = bytes;
    let back = gltf::parse(&glb::write(&file).unwrap()).unwrap();
    assert!(back.report.is_clean(), "{:?}", back.report);
    let influences = &back.meshes[back.instances[1].meshes[0]].mesh.influences;
    assert_eq!(influences.to_bytes(), *influences);
    // Indices of large meshes and slots beyond a byte.
    let count = 70_000;
    let (influences, _) = Influences::new(1, 300, vec![299; count], vec![1.0; count]).unwrap();
    let joints = (0..300).map(|k| joint(&k.to_string(), (k > 0).then_some(0), Transform::IDENTITY));
    let mut large = Gltf::new(Skeleton::new(joints.collect()).unwrap());
    large.meshes = vec![Mesh::new(SkinnedMesh {
        positions: vec![Vec3::ONE; count],
        normals: Vec::new(),
        tangents: Vec::new(),
        influences,
        triangles: vec![[0, 1, 69_999]],
    })];
    large.skins = vec![Skin {
        name: String::new(),
        binding: SkinBinding::from_rest_pose(&large.skeleton).unwrap(),
        is_rigid: false,
    }];
    large.instances = vec![Instance {
        meshes: vec![0],
        ..Instance::default()
    }];
    let back = gltf::parse(&glb::write(&large).unwrap()).unwrap();
    assert_eq!(back.meshes[0].mesh.triangles, [[0, 1, 69_999]]);
    assert_eq!(back.meshes[0].mesh.influences.of(5).next(), Some((299, 1.0)));
}

#[test]
fn what_does_not_fit_is_named() {
    let message = |change: &dyn Fn(&mut Gltf)| {
        let mut file = figure();
        change(&mut file);
        glb::write(&file).unwrap_err().to_string()
    };
    for (found, expected) in [
        (
            message(&|file| file.instances[0].skin = 7),
            "instances[0].skin is 7, but there are 2",
        ),
        (
            message(&|file| file.instances[0].meshes.push(2)),
            "instances[0].meshes is 2, but there are 2",
        ),
        (
            message(&|file| file.instances[0].skin = 1),
            "skins[1] for meshes[0]: 1 elements where 2 are needed",
        ),
        (
            message(&|file| file.instances[0].weights.clear()),
            "instances[0].weights for meshes[0]: 0 elements where 2 are needed",
        ),
        (
            message(&|file| file.instances[0].weights[1] = f32::NAN),
            "instances[0].weights: element 1 is not finite",
        ),
        (
            message(&|file| file.skins[0].binding = SkinBinding::with_identity(vec![JointId(0), JointId(9)])),
            "joint of slot 1 of skins[0] is 9, but there are 3",
        ),
        (
            message(&|file| file.meshes[1].material = Some(1)),
            "meshes[1].material is 1, but there are 1",
        ),
        (
            message(&|file| file.materials[0].metallic = f32::NAN),
            "materials[0]: element 4 is not finite",
        ),
        (
            message(&|file| file.meshes[0].mesh.positions[2].y = f32::INFINITY),
            "meshes[0].positions: element 2 is not finite",
        ),
        (
            message(&|file| file.meshes[0].mesh.triangles[1] = [0, 1, 6]),
            "meshes[0]: triangle 1 names vertex 6, but the mesh has 6",
        ),
        (
            message(&|file| file.meshes[0].texcoords.truncate(5)),
            "meshes[0].texcoords: 5 elements where 6 are needed",
        ),
        (
            message(&|file| file.meshes[0].targets[1].positions.truncate(4)),
            "meshes[0].targets[1].positions: 4 elements where 5 are needed",
        ),
        (
            message(&|file| file.meshes[0].targets[0].vertices[0] = 6),
            "meshes[0].targets[0].vertices is 6, but there are 6",
        ),
        (
            message(&|file| file.morphs[0].animation = 3),
            "morphs[0].animation is 3, but there are 3",
        ),
        (
            message(&|file| file.morphs[0].instance = 1),
            "morphs[0].track: 2 elements where 0 are needed",
        ),
        (
            message(&|file| {
                let channel = file.animations[0].channels[0].clone().with_joint(JointId(5));
                file.animations[0].channels[0] = channel;
            }),
            "joint of channel 0 of animation \"all\" is 5, but there are 3",
        ),
        (
            message(&|file| file.animations[0].additive = true),
            "animation \"all\" is additive; add it to a pose first",
        ),
        (
            message(&|file| file.animations[0].markers[0].time = f32::NAN),
            "times of markers: element 0 is not finite",
        ),
        (
            message(&|file| file.scene = Some(0)),
            "scene is 0, but there are 0",
        ),
    ] {
        assert_eq!(found, expected);
    }
    assert!(matches!(
        glb::write(&{
            let mut file = figure();
            file.meshes[0].mesh.normals.truncate(2);
            file
        }),
        Err(GlbError::Mesh { mesh: 0, .. })
    ));
}

#[test]
fn an_empty_skeleton_is_a_file_too() {
    let bytes = glb::write(&Gltf::new(Skeleton::new(Vec::new()).unwrap())).unwrap();
    let back = gltf::parse(&bytes).unwrap();
    assert!(back.skeleton.is_empty());
    assert_eq!(json(&bytes).get("buffers"), None);
}

#[test]
fn a_file_that_was_read_is_written_with_its_scenes_and_read_again() {
    let mut sample = gltf_sample::full();
    sample.push("nodes", serde_json::json!({"name": "alone"}));
    sample.json["scenes"] = serde_json::json!([{"nodes": [4]}, {"name": "main", "nodes": [1, 2]}]);
    sample.json["scene"] = serde_json::json!(1);
    let file = gltf::parse(&sample.glb()).unwrap();
    let back = gltf::parse(&glb::write(&file).unwrap()).unwrap();
    assert_eq!(back.scene, Some(1));
    let names = |file: &Gltf, scene: usize| -> Vec<String> {
        let scene = &file.scenes[scene];
        let mut names: Vec<String> = file
            .instances_of(scene)
            .map(|instance| instance.name.clone())
            .collect();
        names.extend(
            scene
                .nodes
                .iter()
                .filter_map(|&node| Some(file.skeleton.name(file.joint_of_node[node]?).to_owned())),
        );
        names.sort();
        names
    };
    assert_eq!(names(&back, 0), ["alone"]);
    assert_eq!(names(&back, 1), ["box", "root", "sheet"]);
    assert_eq!(
        (names(&file, 0), names(&file, 1)),
        (names(&back, 0), names(&back, 1))
    );
    assert_eq!(back.animations, file.animations);
    assert_eq!(back.morphs[0].track, file.morphs[0].track);
}
