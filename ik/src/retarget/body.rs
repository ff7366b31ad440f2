//! Hips, spine and shoulders as one problem.
//!
//! Three directions must come out: the hip line, the shoulder line and the trunk (middle of the hips to middle of the
//! shoulders). Each is a sum of bone vectors, and each bone vector is turned by one joint's model rotation, so the
//! problem is to find small rotations of the root, the spine and the collar bones that bring three sums onto three
//! directions: six equations. Of all answers the one that turns the joints least is taken (weighted), by steps
//! `w = W J' (J W J' + t I)^-1 r`: a 6 x 6 system, whatever the number of joints.

use glam::{Quat, Vec3};

/// Largest turn of one joint in one step (radians): Newton's linear model of a rotation is good to half of it.
const MAX_STEP: f32 = 0.5;

/// Sine of an angle below which the angle is its sine to f32's last bit.
const MIN_SINE: f32 = 1e-6;

/// Hip line, shoulder line, trunk.
const GOALS: usize = 3;

/// One joint of the body with its share in each goal.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyJoint {
    /// Place in the list of driven joints.
    pub(super) driven: usize,
    /// The bone vectors that this joint turns, in its own frame: in the hip line, the shoulder line, the trunk.
    pub(super) vectors: [Vec3; GOALS],
    /// How easily it turns.
    pub(super) compliance: f32,
}

/// Where the three sums stand and how far each is from its direction.
fn sums(joints: &[BodyJoint], rotations: &[Quat]) -> [Vec3; GOALS] {
    let mut sums = [Vec3::ZERO; GOALS];
    for joint in joints {
        for (sum, vector) in sums.iter_mut().zip(joint.vectors) {
            *sum += rotations[joint.driven] * vector;
        }
    }
    sums
}

/// Turns the joints until the three sums point along `targets` (unit vectors; zero leaves a goal out).
/// Returns the largest angle that is left, in radians.
pub(super) fn solve(
    joints: &[BodyJoint],
    rotations: &mut [Quat],
    targets: [Vec3; GOALS],
    iterations: u32,
    e_max: f32,
    t_scale: f32,
) -> f32 {
    let mut left = 0.0;
    for round in 0..=iterations {
        let sums = sums(joints, rotations);
        let mut rows = [Vec3::ZERO; 2 * GOALS];
        let mut residual = [0.0; 2 * GOALS];
        left = 0.0_f32;
        for goal in 0..GOALS {
            let (sum, target) = (sums[goal], targets[goal]);
            let length = sum.length();
            if target == Vec3::ZERO || length <= f32::MIN_POSITIVE {
                continue;
            }
            let direction = sum / length;
            let cross = direction.cross(target).length();
            let angle = cross.atan2(direction.dot(target));
            left = left.max(angle);
            // Tangents of the target: the sum's components along them vanish when the goal is met. Divided by the sine
            // they measure the angle itself, which stays right beyond a quarter turn.
            let (first, second) = target.any_orthonormal_pair();
            let stretch = if cross > MIN_SINE { angle / cross } else { 1.0 };
            for (row, tangent) in [first, second].into_iter().enumerate() {
                residual[2 * goal + row] = -direction.dot(tangent) * stretch;
                rows[2 * goal + row] = tangent * (stretch.min(2.0) / length);
            }
        }
        if round == iterations || left <= e_max {
            break;
        }
        step(joints, rotations, &rows, residual, t_scale);
    }
    left
}

/// One Newton step.
fn step(
    joints: &[BodyJoint],
    rotations: &mut [Quat],
    rows: &[Vec3; 2 * GOALS],
    residual: [f32; 2 * GOALS],
    t_scale: f32,
) {
    // The change of row k by the turn w of a joint is w . (v x row), v the joint's bone vector in model space.
    let gradient = |joint: &BodyJoint, rotation: Quat| {
        let mut out = [Vec3::ZERO; 2 * GOALS];
        for (k, row) in rows.iter().enumerate() {
            out[k] = (rotation * joint.vectors[k / 2]).cross(*row);
        }
        out
    };
    let mut matrix = [[0.0_f32; 2 * GOALS]; 2 * GOALS];
    for joint in joints {
        let gradient = gradient(joint, rotations[joint.driven]);
        for row in 0..2 * GOALS {
            for column in 0..=row {
                matrix[row][column] += joint.compliance * gradient[row].dot(gradient[column]);
            }
        }
    }
    // Held as hard as the square of what is left, Newton stays quadratic near an answer and turns no joint far where
    // there is none (Yamashita and Fukushima, On the rate of convergence of the Levenberg-Marquardt method, 2001).
    let hold = t_scale + residual.iter().map(|left| left * left).sum::<f32>();
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] += hold;
    }
    let Some(weights) = cholesky_solve(matrix, residual) else {
        return;
    };
    for joint in joints {
        let gradient = gradient(joint, rotations[joint.driven]);
        let turn: Vec3 = gradient.iter().zip(weights).map(|(g, weight)| *g * weight).sum();
        let turn = (turn * joint.compliance).clamp_length_max(MAX_STEP);
        if turn.is_finite() {
            let rotation = &mut rotations[joint.driven];
            *rotation = (Quat::from_scaled_axis(turn) * *rotation).normalize();
        }
    }
}

/// Solves `m x = b` for a symmetric positive definite `m` whose lower half is given.
fn cholesky_solve<const N: usize>(mut m: [[f32; N]; N], mut b: [f32; N]) -> Option<[f32; N]> {
    for row in 0..N {
        for column in 0..=row {
            let known = (0..column).map(|k| m[row][k] * m[column][k]).sum::<f32>();
            let value = m[row][column] - known;
            if row == column {
                if value.is_nan() || value <= 0.0 {
                    return None;
                }
                m[row][row] = value.sqrt();
            } else {
                m[row][column] = value / m[column][column];
            }
        }
    }
    for row in 0..N {
        for k in 0..row {
            b[row] -= m[row][k] * b[k];
        }
        b[row] /= m[row][row];
    }
    for row in (0..N).rev() {
        for k in row + 1..N {
            b[row] -= m[k][row] * b[k];
        }
        b[row] /= m[row][row];
    }
    Some(b)
}
