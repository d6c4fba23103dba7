//! Conclusion of a debate, and the proposal that its judge decides about, as people who label are shown them.

use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::state::field_at_path;
use elenchus_game::debate::{State, TurnId};
use elenchus_game::judge::Rubric;
use serde_json::Value;

/// Fields in which judges state their label, where a rubric names none.
const LABEL_FIELDS: [&str; 2] = ["verdict", "label"];

/// What a debate concludes, without what its judge makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateConclusion {
    pub answer: String,
    /// Other texts of the verdict that states it, each with its field's name: not its label, and no scores.
    pub texts: Vec<(String, String)>,
}

/// Returns what a debate concludes: the answer that its grader compares, in the last verdict of the rule that states
/// it; `None` where the game has no such rule, or its verdict could not be read.
pub fn find_conclusion(state: &State) -> Option<DebateConclusion> {
    let created = state.first_event()?;
    let protocol = &created.protocol;
    let answer = protocol.find_conclusion_rule()?.answer.as_ref()?;
    let rule = protocol.find_judging(answer.judging.as_ref()?)?;
    let Some(Outcome::Label(finding)) = state.find_conclusion(rule) else {
        return None;
    };
    let stated = field_at_path(&finding.fields, &answer.field)?;
    let label_fields = list_label_fields(created, rule.rubric.as_deref());
    let fields = finding.fields.as_object().into_iter().flatten();
    let texts = fields.filter_map(|(name, value)| match value {
        Value::String(text) if *name != answer.field && !label_fields.contains(name) => {
            Some((name.clone(), text.clone()))
        }
        _ => None,
    });
    Some(DebateConclusion {
        answer: match stated {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
        texts: texts.collect(),
    })
}

fn list_label_fields(created: &Created, rubric: Option<&str>) -> Vec<String> {
    let rubric = rubric.and_then(|name| Rubric::parse(name, created.rubrics.get(name)?).ok());
    match rubric.and_then(|rubric| rubric.label_field) {
        Some(field) => vec![field],
        None => LABEL_FIELDS.map(str::to_owned).to_vec(),
    }
}

/// Returns the proposal that the judge of a debate decides about: the last of those that have a text.
pub fn find_decided_proposal(state: &State) -> Option<TurnId> {
    let protocol = state.protocol()?;
    protocol.find_decision_rule()?;
    let spoken = state.turns().keys().filter(|turn| {
        let attempt = state.chosen_attempt(turn);
        protocol.is_proposal(turn) && attempt.is_some_and(|(_, one)| !one.is_empty_reply())
    });
    let last = spoken.max_by_key(|turn| (turn.round, protocol.stage_place(&turn.stage)));
    last.cloned()
}
