//! The binary chunk with its accessors.

use std::collections::HashMap;

use super::schema::{Accessor, BufferView, Sparse, SparseIndices, SparseValues};

const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// What a view is for, as the format says it.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Vertices,
    Indices,
}

impl Use {
    const fn code(self) -> u32 {
        match self {
            Self::Vertices => 34962,
            Self::Indices => 34963,
        }
    }
}

/// Bytes, views and accessors as they grow.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    accessors: Vec<Accessor>,
    views: Vec<BufferView>,
    /// Accessors of key times, by the times' bits: channels share them.
    times: HashMap<Vec<u32>, usize>,
}

/// The format's name for elements of so many components.
const fn kind(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

impl Buffer {
    pub(super) fn finish(self) -> (Vec<u8>, Vec<Accessor>, Vec<BufferView>) {
        (self.bytes, self.accessors, self.views)
    }

    /// A view of its own for `bytes`, at a multiple of four.
    fn view(&mut self, bytes: impl IntoIterator<Item = u8>, target: Option<Use>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let byte_offset = self.bytes.len();
        self.bytes.extend(bytes);
        self.views.push(BufferView {
            buffer: 0,
            byte_offset,
            byte_length: self.bytes.len() - byte_offset,
            target: target.map(Use::code),
        });
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Accessor) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Elements of f32, at least one; with the least and the largest of each component where the format wants them.
    pub(super) fn floats<const N: usize>(
        &mut self,
        elements: &[[f32; N]],
        target: Option<Use>,
        has_bounds: bool,
    ) -> usize {
        let bytes = elements.iter().flatten().flat_map(|number| number.to_le_bytes());
        let view = self.view(bytes, target);
        let (min, max) = if has_bounds {
            bounds(elements)
        } else {
            Default::default()
        };
        self.accessor(Accessor {
            buffer_view: Some(view),
            component_type: FLOAT,
            normalized: false,
            count: elements.len(),
            kind: kind(N),
            min,
            max,
            sparse: None,
        })
    }

    /// `count` vectors, all zero but those at `indices`, which grow.
    pub(super) fn sparse(
        &mut self,
        count: usize,
        indices: &[u32],
        values: &[[f32; 3]],
        has_bounds: bool,
    ) -> usize {
        // Below half the size, or there is nothing to be gained.
        if indices.is_empty() || 2 * indices.len() > count {
            let mut all = vec![[0.0; 3]; count];
            for (&index, &value) in indices.iter().zip(values) {
                all[index as usize] = value;
            }
            return self.floats(&all, Some(Use::Vertices), has_bounds);
        }
        let index_view = self.view(indices.iter().flat_map(|index| index.to_le_bytes()), None);
        let bytes = values.iter().flatten().flat_map(|number| number.to_le_bytes());
        let value_view = self.view(bytes, None);
        let (min, max) = if has_bounds {
            // The zeros count as well.
            let (min, max) = bounds(values);
            let floor = |number: f64| number.min(0.0);
            let ceiling = |number: f64| number.max(0.0);
            (
                min.into_iter().map(floor).collect(),
                max.into_iter().map(ceiling).collect(),
            )
        } else {
            Default::default()
        };
        self.accessor(Accessor {
            buffer_view: None,
            component_type: FLOAT,
            normalized: false,
            count,
            kind: kind(3),
            min,
            max,
            sparse: Some(Sparse {
                count: indices.len(),
                indices: SparseIndices {
                    buffer_view: index_view,
                    component_type: UNSIGNED_INT,
                },
                values: SparseValues {
                    buffer_view: value_view,
                },
            }),
        })
    }

    /// Key times: channels with the same ones share an accessor.
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let bits: Vec<u32> = times.iter().map(|time| time.to_bits()).collect();
        if let Some(&accessor) = self.times.get(&bits) {
            return accessor;
        }
        let elements: Vec<[f32; 1]> = times.iter().map(|&time| [time]).collect();
        let accessor = self.floats(&elements, None, true);
        self.times.insert(bits, accessor);
        accessor
    }

    /// Indices of vertices, in 16 bits where that does.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]], vertices: usize) -> usize {
        let indices = triangles.iter().flatten();
        // The largest number of each width means something else to some hardware.
        let is_small = vertices <= usize::from(u16::MAX);
        let view = if is_small {
            #[expect(clippy::cast_possible_truncation, reason = "below the number of vertices")]
            let small = indices.flat_map(|&index| (index as u16).to_le_bytes());
            self.view(small, Some(Use::Indices))
        } else {
            self.view(indices.flat_map(|index| index.to_le_bytes()), Some(Use::Indices))
        };
        self.accessor(Accessor {
            buffer_view: Some(view),
            component_type: if is_small { UNSIGNED_SHORT } else { UNSIGNED_INT },
            normalized: false,
            count: 3 * triangles.len(),
            kind: kind(1),
            min: Vec::new(),
            max: Vec::new(),
            sparse: None,
        })
    }

    /// Slots of a skin, in 8 bits where that does.
    pub(super) fn slots(&mut self, slots: &[[u16; 4]]) -> usize {
        let all = slots.iter().flatten();
        let is_small = all.clone().all(|&slot| slot <= u16::from(u8::MAX));
        let view = if is_small {
            let small = all.map(|&slot| slot.to_le_bytes()[0]);
            self.view(small, Some(Use::Vertices))
        } else {
            self.view(all.flat_map(|slot| slot.to_le_bytes()), Some(Use::Vertices))
        };
        let component_type = if is_small { UNSIGNED_BYTE } else { UNSIGNED_SHORT };
        self.vec4(view, component_type, false, slots.len())
    }

    /// Weights of 8 bits: 255 is one.
    pub(super) fn byte_weights(&mut self, weights: &[[u8; 4]]) -> usize {
        let view = self.view(weights.iter().flatten().copied(), Some(Use::Vertices));
        self.vec4(view, UNSIGNED_BYTE, true, weights.len())
    }

    fn vec4(&mut self, view: usize, component_type: u32, normalized: bool, count: usize) -> usize {
        self.accessor(Accessor {
            buffer_view: Some(view),
            component_type,
            normalized,
            count,
            kind: kind(4),
            min: Vec::new(),
            max: Vec::new(),
            sparse: None,
        })
    }
}

/// The least and the largest of each component.
fn bounds<const N: usize>(elements: &[[f32; N]]) -> (Vec<f64>, Vec<f64>) {
    let mut min = vec![f64::INFINITY; N];
    let mut max = vec![f64::NEG_INFINITY; N];
    for element in elements {
        for (component, &number) in element.iter().enumerate() {
            let number = f64::from(number);
            min[component] = min[component].min(number);
            max[component] = max[component].max(number);
        }
    }
    (min, max)
}
