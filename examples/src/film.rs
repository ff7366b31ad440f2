//! Pictures that follow one another.

use std::error::Error;
use std::fs::File;

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, DynamicImage, Frame, ImageResult};

use crate::canvas::Canvas;
use crate::file;

/// An endless GIF of 25 pictures a second.
#[expect(missing_debug_implementations, reason = "the encoder has none")]
pub struct Film(GifEncoder<File>);

impl Film {
    /// A new file; its folder is made where there is none.
    ///
    /// # Errors
    /// Which file, what was wrong, and what to do.
    pub fn create(path: &str) -> Result<Self, Box<dyn Error>> {
        let mut gif = GifEncoder::new_with_speed(file::create(path)?, 30);
        gif.set_repeat(Repeat::Infinite)?;
        Ok(Self(gif))
    }

    /// The next picture.
    ///
    /// # Errors
    /// What the system said when it was written.
    pub fn show(&mut self, canvas: Canvas) -> ImageResult<()> {
        let image = DynamicImage::ImageRgb8(canvas.image).into_rgba8();
        let delay = Delay::from_numer_denom_ms(40, 1);
        self.0.encode_frame(Frame::from_parts(image, 0, 0, delay))
    }
}
