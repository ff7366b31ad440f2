//! The shapes of the figure's parts. Each part is a closed surface of its own that ends inside its
//! neighbour (an arm inside the sleeve), so colours meet at clean edges.
//!
//! Metres in bind space; left-hand parts are mirrored for the right.

use glam::Vec3;

use super::bones::{ANKLE, ARM, PALM, SHOULDER, hand_point, wrist};
use super::field::{Loft, cut, ellipsoid, join, round_cone, within};

const BODY: [Vec3; 3] = [Vec3::X, Vec3::Z, Vec3::Y];

/// Everything that is lofted, built once.
#[derive(Debug)]
pub(crate) struct Body {
    torso: Loft,
    sleeve: Loft,
    pelvis: Loft,
    leg: Loft,
    arm: Loft,
    palm: Loft,
    neck: Loft,
    shoe: Loft,
    cuff: Loft,
}

impl Body {
    pub(crate) fn new() -> Self {
        Self {
            torso: Loft::new(
                Vec3::ZERO,
                BODY,
                0.012,
                [
                    [0.885, 0.0, -0.007, 0.183, 0.142],
                    [0.950, 0.0, -0.006, 0.179, 0.134],
                    [1.030, 0.0, -0.001, 0.161, 0.117],
                    [1.110, 0.0, 0.002, 0.146, 0.106],
                    [1.200, 0.0, 0.002, 0.153, 0.112],
                    [1.290, 0.0, 0.000, 0.170, 0.120],
                    [1.350, 0.0, -0.006, 0.177, 0.117],
                    [1.395, 0.0, -0.012, 0.174, 0.102],
                    [1.430, 0.0, -0.017, 0.150, 0.084],
                    [1.458, 0.0, -0.019, 0.098, 0.068],
                    [1.490, 0.0, -0.017, 0.058, 0.057],
                ],
            ),
            sleeve: Loft::new(
                SHOULDER,
                [Vec3::Z, PALM, ARM],
                0.008,
                [
                    [-0.080, 0.0, 0.030, 0.050, 0.042],
                    [-0.025, 0.0, 0.012, 0.062, 0.053],
                    [0.030, 0.0, 0.002, 0.063, 0.059],
                    [0.090, 0.0, 0.000, 0.057, 0.056],
                    [0.150, 0.0, 0.000, 0.054, 0.053],
                    [0.205, 0.0, 0.000, 0.054, 0.053],
                ],
            ),
            pelvis: Loft::new(
                Vec3::ZERO,
                BODY,
                0.045,
                [
                    [0.810, 0.0, -0.004, 0.120, 0.085],
                    [0.870, 0.0, -0.008, 0.160, 0.113],
                    [0.930, 0.0, -0.008, 0.160, 0.114],
                    [1.020, 0.0, -0.002, 0.148, 0.104],
                ],
            ),
            leg: Loft::new(
                Vec3::ZERO,
                BODY,
                0.010,
                [
                    [0.062, 0.096, -0.006, 0.055, 0.066],
                    [0.120, 0.095, -0.014, 0.050, 0.056],
                    [0.210, 0.095, -0.020, 0.051, 0.056],
                    [0.340, 0.096, -0.016, 0.059, 0.066],
                    [0.430, 0.095, -0.002, 0.058, 0.063],
                    [0.505, 0.094, 0.006, 0.059, 0.065],
                    [0.600, 0.094, 0.006, 0.067, 0.076],
                    [0.720, 0.093, 0.002, 0.080, 0.091],
                    [0.830, 0.090, -0.004, 0.087, 0.102],
                    [0.920, 0.086, -0.006, 0.080, 0.100],
                ],
            ),
            arm: Loft::new(
                SHOULDER,
                [Vec3::Z, PALM, ARM],
                0.020,
                [
                    [0.080, 0.0, 0.0, 0.045, 0.044],
                    [0.160, 0.0, 0.0, 0.045, 0.044],
                    [0.230, 0.0, 0.0, 0.040, 0.039],
                    [0.285, 0.001, 0.0, 0.039, 0.037],
                    [0.345, 0.004, 0.0, 0.042, 0.039],
                    [0.430, 0.003, 0.0, 0.034, 0.031],
                    [0.500, 0.0, 0.0, 0.028, 0.023],
                    [0.550, 0.0, 0.0, 0.029, 0.021],
                ],
            ),
            palm: Loft::new(
                wrist(),
                [Vec3::Z, PALM, ARM],
                0.014,
                [
                    [-0.025, 0.0, 0.0, 0.027, 0.022],
                    [0.015, 0.001, 0.0, 0.031, 0.019],
                    [0.060, 0.001, 0.001, 0.042, 0.018],
                    [0.102, -0.001, 0.002, 0.042, 0.014],
                ],
            ),
            neck: Loft::new(
                Vec3::ZERO,
                BODY,
                0.010,
                [
                    [1.420, 0.0, -0.020, 0.072, 0.060],
                    [1.475, 0.0, -0.018, 0.050, 0.051],
                    [1.530, 0.0, -0.010, 0.047, 0.050],
                    [1.600, 0.0, -0.004, 0.049, 0.055],
                ],
            ),
            shoe: Loft::new(
                Vec3::ZERO,
                [Vec3::X, Vec3::Y, Vec3::Z],
                0.016,
                [
                    [-0.078, 0.096, 0.042, 0.031, 0.040],
                    [-0.045, 0.096, 0.045, 0.037, 0.052],
                    [0.000, 0.096, 0.044, 0.039, 0.058],
                    [0.045, 0.097, 0.036, 0.042, 0.052],
                    [0.090, 0.099, 0.028, 0.048, 0.042],
                    [0.130, 0.100, 0.022, 0.051, 0.036],
                    [0.165, 0.098, 0.018, 0.044, 0.031],
                    [0.190, 0.095, 0.016, 0.028, 0.025],
                ],
            ),
            cuff: Loft::new(
                Vec3::new(ANKLE.x, 0.0, ANKLE.z),
                BODY,
                0.012,
                [
                    [0.040, 0.0, 0.000, 0.036, 0.046],
                    [0.085, 0.0, -0.002, 0.037, 0.044],
                    [0.118, 0.0, -0.003, 0.038, 0.045],
                ],
            ),
        }
    }

    /// T-shirt: torso with both sleeves.
    pub(crate) fn shirt(&self, p: Vec3) -> f32 {
        let side = Vec3::new(p.x.abs(), p.y, p.z);
        join(self.torso.distance(p), self.sleeve.distance(side), 0.06)
    }

    /// By how much `p` is nearer to the left sleeve than to the torso; metres.
    pub(crate) fn nearer_to_sleeve(&self, p: Vec3) -> f32 {
        self.torso.distance(p) - self.sleeve.distance(p)
    }

    pub(crate) fn trousers(&self, p: Vec3) -> f32 {
        let other = Vec3::new(-p.x, p.y, p.z);
        // A narrow seam between the legs, a wide one to the pelvis.
        let legs = join(self.leg.distance(p), self.leg.distance(other), 0.012);
        join(legs, self.pelvis.distance(p), 0.05)
    }

    /// Left arm with hand and fingers, from inside the sleeve.
    pub(crate) fn arm(&self, p: Vec3) -> f32 {
        let arm = join(self.arm.distance(p), self.palm.distance(p), 0.02);
        // Away from the hand its fingers are no concern.
        if (p - wrist()).dot(ARM) < -0.06 {
            return arm;
        }
        let mut fingers = f32::INFINITY;
        // Across the palm from the index finger: root, first joint, tip; radius.
        for (across, root, length, radius) in [
            (0.031, 0.090, 0.078, 0.0098),
            (0.0105, 0.094, 0.088, 0.0102),
            (-0.0105, 0.092, 0.081, 0.0098),
            (-0.030, 0.084, 0.063, 0.0088),
        ] {
            let spread = 1.0 + 0.18 * length / 0.088;
            let a = hand_point(root, across, 0.002);
            let b = hand_point(
                root + 0.48 * length,
                across * (1.0 + 0.5 * (spread - 1.0)),
                0.0035,
            );
            let c = hand_point(root + length, across * spread, 0.0095);
            let finger = join(
                round_cone(p, a, b, radius, radius * 0.93),
                round_cone(p, b, c, radius * 0.93, radius * 0.78),
                0.006,
            );
            fingers = join(fingers, finger, 0.003);
        }
        let hand = join(arm, fingers, 0.012);
        let thumb = [
            hand_point(0.022, 0.018, 0.004),
            hand_point(0.064, 0.050, 0.014),
            hand_point(0.096, 0.062, 0.018),
        ];
        let thumb = join(
            round_cone(p, thumb[0], thumb[1], 0.0165, 0.0115),
            round_cone(p, thumb[1], thumb[2], 0.0115, 0.0092),
            0.008,
        );
        join(hand, thumb, 0.018)
    }

    /// Head with neck, nose and ears.
    pub(crate) fn head(&self, p: Vec3) -> f32 {
        let side = Vec3::new(p.x.abs(), p.y, p.z);
        let skull = ellipsoid(p, Vec3::new(0.0, 1.662, -0.006), Vec3::new(0.074, 0.086, 0.094));
        let jaw = round_cone(
            p,
            Vec3::new(0.0, 1.620, 0.024),
            Vec3::new(0.0, 1.560, 0.052),
            0.062,
            0.034,
        );
        let cheeks = ellipsoid(
            side,
            Vec3::new(0.030, 1.612, 0.052),
            Vec3::new(0.032, 0.034, 0.034),
        );
        let mut head = join(skull, jaw, 0.04);
        head = join(head, cheeks, 0.03);
        head = join(head, self.neck.distance(p), 0.03);
        let socket = ellipsoid(
            side,
            Vec3::new(0.030, 1.645, 0.101),
            Vec3::new(0.022, 0.013, 0.016),
        );
        head = cut(head, socket, 0.018);
        let nose = round_cone(
            p,
            Vec3::new(0.0, 1.648, 0.088),
            Vec3::new(0.0, 1.611, 0.107),
            0.008,
            0.0125,
        );
        head = join(head, nose, 0.014);
        let ear = ellipsoid(
            side,
            Vec3::new(0.074, 1.632, -0.010),
            Vec3::new(0.010, 0.030, 0.019),
        );
        join(head, ear, 0.008)
    }

    pub(crate) fn hair(&self, p: Vec3) -> f32 {
        let top = ellipsoid(p, Vec3::new(0.0, 1.672, -0.012), Vec3::new(0.085, 0.096, 0.103));
        let nape = ellipsoid(p, Vec3::new(0.0, 1.610, -0.058), Vec3::new(0.060, 0.066, 0.045));
        let face = ellipsoid(p, Vec3::new(0.0, 1.590, 0.085), Vec3::new(0.120, 0.112, 0.095));
        let quiff = ellipsoid(p, Vec3::new(0.012, 1.738, 0.055), Vec3::new(0.056, 0.026, 0.040));
        let shell = join(cut(join(top, nape, 0.03), face, 0.014), quiff, 0.03);
        within(shell, 1.575 - p.y, 0.02)
    }

    /// Left eye: a ball in the socket.
    pub(crate) fn eye(&self, p: Vec3) -> f32 {
        ellipsoid(p, EYE, Vec3::new(0.0155, 0.0098, 0.0118))
    }

    /// Left iris and pupil: the dark middle of the eye.
    pub(crate) fn iris(&self, p: Vec3) -> f32 {
        ellipsoid(
            p,
            EYE + Vec3::new(-0.001, 0.0, 0.0065),
            Vec3::new(0.0076, 0.0080, 0.0066),
        )
    }

    /// Left eyebrow.
    pub(crate) fn brow(&self, p: Vec3) -> f32 {
        let (inner, outer) = (Vec3::new(0.017, 1.6720, 0.0885), Vec3::new(0.045, 1.6715, 0.0740));
        round_cone(p, inner, outer, 0.0046, 0.0034)
    }

    pub(crate) fn mouth(&self, p: Vec3) -> f32 {
        let half = |x: f32| Vec3::new(x, 1.5775 + 12.0 * x * x, 0.0865 - 6.0 * x * x);
        let side = Vec3::new(p.x.abs(), p.y, p.z);
        round_cone(side, half(0.0), half(0.021), 0.0056, 0.0030)
    }

    /// Left shoe above the sole.
    pub(crate) fn shoe(&self, p: Vec3) -> f32 {
        let shoe = join(self.shoe.distance(p), self.cuff.distance(p), 0.03);
        within(shoe, SOLE - 0.004 - p.y, 0.004)
    }

    /// Left sole: the shoe's outline, a little wider, flat below.
    pub(crate) fn sole(&self, p: Vec3) -> f32 {
        // The outline is the shoe's where it is widest.
        let outline = self.shoe.distance(Vec3::new(p.x, 0.03, p.z)) - 0.003;
        let slab = (p.y - SOLE).max(-p.y);
        within(outline, slab, 0.008)
    }
}

/// The left eye's centre.
pub(crate) const EYE: Vec3 = Vec3::new(0.0305, 1.645, 0.0765);
/// Height of the sole's upper edge.
const SOLE: f32 = 0.024;
