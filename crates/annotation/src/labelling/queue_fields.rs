//! Fields of a new queue as a form shows them. Pure.

use super::QueueDraft;
use super::queues::list_kinds;
use crate::queue::{FILTER_WORDS, ItemOrder, PlayedBy, QueueChoice, QueueUnit, StratifyBy};
use elenchus_game::judge::LabelTarget;
use elenchus_text::{
    FieldKind, FormField, FormValues, PickItem, PickList, Role, format_grouped_count, list_steps,
    step_through, take_steps,
};

/// A field of a new queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueField {
    Name,
    Set,
    PlayedBy,
    Run,
    Protocol,
    Verdict,
    Arm,
    Filter,
    Unit,
    Strata,
    Sample,
    Order,
    Draw,
}

/// Stands for what is still being read.
const COUNTING: &str = "counting…";

const KINDS: [PlayedBy; 2] = [PlayedBy::Models, PlayedBy::Simulated];

impl QueueDraft {
    /// Returns what can be chosen of a field, and what is; nothing of a field that is no such list.
    fn chosen_of(&self, field: QueueField) -> (&[QueueChoice], Option<&String>) {
        let choices = self.choices_here();
        match field {
            QueueField::Run => (&choices.runs, self.run.as_ref()),
            QueueField::Protocol => (&choices.protocols, self.protocol.as_ref()),
            QueueField::Verdict => (&choices.verdicts, self.verdict.as_ref()),
            QueueField::Arm => (&choices.arms, self.arm.as_ref()),
            QueueField::Name
            | QueueField::Set
            | QueueField::PlayedBy
            | QueueField::Filter
            | QueueField::Unit
            | QueueField::Strata
            | QueueField::Sample
            | QueueField::Order
            | QueueField::Draw => (&[], None),
        }
    }

    /// Describes what is chosen of a field.
    fn describe_choice(&self, field: QueueField) -> (Role, String) {
        let (choices, chosen) = self.chosen_of(field);
        let Some(chosen) = chosen else {
            return match choices.len() {
                0 if self.is_counting() => (Role::Muted, COUNTING.to_owned()),
                0 => (Role::Muted, "none there".to_owned()),
                many => (Role::Muted, format!("any of {many}")),
            };
        };
        let choice = choices.iter().find(|choice| choice.value == *chosen);
        let mut parts = vec![chosen.clone()];
        if let Some(choice) = choice {
            parts.extend((!choice.about.is_empty()).then(|| choice.about.clone()));
        }
        let units = choice.map_or(0, |choice| choice.units);
        parts.push(format_grouped_count(units, self.unit_noun()));
        (Role::Text, parts.join(" - "))
    }

    /// Describes which debates are drawn from.
    fn describe_kind(&self) -> String {
        let units = match self.is_counting() {
            true => COUNTING.to_owned(),
            false => format_grouped_count(self.choices_here().units, self.unit_noun()),
        };
        match self.of {
            PlayedBy::Models => format!("real models - {units}"),
            PlayedBy::Simulated => format!("simulated models - {units}"),
        }
    }

    /// Describes what is drawn.
    fn describe_unit(&self) -> &'static str {
        match (self.unit, self.target()) {
            (QueueUnit::Pair, _) => "pairs: a chair's turns of two rounds",
            (_, LabelTarget::Turn) => "turns that evaluators judge",
            (_, LabelTarget::Proposal) => "proposals: turns that are graded",
            (_, LabelTarget::Critique) => "critiques",
            (_, LabelTarget::Debate) => "debates as a whole",
            (_, LabelTarget::Conclusion) => "conclusions of debates",
        }
    }

    /// Names what divides the population.
    fn describe_strata(&self) -> (Role, String) {
        let words: Vec<String> = self.strata.iter().map(ToString::to_string).collect();
        match words.is_empty() {
            true => (Role::Muted, "none".to_owned()),
            false => (Role::Text, words.join(", ")),
        }
    }

    /// Returns where what is chosen of a field stands; none of a field that is no such list.
    fn chosen_mut(&mut self, field: QueueField) -> Option<&mut Option<String>> {
        match field {
            QueueField::Run => Some(&mut self.run),
            QueueField::Protocol => Some(&mut self.protocol),
            QueueField::Verdict => Some(&mut self.verdict),
            QueueField::Arm => Some(&mut self.arm),
            QueueField::Name
            | QueueField::Set
            | QueueField::PlayedBy
            | QueueField::Filter
            | QueueField::Unit
            | QueueField::Strata
            | QueueField::Sample
            | QueueField::Order
            | QueueField::Draw => None,
        }
    }
}

impl FormValues for QueueDraft {
    type Field = QueueField;

    fn list_fields(&self) -> Vec<FormField<QueueField>> {
        use FieldKind::{Button, Choice, Number, Text};
        let new = |field, kind, name: &str, help: &str| FormField::new(field, kind, name, help);
        let choice = |field, name: &str, help: &str| {
            let (role, value) = self.describe_choice(field);
            new(field, Choice, name, help).with_value(role, value)
        };
        let conditions = format!(
            "More conditions, parted by blanks: {FILTER_WORDS}. Of an arm a part of its name is enough."
        );
        let strata = "What divides them, so that each part is drawn from. One that is chosen is added, \
                      and chosen again taken away.";
        let divided = self.describe_strata();
        let set = match self.set.as_str() {
            "" => (Role::Muted, "no label set"),
            set => (Role::Text, set),
        };
        let name = "What the queue is called: letters, digits, dots, dashes.";
        let kind = "Debates of real models or simulated ones: never both in one queue.";
        let verdict = "Only turns on which the game's evaluator found this: sensitivity cannot be \
                       estimated from such a sample alone.";
        let unit = "Turns, pairs of turns of two rounds, proposals, critiques, whole debates or \
                    conclusions: whatever a label set is about. Another kind brings a set that is \
                    about it, and another set what it is about.";
        let sample = "How many are drawn by the seed; empty for all.";
        let order = "By topic, all of a topic come together, so that its question is read once. \
                     Random mixes topics, so that no turn is judged by the one before it.";
        let draw = "draws it; what was drawn never changes afterwards.";
        vec![
            new(QueueField::Name, Text, "name", name).with_text(&self.name, "none yet"),
            new(QueueField::Set, Choice, "labels", "The label set.").with_value(set.0, set.1),
            new(QueueField::PlayedBy, Choice, "played by", kind)
                .with_value(Role::Text, self.describe_kind()),
            choice(QueueField::Run, "run", "Only turns of this run."),
            choice(
                QueueField::Protocol,
                "protocol",
                "Only debates of this protocol.",
            ),
            choice(QueueField::Verdict, "verdict", verdict),
            choice(
                QueueField::Arm,
                "arm",
                "Only debates under these conditions.",
            ),
            new(QueueField::Filter, Text, "only", &conditions).with_text(&self.filter, "all"),
            new(QueueField::Unit, Choice, "of what", unit)
                .with_value(Role::Text, self.describe_unit()),
            new(QueueField::Strata, Choice, "strata", strata).with_value(divided.0, divided.1),
            new(QueueField::Sample, Number, "how many", sample).with_text(&self.sample, "all"),
            new(QueueField::Order, Choice, "order", order)
                .with_value(Role::Text, self.order.describe()),
            new(QueueField::Draw, Button, "Draw it", draw),
        ]
    }

    fn set_value(&mut self, field: &QueueField, text: &str) -> Result<(), String> {
        let value = match field {
            QueueField::Name => &mut self.name,
            QueueField::Filter => &mut self.filter,
            QueueField::Sample => &mut self.sample,
            QueueField::Set
            | QueueField::PlayedBy
            | QueueField::Run
            | QueueField::Protocol
            | QueueField::Verdict
            | QueueField::Arm
            | QueueField::Unit
            | QueueField::Strata
            | QueueField::Order
            | QueueField::Draw => return Ok(()),
        };
        text.clone_into(value);
        Ok(())
    }

    fn step_value(&mut self, field: &QueueField, by: isize) -> bool {
        match field {
            QueueField::Set => {
                let here = self.sets.iter().find(|set| set.name == self.set);
                let here = here.or(self.sets.first()).cloned();
                if let Some(next) = here.and_then(|here| step_through(&self.sets, &here, by)) {
                    self.label_by(&next);
                }
            }
            QueueField::Unit => {
                let here = (self.target(), self.unit);
                if let Some(kind) = step_through(&list_kinds(&self.sets), &here, by) {
                    self.draw_kind(kind);
                }
            }
            QueueField::Order => {
                self.order = step_through(&ItemOrder::ALL, &self.order, by).unwrap_or_default();
            }
            QueueField::PlayedBy => {
                self.draw_from(step_through(&KINDS, &self.of, by).unwrap_or_default());
            }
            QueueField::Run | QueueField::Protocol | QueueField::Verdict | QueueField::Arm => {
                let (choices, chosen) = self.chosen_of(*field);
                let values = choices.iter().map(|choice| Some(choice.value.clone()));
                let values: Vec<Option<String>> = [None].into_iter().chain(values).collect();
                let next = step_through(&values, &chosen.cloned(), by).flatten();
                if let Some(place) = self.chosen_mut(*field) {
                    *place = next;
                }
            }
            QueueField::Strata => {
                let single = StratifyBy::ALL.iter().map(|by| vec![*by]);
                let values: Vec<Vec<StratifyBy>> = [Vec::new()].into_iter().chain(single).collect();
                self.strata = step_through(&values, &self.strata, by).unwrap_or_default();
            }
            QueueField::Name | QueueField::Filter | QueueField::Sample | QueueField::Draw => {
                return false;
            }
        }
        true
    }

    fn list_values(&self, field: &FormField<QueueField>) -> PickList {
        if field.field != QueueField::Strata {
            return list_steps(self, field);
        }
        let features = StratifyBy::ALL.iter().map(|by| PickItem {
            label: by.to_string(),
            aside: match self.strata.contains(by) {
                true => "chosen".to_owned(),
                false => String::new(),
            },
            ..PickItem::default()
        });
        let none = PickItem {
            label: "none".to_owned(),
            ..PickItem::default()
        };
        PickList {
            title: field.name.clone(),
            items: [none].into_iter().chain(features).collect(),
            ..PickList::default()
        }
    }

    fn pick_value(&mut self, field: &QueueField, at: usize) -> bool {
        if *field != QueueField::Strata {
            return take_steps(self, field, at);
        }
        match at.checked_sub(1).and_then(|at| StratifyBy::ALL.get(at)) {
            None => self.strata.clear(),
            Some(by) if self.strata.contains(by) => self.strata.retain(|one| one != by),
            Some(by) => self.strata.push(*by),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelling::{QueueList, SetLine};

    #[test]
    fn values_are_typed_or_stepped_through_both_ways() {
        let mut draft = QueueDraft::new(&QueueList {
            sets: [
                ("safety", LabelTarget::Turn),
                ("stance", LabelTarget::Turn),
                ("whole", LabelTarget::Debate),
            ]
            .map(|(name, of)| SetLine {
                name: name.to_owned(),
                of,
            })
            .to_vec(),
            ..QueueList::default()
        });
        let chosen = |draft: &QueueDraft| (draft.unit, draft.set.clone());
        // Another set brings what it is about, and another kind a set that is about it.
        assert!(draft.step_value(&QueueField::Set, 1));
        assert_eq!(chosen(&draft), (QueueUnit::Turn, "stance".to_owned()));
        assert!(draft.step_value(&QueueField::Unit, 1));
        assert_eq!(chosen(&draft), (QueueUnit::Pair, "stance".to_owned()));
        assert!(draft.step_value(&QueueField::Unit, 1));
        assert_eq!(chosen(&draft), (QueueUnit::Debate, "whole".to_owned()));
        assert!(draft.step_value(&QueueField::Unit, -2));
        assert_eq!(chosen(&draft), (QueueUnit::Turn, "safety".to_owned()));
        assert!(draft.step_value(&QueueField::Set, -1));
        assert_eq!(chosen(&draft), (QueueUnit::Debate, "whole".to_owned()));
        assert!(!draft.step_value(&QueueField::Sample, 1));
        draft.set_value(&QueueField::Sample, "").unwrap();
        let fields = draft.list_fields();
        let sample = fields.iter().find(|one| one.field == QueueField::Sample);
        assert_eq!(sample.map(|one| one.value.as_str()), Some("all"));
    }
}
