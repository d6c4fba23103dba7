//! Shards of one plan whose journals lie in one store: they are one run.

use super::state::RunState;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{RunId, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A run that is a shard, as far as it can be put together with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardFacts {
    /// What all shards of one plan have in common.
    plan: String,
    part: u32,
    of: u32,
    /// Debates of all parts together; shards of earlier versions do not say.
    all: Option<u64>,
    items: Vec<ShardItem>,
}

/// A debate of a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ShardItem {
    item: u64,
    session: SessionId,
    topic: String,
    end: ItemEnd,
}

/// What became of a debate; the better comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum ItemEnd {
    Finished,
    Failed,
    Open,
}

impl ShardFacts {
    /// Returns what a run is as a shard; `None` where it is whole.
    pub(super) fn from_run(run: &RunState) -> Option<Self> {
        let shard = run.manifest.shard?;
        let items = run.items.iter().map(|item| ShardItem {
            item: item.item,
            session: item.session.clone(),
            topic: item.topic.id.clone(),
            end: match (
                run.finished.contains_key(&item.item),
                run.failed.contains_key(&item.item),
            ) {
                (true, _) => ItemEnd::Finished,
                (false, true) => ItemEnd::Failed,
                (false, false) => ItemEnd::Open,
            },
        });
        Some(Self {
            plan: run.manifest.plan_hash().to_string(),
            part: shard.part,
            of: shard.of,
            all: shard.all,
            items: items.collect(),
        })
    }
}

/// Shards of one plan that are here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeRun {
    /// The first run of its first part that is here: the others go by this id.
    pub id: RunId,
    /// How many parts it has.
    pub of: u32,
    /// How many debates all parts have together, where that is known.
    pub all: Option<u64>,
    /// The runs of each part that is here; a part that was begun anew has several.
    pub parts: BTreeMap<u32, Vec<RunId>>,
    /// What is counted of each debate.
    counted: BTreeMap<u64, (RunId, ShardItem)>,
    /// Debates that several shards played.
    pub twice: Vec<PlayedTwice>,
}

/// A debate that was played by more than one shard: one of them counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedTwice {
    pub topic: String,
    pub counted: (RunId, SessionId),
    pub left_out: (RunId, SessionId),
}

impl PlayedTwice {
    /// Says so.
    pub fn describe(&self) -> String {
        format!(
            "session {}: topic '{}' was played by two shards, runs {} and {}; only session {} is counted",
            self.left_out.1, self.topic, self.counted.0, self.left_out.0, self.counted.1
        )
    }
}

impl WholeRun {
    /// Returns the parts that are not here.
    pub fn missing_parts(&self) -> Vec<u32> {
        let parts = 1..=self.of;
        parts
            .filter(|part| !self.parts.contains_key(part))
            .collect()
    }

    /// Says which parts are not here.
    pub fn describe_missing(&self) -> String {
        let missing: Vec<String> = self.missing_parts().iter().map(u32::to_string).collect();
        match missing.as_slice() {
            [] => "all parts are here".to_owned(),
            [part] => format!("part {part} is not here"),
            parts => format!("parts {} are not here", parts.join(", ")),
        }
    }

    /// Returns the runs that it is made of.
    pub fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.parts.values().flatten()
    }

    /// Returns the sessions of its debates that finished, then of those that failed, in the order of its debates.
    pub fn list_ended_sessions(&self) -> (Vec<SessionId>, Vec<SessionId>) {
        let of_end = |end: ItemEnd| {
            let counted = self.counted.values();
            let ended = counted.filter(move |(_, item)| item.end == end);
            ended.map(|(_, item)| item.session.clone()).collect()
        };
        (of_end(ItemEnd::Finished), of_end(ItemEnd::Failed))
    }

    /// Returns how many of its debates came to an end or failed, and how many there are, with those of parts that are
    /// not here where that is known.
    pub fn count_ended(&self) -> (usize, usize) {
        let ended = self.counted.values();
        let ended = ended.filter(|(_, item)| item.end != ItemEnd::Open).count();
        let all = self.all.and_then(|all| usize::try_from(all).ok());
        (ended, all.unwrap_or(0).max(self.counted.len()))
    }

    fn from_shards(mut shards: Vec<BegunShard>) -> Option<Self> {
        shards.sort_by(|a, b| (a.2.part, &a.1, &a.0).cmp(&(b.2.part, &b.1, &b.0)));
        let (id, _, first) = shards.first()?;
        let mut whole = Self {
            id: id.clone(),
            of: first.of,
            all: shards.iter().find_map(|(_, _, shard)| shard.all),
            parts: BTreeMap::new(),
            counted: BTreeMap::new(),
            twice: Vec::new(),
        };
        for (run, _, shard) in shards {
            whole.parts.entry(shard.part).or_default().push(run.clone());
            for item in shard.items {
                whole.add_item(&run, item);
            }
        }
        Some(whole)
    }

    /// Counts a debate, unless another shard played it, as well or earlier.
    fn add_item(&mut self, run: &RunId, item: ShardItem) {
        let number = item.item;
        let Some((other_run, other)) = self.counted.get(&number).cloned() else {
            self.counted.insert(number, (run.clone(), item));
            return;
        };
        let (counted, left_out) = match item.end < other.end {
            true => ((run.clone(), item), (other_run, other)),
            false => ((other_run, other), (run.clone(), item)),
        };
        if left_out.1.end != ItemEnd::Open {
            self.twice.push(PlayedTwice {
                topic: left_out.1.topic.clone(),
                counted: (counted.0.clone(), counted.1.session.clone()),
                left_out: (left_out.0, left_out.1.session),
            });
        }
        self.counted.insert(number, counted);
    }

    /// Puts the states of its runs together.
    fn merge_states(self, runs: &BTreeMap<RunId, RunState>) -> Option<RunState> {
        let mut merged = runs.get(&self.id)?.clone();
        merged.items.clear();
        merged.finished.clear();
        merged.failed.clear();
        for (number, (run, counted)) in &self.counted {
            let Some(run) = runs.get(run) else { continue };
            let item = run.items.iter().find(|item| item.item == *number);
            merged.items.extend(item.cloned());
            match counted.end {
                ItemEnd::Finished => {
                    let done = run.finished.get(number).cloned();
                    merged.finished.extend(done.map(|done| (*number, done)));
                }
                ItemEnd::Failed => {
                    let why = run.failed.get(number).cloned();
                    merged.failed.extend(why.map(|why| (*number, why)));
                }
                ItemEnd::Open => {}
            }
        }
        let states: Vec<&RunState> = self.runs().filter_map(|run| runs.get(run)).collect();
        let states = || states.iter();
        let begun = states().map(|run| run.begun_at.clone()).min();
        merged.begun_at = begun.unwrap_or_default();
        merged.completed = self.missing_parts().is_empty()
            && merged.finished.len() == merged.items.len()
            && merged.failed.is_empty();
        let mut open = states().filter(|run| !run.completed);
        merged.paused = match merged.completed {
            true => None,
            false if states().all(|run| run.completed) => Some(self.describe_missing()),
            false => open.find_map(|run| run.paused.clone()),
        };
        let mut ceilings = states().map(|run| run.manifest.ceilings);
        let first = ceilings.next().unwrap_or_default();
        merged.manifest.ceilings = ceilings.fold(first, Ceilings::plus);
        merged.whole = Some(Box::new(self));
        Some(merged)
    }
}

/// A shard with its run and the time at which that was begun.
pub(in crate::workspace) type BegunShard = (RunId, String, ShardFacts);

/// Puts shards of one plan together.
pub(in crate::workspace) fn group_shards(
    shards: impl IntoIterator<Item = BegunShard>,
) -> Vec<WholeRun> {
    let mut by_plan: BTreeMap<(String, u32), Vec<BegunShard>> = BTreeMap::new();
    for (run, begun_at, shard) in shards {
        let of_plan = by_plan.entry((shard.plan.clone(), shard.of)).or_default();
        of_plan.push((run, begun_at, shard));
    }
    let wholes = by_plan.into_values().filter_map(WholeRun::from_shards);
    wholes.collect()
}

/// Puts shards of one plan together, in place of the first of them; other runs stay as they are.
pub fn fold_shards(runs: Vec<RunState>) -> Vec<RunState> {
    let shards = runs.iter().filter_map(|run| {
        let shard = ShardFacts::from_run(run)?;
        Some((run.manifest.run.clone(), run.begun_at.clone(), shard))
    });
    let wholes = group_shards(shards);
    if wholes.is_empty() {
        return runs;
    }
    let (shards, mut folded): (Vec<RunState>, Vec<RunState>) =
        (runs.into_iter()).partition(|run| run.manifest.shard.is_some());
    let shards = shards.into_iter();
    let shards: BTreeMap<RunId, RunState> =
        shards.map(|run| (run.manifest.run.clone(), run)).collect();
    let wholes = wholes.into_iter();
    folded.extend(wholes.filter_map(|whole| whole.merge_states(&shards)));
    folded
}
