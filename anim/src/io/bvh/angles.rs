//! From the angles of rotation channels to quaternions and back.

use elea::{EulerOrder, angle_between, euler_from_quat_near};
use glam::DQuat;

use super::Axis;

/// Sine and cosine of half an angle.
#[derive(Clone, Copy)]
pub(super) struct HalfAngle {
    sine: f64,
    cosine: f64,
}

impl HalfAngle {
    /// Half of `degrees`, any finite number: within 1e-11, which f32 does not see, and the same bits on every
    /// machine.
    #[inline]
    pub(super) fn new(degrees: f64) -> Self {
        if degrees.abs() <= EXACT_TURNS {
            Self::of_moderate(degrees)
        } else {
            // Half of two turns is a turn; the remainder is exact.
            Self::of_moderate(degrees % 720.0)
        }
    }

    /// Appends half of each of `degrees`.
    pub(super) fn extend(halves: &mut Vec<Self>, degrees: &[f64]) {
        // Two loops, so that the compiler makes SIMD of the first.
        if degrees.iter().all(|degrees| degrees.abs() <= EXACT_TURNS) {
            halves.extend(degrees.iter().map(|&degrees| Self::of_moderate(degrees)));
        } else {
            halves.extend(degrees.iter().map(|&degrees| Self::new(degrees)));
        }
    }

    #[inline]
    fn of_moderate(degrees: f64) -> Self {
        /// Added to a number below 2^51 it leaves the nearest integer in the lowest bits.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        let quarters = degrees * (1.0 / 180.0);
        let rounded = quarters + ROUND;
        let quadrant = rounded.to_bits();
        let x = (quarters - (rounded - ROUND)) * std::f64::consts::FRAC_PI_2;
        // Taylor's series up to pi/4: the terms left out are below 7e-12 and 4e-13.
        let x2 = x * x;
        let sine = x + x
            * x2
            * (-1.0 / 6.0
                + x2 * (1.0 / 120.0
                    + x2 * (-1.0 / 5_040.0 + x2 * (1.0 / 362_880.0 - x2 * (1.0 / 39_916_800.0)))));
        let cosine = 1.0
            + x2 * (-0.5
                + x2 * (1.0 / 24.0
                    + x2 * (-1.0 / 720.0
                        + x2 * (1.0 / 40_320.0 + x2 * (-1.0 / 3_628_800.0 + x2 * (1.0 / 479_001_600.0))))));
        let (sine, cosine) = (sine.to_bits(), cosine.to_bits());
        // Odd quadrants change sine and cosine; the second bit is the sign. Without a branch, for SIMD.
        let odd = (quadrant & 1).wrapping_neg();
        let swap = (sine ^ cosine) & odd;
        Self {
            sine: f64::from_bits(sine ^ swap ^ (quadrant & 2) << 62),
            cosine: f64::from_bits(cosine ^ swap ^ (quadrant.wrapping_add(1) & 2) << 62),
        }
    }

    /// `rotation * R(axis, angle)`.
    #[inline]
    pub(super) fn turn(self, rotation: DQuat, axis: Axis) -> DQuat {
        let (s, c) = (self.sine, self.cosine);
        let [x, y, z, w] = rotation.to_array();
        DQuat::from_array(match axis {
            Axis::X => [x * c + w * s, y * c + z * s, z * c - y * s, w * c - x * s],
            Axis::Y => [x * c - z * s, y * c + w * s, z * c + x * s, w * c - y * s],
            Axis::Z => [x * c + y * s, y * c - x * s, z * c + w * s, w * c - z * s],
        })
    }
}

/// `R(i, a) * R(j, b) * R(k, c)` about three different axes.
#[inline]
pub(super) fn three_turns(halves: [HalfAngle; 3], axes: [Axis; 3]) -> DQuat {
    match axes {
        [Axis::X, Axis::Y, _] => turns_about::<0, 1, 2>(halves),
        [Axis::Y, Axis::Z, _] => turns_about::<1, 2, 0>(halves),
        [Axis::Z, Axis::X, _] => turns_about::<2, 0, 1>(halves),
        [Axis::X, _, _] => turns_about::<0, 2, 1>(halves),
        [Axis::Y, _, _] => turns_about::<1, 0, 2>(halves),
        [Axis::Z, _, _] => turns_about::<2, 1, 0>(halves),
    }
}

/// The product written out; e = 1 where j follows i cyclically, else -1.
#[inline]
fn turns_about<const I: usize, const J: usize, const K: usize>([a, b, c]: [HalfAngle; 3]) -> DQuat {
    let e = if (I + 1) % 3 == J { 1.0 } else { -1.0 };
    let (cc, ss) = (a.cosine * b.cosine, e * a.sine * b.sine);
    let (sc, cs) = (a.sine * b.cosine, a.cosine * b.sine);
    let mut xyz = [0.0; 3];
    xyz[I] = sc * c.cosine + e * cs * c.sine;
    xyz[J] = cs * c.cosine - e * sc * c.sine;
    xyz[K] = cc * c.sine + ss * c.cosine;
    DQuat::from_xyzw(xyz[0], xyz[1], xyz[2], cc * c.cosine - ss * c.sine)
}

/// Up to here (degrees) the rounding of the number of quarter turns costs less than 2e-12 radians.
const EXACT_TURNS: f64 = 1e6;

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
            let turn = |rotation, (&axis, angle): (&Axis, f64)| {
                HalfAngle::new(angle.to_degrees()).turn(rotation, axis)
            };
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
    fn half_angles_are_exact_to_one_part_in_1e11() {
        let mut all: Vec<f64> = (-4000..=4000).map(|k| f64::from(k) * 0.37).collect();
        all.extend((-40..=40).map(|k| f64::from(k) * 90.0));
        all.extend([
            1e-300,
            -0.0,
            719.999_999,
            720.000_001,
            1e9 + 0.5,
            -1e15,
            4.0 * f64::from(1 << 30) * 180.0,
        ]);
        for degrees in all {
            let HalfAngle { sine, cosine } = HalfAngle::new(degrees);
            let (s, c) = (0.5 * (degrees % 720.0).to_radians()).sin_cos();
            assert!(
                (sine - s).abs() < 1e-11 && (cosine - c).abs() < 1e-11,
                "{degrees}: {sine} {cosine}"
            );
        }
    }

    #[test]
    fn three_turns_are_their_product() {
        use Axis::{X, Y, Z};
        let angles = [40.0, -110.0, 205.0];
        for axes in [[X, Y, Z], [X, Z, Y], [Y, X, Z], [Y, Z, X], [Z, X, Y], [Z, Y, X]] {
            let found = three_turns(angles.map(HalfAngle::new), axes);
            let wanted = compose(&axes, &angles.map(f64::to_radians));
            assert!(
                (found - wanted).length() < 1e-10,
                "{axes:?}: {found}, not {wanted}"
            );
        }
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
