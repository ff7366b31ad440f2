//! Keys, channels, animations, the animation multiplexer, skeletons and skinning.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod animation;
mod animux;
mod bake;
mod blend;
mod channel;
mod clip;
mod crowd;
mod dual_quaternion;
mod edit;
mod error;
mod event;
mod flags;
mod inertia;
mod influences;
mod io;
mod key;
mod layer;
mod lerp;
mod loose;
mod mask;
mod mesh_keys;
mod mirror;
mod model;
mod modifier;
mod morph;
mod morph_mesh;
mod pose;
mod root_motion;
mod simd;
mod skeleton;
mod skin;
mod sync;
mod tile;
mod transform;
mod voice;
mod wgsl;

pub use animation::{Animation, Marker};
pub use animux::{Animux, Scratch};
pub use bake::{BakeOptions, BakeReport};
pub use blend::{Blend, BlendInput, blend, blend_additive, blend_additive_with, blend_with};
pub use channel::{Channel, Repairs, Values};
pub use clip::Clip;
pub use crowd::{Workers, animate_many};
pub use dual_quaternion::{DualPalette, DualQuaternion, dual_palette, skin_dual_quaternion};
pub use error::AnimError;
pub use event::Event;
pub use flags::{Flags, Kernel};
pub use glam;
pub use influences::{Influences, SkinnedMesh, WeightReport};
pub use io::{bvh, md5};
#[cfg(feature = "gltf")]
pub use io::{glb, gltf};
pub use key::{Interpolation, Key};
pub use layer::{Layer, LayerId, Transition};
pub use mask::{Channels, Mask};
pub use mesh_keys::{MeshKey, MeshKeys, MeshKeysError, blend_mesh_keys};
pub use model::{local_to_model, local_to_model_with};
pub use modifier::{PoseModifier, Stage};
pub use morph::{MorphTarget, MorphTrack};
pub use morph_mesh::{MorphError, MorphInput, morph};
pub use pose::Pose;
pub use root_motion::{RootMotion, RootTrack};
pub use skeleton::{Joint, JointId, Skeleton, SkeletonError};
pub use skin::{SkinBinding, SkinError, SkinInput, SkinOutput, palette, palette_with, skin, skin_with};
pub use tile::{
    LevelTiles, MaterialTiles, PackedInfluences, SkinnedPart, Tile, TileError, TileTree, pack_slots,
    split_parts, split_tiles, unpack_slots,
};
pub use transform::Transform;
pub use voice::Loop;
pub use wgsl::SKIN_WGSL;

#[cfg(test)]
mod rigs;

/// The README's snippets, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[derive(Debug)]
struct Readme;
