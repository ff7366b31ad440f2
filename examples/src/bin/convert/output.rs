//! From a document to a file's bytes.

use elea_anim::{
    Animation, Interpolation, SkinBinding,
    bvh::{self, BvhWriteOptions, Tip},
    glb,
    gltf::Skin,
    md5::{self, Md5Mesh, Md5Surface},
};

use elea_examples::file::Format;
use glam::Vec3;

use crate::{change, document::Document};

/// Frames a second where neither the file nor the user says.
const DEFAULT_RATE: f64 = 30.0;

/// The one animation, sampled.
struct Sampled {
    animation: Animation,
    /// Frames a second.
    rate: f64,
}

pub(crate) fn bvh(document: &mut Document, fps: Option<f64>) -> Result<Vec<u8>, String> {
    let Sampled { animation, rate } = sampled(document, fps, false)?;
    let tips: Vec<Tip> = document.tips.clone();
    let options = BvhWriteOptions {
        tips,
        ..BvhWriteOptions::default()
    };
    let frame_time = document
        .frame_time
        .filter(|_| fps.is_none())
        .unwrap_or(1.0 / rate);
    let text =
        bvh::write_with(&document.file.skeleton, &animation, frame_time, &options).map_err(|error| {
            format!("{error}; BVH cannot hold it: try another --fps or --scale, or write .glb")
        })?;
    Ok(text.into_bytes())
}

pub(crate) fn md5anim(document: &mut Document, fps: Option<f64>) -> Result<Vec<u8>, String> {
    let Sampled { animation, rate } = sampled(document, fps, true)?;
    let text = md5::write_anim(&document.file.skeleton, &animation, rate).map_err(|error| {
        format!("{error}; MD5 cannot hold it: try another --fps or --scale, or write .glb")
    })?;
    Ok(text.into_bytes())
}

/// The chosen animation without scales, or none at all, which gives one frame of the rest pose.
fn sampled(document: &mut Document, fps: Option<f64>, whole_rates: bool) -> Result<Sampled, String> {
    let own = document.frame_time.map(|time| 1.0 / time);
    let mut rate = fps.or(own).unwrap_or(DEFAULT_RATE);
    if whole_rates && rate.fract() != 0.0 {
        let whole = rate.round().max(1.0);
        // A frame time of 0.0083333 s is meant as 120 a second.
        if (whole / rate - 1.0).abs() > 1e-3 {
            let text = format!("resampled: {rate:.3} -> {whole} frames a second, since MD5 has whole rates");
            document.changes.push(text);
        }
        rate = whole;
    }
    let index = document.animation().map(|_| document.chosen);
    let animation = document.animation().cloned().unwrap_or_default();
    if index.is_none() {
        document
            .changes
            .push("added: one frame of the rest pose, since IN has no animation".to_owned());
    } else if own.is_none() || fps.is_some_and(|fps| own != Some(fps)) {
        let curves = animation
            .channels
            .iter()
            .any(|channel| channel.interpolation() != Interpolation::Linear);
        let curves = if curves {
            ", curves and steps between frames are lost"
        } else {
            ""
        };
        document.changes.push(format!(
            "sampled: {rate} frames a second{curves} (--fps changes it)"
        ));
    }
    if change::is_scaled(document, index) {
        let frames = (f64::from(animation.duration()) * rate).round() + 1.0;
        #[expect(clippy::cast_precision_loss, reason = "a power of two")]
        let most = bvh::MAX_FRAMES as f64;
        if frames > most {
            return Err(format!(
                "the animation lasts {} s: more than {most} frames; give fewer with --fps",
                animation.duration()
            ));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "1 to MAX_FRAMES; key times are f32"
        )]
        let times: Vec<f32> = (0..frames as u32)
            .map(|frame| (f64::from(animation.start()) + f64::from(frame) / rate) as f32)
            .collect();
        change::unscale(document, index, &times)
            .map_err(|error| format!("{error}; write .glb, which holds scales"))?;
    }
    Ok(Sampled {
        animation: document.animation().cloned().unwrap_or_default(),
        rate,
    })
}

pub(crate) fn md5mesh(document: &mut Document) -> Result<Vec<u8>, String> {
    if document.file.instances.is_empty() {
        return Err("holds no mesh; write its motion as .md5anim, .bvh or .glb".to_owned());
    }
    if change::is_scaled(document, None) {
        change::unscale(document, None, &[])
            .map_err(|error| format!("{error}; write .glb, which holds scales"))?;
    }
    let file = &document.file;
    let mut surfaces = Vec::new();
    for instance in &file.instances {
        let binding = &file.skins[instance.skin].binding;
        for mesh in instance.meshes.iter().map(|&index| &file.meshes[index]) {
            let material = mesh.material.map(|index| file.materials[index].name.as_str());
            let shader = material.filter(|name| !name.is_empty()).unwrap_or(&instance.name);
            surfaces.push(Md5Surface::from_skinned_mesh(
                shader,
                &mesh.mesh,
                &mesh.texcoords,
                binding,
            ));
        }
    }
    let text = md5::write_mesh(&Md5Mesh::new(file.skeleton.clone(), surfaces))
        .map_err(|error| format!("{error}; MD5 cannot hold it: try another --scale, or write .glb"))?;
    Ok(text.into_bytes())
}

pub(crate) fn glb(document: &mut Document) -> Result<Vec<u8>, String> {
    let file = &mut document.file;
    if file.skins.is_empty() && document.format != Format::Gltf && !file.skeleton.is_empty() {
        // By a skin, though it has no mesh, programs know joints from other nodes.
        let binding = SkinBinding::from_rest_pose(&file.skeleton).map_err(|error| error.to_string())?;
        file.skins.push(Skin {
            name: "joints".to_owned(),
            binding,
            is_rigid: false,
        });
    }
    for normal in file.meshes.iter_mut().flat_map(|mesh| &mut mesh.mesh.normals) {
        // glTF wants unit length; a vertex without any triangle shows in no picture.
        if *normal == Vec3::ZERO {
            *normal = Vec3::Y;
        }
    }
    glb::write(file).map_err(|error| format!("{error}; glTF cannot hold it: correct it in IN"))
}
