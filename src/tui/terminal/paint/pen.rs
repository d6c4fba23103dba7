//! Pen: position and style of the terminal's cursor, so that neither is sent twice.

use super::Blank;
use super::clean::Extent;
use ratatui::buffer::Cell;
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};
use std::io::Write;

/// Colours and attributes of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellStyle {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl CellStyle {
    pub fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        }
    }
}

/// Writes into a buffer what a terminal shall do.
#[derive(Debug, Default)]
pub(super) struct Pen {
    bytes: Vec<u8>,
    look: CellStyle,
    row: Option<u16>,
    /// Known only together with the row.
    column: Option<u16>,
}

/// Bytes that a pen wrote, and the cursor's position as far as it is known.
#[derive(Debug)]
pub(super) struct PenOutput {
    pub bytes: Vec<u8>,
    pub position: Option<Position>,
}

impl Pen {
    /// A pen whose cursor may be known to be somewhere.
    pub fn at(cursor: Option<Position>) -> Self {
        Self {
            row: cursor.map(|at| at.y),
            column: cursor.map(|at| at.x),
            ..Self::default()
        }
    }

    pub fn look(&self) -> CellStyle {
        self.look
    }

    /// Returns the column of the cursor if it is known to be in this row.
    pub(super) fn column_in(&self, y: u16) -> Option<u16> {
        self.column.filter(|_| self.row == Some(y))
    }

    /// Blanks the whole screen, whatever its content and style.
    pub(super) fn erase_everything(&mut self) {
        self.bytes.extend_from_slice(b"\x1b[m\x1b[?25l\x1b[2J");
    }

    /// Blanks cells of a row.
    pub(super) fn erase(&mut self, x: u16, y: u16, blank: Blank) {
        // Erased cells take the background that is set.
        self.be(CellStyle::default());
        self.go(x, y);
        if blank.reaches_end {
            self.bytes.extend_from_slice(b"\x1b[K");
        } else {
            self.say(format_args!("\x1b[{}X", blank.columns));
        }
    }

    /// Writes the character of a cell.
    pub fn write(&mut self, x: u16, y: u16, cell: &Cell, extent: Extent, is_at_end: bool) {
        self.be(CellStyle::of(cell));
        self.go(x, y);
        if !extent.is_certain && extent.columns > 1 {
            // A terminal that finds it narrower would leave standing what was there.
            for _ in 0..extent.columns {
                self.bytes.push(b' ');
            }
            self.say(format_args!("\x1b[{}G", x + 1));
        }
        self.bytes.extend_from_slice(cell.symbol().as_bytes());
        // At the end of a row terminals differ in where the cursor stays.
        let is_known = extent.is_certain && !is_at_end;
        self.column = is_known.then_some(x.saturating_add(extent.columns));
    }

    /// Ends with the terminal's own look.
    pub fn finish(mut self) -> PenOutput {
        self.be(CellStyle::default());
        let position = self.column.zip(self.row);
        PenOutput {
            position: position.map(|(x, y)| Position::new(x, y)),
            bytes: self.bytes,
        }
    }

    fn go(&mut self, x: u16, y: u16) {
        if self.row == Some(y) && self.column == Some(x) {
            return;
        }
        let mut there = Vec::new();
        go_to(&mut there, x, y);
        if let Some(shorter) = self.step(x, y).filter(|step| step.len() < there.len()) {
            there = shorter;
        }
        self.bytes.append(&mut there);
        (self.row, self.column) = (Some(y), Some(x));
    }

    /// A way from where the cursor is, if there is one that is sure.
    fn step(&self, x: u16, y: u16) -> Option<Vec<u8>> {
        let row = self.row?;
        let mut bytes = Vec::new();
        let from = if row == y {
            match self.column {
                Some(column) if column < x => column,
                _ => {
                    say(&mut bytes, format_args!("\x1b[{}G", u32::from(x) + 1));
                    return Some(bytes);
                }
            }
        } else if row.checked_add(1) == Some(y) {
            bytes.extend_from_slice(b"\r\n");
            0
        } else {
            return None;
        };
        match x - from {
            0 => {}
            1 => bytes.extend_from_slice(b"\x1b[C"),
            columns => say(&mut bytes, format_args!("\x1b[{columns}C")),
        }
        Some(bytes)
    }

    /// Takes on a look: by what changes, or from the terminal's own, whichever is shorter.
    fn be(&mut self, look: CellStyle) {
        if look == self.look {
            return;
        }
        let from_own = codes(CellStyle::default(), look);
        let anew = if from_own.is_empty() {
            String::new()
        } else {
            format!("0;{from_own}")
        };
        let changed = codes(self.look, look);
        let shorter = if changed.len() < anew.len() {
            changed
        } else {
            anew
        };
        self.say(format_args!("\x1b[{shorter}m"));
        self.look = look;
    }

    fn say(&mut self, text: std::fmt::Arguments<'_>) {
        say(&mut self.bytes, text);
    }
}

/// Moves the cursor from wherever it is.
pub(super) fn go_to(bytes: &mut Vec<u8>, x: u16, y: u16) {
    let (column, row) = (u32::from(x) + 1, u32::from(y) + 1);
    match (row, column) {
        (1, 1) => bytes.extend_from_slice(b"\x1b[H"),
        (_, 1) => say(bytes, format_args!("\x1b[{row}H")),
        _ => say(bytes, format_args!("\x1b[{row};{column}H")),
    }
}

fn say(bytes: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into memory does not fail.
    let _ = bytes.write_fmt(text);
}

/// The codes that lead from one look to another (ECMA-48, "Select Graphic Rendition").
fn codes(from: CellStyle, to: CellStyle) -> String {
    let mut codes = Vec::new();
    let mut kept = from.modifier;
    for (group, off) in ENDINGS {
        // One code ends both of a group, and some terminals treat them as one: both are set again
        // together.
        let (was, is) = (from.modifier & *group, to.modifier & *group);
        if was != is && !was.is_empty() {
            codes.push((*off).to_owned());
            kept.remove(*group);
        }
    }
    for (modifier, on) in BEGINNINGS {
        if to.modifier.contains(*modifier) && !kept.contains(*modifier) {
            codes.push((*on).to_owned());
        }
    }
    if to.fg != from.fg {
        codes.push(colour(to.fg, 30));
    }
    if to.bg != from.bg {
        codes.push(colour(to.bg, 40));
    }
    codes.join(";")
}

const BEGINNINGS: &[(Modifier, &str)] = &[
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::RAPID_BLINK, "6"),
    (Modifier::REVERSED, "7"),
    (Modifier::HIDDEN, "8"),
    (Modifier::CROSSED_OUT, "9"),
];

const ENDINGS: &[(Modifier, &str)] = &[
    (Modifier::BOLD.union(Modifier::DIM), "22"),
    (Modifier::ITALIC, "23"),
    (Modifier::UNDERLINED, "24"),
    (Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK), "25"),
    (Modifier::REVERSED, "27"),
    (Modifier::HIDDEN, "28"),
    (Modifier::CROSSED_OUT, "29"),
];

/// The code of a colour; the base is 30 for characters and 40 for what is behind them.
fn colour(colour: Color, base: u8) -> String {
    let bright = base + 60;
    match colour {
        Color::Reset => (base + 9).to_string(),
        Color::Black => base.to_string(),
        Color::Red => (base + 1).to_string(),
        Color::Green => (base + 2).to_string(),
        Color::Yellow => (base + 3).to_string(),
        Color::Blue => (base + 4).to_string(),
        Color::Magenta => (base + 5).to_string(),
        Color::Cyan => (base + 6).to_string(),
        Color::Gray => (base + 7).to_string(),
        Color::DarkGray => bright.to_string(),
        Color::LightRed => (bright + 1).to_string(),
        Color::LightGreen => (bright + 2).to_string(),
        Color::LightYellow => (bright + 3).to_string(),
        Color::LightBlue => (bright + 4).to_string(),
        Color::LightMagenta => (bright + 5).to_string(),
        Color::LightCyan => (bright + 6).to_string(),
        Color::White => (bright + 7).to_string(),
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", base + 8),
        Color::Indexed(index) => format!("{};5;{index}", base + 8),
    }
}
