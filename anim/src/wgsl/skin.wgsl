// Palettes and skinning: functions alone, with no bindings, overrides or directives, so that the file works
// pasted in front of a shader, as a naga_oil module and in WESL. Every name begins with `elea_` or `Elea`.
//
// Conventions are those of elea: column vectors, v' = M v; an affine matrix is three rows of four, as in the
// palettes of elea_anim (48 bytes: a storage buffer of EleaAffine is the `&[[Vec4; 3]]` that
// elea_anim::palette fills).

struct EleaAffine {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// a * b: b is applied first. The sums run in the order of glam's Affine3A product.
fn elea_affine_mul(a: EleaAffine, b: EleaAffine) -> EleaAffine {
    return EleaAffine(
        a.x.x * b.x + a.x.y * b.y + a.x.z * b.z + vec4<f32>(0.0, 0.0, 0.0, a.x.w),
        a.y.x * b.x + a.y.y * b.y + a.y.z * b.z + vec4<f32>(0.0, 0.0, 0.0, a.y.w),
        a.z.x * b.x + a.z.y * b.y + a.z.z * b.z + vec4<f32>(0.0, 0.0, 0.0, a.z.w),
    );
}

// Model from bind for one joint: its model matrix times its inverse bind matrix.
fn elea_palette(model: EleaAffine, inverse_bind: EleaAffine) -> EleaAffine {
    return elea_affine_mul(model, inverse_bind);
}

// The weighted sum of four palette matrices (linear blend skinning); the weights sum to 1.
fn elea_blend(a: EleaAffine, b: EleaAffine, c: EleaAffine, d: EleaAffine, weights: vec4<f32>) -> EleaAffine {
    return EleaAffine(
        a.x * weights.x + b.x * weights.y + c.x * weights.z + d.x * weights.w,
        a.y * weights.x + b.y * weights.y + c.y * weights.z + d.y * weights.w,
        a.z * weights.x + b.z * weights.y + c.z * weights.z + d.z * weights.w,
    );
}

// sum + weight * m, for any number of influences: begin with elea_affine_zero().
fn elea_affine_add(sum: EleaAffine, m: EleaAffine, weight: f32) -> EleaAffine {
    return EleaAffine(sum.x + weight * m.x, sum.y + weight * m.y, sum.z + weight * m.z);
}

fn elea_affine_zero() -> EleaAffine {
    return EleaAffine(vec4<f32>(), vec4<f32>(), vec4<f32>());
}

// Four 16-bit indices from two 32-bit words, the first in the low half of the first word ([u16; 4] in memory).
fn elea_unpack_joints(words: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);
}

fn elea_transform_point(m: EleaAffine, point: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(
        dot(m.x.xyz, point) + m.x.w,
        dot(m.y.xyz, point) + m.y.w,
        dot(m.z.xyz, point) + m.z.w,
    );
}

fn elea_transform_vector(m: EleaAffine, vector: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(m.x.xyz, vector), dot(m.y.xyz, vector), dot(m.z.xyz, vector));
}

// A normal under m: the cofactor matrix of the linear part times the normal, normalised. It is perpendicular to the
// transformed surface under any scale and shear, and, unlike the inverse transpose, finite when m flattens space.
// Under a mirroring m it stays on the same side of the triangle's winding. Where m leaves no direction (everything on
// one line or point) the normal is kept as it is.
fn elea_transform_normal(m: EleaAffine, normal: vec3<f32>) -> vec3<f32> {
    // Scaled so that the largest element is 1: the products can neither overflow nor vanish.
    let all = max(max(abs(m.x.xyz), abs(m.y.xyz)), abs(m.z.xyz));
    let largest = max(max(all.x, all.y), all.z);
    if !(largest > 0.0) {
        return normal;
    }
    let x = m.x.xyz / largest;
    let y = m.y.xyz / largest;
    let z = m.z.xyz / largest;
    let moved = vec3<f32>(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    let squared = dot(moved, moved);
    if !(squared > 0.0) {
        return normal;
    }
    return moved * inverseSqrt(squared);
}
