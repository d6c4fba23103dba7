//! Gallery: each part that screens are made of, drawn by itself.

use crate::tui::drawing::{Drawing, ansi, look, with_brush};
use elenchus::tui::keys::{Action, Chord, Context, KeyTable, find_continuations};
use elenchus::tui::popups::{Dialog, FootPrompt, FootText, PickItem, Picker, WhichKey};
use elenchus::tui::screens::{PLACES, default_keys};
use elenchus::tui::theme::{Depth, GlyphSet, Look, Role};
use elenchus::tui::widgets::{
    Align, Editor, Focus, Form, FormEvent, ListCursor, Paragraph, ScrollText, StyledLine, Table,
    TableColumn, TableRow, draw_frame, draw_tabs, lay_out, prose_paragraphs,
};
use elenchus_text::{FieldKind, FormField, FormValues};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;

type Draw = fn(Rect, &mut Buffer, &Look);

/// The parts by name, each with words that are in sight at every size.
const PARTS: [(&str, Draw, &[&str]); 13] = [
    ("list", list, &["row 7"]),
    (
        "form",
        form,
        &["Cast", "every seat", "30", "a whole number"],
    ),
    ("line", line, &["Name it", "my debate", "Enter keeps"]),
    ("choice", choice, &["Choose one", "second", "3 of 3"]),
    (
        "confirmation",
        confirmation,
        &["Begin?", "at most $2.00", "yes", "no"],
    ),
    ("text", text, &["line 1 ", "word"]),
    ("editor", editor, &["first line", "second line"]),
    ("tabs", strip, &["prompts", "validation"]),
    (
        "table",
        table,
        &["began", "12/20", "a group", "2 runs", "a small"],
    ),
    ("foot", foot, &["filter: paint", "Enter keeps it"]),
    ("panes", panes, &["left", "right"]),
    ("next-keys", next_keys, &["to the beginning"]),
    ("all-keys", all_keys, &["zoom the pane"]),
];

fn list(area: Rect, buffer: &mut Buffer, look: &Look) {
    let mut cursor = ListCursor::new(40);
    cursor.select_row(7);
    cursor.draw(buffer, area, look, |row, _| {
        StyledLine::from_text(Role::Text, format!("row {row}"))
    });
}

/// Values of a form that takes numbers up to 12 as rounds.
struct Rounds;

impl FormValues for Rounds {
    type Field = &'static str;

    fn list_fields(&self) -> Vec<FormField<&'static str>> {
        let field = |name: &'static str, kind| FormField::new(name, kind, name, "What it is.");
        let headed = |heading: &str, field| FormField {
            heading: Some(heading.to_owned()),
            ..field
        };
        let everybody = field("every seat", FieldKind::Listed);
        let everybody = everybody.with_value(Role::Simulated, "sim (configured)");
        let rounds = field("rounds", FieldKind::Count).with_text("3", "");
        vec![
            headed("Cast", everybody),
            field("judge", FieldKind::Listed).with_value(Role::Muted, "as every seat"),
            headed("Settings", rounds),
            field("Begin", FieldKind::Button),
        ]
    }

    fn set_value(&mut self, _: &&'static str, text: &str) -> Result<(), String> {
        let rounds = text.parse().ok();
        let fits = rounds.is_some_and(|rounds: u8| (1..=12).contains(&rounds));
        fits.then_some(())
            .ok_or_else(|| "a whole number, 1 to 12".to_owned())
    }

    fn step_value(&mut self, _: &&'static str, _: isize) -> bool {
        false
    }
}

/// A form that refused a number of rounds.
fn refused() -> Form<&'static str> {
    let mut form = Form::with_focus("rounds");
    for key in [KeyCode::Char('3'), KeyCode::Char('0'), KeyCode::Enter] {
        match form.is_typing() {
            true => form.handle_typed_key(KeyEvent::from(key), &mut Rounds),
            false => form
                .start_typing(KeyEvent::from(key), &Rounds.list_fields())
                .unwrap(),
        };
    }
    form
}

fn form(area: Rect, buffer: &mut Buffer, look: &Look) {
    with_brush(look, |context| {
        refused().draw(buffer, area, context, 18, &Rounds.list_fields())
    });
}

fn draw_dialog(dialog: &Dialog<()>, area: Rect, buffer: &mut Buffer, look: &Look) {
    with_brush(look, |context| dialog.draw(area, buffer, context));
}

fn line(area: Rect, buffer: &mut Buffer, look: &Look) {
    let dialog = Dialog::new_line_prompt("Name it", "Enter keeps the name", "my debate", ());
    draw_dialog(&dialog, area, buffer, look);
}

fn choice(area: Rect, buffer: &mut Buffer, look: &Look) {
    let item = |label: &str| PickItem {
        label: label.to_owned(),
        detail: format!("what the {label} is"),
        aside: "built in".to_owned(),
    };
    let items = ["first", "second", "third"].map(item);
    let mut pick = Picker::new("Choose one", items.into());
    pick.select_item(1);
    draw_dialog(&Dialog::new_list(pick, ()), area, buffer, look);
}

fn confirmation(area: Rect, buffer: &mut Buffer, look: &Look) {
    let question = "12 calls, likely $0.50, at most $2.00; it pauses before $5.00. Begin?";
    let dialog = Dialog::new_confirm("Begin?", question, ());
    draw_dialog(&dialog, area, buffer, look);
}

fn text(area: Rect, buffer: &mut Buffer, look: &Look) {
    let words = "word ".repeat(30);
    let lines: Vec<String> = (0..40).map(|at| format!("line {at} {words}")).collect();
    let page = prose_paragraphs(Role::Text, 0, &lines.join("\n"));
    let mut scroll = ScrollText::default();
    let mut draw = |scroll: &mut ScrollText| {
        scroll.draw(buffer, area, look, |width| lay_out(&page, width));
    };
    draw(&mut scroll);
    scroll.handle_action(Action::Down);
    draw(&mut scroll);
}

fn editor(area: Rect, buffer: &mut Buffer, look: &Look) {
    let editor = Editor::from_text("first line\nsecond line").unwrap();
    editor.draw_with_numbers(area, buffer, look, Some(2));
}

fn strip(area: Rect, buffer: &mut Buffer, look: &Look) {
    let names = ["sessions", "prompts", "memory", "labelling", "validation"].map(str::to_owned);
    draw_tabs(buffer, area, look, &names, 4, "");
}

fn table(area: Rect, buffer: &mut Buffer, look: &Look) {
    let column = |heading, width, align, order| TableColumn {
        heading,
        width,
        align,
        order,
    };
    let table = Table {
        hidden: 0,
        columns: vec![
            column("began", 11, Align::Left, Some("v")),
            column("done", 7, Align::Right, None),
            column("about", 9, Align::Left, None),
        ],
        gutter: 2,
    };
    let mut cursor = ListCursor::new(3);
    cursor.select_row(1);
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    table.draw_headings(buffer, head, look);
    with_brush(look, |context| {
        table.draw_rows(buffer, body, context, cursor, |row| match row {
            0 => TableRow::Heading {
                is_folded: false,
                title: "a group".to_owned(),
                after: "2 runs".to_owned(),
            },
            _ => TableRow::Cells {
                is_marked: row == 2,
                cells: vec![
                    vec![(Role::Muted, "11-26 02:19".to_owned())],
                    vec![(Role::Text, format!("{row}2/20"))],
                    vec![(Role::Text, "a small town without a library".to_owned())],
                ],
            },
        });
    });
}

fn foot(area: Rect, buffer: &mut Buffer, look: &Look) {
    struct Filter;
    impl FootText for Filter {
        fn prompt_label(&self) -> String {
            "filter: ".to_owned()
        }

        fn key_help(&self) -> &'static str {
            "words that a row must hold; Enter keeps it, Esc drops it"
        }
    }
    let prompt = FootPrompt::new(Filter, "paint");
    with_brush(look, |context| prompt.draw(buffer, area, context));
}

fn panes(area: Rect, buffer: &mut Buffer, look: &Look) {
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(50), Constraint::Fill(1)]).areas(area);
    for (area, title, focus) in [
        (left, "left", Focus::Focused),
        (right, "right", Focus::Unfocused),
    ] {
        let inner = draw_frame(area, buffer, look, title, focus);
        let lines = lay_out(
            &[Paragraph::new(Role::Text, "what is inside")],
            inner.width.into(),
        );
        for (row, line) in inner.rows().zip(&lines) {
            line.draw(buffer, row, look);
        }
    }
}

fn next_keys(area: Rect, buffer: &mut Buffer, look: &Look) {
    let prefix: Chord = "g".parse().unwrap();
    let next = find_continuations(
        &KeyTable::from(default_keys(PLACES)),
        Context::Debate,
        &prefix.0,
    );
    WhichKey::new(prefix, next).draw(area, buffer, look);
}

fn all_keys(area: Rect, buffer: &mut Buffer, look: &Look) {
    let next = find_continuations(&KeyTable::from(default_keys(PLACES)), Context::Debate, &[]);
    let mut all = WhichKey::new(Chord(Vec::new()), next);
    // On a small screen they are on several pages.
    for _ in 0..8 {
        let page = Drawing::draw(area.width, area.height, |area, buffer| {
            all.draw(area, buffer, look);
        });
        if page.text().contains("zoom the pane") {
            break;
        }
        all.turn_page();
    }
    all.draw(area, buffer, look);
}

#[test]
fn each_part_looks_as_it_did() {
    for (name, draw, _) in PARTS {
        for (width, height) in [(80, 24), (120, 40)] {
            let screen = Drawing::draw(width, height, |area, buffer| draw(area, buffer, &ansi()));
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), screen.text());
        }
    }
}

#[test]
fn each_part_says_all_that_matters_at_any_size_in_ascii_and_without_colour() {
    let bare = look("ansi", Depth::None, GlyphSet::Ascii);
    for (name, draw, words) in PARTS {
        for (width, height) in [(60, 15), (80, 24), (200, 60)] {
            let screen = Drawing::draw(width, height, |area, buffer| draw(area, buffer, &bare));
            let text = screen.text();
            assert!(text.is_ascii(), "{name} at {width}x{height}:\n{text}");
            for word in words {
                assert!(
                    text.contains(word),
                    "{word} in {name} at {width}x{height}:\n{text}"
                );
            }
        }
    }
}

#[test]
fn what_is_chosen_shows_by_a_glyph_and_without_colour() {
    let bare = look("ansi", Depth::None, GlyphSet::Ascii);
    let chosen: [(Draw, &str); 4] = [
        (list, "> row 7"),
        (table, "> 11-26 02:19"),
        (choice, "> second"),
        (strip, "* validation"),
    ];
    for (draw, row) in chosen {
        let screen = Drawing::draw(60, 15, |area, buffer| draw(area, buffer, &bare));
        let style = screen.style_of(row);
        assert!(
            style.add_modifier.contains(Modifier::REVERSED),
            "{row}: {style:?}"
        );
    }
}

#[test]
fn a_text_that_a_form_refused_stays_to_be_mended() {
    let mut form = refused();
    let rows = Rounds.list_fields().len() as u16 + 2;
    assert!(form.is_typing());
    assert_eq!(form.height(&Rounds.list_fields()), rows + 1);
    let typed = |form: &mut Form<_>, key| form.handle_typed_key(KeyEvent::from(key), &mut Rounds);
    typed(&mut form, KeyCode::Backspace);
    assert!(form.is_typing());
    assert_eq!(form.height(&Rounds.list_fields()), rows);
    assert_eq!(typed(&mut form, KeyCode::Tab), FormEvent::Changed);
    assert!(!form.is_typing());
    assert_eq!(form.focus, "Begin");
}

#[test]
fn a_form_shows_the_field_with_the_focus_in_whatever_height_there_is() {
    let fields = Rounds.list_fields();
    for height in 1..6 {
        for field in &fields {
            let form = Form::with_focus(field.field);
            let area = Rect::new(0, 0, 60, height);
            let mut buffer = Buffer::empty(area);
            with_brush(
                &look("ansi", Depth::Sixteen, GlyphSet::Unicode),
                |context| form.draw(&mut buffer, area, context, 18, &fields),
            );
            let rows = area.rows().map(|row| {
                let cells = row
                    .columns()
                    .map(|cell| buffer[cell.as_position()].symbol());
                cells.collect::<String>()
            });
            let rows: Vec<String> = rows.collect();
            let shows = rows.iter().any(|row| row.contains(field.field));
            assert!(shows, "{} in {height} rows: {rows:#?}", field.field);
        }
    }
}

#[test]
fn each_kind_of_field_answers_the_same_keys_in_every_form() {
    let mut form = Form::with_focus("every seat");
    let act = |form: &mut Form<_>, action| form.handle_action(action, &mut Rounds);
    assert_eq!(act(&mut form, Action::Open), FormEvent::Choose);
    assert_eq!(act(&mut form, Action::Right), FormEvent::Stays);
    let letter = KeyEvent::from(KeyCode::Char('a'));
    assert_eq!(form.start_typing(letter, &Rounds.list_fields()), None);
    assert!(!form.paste_text("12", &Rounds.list_fields()));
    act(&mut form, Action::Bottom);
    assert_eq!(act(&mut form, Action::Open), FormEvent::Press);
    act(&mut form, Action::Up);
    assert!(
        form.paste_text("12", &Rounds.list_fields()),
        "it replaces the number"
    );
    let entered = form.handle_typed_key(KeyEvent::from(KeyCode::Enter), &mut Rounds);
    assert_eq!(entered, FormEvent::Changed);
}
