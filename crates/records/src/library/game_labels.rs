//! Check that every label a protocol names is one that its rules can give.

use super::game::GameError;
use elenchus_game::debate::protocol::{AskedSource, Judging, Orders};
use elenchus_game::debate::{JudgingId, Protocol, TIE};
use elenchus_game::judge::{self, Rubric};
use std::collections::BTreeMap;

/// Checks the labels that rewards, feedback, stop rules and gauges name, and what judging in both
/// orders needs of its rubric.
///
/// # Errors
/// Names the first label that no verdict can have.
pub(super) fn check_labels(
    protocol: &Protocol,
    rubrics: &BTreeMap<String, Rubric>,
) -> Result<(), GameError> {
    for (id, label, place) in list_named_labels(protocol) {
        let Some(judging) = protocol.find_judging(id) else {
            continue;
        };
        let Some((giver, known)) = given_labels(judging, rubrics) else {
            continue;
        };
        if !known.contains(&label) {
            return Err(GameError::NoSuchLabel {
                giver,
                label: label.to_owned(),
                protocol: protocol.id.clone(),
                place: place.to_owned(),
                known: known.join(", "),
            });
        }
    }
    for judging in protocol.judging.iter().filter(|judging| judging.enabled) {
        check_both_orders(protocol, judging, rubrics)?;
    }
    Ok(())
}

/// Returns every label that the protocol names, with the rule that is to give it.
fn list_named_labels(protocol: &Protocol) -> Vec<(&JudgingId, &str, &'static str)> {
    let mut named_labels: Vec<(&JudgingId, &str, &'static str)> = Vec::new();
    for (judging, table) in &protocol.rewards {
        let labels = table.keys();
        named_labels.extend(labels.map(|label| (judging, label.as_str(), "[rewards]")));
    }
    for feedback in &protocol.feedback {
        let labels = feedback.labels.iter().zip(feedback.judging.iter().cycle());
        named_labels.extend(labels.map(|(label, rule)| (rule, label.as_str(), "[feedback]")));
    }
    for stop in &protocol.stop {
        if let Some(judging) = &stop.judging {
            let labels = stop.labels.iter();
            named_labels.extend(labels.map(|label| (judging, label.as_str(), "[[stop]]")));
        }
    }
    for gauge in protocol.gauges.iter().filter(|gauge| gauge.field.is_none()) {
        let label_value = gauge.equals.as_ref().and_then(serde_json::Value::as_str);
        if let (Some(judging), Some(label)) = (&gauge.judging, label_value) {
            named_labels.push((judging, label, "[[gauges]]"));
        }
    }
    named_labels
}

/// Returns who gives a rule's verdicts, and their labels; `None` while its rubric is not loaded.
fn given_labels<'a>(
    judging: &Judging,
    rubrics: &'a BTreeMap<String, Rubric>,
) -> Option<(String, Vec<&'a str>)> {
    if let Some(detector) = judging.detector {
        let labels = judge::detector_labels(detector)
            .iter()
            .map(|(label, _)| *label);
        return Some((
            format!("the detector of '{}'", judging.id),
            labels.collect(),
        ));
    }
    if let Some(grader) = &judging.grader {
        let mut labels = vec![judge::CORRECT, judge::INCORRECT];
        // Whoever is asked may have labels of its own, as points.
        if let Some(AskedSource::Seat { rubric, .. }) =
            grader.asks.as_ref().map(|asked| &asked.source)
        {
            let labels_of_rubric = rubrics.get(rubric)?.labels.iter();
            labels.extend(labels_of_rubric.map(|label| label.name.as_str()));
        }
        return Some((format!("the grader of '{}'", judging.id), labels));
    }
    let rubric = rubrics.get(judging.rubric.as_ref()?)?;
    let mut labels: Vec<&str> = rubric
        .labels
        .iter()
        .map(|label| label.name.as_str())
        .collect();
    if judging.orders == Orders::Both && !labels.contains(&TIE) {
        labels.push(TIE);
    }
    Some((format!("rubric '{}'", rubric.id), labels))
}

/// Writes into rules of both orders what their rubrics' ties are worth.
pub(super) fn value_ties(protocol: &mut Protocol, rubrics: &BTreeMap<String, Rubric>) {
    for judging in &mut protocol.judging {
        judging.tie_value = match judging.orders {
            Orders::One => 0.0,
            Orders::Both => judging
                .rubric
                .as_ref()
                .and_then(|name| rubrics.get(name)?.find_label(TIE))
                .map_or(0.0, |tie| tie.value),
        };
    }
}

fn check_both_orders(
    protocol: &Protocol,
    judging: &Judging,
    rubrics: &BTreeMap<String, Rubric>,
) -> Result<(), GameError> {
    let rubric = judging.rubric.as_ref().and_then(|name| rubrics.get(name));
    let Some(rubric) = rubric.filter(|_| judging.orders == Orders::Both) else {
        return Ok(());
    };
    let lacks = |what: String| GameError::OneOrderRubric {
        rubric: rubric.id.clone(),
        protocol: protocol.id.clone(),
        judging: judging.id.to_string(),
        what,
    };
    if rubric.find_label(TIE).is_none() {
        return Err(lacks(format!("a label '{TIE}'")));
    }
    let lone = rubric
        .labels
        .iter()
        .find(|label| rubric.find_mirror(&label.name).is_none());
    match lone {
        Some(label) => Err(lacks(format!("a mirror of its label '{}'", label.name))),
        None => Ok(()),
    }
}
