//! Chains of joints: which bones a solver moves, and how.

use core::ops::Range;
use std::collections::HashSet;

use elea::{euler_from_quat_near, quat_from_euler};
use elea_anim::{JointId, Pose, Skeleton, Transform};
use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3};

use crate::bone::{Base, Bone, Measure, Shape, base_above, check_transform, largest_stretch, middle};
use crate::joint::check_joint;
use crate::kinematics::Kinematics;
use crate::variable::{Variable, variable};
use crate::{Axis, ChainJoint, IkError};

/// The bones that a solver moves: a joint and bones below it, branching where they do.
///
/// A chain knows its bones' rest transforms, not a pose. A pose is a slice of angles: three for every bone, in the order
/// of the letters of its [`EulerOrder`](elea::EulerOrder) and counted from the rest pose, and three translations more for
/// a bone that may translate. Axes that are off have their place too: what a pose brings there stays.
///
/// ```
/// use elea_anim::{Joint, JointId, Skeleton, Transform, glam::Vec3};
/// use elea_ik::{Axis, Chain, ChainJoint};
/// # let joint = |name: &str, parent, rest| Joint { name: name.into(), parent, rest: Transform::from_translation(rest) };
/// let skeleton = Skeleton::new(vec![
///     joint("shoulder", None, Vec3::ZERO),
///     joint("elbow", Some(JointId(0)), Vec3::X),
///     joint("wrist", Some(JointId(1)), Vec3::X),
/// ])?;
/// let mut chain = Chain::from_skeleton(&skeleton, JointId(0), &[JointId(2)])?;
/// chain.set_joint(JointId(1), ChainJoint::hinge(2, Axis::limit(0.1, 2.5, 0.05)))?;
/// assert_eq!((chain.len(), chain.angle_count(), chain.free_axes()), (3, 9, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    pub(crate) bones: Vec<Bone>,
    pub(crate) base: Base,
    variables: Vec<Variable>,
    /// For every bone the variables that move it, from the root on, as indices into `variables`.
    paths: Vec<Vec<u16>>,
    /// Place in `bones` by joint id.
    places: Vec<Option<u16>>,
    /// What [`refresh`](Self::refresh) finds out about every bone.
    measures: Vec<Measure>,
    slots: usize,
    /// Free axes, also those beyond what fits into a path's indices.
    free_axes: usize,
    set_length: Option<f64>,
    pub(crate) shape: Shape,
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

impl Chain {
    /// The most free axes that the solvers take; a solve needs two matrices of their square (270 MB for this many), and
    /// a step of Gauss-Newton the time of their cube.
    pub const MOST_AXES: usize = 4_096;

    /// A chain without bones, to be filled with [`push`](Self::push).
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bones: Vec::new(),
            base: Base::IDENTITY,
            variables: Vec::new(),
            paths: Vec::new(),
            places: Vec::new(),
            measures: Vec::new(),
            slots: 0,
            free_axes: 0,
            set_length: None,
            shape: Shape::Rigid,
        }
    }

    /// The joints from `root` down to each of the tips, every one a [`ChainJoint::default`]; make hinges and limits of
    /// them with [`set_joint`](Self::set_joint). The joints above the root stay as in the rest pose until
    /// [`adopt_pose`](Self::adopt_pose).
    ///
    /// # Errors
    /// [`IkError::NoSuchJoint`]; [`IkError::TipNotBelowRoot`] (the root itself is a valid tip).
    pub fn from_skeleton(skeleton: &Skeleton, root: JointId, tips: &[JointId]) -> Result<Self, IkError> {
        for &joint in core::iter::once(&root).chain(tips) {
            if joint.index() >= skeleton.len() {
                return Err(IkError::NoSuchJoint { joint });
            }
        }
        let below: HashSet<JointId> = skeleton.subtree(root).collect();
        let mut used = vec![false; skeleton.len()];
        used[root.index()] = true;
        for &tip in tips {
            if !below.contains(&tip) {
                return Err(IkError::TipNotBelowRoot { tip, root });
            }
            let mut joint = tip;
            // What is used already has all above it.
            while !used[joint.index()] {
                used[joint.index()] = true;
                joint = skeleton.parent(joint).unwrap_or(root);
            }
        }
        let mut chain = Self::new();
        chain.base = base_above(skeleton, skeleton.rest_pose(), root);
        for joint in skeleton.joints().filter(|joint| used[joint.index()]) {
            let parent = if joint == root {
                None
            } else {
                skeleton.parent(joint)
            };
            let parent = parent.and_then(|parent| chain.position_of(parent));
            let rest = skeleton.rest_pose().get(joint);
            chain.append(joint, parent, rest, ChainJoint::default())?;
        }
        chain.rebuild();
        Ok(chain)
    }

    /// Adds a bone to a chain that is built joint by joint. Its id is the number of bones before it.
    ///
    /// `rest` is the bone's rest transform in its parent's space (model space for a bone without one).
    ///
    /// # Errors
    /// [`IkError::NoSuchJoint`] for a parent that is not there, [`IkError::RestTransform`], [`IkError::Limit`],
    /// [`IkError::Rigidity`].
    ///
    /// # Panics
    /// Where the chain has [`Skeleton::MAX_JOINTS`] bones already.
    ///
    /// ```
    /// use elea_anim::{Transform, glam::Vec3};
    /// use elea_ik::{Axis, Chain, ChainJoint};
    /// let mut chain = Chain::new();
    /// let hip = chain.push(None, Transform::IDENTITY, ChainJoint::ball(1.5, 0.2))?;
    /// let knee = ChainJoint::hinge(0, Axis::limit(0.05, 2.6, 0.05));
    /// chain.push(Some(hip), Transform::from_translation(Vec3::NEG_Y), knee)?;
    /// # Ok::<(), elea_ik::IkError>(())
    /// ```
    pub fn push(
        &mut self,
        parent: Option<JointId>,
        rest: Transform,
        joint: ChainJoint,
    ) -> Result<JointId, IkError> {
        let place = match parent {
            Some(parent) => match self.position_of(parent) {
                Some(place) => Some(place),
                None => return Err(IkError::NoSuchJoint { joint: parent }),
            },
            None => None,
        };
        let id = JointId::from_index(self.places.len());
        check_joint(id, &joint)?;
        self.append(id, place, rest, joint)?;
        self.number(self.bones.len() - 1);
        self.refresh();
        Ok(id)
    }

    fn append(
        &mut self,
        id: JointId,
        parent: Option<usize>,
        rest: Transform,
        joint: ChainJoint,
    ) -> Result<(), IkError> {
        let mut bone = Bone {
            id,
            parent,
            offset: DVec3::ZERO,
            rest: DQuat::IDENTITY,
            rest_matrix: DMat3::IDENTITY,
            scale: DVec3::ONE,
            joint,
            slot: 0,
            sequence: [(0, 0); 3],
            rotation_variables: [None; 3],
            translation_variables: [None; 3],
        };
        bone.set_rest(rest)?;
        let place = JointId::from_index(self.bones.len()).0;
        self.places.resize(id.index(), None);
        self.places.push(Some(place));
        self.bones.push(bone);
        Ok(())
    }

    /// Says how a bone may move. Angles of the bone stay where they are in the slice, unless it begins or ends to
    /// translate.
    ///
    /// # Errors
    /// [`IkError::NoSuchJoint`], [`IkError::Limit`], [`IkError::Rigidity`]; the chain is unchanged then.
    pub fn set_joint(&mut self, bone: JointId, joint: ChainJoint) -> Result<(), IkError> {
        let place = self
            .position_of(bone)
            .ok_or(IkError::NoSuchJoint { joint: bone })?;
        check_joint(bone, &joint)?;
        self.bones[place].joint = joint;
        self.rebuild();
        Ok(())
    }

    /// How the bone may move; `None` where the chain has no such bone.
    #[must_use]
    pub fn joint(&self, bone: JointId) -> Option<&ChainJoint> {
        self.position_of(bone).map(|place| &self.bones[place].joint)
    }

    /// Takes from a pose what the solver does not move: the transform above the root, every bone's translation and scale.
    /// Rest rotations stay, because limits count from them.
    ///
    /// # Errors
    /// [`IkError::PoseSize`], also where the pose is not of `skeleton`; [`IkError::PoseNotFinite`] for a bone or a joint
    /// above the root. The chain is unchanged then.
    pub fn adopt_pose(&mut self, skeleton: &Skeleton, pose: &Pose) -> Result<(), IkError> {
        self.check_pose(pose)?;
        if pose.len() != skeleton.len() {
            return Err(IkError::PoseSize {
                expected: skeleton.len(),
                found: pose.len(),
            });
        }
        let Some(root) = self.bones.first().map(|bone| bone.id) else {
            return Ok(());
        };
        let mut above = skeleton.parent(root);
        while let Some(joint) = above {
            check_transform(pose, joint)?;
            above = skeleton.parent(joint);
        }
        self.base = base_above(skeleton, pose, root);
        for bone in &mut self.bones {
            let transform = pose.get(bone.id);
            if !bone.translates() {
                bone.offset = transform.translation.as_dvec3();
            }
            bone.scale = transform.scale.as_dvec3();
        }
        self.refresh();
        Ok(())
    }

    /// Sets the transform above the root: what the root's parent is in model space. One that is not finite, or flat, makes
    /// every solve an [`IkError::JointTransform`].
    pub fn set_base(&mut self, base: Affine3A) {
        let (_, rotation, _) = base.to_scale_rotation_translation();
        self.base = Base {
            linear: base.matrix3.as_dmat3(),
            rotation: DMat3::from_quat(rotation.as_dquat().normalize()),
            position: base.translation.as_dvec3(),
        };
        self.refresh();
    }

    /// Sets the length by which distances are divided to make errors; `None` takes the longest way from the root to a
    /// bone or to a goal's point. Lengths that are not finite or not above 0 count as `None`.
    pub fn set_length(&mut self, length: Option<f64>) {
        self.set_length = length.filter(|length| length.is_finite() && *length > 0.0);
    }

    /// The length by which distances are divided, in model space; the points of goals may lengthen it.
    #[must_use]
    pub fn length(&self) -> f64 {
        let longest = |longest: f64, place| longest.max(self.reach_of(place));
        self.set_length
            .unwrap_or_else(|| (0..self.bones.len()).fold(0.0, longest))
    }

    pub(crate) const fn has_set_length(&self) -> bool {
        self.set_length.is_some()
    }

    /// Number of bones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Whether there are no bones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// The bones, parents before children.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = JointId> + '_ {
        self.bones.iter().map(|bone| bone.id)
    }

    /// The length of a slice of angles.
    #[must_use]
    pub const fn angle_count(&self) -> usize {
        self.slots
    }

    /// How many angles and translations the solver may change.
    #[must_use]
    pub const fn free_axes(&self) -> usize {
        self.free_axes
    }

    /// Where the bone's angles stand in a slice of angles: three rotations, then three translations if it translates.
    #[must_use]
    pub fn angles_of(&self, bone: JointId) -> Option<Range<usize>> {
        let bone = &self.bones[self.position_of(bone)?];
        Some(bone.slot..bone.slot + bone.slots())
    }

    /// The angles of the rest pose: all 0.
    #[must_use]
    pub fn rest_angles(&self) -> Vec<f64> {
        vec![0.0; self.slots]
    }

    /// Reads the bones' angles from a pose (local space). Of the many triples that stand for one rotation each bone gets
    /// the one nearest to the middle of its limits.
    ///
    /// # Errors
    /// [`IkError::AngleCount`], [`IkError::PoseSize`], [`IkError::PoseNotFinite`]; `angles` is unchanged then.
    pub fn angles_from_pose(&self, pose: &Pose, angles: &mut [f64]) -> Result<(), IkError> {
        self.check_angle_count(angles)?;
        self.check_pose(pose)?;
        for bone in &self.bones {
            let transform = pose.get(bone.id);
            let delta = bone.rest.conjugate() * transform.rotation.as_dquat().normalize();
            let middle = bone.joint.axes.map(middle);
            // The exact rotation is wanted: no tolerance.
            let triple = euler_from_quat_near(delta, bone.joint.order, middle, 0.0);
            angles[bone.slot..bone.slot + 3].copy_from_slice(&triple);
            if bone.translates() {
                let moved = transform.translation.as_dvec3() - bone.offset;
                angles[bone.slot + 3..bone.slot + 6].copy_from_slice(&moved.to_array());
            }
        }
        Ok(())
    }

    /// Writes the bones' rotations (and the translations of those that translate) into a pose (local space). Other joints
    /// and scales are left alone.
    ///
    /// # Errors
    /// [`IkError::AngleCount`], [`IkError::AngleNotFinite`], [`IkError::PoseSize`]; the pose is unchanged then.
    pub fn pose_from_angles(&self, angles: &[f64], pose: &mut Pose) -> Result<(), IkError> {
        self.check_angles(angles)?;
        self.check_pose_size(pose)?;
        self.blend_into_pose(angles, 1.0, pose);
        Ok(())
    }

    /// As [`pose_from_angles`](Self::pose_from_angles) for angles and a pose that fit, blended over what is in the pose.
    pub(crate) fn blend_into_pose(&self, angles: &[f64], weight: f32, pose: &mut Pose) {
        for bone in &self.bones {
            let triple = [angles[bone.slot], angles[bone.slot + 1], angles[bone.slot + 2]];
            let rotation: DQuat = bone.rest * quat_from_euler::<DQuat>(triple, bone.joint.order);
            let mut rotation = rotation.as_quat().normalize();
            let before = pose.get(bone.id);
            if weight < 1.0 {
                rotation = before.rotation.slerp(rotation, weight);
            }
            pose.set_rotation(bone.id, rotation);
            if bone.translates() {
                let moved = (bone.offset + DVec3::from_slice(&angles[bone.slot + 3..])).as_vec3();
                let translation = if weight < 1.0 {
                    before.translation.lerp(moved, weight)
                } else {
                    moved
                };
                pose.set_translation(bone.id, translation);
            }
        }
    }

    /// Copies the angles that the solver does not change.
    pub(crate) fn copy_fixed_angles(&self, from: &[f64], to: &mut [f64]) {
        for bone in &self.bones {
            let kinds = [
                (bone.slot, bone.rotation_variables),
                (bone.slot + 3, bone.translation_variables),
            ];
            let used = if bone.translates() { 2 } else { 1 };
            for (first, variables) in &kinds[..used] {
                for (slot, _) in (*first..)
                    .zip(variables)
                    .filter(|(_, variable)| variable.is_none())
                {
                    to[slot] = from[slot];
                }
            }
        }
    }

    /// Every bone's placement in model space, in the order of [`bones`](Self::bones).
    ///
    /// # Errors
    /// [`IkError::AngleCount`], [`IkError::AngleNotFinite`].
    ///
    /// # Panics
    /// If `model` has not one element per bone.
    pub fn model_from_angles(&self, angles: &[f64], model: &mut [DAffine3]) -> Result<(), IkError> {
        self.check_angles(angles)?;
        assert_eq!(model.len(), self.bones.len(), "one matrix per bone");
        let mut kinematics = Kinematics::default();
        kinematics.prepare(self);
        kinematics.place(self, angles);
        for (place, out) in model.iter_mut().enumerate() {
            let linear = match self.shape {
                Shape::Rigid => kinematics.rotations[place],
                _ => kinematics.linears[place],
            };
            *out = DAffine3 {
                matrix3: linear,
                translation: kinematics.positions[place],
            };
        }
        Ok(())
    }

    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variables that move a bone, root first.
    pub(crate) fn path(&self, place: usize) -> &[u16] {
        &self.paths[place]
    }

    pub(crate) fn position_of(&self, bone: JointId) -> Option<usize> {
        self.places.get(bone.index()).copied().flatten().map(usize::from)
    }

    /// Upper bound of the product of scales down to and with a bone.
    pub(crate) fn scale_of(&self, place: usize) -> f64 {
        self.measures[place].scale
    }

    /// The length of the way from the root's joint to a bone's, stretched out.
    pub(crate) fn reach_of(&self, place: usize) -> f64 {
        self.measures[place].reach
    }

    /// The first bone of the way to `place`, if no bone on it translates: [`reach_of`](Self::reach_of) is a bound then.
    pub(crate) fn fixed_root_of(&self, place: usize) -> Option<usize> {
        self.measures[place].fixed_root
    }

    /// Where the joint of a bone without a parent rests in model space.
    pub(crate) fn root_position(&self, place: usize) -> DVec3 {
        self.base.position + self.base.linear * self.bones[place].offset
    }

    pub(crate) fn check_angle_count(&self, angles: &[f64]) -> Result<(), IkError> {
        if angles.len() == self.slots {
            return Ok(());
        }
        Err(IkError::AngleCount {
            expected: self.slots,
            found: angles.len(),
        })
    }

    pub(crate) fn check_angles(&self, angles: &[f64]) -> Result<(), IkError> {
        self.check_angle_count(angles)?;
        match angles.iter().position(|angle| !angle.is_finite()) {
            Some(index) => Err(IkError::AngleNotFinite { index }),
            None => Ok(()),
        }
    }

    fn check_pose_size(&self, pose: &Pose) -> Result<(), IkError> {
        let expected = self.places.len();
        if pose.len() >= expected {
            return Ok(());
        }
        Err(IkError::PoseSize {
            expected,
            found: pose.len(),
        })
    }

    fn check_pose(&self, pose: &Pose) -> Result<(), IkError> {
        self.check_pose_size(pose)?;
        self.bones
            .iter()
            .try_for_each(|bone| check_transform(pose, bone.id))
    }

    /// Whether the base and all sizes are finite: scales can multiply beyond f64.
    pub(crate) fn is_finite(&self) -> bool {
        let measures = |measure: &Measure| measure.scale.is_finite() && measure.reach.is_finite();
        self.base.is_finite() && self.measures.iter().all(measures)
    }

    fn refresh(&mut self) {
        self.shape = self.find_shape();
        self.measures.clear();
        let base_scale = largest_stretch(self.base.linear);
        for (place, bone) in self.bones.iter().enumerate() {
            let stretch = bone.scale.abs().max_element();
            let mut measure = match bone.parent {
                None => Measure {
                    scale: base_scale * stretch,
                    reach: 0.0,
                    fixed_root: Some(place),
                },
                Some(parent) => {
                    let above = self.measures[parent];
                    Measure {
                        scale: above.scale * stretch,
                        reach: above.reach + above.scale * bone.offset.length(),
                        fixed_root: above.fixed_root,
                    }
                }
            };
            if bone.translates() {
                measure.fixed_root = None;
            }
            self.measures.push(measure);
        }
    }

    fn find_shape(&self) -> Shape {
        let linear = self.base.linear;
        // A base made of f32 rotations is orthogonal to f32 rounding only: 1e-5 relative is a scale, less is rounding.
        const SAME: f64 = 1e-5;
        let squared = [linear.x_axis, linear.y_axis, linear.z_axis].map(DVec3::length_squared);
        let near = |a: f64, b: f64| (a - b).abs() <= SAME * b.abs();
        let skew = linear.x_axis.dot(linear.y_axis).abs()
            + linear.y_axis.dot(linear.z_axis).abs()
            + linear.z_axis.dot(linear.x_axis).abs();
        let conformal = near(squared[0], squared[1])
            && near(squared[0], squared[2])
            && skew <= SAME * squared[0]
            && linear.determinant() > 0.0;
        let uniform = |scale: DVec3| scale.x > 0.0 && near(scale.y, scale.x) && near(scale.z, scale.x);
        if !conformal || !self.bones.iter().all(|bone| uniform(bone.scale)) {
            Shape::Sheared
        } else if squared[0] == 1.0 && self.bones.iter().all(|bone| bone.scale == DVec3::ONE) {
            Shape::Rigid
        } else {
            Shape::Uniform
        }
    }

    /// Numbers slots and variables anew.
    fn rebuild(&mut self) {
        self.variables.clear();
        self.paths.clear();
        (self.slots, self.free_axes) = (0, 0);
        for place in 0..self.bones.len() {
            self.number(place);
        }
        self.refresh();
    }

    /// Numbers the slots and variables of a bone after those of all bones before it.
    fn number(&mut self, place: usize) {
        let mut path = match self.bones[place].parent {
            Some(parent) => self.paths[parent].clone(),
            None => Vec::new(),
        };
        let bone = &mut self.bones[place];
        bone.slot = self.slots;
        self.slots += bone.slots();
        let letters = bone.joint.order.axes();
        let product = if bone.joint.order.is_extrinsic() {
            [2, 1, 0]
        } else {
            [0, 1, 2]
        };
        bone.sequence = product.map(|letter| (letters[letter], letter));
        bone.rotation_variables = [None; 3];
        bone.translation_variables = [None; 3];
        let mut add = |axis: Axis, slot: usize, translation: Option<usize>| {
            let variable = variable(axis, place, slot, translation)?;
            self.free_axes += 1;
            if self.free_axes > Self::MOST_AXES {
                // Every solve refuses the chain; no index leaves its range.
                return None;
            }
            let index = u16::try_from(self.variables.len()).ok()?;
            self.variables.push(variable);
            path.push(index);
            Some(index)
        };
        // Variables stand in the order in which they act, outermost first: translations, then the product.
        for xyz in 0..3 {
            bone.translation_variables[xyz] = add(bone.joint.translate[xyz], bone.slot + 3 + xyz, Some(xyz));
        }
        for (_, letter) in bone.sequence {
            bone.rotation_variables[letter] = add(bone.joint.axes[letter], bone.slot + letter, None);
        }
        self.paths.push(path);
    }
}
