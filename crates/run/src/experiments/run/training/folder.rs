//! Folder of a training: what the user's command is given. One is never used twice.

use super::schedule::DueTraining;
use elenchus_game::debate::RunId;
use elenchus_game::debate::event::TrainingTexts;
use elenchus_records::workspace::run::TrainingRecipe;
use elenchus_records::workspace::{Result, reject};
use elenchus_store::{Layout, create_folders, replace_private};
use serde_json::json;
use std::path::PathBuf;

/// What the command said.
pub(super) const OUTPUT: &str = "output.log";
/// Texts, one in JSON on each line.
const TEXTS: &str = "lessons.jsonl";
/// The same as conversations.
const MESSAGES: &str = "messages.jsonl";
const TASK: &str = "training.json";
/// Where the command is to put the adapter.
const ADAPTER: &str = "adapter";
/// What a lesson answers, where a trainer wants conversations.
const LESSON_QUESTION: &str = "What should you heed when you answer?";
/// Folders of one base and generation that are tried: a training that was cut short leaves its own.
const MAX_TRIES: u32 = 1000;
/// Longest part of a folder's name that names the base.
const MAX_SLUG: usize = 40;

/// What is trained.
pub(super) struct TrainingTask<'a> {
    pub run: &'a RunId,
    pub due: &'a DueTraining,
    pub base: &'a str,
    pub recipe: TrainingRecipe,
    pub seed: u64,
}

/// Folder that was written.
pub(super) struct PlannedFolder {
    pub path: PathBuf,
    /// Below the store's folder of trainings.
    pub name: String,
    /// Of the file of texts.
    pub sha256: String,
}

impl PlannedFolder {
    /// Writes a folder that was not there before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn write(layout: &Layout, task: &TrainingTask<'_>) -> Result<Self> {
        let parent = layout.training_folder(task.run.as_str())?;
        create_folders(&parent)?;
        let stem = format!("generation-{}-{}", task.due.generation, slug(task.base));
        let names = (1..=MAX_TRIES).map(|number| match number {
            1 => stem.clone(),
            again => format!("{stem}-{again}"),
        });
        let mut free_names = names.filter(|name| !parent.join(name).exists());
        let Some(name) = free_names.next() else {
            return reject(format!(
                "{} holds {MAX_TRIES} trainings of one generation already: find out why none succeeds, and \
                 move them away",
                parent.display()
            ));
        };
        let path = parent.join(&name);
        create_folders(&path)?;
        let file = task.due.training_texts(task.seed);
        let conversations = file.texts.iter().map(|text| {
            let messages = json!({"messages": [
                {"role": "user", "content": LESSON_QUESTION},
                {"role": "assistant", "content": text},
            ]});
            messages.to_string() + "\n"
        });
        let conversations: String = conversations.collect();
        replace_private(&path.join(TEXTS), file.lines.as_bytes())?;
        replace_private(&path.join(MESSAGES), conversations.as_bytes())?;
        let description = describe_task(task, &name, &file.sha256);
        let text = serde_json::to_string_pretty(&description).unwrap_or_default() + "\n";
        replace_private(&path.join(TASK), text.as_bytes())?;
        Ok(Self {
            name: format!("{}/{name}", task.run),
            path,
            sha256: file.sha256,
        })
    }
}

/// What a command reads of its task.
fn describe_task(task: &TrainingTask<'_>, folder: &str, sha256: &str) -> serde_json::Value {
    let TrainingRecipe {
        rank,
        alpha,
        dropout,
        epochs,
        learning_rate,
    } = task.recipe;
    let texts = match task.due.texts {
        TrainingTexts::Lessons => "lessons",
        TrainingTexts::Placebo => "placebo",
    };
    json!({
        "run": task.run,
        "generation": task.due.generation,
        "base": task.base,
        // No other adapter has it: servers keep what they know of a name.
        "suggested_name": format!("{}-{folder}", task.run),
        "texts": texts,
        "lessons": {"file": TEXTS, "messages": MESSAGES, "count": task.due.lessons.len(), "sha256": sha256},
        "objective": "causal language modelling, cross-entropy, from the base anew on all texts",
        "lora": {"rank": rank, "alpha": alpha, "dropout": dropout, "modules": "attention"},
        "epochs": epochs,
        "learning_rate": learning_rate,
        "seed": task.seed,
        "adapter": ADAPTER,
    })
}

/// Returns what can stand in a folder's name of a model's.
fn slug(base: &str) -> String {
    let last = base
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(base);
    let signs = last.chars().map(|sign| match sign.is_ascii_alphanumeric() {
        true => sign.to_ascii_lowercase(),
        false => '-',
    });
    signs.take(MAX_SLUG).collect()
}
