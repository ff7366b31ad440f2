//! The shaders and the five pipelines made of them.

use crate::frame::MAX_CAPSULES;

pub(super) const ALBEDO: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Integers: a normal's code must never be filtered or converted.
pub(super) const CODE: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Only for the check: the normals that the codes were made from.
pub(super) const NORMAL: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;
/// Plain, not `Srgb`: the lighting shader encodes by itself.
pub(super) const PICTURE: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Threads a workgroup of both compute shaders (`@workgroup_size`).
pub(super) const WORKGROUP: u32 = 64;

const COUNTS: &str = include_str!("counts.wgsl");
const SRGB: &str = include_str!("srgb.wgsl");
const CODEC: &str = include_str!("codec.wgsl");

/// The libraries' shader text comes first, by plain concatenation.
fn palette_shader() -> String {
    [elea_anim::SKIN_WGSL, COUNTS, include_str!("palette.wgsl")].concat()
}

fn skinning_shader() -> String {
    [elea_anim::SKIN_WGSL, COUNTS, include_str!("skinning.wgsl")].concat()
}

fn gbuffer_shader() -> String {
    [
        gbuffer_codec::WGSL,
        CODEC,
        COUNTS,
        SRGB,
        include_str!("gbuffer.wgsl"),
    ]
    .concat()
}

fn lighting_shader() -> String {
    let capsules = format!("const MAX_CAPSULES: u32 = {MAX_CAPSULES}u;\n");
    [
        gbuffer_codec::WGSL,
        CODEC,
        SRGB,
        &capsules,
        include_str!("lighting.wgsl"),
    ]
    .concat()
}

#[derive(Debug)]
pub(super) struct Pipelines {
    pub(super) palette: wgpu::ComputePipeline,
    pub(super) skinning: wgpu::ComputePipeline,
    pub(super) gbuffer: wgpu::RenderPipeline,
    /// As `gbuffer`, with the uncoded normals as a third target.
    pub(super) gbuffer_checked: wgpu::RenderPipeline,
    pub(super) lighting: wgpu::RenderPipeline,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let gbuffer = module(device, "gbuffer", gbuffer_shader());
        let lighting = module(device, "lighting", lighting_shader());
        Self {
            palette: compute(device, "palette", palette_shader()),
            skinning: compute(device, "skinning", skinning_shader()),
            gbuffer: render(device, "gbuffer", &gbuffer, "write", &[ALBEDO, CODE], true),
            gbuffer_checked: render(
                device,
                "gbuffer, checked",
                &gbuffer,
                "write_checked",
                &[ALBEDO, CODE, NORMAL],
                true,
            ),
            lighting: render(device, "lighting", &lighting, "fragment", &[PICTURE], false),
        }
    }
}

fn module(device: &wgpu::Device, label: &str, text: String) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    })
}

fn compute(device: &wgpu::Device, label: &str, text: String) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout: None,
        module: &module(device, label, text),
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn render(
    device: &wgpu::Device,
    label: &str,
    module: &wgpu::ShaderModule,
    fragment: &str,
    formats: &[wgpu::TextureFormat],
    depth: bool,
) -> wgpu::RenderPipeline {
    let targets: Vec<_> = formats.iter().map(|&format| Some(format.into())).collect();
    let depth_stencil = depth.then(|| wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Less),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState {
            front_face: wgpu::FrontFace::Ccw,
            cull_mode: depth.then_some(wgpu::Face::Back),
            ..Default::default()
        },
        depth_stencil,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    use wgpu::naga;

    use super::super::scene::{BindVertex, Counts, Lighting};
    use super::*;

    /// Parses and validates as WebGPU does, without a device.
    fn validated(text: &str) -> naga::Module {
        let module = naga::front::wgsl::parse_str(text)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
        naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        )
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
        module
    }

    fn entry_points(text: &str) -> Vec<String> {
        validated(text)
            .entry_points
            .into_iter()
            .map(|entry| entry.name)
            .collect()
    }

    #[test]
    fn every_shader_is_valid() {
        assert_eq!(entry_points(&palette_shader()), ["main"], "palette");
        assert_eq!(entry_points(&skinning_shader()), ["main"], "skinning");
        assert_eq!(
            entry_points(&gbuffer_shader()),
            ["vertex", "write", "write_checked"],
            "G-buffer"
        );
        assert_eq!(
            entry_points(&lighting_shader()),
            ["vertex", "fragment"],
            "lighting"
        );
    }

    /// Bytes of a struct in the shader's own layout.
    fn size_of_struct(text: &str, name: &str) -> Option<usize> {
        let module = validated(text);
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("a layout for every type");
        let (handle, _) = module
            .types
            .iter()
            .find(|(_, kind)| kind.name.as_deref() == Some(name))?;
        Some(layouter[handle].size as usize)
    }

    #[test]
    fn structs_are_as_large_as_in_the_shaders() {
        let bind_vertex = size_of_struct(&skinning_shader(), "BindVertex");
        assert_eq!(bind_vertex, Some(size_of::<BindVertex>()), "BindVertex");
        assert_eq!(
            size_of_struct(&palette_shader(), "Counts"),
            Some(size_of::<Counts>()),
            "Counts"
        );
        assert_eq!(
            size_of_struct(&lighting_shader(), "Lighting"),
            Some(size_of::<Lighting>()),
            "Lighting"
        );
    }
}
