//! Pictures and files.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use glam::UVec2;
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, ImageError, Rgba, RgbaImage};

use crate::artist::Artist;
use crate::gpu::GpuError;
use crate::scene::{Moment, RATE, Scene, View};

/// What can go wrong on the way to a file.
#[derive(Debug)]
pub(crate) enum OutputError {
    File(PathBuf, std::io::Error),
    Image(PathBuf, ImageError),
    Bvh(PathBuf, elea_anim::bvh::BvhWriteError),
    Glb(PathBuf, elea_anim::glb::GlbError),
    Gpu(GpuError),
}

impl std::fmt::Display for OutputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path, error) => {
                write!(
                    f,
                    "{}: can't be written: {error}; choose another place",
                    path.display()
                )
            }
            Self::Image(path, error) => write!(
                f,
                "{}: can't be written: {error}; choose another place, and a name that ends in .png or .gif",
                path.display()
            ),
            Self::Bvh(path, error) => write!(
                f,
                "{}: can't be written: {error}; leave --bvh out, or play another motion",
                path.display()
            ),
            Self::Glb(path, error) => write!(
                f,
                "{}: can't be written: {error}; leave --glb out, or play another motion",
                path.display()
            ),
            Self::Gpu(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for OutputError {}

impl From<GpuError> for OutputError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(error)
    }
}

/// The main view: from the front, a little from the figure's left.
pub(crate) const MAIN: View = View {
    turn: 0.62,
    rise: 0.07,
    distance: 4.5,
    raised: 0.11,
    ahead: 0.05,
};

const fn small(turn: f32, ahead: f32) -> View {
    View {
        turn,
        rise: 0.06,
        distance: 5.0,
        raised: 0.10,
        ahead,
    }
}

/// From the figure's left.
const SIDE: View = small(std::f32::consts::FRAC_PI_2, 0.16);
/// All round: front, right, behind, left behind.
const ROUND: [View; 4] = [
    small(0.0, 0.0),
    small(-0.85, 0.14),
    small(std::f32::consts::PI, 0.0),
    small(2.3, 0.12),
];

/// Pixels between the parts of the sheet.
const GAP: u32 = 6;
const GAP_COLOUR: Rgba<u8> = Rgba([248, 248, 248, 255]);
const COLUMNS: u32 = 4;

/// One large view and two rows of small ones: moments from the side, then views from all round.
pub(crate) fn sheet(
    artist: &mut Artist<'_>,
    scene: &Scene<'_>,
    moments: &[Moment],
    size: UVec2,
) -> Result<RgbaImage, OutputError> {
    let mut sheet = RgbaImage::from_pixel(size.x, size.y, GAP_COLOUR);
    let large = main_size(size);
    let mut put = |moment: usize, view: View, at: UVec2, size: UVec2| -> Result<(), OutputError> {
        let frame = scene.frame(&moments[moment], view, aspect(size));
        let picture = artist.draw(&frame, size)?;
        image::imageops::replace(&mut sheet, &picture, i64::from(at.x), i64::from(at.y));
        Ok(())
    };
    put(scene.showpiece(moments.len()), MAIN, UVec2::ZERO, large)?;

    let left = large.x + GAP;
    let tile = UVec2::new(
        (size.x - left).saturating_sub((COLUMNS - 1) * GAP) / COLUMNS,
        size.y.saturating_sub(GAP) / 2,
    );
    let looks = scene.looks(moments.len());
    for (column, (&look, view)) in (0..COLUMNS).zip(looks.iter().zip(ROUND)) {
        let x = left + column * (tile.x + GAP);
        put(look, SIDE, UVec2::new(x, 0), tile)?;
        put(look, view, UVec2::new(x, tile.y + GAP), tile)?;
    }
    Ok(sheet)
}

/// The size of the large view on a sheet.
pub(crate) fn main_size(sheet: UVec2) -> UVec2 {
    UVec2::new(sheet.x * 2 / 5, sheet.y)
}

pub(crate) fn aspect(size: UVec2) -> f32 {
    let size = size.as_vec2();
    size.x / size.y
}

/// Writes a picture; its folder is made where there is none.
pub(crate) fn write_png(path: &Path, picture: &RgbaImage) -> Result<(), OutputError> {
    let mut file = create(path)?;
    picture
        .write_to(&mut file, image::ImageFormat::Png)
        .map_err(|error| OutputError::Image(path.into(), error))?;
    flush(path, file)
}

/// Draws all moments in the main view and writes them as an endless GIF.
pub(crate) fn write_gif(
    path: &Path,
    artist: &mut Artist<'_>,
    scene: &Scene<'_>,
    moments: &[Moment],
    size: UVec2,
) -> Result<(), OutputError> {
    /// 1 is the finest palette, 30 the quickest.
    const PALETTE_SPEED: i32 = 10;
    let mut file = create(path)?;
    {
        let mut gif = GifEncoder::new_with_speed(&mut file, PALETTE_SPEED);
        let image_error = |error| OutputError::Image(path.into(), error);
        gif.set_repeat(Repeat::Infinite).map_err(image_error)?;
        for moment in moments {
            let picture = artist.draw(&scene.frame(moment, MAIN, aspect(size)), size)?;
            gif.encode_frame(image::Frame::from_parts(
                picture,
                0,
                0,
                Delay::from_numer_denom_ms(1000, RATE),
            ))
            .map_err(image_error)?;
        }
    }
    flush(path, file)
}

/// Writes a file; its folder is made where there is none.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let mut file = create(path)?;
    file.write_all(bytes)
        .map_err(|error| OutputError::File(path.into(), error))?;
    flush(path, file)
}

fn create(path: &Path) -> Result<BufWriter<File>, OutputError> {
    let file_error = |error| OutputError::File(path.into(), error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(file_error)?;
    }
    Ok(BufWriter::new(File::create(path).map_err(file_error)?))
}

fn flush(path: &Path, mut file: BufWriter<File>) -> Result<(), OutputError> {
    file.flush()
        .map_err(|error| OutputError::File(path.into(), error))
}
