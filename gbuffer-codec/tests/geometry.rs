//! What the documentation says about cells and about filtering.

mod support;

use gbuffer_codec::{octahedral, warped};
use support::{degrees_between, dot};

/// The least and the largest area of the cells on one face, by the solid angles of the lattice's triangles.
fn areas(decode: fn([i16; 2]) -> [f32; 3]) -> [f64; 2] {
    // Triangles of many cells, so that the rounding of the normals does not count.
    const STEP: i16 = 217;
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    for i in 0..151 {
        for j in 0..151 - i {
            let (u, v) = (i * STEP, j * STEP);
            let [a, b, c] = [[u, v], [u + STEP, v], [u, v + STEP]].map(|code| decode(code).map(f64::from));
            let cross = [
                b[1] * c[2] - b[2] * c[1],
                b[2] * c[0] - b[0] * c[2],
                b[0] * c[1] - b[1] * c[0],
            ];
            // Van Oosterom and Strackee, 1983.
            let angle = 2.0 * dot(a, cross).atan2(1.0 + dot(a, b) + dot(b, c) + dot(c, a));
            least = least.min(angle);
            largest = largest.max(angle);
        }
    }
    [least, largest]
}

#[test]
fn warped_cells_are_even_and_octahedral_ones_are_not() {
    let [least, largest] = areas(octahedral::decode::<16>);
    let ratio = largest / least;
    assert!(
        (5.0..5.25).contains(&ratio),
        "octahedral: {ratio}, documented 5.2"
    );
    let [least, largest] = areas(warped::decode::<16>);
    let ratio = largest / least;
    assert!((1.5..1.6).contains(&ratio), "warped: {ratio}, documented 1.6");
}

/// Why codes must not be filtered: these two are the same normal, and half way between them lies its opposite.
#[test]
fn half_way_between_two_codes_may_be_the_opposite_normal() {
    let [a, b] = [[127, 127], [-127, -127]];
    let normals = [a, b].map(warped::decode::<8>);
    assert_eq!(normals[0], normals[1], "one normal");
    let filtered = warped::decode::<8>([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
    assert_eq!(degrees_between(filtered, normals[0]), 180.0);
}
