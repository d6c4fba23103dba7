//! State of a debate: the fold over its events. Never stored; only the journal is kept.

pub(crate) mod apply;
pub(crate) mod apply_call;
pub(crate) mod apply_verdict;
mod fork_origin;
mod kept_views;
pub(crate) mod refusal;
pub(super) mod round_marks;
mod spend;
pub(crate) mod stopped;

pub use self::fork_origin::{ForkChange, ForkOrigin};
use self::kept_views::KeptViews;
pub use self::kept_views::ViewPlace;
pub use self::spend::Spend;
pub use self::stopped::{OpenCall, StoppedReply};
use super::event::{
    Author, CeilingKind, Created, Failed, FeedbackWritten, Fields, Outcome, Player, Reply,
    Retrieved, SwappedRewards,
};
use super::expense::Expense;
use super::guardrail_events::{Guarded, GuardrailWritten, GuardsRetrieved};
use super::ids::{AttemptId, Chair, JudgingId, SeatId, SessionId, TurnId};
use super::protocol::{Protocol, RetryRule};
use super::step::{StepId, Target, VerdictSlot};
use super::view::View;
use round_marks::RoundMarks;
use std::collections::{BTreeMap, BTreeSet};

/// The state of one debate: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub(super) created: Option<Box<Created>>,
    pub(super) forks: Vec<SessionId>,
    /// The id of this session where it is a fork that says it.
    pub(super) fork: Option<SessionId>,
    fork_origin: Option<ForkOrigin>,
    /// The turn whose text came last.
    last_spoken: Option<TurnId>,
    /// Index of this session among several samples of a changed prompt, from 0.
    pub(super) sample: u32,
    /// Earlier texts of changed templates, oldest change first.
    pub(super) replaced: Vec<ReplacedTemplates>,
    /// The last event was `Forked`.
    pub(super) just_forked: bool,
    pub(super) turns: BTreeMap<TurnId, TurnState>,
    pub(super) marks: RoundMarks,
    views: KeptViews,
    pub(super) verdicts: BTreeMap<JudgingId, BTreeMap<Target, VerdictsBySlot>>,
    /// By the seat that learns for itself, `None` for what all seats share.
    pub(super) retrieved: BTreeMap<Option<SeatId>, Retrieved>,
    pub(super) guards: Option<GuardsRetrieved>,
    pub(super) guarded: BTreeMap<Chair, GuardState>,
    /// The chair that is to write a guardrail from the lesson, in a sample of that.
    pub(super) guardrail_writer: Option<Chair>,
    pub(super) written_guardrail: Option<GuardrailWritten>,
    /// By learner, as the lessons that were retrieved.
    pub(super) feedback: BTreeMap<Option<SeatId>, FeedbackState>,
    /// Empty lessons that were requested once more, by learner.
    pub(super) empty_lessons: BTreeMap<Option<SeatId>, FeedbackWritten>,
    pub(super) swapped_rewards: Option<SwappedRewards>,
    /// Empty guardrail decisions that were requested once more.
    pub(super) empty_decisions: BTreeMap<Chair, Guarded>,
    pub(super) failures: BTreeMap<StepId, Failed>,
    pub(super) stopped: Vec<StoppedReply>,
    pub(super) truncated: Option<CeilingKind>,
    pub(super) spend: Spend,
    pub(super) started: BTreeMap<StepId, Started>,
    pub(super) events: u64,
    pub(super) first_at: String,
    pub(super) last_at: String,
}

/// Earlier texts of templates that were changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplacedTemplates {
    /// Time of the change (RFC 3339, UTC).
    pub at: String,
    /// The earlier texts of the changed templates, by name.
    pub texts: BTreeMap<String, String>,
}

/// A turn with all its attempts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnState {
    pub attempts: Vec<Attempt>,
    /// Index of the chosen attempt.
    pub chosen_index: usize,
    /// Number of replies sent back by each retry rule of the stage, by the rule's index.
    pub retries: BTreeMap<usize, u32>,
    /// The provider's filter refused: the debate continues without this turn.
    pub filtered: bool,
    /// Lowest number that the next re-roll may have: each re-roll has a number of its own.
    pub(super) rerolled: u32,
}

impl TurnState {
    /// Returns the chosen attempt.
    pub fn chosen_attempt(&self) -> Option<&Attempt> {
        self.attempts.get(self.chosen_index)
    }

    /// Returns the number of the next re-roll. No earlier call had it, so it draws a reply of its
    /// own.
    pub fn next_reroll(&self) -> u32 {
        let attempts = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX);
        self.rerolled.max(attempts)
    }
}

/// One text for a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub by: Author,
    pub at: String,
    pub reply: Reply,
    pub view: Option<ViewPlace>,
    pub fields: Option<Fields>,
    pub edited: bool,
    /// Copied from the session that this one was forked from.
    pub inherited: bool,
    /// Chosen or written by a person.
    pub by_person: bool,
    /// A person asked for it in place of a reply that was there.
    pub is_reroll: bool,
    /// The guardrail that refused the turn, if one did.
    pub guardrail: Option<String>,
    /// Number of template changes in its session before it: see [`State::template_after`].
    pub prompts: usize,
    /// The earlier reply that was sent back and is replaced by this one.
    pub instead_of: Option<SentBack>,
}

impl Attempt {
    /// Returns whether a person wrote it, chose it, or asked for it having seen another one: what it
    /// says is no draw of the model alone.
    pub fn is_persons_choice(&self) -> bool {
        self.by_person || self.is_reroll
    }
}

/// A reply that a retry rule sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentBack {
    /// Index of the rule in its stage.
    pub rule: usize,
    /// Index of the attempt.
    pub attempt: usize,
}

/// A verdict with the replies before it.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictState {
    pub by: Author,
    pub at: String,
    /// `None` when the provider's filter refused the judge's call.
    pub outcome: Option<Outcome>,
    pub view: Option<ViewPlace>,
    pub reply: Option<Reply>,
    pub inherited: bool,
    /// Earlier replies that could not be parsed, oldest first.
    pub earlier: Vec<VerdictState>,
}

/// Verdicts of a rule on one target. Boxed: most targets have one verdict, and a map node reserves
/// room for eleven.
pub type VerdictsBySlot = BTreeMap<VerdictSlot, Box<VerdictState>>;

/// The lesson of a debate.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackState {
    pub written: Option<FeedbackWritten>,
    pub at: String,
    pub inherited: bool,
}

/// Outcome of a chair's decision.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardState {
    pub at: String,
    /// The decision, or the failure of its call; after a failure the chair speaks.
    pub decided: Result<Guarded, Failed>,
    /// Copied from the session that this one was forked from.
    pub inherited: bool,
}

/// A call without a known outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Started {
    pub worst_case_usd: f64,
    /// Whether the model has prices.
    pub is_priced: bool,
    pub worst_case_tokens: u64,
    /// Index of its `CallStarted` among the session's events: a step may be asked several times.
    pub event: u64,
}

impl State {
    /// Returns the first event; `None` before it.
    pub fn first_event(&self) -> Option<&Created> {
        self.created.as_deref()
    }

    /// Returns the protocol; `None` before the first event.
    pub fn protocol(&self) -> Option<&Protocol> {
        self.first_event().map(|created| &created.protocol)
    }

    /// Returns what readers call a chair; its id before the first event.
    pub fn name_of(&self, chair: &Chair) -> String {
        match self.protocol() {
            Some(protocol) => protocol.name_of(chair),
            None => chair.to_string(),
        }
    }

    /// Returns the id that the session gives itself; `None` where it has not begun, and for forks of
    /// versions before 0.2.0.
    pub fn own_id(&self) -> Option<&SessionId> {
        match self.forks.is_empty() {
            true => Some(&self.first_event()?.session),
            false => self.fork.as_ref(),
        }
    }

    /// Returns the sessions this one was forked from, oldest first.
    pub fn forked_from(&self) -> &[SessionId] {
        &self.forks
    }

    /// Returns the index of this session among several samples of a changed prompt, from 0.
    pub fn sample_index(&self) -> u32 {
        self.sample
    }

    /// Returns the text of a template after a number of template changes; 0 gives its text at the
    /// beginning of the session.
    pub fn template_after(&self, changes: usize, name: &str) -> Option<&str> {
        let later = self.replaced.get(changes..).unwrap_or_default();
        let earlier_text = later.iter().find_map(|before| before.texts.get(name));
        let text = earlier_text.or_else(|| self.first_event()?.templates.get(name));
        text.map(String::as_str)
    }

    /// Returns the earlier texts of changed templates, oldest change first.
    pub fn replaced_templates(&self) -> &[ReplacedTemplates] {
        &self.replaced
    }

    /// Returns every turn that has at least one attempt or was refused by a filter.
    pub fn turns(&self) -> &BTreeMap<TurnId, TurnState> {
        &self.turns
    }

    /// Returns the chosen attempt of a turn.
    pub fn chosen_attempt(&self, turn: &TurnId) -> Option<(AttemptId, &Attempt)> {
        let state = self.turns.get(turn)?;
        let attempt = state.chosen_attempt()?;
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(state.chosen_index).unwrap_or(u32::MAX),
        };
        Some((id, attempt))
    }

    /// Returns the verdicts of a rule on a target, by the judge's chair and the order shown.
    pub fn verdicts_on(&self, judging: &JudgingId, target: &Target) -> Option<&VerdictsBySlot> {
        self.verdicts.get(judging)?.get(target)
    }

    /// Returns whether the provider's filter refused all verdicts of a rule on a target.
    pub fn is_verdict_filtered(&self, judging: &JudgingId, target: &Target) -> bool {
        let verdicts = self.verdicts_on(judging, target);
        verdicts.is_some_and(|by_slot| {
            !by_slot.is_empty() && by_slot.values().all(|verdict| verdict.outcome.is_none())
        })
    }

    /// Returns how many replies the provider's filter refused: turns, verdicts and lessons. What was copied from
    /// the session that this one was forked from is counted there.
    pub fn count_filtered(&self) -> u64 {
        let turns = self.turns.values().filter(|turn| turn.filtered).count();
        let verdicts = self.verdicts().flat_map(|(.., by_slot)| by_slot.values());
        let verdicts = verdicts.filter(|one| one.outcome.is_none() && !one.inherited);
        let lessons = self.feedback.values();
        let lessons = lessons.filter(|lesson| lesson.written.is_none() && !lesson.inherited);
        (turns + verdicts.count() + lessons.count()) as u64
    }

    /// Returns every verdict.
    pub fn verdicts(&self) -> impl Iterator<Item = (&JudgingId, &Target, &VerdictsBySlot)> {
        self.verdicts.iter().flat_map(|(judging, on)| {
            on.iter()
                .map(move |(target, by_slot)| (judging, target, by_slot))
        })
    }

    /// Returns what a seat was shown for an attempt or a verdict of this state.
    pub fn view_at(&self, place: ViewPlace) -> View {
        self.views.view_at(place)
    }

    /// Returns what was retrieved from long-term memory, once for each seat that learns for itself.
    pub fn retrievals(&self) -> impl Iterator<Item = &Retrieved> {
        self.retrieved.values()
    }

    /// Returns the entries retrieved from long-term memory that a seat is shown, once they were.
    pub fn retrieved_for(&self, seat: &SeatId) -> Option<&Retrieved> {
        let learner = self.protocol()?.memory_share_of(seat).learner()?;
        self.retrieved.get(&learner.cloned())
    }

    /// Returns the first lesson, once it was written.
    pub fn lesson(&self) -> Option<&FeedbackWritten> {
        self.lessons().next()
    }

    /// Returns the lessons that were written: that of each seat which learns for itself, or the one of all.
    pub fn lessons(&self) -> impl Iterator<Item = &FeedbackWritten> {
        let lessons = self.feedback.values();
        lessons.filter_map(|lesson| lesson.written.as_ref())
    }

    /// Returns the guardrail that was written from the lesson in this sample.
    pub fn written_guardrail(&self) -> Option<&GuardrailWritten> {
        self.written_guardrail.as_ref()
    }

    /// Puts the guardrail in its place that memory keeps of this debate, to be shown beside samples.
    pub fn put_derived_guardrail(&mut self, derived: GuardrailWritten) {
        self.written_guardrail = Some(derived);
    }

    /// Returns whether the provider's filter refused a lesson.
    pub fn is_lesson_filtered(&self) -> bool {
        let mut lessons = self.feedback.values();
        lessons.any(|lesson| lesson.written.is_none())
    }

    /// Returns whether lessons were copied from the session that this one was forked from.
    pub fn is_lesson_inherited(&self) -> bool {
        let mut lessons = self.feedback.values();
        lessons.any(|lesson| lesson.inherited)
    }

    /// Returns the steps that failed and were not done since.
    pub fn failures(&self) -> &BTreeMap<StepId, Failed> {
        &self.failures
    }

    /// Returns the calls without a known outcome.
    pub fn calls_without_outcome(&self) -> impl Iterator<Item = &StepId> {
        self.started.keys()
    }

    /// Returns the ceiling that ended the debate.
    pub fn reached_ceiling(&self) -> Option<CeilingKind> {
        self.truncated
    }

    /// Returns the cost of the session.
    pub fn spend(&self) -> Spend {
        self.spend
    }

    /// Returns the worst-case cost in US dollars: calls without a known outcome count at their
    /// worst case.
    pub fn committed_usd(&self) -> f64 {
        let running: f64 = self.started.values().map(|call| call.worst_case_usd).sum();
        self.spend.cost_usd + self.spend.in_doubt_usd + running
    }

    /// Returns the most calls that the session has made: those without a known outcome count.
    pub fn committed_calls(&self) -> u64 {
        self.spend.calls + self.spend.in_doubt_calls + self.started.len() as u64
    }

    /// Returns the worst-case use: calls without a known outcome at their worst case, and every try
    /// of a call as a call.
    pub fn committed_expense(&self) -> Expense {
        Expense {
            usd: self.committed_usd(),
            calls: (self.committed_calls()).saturating_add(self.spend.failed_tries),
            tokens: self.committed_tokens(),
        }
    }

    /// Returns the worst-case tokens: calls without a known outcome count at their worst case.
    pub fn committed_tokens(&self) -> u64 {
        let spend = &self.spend;
        let spent_tokens = [
            spend.input_tokens,
            spend.output_tokens,
            spend.in_doubt_tokens,
        ];
        let running = self.started.values().map(|call| call.worst_case_tokens);
        // The numbers come from files and servers: their sum must not overflow.
        spent_tokens
            .into_iter()
            .chain(running)
            .fold(0, u64::saturating_add)
    }

    /// Returns the last round that is played: by the protocol, or by the stop rule that held.
    pub fn last_round(&self) -> u32 {
        let rounds = self.protocol().map_or(0, |protocol| protocol.rounds);
        match self.find_stop_round() {
            Some(round) => round,
            None => rounds,
        }
    }

    /// Returns the number of events folded.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// Returns the times of the first and of the last event.
    pub fn time_span(&self) -> (&str, &str) {
        (&self.first_at, &self.last_at)
    }

    /// Returns whether a turn is complete: its text is not sent back by a rule, or its second reply
    /// was empty too, or the provider's filter refused it.
    pub fn is_settled(&self, turn: &TurnId) -> bool {
        self.turns.get(turn).is_some_and(|state| {
            state.filtered
                || (state.chosen_attempt().is_some()
                    && !state.asks_again()
                    && self.find_owed_rule(turn, state).is_none())
        })
    }

    /// Returns the index of the retry rule that sends the turn's reply back.
    fn owed_retry(&self, turn: &TurnId) -> Option<usize> {
        self.find_owed_rule(turn, self.turns.get(turn)?)
    }

    /// Returns the index of the retry rule that the next reply to a turn answers: the rule that
    /// sends a reply back, or the one that an empty reply was to answer.
    pub fn rule_to_answer(&self, turn: &TurnId) -> Option<usize> {
        let state = self.turns.get(turn)?;
        if state.asks_again() {
            return Some(state.chosen_attempt()?.instead_of?.rule);
        }
        self.find_owed_rule(turn, state)
    }

    /// Returns the reply that a retry rule sends back: the chosen one where it is still to be
    /// answered, else the one that the chosen one answered.
    pub fn find_sent_back_reply(
        &self,
        turn: &TurnId,
        rule: usize,
    ) -> Option<(AttemptId, &Attempt)> {
        let state = self.turns.get(turn)?;
        let attempt = state.chosen_attempt()?;
        let answered_reply = attempt.instead_of.filter(|sent| sent.rule == rule);
        let at = match (self.owed_retry(turn), answered_reply) {
            (None, Some(sent)) => sent.attempt,
            (Some(_), _) | (None, None) => state.chosen_index,
        };
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(at).unwrap_or(u32::MAX),
        };
        Some((id, state.attempts.get(at)?))
    }

    fn find_owed_rule(&self, turn: &TurnId, state: &TurnState) -> Option<usize> {
        let attempt = state.chosen_attempt()?;
        // Only structured replies are sent back.
        let fields = attempt.fields.as_ref()?;
        if attempt.by_person || state.asks_again() || state.stays_empty() {
            return None;
        }
        let first_event = self.first_event()?;
        if let Some(Player::Fixed(_)) = first_event.player_of(&turn.chair) {
            return None;
        }
        let stage = first_event.protocol.find_stage(&turn.stage)?;
        stage.retry.iter().enumerate().position(|(at, rule)| {
            let so_far = state.retries.get(&at).copied().unwrap_or(0);
            so_far < rule.at_most && sends_back(rule, fields)
        })
    }

    /// Returns the rewards of each seat, by the protocol's table and the verdicts so far. A chair
    /// with an answer that the grader could not compare has none: a part would be no reward.
    pub fn compute_rewards(&self) -> Vec<(Chair, f64)> {
        let Some(protocol) = self.protocol() else {
            return Vec::new();
        };
        let mut sums: BTreeMap<Chair, f64> = BTreeMap::new();
        let mut ungraded_chairs: BTreeSet<Chair> = BTreeSet::new();
        for (judging_id, target, _) in self.verdicts() {
            let (Some(table), Some(judging)) = (
                protocol.rewards.get(judging_id),
                protocol.find_judging(judging_id),
            ) else {
                continue;
            };
            if !self.is_current(target) || self.is_empty_target(target) {
                continue;
            }
            let finding = match self.combined_outcome(judging, target) {
                Some(Outcome::Label(finding)) => finding,
                Some(Outcome::Unparsed { .. }) if judging.grader.is_some() => {
                    let seats = table.values().flat_map(BTreeMap::keys);
                    ungraded_chairs
                        .extend(seats.flat_map(|seat| paid_chairs(protocol, seat, target)));
                    continue;
                }
                Some(Outcome::Unparsed { .. }) | None => continue,
            };
            let Some(seats) = table.get(&finding.label) else {
                continue;
            };
            for (seat, reward) in seats {
                for chair in paid_chairs(protocol, seat, target) {
                    *sums.entry(chair).or_default() += reward;
                }
            }
        }
        sums.retain(|chair, _| !ungraded_chairs.contains(chair));
        sums.into_iter().collect()
    }
}

/// Returns the chairs of a seat that a verdict pays: one on a turn pays of that turn's seat its chair
/// alone.
fn paid_chairs(protocol: &Protocol, seat: &SeatId, target: &Target) -> Vec<Chair> {
    let chairs = protocol.find_seat(seat).map_or(0, |seat| seat.count);
    let all = (0..chairs).map(|index| Chair {
        seat: seat.clone(),
        index,
    });
    match target {
        Target::Attempt(attempt) if attempt.turn.chair.seat == *seat => {
            all.filter(|chair| *chair == attempt.turn.chair).collect()
        }
        Target::Attempt(_) | Target::Round(_) | Target::Debate => all.collect(),
    }
}

fn sends_back(rule: &RetryRule, fields: &Fields) -> bool {
    match fields {
        Fields::Unparsed { .. } => rule.unparsed,
        Fields::Read(fields) => rule
            .field
            .as_ref()
            .zip(rule.below)
            .and_then(|(path, below)| Some(field_at_path(fields, path)?.as_f64()? < below))
            .unwrap_or(false),
    }
}

/// Returns the value at a dotted path of a JSON object.
pub fn field_at_path<'a>(
    fields: &'a serde_json::Value,
    path: &str,
) -> Option<&'a serde_json::Value> {
    path.split('.').try_fold(fields, |at, key| at.get(key))
}
