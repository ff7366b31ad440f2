//! Retargeting: a motion of one humanoid, played by another.
//!
//! The two figures may differ in size, proportions, joint names, number of spine bones, bone axes, up axis, length
//! unit and rest pose. What is kept is the pose as a person sees it: the directions of hip line, shoulder line, trunk
//! and limbs, the headings of the feet, the twist of every bone.
//!
//! # Method
//!
//! 1. Scale, from the legs, and a lift that keeps soles on the ground ([`Scale`]).
//! 2. The two retarget poses ([`Rig::pose`]) are laid over each other: the target's, with every limb turned onto the
//!    source's, is the *aligned* pose. From then on a target joint turns in model space as its source joint has turned
//!    since its own retarget pose. This seed carries the twist of all bones.
//! 3. The body as one problem: the root, the spine and the collar bones are turned as little as possible so that hip
//!    line, shoulder line and trunk point as the source's (Levenberg-Marquardt steps on six equations).
//! 4. Each limb by the directions of its two bones, or by its end point with the middle joint's direction ([`Limbs`]).
//!    Elbows and knees bend about one axis where the source's do.
//! 5. Palms lie as the directions to the finger roots say, fingers follow bone by bone, the neck follows its
//!    direction, the head its turn. Parts that one figure lacks are carried by their neighbours.
//! 6. Feet that stand are pinned, if wanted ([`Options::foot_lock`]).
//!
//! The order of work is that of an article of 2011 on retargeting by inverse kinematics, which solved steps 3 to 5 with
//! a downhill simplex over joint tensions; here they are closed forms and a small Newton solver on the same goals.
//!
//! # Spaces
//!
//! Poses go in and out in local space. "Up" is the axis of a figure's own model space nearest to its trunk in its
//! retarget pose, "forward" the axis nearest to where it faces; axes are laid on axes, so a Y-up source drives a Z-up
//! target. The ground is the plane through the origin. Bone lengths and joint scales of the target never change; its
//! root alone is moved. Joints above the hips stay as they are in the retarget pose.
//!
//! ```
//! use elea_anim::{Joint, JointId, Skeleton, Transform, glam::{Quat, Vec3}};
//! use elea_ik::retarget::{Options, Part, Retargeter, Rig};
//! # fn figure(size: f32, prefix: &str) -> Skeleton {
//! #     let mut joints: Vec<Joint> = Vec::new();
//! #     let mut add = |name: &str, parent: Option<u16>, at: [f32; 3]| {
//! #         joints.push(Joint {
//! #             name: format!("{prefix}{name}"), parent: parent.map(JointId),
//! #             rest: Transform::from_translation(Vec3::from(at) * size),
//! #         });
//! #         (joints.len() - 1) as u16
//! #     };
//! #     let hips = add("Hips", None, [0.0, 1.0, 0.0]);
//! #     let spine = add("Spine", Some(hips), [0.0, 0.1, 0.0]);
//! #     for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
//! #         let arm = add(&format!("{side}Arm"), Some(spine), [0.2 * x, 0.4, 0.0]);
//! #         let fore = add(&format!("{side}ForeArm"), Some(arm), [0.3 * x, 0.0, 0.0]);
//! #         add(&format!("{side}Hand"), Some(fore), [0.25 * x, 0.0, 0.0]);
//! #         let thigh = add(&format!("{side}UpLeg"), Some(hips), [0.1 * x, 0.0, 0.0]);
//! #         let shin = add(&format!("{side}Leg"), Some(thigh), [0.0, -0.45, 0.0]);
//! #         let foot = add(&format!("{side}Foot"), Some(shin), [0.0, -0.45, 0.0]);
//! #         add(&format!("{side}ToeBase"), Some(foot), [0.0, -0.1, 0.1]);
//! #     }
//! #     Skeleton::new(joints).expect("parents stand before children")
//! # }
//! # let (mocap, hero) = (figure(1.0, ""), figure(1.8, "mixamorig:"));
//! let (source, report) = Rig::auto(mocap, None);
//! assert!(report.missing.iter().all(|part| !Part::REQUIRED.contains(part)));
//! let (target, _) = Rig::auto(hero, None);
//! let mut retargeter = Retargeter::new(source, target, Options::default())?;
//!
//! let mut pose = retargeter.source().pose.clone();
//! let knee = retargeter.source().skeleton.joint("LeftLeg").expect("named above");
//! pose.set_rotation(knee, Quat::from_rotation_x(1.0));
//! let mut out = retargeter.target().pose.clone();
//! retargeter.retarget_pose(&pose, &mut out);
//! let knee = retargeter.target().skeleton.joint("mixamorig:LeftLeg").expect("named above");
//! assert!(out.get(knee).rotation.angle_between(Quat::from_rotation_x(1.0)) < 1e-3);
//! # Ok::<(), elea_ik::retarget::RetargetError>(())
//! ```

mod body;
mod bone_map;
mod contact;
mod error;
mod foot_lock;
mod hand;
mod head;
mod humanoid;
mod kinematics;
mod limb;
mod measure;
mod names;
mod options;
mod plan;
mod posed;
mod retargeter;
mod rig;
mod stance;
mod topology;

#[cfg(feature = "serde")]
pub use bone_map::MapFileError;
pub use bone_map::{BoneMap, MapReport, MapWarning};
pub use error::RetargetError;
pub use humanoid::{Finger, ParsePartError, Part, Phalanx, Side};
pub use measure::PoseErrors;
pub use options::{Limbs, Options, Scale};
pub use retargeter::Retargeter;
pub use rig::{Rig, choose_pose};
