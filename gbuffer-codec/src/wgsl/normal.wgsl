// gbuffer-codec: unit normals in two small integers. The twin of the crate's Rust functions, operation by operation.
//
// Concatenate this text with your shader, or add it as a naga_oil or WESL module: it has no bindings, overrides,
// directives or entry points, every name starts with gbuffer_, and no global name ends in a digit (naga_oil forbids it).
//
// A code is vec2<i32>(u, v), each in -h..=h with h = 2^(bits-1) - 1, bits in 2..=16 (clamped). Write codes to rg16sint,
// rg16uint or r32uint targets through the pack functions below. Never filter a texture of codes. `bits` is best a
// constant: h and 1/h then fold.

// f(t) = t (LINEAR + t (SQUARE + t CUBE)), the warp: 1, -0.8, 0.486 over 0.686, rounded so that their sum is exactly 1.
const GBUFFER_WARP_LINEAR: f32 = 1.457726;
const GBUFFER_WARP_SQUARE: f32 = -1.1661808;
const GBUFFER_WARP_CUBE: f32 = 0.70845485;
// First guess of the inverse warp: constant term in q, q^2; linear term in q; square term.
const GBUFFER_GUESS_CONSTANT: vec3<f32> = vec3<f32>(1.0003504, -0.9143091, 0.67389925);
const GBUFFER_GUESS_LINEAR: vec2<f32> = vec2<f32>(0.9227546, -0.61837497);
const GBUFFER_GUESS_SQUARE: f32 = -0.06226306;
// The centres of the diamond mapping's projection.
const GBUFFER_DIAMOND_CENTRE: f32 = 1.0;
const GBUFFER_DIAMOND_CENTRE_WIDE: f32 = 1.4142135;
const GBUFFER_FRAC_ONE_SQRT_TWO: f32 = 0.70710677;

// ---- what the mappings share

struct GbufferDirection {
    // |x|, |y|, |z| times a power of two, so that nothing overflows or vanishes.
    magnitude: vec3<f32>,
    // The sum of the three.
    sum: f32,
    negative: vec3<bool>,
    // False for the zero vector, NaN and infinities.
    valid: bool,
}

fn gbuffer_half(bits: u32) -> i32 {
    return (1i << (clamp(bits, 2u, 16u) - 1u)) - 1i;
}

// Works on the bits: comparisons with NaN may be optimised away, and denormal numbers flushed to zero.
fn gbuffer_direction(n: vec3<f32>) -> GbufferDirection {
    let all_bits = bitcast<vec3<u32>>(n);
    let bits = all_bits & vec3<u32>(0x7fffffffu);
    let largest = max(max(bits.x, bits.y), bits.z);
    let exponent = min(largest >> 23u, 253u);
    let scaled = bitcast<vec3<f32>>(bits) * bitcast<f32>((254u - exponent) << 23u);
    var d: GbufferDirection;
    // The bits of a denormal number are the number itself in units of 2^-149.
    d.magnitude = select(scaled, vec3<f32>(bits), vec3<bool>(exponent == 0u));
    d.sum = d.magnitude.x + d.magnitude.y + d.magnitude.z;
    d.negative = (all_bits >> vec3<u32>(31u)) == vec3<u32>(1u);
    d.valid = largest > 0u && largest < 0x7f800000u;
    if !d.valid {
        d.magnitude = vec3<f32>(0.0, 0.0, 1.0);
        d.sum = 1.0;
    }
    return d;
}

// Whether n has a direction: not zero, no NaN, no infinity. Without one, every encode gives +z's code, (0, 0).
fn gbuffer_has_direction(n: vec3<f32>) -> bool {
    return gbuffer_direction(n).valid;
}

// The code of the lattice point (i, j, h - i - j); a component that rounded to 0 counts as positive.
fn gbuffer_code(d: GbufferDirection, point: vec2<i32>, h: i32) -> vec2<i32> {
    let folded = select(point, vec2<i32>(h) - point.yx, d.negative.z);
    let signed = select(folded, -folded, d.negative.xy & (point > vec2<i32>(0i)));
    return select(vec2<i32>(0i), signed, d.valid);
}

// The lattice point nearest to (a, b, h - a - b) in the hexagonal metric: the cell around the point in its lattice square.
fn gbuffer_round_hexagonal(a: vec2<f32>) -> vec2<i32> {
    let corner = round(a - 0.5);
    let d = a - corner;
    let sum = d.x + d.y;
    let x_larger = select(0.0, 1.0, d.x >= d.y);
    let beyond = vec2<bool>(sum + d.x + x_larger >= 2.0, sum + d.y - x_larger >= 1.0);
    return vec2<i32>(corner) + select(vec2<i32>(0i), vec2<i32>(1i), beyond);
}

// The point of the octahedron |x| + |y| + |z| = 1 at a code.
fn gbuffer_octahedron(code: vec2<i32>, h: i32) -> vec3<f32> {
    let uv = clamp(code, vec2<i32>(-h), vec2<i32>(h));
    let z = h - abs(uv.x) - abs(uv.y);
    let fold = vec2<i32>(max(-z, 0i));
    let xy = select(uv - fold, uv + fold, uv < vec2<i32>(0i));
    return vec3<f32>(vec2<f32>(xy), f32(z)) * (1.0 / f32(h));
}

// The same at texture coordinates, clamped to -1..=1.
fn gbuffer_octahedron_uv(coordinates: vec2<f32>) -> vec3<f32> {
    let uv = clamp(coordinates, vec2<f32>(-1.0), vec2<f32>(1.0));
    let z = 1.0 - abs(uv.x) - abs(uv.y);
    let fold = vec2<f32>(max(-z, 0.0));
    return vec3<f32>(select(uv - fold, uv + fold, uv < vec2<f32>(0.0)), z);
}

// normalize() may go by an approximate reciprocal square root.
fn gbuffer_normalize(n: vec3<f32>) -> vec3<f32> {
    return n * (1.0 / sqrt(n.x * n.x + n.y * n.y + n.z * n.z));
}

// ---- warped: the default

// An odd function. The abs also keeps compilers from multiplying the constants of t = i step into the coefficients, which
// would round differently.
fn gbuffer_warp(t: f32) -> f32 {
    let a = abs(t);
    return t * (GBUFFER_WARP_LINEAR + a * (GBUFFER_WARP_SQUARE + a * GBUFFER_WARP_CUBE));
}

fn gbuffer_warp_vector(t: vec3<f32>) -> vec3<f32> {
    let a = abs(t);
    return t * (GBUFFER_WARP_LINEAR + a * (GBUFFER_WARP_SQUARE + a * GBUFFER_WARP_CUBE));
}

fn gbuffer_warp_slope(t: f32) -> f32 {
    return GBUFFER_WARP_LINEAR + t * (2.0 * GBUFFER_WARP_SQUARE + t * (3.0 * GBUFFER_WARP_CUBE));
}

fn gbuffer_unwarp_guess(s: f32, q: f32) -> f32 {
    let constant = GBUFFER_GUESS_CONSTANT.x + q * (GBUFFER_GUESS_CONSTANT.y + q * GBUFFER_GUESS_CONSTANT.z);
    let linear = GBUFFER_GUESS_LINEAR.x + q * GBUFFER_GUESS_LINEAR.y;
    return s * (constant + s * (linear + s * GBUFFER_GUESS_SQUARE));
}

// The two first barycentrics of the point that the warp sends to the direction s (components >= 0, sum 1).
fn gbuffer_unwarp(s: vec3<f32>) -> vec2<f32> {
    let q = s.x * s.x + s.y * s.y + s.z * s.z;
    let t = vec3<f32>(gbuffer_unwarp_guess(s.x, q), gbuffer_unwarp_guess(s.y, q), gbuffer_unwarp_guess(s.z, q));
    let value = gbuffer_warp_vector(t);
    let slope = vec3<f32>(gbuffer_warp_slope(t.x), gbuffer_warp_slope(t.y), gbuffer_warp_slope(t.z));
    let others = slope.yzx * slope.zxy;
    let all_slopes = slope.x * others.x;
    let missing = 1.0 - (t.x + t.y + t.z);
    let numerator = value.x * others.x + value.y * others.y + value.z * others.z + missing * all_slopes;
    let denominator = s.x * others.x + s.y * others.y + s.z * others.z;
    let step = 1.0 / (denominator * all_slopes);
    return t.xy + (numerator * s.xy - denominator * value.xy) * others.xy * step;
}

// The squared sine of the angle between d and s (but for |s|^2), as a fraction.
fn gbuffer_squared_sine(d: vec3<f32>, s: vec3<f32>) -> vec2<f32> {
    let x = d.y * s.z - d.z * s.y;
    let y = d.z * s.x - d.x * s.z;
    let z = d.x * s.y - d.y * s.x;
    return vec2<f32>(x * x + y * y + z * z, d.x * d.x + d.y * d.y + d.z * d.z);
}

fn gbuffer_fraction_less(a: vec2<f32>, b: vec2<f32>) -> bool {
    return a.x * b.y < b.x * a.y;
}

fn gbuffer_warped_encode(n: vec3<f32>, bits: u32) -> vec2<i32> {
    let h_integer = gbuffer_half(bits);
    let h = f32(h_integer);
    let step = 1.0 / h;
    let d = gbuffer_direction(n);
    let s = d.magnitude * (1.0 / d.sum);
    let a = gbuffer_unwarp(s) * h;
    let c = round(a - 0.5);
    let corner = vec2<i32>(c);
    let is_upper = (a.x - c.x) + (a.y - c.y) >= 1.0;
    // In integers: of floats, a compiler may make (x + 1) step into x step + step, which rounds differently.
    let k = h_integer - corner.x - corner.y - 1i;
    let next = corner + vec2<i32>(1i);
    let x = vec2<f32>(gbuffer_warp(f32(corner.x) * step), gbuffer_warp(f32(next.x) * step));
    let y = vec2<f32>(gbuffer_warp(f32(corner.y) * step), gbuffer_warp(f32(next.y) * step));
    let z = gbuffer_warp(f32(k) * step);
    let beyond = gbuffer_warp(f32(select(k + 1i, k - 1i, is_upper)) * step);
    let third_corner = select(vec3<f32>(x.x, y.x, beyond), vec3<f32>(x.y, y.y, beyond), is_upper);
    let along_i = gbuffer_squared_sine(vec3<f32>(x.y, y.x, z), s);
    let along_j = gbuffer_squared_sine(vec3<f32>(x.x, y.y, z), s);
    let third = gbuffer_squared_sine(third_corner, s);
    let i_wins = gbuffer_fraction_less(along_i, along_j);
    let third_wins = gbuffer_fraction_less(third, select(along_j, along_i, i_wins));
    let beside = select(vec2<i32>(0i, 1i), vec2<i32>(1i, 0i), i_wins);
    let opposite = select(vec2<i32>(0i), vec2<i32>(1i), is_upper);
    return gbuffer_code(d, corner + select(beside, opposite, third_wins), h_integer);
}

fn gbuffer_warped_decode(code: vec2<i32>, bits: u32) -> vec3<f32> {
    return gbuffer_normalize(gbuffer_warp_vector(gbuffer_octahedron(code, gbuffer_half(bits))));
}

// uv: u / h and v / h, as a snorm texture gives them.
fn gbuffer_warped_decode_uv(uv: vec2<f32>) -> vec3<f32> {
    return gbuffer_normalize(gbuffer_warp_vector(gbuffer_octahedron_uv(uv)));
}

// ---- octahedral: decoded by every engine

fn gbuffer_octahedral_encode(n: vec3<f32>, bits: u32) -> vec2<i32> {
    let h = gbuffer_half(bits);
    let d = gbuffer_direction(n);
    let point = gbuffer_round_hexagonal(d.magnitude.xy * (f32(h) / d.sum));
    return gbuffer_code(d, point, h);
}

// |x|, |y|, |z| in units of 2^-22 of the power of two above the largest, rounded half up; zeros for NaN and infinity.
fn gbuffer_fixed_point(n: vec3<f32>) -> vec3<u32> {
    let bits = bitcast<vec3<u32>>(n) & vec3<u32>(0x7fffffffu);
    let largest = max(max(bits.x, bits.y), bits.z);
    let exponent = max(bits >> vec3<u32>(23u), vec3<u32>(1u));
    let fraction = bits & vec3<u32>(0x007fffffu);
    let mantissa = select(fraction | vec3<u32>(0x00800000u), fraction, bits < vec3<u32>(0x00800000u));
    let shift = min(vec3<u32>(max(largest >> 23u, 1u)) - exponent, vec3<u32>(31u));
    // Denormal numbers: the largest mantissa is lifted to 24 bits. Others have 24 bits already.
    let lift = select(0u, countLeadingZeros(max(largest, 1u)) - 8u, largest < 0x00800000u);
    let fixed = ((((mantissa << vec3<u32>(lift)) >> vec3<u32>(1u)) >> shift) + vec3<u32>(1u)) >> vec3<u32>(1u);
    return select(fixed, vec3<u32>(0u), largest >= 0x7f800000u);
}

// a * h / sum: quotient and remainder, by two digits of 8 bits so that nothing exceeds 32 bits.
fn gbuffer_divide_exact(a: u32, h: u32, sum: u32) -> vec2<u32> {
    let high = a * (h >> 8u);
    let low = (high % sum) * 256u + a * (h & 255u);
    return vec2<u32>((high / sum) * 256u + low / sum, low % sum);
}

// As gbuffer_octahedral_encode, by integers alone: the same code on every device.
fn gbuffer_octahedral_encode_exact(n: vec3<f32>, bits: u32) -> vec2<i32> {
    let h = gbuffer_half(bits);
    let fixed = gbuffer_fixed_point(n);
    let sum = max(fixed.x + fixed.y + fixed.z, 1u);
    let i = gbuffer_divide_exact(fixed.x, u32(h), sum);
    let j = gbuffer_divide_exact(fixed.y, u32(h), sum);
    let larger = max(i.y, j.y);
    let smaller = min(i.y, j.y);
    let first = select(0u, 1u, 2u * larger + smaller >= sum);
    let second = select(0u, 1u, larger + 2u * smaller >= 2u * sum);
    let more = select(vec2<u32>(second, first), vec2<u32>(first, second), i.y >= j.y);
    return gbuffer_code(gbuffer_direction(n), vec2<i32>(vec2<u32>(i.x, j.x) + more), h);
}

fn gbuffer_octahedral_decode(code: vec2<i32>, bits: u32) -> vec3<f32> {
    return gbuffer_normalize(gbuffer_octahedron(code, gbuffer_half(bits)));
}

fn gbuffer_octahedral_decode_uv(uv: vec2<f32>) -> vec3<f32> {
    return gbuffer_normalize(gbuffer_octahedron_uv(uv));
}

// ---- diamond: stereographic projection from (0, 0, -centre)

fn gbuffer_diamond_encode_from(n: vec3<f32>, bits: u32, centre: f32) -> vec2<i32> {
    let h = gbuffer_half(bits);
    let d = gbuffer_direction(n);
    let m = d.magnitude;
    let plane = m.x * m.x + m.y * m.y;
    let length = sqrt(plane + m.z * m.z);
    let sum = m.x + m.y;
    let diamond = sqrt(plane) / select(1.0, sum, sum > 0.0);
    let scale = f32(h) * centre * diamond / (centre * length + m.z);
    return gbuffer_code(d, gbuffer_round_hexagonal(m.xy * scale), h);
}

// The point in the disk of a point of the octahedron, and its squared distance from the centre.
fn gbuffer_diamond_disk(point: vec3<f32>) -> vec3<f32> {
    let radius = 1.0 - abs(point.z);
    let length = sqrt(point.x * point.x + point.y * point.y);
    let scale = radius / select(1.0, length, length > 0.0);
    return vec3<f32>(point.xy * scale, radius * radius);
}

fn gbuffer_diamond_decode_octahedron(point: vec3<f32>) -> vec3<f32> {
    let disk = gbuffer_diamond_disk(point);
    let scale = 1.0 / (1.0 + disk.z);
    let z = (1.0 - disk.z) * scale;
    return vec3<f32>(2.0 * disk.x * scale, 2.0 * disk.y * scale, select(z, -z, point.z < 0.0));
}

fn gbuffer_diamond_sqrt2_decode_octahedron(point: vec3<f32>) -> vec3<f32> {
    let disk = gbuffer_diamond_disk(point);
    let z = (sqrt(4.0 - 2.0 * disk.z) - GBUFFER_DIAMOND_CENTRE_WIDE * disk.z) / (2.0 + disk.z);
    let scale = 1.0 + z * GBUFFER_FRAC_ONE_SQRT_TWO;
    return vec3<f32>(disk.xy * scale, select(z, -z, point.z < 0.0));
}

fn gbuffer_diamond_encode(n: vec3<f32>, bits: u32) -> vec2<i32> {
    return gbuffer_diamond_encode_from(n, bits, GBUFFER_DIAMOND_CENTRE);
}

fn gbuffer_diamond_decode(code: vec2<i32>, bits: u32) -> vec3<f32> {
    return gbuffer_diamond_decode_octahedron(gbuffer_octahedron(code, gbuffer_half(bits)));
}

fn gbuffer_diamond_decode_uv(uv: vec2<f32>) -> vec3<f32> {
    return gbuffer_diamond_decode_octahedron(gbuffer_octahedron_uv(uv));
}

fn gbuffer_diamond_sqrt2_encode(n: vec3<f32>, bits: u32) -> vec2<i32> {
    return gbuffer_diamond_encode_from(n, bits, GBUFFER_DIAMOND_CENTRE_WIDE);
}

fn gbuffer_diamond_sqrt2_decode(code: vec2<i32>, bits: u32) -> vec3<f32> {
    return gbuffer_diamond_sqrt2_decode_octahedron(gbuffer_octahedron(code, gbuffer_half(bits)));
}

fn gbuffer_diamond_sqrt2_decode_uv(uv: vec2<f32>) -> vec3<f32> {
    return gbuffer_diamond_sqrt2_decode_octahedron(gbuffer_octahedron_uv(uv));
}

// ---- packing: integers only, as pack2x16snorm and its kin round differently on different devices

fn gbuffer_field(component: i32, bits: u32) -> u32 {
    let h = gbuffer_half(bits);
    return bitcast<u32>(clamp(component, -h, h)) & ((1u << bits) - 1u);
}

fn gbuffer_pair(code: vec2<i32>, bits: u32) -> u32 {
    return gbuffer_field(code.x, bits) | (gbuffer_field(code.y, bits) << bits);
}

// Shifts, as extractBits does not exist in OpenGL ES 3.0 (WebGL 2).
fn gbuffer_component(word: u32, offset: u32, bits: u32) -> i32 {
    return max(bitcast<i32>(word << (32u - bits - offset)) >> (32u - bits), -gbuffer_half(bits));
}

fn gbuffer_unpair(word: u32, bits: u32) -> vec2<i32> {
    return vec2<i32>(gbuffer_component(word, 0u, bits), gbuffer_component(word, bits, bits));
}

// u in bits 0..16, v in bits 16..32: r32uint, or rg16uint by its halves.
fn gbuffer_snorm16x2_pack(code: vec2<i32>) -> u32 {
    return gbuffer_pair(code, 16u);
}

fn gbuffer_snorm16x2_unpack(word: u32) -> vec2<i32> {
    return gbuffer_unpair(word, 16u);
}

// u in bits 0..8, v in bits 8..16: r16uint.
fn gbuffer_snorm8x2_pack(code: vec2<i32>) -> u32 {
    return gbuffer_pair(code, 8u);
}

fn gbuffer_snorm8x2_unpack(word: u32) -> vec2<i32> {
    return gbuffer_unpair(word, 8u);
}

// u in bits 0..10, v in bits 10..20; the other 12 are free.
fn gbuffer_snorm10x2_pack(code: vec2<i32>) -> u32 {
    return gbuffer_pair(code, 10u);
}

fn gbuffer_snorm10x2_unpack(word: u32) -> vec2<i32> {
    return gbuffer_unpair(word, 10u);
}

// u in bits 0..12, v in bits 12..24, flags in bits 24..32.
fn gbuffer_snorm12x2_flags8_pack(code: vec2<i32>, flags: u32) -> u32 {
    return gbuffer_pair(code, 12u) | (flags << 24u);
}

fn gbuffer_snorm12x2_flags8_unpack(word: u32) -> vec2<i32> {
    return gbuffer_unpair(word, 12u);
}

fn gbuffer_snorm12x2_flags8_flags(word: u32) -> u32 {
    return word >> 24u;
}

// A 16-bit code for an rgba8unorm target: u low, u high, v low, v high, each over 255.
fn gbuffer_rgba8_pack(code: vec2<i32>) -> vec4<f32> {
    let word = gbuffer_pair(code, 16u);
    let bytes = (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
    return vec4<f32>(bytes) / 255.0;
}

// The code in an rgba8unorm texel as textureLoad gives it.
fn gbuffer_rgba8_unpack(texel: vec4<f32>) -> vec2<i32> {
    let bytes = vec4<u32>(round(texel * 255.0));
    return gbuffer_unpair(bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u), 16u);
}
