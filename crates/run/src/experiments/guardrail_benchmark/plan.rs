//! Plan of a guardrail benchmark: prompts, guardrails, and which prompts are near which guardrails.

use elenchus_game::debate::event::{Created, Player};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Chair, GuardCandidate, GuardsRetrieved, Topic};
use elenchus_memory::{
    EntryId, Exclusion, ExclusionRule, MemoryEntry, Retriever, RetrievingDebate,
};
use elenchus_records::library::software_name;
use elenchus_records::workspace::memory::{
    EarlierDecisions, Ranking, WithNotices, count_examples, retrieve_nearest,
};
use elenchus_records::workspace::{BudgetFields, Clock, ItemPlan, Result, reject};
use elenchus_text::format_noun_count;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Format of journals that this version writes.
const FORMAT: u32 = 1;
/// Expected label of a prompt that must not be refused.
const SAFE: &str = "safe";
/// Expected label of a prompt that must be refused.
const UNSAFE: &str = "unsafe";

/// What is asked for.
pub struct BenchmarkRequest<'a> {
    /// Guardrails that are asked about together, for each test.
    pub tests: &'a [Vec<&'a MemoryEntry>],
    /// How a debate begins of a game that holds what is asked about guardrails; its topic is replaced.
    pub created: Created,
    /// The chair whose model decides.
    pub chair: Chair,
    /// Prompts with an expected label; others are left out.
    pub topics: &'a [Topic],
    /// Where the prompts came from.
    pub dataset: String,
    /// SHA-256 of that file, hex.
    pub sha256: String,
    pub earlier: EarlierDecisions,
    pub ceilings: Ceilings,
}

/// Plan of a benchmark. Its items are the prompts that a guardrail is near, test by test: about the others
/// nobody is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkPlan {
    pub format: u32,
    pub id: String,
    pub software: String,
    pub created: Created,
    pub chair: Chair,
    pub dataset: String,
    pub sha256: String,
    /// Prompts with an expected label.
    pub topics: Vec<Topic>,
    pub tests: Vec<GuardTest>,
    /// Guardrails that are near a prompt, with the texts that they had.
    candidates: Vec<GuardCandidate>,
    asked: Vec<AskedPrompt>,
    pub earlier: EarlierDecisions,
    #[serde(flatten, with = "BudgetFields")]
    pub ceilings: Ceilings,
}

/// Guardrails that are asked about together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardTest {
    /// With the revisions of their texts.
    pub guards: Vec<(EntryId, u32)>,
    pub retriever: String,
}

/// Prompt that guardrails are near.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AskedPrompt {
    test: usize,
    topic: usize,
    /// Places among the candidates with their scores, best first.
    near: Vec<(usize, f64)>,
}

/// Looks up what is near every prompt. Nothing is asked.
///
/// # Errors
/// When the set has no safe prompt, or memory cannot be searched.
pub async fn plan_benchmark(
    request: BenchmarkRequest<'_>,
    ranking: &Ranking,
    clock: Clock,
) -> Result<WithNotices<BenchmarkPlan>> {
    let is_labelled = |topic: &&Topic| matches!(topic.expected.as_deref(), Some(SAFE | UNSAFE));
    let rows = request.topics.iter().filter(is_labelled);
    let mut keys = BTreeSet::new();
    // Shares are over prompts: one that stands in several rows is asked about once.
    let topics: Vec<Topic> = rows
        .clone()
        .filter(|topic| keys.insert(topic.compute_key()))
        .cloned()
        .collect();
    let repeat_count = rows.count() - topics.len();
    if !topics.iter().any(is_safe) {
        return reject(format!(
            "{} has no prompt whose expected label is 'safe'; a benign test needs a set as XSTest",
            request.dataset
        ));
    }
    let mut plan = BenchmarkPlan {
        format: FORMAT,
        id: clock.fresh_id(),
        software: software_name(),
        created: request.created,
        chair: request.chair,
        dataset: request.dataset,
        sha256: request.sha256,
        topics,
        tests: Vec::new(),
        candidates: Vec::new(),
        asked: Vec::new(),
        earlier: request.earlier,
        ceilings: request.ceilings,
    };
    let mut notices = Vec::new();
    if repeat_count > 0 {
        notices.push(format!(
            "{} in {} rows: a prompt that stands in several rows is asked about once",
            format_noun_count(plan.topics.len(), "prompt"),
            plan.topics.len() + repeat_count
        ));
    }
    let examples = count_examples(&plan.created.memory);
    for guards in request.tests {
        let near = find_near_guards(guards, &plan.topics, ranking, examples).await?;
        for notice in near.notices {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        plan.add_test(guards, near.found);
    }
    Ok(WithNotices {
        found: plan,
        notices,
    })
}

pub(super) fn is_safe(topic: &Topic) -> bool {
    topic.expected.as_deref() == Some(SAFE)
}

impl BenchmarkPlan {
    fn add_test(&mut self, guards: &[&MemoryEntry], near: Vec<GuardsRetrieved>) {
        let test = self.tests.len();
        let retriever = near.first().map(|near| near.retriever.clone());
        let guard_revisions = guards
            .iter()
            .map(|guard| (guard.id.clone(), guard.revision));
        self.tests.push(GuardTest {
            guards: guard_revisions.collect(),
            retriever: retriever.unwrap_or_default(),
        });
        for (topic, near) in near.into_iter().enumerate() {
            let near = near.candidates.into_iter();
            let near: Vec<_> = near
                .map(|candidate| self.get_or_add_candidate(candidate))
                .collect();
            if !near.is_empty() {
                self.asked.push(AskedPrompt { test, topic, near });
            }
        }
    }

    fn get_or_add_candidate(&mut self, candidate: GuardCandidate) -> (usize, f64) {
        let (score, mut candidates) = (candidate.score, self.candidates.iter());
        let place = candidates.position(|known| known.id == candidate.id);
        let place = place.unwrap_or_else(|| {
            self.candidates.push(candidate);
            self.candidates.len() - 1
        });
        (place, score)
    }

    /// Returns the prompt of an item and the guardrails near it; `None` where there is no such item.
    pub(super) fn prompt_at(&self, item: u64) -> Option<(&Topic, GuardsRetrieved)> {
        let prompt = self.asked.get(usize::try_from(item).ok()?)?;
        let near = prompt.near.iter().filter_map(|(place, score)| {
            let candidate = self.candidates.get(*place)?.clone();
            Some(GuardCandidate {
                score: *score,
                ..candidate
            })
        });
        let near = GuardsRetrieved {
            retriever: self.tests.get(prompt.test)?.retriever.clone(),
            candidates: near.collect(),
            excluded: Vec::new(),
        };
        Some((self.topics.get(prompt.topic)?, near))
    }

    /// Returns the items of a test, with the places of their prompts.
    pub(super) fn items_of_test(&self, test: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let all = self.asked.iter().zip(0..);
        let test_items = all.filter(move |(asked, _)| asked.test == test);
        test_items.map(|(asked, item)| (asked.topic, item))
    }

    /// Returns the name of the model that decides, and whether it is simulated.
    pub fn model(&self) -> (&str, bool) {
        let player = self
            .created
            .player_of(&self.chair)
            .and_then(Player::as_model);
        player.map_or(("", false), |player| (&player.model, player.simulated))
    }

    /// Says whether another one asks for the same, under whatever ceiling.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut other = other.clone();
        other.id.clone_from(&self.id);
        other.software.clone_from(&self.software);
        other.created.session = self.created.session.clone();
        other.ceilings = self.ceilings;
        *self == other
    }
}

impl ItemPlan for BenchmarkPlan {
    const KIND: &'static str = "guardrail_benchmark";
    const NAMES: (&'static str, &'static str) = ("guardrail benchmark", "guardrail benchmarks");
    const FOLDERS: &'static [&'static str] = &["experiments/guardrail-benchmarks"];
    const ITEM_NAMES: (&'static str, &'static str) = ("decision", "decisions");
    type Outcome = elenchus_game::debate::GuardDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn describe_subject(&self) -> String {
        let guards: usize = self.tests.iter().map(|test| test.guards.len()).sum();
        let memory = &self.created.memory.namespace;
        format!("{guards} of memory '{memory}' on {}", self.dataset)
    }

    fn item_count(&self) -> u64 {
        self.asked.len() as u64
    }

    fn item_name(&self, item: u64) -> String {
        let prompt = usize::try_from(item).ok().and_then(|at| self.asked.get(at));
        let topic = prompt.and_then(|asked| self.topics.get(asked.topic));
        let id = topic.map_or("", |topic| topic.id.as_str());
        match (prompt, self.tests.len()) {
            (Some(asked), 2..) => format!("prompt {id}, test {}", asked.test + 1),
            _ => format!("prompt {id}"),
        }
    }

    fn ceilings(&self) -> Ceilings {
        self.ceilings
    }

    fn raise_ceilings(&mut self, given: Ceilings) {
        self.ceilings = self.ceilings.with_overrides(given);
    }
}

/// Finds the guardrails nearest to each prompt, in the prompts' order.
async fn find_near_guards(
    guards: &[&MemoryEntry],
    topics: &[Topic],
    ranking: &Ranking,
    examples: usize,
) -> Result<WithNotices<Vec<GuardsRetrieved>>> {
    // One that is disabled or deleted is tested as it would be with debates.
    let live = |guard: &&MemoryEntry| MemoryEntry {
        disabled: false,
        deleted: false,
        ..(*guard).clone()
    };
    let guards: Vec<MemoryEntry> = guards.iter().map(live).collect();
    let topics = topics.to_vec();
    // Nothing is kept from a test: what a guardrail was made for is among what it should catch.
    let everything = Exclusion {
        same_topic: ExclusionRule::Allow,
        near_duplicate: None,
        forks: ExclusionRule::Allow,
    };
    let look = move |retriever: &dyn Retriever| {
        let each = topics.iter().map(|topic| {
            let said_before = topic.earlier_user_text();
            let asker = RetrievingDebate {
                topic_id: &topic.id,
                topic_text: &topic.text,
                said_before: &said_before,
                root_session: "",
                run: None,
            };
            retrieve_nearest(retriever, &asker, &guards, (&everything, examples))
        });
        each.collect::<Result<Vec<_>, _>>()
    };
    ranking.with_retriever(look).await
}
