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
