//! A window with the performance in it: drag to orbit, scroll to come nearer, sliders for the layers' weights.
//!
//! The pictures are those of [`Gpu::draw`]: drawn by this program's own device and handed to the window's as pixels, so that
//! what is seen is what `--check` has checked.

use std::time::Duration;

use eframe::egui::{self, ColorImage, Sense, TextureHandle, TextureOptions, vec2};
use glam::UVec2;

use crate::gpu::{Gpu, GpuError};
use crate::mesh::Mesh;
use crate::output::{MAIN, aspect};
use crate::scene::{Live, Scene, View, Weights};

/// The window's first size in points.
const SIZE: [f32; 2] = [1100.0, 760.0];
/// Width of the panel with the sliders in points.
const PANEL: f32 = 230.0;
/// Pixels along a picture's side.
const SIDES: [u32; 2] = [64, 4096];
/// The longest step of time between two pictures (seconds): a window that was away goes on where it was.
const MAX_STEP: f32 = 0.1;
/// Radians a point of dragging.
const ORBIT: f32 = 0.008;
/// How near and how far the camera goes, metres.
const DISTANCES: [f32; 2] = [1.2, 20.0];

/// Why the window closed early.
#[derive(Debug)]
pub(crate) enum WindowError {
    /// The window system refused.
    System(String),
    /// The renderer failed while the window was open.
    Gpu(GpuError),
}

impl std::fmt::Display for WindowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::System(reason) => write!(
                f,
                "no window: {reason}; is there a display? DISPLAY or WAYLAND_DISPLAY says where, and without --window \
                 the pictures go to files"
            ),
            Self::Gpu(error) => write!(f, "{error}"),
        }
    }
}

/// Shows the scene until the window is closed.
pub(crate) fn show(gpu: Gpu, mesh: &Mesh, scene: Scene<'_>) -> Result<(), WindowError> {
    let mut failure = None;
    let app = Window {
        adapter: gpu.adapter(),
        gpu,
        mesh,
        live: scene.live(),
        weights: Weights {
            body: 1.0,
            wave: 1.0,
            reach: 1.0,
            speed: 1.0,
        },
        playing: true,
        view: MAIN,
        prepared: None,
        picture: None,
        failure: &mut failure,
    };
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size(SIZE),
        ..Default::default()
    };
    let shown = eframe::run_native("skinning", options, Box::new(|_| Ok(Box::new(app))));
    if let Some(error) = failure {
        return Err(WindowError::Gpu(error));
    }
    shown.map_err(|error| WindowError::System(error.to_string()))
}

struct Window<'a, 'f> {
    adapter: String,
    gpu: Gpu,
    mesh: &'a Mesh,
    live: Live<'a>,
    weights: Weights,
    playing: bool,
    view: View,
    prepared: Option<UVec2>,
    picture: Option<TextureHandle>,
    failure: &'f mut Option<GpuError>,
}

impl eframe::App for Window<'_, '_> {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        egui::Panel::left("controls")
            .exact_size(PANEL)
            .resizable(false)
            .show(ui, |ui| self.controls(ui));
        egui::CentralPanel::no_frame().show(ui, |ui| self.scene(ui));
        if self.failure.is_some() {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        } else if self.playing {
            ui.ctx().request_repaint();
        } else {
            ui.ctx().request_repaint_after(Duration::from_secs(1));
        }
    }
}

impl Window<'_, '_> {
    fn controls(&mut self, ui: &mut egui::Ui) {
        ui.add_space(8.0);
        let label = if self.playing { "Pause" } else { "Play" };
        if ui.button(label).clicked() || ui.input(|input| input.key_pressed(egui::Key::Space)) {
            self.playing = !self.playing;
        }
        ui.add_space(8.0);
        let Weights {
            body,
            wave,
            reach,
            speed,
        } = &mut self.weights;
        for (name, value, most) in [
            ("walk", body, 1.0),
            ("wave", wave, 1.0),
            ("reach", reach, 1.0),
            ("speed", speed, 2.0),
        ] {
            ui.add(egui::Slider::new(value, 0.0..=most).text(name));
        }
        ui.add_space(8.0);
        if ui.button("Camera back").clicked() {
            self.view = MAIN;
        }
        ui.add_space(8.0);
        ui.label("Drag: orbit. Scroll: nearer. Space: pause.");
        ui.label(&self.adapter);
    }

    fn scene(&mut self, ui: &mut egui::Ui) {
        let space = ui.available_size();
        let (area, response) = ui.allocate_exact_size(space, Sense::click_and_drag());
        let drag = response.drag_delta();
        self.view.turn -= drag.x * ORBIT;
        self.view.rise = (self.view.rise + drag.y * ORBIT).clamp(0.02, 1.5);
        if response.hovered() {
            let scroll = ui.input(|input| input.smooth_scroll_delta.y);
            let [near, far] = DISTANCES;
            self.view.distance = (self.view.distance * (-scroll * 0.003).exp()).clamp(near, far);
        }

        let step = if self.playing {
            ui.input(|input| input.stable_dt).min(MAX_STEP)
        } else {
            0.0
        };
        let moment = self.live.step(step, self.weights);
        let pixels = space * ui.ctx().pixels_per_point();
        let [least, most] = SIDES;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float is cut to the range of its integer, then clamped"
        )]
        let size =
            UVec2::new(pixels.x as u32, pixels.y as u32).clamp(UVec2::splat(least), UVec2::splat(most));
        let frame = self.live.scene().frame(&moment, self.view, aspect(size));
        match self.draw(&frame, size) {
            Ok(image) => {
                let size = [image.width() as usize, image.height() as usize];
                let image = ColorImage::from_rgba_unmultiplied(size, image.as_raw());
                if let Some(picture) = &mut self.picture {
                    picture.set(image, TextureOptions::LINEAR);
                } else {
                    let picture = ui.ctx().load_texture("picture", image, TextureOptions::LINEAR);
                    self.picture = Some(picture);
                }
            }
            Err(error) => *self.failure = Some(error),
        }
        if let Some(picture) = &self.picture {
            let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, vec2(1.0, 1.0).to_pos2());
            ui.painter()
                .image(picture.id(), area, whole, egui::Color32::WHITE);
        }
    }

    fn draw(&mut self, frame: &crate::frame::Frame, size: UVec2) -> Result<image::RgbaImage, GpuError> {
        if self.prepared != Some(size) {
            self.prepared = None;
            self.gpu.prepare(self.mesh, size.x, size.y)?;
            self.prepared = Some(size);
        }
        self.gpu.draw(frame)
    }
}
