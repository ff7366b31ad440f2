//! Skeletal animation for engines: from files to palettes, with nothing allocated per frame.
//!
//! A file or your own keys make an [`Animation`], which is easy to edit; baking turns it into a [`Clip`], which is
//! quick to play; an [`Animux`] plays any number of clips at once on layers and mixes them into one [`Pose`]; matrices
//! and a palette follow for the GPU, or [`skin`] for the CPU.
//!
//! ```
//! use std::sync::Arc;
//! use elea_anim::{
//!     Animux, BakeOptions, Layer, Pose, Scratch, SkinBinding, Transition, bvh, local_to_model, palette,
//!     glam::{Affine3A, Vec4},
//! };
//! # let bytes = "HIERARCHY\nROOT hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation
//! # Xrotation Yrotation\nJOINT head\n{\nOFFSET 0 60 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0
//! # 20 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 90 0 0 0 0 0 0 0\n0 90 40 0 0 0 0 30 0\n".as_bytes();
//!
//! // Once: read, bake, and make room for what a character needs.
//! let file = bvh::parse(bytes)?;
//! let skeleton = file.skeleton;
//! let (clip, report) = file.animation.bake(&skeleton, &BakeOptions::default())?;
//! assert!(report.rotation_error < 1e-4);
//! let binding = SkinBinding::from_rest_pose(&skeleton)?;
//! let mut animux = Animux::new(&skeleton);
//! let body = animux.add_layer(Layer::default());
//! animux.play(body, Arc::new(clip), Transition::Crossfade(0.2));
//! let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(skeleton.len()));
//! let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
//! let mut rows = vec![[Vec4::ZERO; 3]; binding.len()];
//!
//! // Every frame:
//! let _root_motion = animux.advance(0.25, |event| println!("{} now", event.name));
//! let flags = animux.evaluate(&skeleton, &mut scratch, &mut pose);
//! assert!(flags.is_empty());
//! local_to_model(&skeleton, &pose, &mut model);
//! palette(&model, &binding, &mut rows);
//! // Half way from z = 0 to z = 40.
//! let hips = skeleton.joint("hips").expect("named in the file");
//! assert!((model[hips.index()].translation.z - 20.0).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! | you have or want | look at |
//! |-|-|
//! | a file | [`bvh`], [`md5`], with feature `gltf` also `gltf` and `glb` |
//! | joints and a rest pose | [`Skeleton`], [`Joint`], [`Transform`] |
//! | keys to write or edit | [`Key`], [`Channel`], [`Animation`]: merge, split, trim, append, reversed, mirrored, additive |
//! | a clip to play, within an error that you choose | [`Animation::bake`], [`BakeOptions`], [`BakeReport`], [`Clip`] |
//! | many clips at once | [`Animux`], [`Layer`], [`Mask`], [`Channels`], [`Blend`], [`Loop`], [`Transition`] |
//! | events, root motion | [`Animux::advance`], [`Event`], [`RootMotion`], [`RootTrack`] |
//! | IK or your own changes between layers | [`PoseModifier`], [`Stage`] |
//! | a blend without a multiplexer | [`blend`](blend()), [`blend_additive`] |
//! | matrices | [`local_to_model`], [`palette`], [`SKIN_WGSL`] |
//! | vertices on the CPU | [`skin`](skin()), [`skin_dual_quaternion`], [`morph`](morph()), [`MeshKeys`] |
//! | a limit of bones per draw call | [`split_tiles`], [`split_parts`] |
//! | a crowd | [`animate_many`], [`Workers`] |
//!
//! # What to rely on
//!
//! - The caller owns every buffer; nothing that runs each frame allocates.
//! - [`Kernel::Deterministic`], the default, gives the same bits on every machine and instruction set, and on any
//!   number of threads. [`Kernel::Fast`] gives that up for fused multiply-adds and estimates.
//! - SSE2 or AVX2 is chosen when the program runs; a default build needs no flags.
//! - A frame never fails: what was wrong with a time, a weight or a mixture is said by [`Flags`], and each case has a
//!   documented answer. Bad data in files and keys is a typed error that says where.
//! - Angles are radians, times seconds, lengths the data's own unit; see [`elea::conventions`].
//!
//! # What it is not
//!
//! No solver (see `elea-ik`), no state machine or graph editor, no renderer, no asset server: clips are shared by
//! `Arc`, files are bytes.
//!
//! # Features
//!
//! `gltf`: reading and writing glTF and GLB. `serde`: animations, channels, poses. `bytemuck`: casts of glam types.
//! `rayon`: [`animate_many`] on all threads. None of them changes a number.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod animation;
mod animux;
mod bake;
mod blend;
mod channel;
mod check;
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
mod scratch;
mod simd;
mod skeleton;
mod skin;
mod sync;
mod tile;
mod timeline;
mod transform;
mod voice;
mod wgsl;

pub use animation::{Animation, Marker};
pub use animux::Animux;
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
pub use scratch::Scratch;
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

/// The README's snippets, compiled and run as documentation tests; one of them needs the feature.
#[cfg(all(doctest, feature = "gltf"))]
#[doc = include_str!("../README.md")]
#[derive(Debug)]
struct Readme;
