use glam::{DMat4, DQuat, DVec3};

use super::*;
use crate::{rigs::Random, skin};

fn rigid(rotation: Quat, translation: Vec3) -> [Vec4; 3] {
    let matrix = Mat3::from_quat(rotation).transpose();
    [
        matrix.x_axis.extend(translation.x),
        matrix.y_axis.extend(translation.y),
        matrix.z_axis.extend(translation.z),
    ]
}

type Vertices = (Vec<Vec3>, Vec<Vec3>, Vec<Vec4>);

fn input<'a>((positions, normals, tangents): &'a Vertices, influences: &'a Influences) -> SkinInput<'a> {
    SkinInput {
        positions,
        normals,
        tangents,
        influences,
    }
}

fn output((positions, normals, tangents): &mut Vertices) -> SkinOutput<'_> {
    SkinOutput {
        positions,
        normals,
        tangents,
    }
}

fn vertices(random: &mut Random, count: usize) -> Vertices {
    let unit = |random: &mut Random| random.rotation() * Vec3::X;
    (
        (0..count).map(|_| random.vector()).collect(),
        (0..count).map(|_| unit(random)).collect(),
        (0..count).map(|_| unit(random).extend(-1.0)).collect(),
    )
}

fn skinned(palette: &[[Vec4; 3]], mesh: &Vertices, influences: &Influences, with_stretch: bool) -> Vertices {
    let mut motions = vec![DualQuaternion::IDENTITY; palette.len()];
    let mut stretches = vec![Mat3A::IDENTITY; if with_stretch { palette.len() } else { 0 }];
    dual_palette(palette, &mut motions, &mut stretches);
    let mut out = mesh.clone();
    let palette = DualPalette {
        motions: &motions,
        stretches: &stretches,
    };
    skin_dual_quaternion(palette, input(mesh, influences), output(&mut out));
    out
}

fn distance(a: &Vertices, b: &Vertices) -> [f32; 3] {
    let most = |distances: &mut dyn Iterator<Item = f32>| distances.fold(0.0, f32::max);
    [
        most(&mut a.0.iter().zip(&b.0).map(|(a, b)| a.distance(*b))),
        most(&mut a.1.iter().zip(&b.1).map(|(a, b)| a.distance(*b))),
        most(&mut a.2.iter().zip(&b.2).map(|(a, b)| a.distance(*b))),
    ]
}

/// Any matrix, scaled, sheared or mirrored: with one slot there is nothing to blend, and with eight of the same
/// neither.
#[test]
fn one_slot_moves_a_vertex_as_its_matrix_does() {
    let mut random = Random(51);
    for bytes in [false, true] {
        for per_vertex in 1..=8 {
            let slots = 12;
            let palette: Vec<[Vec4; 3]> = (0..slots)
                .map(|_| {
                    let mirror = if random.below(3) == 0 { -1.0 } else { 1.0 };
                    let scale = Vec3::new(0.5 + random.unit(), 0.5 + random.unit(), mirror);
                    let turn = Mat3::from_quat(random.rotation());
                    let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.3 * random.signed(), 1.0, 0.0), Vec3::Z);
                    let matrix = (turn * shear * Mat3::from_diagonal(scale)).transpose();
                    let to = random.vector() * 3.0;
                    [
                        matrix.x_axis.extend(to.x),
                        matrix.y_axis.extend(to.y),
                        matrix.z_axis.extend(to.z),
                    ]
                })
                .collect();
            let count = 40;
            let mesh = vertices(&mut random, count);
            let joints: Vec<u16> = (0..count)
                .flat_map(|_| vec![u16::try_from(random.below(slots)).unwrap(); per_vertex])
                .collect();
            let weights = (0..count * per_vertex).map(|_| 0.01 + random.unit()).collect();
            let (influences, _) = Influences::new(per_vertex, slots, joints, weights).unwrap();
            let influences = if bytes { influences.to_bytes() } else { influences };
            let mut linear = mesh.clone();
            skin(&palette, input(&mesh, &influences), output(&mut linear));
            let off = distance(&skinned(&palette, &mesh, &influences, true), &linear);
            assert!(
                off.iter().all(|off| *off < 5e-6),
                "{per_vertex} influences: {off:?}"
            );
        }
    }
}

/// Of two slots of which one is turned by `angle` about the bone, weight w turns by twice the angle of
/// (1 - w) + w e^(i angle / 2), and the radius stays; linear skinning shrinks it to |(1 - w) + w e^(i angle)|.
#[test]
fn a_twisted_bone_keeps_its_radius() {
    for angle in [0.5_f64, 2.0, 3.0, 3.13] {
        #[expect(clippy::cast_possible_truncation, reason = "a test angle")]
        let twist = Quat::from_rotation_x(angle as f32);
        let palette = [rigid(Quat::IDENTITY, Vec3::ZERO), rigid(twist, Vec3::ZERO)];
        for percent in [10_u8, 25, 50, 75, 99] {
            let w = f32::from(percent) / 100.0;
            let (influences, _) = Influences::new(2, 2, vec![0, 1], vec![1.0 - w, w]).unwrap();
            let mesh = (vec![Vec3::new(0.7, 1.0, 0.0)], vec![Vec3::Y], vec![Vec4::Z]);
            let (positions, normals, tangents) = skinned(&palette, &mesh, &influences, false);
            let w = f64::from(w);
            let turned = 2.0 * (w * (angle / 2.0).sin()).atan2(1.0 - w + w * (angle / 2.0).cos());
            let radial = DVec3::new(0.0, turned.cos(), turned.sin());
            let off = positions[0]
                .as_dvec3()
                .distance(radial + DVec3::X * f64::from(0.7_f32));
            assert!(off < 1e-6, "angle {angle}, weight {w}: {off} off");
            assert!(
                normals[0].as_dvec3().distance(radial) < 1e-6,
                "the normal turns with it"
            );
            let across = DVec3::new(0.0, -turned.sin(), turned.cos());
            assert!(
                tangents[0].truncate().as_dvec3().distance(across) < 1e-6,
                "the tangent likewise"
            );
        }
    }
}

/// Half way between two rigid motions is the half of the screw that leads from one to the other: done twice, it
/// must arrive.
#[test]
fn half_way_is_half_of_the_screw() {
    let mut random = Random(53);
    for _ in 0..200 {
        let [a, b] = [0, 1].map(|_| (random.rotation(), random.vector() * 2.0));
        let palette = [rigid(a.0, a.1), rigid(b.0, b.1)];
        let (influences, _) = Influences::new(2, 2, [0, 1].repeat(4), vec![0.5; 8]).unwrap();
        let mesh = (vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![], vec![]);
        let (points, ..) = skinned(&palette, &mesh, &influences, false);
        let dmat = |(r, t): (Quat, Vec3)| {
            DMat4::from_rotation_translation(
                DQuat::from_array(r.to_array().map(f64::from)).normalize(),
                t.as_dvec3(),
            )
        };
        let half = DMat4::from_cols(
            (points[1] - points[0]).as_dvec3().extend(0.0),
            (points[2] - points[0]).as_dvec3().extend(0.0),
            (points[3] - points[0]).as_dvec3().extend(0.0),
            points[0].as_dvec3().extend(1.0),
        );
        let step = dmat(a).inverse() * half;
        let turn = DQuat::from_mat4(&(dmat(a).inverse() * dmat(b)));
        // Near a half turn both ways round are as long, and the axis is ill-defined.
        if turn.w.abs() < 0.05 {
            continue;
        }
        let off = (step * step - dmat(a).inverse() * dmat(b)).to_cols_array();
        let off = off.iter().fold(0.0, |most: f64, off| most.max(off.abs()));
        assert!(off < 1e-4, "{off} off");
    }
}

#[test]
fn signs_of_the_slots_do_not_matter() {
    let mut random = Random(55);
    let (slots, count, per_vertex) = (9, 60, 4);
    let palette: Vec<[Vec4; 3]> = (0..slots)
        .map(|_| rigid(random.rotation(), random.vector()))
        .collect();
    let mut motions = vec![DualQuaternion::IDENTITY; slots];
    dual_palette(&palette, &mut motions, &mut []);
    let joints = (0..count * per_vertex)
        .map(|_| u16::try_from(random.below(slots)).unwrap())
        .collect();
    let weights = (0..count * per_vertex).map(|_| random.unit()).collect();
    let (influences, _) = Influences::new(per_vertex, slots, joints, weights).unwrap();
    let mesh = vertices(&mut random, count);
    let run = |motions: &[DualQuaternion]| {
        let mut out = mesh.clone();
        skin_dual_quaternion(
            DualPalette {
                motions,
                stretches: &[],
            },
            input(&mesh, &influences),
            output(&mut out),
        );
        out
    };
    let before = run(&motions);
    for motion in motions.iter_mut().step_by(2) {
        (motion.real, motion.dual) = (-motion.real, -motion.dual);
    }
    assert_eq!(run(&motions), before);
}

/// The whole figure moved is every slot moved.
#[test]
fn moving_every_slot_moves_the_figure() {
    let mut random = Random(57);
    let (slots, count, per_vertex) = (9, 60, 8);
    let turn = random.rotation();
    let shift = random.vector();
    let slots_of: Vec<(Quat, Vec3)> = (0..slots).map(|_| (random.rotation(), random.vector())).collect();
    let palette: Vec<_> = slots_of.iter().map(|&(r, t)| rigid(r, t)).collect();
    let moved: Vec<_> = slots_of
        .iter()
        .map(|&(r, t)| rigid(turn * r, turn * t + shift))
        .collect();
    let joints = (0..count * per_vertex)
        .map(|_| u16::try_from(random.below(slots)).unwrap())
        .collect();
    let weights = (0..count * per_vertex).map(|_| random.unit()).collect();
    let (influences, _) = Influences::new(per_vertex, slots, joints, weights).unwrap();
    let mesh = vertices(&mut random, count);
    let (a, b) = (
        skinned(&palette, &mesh, &influences, true),
        skinned(&moved, &mesh, &influences, true),
    );
    for (vertex, (a, b)) in a.0.iter().zip(&b.0).enumerate() {
        let off = (turn * *a + shift).distance(*b);
        assert!(off < 1e-4, "vertex {vertex}: {off} off");
    }
}

#[test]
fn matrices_that_are_no_motion_give_finite_vertices() {
    let (influences, _) = Influences::new(2, 2, vec![0, 1], vec![0.5; 2]).unwrap();
    let mesh = (vec![Vec3::ONE], vec![Vec3::X], vec![Vec4::Y]);
    for bad in [
        [Vec4::ZERO; 3],
        [Vec4::X, Vec4::X, Vec4::X],
        [Vec4::new(0.0, 1e-30, 0.0, 0.0), Vec4::ZERO, Vec4::ZERO],
        rigid(Quat::from_rotation_z(std::f32::consts::PI), Vec3::ZERO),
    ] {
        for palette in [[bad, bad], [rigid(Quat::IDENTITY, Vec3::X), bad]] {
            let (positions, normals, tangents) = skinned(&palette, &mesh, &influences, true);
            assert!(positions[0].is_finite(), "{bad:?}");
            assert!(
                (normals[0].length() - 1.0).abs() < 1e-6,
                "{bad:?}: {}",
                normals[0]
            );
            assert!(
                (tangents[0].truncate().length() - 1.0).abs() < 1e-6,
                "{bad:?}: {}",
                tangents[0]
            );
        }
    }
}
