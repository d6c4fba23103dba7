//! Lessons that debates wrote, as texts for a language model.

use elenchus_game::debate::{SessionId, State, is_blank};
use elenchus_metrics::DebateRow;
use serde::Serialize;

/// A lesson.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LessonRow {
    pub text: String,
    pub session: String,
    /// Its entry in memory.
    pub entry: String,
    /// The seat that it is for alone.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub learner: Option<String>,
    pub topic: String,
    pub topic_key: String,
    pub protocol: String,
    pub simulated: bool,
}

/// Returns a debate's own lessons: none, one, or that of each seat which learns for itself.
pub fn list_lesson_rows(session: &SessionId, state: &State, row: &DebateRow) -> Vec<LessonRow> {
    if state.is_lesson_inherited() {
        return Vec::new();
    }
    let written = state
        .lessons()
        .filter(|lesson| !is_blank(&lesson.reply.text));
    let rows = written.map(|lesson| LessonRow {
        text: lesson.reply.text.trim().to_owned(),
        session: session.to_string(),
        entry: lesson.entry.clone(),
        learner: lesson.learner.as_ref().map(ToString::to_string),
        topic: row.topic.id.clone(),
        topic_key: row.topic.key.to_string(),
        protocol: row.protocol.clone(),
        simulated: row.simulated,
    });
    rows.collect()
}
