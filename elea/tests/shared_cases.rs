//! Public bug reports as inputs, with right values from 50-digit arithmetic: `cases/elea.json`.
#![allow(clippy::cast_possible_truncation, reason = "tests round to f32 on purpose")]

use elea::{EulerOrder, RotationError};
use serde_json::Value;
use std::io::Write;

fn number(v: &Value) -> f64 {
    match v {
        Value::String(s) if s == "NaN" => f64::NAN,
        v => v.as_f64().expect("a number"),
    }
}

fn numbers<const N: usize>(v: &Value) -> [f64; N] {
    let list = v.as_array().expect("a list");
    assert_eq!(list.len(), N, "length of {v}");
    core::array::from_fn(|i| number(&list[i]))
}

fn order(name: &str) -> EulerOrder {
    *EulerOrder::ALL
        .iter()
        .find(|o| format!("{o:?}") == name)
        .expect("an order")
}

#[test]
fn public_bug_reports_have_the_right_answers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/cases/elea.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        writeln!(std::io::stderr(), "SKIPPED: {path} is not here").expect("stderr");
        return;
    };
    let cases: Value = serde_json::from_str(&text).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let (input, expect) = (&case["input"], &case["expect"]);
        let source = case["source"].as_str().expect("a source");
        match case["kind"].as_str().expect("a kind") {
            "matrix_to_quat" => matrix_case(source, input, expect),
            "quat_to_euler_near" => euler_case(source, input, expect),
            other => panic!("unknown kind {other}"),
        }
    }
}

fn matrix_case(source: &str, input: &Value, expect: &Value) {
    let rows: [[f64; 3]; 3] = {
        let rows = input["rows"].as_array().expect("rows");
        core::array::from_fn(|r| numbers(&rows[r]))
    };
    let m: [[f64; 3]; 3] = core::array::from_fn(|c| core::array::from_fn(|r| rows[r][c]));
    let m32 = m.map(|c| c.map(|v| v as f32));
    let (q, q32) = (elea::quat_from_mat3(m), elea::quat_from_mat3(m32));
    let (t, t32) = (elea::try_quat_from_mat3(m), elea::try_quat_from_mat3(m32));
    if expect["try_result"] == "error" {
        assert!(t.is_err() && t32.is_err(), "{source}: {t:?} {t32:?}");
        assert_eq!(q, [0.0, 0.0, 0.0, 1.0], "{source}");
        assert_eq!(q32, [0.0, 0.0, 0.0, 1.0], "{source}");
        return;
    }
    if expect["mirrored"] == true {
        let det = number(&expect["det"]);
        match (&t, &t32) {
            (
                Err(RotationError::Reflection { determinant: d }),
                Err(RotationError::Reflection { determinant: d32 }),
            ) => {
                assert!((d - det).abs() <= 1e-15 + 1e-14 * det.abs(), "{source}: {d}");
                assert!((d32 - det).abs() <= 1e-6 * det.abs(), "{source}: {d32}");
            }
            other => panic!("{source}: {other:?}"),
        }
        let length: f64 = q.iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-15, "{source}: {q:?}");
        return;
    }
    let want: [f64; 4] = numbers(&expect["quat_xyzw"]);
    let error = elea::angle_between(q, want);
    let error32 = elea::angle_between(q32.map(f64::from), want);
    assert!(
        error <= number(&expect["max_angle_error_f64"]),
        "{source}: {error:e}"
    );
    assert!(
        error32 <= number(&expect["max_angle_error_f32"]),
        "{source}: {error32:e}"
    );
    assert_eq!(t, Ok(q), "{source}");
    assert_eq!(t32, Ok(q32), "{source}");
}

fn euler_case(source: &str, input: &Value, expect: &Value) {
    let order = order(input["order"].as_str().expect("an order"));
    let q: [f64; 4] = numbers(&input["quat_xyzw"]);
    let reference: [f64; 3] = numbers(&input["reference_rad"]);
    let want: [f64; 3] = numbers(&expect["angles_rad"]);
    let (q32, reference32) = (q.map(|v| v as f32), reference.map(|v| v as f32));

    let got = elea::euler_from_quat_near(q, order, reference, 0.0);
    let got32 = elea::euler_from_quat_near(q32, order, reference32, 0.0);
    let rebuilt: [f64; 4] = elea::quat_from_euler(got, order);
    let rebuilt32: [f64; 4] = elea::quat_from_euler(got32.map(f64::from), order);
    let error = elea::angle_between(rebuilt, q);
    let error32 = elea::angle_between(rebuilt32, q32.map(f64::from));
    assert!(
        error <= number(&expect["max_reconstruction_error_f64"]),
        "{source}: {error:e}"
    );
    assert!(
        error32 <= number(&expect["max_reconstruction_error_f32"]),
        "{source}: {error32:e}"
    );
    for n in 0..3 {
        assert!((got[n] - want[n]).abs() < 1e-11, "{source}: {got:?} {want:?}");
        assert!(
            (f64::from(got32[n]) - want[n]).abs() < 2e-3,
            "{source}: {got32:?} {want:?}"
        );
    }
}
