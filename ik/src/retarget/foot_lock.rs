//! Feet that stand in the source stay where they are in the target.
//!
//! Works on a whole clip. The moments of contact are the source's. While a foot stands, its sole's point is held: level at
//! one place, the mean of where it would have been, and at the height that the source's has. The hips give way first: their path is
//! bent, smoothly and as little as that needs, towards where the standing feet want it, which leaves the legs' poses
//! alone while one foot stands. What is left where two feet disagree is bent away by the legs, and fades out behind each contact.

use glam::{Quat, Vec3};

use super::{
    contact::low,
    plan::{Limb, Plan},
    retargeter::{bend_to, limb_reach},
};

/// A foot stands while it is slower than this and lower than that over its ground, in statures (per second).
const SPEED: f32 = 0.255;
const HEIGHT: f32 = 0.061;

/// Speeds are measured over this time (seconds), which keeps the noise of fast recordings out; contacts that are not
/// further apart are one.
const WINDOW: f32 = 1.0 / 30.0;

/// A contact takes hold of the hips within this time of its ends (seconds).
const RAMP: f32 = 0.12;

/// What is left of a contact's correction fades within this time of it (seconds): a third of a leg's swing.
const FADE: f32 = 0.15;

/// The hips' path is smoothed over about this time (seconds).
const SMOOTH: f32 = 0.03;

/// How strongly the hips are held on their own path, a standing foot being 1: drift over many steps fades, single steps
/// are free.
const HOME: f64 = 0.02;

/// Places of contacts and path of the hips depend on each other; each round settles the half of what is left.
const ROUNDS: usize = 6;

/// The frames of a clip, before and after.
#[derive(Debug)]
pub(super) struct Frames<'a> {
    pub(super) times: &'a [f32],
    /// Model rotations of the driven joints, frame by frame.
    pub(super) driven: &'a mut [Quat],
    /// Where the middle of the hips is.
    pub(super) hips: &'a mut [Vec3],
    /// The source's ankle and sole points of each leg, in the target's world, scaled.
    pub(super) source: &'a [Vec<[Vec3; 2]>; 2],
}

/// One foot over the clip.
struct Foot {
    /// First and last frame of each contact.
    runs: Vec<[usize; 2]>,
    /// How much each frame of a contact pulls the hips.
    weights: Vec<f64>,
    /// Where the sole's point is without the lock.
    sole: Vec<Vec3>,
    /// From there to where it is held; in contacts alone.
    pull: Vec<Vec3>,
    /// What the leg does beyond the hips' part.
    rest: Vec<Vec3>,
}

/// Holds the standing feet of a clip.
pub(super) fn lock(plan: &Plan, frames: &mut Frames<'_>) {
    let count = frames.times.len();
    let legs: Vec<&Limb> = plan.limbs.iter().filter(|limb| limb.is_leg).collect();
    let [left, right] = legs[..] else { return };
    if count < 2 {
        return;
    }
    let legs = [left, right];
    let step = (frames.times[count - 1] - frames.times[0]) / (count - 1) as f32;
    if !(step > 0.0 && step.is_finite()) {
        return;
    }
    let grounds = ground(plan, frames.source);
    let mut feet = [0, 1].map(|side| {
        let runs = contacts(plan, &frames.source[side], grounds, step);
        let sole = (0..count)
            .map(|frame| sole(plan, legs[side], frames, frame))
            .collect();
        Foot {
            weights: weights(&runs, count, step),
            runs,
            sole,
            pull: vec![Vec3::ZERO; count],
            rest: vec![Vec3::ZERO; count],
        }
    });
    if feet.iter().all(|foot| foot.runs.is_empty()) {
        return;
    }
    let lift = lift(plan, &feet, frames.source);
    let mut shift = vec![Vec3::ZERO; count];
    for _ in 0..ROUNDS {
        for (foot, source) in feet.iter_mut().zip(frames.source) {
            hold(plan, foot, source, &shift, lift);
        }
        shift = smooth(&feet, count, step);
    }
    for (foot, source) in feet.iter_mut().zip(frames.source) {
        hold(plan, foot, source, &shift, lift);
        spread(foot, &shift, step, plan.stature);
    }
    for (hips, shift) in frames.hips.iter_mut().zip(&shift) {
        *hips += shift;
    }
    for (frame, driven) in frames.driven.chunks_exact_mut(plan.driven.len()).enumerate() {
        for (limb, foot) in legs.into_iter().zip(&feet) {
            if foot.rest[frame] != Vec3::ZERO {
                move_sole(limb, driven, foot.rest[frame]);
            }
        }
    }
}

/// The sole's point of a leg in one frame.
fn sole(plan: &Plan, limb: &Limb, frames: &Frames<'_>, frame: usize) -> Vec3 {
    let driven = &frames.driven[frame * plan.driven.len()..][..plan.driven.len()];
    let root = driven[plan.root_driven];
    let hip = frames.hips[frame] + root * (limb.hip - plan.hip_middle);
    hip + limb_reach(limb, driven) + driven[limb.driven[2]] * limb.sole
}

/// Height of the source's ground: a twentieth of all moments is lower.
fn ground(plan: &Plan, source: &[Vec<[Vec3; 2]>; 2]) -> f32 {
    let points = source.iter().flatten();
    let heights: Vec<f32> = points
        .map(|pair| pair[0].dot(plan.up).min(pair[1].dot(plan.up)))
        .collect();
    low(&heights, &mut Vec::new())
}

/// The contacts of one foot of the source: first and last frames.
fn contacts(plan: &Plan, points: &[[Vec3; 2]], ground: f32, step: f32) -> Vec<[usize; 2]> {
    let back = frames_in(WINDOW, step);
    let lower = |pair: &[Vec3; 2]| {
        if pair[1].dot(plan.up) < pair[0].dot(plan.up) {
            pair[1]
        } else {
            pair[0]
        }
    };
    let speed = |frame: usize| {
        let frame = frame.max(back).min(points.len() - 1);
        let before = frame.saturating_sub(back);
        lower(&points[frame]).distance(lower(&points[before])) / ((frame - before).max(1) as f32 * step)
    };
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for (frame, pair) in points.iter().enumerate() {
        let low = lower(pair).dot(plan.up) - ground < HEIGHT * plan.stature;
        if low && speed(frame) < SPEED * plan.stature {
            match runs.last_mut() {
                Some(run) if frame - run[1] <= back + 1 => run[1] = frame,
                _ => runs.push([frame, frame]),
            }
        }
    }
    // A moment within the time that speeds are measured over is noise: there is nothing to hold.
    runs.retain(|run| run[1] - run[0] >= back || run[0] == 0 || run[1] + 1 == points.len());
    runs
}

/// How many frames are in a time, one at least.
fn frames_in(seconds: f32, step: f32) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small whole number"
    )]
    let frames = (seconds / step).round().clamp(1.0, 1e6) as usize;
    frames
}

/// 1 within a contact, less towards its ends; the clip's ends are none.
fn weights(runs: &[[usize; 2]], count: usize, step: f32) -> Vec<f64> {
    let mut weights = vec![0.0; count];
    for &[first, last] in runs {
        for (frame, weight) in weights.iter_mut().enumerate().take(last + 1).skip(first) {
            let from = if first == 0 {
                f32::INFINITY
            } else {
                (frame - first) as f32 * step
            };
            let to = if last + 1 == count {
                f32::INFINITY
            } else {
                (last - frame) as f32 * step
            };
            let part = f64::from((from.min(to) / RAMP).min(1.0));
            *weight = (part * part * (3.0 - 2.0 * part)).max(1e-3);
        }
    }
    weights
}

/// How much higher the target's sole points are than the source's while they stand.
fn lift(plan: &Plan, feet: &[Foot; 2], source: &[Vec<[Vec3; 2]>; 2]) -> f32 {
    let mut lifts = Vec::new();
    for (foot, source) in feet.iter().zip(source) {
        for frame in foot.runs.iter().flat_map(|&[first, last]| first..=last) {
            lifts.push((foot.sole[frame] - source[frame][1]).dot(plan.up));
        }
    }
    lifts.sort_by(f32::total_cmp);
    lifts.get(lifts.len() / 2).copied().unwrap_or(0.0)
}

/// Where the foot is held in each contact, given the hips' shift: sets `pull`.
fn hold(plan: &Plan, foot: &mut Foot, source: &[[Vec3; 2]], shift: &[Vec3], lift: f32) {
    for &[first, last] in &foot.runs {
        let run = first..=last;
        let mut place = Vec3::ZERO;
        let mut total = 0.0;
        let shifted = foot.sole[run.clone()].iter().zip(&shift[run.clone()]);
        for ((sole, shift), weight) in shifted.zip(&foot.weights[run.clone()]) {
            #[expect(clippy::cast_possible_truncation, reason = "a weight")]
            let weight = *weight as f32;
            place += (sole + shift) * weight;
            total += weight;
        }
        place /= total;
        let points = foot.sole[run.clone()].iter().zip(&source[run.clone()]);
        for (pull, (sole, source)) in foot.pull[run].iter_mut().zip(points) {
            let height = source[1].dot(plan.up) + lift;
            *pull = place + plan.up * (height - place.dot(plan.up)) - sole;
        }
    }
}

/// The hips' shift: the path nearest to what the standing feet pull, smooth, and near home
/// (a discrete smoothing spline; Whittaker, On a new method of graduation, 1923).
fn smooth(feet: &[Foot; 2], count: usize, step: f32) -> Vec<Vec3> {
    let bend = f64::from(SMOOTH / step).powi(4);
    let mut matrix = vec![[HOME, 0.0, 0.0]; count];
    let mut right = vec![glam::DVec3::ZERO; count];
    for foot in feet {
        for frame in foot.runs.iter().flat_map(|&[first, last]| first..=last) {
            matrix[frame][0] += foot.weights[frame];
            right[frame] += foot.pull[frame].as_dvec3() * foot.weights[frame];
        }
    }
    // Squares of second differences: 1 -2 1.
    for first in 0..count.saturating_sub(2) {
        let row = [1.0, -2.0, 1.0];
        for a in 0..3 {
            for b in 0..=a {
                matrix[first + a][a - b] += bend * row[a] * row[b];
            }
        }
    }
    solve_banded(&mut matrix, &mut right);
    right.into_iter().map(|shift| shift.as_vec3()).collect()
}

/// Solves a symmetric positive definite system with two bands beside the diagonal; `matrix[i][k]` is the entry of row
/// `i`, column `i - k`. The answer takes the place of `right`.
fn solve_banded(matrix: &mut [[f64; 3]], right: &mut [glam::DVec3]) {
    let count = matrix.len();
    // Cholesky: row i of the factor takes the place of the matrix's.
    for i in 0..count {
        let mut row = matrix[i];
        if i >= 2 {
            row[2] /= matrix[i - 2][0];
        }
        if i >= 1 {
            let cross = if i >= 2 { row[2] * matrix[i - 1][1] } else { 0.0 };
            row[1] = (row[1] - cross) / matrix[i - 1][0];
        }
        row[0] = (row[0] - row[1] * row[1] - row[2] * row[2])
            .max(f64::MIN_POSITIVE)
            .sqrt();
        matrix[i] = row;
        let mut value = right[i];
        for back in 1..=2.min(i) {
            value -= right[i - back] * row[back];
        }
        right[i] = value / row[0];
    }
    for i in (0..count).rev() {
        let mut value = right[i];
        for ahead in 1..=2.min(count - 1 - i) {
            value -= right[i + ahead] * matrix[i + ahead][ahead];
        }
        right[i] = value / matrix[i][0];
    }
}

/// What the leg must do beyond the hips' shift: all of it in contacts, fading between them.
fn spread(foot: &mut Foot, shift: &[Vec3], step: f32, stature: f32) {
    let count = shift.len();
    for &[first, last] in &foot.runs {
        let run = first..=last;
        let parts = foot.pull[run.clone()].iter().zip(&shift[run.clone()]);
        for (rest, (pull, shift)) in foot.rest[run].iter_mut().zip(parts) {
            *rest = pull - shift;
        }
    }
    let fade = frames_in(FADE, step);
    let slope = |rest: &[Vec3], edge: usize, inner: usize| {
        let change = rest[edge] - rest[inner];
        // Per frame; a foot that stands moves no faster.
        change.clamp_length_max(2.0 * SPEED * stature * step)
    };
    let ends = |run: [usize; 2]| [run[0], run[1]];
    let mut gaps = Vec::new();
    let mut before: Option<[usize; 2]> = None;
    for &run in &foot.runs {
        gaps.push((before.map(ends), Some(run)));
        before = Some(run);
    }
    gaps.push((before, None));
    for (behind, ahead) in gaps {
        let left = behind.map(|run| {
            let out = slope(&foot.rest, run[1], run[1].saturating_sub(1).max(run[0]));
            (run[1], foot.rest[run[1]], out)
        });
        let right = ahead.map(|run| {
            let out = slope(&foot.rest, run[0], (run[0] + 1).min(run[1]));
            (run[0], foot.rest[run[0]], -out)
        });
        match (left, right) {
            (Some(left), Some(right)) if right.0 - left.0 <= 2 * fade => between(&mut foot.rest, left, right),
            _ => {
                if let Some(left) = left {
                    let end = (left.0 + fade, Vec3::ZERO, Vec3::ZERO);
                    between(&mut foot.rest[..count], left, end);
                }
                if let Some(right) = right {
                    if right.0 >= fade {
                        between(&mut foot.rest, (right.0 - fade, Vec3::ZERO, Vec3::ZERO), right);
                    } else {
                        foot.rest[..right.0].fill(right.1);
                    }
                }
            }
        }
    }
}

/// Moves the sole's point of a leg by `by`: a little by the ankle, which pitches the foot, the rest by the leg.
///
/// A leg that is nearly straight can change its length only by a large bend of the knee (15 degrees for a hundredth), so
/// there the foot's pitch takes most of what lies along the leg: the two angles' squares are made least.
fn move_sole(limb: &Limb, driven: &mut [Quat], by: Vec3) {
    let reach = limb_reach(limb, driven);
    let foot = limb.driven[2];
    let sole = driven[foot] * limb.sole;
    let bones = [0, 1].map(|half| driven[limb.driven[half]] * limb.bones[half]);
    let length = bones[0].length() + bones[1].length();
    let mut left = by;
    if let (Some(along), Some(axis)) = (reach.try_normalize(), reach.cross(sole).try_normalize()) {
        let lever = axis.cross(sole).dot(along);
        let [upper, lower] = bones.map(Vec3::normalize_or_zero);
        // d(reach) / d(bend) of two equal bones.
        let knee = 0.25 * length * upper.cross(lower).length().max(MIN_SINE);
        let wanted = lever * by.dot(along) / (knee * knee + lever * lever);
        let pitch = MAX_PITCH * (wanted / MAX_PITCH).tanh();
        driven[foot] = (Quat::from_axis_angle(axis, pitch) * driven[foot]).normalize();
        left -= driven[foot] * limb.sole - sole;
    }
    // A leg comes nearer and nearer to straight and never there: the knee would open by 16 degrees at once over the last
    // hundredth of its length. The foot slides by what is missing.
    let wanted = reach + left;
    let (now, far) = (reach.length(), wanted.length());
    let room = length - now;
    let reach = if far > now && room > 0.0 {
        wanted * ((now + room * (1.0 - (-(far - now) / room).exp())) / far)
    } else {
        wanted
    };
    bend_to(limb, driven, reach);
}

/// A straighter knee counts as one bent by this (sine): where its bend begins to matter.
const MIN_SINE: f32 = 0.05;

/// The most that a standing foot is pitched (radians): 11 degrees, as much as a heel rises before it leaves the ground.
const MAX_PITCH: f32 = 0.2;

/// Fills the frames between two by the cubic with their values and slopes (per frame).
fn between(rest: &mut [Vec3], from: (usize, Vec3, Vec3), to: (usize, Vec3, Vec3)) {
    let whole = (to.0 - from.0) as f32;
    let last = to.0.min(rest.len());
    for (frame, value) in rest.iter_mut().enumerate().take(last).skip(from.0 + 1) {
        let t = (frame - from.0) as f32 / whole;
        let (t2, t3) = (t * t, t * t * t);
        *value = from.1 * (2.0 * t3 - 3.0 * t2 + 1.0)
            + from.2 * (whole * (t3 - 2.0 * t2 + t))
            + to.1 * (3.0 * t2 - 2.0 * t3)
            + to.2 * (whole * (t3 - t2));
    }
}
