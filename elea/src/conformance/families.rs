//! The families of matrices that conversions are tried on: seeded, each planting one hard case.

/// Seeded random numbers (`SplitMix64`; Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
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

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.range(f64::MIN_POSITIVE, 1.0).ln()).sqrt();
        radius * self.range(0.0, core::f64::consts::TAU).cos()
    }

    pub(crate) fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = [self.normal(), self.normal(), self.normal()];
            let n = v.iter().map(|c| c * c).sum::<f64>().sqrt();
            if n > 1e-3 {
                return v.map(|c| c / n);
            }
        }
    }

    pub(crate) fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let v = [self.normal(), self.normal(), self.normal(), self.normal()];
            let n = v.iter().map(|c| c * c).sum::<f64>().sqrt();
            if n > 1e-3 {
                return v.map(|c| c / n);
            }
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "the upper eight bits")]
    fn below(&mut self, n: u8) -> usize {
        usize::from((self.bits() >> 56) as u8 % n)
    }
}

pub(crate) type Matrix = [[f64; 3]; 3];

/// A matrix before it is rounded to the precision under test, and a rotation near its nearest one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) matrix: Matrix,
    pub(crate) start: [f64; 4],
}

/// What a family may depend on: the precision under test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    pub(crate) epsilon: f64,
    /// Exponents of ten that still leave room for the elements of a matrix.
    pub(crate) decades: f64,
    pub(crate) round: fn(f64) -> f64,
}

/// A named family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) case: fn(&mut Random, u64, Precision) -> Case,
}

pub(crate) const FAMILIES: [Family; 13] = [
    Family {
        name: "uniform",
        case: uniform,
    },
    Family {
        name: "near half turn",
        case: near_half_turn,
    },
    Family {
        name: "tiny rotation",
        case: tiny_rotation,
    },
    Family {
        name: "cube and half turns",
        case: cube,
    },
    Family {
        name: "near-equal diagonals",
        case: near_equal_diagonals,
    },
    Family {
        name: "noise 1e-3",
        case: |random, _, _| noisy(random, 1e-3),
    },
    Family {
        name: "noise 1e-1",
        case: |random, _, _| noisy(random, 1e-1),
    },
    Family {
        name: "shear 0.5",
        case: sheared,
    },
    Family {
        name: "axis scale 0.1 to 10",
        case: axis_scaled,
    },
    Family {
        name: "uniform scale",
        case: uniformly_scaled,
    },
    Family {
        name: "product of 1000",
        case: product,
    },
    Family {
        name: "nearly rank two",
        case: flat,
    },
    Family {
        name: "reflection",
        case: reflected,
    },
];

/// The rotation of a unit quaternion, as columns.
pub(crate) fn rotation([x, y, z, w]: [f64; 4]) -> Matrix {
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ],
        [
            2.0 * (x * y - w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + w * x),
        ],
        [
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

pub(crate) fn multiply(a: Matrix, b: Matrix) -> Matrix {
    core::array::from_fn(|c| core::array::from_fn(|r| (0..3).map(|k| a[k][r] * b[c][k]).sum()))
}

pub(crate) fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (s, c) = (0.5 * angle).sin_cos();
    [axis[0] * s, axis[1] * s, axis[2] * s, c]
}

fn of(q: [f64; 4]) -> Case {
    Case {
        matrix: rotation(q),
        start: q,
    }
}

fn uniform(random: &mut Random, _: u64, _: Precision) -> Case {
    of(random.quaternion())
}

fn axis(random: &mut Random) -> [f64; 3] {
    let mut axis = [0.0; 3];
    match random.below(4) {
        0 => return random.direction(),
        1 => axis[random.below(3)] = 1.0,
        // Nearly in a coordinate plane.
        _ => {
            let v = random.direction();
            let small = random.below(3);
            axis = v;
            axis[small] *= 10_f64.powf(random.range(-8.0, -1.0));
            let n = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
            axis = axis.map(|c| c / n);
        }
    }
    axis
}

fn near_half_turn(random: &mut Random, _: u64, _: Precision) -> Case {
    let axis = axis(random);
    let short = 10_f64.powf(random.range(-9.0, -1.0));
    of(about(axis, core::f64::consts::PI - short))
}

fn tiny_rotation(random: &mut Random, _: u64, _: Precision) -> Case {
    let axis = axis(random);
    of(about(axis, 10_f64.powf(random.range(-9.0, -1.0))))
}

/// The 24 rotations of the cube, 6 of them half turns about face diagonals, and half turns about short integer axes.
fn cube(random: &mut Random, index: u64, _: Precision) -> Case {
    if index.is_multiple_of(2) {
        let n = index / 2 % 24;
        let quarter = |axis: usize, turns: u64| {
            let mut v = [0.0; 3];
            v[axis] = 1.0;
            rotation(about(v, core::f64::consts::FRAC_PI_2 * turns as f64)).map(|c| c.map(f64::round))
        };
        let face = [(1, 0), (1, 1), (1, 2), (1, 3), (0, 1), (0, 3)][usize::try_from(n / 4).unwrap_or(0)];
        let matrix = multiply(quarter(face.0, face.1), quarter(2, n % 4));
        return Case {
            matrix,
            start: [0.1, 0.2, 0.3, 0.9],
        };
    }
    let v: [f64; 3] = loop {
        let v = core::array::from_fn(|_| random.below(7) as f64 - 3.0);
        if v != [0.0; 3] {
            break v;
        }
    };
    let n2: f64 = v.iter().map(|c| c * c).sum();
    // 2 v v^T / n2 - I: symmetric, so that even its rounding is a half turn's.
    let matrix = core::array::from_fn(|c| {
        core::array::from_fn(|r| 2.0 * v[c] * v[r] / n2 - if c == r { 1.0 } else { 0.0 })
    });
    Case {
        matrix,
        start: [v[0], v[1], v[2], 0.0].map(|c| c / n2.sqrt()),
    }
}

/// Components of equal size, moved by a few units in the last place: where formulae switch.
fn near_equal_diagonals(random: &mut Random, _: u64, precision: Precision) -> Case {
    let count = random.below(3) + 2;
    let mut q = random.quaternion();
    for v in q.iter_mut().take(count) {
        let sign = if random.below(2) == 0 { -1.0 } else { 1.0 };
        *v = sign * (1.0 + random.range(-8.0, 8.0) * precision.epsilon);
    }
    let turn = random.below(4);
    q.rotate_left(turn);
    let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    of(q.map(|c| c / n))
}

fn noisy(random: &mut Random, size: f64) -> Case {
    let q = random.quaternion();
    let r = rotation(q);
    let matrix = r.map(|c| c.map(|v| v + size * random.range(-1.0, 1.0)));
    Case { matrix, start: q }
}

fn sheared(random: &mut Random, _: u64, _: Precision) -> Case {
    let q = random.quaternion();
    let mut shear = rotation([0.0, 0.0, 0.0, 1.0]);
    let column = random.below(3);
    let row = (column + 1 + random.below(2)) % 3;
    shear[column][row] = if random.below(2) == 0 { -0.5 } else { 0.5 };
    Case {
        matrix: multiply(rotation(q), shear),
        start: q,
    }
}

fn axis_scaled(random: &mut Random, _: u64, _: Precision) -> Case {
    let q = random.quaternion();
    let scale: [f64; 3] = core::array::from_fn(|_| 10_f64.powf(random.range(-1.0, 1.0)));
    let r = rotation(q);
    let matrix = core::array::from_fn(|c| r[c].map(|v| v * scale[c]));
    Case { matrix, start: q }
}

fn uniformly_scaled(random: &mut Random, _: u64, precision: Precision) -> Case {
    let q = random.quaternion();
    let scale = 10_f64.powf(random.range(-precision.decades, precision.decades));
    Case {
        matrix: rotation(q).map(|c| c.map(|v| v * scale)),
        start: q,
    }
}

/// A chain of 1,000 small rotations, every product rounded to the precision under test.
fn product(random: &mut Random, _: u64, precision: Precision) -> Case {
    let round = |m: Matrix| m.map(|c| c.map(precision.round));
    let mut matrix = round(rotation(random.quaternion()));
    let step = round(rotation(about(random.direction(), random.range(0.01, 1.0))));
    let mut start = matrix;
    for _ in 0..1000 {
        matrix = round(multiply(step, matrix));
        start = matrix;
    }
    Case {
        matrix: start,
        start: [0.1, 0.2, 0.3, 0.9],
    }
}

/// R V diag(1, s2, s3) V^T with s3 down to a rounding, of either sign.
fn flat(random: &mut Random, _: u64, precision: Precision) -> Case {
    let least = precision.epsilon.log10();
    let s3 = 10_f64.powf(random.range(least, -1.0));
    let sign = if random.below(2) == 0 { -1.0 } else { 1.0 };
    let s2 = random.range(0.5, 1.0);
    stretched(random, [1.0, s2, sign * s3])
}

/// R V diag(s1, s2, -s3) V^T, with s2 clearly above s3.
fn reflected(random: &mut Random, _: u64, _: Precision) -> Case {
    let s3 = random.range(0.05, 0.5);
    let s2 = random.range(s3 + 0.25, 1.0);
    let s1 = random.range(s2, 1.2);
    stretched(random, [s1, s2, -s3])
}

fn stretched(random: &mut Random, values: [f64; 3]) -> Case {
    let q = random.quaternion();
    let v = rotation(random.quaternion());
    let stretch = core::array::from_fn(|c| {
        core::array::from_fn(|r| (0..3).map(|k| v[k][c] * values[k] * v[k][r]).sum())
    });
    Case {
        matrix: multiply(rotation(q), stretch),
        start: q,
    }
}
