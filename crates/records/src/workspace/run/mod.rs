//! Runs as their journals hold them: manifest, items, and the state that is folded from both.
//! `experiments` plays them.

mod comparable;
mod event;
mod facts;
mod memory_read;
mod state;
mod training;
mod whole;

pub use event::{
    Ablation, AcceptRule, CeilingsOf, ChairLines, DatasetPlace, Finished, Manifest, RunEvent,
    RunItem, Shard,
};
pub use facts::RunFacts;
pub use memory_read::MemoryRead;
pub use state::{RunState, read_begun_run, read_run};
pub use training::{
    Lessons, TrainedAdapter, TrainingBegun, TrainingFailed, TrainingOutcome, TrainingRecipe,
    base_of_player,
};
pub(in crate::workspace) use whole::{BegunShard, group_shards};
pub use whole::{PlayedTwice, ShardFacts, WholeRun, fold_shards};
