//! `gbuffer_codec::WGSL` against the crate's Rust, on whatever adapter there is (Mesa's llvmpipe in CI).

mod gpu;

use gbuffer_codec::{WGSL, diamond, octahedral, pack, warped};
use gpu::{Gpu, gpu};

/// A mapping at a depth: the prefix of its WGSL functions, its encoder there, and the Rust functions.
struct Mapping {
    wgsl: &'static str,
    encode_suffix: &'static str,
    bits: u32,
    encode: fn([f32; 3]) -> [i16; 2],
    decode: fn([i16; 2]) -> [f32; 3],
    /// Integers alone, so that no code may differ on any device.
    exact: bool,
}

const COUNT: usize = 1 << 21;

fn mappings<const BITS: u32>() -> [Mapping; 5] {
    let mapping =
        |wgsl, encode_suffix, encode: fn([f32; 3]) -> [i16; 2], decode: fn([i16; 2]) -> [f32; 3], exact| {
            Mapping {
                wgsl,
                encode_suffix,
                bits: BITS,
                encode,
                decode,
                exact,
            }
        };
    [
        mapping(
            "warped",
            "",
            warped::encode::<BITS>,
            warped::decode::<BITS>,
            false,
        ),
        mapping(
            "octahedral",
            "",
            octahedral::encode::<BITS>,
            octahedral::decode::<BITS>,
            false,
        ),
        mapping(
            "octahedral",
            "_exact",
            octahedral::encode_exact::<BITS>,
            octahedral::decode::<BITS>,
            true,
        ),
        mapping(
            "diamond",
            "",
            diamond::encode::<BITS>,
            diamond::decode::<BITS>,
            false,
        ),
        mapping(
            "diamond_sqrt2",
            "",
            diamond::sqrt2::encode::<BITS>,
            diamond::sqrt2::decode::<BITS>,
            false,
        ),
    ]
}

/// `SplitMix64`.
fn random_bits(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// `COUNT` vectors: the hard ones (zeros of either sign, NaN, infinities, denormal and huge numbers in every combination),
/// the rest random directions of lengths 1e-20 to 1e20.
fn normals() -> Vec<[f32; 3]> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -3.0,
        1e-45,
        -1e-40,
        1e-38,
        -1e-30,
        1e-7,
        -1e-4,
        1e30,
        -f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let mut normals = Vec::with_capacity(COUNT);
    for x in special {
        for y in special {
            for z in special {
                normals.push([x, y, z]);
            }
        }
    }
    let mut state = 21;
    while normals.len() < COUNT {
        let mut signed = || (random_bits(&mut state) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let n = [signed(), signed(), signed()];
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = 10.0_f64.powf(20.0 * signed()) / length;
        if length > 1e-3 && length <= 1.0 {
            #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
            normals.push(n.map(|x| (x * scale) as f32));
        }
    }
    normals
}

fn words(normals: &[[f32; 3]]) -> Vec<u32> {
    normals.iter().flatten().map(|x| x.to_bits()).collect()
}

/// Degrees between a direction and a normal, in f64.
fn degrees_between(a: [f32; 3], b: [f32; 3]) -> f64 {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let largest = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let a = a.map(|x| x / largest);
    let cross = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    cross
        .iter()
        .map(|x| x * x)
        .sum::<f64>()
        .sqrt()
        .atan2(dot)
        .to_degrees()
}

/// Encodes and decodes on the GPU: a word a code, three words a normal.
fn run(gpu: &Gpu, mapping: &Mapping, input: &wgpu::Buffer) -> (Vec<[i16; 2]>, Vec<[f32; 3]>) {
    let Mapping {
        wgsl,
        encode_suffix,
        bits,
        ..
    } = mapping;
    let module = gpu.shader(&format!(
        "{WGSL}
@group(0) @binding(0) var<storage, read> normals: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64) fn round_trip(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = id.x;
    let n = bitcast<vec3<f32>>(vec3<u32>(normals[3u * i], normals[3u * i + 1u], normals[3u * i + 2u]));
    let code = gbuffer_{wgsl}_encode{encode_suffix}(n, {bits}u);
    results[4u * i] = gbuffer_snorm16x2_pack(code);
    let back = bitcast<vec3<u32>>(gbuffer_{wgsl}_decode(code, {bits}u));
    results[4u * i + 1u] = back.x;
    results[4u * i + 2u] = back.y;
    results[4u * i + 3u] = back.z;
}}"
    ));
    let results = gpu.compute(&module, "round_trip", input, COUNT, 4 * COUNT);
    results
        .chunks_exact(4)
        .map(|r| (pack::from_snorm16x2(r[0]), [r[1], r[2], r[3]].map(f32::from_bits)))
        .unzip()
}

/// What may differ between a device and the CPU: of the codes, a share, and by how many degrees the two codes' distances
/// from the normal may then be apart; of decoded components, how much.
///
/// A device that computes as IEEE 754 says differs at most in ties. One that fuses multiplications and additions, or
/// divides by an approximate reciprocal, moves the decision by a rounding error of f32: 2^-22 radians.
fn limits(mapping: &Mapping, gpu: &Gpu) -> (usize, f64, f32) {
    let (different, apart) = match (mapping.exact, gpu.is_cpu) {
        (true, _) => (0, 0.0),
        (false, true) => (COUNT / 10_000, 1e-8),
        (false, false) => (COUNT / 50, (-22.0_f64).exp2().to_degrees()),
    };
    (different, apart, if gpu.is_cpu { 1e-7 } else { 3e-7 })
}

/// The codes of GPU and CPU for 2^21 normals, and what the GPU makes of them.
fn compare<const BITS: u32>() {
    use std::io::Write as _;
    let Some(gpu) = gpu() else { return };
    let normals = normals();
    let input = gpu.storage(&words(&normals));
    for mapping in mappings::<BITS>() {
        let (codes, decoded) = run(&gpu, &mapping, &input);
        let (mut different, mut apart, mut component) = (0, 0.0_f64, 0.0_f32);
        for ((&normal, &code), &back) in normals.iter().zip(&codes).zip(&decoded) {
            let expected = (mapping.encode)(normal);
            if code != expected {
                different += 1;
                let [ours, theirs] = [code, expected].map(|c| degrees_between(normal, (mapping.decode)(c)));
                apart = apart.max((ours - theirs).abs());
            }
            let on_cpu = (mapping.decode)(code);
            for axis in 0..3 {
                component = component.max((back[axis] - on_cpu[axis]).abs());
            }
        }
        let line = format!(
            "{}{} 2x{BITS} on {}: {different} of 2^21 codes differ, angles by {apart:.1e} degrees; decoded components by {component:.1e}",
            mapping.wgsl, mapping.encode_suffix, gpu.name
        );
        writeln!(std::io::stderr(), "{line}").expect("stderr");
        let (most_different, most_apart, most_component) = limits(&mapping, &gpu);
        assert!(different <= most_different, "{line}, at most {most_different}");
        assert!(apart <= most_apart, "{line}, at most {most_apart}");
        assert!(component <= most_component, "{line}, at most {most_component}");
    }
}

#[test]
fn codes_of_8_bits() {
    compare::<8>();
}

#[test]
fn codes_of_10_bits() {
    compare::<10>();
}

#[test]
fn codes_of_12_bits() {
    compare::<12>();
}

#[test]
fn codes_of_16_bits() {
    compare::<16>();
}

/// `decode_uv` of WGSL against that of Rust, beyond -1..=1 too.
#[test]
fn decode_uv_agrees() {
    let Some(gpu) = gpu() else { return };
    let mut state = 11;
    let uvs: Vec<[f32; 2]> = (0..1 << 20)
        .map(|n| {
            let mut signed = || (random_bits(&mut state) >> 40) as f32 / 8_388_608.0 - 1.0;
            match n % 4 {
                0 => [signed() * 1.1, signed() * 1.1],
                1 => [signed(), 0.0],
                2 => [-1.0, signed()],
                _ => [signed(), signed()],
            }
        })
        .collect();
    let words: Vec<u32> = uvs.iter().flatten().map(|x| x.to_bits()).collect();
    let input = gpu.storage(&words);
    type DecodeUv = fn([f32; 2]) -> [f32; 3];
    let mappings: [(&str, DecodeUv); 4] = [
        ("warped", warped::decode_uv),
        ("octahedral", octahedral::decode_uv),
        ("diamond", diamond::decode_uv),
        ("diamond_sqrt2", diamond::sqrt2::decode_uv),
    ];
    for (wgsl, decode_uv) in mappings {
        let module = gpu.shader(&format!(
            "{WGSL}
@group(0) @binding(0) var<storage, read> uvs: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64) fn decode(@builtin(global_invocation_id) id: vec3<u32>) {{
    let n = bitcast<vec3<u32>>(gbuffer_{wgsl}_decode_uv(uvs[id.x]));
    results[3u * id.x] = n.x;
    results[3u * id.x + 1u] = n.y;
    results[3u * id.x + 2u] = n.z;
}}"
        ));
        let results = gpu.compute(&module, "decode", &input, uvs.len(), 3 * uvs.len());
        let tolerance = if gpu.is_cpu { 1e-7 } else { 3e-7 };
        for (&uv, found) in uvs.iter().zip(results.chunks_exact(3)) {
            let expected = decode_uv(uv);
            for axis in 0..3 {
                let off = (f32::from_bits(found[axis]) - expected[axis]).abs();
                assert!(
                    off <= tolerance,
                    "{wgsl} {uv:?}: axis {axis} off by {off} on {}",
                    gpu.name
                );
            }
        }
    }
}

/// All bytes of an `rg8snorm` texture, -128 included, as the floats that a shader loads: `decode_uv` gives `decode`'s normals.
#[test]
fn rg8snorm_texture_decodes() {
    let Some(gpu) = gpu() else { return };
    let texels: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let texture = gpu.upload(wgpu::TextureFormat::Rg8Snorm, [256, 256], &texels);
    let module = gpu.shader(&format!(
        "{WGSL}
@group(0) @binding(0) var codes: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64) fn read_texture(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = 3u * (id.y * 256u + id.x);
    let n = bitcast<vec3<u32>>(gbuffer_warped_decode_uv(textureLoad(codes, id.xy, 0).xy));
    results[i] = n.x;
    results[i + 1u] = n.y;
    results[i + 2u] = n.z;
}}"
    ));
    let results = gpu.read_texture(&module, &texture, 3 << 16);
    for (word, found) in (0..=u16::MAX).zip(results.chunks_exact(3)) {
        let expected = warped::decode::<8>(pack::from_snorm8x2(word));
        for axis in 0..3 {
            let off = (f32::from_bits(found[axis]) - expected[axis]).abs();
            assert!(
                off <= 4e-7,
                "{word:#06x}: axis {axis} off by {off} on {}",
                gpu.name
            );
        }
    }
}

/// What the two shaders of a G-buffer do: a fragment shader writes codes, a later pass loads them.
fn through_texture(format: wgpu::TextureFormat, fragment: &str, load: &str) {
    const SIZE: [u32; 2] = [2048, 1024];
    let Some(gpu) = gpu() else { return };
    let normals = normals();
    let input = gpu.storage(&words(&normals));
    let module = gpu.shader(&format!(
        "{WGSL}
@group(0) @binding(0) var<storage, read> normals: array<u32>;
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {{
    return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}}
fn code(position: vec4<f32>) -> vec2<i32> {{
    let i = 3u * (u32(position.y) * {width}u + u32(position.x));
    return gbuffer_octahedral_encode_exact(bitcast<vec3<f32>>(vec3<u32>(normals[i], normals[i + 1u], normals[i + 2u])), 16u);
}}
{fragment}",
        width = SIZE[0]
    ));
    let texture = gpu.draw(&module, &input, format, SIZE);
    let module = gpu.shader(&format!(
        "{WGSL}
{load}
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64) fn read_texture(@builtin(global_invocation_id) id: vec3<u32>) {{
    results[id.y * {width}u + id.x] = gbuffer_snorm16x2_pack(load(id.xy));
}}",
        width = SIZE[0]
    ));
    let codes = gpu.read_texture(&module, &texture, COUNT);
    let wrong = normals
        .iter()
        .zip(&codes)
        .filter(|&(&n, &word)| pack::from_snorm16x2(word) != octahedral::encode_exact::<16>(n))
        .count();
    assert_eq!(wrong, 0, "of 2^21 codes came back changed from {format:?}");
}

#[test]
fn rgba8_texture_keeps_16_bit_codes() {
    through_texture(
        wgpu::TextureFormat::Rgba8Unorm,
        "@fragment fn fragment(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> { return gbuffer_rgba8_pack(code(p)); }",
        "@group(0) @binding(0) var codes: texture_2d<f32>;
fn load(p: vec2<u32>) -> vec2<i32> { return gbuffer_rgba8_unpack(textureLoad(codes, p, 0)); }",
    );
}

#[test]
fn r32uint_texture_keeps_16_bit_codes() {
    through_texture(
        wgpu::TextureFormat::R32Uint,
        "@fragment fn fragment(@builtin(position) p: vec4<f32>) -> @location(0) vec4<u32> { return vec4<u32>(gbuffer_snorm16x2_pack(code(p))); }",
        "@group(0) @binding(0) var codes: texture_2d<u32>;
fn load(p: vec2<u32>) -> vec2<i32> { return gbuffer_snorm16x2_unpack(textureLoad(codes, p, 0).x); }",
    );
}

#[test]
fn rg16sint_texture_keeps_16_bit_codes() {
    through_texture(
        wgpu::TextureFormat::Rg16Sint,
        "@fragment fn fragment(@builtin(position) p: vec4<f32>) -> @location(0) vec4<i32> { return vec4<i32>(code(p), 0, 0); }",
        "@group(0) @binding(0) var codes: texture_2d<i32>;
fn load(p: vec2<u32>) -> vec2<i32> { return textureLoad(codes, p, 0).xy; }",
    );
}

/// Every packing of WGSL against that of Rust: all components, and arbitrary bits on the way back.
#[test]
fn packing_agrees() {
    let Some(gpu) = gpu() else { return };
    let mut state = 5;
    #[allow(clippy::cast_possible_truncation, reason = "random bits")]
    let input: Vec<u32> = (0..1 << 20).map(|_| random_bits(&mut state) as u32).collect();
    let module = gpu.shader(&format!(
        "{WGSL}
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(64) fn packing(@builtin(global_invocation_id) id: vec3<u32>) {{
    let word = input[id.x];
    // Any pair of 16-bit integers, the most negative ones included.
    let code = vec2<i32>(extractBits(bitcast<i32>(word), 0u, 16u), extractBits(bitcast<i32>(word), 16u, 16u));
    let o = 10u * id.x;
    results[o] = gbuffer_snorm16x2_pack(code);
    results[o + 1u] = gbuffer_snorm8x2_pack(code);
    results[o + 2u] = gbuffer_snorm10x2_pack(code);
    results[o + 3u] = gbuffer_snorm12x2_flags8_pack(code, word & 255u);
    results[o + 4u] = gbuffer_snorm16x2_pack(gbuffer_snorm16x2_unpack(word));
    results[o + 5u] = gbuffer_snorm16x2_pack(gbuffer_snorm8x2_unpack(word));
    results[o + 6u] = gbuffer_snorm16x2_pack(gbuffer_snorm10x2_unpack(word));
    results[o + 7u] = gbuffer_snorm16x2_pack(gbuffer_snorm12x2_flags8_unpack(word));
    results[o + 8u] = gbuffer_snorm12x2_flags8_flags(word);
    results[o + 9u] = gbuffer_snorm16x2_pack(gbuffer_rgba8_unpack(gbuffer_rgba8_pack(code)));
}}"
    ));
    let results = gpu.compute(
        &module,
        "packing",
        &gpu.storage(&input),
        input.len(),
        10 * input.len(),
    );
    for (&word, found) in input.iter().zip(results.chunks_exact(10)) {
        let bytes = word.to_le_bytes();
        let code = [
            i16::from_le_bytes([bytes[0], bytes[1]]),
            i16::from_le_bytes([bytes[2], bytes[3]]),
        ];
        let (code12, flags) = pack::from_snorm12x2_flags8(word);
        let expected = [
            pack::to_snorm16x2(code),
            u32::from(pack::to_snorm8x2(code)),
            pack::to_snorm10x2(code),
            pack::to_snorm12x2_flags8(code, bytes[0]),
            pack::to_snorm16x2(pack::from_snorm16x2(word)),
            pack::to_snorm16x2(pack::from_snorm8x2(u16::from_le_bytes([bytes[0], bytes[1]]))),
            pack::to_snorm16x2(pack::from_snorm10x2(word)),
            pack::to_snorm16x2(code12),
            u32::from(flags),
            pack::to_snorm16x2(pack::from_rgba8(pack::to_rgba8(code))),
        ];
        assert_eq!(found, expected, "{word:#010x}");
    }
}
