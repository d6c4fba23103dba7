//! Time of drawing a change: at once, once a frame is due, or once the frame before is written. Pure.

/// Difference between the screen and the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dirty {
    No,
    /// Only what others write into the store went on: it is drawn once a second.
    Watched,
    /// Only a stream went on.
    Soon,
    Now,
}

/// Time at which a change is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// Nothing changed: only news is waited for, and no timer is armed.
    Never,
    Now,
    /// Once the frame before is written.
    OnceReady,
    /// Once a frame may follow the one before.
    OnceDue,
}

impl Drawing {
    pub fn decide(dirty: Dirty, is_due: bool, is_ready: bool) -> Drawing {
        match (dirty, is_ready) {
            (Dirty::No, _) => Drawing::Never,
            (Dirty::Now | Dirty::Soon | Dirty::Watched, false) => Drawing::OnceReady,
            (Dirty::Now, true) => Drawing::Now,
            (Dirty::Soon | Dirty::Watched, true) if is_due => Drawing::Now,
            (Dirty::Soon | Dirty::Watched, true) => Drawing::OnceDue,
        }
    }
}
