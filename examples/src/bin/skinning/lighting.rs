//! The lighting pass: one formula, here in Rust for the CPU and word for word in `shader.wgsl`.
//!
//! Both renderers draw a G-buffer of twice the picture's width and height (linear albedo, normal
//! code 2x16 bits, depth 0 to 1 with 1 where nothing is), light each of the 2x2 samples of a pixel
//! by [`shade`], average the four in linear light and encode the mean as sRGB.
//!
//! All colours are linear RGB. With n the decoded normal, l towards the light, v towards the eye,
//! h = normalise(l + v), p the position (model space, from depth by the inverse view projection):
//!
//! ```text
//! g         = 1 - smoothstep(0.02, 0.05, p.y)                  1 on the ground, 0 on the figure
//! sun       = mix(1, shadow(p), g)     open = mix(1, openness(p), g)
//! diffuse   = max(0, (n.l + WRAP) / (1 + WRAP))
//! highlight = GLOSS (1 - g) max(0, n.h)^SHININESS smoothstep(0, 0.2, n.l)
//! rim       = RIM (1 - g) (1 - max(0, n.v))^3
//! ambient   = mix(BOUNCE, SKY, 0.5 + 0.5 n.y) open
//! lit       = albedo (ambient + SUN diffuse sun) + SUN highlight + SKY rim
//! fog       = g smoothstep(FOG_START, FOG_END, |p.xz - focus.xz|)
//! colour    = mix(lit, background(x, y), fog)                   x, y: 0 to 1 from the top left
//! ```
//!
//! `background(x, y) = mix(TOP, BOTTOM, smoothstep(0, 1, y)) (1 - VIGNETTE ((2x-1)^2 + (2y-1)^2))`;
//! it is the colour where nothing is drawn.
//!
//! `shadow(p)` and `openness(p)` are products over the frame's capsules, after Inigo Quilez's
//! shaders "Capsule - soft shadow" (<https://www.shadertoy.com/view/MlGczG>) and "Capsule -
//! occlusion" (<https://www.shadertoy.com/view/llGyzG>); see [`capsule_shadow`] and
//! [`capsule_openness`]. They are soft, so the CPU takes them once a pixel where all of it is ground.

use glam::{Vec2, Vec3};

use crate::frame::{Capsule, Frame};

/// How far the light reaches round the edge.
const WRAP: f32 = 0.25;
const GLOSS: f32 = 0.12;
const SHININESS: f32 = 28.0;
const RIM: f32 = 0.22;
const SKY: Vec3 = Vec3::new(0.40, 0.46, 0.55);
const BOUNCE: Vec3 = Vec3::new(0.20, 0.17, 0.15);
const SUN: Vec3 = Vec3::new(0.86, 0.80, 0.70);
const TOP: Vec3 = Vec3::new(0.38, 0.46, 0.56);
const BOTTOM: Vec3 = Vec3::new(0.66, 0.68, 0.70);
const VIGNETTE: f32 = 0.12;
/// Metres from the focus, along the ground.
const FOG_START: f32 = 1.5;
const FOG_END: f32 = 5.5;
/// Larger: a harder edge of the shadow.
const SHADOW_SHARPNESS: f32 = 7.0;

/// Hermite step, as in WGSL.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// How much of the light reaches `p` past one capsule, 0 to 1.
///
/// The closest approach of the ray p + s l and the capsule's segment, and the angle between both
/// seen from p, as in Inigo Quilez's `capShadow`.
pub(crate) fn capsule_shadow(p: Vec3, light: Vec3, capsule: &Capsule) -> f32 {
    let ba = capsule.b - capsule.a;
    let oa = p - capsule.a;
    let oad = light.dot(oa);
    let dba = light.dot(ba);
    let baba = ba.dot(ba);
    let oaba = oa.dot(ba);
    // Parameters of the closest points of ray and segment: s on the ray, t on the segment. The
    // denominator is 0 for a sphere and for a segment along the light: then t = 0 and s follows.
    let denominator = (baba - dba * dba).max(1e-6);
    let t = ((oaba - oad * dba) / denominator).clamp(0.0, 1.0);
    let s = (t * dba - oad).max(0.0001);
    let distance = (p + light * s - (capsule.a + ba * t)).length();
    let edge = SHADOW_SHARPNESS * (distance - capsule.radius) / s;
    smoothstep(-1.0, 1.0, edge)
}

/// How open the sky above `p` (on the ground, normal +Y) is past one capsule, 0 to 1.
///
/// The occlusion of a sphere round the segment's nearest point: cos(angle) r^2 / d^2.
pub(crate) fn capsule_openness(p: Vec3, capsule: &Capsule) -> f32 {
    let ba = capsule.b - capsule.a;
    let pa = p - capsule.a;
    let t = (pa.dot(ba) / ba.dot(ba).max(1e-6)).clamp(0.0, 1.0);
    let d = capsule.a + ba * t - p;
    let distance = d.length().max(capsule.radius);
    let cosine = (d.y / distance).max(0.0);
    1.0 - cosine * (capsule.radius / distance).powi(2)
}

/// The colour where nothing is drawn; x and y from 0 to 1 from the picture's top left.
pub(crate) fn background(at: Vec2) -> Vec3 {
    let centred = at * 2.0 - 1.0;
    TOP.lerp(BOTTOM, smoothstep(0.0, 1.0, at.y)) * (1.0 - VIGNETTE * centred.length_squared())
}

/// What reaches a place past the figure: of the light and of the sky, 0 to 1 each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reaching {
    pub(crate) sun: f32,
    pub(crate) sky: f32,
}

/// 1 on the ground, 0 on the figure.
pub(crate) fn groundness(p: Vec3) -> f32 {
    1.0 - smoothstep(0.02, 0.05, p.y)
}

/// 0 near the focus and on the figure, 1 where only the background is left.
fn fog(frame: &Frame, p: Vec3) -> f32 {
    let away = Vec2::new(p.x - frame.focus.x, p.z - frame.focus.z).length();
    groundness(p) * smoothstep(FOG_START, FOG_END, away)
}

/// The shadow at `p`; the figure itself has none.
pub(crate) fn reaching(frame: &Frame, p: Vec3) -> Reaching {
    let ground = groundness(p);
    let (mut sun, mut sky) = (1.0, 1.0);
    // In full fog nobody sees it.
    if ground > 0.0 && fog(frame, p) < 1.0 {
        for capsule in &frame.capsules {
            sun *= capsule_shadow(p, frame.light, capsule);
            sky *= capsule_openness(p, capsule);
        }
    }
    Reaching {
        sun: 1.0 + (sun - 1.0) * ground,
        sky: 1.0 + (sky - 1.0) * ground,
    }
}

/// The linear colour of one sample: `at` in the picture, 0 to 1 from the top left.
pub(crate) fn shade(
    frame: &Frame,
    at: Vec2,
    p: Vec3,
    normal: Vec3,
    albedo: Vec3,
    reaching: Reaching,
) -> Vec3 {
    let fog = fog(frame, p);
    if fog >= 1.0 {
        return background(at);
    }
    let to_eye = (frame.eye - p).normalize_or_zero();
    let half = (frame.light + to_eye).normalize_or_zero();
    let n_l = normal.dot(frame.light);
    let ground = groundness(p);

    let diffuse = ((n_l + WRAP) / (1.0 + WRAP)).max(0.0);
    let highlight =
        GLOSS * (1.0 - ground) * normal.dot(half).max(0.0).powf(SHININESS) * smoothstep(0.0, 0.2, n_l);
    let rim = RIM * (1.0 - ground) * (1.0 - normal.dot(to_eye).clamp(0.0, 1.0)).powi(3);
    let ambient = BOUNCE.lerp(SKY, 0.5 + 0.5 * normal.y) * reaching.sky;
    let lit = albedo * (ambient + SUN * (diffuse * reaching.sun)) + SUN * highlight + SKY * rim;
    lit.lerp(background(at), fog)
}

/// One channel from linear light to an 8-bit sRGB value.
pub(crate) fn srgb8(linear: f32) -> u8 {
    let x = linear.clamp(0.0, 1.0);
    let encoded = if x <= 0.003_130_8 {
        12.92 * x
    } else {
        1.055 * x.powf(1.0 / 2.4) - 0.055
    };
    #[allow(clippy::cast_possible_truncation, reason = "0.5 to 255.5")]
    #[allow(clippy::cast_sign_loss, reason = "not negative")]
    let code = (encoded * 255.0 + 0.5) as u8;
    code
}
