//! Turns as input of detectors.

use serde_json::Value;

/// A turn as input of a detector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnText<'a> {
    pub seat: &'a str,
    pub round: u32,
    pub stage: &'a str,
    pub whose: TurnAuthor,
    pub text: &'a str,
    /// Parsed fields of a structured reply.
    pub fields: Option<&'a Value>,
}

/// Author of a turn, relative to the examined turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnAuthor {
    /// The chair that made the examined turn.
    Own,
    /// Any other chair.
    Other,
}
