//! Prompt trial on a recorded turn: the recorded reply next to new samples, as they stream in.
//!
//! | file | content |
//! |---|---|
//! | `ask` | number of samples, roll-forward and cost |
//! | `sample` | a sample, as far as it has come |
//! | `column` | columns of replies |
//! | `actions` | actions of the screen |
//! | `tasks`, `update` | what is read and played in the background, and what came of it |
//! | `view` | drawing |

mod actions;
mod ask;
mod column;
mod sample;
mod tasks;
mod update;
mod view;

use crate::debate::{CostEstimate, SessionId, State, TurnId};
use crate::exchange::cost;
use crate::experiments::StopSignal;
use crate::experiments::prompt_trial::{PromptChange, RollForward, TrialUpdate, TryPlan};
use crate::terminal::Paste;
use crate::tui::app::{DrawContext, Effect, Screen, Update, fail, say};
use crate::tui::keys::{Action, Context};
use crate::tui::widgets::{Content, Marking, TextColumns};
use crate::workspace::debate_blocks::AttemptOptions;
use ask::Asking;
use column::TrialLayout;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use sample::TrialSample;

/// Prompt and turn to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryWish {
    pub session: SessionId,
    pub turn: TurnId,
    /// `None` asks again with the prompt as it was recorded.
    pub change: Option<PromptChange>,
}

/// A recorded turn that can be tried.
#[derive(Debug, Clone)]
pub struct TryCard {
    /// The whole session, with what was said and found after the turn.
    pub recorded: State,
    /// Cost of one sample, for each roll-forward.
    pub prices: Vec<(RollForward, CostEstimate)>,
    /// The ceiling of what is played at once, in US dollars.
    pub budget_usd: Option<f64>,
}

impl TryCard {
    /// Returns the cost of one sample that is played so far; `None` where it is unknown.
    pub fn price(&self, roll: RollForward) -> Option<CostEstimate> {
        let found = self.prices.iter().find(|(of, _)| *of == roll);
        found.map(|(_, estimate)| *estimate)
    }
}

/// Samples that are being played.
struct Playing {
    plan: TryPlan,
    stop: StopSignal,
}

/// Shows a recorded turn with a prompt to be tried on it; asks before anything is paid for.
pub fn show(wish: TryWish) -> Vec<Effect> {
    vec![Effect::Show(Box::new(Try::of(wish)))]
}

/// The screen of a prompt that is tried.
pub struct Try {
    wish: TryWish,
    card: Option<Box<TryCard>>,
    /// Message while there is nothing to show.
    empty: String,
    samples: Vec<TrialSample>,
    /// 0 is the recorded reply, the samples follow.
    columns: TextColumns,
    show: AttemptOptions,
    /// Comparison used in the last drawing, and the sample that the recorded reply was compared with.
    held: TrialLayout,
    against: Option<usize>,
    asking: Option<Asking>,
    /// Roll-forward of the last samples.
    roll: RollForward,
    playing: Option<Playing>,
}

impl Try {
    /// A screen that reads its turn once it is opened.
    pub fn of(wish: TryWish) -> Self {
        Self {
            wish,
            card: None,
            empty: "reading the turn".to_owned(),
            samples: Vec::new(),
            columns: TextColumns::against_the_first(view::MIN_COLUMN),
            show: AttemptOptions {
                content: Content::Shown,
                private: false,
                difference: true,
                marking: Marking::Look,
            },
            held: TrialLayout::Woven,
            against: None,
            asking: None,
            roll: RollForward::Turn,
            playing: None,
        }
    }

    /// Returns the plan of the samples that are being played.
    pub fn played(&self) -> Option<&TryPlan> {
        self.playing.as_ref().map(|playing| &playing.plan)
    }

    /// Returns the sample under the cursor; `None` on the recorded reply.
    fn here(&self) -> Option<&TrialSample> {
        self.samples.get(self.columns.cursor().checked_sub(1)?)
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
                self.playing = None;
                over.err().map_or_else(Vec::new, fail)
            }
            Message::Adopted(sample, adopted) => self.adopted(&sample, adopted),
        }
    }
}

impl Screen for Try {
    fn context(&self) -> Context {
        Context::Try
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read(self.wish.clone()))]
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
        self.show.content = brush.content;
        self.show.marking = Marking::on(brush.look);
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        let over = self.samples.iter().filter(|sample| sample.is_over());
        match (self.samples.len(), self.playing.is_some()) {
            (0, false) => String::new(),
            (0, true) => "the seat is being asked".to_owned(),
            (all, true) => format!("{} of {all} over, {}", over.count(), self.cost()),
            (1, false) => format!("1 sample, {}", self.cost()),
            (all, false) => format!("{all} samples, {}", self.cost()),
        }
    }

    fn hints(&self) -> Vec<Action> {
        if self.playing.is_some() {
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
        let playing = self.playing.as_ref();
        playing.map(|_| "samples of a prompt are being played".to_owned())
    }
}
