//! What a judge was shown, with the verdict that the reference answer calls for.

use super::NoRows;
use super::chat::{ChatMessage, hash_prompt, list_messages};
use crate::workspace::rows::judged::find_right_decision;
use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::protocol::Judging;
use elenchus_game::debate::step::{ShownOrder, Target};
use elenchus_game::debate::{SessionId, State, VerdictState};
use elenchus_game::judge::{Material, Rubric, RubricLabel, parse_verdict};
use elenchus_game::prompt::{expand_view, mark_label_line};
use elenchus_metrics::DebateRow;
use serde::Serialize;

/// A judge's view with the right verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeRow {
    pub prompt: Vec<ChatMessage>,
    /// The line that states the verdict, as this judge's prompt asks for it, without reasons.
    pub completion: Vec<ChatMessage>,
    pub gold: String,
    /// What the judge said; `None` where its reply could not be read.
    pub verdict: Option<String>,
    pub session: String,
    pub judging: String,
    pub judge: u32,
    /// The judge was shown the two candidates in the other order; `gold` and `verdict` name them as seated.
    pub swapped: bool,
    pub rubric: String,
    pub topic: String,
    pub topic_key: String,
    pub protocol: String,
    pub checkpoint: Option<String>,
    pub rollout: u32,
    pub seed: u64,
    pub simulated: bool,
    pub prompt_sha256: String,
}

/// Returns a row for each judge that decided about graded proposals.
pub fn list_judge_rows(
    session: &SessionId,
    state: &State,
    row: &DebateRow,
    left_out: &mut NoRows,
) -> Vec<JudgeRow> {
    let Some(created) = state.first_event() else {
        return Vec::new();
    };
    let Some((rule, sign)) = find_right_decision(state, created) else {
        left_out.add("debates whose reference answer calls for no verdict of a judge");
        return Vec::new();
    };
    let Some(rubric) = read_rubric(created, rule) else {
        left_out.add("debates judged by a rubric that cannot be read");
        return Vec::new();
    };
    let mut rows = Vec::new();
    let verdicts = state
        .verdicts_on(&rule.id, &Target::Debate)
        .into_iter()
        .flatten();
    for (slot, verdict) in verdicts.filter(|(_, verdict)| !verdict.inherited) {
        let gold = find_gold_label(&rubric, sign, slot.order);
        match build_judge_chat(state, (&rubric, gold), verdict) {
            Ok((prompt, text)) => rows.push(JudgeRow {
                prompt_sha256: hash_prompt(&prompt),
                prompt,
                completion: ChatMessage::completion(&text),
                gold: find_gold_label(&rubric, sign, ShownOrder::AsSeated)
                    .map(|label| label.name.clone())
                    .unwrap_or_default(),
                verdict: verdict
                    .outcome
                    .as_ref()
                    .and_then(|found| found.label().map(str::to_owned)),
                session: session.to_string(),
                judging: rule.id.to_string(),
                judge: slot.chair,
                swapped: slot.order == ShownOrder::Swapped,
                rubric: rubric.id.clone(),
                topic: row.topic.id.clone(),
                topic_key: row.topic.key.to_string(),
                protocol: row.protocol.clone(),
                checkpoint: row.checkpoint.clone(),
                rollout: row.rollout,
                seed: created.seed,
                simulated: row.simulated,
            }),
            Err(reason) => left_out.add(reason),
        }
    }
    rows
}

fn read_rubric(created: &Created, rule: &Judging) -> Option<Rubric> {
    let name = rule.rubric.as_deref()?;
    Rubric::parse(name, created.rubrics.get(name)?).ok()
}

/// Returns the label that the reference answer calls for, as it is said to a judge who was shown the
/// candidates in this order.
fn find_gold_label(rubric: &Rubric, sign: f64, order: ShownOrder) -> Option<&RubricLabel> {
    let best = rubric
        .labels
        .iter()
        .filter(|label| label.value * sign > 0.0)
        .max_by(|a, b| (a.value * sign).total_cmp(&(b.value * sign)))?;
    match order {
        ShownOrder::AsSeated => Some(best),
        ShownOrder::Swapped => {
            let mirror = best.mirror.as_ref()?;
            rubric.labels.iter().find(|label| label.name == *mirror)
        }
    }
}

/// Returns the prompt of a judge, and the reply that states the right label. It is read as the judge's own
/// replies are: what the program would not read is no row.
fn build_judge_chat(
    state: &State,
    (rubric, gold): (&Rubric, Option<&RubricLabel>),
    verdict: &VerdictState,
) -> Result<(Vec<ChatMessage>, String), &'static str> {
    let gold = gold.ok_or("verdicts by a rubric that has no label for what is right")?;
    let place = verdict.view.ok_or("verdicts without a recorded prompt")?;
    let view = expand_view(state, None, state.view_at(place));
    let prompt = list_messages(&view).ok_or("verdicts whose prompt is not known in full")?;
    let text = match view.label_mark() {
        Some(mark) => mark_label_line(&gold.says, mark),
        None => gold.says.clone(),
    };
    match parse_verdict(rubric, &text, &Material::from_view(&view)) {
        Outcome::Label(found) if found.label == gold.name => Ok((prompt, text)),
        Outcome::Label(_) | Outcome::Unparsed { .. } => {
            Err("verdicts of a form that one line cannot state")
        }
    }
}
