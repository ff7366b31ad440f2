//! Forward kinematics of a chain in double precision.

use glam::{DMat3, DQuat, DVec3};

use crate::Chain;
use crate::bone::Shape;

/// Every bone's placement in model space, and the axis of every variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinematics {
    /// Rotations alone, without any scale.
    pub(crate) rotations: Vec<DMat3>,
    /// Rotations with scale; filled unless the chain is rigid.
    pub(crate) linears: Vec<DMat3>,
    pub(crate) positions: Vec<DVec3>,
    /// Every joint's position in its parent's space.
    pub(crate) offsets: Vec<DVec3>,
    /// Per variable: the unit axis of a rotation in model space, or what one unit of a translation adds to a position.
    pub(crate) axes: Vec<DVec3>,
}

impl Kinematics {
    /// Makes room for a chain.
    pub(crate) fn prepare(&mut self, chain: &Chain) {
        self.rotations.resize(chain.bones.len(), DMat3::IDENTITY);
        self.positions.resize(chain.bones.len(), DVec3::ZERO);
        self.offsets.resize(chain.bones.len(), DVec3::ZERO);
        self.axes.resize(chain.variables().len(), DVec3::ZERO);
        if chain.shape != Shape::Rigid {
            self.linears.resize(chain.bones.len(), DMat3::IDENTITY);
        }
    }

    /// Places every bone for a slice of angles.
    pub(crate) fn place(&mut self, chain: &Chain, angles: &[f64]) {
        let rigid = chain.shape == Shape::Rigid;
        for (place, bone) in chain.bones.iter().enumerate() {
            let (above, linear, position) = match bone.parent {
                None => (chain.base.rotation, chain.base.linear, chain.base.position),
                Some(parent) => {
                    let rotation = self.rotations[parent];
                    let linear = if rigid { rotation } else { self.linears[parent] };
                    (rotation, linear, self.positions[parent])
                }
            };
            let mut offset = bone.offset;
            if bone.translates() {
                offset += DVec3::from_slice(&angles[bone.slot + 3..]);
                for xyz in 0..3 {
                    if let Some(variable) = bone.translation_variables[xyz] {
                        self.axes[usize::from(variable)] = linear.col(xyz);
                    }
                }
            }
            self.offsets[place] = offset;
            self.positions[place] = position + linear * offset;
            let mut rotation = if bone.rest == DQuat::IDENTITY {
                above
            } else {
                above * bone.rest_matrix
            };
            for (axis, letter) in bone.sequence {
                let angle = angles[bone.slot + letter];
                if let Some(variable) = bone.rotation_variables[letter] {
                    self.axes[usize::from(variable)] = rotation.col(axis);
                }
                if angle != 0.0 {
                    turn(&mut rotation, axis, angle);
                }
            }
            self.rotations[place] = rotation;
            if !rigid {
                let local = above.transpose() * rotation;
                self.linears[place] = linear * local * DMat3::from_diagonal(bone.scale);
            }
        }
    }

    /// A bone's point in model space.
    pub(crate) fn point(&self, chain: &Chain, place: usize, local: DVec3) -> DVec3 {
        let linear = if chain.shape == Shape::Rigid {
            self.rotations[place]
        } else {
            self.linears[place]
        };
        self.positions[place] + linear * local
    }
}

/// Multiplies a rotation about one of its own axes from the right.
fn turn(rotation: &mut DMat3, axis: usize, angle: f64) {
    let (sin, cos) = angle.sin_cos();
    let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
    let (a, b) = (rotation.col(next), rotation.col(last));
    *rotation.col_mut(next) = a * cos + b * sin;
    *rotation.col_mut(last) = b * cos - a * sin;
}
