//! Signed distances (metres, negative inside) that the figure is made of. Good to first order near
//! the surface, which is all that meshing asks for.

use glam::{Mat3, Vec2, Vec3};

/// One elliptical cross-section of a [`Loft`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    /// Along the loft's axis.
    pub(crate) at: f32,
    /// Of the ellipse, off the axis.
    pub(crate) centre: Vec2,
    /// Half width and half depth, > 0.
    pub(crate) half: Vec2,
}

/// Shorthand: `[at, centre u, centre v, half u, half v]`.
impl From<[f32; 5]> for Section {
    fn from([at, u, v, half_u, half_v]: [f32; 5]) -> Self {
        Self {
            at,
            centre: Vec2::new(u, v),
            half: Vec2::new(half_u, half_v),
        }
    }
}

/// A tube of ellipses along a straight axis, cubic between its sections, with rounded ends.
#[derive(Debug, Clone)]
pub(crate) struct Loft {
    origin: Vec3,
    /// Local from model: rows u, v, axis.
    local: Mat3,
    sections: Vec<Section>,
    /// Radius of the rounding at both ends.
    cap: f32,
}

impl Loft {
    /// Sections must rise along the axis; u, v and axis are perpendicular and of unit length.
    pub(crate) fn new<const N: usize>(
        origin: Vec3,
        [u, v, axis]: [Vec3; 3],
        cap: f32,
        sections: [[f32; 5]; N],
    ) -> Self {
        Self {
            origin,
            local: Mat3::from_cols(u, v, axis).transpose(),
            sections: sections.into_iter().map(Section::from).collect(),
            cap,
        }
    }

    /// Catmull-Rom between the sections; the end sections hold beyond the ends.
    fn section(&self, at: f32) -> Section {
        let last = self.sections.len() - 1;
        let next = self.sections.partition_point(|s| s.at <= at).clamp(1, last);
        let [p0, p1, p2, p3] =
            [next.saturating_sub(2), next - 1, next, (next + 1).min(last)].map(|index| self.sections[index]);
        let width = p2.at - p1.at;
        let t = ((at - p1.at) / width).clamp(0.0, 1.0);
        let blend = |f: fn(&Section) -> Vec2| {
            let slope = |a: &Section, b: &Section| (f(b) - f(a)) / (b.at - a.at).max(1e-6) * width;
            let (m1, m2) = (slope(&p0, &p2), slope(&p1, &p3));
            let (t2, t3) = (t * t, t * t * t);
            f(&p1) * (2.0 * t3 - 3.0 * t2 + 1.0)
                + m1 * (t3 - 2.0 * t2 + t)
                + f(&p2) * (3.0 * t2 - 2.0 * t3)
                + m2 * (t3 - t2)
        };
        Section {
            at,
            centre: blend(|s| s.centre),
            half: blend(|s| s.half),
        }
    }

    pub(crate) fn distance(&self, p: Vec3) -> f32 {
        let local = self.local * (p - self.origin);
        let (first, last) = (self.sections[0].at, self.sections[self.sections.len() - 1].at);
        let section = self.section(local.z);
        let lateral = ellipse(local.truncate() - section.centre, section.half);
        let axial = (first - local.z).max(local.z - last);
        let corner = Vec2::new(lateral + self.cap, axial + self.cap);
        corner.max_element().min(0.0) + corner.max(Vec2::ZERO).length() - self.cap
    }
}

/// Distance to an ellipse: value over gradient length of |p / half| - 1.
fn ellipse(p: Vec2, half: Vec2) -> f32 {
    let k0 = (p / half).length();
    let k1 = (p / (half * half)).length();
    if k0 < 1e-4 {
        return -half.min_element();
    }
    k0 * (k0 - 1.0) / k1
}

/// Distance to an axis-aligned ellipsoid.
pub(crate) fn ellipsoid(p: Vec3, centre: Vec3, half: Vec3) -> f32 {
    let p = p - centre;
    let k0 = (p / half).length();
    let k1 = (p / (half * half)).length();
    if k0 < 1e-4 {
        return -half.min_element();
    }
    k0 * (k0 - 1.0) / k1
}

/// A tapered capsule: the exact hull of two spheres (Inigo Quilez, "Round Cone").
pub(crate) fn round_cone(p: Vec3, a: Vec3, b: Vec3, radius_a: f32, radius_b: f32) -> f32 {
    let ba = b - a;
    let l2 = ba.length_squared();
    let rr = radius_a - radius_b;
    let a2 = l2 - rr * rr;
    let il2 = 1.0 / l2;
    let pa = p - a;
    let y = pa.dot(ba);
    let z = y - l2;
    let x2 = (pa * l2 - ba * y).length_squared();
    let y2 = y * y * l2;
    let z2 = z * z * l2;
    let k = rr.signum() * rr * rr * x2;
    if z.signum() * a2 * z2 > k {
        (x2 + z2).sqrt() * il2 - radius_b
    } else if y.signum() * a2 * y2 < k {
        (x2 + y2).sqrt() * il2 - radius_a
    } else {
        ((x2 * a2 * il2).sqrt() + y * rr) * il2 - radius_a
    }
}

/// Union whose seam is rounded over about `width`.
pub(crate) fn join(a: f32, b: f32, width: f32) -> f32 {
    let h = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - h * h * width * 0.25
}

/// `a` without `b`, the edge rounded over about `width`.
pub(crate) fn cut(a: f32, b: f32, width: f32) -> f32 {
    -join(-a, b, width)
}

/// The part of `a` that is in `b`, the edge rounded over about `width`.
pub(crate) fn within(a: f32, b: f32, width: f32) -> f32 {
    -join(-a, -b, width)
}
