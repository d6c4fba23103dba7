//! Whether a training is due before a batch, and on which lessons. Depends on the journal and on memory alone, so
//! that a run that goes on trains what it would have trained.

use super::placebo;
use elenchus_game::debate::event::TrainingTexts;
use elenchus_records::workspace::memory::{LessonSet, MemoryBook, write_text_lines};
use elenchus_records::workspace::run::RunState;
use elenchus_store::Hash;
use serde::Serialize;

/// Training that is due.
pub(super) struct DueTraining {
    pub generation: u32,
    /// The batch that waits for it.
    pub from_batch: u32,
    pub lessons: LessonSet,
    pub texts: TrainingTexts,
}

/// Texts that an adapter is trained on, as their file holds them.
pub(super) struct TrainingFile {
    pub lines: String,
    pub sha256: String,
    pub texts: Vec<String>,
}

/// Line of a file of placebo texts.
#[derive(Serialize)]
struct PlaceboLine<'a> {
    text: &'a str,
    /// The lesson that it stands for: who counts tokens makes the text as long as this one.
    as_long_as: &'a str,
}

impl DueTraining {
    /// Returns the training that is due before a batch, the first one of a run included: memory may hold
    /// lessons when it begins. Of memory that is only read adapters are trained once.
    pub(super) fn before_batch(
        state: &RunState,
        memory: &MemoryBook,
        batch: u32,
    ) -> Option<DueTraining> {
        let continuous = state.manifest.memory.continuous?;
        state.manifest.training?;
        let trained_generation = state.generation_before(Some(batch));
        let trained_lessons = lessons_of_generation(state, memory, trained_generation);
        let lessons = memory.lessons_before(state.manifest.run.as_str(), batch);
        let new_lessons = lessons.count_missing_from(&trained_lessons);
        let least = match (state.manifest.memory.writes, trained_generation) {
            (true, _) => continuous.every as usize,
            (false, 0) => 1,
            (false, _) => return None,
        };
        (new_lessons >= least).then_some(DueTraining {
            generation: trained_generation + 1,
            from_batch: batch,
            lessons,
            texts: continuous.texts,
        })
    }

    /// Returns the file that is trained on.
    pub(super) fn training_texts(&self, seed: u64) -> TrainingFile {
        let lessons: Vec<&str> = self.lessons.texts().collect();
        let (lines, texts) = match self.texts {
            TrainingTexts::Lessons => {
                let texts = lessons.iter().map(|&text| text.to_owned()).collect();
                (write_text_lines(lessons.into_iter()), texts)
            }
            TrainingTexts::Placebo => {
                let texts = placebo::write_placebo_texts(&lessons, seed);
                let lines = texts.iter().zip(lessons).map(|(text, as_long_as)| {
                    // Texts always become JSON.
                    let line = PlaceboLine { text, as_long_as };
                    serde_json::to_string(&line).unwrap_or_default() + "\n"
                });
                (lines.collect(), texts)
            }
        };
        TrainingFile {
            sha256: Hash::digest(String::as_bytes(&lines)).to_string(),
            lines,
            texts,
        }
    }
}

/// Returns the lessons that a generation of a run was trained on; none before the first.
pub(super) fn lessons_of_generation(
    state: &RunState,
    memory: &MemoryBook,
    generation: u32,
) -> LessonSet {
    let mut trained = state.trained.iter();
    let trained = trained.find(|adapter| adapter.begun.generation == generation);
    match trained {
        Some(adapter) => {
            memory.lessons_before(state.manifest.run.as_str(), adapter.begun.from_batch)
        }
        None => LessonSet::default(),
    }
}
