//! How items lie in memory: slices of items and structures of arrays, in and out of lanes.

use crate::lanes::{BLOCK, Lanes};
use crate::matrix::Matrix3;
use crate::quaternion::Quaternion;
use crate::scalar::Real;

/// Items of `N` numbers that can be brought into lanes.
pub(crate) trait Source<const N: usize> {
    type T: Real;
    fn len(&self) -> usize;
    /// The `count` items from `start` in the first lanes: in place where they lie so, else in `scratch`, whose other lanes stay.
    fn lanes<'a>(
        &'a self,
        start: usize,
        count: usize,
        scratch: &'a mut [Lanes<Self::T>; N],
    ) -> [&'a Lanes<Self::T>; N];
}

/// Items of `N` numbers that take the values of lanes.
pub(crate) trait Sink<const N: usize> {
    type T: Real;
    /// Takes the first `count` lanes as the items from `start`.
    fn store(&mut self, start: usize, count: usize, lanes: &[Lanes<Self::T>; N]);
}

impl<T: Real, const N: usize> Source<N> for [&[T]; N] {
    type T = T;
    #[inline(always)]
    fn len(&self) -> usize {
        self[0].len()
    }
    #[inline(always)]
    fn lanes<'a>(&'a self, start: usize, count: usize, scratch: &'a mut [Lanes<T>; N]) -> [&'a Lanes<T>; N] {
        // References need all lanes of the array type, also those beyond the block.
        if start + BLOCK <= self[0].len() {
            return core::array::from_fn(|n| self[n][start..].first_chunk().unwrap_or(&scratch[n]));
        }
        for (lanes, slice) in scratch.iter_mut().zip(self) {
            lanes[..count].copy_from_slice(&slice[start..start + count]);
        }
        scratch.each_ref()
    }
}

impl<T: Real, const N: usize> Sink<N> for [&mut [T]; N] {
    type T = T;
    #[inline(always)]
    fn store(&mut self, start: usize, count: usize, lanes: &[Lanes<T>; N]) {
        for (lanes, slice) in lanes.iter().zip(self) {
            if count == T::BLOCK {
                slice[start..start + T::BLOCK].copy_from_slice(&lanes[..T::BLOCK]);
            } else {
                slice[start..start + count].copy_from_slice(&lanes[..count]);
            }
        }
    }
}

/// A slice of matrices.
pub(crate) struct Matrices<'a, M>(pub(crate) &'a [M]);

impl<M: Matrix3> Source<9> for Matrices<'_, M> {
    type T = M::Scalar;
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn lanes<'a>(
        &'a self,
        start: usize,
        count: usize,
        lanes: &'a mut [Lanes<M::Scalar>; 9],
    ) -> [&'a Lanes<M::Scalar>; 9] {
        let items = &self.0[start..start + count];
        let mut done = 0;
        if M::Scalar::BY_FOURS {
            let (fours, _) = items.as_chunks::<4>();
            for (n, four) in fours.iter().enumerate().take(BLOCK / 4) {
                done = 4 * n;
                let mut heads = [[M::Scalar::ZERO; 4]; 4];
                let mut tails = [[M::Scalar::ZERO; 4]; 4];
                for (k, m) in four.iter().enumerate() {
                    let [[a, b, c], [d, e, f], [g, h, j]] = m.to_columns();
                    (heads[k], tails[k], lanes[8][done + k]) = ([a, b, c, d], [e, f, g, h], j);
                }
                let (heads, tails) = (M::Scalar::transposed(heads), M::Scalar::transposed(tails));
                for e in 0..4 {
                    lanes[e][done..done + 4].copy_from_slice(&heads[e]);
                    lanes[4 + e][done..done + 4].copy_from_slice(&tails[e]);
                }
            }
            done = 4 * fours.len();
        }
        for (i, m) in items.iter().enumerate().take(BLOCK).skip(done) {
            let [[a, b, c], [d, e, f], [g, h, j]] = m.to_columns();
            for (lanes, v) in lanes.iter_mut().zip([a, b, c, d, e, f, g, h, j]) {
                lanes[i] = v;
            }
        }
        lanes.each_ref()
    }
}

/// A slice of quaternions, in or out.
pub(crate) struct Quaternions<S>(pub(crate) S);

impl<Q: Quaternion> Source<4> for Quaternions<&[Q]> {
    type T = Q::Scalar;
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn lanes<'a>(
        &'a self,
        start: usize,
        count: usize,
        lanes: &'a mut [Lanes<Q::Scalar>; 4],
    ) -> [&'a Lanes<Q::Scalar>; 4] {
        let items = &self.0[start..start + count];
        let mut done = 0;
        if Q::Scalar::BY_FOURS {
            let (fours, _) = items.as_chunks::<4>();
            for (n, four) in fours.iter().enumerate().take(BLOCK / 4) {
                let columns = Q::Scalar::transposed(four.map(Q::to_xyzw));
                for (lanes, v) in lanes.iter_mut().zip(&columns) {
                    lanes[4 * n..4 * n + 4].copy_from_slice(v);
                }
            }
            done = 4 * fours.len();
        }
        for (i, q) in items.iter().enumerate().take(BLOCK).skip(done) {
            for (lanes, v) in lanes.iter_mut().zip(q.to_xyzw()) {
                lanes[i] = v;
            }
        }
        lanes.each_ref()
    }
}

impl<Q: Quaternion> Sink<4> for Quaternions<&mut [Q]> {
    type T = Q::Scalar;
    #[inline(always)]
    fn store(&mut self, start: usize, count: usize, lanes: &[Lanes<Q::Scalar>; 4]) {
        let items = &mut self.0[start..start + count];
        let mut done = 0;
        if Q::Scalar::BY_FOURS {
            let (fours, _) = items.as_chunks_mut::<4>();
            done = 4 * fours.len();
            for (n, four) in fours.iter_mut().enumerate().take(BLOCK / 4) {
                let at = |e: usize| {
                    [
                        lanes[e][4 * n],
                        lanes[e][4 * n + 1],
                        lanes[e][4 * n + 2],
                        lanes[e][4 * n + 3],
                    ]
                };
                *four = Q::Scalar::transposed([at(0), at(1), at(2), at(3)]).map(Q::from_xyzw_array);
            }
        }
        for (i, q) in items.iter_mut().enumerate().take(BLOCK).skip(done) {
            *q = Q::from_xyzw_array([lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]]);
        }
    }
}

/// A slice of angle triples, in or out.
pub(crate) struct Triples<S>(pub(crate) S);

impl<T: Real> Source<3> for Triples<&[[T; 3]]> {
    type T = T;
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn lanes<'a>(&'a self, start: usize, count: usize, lanes: &'a mut [Lanes<T>; 3]) -> [&'a Lanes<T>; 3] {
        for (i, triple) in self.0[start..start + count].iter().enumerate().take(BLOCK) {
            for (lanes, v) in lanes.iter_mut().zip(*triple) {
                lanes[i] = v;
            }
        }
        lanes.each_ref()
    }
}

impl<T: Real> Sink<3> for Triples<&mut [[T; 3]]> {
    type T = T;
    #[inline(always)]
    fn store(&mut self, start: usize, count: usize, lanes: &[Lanes<T>; 3]) {
        for (i, triple) in self.0[start..start + count].iter_mut().enumerate().take(BLOCK) {
            *triple = [lanes[0][i], lanes[1][i], lanes[2][i]];
        }
    }
}
