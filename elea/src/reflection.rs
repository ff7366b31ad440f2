//! Mirrors: plane reflections, and the camera behind one.
//!
//! Matrices are `[column][row]` and act on column vectors; a plane `[a, b, c, d]` holds the points with
//! a x + b y + c z + d = 0, its normal (a, b, c) of any length but zero.

use crate::scalar::{Real, Scalar};

/// The matrix that reflects points through a plane.
///
/// It is its own inverse and its determinant is -1. A plane without a usable normal (zero, or with a NaN or infinity
/// in any of the four, or so small that the distance from the origin, d over its length, is beyond `f64`) reflects nothing:
/// the identity. Where only the last column, twice that distance, is beyond the type, its elements there are infinite.
///
/// ```
/// // The water level y = 2.
/// let m = elea::reflection([0.0_f64, 1.0, 0.0, -2.0]);
/// // (5, 3, 7) is one above and comes to lie one below.
/// let y = m[0][1] * 5.0 + m[1][1] * 3.0 + m[2][1] * 7.0 + m[3][1];
/// assert_eq!(y, 1.0);
/// ```
#[must_use]
pub fn reflection<T: Scalar>(plane: [T; 4]) -> [[T; 4]; 4] {
    reflection_f64(plane.map(Real::to_f64)).map(|c| c.map(Real::from_f64))
}

fn reflection_f64(plane: [f64; 4]) -> [[f64; 4]; 4] {
    let mut m = [[0.0; 4]; 4];
    for (i, column) in m.iter_mut().enumerate() {
        column[i] = 1.0;
    }
    let Some([a, b, c, d]) = unit_plane(plane) else {
        return m;
    };
    let normal = [a, b, c];
    for column in 0..3 {
        for row in 0..3 {
            m[column][row] -= 2.0 * normal[column] * normal[row];
        }
        // In this order, as 2 d may be infinite where the normal is zero.
        m[3][column] = -2.0 * (d * normal[column]);
    }
    m
}

/// The plane with a normal of length 1, or None where there is none.
fn unit_plane(plane: [f64; 4]) -> Option<[f64; 4]> {
    let largest = plane[..3].iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    if largest == 0.0 || !plane.iter().all(|v| v.is_finite()) {
        return None;
    }
    // First by the largest component, so that no square overflows or vanishes.
    let [a, b, c, d] = plane.map(|v| v / largest);
    let length = Real::sqrt(a * a + b * b + c * c);
    let unit = [a, b, c, d].map(|v| v / length);
    unit[3].is_finite().then_some(unit)
}

/// The camera that sees what a mirror shows: reflection * camera * flip.
///
/// `camera` takes camera space to world space, as the result does. The flip mirrors the camera's x axis: the result is
/// right-handed again when `camera` is, so that triangles keep their winding and back-face culling its sense. The picture
/// comes out mirrored left to right: sample it at 1 - u.
///
/// Elements beyond the range of the type come out infinite or NaN.
///
/// What lies behind the mirror must be clipped: [`clip_plane`] gives the plane for it.
///
/// ```
/// // A camera at (0, 3, 0) that looks along -z, over water at y = 0.
/// let mut camera = [[0.0_f64; 4]; 4];
/// for i in 0..4 { camera[i][i] = 1.0; }
/// camera[3][1] = 3.0;
/// let mirrored = elea::mirrored_camera(camera, [0.0, 1.0, 0.0, 0.0]);
/// assert_eq!(mirrored[3], [0.0, -3.0, 0.0, 1.0]);
/// assert_eq!(mirrored[1], [0.0, -1.0, 0.0, 0.0]);
/// ```
#[must_use]
pub fn mirrored_camera<T: Scalar>(camera: [[T; 4]; 4], plane: [T; 4]) -> [[T; 4]; 4] {
    let mirror = reflection_f64(plane.map(Real::to_f64));
    let camera = camera.map(|c| c.map(Real::to_f64));
    let mut m: [[f64; 4]; 4] =
        core::array::from_fn(|c| core::array::from_fn(|r| (0..4).map(|k| mirror[k][r] * camera[c][k]).sum()));
    for v in &mut m[0] {
        // Not -v: a zero stays +0.
        *v = 0.0 - *v;
    }
    m.map(|c| c.map(Real::from_f64))
}

/// A world-space plane in the space of a camera: what a user clip plane or an oblique near plane wants.
///
/// `camera` takes camera space to world space. Points in front of the plane (a x + b y + c z + d > 0) stay in front. The
/// normal keeps its length where `camera` has no scale. Elements beyond the range of the type come out infinite or NaN.
///
/// ```
/// // Water at y = 0, seen from (0, 3, 0): three below the camera.
/// let mut camera = [[0.0_f64; 4]; 4];
/// for i in 0..4 { camera[i][i] = 1.0; }
/// camera[3][1] = 3.0;
/// assert_eq!(elea::clip_plane(camera, [0.0, 1.0, 0.0, 0.0]), [0.0, 1.0, 0.0, 3.0]);
/// ```
#[must_use]
pub fn clip_plane<T: Scalar>(camera: [[T; 4]; 4], plane: [T; 4]) -> [T; 4] {
    let plane = plane.map(Real::to_f64);
    camera.map(|column| {
        let products = (0..4).map(|r| column[r].to_f64() * plane[r]);
        Real::from_f64(products.sum())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(m: [[f64; 4]; 4], p: [f64; 3]) -> [f64; 3] {
        core::array::from_fn(|r| m[0][r] * p[0] + m[1][r] * p[1] + m[2][r] * p[2] + m[3][r])
    }

    fn signed_distance(plane: [f64; 4], p: [f64; 3]) -> f64 {
        let n = (plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]).sqrt();
        (plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3]) / n
    }

    const PLANES: [[f64; 4]; 4] = [
        [0.0, 1.0, 0.0, -2.0],
        [3.0, -1.0, 2.0, 0.7],
        [1e-3, 2e-3, -2e-3, 5e-3],
        [-1e200, 0.0, 1e200, 1e200],
    ];

    #[test]
    fn a_point_goes_straight_through_the_plane_to_the_other_side() {
        for plane in PLANES {
            let m = reflection(plane);
            let p = [0.3, -1.2, 2.5];
            let image = apply(m, p);
            let scaled = plane.map(|v| v / plane.iter().fold(0.0_f64, |l, v| l.max(v.abs())));
            let (before, after) = (signed_distance(scaled, p), signed_distance(scaled, image));
            assert!((before + after).abs() < 1e-14, "{plane:?}: {before} {after}");
            let middle = core::array::from_fn(|i| 0.5 * (p[i] + image[i]));
            assert!(signed_distance(scaled, middle).abs() < 1e-14, "{plane:?}");
            let back = apply(m, image);
            for i in 0..3 {
                assert!((back[i] - p[i]).abs() < 1e-14, "{plane:?}: {back:?}");
            }
        }
    }

    #[test]
    fn a_plane_without_a_normal_reflects_nothing() {
        let identity = reflection([0.0_f32; 4]);
        assert_eq!(identity[1], [0.0, 1.0, 0.0, 0.0]);
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(reflection([0.0, 1.0, 0.0, bad])[1], [0.0, 1.0, 0.0, 0.0], "{bad}");
        }
        assert_eq!(reflection([0.0, 1e-200, 0.0, 1e200])[1], [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_plane_too_far_away_for_its_image_is_infinite_and_never_nan() {
        // 2 d is infinite, and zero elements of the normal must not make a NaN of it.
        assert_eq!(
            reflection([0.0, 1.0, 0.0, 1e308])[3],
            [0.0, f64::NEG_INFINITY, 0.0, 1.0]
        );
        assert_eq!(
            reflection([0.0, 1.0, 0.0, 3e38_f32])[3],
            [0.0, f32::NEG_INFINITY, 0.0, 1.0]
        );
    }

    #[test]
    fn the_mirrored_camera_sees_the_image_where_the_camera_sees_the_point() {
        // A camera turned and moved: columns of a rotation, then the position.
        let r = crate::mat3_from_euler::<[[f64; 3]; 3]>([0.4, -0.8, 0.2], crate::EulerOrder::YXZ);
        let camera: [[f64; 4]; 4] = [
            [r[0][0], r[0][1], r[0][2], 0.0],
            [r[1][0], r[1][1], r[1][2], 0.0],
            [r[2][0], r[2][1], r[2][2], 0.0],
            [1.0, 4.0, -2.0, 1.0],
        ];
        // World to camera, for a rotation and a translation.
        let inverse = |m: [[f64; 4]; 4], p: [f64; 3]| -> [f64; 3] {
            core::array::from_fn(|c| (0..3).map(|k| m[c][k] * (p[k] - m[3][k])).sum())
        };
        for plane in &PLANES[..3] {
            let mirrored = mirrored_camera(camera, *plane);
            let p = [0.3, 1.2, -6.5];
            let image = apply(reflection(*plane), p);
            let (seen, seen_mirrored) = (inverse(camera, p), inverse(mirrored, image));
            assert!((seen[0] + seen_mirrored[0]).abs() < 1e-13, "left and right swap");
            assert!((seen[1] - seen_mirrored[1]).abs() < 1e-13, "up stays");
            assert!((seen[2] - seen_mirrored[2]).abs() < 1e-13, "depth stays");
            let det = |m: [[f64; 4]; 4]| {
                let [a, b, c] = [0, 1, 2].map(|i| [m[i][0], m[i][1], m[i][2]]);
                let n = crate::nearest::cross(b, c);
                a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
            };
            assert!((det(mirrored) - 1.0).abs() < 1e-13, "winding is kept");
        }
    }

    #[test]
    fn the_clip_plane_has_the_same_distances_in_camera_space() {
        let r = crate::mat3_from_euler::<[[f64; 3]; 3]>([0.4, -0.8, 0.2], crate::EulerOrder::YXZ);
        let camera: [[f64; 4]; 4] = [
            [r[0][0], r[0][1], r[0][2], 0.0],
            [r[1][0], r[1][1], r[1][2], 0.0],
            [r[2][0], r[2][1], r[2][2], 0.0],
            [1.0, 4.0, -2.0, 1.0],
        ];
        for plane in &PLANES[..3] {
            let p = [0.3, 1.2, -6.5];
            let seen = signed_distance(clip_plane(camera, *plane), p);
            let world = signed_distance(*plane, apply(camera, p));
            assert!((seen - world).abs() < 1e-13, "{seen} {world}");
        }
    }
}
