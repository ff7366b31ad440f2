//! Keys, channels, animations, the animation multiplexer, skeletons and skinning.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod animation;
mod channel;
mod error;
mod io;
mod key;
mod mask;
mod model;
mod pose;
mod skeleton;
mod transform;
mod wgsl;

pub use animation::Animation;
pub use channel::{Channel, Values};
pub use error::AnimError;
pub use glam;
pub use io::bvh;
pub use key::{Interpolation, Key};
pub use mask::Mask;
pub use model::local_to_model;
pub use pose::Pose;
pub use skeleton::{Joint, JointId, Skeleton, SkeletonError};
pub use transform::Transform;
pub use wgsl::SKIN_WGSL;
