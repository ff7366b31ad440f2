//! A motion file of either kind.

use elea_anim::{
    Animation, Skeleton, SkinBinding,
    bvh::{self, Bvh},
    glb,
    gltf::{self, Gltf, Skin},
};
use elea_examples::file::Format;

/// A file with a skeleton, and with a motion perhaps.
pub(crate) enum Document {
    Bvh(Box<Bvh>),
    Gltf(Box<Gltf>),
}

impl Document {
    /// Reads a file; every error says what to do.
    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}: check the path"))?;
        if bytes.is_empty() {
            return Err(format!(
                "{path}: line 1: the file is empty: give a BVH file, or glTF"
            ));
        }
        match Format::of(&bytes) {
            Format::Bvh => {
                let file = bvh::parse(&bytes).map_err(|error| {
                    format!("{path}: {error}: give a BVH or glTF file, or export this one again")
                })?;
                Ok(Self::Bvh(Box::new(file)))
            }
            Format::Gltf => {
                let file = gltf::load(path).map_err(|error| {
                    format!("{path}: {}: export it again, with a skeleton", error.reason())
                })?;
                Ok(Self::Gltf(Box::new(file)))
            }
            Format::Md5Mesh | Format::Md5Anim => Err(format!(
                "{path}: an MD5 file of Doom 3: make GLB or BVH of it first, with the program convert"
            )),
        }
    }

    pub(crate) const fn skeleton(&self) -> &Skeleton {
        match self {
            Self::Bvh(file) => &file.skeleton,
            Self::Gltf(file) => &file.skeleton,
        }
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Bvh(file) => file.warnings.iter().map(ToString::to_string).collect(),
            Self::Gltf(file) => file.report.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    /// The motion of that name, or the first one.
    pub(crate) fn motion(&self, name: Option<&str>) -> Result<&Animation, String> {
        match (self, name) {
            (Self::Bvh(file), _) if file.frames > 0 => Ok(&file.animation),
            (Self::Bvh(_), _) => Err("no frames: give a file with a MOTION section".to_owned()),
            (Self::Gltf(file), None) => {
                let mut animations = file.animations.iter();
                let first = animations.find(|animation| !animation.channels.is_empty());
                first.ok_or_else(|| "no animation of a node: give a file with one".to_owned())
            }
            (Self::Gltf(file), Some(name)) => file.animation(name).ok_or_else(|| {
                let names: Vec<&str> = file.animations.iter().map(|animation| &*animation.name).collect();
                if names.is_empty() {
                    return format!("no animation \"{name}\", nor any other: give a file with one");
                }
                format!(
                    "no animation \"{name}\": name one of these with --animation: {}",
                    names.join(", ")
                )
            }),
        }
    }

    /// The same figure with another motion, as BVH or else as GLB.
    pub(crate) fn write(
        mut self,
        motion: Animation,
        frame_time: f64,
        path: &str,
        format: Format,
    ) -> Result<(), String> {
        let fail = |error: &dyn std::fmt::Display| {
            let other = if format == Format::Bvh { ".glb" } else { ".bvh" };
            format!("{path}: {error}: correct it in TARGET, or try a name that ends in {other}")
        };
        let bytes = match (&mut self, format) {
            (Self::Bvh(file), Format::Bvh) => {
                file.animation = motion;
                file.frame_time = frame_time;
                file.has_motion = true;
                file.write().map_err(|error| fail(&error))?.into()
            }
            (Self::Gltf(file), Format::Bvh) => bvh::write(&file.skeleton, &motion, frame_time)
                .map_err(|error| fail(&error))?
                .into(),
            (Self::Gltf(file), _) => {
                file.animations = vec![motion];
                file.morphs.clear();
                glb::write(file).map_err(|error| fail(&error))?
            }
            (Self::Bvh(file), _) => {
                let mut out = Gltf::new(file.skeleton.clone());
                // Programs know a skeleton by its skin.
                let binding = SkinBinding::from_rest_pose(&out.skeleton).map_err(|error| fail(&error))?;
                out.skins = vec![Skin {
                    name: "skeleton".to_owned(),
                    binding,
                    is_rigid: false,
                }];
                out.animations = vec![motion];
                glb::write(&out).map_err(|error| fail(&error))?
            }
        };
        std::fs::write(path, bytes).map_err(|error| format!("{path}: {error}: choose another place with -o"))
    }
}
