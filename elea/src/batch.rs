//! Whole slices: the same bits as one call an item, several items at a time.
//!
//! The `_soa` forms take one slice per element (structure of arrays). Nothing is allocated; a tail of any length is handled.

use crate::euler::{EulerOrder, Frame, kernel};
use crate::lanes::{BLOCK, Lanes, Work, widest};
use crate::layout::{Matrices, Quaternions, Sink, Source, Triples};
use crate::matrix::Matrix3;
use crate::nearest;
use crate::quaternion::Quaternion;
use crate::scalar::{Real, Scalar, select};

#[track_caller]
fn check_length(found: usize, expected: usize, what: &str) {
    assert!(
        found == expected,
        "{what} has {found} items, the first slice {expected}"
    );
}

#[track_caller]
fn check_soa<T>(quats: &[&[T]; 4], references: &[&[T]], angles: &[&mut [T]; 3]) {
    let len = quats[0].len();
    for slice in quats {
        check_length(slice.len(), len, "a slice of quaternion elements");
    }
    for slice in references {
        check_length(slice.len(), len, "a slice of references");
    }
    for slice in angles {
        check_length(slice.len(), len, "a slice of angles");
    }
}

/// Lanes that loops run over for `count` items: whole vectors.
#[inline(always)]
fn whole_vectors(count: usize) -> usize {
    count.next_multiple_of(16)
}

struct QuatsFromMat3s<From, To> {
    from: From,
    to: To,
}

impl<T, From, To> Work for QuatsFromMat3s<From, To>
where
    T: Scalar,
    From: Source<9, T = T>,
    To: Sink<4, T = T>,
{
    #[inline(always)]
    fn run<const MASKS: bool>(mut self) {
        let mut scratch = [[T::ZERO; BLOCK]; 9];
        let mut q = [[T::ZERO; BLOCK]; 4];
        for start in (0..self.from.len()).step_by(T::BLOCK) {
            let count = T::BLOCK.min(self.from.len() - start);
            let m = self.from.lanes(start, count, &mut scratch);
            let refused = quat_block(&m, &mut q, whole_vectors(count));
            if refused > 0 {
                repair(&m, &mut q, count);
            }
            self.to.store(start, count, &q);
        }
    }
}

#[inline(always)]
fn columns_at<T: Real>(m: &[&Lanes<T>; 9], i: usize) -> [[T; 3]; 3] {
    let at = |e: usize| m[e][i];
    [
        [at(0), at(1), at(2)],
        [at(3), at(4), at(5)],
        [at(6), at(7), at(8)],
    ]
}

/// The fast path over lanes; gives the number of lanes that it refused.
#[inline(always)]
fn quat_block<T: Scalar>(m: &[&Lanes<T>; 9], q: &mut [Lanes<T>; 4], lanes: usize) -> u32 {
    // Three loops rather than one: the chain of dependent operations is long, and shorter loops have more lanes in flight.
    let mut norms = [T::ZERO; BLOCK];
    let mut shifts = [T::ZERO; BLOCK];
    let mut squares = [T::ZERO; BLOCK];
    let lanes = lanes.min(T::BLOCK);
    for i in 0..lanes {
        (norms[i], shifts[i]) = nearest::fast_shift(columns_at(m, i));
    }
    for i in 0..lanes {
        let (square, [x, y, z, w]) = nearest::fast_powers(columns_at(m, i), shifts[i]);
        (squares[i], q[0][i], q[1][i], q[2][i], q[3][i]) = (square, x, y, z, w);
    }
    let mut refused = 0;
    for i in 0..lanes {
        let b = [q[0][i], q[1][i], q[2][i], q[3][i]];
        let ([x, y, z, w], accepted) = nearest::fast_finish(norms[i], squares[i], b);
        (q[0][i], q[1][i], q[2][i], q[3][i]) = (x, y, z, w);
        refused += select(accepted, 0, 1);
    }
    refused
}

/// Answers again the lanes that the fast path has refused.
#[cold]
#[inline(never)]
fn repair<T: Scalar>(m: &[&Lanes<T>; 9], q: &mut [Lanes<T>; 4], count: usize) {
    for i in 0..count {
        let columns = columns_at(m, i);
        if !T::fast(columns).1 {
            let answer = nearest::cold(columns);
            for (lanes, v) in q.iter_mut().zip(answer) {
                lanes[i] = v;
            }
        }
    }
}

/// [`quat_from_mat3`](crate::quat_from_mat3) of every matrix: the same bits.
///
/// # Panics
///
/// If the slices differ in length.
///
/// ```
/// let matrices = [[[0.0_f32, 2.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 2.0]]; 5];
/// let mut quats = [[0.0; 4]; 5];
/// elea::quats_from_mat3s(&matrices, &mut quats);
/// assert_eq!(quats, [elea::quat_from_mat3(matrices[0]); 5]);
/// ```
#[track_caller]
pub fn quats_from_mat3s<M: Matrix3>(matrices: &[M], quats: &mut [M::Quat]) {
    check_length(quats.len(), matrices.len(), "the slice of quaternions");
    widest(QuatsFromMat3s {
        from: Matrices(matrices),
        to: Quaternions(quats),
    });
}

/// [`quats_from_mat3s`] of structures of arrays: the matrices' elements by columns (`[column][row]` flattened: m00 m10 m20
/// m01 ..), the quaternions as x, y, z, w.
///
/// # Panics
///
/// If the slices differ in length.
///
/// ```
/// // Two identity matrices.
/// let (one, zero) = ([1.0_f32; 2], [0.0_f32; 2]);
/// let [mut x, mut y, mut z, mut w] = [[0.5_f32; 2]; 4];
/// elea::quats_from_mat3s_soa(
///     [&one, &zero, &zero, &zero, &one, &zero, &zero, &zero, &one],
///     [&mut x, &mut y, &mut z, &mut w],
/// );
/// assert_eq!([x, y, z, w], [zero, zero, zero, one]);
/// ```
#[track_caller]
pub fn quats_from_mat3s_soa<T: Scalar>(matrices: [&[T]; 9], quats: [&mut [T]; 4]) {
    let len = matrices[0].len();
    for slice in &matrices {
        check_length(slice.len(), len, "a slice of matrix elements");
    }
    for slice in &quats {
        check_length(slice.len(), len, "a slice of quaternion elements");
    }
    widest(QuatsFromMat3s {
        from: matrices,
        to: quats,
    });
}

struct EulersFromQuats<From, To> {
    from: From,
    frame: Frame,
    to: To,
}

impl<T, From, To> EulersFromQuats<From, To>
where
    T: Real,
    From: Source<4, T = T>,
    To: Sink<3, T = T>,
{
    #[inline(always)]
    fn blocks<const PROPER: bool, const MASKS: bool>(mut self) {
        let e = select(self.frame.odd, -T::ONE, T::ONE);
        let mut scratch = [[T::ZERO; BLOCK]; 4];
        let mut angles = [[T::ZERO; BLOCK]; 3];
        for start in (0..self.from.len()).step_by(T::BLOCK) {
            let count = T::BLOCK.min(self.from.len() - start);
            let xyzw = self.from.lanes(start, count, &mut scratch);
            let [w, qi, qj, qk] = permuted(&xyzw, self.frame);
            let mut refused = 0;
            for i in 0..whole_vectors(count).min(T::BLOCK) {
                let (answer, accepted) =
                    kernel::fast::<T, PROPER, false, MASKS>([w[i], qi[i], qj[i], qk[i]], e);
                [angles[0][i], angles[1][i], angles[2][i]] = answer;
                refused += select(accepted, 0, 1);
            }
            if refused > 0 {
                let wijk = [w, qi, qj, qk];
                repair_angles::<T, PROPER>(&mut angles, wijk, e, count, |_, wijk| {
                    kernel::canonical::<T, PROPER>(wijk, e)
                });
            }
            if self.frame.extrinsic {
                angles.swap(0, 2);
            }
            self.to.store(start, count, &angles);
        }
    }
}

impl<T, From, To> Work for EulersFromQuats<From, To>
where
    T: Real,
    From: Source<4, T = T>,
    To: Sink<3, T = T>,
{
    #[inline(always)]
    fn run<const MASKS: bool>(self) {
        if self.frame.proper {
            self.blocks::<true, MASKS>();
        } else {
            self.blocks::<false, MASKS>();
        }
    }
}

/// Answers again the lanes that the kernel has refused.
#[cold]
#[inline(never)]
fn repair_angles<T: Real, const PROPER: bool>(
    angles: &mut [Lanes<T>; 3],
    wijk: [&Lanes<T>; 4],
    e: T,
    count: usize,
    single: impl Fn(usize, [T; 4]) -> [T; 3],
) {
    let [a, b, c] = angles;
    for (i, ((a, b), c)) in a.iter_mut().zip(b).zip(c).enumerate().take(count) {
        let wijk = wijk.map(|lanes| lanes[i]);
        if !kernel::is_usual::<T, PROPER>(wijk, e) {
            [*a, *b, *c] = single(i, wijk);
        }
    }
}

/// x, y, z, w lanes in the order of the kernels.
#[inline(always)]
fn permuted<'a, T: Real>(xyzw: &[&'a Lanes<T>; 4], frame: Frame) -> [&'a Lanes<T>; 4] {
    [xyzw[3], xyzw[frame.i], xyzw[frame.j], xyzw[frame.k]]
}

struct EulersFromQuatsNear<From, References, To: Sink<3>> {
    from: From,
    frame: Frame,
    references: References,
    tolerance: To::T,
    to: To,
}

impl<T, From, References, To> EulersFromQuatsNear<From, References, To>
where
    T: Real,
    From: Source<4, T = T>,
    References: Source<3, T = T>,
    To: Sink<3, T = T>,
{
    #[inline(always)]
    fn blocks<const PROPER: bool, const MASKS: bool>(mut self) {
        let e = select(self.frame.odd, -T::ONE, T::ONE);
        let tolerance = self.tolerance;
        let mut scratch = [[T::ZERO; BLOCK]; 4];
        let mut reference_scratch = [[T::ZERO; BLOCK]; 3];
        let mut angles = [[T::ZERO; BLOCK]; 3];
        for start in (0..self.from.len()).step_by(T::BLOCK) {
            let count = T::BLOCK.min(self.from.len() - start);
            let xyzw = self.from.lanes(start, count, &mut scratch);
            let mut reference = self.references.lanes(start, count, &mut reference_scratch);
            if self.frame.extrinsic {
                reference.swap(0, 2);
            }
            let [w, qi, qj, qk] = permuted(&xyzw, self.frame);
            let [r1, r2, r3] = reference;
            let mut refused = 0;
            for i in 0..whole_vectors(count).min(T::BLOCK) {
                let (answer, accepted) = kernel::near_fast::<T, PROPER, false, MASKS>(
                    [w[i], qi[i], qj[i], qk[i]],
                    e,
                    [r1[i], r2[i], r3[i]],
                    tolerance,
                );
                [angles[0][i], angles[1][i], angles[2][i]] = answer;
                refused += select(accepted, 0, 1);
            }
            if refused > 0 {
                let wijk = [w, qi, qj, qk];
                repair_angles::<T, PROPER>(&mut angles, wijk, e, count, |i, wijk| {
                    kernel::near::<T, PROPER>(wijk, e, [r1[i], r2[i], r3[i]], tolerance)
                });
            }
            if self.frame.extrinsic {
                angles.swap(0, 2);
            }
            self.to.store(start, count, &angles);
        }
    }
}

impl<T, From, References, To> Work for EulersFromQuatsNear<From, References, To>
where
    T: Real,
    From: Source<4, T = T>,
    References: Source<3, T = T>,
    To: Sink<3, T = T>,
{
    #[inline(always)]
    fn run<const MASKS: bool>(self) {
        if self.frame.proper {
            self.blocks::<true, MASKS>();
        } else {
            self.blocks::<false, MASKS>();
        }
    }
}

/// [`euler_from_quat`](crate::euler_from_quat) of every quaternion: the same bits. Fast for lengths between 1/4 and 2 and away
/// from an exact lock.
///
/// # Panics
///
/// If the slices differ in length.
///
/// ```
/// use elea::EulerOrder;
/// let quats = [[0.0_f32, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]];
/// let mut angles = [[0.0; 3]; 2];
/// elea::eulers_from_quats(&quats, EulerOrder::XYZ, &mut angles);
/// assert_eq!(angles[1], elea::euler_from_quat(quats[1], EulerOrder::XYZ));
/// ```
#[track_caller]
pub fn eulers_from_quats<Q: Quaternion>(
    quats: &[Q],
    order: impl Into<EulerOrder>,
    angles: &mut [[Q::Scalar; 3]],
) {
    check_length(angles.len(), quats.len(), "the slice of angles");
    widest(EulersFromQuats {
        from: Quaternions(quats),
        frame: order.into().frame(),
        to: Triples(angles),
    });
}

/// [`euler_from_quat_near`](crate::euler_from_quat_near) of every quaternion with its own reference: the same bits.
///
/// # Panics
///
/// If the slices differ in length.
///
/// ```
/// use elea::EulerOrder;
/// let quats = [[0.6_f32, 0.0, 0.0, 0.8]; 2];
/// let references = [[0.0; 3], [6.0, 0.0, 0.0]];
/// let mut angles = [[0.0; 3]; 2];
/// elea::eulers_from_quats_near(&quats, EulerOrder::XYZ, &references, 0.0, &mut angles);
/// assert!((angles[1][0] - angles[0][0] - std::f32::consts::TAU).abs() < 1e-6);
/// ```
#[track_caller]
pub fn eulers_from_quats_near<Q: Quaternion>(
    quats: &[Q],
    order: impl Into<EulerOrder>,
    references: &[[Q::Scalar; 3]],
    tolerance: Q::Scalar,
    angles: &mut [[Q::Scalar; 3]],
) {
    check_length(references.len(), quats.len(), "the slice of references");
    check_length(angles.len(), quats.len(), "the slice of angles");
    widest(EulersFromQuatsNear {
        from: Quaternions(quats),
        frame: order.into().frame(),
        references: Triples(references),
        tolerance,
        to: Triples(angles),
    });
}

/// [`eulers_from_quats`] of structures of arrays: x, y, z, w in, the angles in the order of the letters out.
///
/// # Panics
///
/// If the slices differ in length.
///
/// ```
/// use elea::EulerOrder;
/// // Two quarter turns about z.
/// let (zero, half) = ([0.0_f32; 2], [0.5_f32.sqrt(); 2]);
/// let [mut a, mut b, mut c] = [[0.5_f32; 2]; 3];
/// elea::eulers_from_quats_soa([&zero, &zero, &half, &half], EulerOrder::XYZ, [&mut a, &mut b, &mut c]);
/// assert_eq!((a, b), (zero, zero));
/// assert!((c[1] - std::f32::consts::FRAC_PI_2).abs() < 5e-7);
/// ```
#[track_caller]
pub fn eulers_from_quats_soa<T: Scalar>(
    quats: [&[T]; 4],
    order: impl Into<EulerOrder>,
    angles: [&mut [T]; 3],
) {
    check_soa(&quats, &[], &angles);
    widest(EulersFromQuats {
        from: quats,
        frame: order.into().frame(),
        to: angles,
    });
}

/// [`eulers_from_quats_near`] of structures of arrays: x, y, z, w and the references in, the angles out, both in the order of
/// the letters.
///
/// # Panics
///
/// If the slices differ in length.
///
/// ```
/// use elea::EulerOrder;
/// // Two quarter turns about z; the second follows a curve that has gone round once.
/// let (zero, half) = ([0.0_f32; 2], [0.5_f32.sqrt(); 2]);
/// let [mut a, mut b, mut c] = [[0.0_f32; 2]; 3];
/// elea::eulers_from_quats_near_soa(
///     [&zero, &zero, &half, &half],
///     EulerOrder::XYZ,
///     [&zero, &zero, &[1.5, 7.8]],
///     0.0,
///     [&mut a, &mut b, &mut c],
/// );
/// assert!((c[1] - c[0] - std::f32::consts::TAU).abs() < 1e-6);
/// ```
#[track_caller]
pub fn eulers_from_quats_near_soa<T: Scalar>(
    quats: [&[T]; 4],
    order: impl Into<EulerOrder>,
    references: [&[T]; 3],
    tolerance: T,
    angles: [&mut [T]; 3],
) {
    check_soa(&quats, &references, &angles);
    widest(EulersFromQuatsNear {
        from: quats,
        frame: order.into().frame(),
        references,
        tolerance,
        to: angles,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::Random;
    use crate::lanes::Form;
    use std::vec::Vec;

    /// Any bits in an eighth of the numbers, else a number around 1: each kernel's usual path and its repairs.
    fn number<T: Real>(random: &mut Random) -> T {
        if random.bits().is_multiple_of(8) {
            any_bits(random)
        } else {
            T::from_f64(random.range(-1.5, 1.5))
        }
    }

    /// Any number of the precision, NaN and infinities too.
    fn any_bits<T: Real>(random: &mut Random) -> T {
        let bits = random.bits();
        #[allow(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
        let single = f32::from_bits(bits as u32);
        T::from_f64(if T::EPSILON.to_f64() > 1e-10 {
            f64::from(single)
        } else {
            f64::from_bits(bits)
        })
    }

    fn numbers<T: Real, const N: usize>(random: &mut Random, count: usize) -> Vec<[T; N]> {
        (0..count)
            .map(|_| core::array::from_fn(|_| number(random)))
            .collect()
    }

    fn bits<T: Real, const N: usize>(items: &[[T; N]]) -> Vec<[u64; N]> {
        items
            .iter()
            .map(|item| item.map(|v| v.to_f64().to_bits()))
            .collect()
    }

    fn matrix<T: Real>(random: &mut Random) -> [[T; 3]; 3] {
        let q = random.quaternion();
        match random.bits() % 4 {
            0 => core::array::from_fn(|_| core::array::from_fn(|_| number(random))),
            _ => crate::mat3_from_quat(q).map(|c| c.map(T::from_f64)),
        }
    }

    fn forms_agree<T: Scalar>()
    where
        [[T; 3]; 3]: Matrix3<Scalar = T, Quat = [T; 4]>,
        [T; 4]: Quaternion<Scalar = T>,
    {
        let mut random = Random(0xf0_25);
        for &form in Form::ALL {
            if !form.is_here() {
                let _ = std::io::Write::write_fmt(
                    &mut std::io::stderr(),
                    std::format_args!("SKIPPED: this CPU has no {form:?}\n"),
                );
                continue;
            }
            for len in (1..70).chain([127, 128, 129, 500]) {
                let matrices: Vec<[[T; 3]; 3]> = (0..len).map(|_| matrix(&mut random)).collect();
                let mut quats = numbers(&mut random, len);
                form.run(QuatsFromMat3s {
                    from: Matrices(&matrices),
                    to: Quaternions(&mut quats[..]),
                });
                let single: Vec<[T; 4]> = matrices.iter().map(|&m| crate::quat_from_mat3(m)).collect();
                assert_eq!(bits(&quats), bits(&single), "{form:?}, {len} matrices");

                // Some at a lock of many orders, some of any length.
                for q in &mut quats {
                    *q = match random.bits() % 4 {
                        0 => [q[0], q[1], q[1], q[0]],
                        1 => core::array::from_fn(|_| number(&mut random)),
                        _ => *q,
                    };
                }
                let references = numbers(&mut random, len);
                let tolerance = number(&mut random);
                let order = EulerOrder::ALL[len % 24];
                let (mut angles, mut near) = (numbers(&mut random, len), numbers(&mut random, len));
                form.run(EulersFromQuats {
                    from: Quaternions(&quats[..]),
                    frame: order.frame(),
                    to: Triples(&mut angles[..]),
                });
                form.run(EulersFromQuatsNear {
                    from: Quaternions(&quats[..]),
                    frame: order.frame(),
                    references: Triples(&references[..]),
                    tolerance,
                    to: Triples(&mut near[..]),
                });
                for n in 0..len {
                    let (q, r) = (quats[n], references[n]);
                    assert_eq!(
                        bits(&[angles[n], near[n]]),
                        bits(&[
                            crate::euler_from_quat(q, order),
                            crate::euler_from_quat_near(q, order, r, tolerance)
                        ]),
                        "{form:?} {order:?} {q:?} near {r:?} within {tolerance:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_form_gives_the_bits_of_single_calls() {
        forms_agree::<f32>();
        forms_agree::<f64>();
    }
}
