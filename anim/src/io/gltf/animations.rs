//! From samplers to channels.

use std::{collections::HashMap, fmt::Arguments, sync::Arc};

use glam::{Quat, Vec3};

use super::{
    GltfError, GltfWarning, Instance, MorphChannel, Report,
    accessor::{Data, look_up},
    nodes::is_off_unit,
    schema::{self, AnimationExtras, Curve},
};
use crate::{AnimError, Animation, Channel, Interpolation, JointId, Marker, MorphTrack, Values};

/// Key times of one accessor, and in which order they were where they had to be sorted.
#[derive(Clone)]
struct Times {
    sorted: Arc<[f32]>,
    /// Where each sorted time stood; `None` where nothing moved.
    order: Option<Arc<[usize]>>,
}

/// What channels are attached to.
pub(super) struct Targets<'a> {
    pub(super) joints: &'a [Option<JointId>],
    pub(super) instances: &'a [Instance],
    /// Number of morph targets of each instance.
    pub(super) morph_targets: &'a [usize],
}

pub(super) fn read(
    data: &Data<'_>,
    targets: &Targets<'_>,
    report: &mut Report,
) -> Result<(Vec<Animation>, Vec<MorphChannel>), GltfError> {
    let instance_of_node: HashMap<usize, usize> = targets
        .instances
        .iter()
        .enumerate()
        .map(|(index, instance)| (instance.node, index))
        .collect();
    let mut reader = Reader {
        data,
        report,
        times: HashMap::new(),
    };
    let (mut animations, mut morphs) = (Vec::new(), Vec::new());
    for (index, animation) in data.root.animations.iter().enumerate() {
        let mut channels = Vec::new();
        for (position, channel) in animation.channels.iter().enumerate() {
            let path = || format!("animations[{index}].channels[{position}]");
            let sampler_path = format_args!("animations[{index}].channels[{position}].sampler");
            let sampler = look_up(&animation.samplers, channel.sampler, sampler_path)?;
            let input = format!("animations[{index}].samplers[{}].input", channel.sampler);
            let output = format!("animations[{index}].samplers[{}].output", channel.sampler);
            let sampler = Sampler {
                schema: sampler,
                input: format_args!("{input}"),
                output: format_args!("{output}"),
            };
            let mut ignore = |why| {
                let path = path();
                reader
                    .report
                    .warnings
                    .push(GltfWarning::IgnoredChannel { path, why });
            };
            let Some(node) = channel.target.node else {
                ignore("it names no node");
                continue;
            };
            match &*channel.target.path {
                property @ ("translation" | "rotation" | "scale") => {
                    // Whatever has such a channel is a joint.
                    if let Some(joint) = targets.joints.get(node).copied().flatten() {
                        channels.push(reader.channel(&sampler, property, joint)?);
                    }
                }
                "weights" => match instance_of_node.get(&node) {
                    Some(&instance) if targets.morph_targets[instance] > 0 => {
                        let track = reader.morph_track(&sampler, targets.morph_targets[instance])?;
                        morphs.push(MorphChannel {
                            animation: index,
                            instance,
                            track,
                        });
                    }
                    _ => ignore("morph weights of a node without morph targets"),
                },
                _ => ignore("only translation, rotation, scale and weights are read"),
            }
        }
        let name = animation.name.clone();
        let name = name.unwrap_or_else(|| format!("animation {index}"));
        let extras = animation.extras.as_ref();
        let extras: AnimationExtras = extras
            .and_then(|extras| serde_json::from_str(extras.get()).ok())
            .unwrap_or_default();
        animations.push(Animation {
            events: markers(extras.events),
            markers: markers(extras.markers),
            ..Animation::new(name, channels)
        });
    }
    Ok((animations, morphs))
}

/// Those at a time that is a number.
fn markers(markers: Vec<schema::Marker>) -> Vec<Marker> {
    let finite = markers.into_iter().filter(|marker| marker.time.is_finite());
    finite
        .map(|marker| Marker::new(marker.time, marker.name))
        .collect()
}

/// A sampler and where it stands.
struct Sampler<'a> {
    schema: &'a schema::Sampler,
    input: Arguments<'a>,
    output: Arguments<'a>,
}

impl Sampler<'_> {
    const fn interpolation(&self) -> Interpolation {
        match self.schema.interpolation {
            Curve::Step => Interpolation::Step,
            Curve::Linear => Interpolation::Linear,
            Curve::CubicSpline => Interpolation::CubicSpline,
        }
    }

    const fn per_key(&self) -> usize {
        match self.schema.interpolation {
            Curve::Step | Curve::Linear => 1,
            Curve::CubicSpline => 3,
        }
    }

    fn error(&self, source: AnimError) -> GltfError {
        let is_time = matches!(
            source,
            AnimError::NoKeys { .. }
                | AnimError::TimeNotFinite { .. }
                | AnimError::TimeTooLarge { .. }
                | AnimError::TimesDecrease { .. }
        );
        GltfError::Channel {
            path: if is_time { self.input } else { self.output }.to_string(),
            source,
        }
    }
}

struct Reader<'a, 'd> {
    data: &'a Data<'d>,
    report: &'a mut Report,
    /// By accessor: channels that share one share its memory.
    times: HashMap<usize, Times>,
}

impl Reader<'_, '_> {
    fn channel(
        &mut self,
        sampler: &Sampler<'_>,
        property: &str,
        joint: JointId,
    ) -> Result<Channel, GltfError> {
        let times = self.times(sampler)?;
        let values = if property == "rotation" {
            let rotations: Vec<[f32; 4]> = self.values(sampler, &times, 1)?;
            let rotations: Vec<Quat> = rotations.into_iter().map(Quat::from_array).collect();
            let (per_key, middle) = (sampler.per_key(), sampler.per_key() / 2);
            let keys = rotations.iter().skip(middle).step_by(per_key);
            let off = keys.filter(|rotation| is_off_unit(**rotation)).count();
            if off > 0 {
                self.report.warnings.push(GltfWarning::NormalizedRotations {
                    path: sampler.output.to_string(),
                    rotations: off,
                });
            }
            Values::Rotation(rotations)
        } else {
            let vectors: Vec<[f32; 3]> = self.values(sampler, &times, 1)?;
            let vectors = vectors.into_iter().map(Vec3::from_array).collect();
            if property == "scale" {
                Values::Scale(vectors)
            } else {
                Values::Translation(vectors)
            }
        };
        Channel::new(joint, sampler.interpolation(), times.sorted, values)
            .map_err(|source| sampler.error(source))
    }

    fn morph_track(&mut self, sampler: &Sampler<'_>, targets: usize) -> Result<MorphTrack, GltfError> {
        let times = self.times(sampler)?;
        let weights: Vec<[f32; 1]> = self.values(sampler, &times, targets)?;
        let weights = weights.into_iter().map(|[weight]| weight).collect();
        MorphTrack::new(targets, sampler.interpolation(), times.sorted, weights)
            .map_err(|source| sampler.error(source))
    }

    fn times(&mut self, sampler: &Sampler<'_>) -> Result<Times, GltfError> {
        if let Some(times) = self.times.get(&sampler.schema.input) {
            return Ok(times.clone());
        }
        let times: Vec<[f32; 1]> = self.data.floats(sampler.schema.input, sampler.input)?;
        let mut times: Vec<f32> = times.into_iter().map(|[time]| time).collect();
        let keys = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
        let mut order = None;
        if keys > 0 {
            self.data
                .charge(times.len() * size_of::<usize>(), sampler.input)?;
            let mut indices: Vec<usize> = (0..times.len()).collect();
            // Stable: of two keys of one time the later one stays behind.
            indices.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
            times = indices.iter().map(|&index| times[index]).collect();
            order = Some(indices.into());
            self.report.warnings.push(GltfWarning::SortedKeys {
                path: sampler.input.to_string(),
                keys,
            });
        }
        let times = Times {
            sorted: times.into(),
            order,
        };
        self.times.insert(sampler.schema.input, times.clone());
        Ok(times)
    }

    /// The sampler's output, `columns` values for each key (three times as many for splines), in the order of the
    /// sorted times.
    fn values<const N: usize>(
        &self,
        sampler: &Sampler<'_>,
        times: &Times,
        columns: usize,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        let values: Vec<[f32; N]> = self.data.floats(sampler.schema.output, sampler.output)?;
        let per_key = sampler.per_key().saturating_mul(columns);
        let expected = per_key.saturating_mul(times.sorted.len());
        if values.len() != expected {
            return Err(GltfError::Count {
                path: sampler.output.to_string(),
                found: values.len(),
                expected,
            });
        }
        let Some(order) = &times.order else {
            return Ok(values);
        };
        let rows = order
            .iter()
            .flat_map(|key| &values[key * per_key..(key + 1) * per_key]);
        Ok(rows.copied().collect())
    }
}
