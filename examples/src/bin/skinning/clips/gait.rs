//! The walk: what feet, pelvis, trunk and arms do over one cycle.
//!
//! The feet are placed first (heel strike, flat foot, roll over the ball, swing), then the legs
//! are bent to reach them, so that a standing foot stays where it is on the ground.

use std::f32::consts::TAU;

use glam::{Quat, Vec2, Vec3};

use super::{Keys, bend, curl, limb, mirrored};
use crate::figure::bones::{ANKLE, BALL, HIP, KNEE};
use crate::lighting::smoothstep;

/// Seconds from left heel strike to left heel strike.
pub(crate) const PERIOD: f32 = 1.04;
/// Metres that the figure goes in a cycle.
pub(crate) const STRIDE: f32 = 1.12;

/// Part of the cycle that a foot is on the ground.
const STANCE: f32 = 0.62;
/// When the sole is flat, and when the heel leaves the ground.
const FLAT: f32 = 0.10;
const HEEL_OFF: f32 = 0.36;
/// Where a flat foot's ankle is at heel strike, ahead of the hips.
const STRIKE: f32 = 0.325;
const TOES_UP: f32 = 0.33;
const HEEL_UP: f32 = 1.00;
const TOES_OUT: f32 = 0.087;
/// Behind and below the ankle: where the heel touches; (z, y).
const HEEL: Vec2 = Vec2::new(-0.055, -ANKLE.y);
const BALL_FROM_ANKLE: Vec2 = Vec2::new(BALL.z - ANKLE.z, BALL.y - ANKLE.y);

const HIP_HEIGHT: f32 = 0.889;
const BOB: f32 = 0.021;

/// A foot at one moment: the ankle's (z, y), the foot's pitch (radians, toes up) and the toes' own
/// pitch against the foot.
#[derive(Clone, Copy)]
struct Foot {
    ankle: Vec2,
    /// By how much the ankle is ahead of where the flat foot had it.
    ahead: f32,
    pitch: f32,
    toes: f32,
}

/// (z, y) turned toes-up by `angle`.
fn pitched(v: Vec2, angle: f32) -> Vec2 {
    let (sine, cosine) = angle.sin_cos();
    Vec2::new(v.x * cosine - v.y * sine, v.y * cosine + v.x * sine)
}

/// `phase` of this foot: 0 at its heel strike; up to [`STANCE`].
fn stance(phase: f32) -> Foot {
    let ground = Vec2::new(STRIKE - STRIDE * phase, 0.0);
    let flat = ground + Vec2::new(0.0, ANKLE.y);
    if phase < HEEL_OFF {
        let pitch = TOES_UP * (1.0 - smoothstep(-FLAT, FLAT, phase)) * 2.0;
        let heel = flat + HEEL;
        let ankle = heel - pitched(HEEL, pitch);
        Foot {
            ankle,
            ahead: ankle.x - flat.x,
            pitch,
            toes: 0.0,
        }
    } else {
        let rise = ((phase - HEEL_OFF) / (STANCE - HEEL_OFF)).powf(1.8);
        let pitch = -HEEL_UP * rise;
        let ball = flat + BALL_FROM_ANKLE;
        let ankle = ball - pitched(BALL_FROM_ANKLE, pitch);
        Foot {
            ankle,
            ahead: ankle.x - flat.x,
            pitch,
            toes: -pitch,
        }
    }
}

/// `phase` of this foot, 0 to 1.
fn foot(phase: f32) -> Foot {
    if phase <= STANCE {
        return stance(phase);
    }
    const STEP: f32 = 0.004;
    let u = (phase - STANCE) / (1.0 - STANCE);
    let (from, to) = (stance(STANCE), stance(0.0));
    let to_ankle = to.ankle;
    // A cubic whose ends move as the stance does there; the y of the foot gets a lift on top.
    let width = 1.0 - STANCE;
    let speed_from = (from.ankle - stance(STANCE - STEP).ankle) / STEP * width;
    let speed_to = (stance(STEP).ankle - to_ankle) / STEP * width;
    let (u2, u3) = (u * u, u * u * u);
    let mut ankle = from.ankle * (2.0 * u3 - 3.0 * u2 + 1.0)
        + speed_from * (u3 - 2.0 * u2 + u)
        + to_ankle * (3.0 * u2 - 2.0 * u3)
        + speed_to * (u3 - u2);
    ankle.y += 0.012 * (std::f32::consts::PI * u).sin().powi(2);
    let pitch = from.pitch + (to.pitch - from.pitch) * (1.0 - (1.0 - (u / 0.9).min(1.0)).powi(2));
    Foot {
        ankle,
        ahead: from.ahead + (to.ahead - from.ahead) * smoothstep(0.0, 1.0, u),
        pitch,
        toes: from.toes * (1.0 - smoothstep(0.0, 0.35, u)) + 0.12 * smoothstep(0.3, 1.0, u)
            - 0.12 * smoothstep(0.85, 1.0, u),
    }
}

/// Writes every joint's key at `time`; `phase` 0 to 1 from left heel strike.
pub(super) fn write(keys: &mut Keys<'_>, time: f32, phase: f32) {
    let turn = TAU * phase;
    let degrees = |d: f32| d.to_radians();

    // All below is as on a treadmill; only the hips' key has the way in it.
    // Pelvis: up at mid-stance, over the standing leg, its leading side ahead, its swinging side low.
    let height = HIP_HEIGHT - BOB * (2.0 * turn - 0.35).cos() - HIP.y;
    let shift = Vec3::new(0.020 * (turn - 0.1).sin(), height, 0.010);
    let pelvis = Quat::from_rotation_y(degrees(-6.0 * turn.cos()))
        * Quat::from_rotation_z(degrees(3.2 * (turn - 0.2).sin()))
        * Quat::from_rotation_x(degrees(3.0));
    let hips = keys.skeleton.rest_pose().get(keys.id("Hips")).translation;
    keys.translation("Hips", time, hips + shift + Vec3::Z * (STRIDE * phase));
    keys.rotation("Hips", time, pelvis);

    // Trunk: the chest turns against the pelvis, the head looks ahead.
    let chest_turn = 6.0 * turn.cos();
    let vertebra = Quat::from_rotation_y(degrees((chest_turn + 6.0 * turn.cos()) / 3.0))
        * Quat::from_rotation_z(degrees(-4.2 * (turn - 0.2).sin() / 3.0))
        * Quat::from_rotation_x(degrees(-0.6));
    for joint in ["Spine", "Spine1", "Spine2"] {
        keys.rotation(joint, time, vertebra);
    }
    let look = Quat::from_rotation_y(degrees(-chest_turn * 0.48))
        * Quat::from_rotation_z(degrees(0.5 * (turn - 0.2).sin()))
        * Quat::from_rotation_x(degrees(0.8 * (2.0 * turn).cos()));
    keys.rotation("Neck", time, look);
    keys.rotation("Head", time, look);

    for left in [true, false] {
        let side = if left { 1.0 } else { -1.0 };
        let own = if left { phase } else { (phase + 0.5) % 1.0 };
        let flip = |q: Quat| if left { q } else { mirrored(q) };
        let name = |joint: &str| format!("{}{joint}", if left { "Left" } else { "Right" });

        // Leg: placed in the model, then made local.
        let out = |p: Vec3| Vec3::new(p.x * side, p.y, p.z);
        let foot = foot(own);
        let hip = hips + shift + pelvis * (out(HIP) - hips);
        // The feet land nearer to the middle than the hips are apart.
        // Turned out, a foot that rolls moves its ankle along its own line.
        let outwards = TOES_OUT.tan() * foot.ahead;
        let ankle = Vec3::new(side * (0.076 + outwards), foot.ankle.y, foot.ankle.x);
        let knees_ahead = Vec3::new(side * 0.10, 0.0, 1.0);
        let [thigh, shin] = limb::place([out(HIP), out(KNEE), out(ANKLE)], hip, ankle, knees_ahead);
        let ground = Quat::from_rotation_y(side * TOES_OUT) * Quat::from_rotation_x(-foot.pitch);
        keys.rotation(&name("UpLeg"), time, pelvis.inverse() * thigh);
        keys.rotation(&name("Leg"), time, thigh.inverse() * shin);
        keys.rotation(&name("Foot"), time, shin.inverse() * ground);
        keys.rotation(&name("ToeBase"), time, Quat::from_rotation_x(-foot.toes));

        // Arm: against its leg, the elbow more bent in front.
        let swing = -(TAU * own - 0.25).cos();
        let down = Quat::from_rotation_z(degrees(-77.0));
        let forward = Quat::from_rotation_x(degrees(-(24.0 * swing + 1.0)));
        let inwards = Quat::from_rotation_y(degrees(-2.0 - 4.0 * swing.max(0.0)));
        keys.rotation(
            &name("Shoulder"),
            time,
            flip(Quat::from_rotation_y(degrees(-3.0 * swing))),
        );
        keys.rotation(&name("Arm"), time, flip(inwards * forward * down));
        let bent = bend(degrees(22.0 + 13.0 * swing));
        keys.rotation(&name("ForeArm"), time, flip(bent));
        keys.rotation(&name("Hand"), time, flip(curl(6.0)));
        keys.rotation(&name("HandMiddle1"), time, flip(curl(24.0)));
        keys.rotation(&name("HandMiddle2"), time, flip(curl(28.0)));
        keys.rotation(&name("HandThumb1"), time, flip(curl(8.0)));
    }
}
