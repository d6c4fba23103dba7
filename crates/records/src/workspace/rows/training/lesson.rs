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
    pub topic: String,
    pub topic_key: String,
    pub protocol: String,
    pub simulated: bool,
}

/// Returns a debate's own lesson; `None` where it wrote none.
pub fn build_lesson_row(session: &SessionId, state: &State, row: &DebateRow) -> Option<LessonRow> {
    if state.is_lesson_inherited() {
        return None;
    }
    let lesson = state.lesson()?;
    let text = lesson.reply.text.trim();
    (!is_blank(text)).then(|| LessonRow {
        text: text.to_owned(),
        session: session.to_string(),
        entry: lesson.entry.clone(),
        topic: row.topic.id.clone(),
        topic_key: row.topic.key.to_string(),
        protocol: row.protocol.clone(),
        simulated: row.simulated,
    })
}
