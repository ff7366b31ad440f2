//! Opening a device, and getting bytes back from it. Nothing here knows what is drawn.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use super::error::{GpuError, NoDevice};

/// The first error that wgpu reported outside of a call's result. wgpu's own handler would panic.
#[derive(Debug, Default)]
struct Fault(Mutex<Option<GpuError>>);

impl Fault {
    fn set(&self, error: GpuError) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A lost device explains every other error.
        if first.is_none() || matches!(error, GpuError::DeviceLost(_)) {
            *first = Some(error);
        }
    }

    fn get(&self) -> Option<GpuError> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*first {
            // For good: every later call fails too.
            Some(GpuError::DeviceLost(_)) => first.clone(),
            _ => first.take(),
        }
    }
}

/// An open device with its queue.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) info: wgpu::AdapterInfo,
    /// Nanoseconds a timestamp step; `None` where timestamps are absent or, on a CPU adapter, mean little.
    pub(super) timestamp_period: Option<f32>,
    fault: Arc<Fault>,
}

impl Device {
    /// The fastest adapter that the system offers, a software one where there is no other (or the one whose name contains
    /// `WGPU_ADAPTER_NAME`), with the adapter's own limits (WebGPU's defaults would cap a buffer binding at 128 MiB).
    pub(super) fn open() -> Result<Self, NoDevice> {
        pollster::block_on(Self::open_async())
    }

    async fn open_async() -> Result<Self, NoDevice> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = choose(&instance).await?;
        let info = adapter.get_info();
        let timestamps = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("skinning"),
            required_features: timestamps,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| NoDevice {
                adapter: Some(info.name.clone()),
                reason: error.to_string(),
            })?;

        let fault = Arc::new(Fault::default());
        let sink = fault.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| sink.set(error.into())));
        let sink = fault.clone();
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                sink.set(GpuError::DeviceLost(message));
            }
        });
        let useful = !timestamps.is_empty() && info.device_type != wgpu::DeviceType::Cpu;
        let timestamp_period = useful.then(|| queue.get_timestamp_period());
        Ok(Self {
            device,
            queue,
            info,
            timestamp_period,
            fault,
        })
    }

    /// The error that was reported since the last call, if there was one.
    pub(super) fn check(&self) -> Result<(), GpuError> {
        self.fault.get().map_or(Ok(()), Err)
    }

    /// `Err` where `needed` is above the adapter's `limit`.
    pub(super) fn within(what: &'static str, needed: u64, limit: u64) -> Result<(), GpuError> {
        if needed > limit {
            Err(GpuError::TooLarge { what, needed, limit })
        } else {
            Ok(())
        }
    }

    /// A buffer of `size` bytes, refused with the limit's name where it would not fit a binding.
    pub(super) fn buffer(
        &self,
        label: &'static str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        let limits = self.device.limits();
        Self::within(label, size, limits.max_buffer_size)?;
        if usage.contains(wgpu::BufferUsages::STORAGE) {
            Self::within(label, size, limits.max_storage_buffer_binding_size)?;
        }
        Ok(self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        }))
    }

    /// A storage buffer with `bytes` in it.
    pub(super) fn buffer_with(&self, label: &'static str, bytes: &[u8]) -> Result<wgpu::Buffer, GpuError> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST;
        let buffer = self.buffer(label, bytes.len() as u64, usage)?;
        self.queue.write_buffer(&buffer, 0, bytes);
        Ok(buffer)
    }

    /// Submits and waits until the device has done the work.
    pub(super) fn finish(&self, encoder: wgpu::CommandEncoder) -> Result<(), GpuError> {
        let submission = self.queue.submit([encoder.finish()]);
        self.check()?;
        self.wait(submission)
    }

    fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), GpuError> {
        let waited = self.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        });
        self.check()?;
        waited
            .map(|_| ())
            .map_err(|error| GpuError::Internal(error.to_string()))
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("skinning"),
            })
    }

    /// The bytes of a whole buffer made with `COPY_SRC`.
    pub(super) fn read_buffer(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = self.buffer("readback", buffer.size(), usage)?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.map(&staging, encoder)
    }

    /// The texels of a whole 2D texture made with `COPY_SRC`, row after row without padding.
    pub(super) fn read_texture(&self, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
        let texel = u64::from(texture.format().block_copy_size(None).unwrap_or(4));
        let size = texture.size();
        let row = u64::from(size.width) * texel;
        let stride = row.next_multiple_of(u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT));
        let total = stride * u64::from(size.height);
        let limit = self.device.limits().max_buffer_size.min(u64::from(u32::MAX));
        Self::within("readback", total, limit)?;
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = self.buffer("readback", total, usage)?;
        let mut encoder = self.encoder();
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: u32::try_from(stride).ok(),
            rows_per_image: Some(size.height),
        };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &staging,
                layout,
            },
            size,
        );
        let padded = self.map(&staging, encoder)?;
        // Both fit in memory: the padded rows are there already.
        let (row, stride) = (usize_from(row), usize_from(stride));
        Ok(padded
            .chunks_exact(stride)
            .flat_map(|line| &line[..row])
            .copied()
            .collect())
    }

    fn map(&self, staging: &wgpu::Buffer, encoder: wgpu::CommandEncoder) -> Result<Vec<u8>, GpuError> {
        let submission = self.queue.submit([encoder.finish()]);
        let (sender, receiver) = mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone only if this function has returned already.
            let _ = sender.send(result);
        });
        self.wait(submission)?;
        let internal = |message: String| GpuError::Internal(message);
        receiver
            .try_recv()
            .map_err(|_| internal("the readback buffer was never mapped".into()))?
            .map_err(|error| internal(error.to_string()))?;
        let view = staging
            .get_mapped_range(..)
            .map_err(|error| internal(error.to_string()))?;
        Ok(view.to_vec())
    }
}

async fn choose(instance: &wgpu::Instance) -> Result<wgpu::Adapter, NoDevice> {
    let Ok(wanted) = std::env::var("WGPU_ADAPTER_NAME") else {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let found = instance.request_adapter(&options).await;
        return found.map_err(|error| NoDevice {
            adapter: None,
            reason: error.to_string(),
        });
    };
    let adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
    let names: Vec<_> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let is_wanted = |name: &String| name.to_lowercase().contains(&wanted.to_lowercase());
    match names.iter().position(is_wanted) {
        Some(index) => Ok(adapters[index].clone()),
        None => Err(NoDevice {
            adapter: None,
            reason: format!(
                "no adapter is named {wanted:?} (WGPU_ADAPTER_NAME); there are: {}",
                names.join(", ")
            ),
        }),
    }
}

/// A length that is known to fit in memory.
pub(super) fn usize_from(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
