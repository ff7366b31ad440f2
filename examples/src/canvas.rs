//! A picture to draw lines on.

use glam::Vec2;
use image::{Rgb, RgbImage};

/// Pixels, and where the plane's origin and unit are on them; y points up.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// The picture so far.
    pub image: RgbImage,
    origin: Vec2,
    unit: f32,
}

/// Dark grey: axes and what does not move.
pub const GREY: [u8; 3] = [150, 150, 150];
/// The first of two things to compare.
pub const BLUE: [u8; 3] = [20, 90, 200];
/// The target.
pub const RED: [u8; 3] = [210, 40, 40];

impl Canvas {
    /// A white picture of `width` times `height` pixels with the origin at `origin` (pixels from the lower left) and
    /// `unit` pixels to a length of 1.
    #[must_use]
    pub fn new(width: u32, height: u32, origin: Vec2, unit: f32) -> Self {
        let image = RgbImage::from_pixel(width, height, Rgb([255; 3]));
        Self { image, origin, unit }
    }

    /// A disc of `radius` pixels.
    pub fn disc(&mut self, centre: Vec2, radius: f32, color: [u8; 3]) {
        let centre = self.pixel(centre);
        let reach = radius.ceil();
        let mut y = -reach;
        while y <= reach {
            let mut x = -reach;
            while x <= reach {
                if x * x + y * y <= radius * radius {
                    self.set(centre + Vec2::new(x, y), color);
                }
                x += 1.0;
            }
            y += 1.0;
        }
    }

    /// A line `width` pixels thick, with round ends.
    pub fn line(&mut self, from: Vec2, to: Vec2, width: f32, color: [u8; 3]) {
        let steps = ((to - from).length() * self.unit * 2.0).ceil().clamp(1.0, 1e5);
        let mut step = 0.0;
        while step <= steps {
            self.disc(from.lerp(to, step / steps), 0.5 * width, color);
            step += 1.0;
        }
    }

    fn pixel(&self, point: Vec2) -> Vec2 {
        let at = self.origin + point * self.unit;
        Vec2::new(at.x, self.image.height() as f32 - 1.0 - at.y)
    }

    fn set(&mut self, at: Vec2, color: [u8; 3]) {
        let inside = at.x >= 0.0 && at.y >= 0.0;
        #[expect(clippy::cast_possible_truncation, reason = "a float saturates")]
        let (x, y) = (at.x.round() as u32, at.y.round() as u32);
        if inside && let Some(pixel) = self.image.get_pixel_mut_checked(x, y) {
            *pixel = Rgb(color);
        }
    }
}
