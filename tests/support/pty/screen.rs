//! The screen of the pseudo-terminal, by a terminal emulator.

use super::SENTINEL;
use std::fmt::Write;
use std::num::NonZeroU16;

/// Everything a terminal was sent, and what came of it.
pub struct TerminalOutput {
    parser: vt100::Parser<EscapeCounts>,
    output: Vec<u8>,
    sentinels: usize,
    /// The beginning of a sentinel that is not whole yet.
    held: Vec<u8>,
}

/// What is noticed beside the screen.
#[derive(Default)]
struct EscapeCounts {
    frames: usize,
    clipboard: Vec<String>,
}

impl vt100::Callbacks for EscapeCounts {
    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], data: &[u8]) {
        self.clipboard
            .push(String::from_utf8_lossy(data).into_owned());
    }

    fn unhandled_csi(
        &mut self,
        _: &mut vt100::Screen,
        first: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        if first == Some(b'?') && last == 'l' && params == [&[2026][..]] {
            self.frames += 1;
        }
    }
}

impl TerminalOutput {
    pub fn new(width: u16, height: u16) -> Self {
        let (rows, columns) = (count(height), count(width));
        Self {
            parser: vt100::Parser::new_with_callbacks(rows, columns, 0, EscapeCounts::default()),
            output: Vec::new(),
            sentinels: 0,
            held: Vec::new(),
        }
    }

    /// Takes what was written; our own sentinels are no output of the program.
    pub fn take(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        while let Some(at) = position(&self.held, SENTINEL) {
            let before: Vec<u8> = self.held.drain(..at).collect();
            self.held.drain(..SENTINEL.len());
            self.show(&before);
            self.sentinels += 1;
        }
        let begun = (0..SENTINEL.len())
            .rev()
            .find(|length| self.held.ends_with(&SENTINEL[..*length]))
            .unwrap_or(0);
        // A lone ESC at the end waits for what follows; no screen changes by it.
        let whole = self.held.len() - begun;
        let shown: Vec<u8> = self.held.drain(..whole).collect();
        self.show(&shown);
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        self.parser
            .screen_mut()
            .set_size(count(height), count(width));
    }

    pub fn screen(&self) -> Screen<'_> {
        Screen(self.parser.screen())
    }

    pub fn bytes(&self) -> usize {
        self.output.len()
    }

    pub fn output(&self) -> &[u8] {
        &self.output
    }

    pub fn frames(&self) -> usize {
        self.parser.callbacks().frames
    }

    pub fn clipboard(&self) -> Vec<String> {
        self.parser.callbacks().clipboard.clone()
    }

    pub fn sentinels(&self) -> usize {
        self.sentinels
    }

    /// Draws the screen in a frame, with what was written last.
    pub fn report(&self) -> String {
        let screen = self.screen();
        let width = usize::from(screen.size().0);
        let line = "-".repeat(width);
        let mut report = format!("+{line}+\n");
        for row in 0..screen.size().1 {
            let row = screen.row(row);
            let blank =
                " ".repeat(width.saturating_sub(unicode_width::UnicodeWidthStr::width(&*row)));
            writeln!(report, "|{row}{blank}|").unwrap();
        }
        let last = self.output.len().saturating_sub(200);
        let last = self.output[last..].escape_ascii();
        write!(
            report,
            "+{line}+\ncursor: {:?}; {} bytes in {} frames; last: {last}",
            screen.cursor(),
            self.bytes(),
            self.frames()
        )
        .unwrap();
        report
    }

    fn show(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.output.extend_from_slice(bytes);
    }
}

/// A screen at one moment.
pub struct Screen<'a>(&'a vt100::Screen);

/// How a cell looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellStyle {
    pub text: String,
    pub fg: vt100::Color,
    pub bg: vt100::Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub reversed: bool,
}

impl Screen<'_> {
    /// Width and height.
    pub fn size(&self) -> (u16, u16) {
        let (rows, columns) = self.0.size();
        (columns.get(), rows.get())
    }

    /// A row without what is blank at its end.
    pub fn row(&self, row: u16) -> String {
        let mut text = String::new();
        for column in 0..self.size().0 {
            match self.0.cell(row, column) {
                Some(cell) if cell.is_wide_continuation() => {}
                Some(cell) if cell.has_contents() => text.push_str(cell.contents()),
                _ => text.push(' '),
            }
        }
        text.trim_end().to_owned()
    }

    pub fn rows(&self) -> Vec<String> {
        (0..self.size().1).map(|row| self.row(row)).collect()
    }

    pub fn text(&self) -> String {
        self.rows().join("\n").trim_end().to_owned()
    }

    pub fn contains(&self, text: &str) -> bool {
        self.rows().iter().any(|row| row.contains(text))
    }

    /// The row and column where a text begins.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        for (row, line) in (0..).zip(self.rows()) {
            if let Some(at) = line.find(text) {
                let column = unicode_width::UnicodeWidthStr::width(&line[..at]);
                return Some((row, u16::try_from(column).unwrap()));
            }
        }
        None
    }

    #[track_caller]
    pub fn cell(&self, row: u16, column: u16) -> CellStyle {
        let cell = self.0.cell(row, column).expect("a cell of the screen");
        CellStyle {
            text: cell.contents().to_owned(),
            fg: cell.fgcolor(),
            bg: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            reversed: cell.inverse(),
        }
    }

    /// The row and column of the cursor, unless it is hidden.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        (!self.0.hide_cursor()).then(|| self.0.cursor_position())
    }

    /// Whether this is the screen of full-screen programs.
    pub fn is_alternate(&self) -> bool {
        self.0.alternate_screen()
    }

    /// Whether pasted texts come in brackets.
    pub fn brackets_pastes(&self) -> bool {
        self.0.bracketed_paste()
    }

    /// Whether the mouse is reported.
    pub fn has_mouse(&self) -> bool {
        self.0.mouse_protocol_mode() != vt100::MouseProtocolMode::None
    }

    /// Whether the keypad or the arrow keys are as a program sets them for itself.
    pub fn has_own_keys(&self) -> bool {
        self.0.application_keypad() || self.0.application_cursor()
    }
}

fn count(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a terminal has cells")
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
