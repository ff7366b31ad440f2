//! Slots and weights of a vertex in eight bytes.

use crate::{Influences, TileError};

/// Slots of a packed vertex are below this.
const SLOTS: u16 = 64;
/// Influences of a packed vertex.
const COUNT: usize = 4;

/// What a vertex buffer needs to know of a vertex's influences.
///
/// Fits two 32-bit attributes: `slots` as an integer, or as a float, which holds every value exactly (below
/// 2^24), and `weights` as four normalised bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct PackedInfluences {
    /// `w0 + 64 w1 + 4096 w2 + 262144 w3` of the slots w: see [`pack_slots`].
    pub slots: u32,
    /// 255ths that add up to 255 exactly.
    pub weights: [u8; COUNT],
}

/// `w0 + 64 w1 + 4096 w2 + 262144 w3`, or `None` where a slot is above 63.
///
/// Without the fourth slot this is what a shader takes apart with `floor` and `fract` alone, from a float
/// attribute that leaves 6 of its 24 bits free.
///
/// ```
/// use elea_anim::{pack_slots, unpack_slots};
/// assert_eq!(pack_slots([5, 2, 1, 0]), Some(5 + 64 * 2 + 4096));
/// assert_eq!(unpack_slots(5 + 64 * 2 + 4096), [5, 2, 1, 0]);
/// assert_eq!(pack_slots([64, 0, 0, 0]), None);
/// ```
#[must_use]
pub fn pack_slots(slots: [u16; 4]) -> Option<u32> {
    if slots.iter().any(|&slot| slot >= SLOTS) {
        return None;
    }
    Some(
        slots
            .iter()
            .rev()
            .fold(0, |packed, &slot| packed * u32::from(SLOTS) + u32::from(slot)),
    )
}

/// The four slots that [`pack_slots`] packed. Bits above the 24th are not looked at.
#[must_use]
pub const fn unpack_slots(packed: u32) -> [u16; 4] {
    // The low three bytes hold 6 + 2, 4 + 4 and 2 + 6 bits.
    let [a, b, c, _] = packed.to_le_bytes();
    [
        (a & 63) as u16,
        (a >> 6 | (b & 15) << 2) as u16,
        (b >> 4 | (c & 3) << 4) as u16,
        (c >> 2) as u16,
    ]
}

impl Influences {
    /// Every vertex in eight bytes: four 6-bit slots and four 8-bit weights that add up to 255 exactly. For the
    /// influences of a [`Tile`](crate::Tile) of up to 64 bones.
    ///
    /// Influences of weight zero are left out and the others stand first, in their order; slots that are not used
    /// are 0. A weight below 1/510 may round to nothing.
    ///
    /// # Errors
    /// [`TileError::SlotNotPackable`] and [`TileError::TooManyInfluences`], with the vertex.
    pub fn packed(&self) -> Result<Vec<PackedInfluences>, TileError> {
        (0..self.vertices())
            .map(|vertex| {
                let (mut slots, mut weights) = ([0; COUNT], [0.0; COUNT]);
                let used = || self.of(vertex).filter(|(_, weight)| *weight > 0.0);
                let influences = used().count();
                if influences > COUNT {
                    return Err(TileError::TooManyInfluences { vertex, influences });
                }
                for (place, (slot, weight)) in used().enumerate() {
                    if slot >= SLOTS {
                        return Err(TileError::SlotNotPackable { vertex, slot });
                    }
                    (slots[place], weights[place]) = (slot, f64::from(weight));
                }
                let mut bytes = [0; COUNT];
                crate::influences::round_to_255(&weights, &mut bytes);
                Ok(PackedInfluences {
                    slots: pack_slots(slots).expect("all were compared"),
                    weights: bytes,
                })
            })
            .collect()
    }
}
