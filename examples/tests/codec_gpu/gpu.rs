//! The least of wgpu that these tests need: a device, a compute dispatch over arrays, a draw into a texture.

use wgpu::util::DeviceExt as _;

pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) name: String,
    /// Whether the adapter is a program on the CPU, which neither fuses operations nor divides by approximation.
    pub(crate) is_cpu: bool,
}

/// A device, or none: without an adapter a test writes `SKIPPED`, or fails where `ELEA_REQUIRE_GPU` is set.
pub(crate) fn gpu() -> Option<Gpu> {
    use std::io::Write as _;
    match pollster::block_on(open()) {
        Ok(gpu) => Some(gpu),
        Err(reason) => {
            assert!(
                std::env::var_os("ELEA_REQUIRE_GPU").is_none(),
                "ELEA_REQUIRE_GPU is set, but there is no adapter: {reason}"
            );
            writeln!(std::io::stderr(), "SKIPPED: no adapter: {reason}").expect("stderr");
            None
        }
    }
}

async fn open() -> Result<Gpu, String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions::default())
        .await
        .map_err(|error| error.to_string())?;
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        })
        .await
        .map_err(|error| error.to_string())?;
    let info = adapter.get_info();
    Ok(Gpu {
        device,
        queue,
        name: info.name,
        is_cpu: info.device_type == wgpu::DeviceType::Cpu,
    })
}

impl Gpu {
    pub(crate) fn shader(&self, source: &str) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        })
    }

    pub(crate) fn storage(&self, words: &[u32]) -> wgpu::Buffer {
        self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::STORAGE,
        })
    }

    fn output(&self, words: usize) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: words as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Runs `entry` with one thread an item (workgroups of 64) over the input at binding 0, and returns `words` words of
    /// the array at binding 1.
    pub(crate) fn compute(
        &self,
        module: &wgpu::ShaderModule,
        entry: &str,
        input: &wgpu::Buffer,
        items: usize,
        words: usize,
    ) -> Vec<u32> {
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: None,
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
        let output = self.output(words);
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: input.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: output.as_entire_binding(),
                },
            ],
        });
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            let groups = u32::try_from(items.div_ceil(64)).expect("few groups");
            pass.dispatch_workgroups(groups, 1, 1);
        }
        self.read(encoder, &output)
    }

    /// Draws one triangle over a `width` x `height` texture of `format` (4 bytes a texel, rows a multiple of 256 bytes) with
    /// the entries `vertex` and `fragment`, input at binding 0, and returns the texture.
    pub(crate) fn draw(
        &self,
        module: &wgpu::ShaderModule,
        input: &wgpu::Buffer,
        format: wgpu::TextureFormat,
        [width, height]: [u32; 2],
    ) -> wgpu::Texture {
        let pipeline = self
            .device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: None,
                vertex: wgpu::VertexState {
                    module,
                    entry_point: Some("vertex"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: None,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module,
                    entry_point: Some("fragment"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &[Some(format.into())],
                }),
                multiview_mask: None,
                cache: None,
            });
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: input.as_entire_binding(),
            }],
        });
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.draw(0..3, 0..1);
        }
        self.queue.submit([encoder.finish()]);
        texture
    }

    /// A `width` x `height` texture of `format` that holds `texels`.
    pub(crate) fn upload(
        &self,
        format: wgpu::TextureFormat,
        [width, height]: [u32; 2],
        texels: &[u8],
    ) -> wgpu::Texture {
        let descriptor = wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        };
        self.device.create_texture_with_data(
            &self.queue,
            &descriptor,
            wgpu::util::TextureDataOrder::default(),
            texels,
        )
    }

    /// Runs `read_texture` with one thread a texel over the texture at binding 0; returns `words` of the array at binding 1.
    pub(crate) fn read_texture(
        &self,
        module: &wgpu::ShaderModule,
        texture: &wgpu::Texture,
        words: usize,
    ) -> Vec<u32> {
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module,
                entry_point: Some("read_texture"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
        let output = self.output(words);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(&view),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: output.as_entire_binding(),
                },
            ],
        });
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(texture.width().div_ceil(64), texture.height(), 1);
        }
        self.read(encoder, &output)
    }

    fn read(&self, mut encoder: wgpu::CommandEncoder, buffer: &wgpu::Buffer) -> Vec<u32> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("buffer maps"));
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .expect("device works");
        let range = staging.get_mapped_range(..).expect("mapped");
        bytemuck::pod_collect_to_vec(&range)
    }
}
