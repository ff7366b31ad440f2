//! How far two motions are apart, from the positions of their joints in f64.

use elea_anim::Pose;
use elea_ik::retarget::{Part, Rig, Side};
use glam::{DQuat, DVec3};

/// A foot stands while its lower point is slower than this and lower than that over the ground, in heights (per second).
const SPEED: f64 = 0.25;
const HEIGHT: f64 = 0.06;

/// Speeds are measured over this time, in seconds.
const WINDOW: f64 = 1.0 / 30.0;

/// Ankle to shoulder over the whole height (Winter, Biomechanics and Motor Control of Human Movement, 2009).
const ANKLE_TO_SHOULDER: f64 = 0.72;

/// The parts that are looked at: limbs, then toes.
const LIMBS: [fn(Side) -> Part; 6] = [
    Part::Thigh,
    Part::Shin,
    Part::Foot,
    Part::UpperArm,
    Part::Forearm,
    Part::Hand,
];

/// One frame: six points and a toe of each side.
type Frame = [[DVec3; 7]; 2];

/// A motion as joint positions, Y up, in heights.
pub(super) struct View {
    frames: Vec<Frame>,
    step: f64,
}

/// What differs between a motion and its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    pub(super) limb_mean: f64,
    pub(super) limb_p95: f64,
    pub(super) hip_line: f64,
    pub(super) shoulder_line: f64,
    pub(super) trunk: f64,
    pub(super) slide: f64,
    pub(super) source_slide: f64,
    pub(super) jerk_ratio: f64,
    pub(super) drift: f64,
}

fn degrees(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// The value below which `share` of the others lie.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    let place = ((values.len().saturating_sub(1)) as f64 * share).round() as usize;
    values.get(place).copied().unwrap_or(0.0)
}

impl View {
    /// Of poses that are `step` seconds apart.
    pub(super) fn new<'a>(rig: &Rig, poses: impl Iterator<Item = &'a Pose>, step: f64) -> Self {
        let joint = |part| rig.map.joint(part, &rig.skeleton).map(|joint| joint.index());
        let joints: [[Option<usize>; 7]; 2] = Side::BOTH.map(|side| {
            let foot = rig.map.joint(Part::Foot(side), &rig.skeleton);
            let child = foot.and_then(|foot| rig.skeleton.children(foot).next());
            let toe = joint(Part::Toe(side)).or(child.map(|child| child.index()));
            let [a, b, c, d, e, f] = LIMBS.map(|part| joint(part(side)));
            [a, b, c, d, e, f, toe.or(c)]
        });
        let mut frames: Vec<Frame> = Vec::new();
        for pose in poses {
            let (mut rotations, mut positions): (Vec<DQuat>, Vec<DVec3>) = (Vec::new(), Vec::new());
            for (local, parent) in pose.transforms().zip(rig.skeleton.parents()) {
                let (rotation, position) = parent.map_or((DQuat::IDENTITY, DVec3::ZERO), |parent| {
                    (rotations[parent.index()], positions[parent.index()])
                });
                positions.push(position + rotation * local.translation.as_dvec3());
                rotations.push((rotation * local.rotation.as_dquat()).normalize());
            }
            let at = |joint: Option<usize>| joint.map_or(DVec3::NAN, |joint| positions[joint]);
            frames.push(joints.map(|side| side.map(at)));
        }
        let mut view = Self { frames, step };
        view.stand_up();
        let height = view.height();
        for point in view.frames.iter_mut().flatten().flatten() {
            *point /= height;
        }
        view
    }

    /// Turns the axis nearest to the mean direction from feet to shoulders up, onto Y.
    fn stand_up(&mut self) {
        let sum: DVec3 = self
            .frames
            .iter()
            .map(|[left, right]| left[3] + right[3] - left[2] - right[2])
            .sum();
        let largest = sum.abs().max_position();
        let up = DVec3::AXES[largest] * sum[largest].signum();
        let turn = DQuat::from_rotation_arc(up, DVec3::Y);
        for point in self.frames.iter_mut().flatten().flatten() {
            *point = turn * *point;
        }
    }

    fn height(&self) -> f64 {
        let leg = |side: &[DVec3; 7]| side[0].distance(side[1]) + side[1].distance(side[2]);
        let length = |[left, right]: &Frame| {
            let trunk = (left[3] + right[3] - left[0] - right[0]) * 0.5;
            (leg(left) + leg(right)) * 0.5 + trunk.length()
        };
        mean(self.frames.iter().map(length)) / ANKLE_TO_SHOULDER
    }

    /// Hip line, shoulder line, trunk, then the limbs' eight bones.
    fn directions([left, right]: &Frame) -> [DVec3; 11] {
        let bones = |side: &[DVec3; 7]| [(0, 1), (1, 2), (3, 4), (4, 5)].map(|(a, b)| side[b] - side[a]);
        let ([a, b, c, d], [e, f, g, h]) = (bones(left), bones(right));
        [
            left[0] - right[0],
            left[3] - right[3],
            left[3] + right[3] - left[0] - right[0],
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
        ]
    }

    fn window(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small whole number"
        )]
        let frames = (WINDOW / self.step).round().clamp(1.0, 1e6) as usize;
        frames
    }

    /// The frames in which each foot stands, and stood the window before.
    fn contacts(&self) -> [Vec<usize>; 2] {
        let lows = self.frames.iter().flatten().map(|side| side[2].y.min(side[6].y));
        let ground = percentile(lows.collect(), 0.05);
        let back = self.window();
        [0, 1].map(|side| {
            let low = |frame: usize| {
                let points = &self.frames[frame][side];
                if points[6].y < points[2].y {
                    points[6]
                } else {
                    points[2]
                }
            };
            let stands = |frame: usize| {
                let now = frame.max(back);
                let speed = low(now).distance(low(now - back)) / (back as f64 * self.step);
                speed < SPEED && low(frame).y - ground < HEIGHT
            };
            let frames = back..self.frames.len();
            frames
                .filter(|&frame| stands(frame) && stands(frame - back))
                .collect()
        })
    }

    /// Mean speed of the standing toes along the ground.
    fn slide(&self, contacts: &[Vec<usize>; 2]) -> f64 {
        let back = self.window();
        let mut speeds = Vec::new();
        for (side, frames) in contacts.iter().enumerate() {
            for &frame in frames {
                let way = self.frames[frame][side][6] - self.frames[frame - back][side][6];
                speeds.push(way.x.hypot(way.z) / (back as f64 * self.step));
            }
        }
        mean(speeds.into_iter())
    }

    /// The sizes of the third differences of all points but the toes, summed.
    fn jerk(&self) -> f64 {
        let third = |four: &[Frame]| -> f64 {
            let points = |frame: usize| four[frame].iter().flat_map(|side| &side[..LIMBS.len()]);
            let earlier = points(0).zip(points(1));
            let later = points(2).zip(points(3));
            earlier
                .zip(later)
                .map(|((&a, &b), (&c, &d))| (d - c * 3.0 + b * 3.0 - a).length())
                .sum()
        };
        self.frames.windows(4).map(third).sum()
    }

    /// Largest change of a limb bone's length, relative.
    fn drift(&self) -> f64 {
        let mut largest = 0.0_f64;
        for bone in 3..11 {
            let lengths = self
                .frames
                .iter()
                .map(|frame| Self::directions(frame)[bone].length());
            let (low, high) = lengths.fold((f64::INFINITY, 0.0_f64), |(low, high), length| {
                (low.min(length), high.max(length))
            });
            largest = largest.max(high / low - 1.0);
        }
        largest
    }

    /// What `result` differs from this motion by. The yaw between the two spaces is no error: its mean is taken out.
    pub(super) fn errors(&self, result: &Self) -> Errors {
        let pairs = || self.frames.iter().zip(&result.frames);
        let (mut sine, mut cosine) = (0.0, 0.0);
        for (a, b) in pairs() {
            let (a, b) = (Self::directions(a)[0], Self::directions(b)[0]);
            let yaw = (b.x * a.z - b.z * a.x).atan2(a.x * b.x + a.z * b.z);
            sine += yaw.sin();
            cosine += yaw.cos();
        }
        let turn = DQuat::from_rotation_y(-f64::atan2(sine, cosine));
        let mut angles: [Vec<f64>; 11] = Default::default();
        for (a, b) in pairs() {
            let both = Self::directions(a).into_iter().zip(Self::directions(b));
            for (angles, (a, b)) in angles.iter_mut().zip(both) {
                angles.push(degrees(a, turn * b));
            }
        }
        let [hips, shoulders, trunk, limbs @ ..] = angles;
        let limbs: Vec<f64> = limbs.concat();
        let contacts = self.contacts();
        Errors {
            limb_mean: mean(limbs.iter().copied()),
            limb_p95: percentile(limbs, 0.95),
            hip_line: mean(hips.into_iter()),
            shoulder_line: mean(shoulders.into_iter()),
            trunk: mean(trunk.into_iter()),
            slide: result.slide(&contacts),
            source_slide: self.slide(&contacts),
            jerk_ratio: result.jerk() / self.jerk().max(f64::MIN_POSITIVE),
            drift: result.drift(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A figure that stands, each foot a little ahead in each frame.
    fn walk(turn: DQuat, size: f64, slide: f64) -> View {
        let frame = |index: i32| -> Frame {
            [1.0, -1.0].map(|side| {
                let at = |x: f64, y: f64, z: f64| turn * (DVec3::new(x * side, y, z) * size);
                let step = slide * f64::from(index);
                [
                    at(0.1, 0.9, 0.0),
                    at(0.1, 0.5, 0.0),
                    at(0.1, 0.1, step),
                    at(0.2, 1.4, 0.0),
                    at(0.5, 1.4, 0.0),
                    at(0.8, 1.4, 0.0),
                    at(0.1, 0.0, step + 0.1),
                ]
            })
        };
        let mut view = View {
            frames: (0..30).map(frame).collect(),
            step: 1.0 / 30.0,
        };
        view.stand_up();
        let height = view.height();
        for point in view.frames.iter_mut().flatten().flatten() {
            *point /= height;
        }
        view
    }

    #[test]
    fn size_axes_and_yaw_are_no_errors() {
        let source = walk(DQuat::IDENTITY, 1.0, 0.0);
        for turn in [
            DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
            DQuat::from_rotation_y(1.0),
        ] {
            let errors = source.errors(&walk(turn, 37.0, 0.0));
            let worst = errors.limb_p95.max(errors.hip_line).max(errors.trunk);
            assert!(worst < 1e-9 && errors.slide < 1e-12, "{errors:?}");
        }
    }

    #[test]
    fn a_slide_and_a_turned_arm_are_measured() {
        let source = walk(DQuat::IDENTITY, 1.0, 0.0);
        // 0.001 of 1.8055 (0.8 + 0.5, over 0.72) heights in 1/30 s.
        let slid = source.errors(&walk(DQuat::IDENTITY, 1.0, 0.001));
        let expected = 0.03 / ((0.8 + 0.5) / 0.72);
        assert!((slid.slide - expected).abs() < 0.01 * expected, "{slid:?}");
        let mut turned = walk(DQuat::IDENTITY, 1.0, 0.0);
        for frame in &mut turned.frames {
            let elbow = frame[0][4];
            frame[0][5] = elbow + DQuat::from_rotation_z(0.5) * (frame[0][5] - elbow);
        }
        let errors = source.errors(&turned);
        assert!(
            (errors.limb_mean - 0.5_f64.to_degrees() / 8.0).abs() < 1e-9,
            "{errors:?}"
        );
        assert!(
            (errors.limb_p95 - 0.5_f64.to_degrees()).abs() < 1e-9,
            "{errors:?}"
        );
    }
}
