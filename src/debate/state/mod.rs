//! What is known after some events. Everything here is derived; the journal alone is kept.

use super::event::{
    Author, CeilingKind, Created, Failed, FeedbackWritten, Fields, Outcome, Player, Reply,
    Retrieved,
};
use super::expense::Expense;
use super::guarded::{Guarded, GuardsRetrieved};
use super::guarding::GuardState;
use super::ids::{AttemptId, Chair, JudgingId, SessionId, TurnId};
use super::protocol::{Protocol, RetryRule};
use super::step::{Slot, StepId, Target};
use super::view::View;
use std::collections::BTreeMap;

/// The state of one debate: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub(super) created: Option<Box<Created>>,
    pub(super) forks: Vec<SessionId>,
    /// Which of several samples of a changed prompt this session is, from 0.
    pub(super) sample: u32,
    /// What templates said before each change of them, oldest change first.
    pub(super) replaced: Vec<ReplacedTemplates>,
    /// Whether the last event was `Forked`.
    pub(super) just_forked: bool,
    pub(super) turns: BTreeMap<TurnId, TurnState>,
    /// Every turn of the rounds up to this one is settled.
    pub(super) settled_rounds: u32,
    pub(super) verdicts: BTreeMap<JudgingId, BTreeMap<Target, BySlot>>,
    pub(super) retrieved: Option<Retrieved>,
    pub(super) guards: Option<GuardsRetrieved>,
    pub(super) guarded: BTreeMap<Chair, GuardState>,
    pub(super) feedback: Option<FeedbackState>,
    /// An empty lesson, after which it was asked for once more.
    pub(super) empty_lesson: Option<FeedbackWritten>,
    /// Empty decisions about guardrails, after which their chairs were asked once more.
    pub(super) empty_decisions: BTreeMap<Chair, Guarded>,
    pub(super) failures: BTreeMap<StepId, Failed>,
    pub(super) truncated: Option<CeilingKind>,
    pub(super) spend: Spend,
    pub(super) started: BTreeMap<StepId, Started>,
    pub(super) events: u64,
    pub(super) first_at: String,
    pub(super) last_at: String,
}

/// What templates said before a change of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplacedTemplates {
    /// When they were changed (RFC 3339, UTC).
    pub at: String,
    /// The earlier texts of the changed templates, by name.
    pub texts: BTreeMap<String, String>,
}

/// A turn with all its attempts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnState {
    pub attempts: Vec<Attempt>,
    /// The attempt that counts.
    pub chosen: usize,
    /// How often each retry rule of the stage has sent a reply back, by the rule's place.
    pub retries: BTreeMap<usize, u32>,
    /// The provider's filter refused: the debate goes on without this turn.
    pub filtered: bool,
    /// The number that the next call for a fresh attempt may have, at least: each has its own.
    pub(super) rerolled: u32,
}

impl TurnState {
    /// Returns the attempt that counts.
    pub fn chosen(&self) -> Option<&Attempt> {
        self.attempts.get(self.chosen)
    }

    /// Returns the number of the next call for a fresh attempt: no call before had it, so it draws
    /// a reply of its own.
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
    pub view: Option<View>,
    pub fields: Option<Fields>,
    pub edited: bool,
    /// Copied from the session that this one was forked from.
    pub inherited: bool,
    /// Chosen or written by a person.
    pub by_person: bool,
    /// The guardrail that refused the turn, where one did.
    pub guardrail: Option<String>,
    /// How often templates had changed in its session when it came: see [`State::template_after`].
    pub prompts: usize,
    /// The reply before it that was sent back, where this one came instead.
    pub instead_of: Option<SentBack>,
}

/// A reply that a retry rule sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentBack {
    /// The rule's place in its stage.
    pub rule: usize,
    /// The number of the attempt.
    pub attempt: usize,
}

/// A verdict as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictState {
    pub by: Author,
    pub at: String,
    /// `None` when the provider's filter refused the judge's call.
    pub outcome: Option<Outcome>,
    pub view: Option<View>,
    pub reply: Option<Reply>,
    pub inherited: bool,
    /// Replies before this one that could not be read, oldest first.
    pub earlier: Vec<VerdictState>,
}

/// What a rule found on one target: most have one verdict, so a map with room for eleven of them in
/// place would be empty space.
pub type BySlot = BTreeMap<Slot, Box<VerdictState>>;

/// The lesson of a debate.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackState {
    pub written: Option<FeedbackWritten>,
    pub at: String,
    pub inherited: bool,
}

/// What a session has cost. A fork counts its own part only.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spend {
    /// Replies that came back from a model.
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_usd: f64,
    /// Calls of models without prices; with any of these `cost_usd` is a lower bound.
    pub unpriced_calls: u64,
    /// What interrupted or failed calls may have cost at most.
    pub in_doubt_usd: f64,
    /// Calls that were interrupted, or failed after the server may have worked.
    pub in_doubt_calls: u64,
    /// What those calls may have used at most, with tries that failed after the server may have
    /// worked.
    pub in_doubt_tokens: u64,
    /// Tries that reached a server and failed, and are not among the calls in doubt.
    pub failed_tries: u64,
    pub retries: u64,
    pub failures: u64,
}

/// A call whose outcome is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Started {
    pub worst_case_usd: f64,
    pub worst_case_tokens: u64,
}

impl State {
    /// Returns how the session began; `None` before the first event.
    pub fn created(&self) -> Option<&Created> {
        self.created.as_deref()
    }

    /// Returns the game; `None` before the first event.
    pub fn protocol(&self) -> Option<&Protocol> {
        self.created().map(|created| &created.protocol)
    }

    /// Returns the sessions this one was forked from, oldest first.
    pub fn forked_from(&self) -> &[SessionId] {
        &self.forks
    }

    /// Returns which of several samples of a changed prompt this session is, from 0.
    pub fn sample(&self) -> u32 {
        self.sample
    }

    /// Returns what a template said after so many changes of templates; before any of them it said
    /// what the session was begun with.
    pub fn template_after(&self, changes: usize, name: &str) -> Option<&str> {
        let later = self.replaced.get(changes..).unwrap_or_default();
        let replaced = later.iter().find_map(|before| before.texts.get(name));
        let text = replaced.or_else(|| self.created()?.templates.get(name));
        text.map(String::as_str)
    }

    /// Returns what templates said before each change of them, oldest change first.
    pub fn replaced_templates(&self) -> &[ReplacedTemplates] {
        &self.replaced
    }

    /// Returns every turn that has at least one attempt or was refused by a filter.
    pub fn turns(&self) -> &BTreeMap<TurnId, TurnState> {
        &self.turns
    }

    /// Returns the attempt of a turn that counts.
    pub fn chosen(&self, turn: &TurnId) -> Option<(AttemptId, &Attempt)> {
        let state = self.turns.get(turn)?;
        let attempt = state.chosen()?;
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(state.chosen).unwrap_or(u32::MAX),
        };
        Some((id, attempt))
    }

    /// Returns the verdicts of a rule on a target, by the judge's chair and the order shown.
    pub fn verdicts_on(&self, judging: &JudgingId, target: &Target) -> Option<&BySlot> {
        self.verdicts.get(judging)?.get(target)
    }

    /// Returns every verdict.
    pub fn verdicts(&self) -> impl Iterator<Item = (&JudgingId, &Target, &BySlot)> {
        self.verdicts.iter().flat_map(|(judging, on)| {
            on.iter()
                .map(move |(target, by_slot)| (judging, target, by_slot))
        })
    }

    /// Returns what long-term memory gave, once it was asked.
    pub fn retrieved(&self) -> Option<&Retrieved> {
        self.retrieved.as_ref()
    }

    /// Returns the lesson, once it was written.
    pub fn feedback(&self) -> Option<&FeedbackWritten> {
        self.feedback.as_ref()?.written.as_ref()
    }

    /// Says whether the lesson was copied from the session that this one was forked from.
    pub fn lesson_is_inherited(&self) -> bool {
        let lesson = self.feedback.as_ref();
        lesson.is_some_and(|lesson| lesson.inherited)
    }

    /// Returns steps that failed and were not done since.
    pub fn failures(&self) -> &BTreeMap<StepId, Failed> {
        &self.failures
    }

    /// Returns the calls that were sent and whose outcome is not known.
    pub fn calls_without_outcome(&self) -> impl Iterator<Item = &StepId> {
        self.started.keys()
    }

    /// Returns the ceiling that ended the debate.
    pub fn truncated(&self) -> Option<CeilingKind> {
        self.truncated
    }

    /// Returns what the session has cost.
    pub fn spend(&self) -> Spend {
        self.spend
    }

    /// Returns the most the session may have cost: calls without a known outcome at their worst.
    pub fn committed_usd(&self) -> f64 {
        let running: f64 = self.started.values().map(|call| call.worst_case_usd).sum();
        self.spend.cost_usd + self.spend.in_doubt_usd + running
    }

    /// Returns how many calls the session has made at most: those without a known outcome count.
    pub fn committed_calls(&self) -> u64 {
        self.spend.calls + self.spend.in_doubt_calls + self.started.len() as u64
    }

    /// Returns the most that the session has used up: calls without a known outcome at their worst,
    /// and every try of a call as one.
    pub fn committed(&self) -> Expense {
        Expense {
            usd: self.committed_usd(),
            calls: (self.committed_calls()).saturating_add(self.spend.failed_tries),
            tokens: self.committed_tokens(),
        }
    }

    /// Returns the most tokens the session may have used: calls without a known outcome at their
    /// worst.
    pub fn committed_tokens(&self) -> u64 {
        let spend = &self.spend;
        let known = [
            spend.input_tokens,
            spend.output_tokens,
            spend.in_doubt_tokens,
        ];
        let running = self.started.values().map(|call| call.worst_case_tokens);
        // The numbers come from files and servers: a sum of them must not overflow.
        known
            .into_iter()
            .chain(running)
            .fold(0, u64::saturating_add)
    }

    /// Returns the last round that is played: by the protocol, or by the stop rule that held.
    pub fn last_round(&self) -> u32 {
        let rounds = self.protocol().map_or(0, |protocol| protocol.rounds);
        match self.stopped_after() {
            Some(round) => round,
            None => rounds,
        }
    }

    /// Returns how many events were folded.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the times of the first and of the last event.
    pub fn span(&self) -> (&str, &str) {
        (&self.first_at, &self.last_at)
    }

    /// Says whether a turn needs nothing more: a text that no rule sends back, a second empty reply,
    /// or a filter's no.
    pub fn is_settled(&self, turn: &TurnId) -> bool {
        self.turns.get(turn).is_some_and(|state| {
            state.filtered
                || (state.chosen().is_some()
                    && !state.asks_again()
                    && self.owed_by(turn, state).is_none())
        })
    }

    /// Counts the settled rounds again after something happened to a turn: without the count, every
    /// reply would ask after all turns before it.
    pub(super) fn count_settled(&mut self, turn: &TurnId) {
        let Some(protocol) = self.protocol() else {
            return;
        };
        let mut settled = self.settled_rounds.min(turn.round.saturating_sub(1));
        while settled < protocol.rounds {
            let turns = protocol.turns_in(settled + 1);
            if !turns.iter().all(|turn| self.is_settled(turn)) {
                break;
            }
            settled += 1;
        }
        self.settled_rounds = settled;
    }

    /// Returns the retry rule that sends the turn's reply back, if one does.
    pub fn owed_retry(&self, turn: &TurnId) -> Option<usize> {
        self.owed_by(turn, self.turns.get(turn)?)
    }

    /// Returns the retry rule that the next reply to a turn answers: the one that sends a reply back,
    /// or the one that an empty reply was to answer.
    pub fn rule_to_answer(&self, turn: &TurnId) -> Option<usize> {
        let state = self.turns.get(turn)?;
        if state.asks_again() {
            return Some(state.chosen()?.instead_of?.rule);
        }
        self.owed_by(turn, state)
    }

    /// Returns the reply that a retry rule sends back: the one that counts where that is still to be
    /// answered, else the one that was answered by what counts now.
    pub fn sent_back(&self, turn: &TurnId, rule: usize) -> Option<(AttemptId, &Attempt)> {
        let state = self.turns.get(turn)?;
        let chosen = state.chosen()?;
        let answered = chosen.instead_of.filter(|sent| sent.rule == rule);
        let at = match (self.owed_retry(turn), answered) {
            (None, Some(sent)) => sent.attempt,
            (Some(_), _) | (None, None) => state.chosen,
        };
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(at).unwrap_or(u32::MAX),
        };
        Some((id, state.attempts.get(at)?))
    }

    fn owed_by(&self, turn: &TurnId, state: &TurnState) -> Option<usize> {
        let attempt = state.chosen()?;
        // Only structured replies are sent back.
        let fields = attempt.fields.as_ref()?;
        if attempt.by_person || state.asks_again() || state.stays_empty() {
            return None;
        }
        let created = self.created()?;
        if let Some(Player::Fixed(_)) = created.player(&turn.chair) {
            return None;
        }
        let stage = created.protocol.stage(&turn.stage)?;
        stage.retry.iter().enumerate().position(|(at, rule)| {
            let so_far = state.retries.get(&at).copied().unwrap_or(0);
            so_far < rule.at_most && sends_back(rule, fields)
        })
    }

    /// Returns the rewards of each seat, by the protocol's table and the verdicts so far.
    pub fn rewards(&self) -> Vec<(Chair, f64)> {
        let Some(protocol) = self.protocol() else {
            return Vec::new();
        };
        let mut sums: BTreeMap<Chair, f64> = BTreeMap::new();
        for (judging_id, target, _) in self.verdicts() {
            let (Some(table), Some(judging)) = (
                protocol.rewards.get(judging_id),
                protocol.judging(judging_id),
            ) else {
                continue;
            };
            if !self.is_current(target) || self.is_empty_target(target) {
                continue;
            }
            let Some(Outcome::Label(finding)) = self.finding(judging, target) else {
                continue;
            };
            let Some(seats) = table.get(&finding.label) else {
                continue;
            };
            for (seat, reward) in seats {
                let chairs = protocol.seat(seat).map_or(0, |seat| seat.count);
                for index in 0..chairs {
                    // A verdict on one turn rewards that turn's chair alone.
                    let concerned = match target {
                        Target::Attempt(attempt) => {
                            attempt.turn.chair.seat != *seat || attempt.turn.chair.index == index
                        }
                        Target::Round(_) | Target::Debate => true,
                    };
                    if concerned {
                        let chair = Chair {
                            seat: seat.clone(),
                            index,
                        };
                        *sums.entry(chair).or_default() += reward;
                    }
                }
            }
        }
        sums.into_iter().collect()
    }
}

fn sends_back(rule: &RetryRule, fields: &Fields) -> bool {
    match fields {
        Fields::Unparsed { .. } => rule.unparsed,
        Fields::Read(fields) => rule
            .field
            .as_ref()
            .zip(rule.below)
            .and_then(|(path, below)| Some(field(fields, path)?.as_f64()? < below))
            .unwrap_or(false),
    }
}

/// Returns the value at a dotted path of a JSON object.
pub fn field<'a>(fields: &'a serde_json::Value, path: &str) -> Option<&'a serde_json::Value> {
    path.split('.').try_fold(fields, |at, key| at.get(key))
}
