//! Fields of a new queue as a form shows them. Pure.

use super::QueueDraft;
use crate::queue::{FILTER_WORDS, ItemOrder, PlayedBy, QueueChoice, QueueUnit, StratifyBy};
use elenchus_text::{FieldKind, FormField, FormValues, Role, format_grouped_count, step_through};

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

const UNITS: [QueueUnit; 3] = [QueueUnit::Turn, QueueUnit::Pair, QueueUnit::Debate];
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
                0 => (Role::Muted, "none there".to_owned()),
                many => (Role::Muted, format!("any of {many}")),
            };
        };
        let choice = choices.iter().find(|choice| choice.value == *chosen);
        let mut parts = vec![chosen.clone()];
        if let Some(choice) = choice {
            parts.extend((!choice.about.is_empty()).then(|| choice.about.clone()));
            parts.push(format_grouped_count(choice.turns, "turn"));
        }
        (Role::Text, parts.join(" - "))
    }

    /// Describes which debates are drawn from.
    fn describe_kind(&self) -> String {
        let turns = format_grouped_count(self.choices_here().turns, "turn");
        match self.of {
            PlayedBy::Models => format!("real models - {turns}"),
            PlayedBy::Simulated => format!("simulated models - {turns}"),
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
        let conditions = format!("More conditions, parted by blanks: {FILTER_WORDS}.");
        let words = StratifyBy::WORDS.join(", ");
        let strata = format!("What divides them, so that each part is drawn from: {words}.");
        let set = match self.set.as_str() {
            "" => (Role::Muted, "no label set"),
            set => (Role::Text, set),
        };
        let name = "What the queue is called: letters, digits, dots, dashes.";
        let kind = "Debates of real models or simulated ones: never both in one queue.";
        let verdict = "Only turns on which the game's evaluator found this: sensitivity cannot be \
                       estimated from such a sample alone.";
        let unit = "Turns, pairs of turns of two rounds, or whole debates.";
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
            new(QueueField::Unit, Choice, "unit", unit).with_value(Role::Text, self.unit.word()),
            new(QueueField::Strata, Text, "strata", &strata).with_text(&self.strata, "none"),
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
            QueueField::Strata => &mut self.strata,
            QueueField::Sample => &mut self.sample,
            QueueField::Set
            | QueueField::PlayedBy
            | QueueField::Run
            | QueueField::Protocol
            | QueueField::Verdict
            | QueueField::Arm
            | QueueField::Unit
            | QueueField::Order
            | QueueField::Draw => return Ok(()),
        };
        text.clone_into(value);
        Ok(())
    }

    fn step_value(&mut self, field: &QueueField, by: isize) -> bool {
        match field {
            QueueField::Set => {
                self.set = step_through(&self.sets, &self.set, by).unwrap_or_default()
            }
            QueueField::Unit => {
                self.unit = step_through(&UNITS, &self.unit, by).unwrap_or_default();
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
                let place = match field {
                    QueueField::Run => &mut self.run,
                    QueueField::Protocol => &mut self.protocol,
                    QueueField::Verdict => &mut self.verdict,
                    _ => &mut self.arm,
                };
                *place = next;
            }
            QueueField::Name
            | QueueField::Filter
            | QueueField::Strata
            | QueueField::Sample
            | QueueField::Draw => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelling::QueueList;

    #[test]
    fn values_are_typed_or_stepped_through_both_ways() {
        let mut draft = QueueDraft::new(&QueueList {
            sets: vec!["safety".to_owned(), "stance".to_owned()],
            ..QueueList::default()
        });
        assert!(draft.step_value(&QueueField::Unit, -1) && draft.step_value(&QueueField::Set, 1));
        assert_eq!(
            (draft.unit, draft.set.as_str()),
            (QueueUnit::Debate, "stance")
        );
        assert!(draft.step_value(&QueueField::Unit, -1));
        assert_eq!(draft.unit, QueueUnit::Pair);
        assert!(!draft.step_value(&QueueField::Sample, 1));
        draft.set_value(&QueueField::Sample, "").unwrap();
        let fields = draft.list_fields();
        let sample = fields.iter().find(|one| one.field == QueueField::Sample);
        assert_eq!(sample.map(|one| one.value.as_str()), Some("all"));
    }
}
