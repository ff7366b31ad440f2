//! From a file's bytes to its JSON and its buffers.

use std::{borrow::Cow, collections::HashMap, fs, io::Read as _, path::Path, rc::Rc};

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::{GltfError, schema::Root};

/// The first four bytes of a GLB file.
const MAGIC: &[u8] = b"glTF";
/// Bytes of a GLB file's header, and of a chunk's.
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON_CHUNK: &[u8] = b"JSON";
const BIN_CHUNK: &[u8] = b"BIN\0";

/// Base64 as files have it: with or without `=` at the end, and whatever is in the last byte's unused bits.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Splits a GLB file into its JSON and its binary chunk; a text file is all JSON.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), GltfError> {
    if !bytes.starts_with(MAGIC) {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        return if first == Some(&b'{') {
            Ok((text, None))
        } else if bytes.is_empty() {
            Err(GltfError::Empty)
        } else {
            Err(GltfError::NotGltf)
        };
    }
    let broken = |what: String| GltfError::Glb {
        what,
        found: bytes.len(),
    };
    let (Some(version), Some(length)) = (number(bytes, 4), number(bytes, 8)) else {
        return Err(broken(format!("its header has {HEADER} bytes")));
    };
    if version != 2 {
        return Err(GltfError::Version {
            version: version.to_string(),
        });
    }
    if length > bytes.len() {
        return Err(broken(format!("its header says {length} bytes")));
    }
    let (mut json, mut binary) = (None, None);
    let mut rest = bytes.get(HEADER..length).unwrap_or_default();
    while rest.len() >= CHUNK_HEADER {
        let size = number(rest, 0).unwrap_or_default();
        let kind = &rest[4..CHUNK_HEADER];
        let Some(chunk) = rest[CHUNK_HEADER..].get(..size) else {
            return Err(broken(format!("a chunk says {size} bytes")));
        };
        if kind == JSON_CHUNK {
            json.get_or_insert(chunk);
        } else if kind == BIN_CHUNK {
            binary.get_or_insert(chunk);
        }
        // Chunks begin at multiples of four; the last one may end anywhere.
        rest = rest[CHUNK_HEADER..]
            .get(size.next_multiple_of(4)..)
            .unwrap_or_default();
    }
    let json = json.ok_or_else(|| broken("it needs a JSON chunk".to_owned()))?;
    Ok((json, binary))
}

/// Four bytes, little-endian.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

pub(super) fn read_json(json: &[u8]) -> Result<Root, GltfError> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let root: Root = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        // What the library says where there is no place yet.
        let path = if path == "?" { ".".to_owned() } else { path };
        json_error(path, error.inner())
    })?;
    deserializer
        .end()
        .map_err(|error| json_error(".".to_owned(), &error))?;
    let version = &root.asset.version;
    if version.split('.').next() != Some("2") {
        return Err(GltfError::Version {
            version: version.clone(),
        });
    }
    Ok(root)
}

fn json_error(path: String, error: &serde_json::Error) -> GltfError {
    let text = error.to_string();
    // The place is told by itself.
    let message = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(message, _)| message);
    GltfError::Json {
        path,
        line: error.line(),
        column: error.column(),
        message: message.to_owned(),
    }
}

/// The bytes of every buffer. `folder` is where files are looked for; without one they are an error.
pub(super) fn buffers<'a>(
    root: &Root,
    binary: Option<&'a [u8]>,
    folder: Option<&Path>,
) -> Result<Vec<Bytes<'a>>, GltfError> {
    let mut files: HashMap<&str, Rc<[u8]>> = HashMap::new();
    let mut all = Vec::new();
    for (index, buffer) in root.buffers.iter().enumerate() {
        let fail = |field: &str, message: String| GltfError::Buffer {
            path: format!("buffers[{index}]{field}"),
            message,
        };
        let bytes = match buffer.uri.as_deref() {
            None => {
                let binary = binary.filter(|_| index == 0);
                Bytes::Part(binary.ok_or_else(|| fail("", "has neither a uri nor a binary chunk".into()))?)
            }
            Some(uri) => {
                if let Some(data) = uri.strip_prefix("data:") {
                    Bytes::Own(data_uri(data).map_err(|message| fail(".uri", message))?.into())
                } else if let Some(bytes) = files.get(uri) {
                    Bytes::Own(Rc::clone(bytes))
                } else {
                    let bytes = file(uri, folder, buffer.byte_length);
                    let bytes: Rc<[u8]> = bytes.map_err(|message| fail(".uri", message))?.into();
                    files.insert(uri, Rc::clone(&bytes));
                    Bytes::Own(bytes)
                }
            }
        };
        let found = bytes.get().len();
        // A binary chunk is padded, and so are some files; the length in the JSON counts.
        if buffer.byte_length > found as u64 {
            return Err(GltfError::OutOfBounds {
                path: format!("buffers[{index}].byteLength"),
                needed: buffer.byte_length,
                found: found as u64,
            });
        }
        all.push(bytes);
    }
    Ok(all)
}

/// Bytes that belong to the file, or that were read or decoded.
pub(super) enum Bytes<'a> {
    Part(&'a [u8]),
    Own(Rc<[u8]>),
}

impl Bytes<'_> {
    pub(super) fn get(&self) -> &[u8] {
        match self {
            Self::Part(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}

/// What stands behind `data:`.
fn data_uri(data: &str) -> Result<Vec<u8>, String> {
    let (kind, text) = data
        .split_once(',')
        .ok_or("a data URI without a comma before its data")?;
    if kind.ends_with(";base64") {
        // Escapes are legal though nobody writes them, and text editors break lines.
        let text = percent_encoding::percent_decode_str(text);
        let text: Vec<u8> = text.filter(|byte| !byte.is_ascii_whitespace()).collect();
        BASE64
            .decode(text)
            .map_err(|error| format!("broken base64: {error}"))
    } else {
        Ok(percent_encoding::percent_decode_str(text).collect())
    }
}

/// A file beside the glTF file.
fn file(uri: &str, folder: Option<&Path>, length: u64) -> Result<Vec<u8>, String> {
    let name: Cow<'_, str> = percent_encoding::percent_decode_str(uri)
        .decode_utf8()
        .map_err(|_| "a file name that is not UTF-8".to_owned())?;
    let short: String = uri.chars().take(100).collect();
    let Some(folder) = folder else {
        return Err(format!(
            "the data is in another file, {short:?}: use load with the path of the glTF file"
        ));
    };
    // Neither another machine nor a fixed place of this one.
    if Path::new(&*name).has_root() || name.contains(':') {
        return Err(format!(
            "{short:?} is not a file beside the glTF file; nothing else is read"
        ));
    }
    let path = folder.join(&*name);
    let read = || {
        // Before it is opened: opening a pipe waits for whoever writes into it.
        if !fs::metadata(&path)?.is_file() {
            return Err(std::io::Error::other("not a file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(&path)?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error: std::io::Error| {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        format!(
            "{name}: {error}; looked for it in the folder {}",
            folder.display()
        )
    })
}
