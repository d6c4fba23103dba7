//! Two panes, and columns of text: what has the focus is in sight.

use elenchus::tui::keys::Action;
use elenchus::tui::theme::Role;
use elenchus::tui::widgets::{Focus, Moved, Paragraph, Side, TextColumns, TwoPanes};
use proptest::prelude::*;
use ratatui::layout::Rect;

#[test]
fn the_pane_with_the_focus_is_always_in_sight() {
    let area = Rect::new(0, 0, 101, 10);
    let mut panes = TwoPanes::new(100);
    panes.set_width(area.width);
    let [Some(left), Some(right)] = panes.split_area(area) else {
        panic!("{:?}", panes.split_area(area));
    };
    assert_eq!((left.width, right.width), (50, 51));
    assert_eq!(panes.handle_action(Action::FocusNext), Moved::Yes);
    assert_eq!(panes.focus_of(Side::Right), Focus::Focused);
    panes.handle_action(Action::Zoom);
    assert_eq!(panes.split_area(area), [None, Some(area)]);
    panes.handle_action(Action::Zoom);
    panes.set_width(99);
    assert_eq!(panes.split_area(area), [None, Some(area)]);
    panes.handle_action(Action::Left);
    assert_eq!(panes.split_area(area), [Some(area), None]);
    assert_eq!(panes.handle_action(Action::Fork), Moved::No);
}

#[test]
fn panes_are_named_where_one_hides_the_other() {
    let line = |panes: TwoPanes| panes.with_names(Paragraph::default(), ["text", "shown"]);
    let mut panes = TwoPanes::new(100);
    assert!(line(panes).runs.is_empty());
    panes.set_width(80);
    let marked = line(panes).runs.into_iter();
    let mut marked = marked.filter(|(role, _)| *role == Role::Selection);
    assert_eq!(marked.next(), Some((Role::Selection, " text ".to_owned())));
}

proptest! {
    #[test]
    fn the_column_under_the_cursor_is_always_in_sight(
        keeps_first in any::<bool>(),
        count in 1_usize..12,
        moves in prop::collection::vec(0_usize..12, 1..8),
        width in 10_u16..300,
    ) {
        let mut columns = match keeps_first {
            true => TextColumns::with_fixed_first(40),
            false => TextColumns::new(40),
        };
        columns.set_count(count);
        for to in moves {
            columns.select_column(to);
            let shown = columns.visible_columns(width);
            prop_assert!(shown.contains(&columns.cursor()));
            prop_assert!(shown.iter().all(|at| *at < count));
            prop_assert!(shown.is_sorted_by(|one, next| one < next));
            let has_first = shown.first() == Some(&0);
            prop_assert!(has_first || shown.len() == 1 || !keeps_first);
        }
    }
}
