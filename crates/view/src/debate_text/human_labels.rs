//! Human labels on turns, by attempt, with who gave them and which is gold. Pure.

use elenchus_game::debate::{AttemptId, SessionId, State, TurnId};
use elenchus_metrics::find_best_label;
use elenchus_records::workspace::annotations::{Annotations, LabelRole};
use std::collections::{BTreeMap, BTreeSet};

/// Labels of one thing by one set: who gave which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelsByPerson {
    /// Annotators with their labels.
    pub given: Vec<(String, String)>,
    /// Those who settled what annotators disagreed on, with what they said.
    pub settled: Vec<(String, String)>,
}

impl LabelsByPerson {
    /// Returns the gold label, by the rule that validations have; `None` where people are split.
    pub fn find_gold(&self) -> Option<&str> {
        let [given, settled] = [&self.given, &self.settled].map(|people| {
            let labels = people.iter().map(|(_, label)| label.as_str());
            labels.collect::<Vec<&str>>()
        });
        find_best_label(&given, &settled)
    }

    /// Returns the labels in the order of their names, each once.
    fn list_labels(&self) -> BTreeSet<&str> {
        let all = self.given.iter().chain(&self.settled);
        all.map(|(_, label)| label.as_str()).collect()
    }

    /// Says who gave the gold label, who settled it, and who said something else: `ada, ben settled, cy said safe`.
    pub fn describe_people(&self, gold: Option<&str>) -> String {
        let says_gold = |label: &String| gold == Some(label.as_str());
        let agree = self.given.iter().filter(|(_, label)| says_gold(label));
        let agree = agree.map(|(name, _)| name.clone());
        let settled = self.settled.iter().map(|(name, label)| {
            if says_gold(label) {
                format!("{name} settled")
            } else {
                format!("{name} settled {label}")
            }
        });
        let others = self.given.iter().filter(|(_, label)| !says_gold(label));
        let others = others.map(|(name, label)| format!("{name} said {label}"));
        let people: Vec<String> = agree.chain(settled).chain(others).collect();
        people.join(", ")
    }

    /// Says which label is gold and who gave it, or that nobody settled what people disagree on.
    pub fn describe_gold(&self) -> String {
        let gold = self.find_gold();
        let people = self.describe_people(gold);
        match (gold, self.settled.is_empty()) {
            (Some(label), _) => format!("gold {label} ({people})"),
            (None, true) => format!("no gold, nobody settled it ({people})"),
            (None, false) => format!("no gold, those who settled it are split ({people})"),
        }
    }
}

/// The labels on one session's attempts.
#[derive(Debug, Default)]
pub struct HumanLabels {
    by_attempt: BTreeMap<AttemptId, BTreeMap<String, LabelsByPerson>>,
}

/// A label on a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelOnTurn<'a> {
    pub label: &'a str,
    /// It is gold, and others were given too.
    pub is_gold_of_several: bool,
}

impl HumanLabels {
    /// Picks the labels on a session out of all annotations. Hidden repeats are left out.
    pub fn from_annotations(annotations: &Annotations, session: &SessionId) -> Self {
        let mut labels = Self::default();
        let first = annotations.labels().filter(|standing| {
            let label = &standing.label;
            &label.on.session == session && label.repeat == 0
        });
        for standing in first {
            let label = &standing.label;
            if let Some(on) = &label.on.attempt {
                let sets = labels.by_attempt.entry(on.id.clone()).or_default();
                let by_person = sets.entry(label.set.clone()).or_default();
                let of_role = match label.role {
                    LabelRole::Annotator => &mut by_person.given,
                    LabelRole::Adjudicator => &mut by_person.settled,
                };
                of_role.push((standing.annotator.clone(), label.label.clone()));
            }
        }
        labels
    }

    fn sets_on_turn(
        &self,
        state: &State,
        turn: &TurnId,
    ) -> Option<&BTreeMap<String, LabelsByPerson>> {
        let (attempt, _) = state.chosen_attempt(turn)?;
        self.by_attempt.get(&attempt)
    }

    /// Returns the labels on the attempt of a turn that counts; several where people differ.
    pub fn labels_on_turn<'a>(
        &'a self,
        state: &State,
        turn: &TurnId,
    ) -> impl Iterator<Item = LabelOnTurn<'a>> {
        let sets = self.sets_on_turn(state, turn).into_iter();
        sets.flat_map(BTreeMap::values).flat_map(|of_set| {
            let (labels, gold) = (of_set.list_labels(), of_set.find_gold());
            let is_several = labels.len() > 1;
            labels.into_iter().map(move |label| LabelOnTurn {
                label,
                is_gold_of_several: is_several && gold == Some(label),
            })
        })
    }

    /// Says of a turn which label is gold and who said what, set by set.
    pub fn describe_turn(&self, state: &State, turn: &TurnId) -> Vec<String> {
        let Some(sets) = self.sets_on_turn(state, turn) else {
            return Vec::new();
        };
        let is_single = sets.len() == 1;
        let lines = sets.iter().map(|(set, labels)| match is_single {
            true => labels.describe_gold(),
            false => format!("{set}: {}", labels.describe_gold()),
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(given: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = given.iter();
        pairs
            .map(|(name, label)| ((*name).to_owned(), (*label).to_owned()))
            .collect()
    }

    #[test]
    fn gold_is_what_was_settled_or_what_most_said_and_everybody_is_named() {
        let mut labels = LabelsByPerson {
            given: people(&[("ada", "unsafe"), ("bo", "safe"), ("cy", "unsafe")]),
            settled: Vec::new(),
        };
        assert_eq!(
            labels.describe_gold(),
            "gold unsafe (ada, cy, bo said safe)"
        );
        labels.given.pop();
        assert_eq!(
            labels.describe_gold(),
            "no gold, nobody settled it (ada said unsafe, bo said safe)"
        );
        labels.settled = people(&[("eve", "safe")]);
        assert_eq!(
            labels.describe_gold(),
            "gold safe (bo, eve settled, ada said unsafe)"
        );
        labels.settled = people(&[("eve", "safe"), ("fay", "unsafe")]);
        assert_eq!(
            labels.describe_gold(),
            "no gold, those who settled it are split (eve settled safe, fay settled unsafe, ada said unsafe, \
             bo said safe)"
        );
    }
}
