//! What several test files share.
#![allow(dead_code, reason = "every test file uses its own part of it")]

/// `SplitMix64`: the same cases in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(crate) fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let q: [f64; 4] = core::array::from_fn(|_| self.range(-1.0, 1.0));
            let n2: f64 = q.iter().map(|v| v * v).sum();
            if (0.01..1.0).contains(&n2) {
                return q.map(|v| v / n2.sqrt());
            }
        }
    }
}

pub(crate) fn multiply([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The rotation of Euler angles by the standard library's sine and cosine: independent of elea's.
pub(crate) fn rebuilt(angles: [f64; 3], order: elea::EulerOrder) -> [f64; 4] {
    let [a, b, c]: [[f64; 4]; 3] = core::array::from_fn(|n| {
        let (s, c) = (0.5 * angles[n]).sin_cos();
        let mut q = [0.0, 0.0, 0.0, c];
        q[order.axes()[n]] = s;
        q
    });
    if order.is_extrinsic() {
        multiply(multiply(c, b), a)
    } else {
        multiply(multiply(a, b), c)
    }
}

/// The angle between two rotations given by unit quaternions, from the chord.
pub(crate) fn angle(a: [f64; 4], b: [f64; 4]) -> f64 {
    let length = |s: f64| (0..4).map(|i| (a[i] - s * b[i]).powi(2)).sum::<f64>().sqrt();
    let (minus, plus) = (length(1.0), length(-1.0));
    4.0 * minus.min(plus).atan2(minus.max(plus))
}

/// A bound that holds, and that a tenth of it would not.
#[track_caller]
pub(crate) fn assert_bound(what: &str, measured: f64, bound: f64) {
    assert!(measured <= bound, "{what}: {measured:e} is beyond {bound:e}");
    assert!(
        measured > 0.1 * bound,
        "{what}: {measured:e} is far below {bound:e}: tighten the bound"
    );
}
