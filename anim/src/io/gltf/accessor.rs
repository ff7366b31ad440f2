//! Numbers out of buffers. Every claim of an accessor is checked against the bytes that exist before anything is
//! allocated.

use std::{cell::Cell, fmt::Arguments};

use super::{
    GltfError, MAX_GROWTH,
    container::Bytes,
    schema::{Accessor, BufferView, Kind, Root},
};

/// Bytes that any file may take, however small it is.
const ALLOWANCE: u64 = 1 << 16;

/// The file's JSON with its buffers.
pub(super) struct Data<'a> {
    pub(super) root: &'a Root,
    buffers: Vec<Bytes<'a>>,
    /// Bytes that reading may still take.
    left: Cell<u64>,
    limit: u64,
}

/// What one component is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    const fn new(code: u64) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// One component from the front of `bytes`, which has at least [`size`](Self::size) of them.
    fn float(self, bytes: &[u8], normalized: bool) -> f32 {
        /// Signed integers below -1 mean -1 (glTF 2.0, 3.11).
        fn ratio(value: f32, one: f32, normalized: bool) -> f32 {
            if normalized {
                (value / one).max(-1.0)
            } else {
                value
            }
        }
        match self {
            Self::I8 => ratio(f32::from(i8::from_le_bytes([bytes[0]])), 127.0, normalized),
            Self::U8 => ratio(f32::from(bytes[0]), 255.0, normalized),
            Self::I16 => ratio(
                f32::from(i16::from_le_bytes([bytes[0], bytes[1]])),
                32767.0,
                normalized,
            ),
            Self::U16 => ratio(
                f32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
                65535.0,
                normalized,
            ),
            #[expect(clippy::cast_precision_loss, reason = "the format has no such floats")]
            Self::U32 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as f32,
            Self::F32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }

    /// As [`float`](Self::float), for the unsigned ones.
    fn integer(self, bytes: &[u8]) -> Option<u32> {
        match self {
            Self::U8 => Some(u32::from(bytes[0])),
            Self::U16 => Some(u32::from(u16::from_le_bytes([bytes[0], bytes[1]]))),
            Self::U32 => Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            Self::I8 | Self::I16 | Self::F32 => None,
        }
    }
}

/// Component types that an accessor may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Floats,
    Integers,
}

impl Kind {
    const fn components(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Vec4 | Self::Mat2 => 4,
            Self::Mat3 => 9,
            Self::Mat4 => 16,
        }
    }

    const fn name(components: usize) -> &'static str {
        match components {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        }
    }
}

/// Where an accessor's elements lie; everything is checked.
struct Elements<'a> {
    count: usize,
    component: Component,
    normalized: bool,
    /// From one element to the next.
    stride: usize,
    /// At least `stride * (count - 1)` and one element; nothing where all elements are zero.
    bytes: Option<&'a [u8]>,
    sparse: Option<SparseElements<'a>>,
}

struct SparseElements<'a> {
    count: usize,
    index: Component,
    indices: &'a [u8],
    /// Elements without gaps.
    values: &'a [u8],
}

/// Elements that are not zero, of a list of `count`.
pub(super) struct Deltas {
    pub(super) count: usize,
    /// Where they stand, growing; `None` is all of them.
    pub(super) indices: Option<Vec<u32>>,
    pub(super) values: Vec<[f32; 3]>,
}

impl<'a> Data<'a> {
    /// `size`: bytes of the JSON.
    pub(super) fn new(root: &'a Root, buffers: Vec<Bytes<'a>>, size: usize) -> Self {
        let bytes = buffers.iter().fold(size as u64, |sum, buffer| {
            sum.saturating_add(buffer.get().len() as u64)
        });
        let limit = bytes.saturating_mul(MAX_GROWTH).saturating_add(ALLOWANCE);
        Self {
            root,
            buffers,
            left: Cell::new(limit),
            limit,
        }
    }

    /// To be called before memory is taken that the file's bytes do not bound.
    pub(super) fn charge(&self, bytes: usize, path: Arguments<'_>) -> Result<(), GltfError> {
        let left = self.left.get().checked_sub(bytes as u64);
        self.left.set(left.ok_or_else(|| GltfError::TooMuchData {
            path: path.to_string(),
            limit: self.limit,
        })?);
        Ok(())
    }

    /// The accessor's component type, if the file has such an accessor.
    pub(super) fn component(&self, accessor: usize) -> Option<Component> {
        Component::new(self.root.accessors.get(accessor)?.component_type)
    }

    /// Elements of `N` numbers; integers as they are, normalised ones as ratios. NaN and infinities are errors.
    pub(super) fn floats<const N: usize>(
        &self,
        accessor: usize,
        path: Arguments<'_>,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        let elements = self.elements(accessor, N, Wanted::Floats, path)?;
        let number = |bytes: &[u8]| elements.component.float(bytes, elements.normalized);
        let out = self.numbers(&elements, number, path)?;
        finite(&out, path)?;
        Ok(out)
    }

    /// Elements of `N` unsigned integers.
    pub(super) fn integers<const N: usize>(
        &self,
        accessor: usize,
        path: Arguments<'_>,
    ) -> Result<Vec<[u32; N]>, GltfError> {
        let elements = self.elements(accessor, N, Wanted::Integers, path)?;
        let number = |bytes: &[u8]| elements.component.integer(bytes).unwrap_or_default();
        self.numbers(&elements, number, path)
    }

    /// Elements of `N` numbers, each as `number` reads it; first the dense ones, then those that a sparse
    /// accessor puts in their place.
    fn numbers<T: Copy + Default, const N: usize>(
        &self,
        elements: &Elements<'_>,
        number: impl Fn(&[u8]) -> T,
        path: Arguments<'_>,
    ) -> Result<Vec<[T; N]>, GltfError> {
        self.charge(elements.count.saturating_mul(size_of::<T>() * N), path)?;
        let mut out = vec![[T::default(); N]; elements.count];
        let size = elements.component.size();
        let read = |bytes: &[u8], out: &mut [T; N]| {
            for (out, bytes) in out.iter_mut().zip(bytes.chunks_exact(size)) {
                *out = number(bytes);
            }
        };
        if let Some(bytes) = elements.bytes {
            for (bytes, out) in bytes.chunks(elements.stride).zip(&mut out) {
                read(bytes, out);
            }
        }
        if let Some(sparse) = &elements.sparse {
            for (element, bytes) in sparse.values.chunks_exact(size * N).enumerate() {
                read(bytes, &mut out[sparse.index(element, elements.count, path)?]);
            }
        }
        Ok(out)
    }

    /// Vectors of which most may be zero: those that a sparse accessor names, all of another one.
    pub(super) fn deltas(&self, accessor: usize, path: Arguments<'_>) -> Result<Deltas, GltfError> {
        let elements = self.elements(accessor, 3, Wanted::Floats, path)?;
        if elements.bytes.is_some() {
            return Ok(Deltas {
                count: elements.count,
                indices: None,
                values: self.floats(accessor, path)?,
            });
        }
        let size = elements.component.size();
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        if let Some(sparse) = &elements.sparse {
            self.charge(sparse.count.saturating_mul(16), path)?;
            for (element, bytes) in sparse.values.chunks_exact(3 * size).enumerate() {
                let index = sparse.index(element, elements.count, path)?;
                indices.push(u32::try_from(index).unwrap_or(u32::MAX));
                let mut value = [0.0; 3];
                for (number, bytes) in value.iter_mut().zip(bytes.chunks_exact(size)) {
                    *number = elements.component.float(bytes, elements.normalized);
                }
                values.push(value);
            }
        }
        finite(&values, path)?;
        Ok(Deltas {
            count: elements.count,
            indices: Some(indices),
            values,
        })
    }

    fn elements(
        &self,
        index: usize,
        components: usize,
        wanted: Wanted,
        path: Arguments<'_>,
    ) -> Result<Elements<'_>, GltfError> {
        let accessors = &self.root.accessors;
        let accessor = look_up(accessors, index, path)?;
        let component = Component::new(accessor.component_type);
        let fits = component
            .is_some_and(|component| wanted == Wanted::Floats || component.integer(&[0; 4]).is_some());
        // Matrices of bytes have gaps between their columns; nothing here needs them.
        let fits = fits && (components < 16 || component == Some(Component::F32));
        let component = match component {
            Some(component)
                if fits
                    && accessor.kind.components() == components
                    && !matches!(accessor.kind, Kind::Mat2 | Kind::Mat3) =>
            {
                component
            }
            _ => {
                let kind = format!("{:?}", accessor.kind).to_uppercase();
                return Err(GltfError::AccessorKind {
                    path: path.to_string(),
                    found: match component {
                        Some(component) => format!("{component:?} {kind}"),
                        None => format!("component type {} {kind}", accessor.component_type),
                    },
                    expected: match wanted {
                        Wanted::Floats => Kind::name(components),
                        Wanted::Integers if components == 1 => "SCALAR of unsigned integers",
                        Wanted::Integers => "VEC4 of unsigned integers",
                    },
                });
            }
        };
        let size = component.size() * components;
        let (bytes, stride) = match accessor.buffer_view {
            None => (None, size),
            Some(view) => {
                let (bytes, view) = self.view(view, accessor.byte_offset, index)?;
                let stride = match view.byte_stride {
                    // A stride below the element's size is only a step back where there is a second element.
                    Some(stride) if accessor.count > 1 => stride,
                    _ => size as u64,
                };
                let needed = accessor
                    .count
                    .saturating_sub(1)
                    .saturating_mul(stride)
                    .saturating_add(if accessor.count == 0 { 0 } else { size as u64 });
                if stride < size as u64 || needed > bytes.len() as u64 {
                    return Err(GltfError::OutOfBounds {
                        path: format!("accessors[{index}]"),
                        needed: needed.max(size as u64),
                        found: (bytes.len() as u64).min(stride),
                    });
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "not above the length of a slice, or unused"
                )]
                (Some(bytes), (stride.min(usize::MAX as u64)) as usize)
            }
        };
        let sparse = self.sparse(accessor, index, size)?;
        let count = usize::try_from(accessor.count).unwrap_or(usize::MAX);
        Ok(Elements {
            count,
            component,
            normalized: accessor.normalized,
            stride,
            bytes,
            sparse,
        })
    }

    fn sparse(
        &self,
        accessor: &Accessor,
        index: usize,
        size: usize,
    ) -> Result<Option<SparseElements<'_>>, GltfError> {
        let Some(sparse) = &accessor.sparse else {
            return Ok(None);
        };
        let code = sparse.indices.component_type;
        let component = Component::new(code)
            .filter(|component| component.integer(&[0; 4]).is_some())
            .ok_or_else(|| GltfError::AccessorKind {
                path: format!("accessors[{index}].sparse.indices"),
                found: format!("component type {code}"),
                expected: "unsigned integers",
            })?;
        let part = |name: &str, view: usize, offset: u64, size: usize| {
            let (bytes, _) = self.view(view, offset, index)?;
            let needed = sparse.count.saturating_mul(size as u64);
            usize::try_from(needed)
                .ok()
                .and_then(|needed| bytes.get(..needed))
                .ok_or_else(|| GltfError::OutOfBounds {
                    path: format!("accessors[{index}].sparse.{name}"),
                    needed,
                    found: bytes.len() as u64,
                })
        };
        let (indices, values) = (&sparse.indices, &sparse.values);
        Ok(Some(SparseElements {
            count: usize::try_from(sparse.count).unwrap_or(usize::MAX),
            index: component,
            indices: part(
                "indices",
                indices.buffer_view,
                indices.byte_offset,
                component.size(),
            )?,
            values: part("values", values.buffer_view, values.byte_offset, size)?,
        }))
    }

    /// The bytes of a view from `offset` on.
    fn view(&self, index: usize, offset: u64, accessor: usize) -> Result<(&[u8], &BufferView), GltfError> {
        let views = &self.root.buffer_views;
        let view = look_up(views, index, format_args!("accessors[{accessor}].bufferView"))?;
        let path = format_args!("bufferViews[{index}].buffer");
        let buffer = look_up(&self.buffers, view.buffer, path)?.get();
        let cut = |bytes: &'_ [u8], from: u64, to: u64| {
            let from = usize::try_from(from).ok()?;
            bytes.get(from..usize::try_from(to).ok()?).map(|_| from)
        };
        let end = view.byte_offset.saturating_add(view.byte_length);
        let start = cut(buffer, view.byte_offset, end).ok_or_else(|| GltfError::OutOfBounds {
            path: format!("bufferViews[{index}]"),
            needed: end,
            found: buffer.len() as u64,
        })?;
        let length = usize::try_from(view.byte_length).unwrap_or_default();
        let bytes = &buffer[start..start + length];
        let start = cut(bytes, offset, view.byte_length).ok_or_else(|| GltfError::OutOfBounds {
            path: format!("accessors[{accessor}].byteOffset"),
            needed: offset,
            found: view.byte_length,
        })?;
        Ok((&bytes[start..], view))
    }
}

impl SparseElements<'_> {
    fn index(&self, element: usize, count: usize, path: Arguments<'_>) -> Result<usize, GltfError> {
        let at = |element: usize| {
            let bytes = &self.indices[element * self.index.size()..];
            self.index.integer(bytes).unwrap_or_default() as usize
        };
        let index = at(element);
        let grows = element == 0 || at(element - 1) < index;
        if grows && index < count {
            return Ok(index);
        }
        Err(GltfError::SparseIndex {
            path: path.to_string(),
            element,
            index,
            count,
        })
    }
}

/// `list[index]`, or the error that names `path`.
pub(super) fn look_up<'l, T>(list: &'l [T], index: usize, path: Arguments<'_>) -> Result<&'l T, GltfError> {
    list.get(index).ok_or_else(|| GltfError::NoSuchElement {
        path: path.to_string(),
        index,
        count: list.len(),
    })
}

fn finite<const N: usize>(elements: &[[f32; N]], path: Arguments<'_>) -> Result<(), GltfError> {
    let is_bad = |element: &[f32; N]| !element.iter().all(|number| number.is_finite());
    match elements.iter().position(is_bad) {
        None => Ok(()),
        Some(element) => Err(GltfError::NotFinite {
            path: path.to_string(),
            element,
        }),
    }
}
