//! When a change is drawn.

use elenchus::tui::app::{Dirty, Drawing};

#[test]
fn a_change_is_always_drawn_or_waited_for() {
    for dirty in [Dirty::Watched, Dirty::Soon, Dirty::Now] {
        for (is_due, is_ready) in [(false, false), (false, true), (true, false), (true, true)] {
            let drawing = Drawing::decide(dirty, is_due, is_ready);
            assert_ne!(drawing, Drawing::Never, "{dirty:?} {is_due} {is_ready}");
            assert_eq!(drawing == Drawing::OnceReady, !is_ready);
        }
    }
    assert_eq!(Drawing::decide(Dirty::Now, false, true), Drawing::Now);
    assert_eq!(Drawing::decide(Dirty::Soon, false, true), Drawing::OnceDue);
    assert_eq!(Drawing::decide(Dirty::Soon, true, true), Drawing::Now);
    assert_eq!(
        Drawing::decide(Dirty::Watched, false, true),
        Drawing::OnceDue
    );
    // An answer to a person waits for nothing that is watched.
    assert_eq!(Dirty::Watched.max(Dirty::Now), Dirty::Now);
    assert_eq!(Drawing::decide(Dirty::No, true, true), Drawing::Never);
}
