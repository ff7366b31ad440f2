//! What can go wrong with a GPU, as values.

use std::fmt;

/// There is no device to draw with.
#[derive(Debug, Clone)]
pub(crate) struct NoDevice {
    /// The adapter that was found but can't be used, if there was one.
    pub(crate) adapter: Option<String>,
    /// What wgpu said.
    pub(crate) reason: String,
}

/// The environment variables by which the Vulkan loader and wgpu find, or miss, a driver.
const VARIABLES: [&str; 6] = [
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LOADER_DRIVERS_DISABLE",
    "LD_LIBRARY_PATH",
    "WGPU_BACKEND",
    "WGPU_ADAPTER_NAME",
];

impl fmt::Display for NoDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let api = if cfg!(target_vendor = "apple") {
            "Metal"
        } else if cfg!(windows) {
            "Direct3D 12 or Vulkan"
        } else {
            "Vulkan"
        };
        match &self.adapter {
            None => writeln!(f, "no {api} device found")?,
            Some(name) => writeln!(f, "no usable {api} device found: there is only {name}")?,
        }
        writeln!(f, "  wgpu says: {}", self.reason)?;
        writeln!(
            f,
            "  Debian, Ubuntu, also without a GPU: sudo apt-get install mesa-vulkan-drivers"
        )?;
        write!(f, "  a driver is installed? check what these variables point to:")?;
        for name in VARIABLES {
            match std::env::var_os(name) {
                Some(value) => write!(f, "\n    {name}={}", value.to_string_lossy())?,
                None => write!(f, "\n    {name} (not set)")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for NoDevice {}

/// A device was there, and the work failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum GpuError {
    /// The device went away: driver reset, machine suspended, GPU removed.
    DeviceLost(String),
    /// The device has no memory left.
    OutOfMemory,
    /// wgpu refused a call: a bug of this program.
    Validation(String),
    /// The driver failed inside.
    Internal(String),
    /// The adapter's limit is below what the work needs.
    TooLarge {
        /// What is too large.
        what: &'static str,
        needed: u64,
        limit: u64,
    },
    /// `draw` before `prepare`.
    NotPrepared,
    /// The mesh contradicts itself.
    Mesh(String),
    /// The frame does not fit the mesh.
    Frame(String),
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeviceLost(message) => {
                write!(f, "the GPU device was lost: {message}; start the program again")
            }
            Self::OutOfMemory => write!(
                f,
                "the GPU is out of memory: fewer characters or a smaller picture"
            ),
            Self::Validation(message) => {
                write!(
                    f,
                    "wgpu refused a call: {message}; this is a bug of the example, report it"
                )
            }
            Self::Internal(message) => {
                write!(f, "the GPU driver failed: {message}; try another driver")
            }
            Self::TooLarge { what, needed, limit } => write!(
                f,
                "{what}: {needed} needed, this adapter's limit is {limit}: fewer characters or a smaller picture"
            ),
            Self::NotPrepared => write!(f, "no mesh was given to the GPU yet; prepare comes before draw"),
            Self::Mesh(message) => write!(f, "mesh: {message}; correct the mesh"),
            Self::Frame(message) => write!(f, "frame: {message}; correct the frame"),
        }
    }
}

impl std::error::Error for GpuError {}

impl From<wgpu::Error> for GpuError {
    fn from(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory,
            wgpu::Error::Validation { description, .. } => Self::Validation(description),
            wgpu::Error::Internal { description, .. } => Self::Internal(description),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_what_is_missing_and_what_to_do() {
        let text = NoDevice {
            adapter: None,
            reason: "nothing there".into(),
        }
        .to_string();
        for part in [
            "device found\n",
            "nothing there",
            "sudo apt-get install mesa-vulkan-drivers",
            "VK_DRIVER_FILES",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        let text = NoDevice {
            adapter: Some("Old Card".into()),
            reason: "too old".into(),
        }
        .to_string();
        assert!(text.contains("Old Card") && text.contains("too old"), "{text}");
    }
}
