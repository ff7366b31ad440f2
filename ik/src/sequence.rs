//! Whole animations: every frame known before the first is solved.

use elea_anim::{AnimError, Animation, Channel, Interpolation, Pose};

use crate::search::Search;
use crate::solver::{Method, Settings};
use crate::tracker::Leash;
use crate::{Chain, Goal, IkError, Solver, Tracker};

/// How an animation was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SequenceReport {
    /// Frames whose every goal was reached.
    pub reached: usize,
    /// Frames to which some axis turns by more than [`Tracker::max_step`] from the frame before.
    pub jumps: usize,
    /// The largest such turn, in radians (a translation: in chain lengths).
    pub largest_step: f64,
    /// Passes over the objective in all frames together.
    pub evaluations: u64,
}

/// How many tracks are followed through the animation, forward and as many backward.
const TRACKS: usize = 4;

/// Solves every frame of an animation, looking ahead: several tracks are followed from the first frame to the last and
/// from the last to the first, each of which jumps only where it comes to a dead end; then the way through their poses that
/// reaches the most frames with the fewest jumps is chosen (dynamic programming, R. Bellman 1957).
///
/// * `tracker`: its solver, [`max_step`](Tracker::max_step) and [`stiffness`](Tracker::stiffness) are used.
/// * `goals`: the goals of each frame; all frames need the same number of them on the same bones for a smooth result, but
///   that is not checked.
/// * `angles`: [`Chain::angle_count`] numbers for every frame, one frame after the other. In: the angles of the axes
///   that are off, and the pose from which the first frame is solved first. Out: the solution.
///
/// It allocates room for all tracks: `8 * frames * free axes` numbers.
///
/// # Errors
/// [`IkError::AngleCount`] if `angles` has another length; else the first error of any frame. `angles` is unchanged then.
///
/// ```
/// use elea_anim::{Transform, glam::Vec3};
/// use elea_ik::{Chain, ChainJoint, Goal, Solver, Tracker, solve_animation};
/// let mut chain = Chain::new();
/// let upper = chain.push(None, Transform::IDENTITY, ChainJoint::ball(2.0, 0.1))?;
/// let lower = chain.push(Some(upper), Transform::from_translation(Vec3::X), ChainJoint::ball(2.0, 0.1))?;
/// let target = |frame: u16| Vec3::new(1.2, 0.02 * f32::from(frame), 0.5);
/// let goals: Vec<[Goal; 1]> = (0..30).map(|frame| [Goal::position(lower, Vec3::X, target(frame))]).collect();
///
/// let mut angles = vec![0.0; goals.len() * chain.angle_count()];
/// let report = solve_animation(&mut Tracker::new(Solver::gauss_newton()), &chain, &goals, &mut angles)?;
/// assert_eq!((report.reached, report.jumps), (30, 0));
/// # Ok::<(), elea_ik::IkError>(())
/// ```
pub fn solve_animation<G: AsRef<[Goal]>>(
    tracker: &mut Tracker,
    chain: &Chain,
    goals: &[G],
    angles: &mut [f64],
) -> Result<SequenceReport, IkError> {
    let (count, frames) = (chain.angle_count(), goals.len());
    if angles.len() != frames * count {
        return Err(IkError::AngleCount {
            expected: frames * count,
            found: angles.len(),
        });
    }
    tracker.check()?;
    let settings = tracker.solver.settings();
    let mut tracks = Tracks {
        poses: vec![0.0; 2 * TRACKS * frames * chain.variables().len()],
        nodes: vec![Node::default(); 2 * TRACKS * frames],
        frames,
        variables: chain.variables().len(),
    };
    let mut report = SequenceReport::default();
    for track in 0..2 * TRACKS {
        let leash = Leash {
            max_step: tracker.max_step,
            stiffness: tracker.stiffness,
            near: None,
        };
        let Solver { method, search, .. } = &mut tracker.solver;
        report.evaluations +=
            tracks.follow(track, search, &settings, *method, chain, goals, angles, leash)?;
    }
    tracks.choose(tracker.max_step);
    tracks.write(
        &tracker.solver.search,
        chain,
        angles,
        &mut report,
        tracker.max_step,
    );
    Ok(report)
}

/// An animation with one rotation key per frame for every bone, and a translation key for those that translate.
///
/// * `angles`: frames one after the other, as [`solve_animation`] leaves them.
/// * `frame_time`: seconds from one frame to the next, above 0.
///
/// # Errors
/// [`AnimError::EditValue`] where `frame_time` is no positive number, [`AnimError::NoKeys`] where there are no frames,
/// [`AnimError::TimeNotFinite`], [`AnimError::TimeTooLarge`] and [`AnimError::ValueTooLarge`] where frames or positions
/// are beyond what a channel takes.
///
/// # Panics
/// If `angles` is not a whole number of frames of finite angles.
pub fn animation_from_angles(
    chain: &Chain,
    name: &str,
    angles: &[f64],
    frame_time: f32,
) -> Result<Animation, AnimError> {
    if !(frame_time.is_finite() && frame_time > 0.0) {
        return Err(AnimError::EditValue {
            what: "frame time",
            value: frame_time,
            expected: "a finite number of seconds above 0",
        });
    }
    let count = chain.angle_count().max(1);
    assert_eq!(angles.len() % count, 0, "a whole number of frames");
    let joints = chain.bones().map(|bone| bone.index() + 1).max().unwrap_or(0);
    let mut pose = Pose::identity(joints);
    let frames = angles.len() / count;
    let mut rotations = vec![Vec::with_capacity(frames); chain.len()];
    let mut translations = rotations_like(&rotations);
    let mut times = Vec::with_capacity(frames);
    for (frame, angles) in angles.chunks_exact(count).enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "frames; 2^24 of them are three days")]
        times.push(frame as f32 * frame_time);
        if chain.pose_from_angles(angles, &mut pose).is_err() {
            panic!("an angle of frame {frame} is not finite");
        }
        for (place, bone) in chain.bones().enumerate() {
            let transform = pose.get(bone);
            rotations[place].push(transform.rotation);
            translations[place].push(transform.translation);
        }
    }
    let mut channels = Vec::new();
    let times: std::sync::Arc<[f32]> = times.into();
    for (place, bone) in chain.bones().enumerate() {
        let values = core::mem::take(&mut rotations[place]);
        let values = elea_anim::Values::Rotation(values);
        channels.push(Channel::new(bone, Interpolation::Linear, times.clone(), values)?);
        if chain.bones[place].translates() {
            let values = elea_anim::Values::Translation(core::mem::take(&mut translations[place]));
            channels.push(Channel::new(bone, Interpolation::Linear, times.clone(), values)?);
        }
    }
    Ok(Animation::new(name, channels))
}

fn rotations_like<A, B: Clone>(lists: &[Vec<A>]) -> Vec<Vec<B>> {
    lists
        .iter()
        .map(|list| Vec::with_capacity(list.capacity()))
        .collect()
}

/// One pose of one track.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    reached: bool,
    /// Cost of the best way from the first frame to here, and the track it comes from.
    cost: f64,
    from: usize,
}

#[derive(Debug)]
struct Tracks {
    /// Track by track, frame by frame, variable by variable.
    poses: Vec<f64>,
    nodes: Vec<Node>,
    frames: usize,
    variables: usize,
}

impl Tracks {
    fn node(&self, track: usize, frame: usize) -> usize {
        track * self.frames + frame
    }

    fn pose(&self, track: usize, frame: usize) -> &[f64] {
        let first = self.node(track, frame) * self.variables;
        &self.poses[first..first + self.variables]
    }

    /// Fills one track; the even ones go forward, the odd ones backward.
    #[expect(clippy::too_many_arguments, reason = "a problem's parts")]
    fn follow<G: AsRef<[Goal]>>(
        &mut self,
        track: usize,
        search: &mut Search,
        settings: &Settings,
        method: Method,
        chain: &Chain,
        goals: &[G],
        angles: &[f64],
        leash: Leash<'_>,
    ) -> Result<u64, IkError> {
        let (count, mut evaluations) = (chain.angle_count(), 0);
        let mut last: Option<usize> = None;
        for step in 0..self.frames {
            let frame = if track.is_multiple_of(2) {
                step
            } else {
                self.frames - 1 - step
            };
            let start = &angles[frame * count..(frame + 1) * count];
            search.prepare(settings, chain, goals[frame].as_ref(), start)?;
            let mut reached = false;
            if let Some(last) = last {
                search.given.copy_from_slice(self.pose(track, last));
                reached = search.follow(settings, method, chain, leash).reached;
                search.leave_box(chain);
                search.hold(0.0);
            } else if track >= 2 {
                search.run_from(settings, method, chain, track / 2);
                reached = search.objective.largest_error() < settings.e_max;
            }
            if !reached {
                reached = search.solve(settings, method, chain).reached;
            }
            search.objective.measure_asked(chain);
            let node = self.node(track, frame);
            self.nodes[node].reached = reached && search.objective.largest_error() < settings.e_max;
            self.poses[node * self.variables..(node + 1) * self.variables].copy_from_slice(&search.x);
            evaluations += u64::from(search.objective.evaluations);
            last = Some(frame);
        }
        Ok(evaluations)
    }

    fn step(&self, from: (usize, usize), to: (usize, usize)) -> f64 {
        largest_difference(self.pose(from.0, from.1), self.pose(to.0, to.1))
    }

    /// The cheapest way to every node.
    fn choose(&mut self, max_step: f64) {
        /// A frame that is not reached costs more than any number of jumps, a jump more than any number of steps.
        const MISSED: f64 = 1e6;
        const JUMP: f64 = 1e3;
        for frame in 0..self.frames {
            for track in 0..2 * TRACKS {
                let mut best = (if frame == 0 { 0.0 } else { f64::INFINITY }, track);
                for from in 0..2 * TRACKS {
                    if frame == 0 {
                        break;
                    }
                    let step = self.step((from, frame - 1), (track, frame));
                    // Steps are squared: two small ones rather than a large one.
                    let steps = step / max_step.max(f64::MIN_POSITIVE);
                    let jump = if step > max_step * SAME {
                        JUMP + step
                    } else {
                        steps * steps
                    };
                    let cost = self.nodes[self.node(from, frame - 1)].cost + jump;
                    if cost < best.0 {
                        best = (cost, from);
                    }
                }
                let node = self.node(track, frame);
                let missed = if self.nodes[node].reached { 0.0 } else { MISSED };
                (self.nodes[node].cost, self.nodes[node].from) = (best.0 + missed, best.1);
            }
        }
    }

    /// Writes the best way's angles, last frame first.
    fn write(
        &self,
        search: &Search,
        chain: &Chain,
        angles: &mut [f64],
        report: &mut SequenceReport,
        max_step: f64,
    ) {
        let Some(last) = self.frames.checked_sub(1) else {
            return;
        };
        let cost = |track: &usize| self.nodes[self.node(*track, last)].cost;
        let mut track = (0..2 * TRACKS)
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
            .unwrap_or(0);
        let count = chain.angle_count();
        for frame in (0..self.frames).rev() {
            let node = self.nodes[self.node(track, frame)];
            let out = &mut angles[frame * count..(frame + 1) * count];
            search
                .objective
                .angles_from_variables(chain, self.pose(track, frame), out);
            report.reached += usize::from(node.reached);
            if frame > 0 {
                let step = self.step((node.from, frame - 1), (track, frame));
                report.jumps += usize::from(step > max_step * SAME);
                report.largest_step = report.largest_step.max(step);
            }
            track = node.from;
        }
    }
}

/// A step of exactly `max_step` is none too many: the bounds of the box round.
const SAME: f64 = 1.0 + 1e-9;

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
}
