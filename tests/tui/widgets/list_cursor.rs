//! The cursor of a list, and the rows on the screen.

use elenchus::tui::keys::Action;
use elenchus::tui::widgets::{ListCursor, Moved};
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_chosen_row_is_always_on_the_screen(
        len in 1_usize..500,
        at in 0_usize..500,
        height in 1_u16..60,
    ) {
        let chosen = at.min(len - 1);
        let top = ListCursor::with_row(chosen, len).top_row(height);
        prop_assert!(top <= chosen && chosen < top + usize::from(height));
        prop_assert!(top == 0 || top + usize::from(height) <= len);
    }
}

#[test]
fn moving_stops_at_both_ends() {
    let mut rows = ListCursor::new(3);
    assert_eq!(rows.handle_action(Action::Up), Moved::Yes);
    assert_eq!(rows.selected_row(), Some(0));
    rows.handle_action(Action::PageDown);
    assert_eq!(rows.selected_row(), Some(2));
    rows.set_len(1);
    assert_eq!(rows.selected_row(), Some(0));
    rows.set_len(0);
    assert_eq!(rows.selected_row(), None);
    assert_eq!(rows.handle_action(Action::Fork), Moved::No);
}
