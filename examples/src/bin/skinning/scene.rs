//! What happens: clips on an animation multiplexer, the hand on its target, and the frames of it.
//! Knows nothing of how pictures are drawn.

#[cfg(feature = "window")]
mod live;

use std::sync::Arc;

use elea_anim::{
    Animation, Animux, BakeOptions, Channel, Clip, Interpolation, JointId, Key, Layer, LayerId, Loop, Mask,
    Pose, RootTrack, Scratch, Skeleton, Stage, Transform, Transition, local_to_model,
};
use glam::{Affine3A, Quat, Vec3};

use crate::camera::Camera;
use crate::clips::{self, gait};
use crate::figure::{Figure, GROUND_PERIOD};
use crate::frame::Frame;
use crate::reach::Reach;
use crate::shadow;

#[cfg(feature = "window")]
pub(crate) use self::live::{Live, Weights};

/// Frames a second of everything that is drawn; a GIF's delays are whole hundredths.
pub(crate) const RATE: u32 = 25;
/// Seconds from frame to frame.
const FRAME_TIME: f32 = 1.0 / RATE as f32;
/// Frames after which the figure's own performance repeats: two strides, four waves, one round of the ball.
pub(crate) const OWN_FRAMES: usize = 52;
/// Frames to either side over which camera and ball are steadied.
const STEADY: usize = 13;
/// The height that the camera looks at.
const FOCUS_HEIGHT: f32 = 0.88;
/// Seconds in which the ball goes round once.
const BALL_PERIOD: f32 = 2.0 * gait::PERIOD;

/// One moment of the performance.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// Local space, with the figure's way in its hips: all that [`write`](elea_anim::bvh::write) needs.
    pub(crate) pose: Pose,
    /// Model from joint.
    model: Vec<Affine3A>,
    ball: Vec3,
    /// On the ground below the figure, steadied.
    place: Vec3,
    /// Steadied; radians from +Z towards +X.
    heading: f32,
    /// From the palm to the ball, metres.
    pub(crate) miss: f32,
}

/// Plays the performance: a walk (or a recorded motion) on the body, a wave on the right arm, the
/// left hand on the ball.
pub(crate) struct Scene<'a> {
    figure: &'a Figure,
    body: Arc<Clip>,
    wave: Arc<Clip>,
    recorded: bool,
    reach: Reach,
}

impl<'a> Scene<'a> {
    /// `recorded`: a motion of the figure's skeleton in place of its own walk.
    pub(crate) fn new(figure: &'a Figure, recorded: Option<&Animation>) -> Self {
        let skeleton = &figure.skeleton;
        let bake = |animation: &Animation| {
            let (clip, _) = animation
                .bake(skeleton, &BakeOptions::default())
                .expect("channels of the figure's joints");
            Arc::new(clip)
        };
        let body = recorded.map_or_else(|| bake(&clips::walk(skeleton)), bake);
        Self {
            figure,
            body,
            wave: bake(&clips::wave(skeleton)),
            recorded: recorded.is_some(),
            reach: Reach::new(skeleton),
        }
    }

    /// Frames of the whole performance: one period, or the recorded motion's length.
    pub(crate) fn frames(&self) -> usize {
        if self.recorded {
            #[expect(clippy::cast_possible_truncation, reason = "a motion of hours has 1e6 frames")]
            #[expect(clippy::cast_sign_loss, reason = "not negative")]
            let frames = (self.body.duration() / FRAME_TIME + 0.01) as usize;
            frames + 1
        } else {
            OWN_FRAMES
        }
    }

    /// The moment for the large picture, of so many.
    pub(crate) fn showpiece(&self, moments: usize) -> usize {
        // Its own walk: the right heel strikes, the ball is high. A recorded motion: somewhere inside.
        if self.recorded {
            moments / 3
        } else {
            14.min(moments - 1)
        }
    }

    /// The moments for the small pictures, of so many: one stride, or the whole recorded motion.
    pub(crate) fn looks(&self, moments: usize) -> [usize; 4] {
        let span = if self.recorded {
            moments
        } else {
            moments.div_ceil(2)
        };
        [0, 1, 2, 3]
            .map(|k| (2 * k + 1) * span / 8)
            .map(|k| k.min(moments - 1))
    }

    /// The layers: body, then arm.
    fn animux(&self, looping: Loop) -> (Animux, [LayerId; 2]) {
        let skeleton = &self.figure.skeleton;
        let id = |name: &str| skeleton.joint(name).expect("a joint of the figure");
        let mut animux = Animux::new(skeleton);
        animux.set_root_motion(Some(RootTrack {
            joint: id("Hips"),
            axes: [true, false, true],
            turn: None,
        }));
        let body = animux.add_layer(Layer {
            looping,
            ..Layer::default()
        });
        let arm = animux.add_layer(Layer {
            mask: Some(Mask::subtree(skeleton, id("RightShoulder"))),
            ..Layer::default()
        });
        animux.play(body, Arc::clone(&self.body), Transition::Cut);
        animux.play(arm, Arc::clone(&self.wave), Transition::Cut);
        (animux, [body, arm])
    }

    /// For a performance with an end: a recorded motion is played once.
    const fn looping(&self) -> Loop {
        if self.recorded { Loop::Once } else { Loop::Repeat }
    }

    /// Plays from the beginning.
    pub(crate) fn play(&mut self, frames: usize) -> Vec<Moment> {
        let skeleton = &self.figure.skeleton;
        // The figure's own performance is periodic: with a stretch before and after, its first frame
        // follows its last one.
        let margin = if self.recorded { 0 } else { STEADY };
        let total = frames + 2 * margin;

        // First without the hand, to see where the figure goes and faces.
        let ways = self.ways(total);
        let steady = steadied(&ways);

        let (mut animux, _) = self.animux(self.looping());
        let (mut scratch, mut pose) = (Scratch::new(), skeleton.rest_pose().clone());
        let hips = skeleton.joint("Hips").expect("a joint of the figure");
        let mut way = Vec3::ZERO;
        self.reach.reset();
        let mut moments = Vec::with_capacity(frames);
        for (index, place) in steady.iter().enumerate() {
            if index > 0 {
                way += animux.advance(FRAME_TIME, |_| ()).translation;
            }
            #[expect(clippy::cast_precision_loss, reason = "a count of frames")]
            let time = (index as f32 - margin as f32) * FRAME_TIME;
            let ball = place.chest + Quat::from_rotation_y(place.heading) * ball_path(time);
            self.reach.target = ball - way;
            self.reach.heading = place.heading;
            let stage = Stage {
                after: None,
                modifier: &mut self.reach,
            };
            let _ = animux.evaluate_with(skeleton, &mut scratch, &mut pose, &mut [stage]);
            if index < margin || moments.len() == frames {
                continue;
            }
            let mut whole = pose.clone();
            whole.set_translation(hips, pose.get(hips).translation + way);
            let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
            local_to_model(skeleton, &whole, &mut model);
            moments.push(Moment {
                pose: whole,
                model,
                ball,
                place: place.point,
                heading: place.heading,
                miss: self.reach.miss,
            });
        }
        moments
    }

    /// Where the hips are above the ground and where they face, frame by frame.
    fn ways(&self, frames: usize) -> Vec<Place> {
        let skeleton = &self.figure.skeleton;
        let (mut animux, _) = self.animux(self.looping());
        let (mut scratch, mut pose) = (Scratch::new(), skeleton.rest_pose().clone());
        let id = |name: &str| skeleton.joint(name).expect("a joint of the figure");
        let (hips, chest) = (id("Hips"), id("Spine2"));
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        let mut way = Vec3::ZERO;
        (0..frames)
            .map(|index| {
                if index > 0 {
                    way += animux.advance(FRAME_TIME, |_| ()).translation;
                }
                let _ = animux.evaluate(skeleton, &mut scratch, &mut pose);
                local_to_model(skeleton, &pose, &mut model);
                place_of(pose.get(hips), model[chest.index()], way)
            })
            .collect()
    }

    /// The picture's input for a moment.
    pub(crate) fn frame(&self, moment: &Moment, view: View, aspect: f32) -> Frame {
        let focus = moment.place + Vec3::Y * FOCUS_HEIGHT;
        let camera = Camera::orbit(
            focus + Quat::from_rotation_y(moment.heading) * Vec3::new(0.0, view.raised, view.ahead),
            moment.heading + view.turn,
            view.rise,
            view.distance,
        );
        let mut model = moment.model.clone();
        let tiles = (moment.place / GROUND_PERIOD).floor() * GROUND_PERIOD;
        model.resize(self.figure.mesh.inverse_bind.len(), Affine3A::IDENTITY);
        model[self.figure.ground] = Affine3A::from_translation(tiles);
        model[self.figure.ball] = Affine3A::from_translation(moment.ball);
        Frame {
            model,
            view_projection: camera.view_projection(aspect),
            eye: camera.eye,
            focus: moment.place,
            light: Quat::from_rotation_y(moment.heading) * Vec3::new(0.42, 0.80, 0.46).normalize(),
            capsules: shadow::capsules(&self.figure.skeleton, &moment.model),
        }
    }
}

/// Where the camera stands, seen from the figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Radians from the front towards the figure's left.
    pub(crate) turn: f32,
    /// Radians above the horizontal.
    pub(crate) rise: f32,
    /// Metres.
    pub(crate) distance: f32,
    /// How far the focus is raised, metres.
    pub(crate) raised: f32,
    /// How far the focus is ahead of the figure, metres.
    pub(crate) ahead: f32,
}

/// The ball's way round, seen from the figure's chest: metres to its left, up, ahead.
fn ball_path(time: f32) -> Vec3 {
    let turn = std::f32::consts::TAU * time / BALL_PERIOD;
    Vec3::new(
        0.27 + 0.11 * turn.sin(),
        -0.08 + 0.09 * (2.0 * turn).sin(),
        0.40 + 0.04 * turn.cos(),
    )
}

#[derive(Debug, Clone, Copy)]
struct Place {
    /// On the ground below the hips.
    point: Vec3,
    chest: Vec3,
    heading: f32,
}

/// Where the figure is, from its hips in local space and its chest in model space, both without its way.
fn place_of(hips: Transform, chest: Affine3A, way: Vec3) -> Place {
    let left = hips.rotation * Vec3::X;
    Place {
        point: (hips.translation + way) * Vec3::new(1.0, 0.0, 1.0),
        chest: Vec3::from(chest.translation) + way,
        heading: (-left.z).atan2(left.x),
    }
}

/// Moving means over [`STEADY`] frames to either side, of points and of directions.
fn steadied(ways: &[Place]) -> Vec<Place> {
    let last = ways.len() - 1;
    (0..ways.len())
        .map(|index| {
            // At the ends the window shrinks on both sides, so that it stays centred.
            let reach = STEADY.min(index).min(last - index);
            let window = &ways[index - reach..=index + reach];
            let (mut point, mut chest, mut facing) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
            for way in window {
                point += way.point;
                chest += way.chest;
                facing += Vec3::new(way.heading.sin(), 0.0, way.heading.cos());
            }
            #[expect(clippy::cast_precision_loss, reason = "at most 27")]
            let count = window.len() as f32;
            Place {
                point: point / count,
                chest: chest / count,
                heading: facing.x.atan2(facing.z),
            }
        })
        .collect()
}

/// The moments as an animation of the figure's skeleton.
pub(crate) fn recording(skeleton: &Skeleton, moments: &[Moment]) -> Animation {
    let time = |index: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a count of frames")]
        let time = index as f32 * FRAME_TIME;
        time
    };
    let linear = Interpolation::Linear;
    let mut channels = Vec::new();
    for id in skeleton.joints() {
        let keys: Vec<Key<Quat>> = moments
            .iter()
            .enumerate()
            .map(|(index, moment)| Key::new(time(index), moment.pose.get(id).rotation))
            .collect();
        channels.push(Channel::rotation(id, linear, &keys).expect("finite keys in order"));
    }
    let keys: Vec<Key<Vec3>> = moments
        .iter()
        .enumerate()
        .map(|(index, moment)| Key::new(time(index), moment.pose.get(JointId(0)).translation))
        .collect();
    channels.push(Channel::translation(JointId(0), linear, &keys).expect("finite keys in order"));
    Animation::new("performance", channels)
}
