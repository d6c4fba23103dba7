//! One debate: panes for each chair, the band of those who speak beside them, verdicts, record and
//! timeline, for every game without code for any of them.
//!
//! | file | what it is |
//! |---|---|
//! | `chart` | which panes a game has |
//! | `layout` | where they stand |
//! | `blocks` | what stands in them |
//! | `written`, `record`, `words` | how it is written down: turns, the record, single words |
//! | `found` | what was found about turns |
//! | `echoes` | who said it first |
//! | `stream` | replies that are still coming |
//! | `pane` | scrolling and wrapping of one pane |
//! | `rail`, `timeline` | what was found, at a glance |
//! | `play` | the hand on the session: taking it, ordering, forking, undoing |
//! | `acts`, `turns` | what each action does: to the debate, to a turn |
//! | `standing` | the status line |
//! | `moves` | cursor, focus, search |
//! | `heard` | what came of deeds |
//! | `dialog`, `choosing` | what lies over the panes: editor, questions, lists to choose from |
//! | `paint` | drawing |

mod acts;
pub(in crate::tui::screens) mod blocks;
mod chart;
mod choosing;
mod dialog;
mod echoes;
pub(in crate::tui::screens) mod found;
mod heard;
mod labelled;
mod layout;
mod moves;
mod notes;
mod others;
mod paint;
mod pane;
mod play;
mod rail;
mod record;
mod standing;
mod stream;
mod timeline;
mod turns;
pub(in crate::tui::screens) mod words;
mod written;

pub use found::role_of;
pub use words::{difference, label};

use crate::debate::step::{Done, Step};
use crate::debate::{RunId, SessionId, State, TurnId};
use crate::driver::ReplyForm;
use crate::driver::desk::Margins;
use crate::driver::live::Rest;
use crate::prompt::LabelHint;
use crate::tui::app::{AnnotateDeed, Brush, Deed, Effect, Opened, Screen, Told};
use crate::tui::input::{Key, Paste};
use crate::tui::keep::{Kept, LastPlace};
use crate::tui::keys::{Action, Context};
use blocks::Show;
use chart::{Chart, Pane};
use dialog::Dialog;
use echoes::Echoes;
use found::Glances;
use labelled::Labelled;
use layout::Arrangement;
use moves::Search;
use notes::Notes;
use pane::Scroll;
use play::Hand;
use rail::Board;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;
use stream::Streams;

/// The screen of one debate.
pub struct Debate {
    id: SessionId,
    /// Why there is nothing to show, while there is nothing.
    empty: String,
    state: Arc<State>,
    example: bool,
    imported: bool,
    driven_by: Option<String>,
    labels: BTreeMap<String, Vec<LabelHint>>,
    margins: Margins,
    notes: Notes,
    labelled: Labelled,
    forms: BTreeMap<String, ReplyForm>,
    chart: Chart,
    panes: BTreeMap<Pane, Scroll>,
    rail_top: usize,
    streams: Streams,
    /// The turns that were spoken, in the order of the game.
    order: Vec<TurnId>,
    glances: Glances,
    echoes: Echoes,
    board: Board,
    /// The open steps.
    coming: Vec<Step>,
    done: Option<Done>,
    /// How many steps wait for one that failed, or failed.
    blocked: usize,
    cursor: Option<TurnId>,
    /// Where the cursor goes once the session is read.
    wanted: Option<Place>,
    how: Arrangement,
    show: Show,
    search: Option<Search>,
    hand: Hand,
    rest: Option<Rest>,
    dialog: Option<Dialog>,
    area: Rect,
}

/// A place in a session: where somebody was, or what was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub turn: Option<TurnId>,
    /// The pane's name in the tab strip.
    pub pane: Option<String>,
}

impl Place {
    /// Where somebody was.
    pub fn of(last: &LastPlace) -> Self {
        Self {
            turn: last.turn.clone().and_then(|turn| turn.try_into().ok()),
            pane: Some(last.pane.clone()),
        }
    }
}

impl Debate {
    /// A session that is about to be read: the screen asks for it itself.
    pub fn opening(id: SessionId, kept: &Kept, place: Option<Place>) -> (Self, Effect) {
        let open = Effect::Do(Deed::Open(id.clone()));
        (Self::blank(id, kept, place), open)
    }

    /// A session that was read, and taken where `taken` says so.
    pub fn opened(
        id: SessionId,
        kept: &Kept,
        opened: &Arc<Opened>,
        taken: Taken,
        place: Option<Place>,
    ) -> Self {
        let mut debate = Self::blank(id, kept, place);
        debate.take_in(opened);
        if taken == Taken::Yes {
            debate.hand.take();
        }
        debate
    }

    fn blank(id: SessionId, kept: &Kept, place: Option<Place>) -> Self {
        Self {
            id,
            empty: "reading the session".to_owned(),
            state: Arc::default(),
            example: false,
            imported: false,
            driven_by: None,
            labels: BTreeMap::new(),
            margins: Margins::default(),
            labelled: Labelled::default(),
            notes: Notes::default(),
            forms: BTreeMap::new(),
            chart: Chart::default(),
            panes: BTreeMap::new(),
            rail_top: 0,
            streams: Streams::default(),
            order: Vec::new(),
            glances: Glances::new(),
            echoes: Echoes::default(),
            board: Board::default(),
            coming: Vec::new(),
            done: None,
            blocked: 0,
            cursor: None,
            wanted: place,
            how: Arrangement {
                focus: Pane::Record,
                zoomed: kept.zoomed,
                wider: kept.wider,
            },
            show: Show {
                masked: kept.masked,
                private: kept.show_private,
                difference: false,
                fold: kept.fold.unwrap_or(true),
            },
            search: None,
            hand: Hand::default(),
            rest: None,
            dialog: None,
            area: Rect::default(),
        }
    }

    /// Returns which session this is.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the pane's name in the tab strip.
    fn pane_name(&self, pane: &Pane) -> String {
        match pane {
            Pane::Chair(chair) => match self.state.protocol() {
                Some(protocol) => protocol.name_of(chair),
                None => chair.to_string(),
            },
            Pane::Record => "record".to_owned(),
            Pane::Rail => "verdicts".to_owned(),
        }
    }
}

/// Whether this process holds the session's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    Yes,
    No,
}

impl Screen for Debate {
    fn context(&self) -> Context {
        if self.search.is_some() {
            Context::Searching
        } else {
            Context::Debate
        }
    }

    fn is_typing(&self) -> bool {
        self.dialog.as_ref().is_some_and(Dialog::is_typing)
            || self.search.as_ref().is_some_and(Search::is_typing)
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.act_on(action)
    }

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        self.key_typed(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.text_pasted(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        self.standing()
    }

    fn hints(&self) -> Vec<Action> {
        self.useful()
    }

    fn session(&self) -> Option<&SessionId> {
        Some(&self.id)
    }

    fn run(&self) -> Option<RunId> {
        let run = self.state.created()?.run.as_ref()?;
        Some(run.run.clone())
    }

    /// Somebody may have labelled a turn meanwhile.
    fn returned(&mut self) -> Vec<Effect> {
        vec![Effect::Do(Deed::Annotate(AnnotateDeed::Margins))]
    }

    fn busy(&self) -> Option<String> {
        let live = self.streams.live().count();
        match live {
            0 => None,
            1 => Some("one reply is on its way".to_owned()),
            live => Some(format!("{live} replies are on their way")),
        }
    }

    fn keep(&self, kept: &mut Kept) {
        kept.show_private = self.show.private;
        kept.fold = Some(self.show.fold);
        kept.wider = self.how.wider;
        kept.zoomed = self.how.zoomed;
        // Whoever leaves while it is still being read was nowhere in it yet.
        let (pane, turn) = if self.panes.is_empty() {
            let wanted = self.wanted.clone().unwrap_or_default();
            (wanted.pane.unwrap_or_default(), wanted.turn)
        } else {
            (self.pane_name(&self.how.focus), self.cursor.clone())
        };
        kept.last = Some(LastPlace {
            session: self.id.clone(),
            pane,
            turn: turn.as_ref().map(ToString::to_string),
        });
    }
}
