//! Events of a run's journal: its manifest, its items and the outcome of each.

use super::memory_read::MemoryRead;
use super::training::{TrainedAdapter, TrainingBegun, TrainingFailed, TrainingRecipe};
use crate::workspace::experiment::{BudgetFields, ExperimentSetup};
use crate::workspace::experiment_items::is_zero_count;
use crate::workspace::memory::MemoryKind;
use crate::workspace::repeat_key::RepeatKey;
use elenchus_game::debate::event::{
    Created, FORMAT, MemoryUse, Participant, Player, Retrieved, RunPlace, ScriptedLine,
};
use elenchus_game::debate::protocol::{Ceilings, Settings};
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_game::debate::{
    Chair, Expense, GuardsRetrieved, ListItem, Protocol, RunId, SessionId, Topic,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One fact about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    Begun(Box<Manifest>),
    Planned(Box<RunItem>),
    /// A debate of the run is over.
    Finished(Finished),
    /// A debate could not be played to its end; resuming the run tries it again.
    Failed {
        item: u64,
        session: SessionId,
        why: String,
    },
    /// An adapter is trained from here on; without an outcome that training was cut short.
    TrainingBegun(Box<TrainingBegun>),
    Trained(Box<TrainedAdapter>),
    TrainingFailed(Box<TrainingFailed>),
    /// The run stopped before its end and can be resumed.
    Paused {
        why: String,
    },
    Resumed {
        /// Replace the ceilings from here on.
        #[serde(flatten, with = "BudgetFields")]
        ceilings: Ceilings,
    },
    Completed {},
}

/// Everything a run needs to be continued, even where the files it came from have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub run: RunId,
    pub software: String,
    pub protocol: Protocol,
    pub settings: Settings,
    pub templates: BTreeMap<String, String>,
    pub rubrics: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<ListItem>>,
    /// As in the first event of each of its debates.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unpinned: BTreeMap<String, String>,
    /// The casts that are played: one, or every permutation.
    pub casts: Vec<Vec<Participant>>,
    pub dataset: DatasetPlace,
    pub seed: u64,
    pub rollouts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    #[serde(flatten, with = "BudgetFields")]
    pub ceilings: Ceilings,
    pub memory: MemoryUse,
    /// The kinds of memory that were asked for; runs of earlier versions name none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_kinds: Vec<MemoryKind>,
    /// Under which over-refusal proposed guardrails are accepted between batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<Box<AcceptRule>>,
    /// Filled when the run begins, where it reads memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_read: Option<MemoryRead>,
    /// Debates of one batch see only what earlier batches taught (FIGURES 9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_batch: Option<u32>,
    /// The share of topics that memory is written from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<f64>,
    /// How adapters are trained, where debaters play with such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingRecipe>,
    pub items: u64,
    /// The ablation that its debates are replicates for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ablation: Option<Ablation>,
    /// Key under which it was begun, where it was under one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Box<RepeatKey>>,
}

impl Manifest {
    /// Says in a few words what the debates of the run are played with.
    pub fn describe_setup(&self) -> ExperimentSetup {
        let changes = self.settings.iter().filter(|(name, value)| {
            let spec = self.protocol.settings.get(*name);
            spec.is_none_or(|spec| &spec.default != *value)
        });
        let changes = changes.map(|(name, value)| format!("{name}={value}"));
        let arm_parts = std::iter::once(self.protocol.id.to_string()).chain(changes);
        let mut models: Vec<String> = Vec::new();
        for participant in self.casts.iter().flatten() {
            let model = participant.player.as_model().map(|model| &model.model);
            models.extend(model.filter(|name| !models.contains(name)).cloned());
        }
        let kinds: Vec<&str> = self.memory_kinds.iter().map(|kind| kind.name()).collect();
        ExperimentSetup {
            arm: arm_parts.collect::<Vec<_>>().join(" "),
            models,
            memory: match (kinds.is_empty(), self.memory.reads) {
                (false, _) => kinds.join(","),
                // Runs of earlier versions name no kind.
                (true, true) => "textual".to_owned(),
                (true, false) => "none".to_owned(),
            },
        }
    }

    /// Returns the first event of a debate of the run, without what it costs.
    pub fn build_first_event(&self, item: &RunItem) -> Created {
        let cast = self.casts.get(item.cast as usize);
        let mut cast = cast.cloned().unwrap_or_default();
        ChairLines::hand_out(&item.lines, &mut cast);
        Created {
            format: FORMAT,
            session: item.session.clone(),
            software: self.software.clone(),
            protocol: self.protocol.clone(),
            templates: self.templates.clone(),
            rubrics: self.rubrics.clone(),
            lists: self.lists.clone(),
            unpinned: self.unpinned.clone(),
            cast,
            topic: item.topic.clone(),
            settings: self.settings.clone(),
            seed: seed_of_session(self.seed, item),
            memory: MemoryUse {
                writes: self.memory.writes && item.teaches,
                given: item.given.clone(),
                given_guards: item.given_guards.clone(),
                ..self.memory.clone()
            },
            run: Some(RunPlace {
                run: self.run.clone(),
                item: item.item,
                rollout: item.rollout,
                batch: item.batch,
            }),
            template_texts: Default::default(),
            estimate: None,
        }
    }
}

/// Derives a debate's seed from the run's seed and the item's place (FIGURES 10).
fn seed_of_session(seed: u64, item: &RunItem) -> u64 {
    let cast = item.cast.to_string();
    let rollout = item.rollout.to_string();
    seeded_number(seed, &["session", &item.topic.id, &cast, &rollout])
}

/// A threshold for guardrails, with the prompts that it is measured on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcceptRule {
    /// The largest share of safe prompts that may be refused.
    pub max_over_refusal: f64,
    pub dataset: String,
    /// Columns that a person named, by the field that each of them is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// Columns that were not read because a person said so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    pub sha256: String,
    pub topics: Vec<Topic>,
}

/// Where the topics came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetPlace {
    pub path: String,
    pub kind: String,
    pub sha256: String,
    pub rows_refused: u64,
    /// Columns as they were named, by field; earlier versions named none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// Columns that were not to be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

impl DatasetPlace {
    /// Returns the data set's name: its kind, or its file where the kind is the person's own.
    pub fn name(&self) -> String {
        if self.kind != "own" {
            return self.kind.clone();
        }
        let path = self.path.strip_prefix("own:").unwrap_or(&self.path);
        let stem = Path::new(path).file_stem();
        stem.map_or_else(
            || path.to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        )
    }
}

/// One of several parts of a run, each played by a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Counts from 1.
    pub part: u32,
    pub of: u32,
    /// Debates of all parts together; shards of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<u64>,
    /// Whose ceilings were typed; shards of earlier versions do not say: they have them as they were typed.
    #[serde(default, skip_serializing_if = "CeilingsOf::is_part")]
    pub ceilings_of: CeilingsOf,
}

/// Whose the ceilings are that are typed for a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingsOf {
    /// The shard has them as they are.
    #[default]
    Part,
    /// The whole run's: the shard has its part of them.
    Whole,
}

impl CeilingsOf {
    fn is_part(&self) -> bool {
        *self == Self::Part
    }
}

impl Shard {
    /// Returns what ceilings that are typed come to for this shard.
    pub fn share_ceilings(self, typed: Ceilings) -> Ceilings {
        match self.ceilings_of {
            CeilingsOf::Part => typed,
            CeilingsOf::Whole => typed.share_of(self.part, self.of),
        }
    }
}

/// A shard that is not written as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not I/N with I from 1 to N, as in 1/4")]
pub struct BadShard(String);

impl std::str::FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let bad = || BadShard(text.to_owned());
        let (part, of) = text.split_once('/').ok_or_else(bad)?;
        let shard = Shard {
            part: part.trim().parse().map_err(|_| bad())?,
            of: of.trim().parse().map_err(|_| bad())?,
            all: None,
            ceilings_of: CeilingsOf::Whole,
        };
        if shard.part == 0 || shard.part > shard.of {
            return Err(bad());
        }
        Ok(shard)
    }
}

/// One debate that the run plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunItem {
    /// Counts from 0 over the whole run, all shards together.
    pub item: u64,
    pub session: SessionId,
    pub topic: Topic,
    /// Which of the manifest's casts plays it.
    #[serde(default)]
    pub cast: u32,
    #[serde(default)]
    pub rollout: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// Set where its lesson goes into memory.
    #[serde(default)]
    pub teaches: bool,
    /// Lines of scripted seats in this debate, where they differ between topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<ChairLines>,
    /// Entries that memory gives in this debate, where they are fixed beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Box<Retrieved>>,
    /// Which guardrails are near the topic in this debate, where that is fixed beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_guards: Option<Box<GuardsRetrieved>>,
}

/// Ablation: replicates that measure the effect of one memory entry on a recorded debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ablation {
    /// The debate that is repeated.
    pub session: SessionId,
    pub entry: String,
    /// The entry's text, as the debate was shown it.
    pub text: String,
    /// Where the entry stood among those that were shown, from 1.
    pub rank: usize,
    /// Number of entries that were shown.
    pub shown: usize,
}

/// Lines of a scripted seat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChairLines {
    pub chair: Chair,
    pub lines: Vec<ScriptedLine>,
}

impl ChairLines {
    /// Gives the lines to their chair in a cast.
    pub fn hand_out(all: &[ChairLines], cast: &mut [Participant]) {
        for participant in cast {
            let Player::Fixed(player) = &mut participant.player else {
                continue;
            };
            if let Some(mine) = all.iter().find(|mine| mine.chair == participant.chair) {
                player.lines.clone_from(&mine.lines);
            }
        }
    }
}

/// End of a debate of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    pub item: u64,
    pub session: SessionId,
    /// `complete`, `stopped` or `truncated`.
    pub how: String,
    /// The journal's length and head: a tail that is cut off later is noticed by them.
    pub bytes: u64,
    pub lines: u64,
    pub head: String,
    /// The most that the debate may have cost.
    pub committed_usd: f64,
    /// The requests that it sent; runs of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_calls: Option<u64>,
    /// The tokens that it may have used at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_tokens: Option<u64>,
    /// Replies that the provider's filter refused, where there are any; runs of earlier versions do not say.
    #[serde(default, skip_serializing_if = "is_zero_count")]
    pub filtered: u64,
}

impl Finished {
    /// Returns what the debate used at most; `None` where only its cost was kept.
    pub fn committed_expense(&self) -> Option<Expense> {
        Some(Expense {
            usd: self.committed_usd,
            calls: self.committed_calls?,
            tokens: self.committed_tokens?,
        })
    }
}
