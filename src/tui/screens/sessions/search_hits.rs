//! Search hits over all sessions, as far as found. Pure.

use super::known_sessions::KnownSessions;
use crate::debate::{SessionId, Target};
use crate::exchange::{Keep, visible};
use crate::tui::app::{DrawContext, Ticket};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::debate::SessionPosition;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, ListCursor, StyledLine, put};
use crate::workspace::{HitLocation as Found, SearchEvent, SearchHit};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio_util::sync::{CancellationToken, DropGuard};

/// More places than this are not listed.
const MAX_HITS: usize = 5_000;
/// Lines that one place takes.
const LINES: u16 = 2;

/// A search and its places.
#[derive(Debug)]
pub(super) struct SearchResults {
    pub text: String,
    pub ticket: Ticket,
    /// Stops the search when the results are dropped.
    _stop: DropGuard,
    hits: Vec<SearchHit>,
    /// Sessions that could not be looked at.
    unread: usize,
    /// The sessions hold more hits than are listed.
    more: bool,
    pub rows: ListCursor,
    over: bool,
}

impl SearchResults {
    /// A search that begins.
    pub fn new(text: String, ticket: Ticket, stop: CancellationToken) -> Self {
        Self {
            text,
            ticket,
            _stop: stop.drop_guard(),
            hits: Vec::new(),
            unread: 0,
            more: false,
            rows: ListCursor::default(),
            over: false,
        }
    }

    /// Takes a place that was found.
    pub fn take(&mut self, finding: SearchEvent) {
        match finding {
            SearchEvent::Hit(hit) if self.hits.len() < MAX_HITS => {
                self.hits.push(hit);
                self.rows.set_len(self.hits.len());
            }
            SearchEvent::Hit(_) | SearchEvent::Full => self.more = true,
            SearchEvent::Unread(_) => self.unread += 1,
        }
    }

    /// Learns that everything was looked at.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// Returns the chosen place.
    pub fn chosen(&self) -> Option<&SearchHit> {
        self.rows.chosen().and_then(|at| self.hits.get(at))
    }

    /// Returns the sessions of the places, one for each place.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.hits.iter().map(|hit| &hit.session)
    }

    /// Describes the progress of the search.
    pub fn status(&self) -> String {
        let mut sessions: Vec<_> = self.hits.iter().map(|hit| &hit.session).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let most = if self.more { "the first " } else { "" };
        let found = match (self.hits.len(), sessions.len()) {
            (0, _) => "nowhere".to_owned(),
            (1, _) => "in 1 place".to_owned(),
            (places, 1) => format!("in {most}{places} places of 1 session"),
            (places, sessions) => format!("in {most}{places} places of {sessions} sessions"),
        };
        let unread = match self.unread {
            0 => String::new(),
            1 => "; 1 session could not be read".to_owned(),
            count => format!("; {count} sessions could not be read"),
        };
        match (self.over, self.hits.is_empty()) {
            (true, _) => format!("{found}{unread}"),
            (false, true) => format!("looking{unread}"),
            (false, false) => format!("{found} so far{unread}"),
        }
    }

    /// Draws the hits, each with its place and text.
    pub fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        stock: &KnownSessions,
        brush: DrawContext<'_>,
    ) {
        let look = brush.look;
        if self.hits.is_empty() {
            let text = if self.over {
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
            let Some(hit) = self.hits.get(at) else {
                return Vec::new();
            };
            let place = place_of(hit, stock, brush.content);
            vec![
                StyledLine::of(Role::Muted, visible(&place, Keep::Nothing)),
                excerpt(hit, brush.content),
            ]
        });
    }
}

/// Returns where the debate screen is to be opened for a place.
pub fn place(hit: &SearchHit) -> SessionPosition {
    let turn = match &hit.place {
        Found::Chosen(attempt) | Found::Other(attempt) => Some(attempt.turn.clone()),
        Found::Verdict {
            target: Target::Attempt(attempt),
            ..
        } => Some(attempt.turn.clone()),
        Found::Note { attempt, .. } => attempt.as_ref().map(|attempt| attempt.turn.clone()),
        Found::Topic | Found::Lesson | Found::Verdict { .. } => None,
    };
    SessionPosition { turn, pane: None }
}

fn place_of(hit: &SearchHit, stock: &KnownSessions, content: Content) -> String {
    let place = match &hit.place {
        Found::Topic => "topic".to_owned(),
        Found::Chosen(attempt) => said(&attempt.turn),
        Found::Other(attempt) => {
            format!("{}, an attempt that was passed over", said(&attempt.turn))
        }
        Found::Verdict { judging, target } => match target {
            Target::Attempt(attempt) => format!("verdict '{judging}' on {}", said(&attempt.turn)),
            Target::Round(round) => format!("verdict '{judging}' on round {round}"),
            Target::Debate => format!("verdict '{judging}' on the debate"),
        },
        Found::Lesson => "lesson".to_owned(),
        Found::Note { annotator, attempt } => match attempt {
            Some(attempt) => format!("note of {annotator} on {}", said(&attempt.turn)),
            None => format!("note of {annotator} on the debate"),
        },
    };
    match stock.entry(&hit.session) {
        Some(entry) => format!("{place} - {}", content.of(entry.title())),
        None => format!("{place} - {}", hit.session),
    }
}

fn said(turn: &crate::debate::TurnId) -> String {
    format!(
        "round {}, {}, {} {}",
        turn.round,
        turn.stage,
        turn.chair.seat,
        turn.chair.index + 1
    )
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
