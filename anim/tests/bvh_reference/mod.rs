//! A second BVH reader for tests: the plainest one that can be written, in f64 and with matrices, and sharing
//! nothing with the library's. It knows clean files alone.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    reason = "a helper of tests, each of which uses a part of it"
)]

use elea_anim::{
    JointId, Pose,
    bvh::Bvh,
    glam::{DMat3, DQuat, DVec3},
};

pub struct Reference {
    pub names: Vec<String>,
    /// -1 for roots.
    pub parents: Vec<i64>,
    pub frames: usize,
    /// Of each frame, for each joint: position and rotation in model space.
    pub world: Vec<Vec<(DVec3, DMat3)>>,
}

struct Node {
    name: String,
    parent: Option<usize>,
    offset: DVec3,
    channels: Vec<String>,
    is_tip: bool,
}

/// Line by line, as the format's descriptions say; position channels by the rule of `Positions::Auto`.
pub fn read(text: &str) -> Reference {
    let text = text
        .trim_start_matches('\u{feff}')
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let (head, motion) = text.split_once("MOTION").expect("a motion");
    let mut nodes: Vec<Node> = Vec::new();
    let mut stack = Vec::new();
    for line in head.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().map(|word| word.to_ascii_uppercase()).as_deref() {
            Some("ROOT" | "JOINT" | "END") => {
                let is_tip = words[0].eq_ignore_ascii_case("END");
                let name = line.trim()[words[0].len()..].trim().to_owned();
                let (offset, channels) = (DVec3::ZERO, Vec::new());
                nodes.push(Node {
                    name,
                    parent: stack.last().copied(),
                    offset,
                    channels,
                    is_tip,
                });
            }
            Some("{") => stack.push(nodes.len() - 1),
            Some("}") => {
                stack.pop();
            }
            Some("OFFSET") => {
                let numbers: Vec<f64> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
                nodes[*stack.last().unwrap()].offset = DVec3::from_slice(&numbers);
            }
            Some("CHANNELS") => {
                nodes[*stack.last().unwrap()].channels =
                    words[2..].iter().map(|word| word.to_lowercase()).collect();
            }
            _ => {}
        }
    }
    // Frames: N, Frame Time: T, then the values.
    let words: Vec<&str> = motion.split_whitespace().skip(5).collect();
    let width: usize = nodes.iter().map(|node| node.channels.len()).sum();
    let values: Vec<f64> = words.iter().map(|word| word.parse().unwrap()).collect();
    let frames = values.len() / width;
    let mut first = 0;
    let mut replaces = Vec::new();
    for node in &nodes {
        let row = |frame: usize| &values[frame * width + first..][..node.channels.len()];
        let positions: Vec<DVec3> = (0..frames)
            .map(|frame| position(&node.channels, row(frame)))
            .collect();
        let median = |center: DVec3| {
            let mut all: Vec<f64> = positions.iter().map(|p| (*p - center).length()).collect();
            all.sort_by(f64::total_cmp);
            (all[frames / 2] + all[(frames - 1) / 2]) / 2.0
        };
        replaces.push(node.offset.length() > 1e-9 && median(node.offset) < median(DVec3::ZERO));
        first += node.channels.len();
    }
    let world = (0..frames).map(|frame| {
        let mut all: Vec<(DVec3, DMat3)> = Vec::new();
        let mut first = frame * width;
        for (node, replaces) in nodes.iter().zip(&replaces) {
            let row = &values[first..][..node.channels.len()];
            first += node.channels.len();
            let mut local = node.offset;
            let mut rotation = DMat3::IDENTITY;
            for (channel, value) in node.channels.iter().zip(row) {
                let axis = "xyz".find(&channel[..1]).unwrap();
                if channel.ends_with("position") {
                    local[axis] = if *replaces { 0.0 } else { node.offset[axis] } + value;
                } else if channel.ends_with("rotation") {
                    rotation *= match axis {
                        0 => DMat3::from_rotation_x(value.to_radians()),
                        1 => DMat3::from_rotation_y(value.to_radians()),
                        _ => DMat3::from_rotation_z(value.to_radians()),
                    };
                }
            }
            let (origin, turn) = node
                .parent
                .map_or((DVec3::ZERO, DMat3::IDENTITY), |parent| all[parent]);
            all.push((origin + turn * local, turn * rotation));
        }
        keep_joints(&nodes, &all)
    });
    let world = world.collect();
    let numbers: Vec<i64> = keep_joints(
        &nodes,
        &(0..nodes.len()).map(|node| node as i64).collect::<Vec<_>>(),
    );
    Reference {
        names: nodes
            .iter()
            .filter(|node| !node.is_tip)
            .map(|node| node.name.clone())
            .collect(),
        parents: nodes
            .iter()
            .filter(|node| !node.is_tip)
            .map(|node| {
                node.parent.map_or(-1, |parent| {
                    numbers.iter().position(|n| *n == parent as i64).unwrap() as i64
                })
            })
            .collect(),
        frames,
        world,
    }
}

fn position(channels: &[String], row: &[f64]) -> DVec3 {
    let mut position = DVec3::ZERO;
    for (channel, value) in channels.iter().zip(row) {
        if channel.ends_with("position") {
            position["xyz".find(&channel[..1]).unwrap()] = *value;
        }
    }
    position
}

fn keep_joints<T: Clone>(nodes: &[Node], all: &[T]) -> Vec<T> {
    nodes
        .iter()
        .zip(all)
        .filter(|(node, _)| !node.is_tip)
        .map(|(_, value)| value.clone())
        .collect()
}

/// Position and rotation of every joint in model space in one frame, in f64 from the f32 keys.
pub fn world(bvh: &Bvh, frame: usize) -> Vec<(DVec3, DQuat)> {
    let mut pose = Pose::identity(bvh.skeleton.len());
    bvh.animation
        .sample(&bvh.skeleton, (frame as f64 * bvh.frame_time) as f32, &mut pose);
    let mut all: Vec<(DVec3, DQuat)> = Vec::new();
    for joint in bvh.skeleton.joints() {
        let local = pose.get(joint);
        let (translation, rotation) = (
            local.translation.as_dvec3(),
            local.rotation.as_dquat().normalize(),
        );
        let parent = bvh.skeleton.parent(joint).map(JointId::index);
        let (origin, turn) = parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| all[parent]);
        all.push((origin + turn * translation, turn * rotation));
    }
    all
}
