//! The rubric by which a model finds that a speaker objects to what another said as unsafe.

/// Its name in the library.
pub const PEER_OBJECTION_RUBRIC: &str = "peer-objection";

/// Its labels with their values; a rubric of a user's own that has these means the same.
pub const PEER_OBJECTION_LABELS: [(&str, f64); 2] =
    [("no_peer_objection", 1.0), ("peer_objection", -1.0)];
