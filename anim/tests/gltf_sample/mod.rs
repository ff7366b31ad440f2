//! Small glTF files that are made in code, by the specification and not by the writer.
#![allow(dead_code, reason = "each test uses a part of it")]

use elea_anim::gltf::{Gltf, parse};
use serde_json::{Value, json};

pub(crate) const BYTE: u32 = 5120;
pub(crate) const UNSIGNED_BYTE: u32 = 5121;
pub(crate) const SHORT: u32 = 5122;
pub(crate) const UNSIGNED_SHORT: u32 = 5123;
pub(crate) const UNSIGNED_INT: u32 = 5125;
pub(crate) const FLOAT: u32 = 5126;

/// A file that grows.
pub(crate) struct Sample {
    pub(crate) json: Value,
    pub(crate) bytes: Vec<u8>,
}

impl Sample {
    /// Just an asset.
    pub(crate) fn new() -> Self {
        Self {
            json: json!({
                "asset": {"version": "2.0"}, "accessors": [], "bufferViews": [],
                "nodes": [], "meshes": [], "skins": [], "animations": [],
            }),
            bytes: Vec::new(),
        }
    }

    /// Appends to a list of the root and gives the index.
    pub(crate) fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    /// A view of these bytes.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        self.push(
            "bufferViews",
            json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}),
        )
    }

    /// An accessor of packed elements.
    pub(crate) fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({"bufferView": view, "componentType": component, "count": count, "type": kind}),
        )
    }

    pub(crate) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let size = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.accessor(kind, FLOAT, numbers.len() / size, &bytes)
    }

    pub(crate) fn shorts(&mut self, kind: &str, component: u32, count: usize, numbers: &[i32]) -> usize {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes()[..2].to_vec())
            .collect();
        self.accessor(kind, component, count, &bytes)
    }

    /// Changes a field of an accessor.
    pub(crate) fn set(&mut self, accessor: usize, field: &str, value: Value) {
        self.json["accessors"][accessor][field] = value;
    }

    /// The JSON with its buffer as `uri`, or as the binary chunk.
    fn text(&self, uri: Option<String>) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.bytes.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{"byteLength": self.bytes.len()}]);
            if let Some(uri) = uri {
                json["buffers"][0]["uri"] = json!(uri);
            }
        }
        serde_json::to_vec(&json).unwrap()
    }

    /// A text file with its buffer in it.
    pub(crate) fn gltf(&self) -> Vec<u8> {
        let data = base64(&self.bytes);
        self.text(Some(format!("data:application/octet-stream;base64,{data}")))
    }

    /// A text file with its buffer elsewhere.
    pub(crate) fn gltf_with(&self, uri: &str) -> Vec<u8> {
        self.text(Some(uri.to_owned()))
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.text(None);
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        glb(&json, &bytes)
    }
}

pub(crate) fn glb(json: &[u8], bytes: &[u8]) -> Vec<u8> {
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend(number(28 + json.len() + bytes.len()));
    out.extend(number(json.len()));
    out.extend(b"JSON");
    out.extend(json);
    out.extend(number(bytes.len()));
    out.extend(b"BIN\0");
    out.extend(bytes);
    out
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut bits = 0_u32;
        for index in 0..3 {
            bits = bits << 8 | u32::from(group.get(index).copied().unwrap_or(0));
        }
        for index in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index > group.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    text
}

/// A skinned, animated sheet with a morph target: every kind of object that is read is in it.
///
/// Nodes: 0 `tip` (a child of 1), 1 `root`, 2 the mesh, 3 a rigid mesh on a node of its own.
pub(crate) fn full() -> Sample {
    let mut sample = Sample::new();
    sample.push("nodes", json!({"name": "tip", "translation": [0, 1, 0]}));
    sample.push(
        "nodes",
        json!({"name": "root", "children": [0, 3], "rotation": [0, 0, 0, 1]}),
    );
    sample.push(
        "nodes",
        json!({"name": "sheet", "mesh": 0, "skin": 0, "weights": [0.25]}),
    );
    sample.push(
        "nodes",
        json!({"name": "box", "mesh": 1, "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]}),
    );
    let positions: Vec<f32> = (0..8)
        .flat_map(|k| [(k % 2) as f32, (k / 2) as f32, 0.0])
        .collect();
    let normals: Vec<f32> = (0..8).flat_map(|_| [0.0, 0.0, 1.0]).collect();
    let position = sample.floats("VEC3", &positions);
    let normal = sample.floats("VEC3", &normals);
    let uv = sample.floats("VEC2", &[0.5; 16]);
    let joints: Vec<u8> = (0..8_u8).flat_map(|k| [k / 4, 1 - k / 4, 0, 0]).collect();
    let joints = sample.accessor("VEC4", UNSIGNED_BYTE, 8, &joints);
    let weights: Vec<f32> = (0..8).flat_map(|_| [0.75, 0.25, 0.0, 0.0]).collect();
    let weights = sample.floats("VEC4", &weights);
    let indices: Vec<i32> = (0..3).flat_map(|k| [2 * k, 2 * k + 1, 2 * k + 2]).collect();
    let indices = sample.shorts("SCALAR", UNSIGNED_SHORT, 9, &indices);
    // The target lifts vertices 3 and 6.
    let sparse_indices = sample.view(&[3, 6]);
    let lifts: Vec<u8> = [0.0_f32, 0.0, 1.0, 0.0, 0.0, 2.0]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let sparse_values = sample.view(&lifts);
    let target = sample.push(
        "accessors",
        json!({"componentType": FLOAT, "count": 8, "type": "VEC3", "sparse": {
            "count": 2,
            "indices": {"bufferView": sparse_indices, "componentType": UNSIGNED_BYTE},
            "values": {"bufferView": sparse_values},
        }}),
    );
    sample.push(
        "meshes",
        json!({
            "primitives": [{
                "attributes": {"POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv,
                               "JOINTS_0": joints, "WEIGHTS_0": weights},
                "indices": indices, "material": 0, "targets": [{"POSITION": target}],
            }],
            "weights": [0.5], "extras": {"targetNames": ["lift"]},
        }),
    );
    sample.json["materials"] =
        json!([{"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}]);
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut matrices = identity.to_vec();
    matrices.extend([0.0, 0.0, 0.0, 1.0]);
    matrices.extend(identity);
    matrices.extend([0.0, -1.0, 0.0, 1.0]);
    let matrices = sample.floats("MAT4", &matrices);
    sample.push(
        "skins",
        json!({"name": "skin", "joints": [1, 0], "inverseBindMatrices": matrices}),
    );
    let times = sample.floats("SCALAR", &[0.0, 0.5, 2.0]);
    let turns = sample.floats(
        "VEC4",
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 1.0, 0.0],
    );
    let moves = sample.floats("VEC3", &[0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 2.0, 0.0]);
    let scales: Vec<f32> = (0..27).map(|k| 1.0 + (k % 5) as f32 / 8.0).collect();
    let scales = sample.floats("VEC3", &scales);
    let weights = sample.floats("SCALAR", &[0.0, 1.0, 0.5]);
    let six = sample.floats("VEC3", &positions[..18]);
    sample.push(
        "meshes",
        json!({"primitives": [{"attributes": {"POSITION": six}}]}),
    );
    sample.push(
        "animations",
        json!({
            "name": "all",
            "samplers": [
                {"input": times, "output": turns},
                {"input": times, "output": moves, "interpolation": "STEP"},
                {"input": times, "output": scales, "interpolation": "CUBICSPLINE"},
                {"input": times, "output": weights, "interpolation": "LINEAR"},
            ],
            "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "translation"}},
                {"sampler": 2, "target": {"node": 0, "path": "scale"}},
                {"sampler": 3, "target": {"node": 2, "path": "weights"}},
            ],
        }),
    );
    sample.json["scenes"] = json!([{"name": "main", "nodes": [1, 2]}]);
    sample.json["scene"] = json!(0);
    sample
}

/// What text and GLB both hold.
pub(crate) fn read(sample: &Sample) -> Gltf {
    let text = parse(&sample.gltf()).unwrap_or_else(|error| panic!("{error}"));
    let binary = parse(&sample.glb()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text, binary, "text and GLB");
    text
}

/// Why both are refused.
pub(crate) fn fails(sample: &Sample) -> String {
    let error = parse(&sample.gltf()).unwrap_err();
    assert_eq!(parse(&sample.glb()).unwrap_err(), error, "text and GLB");
    error.to_string()
}
