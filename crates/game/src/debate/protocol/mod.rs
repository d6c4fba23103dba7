//! Protocol: the game as data, with seats, stages, visibility, judging, rewards and stop rules.
//!
//! [`Protocol`] is a `protocol.toml` with the values of its settings filled in; nothing in it
//! refers to a setting any more, so a recorded session needs no other file to be continued.

mod check;
mod ending;
mod exchange;
mod gauge;
mod grader_choice;
mod judging;
mod locate;
mod parse;
mod sees;
mod settings;
mod stage;

pub use check::ProtocolFault;
pub use ending::{CeilingKind, Ceilings, Feedback, FeedbackWhen, StopRule};
pub use exchange::Sides;
pub use gauge::{BeforeUse, FieldOf, Gauge, RecordRoles, Take};
pub use grader_choice::{AskedGrader, AskedSource, GraderChoice};
pub use judging::{
    AnswerAt, Combine, Detector, Grader, GraderVersion, JudgeWhen, JudgedThing, Judging, Orders,
    RepairRule, TargetSelector,
};
pub use locate::line_at;
pub use parse::{ProtocolError, ProtocolFile};
pub use sees::{DocumentsSeen, OwnPrivate, PeerOrder, RoundsSeen, Sees, TurnSelector};
pub use settings::{SettingSpec, SettingValue, Settings};
pub use stage::{NamedRounds, RetryRule, RoundSet, Stage, StageOrder};

use super::drawn_list::NO_LIST;
use super::ids::{Chair, JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most rounds a protocol may ask for.
pub const MAX_ROUNDS: u32 = 1_000;
/// The most chairs one seat may have.
pub const MAX_CHAIRS: u32 = 64;
/// Most seats, stages or judging rules of a protocol. Which steps are open is worked out again after each
/// step, over all stages: 3,000 of them would take half a minute of computing before anything is played.
pub const MAX_PARTS: usize = 256;
/// The most repeated requests by one rule.
const MAX_RETRIES: u32 = 8;

/// A resolved protocol: every value is concrete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Source of the game: document and section.
    #[serde(default)]
    pub source: String,
    /// Property that the judged turns are measured on.
    pub measures: MeasuredProperty,
    pub rounds: u32,
    /// Layout of a seat's conversation, unless a stage overrides it.
    #[serde(default)]
    pub style: Style,
    pub seats: Vec<Seat>,
    pub stages: Vec<Stage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judging: Vec<Judging>,
    /// Reward of each seat, by judging rule and label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rewards: BTreeMap<JudgingId, BTreeMap<String, BTreeMap<SeatId, f64>>>,
    /// The lessons that are written after a debate.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "ending::rules")]
    pub feedback: Vec<Feedback>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<StopRule>,
    #[serde(default)]
    pub ceilings: Ceilings,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gauges: Vec<Gauge>,
    /// Turns that fill the audit record, for games that have its four roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordRoles>,
    /// Files below the prompts folder whose SHA-256 must be pinned before a debate begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<String>,
    /// Files that can be pinned and need not be: a debate that is played with another text than the
    /// built-in one is flagged until it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinnable: Vec<String>,
    /// Settings that an experiment may vary; their values are already filled in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, SettingSpec>,
}

/// Property that a protocol measures on its judged turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasuredProperty {
    /// Turns are safe or unsafe.
    Safety,
    /// Proposals are correct or incorrect.
    Correctness,
    /// Arguments are good or bad; no ground truth.
    Quality,
}

/// Layout of a seat's view as messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// One user message that holds everything.
    Single,
    /// A user/assistant conversation that only grows (the sequence extension property).
    #[default]
    Dialogue,
}

/// A named place in the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    pub id: SeatId,
    pub kind: SeatKind,
    /// Number of chairs.
    #[serde(default = "one")]
    pub count: u32,
    /// Name shown to readers; chairs get a number when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A text that the seat's templates can show it about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Origin of the position that its chairs argue for.
    #[serde(default)]
    pub stance: Stance,
}

/// Lessons that a seat is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryShare<'a> {
    /// Those that all seats share.
    Common,
    /// Those of its own alone.
    Own(&'a SeatId),
    /// None: others learn for themselves, and it does not.
    Nothing,
}

impl<'a> MemoryShare<'a> {
    /// Returns the learner, `None` for common lessons; nothing where none are shown.
    #[allow(
        clippy::option_option,
        reason = "a share may be there and have no learner"
    )]
    pub fn learner(self) -> Option<Option<&'a SeatId>> {
        match self {
            MemoryShare::Common => Some(None),
            MemoryShare::Own(learner) => Some(Some(learner)),
            MemoryShare::Nothing => None,
        }
    }
}

/// Origin of the position that a chair argues for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Its own choice.
    #[default]
    Chosen,
    /// The topic's option of the chair's number, counted over all seats with such a stance.
    InOrder,
    /// The same, with the options shuffled by the session's seed (side swapping).
    Shuffled,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// The four kinds of seat that code knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatKind {
    Speaker,
    Judge,
    Evaluator,
    Feedback,
}

impl Protocol {
    /// Returns the seat of that name.
    pub fn find_seat(&self, id: &SeatId) -> Option<&Seat> {
        self.seats.iter().find(|seat| &seat.id == id)
    }

    /// Returns whether a seat needs a participant: a speaker's always, any other where an enabled
    /// rule names it.
    pub fn is_played(&self, seat: &Seat) -> bool {
        let judges = |rule: &Judging| rule.enabled && rule.by.as_ref() == Some(&seat.id);
        seat.kind == SeatKind::Speaker
            || self.judging.iter().any(judges)
            || self
                .feedback
                .iter()
                .any(|lesson| lesson.enabled && lesson.by == seat.id)
    }

    /// Returns the stage of that name.
    pub fn find_stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| &stage.id == id)
    }

    /// Returns the judging rule of that name.
    pub fn find_judging(&self, id: &JudgingId) -> Option<&Judging> {
        self.judging.iter().find(|judging| &judging.id == id)
    }

    /// Returns the name of a chair for readers: the seat's label, with a number where there are
    /// several.
    pub fn name_of(&self, chair: &Chair) -> String {
        let Some(seat) = self.find_seat(&chair.seat) else {
            return chair.to_string();
        };
        let label = seat.label.as_deref().unwrap_or(seat.id.as_str());
        if seat.count > 1 {
            format!("{label} {}", chair.index + 1)
        } else {
            label.to_owned()
        }
    }

    /// Returns the template that a seat uses in a stage.
    pub fn template_name<'a>(&self, stage: &'a Stage, seat: &'a SeatId) -> &'a str {
        let own = stage.templates.get(seat).map(String::as_str);
        own.or(stage.template.as_deref()).unwrap_or(seat.as_str())
    }

    /// Returns the number of options a topic must offer: one for each chair with an assigned
    /// position.
    pub fn count_needed_options(&self) -> usize {
        let seats_with_stance = self.seats.iter().filter(|seat| match seat.stance {
            Stance::Chosen => false,
            Stance::InOrder | Stance::Shuffled => true,
        });
        seats_with_stance.map(|seat| seat.count as usize).sum()
    }

    /// Returns the style of a stage.
    pub fn style_of(&self, stage: &Stage) -> Style {
        stage.style.unwrap_or(self.style)
    }

    /// Returns whether the seat's turns are measured one by one: judged safe or unsafe, or graded.
    /// Turns of other seats are context, also where a detector examines them.
    pub fn is_judged(&self, seat: &SeatId) -> bool {
        self.judging.iter().any(|judging| {
            let measures = match self.measures {
                MeasuredProperty::Safety => judging.has_judge(),
                MeasuredProperty::Correctness | MeasuredProperty::Quality => {
                    judging.grader.is_some()
                }
            };
            measures
                && judging.of == JudgedThing::Turn
                && judging.turns.iter().any(|turns| turns.seats.contains(seat))
        })
    }

    /// Returns whether any seat is shown lessons of long-term memory.
    pub fn shows_memory(&self) -> bool {
        self.seats_that_see_memory()
            .any(|seat| self.memory_share_of(seat) != MemoryShare::Nothing)
    }

    /// Returns the seats that are shown lessons, speakers and judges.
    fn seats_that_see_memory(&self) -> impl Iterator<Item = &SeatId> {
        let stages = self.stages.iter();
        let stages = stages.filter(|stage| stage.enabled && stage.sees.memory);
        let rules = self.judging.iter();
        let rules = rules.filter(|rule| rule.enabled && rule.sees.memory);
        let judges = rules.filter_map(|rule| rule.by.as_ref());
        stages.flat_map(|stage| &stage.seats).chain(judges)
    }

    /// Lets graders read by the current version: a game that is read from a journal keeps its own.
    fn grade_by_current_version(&mut self) {
        for rule in self.judging.iter_mut().filter(|rule| rule.grader.is_some()) {
            rule.grader_version = GraderVersion::CURRENT;
        }
    }

    /// Removes lessons that a setting turned off, and the seats that would write them: the game is then the one
    /// that it would be without.
    fn drop_disabled_feedback(&mut self) {
        let (kept, dropped): (Vec<_>, Vec<_>) = std::mem::take(&mut self.feedback)
            .into_iter()
            .partition(|lesson| lesson.enabled);
        self.feedback = kept;
        let writes =
            |lessons: &[Feedback], seat: &SeatId| lessons.iter().any(|one| one.by == *seat);
        let kept = &self.feedback;
        self.seats
            .retain(|seat| writes(kept, &seat.id) || !writes(&dropped, &seat.id));
    }

    /// Removes draws that a setting turned off.
    fn drop_empty_draws(&mut self) {
        for stage in &mut self.stages {
            stage.draw.retain(|_, list| list != NO_LIST);
        }
    }

    /// Returns the rule for the lesson of a learner; of none: the one that everybody is shown.
    pub fn find_feedback(&self, learner: Option<&SeatId>) -> Option<&Feedback> {
        self.feedback
            .iter()
            .find(|rule| rule.learner.as_ref() == learner)
    }

    /// Returns the seats that learn for themselves.
    pub fn learners(&self) -> impl Iterator<Item = &SeatId> {
        self.feedback
            .iter()
            .filter_map(|rule| rule.learner.as_ref())
    }

    /// Returns whether debates have a memory of a learner; of none: one that all seats share.
    pub fn has_memory_of(&self, learner: Option<&SeatId>) -> bool {
        let mut learners = self.learners();
        match learner {
            None => learners.next().is_none(),
            Some(seat) => learners.any(|learner| learner == seat),
        }
    }

    /// Returns which lessons a seat is shown in stages that see memory.
    pub fn memory_share_of(&self, seat: &SeatId) -> MemoryShare<'_> {
        let mut learners = self.learners();
        match learners.find(|learner| *learner == seat) {
            Some(learner) => MemoryShare::Own(learner),
            None => self.memory_share_of_others(),
        }
    }

    /// Returns which lessons those are shown that learn nothing for themselves, as judges.
    pub fn memory_share_of_others(&self) -> MemoryShare<'_> {
        match self.has_memory_of(None) {
            true => MemoryShare::Common,
            false => MemoryShare::Nothing,
        }
    }

    /// Returns whose lessons the game shows: each learner's apart, `None` for those that all seats share.
    pub fn shown_shares(&self) -> BTreeSet<Option<&SeatId>> {
        let seats = self.seats_that_see_memory();
        let shares = seats.filter_map(|seat| self.memory_share_of(seat).learner());
        shares.collect()
    }

    /// Keeps one of several judging rules of the same id: the enabled one, if any.
    fn drop_alternatives(&mut self) {
        let enabled_ids: BTreeSet<JudgingId> = self
            .judging
            .iter()
            .filter(|judging| judging.enabled)
            .map(|judging| judging.id.clone())
            .collect();
        let mut kept_ids = BTreeSet::new();
        self.judging.retain(|judging| {
            (judging.enabled || !enabled_ids.contains(&judging.id))
                && kept_ids.insert(judging.id.clone())
        });
    }
}
