//! The GPU renderer: palette and skinning in compute shaders, a G-buffer with coded normals, lighting.
//!
//! | pass | in | out |
//! |-|-|-|
//! | palette | model and inverse bind matrices | one matrix a slot (`elea_anim::SKIN_WGSL`) |
//! | skinning | palette, bind vertices | positions and normals in model space (`elea_anim::SKIN_WGSL`) |
//! | G-buffer | skinned vertices, camera | albedo, normal code, depth, at twice the size (`gbuffer_codec::WGSL`) |
//! | lighting | the G-buffer | the picture: 2x2 samples a pixel, averaged in linear light, sRGB |
//!
//! A crowd is the same four passes: one mesh, one buffer of palettes, one instanced draw.
//! Nothing here panics on what the device does: every call returns a [`GpuError`].

mod crowd;
mod device;
mod error;
mod passes;
mod pipelines;
mod scene;
#[cfg(test)]
mod tests;
mod timing;

use elea_anim::glam::{Affine3A, Vec3, Vec4};
use image::RgbaImage;

use self::device::Device;
pub(crate) use self::error::{GpuError, NoDevice};
use self::passes::Pass;
use self::pipelines::Pipelines;
use self::scene::Scene;
pub(crate) use self::timing::Timing;
use crate::frame::Frame;
use crate::mesh::Mesh;

/// A vertex as the skinning pass leaves it.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct SkinnedVertex {
    /// Model space, metres.
    pub(crate) position: Vec3,
    /// Unit length.
    pub(crate) normal: Vec3,
}

/// Every stage of one frame, read back; texels row after row from the top left.
#[derive(Debug, Clone)]
pub(crate) struct Stages {
    /// One matrix a slot: three rows of four.
    pub(crate) palette: Vec<[Vec4; 3]>,
    pub(crate) vertices: Vec<SkinnedVertex>,
    /// The G-buffer's normal codes, packed as `gbuffer_codec::pack::to_snorm16x2` does.
    pub(crate) codes: Vec<u32>,
    /// The interpolated normals that the codes were made from; w is 1 where something was drawn.
    pub(crate) normals: Vec<[f32; 4]>,
    /// 0 near to 1 far; 1 where nothing was drawn.
    pub(crate) depths: Vec<f32>,
    pub(crate) picture: RgbaImage,
}

/// An open device, and what was prepared on it.
#[derive(Debug)]
pub(crate) struct Gpu {
    device: Device,
    pipelines: Pipelines,
    scene: Option<Scene>,
}

impl Gpu {
    /// Opens the fastest device there is, a software one included.
    pub(crate) fn new() -> Result<Self, NoDevice> {
        let device = Device::open()?;
        let pipelines = Pipelines::new(&device.device);
        // A driver that refuses the shaders is no device for this program.
        device.check().map_err(|error| NoDevice {
            adapter: Some(device.info.name.clone()),
            reason: error.to_string(),
        })?;
        Ok(Self {
            device,
            pipelines,
            scene: None,
        })
    }

    /// Name, backend, driver and kind of the adapter in one line.
    pub(crate) fn adapter(&self) -> String {
        let info = &self.device.info;
        let kind = match info.device_type {
            wgpu::DeviceType::Cpu => "on the CPU",
            wgpu::DeviceType::IntegratedGpu => "integrated GPU",
            wgpu::DeviceType::DiscreteGpu => "discrete GPU",
            wgpu::DeviceType::VirtualGpu => "virtual GPU",
            wgpu::DeviceType::Other => "kind unknown",
        };
        let driver = format!("{} {}", info.driver, info.driver_info);
        format!("{} ({}, {}, {kind})", info.name, info.backend, driver.trim())
    }

    /// Whether the adapter is a program on the CPU, which rounds as the CPU does: it neither fuses multiplications and
    /// additions nor divides by approximation.
    pub(crate) fn is_cpu(&self) -> bool {
        self.device.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Takes a mesh over for pictures of `width` x `height` pixels with one character.
    pub(crate) fn prepare(&mut self, mesh: &Mesh, width: u32, height: u32) -> Result<(), GpuError> {
        self.prepare_crowd(mesh, width, height, 1)
    }

    /// As [`Gpu::prepare`], for `characters` figures of one mesh.
    pub(crate) fn prepare_crowd(
        &mut self,
        mesh: &Mesh,
        width: u32,
        height: u32,
        characters: u32,
    ) -> Result<(), GpuError> {
        // The old one's memory first.
        self.scene = None;
        let scene = Scene::new(&self.device, &self.pipelines, mesh, [width, height], characters)?;
        self.scene = Some(scene);
        Ok(())
    }

    /// Width and height of the pictures that were prepared.
    pub(crate) fn size(&self) -> Option<[u32; 2]> {
        self.scene
            .as_ref()
            .map(|scene| [scene.picture.width(), scene.picture.height()])
    }

    fn scene(&self) -> Result<&Scene, GpuError> {
        self.scene.as_ref().ok_or(GpuError::NotPrepared)
    }

    /// One picture.
    pub(crate) fn draw(&self, frame: &Frame) -> Result<RgbaImage, GpuError> {
        self.draw_crowd(frame, [frame.model.as_slice()])
    }

    /// One picture of as many characters as were prepared: `models` has each one's model matrices, in the space of
    /// `view`, whose own are not used.
    pub(crate) fn draw_crowd<'a>(
        &self,
        view: &Frame,
        models: impl IntoIterator<Item = &'a [Affine3A]>,
    ) -> Result<RgbaImage, GpuError> {
        let scene = self.scene()?;
        scene.upload(&self.device, view, models)?;
        let mut encoder = self.device.encoder();
        for pass in Pass::ALL {
            scene.encode(pass, &self.pipelines, &mut encoder, None, None);
        }
        self.device.finish(encoder)?;
        self.picture(scene)
    }

    fn picture(&self, scene: &Scene) -> Result<RgbaImage, GpuError> {
        let bytes = self.device.read_texture(&scene.picture)?;
        let (width, height) = (scene.picture.width(), scene.picture.height());
        RgbaImage::from_raw(width, height, bytes)
            .ok_or_else(|| GpuError::Internal("a picture of the wrong size came back".into()))
    }

    /// The vertices of the last picture, all of the first character's first.
    pub(crate) fn read_vertices(&self) -> Result<Vec<SkinnedVertex>, GpuError> {
        let bytes = self.device.read_buffer(&self.scene()?.skinned)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Draws `frame` and reads back what each pass wrote.
    pub(crate) fn stages(&self, frame: &Frame) -> Result<Stages, GpuError> {
        let scene = self.scene()?;
        let device = &self.device;
        scene.upload(device, frame, [frame.model.as_slice()])?;
        let normals = scene.normal_target(device);
        let mut encoder = device.encoder();
        for pass in Pass::ALL {
            scene.encode(pass, &self.pipelines, &mut encoder, None, Some(&normals));
        }
        device.finish(encoder)?;
        Ok(Stages {
            palette: bytemuck::pod_collect_to_vec(&device.read_buffer(&scene.palette)?),
            vertices: self.read_vertices()?,
            codes: bytemuck::pod_collect_to_vec(&device.read_texture(&scene.code)?),
            normals: bytemuck::pod_collect_to_vec(&device.read_texture(&normals)?),
            depths: bytemuck::pod_collect_to_vec(&device.read_texture(&scene.depth)?),
            picture: self.picture(scene)?,
        })
    }

    /// Draws the prepared crowd `repeats` times without reading it back, and times it.
    pub(crate) fn time<'a>(
        &self,
        view: &Frame,
        models: impl IntoIterator<Item = &'a [Affine3A]>,
        repeats: usize,
    ) -> Result<Timing, GpuError> {
        let scene = self.scene()?;
        scene.upload(&self.device, view, models)?;
        timing::measure(&self.device, &self.pipelines, scene, repeats)
    }
}
