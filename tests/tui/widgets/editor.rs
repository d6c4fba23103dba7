//! The text editor: keys, and input that it refuses.

use crate::tui::drawing::{Drawing, ansi, ctrl, key, typed};
use elenchus::tui::keys::Action;
use elenchus::tui::widgets::{Edited, Editor, MAX_EDITOR_BYTES, MAX_EDITOR_LINES};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

fn editor(text: &str) -> Editor {
    Editor::from_text(text).unwrap()
}

fn press(editor: &mut Editor, keys: &[KeyEvent]) {
    for key in keys {
        editor.handle_key(*key);
    }
}

#[test]
fn enter_and_ctrl_j_always_begin_a_new_line() {
    let mut editor = editor("");
    press(&mut editor, &typed("one"));
    editor.handle_key(key(KeyCode::Enter));
    editor.handle_key(ctrl(KeyCode::Char('j')));
    press(&mut editor, &typed("two"));
    assert_eq!(editor.text(), "one\n\ntwo");
}

#[test]
fn changes_are_undone_and_done_again() {
    let mut editor = editor("keep\n");
    editor.paste_text("a\r\nb\rc");
    assert_eq!(editor.text(), "a\nb\nckeep\n");
    editor.handle_key(ctrl(KeyCode::Char('_')));
    assert_eq!(editor.text(), "keep\n");
    editor.handle_key(ctrl(KeyCode::Char('r')));
    assert_eq!(editor.text(), "a\nb\nckeep\n");
    assert_eq!(editor.handle_key(key(KeyCode::Esc)), Edited::Ignored);
    assert_eq!(editor.handle_key(ctrl(KeyCode::Char('s'))), Edited::Ignored);
}

#[test]
fn typed_words_are_undone_as_words_and_there_is_a_way_back_to_what_was_opened() {
    let mut editor = editor("keep");
    editor.handle_key(key(KeyCode::End));
    press(&mut editor, &typed(" one two,  drei\u{df}ig"));
    let undone = |editor: &mut Editor| {
        editor.handle_key(ctrl(KeyCode::Char('_')));
        editor.text()
    };
    assert_eq!(undone(&mut editor), "keep one two,  ");
    assert_eq!(undone(&mut editor), "keep one ");
    editor.handle_key(ctrl(KeyCode::Char('r')));
    assert_eq!(editor.text(), "keep one two,");
    assert_eq!(undone(&mut editor), "keep one ");
    assert_eq!(undone(&mut editor), "keep ");
    assert_eq!(undone(&mut editor), "keep");
    // What was removed or begun as a line comes back on its own.
    press(&mut editor, &typed("er"));
    editor.handle_key(key(KeyCode::Enter));
    press(&mut editor, &typed("xy"));
    editor.handle_key(key(KeyCode::Backspace));
    assert_eq!(undone(&mut editor), "keeper\nxy");
    assert_eq!(undone(&mut editor), "keeper\n");
    assert_eq!(undone(&mut editor), "keeper");
    editor.paste_text("s of bees");
    assert_eq!(editor.handle_key(ctrl(KeyCode::Char('o'))), Edited::Changed);
    assert_eq!(editor.text(), "keep");
    assert_eq!(undone(&mut editor), "keepers of bees");
    editor.handle_key(ctrl(KeyCode::Char('o')));
    assert_eq!(editor.handle_key(ctrl(KeyCode::Char('o'))), Edited::Moved);
}

#[test]
fn what_people_see_as_one_character_is_one_step_and_one_deletion() {
    let mut editor = editor("a👩\u{200d}🔬b");
    press(&mut editor, &[key(KeyCode::Right), key(KeyCode::Right)]);
    assert_eq!(editor.handle_key(key(KeyCode::Backspace)), Edited::Changed);
    assert_eq!(editor.text(), "ab");
    editor.handle_key(key(KeyCode::Delete));
    assert_eq!(editor.text(), "a");
}

#[test]
fn the_cursor_stands_where_the_text_is_drawn() {
    let mut editor = editor("one two 日本\n👩\u{200d}🔬x");
    let mut at = |keys: &[KeyEvent]| {
        press(&mut editor, keys);
        let mut place = Position::default();
        Drawing::draw(10, 4, |_, buf| {
            place = editor.draw(Rect::new(1, 1, 8, 3), buf, &ansi());
        });
        (place.x, place.y)
    };
    assert_eq!(at(&[]), (1, 1));
    assert_eq!(at(&[ctrl(KeyCode::End)]), (1 + 3, 3));
    assert_eq!(at(&[key(KeyCode::Up)]).1, 2);
    assert_eq!(at(&[key(KeyCode::End)]), (1 + 4, 2));
}

#[test]
fn a_text_of_which_nothing_may_be_lost_is_never_cut() {
    assert!(Editor::from_text(&"x".repeat(MAX_EDITOR_BYTES + 1)).is_err());
    let said = Editor::from_text(&"\n".repeat(MAX_EDITOR_LINES))
        .unwrap_err()
        .to_string();
    assert!(said.ends_with("edit it in your own editor"), "{said}");
    assert!(Editor::from_text(&"x".repeat(MAX_EDITOR_BYTES)).is_ok());
}

#[test]
fn a_paste_beyond_the_room_says_how_much_was_left_out() {
    let mut editor = editor("");
    let said = editor.paste_text(&"word ".repeat(MAX_EDITOR_BYTES / 4));
    assert_eq!(editor.text().len(), MAX_EDITOR_BYTES);
    let dropped_bytes = 5 * (MAX_EDITOR_BYTES / 4) - MAX_EDITOR_BYTES;
    assert_eq!(said, Edited::Full { dropped_bytes });
    assert_eq!(
        editor.handle_key(key(KeyCode::Char('x'))),
        Edited::Full { dropped_bytes: 1 }
    );
    editor.handle_key(ctrl(KeyCode::Home));
    assert_eq!(editor.handle_key(key(KeyCode::Delete)), Edited::Changed);
    assert_eq!(editor.handle_key(key(KeyCode::Char('x'))), Edited::Changed);
}

#[test]
fn pasted_controls_are_shown_and_not_kept() {
    let mut editor = editor("");
    editor.paste_text("a\x1b[31mb\tc");
    assert_eq!(editor.text(), "a␛[31mb\tc");
    let screen = Drawing::draw(20, 2, |area, buf| {
        editor.draw(area, buf, &ansi());
    });
    assert!(screen.text().contains("a␛[31mb"), "{}", screen.text());
}

/// Returns the line and the column of the cursor in a text that is drawn whole.
fn cursor(editor: &Editor) -> (u16, u16) {
    let mut at = Position::default();
    Drawing::draw(40, 10, |area, buf| at = editor.draw(area, buf, &ansi()));
    (at.y, at.x)
}

#[test]
fn a_search_goes_round_ignoring_case_and_says_what_is_not_there() {
    let mut editor = editor("one Two\ntwo three");
    let why = editor.handle_action(Action::SearchNext).unwrap_err();
    assert_eq!(why, "search for something first");
    editor.set_query("TWO".to_owned());
    let mut found = Vec::new();
    for action in [Action::SearchNext; 3]
        .into_iter()
        .chain([Action::SearchPrevious])
    {
        assert_eq!(editor.handle_action(action), Ok(Edited::Moved));
        found.push(cursor(&editor));
    }
    assert_eq!(found, [(0, 4), (1, 0), (0, 4), (1, 0)]);
    editor.set_query("four".to_owned());
    let why = editor.handle_action(Action::SearchPrevious).unwrap_err();
    assert_eq!(why, "'four' is not in this text");
}

#[test]
fn what_was_never_changed_cannot_be_undone() {
    let mut editor = editor("one");
    assert_eq!(
        editor.handle_action(Action::Undo),
        Err("nothing to undo".to_owned())
    );
    editor.replace_text("two").unwrap();
    assert_eq!(
        editor.handle_action(Action::Redo),
        Err("nothing to redo".to_owned())
    );
    assert_eq!(editor.handle_action(Action::Undo), Ok(Edited::Changed));
    assert_eq!(editor.text(), "one");
    assert_eq!(editor.handle_action(Action::Fork), Ok(Edited::Ignored));
}
