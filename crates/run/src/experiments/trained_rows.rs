//! Debates that figures of a run are of whose debaters are trained between batches: those that were played as was asked
//! for.

use elenchus_metrics::{DebateRow, LearningPhase};
use elenchus_records::workspace::rows::{TrainingFault, find_training_fault};
use elenchus_records::workspace::run::Manifest;
use elenchus_text::format_noun_count;

/// Debates that were left out, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOutOfTraining {
    untrained: usize,
    own_topic: usize,
    learning: usize,
}

impl LeftOutOfTraining {
    /// Says which debates were left out; `None` where none was.
    pub fn describe(self) -> Option<String> {
        let parts = [
            (self.untrained, "played before the first training"),
            (self.own_topic, "on a topic that taught their adapters"),
            (self.learning, "that taught, beside those that are held out"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{} {what}", format_noun_count(count, "debate")))
            .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "debaters are trained between batches; left out: {} ('elenchus metrics --by phase,checkpoint' has them)",
                parts.join(", ")
            )
        })
    }

    /// Counts a debate, and returns whether it is left out.
    pub(super) fn leaves_out(&mut self, row: &DebateRow) -> bool {
        match find_training_fault(row) {
            Some(TrainingFault::Untrained) => self.untrained += 1,
            Some(TrainingFault::OwnTopic) => self.own_topic += 1,
            None => return false,
        }
        true
    }
}

/// Keeps the debates that the headline of a run is of: where its debaters are trained, those that were played on
/// adapters that their topic did not teach, and of these the ones that are held out where topics are split. All of
/// them stay where none is like that.
pub fn keep_trained_rows(rows: &mut Vec<DebateRow>, manifest: &Manifest) -> LeftOutOfTraining {
    let mut left_out = LeftOutOfTraining::default();
    if manifest.training.is_none() {
        return left_out;
    }
    let is_held_out = |row: &DebateRow| row.origin.phase == Some(LearningPhase::HeldOut);
    let counts = |row: &DebateRow| find_training_fault(row).is_none();
    if !rows.iter().any(counts) {
        return left_out;
    }
    let has_held_out = rows.iter().any(|row| is_held_out(row) && counts(row));
    rows.retain(|row| {
        if left_out.leaves_out(row) {
            return false;
        }
        let is_learning = has_held_out && !is_held_out(row);
        left_out.learning += usize::from(is_learning);
        !is_learning
    });
    left_out
}
