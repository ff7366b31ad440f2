//! What the programs that read files of several formats have in common.

use std::{fs, io, path::Path};

use elea_anim::md5;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Also whatever is none of the others: the reader then says what it expected.
    Bvh,
    /// A glTF text or a GLB file.
    Gltf,
    /// A mesh of Doom 3.
    Md5Mesh,
    /// A motion of Doom 3.
    Md5Anim,
}

impl Format {
    /// By the first bytes, whatever the file is called.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = text.trim_ascii_start();
        if text.starts_with(b"glTF") || text.starts_with(b"{") {
            Self::Gltf
        } else if md5::is_anim(bytes) {
            Self::Md5Anim
        } else if text.starts_with(b"MD5Version") {
            Self::Md5Mesh
        } else {
            Self::Bvh
        }
    }
}

/// A file's bytes, at least one.
///
/// # Errors
/// What is wrong and what to do, without the file's name.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    if path.is_dir() {
        return Err("is a folder; name a file in it".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read; check its permissions".to_owned(),
        _ => format!("cannot be read: {error}"),
    })?;
    if bytes.is_empty() {
        return Err("the file is empty; export it again".to_owned());
    }
    Ok(bytes)
}
