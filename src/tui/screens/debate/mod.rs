//! Debate screen: panes for each chair, the band of personas and other speakers, verdicts, record
//! and timeline, for every game without code for any of them.
//!
//! | file | content |
//! |---|---|
//! | `pane_list` | panes of a game |
//! | `layout` | their areas |
//! | `round_rows` | rounds of panes beside each other in line |
//! | `stream` | streaming replies |
//! | `pane` | scrolling and wrapping of one pane |
//! | `verdict_rail`, `timeline` | findings at a glance |
//! | `mark_legend` | what the marks of both mean |
//! | `control` | controller of the session: lock, orders, forks, undo |
//! | `actions`, `turn_edits` | actions on the debate, on a turn |
//! | `other_screens` | screens opened from here |
//! | `status` | status line |
//! | `navigation` | cursor, focus, search |
//! | `walk` | wrong turns, here and in the list that it was opened from |
//! | `tasks`, `update` | work in the background; its results |
//! | `seat_reading` | what a seat is shown, above what a person writes for it |
//! | `dialog`, `choice` | dialogs over the panes: editor, questions, lists |
//! | `view` | drawing |

mod actions;
mod choice;
mod control;
mod dialog;
mod layout;
mod mark_legend;
mod navigation;
mod other_screens;
mod pane_list;
mod round_rows;
mod scroll;
mod seat_reading;
mod status;
mod stream;
mod tasks;
mod timeline;
mod turn_edits;
mod update;
mod verdict_rail;
mod view;
mod walk;

pub use layout::compute_widths;

use crate::tui::app::{
    Broadcast, DrawContext, EditError, Effect, LastPlace, Screen, SessionPosition, TakenSession,
    Task, TurnWalk, UiState,
};
use crate::tui::components::shown_writing::PageWritten;
use crate::tui::keys::{Action, Context};
use crate::tui::popups::Dialog;
use control::SessionControl;
use dialog::{DebateText, Question};
use elenchus_game::debate::step::{EndReason, Step, StepId};
use elenchus_game::debate::{RunId, SessionId, TurnId};
use elenchus_game::prompt::LabelHint;
use elenchus_records::library::JsonVerdictForm;
use elenchus_records::workspace::annotations::{AnnotationId, Annotations, all_annotations};
use elenchus_records::workspace::{Draft, WorkspaceError};
use elenchus_run::engine::PersonQuestion;
use elenchus_run::engine::live::{IdleReason, Preview};
use elenchus_terminal::Paste;
use elenchus_view::TurnAddress;
use elenchus_view::debate_text::{
    BlockOptions, Glances, Notes, RepeatedTexts, SpeakerChart, VerdictBoard, speaker_title,
};
use elenchus_view::{OpenedSession, SessionUpdate};
use layout::{BAND_TENTHS, PaneArrangement};
use navigation::PaneSearch;
use pane_list::{DebateView, Pane};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use scroll::{LineSource, Scroll};
use seat_reading::ReadAbove;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use stream::Streams;

/// The screen of one debate.
pub struct Debate {
    id: SessionId,
    /// Message while there is nothing to show.
    empty: String,
    /// The session could not be read: there is nothing to act on.
    is_unreadable: bool,
    source: LineSource,
    is_example: bool,
    is_imported: bool,
    driven_by: Option<String>,
    labels: BTreeMap<String, Vec<LabelHint>>,
    annotations: Annotations,
    forms: BTreeMap<String, JsonVerdictForm>,
    chart: SpeakerChart,
    panes: BTreeMap<Pane, Scroll>,
    /// Panes whose rounds stand in line as they were drawn last, each row with the line at which its last round
    /// begins.
    rows_in_line: Vec<(Vec<Pane>, usize)>,
    rail_top: usize,
    /// The turns that were spoken, in the order of the game.
    order: Vec<TurnId>,
    glances: Glances,
    board: VerdictBoard,
    /// The open steps.
    coming: Vec<Step>,
    done: Option<EndReason>,
    /// Steps that failed or wait for a failed one.
    blocked: usize,
    cursor: Option<TurnId>,
    /// Position of the cursor once the session is read.
    target: Option<SessionPosition>,
    /// The list that it was opened from.
    walk: Option<TurnWalk>,
    /// View that the person chose; left out, it goes by the size.
    chosen_view: Option<DebateView>,
    arrangement: PaneArrangement,
    search: Option<PaneSearch>,
    control: SessionControl,
    idle_reason: Option<IdleReason>,
    writing: Option<Box<DebateText>>,
    /// Seats of a person that were asked for while something else lay over the panes.
    waiting_seats: VecDeque<(Box<PersonQuestion>, StepId)>,
    /// What is read above a text for a step.
    read_above: Option<ReadAbove>,
    dialog: Option<Dialog<Question>>,
    area: Rect,
}

impl Debate {
    /// A session that was read and whose lock this process holds.
    pub fn from_opened(
        id: SessionId,
        ui_state: &UiState,
        opened: &OpenedSession,
        place: Option<SessionPosition>,
    ) -> Self {
        let mut debate = Self::new_unread(id, ui_state, place);
        debate.set_session(opened);
        debate.control.is_taken = true;
        debate
    }

    /// A session that is to be read: the screen asks for it itself.
    pub fn new_unread(id: SessionId, ui_state: &UiState, place: Option<SessionPosition>) -> Self {
        Self {
            id,
            empty: "reading the session".to_owned(),
            is_unreadable: false,
            source: LineSource {
                state: Arc::default(),
                show: BlockOptions {
                    masked: ui_state.masked,
                    private: ui_state.show_private,
                    difference: false,
                    fold: ui_state.fold.unwrap_or(true),
                },
                streams: Streams::default(),
                repeated_texts: RepeatedTexts::default(),
                notes: Notes::default(),
                retry: String::new(),
            },
            is_example: false,
            is_imported: false,
            driven_by: None,
            labels: BTreeMap::new(),
            annotations: Annotations::default(),
            forms: BTreeMap::new(),
            chart: SpeakerChart::default(),
            panes: BTreeMap::new(),
            rows_in_line: Vec::new(),
            rail_top: 0,
            order: Vec::new(),
            glances: Glances::new(),
            board: VerdictBoard::default(),
            coming: Vec::new(),
            done: None,
            blocked: 0,
            cursor: None,
            target: place,
            walk: None,
            chosen_view: ui_state.transcript.map(|transcript| match transcript {
                true => DebateView::Transcript,
                false => DebateView::Panes,
            }),
            arrangement: PaneArrangement {
                view: DebateView::Transcript,
                focus: Pane::Record,
                zoomed: ui_state.zoomed,
                shares: BTreeMap::new(),
                band: BAND_TENTHS,
            },
            search: None,
            control: SessionControl::default(),
            idle_reason: None,
            writing: None,
            waiting_seats: VecDeque::new(),
            read_above: None,
            dialog: None,
            area: Rect::default(),
        }
    }

    /// Returns the pane's name in the tab strip.
    fn pane_name(&self, pane: &Pane) -> String {
        match pane {
            Pane::Chair(chair) => speaker_title(&self.source.state, chair),
            Pane::Transcript => "transcript".to_owned(),
            Pane::Record => "record".to_owned(),
            Pane::Rail => "verdicts".to_owned(),
        }
    }
}

/// Result of a task of this screen.
pub enum Message {
    /// The session was read, or went on in another process.
    Read(SessionUpdate),
    /// A command was given, or could not be.
    Ordered(Result<(), WorkspaceError>),
    Forked(TakenSession),
    /// Something was written in the margin: all annotations as they are now, and which one is new.
    Annotated(Result<(Annotations, AnnotationId), WorkspaceError>),
    /// Annotations of all people, where they can be read.
    Annotations(Option<Annotations>),
    DraftFound(Draft),
    /// What a step that is being answered is shown.
    Previewed(Box<Step>, Result<Box<Preview>, WorkspaceError>),
    /// The text came back from the person's own editor.
    Edited(Result<String, EditError>),
    PageWritten(PageWritten),
}

impl Screen for Debate {
    fn key_context(&self) -> Context {
        if self.search.is_some() {
            Context::Searching
        } else {
            Context::Debate
        }
    }

    fn name(&self) -> String {
        Context::Debate.name().to_owned()
    }

    fn is_typing(&self) -> bool {
        (self.has_overlay() && !self.is_choosing())
            || self.search.as_ref().is_some_and(PaneSearch::is_typing)
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.handle_debate_action(action)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.handle_text_key(key)
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        self.paste_text(paste)
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        if self.control.is_taken {
            return Vec::new();
        }
        vec![Effect::Start(Task::read_session(
            self.id.clone(),
            Message::Read,
        ))]
    }

    fn handle_broadcast(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Live(id, update) if *id == self.id => self.handle_live_event(update),
            Broadcast::Live(..) | Broadcast::Run(_) | Broadcast::Annotator(..) => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_debate(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        self.status_text()
    }

    fn list_hints(&self) -> Vec<Action> {
        self.select_hints()
    }

    fn session_id(&self) -> Option<&SessionId> {
        Some(&self.id)
    }

    fn run_id(&self) -> Option<RunId> {
        let run = self.source.state.first_event()?.run.as_ref()?;
        Some(run.run.clone())
    }

    fn set_walk(&mut self, walk: TurnWalk) -> Vec<Effect> {
        self.take_walk(walk)
    }

    fn walked_turn(&self) -> Option<TurnAddress> {
        self.walk.as_ref().map(|walk| walk.address().clone())
    }

    /// A turn may have been labelled meanwhile.
    fn handle_return(&mut self) -> Vec<Effect> {
        vec![Effect::Start(Task::new_blocking(
            "read annotations",
            |services| Message::Annotations(all_annotations(&services.store).ok()),
        ))]
    }

    fn describe_open_work(&self) -> Option<String> {
        let live = self.source.streams.live_steps().count();
        match live {
            0 => None,
            1 => Some("one reply is on its way".to_owned()),
            live => Some(format!("{live} replies are on their way")),
        }
    }

    fn counts_seconds(&self) -> bool {
        self.source.streams.live_steps().next().is_some()
    }

    fn save_state(&self, kept: &mut UiState) {
        kept.show_private = self.source.show.private;
        kept.fold = Some(self.source.show.fold);
        kept.transcript = self.chosen_view.map(|view| view == DebateView::Transcript);
        kept.zoomed = self.arrangement.zoomed;
        // A screen that is left while still reading has no position yet.
        let (pane, turn) = if self.panes.is_empty() {
            let target = self.target.clone().unwrap_or_default();
            (target.pane.unwrap_or_default(), target.turn)
        } else {
            (self.pane_name(&self.arrangement.focus), self.cursor.clone())
        };
        kept.last = Some(LastPlace {
            session: self.id.clone(),
            pane,
            turn: turn.as_ref().map(ToString::to_string),
        });
    }
}
