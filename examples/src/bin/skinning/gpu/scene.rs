//! The buffers, textures and bind groups of one mesh at one picture size, and the passes over them.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Mat4, Vec4};

use super::device::Device;
use super::error::GpuError;
use super::pipelines::{ALBEDO, CODE, DEPTH, NORMAL, PICTURE, Pipelines, WORKGROUP};
use crate::frame::{Frame, MAX_CAPSULES};
use crate::mesh::Mesh;

/// `Counts` of `counts.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Counts {
    pub(super) slots: u32,
    pub(super) vertices: u32,
    pub(super) characters: u32,
    unused: u32,
}

/// `BindVertex` of `skinning.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct BindVertex {
    position: [f32; 3],
    joints_low: u32,
    normal: [f32; 3],
    joints_high: u32,
    weights: [f32; 4],
}

/// `Capsule` of `lighting.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct Capsule {
    a: [f32; 3],
    radius: f32,
    b: [f32; 3],
    unused: f32,
}

/// `Lighting` of `lighting.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Lighting {
    inverse_view_projection: Mat4,
    eye: [f32; 3],
    capsule_count: u32,
    focus: [f32; 3],
    unused: f32,
    light: [f32; 3],
    unused_too: f32,
    capsules: [Capsule; MAX_CAPSULES],
}

#[derive(Debug)]
pub(super) struct Scene {
    pub(super) counts: Counts,
    pub(super) index_count: u32,
    pub(super) model: wgpu::Buffer,
    pub(super) palette: wgpu::Buffer,
    pub(super) skinned: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    pub(super) view_projection: wgpu::Buffer,
    pub(super) lighting: wgpu::Buffer,
    pub(super) albedo: wgpu::Texture,
    pub(super) code: wgpu::Texture,
    pub(super) depth: wgpu::Texture,
    pub(super) picture: wgpu::Texture,
    pub(super) palette_group: wgpu::BindGroup,
    pub(super) skinning_group: wgpu::BindGroup,
    pub(super) gbuffer_group: wgpu::BindGroup,
    pub(super) checked_group: wgpu::BindGroup,
    pub(super) lighting_group: wgpu::BindGroup,
}

/// Three rows of four, as `EleaAffine`.
fn rows(matrix: &Affine3A) -> [Vec4; 3] {
    [0, 1, 2].map(|row| matrix.matrix3.row(row).extend(matrix.translation[row]))
}

/// `length` as the shaders count.
fn count(what: &'static str, length: usize) -> Result<u32, GpuError> {
    u32::try_from(length).map_err(|_| GpuError::TooLarge {
        what,
        needed: length as u64,
        limit: u64::from(u32::MAX),
    })
}

/// The sentence that is wrong with the mesh, if one is.
fn fault_of(mesh: &Mesh) -> Option<String> {
    let vertices = mesh.positions.len();
    let slots = mesh.inverse_bind.len();
    if vertices == 0 || mesh.indices.is_empty() || slots == 0 {
        return Some("no vertices, triangles or palette slots".into());
    }
    let lengths = [
        mesh.normals.len(),
        mesh.albedo.len(),
        mesh.joints.len(),
        mesh.weights.len(),
    ];
    if lengths.iter().any(|&length| length != vertices) {
        return Some(format!(
            "{vertices} positions but {lengths:?} normals, albedos, joints, weights"
        ));
    }
    if let Some(&index) = mesh.indices.iter().find(|&&index| index as usize >= vertices) {
        return Some(format!("index {index} of {vertices} vertices"));
    }
    let slot = mesh
        .joints
        .iter()
        .flatten()
        .find(|&&slot| usize::from(slot) >= slots);
    slot.map(|slot| format!("joint {slot} of {slots} palette slots"))
}

impl Scene {
    pub(super) fn new(
        device: &Device,
        pipelines: &Pipelines,
        mesh: &Mesh,
        size: [u32; 2],
        characters: u32,
    ) -> Result<Self, GpuError> {
        if let Some(message) = fault_of(mesh) {
            return Err(GpuError::Mesh(message));
        }
        let limits = device.device.limits();
        let side = u64::from(size[0].max(size[1])) * 2;
        Device::within(
            "width or height of the G-buffer",
            side,
            limits.max_texture_dimension_2d.into(),
        )?;
        if size.contains(&0) || characters == 0 {
            return Err(GpuError::Frame("a picture without pixels or characters".into()));
        }
        let counts = Counts {
            slots: count("palette slots", mesh.inverse_bind.len())?,
            vertices: count("vertices", mesh.positions.len())?,
            characters,
            unused: 0,
        };
        let groups = counts
            .vertices
            .div_ceil(WORKGROUP)
            .max(counts.slots.div_ceil(WORKGROUP))
            .max(characters);
        let dimension = limits.max_compute_workgroups_per_dimension;
        Device::within(
            "workgroups (characters, or vertices / 64)",
            groups.into(),
            dimension.into(),
        )?;
        // The shaders' 32-bit indices into the skinned vertices.
        let skinned_floats = 6 * u64::from(counts.vertices) * u64::from(characters);
        Device::within("skinned vertices, in floats", skinned_floats, u64::from(u32::MAX))?;

        let vertices: Vec<BindVertex> = bind_vertices(mesh);
        let inverse_bind: Vec<[Vec4; 3]> = mesh.inverse_bind.iter().map(rows).collect();
        let matrices = 48 * u64::from(counts.slots) * u64::from(characters);
        let storage = wgpu::BufferUsages::STORAGE;
        let readable = storage | wgpu::BufferUsages::COPY_SRC;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;

        let counts_buffer = device.buffer("counts", size_of::<Counts>() as u64, uniform)?;
        device
            .queue
            .write_buffer(&counts_buffer, 0, bytemuck::bytes_of(&counts));
        let model = device.buffer("model matrices", matrices, storage | wgpu::BufferUsages::COPY_DST)?;
        let inverse_bind =
            device.buffer_with("inverse bind matrices", bytemuck::cast_slice(&inverse_bind))?;
        let palette = device.buffer("palettes", matrices, readable)?;
        let bind = device.buffer_with("bind vertices", bytemuck::cast_slice(&vertices))?;
        let skinned = device.buffer("skinned vertices", 4 * skinned_floats, readable)?;
        let indices = device.buffer_with("indices", bytemuck::cast_slice(&mesh.indices))?;
        let albedo_vertices = device.buffer_with("albedos", bytemuck::cast_slice(&mesh.albedo))?;
        let view_projection = device.buffer("view projection", size_of::<Mat4>() as u64, uniform)?;
        let lighting = device.buffer("lighting", size_of::<Lighting>() as u64, uniform)?;

        let double = size.map(|side| 2 * side);
        let albedo = texture(device, "albedo", double, ALBEDO);
        let code = texture(device, "normal codes", double, CODE);
        let depth = texture(device, "depth", double, DEPTH);
        let picture = texture(device, "picture", size, PICTURE);
        let views = [&albedo, &code, &depth].map(|texture| texture.create_view(&Default::default()));
        device.check()?;

        let buffers = |list: &[&wgpu::Buffer], layout| {
            let list: Vec<_> = list.iter().map(|buffer| buffer.as_entire_binding()).collect();
            group(device, layout, list)
        };
        let for_gbuffer = [&counts_buffer, &view_projection, &skinned, &albedo_vertices];
        let mut for_lighting = vec![lighting.as_entire_binding()];
        for_lighting.extend(views.iter().map(wgpu::BindingResource::TextureView));
        let scene = Self {
            palette_group: buffers(
                &[&counts_buffer, &model, &inverse_bind, &palette],
                pipelines.palette.get_bind_group_layout(0),
            ),
            skinning_group: buffers(
                &[&counts_buffer, &palette, &bind, &skinned],
                pipelines.skinning.get_bind_group_layout(0),
            ),
            gbuffer_group: buffers(&for_gbuffer, pipelines.gbuffer.get_bind_group_layout(0)),
            checked_group: buffers(&for_gbuffer, pipelines.gbuffer_checked.get_bind_group_layout(0)),
            lighting_group: group(device, pipelines.lighting.get_bind_group_layout(0), for_lighting),
            index_count: count("indices", mesh.indices.len())?,
            counts,
            model,
            palette,
            skinned,
            indices,
            view_projection,
            lighting,
            albedo,
            code,
            depth,
            picture,
        };
        device.check()?;
        Ok(scene)
    }

    pub(super) const fn characters(&self) -> u32 {
        self.counts.characters
    }

    /// Skinned vertices of all characters.
    pub(super) const fn vertices(&self) -> u64 {
        self.counts.vertices as u64 * self.counts.characters as u64
    }

    /// Sends a frame to the device: the camera and light of `view`, and every character's model matrices.
    pub(super) fn upload<'a>(
        &self,
        device: &Device,
        view: &Frame,
        models: impl IntoIterator<Item = &'a [Affine3A]>,
    ) -> Result<(), GpuError> {
        let slots = self.counts.slots as usize;
        let mut matrices: Vec<[Vec4; 3]> = Vec::with_capacity(slots * self.counts.characters as usize);
        let mut characters = 0;
        for model in models {
            if model.len() != slots {
                return Err(GpuError::Frame(format!(
                    "{} model matrices for {slots} slots",
                    model.len()
                )));
            }
            matrices.extend(model.iter().map(rows));
            characters += 1;
        }
        if characters != self.counts.characters {
            let expected = self.counts.characters;
            return Err(GpuError::Frame(format!(
                "{characters} characters, prepared for {expected}"
            )));
        }
        if view.capsules.len() > MAX_CAPSULES {
            let found = view.capsules.len();
            return Err(GpuError::Frame(format!(
                "{found} capsules, {MAX_CAPSULES} at most"
            )));
        }
        let mut capsules = [Capsule::zeroed(); MAX_CAPSULES];
        for (to, from) in capsules.iter_mut().zip(&view.capsules) {
            *to = Capsule {
                a: from.a.into(),
                radius: from.radius,
                b: from.b.into(),
                unused: 0.0,
            };
        }
        let lighting = Lighting {
            inverse_view_projection: view.view_projection.inverse(),
            eye: view.eye.into(),
            capsule_count: count("capsules", view.capsules.len())?,
            focus: view.focus.into(),
            unused: 0.0,
            light: view.light.into(),
            unused_too: 0.0,
            capsules,
        };
        device
            .queue
            .write_buffer(&self.model, 0, bytemuck::cast_slice(&matrices));
        device.queue.write_buffer(
            &self.view_projection,
            0,
            bytemuck::bytes_of(&view.view_projection),
        );
        device
            .queue
            .write_buffer(&self.lighting, 0, bytemuck::bytes_of(&lighting));
        device.check()
    }

    /// The texture for the check's third G-buffer target.
    pub(super) fn normal_target(&self, device: &Device) -> wgpu::Texture {
        texture(
            device,
            "normals",
            [self.albedo.width(), self.albedo.height()],
            NORMAL,
        )
    }
}

fn bind_vertices(mesh: &Mesh) -> Vec<BindVertex> {
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    (0..mesh.positions.len())
        .map(|vertex| {
            let [a, b, c, d] = mesh.joints[vertex];
            BindVertex {
                position: mesh.positions[vertex].into(),
                joints_low: pair(a, b),
                normal: mesh.normals[vertex].into(),
                joints_high: pair(c, d),
                weights: mesh.weights[vertex],
            }
        })
        .collect()
}

fn texture(device: &Device, label: &str, size: [u32; 2], format: wgpu::TextureFormat) -> wgpu::Texture {
    device.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width: size[0],
            height: size[1],
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Bindings 0, 1, 2, ... of group 0.
fn group(
    device: &Device,
    layout: wgpu::BindGroupLayout,
    resources: Vec<wgpu::BindingResource<'_>>,
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    device.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &entries,
    })
}
