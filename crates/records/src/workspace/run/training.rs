//! Training of adapters between the batches of a run: what was asked for, begun, and came of it.

use super::event::{Manifest, RunItem};
use super::state::RunState;
use elenchus_game::debate::event::{Adapter, Created, ModelPlayer, Player, TrainingTexts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// How adapters are trained. Its defaults are RedDebate's (section on long-term memory), whose text names
/// neither epochs nor learning rate: those are of the code that its authors released.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecipe {
    /// Rank of the adapter's matrices.
    pub rank: u32,
    pub alpha: u32,
    pub dropout: f64,
    /// Times that every lesson is seen.
    pub epochs: u32,
    pub learning_rate: f64,
}

impl Default for TrainingRecipe {
    fn default() -> Self {
        Self {
            rank: 16,
            alpha: 16,
            dropout: 0.1,
            epochs: 5,
            learning_rate: 5e-5,
        }
    }
}

/// Lessons that an adapter is trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lessons {
    pub count: u64,
    /// Of the file that holds them.
    pub sha256: String,
}

/// Training that began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingBegun {
    /// Counts from 1.
    pub generation: u32,
    pub base: String,
    pub lessons: Lessons,
    /// Debates of this batch and of later ones play with what is trained.
    pub from_batch: u32,
    /// Folder below the store's `training/`; a simulated training has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Command that is run, without the folder; empty for a simulated training. For the record: no command is
    /// ever taken from a journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// How long a training took, and what it said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrainingOutcome {
    pub seconds: f64,
    /// Last lines of its output, errors included; all of it is in the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

/// Training that gave an adapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainedAdapter {
    #[serde(flatten)]
    pub begun: TrainingBegun,
    /// Name under which the server knows the adapter.
    pub model: String,
    #[serde(flatten)]
    pub outcome: TrainingOutcome,
}

/// Training that gave none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingFailed {
    #[serde(flatten)]
    pub begun: TrainingBegun,
    pub why: String,
    #[serde(flatten)]
    pub outcome: TrainingOutcome,
}

impl Manifest {
    /// Returns the names of the base models that adapters are trained from: those of the judged speakers.
    pub fn list_bases(&self) -> BTreeSet<String> {
        let chairs = self.protocol.judged_chairs();
        let cast = self.casts.iter().flatten();
        let cast = cast.filter(|one| chairs.contains(&one.chair));
        let models = cast.filter_map(|one| one.player.as_model());
        models.map(base_of_player).collect()
    }
}

/// Returns the name of the base model of a participant: the one that its configuration names, else what its
/// server calls it.
pub fn base_of_player(player: &ModelPlayer) -> String {
    let base = player.settings.pointer("/server/model/base");
    base.and_then(|base| base.as_str())
        .map_or_else(|| player.name.clone(), str::to_owned)
}

impl RunState {
    /// Returns the last generation that is trained of every base, before debates of a batch.
    pub fn generation_before(&self, batch: Option<u32>) -> u32 {
        let known = self.trained.iter();
        let known = known.filter(|adapter| Some(adapter.begun.from_batch) <= batch);
        let bases = self.manifest.list_bases();
        let generations: BTreeSet<u32> = known.map(|adapter| adapter.begun.generation).collect();
        let is_whole = |generation: &&u32| {
            bases
                .iter()
                .all(|base| self.find_adapter(**generation, base).is_some())
        };
        generations
            .iter()
            .rev()
            .find(is_whole)
            .copied()
            .unwrap_or(0)
    }

    /// Returns the adapter of a generation and base.
    pub fn find_adapter(&self, generation: u32, base: &str) -> Option<&TrainedAdapter> {
        let mut adapters = self.trained.iter();
        adapters
            .find(|adapter| adapter.begun.generation == generation && adapter.begun.base == base)
    }

    /// Returns the first event of a debate of the run, without what it costs: its debaters play with the
    /// adapters that were trained before its batch.
    pub fn build_first_event(&self, item: &RunItem) -> Created {
        let mut created = self.manifest.build_first_event(item);
        let trains = self.manifest.training.is_some();
        // Replicates of a debate play with the adapters that it had.
        let Some(continuous) = created.memory.continuous.as_mut().filter(|_| trains) else {
            return created;
        };
        continuous.generation = self.generation_before(item.batch);
        let generation = continuous.generation;
        let chairs = created.protocol.judged_chairs();
        for participant in &mut created.cast {
            let Player::Model(player) = &mut participant.player else {
                continue;
            };
            if !chairs.contains(&participant.chair) {
                continue;
            }
            let Some(trained) = self.find_adapter(generation, &base_of_player(player)) else {
                continue;
            };
            match (player.simulated, continuous.texts) {
                (true, TrainingTexts::Lessons) => {
                    set_simulated_generation(&mut player.settings, generation);
                }
                // A placebo teaches nothing.
                (true, TrainingTexts::Placebo) => {}
                (false, _) => player.name.clone_from(&trained.model),
            }
            player.adapter = Some(Box::new(Adapter {
                model: trained.model.clone(),
                base: trained.begun.base.clone(),
                generation,
                lessons: trained.begun.lessons.count,
                lessons_sha256: trained.begun.lessons.sha256.clone(),
            }));
        }
        created
    }
}

/// Lets a simulated model play as one that was trained so often.
fn set_simulated_generation(settings: &mut Value, generation: u32) {
    if let Some(Value::Object(sim)) = settings.get_mut("sim") {
        sim.insert("generation".to_owned(), generation.into());
    }
}
