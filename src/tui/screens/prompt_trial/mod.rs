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

use crate::tui::app::{DrawContext, Effect, Screen, Task, Update, fail, say};
use crate::tui::components::reply_columns::ReplyColumns;
use crate::tui::keys::{Action, Context};
use crate::tui::widgets::TextColumns;
use ask::Asking;
use elenchus_game::debate::SessionId;
use elenchus_run::drafts::prompt_trial::{LiveTrial, TrialLayout, TrialPurpose, TryCard, TryWish};
use elenchus_run::experiments::prompt_trial::{TrialUpdate, TryPlan};
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Shows a recorded turn with a prompt to be tried on it; asks before anything is paid for.
pub fn show(wish: TryWish) -> Vec<Effect> {
    vec![Effect::Show(Box::new(Try::of(wish)))]
}

/// The screen of a prompt that is tried.
pub struct Try {
    trial: LiveTrial,
    /// 0 is the recorded reply, the samples follow.
    replies: ReplyColumns,
    /// Comparison used in the last drawing, and the column that the recorded reply was compared with.
    compared: (TrialLayout, Option<usize>),
    asking: Option<Asking>,
}

impl Try {
    /// A screen that reads its turn once it is opened.
    pub fn of(wish: TryWish) -> Self {
        let columns = TextColumns::against_the_first(view::MIN_COLUMN);
        Self {
            trial: LiveTrial::of(wish),
            replies: ReplyColumns::new(columns).with_differences(),
            compared: (TrialLayout::Woven, None),
            asking: None,
        }
    }

    /// Returns the plan of the samples that are being played.
    pub fn played(&self) -> Option<&TryPlan> {
        self.trial.playing()
    }

    fn read(&mut self, read: Result<Box<TryCard>, String>) -> Vec<Effect> {
        self.replies.columns.forget();
        self.replies.columns.set_count(self.trial.columns());
        self.trial.card = read;
        if let Err(why) = &self.trial.card {
            return fail(why.clone());
        }
        // What judges found on the recorded turn is shown: labels on it are not blind.
        let seen = vec![self.trial.wish.session.clone()];
        let mut effects = vec![Effect::Start(Task::record_listed(seen))];
        effects.extend(self.ask(TrialPurpose::More));
        effects
    }

    fn went(&mut self, update: TrialUpdate) {
        let before = self.trial.columns();
        let column = self.trial.take(update);
        let columns = &mut self.replies.columns;
        if self.trial.columns() > before {
            columns.forget();
            columns.set_count(self.trial.columns());
            if before == 1 {
                columns.choose(1);
            }
        } else if let Some(column) = column {
            // The recorded reply may be compared with it.
            columns.forget_some(&[0, column]);
        }
    }

    fn adopted(&mut self, session: SessionId, adopted: Result<(), String>) -> Vec<Effect> {
        if let Err(why) = adopted {
            return fail(why);
        }
        if !self.trial.adopted(&session) {
            return Vec::new();
        }
        let mut effects = vec![Effect::Open(session, Some(self.place()))];
        effects.extend(say("the sample is a session of its own now, a fork"));
        effects
    }
}

/// Result of a task of this screen.
pub enum Message {
    Read(Result<Box<TryCard>, String>),
    Went(TrialUpdate),
    /// Nothing is played any more.
    Over(Result<(), String>),
    Adopted(SessionId, Result<(), String>),
}

impl Update for Try {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(read) => self.read(read),
            Message::Went(update) => {
                self.went(update);
                Vec::new()
            }
            Message::Over(over) => {
                self.trial.over();
                over.err().map_or_else(Vec::new, fail)
            }
            Message::Adopted(sample, adopted) => self.adopted(sample, adopted),
        }
    }
}

impl Screen for Try {
    fn context(&self) -> Context {
        Context::Try
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read(self.trial.wish.clone()))]
    }

    fn is_typing(&self) -> bool {
        self.asking.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.key_typed(key)
    }

    fn pasted(&mut self, _paste: &Paste) -> Vec<Effect> {
        say("nothing is pasted here: the prompt is written in its editor")
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        self.trial.progress()
    }

    fn hints(&self) -> Vec<Action> {
        if self.trial.playing().is_some() {
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

    fn busy(&self) -> Option<String> {
        let playing = self.trial.playing();
        playing.map(|_| "samples of a prompt are being played".to_owned())
    }
}
