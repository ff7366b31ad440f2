use glam::{DMat3, DVec3};

use super::*;
use crate::rigs::Random;

/// A mesh of random vertices on a random palette.
struct Case {
    palette: Vec<[Vec4; 3]>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    tangents: Vec<Vec4>,
    influences: Influences,
}

impl Case {
    fn new(random: &mut Random, vertices: usize, per_vertex: usize, bytes: bool) -> Self {
        let slots = 20;
        let row = |random: &mut Random| random.vector().extend(random.signed());
        let count = vertices * per_vertex;
        let joints = (0..count)
            .map(|_| u16::try_from(random.below(slots)).unwrap())
            .collect();
        let weights = (0..count).map(|_| random.unit()).collect();
        let (influences, _) = Influences::new(per_vertex, slots, joints, weights).unwrap();
        Self {
            palette: (0..slots)
                .map(|_| [row(random), row(random), row(random)])
                .collect(),
            positions: (0..vertices).map(|_| random.vector()).collect(),
            normals: (0..vertices).map(|_| random.rotation() * Vec3::X).collect(),
            tangents: (0..vertices)
                .map(|_| (random.rotation() * Vec3::X).extend(-1.0))
                .collect(),
            influences: if bytes { influences.to_bytes() } else { influences },
        }
    }

    fn run(&self, kernel: Kernel) -> (Vec<Vec3>, Vec<Vec3>, Vec<Vec4>) {
        let vertices = self.positions.len();
        let mut out = (
            vec![Vec3::NAN; vertices],
            vec![Vec3::NAN; vertices],
            vec![Vec4::NAN; vertices],
        );
        skin_with(
            kernel,
            &self.palette,
            SkinInput {
                positions: &self.positions,
                normals: &self.normals,
                tangents: &self.tangents,
                influences: &self.influences,
            },
            SkinOutput {
                positions: &mut out.0,
                normals: &mut out.1,
                tangents: &mut out.2,
            },
        );
        out
    }

    /// The formulae in f64: the sum of the matrices, its inverse transpose times its determinant for normals.
    fn exact(&self, vertex: usize) -> (DVec3, DVec3, DVec3) {
        let mut rows = [glam::DVec4::ZERO; 3];
        for (slot, weight) in self.influences.of(vertex) {
            for (row, of_slot) in rows.iter_mut().zip(self.palette[usize::from(slot)]) {
                *row += of_slot.as_dvec4() * f64::from(weight);
            }
        }
        let matrix = DMat3::from_cols_array_2d(&rows.map(|row| row.truncate().to_array())).transpose();
        let translation = DVec3::new(rows[0].w, rows[1].w, rows[2].w);
        let cofactor = matrix.inverse().transpose() * matrix.determinant();
        (
            matrix * self.positions[vertex].as_dvec3() + translation,
            (cofactor * self.normals[vertex].as_dvec3()).normalize(),
            (matrix * self.tangents[vertex].truncate().as_dvec3()).normalize(),
        )
    }
}

#[test]
fn vertices_go_where_f64_says_on_every_instruction_set() {
    let mut random = Random(31);
    for (vertices, per_vertex, bytes) in [
        (0, 4, false),
        (1, 1, false),
        (7, 4, true),
        (8, 4, false),
        (21, 3, false),
        (40, 8, true),
        (64, 4, false),
        // More blocks than go through a stage together, with and without a rest.
        (72, 4, false),
        (141, 4, true),
        (141, 8, false),
    ] {
        let case = Case::new(&mut random, vertices, per_vertex, bytes);
        let exact = crate::simd::tests::same_on_every_set(|| case.run(Kernel::Deterministic));
        for (positions, normals, tangents) in [exact, case.run(Kernel::Fast)] {
            for vertex in 0..vertices {
                let (position, normal, tangent) = case.exact(vertex);
                let far = (positions[vertex].as_dvec3() - position).length();
                assert!(far < 1e-6, "vertex {vertex}: {far} off");
                // The blended matrices are random: some are nearly singular, where directions lose digits.
                let angle = (normals[vertex].as_dvec3() - normal).length();
                assert!(angle < 2e-3, "normal {vertex}: {angle} rad off");
                let angle = (tangents[vertex].truncate().as_dvec3() - tangent).length();
                assert!(angle < 1e-4, "tangent {vertex}: {angle} rad off");
                assert_eq!(tangents[vertex].w, -1.0, "the sign stays");
                assert!((normals[vertex].length() - 1.0).abs() < 1e-6, "length one");
            }
        }
    }
}

fn normal_under(matrix: [Vec3; 3], normal: Vec3) -> Vec3 {
    let palette = [matrix.map(|row| row.extend(0.0))];
    let (influences, _) = Influences::new(1, 1, vec![0], vec![1.0]).unwrap();
    let mut out = [Vec3::NAN];
    skin(
        &palette,
        SkinInput {
            positions: &[Vec3::ZERO],
            normals: &[normal],
            tangents: &[],
            influences: &influences,
        },
        SkinOutput {
            positions: &mut [Vec3::ZERO],
            normals: &mut out,
            tangents: &mut [],
        },
    );
    out[0]
}

#[test]
fn normals_stay_finite_where_there_is_no_inverse() {
    let slope = Vec3::new(1.0, 2.0, 2.0) / 3.0;
    // Flattened onto the xy plane, everything faces z; the inverse transpose would be NaN.
    assert_eq!(normal_under([Vec3::X, Vec3::Y, Vec3::ZERO], slope), Vec3::Z);
    // Collapsed onto a line or a point there is no direction left.
    assert_eq!(normal_under([Vec3::X, Vec3::ZERO, Vec3::ZERO], slope), slope);
    assert_eq!(normal_under([Vec3::ZERO; 3], slope), slope);
    // A mirror turns the normal with the surface.
    assert_eq!(normal_under([-Vec3::X, Vec3::Y, Vec3::Z], Vec3::X), Vec3::X);
    // Sizes at which squares over- or underflow.
    for size in [1e-15_f32, 1e-9, 1e9, 1e15] {
        let found = normal_under([Vec3::X * size, Vec3::Y * size, Vec3::Z * size], slope);
        assert!(found.distance(slope) < 1e-6, "{size}: {found}");
    }
}

#[test]
fn palettes_are_products_on_every_instruction_set() {
    let mut random = Random(37);
    for joints in [1, 5, 64] {
        let skeleton = random.skeleton(joints);
        let binding = SkinBinding::from_rest_pose(&skeleton).unwrap();
        let mut model = vec![Affine3A::IDENTITY; joints];
        let run = |model: &[Affine3A], kernel| {
            let mut rows = vec![[Vec4::NAN; 3]; joints];
            palette_with(kernel, model, &binding, &mut rows);
            rows
        };
        local_to_model(&skeleton, &random.pose(joints), &mut model);
        let rows = crate::simd::tests::same_on_every_set(|| run(&model, Kernel::Deterministic));
        for rows in [rows, run(&model, Kernel::Fast)] {
            for (joint, rows) in rows.iter().enumerate() {
                let wide = |matrix: &Affine3A| {
                    glam::DMat4::from_cols_array(&glam::Mat4::from(*matrix).to_cols_array().map(f64::from))
                };
                let exact = wide(&model[joint]) * wide(&binding.inverse_bind()[joint]);
                let size = exact
                    .to_cols_array()
                    .iter()
                    .fold(1.0, |size: f64, x| size.max(x.abs()));
                let terms = size
                    * wide(&binding.inverse_bind()[joint])
                        .to_cols_array()
                        .iter()
                        .fold(1.0, |s: f64, x| s.max(x.abs()));
                for (axis, row) in rows.iter().enumerate() {
                    let far = (row.as_dvec4() - exact.row(axis)).length();
                    assert!(far < 1e-6 * terms, "joint {joint}: {far} off");
                }
            }
        }
        // At rest, a vertex stays where it was modelled.
        local_to_model(&skeleton, skeleton.rest_pose(), &mut model);
        let point = Vec4::new(1.0, 2.0, 3.0, 1.0);
        if joints == 1 {
            let rows = run(&model, Kernel::Deterministic)[0];
            let moved = Vec3::new(rows[0].dot(point), rows[1].dot(point), rows[2].dot(point));
            assert!(moved.distance(point.truncate()) < 1e-5, "{moved}");
        }
    }
}

#[test]
fn a_binding_that_makes_no_sense_is_refused() {
    let error = SkinBinding::new(vec![JointId(0)], vec![]).unwrap_err();
    assert_eq!(
        error,
        SkinError::MatrixCount {
            joints: 1,
            matrices: 0
        }
    );
    let nan = Affine3A::from_translation(Vec3::new(0.0, f32::NAN, 0.0));
    let error = SkinBinding::new(vec![JointId(0); 2], vec![Affine3A::IDENTITY, nan]).unwrap_err();
    assert_eq!(error, SkinError::MatrixNotFinite { slot: 1 });
}

#[test]
fn what_a_mesh_lacks_changes_nothing_else() {
    let mut random = Random(41);
    for vertices in [7, 64, 141] {
        let case = Case::new(&mut random, vertices, 4, false);
        let (positions, normals, tangents) = case.run(Kernel::Deterministic);
        for (has_normals, has_tangents) in [(false, false), (true, false), (false, true)] {
            let some = |has: bool| if has { vertices } else { 0 };
            let (mut p, mut n, mut t) = (
                vec![Vec3::NAN; vertices],
                vec![Vec3::NAN; some(has_normals)],
                vec![Vec4::NAN; some(has_tangents)],
            );
            skin(
                &case.palette,
                SkinInput {
                    positions: &case.positions,
                    normals: &case.normals[..some(has_normals)],
                    tangents: &case.tangents[..some(has_tangents)],
                    influences: &case.influences,
                },
                SkinOutput {
                    positions: &mut p,
                    normals: &mut n,
                    tangents: &mut t,
                },
            );
            assert_eq!(p, positions);
            assert_eq!(n, normals[..some(has_normals)]);
            assert_eq!(t, tangents[..some(has_tangents)]);
        }
    }
}

/// Cofactors that overflow leave the normal as it was, on every instruction set.
#[test]
fn normals_stay_where_cofactors_overflow() {
    let huge = [[Vec4::splat(1e25), Vec4::splat(-1e25), Vec4::splat(1e25)]];
    let (influences, _) = Influences::new(1, 1, vec![0; 9], vec![1.0; 9]).unwrap();
    let found = crate::simd::tests::same_on_every_set(|| {
        let (mut positions, mut normals) = ([Vec3::ZERO; 9], [Vec3::ZERO; 9]);
        skin(
            &huge,
            SkinInput {
                positions: &[Vec3::ZERO; 9],
                normals: &[Vec3::Y; 9],
                tangents: &[],
                influences: &influences,
            },
            SkinOutput {
                positions: &mut positions,
                normals: &mut normals,
                tangents: &mut [],
            },
        );
        normals
    });
    assert_eq!(found, [Vec3::Y; 9]);
}
