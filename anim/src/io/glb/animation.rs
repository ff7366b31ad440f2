//! From channels to samplers.

use std::collections::{BTreeMap, HashMap};

use super::{GlbError, buffer::Buffer, look_up, schema};
use crate::{
    Animation, Interpolation, JointId, Marker, Values,
    gltf::{Gltf, MorphChannel},
};

pub(super) fn write<'a>(
    file: &'a Gltf,
    node_of_instance: &[usize],
    buffer: &mut Buffer,
) -> Result<Vec<schema::Animation<'a>>, GlbError> {
    let mut morphs: HashMap<usize, Vec<&MorphChannel>> = HashMap::new();
    for (index, morph) in file.morphs.iter().enumerate() {
        let count = file.animations.len();
        look_up(|| format!("morphs[{index}].animation"), morph.animation, count)?;
        let count = file.instances.len();
        look_up(|| format!("morphs[{index}].instance"), morph.instance, count)?;
        let expected = file.instances[morph.instance].weights.len();
        if morph.track.targets() != expected {
            return Err(GlbError::Count {
                what: format!("morphs[{index}].track"),
                found: morph.track.targets(),
                expected,
            });
        }
        if expected > 0 {
            morphs.entry(morph.animation).or_default().push(morph);
        }
    }
    let mut animations = Vec::new();
    for (index, animation) in file.animations.iter().enumerate() {
        let morphs = morphs.get(&index).map_or(&[][..], Vec::as_slice);
        animations.extend(write_one(file, animation, morphs, node_of_instance, buffer)?);
    }
    Ok(animations)
}

fn write_one<'a>(
    file: &Gltf,
    animation: &'a Animation,
    morphs: &[&MorphChannel],
    node_of_instance: &[usize],
    buffer: &mut Buffer,
) -> Result<Option<schema::Animation<'a>>, GlbError> {
    if animation.additive {
        return Err(GlbError::Additive {
            name: animation.name.clone(),
        });
    }
    let joints = file.skeleton.len();
    let mut last: BTreeMap<(JointId, &'static str), usize> = BTreeMap::new();
    for (index, channel) in animation.channels.iter().enumerate() {
        let what = || format!("joint of channel {index} of animation \"{}\"", animation.name);
        look_up(what, channel.joint().index(), joints)?;
        last.insert((channel.joint(), path(channel.values())), index);
    }
    let starts = morphs.iter().map(|morph| morph.track.times()[0]);
    let start = starts.fold(animation.start(), f32::min).min(0.0);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut add = |node: usize, path: &'static str, sampler: schema::Sampler| {
        channels.push(schema::Channel {
            sampler: samplers.len(),
            target: schema::Target { node, path },
        });
        samplers.push(sampler);
    };
    for (index, channel) in animation.channels.iter().enumerate() {
        let (joint, path) = (channel.joint(), path(channel.values()));
        if last.get(&(joint, path)) != Some(&index) {
            continue;
        }
        let times = times(channel.times(), start);
        let interpolation = channel.interpolation();
        let is_single = interpolation == Interpolation::CubicSpline && times.len() == 1;
        let values = match channel.values() {
            Values::Translation(values) | Values::Scale(values) => {
                let values: Vec<[f32; 3]> = values.iter().map(|value| value.to_array()).collect();
                buffer.floats(if is_single { &values[1..2] } else { &values }, None, false)
            }
            Values::Rotation(values) => {
                let values: Vec<[f32; 4]> = values.iter().map(|value| value.to_array()).collect();
                buffer.floats(if is_single { &values[1..2] } else { &values }, None, false)
            }
        };
        let sampler = schema::Sampler {
            input: buffer.times(&times),
            interpolation: curve(interpolation, is_single),
            output: values,
        };
        add(joint.index(), path, sampler);
    }
    // As with channels, the last one counts.
    let last: BTreeMap<usize, &MorphChannel> = morphs
        .iter()
        .map(|morph| (node_of_instance[morph.instance], *morph))
        .collect();
    for (node, morph) in last {
        let track = &morph.track;
        let times = times(track.times(), start);
        let is_single = track.interpolation() == Interpolation::CubicSpline && times.len() == 1;
        let weights: Vec<[f32; 1]> = track.weights().iter().map(|&weight| [weight]).collect();
        let middle = track.targets()..2 * track.targets();
        let weights = if is_single { &weights[middle] } else { &weights };
        let sampler = schema::Sampler {
            input: buffer.times(&times),
            interpolation: curve(track.interpolation(), is_single),
            output: buffer.floats(weights, None, false),
        };
        add(node, "weights", sampler);
    }
    if channels.is_empty() {
        return Ok(None);
    }
    let events = markers(&animation.events, start)?;
    let markers = markers(&animation.markers, start)?;
    let has_extras = !(events.is_empty() && markers.is_empty());
    Ok(Some(schema::Animation {
        name: &animation.name,
        channels,
        samplers,
        extras: has_extras.then_some(schema::AnimationExtras { events, markers }),
    }))
}

const fn path(values: &Values) -> &'static str {
    match values {
        Values::Translation(_) => "translation",
        Values::Rotation(_) => "rotation",
        Values::Scale(_) => "scale",
    }
}

const fn curve(interpolation: Interpolation, is_single: bool) -> &'static str {
    match interpolation {
        Interpolation::Step => "STEP",
        Interpolation::CubicSpline if !is_single => "CUBICSPLINE",
        Interpolation::Linear | Interpolation::CubicSpline => "LINEAR",
    }
}

/// Times that begin at 0 or later, each more than the one before.
fn times(times: &[f32], start: f32) -> Vec<f32> {
    let mut out: Vec<f32> = Vec::with_capacity(times.len());
    for &time in times {
        // Adding zero turns -0 into 0.
        let time = time - start + 0.0;
        out.push(match out.last() {
            Some(&previous) if time <= previous => previous.next_up(),
            _ => time,
        });
    }
    out
}

fn markers(markers: &[Marker], start: f32) -> Result<Vec<schema::Marker<'_>>, GlbError> {
    let write = |(element, marker): (usize, &'_ Marker)| {
        if !marker.time.is_finite() {
            return Err(GlbError::NotFinite {
                what: "times of markers".to_owned(),
                element,
            });
        }
        Ok(())
    };
    markers.iter().enumerate().try_for_each(write)?;
    Ok(markers
        .iter()
        .map(|marker| schema::Marker {
            time: marker.time - start,
            name: &marker.name,
        })
        .collect())
}
