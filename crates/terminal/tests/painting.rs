//! Bytes that the painter sends, read back by another terminal emulator.

use elenchus_terminal::Depth;
use elenchus_terminal::paint::Painter;
use elenchus_text::safe_text::has_hidden;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use std::num::NonZeroU16;
use unicode_width::UnicodeWidthStr;

/// A terminal that a painter paints on.
struct Canvas {
    painter: Painter,
    terminal: vt100::Parser,
    area: Rect,
}

impl Canvas {
    fn new(width: u16, height: u16) -> Self {
        Self::of_depth(width, height, Depth::TrueColour)
    }

    fn of_depth(width: u16, height: u16, depth: Depth) -> Self {
        let cells = |count| NonZeroU16::new(count).unwrap();
        Self {
            painter: Painter::new(depth, has_hidden),
            terminal: vt100::Parser::new(cells(height), cells(width), 0),
            area: Rect::new(0, 0, width, height),
        }
    }

    /// Paints and returns what was sent.
    fn paint(&mut self, draw: impl FnOnce(&mut Buffer)) -> Vec<u8> {
        self.paint_with_cursor(|screen| {
            draw(screen);
            None
        })
    }

    fn paint_with_cursor(&mut self, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> Vec<u8> {
        let bytes = self.painter.paint_screen(self.area, draw);
        self.terminal.process(&bytes);
        bytes
    }

    fn rows(&self) -> Vec<String> {
        self.terminal.screen().rows(0, self.area.width).collect()
    }

    /// Every cell as the terminal shows it.
    fn cells(&self) -> Vec<vt100::Cell> {
        let screen = self.terminal.screen();
        (0..self.area.height)
            .flat_map(|row| (0..self.area.width).map(move |column| (row, column)))
            .map(|(row, column)| screen.cell(row, column).unwrap().clone())
            .collect()
    }
}

fn text(screen: &mut Buffer, x: u16, y: u16, text: &str) {
    screen.set_string(x, y, text, Style::default());
}

/// Draws a pane of the whole area with lines in it.
fn pane(screen: &mut Buffer, lines: &[&str]) {
    let (width, height) = (screen.area.width, screen.area.height);
    for y in 0..height {
        text(screen, 0, y, "│");
        text(screen, width - 1, y, "│");
    }
    let line = "─".repeat(usize::from(width) - 2);
    text(screen, 0, 0, &format!("┌{line}┐"));
    text(screen, 0, height - 1, &format!("└{line}┘"));
    for (y, line) in (1..).zip(lines) {
        screen.set_stringn(1, y, line, usize::from(width) - 2, Style::default());
    }
}

const LONG: &str =
    "The tide goes out twice a day, and the harbour master writes the hour into the book.";
const HARD: [&str; 8] = [
    "漢字かな交じり文、全角記号。",
    "e\u{301}a\u{308}o\u{323}\u{302} combining",
    "👩‍👩‍👧‍👦 family 👍🏽 skin 🇩🇪 flag",
    "⌨️ ❤️ ☎️ variants ⌚ ✅ wide",
    "ｶﾞｷﾞ half-width marks",
    "ไทย कषि עברית العربية",
    "a\u{200b}b zero\u{feff} width",
    "🦀漢🦀漢🦀",
];

#[test]
fn an_unchanged_screen_sends_nothing() {
    let mut canvas = Canvas::new(80, 24);
    let first = canvas.paint(|screen| pane(screen, &HARD));
    assert!(!first.is_empty());
    assert_eq!(canvas.paint(|screen| pane(screen, &HARD)), b"");
}

#[test]
fn frames_are_bracketed_by_synchronized_updates() {
    let mut canvas = Canvas::new(80, 24);
    let bytes = canvas.paint(|screen| text(screen, 3, 4, "x"));
    assert!(
        bytes.starts_with(b"\x1b[?2026h"),
        "{}",
        bytes.escape_ascii()
    );
    assert!(bytes.ends_with(b"\x1b[?2026l"), "{}", bytes.escape_ascii());
}

#[test]
fn borders_stand_where_they_are_beside_every_kind_of_character() {
    let mut canvas = Canvas::new(40, 10);
    canvas.paint(|screen| pane(screen, &HARD));
    let screen = canvas.terminal.screen();
    for row in 1..9 {
        for column in [0, 39] {
            let cell = screen.cell(row, column).unwrap();
            assert_eq!(
                cell.contents(),
                "│",
                "row {row}:\n{}",
                canvas.rows().join("\n")
            );
        }
    }
}

#[test]
fn borders_stand_after_hard_lines_have_changed_places() {
    let mut canvas = Canvas::new(40, 10);
    for turn in 0..HARD.len() {
        let mut lines = HARD;
        lines.rotate_left(turn);
        canvas.paint(|screen| pane(screen, &lines));
        for (row, line) in (1..9).zip(lines) {
            let screen = canvas.terminal.screen();
            assert_eq!(screen.cell(row, 0).unwrap().contents(), "│", "{line}");
            assert_eq!(screen.cell(row, 39).unwrap().contents(), "│", "{line}");
        }
    }
}

/// A terminal may find an emoji narrower or wider than we do; what stands beside it must not move.
#[test]
fn after_a_doubtful_character_the_cursor_is_put_where_it_belongs() {
    for doubtful in ["👩‍👩‍👧‍👦", "⌨️", "👍🏽", "🇩🇪", "e\u{301}", "✅"]
    {
        let mut canvas = Canvas::new(20, 1);
        let bytes = canvas.paint(|screen| text(screen, 0, 0, &format!("{doubtful}│")));
        let sent = String::from_utf8(bytes).unwrap();
        let column = 1 + doubtful.width();
        let place = format!("{doubtful}\x1b[1;{column}H│");
        assert!(sent.contains(&place), "{doubtful}: {sent:?}");
    }
}

#[test]
fn what_a_wider_terminal_would_have_written_over_is_written_again() {
    let mut canvas = Canvas::new(20, 1);
    canvas.paint(|screen| text(screen, 0, 0, "xxabcdef│"));
    let bytes = canvas.paint(|screen| text(screen, 0, 0, "👩‍👩‍👧abcdef│"));
    // Three people of two columns each where no joiner is known: four columns behind the first two.
    let sent = String::from_utf8(bytes).unwrap();
    assert!(sent.contains("👩‍👩‍👧\x1b[1;3Habcd\x1b"), "{sent:?}");
}

#[test]
fn a_window_over_the_half_of_a_wide_character_keeps_its_border() {
    let mut canvas = Canvas::new(12, 1);
    canvas.paint(|screen| text(screen, 0, 0, "漢字漢字漢字"));
    canvas.paint(|screen| {
        text(screen, 0, 0, "漢字漢字漢字");
        text(screen, 3, 0, "│ab│");
    });
    assert_eq!(canvas.rows(), ["漢 │ab│ 漢字"]);
    canvas.paint(|screen| text(screen, 0, 0, "漢字漢字漢字"));
    assert_eq!(canvas.rows(), ["漢字漢字漢字"]);
}

#[test]
fn nothing_that_a_terminal_obeys_is_ever_sent() {
    let mut canvas = Canvas::new(20, 2);
    let bytes = canvas.paint(|screen| {
        for (x, hostile) in (0..).zip(["\x1b[2J", "\x07", "\u{9b}2J", "\u{202e}", "\r\n"]) {
            screen.cell_mut((x, 0)).unwrap().set_symbol(hostile);
        }
        text(screen, 6, 0, "ok");
    });
    assert_eq!(canvas.rows()[0], "????? ok");
    let sent = String::from_utf8(bytes).unwrap();
    assert!(!sent.contains('\u{9b}') && !sent.contains('\u{202e}') && !sent.contains('\x07'));
}

#[test]
fn a_tower_of_marks_is_cut_down() {
    let mut canvas = Canvas::new(20, 1);
    let tower = format!("a{}b", "\u{301}".repeat(5000));
    let bytes = canvas.paint(|screen| text(screen, 0, 0, &tower));
    assert!(bytes.len() < 200, "{} bytes", bytes.len());
}

#[test]
fn without_colours_none_is_sent_and_attributes_stay() {
    let mut canvas = Canvas::of_depth(20, 1, Depth::None);
    let style = Style::default()
        .fg(Color::Red)
        .bg(Color::Rgb(1, 2, 3))
        .add_modifier(Modifier::BOLD | Modifier::REVERSED);
    canvas.paint(|screen| screen.set_string(0, 0, "chosen", style));
    let cell = canvas.terminal.screen().cell(0, 0).unwrap();
    assert_eq!(
        (cell.fgcolor(), cell.bgcolor()),
        (vt100::Color::Default, vt100::Color::Default)
    );
    assert!(cell.bold() && cell.inverse());
}

#[test]
fn the_sixteen_colours_are_named_as_terminals_with_sixteen_know_them() {
    let mut canvas = Canvas::new(20, 1);
    let style = Style::default().fg(Color::LightBlue).bg(Color::Red);
    let bytes = canvas.paint(|screen| screen.set_string(0, 0, "x", style));
    let sent = String::from_utf8(bytes).unwrap();
    assert!(
        sent.contains("94;41m") && !sent.contains("38;5"),
        "{sent:?}"
    );
}

#[test]
fn a_cursor_that_moves_alone_costs_one_sequence() {
    let mut canvas = Canvas::new(80, 24);
    let at = |x, y| move |_: &mut Buffer| Some(Position::new(x, y));
    canvas.paint_with_cursor(at(3, 4));
    assert_eq!(canvas.paint_with_cursor(at(4, 4)), b"\x1b[5;5H");
    assert_eq!(canvas.terminal.screen().cursor_position(), (4, 4));
    assert!(!canvas.terminal.screen().hide_cursor());
    assert_eq!(canvas.paint_with_cursor(|_| None), b"\x1b[?25l");
}

#[test]
fn everything_is_sent_again_after_forgetting_and_after_a_new_size() {
    let mut canvas = Canvas::new(40, 5);
    let draw = |screen: &mut Buffer| pane(screen, &["one"]);
    canvas.paint(draw);
    canvas.terminal.process(b"\x1b[2J\x1b[Hgarbage");
    canvas.painter.forget_screen();
    canvas.paint(draw);
    assert_eq!(canvas.rows()[1], format!("│one{}│", " ".repeat(35)));
    canvas.area = Rect::new(0, 0, 30, 5);
    canvas.terminal.process(b"garbage");
    canvas.paint(draw);
    assert!(canvas.rows()[1].starts_with(&format!("│one{}│", " ".repeat(25))));
}

/// The budgets of the terminal: what an act may cost. Numbers are measured, with a little room.
#[test]
fn acts_cost_few_bytes() {
    let chosen = Style::default().add_modifier(Modifier::REVERSED);
    let list = |screen: &mut Buffer, at: u16| {
        pane(screen, &[]);
        for y in 1..20 {
            let style = if y == at { chosen } else { Style::default() };
            let row = format!(" {y:>3} {LONG}");
            screen.set_stringn(1, y, format!("{row:<77.77}"), 78, style);
        }
    };
    let mut canvas = Canvas::new(80, 24);
    let first = canvas.paint(|screen| list(screen, 1)).len();
    let row = canvas.paint(|screen| list(screen, 2)).len();

    let mut canvas = Canvas::new(80, 24);
    let marked = |screen: &mut Buffer, at: u16| {
        list(screen, 0);
        text(screen, 1, at, ">");
    };
    canvas.paint(|screen| marked(screen, 1));
    let marker = canvas.paint(|screen| marked(screen, 2)).len();

    let typed = |screen: &mut Buffer, typed: &str| {
        list(screen, 0);
        text(screen, 2, 21, typed);
        Some(Position::new(2 + typed.len() as u16, 21))
    };
    let mut canvas = Canvas::new(80, 24);
    canvas.paint_with_cursor(|screen| typed(screen, "hell"));
    let key = canvas
        .paint_with_cursor(|screen| typed(screen, "hello"))
        .len();

    let mut canvas = Canvas::new(200, 60);
    let wide = |screen: &mut Buffer| {
        for left in (0..200).step_by(50) {
            let mut part = Buffer::empty(Rect::new(0, 0, 50, 60));
            pane(&mut part, &[LONG; 40]);
            part.area.x = left;
            screen.merge(&part);
        }
    };
    let large = canvas.paint(wide).len();
    println!("first 80x24 {first}, 200x60 {large}, row {row}, marker {marker}, key {key}");
    assert!(first <= 2400, "first paint: {first}");
    assert!(row <= 200, "the chosen row moves: {row}");
    assert!(marker <= 40, "a marker moves: {marker}");
    assert!(key <= 36, "a key is typed: {key}");
    assert!(large <= 12_000, "first paint of 200x60: {large}");
}

/// Streaming, four tokens a frame, into a pane of half the width that follows its tail by jumps of a
/// third.
#[test]
fn streamed_tokens_cost_few_bytes() {
    let words: Vec<&str> = LONG.split(' ').cycle().take(1600).collect();
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut canvas = Canvas::new(width, height);
        let (inner, columns) = (usize::from(height) - 2, usize::from(width) / 2 - 2);
        let draw = |screen: &mut Buffer, lines: &[String]| {
            let beside = Rect::new(width / 2, 0, width / 2, height);
            let mut other = Buffer::empty(Rect::new(0, 0, beside.width, height));
            pane(&mut other, &[LONG; 60][..inner]);
            other.area = beside;
            let mut left = Buffer::empty(Rect::new(0, 0, width / 2, height));
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            pane(&mut left, &lines);
            screen.merge(&left);
            screen.merge(&other);
        };
        canvas.paint(|screen| draw(screen, &[]));
        let (mut sent, mut top, mut jumps) = (0, 0, 0);
        for count in (4..words.len()).step_by(4) {
            let lines = wrapped(&words[..count], columns);
            if lines.len() > top + inner {
                top += inner.div_ceil(3);
                jumps += 1;
            }
            sent += canvas.paint(|screen| draw(screen, &lines[top..])).len();
        }
        let per_token = sent / words.len();
        println!("{width}x{height}: {per_token} bytes a token, {jumps} jumps");
        assert!(
            jumps >= 2 && per_token <= 30,
            "{width}x{height}: {per_token}"
        );
    }
}

fn wrapped(words: &[&str], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let line = lines.last_mut().unwrap();
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push((*word).to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

fn style() -> impl Strategy<Value = Style> {
    let colour = prop::sample::select(vec![
        Color::Reset,
        Color::Red,
        Color::White,
        Color::Indexed(99),
        Color::Rgb(1, 2, 3),
    ]);
    let modifier = prop::sample::select(vec![
        Modifier::empty(),
        Modifier::BOLD,
        Modifier::DIM,
        Modifier::BOLD | Modifier::DIM,
        Modifier::REVERSED,
        Modifier::UNDERLINED | Modifier::ITALIC,
    ]);
    (colour.clone(), colour, modifier)
        .prop_map(|(fg, bg, modifier)| Style::default().fg(fg).bg(bg).add_modifier(modifier))
}

/// Some texts at some places. Only characters that every terminal finds as wide as we do, or vt100 would
/// differ.
fn screen() -> impl Strategy<Value = Vec<(u16, u16, String, Style)>> {
    let part = (0u16..24, 0u16..6, "[a-c ─漢é]{0,14}", style());
    prop::collection::vec(part, 0..8)
}

proptest! {
    /// Whatever was shown before, the same screen looks the same.
    #[test]
    fn a_screen_looks_as_if_it_were_drawn_anew(screens in prop::collection::vec(screen(), 1..5)) {
        let draw = |parts: &[(u16, u16, String, Style)], screen: &mut Buffer| {
            for (x, y, text, style) in parts {
                screen.set_string(*x, *y, text, *style);
            }
        };
        let mut canvas = Canvas::new(24, 6);
        for parts in &screens {
            canvas.paint(|screen| draw(parts, screen));
        }
        let mut anew = Canvas::new(24, 6);
        let last = screens.last().unwrap();
        anew.paint(|screen| draw(last, screen));
        prop_assert!(visible(&canvas) == visible(&anew), "{:?}", canvas.rows());
    }
}

/// What a person sees of every cell: of a blank one only its ground.
fn visible(canvas: &Canvas) -> Vec<(String, vt100::Color, vt100::Color, [bool; 5])> {
    let cells = canvas.cells();
    cells
        .iter()
        .map(|cell| {
            let contents = cell.contents().trim().to_owned();
            let ground = [false, false, false, cell.underline(), cell.inverse()];
            if contents.is_empty() && !cell.inverse() && !cell.underline() {
                return (contents, vt100::Color::Default, cell.bgcolor(), ground);
            }
            let is_blank = contents.is_empty();
            let attributes = [
                cell.bold() && !is_blank,
                cell.dim() && !is_blank,
                cell.italic() && !is_blank,
                cell.underline(),
                cell.inverse(),
            ];
            (contents, cell.fgcolor(), cell.bgcolor(), attributes)
        })
        .collect()
}
