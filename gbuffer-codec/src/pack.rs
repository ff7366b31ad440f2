//! Codes into the words of vertex buffers and render targets, and back.
//!
//! Plain integer arithmetic, as `pack2x16snorm` and its kin round differently on different devices. Packing clamps
//! components to -h..=h; unpacking takes ANY bits and gives components in -h..=h (the most negative two's complement
//! number, which no code has, becomes -h). Byte order is that of the integer.

/// Clamps to -h..=h and keeps the low bits of the two's complement.
#[inline(always)]
fn field<const BITS: u32>(component: i16) -> u32 {
    let h = crate::lattice::half_integer::<BITS>();
    let clamped = i32::from(component).clamp(-h, h);
    clamped.cast_unsigned() & (u32::MAX >> (32 - BITS))
}

/// The sign-extended low `BITS` of `word >> SHIFT`.
#[inline(always)]
fn component<const BITS: u32, const SHIFT: u32>(word: u32) -> i16 {
    let extended = (word << (32 - BITS - SHIFT)).cast_signed() >> (32 - BITS);
    #[allow(
        clippy::cast_possible_truncation,
        reason = "BITS is at most 16 and the number is sign-extended"
    )]
    {
        extended.max(-crate::lattice::half_integer::<BITS>()) as i16
    }
}

/// A 16-bit code in a word: u in bits 0..16, v in bits 16..32. The layout of `rg16snorm`, `rg16sint` and of
/// WGSL's `unpack2x16snorm`.
///
/// ```
/// use gbuffer_codec::pack;
/// assert_eq!(pack::to_snorm16x2([1, -1]), 0xffff_0001);
/// assert_eq!(pack::from_snorm16x2(0xffff_0001), [1, -1]);
/// ```
#[inline]
#[must_use]
pub fn to_snorm16x2(code: [i16; 2]) -> u32 {
    field::<16>(code[0]) | field::<16>(code[1]) << 16
}

/// The code in a word made by [`to_snorm16x2`].
#[inline]
#[must_use]
pub fn from_snorm16x2(word: u32) -> [i16; 2] {
    [component::<16, 0>(word), component::<16, 16>(word)]
}

/// An 8-bit code in half a word: u in bits 0..8, v in bits 8..16. The layout of `rg8snorm` and `rg8sint`.
///
/// ```
/// use gbuffer_codec::pack;
/// assert_eq!(pack::to_snorm8x2([1, -1]), 0xff01);
/// assert_eq!(pack::from_snorm8x2(0x80ff), [-1, -127]); // any bits
/// ```
#[inline]
#[must_use]
pub fn to_snorm8x2(code: [i16; 2]) -> u16 {
    #[allow(clippy::cast_possible_truncation, reason = "two fields of 8 bits")]
    {
        (field::<8>(code[0]) | field::<8>(code[1]) << 8) as u16
    }
}

/// The code in half a word made by [`to_snorm8x2`].
#[inline]
#[must_use]
pub fn from_snorm8x2(word: u16) -> [i16; 2] {
    let word = u32::from(word);
    [component::<8, 0>(word), component::<8, 8>(word)]
}

/// A 10-bit code in the low 20 bits of a word: u in bits 0..10, v in bits 10..20. The layout of the first two channels
/// of `rgb10a2uint`; bits 20..32 are zero and free for the caller.
///
/// ```
/// use gbuffer_codec::pack;
/// let word = pack::to_snorm10x2([-511, 5]) | 0xabc << 20;
/// assert_eq!(pack::from_snorm10x2(word), [-511, 5]);
/// ```
#[inline]
#[must_use]
pub fn to_snorm10x2(code: [i16; 2]) -> u32 {
    field::<10>(code[0]) | field::<10>(code[1]) << 10
}

/// The code in a word made by [`to_snorm10x2`]; bits 20..32 are ignored.
#[inline]
#[must_use]
pub fn from_snorm10x2(word: u32) -> [i16; 2] {
    [component::<10, 0>(word), component::<10, 10>(word)]
}

/// A 12-bit code and 8 bits of anything in a word: u in bits 0..12, v in bits 12..24, flags in bits 24..32.
///
/// ```
/// use gbuffer_codec::pack;
/// let word = pack::to_snorm12x2_flags8([-2047, 5], 0xa5);
/// assert_eq!(pack::from_snorm12x2_flags8(word), ([-2047, 5], 0xa5));
/// ```
#[inline]
#[must_use]
pub fn to_snorm12x2_flags8(code: [i16; 2], flags: u8) -> u32 {
    field::<12>(code[0]) | field::<12>(code[1]) << 12 | u32::from(flags) << 24
}

/// The code and the flags in a word made by [`to_snorm12x2_flags8`].
#[inline]
#[must_use]
pub fn from_snorm12x2_flags8(word: u32) -> ([i16; 2], u8) {
    let code = [component::<12, 0>(word), component::<12, 12>(word)];
    (code, word.to_le_bytes()[3])
}

/// A 16-bit code in the four bytes of an `rgba8unorm` or `rgba8uint` texel: u low, u high, v low, v high.
///
/// The bytes are those of [`to_snorm16x2`] in little-endian order. An 8-bit unorm channel keeps all 256 values of a
/// byte exactly, so this carries 16 bits where no 16-bit target is at hand.
///
/// ```
/// use gbuffer_codec::pack;
/// let texel = pack::to_rgba8([0x1234, -2]);
/// assert_eq!(texel, [0x34, 0x12, 0xfe, 0xff]);
/// assert_eq!(pack::from_rgba8(texel), [0x1234, -2]);
/// ```
#[inline]
#[must_use]
pub fn to_rgba8(code: [i16; 2]) -> [u8; 4] {
    to_snorm16x2(code).to_le_bytes()
}

/// The code in a texel made by [`to_rgba8`].
#[inline]
#[must_use]
pub fn from_rgba8(texel: [u8; 4]) -> [i16; 2] {
    from_snorm16x2(u32::from_le_bytes(texel))
}

/// The bytes of a slice of 16-bit codes, for an upload as `rg16snorm` or `rg16sint` data without a copy.
///
/// They are in the byte order of the machine, which is that of its GPU.
///
/// ```
/// use gbuffer_codec::pack;
/// assert_eq!(pack::bytes_from_codes(&[[1, -1]]).len(), 4);
/// ```
#[cfg(feature = "bytemuck")]
#[inline]
#[must_use]
pub fn bytes_from_codes(codes: &[[i16; 2]]) -> &[u8] {
    bytemuck::cast_slice(codes)
}

/// The codes in bytes read back from such a buffer; `None` where the bytes are no multiple of four or not aligned to two.
#[cfg(feature = "bytemuck")]
#[inline]
#[must_use]
pub fn codes_from_bytes(bytes: &[u8]) -> Option<&[[i16; 2]]> {
    bytemuck::try_cast_slice(bytes).ok()
}

#[cfg(all(test, feature = "bytemuck"))]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_codes() {
        let codes = [[1, -2], [3, 4], [-32767, 32767]];
        let bytes = bytes_from_codes(&codes);
        assert_eq!(bytes[2..4], (-2_i16).to_ne_bytes());
        assert_eq!(codes_from_bytes(bytes), Some(&codes[..]));
        assert_eq!(codes_from_bytes(&bytes[..5]), None, "no multiple of four");
        assert_eq!(codes_from_bytes(&bytes[1..9]), None, "not aligned");
    }
}
