//! Place of a recorded verdict: how it is named, what was found there, and what it should have been.

use super::context::{format_first, is_called};
use elenchus_game::debate::event::{Outcome, Reply};
use elenchus_game::debate::protocol::{Judging, Orders};
use elenchus_game::debate::view::View;
use elenchus_game::debate::{AttemptId, JudgingId, State, Target};
use elenchus_game::prompt::expand_view;
use elenchus_records::workspace::rows::find_decided_proposal;
use elenchus_records::workspace::{Result, reject};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The rule whose verdict decides a round or a debate: it says whether the graded answer stands.
const DECISION: &str = "decision";

/// What a verdict is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictPlace {
    pub judging: JudgingId,
    pub target: Target,
}

impl fmt::Display for VerdictPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Target::Attempt(id) => write!(f, "{}/{}", self.judging, id.turn),
            target @ (Target::Round(_) | Target::Debate) => write!(f, "{}/{target}", self.judging),
        }
    }
}

impl VerdictPlace {
    /// Returns its rule in a debate.
    pub fn find_rule<'s>(&self, state: &'s State) -> Option<&'s Judging> {
        state.protocol()?.find_judging(&self.judging)
    }

    /// Returns what was found there; `None` where a finding is missing.
    pub(crate) fn find_outcome(&self, state: &State) -> Option<Outcome> {
        state.combined_outcome(self.find_rule(state)?, &self.target)
    }

    /// Returns what judges replied in a session itself, and no parent has.
    pub(super) fn list_own_replies<'s>(&self, state: &'s State) -> Vec<&'s Reply> {
        let verdicts = state.verdicts_on(&self.judging, &self.target);
        let verdicts = verdicts.into_iter().flat_map(|all| all.values());
        let own = verdicts.filter(|verdict| !verdict.inherited);
        own.filter_map(|verdict| verdict.reply.as_ref()).collect()
    }

    /// Returns what judges replied, whichever session they were asked in.
    pub(super) fn list_replies<'s>(&self, state: &'s State) -> Vec<&'s Reply> {
        let verdicts = state.verdicts_on(&self.judging, &self.target);
        let verdicts = verdicts.into_iter().flat_map(|all| all.values());
        verdicts
            .filter_map(|verdict| verdict.reply.as_ref())
            .collect()
    }

    /// Returns the proposal that it is a decision about; `None` where it is none.
    pub(crate) fn find_decided_proposal(&self, state: &State) -> Option<AttemptId> {
        let decision = state.protocol()?.find_decision_rule()?;
        let is_decision = decision.id == self.judging && self.target == Target::Debate;
        let proposal = is_decision
            .then(|| find_decided_proposal(state))
            .flatten()?;
        Some(state.chosen_attempt(&proposal)?.0)
    }

    /// Returns what the first judge was shown, with the text of every part.
    pub(super) fn find_view(&self, state: &State) -> Option<View> {
        let mut verdicts = state.verdicts_on(&self.judging, &self.target)?.values();
        let view = verdicts.find_map(|verdict| verdict.view)?;
        Some(expand_view(state, None, state.view_at(view)))
    }

    /// Says what a grader found of what the verdict is about: the same attempt, or for a decision the last
    /// answer that was graded; `None` where no grader decided.
    pub(crate) fn find_truth(&self, state: &State) -> Option<bool> {
        let rule = self.find_rule(state)?;
        let protocol = state.protocol()?;
        let rules = protocol.judging.iter();
        let graders = rules.filter(|rule| rule.enabled && rule.grader.is_some());
        let last_round = match &self.target {
            Target::Attempt(_) => {
                let mut graders = graders;
                return graders.find_map(|grader| read_side(state, grader, &self.target));
            }
            _ if self.judging.as_str() != DECISION || rule.orders == Orders::Both => return None,
            Target::Round(round) => *round,
            Target::Debate => state.last_round(),
        };
        let place = |id: &AttemptId| (id.turn.round, protocol.stage_place(&id.turn.stage));
        let graded = graders.flat_map(|grader| {
            let targets = state.targets_of(grader).into_iter();
            targets.filter_map(move |target| match &target {
                Target::Attempt(id) if id.turn.round <= last_round => {
                    Some((place(id), read_side(state, grader, &target)))
                }
                Target::Attempt(_) | Target::Round(_) | Target::Debate => None,
            })
        });
        graded.max_by_key(|(place, _)| *place)?.1
    }
}

/// Says which side a finding is on; `None` where there is none, or it is in the middle.
fn read_side(state: &State, rule: &Judging, target: &Target) -> Option<bool> {
    side_of(state.combined_outcome(rule, target)?)
}

/// Says whether an outcome is good; `None` where it cannot be read, or is neither good nor bad.
pub(crate) fn side_of(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => Some(true),
        Outcome::Label(finding) if finding.value < 0.0 => Some(false),
        Outcome::Label(_) | Outcome::Unparsed { .. } => None,
    }
}

/// How many verdicts a message names.
const MAX_LISTED: usize = 12;

/// Lists what models judged in a session, in the order of its rules.
pub fn list_verdict_places(state: &State) -> Vec<VerdictPlace> {
    let rules = state.protocol().map(|protocol| &protocol.judging);
    let rules = rules.into_iter().flatten();
    let rules = rules.filter(|rule| rule.enabled && rule.has_judge());
    let places = rules.flat_map(|rule| {
        let targets = state.targets_of(rule).into_iter();
        let judged = targets.filter(|target| state.verdicts_on(&rule.id, target).is_some());
        judged.map(|target| VerdictPlace {
            judging: rule.id.clone(),
            target,
        })
    });
    places.collect()
}

/// Finds a verdict by its name: the rule, and where it judged several things one of them, as in
/// `safety/r1.answer.debater-0`; `None` where no rule of the session is called so.
///
/// # Errors
/// When the rule judged nothing or several things, or nothing of that name; names some.
pub(super) fn find_verdict(state: &State, text: &str) -> Result<Option<VerdictPlace>> {
    let (rule, target) = match text.split_once('/') {
        Some((rule, target)) => (rule, Some(target)),
        None => (text, None),
    };
    let Some(protocol) = state.protocol() else {
        return Ok(None);
    };
    let is_rule = |judging: &&Judging| judging.id.as_str() == rule;
    if protocol.judging.iter().find(is_rule).is_none() {
        return Ok(None);
    }
    let mut places = list_verdict_places(state);
    places.retain(|place| place.judging.as_str() == rule);
    let is_meant = |place: &VerdictPlace| match (&place.target, target) {
        (_, None) => true,
        (Target::Attempt(id), Some(target)) => is_called(&id.turn, target),
        (of @ (Target::Round(_) | Target::Debate), Some(target)) => of.to_string() == target,
    };
    let hits: Vec<&VerdictPlace> = places.iter().filter(|place| is_meant(place)).collect();
    match hits.as_slice() {
        [one] => Ok(Some((*one).clone())),
        [] if places.is_empty() => reject(format!(
            "no model gave a verdict by '{rule}' in this session: nothing can be asked again"
        )),
        [] => reject(format!(
            "there is no verdict '{text}'; there are {}",
            format_places(&places.iter().collect::<Vec<_>>())
        )),
        several => reject(format!(
            "'{text}' means several verdicts: {}",
            format_places(several)
        )),
    }
}

fn format_places(places: &[&VerdictPlace]) -> String {
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    format_first(&names, MAX_LISTED)
}
