//! The slice forms: one loop, written once, over the scalar functions of a mapping.
//!
//! A conversion is two functions with a few numbers between them. They run one after the other over blocks of `BLOCK`
//! items: two short loops without branches, which the compiler makes of vector instructions, and a fifth faster than one
//! long loop, which has more values alive than there are registers. On `x86_64` with `std` they are compiled twice more,
//! for AVX2 and for AVX-512, and chosen at run time: two to four times as fast as the baseline's SSE2, with the same bits,
//! as no build fuses a multiplication with an addition.
#![allow(
    unsafe_code,
    reason = "calling functions compiled for AVX2 and AVX-512 after asking the processor"
)]

/// Items in a block: the numbers between the two functions stay in the first-level cache (2.5 KiB at most).
const BLOCK: usize = 64;

/// A conversion in two halves, with K numbers between them.
///
/// A trait and not a pair of closures: its methods are `#[inline(always)]`. A function passed as a value is called through
/// a shim, which the compiler leaves out of line where a program has several calls, and then no vector instructions are
/// left.
pub(crate) trait Conversion<const K: usize> {
    type Input;
    type Output: Default;
    fn first(input: Self::Input) -> [f32; K];
    /// The numbers of `first` in fewer operations for input of a usual length, and a number that is at least
    /// [`UNUSUAL`] where `first` must be asked.
    fn usual(input: Self::Input) -> ([f32; K], u32);
    fn second(numbers: [f32; K]) -> Self::Output;
}

/// See [`Conversion::usual`].
pub(crate) const UNUSUAL: u32 = 1 << 28;

/// Encodes `normals` into `codes`.
#[inline(always)]
pub(crate) fn encode_slice<E, N, const K: usize>(normals: &[N], codes: &mut [[i16; 2]])
where
    E: Conversion<K, Input = [f32; 3], Output = [i16; 2]>,
    N: Into<[f32; 3]> + Copy,
{
    assert_eq!(
        normals.len(),
        codes.len(),
        "encode_slice: normals and codes must have the same length"
    );
    convert::<E, N, [i16; 2], K>(normals, codes);
}

/// Decodes `codes` into `normals`.
#[inline(always)]
pub(crate) fn decode_slice<D, N>(codes: &[[i16; 2]], normals: &mut [N])
where
    D: Conversion<3, Input = [i16; 2], Output = [f32; 3]>,
    N: From<[f32; 3]>,
{
    assert_eq!(
        codes.len(),
        normals.len(),
        "decode_slice: codes and normals must have the same length"
    );
    convert::<D, [i16; 2], N, 3>(codes, normals);
}

#[inline(always)]
fn convert<C, I, O, const K: usize>(input: &[I], output: &mut [O])
where
    C: Conversion<K>,
    I: Copy + Into<C::Input>,
    O: From<C::Output>,
{
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        if has_avx512() {
            // SAFETY: the processor has what the function is compiled for, as was asked in the line above.
            return unsafe { convert_avx512::<C, I, O, K>(input, output) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the same.
            return unsafe { convert_avx2::<C, I, O, K>(input, output) };
        }
    }
    convert_blocks::<C, I, O, K>(input, output);
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn convert_avx512<C, I, O, const K: usize>(input: &[I], output: &mut [O])
where
    C: Conversion<K>,
    I: Copy + Into<C::Input>,
    O: From<C::Output>,
{
    convert_blocks::<C, I, O, K>(input, output);
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn convert_avx2<C, I, O, const K: usize>(input: &[I], output: &mut [O])
where
    C: Conversion<K>,
    I: Copy + Into<C::Input>,
    O: From<C::Output>,
{
    convert_blocks::<C, I, O, K>(input, output);
}

#[inline(always)]
fn convert_blocks<C, I, O, const K: usize>(input: &[I], output: &mut [O])
where
    C: Conversion<K>,
    I: Copy + Into<C::Input>,
    O: From<C::Output>,
{
    let (blocks, rest) = input.as_chunks::<BLOCK>();
    let (output_blocks, output_rest) = output.as_chunks_mut::<BLOCK>();
    // Here and not in `convert_block`: zeroed once and not for each block.
    let mut between = [[0.0; BLOCK]; K];
    for (input, output) in blocks.iter().zip(output_blocks) {
        convert_block::<C, I, O, K>(input, &mut between, output);
    }
    // The rest goes through a padded block.
    if let Some(&last) = rest.last() {
        let padded: [I; BLOCK] = core::array::from_fn(|n| rest.get(n).copied().unwrap_or(last));
        let mut converted: [O; BLOCK] = core::array::from_fn(|_| C::Output::default().into());
        convert_block::<C, I, O, K>(&padded, &mut between, &mut converted);
        for (output, converted) in output_rest.iter_mut().zip(converted) {
            *output = converted;
        }
    }
}

#[inline(always)]
fn convert_block<C, I, O, const K: usize>(
    input: &[I; BLOCK],
    between: &mut [[f32; BLOCK]; K],
    output: &mut [O; BLOCK],
) where
    C: Conversion<K>,
    I: Copy + Into<C::Input>,
    O: From<C::Output>,
{
    let mut length = 0;
    for n in 0..BLOCK {
        let (numbers, this_length) = C::usual(input[n].into());
        length |= this_length;
        for k in 0..K {
            between[k][n] = numbers[k];
        }
    }
    if length >= UNUSUAL {
        for n in 0..BLOCK {
            let numbers = C::first(input[n].into());
            for k in 0..K {
                between[k][n] = numbers[k];
            }
        }
    }
    for n in 0..BLOCK {
        output[n] = C::second(core::array::from_fn(|k| between[k][n])).into();
    }
}

#[cfg(all(test, feature = "std", target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::{diamond, octahedral, warped};
    use std::vec;
    use std::vec::Vec;

    /// Of any direction. In turn a block of usual lengths, one of lengths around the limits of that, and one with zeros,
    /// denormals, NaN and infinities.
    fn normals(count: usize) -> Vec<[f32; 3]> {
        let mut state = 1_u32;
        let mut bits = || {
            // The "minimal standard" of Park and Miller, 1988.
            state = u32::try_from(u64::from(state) * 48271 % 0x7fff_ffff).expect("less than 2^31");
            state
        };
        let mut normals: Vec<[f32; 3]> = (0..count)
            .map(|_| core::array::from_fn(|_| bits() as f32 / 1_073_741_824.0 - 1.0))
            .collect();
        let special = [
            0.0,
            -0.0,
            1e-45,
            -1e-40,
            1e-38,
            f32::MAX,
            f32::NAN,
            f32::NEG_INFINITY,
        ];
        for (n, block) in normals.chunks_mut(BLOCK).enumerate() {
            for normal in block.iter_mut().step_by(5) {
                let component = bits() as usize % 3;
                match n % 3 {
                    0 => {}
                    1 => {
                        let shift = bits() % 4;
                        let scale = if bits() % 2 == 0 { 1e-5 } else { 16384.0 };
                        *normal = normal.map(|x| x * scale * (1 << shift) as f32);
                    }
                    _ => normal[component] = special[bits() as usize % special.len()],
                }
            }
        }
        normals
    }

    /// Every way of a conversion that this processor has, by the scalar functions' bits.
    fn check<C, const K: usize, O: Copy + PartialEq + core::fmt::Debug>(
        input: &[C::Input],
        bits: impl Fn(&C::Output) -> O,
    ) where
        C: Conversion<K>,
        C::Input: Copy,
        C::Output: Copy,
    {
        let expected: Vec<O> = input.iter().map(|&n| bits(&C::second(C::first(n)))).collect();
        let check = |name: &str, convert: &dyn Fn(&mut [C::Output])| {
            let mut output: Vec<C::Output> = (0..input.len()).map(|_| C::Output::default()).collect();
            convert(&mut output);
            let found: Vec<O> = output.iter().map(&bits).collect();
            assert_eq!(found, expected, "{name}, {} items", input.len());
        };
        check("baseline", &|output| convert_blocks::<C, _, _, K>(input, output));
        check("chosen at run time", &|output| {
            convert::<C, _, _, K>(input, output)
        });
        if std::arch::is_x86_feature_detected!("avx2") {
            check("AVX2", &|output| {
                // SAFETY: the processor has AVX2.
                unsafe { convert_avx2::<C, _, _, K>(input, output) }
            });
        }
        if has_avx512() {
            check("AVX-512", &|output| {
                // SAFETY: the processor has the four parts of AVX-512.
                unsafe { convert_avx512::<C, _, _, K>(input, output) }
            });
        }
    }

    #[test]
    fn every_instruction_set_gives_the_bits_of_the_scalar_functions() {
        let all = normals(20_000);
        for length in [0, 1, 7, 63, 64, 65, 191, 20_000] {
            let normals = &all[..length];
            let bits = |code: &[i16; 2]| *code;
            check::<warped::Encode<16>, 5, _>(normals, bits);
            check::<warped::Encode<8>, 5, _>(normals, bits);
            check::<octahedral::Encode<16>, 3, _>(normals, bits);
            check::<diamond::Encode<16>, 3, _>(normals, bits);
            check::<diamond::sqrt2::Encode<16>, 3, _>(normals, bits);

            let mut codes = vec![[0; 2]; length];
            warped::encode_slice::<16>(normals, &mut codes);
            // Codes that no encoder gives are input, too.
            codes.iter_mut().step_by(7).for_each(|code| code[1] = i16::MIN);
            let bits = |normal: &[f32; 3]| normal.map(f32::to_bits);
            check::<warped::Decode<16>, 3, _>(&codes, bits);
            check::<warped::Decode<8>, 3, _>(&codes, bits);
            check::<octahedral::Decode<16>, 3, _>(&codes, bits);
            check::<diamond::Decode<16>, 3, _>(&codes, bits);
            check::<diamond::sqrt2::Decode<16>, 3, _>(&codes, bits);
        }
    }
}
