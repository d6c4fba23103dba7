//! Protocol of imported debates.

/// The protocol of everything that was not played here.
pub const IMPORTED: &str = "imported";
