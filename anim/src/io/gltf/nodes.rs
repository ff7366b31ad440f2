//! From the file's nodes to one skeleton.

use glam::{DMat3, DVec3, Mat3, Mat4, Quat, Vec3};

use super::{
    GltfError, GltfWarning, Report, UNIT_TOLERANCE,
    accessor::look_up,
    schema::{Node, Root},
};
use crate::{Joint, JointId, Skeleton, SkeletonError, Transform, skeleton::unit_quat};

/// Cosine between two columns of a matrix from which on it counts as sheared: well above what f32 products of
/// rotations and scales leave.
const SHEAR_TOLERANCE: f64 = 1e-4;

/// The tree of nodes.
pub(super) struct Nodes {
    pub(super) skeleton: Skeleton,
    /// One per node; `None` for nodes that are no joints.
    pub(super) joints: Vec<Option<JointId>>,
    /// One per node: the node at the top of its tree.
    pub(super) tops: Vec<usize>,
}

pub(super) fn read(root: &Root, report: &mut Report) -> Result<Nodes, GltfError> {
    let nodes = &root.nodes;
    let parents = parents(nodes)?;
    let (order, tops) = depth_first(root, &parents)?;
    let is_joint = which_are_joints(root, &parents, &order)?;
    let mut joints: Vec<Option<JointId>> = vec![None; nodes.len()];
    let mut list = Vec::new();
    for &node in &order {
        if !is_joint[node] {
            report.left_out_nodes += 1;
            continue;
        }
        if list.len() == Skeleton::MAX_JOINTS {
            return Err(GltfError::Skeleton {
                path: "nodes".to_owned(),
                source: SkeletonError::TooManyJoints {
                    joints: is_joint.iter().filter(|is_joint| **is_joint).count(),
                },
            });
        }
        report.reordered_joints += usize::from(parents[node].is_some_and(|parent| parent > node));
        joints[node] = Some(JointId::from_index(list.len()));
        list.push(Joint {
            name: name(nodes, node),
            parent: parents[node].and_then(|parent| joints[parent]),
            rest: rest(&nodes[node], node, report)?,
        });
    }
    let skeleton = Skeleton::new(list).map_err(|source| {
        let joint = match &source {
            SkeletonError::NotFinite { joint, .. } | SkeletonError::ZeroRotation { joint, .. } => {
                Some(*joint)
            }
            _ => None,
        };
        let node = joints
            .iter()
            .position(|id| id.map(JointId::index) == joint && joint.is_some());
        GltfError::Skeleton {
            path: node.map_or("nodes".to_owned(), |node| format!("nodes[{node}]")),
            source,
        }
    })?;
    Ok(Nodes {
        skeleton,
        joints,
        tops,
    })
}

/// The node's name, or what stands for it.
pub(super) fn name(nodes: &[Node], node: usize) -> String {
    nodes[node].name.clone().unwrap_or_else(|| format!("node {node}"))
}

fn parents(nodes: &[Node]) -> Result<Vec<Option<usize>>, GltfError> {
    let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for (index, &child) in node.children.iter().enumerate() {
            look_up(nodes, child, format_args!("nodes[{parent}].children[{index}]"))?;
            if parents[child].replace(parent).is_some() {
                return Err(GltfError::Tree {
                    path: format!("nodes[{parent}].children[{index}]"),
                    node: child,
                    problem: "has two parents",
                });
            }
        }
    }
    Ok(parents)
}

/// The nodes, parents first and each with its descendants behind it; and the top of each node's tree.
fn depth_first(root: &Root, parents: &[Option<usize>]) -> Result<(Vec<usize>, Vec<usize>), GltfError> {
    let nodes = &root.nodes;
    let mut tops = vec![usize::MAX; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    for top in (0..nodes.len()).filter(|&node| parents[node].is_none()) {
        let mut stack = vec![top];
        while let Some(node) = stack.pop() {
            order.push(node);
            tops[node] = top;
            stack.extend(nodes[node].children.iter().rev());
        }
    }
    // Each node has one parent at most, so what was not reached goes round in circles.
    if let Some(node) = tops.iter().position(|&top| top == usize::MAX) {
        return Err(GltfError::Tree {
            path: format!("nodes[{node}].children"),
            node,
            problem: "is its own ancestor",
        });
    }
    Ok((order, tops))
}

/// All nodes but those that only hold a skinned mesh: the format says that such a node's transform means nothing.
fn which_are_joints(root: &Root, parents: &[Option<usize>], order: &[usize]) -> Result<Vec<bool>, GltfError> {
    let holds_skin = |node: &Node| node.mesh.is_some() && node.skin.is_some();
    let mut is_joint: Vec<bool> = root.nodes.iter().map(|node| !holds_skin(node)).collect();
    for (index, skin) in root.skins.iter().enumerate() {
        for (slot, &joint) in skin.joints.iter().enumerate() {
            look_up(&root.nodes, joint, format_args!("skins[{index}].joints[{slot}]"))?;
            is_joint[joint] = true;
        }
    }
    for (index, animation) in root.animations.iter().enumerate() {
        for (channel, target) in animation
            .channels
            .iter()
            .map(|channel| &channel.target)
            .enumerate()
        {
            if let Some(node) = target.node {
                let path = format_args!("animations[{index}].channels[{channel}].target.node");
                look_up(&root.nodes, node, path)?;
                is_joint[node] |= target.path != "weights";
            }
        }
    }
    // From the leaves up: what a joint stands on is a joint.
    for &node in order.iter().rev() {
        if let Some(parent) = parents[node] {
            is_joint[parent] |= is_joint[node];
        }
    }
    Ok(is_joint)
}

fn rest(node: &Node, index: usize, report: &mut Report) -> Result<Transform, GltfError> {
    if let Some(matrix) = &node.matrix {
        let path = format!("nodes[{index}].matrix");
        if !matrix.iter().all(|number| number.is_finite()) {
            return Err(GltfError::NotFinite { path, element: 0 });
        }
        let (transform, is_sheared) = decompose(&Mat4::from_cols_array(matrix));
        if is_sheared {
            report.warnings.push(GltfWarning::ShearedMatrix { path });
        }
        return Ok(transform);
    }
    let rotation = node.rotation.map_or(Quat::IDENTITY, Quat::from_array);
    if is_off_unit(rotation) {
        report.warnings.push(GltfWarning::NormalizedRotations {
            path: format!("nodes[{index}].rotation"),
            rotations: 1,
        });
    }
    Ok(Transform {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
        rotation,
        scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
    })
}

/// Whether a rotation's length is further from one than [`UNIT_TOLERANCE`]. (One of length zero is an error of its
/// own.)
pub(super) fn is_off_unit(rotation: Quat) -> bool {
    let length = rotation.as_dquat().length();
    length.is_finite() && length > 0.0 && (length - 1.0).abs() > f64::from(UNIT_TOLERANCE)
}

/// Translation, rotation and scale of a matrix, and whether there is a shear that they cannot express. A mirroring
/// matrix gets a negative scale along x.
fn decompose(matrix: &Mat4) -> (Transform, bool) {
    let linear: DMat3 = Mat3::from_mat4(*matrix).as_dmat3();
    let mut scale = [linear.x_axis, linear.y_axis, linear.z_axis].map(DVec3::length);
    if linear.determinant() < 0.0 {
        scale[0] = -scale[0];
    }
    let axis = |column: DVec3, scale: f64| {
        if scale == 0.0 { DVec3::ZERO } else { column / scale }
    };
    let axes = DMat3::from_cols(
        axis(linear.x_axis, scale[0]),
        axis(linear.y_axis, scale[1]),
        axis(linear.z_axis, scale[2]),
    );
    let cosines = [
        axes.x_axis.dot(axes.y_axis),
        axes.y_axis.dot(axes.z_axis),
        axes.z_axis.dot(axes.x_axis),
    ];
    let is_sheared = cosines.iter().any(|cosine| cosine.abs() > SHEAR_TOLERANCE);
    // The nearest rotation: it also fills in an axis that a scale of zero took away.
    let rotation: glam::DQuat = elea::quat_from_mat3(axes);
    #[expect(clippy::cast_possible_truncation, reason = "lengths of f32 columns")]
    let scale = Vec3::from_array(scale.map(|scale| scale as f32));
    let transform = Transform {
        translation: matrix.w_axis.truncate(),
        rotation: unit_quat(rotation.as_quat()).unwrap_or(Quat::IDENTITY),
        scale,
    };
    (transform, is_sheared)
}

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;
    use crate::rigs::Random;

    #[test]
    fn matrices_come_apart_and_together_again() {
        let mut random = Random(3);
        for round in 0..2000 {
            let mut transform = random.transform();
            if round % 3 == 0 {
                transform.scale.x = -transform.scale.x;
            }
            if round % 5 == 0 {
                transform.scale.y = 0.0;
            }
            let matrix = Mat4::from(transform.to_affine());
            let (found, is_sheared) = decompose(&matrix);
            assert!(!is_sheared, "round {round}");
            let back = Mat4::from(found.to_affine());
            assert!(
                back.abs_diff_eq(matrix, 2e-6),
                "round {round}: {back} is not {matrix}"
            );
        }
        let sheared = Mat4::from_cols(
            Vec4::X,
            Vec4::new(0.1, 1.0, 0.0, 0.0),
            Vec4::Z,
            Vec4::new(1.0, 2.0, 3.0, 1.0),
        );
        let (found, is_sheared) = decompose(&sheared);
        assert!(is_sheared, "a shear of 0.1");
        assert_eq!(found.translation, Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(decompose(&Mat4::ZERO).0.scale, Vec3::ZERO);
    }
}
