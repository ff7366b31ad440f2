//! The memory of an evaluation.

use glam::Affine3A;

use crate::{Pose, inertia::WORK_POSES, layer::MAX_VOICES};

/// Memory that [`Animux::evaluate`](crate::Animux::evaluate) works in. One serves any number of characters, one after the other; it is best kept
/// for one skeleton, as another number of joints makes it allocate anew.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// One per voice.
    pub(crate) poses: Vec<Pose>,
    pub(crate) voices: Vec<Playing>,
    pub(crate) work: Vec<Pose>,
    pub(crate) model: Vec<Affine3A>,
}

impl Scratch {
    /// Empty; the first evaluation makes room for all that a multiplexer with so many layers can need.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for a multiplexer of so many joints and layers, and forgets what played.
    pub(crate) fn prepare(&mut self, joints: usize, layers: usize) {
        let voices = layers * MAX_VOICES;
        let is_other = |poses: &[Pose]| poses.first().is_some_and(|pose| pose.len() != joints);
        if is_other(&self.poses) || is_other(&self.work) {
            self.poses.clear();
            self.work.clear();
        }
        if self.poses.len() < voices {
            self.poses.resize_with(voices, || Pose::identity(joints));
        }
        if self.work.len() < WORK_POSES {
            self.work.resize_with(WORK_POSES, || Pose::identity(joints));
        }
        self.model.resize(joints, Affine3A::IDENTITY);
        self.voices.clear();
        self.voices.reserve(voices);
    }
}

/// A sampled voice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Playing {
    pub(crate) layer: usize,
    pub(crate) weight: f32,
    pub(crate) share: f32,
    pub(crate) ends_layer: bool,
}
