//! Left becomes right.

use glam::{Quat, Vec3, Vec4};

use crate::{AnimError, Animation, Channel, JointId, Skeleton, Values};

/// Pairs of words for left and right in joint names, longest first; both directions are tried.
const SIDES: [(&str, &str); 9] = [
    ("Left", "Right"),
    ("left", "right"),
    ("LEFT", "RIGHT"),
    ("_L", "_R"),
    ("_l", "_r"),
    (".L", ".R"),
    (".l", ".r"),
    ("L_", "R_"),
    ("l_", "r_"),
];

impl Skeleton {
    /// Each joint's partner on the other side by name (`Left` and `Right`, `_l` and `_r`, `.L` and `.R`, `L_` and
    /// `R_`, in any spelling that is used throughout); joints without one are their own.
    ///
    /// A mark of one letter counts at the end or the beginning of a name and where another separator follows
    /// (`arm_L`, `arm_L_01`, `L_arm`), so that `lower_leg_roll` is not taken for a left joint.
    #[must_use]
    pub fn mirror_partners(&self) -> Vec<JointId> {
        self.joints()
            .map(|joint| self.partner(self.name(joint)).unwrap_or(joint))
            .collect()
    }

    fn partner(&self, name: &str) -> Option<JointId> {
        SIDES.iter().find_map(|&(left, right)| {
            let mut ways = [(left, right), (right, left)].into_iter();
            ways.find_map(|(from, to)| {
                let found = name
                    .match_indices(from)
                    .find(|(at, _)| is_side_mark(name, *at, from))?
                    .0;
                let other = format!("{}{to}{}", &name[..found], &name[found + from.len()..]);
                self.joint(&other)
            })
        })
    }
}

fn is_side_mark(name: &str, at: usize, mark: &str) -> bool {
    if mark.len() > 2 {
        return true;
    }
    let (before, after) = (&name[..at], &name[at + mark.len()..]);
    if mark.ends_with('_') {
        // A prefix, also behind a namespace: "rig:L_arm".
        before.is_empty() || before.ends_with([':', '|'])
    } else {
        after.is_empty() || after.starts_with(['_', '.', ' ', '-'])
    }
}

impl Animation {
    /// The same motion seen in a mirror: the left arm does what the right arm did.
    ///
    /// * `partners`: for each joint the one on the other side, itself for those in the middle
    ///   ([`Skeleton::mirror_partners`] goes by name).
    /// * `normal`: of the mirror, a plane through the origin of model space, which must be the plane of symmetry of
    ///   the rest pose; of any length above zero.
    ///
    /// Only the rest pose's positions need to be symmetrical; the joints' own axes may be anything, as the
    /// differences from the rest pose are what is mirrored. Scales are passed on along the same axes, the rest
    /// pose's scales apart. Exact at keys and between them: no key is added.
    ///
    /// # Errors
    /// [`AnimError::JointCount`] unless there is one partner per joint, [`AnimError::NoSuchJoint`] for a partner or
    /// a channel's joint that the skeleton lacks, [`AnimError::EditValue`] for a normal without direction,
    /// [`AnimError::ValueTooLarge`] or [`AnimError::ValueNotFinite`] where a value comes to lie beyond
    /// [`Channel::MAX_VALUE`] or f32.
    pub fn mirrored(
        &self,
        skeleton: &Skeleton,
        partners: &[JointId],
        normal: Vec3,
    ) -> Result<Self, AnimError> {
        if partners.len() != skeleton.len() {
            return Err(AnimError::JointCount {
                expected: skeleton.len(),
                found: partners.len(),
            });
        }
        // In f64, where the square of no f32 over- or underflows.
        let Some(normal) = normal.as_dvec3().try_normalize().map(|unit| unit.as_vec3()) else {
            return Err(AnimError::EditValue {
                what: "length of the mirror's normal",
                value: normal.length(),
                expected: "a finite number above 0",
            });
        };
        let rest = RestRotations::new(skeleton);
        let mut mirrored = self.clone();
        for channel in &mut mirrored.channels {
            let joint = channel.joint();
            let partner = partners.get(joint.index()).copied();
            let Some(partner) = partner.filter(|partner| partner.index() < skeleton.len()) else {
                let joint = partner.unwrap_or(joint);
                return Err(AnimError::NoSuchJoint {
                    joint,
                    joints: skeleton.len(),
                });
            };
            *channel = self.mirrored_channel(channel, partner, skeleton, &rest, normal)?;
        }
        Ok(mirrored)
    }

    fn mirrored_channel(
        &self,
        channel: &Channel,
        partner: JointId,
        skeleton: &Skeleton,
        rest: &RestRotations,
        normal: Vec3,
    ) -> Result<Channel, AnimError> {
        let joint = channel.joint();
        let (own, other) = (skeleton.rest_pose().get(joint), skeleton.rest_pose().get(partner));
        let (own_parent, other_parent) = (rest.of_parent(skeleton, joint), rest.of_parent(skeleton, partner));
        let is_value = |index: usize| channel.values().len() == channel.keys() || index % 3 == 1;
        let values = match channel.values() {
            Values::Translation(values) => {
                let one = |(index, &value): (usize, &Vec3)| {
                    let is_position = is_value(index) && !self.additive;
                    let (from, to) = if is_position {
                        (own.translation, other.translation)
                    } else {
                        (Vec3::ZERO, Vec3::ZERO)
                    };
                    let model = own_parent * (value - from);
                    to + other_parent.conjugate() * (model - normal * (2.0 * model.dot(normal)))
                };
                Values::Translation(values.iter().enumerate().map(one).collect())
            }
            Values::Scale(values) if self.additive => Values::Scale(values.clone()),
            Values::Scale(values) => {
                // A tangent is a difference too, and differences scale alike.
                let ratio = other.scale / own.scale;
                let ratio = if ratio.is_finite() { ratio } else { Vec3::ONE };
                Values::Scale(values.iter().map(|&value| value * ratio).collect())
            }
            Values::Rotation(values) => {
                // difference = (parent * value) * (parent * rest)^-1 in model space; all steps are linear in
                // `value`, so that tangents go the same way.
                let (own_rest, other_rest) = if self.additive {
                    (Quat::IDENTITY, Quat::IDENTITY)
                } else {
                    (own.rotation, other.rotation)
                };
                let one = |&value: &Quat| {
                    let difference = product(product(own_parent, value), (own_parent * own_rest).conjugate());
                    let mirrored = reflect(difference, normal);
                    product(
                        product(other_parent.conjugate(), mirrored),
                        other_parent * other_rest,
                    )
                };
                Values::Rotation(values.iter().map(one).collect())
            }
        };
        Channel::new(partner, channel.interpolation(), channel.times().clone(), values)
    }
}

/// The rotations of the rest pose in model space.
struct RestRotations(Vec<Quat>);

impl RestRotations {
    fn new(skeleton: &Skeleton) -> Self {
        let mut model: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for (local, parent) in skeleton.rest_pose().transforms().zip(skeleton.parents()) {
            let parent = parent.map_or(Quat::IDENTITY, |parent| model[parent.index()]);
            model.push((parent * local.rotation).normalize());
        }
        Self(model)
    }

    fn of_parent(&self, skeleton: &Skeleton, joint: JointId) -> Quat {
        skeleton
            .parent(joint)
            .map_or(Quat::IDENTITY, |parent| self.0[parent.index()])
    }
}

/// The rotation seen in a mirror: an axis of rotation is reflected and turns the other way.
fn reflect(rotation: Quat, normal: Vec3) -> Quat {
    let axis = Vec3::new(rotation.x, rotation.y, rotation.z);
    Quat::from_vec4((normal * (2.0 * axis.dot(normal)) - axis).extend(rotation.w))
}

/// Hamilton product of quaternions of any length: tangents have none in particular.
pub(crate) fn product(a: Quat, b: Quat) -> Quat {
    let (av, bv) = (a.xyz(), b.xyz());
    Quat::from_vec4(Vec4::from((
        bv * a.w + av * b.w + av.cross(bv),
        a.w * b.w - av.dot(bv),
    )))
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;

    use super::*;
    use crate::{Joint, Pose, Transform, local_to_model, rigs::Random};

    /// A symmetrical figure about x = 0 whose joints have random axes.
    fn figure(random: &mut Random) -> Skeleton {
        let names = ["hips", "spine", "arm_L", "arm_R", "hand_L", "hand_R"];
        let parents = [None, Some(0), Some(1), Some(1), Some(2), Some(3)];
        let places = [
            Vec3::new(0.0, 1.0, 0.2),
            Vec3::new(0.0, 1.5, 0.1),
            Vec3::new(0.3, 1.8, 0.0),
            Vec3::new(-0.3, 1.8, 0.0),
            Vec3::new(0.9, 1.6, 0.3),
            Vec3::new(-0.9, 1.6, 0.3),
        ];
        let turns: Vec<Quat> = (0..6).map(|_| random.rotation()).collect();
        let joint = |index: usize| {
            let parent: Option<usize> = parents[index];
            let (turn, place) = parent.map_or((Quat::IDENTITY, Vec3::ZERO), |p| (turns[p], places[p]));
            Joint {
                name: names[index].into(),
                parent: parent.map(JointId::from_index),
                rest: Transform {
                    translation: turn.conjugate() * (places[index] - place),
                    rotation: turn.conjugate() * turns[index],
                    scale: Vec3::ONE,
                },
            }
        };
        Skeleton::new((0..6).map(joint).collect()).unwrap()
    }

    #[test]
    fn every_position_is_that_of_the_partner_in_the_mirror() {
        let mut random = Random(21);
        for _ in 0..10 {
            let skeleton = figure(&mut random);
            let mut animation = random.animation(6, false);
            animation
                .channels
                .retain(|channel| !matches!(channel.values(), Values::Scale(_)));
            let partners = skeleton.mirror_partners();
            assert_eq!(partners, [0, 1, 3, 2, 5, 4].map(JointId));
            let mirrored = animation.mirrored(&skeleton, &partners, Vec3::X * 2.0).unwrap();
            let model = |animation: &Animation, time| {
                let mut pose = Pose::identity(6);
                let mut model = vec![Affine3A::IDENTITY; 6];
                animation.sample(&skeleton, time, &mut pose);
                local_to_model(&skeleton, &pose, &mut model);
                model
            };
            for _ in 0..40 {
                let time = random.signed() * 12.0;
                let (there, here) = (model(&animation, time), model(&mirrored, time));
                for joint in 0..6 {
                    let expected =
                        there[partners[joint].index()].translation * glam::Vec3A::new(-1.0, 1.0, 1.0);
                    let found = here[joint].translation;
                    assert!(
                        found.distance(expected) < 2e-5,
                        "joint {joint} at {time}: {found}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn partners_go_by_name() {
        let names = [
            "Hips",
            "LeftArm",
            "RightArm",
            "leg.l",
            "leg.r",
            "L_foot",
            "R_foot",
            "lower_leg_roll",
            "eye_L",
        ];
        let joint = |name: &str| Joint {
            name: name.into(),
            parent: None,
            rest: Transform::IDENTITY,
        };
        let skeleton = Skeleton::new(names.map(joint).into()).unwrap();
        assert_eq!(
            skeleton.mirror_partners(),
            [0, 2, 1, 4, 3, 6, 5, 7, 8].map(JointId)
        );
    }

    #[test]
    fn what_cannot_be_mirrored_is_named() {
        let skeleton = figure(&mut Random(1));
        let animation = Random(2).animation(6, true);
        let error = animation.mirrored(&skeleton, &[], Vec3::X).unwrap_err();
        assert_eq!(
            error,
            AnimError::JointCount {
                expected: 6,
                found: 0
            }
        );
        let partners = skeleton.mirror_partners();
        let mirrored = |normal| {
            Random(2)
                .animation(6, false)
                .mirrored(&skeleton, &partners, normal)
        };
        for length in [1e-40, 1e-25, 1e25, 3e38] {
            // Of any length above zero.
            assert_eq!(mirrored(Vec3::X * length), mirrored(Vec3::X), "length {length}");
        }
        assert!(
            animation.mirrored(&skeleton, &partners, Vec3::ZERO).is_err(),
            "a normal of length zero"
        );
        assert!(
            animation.mirrored(&skeleton, &partners, Vec3::NAN).is_err(),
            "a normal that is not finite"
        );
    }
}
