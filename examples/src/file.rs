//! What the programs have in common: the formats that they read, and the file that they write.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::Path,
};

use elea_anim::md5;
use image::{ImageError, ImageFormat, RgbImage};

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

    /// How the names of files end that are written, without the dot.
    const fn ending(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Gltf => "glb",
            Self::Md5Mesh => "md5mesh",
            Self::Md5Anim => "md5anim",
        }
    }
}

/// What to write, from the ending of a path; one of these formats.
///
/// # Errors
/// Which file, and the endings to choose from.
pub fn format_of_output(path: &Path, formats: &[Format]) -> Result<Format, String> {
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    if let Some(format) = formats.iter().find(|format| format.ending() == ending) {
        return Ok(*format);
    }
    let path = path.display();
    if ending == "gltf" && formats.contains(&Format::Gltf) {
        return Err(format!(
            "{path}: end the name with .glb, which is the same in one piece"
        ));
    }
    let mut endings = String::new();
    for (index, format) in formats.iter().enumerate() {
        endings += match index {
            0 => "",
            _ if index + 1 == formats.len() => " or ",
            _ => ", ",
        };
        endings += ".";
        endings += format.ending();
    }
    Err(format!(
        "{path}: end the name with {endings}, which says what to write"
    ))
}

/// Makes sure that what is written replaces nothing that is read.
///
/// # Errors
/// Which file, and what to do.
pub fn keep_inputs<P: AsRef<Path>>(output: &Path, inputs: impl IntoIterator<Item = P>) -> Result<(), String> {
    // What is not there yet is no input.
    let Ok(place) = output.canonicalize() else {
        return Ok(());
    };
    let is_output = |input: P| input.as_ref().canonicalize().is_ok_and(|input| input == place);
    if inputs.into_iter().any(is_output) {
        return Err(format!(
            "{}: would replace the file that is read; name another",
            output.display()
        ));
    }
    Ok(())
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

/// A new file to write to; its folder is made where there is none.
///
/// # Errors
/// Which file, what the system said, and what to do.
pub fn create(path: &str) -> Result<File, String> {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    // The empty path is the folder that the program runs in, and is there.
    fs::create_dir_all(folder)
        .and_then(|()| File::create(path))
        .map_err(|error| format!("{path}: cannot be written: {error}; choose another place"))
}

/// Writes a picture as PNG; its folder is made where there is none.
///
/// # Errors
/// Which file, what was wrong, and what to do.
pub fn save(picture: &RgbImage, path: &str) -> Result<(), String> {
    let mut file = BufWriter::new(create(path)?);
    let saved = picture.write_to(&mut file, ImageFormat::Png);
    let written = saved.and_then(|()| file.flush().map_err(ImageError::from));
    written.map_err(|error| format!("{path}: cannot be written: {error}; choose another place"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder for one test.
    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("elea-examples-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder of its own");
        folder
    }

    #[test]
    fn folders_are_made() {
        let folder = folder("made");
        let path = folder.join("a/b/picture.png");
        save(&RgbImage::new(2, 1), path.to_str().expect("UTF-8")).expect("it can be written");
        assert_eq!(image::image_dimensions(path).expect("a PNG"), (2, 1));
        fs::remove_dir_all(folder).expect("it is there");
    }

    #[test]
    fn a_place_that_cannot_be_is_named_with_what_to_do() {
        let folder = folder("file");
        let file = folder.join("file");
        fs::write(&file, "not a folder").expect("it can be written");
        let path = file.join("picture.png");
        let path = path.to_str().expect("UTF-8");
        for error in [create(path).err(), save(&RgbImage::new(1, 1), path).err()] {
            let error = error.expect("cannot be written");
            assert!(error.contains(path), "{error}");
            assert!(error.contains("choose another place"), "{error}");
        }
        fs::remove_dir_all(folder).expect("it is there");
    }
}
