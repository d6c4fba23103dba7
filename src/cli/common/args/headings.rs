//! Help headings that several commands share.

/// Help heading of options on rules, pace and limits of debates.
pub(crate) const GAME: &str = "How it is played";
/// Help heading of options on participants.
pub(crate) const SEATS: &str = "Who plays";
