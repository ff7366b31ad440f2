//! The tension of a joint axis: what a rotation costs.

/// What one direction of rotation of a joint axis costs: `T(a) = rigidity * (a / limit)^1.25 + (a / limit)^16`.
///
/// The first power pulls every axis gently to its rest angle and spreads a movement over many joints; the second is a
/// wall that is hardly felt up to nine tenths of the limit (where it is 0.19) and stops the axis there without an edge.
/// Both have slope zero at rest, so that two tensions with different limits meet smoothly at angle 0 (C1).
///
/// The two powers are those of the animation article that this crate grew from; its README has a picture of the curve.
///
/// ```
/// use elea_ik::Tension;
/// let elbow = Tension { limit: 2.5, rigidity: 0.1 };
/// assert_eq!(elbow.value(0.0), 0.0);
/// assert!((elbow.value(2.5) - 1.1).abs() < 1e-12);
/// assert!(elbow.value(2.75) > 4.0, "10 % past the limit the wall stands");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tension {
    /// Where the wall stands: a magnitude in radians (or in lengths, for a translation), above 0.
    pub limit: f64,
    /// How much the way to the limit costs, 0 or more; 0.05 (a knee) to 0.5 (a twist of the spine) are usual.
    pub rigidity: f64,
}

impl Tension {
    /// The tension at `angle` in radians; only its magnitude counts. Infinite where `(angle / limit)^16` overflows.
    #[must_use]
    pub fn value(self, angle: f64) -> f64 {
        let u = (angle / self.limit).abs();
        self.rigidity * u * u.sqrt().sqrt() + power_14(u) * u * u
    }

    /// The slope of [`value`](Self::value) at `angle`, per radian; negative for negative angles.
    #[must_use]
    pub fn derivative(self, angle: f64) -> f64 {
        let u = (angle / self.limit).abs();
        let slope = (1.25 * self.rigidity * u.sqrt().sqrt() + 16.0 * power_14(u) * u) / self.limit;
        slope.copysign(angle)
    }

    /// The tension as the solvers minimise it: the cusp that the power 1.25 has in its curvature at 0 is rounded off, by
    /// `(u^2 + ROUNDING^2)^0.625` instead of `u^1.25`. Lower than `value` by 1.3 % of the rigidity at most.
    pub(crate) fn rounded(self, angle: f64) -> Rounded {
        let per_limit = 1.0 / self.limit;
        let u = angle * per_limit;
        let square = u * u + ROUNDING * ROUNDING;
        let root = square.sqrt();
        // square^0.625 and square^-0.375
        let power = root * root.sqrt().sqrt();
        let falling = power / square;
        let wall = power_14(u);
        let gentle = 1.25 * self.rigidity * falling;
        Rounded {
            value: self.rigidity * (power - ROUNDED_ZERO) + wall * u * u,
            slope: (gentle + 16.0 * wall) * u * per_limit,
            curvature: (gentle * (1.0 - 0.75 * u * u / square) + 240.0 * wall) * per_limit * per_limit,
        }
    }
}

/// Value, slope and curvature of a rounded tension.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounded {
    pub(crate) value: f64,
    pub(crate) slope: f64,
    pub(crate) curvature: f64,
}

/// As a part of the limit: with a limit of 90 degrees the rounding ends at some 3 degrees.
const ROUNDING: f64 = 0.03;
/// `ROUNDING^1.25`
const ROUNDED_ZERO: f64 = 0.012485374350863452;

fn power_14(u: f64) -> f64 {
    let u2 = u * u;
    let u4 = u2 * u2;
    u4 * u4 * u4 * u2
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTICLE: (Tension, Tension) = (
        Tension {
            limit: 1.0,
            rigidity: 1.0,
        },
        Tension {
            limit: 1.5,
            rigidity: 0.1,
        },
    );

    #[test]
    fn values_are_those_of_the_formula() {
        // powf is the independent source.
        for tension in [ARTICLE.0, ARTICLE.1] {
            for step in 0..400 {
                let angle = f64::from(step) * 0.01;
                let u = angle / tension.limit;
                let expected = tension.rigidity * u.powf(1.25) + u.powi(16);
                let error = (tension.value(angle) - expected).abs();
                assert!(
                    error <= 1e-13 * expected.max(1.0),
                    "angle {angle}: off by {error}"
                );
                assert_eq!(tension.value(-angle), tension.value(angle), "even function");
            }
        }
    }

    #[test]
    fn derivatives_equal_central_differences() {
        for tension in [ARTICLE.0, ARTICLE.1] {
            for step in 1..300 {
                let angle = f64::from(step) * 0.01 - 1.505;
                let h = 1e-6;
                let difference = (tension.value(angle + h) - tension.value(angle - h)) / (2.0 * h);
                let slope = tension.derivative(angle);
                assert!(
                    (slope - difference).abs() <= 1e-6 * slope.abs().max(1.0),
                    "slope at {angle}"
                );
            }
        }
    }

    #[test]
    fn rounded_tensions_are_close_and_their_derivatives_equal_central_differences() {
        assert!((ROUNDED_ZERO - ROUNDING.powf(1.25)).abs() < 1e-16, "the constant");
        for tension in [ARTICLE.0, ARTICLE.1] {
            for step in 1..300 {
                let angle = f64::from(step) * 0.01 - 1.505;
                let rounded = tension.rounded(angle);
                let below = tension.value(angle) - rounded.value;
                assert!(
                    (0.0..0.013 * tension.rigidity).contains(&below),
                    "{below} lower at {angle}"
                );
                let h = 1e-6;
                let (above, below) = (tension.rounded(angle + h), tension.rounded(angle - h));
                let slope = (above.value - below.value) / (2.0 * h);
                assert!(
                    (slope - rounded.slope).abs() <= 1e-6 * slope.abs().max(1.0),
                    "slope at {angle}"
                );
                let curvature = (above.slope - below.slope) / (2.0 * h);
                assert!(
                    (curvature - rounded.curvature).abs() <= 1e-6 * curvature.max(1.0),
                    "curvature at {angle}"
                );
            }
        }
    }

    #[test]
    fn both_sides_meet_at_zero_with_slope_zero_and_the_limit_is_no_edge() {
        let (negative, positive) = ARTICLE;
        for h in [1e-3, 1e-6, 1e-9, 0.0_f64] {
            // The slope falls like the fourth root of the angle: 1.25 R (h / P)^(1/4) / P.
            let bound = 1.3 * h.sqrt().sqrt();
            assert!(negative.derivative(-h).abs() <= bound, "slope at -{h}");
            assert!(positive.derivative(h).abs() <= bound, "slope at {h}");
        }
        for tension in [negative, positive] {
            let below = tension.derivative(tension.limit * (1.0 - 1e-9));
            let above = tension.derivative(tension.limit * (1.0 + 1e-9));
            assert!((above / below - 1.0).abs() < 1e-6, "slope jumps at the limit");
        }
    }
}
