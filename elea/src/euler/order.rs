//! The 24 orders of Euler angles.

/// The order of three Euler angles: glam's 24 orders under the same names.
///
/// The letters are a matrix product: `XYZ` with angles `[a, b, c]` is `Rx(a) * Ry(b) * Rz(c)`, rotations about the moving
/// axes (intrinsic). With `Ex` the same letters are rotations about the fixed axes, first to last: `XYZEx` is
/// `Rz(c) * Ry(b) * Rx(a)`. Angles always come in the order of the letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(clippy::upper_case_acronyms, reason = "glam's names")]
pub enum EulerOrder {
    /// `Rz(a) * Ry(b) * Rx(c)`
    ZYX,
    /// `Rz(a) * Rx(b) * Ry(c)`
    ZXY,
    /// `Ry(a) * Rx(b) * Rz(c)`
    YXZ,
    /// `Ry(a) * Rz(b) * Rx(c)`
    YZX,
    /// `Rx(a) * Ry(b) * Rz(c)`
    XYZ,
    /// `Rx(a) * Rz(b) * Ry(c)`
    XZY,
    /// `Rz(a) * Ry(b) * Rz(c)`
    ZYZ,
    /// `Rz(a) * Rx(b) * Rz(c)`
    ZXZ,
    /// `Ry(a) * Rx(b) * Ry(c)`
    YXY,
    /// `Ry(a) * Rz(b) * Ry(c)`
    YZY,
    /// `Rx(a) * Ry(b) * Rx(c)`
    XYX,
    /// `Rx(a) * Rz(b) * Rx(c)`
    XZX,
    /// `Rx(c) * Ry(b) * Rz(a)`
    ZYXEx,
    /// `Ry(c) * Rx(b) * Rz(a)`
    ZXYEx,
    /// `Rz(c) * Rx(b) * Ry(a)`
    YXZEx,
    /// `Rx(c) * Rz(b) * Ry(a)`
    YZXEx,
    /// `Rz(c) * Ry(b) * Rx(a)`
    XYZEx,
    /// `Ry(c) * Rz(b) * Rx(a)`
    XZYEx,
    /// `Rz(c) * Ry(b) * Rz(a)`
    ZYZEx,
    /// `Rz(c) * Rx(b) * Rz(a)`
    ZXZEx,
    /// `Ry(c) * Rx(b) * Ry(a)`
    YXYEx,
    /// `Ry(c) * Rz(b) * Ry(a)`
    YZYEx,
    /// `Rx(c) * Ry(b) * Rx(a)`
    XYXEx,
    /// `Rx(c) * Rz(b) * Rx(a)`
    XZXEx,
}

impl EulerOrder {
    /// All 24.
    pub const ALL: [Self; 24] = [
        Self::ZYX,
        Self::ZXY,
        Self::YXZ,
        Self::YZX,
        Self::XYZ,
        Self::XZY,
        Self::ZYZ,
        Self::ZXZ,
        Self::YXY,
        Self::YZY,
        Self::XYX,
        Self::XZX,
        Self::ZYXEx,
        Self::ZXYEx,
        Self::YXZEx,
        Self::YZXEx,
        Self::XYZEx,
        Self::XZYEx,
        Self::ZYZEx,
        Self::ZXZEx,
        Self::YXYEx,
        Self::YZYEx,
        Self::XYXEx,
        Self::XZXEx,
    ];

    /// The axes of the letters, 0 for x, 1 for y, 2 for z.
    #[must_use]
    pub const fn axes(self) -> [usize; 3] {
        match self {
            Self::ZYX | Self::ZYXEx => [2, 1, 0],
            Self::ZXY | Self::ZXYEx => [2, 0, 1],
            Self::YXZ | Self::YXZEx => [1, 0, 2],
            Self::YZX | Self::YZXEx => [1, 2, 0],
            Self::XYZ | Self::XYZEx => [0, 1, 2],
            Self::XZY | Self::XZYEx => [0, 2, 1],
            Self::ZYZ | Self::ZYZEx => [2, 1, 2],
            Self::ZXZ | Self::ZXZEx => [2, 0, 2],
            Self::YXY | Self::YXYEx => [1, 0, 1],
            Self::YZY | Self::YZYEx => [1, 2, 1],
            Self::XYX | Self::XYXEx => [0, 1, 0],
            Self::XZX | Self::XZXEx => [0, 2, 0],
        }
    }

    /// Whether the rotations go about fixed axes (`Ex`).
    #[must_use]
    pub const fn is_extrinsic(self) -> bool {
        self as u8 >= Self::ZYXEx as u8
    }

    /// Whether the first axis comes again as the last (`ZXZ` and its like); the others are Tait-Bryan orders.
    #[must_use]
    pub const fn is_proper(self) -> bool {
        let [i, _, k] = self.axes();
        i == k
    }

    pub(crate) const fn frame(self) -> Frame {
        let [mut i, j, mut k] = self.axes();
        let proper = i == k;
        if proper {
            k = 3 - i - j;
        } else if self.is_extrinsic() {
            (i, k) = (k, i);
        }
        Frame {
            i,
            j,
            k,
            odd: (i + 1) % 3 != j,
            proper,
            extrinsic: self.is_extrinsic(),
        }
    }
}

/// An order as the kernels want it: the intrinsic axes i, j, k. In proper orders k is the axis not named; an extrinsic
/// order is the intrinsic one with axes and angles reversed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) k: usize,
    /// j does not follow i cyclically.
    pub(crate) odd: bool,
    pub(crate) proper: bool,
    pub(crate) extrinsic: bool,
}

#[cfg(feature = "glam")]
impl From<glam::EulerRot> for EulerOrder {
    fn from(order: glam::EulerRot) -> Self {
        match order {
            glam::EulerRot::ZYX => Self::ZYX,
            glam::EulerRot::ZXY => Self::ZXY,
            glam::EulerRot::YXZ => Self::YXZ,
            glam::EulerRot::YZX => Self::YZX,
            glam::EulerRot::XYZ => Self::XYZ,
            glam::EulerRot::XZY => Self::XZY,
            glam::EulerRot::ZYZ => Self::ZYZ,
            glam::EulerRot::ZXZ => Self::ZXZ,
            glam::EulerRot::YXY => Self::YXY,
            glam::EulerRot::YZY => Self::YZY,
            glam::EulerRot::XYX => Self::XYX,
            glam::EulerRot::XZX => Self::XZX,
            glam::EulerRot::ZYXEx => Self::ZYXEx,
            glam::EulerRot::ZXYEx => Self::ZXYEx,
            glam::EulerRot::YXZEx => Self::YXZEx,
            glam::EulerRot::YZXEx => Self::YZXEx,
            glam::EulerRot::XYZEx => Self::XYZEx,
            glam::EulerRot::XZYEx => Self::XZYEx,
            glam::EulerRot::ZYZEx => Self::ZYZEx,
            glam::EulerRot::ZXZEx => Self::ZXZEx,
            glam::EulerRot::YXYEx => Self::YXYEx,
            glam::EulerRot::YZYEx => Self::YZYEx,
            glam::EulerRot::XYXEx => Self::XYXEx,
            glam::EulerRot::XZXEx => Self::XZXEx,
        }
    }
}

#[cfg(feature = "glam")]
impl From<EulerOrder> for glam::EulerRot {
    fn from(order: EulerOrder) -> Self {
        match order {
            EulerOrder::ZYX => Self::ZYX,
            EulerOrder::ZXY => Self::ZXY,
            EulerOrder::YXZ => Self::YXZ,
            EulerOrder::YZX => Self::YZX,
            EulerOrder::XYZ => Self::XYZ,
            EulerOrder::XZY => Self::XZY,
            EulerOrder::ZYZ => Self::ZYZ,
            EulerOrder::ZXZ => Self::ZXZ,
            EulerOrder::YXY => Self::YXY,
            EulerOrder::YZY => Self::YZY,
            EulerOrder::XYX => Self::XYX,
            EulerOrder::XZX => Self::XZX,
            EulerOrder::ZYXEx => Self::ZYXEx,
            EulerOrder::ZXYEx => Self::ZXYEx,
            EulerOrder::YXZEx => Self::YXZEx,
            EulerOrder::YZXEx => Self::YZXEx,
            EulerOrder::XYZEx => Self::XYZEx,
            EulerOrder::XZYEx => Self::XZYEx,
            EulerOrder::ZYZEx => Self::ZYZEx,
            EulerOrder::ZXZEx => Self::ZXZEx,
            EulerOrder::YXYEx => Self::YXYEx,
            EulerOrder::YZYEx => Self::YZYEx,
            EulerOrder::XYXEx => Self::XYXEx,
            EulerOrder::XZXEx => Self::XZXEx,
        }
    }
}
