//! Quaternions as the angles of a joint's own rotation channels, one frame near the one before.

use elea::{EulerOrder, angle_between, euler_from_quat_near};
use glam::DQuat;

use super::{Axis, tracks::rotate_about};

/// How near to gimbal lock (half-angle, radians) the curve's smoothness counts more than its last digits: the
/// quaternions are rounded to f32, so that nearer than this the angles hold noise alone. It costs at most
/// 1.2 (Tait-Bryan) or 1.75 (proper) times as much.
const LOCK_TOLERANCE: f64 = 3e-7;

/// Rotations that need more channels than a joint has differ by more than this (radians): four roundings of an
/// f32 quaternion.
const FIT_TOLERANCE: f64 = 5e-7;

/// Radians about each of `axes`, frame after frame, without jumps of whole turns. `None` where the rotations
/// cannot be made from these axes in this order.
pub(super) fn angles_about(axes: &[Axis], rotations: &[DQuat]) -> Option<Vec<Vec<f64>>> {
    match *axes {
        [] => track(axes, rotations, |_, _| [0.0; 0]),
        [axis] => track(axes, rotations, |rotation, [before]| {
            let half = rotation.to_array()[axis as usize].atan2(rotation.w);
            [near(2.0 * half, before)]
        }),
        [first, second] if first != second => track(axes, rotations, |rotation, before| {
            two_angles(first, second, rotation, before)
        }),
        [..] if axes.len() == 3 => {
            let wanted = [axes[0] as usize, axes[1] as usize, axes[2] as usize];
            let order = EulerOrder::ALL
                .into_iter()
                .find(|order| !order.is_extrinsic() && order.axes() == wanted)?;
            track(axes, rotations, |rotation, before: [f64; 3]| {
                euler_from_quat_near(rotation, order, before, LOCK_TOLERANCE)
            })
        }
        _ => None,
    }
}

/// Runs `solve(rotation, angles of the frame before)` over the frames and checks what comes out.
fn track<const N: usize>(
    axes: &[Axis],
    rotations: &[DQuat],
    solve: impl Fn(DQuat, [f64; N]) -> [f64; N],
) -> Option<Vec<Vec<f64>>> {
    let mut before = [0.0; N];
    let mut frames = Vec::with_capacity(rotations.len());
    for &rotation in rotations {
        before = solve(rotation, before);
        if N < 3 {
            let turn =
                |rotation, (&axis, angle): (&Axis, f64)| rotate_about(rotation, axis, angle.to_degrees());
            let made = axes.iter().zip(before).fold(DQuat::IDENTITY, turn);
            if angle_between(made, rotation) > FIT_TOLERANCE {
                return None;
            }
        }
        frames.push(before.to_vec());
    }
    Some(frames)
}

/// `R(first, a) * R(second, b)` has the quaternion (cos a/2, sin a/2) x (cos b/2, sin b/2), an outer product: its
/// longer column is the first factor.
fn two_angles(first: Axis, second: Axis, rotation: DQuat, before: [f64; 2]) -> [f64; 2] {
    let xyz = [rotation.x, rotation.y, rotation.z];
    let (i, j) = (first as usize, second as usize);
    let sign = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
    let left = [rotation.w, xyz[i]];
    let right = [xyz[j], sign * xyz[3 - i - j]];
    let [c, s] = if left[0].hypot(left[1]) >= right[0].hypot(right[1]) {
        left
    } else {
        right
    };
    let half_a = s.atan2(c);
    let (s, c) = half_a.sin_cos();
    let half_b = (right[0] * c + right[1] * s).atan2(left[0] * c + left[1] * s);
    [near(2.0 * half_a, before[0]), near(2.0 * half_b, before[1])]
}

/// The angle plus the whole turns that bring it nearest to `reference`.
fn near(angle: f64, reference: f64) -> f64 {
    const TURN: f64 = std::f64::consts::TAU;
    angle + ((reference - angle) / TURN).round() * TURN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compose(axes: &[Axis], angles: &[f64]) -> DQuat {
        let units = [glam::DVec3::X, glam::DVec3::Y, glam::DVec3::Z];
        let turn = |q: DQuat, (axis, angle): (&Axis, &f64)| {
            q * DQuat::from_axis_angle(units[*axis as usize], *angle)
        };
        axes.iter().zip(angles).fold(DQuat::IDENTITY, turn)
    }

    #[test]
    fn one_and_two_axes_come_back_over_whole_turns() {
        use Axis::{X, Y, Z};
        for axes in [
            vec![X],
            vec![Y],
            vec![Z],
            vec![X, Y],
            vec![Y, X],
            vec![Z, X],
            vec![X, Z],
            vec![Y, Z],
        ] {
            // Steps of half a radian and less over several turns; the second axis goes through its half turn.
            let wanted: Vec<Vec<f64>> = (0..60)
                .map(|k| {
                    [0.45, -0.3][..axes.len()]
                        .iter()
                        .map(|step| step * f64::from(k))
                        .collect()
                })
                .collect();
            let rotations: Vec<DQuat> = wanted.iter().map(|angles| compose(&axes, angles)).collect();
            let found = angles_about(&axes, &rotations).expect("made from these axes");
            for (found, wanted) in found.iter().flatten().zip(wanted.iter().flatten()) {
                assert!((found - wanted).abs() < 1e-9, "{axes:?}: {found}, not {wanted}");
            }
        }
    }

    #[test]
    fn rotations_that_need_more_axes_are_refused() {
        use Axis::{X, Y, Z};
        let free = [compose(&[X, Y, Z], &[0.1, 0.2, 0.3])];
        assert!(angles_about(&[], &free).is_none(), "no axis");
        assert!(angles_about(&[X], &free).is_none(), "one axis");
        assert!(angles_about(&[X, Y], &free).is_none(), "two axes");
        assert!(
            angles_about(&[X, X, Y], &free).is_none(),
            "two axes, one of them twice"
        );
        assert!(angles_about(&[], &[DQuat::IDENTITY]).is_some(), "nothing to turn");
    }
}
