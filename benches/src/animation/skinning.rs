//! Vertices.

use elea_anim::{Influences, SkinInput, SkinOutput, skin_with};
use glam::{Affine3A, DVec3, Mat3A, Vec3, Vec3A, Vec4};

use super::{KERNELS, Rig, VERTICES, report};
use crate::{measure::Timed, row::Row};

pub(super) fn skinning(rig: &mut Rig, rows: &mut Vec<Row>) {
    let palette: Vec<[Vec4; 3]> = (0..rig.joints)
        .map(|_| {
            let matrix = Affine3A::from_rotation_translation(rig.rotation(), rig.vector());
            let Mat3A {
                x_axis: x,
                y_axis: y,
                z_axis: z,
            } = matrix.matrix3;
            let t = matrix.translation;
            [0, 1, 2].map(|axis: usize| Vec4::new(x[axis], y[axis], z[axis], t[axis]))
        })
        .collect();
    let columns: Vec<(Mat3A, Vec3A)> = palette
        .iter()
        .map(|[a, b, c]| {
            (
                Mat3A::from_cols_array(&[a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z]),
                Vec3A::new(a.w, b.w, c.w),
            )
        })
        .collect();
    let positions: Vec<Vec3> = (0..VERTICES).map(|_| rig.vector()).collect();
    let normals: Vec<Vec3> = (0..VERTICES).map(|_| rig.rotation() * Vec3::X).collect();
    let slots: Vec<u16> = (0..4 * VERTICES)
        .map(|_| (rig.random.unit() * rig.joints as f64) as u16)
        .collect();
    let weights: Vec<f32> = (0..4 * VERTICES).map(|_| rig.random.unit() as f32).collect();
    let (influences, _) =
        Influences::new(4, rig.joints, slots.clone(), weights).expect("slots within the palette");
    let weights: Vec<f32> = (0..VERTICES)
        .flat_map(|vertex| influences.of(vertex).map(|(_, weight)| weight))
        .collect();
    let (positions, normals, influences) = (&positions, &normals, &influences);
    let naive_skin = |out_positions: &mut [Vec3], out_normals: &mut [Vec3]| {
        for vertex in 0..VERTICES {
            let (mut m, mut t) = (Mat3A::ZERO, Vec3A::ZERO);
            for influence in 4 * vertex..4 * vertex + 4 {
                let (matrix, translation) = columns[usize::from(slots[influence])];
                m += matrix * weights[influence];
                t += translation * weights[influence];
            }
            out_positions[vertex] = (m * Vec3A::from(positions[vertex]) + t).into();
            out_normals[vertex] = (m * Vec3A::from(normals[vertex])).into();
        }
    };
    let exact: Vec<DVec3> = (0..VERTICES)
        .map(|vertex| {
            let point = positions[vertex].as_dvec3().extend(1.0);
            influences.of(vertex).fold(DVec3::ZERO, |sum, (slot, weight)| {
                let [a, b, c] = palette[usize::from(slot)].map(|row| row.as_dvec4().dot(point));
                sum + DVec3::new(a, b, c) * f64::from(weight)
            })
        })
        .collect();
    let error = |found: &[Vec3]| {
        found.iter().zip(&exact).fold(0.0, |worst: f64, (a, b)| {
            worst.max((a.as_dvec3() - *b).abs().max_element())
        })
    };
    let (mut p, mut n) = (positions.clone(), normals.clone());
    naive_skin(&mut p, &mut n);
    let mut errors = vec![error(&p)];
    let mut contenders: Vec<Timed<'_>> = vec![(
        "naive",
        Box::new(move || {
            naive_skin(&mut p, &mut n);
            std::hint::black_box((&mut p, &mut n));
        }),
    )];
    // As much work as `skin` does.
    let cofactor_skin = |out_positions: &mut [Vec3], out_normals: &mut [Vec3]| {
        for vertex in 0..VERTICES {
            let (mut m, mut t) = (Mat3A::ZERO, Vec3A::ZERO);
            for influence in 4 * vertex..4 * vertex + 4 {
                let (matrix, translation) = columns[usize::from(slots[influence])];
                m += matrix * weights[influence];
                t += translation * weights[influence];
            }
            let cofactors = Mat3A::from_cols(
                m.y_axis.cross(m.z_axis),
                m.z_axis.cross(m.x_axis),
                m.x_axis.cross(m.y_axis),
            );
            out_positions[vertex] = (m * Vec3A::from(positions[vertex]) + t).into();
            out_normals[vertex] = (cofactors * Vec3A::from(normals[vertex])).normalize().into();
        }
    };
    let (mut p, mut n) = (positions.clone(), normals.clone());
    cofactor_skin(&mut p, &mut n);
    errors.push(error(&p));
    contenders.push((
        "naive, cofactors",
        Box::new(move || {
            cofactor_skin(&mut p, &mut n);
            std::hint::black_box((&mut p, &mut n));
        }),
    ));
    let palette = &palette;
    for (name, kernel) in KERNELS {
        let (mut p, mut n) = (positions.clone(), normals.clone());
        let mut work = move || {
            let input = SkinInput {
                positions,
                normals,
                tangents: &[],
                influences,
            };
            let output = SkinOutput {
                positions: &mut p,
                normals: &mut n,
                tangents: &mut [],
            };
            skin_with(kernel, std::hint::black_box(palette), input, output);
            p[0].x
        };
        work();
        let (mut p, mut n) = (positions.clone(), normals.clone());
        skin_with(
            kernel,
            palette,
            SkinInput {
                positions,
                normals,
                tangents: &[],
                influences,
            },
            SkinOutput {
                positions: &mut p,
                normals: &mut n,
                tangents: &mut [],
            },
        );
        errors.push(error(&p));
        contenders.push((
            name,
            Box::new(move || {
                std::hint::black_box(work());
            }),
        ));
    }
    report(
        rows,
        "skin_4",
        rig.joints,
        VERTICES,
        &mut contenders,
        &errors,
        "difference",
    );
}
