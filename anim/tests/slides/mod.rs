//! Two joints that slide along x: what the tests of the multiplexer play.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(clippy::cast_possible_truncation, reason = "small counts")]

use std::sync::Arc;

use elea_anim::{
    Animation, Animux, BakeOptions, Channel, Clip, Event, Interpolation, Joint, JointId, Key, Layer, LayerId,
    Marker, Pose, RootMotion, RootTrack, Scratch, Skeleton, Transform, Transition, glam::Vec3,
};

pub const ROOT: JointId = JointId(0);

pub fn skeleton() -> Skeleton {
    let joint = |name: &str, parent| Joint {
        name: name.into(),
        parent,
        rest: Transform::IDENTITY,
    };
    Skeleton::new(vec![joint("root", None), joint("tip", Some(ROOT))]).unwrap()
}

pub fn bake(animation: &Animation) -> Arc<Clip> {
    Arc::new(animation.bake(&skeleton(), &BakeOptions::default()).unwrap().0)
}

/// Both joints move along x, from `from` at `start` to `to` at `end`.
pub fn slide(from: f32, to: f32, start: f32, end: f32) -> Animation {
    let keys = [Key::new(start, Vec3::X * from), Key::new(end, Vec3::X * to)];
    let channel = |joint| Channel::translation(JointId(joint), Interpolation::Linear, &keys).unwrap();
    Animation::new("slide", (0..2).map(channel).collect())
}

pub fn marked(mut animation: Animation, markers: &[(f32, &str)]) -> Animation {
    animation.markers = markers
        .iter()
        .map(|&(time, name)| Marker::new(time, name))
        .collect();
    animation
}

pub fn heard_at(mut animation: Animation, times: &[f32]) -> Animation {
    animation.events = times.iter().map(|&time| Marker::new(time, "event")).collect();
    animation
}

pub fn playing(animation: &Animation, layer: Layer) -> (Animux, LayerId) {
    let mut animux = Animux::new(&skeleton());
    let id = animux.add_layer(layer);
    animux.play(id, bake(animation), Transition::Cut);
    (animux, id)
}

pub fn events(animux: &mut Animux, dt: f32) -> Vec<Event> {
    let mut events = Vec::new();
    let _ = animux.advance(dt, |event| events.push(event));
    events
}

pub fn step(animux: &mut Animux, dt: f32) -> RootMotion {
    animux.advance(dt, |_| {})
}

pub fn pose(animux: &mut Animux) -> Pose {
    let mut pose = Pose::identity(2);
    let _ = animux.evaluate(&skeleton(), &mut Scratch::new(), &mut pose);
    pose
}

pub fn tip(animux: &mut Animux) -> f32 {
    pose(animux).get(JointId(1)).translation.x
}

pub fn position(animux: &Animux, id: LayerId) -> f64 {
    let (clip, time) = animux.playing(id).unwrap();
    f64::from(time) - f64::from(clip.start())
}

pub fn close(found: impl Into<f64>, expected: f64, tolerance: f64, what: &str) {
    let found = found.into();
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found}, not {expected}"
    );
}

/// Numbers of -1..1, the same in every run.
pub fn random(seed: &mut u64) -> f32 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    f32::from(i16::try_from((*seed >> 48) as i64 - 32_768).unwrap()) / 32_768.0
}

/// The root's motion on the plane is the character's.
pub fn walking(animux: &mut Animux) {
    animux.set_root_motion(Some(RootTrack {
        joint: ROOT,
        axes: [true, false, true],
        turn: None,
    }));
}

/// x(t) = new(t) + offset (1 - 10 s^3 + 15 s^4 - 6 s^5) + velocity T (s - 6 s^3 + 8 s^4 - 3 s^5).
pub fn inertialized(offset: f64, velocity: f64, seconds: f64, after: f64) -> f64 {
    let s = (after / seconds).min(1.0);
    let [c, d, e] = [s.powi(3), s.powi(4), s.powi(5)];
    offset * (1.0 - 10.0 * c + 15.0 * d - 6.0 * e) + velocity * seconds * (s - 6.0 * c + 8.0 * d - 3.0 * e)
}
