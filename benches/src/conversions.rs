//! Rotation conversions: how exact, how continuous and how fast.

use crate::contenders::{self, Contenders, Conversion};
use crate::measure::{Timed, nanoseconds};
use crate::random::Random;
use crate::row::Row;
use elea::EulerOrder;
use elea::conformance::{Report, check_euler_from_mat3_with, check_quat_from_mat3_with};
use elea::{Matrix3, Quaternion};
use glam::{DMat3, DQuat, Mat3, Quat};
use std::hint::black_box;

const AREA: &str = "conversions";
/// Cases a family of the accuracy tables.
const CASES: u64 = 10_000;
/// Items of the timed slices: they fit in the second-level cache, and no branch predictor remembers them.
const ITEMS: usize = 6000;
/// Interleaved rounds of the timed slices.
const ROUNDS: usize = 101;

/// The whole comparison.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(quat_errors("f32", contenders::quat_from_mat3()));
    rows.extend(quat_errors("f64", contenders::dquat_from_dmat3()));
    rows.extend(euler_errors("f32", contenders::euler_from_quat()));
    rows.extend(near_errors::<Quat>("f32", within_half_a_turn));
    rows.extend(euler_errors("f64", contenders::deuler_from_dquat()));
    rows.extend(near_errors::<DQuat>("f64", within_half_a_turn_f64));
    rows.extend(times());
    rows
}

/// Rotations as quaternions. Coherent: one slow motion, so that branches are foreseen.
#[must_use]
pub fn rotations(coherent: bool) -> Vec<DQuat> {
    let mut random = Random::new(0x726f_7461);
    if !coherent {
        return (0..ITEMS)
            .map(|_| DQuat::from_array(random.quaternion()))
            .collect();
    }
    (0..ITEMS)
        .map(|n| {
            let t = n as f64 * 1e-3;
            DQuat::from_euler(
                glam::EulerRot::XYZ,
                0.3 + 0.2 * t.sin(),
                0.5 * (0.7 * t).cos(),
                0.4 * (1.3 * t).sin(),
            )
        })
        .collect()
}

fn single<A: Copy, B: Default + Copy>(conversion: &Conversion<A, B>, from: A) -> B {
    let mut to = [B::default()];
    conversion(&[from], &mut to);
    to[0]
}

/// Whether a contender only differs from another in how it is called.
fn is_batch(name: &str) -> bool {
    name.ends_with("batch")
}

fn quat_errors<M: Matrix3<Quat: Default>>(precision: &str, contenders: Contenders<M, M::Quat>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, conversion) in contenders.iter().filter(|(name, _)| !is_batch(name)) {
        let report = check_quat_from_mat3_with(CASES, |m: M| single(conversion, m));
        report_rows(&mut rows, &format!("quat_from_mat3/{precision}"), name, &report);
    }
    rows
}

fn euler_errors<Q: Quaternion>(precision: &str, contenders: Contenders<Q, [Q::Scalar; 3]>) -> Vec<Row>
where
    Q::Mat3: Matrix3<Scalar = Q::Scalar, Quat = Q>,
{
    let mut rows = Vec::new();
    for (name, conversion) in contenders.iter().filter(|(name, _)| !is_batch(name)) {
        // The quaternion is elea's for every contender: what differs is the way from there.
        let report = check_euler_from_mat3_with(CASES / 4, EulerOrder::XYZ, |m: Q::Mat3| {
            single(conversion, elea::quat_from_mat3(m))
        });
        report_rows(&mut rows, &format!("euler_from_quat/{precision}"), name, &report);
    }
    rows
}

/// The same angle, from -pi to pi.
fn within_half_a_turn(angle: f32) -> f32 {
    angle - std::f32::consts::TAU * (angle / std::f32::consts::TAU).round()
}

fn within_half_a_turn_f64(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// The exact rotation near a reference: the answer before. Over thousands of random rotations these would wind up to
/// angles whose roundings alone are larger than the errors; `wrap` keeps the reference within the half turn that the
/// bounds are documented for.
fn near_errors<Q: Quaternion>(precision: &str, wrap: fn(Q::Scalar) -> Q::Scalar) -> Vec<Row>
where
    Q::Mat3: Matrix3<Scalar = Q::Scalar, Quat = Q>,
{
    let mut rows = Vec::new();
    let report = near_report::<Q>(CASES / 4, wrap);
    report_rows(
        &mut rows,
        &format!("euler_from_quat/{precision}"),
        "elea near",
        &report,
    );
    rows
}

fn near_report<Q: Quaternion>(cases: u64, wrap: fn(Q::Scalar) -> Q::Scalar) -> Report
where
    Q::Mat3: Matrix3<Scalar = Q::Scalar, Quat = Q>,
{
    let mut before = [Q::Scalar::default(); 3];
    check_euler_from_mat3_with(cases, EulerOrder::XYZ, |m: Q::Mat3| {
        let q = elea::quat_from_mat3(m);
        let reference = before.map(wrap);
        before = elea::euler_from_quat_near(q, EulerOrder::XYZ, reference, Q::Scalar::default());
        before
    })
}

fn report_rows(rows: &mut Vec<Row>, operation: &str, contender: &str, report: &Report) {
    for family in &report.families {
        let mut add = |metric: &str, value: f64, unit| {
            rows.push(Row {
                area: AREA,
                case: format!("{operation}/{}", family.name),
                contender: contender.into(),
                metric: metric.into(),
                value,
                unit,
            });
        };
        if family.name == "continuity" {
            add("jump_beyond_exact", family.worst_jump, "quaternion distance");
            continue;
        }
        add("max_error", family.worst, "rad");
        add("mean_error", family.mean, "rad");
        if operation.starts_with("quat") {
            add("max_length_error", family.worst_length, "");
        }
        add("not_finite", family.not_finite as f64, "answers");
    }
}

/// Columns of a structure of arrays.
fn lanes<T: Copy, const N: usize>(items: impl Iterator<Item = [T; N]> + Clone) -> [Vec<T>; N] {
    core::array::from_fn(|n| items.clone().map(|item| item[n]).collect())
}

macro_rules! times_of {
    ($rows:ident, $scalar:ty, $mat:ty, $quat:ty, $precision:literal, $quats:expr, $eulers:expr, $as_quat:expr) => {
        for (coherent, input) in [(true, "coherent"), (false, "random")] {
            let quats: Vec<$quat> = rotations(coherent).into_iter().map($as_quat).collect();
            let mats: Vec<$mat> = quats.iter().map(|&q| <$mat>::from_quat(q)).collect();
            let m_lanes = lanes::<$scalar, 9>(mats.iter().map(|m| m.to_cols_array()));
            let q_lanes = lanes::<$scalar, 4>(quats.iter().map(|q| q.to_array()));
            let references: Vec<[$scalar; 3]> = quats
                .iter()
                .map(|&q| elea::euler_from_quat(q, EulerOrder::XYZ).map(|a| a + 0.01))
                .collect();
            let r_lanes = lanes::<$scalar, 3>(references.iter().copied());

            let conversions = $quats;
            let mut timed: Vec<Timed<'_>> = Vec::new();
            for (name, conversion) in &conversions {
                let mut out = vec![<$quat>::IDENTITY; ITEMS];
                let mats = &mats;
                timed.push((
                    name,
                    Box::new(move || conversion(black_box(mats), black_box(&mut out))),
                ));
            }
            let mut out: [Vec<$scalar>; 4] = core::array::from_fn(|_| vec![0.0; ITEMS]);
            let m_lanes = &m_lanes;
            timed.push((
                "elea soa",
                Box::new(move || {
                    let m = black_box(m_lanes).each_ref().map(Vec::as_slice);
                    elea::quats_from_mat3s_soa(m, out.each_mut().map(Vec::as_mut_slice));
                    black_box(&out);
                }),
            ));
            time_rows(
                &mut $rows,
                &format!("quat_from_mat3/{}/{input}", $precision),
                timed,
            );

            let conversions = $eulers;
            let mut timed: Vec<Timed<'_>> = Vec::new();
            for (name, conversion) in &conversions {
                let mut out = vec![[0.0; 3]; ITEMS];
                let quats = &quats;
                timed.push((
                    name,
                    Box::new(move || conversion(black_box(quats), black_box(&mut out))),
                ));
            }
            let mut out: [Vec<$scalar>; 3] = core::array::from_fn(|_| vec![0.0; ITEMS]);
            let (q_lanes, r_lanes) = (&q_lanes, &r_lanes);
            timed.push((
                "elea soa",
                Box::new(move || {
                    let q = black_box(q_lanes).each_ref().map(Vec::as_slice);
                    elea::eulers_from_quats_soa(q, EulerOrder::XYZ, out.each_mut().map(Vec::as_mut_slice));
                    black_box(&out);
                }),
            ));
            let mut out = vec![[0.0; 3]; ITEMS];
            let (quats, references) = (&quats, &references);
            timed.push((
                "elea near",
                Box::new(move || {
                    for ((q, r), out) in black_box(quats).iter().zip(references).zip(&mut out) {
                        *out = elea::euler_from_quat_near(*q, EulerOrder::XYZ, *r, 1e-3);
                    }
                    black_box(&out);
                }),
            ));
            let mut out = vec![[0.0; 3]; ITEMS];
            timed.push((
                "elea near batch",
                Box::new(move || {
                    elea::eulers_from_quats_near(
                        black_box(quats),
                        EulerOrder::XYZ,
                        references,
                        1e-3,
                        &mut out,
                    );
                    black_box(&out);
                }),
            ));
            let mut out: [Vec<$scalar>; 3] = core::array::from_fn(|_| vec![0.0; ITEMS]);
            timed.push((
                "elea near soa",
                Box::new(move || {
                    let q = black_box(q_lanes).each_ref().map(Vec::as_slice);
                    let r = r_lanes.each_ref().map(Vec::as_slice);
                    let out = out.each_mut().map(Vec::as_mut_slice);
                    elea::eulers_from_quats_near_soa(q, EulerOrder::XYZ, r, 1e-3, out);
                    black_box(&r_lanes);
                }),
            ));
            time_rows(
                &mut $rows,
                &format!("euler_from_quat/{}/{input}", $precision),
                timed,
            );
        }
    };
}

fn times() -> Vec<Row> {
    let mut rows = Vec::new();
    times_of!(
        rows,
        f32,
        Mat3,
        Quat,
        "f32",
        contenders::quat_from_mat3(),
        contenders::euler_from_quat(),
        |q: DQuat| q.as_quat()
    );
    times_of!(
        rows,
        f64,
        DMat3,
        DQuat,
        "f64",
        contenders::dquat_from_dmat3(),
        contenders::deuler_from_dquat(),
        |q: DQuat| q
    );
    rows
}

fn time_rows(rows: &mut Vec<Row>, case: &str, mut timed: Vec<Timed<'_>>) {
    let times = nanoseconds(&mut timed, ITEMS, ROUNDS);
    let glam = timed
        .iter()
        .position(|(name, _)| *name == "glam")
        .map_or(f64::NAN, |n| times[n]);
    for ((name, _), time) in timed.iter().zip(times) {
        for (metric, value, unit) in [("time", time, "ns"), ("time_ratio_to_glam", time / glam, "")] {
            rows.push(Row {
                area: AREA,
                case: case.into(),
                contender: (*name).into(),
                metric: metric.into(),
                value,
                unit,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every method has its weakness, and the conformance check finds it: (contender, family, at least, at most) in radians.
    const KNOWN: [(&str, &str, f64, f64); 19] = [
        ("elea", "uniform", 1e-8, 4e-7),
        ("elea", "near half turn", 1e-8, 4e-7),
        ("elea", "noise 1e-1", 1e-8, 4e-7),
        ("glam", "uniform", 1e-8, 4e-7),
        ("glam", "cube and half turns", 1e-8, 4e-7),
        ("glam", "noise 1e-3", 1e-4, 1e-2),
        ("glam", "noise 1e-1", 0.05, 1.0),
        ("glam", "shear 0.5", 0.3, 3.2),
        ("nalgebra", "uniform", 3e-7, 2e-6),
        ("nalgebra", "noise 1e-1", 3e-7, 2e-6),
        ("nalgebra", "cube and half turns", 3.1, 3.2),
        ("article", "uniform", 1e-8, 1e-6),
        ("article", "noise 1e-1", 0.1, 3.2),
        ("article", "shear 0.5", 1.0, 3.2),
        ("faq", "uniform", 4e-7, 2e-2),
        ("faq", "near half turn", 0.1, 3.2),
        ("faq", "cube and half turns", 3.1, 3.2),
        ("cgmath", "noise 1e-3", 1e-4, 1e-2),
        ("ultraviolet", "tiny rotation", 1e-6, 1e-2),
    ];

    /// The figures of the report are those that `euler_from_quat_near` is documented with.
    #[test]
    fn angles_near_a_reference_are_as_exact_as_documented() {
        for (report, bound) in [
            (near_report::<Quat>(500, within_half_a_turn), 1e-6),
            (near_report::<DQuat>(500, within_half_a_turn_f64), 3e-15),
        ] {
            for family in report
                .families
                .iter()
                .filter(|family| family.name != "continuity")
            {
                let worst = family.worst_scaled;
                assert!(worst > 0.0 && worst <= bound, "{}: {worst:e}", family.name);
            }
        }
    }

    #[test]
    fn the_conformance_check_tells_the_methods_apart() {
        for (name, conversion) in contenders::quat_from_mat3() {
            let known: Vec<_> = KNOWN
                .iter()
                .filter(|(contender, ..)| *contender == name)
                .collect();
            if known.is_empty() {
                continue;
            }
            let report = check_quat_from_mat3_with(1000, |m: Mat3| single(&conversion, m));
            for (_, family, least, most) in known {
                let worst = report.family(family).expect("a family of that name").worst;
                assert!(
                    (*least..=*most).contains(&worst),
                    "{name}, {family}: {worst:e}\n{report}"
                );
            }
            let jump = report.family("continuity").expect("continuity").worst_jump;
            let continuous = ["elea", "nalgebra"].contains(&name);
            assert!(
                continuous == (jump < 1e-5),
                "{name} jumps by {jump:e} between neighbours"
            );
        }
    }
}
