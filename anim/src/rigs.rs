//! Random skeletons, poses and animations for the tests.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "test data"
)]

use glam::{Quat, Vec3};

use crate::{Animation, Channel, Interpolation, Joint, JointId, Key, Mask, Pose, Skeleton, Transform};

/// `SplitMix64`: small and seeded.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// -1..1
    pub(crate) fn signed(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// 0..1
    pub(crate) fn unit(&mut self) -> f32 {
        (self.signed() + 1.0) / 2.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        loop {
            let q = glam::Vec4::new(self.signed(), self.signed(), self.signed(), self.signed());
            if q.length_squared() > 0.01 && q.length_squared() < 1.0 {
                return Quat::from_vec4(q.normalize());
            }
        }
    }

    pub(crate) fn transform(&mut self) -> Transform {
        Transform {
            translation: self.vector(),
            rotation: self.rotation(),
            scale: Vec3::ONE + self.vector() * 0.5,
        }
    }

    pub(crate) fn pose(&mut self, joints: usize) -> Pose {
        (0..joints).map(|_| self.transform()).collect()
    }

    pub(crate) fn mask(&mut self, skeleton: &Skeleton) -> Mask {
        let mut mask = Mask::uniform(skeleton, 0.0);
        for joint in skeleton.joints() {
            let weight = [0.0, 1.0, self.unit()][self.below(3)];
            mask.set(joint, weight);
        }
        mask
    }

    pub(crate) fn skeleton(&mut self, joints: usize) -> Skeleton {
        let joint = |index: usize| Joint {
            name: format!("joint {index}"),
            parent: (index > 0).then(|| JointId::from_index(self.below(index))),
            rest: self.transform(),
        };
        Skeleton::new((0..joints).map(joint).collect()).unwrap()
    }

    /// Rotation, and sometimes translation and scale, of most joints; all kinds of curves.
    pub(crate) fn animation(&mut self, joints: usize, shared_times: bool) -> Animation {
        let mut channels = Vec::new();
        let mut times = self.times();
        for joint in 0..joints {
            let id = JointId::from_index(joint);
            let interpolation = if shared_times {
                Interpolation::Linear
            } else {
                times = self.times();
                [
                    Interpolation::Linear,
                    Interpolation::Step,
                    Interpolation::CubicSpline,
                ][self.below(3)]
            };
            if self.below(8) > 0 {
                let keys = self.keys(&times, Self::rotation);
                channels.push(Channel::rotation(id, interpolation, &keys).unwrap());
            }
            if self.below(4) == 0 {
                let keys = self.keys(&times, Self::vector);
                channels.push(Channel::translation(id, interpolation, &keys).unwrap());
            }
            if self.below(4) == 0 {
                let keys = self.keys(&times, |random| Vec3::ONE + random.vector() * 0.5);
                channels.push(Channel::scale(id, interpolation, &keys).unwrap());
            }
        }
        Animation::new("random", channels)
    }

    fn times(&mut self) -> Vec<f32> {
        let mut times = vec![self.signed()];
        for key in 0..self.below(20) {
            times.push(times[key] + self.unit() + 0.01);
        }
        times
    }

    fn keys<V>(&mut self, times: &[f32], mut value: impl FnMut(&mut Self) -> V) -> Vec<Key<V>> {
        let key = |&time: &f32| Key {
            time,
            value: value(self),
            tangents: Some([value(self), value(self)]),
        };
        times.iter().map(key).collect()
    }
}
