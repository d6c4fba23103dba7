//! Rows that trainers of models read: what seats said, with the exact messages before it and what it earned. Pure.
//!
//! | file | content |
//! |---|---|
//! | `chat` | messages of a view, as a chat |
//! | `speech` | speeches of a debate, each with its prompt, its place and its reward |
//! | `grade` | which side a speech is on: by what the game paid, or by the verdict on it |
//! | `preferences` | pairs of speeches after one prompt |
//! | `judge_view` | what a judge was shown, with the verdict that the reference answer calls for |
//! | `lesson` | lessons that debates wrote |
//! | `rollout` | debates on one topic, with what each paid and where its replies stand |

mod chat;
mod grade;
mod judge_view;
mod lesson;
mod preferences;
mod rollout;
mod speech;

pub use chat::ChatMessage;
pub use grade::{GradeBy, Side};
pub use judge_view::{JudgeRow, list_judge_rows};
pub use lesson::{LessonRow, list_lesson_rows};
pub use preferences::{PreferenceRow, TwoSidedPrompts, pair_speeches};
pub use rollout::{ReplyPlace, Rollout, RolloutGroup, describe_rollout};
pub use speech::{ComparisonKey, OutcomeRow, Speech, SpeechOptions, SpeechPlace, list_speeches};

use std::collections::BTreeMap;

/// What became no row, by the reason in words that follow a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoRows(BTreeMap<&'static str, usize>);

impl NoRows {
    /// Counts one.
    pub fn add(&mut self, reason: &'static str) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// Returns the reasons with how often each held, in the order of their words.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.0.iter().map(|(reason, count)| (*reason, *count))
    }
}
