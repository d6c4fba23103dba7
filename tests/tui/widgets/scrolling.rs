//! What is scrolled: a text, a list of long items, and places in a page of items.

use crate::tui::drawing::with_brush;
use elenchus::tui::keys::Action;
use elenchus::tui::theme::{Look, Role};
use elenchus::tui::widgets::{
    Focus, LinePosition, Moved, Paragraph, ScrollList, ScrollText, StyledLine, lay_out,
};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::cell::Cell;

/// Items before and after the one at hand of which lines are kept however long they are.
const NEAR: usize = 2;

fn first_row(text: &mut ScrollText, height: u16) -> String {
    let area = Rect::new(0, 0, 10, height);
    let mut buffer = Buffer::empty(area);
    let lines: Vec<_> = (0..9)
        .map(|at| Paragraph::new(Role::Text, format!("line {at}")))
        .collect();
    text.draw(&mut buffer, area, &Look::plain(), |width| {
        lay_out(&lines, width)
    });
    (0..6).map(|x| buffer[(x, 0)].symbol()).collect()
}

#[test]
fn it_stops_at_both_ends_and_stays_in_sight_when_the_area_grows() {
    let mut text = ScrollText::default();
    assert_eq!(first_row(&mut text, 4), "line 0");
    assert_eq!(text.handle_action(Action::Up), Moved::Yes);
    text.handle_action(Action::PageDown);
    assert_eq!(first_row(&mut text, 4), "line 2");
    text.handle_action(Action::Bottom);
    assert_eq!(first_row(&mut text, 4), "line 5");
    text.handle_action(Action::Down);
    assert_eq!(first_row(&mut text, 4), "line 5");
    assert_eq!(first_row(&mut text, 8), "line 1");
    assert_eq!(text.handle_action(Action::Fork), Moved::No);
    text.reset();
    assert_eq!(first_row(&mut text, 4), "line 0");
}

#[test]
fn lines_of_long_items_are_kept_for_those_near_alone() {
    let laid_out = Cell::new(0);
    let long = |_: usize, _: usize| {
        laid_out.set(laid_out.get() + 1);
        vec![StyledLine::from_text(Role::Text, "a line"); 15_000]
    };
    let area = Rect::new(0, 0, 40, 10);
    for count in [6, 20, 60] {
        let mut list = ScrollList::default();
        list.set_count(count);
        let mut visit = |item: usize| {
            list.go_to_item(item, &long);
            with_brush(&Look::plain(), |context| {
                list.draw(
                    &mut Buffer::empty(area),
                    area,
                    context,
                    Focus::Focused,
                    &long,
                );
            });
            assert_eq!(list.cursor(), item);
        };
        (0..count).for_each(&mut visit);
        laid_out.set(0);
        // On the way back, what was kept is not laid out again.
        (0..count).rev().for_each(&mut visit);
        let kept = count - laid_out.get();
        assert!((1..=1 + 2 * NEAR).contains(&kept), "{kept} of {count}");
    }
}

proptest! {
    #[test]
    fn positions_count_lines_as_one_long_page_does(
        heights in prop::collection::vec(1_usize..5, 1..8),
        top in 0_usize..40, by in 0_usize..40,
    ) {
        let count = heights.len();
        let all: usize = heights.iter().sum();
        let lines_of = |item: usize| heights[item];
        let at = |line: usize| LinePosition::default().step_forward(line, count, lines_of);
        let top = top % all;
        prop_assert_eq!(at(top).step_forward(by, count, lines_of), at((top + by).min(all)));
        prop_assert_eq!(at(top).step_back(by, lines_of), at(top.saturating_sub(by)));
        let last = at(top).last_visible_item(by + 1, count, lines_of);
        prop_assert_eq!(last, at((top + by).min(all - 1)).item);
    }
}
