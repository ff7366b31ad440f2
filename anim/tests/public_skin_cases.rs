//! Bugs that other libraries had in skins, each with the right answer. The issue is named at each test.

use elea_anim::{
    Influences, JointId, SkinBinding, SkinInput, SkinOutput,
    glam::{Affine3A, Vec3, Vec4},
    palette, skin,
};

const ROOT: JointId = JointId(0);

/// `bdero/flutter_scene#414`: weights that add up to 0.9803 moved a vertex half a metre.
#[test]
fn weights_off_one_do_not_pull_to_the_origin() {
    let (influences, report) = Influences::new(2, 2, vec![0, 1], vec![0.5, 0.4803]).unwrap();
    assert_eq!(report.renormalized, 1);
    assert_eq!(skinned(&influences, Vec3::X), Vec3::new(25.0, 0.0, 0.0));
}

/// SaschaWillems/Vulkan-glTF-PBR#38: four weights of zero made the mesh vanish.
#[test]
fn a_vertex_without_weights_follows_its_first_joint() {
    let (influences, report) = Influences::new(4, 2, vec![1, 0, 0, 0], vec![0.0; 4]).unwrap();
    assert_eq!(report.unweighted, 1);
    assert_eq!(skinned(&influences, Vec3::X), Vec3::new(25.0, 0.0, 0.0));
}

fn skinned(influences: &Influences, point: Vec3) -> Vec3 {
    let binding = SkinBinding::with_identity(vec![ROOT, JointId(1)]);
    let mut rows = [[Vec4::ZERO; 3]; 2];
    palette(
        &[Affine3A::from_translation(Vec3::X * 24.0); 2],
        &binding,
        &mut rows,
    );
    let mut out = [Vec3::ZERO];
    let input = SkinInput {
        positions: &[point],
        normals: &[],
        tangents: &[],
        influences,
    };
    skin(
        &rows,
        input,
        SkinOutput {
            positions: &mut out,
            normals: &mut [],
            tangents: &mut [],
        },
    );
    out[0]
}

/// mrdoob/three.js#12127: of more than four influences the rest was dropped, not the smallest.
#[test]
fn eight_influences_are_kept_or_the_four_largest() {
    let weights = vec![0.05, 0.05, 0.1, 0.05, 0.3, 0.2, 0.15, 0.1];
    let (eight, _) = Influences::new(8, 8, (0..8).collect(), weights).unwrap();
    assert_eq!(eight.of(0).len(), 8);
    let four: Vec<u16> = eight.reduced(4).unwrap().of(0).map(|(slot, _)| slot).collect();
    assert_eq!(four, [4, 5, 6, 2]);
}

/// tarngaina/LtMAO#32: joint 255 and beyond overflowed a byte, and slots were taken for joints.
#[test]
fn slots_are_not_joints_and_there_may_be_many() {
    let used: Vec<JointId> = (0..199).map(|slot| JointId(slot + 61)).collect();
    let binding = SkinBinding::with_identity(used);
    let model: Vec<Affine3A> = (0..260_u16)
        .map(|joint| Affine3A::from_translation(Vec3::X * f32::from(joint)))
        .collect();
    let mut rows = vec![[Vec4::ZERO; 3]; 199];
    palette(&model, &binding, &mut rows);
    assert_eq!(rows[198][0].w, 259.0, "slot 198 is joint 259");
    let (influences, _) = Influences::new(1, 199, vec![198], vec![1.0]).unwrap();
    let mut out = [Vec3::ZERO];
    let input = SkinInput {
        positions: &[Vec3::ZERO],
        normals: &[],
        tangents: &[],
        influences: &influences,
    };
    skin(
        &rows,
        input,
        SkinOutput {
            positions: &mut out,
            normals: &mut [],
            tangents: &mut [],
        },
    );
    assert_eq!(out[0].x, 259.0);
}

/// syoyo/tinygltf#492: a skin without inverse bind matrices was refused.
#[test]
fn without_inverse_bind_matrices_they_are_the_identity() {
    let binding = SkinBinding::with_identity(vec![JointId(1), ROOT]);
    assert_eq!(binding.inverse_bind(), [Affine3A::IDENTITY; 2]);
    assert_eq!(binding.joints(), [JointId(1), ROOT]);
}
