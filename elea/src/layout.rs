//! How items lie in memory: slices of items and structures of arrays, in and out of lanes.

use crate::lanes::{BLOCK, Lanes};
use crate::matrix::Matrix3;
use crate::quaternion::Quaternion;
use crate::scalar::Real;

/// Items of `N` numbers that can be brought into lanes.
pub(crate) trait Source<const N: usize> {
    type T: Real;
    fn len(&self) -> usize;
    /// Fills the first `count` lanes with the items from `start`; the other lanes stay.
    fn load(&self, start: usize, count: usize, lanes: &mut [Lanes<Self::T>; N]);
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
    fn load(&self, start: usize, count: usize, lanes: &mut [Lanes<T>; N]) {
        for (lanes, slice) in lanes.iter_mut().zip(self) {
            if count == BLOCK {
                // A known length is copied in registers, without a call.
                lanes.copy_from_slice(&slice[start..start + BLOCK]);
            } else {
                lanes[..count].copy_from_slice(&slice[start..start + count]);
            }
        }
    }
}

impl<T: Real, const N: usize> Sink<N> for [&mut [T]; N] {
    type T = T;
    #[inline(always)]
    fn store(&mut self, start: usize, count: usize, lanes: &[Lanes<T>; N]) {
        for (lanes, slice) in lanes.iter().zip(self) {
            if count == BLOCK {
                slice[start..start + BLOCK].copy_from_slice(lanes);
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
    fn load(&self, start: usize, count: usize, lanes: &mut [Lanes<M::Scalar>; 9]) {
        for (i, m) in self.0[start..start + count].iter().enumerate().take(BLOCK) {
            let [[a, b, c], [d, e, f], [g, h, j]] = m.to_columns();
            for (lanes, v) in lanes.iter_mut().zip([a, b, c, d, e, f, g, h, j]) {
                lanes[i] = v;
            }
        }
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
    fn load(&self, start: usize, count: usize, lanes: &mut [Lanes<Q::Scalar>; 4]) {
        for (i, q) in self.0[start..start + count].iter().enumerate().take(BLOCK) {
            for (lanes, v) in lanes.iter_mut().zip(q.to_xyzw()) {
                lanes[i] = v;
            }
        }
    }
}

impl<Q: Quaternion> Sink<4> for Quaternions<&mut [Q]> {
    type T = Q::Scalar;
    #[inline(always)]
    fn store(&mut self, start: usize, count: usize, lanes: &[Lanes<Q::Scalar>; 4]) {
        for (i, q) in self.0[start..start + count].iter_mut().enumerate().take(BLOCK) {
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
    fn load(&self, start: usize, count: usize, lanes: &mut [Lanes<T>; 3]) {
        for (i, triple) in self.0[start..start + count].iter().enumerate().take(BLOCK) {
            for (lanes, v) in lanes.iter_mut().zip(*triple) {
                lanes[i] = v;
            }
        }
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
