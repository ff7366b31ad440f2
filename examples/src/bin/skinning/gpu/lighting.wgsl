// Lights the G-buffer: the formula of lighting.rs, in the same names. Each pixel of the picture lights its 2x2 samples
// of the G-buffer, averages them in linear light and encodes the mean as sRGB.
// In front of this file: gbuffer_codec::WGSL, srgb.wgsl.

struct Capsule {
    a: vec3<f32>,
    radius: f32,
    b: vec3<f32>,
    unused: f32,
}

struct Lighting {
    // Model from clip.
    inverse_view_projection: mat4x4<f32>,
    eye: vec3<f32>,
    capsule_count: u32,
    focus: vec3<f32>,
    unused: f32,
    // Unit, towards the light.
    light: vec3<f32>,
    unused_too: f32,
    capsules: array<Capsule, MAX_CAPSULES>,
}

@group(0) @binding(0) var<uniform> lighting: Lighting;
@group(0) @binding(1) var albedo_texture: texture_2d<f32>;
@group(0) @binding(2) var code_texture: texture_2d<u32>;
@group(0) @binding(3) var depth_texture: texture_depth_2d;

const WRAP: f32 = 0.25;
const GLOSS: f32 = 0.12;
const SHININESS: f32 = 28.0;
const RIM: f32 = 0.22;
const SKY: vec3<f32> = vec3<f32>(0.40, 0.46, 0.55);
const BOUNCE: vec3<f32> = vec3<f32>(0.20, 0.17, 0.15);
const SUN: vec3<f32> = vec3<f32>(0.86, 0.80, 0.70);
const TOP: vec3<f32> = vec3<f32>(0.38, 0.46, 0.56);
const BOTTOM: vec3<f32> = vec3<f32>(0.66, 0.68, 0.70);
const VIGNETTE: f32 = 0.12;
const FOG_START: f32 = 1.5;
const FOG_END: f32 = 5.5;
const SHADOW_SHARPNESS: f32 = 7.0;

fn normalize_or_zero(v: vec3<f32>) -> vec3<f32> {
    let squared = dot(v, v);
    return select(vec3<f32>(), v / sqrt(squared), squared > 0.0);
}

fn capsule_shadow(p: vec3<f32>, light: vec3<f32>, capsule: Capsule) -> f32 {
    let ba = capsule.b - capsule.a;
    let oa = p - capsule.a;
    let oad = dot(light, oa);
    let dba = dot(light, ba);
    let denominator = max(dot(ba, ba) - dba * dba, 1e-6);
    let t = clamp((dot(oa, ba) - oad * dba) / denominator, 0.0, 1.0);
    let s = max(t * dba - oad, 0.0001);
    let distance = length(p + light * s - (capsule.a + ba * t));
    return smoothstep(-1.0, 1.0, SHADOW_SHARPNESS * (distance - capsule.radius) / s);
}

fn capsule_openness(p: vec3<f32>, capsule: Capsule) -> f32 {
    let ba = capsule.b - capsule.a;
    let t = clamp(dot(p - capsule.a, ba) / max(dot(ba, ba), 1e-6), 0.0, 1.0);
    let d = capsule.a + ba * t - p;
    let distance = max(length(d), capsule.radius);
    let cosine = max(d.y / distance, 0.0);
    let ratio = capsule.radius / distance;
    return 1.0 - cosine * ratio * ratio;
}

// Where nothing is drawn; x and y from 0 to 1 from the picture's top left.
fn background(at: vec2<f32>) -> vec3<f32> {
    let centred = at * 2.0 - 1.0;
    return mix(TOP, BOTTOM, smoothstep(0.0, 1.0, at.y)) * (1.0 - VIGNETTE * dot(centred, centred));
}

fn shade(at: vec2<f32>, p: vec3<f32>, normal: vec3<f32>, albedo: vec3<f32>) -> vec3<f32> {
    let to_eye = normalize_or_zero(lighting.eye - p);
    let half = normalize_or_zero(lighting.light + to_eye);
    let n_l = dot(normal, lighting.light);
    let ground = 1.0 - smoothstep(0.02, 0.05, p.y);
    let fog = ground * smoothstep(FOG_START, FOG_END, length(p.xz - lighting.focus.xz));
    if fog >= 1.0 {
        return background(at);
    }

    var sun = 1.0;
    var open = 1.0;
    if ground > 0.0 {
        for (var i = 0u; i < min(lighting.capsule_count, u32(MAX_CAPSULES)); i++) {
            sun *= capsule_shadow(p, lighting.light, lighting.capsules[i]);
            open *= capsule_openness(p, lighting.capsules[i]);
        }
        sun = mix(1.0, sun, ground);
        open = mix(1.0, open, ground);
    }

    let diffuse = max((n_l + WRAP) / (1.0 + WRAP), 0.0);
    let highlight =
        GLOSS * (1.0 - ground) * pow(max(dot(normal, half), 0.0), SHININESS) * smoothstep(0.0, 0.2, n_l);
    let grazing = 1.0 - clamp(dot(normal, to_eye), 0.0, 1.0);
    let rim = RIM * (1.0 - ground) * grazing * grazing * grazing;
    let ambient = mix(BOUNCE, SKY, 0.5 + 0.5 * normal.y) * open;
    let lit = albedo * (ambient + SUN * (diffuse * sun)) + SUN * highlight + SKY * rim;
    return mix(lit, background(at), fog);
}

// One triangle over the whole picture.
@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let size = vec2<f32>(textureDimensions(depth_texture));
    let first = 2u * vec2<u32>(pixel.xy);
    var sum = vec3<f32>();
    for (var sample = 0u; sample < 4u; sample++) {
        let texel = first + vec2<u32>(sample & 1u, sample >> 1u);
        let at = (vec2<f32>(texel) + 0.5) / size;
        let depth = textureLoad(depth_texture, texel, 0);
        // 1 is the value that the depth was cleared to.
        if depth >= 1.0 {
            sum += background(at);
            continue;
        }
        let clip = vec4<f32>(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, depth, 1.0);
        let position = lighting.inverse_view_projection * clip;
        let normal = normal_from_code(textureLoad(code_texture, texel, 0).x);
        let albedo = linear_from_srgb(textureLoad(albedo_texture, texel, 0).rgb);
        sum += shade(at, position.xyz / position.w, normal, albedo);
    }
    return vec4<f32>(srgb_from_linear(sum * 0.25), 1.0);
}
