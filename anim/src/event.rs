//! What a clip reports as it plays.

use std::sync::Arc;

use crate::LayerId;

/// Something that happened while time moved ([`Animux::advance`](crate::Animux::advance)).
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Where the clip plays.
    pub layer: LayerId,
    /// The name in the clip, shared with it.
    pub name: Arc<str>,
    /// Seconds on the clip's own axis.
    pub time: f32,
    /// How much of the clip shows: the layer's weight times the clip's fade.
    pub weight: f32,
}
