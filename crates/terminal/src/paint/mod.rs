//! Painter of frames: what differs between two screens, as ratatui's crossterm backend writes it into
//! memory. Writes nothing and knows no terminal.
//!
//! Around the backend stands what it lacks, each with the tests of `crates/terminal/tests/painting.rs`
//! that show it: [`clean`], [`steps`] and [`sixteen`].

mod clean;
mod sixteen;
mod steps;

use crate::Depth;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::crossterm::cursor::{Hide, MoveTo, Show};
use ratatui::crossterm::queue;
use ratatui::crossterm::style::{Attribute, SetAttribute, force_color_output};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate,
};
use ratatui::layout::{Position, Rect};
use std::io;

/// End of what the backend writes: the last of these resets is enough (`acts_cost_few_bytes`).
const RESETS: &[u8] = b"\x1b[39m\x1b[49m\x1b[59m\x1b[0m";

/// Painter that keeps the screen that is shown and computes the bytes to the next one.
#[derive(Debug)]
pub struct Painter {
    depth: Depth,
    has_hidden: fn(&str) -> bool,
    shown: Buffer,
    next: Buffer,
    cursor: Option<Position>,
    /// True if the terminal shows `shown`.
    is_known: bool,
}

impl Painter {
    /// A painter whose terminal shows something unknown. Under [`Depth::None`] colours are left out.
    /// A character of which `has_hidden` says that part of it is not seen is never sent.
    pub fn new(depth: Depth, has_hidden: fn(&str) -> bool) -> Self {
        // Under NO_COLOR crossterm would send a bare reset in the place of a colour, and highlights
        // would be lost with it; whether there are colours was decided before
        // (`colours_that_were_asked_for_are_sent_under_no_color`).
        force_color_output(true);
        Self {
            depth,
            has_hidden,
            shown: Buffer::empty(Rect::ZERO),
            next: Buffer::empty(Rect::ZERO),
            cursor: None,
            is_known: false,
        }
    }

    /// Takes it that the terminal shows something unknown.
    pub fn forget_screen(&mut self) {
        self.is_known = false;
    }

    /// Has a screen drawn and returns the bytes that show it; none where it is shown already.
    pub fn paint_screen(
        &mut self,
        area: Rect,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> Vec<u8> {
        self.next.resize(area);
        self.next.reset();
        let cursor = draw(&mut self.next).filter(|at| area.contains(*at));
        clean::clean_screen(&mut self.next, self.depth, self.has_hidden);
        let mut bytes = Vec::new();
        // Writing into memory does not fail.
        let _ = self.write_changes(&mut bytes, area, cursor);
        std::mem::swap(&mut self.shown, &mut self.next);
        self.cursor = cursor;
        self.is_known = true;
        sixteen::convert_colour_codes(&bytes)
    }

    fn write_changes(
        &mut self,
        bytes: &mut Vec<u8>,
        area: Rect,
        cursor: Option<Position>,
    ) -> io::Result<()> {
        let anew = self.shown.area != area || !self.is_known;
        if anew {
            self.cursor = None;
            self.shown.resize(area);
            self.shown.reset();
        }
        let steps = steps::list_steps(&mut self.shown, &self.next);
        let has_cells = anew || !steps.is_empty();
        if has_cells {
            queue!(bytes, BeginSynchronizedUpdate)?;
        }
        if anew {
            queue!(
                bytes,
                SetAttribute(Attribute::Reset),
                Hide,
                Clear(ClearType::All)
            )?;
        }
        if !steps.is_empty() {
            let cells = steps.iter().map(|(x, y, cell)| (*x, *y, cell.as_ref()));
            CrosstermBackend::new(&mut *bytes).draw(cells)?;
            if let Some(length) = bytes.strip_suffix(RESETS).map(<[u8]>::len) {
                bytes.truncate(length);
            }
            queue!(bytes, SetAttribute(Attribute::Reset))?;
        }
        // A cursor is hidden, shown and moved as seldom as it can be.
        match (self.cursor, cursor) {
            (Some(_), None) => queue!(bytes, Hide)?,
            (before, Some(at)) => {
                if has_cells || before != cursor {
                    queue!(bytes, MoveTo(at.x, at.y))?;
                }
                if before.is_none() {
                    queue!(bytes, Show)?;
                }
            }
            (None, None) => {}
        }
        if has_cells {
            queue!(bytes, EndSynchronizedUpdate)?;
        }
        Ok(())
    }
}
