//! The nearest rotation to about 30 digits, with a proof: what the conversions are measured against.
//!
//! Nothing here is shared with the conversions. From any start, Newton steps on the polar condition (R^T M symmetric) run
//! in double-double arithmetic (Dekker 1971). The result is the nearest rotation, and no other is as near, if
//! and only if trace(S) I - S is positive definite for S = R^T M: its eigenvalues are the sums of two singular values.

/// An unevaluated sum of two `f64`.
#[derive(Clone, Copy, Debug)]
struct Double(f64, f64);

impl Double {
    const ZERO: Self = Self(0.0, 0.0);

    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }

    fn product(a: f64, b: f64) -> Self {
        let split = |v: f64| {
            let c = 134_217_729.0 * v;
            let high = c - (c - v);
            (high, v - high)
        };
        let (p, (ah, al), (bh, bl)) = (a * b, split(a), split(b));
        Self(p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
    }

    fn plus(self, o: Self) -> Self {
        let Self(s, e) = Self::sum(self.0, o.0);
        let Self(f, g) = Self::sum(self.1, o.1);
        let Self(s, e) = Self::sum(s, e + f);
        Self::sum(s, e + g)
    }

    fn times(self, o: Self) -> Self {
        let Self(p, e) = Self::product(self.0, o.0);
        Self::sum(p, e + (self.0 * o.1 + self.1 * o.0))
    }

    fn minus(self, o: Self) -> Self {
        self.plus(Self(-o.0, -o.1))
    }

    fn value(self) -> f64 {
        self.0 + self.1
    }
}

type DoubleMatrix = [[Double; 3]; 3];

/// |q|^2 times the rotation of q, `[column][row]`.
fn scaled_rotation([x, y, z, w]: [Double; 4]) -> DoubleMatrix {
    let twice = |a: Double, b: Double| {
        let p = a.times(b);
        p.plus(p)
    };
    let (xx, yy, zz, ww) = (x.times(x), y.times(y), z.times(z), w.times(w));
    let (xy, xz, yz) = (twice(x, y), twice(x, z), twice(y, z));
    let (wx, wy, wz) = (twice(w, x), twice(w, y), twice(w, z));
    [
        [ww.plus(xx).minus(yy).minus(zz), xy.plus(wz), xz.minus(wy)],
        [xy.minus(wz), ww.minus(xx).plus(yy).minus(zz), yz.plus(wx)],
        [xz.plus(wy), yz.minus(wx), ww.minus(xx).minus(yy).plus(zz)],
    ]
}

/// The nearest rotation of a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// x, y, z, w.
    pub(crate) quaternion: [f64; 4],
    /// s1 / (s2 + s3), with s3 negative where the determinant is: how many times a relative change of the matrix is
    /// magnified in the angle, about.
    pub(crate) condition: f64,
}

/// The nearest rotation of `m` (`[column][row]`), searched from `start` and from its products with the half turns.
///
/// None where no start leads to a rotation with a proof, as where several are equally near.
pub(crate) fn nearest(m: [[f64; 3]; 3], start: [f64; 4]) -> Option<Nearest> {
    let largest = m.as_flattened().iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    if !largest.is_finite() || largest == 0.0 {
        return None;
    }
    // A power of two, in two steps so that a denormal's does not overflow.
    let half_exponent = (largest.log2() / 2.0).round();
    let scale = (-half_exponent).exp2();
    let m = m.map(|c| c.map(|v| v * scale * scale));
    let [x, y, z, w] = start;
    let starts = [[x, y, z, w], [w, z, -y, -x], [-z, w, x, -y], [y, -x, w, -z]];
    starts.into_iter().find_map(|q| refine(m, q))
}

const STEPS: usize = 60;

fn refine(m: [[f64; 3]; 3], start: [f64; 4]) -> Option<Nearest> {
    let mut q = start.map(|v| Double(v, 0.0));
    let mut small_steps = 0;
    for _ in 0..STEPS {
        let n2 = q.iter().fold(Double::ZERO, |s, v| s.plus(v.times(*v))).value();
        let r = scaled_rotation(q);
        // s[column][row] = |q|^2 (R^T M)
        let s: DoubleMatrix = core::array::from_fn(|c| {
            core::array::from_fn(|row| {
                (0..3).fold(Double::ZERO, |sum, k| {
                    sum.plus(r[row][k].times(Double(m[c][k], 0.0)))
                })
            })
        });
        let skew = [
            s[1][2].minus(s[2][1]).value() / n2,
            s[2][0].minus(s[0][2]).value() / n2,
            s[0][1].minus(s[1][0]).value() / n2,
        ];
        let plain = s.map(|c| c.map(|v| v.value() / n2));
        let trace = plain[0][0] + plain[1][1] + plain[2][2];
        let curvature: [[f64; 3]; 3] = core::array::from_fn(|c| {
            core::array::from_fn(|row| {
                let symmetric = 0.5 * (plain[c][row] + plain[row][c]);
                if c == row { trace - symmetric } else { -symmetric }
            })
        });
        let omega = solve(curvature, skew)?;
        let size = omega.iter().fold(0.0_f64, |l, v| l.max(v.abs()));
        if !size.is_finite() {
            return None;
        }
        let shrink = if size > 1.0 { 1.0 / size } else { 1.0 };
        // q (1 + omega / 2)
        let [ox, oy, oz] = omega.map(|v| Double(0.5 * shrink * v, 0.0));
        let [x, y, z, w] = q;
        q = [
            x.plus(w.times(ox)).plus(y.times(oz)).minus(z.times(oy)),
            y.plus(w.times(oy)).plus(z.times(ox)).minus(x.times(oz)),
            z.plus(w.times(oz)).plus(x.times(oy)).minus(y.times(ox)),
            w.minus(x.times(ox)).minus(y.times(oy)).minus(z.times(oz)),
        ];
        // Quadratic convergence: one step after this size has all digits.
        if size < 1e-12 {
            small_steps += 1;
            if small_steps == 2 {
                return proved(q, curvature);
            }
        }
    }
    None
}

fn proved(q: [Double; 4], curvature: [[f64; 3]; 3]) -> Option<Nearest> {
    let mut sums = eigenvalues(curvature);
    sums.sort_by(f64::total_cmp);
    let [s2_s3, s1_s3, s1_s2] = sums;
    // A smallest sum within rounding of zero proves nothing.
    if s2_s3 <= 1e-14 * s1_s2 {
        return None;
    }
    let q = q.map(Double::value);
    let n = q.iter().map(|v| v * v).sum::<f64>().sqrt();
    Some(Nearest {
        quaternion: q.map(|v| v / n),
        condition: 0.5 * (s1_s3 + s1_s2 - s2_s3) / s2_s3,
    })
}

/// a x = b for a symmetric a, by cofactors.
fn solve(a: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let cross = |u: [f64; 3], v: [f64; 3]| {
        [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ]
    };
    let dot = |u: [f64; 3], v: [f64; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let c = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
    let det = dot(a[0], c[0]);
    (det != 0.0).then(|| core::array::from_fn(|i| dot(c[i], b) / det))
}

/// The eigenvalues of a symmetric matrix, by Jacobi rotations.
fn eigenvalues(mut a: [[f64; 3]; 3]) -> [f64; 3] {
    for _ in 0..12 {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * a[p][q]).atan2(a[p][p] - a[q][q]);
            let (s, c) = angle.sin_cos();
            let (pp, qq, pq) = (a[p][p], a[q][q], a[p][q]);
            a[p][p] = c * c * pp + 2.0 * s * c * pq + s * s * qq;
            a[q][q] = s * s * pp - 2.0 * s * c * pq + c * c * qq;
            a[p][q] = 0.0;
            a[q][p] = 0.0;
            let (pr, qr) = (a[p][r], a[q][r]);
            a[p][r] = c * pr + s * qr;
            a[q][r] = c * qr - s * pr;
            a[r][p] = a[p][r];
            a[r][q] = a[q][r];
        }
    }
    [a[0][0], a[1][1], a[2][2]]
}

/// The angle between two rotations, from the chord: exact to rounding for small angles, in plain `f64`.
pub(crate) fn angle(a: [f64; 4], b: [f64; 4]) -> f64 {
    let length = |s: f64| {
        (0..4)
            .map(|i| (a[i] - s * b[i]) * (a[i] - s * b[i]))
            .sum::<f64>()
            .sqrt()
    };
    let (minus, plus) = (length(1.0), length(-1.0));
    4.0 * minus.min(plus).atan2(minus.max(plus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_rotation_gives_the_rotation_back() {
        // A rotation with rational elements times a symmetric matrix of small integers: exact in f64.
        let r = [[2.0, 2.0, -1.0], [-1.0, 2.0, 2.0], [2.0, -1.0, 2.0]]; // 3 R, columns
        let s = [[4.0, 1.0, -1.0], [1.0, 3.0, 1.0], [-1.0, 1.0, 5.0]];
        let m: [[f64; 3]; 3] =
            core::array::from_fn(|c| core::array::from_fn(|row| (0..3).map(|k| r[k][row] * s[c][k]).sum()));
        let found = nearest(m, [0.0, 0.0, 0.0, 1.0]).expect("unique");
        // trace R = 2, so w = sqrt(3)/2, and the axis is (1, 1, 1)/sqrt(3).
        let v = 0.5 / 3.0_f64.sqrt();
        let want = [v, v, v, 3.0_f64.sqrt() / 2.0];
        assert!(angle(found.quaternion, want) < 3e-16, "{found:?}");
    }

    #[test]
    fn a_wrong_start_ends_at_the_same_rotation() {
        let m = [[0.1, 0.9, 0.2], [-1.1, 0.0, 0.3], [0.2, -0.1, 0.8]];
        let a = nearest(m, [0.0, 0.0, 0.0, 1.0]).expect("unique");
        let b = nearest(m, [0.8, 0.6, 0.0, 0.0]).expect("unique");
        assert!(angle(a.quaternion, b.quaternion) < 1e-15, "{a:?} {b:?}");
    }

    #[test]
    fn equally_near_rotations_have_no_proof() {
        let mirror = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
        assert!(nearest(mirror, [0.0, 0.0, 0.0, 1.0]).is_none(), "not unique");
    }
}
