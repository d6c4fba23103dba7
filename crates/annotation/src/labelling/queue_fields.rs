//! Fields of a new queue as a form shows them. Pure.

use super::QueueDraft;
use crate::queue::{FILTER_WORDS, QueueUnit, StratifyBy};
use elenchus_text::{FieldKind, FormField, FormValues, Role, step_through};

/// A field of a new queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueField {
    Name,
    Set,
    Filter,
    Unit,
    Strata,
    Sample,
    Draw,
}

impl FormValues for QueueDraft {
    type Field = QueueField;

    fn list_fields(&self) -> Vec<FormField<QueueField>> {
        use FieldKind::{Button, Choice, Number, Text};
        let new = |field, kind, name: &str, help: &str| FormField::new(field, kind, name, help);
        let conditions = format!("Conditions, parted by blanks: {FILTER_WORDS}.");
        let words = StratifyBy::WORDS.join(", ");
        let strata = format!("What divides them, so that each part is drawn from: {words}.");
        let set = match self.set.as_str() {
            "" => (Role::Muted, "no label set"),
            set => (Role::Text, set),
        };
        let name = "What the queue is called: letters, digits, dots, dashes.";
        let unit = "Turns, pairs of turns of two rounds, or whole debates.";
        let sample = "How many are drawn by the seed; empty for all.";
        let draw = "draws it; what was drawn never changes afterwards.";
        vec![
            new(QueueField::Name, Text, "name", name).with_text(&self.name, "none yet"),
            new(QueueField::Set, Choice, "labels", "The label set.").with_value(set.0, set.1),
            new(QueueField::Filter, Text, "only", &conditions)
                .with_text(&self.filter, "everything of real models"),
            new(QueueField::Unit, Choice, "unit", unit).with_value(Role::Text, self.unit.word()),
            new(QueueField::Strata, Text, "strata", &strata).with_text(&self.strata, "none"),
            new(QueueField::Sample, Number, "how many", sample).with_text(&self.sample, "all"),
            new(QueueField::Draw, Button, "Draw it", draw),
        ]
    }

    fn set_value(&mut self, field: &QueueField, text: &str) -> Result<(), String> {
        let value = match field {
            QueueField::Name => &mut self.name,
            QueueField::Filter => &mut self.filter,
            QueueField::Strata => &mut self.strata,
            QueueField::Sample => &mut self.sample,
            QueueField::Set | QueueField::Unit | QueueField::Draw => return Ok(()),
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
                let units = [QueueUnit::Turn, QueueUnit::Pair, QueueUnit::Debate];
                self.unit = step_through(&units, &self.unit, by).unwrap_or_default();
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
