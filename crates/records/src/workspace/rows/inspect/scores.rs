//! Scores of a debate: what its judges, passes and people found, each of one turn, one round or the debate.
//!
//! A score is called by its rule, pass or person, as a column of the tables is, and then by what it is about:
//! `safety r1.answer.debater-0`.

use super::turns::is_private_turn;
use super::{PrivateTexts, model_name};
use crate::workspace::annotations::{Blindness, CurrentLabel, LabelRole};
use crate::workspace::pass::{Pass, PassRules, PassVerdict};
use elenchus_game::debate::event::{Created, Outcome, Reply};
use elenchus_game::debate::{AttemptId, Chair, JudgingId, SessionId, State, Target};
use elenchus_metrics::{DebateRow, outcome_right};
use serde_json::{Map, Value, json};

/// What stands for a reply that could not be read, and for one that the provider's filter refused.
const UNPARSED: &str = "unparsed";
const FILTERED: &str = "filtered";

/// A score.
pub(super) struct Score {
    /// With what it is about.
    pub name: String,
    /// Without: the scorer.
    pub scorer: String,
    value: Value,
    explanation: Option<String>,
    metadata: Map<String, Value>,
    history: Vec<Value>,
}

impl Score {
    fn new(scorer: &str, about: Option<String>, value: Value) -> Self {
        let name = match &about {
            Some(about) => format!("{scorer} {about}"),
            None => scorer.to_owned(),
        };
        let mut score = Self {
            name,
            scorer: scorer.to_owned(),
            value,
            explanation: None,
            metadata: Map::new(),
            history: Vec::new(),
        };
        let about = about.unwrap_or_else(|| "debate".to_owned());
        score.add("scorer", json!(scorer));
        score.add("about", json!(about));
        score
    }

    fn add(&mut self, key: &str, value: Value) {
        let is_blank = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_blank {
            self.metadata.insert(key.to_owned(), value);
        }
    }

    /// Adds what a finding says beside its label.
    fn add_outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Label(finding) => {
                self.add("finding_value", json!(finding.value));
                self.add("probability", json!(finding.score));
                self.add("codes", json!(finding.codes));
                self.add("fields", finding.fields.clone());
                self.explanation = finding.reason.clone();
            }
            Outcome::Unparsed { why, .. } => self.explanation = Some(why.clone()),
        }
    }

    /// Returns its label, or its number.
    pub(super) fn label(&self) -> &Value {
        &self.value
    }

    /// Returns Inspect's form.
    pub(super) fn value(&self) -> Value {
        let mut score = json!({
            "value": self.value,
            "metadata": self.metadata,
            "history": self.history,
        });
        if let Some(explanation) = &self.explanation {
            score["explanation"] = json!(explanation);
        }
        score
    }
}

/// Returns the scores of a debate in the order of their names.
pub(super) fn list_scores(
    (session, state, row): (&SessionId, &State, &DebateRow),
    private: PrivateTexts,
    labels: &[&CurrentLabel],
    found: &[(&Pass, &PassVerdict)],
) -> Vec<Score> {
    let Some(created) = state.first_event() else {
        return Vec::new();
    };
    let is_in_log = |target: &Target| match target {
        Target::Attempt(id) => is_shown(state, created, id, private),
        Target::Round(_) | Target::Debate => true,
    };
    let mut scores = Vec::new();
    for (judging, target, _) in state.verdicts() {
        if is_in_log(target) {
            scores.extend(build_verdict_score(state, created, judging, target));
        }
    }
    for (pass, verdict) in found {
        if is_in_log(&verdict.target) {
            scores.push(build_pass_score(pass, verdict));
        }
    }
    for label in labels {
        let about = label.label.on.attempt.as_ref().map(|on| &on.id);
        if about.is_none_or(|id| is_shown(state, created, id, private)) {
            scores.push(build_label_score(session, label));
        }
    }
    for (seat, reward) in &row.rewards {
        let scorer = format!("reward.{seat}");
        scores.push(Score::new(&scorer, None, json!(reward)));
    }
    if let Some(is_right) = outcome_right(row) {
        // Inspect's own words for correct and incorrect.
        let letter = if is_right { "C" } else { "I" };
        scores.push(Score::new("outcome", None, json!(letter)));
    }
    scores.sort_by(|one, other| one.name.cmp(&other.name));
    number_repeats(&mut scores);
    scores
}

/// Numbers scores that have one name: rewards of several chairs, several judges of a pass.
fn number_repeats(scores: &mut [Score]) {
    let mut last: Option<(String, u32)> = None;
    for score in scores {
        match &mut last {
            Some((name, count)) if *name == score.name => {
                *count += 1;
                score.name = format!("{name} {count}");
            }
            Some(_) | None => last = Some((score.name.clone(), 1)),
        }
    }
}

/// Says whether a chosen attempt is in the log.
fn is_shown(state: &State, created: &Created, id: &AttemptId, private: PrivateTexts) -> bool {
    let choice = state.chosen_attempt(&id.turn);
    let is_chosen = choice.is_some_and(|(chosen, _)| chosen == *id);
    is_chosen && (private == PrivateTexts::Included || !is_private_turn(created, &id.turn))
}

fn about(target: &Target) -> Option<String> {
    match target {
        Target::Attempt(id) => Some(id.turn.to_string()),
        Target::Round(round) => Some(format!("r{round}")),
        Target::Debate => None,
    }
}

/// Names the score of a rule on a target.
pub(super) fn name_target(judging: &JudgingId, target: &Target) -> String {
    match about(target) {
        Some(about) => format!("{judging} {about}"),
        None => judging.to_string(),
    }
}

fn label_value(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Label(finding) => json!(finding.label),
        Outcome::Unparsed { .. } => json!(UNPARSED),
    }
}

fn build_verdict_score(
    state: &State,
    created: &Created,
    judging: &JudgingId,
    target: &Target,
) -> Option<Score> {
    let rule = created.protocol.find_judging(judging)?;
    let by_slot = state.verdicts_on(judging, target)?;
    let combined = state.combined_outcome(rule, target);
    let value = match &combined {
        Some(outcome) => label_value(outcome),
        None if state.is_verdict_filtered(judging, target) => json!(FILTERED),
        None => return None,
    };
    let mut score = Score::new(judging.as_str(), about(target), value);
    if let Some(outcome) = &combined {
        score.add_outcome(outcome);
    }
    let mut texts = Vec::new();
    let mut judges = Vec::new();
    for (slot, verdict) in by_slot {
        let chair = rule.by.clone().map(|seat| Chair {
            seat,
            index: slot.chair,
        });
        let player = chair.as_ref().and_then(|chair| created.player_of(chair));
        let label = verdict.outcome.as_ref().map(label_value);
        judges.push(json!({
            "chair": chair.as_ref().map(Chair::to_string),
            "model": player.and_then(model_name),
            "label": label.unwrap_or_else(|| json!(FILTERED)),
        }));
        let text = verdict.reply.as_ref().map(|reply: &Reply| &reply.text);
        let name = chair.map(|chair| created.protocol.name_of(&chair));
        if let Some(text) = text {
            texts.push(match (by_slot.len(), name) {
                (1, _) | (_, None) => text.clone(),
                (_, Some(name)) => format!("{name}: {text}"),
            });
        }
    }
    score.add("judges", Value::Array(judges));
    if !texts.is_empty() {
        score.explanation = Some(texts.join("\n\n"));
    }
    Some(score)
}

fn build_pass_score(pass: &Pass, verdict: &PassVerdict) -> Score {
    let scorer = match &pass.manifest.rules {
        // What came in by this name goes out by it.
        PassRules::Imported { column, .. } => column.clone(),
        PassRules::Own { .. }
        | PassRules::Rubric { .. }
        | PassRules::Detector { .. }
        | PassRules::Ensemble { .. } => {
            format!("pass.{}.{}", pass.manifest.pass, verdict.judging)
        }
    };
    let label = label_value(&verdict.outcome);
    // A number that came in as the word of a label is one again.
    let number = label
        .as_str()
        .and_then(|label| serde_json::from_str(label).ok());
    let value = number.map_or(label, Value::Number);
    let mut score = Score::new(&scorer, about(&verdict.target), value);
    score.add_outcome(&verdict.outcome);
    score.add("pass", json!(pass.manifest.pass));
    score.add("model", json!(verdict.model));
    score.add("rubric", json!(verdict.rubric));
    score.add("cost_usd", json!(verdict.cost_usd));
    let members = verdict.members.iter();
    let members: Vec<Value> = members
        .map(|one| json!({ "evaluator": one.evaluator, "label": label_value(&one.outcome) }))
        .collect();
    score.add("members", Value::Array(members));
    score
}

fn build_label_score(session: &SessionId, given: &CurrentLabel) -> Score {
    let label = &given.label;
    let scorer = match label.role {
        LabelRole::Annotator => format!("label.{}.{}", label.set, given.annotator),
        LabelRole::Adjudicator => format!("settled.{}", label.set),
    };
    let on = label.on.attempt.as_ref();
    let about = on.map(|on| on.id.turn.to_string());
    let mut score = Score::new(&scorer, about, json!(label.label));
    score.explanation = label.note.clone();
    score.add("human", json!(true));
    score.add("annotator", json!(given.annotator));
    score.add("label_set", json!(label.set));
    score.add("category", json!(label.category));
    score.add("strength", json!(label.strength));
    let blind = match &label.blind {
        Blindness::Blind => "blind",
        Blindness::Unblinded { .. } => "unblinded",
        Blindness::Unknown => "unknown",
    };
    score.add("blind", json!(blind));
    score.history.push(json!({
        "value": label.label,
        "provenance": {
            "timestamp": given.at,
            "author": given.annotator,
            "reason": "a person's label",
            "metadata": { "session": session.as_str() },
        },
    }));
    score
}
