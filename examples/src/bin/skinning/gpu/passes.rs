//! The passes of a frame, recorded.

use super::pipelines::{Pipelines, WORKGROUP};
use super::scene::Scene;

/// The four passes of a frame, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Palette,
    Skinning,
    GBuffer,
    Lighting,
}

/// Timestamp queries of a frame.
pub(super) const QUERIES: u32 = 8;

impl Pass {
    pub(super) const ALL: [Self; 4] = [Self::Palette, Self::Skinning, Self::GBuffer, Self::Lighting];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Palette => "palette",
            Self::Skinning => "skinning",
            Self::GBuffer => "G-buffer",
            Self::Lighting => "lighting",
        }
    }

    /// The timestamp queries at its beginning and end.
    const fn queries(self) -> (Option<u32>, Option<u32>) {
        let first = 2 * self as u32;
        (Some(first), Some(first + 1))
    }
}

impl Scene {
    /// Records one pass. `timestamps`: two queries a pass. `normals`: a third G-buffer target, for the check.
    pub(super) fn encode(
        &self,
        pass: Pass,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        timestamps: Option<&wgpu::QuerySet>,
        normals: Option<&wgpu::Texture>,
    ) {
        match pass {
            Pass::Palette | Pass::Skinning => self.encode_compute(pass, pipelines, encoder, timestamps),
            Pass::GBuffer => self.encode_gbuffer(pipelines, encoder, timestamps, normals),
            Pass::Lighting => self.encode_lighting(pipelines, encoder, timestamps),
        }
    }

    fn encode_compute(
        &self,
        pass: Pass,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        timestamps: Option<&wgpu::QuerySet>,
    ) {
        let (begin, end) = pass.queries();
        let timestamp_writes = timestamps.map(|query_set| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: begin,
            end_of_pass_write_index: end,
        });
        let descriptor = wgpu::ComputePassDescriptor {
            label: Some(pass.name()),
            timestamp_writes,
        };
        let mut recorder = encoder.begin_compute_pass(&descriptor);
        let (pipeline, group, threads) = if pass == Pass::Palette {
            (&pipelines.palette, &self.palette_group, self.counts.slots)
        } else {
            (&pipelines.skinning, &self.skinning_group, self.counts.vertices)
        };
        recorder.set_pipeline(pipeline);
        recorder.set_bind_group(0, group, &[]);
        recorder.dispatch_workgroups(threads.div_ceil(WORKGROUP), self.counts.characters, 1);
    }

    fn encode_gbuffer(
        &self,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        timestamps: Option<&wgpu::QuerySet>,
        normals: Option<&wgpu::Texture>,
    ) {
        let targets: Vec<_> = [&self.albedo, &self.code].into_iter().chain(normals).collect();
        let (pipeline, group) = if normals.is_some() {
            (&pipelines.gbuffer_checked, &self.checked_group)
        } else {
            (&pipelines.gbuffer, &self.gbuffer_group)
        };
        render(
            encoder,
            Pass::GBuffer,
            &targets,
            Some(&self.depth),
            timestamps,
            |recorder| {
                recorder.set_pipeline(pipeline);
                recorder.set_bind_group(0, group, &[]);
                recorder.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
                recorder.draw_indexed(0..self.index_count, 0, 0..self.counts.characters);
            },
        );
    }

    fn encode_lighting(
        &self,
        pipelines: &Pipelines,
        encoder: &mut wgpu::CommandEncoder,
        timestamps: Option<&wgpu::QuerySet>,
    ) {
        render(
            encoder,
            Pass::Lighting,
            &[&self.picture],
            None,
            timestamps,
            |recorder| {
                recorder.set_pipeline(&pipelines.lighting);
                recorder.set_bind_group(0, &self.lighting_group, &[]);
                recorder.draw(0..3, 0..1);
            },
        );
    }
}

/// One render pass into cleared targets.
fn render(
    encoder: &mut wgpu::CommandEncoder,
    pass: Pass,
    targets: &[&wgpu::Texture],
    depth: Option<&wgpu::Texture>,
    timestamps: Option<&wgpu::QuerySet>,
    draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
) {
    let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
    let views: Vec<_> = targets.iter().copied().map(view).collect();
    let attachments: Vec<_> = views.iter().map(|view| Some(color_attachment(view))).collect();
    let depth_view = depth.map(view);
    let depth = depth_view
        .as_ref()
        .map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(1.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        });
    let (begin, end) = pass.queries();
    let timestamp_writes = timestamps.map(|query_set| wgpu::RenderPassTimestampWrites {
        query_set,
        beginning_of_pass_write_index: begin,
        end_of_pass_write_index: end,
    });
    draw(&mut encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(pass.name()),
        color_attachments: &attachments,
        depth_stencil_attachment: depth,
        timestamp_writes,
        ..Default::default()
    }));
}

fn color_attachment(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
            store: wgpu::StoreOp::Store,
        },
    }
}
