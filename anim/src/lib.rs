//! Animation runtime.
