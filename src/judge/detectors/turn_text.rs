//! Turns as detectors read them.

use serde_json::Value;

/// A turn as detectors read it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Said<'a> {
    pub seat: &'a str,
    pub round: u32,
    pub stage: &'a str,
    pub whose: Whose,
    pub text: &'a str,
    /// The fields of a structured reply that could be read.
    pub fields: Option<&'a Value>,
}

/// Who made a turn, seen from the turn that a detector examines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The chair that made the examined turn.
    Own,
    /// Any other chair.
    Other,
}
