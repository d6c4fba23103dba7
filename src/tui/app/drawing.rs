//! Time of drawing a change: at once, once a frame is due, or once the frame before is written. Pure.

/// Difference between the screen and the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dirty {
    No,
    /// Only a stream went on.
    Soon,
    Now,
}

/// Time at which a change is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawing {
    /// Nothing changed: only news is waited for, and no timer is armed.
    Never,
    Now,
    /// Once the frame before is written.
    OnceReady,
    /// Once a frame may follow the one before.
    OnceDue,
}

impl Drawing {
    pub(super) fn decide(dirty: Dirty, is_due: bool, is_ready: bool) -> Drawing {
        match (dirty, is_ready) {
            (Dirty::No, _) => Drawing::Never,
            (Dirty::Now | Dirty::Soon, false) => Drawing::OnceReady,
            (Dirty::Now, true) => Drawing::Now,
            (Dirty::Soon, true) if is_due => Drawing::Now,
            (Dirty::Soon, true) => Drawing::OnceDue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dirty, Drawing};

    #[test]
    fn a_change_is_always_drawn_or_waited_for() {
        for dirty in [Dirty::Soon, Dirty::Now] {
            for (is_due, is_ready) in [(false, false), (false, true), (true, false), (true, true)] {
                let drawing = Drawing::decide(dirty, is_due, is_ready);
                assert_ne!(drawing, Drawing::Never, "{dirty:?} {is_due} {is_ready}");
                assert_eq!(drawing == Drawing::OnceReady, !is_ready);
            }
        }
        assert_eq!(Drawing::decide(Dirty::Now, false, true), Drawing::Now);
        assert_eq!(Drawing::decide(Dirty::Soon, false, true), Drawing::OnceDue);
        assert_eq!(Drawing::decide(Dirty::Soon, true, true), Drawing::Now);
        assert_eq!(Drawing::decide(Dirty::No, true, true), Drawing::Never);
    }
}
