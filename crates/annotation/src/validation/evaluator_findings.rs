//! Findings of evaluators on turns: the game's own verdicts, and those of passes.

use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::{JudgingId, SessionId};
use elenchus_game::judge::{LabelSet, LabelTarget};
use elenchus_metrics::{EvaluatorFinding, EvaluatorRole, LabelSide};
use elenchus_records::workspace::pass::find_pass_id;
use elenchus_records::workspace::pass::pass_evaluator;
use elenchus_records::workspace::pass::{Pass, PassVerdict};
use elenchus_records::workspace::rows::{Found, FoundDebate, FoundSession, FoundTurn};
use elenchus_records::workspace::{WorkspaceError, reject};
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
    type Err = WorkspaceError;

    fn from_str(text: &str) -> Result<Self, WorkspaceError> {
        match text.trim().split_once(':') {
            None if text.trim() == "own" => Ok(Self::Own),
            Some(("pass", id)) if !id.trim().is_empty() => Ok(Self::Pass(id.trim().to_owned())),
            Some(_) | None => reject(format!(
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
                passes.push(find_pass_id(layout, text)?);
            }
        }
        Ok(Self::These {
            own: names.contains(&EvaluatorName::Own),
            passes,
        })
    }

    pub(crate) fn includes_own(&self) -> bool {
        match self {
            Self::All => true,
            Self::These { own, .. } => *own,
        }
    }

    fn includes_pass(&self, id: &str) -> bool {
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
    pub(crate) fn add_pass(&mut self, pass: Pass, wanted: &WantedEvaluators) {
        if !wanted.includes_pass(&pass.manifest.pass) {
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

    /// What each pass found on a debate as a whole: what it decided by the rule of that name, and where the set's
    /// own labels are spoken what it found by others.
    pub(super) fn collect_on_debate(
        &self,
        session: &SessionId,
        debate: &FoundDebate,
        set: &LabelSet,
    ) -> Vec<NamedFinding> {
        let key = (session.clone(), debate.sha256);
        let verdicts_by_name = self.found.get(&key).into_iter().flatten();
        let findings = verdicts_by_name.filter_map(|(name, verdicts)| {
            let outcomes = select_rule_outcomes(verdicts, debate.decision.as_ref());
            let found = Found::from_outcome(&combine_outcomes(&outcomes)?);
            let mut rules = verdicts.iter().map(|verdict| &verdict.judging);
            let is_decision = rules.any(|rule| Some(rule) == debate.decision.as_ref());
            (is_decision || speaks_of_set(&found, set)).then(|| NamedFinding {
                name: name.clone(),
                finding: build_finding(&found, set),
                role: is_decision.then_some(EvaluatorRole::Decision),
            })
        });
        findings.collect()
    }

    /// What each pass found on an attempt, by the name of the evaluator.
    pub(crate) fn collect_findings(
        &self,
        session: &SessionId,
        sha256: Hash,
        safety: Option<&JudgingId>,
        set: &LabelSet,
    ) -> BTreeMap<String, EvaluatorFinding> {
        let verdicts_by_name = self.found.get(&(session.clone(), sha256));
        let verdicts_by_name = verdicts_by_name.into_iter().flatten();
        let findings = verdicts_by_name.filter_map(|(name, verdicts)| {
            let outcomes = select_rule_outcomes(verdicts, safety);
            let together = Found::from_outcome(&combine_outcomes(&outcomes)?);
            Some((name.clone(), build_finding(&together, set)))
        });
        findings.collect()
    }
}

/// A pass by sessions' own rules can judge a turn by several: the one on safety counts.
fn select_rule_outcomes<'a>(
    verdicts: &'a [PassVerdict],
    safety: Option<&JudgingId>,
) -> Vec<&'a Outcome> {
    let rules = || verdicts.iter().map(|verdict| &verdict.judging);
    let rule = rules()
        .find(|rule| Some(*rule) == safety)
        .or_else(|| rules().min());
    let own = verdicts.iter().filter(|one| Some(&one.judging) == rule);
    own.map(|verdict| &verdict.outcome).collect()
}

/// Combines the verdicts of a pass's chairs by majority; a tie is *unparsed*.
fn combine_outcomes(outcomes: &[&Outcome]) -> Option<Outcome> {
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

/// What the game's own evaluator found on the safety of a turn, by the evaluator's name; `None` where the
/// game asks none about it.
pub(super) fn own_finding(turn: &FoundTurn, set: &LabelSet) -> Option<(String, EvaluatorFinding)> {
    let (name, found) = turn.own.as_ref()?;
    Some((name.clone(), build_finding(found, set)))
}

/// What an evaluator found on a turn or a debate, with its name.
pub(super) struct NamedFinding {
    pub name: String,
    pub finding: EvaluatorFinding,
    pub role: Option<EvaluatorRole>,
}

/// What the game's other rules on single turns found, where they speak in the set's labels; graders too where the set
/// is about what they grade, for they say whether it is good.
pub(super) fn other_rules(
    session: &FoundSession,
    turn: &FoundTurn,
    set: &LabelSet,
) -> Vec<NamedFinding> {
    let findings = turn.others.iter().filter_map(|(rule, found)| {
        let role = session
            .graders
            .contains(rule)
            .then_some(EvaluatorRole::Grader);
        let grades_it = role.is_some() && set.of == LabelTarget::Proposal;
        (grades_it || speaks_of_set(found, set)).then(|| NamedFinding {
            name: name_rule(rule),
            finding: build_finding(found, set),
            role,
        })
    });
    findings.collect()
}

/// What the game's own rules found on a debate as a whole: its judge's decision, what a grader made of its conclusion,
/// and others where they speak in the set's labels.
pub(super) fn own_on_debate(debate: &FoundDebate, set: &LabelSet) -> Vec<NamedFinding> {
    let findings = debate.found.iter().filter_map(|(rule, judge, found)| {
        let role = match judge {
            None => Some(EvaluatorRole::Grader),
            Some(_) if debate.decision.as_ref() == Some(rule) => Some(EvaluatorRole::Decision),
            Some(_) => None,
        };
        (role.is_some() || speaks_of_set(found, set)).then(|| NamedFinding {
            name: judge.clone().unwrap_or_else(|| name_rule(rule)),
            finding: build_finding(found, set),
            role,
        })
    });
    findings.collect()
}

fn name_rule(rule: &JudgingId) -> String {
    format!("own:{rule}")
}

fn speaks_of_set(found: &Found, set: &LabelSet) -> bool {
    match found {
        Found::Label { label, .. } => find_set_label(label, set).is_some(),
        Found::Guardrail | Found::Missing | Found::Unparsed => false,
    }
}

fn build_finding(found: &Found, set: &LabelSet) -> EvaluatorFinding {
    match found {
        Found::Guardrail => EvaluatorFinding::Guardrail,
        Found::Missing => EvaluatorFinding::Missing,
        Found::Unparsed => EvaluatorFinding::Unparsed,
        Found::Label {
            label,
            value,
            score,
        } => {
            let own = find_set_label(label, set);
            EvaluatorFinding::Found {
                label: own.unwrap_or(label).to_owned(),
                side: value_side(*value, own, set),
                score: *score,
            }
        }
    }
}

/// A label of the set is on the set's side. Of another one the value says whether its rubric, or the
/// set that a file was imported by, calls it good: 0 is the value of words without a side.
fn value_side(value: f64, own: Option<&str>, set: &LabelSet) -> LabelSide {
    match own.and_then(|own| set.find_label(own)) {
        Some(choice) => super::labels::label_side(choice.counts),
        None if value > 0.0 => LabelSide::Negative,
        None if value < 0.0 => LabelSide::Positive,
        None => LabelSide::Neither,
    }
}

/// Returns the label of the set that equals an evaluator's label but for case, number and joints.
fn find_set_label<'a>(label: &str, set: &'a LabelSet) -> Option<&'a str> {
    let same = normalize_label(label);
    let set_label = set
        .labels
        .iter()
        .find(|own| normalize_label(&own.name) == same);
    set_label.map(|own| own.name.as_str())
}

fn normalize_label(label: &str) -> String {
    let words = label.to_lowercase().replace(['_', '-'], " ");
    let words = words.trim_start_matches(|letter: char| letter.is_ascii_digit());
    words.trim().to_owned()
}
