//! Plain arrays.

use glam::{Affine3A, Mat3A, Vec3, Vec3A, Vec4};

use super::{Add, LANES, Mul, Simd, Sub};

/// Plain arrays: what other machines run, and the reference for the tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

#[derive(Clone, Copy)]
pub(crate) struct Array([f32; LANES]);

impl Array {
    #[inline(always)]
    fn zip(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] = function(self.0[lane], other.0[lane]);
        }
        out
    }
}

impl Add for Array {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Array {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Array {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Simd for Portable {
    type F = Array;

    #[inline(always)]
    fn splat(self, value: f32) -> Array {
        Array([value; LANES])
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Array {
        Array(*values)
    }

    #[inline(always)]
    fn load_i16(self, values: &[i16; LANES]) -> Array {
        Array(values.map(f32::from))
    }

    #[inline(always)]
    fn store(self, values: Array, to: &mut [f32; LANES]) {
        *to = values.0;
    }

    #[inline(always)]
    fn mul_add(self, a: Array, b: Array, c: Array) -> Array {
        a * b + c
    }

    #[inline(always)]
    fn div(self, a: Array, b: Array) -> Array {
        a.zip(b, |a, b| a / b)
    }

    #[inline(always)]
    fn inverse_sqrt(self, a: Array) -> Array {
        Array(a.0.map(|value| 1.0 / value.sqrt()))
    }

    #[inline(always)]
    fn flip(self, a: Array, sign: Array) -> Array {
        a.zip(sign, |a, sign| {
            f32::from_bits(a.to_bits() ^ (sign.to_bits() & (1 << 31)))
        })
    }

    #[inline(always)]
    fn or(self, a: Array, b: Array) -> Array {
        a.zip(b, |a, b| f32::from_bits(a.to_bits() | b.to_bits()))
    }

    #[inline(always)]
    fn xor(self, a: Array, b: Array) -> Array {
        a.zip(b, |a, b| f32::from_bits(a.to_bits() ^ b.to_bits()))
    }

    #[inline(always)]
    fn sign_bits(self, a: Array) -> u8 {
        (0..LANES).fold(0, |bits, lane| {
            bits | (u8::from(a.0[lane].is_sign_negative()) << lane)
        })
    }

    #[inline(always)]
    fn min(self, a: Array, b: Array) -> Array {
        a.zip(b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn where_positive(self, test: Array, yes: Array, no: Array) -> Array {
        let mut out = no;
        for lane in 0..LANES {
            if test.0[lane] > 0.0 {
                out.0[lane] = yes.0[lane];
            }
        }
        out
    }

    type V = [f32; 4];

    #[inline(always)]
    fn unpack24(self, [x, y, z]: [Array; 3]) -> [Array; 4] {
        let low = |array: Array, lane: usize| array.0[lane].to_bits() & 0xff;
        let w = std::array::from_fn(|lane| {
            f32::from_bits((low(x, lane) << 24) | (low(y, lane) << 16) | (low(z, lane) << 8))
        });
        #[expect(clippy::cast_precision_loss, reason = "24 bits")]
        let number = |bits: f32| (bits.to_bits().cast_signed() >> 8) as f32;
        [x, y, z, Array(w)].map(|array| Array(array.0.map(number)))
    }

    #[inline(always)]
    fn load4(self, values: &[f32; 4]) -> [f32; 4] {
        *values
    }

    #[inline(always)]
    fn load4_bits(self, bits: &[u32; 4]) -> [f32; 4] {
        bits.map(f32::from_bits)
    }

    #[inline(always)]
    fn store4(self, values: [f32; 4], to: &mut [f32; 4]) {
        *to = values;
    }

    #[inline(always)]
    fn load_vec3s(self, from: &[Vec3; LANES]) -> [Array; 3] {
        [0, 1, 2].map(|axis: usize| Array(from.map(|vector| vector[axis])))
    }

    #[inline(always)]
    fn store_vec3s(self, [x, y, z]: [Array; 3], to: &mut [Vec3; LANES]) {
        *to = std::array::from_fn(|lane| Vec3::new(x.0[lane], y.0[lane], z.0[lane]));
    }

    #[inline(always)]
    fn splat4(self, value: f32) -> [f32; 4] {
        [value; 4]
    }

    #[inline(always)]
    fn add4(self, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
    }

    #[inline(always)]
    fn mul4(self, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
        [a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]]
    }

    #[inline(always)]
    fn mul_add4(self, a: [f32; 4], b: [f32; 4], c: [f32; 4]) -> [f32; 4] {
        self.add4(self.mul4(a, b), c)
    }

    #[inline(always)]
    fn splats4(self, a: [f32; 4]) -> [[f32; 4]; 3] {
        [[a[0]; 4], [a[1]; 4], [a[2]; 4]]
    }

    #[inline(always)]
    fn transpose(self, rows: [[f32; 4]; LANES]) -> [Array; 4] {
        [0, 1, 2, 3].map(|column: usize| Array(rows.map(|row| row[column])))
    }

    #[inline(always)]
    fn transpose_back(self, columns: [Array; 4]) -> [[f32; 4]; LANES] {
        std::array::from_fn(|lane| columns.map(|column| column.0[lane]))
    }

    #[inline(always)]
    fn load_affine(self, from: &Affine3A) -> [[f32; 4]; 4] {
        let Mat3A {
            x_axis,
            y_axis,
            z_axis,
        } = from.matrix3;
        [x_axis, y_axis, z_axis, from.translation].map(|column| column.extend(0.0).to_array())
    }

    #[inline(always)]
    fn to_affine(self, columns: [[f32; 4]; 4]) -> Affine3A {
        let [x, y, z, translation] = columns.map(|column| Vec3A::new(column[0], column[1], column[2]));
        Affine3A {
            matrix3: Mat3A::from_cols(x, y, z),
            translation,
        }
    }

    type Rows = [[f32; 4]; 3];

    #[inline(always)]
    fn scale_rows(self, rows: &[Vec4; 3], factor: f32) -> [[f32; 4]; 3] {
        let ([a, b, c], factor) = (rows, self.splat4(factor));
        [
            self.mul4(self.load4(a.as_ref()), factor),
            self.mul4(self.load4(b.as_ref()), factor),
            self.mul4(self.load4(c.as_ref()), factor),
        ]
    }

    #[inline(always)]
    fn add_rows(self, rows: &[Vec4; 3], factor: f32, sum: [[f32; 4]; 3]) -> [[f32; 4]; 3] {
        let ([a, b, c], factor) = (rows, self.splat4(factor));
        [
            self.mul_add4(self.load4(a.as_ref()), factor, sum[0]),
            self.mul_add4(self.load4(b.as_ref()), factor, sum[1]),
            self.mul_add4(self.load4(c.as_ref()), factor, sum[2]),
        ]
    }

    #[inline(always)]
    fn pair_rows(self, a: [[f32; 4]; 3], b: [[f32; 4]; 3]) -> [Array; 3] {
        [0, 1, 2].map(|row: usize| {
            let ([x, y, z, w], [p, q, r, s]) = (a[row], b[row]);
            Array([x, y, z, w, p, q, r, s])
        })
    }

    #[inline(always)]
    fn transpose_fours(self, rows: [Array; 4]) -> [Array; 4] {
        [0, 1, 2, 3].map(|column| {
            Array(std::array::from_fn(|lane| {
                rows[lane % 4].0[lane / 4 * 4 + column]
            }))
        })
    }
}
