//! Prompt trial on a recorded turn: the recorded reply next to new samples, as they stream in.
//!
//! | file | content |
//! |---|---|
//! | `ask` | number of samples, roll-forward and cost |
//! | `sample` | a sample, as far as it has come |
//! | `column` | columns of replies |
//! | `actions` | actions of the screen |
//! | `heard` | results of commands |
//! | `view` | drawing |

mod actions;
mod ask;
mod column;
mod heard;
mod sample;
mod view;

pub(crate) use ask::cost;

use super::attempts::Show;
use crate::debate::{SessionId, TurnId};
use crate::exchange::cost;
use crate::experiments::prompt_trial::{PromptChange, RollForward};
use crate::tui::app::{Deed, DrawContext, Effect, Screen, Ticket, Told, TryCard, TryDeed};
use crate::tui::keys::{Action, Context};
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::Content;
use crate::tui::widgets::Marking;
use crate::tui::widgets::StyledLine;
use crate::tui::widgets::above_status;
use ask::Asking;
use column::TrialLayout;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use sample::TrialSample;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Prompt and turn to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryWish {
    pub session: SessionId,
    pub turn: TurnId,
    /// `None` asks again with the prompt as it was recorded.
    pub change: Option<PromptChange>,
}

/// Shows a recorded turn with a prompt to be tried on it; asks before anything is paid for.
pub fn show(wish: TryWish) -> Vec<Effect> {
    let (screen, read) = Try::of(wish);
    vec![Effect::Show(Box::new(screen)), read]
}

/// The screen of a prompt that is tried.
pub struct Try {
    wish: TryWish,
    ticket: Ticket,
    card: Option<Arc<TryCard>>,
    /// Message while there is nothing to show.
    empty: String,
    samples: Vec<TrialSample>,
    /// 0 is the recorded reply, the samples follow.
    cursor: usize,
    /// First sample next to the recorded reply.
    first: usize,
    scroll: usize,
    /// The height of the columns when they were drawn last.
    height: usize,
    show: Show,
    /// Comparison used in the last drawing, and the sample compared.
    held: TrialLayout,
    against: usize,
    asking: Option<Asking>,
    /// Roll-forward of the last samples.
    roll: RollForward,
    playing: bool,
    wrapped: HashMap<(usize, usize), Vec<StyledLine>>,
}

impl Try {
    /// The screen, and what it wants to have read.
    pub fn of(wish: TryWish) -> (Self, Effect) {
        // The same wish has the same ticket: of two screens that want the same, both may listen.
        let mut hasher = DefaultHasher::new();
        wish.session.as_str().hash(&mut hasher);
        wish.turn.to_string().hash(&mut hasher);
        let text = wish.change.as_ref().map(|change| &change.text);
        text.hash(&mut hasher);
        let ticket = Ticket(hasher.finish());
        let read = TryDeed::Read(ticket, Box::new(wish.clone()));
        let screen = Self {
            wish,
            ticket,
            card: None,
            empty: "reading the turn".to_owned(),
            samples: Vec::new(),
            cursor: 0,
            first: 0,
            scroll: 0,
            height: 1,
            show: Show {
                content: Content::Shown,
                private: false,
                difference: true,
                marking: Marking::Look,
            },
            held: TrialLayout::Woven,
            against: 0,
            asking: None,
            roll: RollForward::Turn,
            playing: false,
            wrapped: HashMap::new(),
        };
        (screen, Effect::Do(Deed::Try(read)))
    }

    /// Returns the sample under the cursor; `None` on the recorded reply.
    fn here(&self) -> Option<&TrialSample> {
        self.samples.get(self.cursor.checked_sub(1)?)
    }

    fn is_simulated(&self) -> bool {
        let created = self.card.as_ref().and_then(|card| card.recorded.created());
        created.is_some_and(|created| created.is_simulated())
    }

    /// Returns what all samples cost so far, in words.
    fn cost(&self) -> String {
        let spent = self.samples.iter().map(|sample| sample.state.spend());
        let (mut usd, mut unpriced) = (0.0, 0);
        for spend in spent {
            usd += spend.cost_usd;
            unpriced += spend.unpriced_calls;
        }
        cost::sum(usd, unpriced)
    }
}

no_own_messages!(Try);

impl Screen for Try {
    fn context(&self) -> Context {
        Context::Try
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
        vec![Effect::Say(
            Role::Notice,
            "nothing is pasted here: the prompt is written in its editor".to_owned(),
        )]
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.heard(told)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let marking = Marking::on(brush.look);
        if (self.show.content, self.show.marking) != (brush.content, marking) {
            self.show.content = brush.content;
            self.show.marking = marking;
            self.wrapped.clear();
        }
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        let over = self.samples.iter().filter(|sample| sample.is_over());
        match (self.samples.len(), self.playing) {
            (0, false) => String::new(),
            (0, true) => "the seat is being asked".to_owned(),
            (all, true) => format!("{} of {all} over, {}", over.count(), self.cost()),
            (1, false) => format!("1 sample, {}", self.cost()),
            (all, false) => format!("{all} samples, {}", self.cost()),
        }
    }

    fn hints(&self) -> Vec<Action> {
        if self.playing {
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
        self.playing
            .then(|| "samples of a prompt are being played".to_owned())
    }
}
