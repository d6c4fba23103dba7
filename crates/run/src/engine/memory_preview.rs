//! Preview of the memory that a debate about a typed topic would be given.

use super::{RunContext, TypedTopic};
use elenchus_game::debate::event::MemoryLookup;
use elenchus_game::debate::protocol::Settings;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::memory::{
    Ranking, RankingPolicy, WithNotices, preview_guards, preview_lessons,
};
use elenchus_view::memory::{ReadNamespace, TopicMemory};
use std::sync::Arc;

impl RunContext {
    /// Returns how entries of a namespace are ranked for a person who looks for some.
    pub fn memory_ranking(&self, read: &ReadNamespace) -> Ranking {
        let (layout, namespace) = (&self.store.layout, &read.entries.namespace);
        let embedding = Arc::clone(&self.embedding);
        Ranking::new(layout, namespace, embedding, RankingPolicy::Freely)
    }
}

/// Returns the lessons and guardrails that a debate of the usual game would be given. Blocks.
///
/// # Errors
/// When the text is no topic, the game cannot be read, or memory cannot be ranked.
pub fn preview_topic_memory(
    run: &RunContext,
    protocol: &str,
    read: &ReadNamespace,
    text: String,
) -> Result<WithNotices<TopicMemory>, WorkspaceError> {
    let topic = TypedTopic {
        text,
        ..TypedTopic::default()
    };
    let topic = topic.into_topic()?;
    let game = run.library.load_game(protocol, &Settings::default())?;
    let ranking = run.memory_ranking(read);
    let lookup = MemoryLookup::default();
    let lessons = preview_lessons(&read.entries, &ranking, &game, topic.clone(), lookup)?;
    let game = game.with_guardrails(&run.library)?;
    let examples = run.store.recorded_examples();
    let guards = preview_guards(&read.entries, &ranking, &game, topic, (lookup, examples))?;
    Ok(WithNotices {
        found: TopicMemory {
            shown: lessons.found,
            asked: guards.found,
        },
        notices: [lessons.notices, guards.notices].concat(),
    })
}
