//! Prompt trial on a recorded turn: the recorded reply next to new samples, as they stream in.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `ask` | question before samples are played |
//! | `tasks` | what is read and played in the background |
//! | `view` | drawing |

mod actions;
mod ask;
mod tasks;
mod view;

use crate::tui::app::{
    DrawContext, Effect, Screen, Task, Update, say_error, say_notice, show_screen,
};
use crate::tui::components::reply_columns::ReplyColumns;
use crate::tui::keys::{Action, Context};
use crate::tui::widgets::TextColumns;
use ask::Asking;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::Revealing;
use elenchus_run::drafts::prompt_trial::{
    LiveTrial, TrialLayout, TrialPurpose, TrialTurn, TryWish,
};
use elenchus_run::experiments::prompt_trial::{TrialUpdate, TryPlan};
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Shows a recorded turn with a prompt to be tried on it; asks before anything is paid for.
pub fn show_trial(wish: TryWish) -> Vec<Effect> {
    show_screen(Try::from_wish(wish))
}

/// The screen of a prompt that is tried.
pub struct Try {
    trial: LiveTrial,
    /// 0 is the recorded reply, the samples follow.
    replies: ReplyColumns,
    /// Comparison used in the last drawing, and the column that the recorded reply was compared with.
    last_comparison: (TrialLayout, Option<usize>),
    asking: Option<Asking>,
}

impl Try {
    /// A screen that reads its turn once it is opened.
    pub fn from_wish(wish: TryWish) -> Self {
        let columns = TextColumns::with_fixed_first(view::MIN_COLUMN);
        Self {
            trial: LiveTrial::new(wish),
            replies: ReplyColumns::new(columns).with_differences(),
            last_comparison: (TrialLayout::Woven, None),
            asking: None,
        }
    }

    /// Returns the plan of the samples that are being played.
    pub fn running_plan(&self) -> Option<&TryPlan> {
        self.trial.playing_plan()
    }

    fn set_turn(&mut self, read: Result<Box<TrialTurn>, WorkspaceError>) -> Vec<Effect> {
        self.replies.columns.forget_layouts();
        self.replies.columns.set_count(self.trial.column_count());
        self.trial.card = read;
        if let Err(why) = &self.trial.card {
            return say_error(why.clone());
        }
        // What judges found on the recorded turn is shown, with its prompt and its model: labels on it are not blind.
        let sessions = vec![self.trial.wish.session.clone()];
        let shown = Revealing::View.unblindings();
        let mut effects = vec![Effect::Start(Task::record_listing(sessions, shown))];
        effects.extend(self.open_question(TrialPurpose::More));
        effects
    }

    fn apply_update(&mut self, update: TrialUpdate) {
        let before = self.trial.column_count();
        let column = self.trial.apply_update(update);
        let columns = &mut self.replies.columns;
        if self.trial.column_count() > before {
            columns.forget_layouts();
            columns.set_count(self.trial.column_count());
            if before == 1 {
                columns.select_column(1);
            }
        } else if let Some(column) = column {
            // The recorded reply may be compared with it.
            columns.forget_columns(&[0, column]);
        }
    }

    fn handle_adoption(
        &mut self,
        session: SessionId,
        adopted: Result<(), WorkspaceError>,
    ) -> Vec<Effect> {
        if let Err(why) = adopted {
            return say_error(why);
        }
        if !self.trial.note_adoption(&session) {
            return Vec::new();
        }
        let mut effects = vec![Effect::Open(session, Some(self.session_position()))];
        effects.extend(say_notice("the sample is a session of its own now, a fork"));
        effects
    }
}

/// Result of a task of this screen.
pub enum Message {
    Read(Result<Box<TrialTurn>, WorkspaceError>),
    Update(TrialUpdate),
    /// Nothing is played any more.
    Over(Result<(), WorkspaceError>),
    Adopted(SessionId, Result<(), WorkspaceError>),
}

impl Update for Try {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(read) => self.set_turn(read),
            Message::Update(update) => {
                self.apply_update(update);
                Vec::new()
            }
            Message::Over(over) => {
                self.trial.end_play();
                over.err().map_or_else(Vec::new, say_error)
            }
            Message::Adopted(sample, adopted) => self.handle_adoption(sample, adopted),
        }
    }
}

impl Screen for Try {
    fn key_context(&self) -> Context {
        Context::Try
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read_turn(self.trial.wish.clone()))]
    }

    fn is_typing(&self) -> bool {
        self.asking.is_some()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.handle_trial_action(action)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.handle_key(key)
    }

    fn handle_paste(&mut self, _paste: &Paste) -> Vec<Effect> {
        say_notice("nothing is pasted here: the prompt is written in its editor")
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_trial(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        self.trial.describe_progress()
    }

    fn list_hints(&self) -> Vec<Action> {
        if self.trial.playing_plan().is_some() {
            return vec![Action::StopStream, Action::NextTurn, Action::Difference];
        }
        vec![
            Action::MoreSamples,
            Action::RollForward,
            Action::NextTurn,
            Action::Difference,
            Action::Adopt,
            Action::Open,
            Action::Inspect,
            Action::Back,
        ]
    }

    fn describe_open_work(&self) -> Option<String> {
        let playing = self.trial.playing_plan();
        playing.map(|_| "samples of a prompt are being played".to_owned())
    }
}
