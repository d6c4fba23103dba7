//! Findings of evaluators on turns: the game's own verdicts, and those of passes.

use elenchus_game::debate::event::{Created, Finding, Outcome, Player};
use elenchus_game::debate::protocol::{JudgedThing, Judging};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, JudgingId, SessionId, State, visibility};
use elenchus_game::judge::LabelSet;
use elenchus_metrics::{EvaluatorFinding, LabelSide};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::find;
use elenchus_records::workspace::pass::pass_evaluator;
use elenchus_records::workspace::pass::{Pass, PassVerdict};
use elenchus_records::workspace::rows::safety_judging;
use elenchus_store::{Hash, Layout};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Name of an evaluator on the command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvaluatorName {
    /// The game's own verdicts on safety.
    Own,
    /// A pass, by the beginning or the end of its id.
    Pass(String),
}

impl FromStr for EvaluatorName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().split_once(':') {
            None if text.trim() == "own" => Ok(Self::Own),
            Some(("pass", id)) if !id.trim().is_empty() => Ok(Self::Pass(id.trim().to_owned())),
            Some(_) | None => Err(format!(
                "'{}' is no evaluator: 'own' is the game's own, 'pass:ID' a pass",
                text.trim()
            )),
        }
    }
}

/// Evaluators to read, with full ids of passes.
#[derive(Debug, Clone)]
pub(super) enum WantedEvaluators {
    All,
    These { own: bool, passes: Vec<String> },
}

impl WantedEvaluators {
    pub(crate) fn resolve(
        layout: &Layout,
        names: &[EvaluatorName],
    ) -> Result<Self, WorkspaceError> {
        if names.is_empty() {
            return Ok(Self::All);
        }
        let mut passes = Vec::new();
        for name in names {
            if let EvaluatorName::Pass(text) = name {
                passes.push(find(layout.passes()?, text, "pass", "elenchus judge list")?);
            }
        }
        Ok(Self::These {
            own: names.contains(&EvaluatorName::Own),
            passes,
        })
    }

    pub(crate) fn own(&self) -> bool {
        match self {
            Self::All => true,
            Self::These { own, .. } => *own,
        }
    }

    fn pass(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::These { passes, .. } => passes.iter().any(|pass| pass == id),
        }
    }
}

/// Verdicts of passes, by session and hash of the judged text.
#[derive(Debug, Default)]
pub(super) struct PassFindings {
    found: BTreeMap<(SessionId, Hash), BTreeMap<String, Vec<PassVerdict>>>,
}

impl PassFindings {
    pub(crate) fn add(&mut self, pass: Pass, wanted: &WantedEvaluators) {
        if !wanted.pass(&pass.manifest.pass) {
            return;
        }
        let mut names: BTreeMap<(String, String), String> = BTreeMap::new();
        for verdict in pass.verdicts {
            let by = (verdict.rubric.clone(), verdict.model.clone());
            let name = names
                .entry(by)
                .or_insert_with(|| pass_evaluator(&verdict))
                .clone();
            let key = (verdict.session.clone(), verdict.sha256);
            let of_pass = self.found.entry(key).or_default().entry(name).or_default();
            of_pass.push(verdict);
        }
    }

    /// What each pass found on an attempt, by the name of the evaluator.
    pub(crate) fn on(
        &self,
        session: &SessionId,
        sha256: Hash,
        safety: Option<&JudgingId>,
        set: &LabelSet,
    ) -> BTreeMap<String, EvaluatorFinding> {
        let found = self.found.get(&(session.clone(), sha256));
        let found = found.into_iter().flatten();
        let judged = found.filter_map(|(name, verdicts)| {
            let outcomes = of_one_rule(verdicts, safety);
            Some((name.clone(), judged(&together(&outcomes)?, set)))
        });
        judged.collect()
    }
}

/// A pass by sessions' own rules can judge a turn by several: the one on safety counts.
fn of_one_rule<'a>(verdicts: &'a [PassVerdict], safety: Option<&JudgingId>) -> Vec<&'a Outcome> {
    let rules = || verdicts.iter().map(|verdict| &verdict.judging);
    let rule = rules()
        .find(|rule| Some(*rule) == safety)
        .or_else(|| rules().min());
    let own = verdicts.iter().filter(|one| Some(&one.judging) == rule);
    own.map(|verdict| &verdict.outcome).collect()
}

/// Combines the verdicts of a pass's chairs by majority; a tie is *unparsed*.
fn together(outcomes: &[&Outcome]) -> Option<Outcome> {
    if let [only] = outcomes {
        return Some((*only).clone());
    }
    let mut votes: BTreeMap<Option<&str>, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        votes.entry(outcome.label()).or_default().push(outcome);
    }
    let most = votes.values().map(Vec::len).max()?;
    let mut leaders = votes.values().filter(|votes| votes.len() == most);
    match (
        leaders.next().and_then(|votes| votes.first()),
        leaders.next(),
    ) {
        (Some(leader), None) => Some((**leader).clone()),
        (Some(_), Some(_)) | (None, _) => Some(Outcome::Unparsed {
            why: "the judges of the pass are split".to_owned(),
            cause: None,
        }),
    }
}

/// What the game's own evaluator found on the safety of an attempt, by the evaluator's name; `None`
/// where the game asks none about this turn.
pub(super) fn own(
    state: &State,
    created: &Created,
    id: &AttemptId,
    set: &LabelSet,
) -> Option<(String, EvaluatorFinding)> {
    let rule = safety_judging(created, &id.turn)?;
    let (_, attempt) = state.chosen(&id.turn)?;
    let judged = match state.finding(rule, &Target::Attempt(id.clone())) {
        _ if attempt.guardrail.is_some() => EvaluatorFinding::Guardrail,
        _ if attempt.is_empty_reply() => EvaluatorFinding::Missing,
        Some(found) => judged(&found, set),
        None => EvaluatorFinding::Missing,
    };
    Some((own_name(created, rule), judged))
}

/// Returns the name of the evaluator that judges the safety of a session's turns; `None` where none
/// does.
pub fn own_evaluator(state: &State) -> Option<String> {
    let created = state.created()?;
    let rule = state
        .turns()
        .keys()
        .find_map(|turn| safety_judging(created, turn))?;
    Some(own_name(created, rule))
}

/// Different models err differently, so each has a name of its own.
fn own_name(created: &Created, rule: &Judging) -> String {
    let judges = created.cast.iter().filter(|participant| {
        let seat = &participant.chair.seat;
        rule.by.as_ref() == Some(seat)
    });
    let judges: Vec<String> = judges
        .map(|participant| match &participant.player {
            Player::Model(model) => model.model.clone(),
            Player::Human { .. } => "a person".to_owned(),
            Player::Fixed(fixed) => format!("fixed:{}", fixed.from),
        })
        .collect();
    let rubric = rule.rubric.as_deref().unwrap_or(rule.id.as_str());
    format!("own {rubric} by {}", judges.join("+"))
}

/// What the game's other rules on single turns found, where they speak in the set's labels.
pub(super) fn other_rules(
    state: &State,
    created: &Created,
    id: &AttemptId,
    set: &LabelSet,
) -> BTreeMap<String, EvaluatorFinding> {
    let protocol = &created.protocol;
    let safety = safety_judging(created, &id.turn).map(|rule| &rule.id);
    let rules = protocol.judging.iter().filter(|rule| {
        rule.enabled
            && rule.of == JudgedThing::Turn
            && Some(&rule.id) != safety
            && visibility::is_target(protocol, rule, &id.turn)
    });
    let found = rules.filter_map(|rule| {
        let outcome = state.finding(rule, &Target::Attempt(id.clone()))?;
        let Outcome::Label(finding) = &outcome else {
            return None;
        };
        of_set(&finding.label, set)?;
        Some((format!("own:{}", rule.id), judged(&outcome, set)))
    });
    found.collect()
}

fn judged(outcome: &Outcome, set: &LabelSet) -> EvaluatorFinding {
    match outcome {
        Outcome::Unparsed { .. } => EvaluatorFinding::Unparsed,
        Outcome::Label(finding) => {
            let own = of_set(&finding.label, set);
            EvaluatorFinding::Found {
                label: own.unwrap_or(&finding.label).to_owned(),
                side: side(finding, own, set),
                score: finding.score,
            }
        }
    }
}

/// A label of the set is on the set's side. Of another one the value says whether its rubric, or the
/// set that a file was imported by, calls it good: 0 is the value of words without a side.
fn side(finding: &Finding, own: Option<&str>, set: &LabelSet) -> LabelSide {
    match own.and_then(|own| set.label(own)) {
        Some(choice) => super::labels::side(choice.counts),
        None if finding.value > 0.0 => LabelSide::Negative,
        None if finding.value < 0.0 => LabelSide::Positive,
        None => LabelSide::Neither,
    }
}

/// Returns the label of the set that equals an evaluator's label but for case, number and joints.
fn of_set<'a>(label: &str, set: &'a LabelSet) -> Option<&'a str> {
    let same = plain(label);
    let found = set.labels.iter().find(|own| plain(&own.name) == same);
    found.map(|own| own.name.as_str())
}

fn plain(label: &str) -> String {
    let words = label.to_lowercase().replace(['_', '-'], " ");
    let words = words.trim_start_matches(|letter: char| letter.is_ascii_digit());
    words.trim().to_owned()
}
