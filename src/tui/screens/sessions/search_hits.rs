//! List of search hits over all sessions, as far as found. Pure.

use crate::exchange::{Keep, visible};
use crate::tui::app::{DrawContext, Ticket};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::debate::SessionPosition;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, ListCursor, StyledLine, put};
use crate::workspace::session_browser::{KnownSessions, SearchResults};
use crate::workspace::{SearchEvent, SearchHit};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Lines that one place takes.
const LINES: u16 = 2;

/// A search and its places.
#[derive(Debug)]
pub(super) struct SearchHits {
    pub text: String,
    pub ticket: Ticket,
    /// Stops the search when the results are dropped.
    _stop: DropGuard,
    pub results: SearchResults,
    pub rows: ListCursor,
}

impl SearchHits {
    /// A search that begins.
    pub fn new(text: String, ticket: Ticket, stop: CancellationToken) -> Self {
        Self {
            text,
            ticket,
            _stop: stop.drop_guard(),
            results: SearchResults::default(),
            rows: ListCursor::default(),
        }
    }

    /// Takes an event of the search.
    pub fn take(&mut self, event: SearchEvent) {
        self.results.take(event);
        self.rows.set_len(self.results.hits().len());
    }

    /// Returns the chosen place.
    pub fn chosen(&self) -> Option<&SearchHit> {
        self.results.hits().get(self.rows.chosen()?)
    }

    /// Draws the hits, each with its place and text.
    pub fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        stock: &KnownSessions,
        brush: DrawContext<'_>,
    ) {
        let (look, hits) = (brush.look, self.results.hits());
        if hits.is_empty() {
            let text = if self.results.is_over() {
                let back = key_for(Context::Sessions, Action::Back);
                brush.spelled(&format!(
                    "No session holds this text. {back} goes back to the list."
                ))
            } else {
                "Looking through the sessions, the newest first.".to_owned()
            };
            let style = look.style(Role::Muted);
            put(buffer, area.as_position(), area.width, &text, style, look);
            return;
        }
        self.rows.draw_tall(buffer, area, brush, LINES, |at| {
            let Some(hit) = hits.get(at) else {
                return Vec::new();
            };
            let place = hit.describe(stock, brush.content);
            vec![
                StyledLine::of(Role::Muted, visible(&place, Keep::Nothing)),
                excerpt(hit, brush.content),
            ]
        });
    }
}

/// Returns where the debate screen is to be opened for a place.
pub fn place(hit: &SearchHit) -> SessionPosition {
    let turn = hit.place.attempt().map(|attempt| attempt.turn.clone());
    SessionPosition { turn, pane: None }
}

fn excerpt(hit: &SearchHit, content: Content) -> StyledLine {
    let shown = |text: &str| visible(text, Keep::Nothing).into_owned();
    let runs = match content {
        Content::Masked => vec![(Role::Masked, content.of(&hit.excerpt))],
        Content::Shown => {
            let part = |range| hit.excerpt.get(range).unwrap_or_default();
            vec![
                (Role::Text, shown(part(0..hit.span.start))),
                (Role::Match, shown(part(hit.span.clone()))),
                (Role::Text, shown(part(hit.span.end..hit.excerpt.len()))),
            ]
        }
    };
    StyledLine { indent: 0, runs }
}
