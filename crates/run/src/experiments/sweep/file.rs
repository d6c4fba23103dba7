//! Plan of a sweep as a TOML file: base settings, axes whose product is played, and arms that are listed.
//!
//! Unknown keys are refused with file and line. Paths are as on a command line: from the current folder.

use super::arms::{ArmConditions, Axis, build_arm_name, build_product};
use super::file_reader::{FileReader, Value};
use crate::engine::check_budget;
use crate::experiments::run::{AcceptanceRequest, Casts, Duplicates, TopicCriterion, TopicRequest};
use elenchus_dataset::{ColumnChoice, Selection};
use elenchus_game::debate::event::{DEFAULT_LESSONS, MemoryLookup, Placebo};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{Result, WorkspaceError, reject};
use toml::de::DeTable;

/// Keys of the plan as a whole.
const PLAN_KEYS: [&str; 30] = [
    "dataset",
    "select",
    "category",
    "level",
    "limit",
    "sample",
    "sample_seed",
    "column",
    "ignore",
    "seeds",
    "rollouts",
    "permute_cast",
    "learn_batch",
    "split",
    "placebo",
    "memory_namespace",
    "memory_snapshot",
    "memory_k",
    "memory_min_score",
    "memory_query",
    "keep_duplicates",
    "train_every",
    "train_placebo",
    "accept_guardrails",
    "benign",
    "benign_column",
    "benign_ignore",
    "budget",
    "axes",
    "arms",
];
/// Keys of the conditions of an arm: base settings at the top, values in `[axes]` and `[[arms]]`.
pub(super) const ARM_KEYS: [&str; 8] = [
    "protocol", "model", "rounds", "memory", "set", "seats", "prompts", "cast",
];
const BUDGET_KEYS: [&str; 3] = ["usd", "calls", "tokens"];
/// Key of a listed arm besides its conditions.
const NAME: &str = "name";

/// Plan of a sweep as its file states it.
#[derive(Debug, Clone)]
pub struct SweepFile {
    /// The file's name in messages.
    pub file: String,
    pub text: String,
    /// Topics are drawn once, so that all arms and seeds have the same ones.
    pub topics: TopicRequest,
    pub seeds: Vec<u64>,
    pub rollouts: u32,
    pub casts: Casts,
    pub learn_batch: Option<u32>,
    pub split: Option<f64>,
    pub placebo: Option<Placebo>,
    pub memory_namespace: Option<String>,
    pub memory_snapshot: Option<String>,
    pub lookup: MemoryLookup,
    pub duplicates: Duplicates,
    /// New lessons after which debaters with continuous memory are trained.
    pub train_every: Option<u32>,
    pub train_placebo: bool,
    pub acceptance: Option<AcceptanceRequest>,
    pub ceilings: Ceilings,
    /// In the order in which they are played; others are compared with the first.
    pub arms: Vec<ArmConditions>,
}

impl SweepFile {
    /// Reads a plan. `file` is the name that messages give.
    ///
    /// # Errors
    /// With file and line, when the text is no TOML, a key is unknown or a value cannot be meant.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let reader = FileReader { file, text };
        let whole = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reader.fault_at(at, error.message().trim().replace('\n', "; "))
        })?;
        let whole = whole.get_ref();
        let keys: Vec<&str> = PLAN_KEYS.iter().chain(&ARM_KEYS).copied().collect();
        for (key, _) in whole {
            reader.check_key(key, "a sweep", &keys)?;
        }
        let get = |name: &str| whole.get(name);
        let datasets = parse_texts(reader, get("dataset"))?;
        if datasets.is_empty() {
            let why = "name the data set, as in dataset = \"own:topics.csv\"";
            return Err(reader.fault_at(0, why.to_owned()));
        }
        let seeds = match get("seeds") {
            Some(value) => parse_seeds(reader, value)?,
            None => vec![0],
        };
        let first = seeds.first().copied().unwrap_or(0);
        let selection = Selection {
            categories: parse_texts(reader, get("category"))?,
            levels: parse_levels(reader, get("level"))?,
            limit: parse_optional(get("limit"), |value| reader.parse_count(value))?,
            sample: parse_optional(get("sample"), |value| reader.parse_count(value))?,
            seed: parse_optional(get("sample_seed"), |value| reader.parse_whole(value))?
                .unwrap_or(first),
        };
        if let (Some(limit), Some(_)) = (get("limit"), selection.sample) {
            let why = "'limit' takes the first topics and 'sample' draws some: give one of them";
            return Err(reader.fault_at(limit.span().start, why.to_owned()));
        }
        let mut arms = parse_arms(reader, whole)?;
        let has_axes = get("axes").is_some();
        if has_axes || arms.is_empty() {
            arms.extend(build_product(
                &parse_base(reader, whole)?,
                &parse_axes(reader, get("axes"))?,
            ));
        }
        check_names(reader, &arms)?;
        Ok(Self {
            file: file.to_owned(),
            text: text.to_owned(),
            topics: TopicRequest {
                datasets,
                columns: parse_columns(reader, get("column"), get("ignore"))?,
                selection,
                criterion: parse_optional(get("select"), |value| parse_criterion(reader, value))?,
            },
            seeds,
            rollouts: parse_optional(get("rollouts"), |value| reader.parse_small_count(value))?
                .unwrap_or(1),
            casts: match parse_optional(get("permute_cast"), |value| reader.parse_bool(value))? {
                Some(true) => Casts::EveryPermutation,
                Some(false) | None => Casts::AsGiven,
            },
            learn_batch: parse_optional(get("learn_batch"), |value| {
                reader.parse_small_count(value)
            })?,
            split: parse_optional(get("split"), |value| reader.parse_share(value))?,
            placebo: parse_optional(get("placebo"), |value| reader.parse_placebo(value))?,
            memory_namespace: parse_optional(get("memory_namespace"), |value| {
                reader.parse_text(value)
            })?,
            memory_snapshot: parse_optional(get("memory_snapshot"), |value| {
                reader.parse_text(value)
            })?,
            lookup: MemoryLookup {
                k: parse_optional(get("memory_k"), |value| reader.parse_lesson_count(value))?
                    .unwrap_or(DEFAULT_LESSONS),
                min_score: parse_optional(get("memory_min_score"), |value| {
                    reader.parse_number(value)
                })?,
                query: parse_optional(get("memory_query"), |value| {
                    reader.parse_memory_query(value)
                })?
                .unwrap_or_default(),
            },
            duplicates: match parse_optional(get("keep_duplicates"), |value| {
                reader.parse_bool(value)
            })? {
                Some(true) => Duplicates::Kept,
                Some(false) | None => Duplicates::Merged,
            },
            train_every: parse_optional(get("train_every"), |value| {
                reader.parse_small_count(value)
            })?,
            train_placebo: parse_optional(get("train_placebo"), |value| reader.parse_bool(value))?
                .unwrap_or(false),
            acceptance: parse_acceptance(
                reader,
                get("accept_guardrails"),
                get("benign"),
                [get("benign_column"), get("benign_ignore")],
            )?,
            ceilings: parse_optional(get("budget"), |value| parse_ceilings(reader, value))?
                .unwrap_or_default(),
            arms,
        })
    }
}

fn parse_optional<'v, T>(
    value: Option<&'v Value<'v>>,
    read: impl FnOnce(&'v Value<'v>) -> Result<T>,
) -> Result<Option<T>> {
    value.map(read).transpose()
}

fn parse_seeds(reader: FileReader<'_>, value: &Value<'_>) -> Result<Vec<u64>> {
    let mut seeds = Vec::new();
    for item in reader.parse_items(value)? {
        let seed = reader.parse_whole(item)?;
        if seeds.contains(&seed) {
            let why = format!("seed {seed} is there twice: both would play the same debates");
            return Err(reader.fault_at(item.span().start, why));
        }
        seeds.push(seed);
    }
    Ok(seeds)
}

fn parse_texts(reader: FileReader<'_>, value: Option<&Value<'_>>) -> Result<Vec<String>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    if value.get_ref().is_str() {
        return Ok(vec![reader.parse_text(value)?]);
    }
    let items = reader.parse_items(value)?.iter();
    items.map(|item| reader.parse_text(item)).collect()
}

fn parse_criterion(reader: FileReader<'_>, value: &Value<'_>) -> Result<TopicCriterion> {
    let result = reader.parse_text(value)?.parse();
    result.map_err(|why: WorkspaceError| reader.fault_at(value.span().start, why.to_string()))
}

/// Reads which columns are what, and which are not read.
fn parse_columns(
    reader: FileReader<'_>,
    column: Option<&Value<'_>>,
    ignore: Option<&Value<'_>>,
) -> Result<ColumnChoice> {
    let at = column.or(ignore).map_or(0, |value| value.span().start);
    let fault = |why: String| reader.fault_at(at, why);
    let column_texts = parse_texts(reader, column)?;
    let choices = column_texts.iter().map(|text| text.parse().map_err(fault));
    let choices = choices.collect::<Result<Vec<ColumnChoice>>>()?;
    ColumnChoice::join_choices(&choices, parse_texts(reader, ignore)?).map_err(fault)
}

fn parse_levels(reader: FileReader<'_>, value: Option<&Value<'_>>) -> Result<Vec<u8>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let items = reader.parse_items(value)?.iter();
    let level = |item: &Value<'_>| {
        let level = reader.parse_whole(item)?;
        let small = u8::try_from(level).ok().filter(|level| *level > 0);
        small.ok_or_else(|| reader.fault_at(item.span().start, format!("{level} is no level")))
    };
    items.map(level).collect()
}

fn parse_acceptance(
    reader: FileReader<'_>,
    share: Option<&Value<'_>>,
    benign: Option<&Value<'_>>,
    [column, ignore]: [Option<&Value<'_>>; 2],
) -> Result<Option<AcceptanceRequest>> {
    if let (None, Some(alone)) = (benign, column.or(ignore)) {
        let why =
            "'benign_column' and 'benign_ignore' are about the columns of 'benign': give it too";
        return Err(reader.fault_at(alone.span().start, why.to_owned()));
    }
    match (share, benign) {
        (None, None) => Ok(None),
        (Some(share), Some(benign)) => Ok(Some(AcceptanceRequest {
            max_over_refusal: reader.parse_number(share)?,
            benign: reader.parse_text(benign)?,
            columns: parse_columns(reader, column, ignore)?,
        })),
        (Some(alone), None) | (None, Some(alone)) => {
            let why = "accept_guardrails is a share of the prompts of 'benign': give both";
            Err(reader.fault_at(alone.span().start, why.to_owned()))
        }
    }
}

fn parse_ceilings(reader: FileReader<'_>, value: &Value<'_>) -> Result<Ceilings> {
    let table = reader.parse_table(value, "budget")?;
    for (key, _) in table {
        reader.check_key(key, "[budget]", &BUDGET_KEYS)?;
    }
    let usd = parse_optional(table.get("usd"), |value| reader.parse_number(value))?;
    if let Some(at) = table.get("usd") {
        let check_result = check_budget(usd);
        check_result.map_err(|error| reader.fault_at(at.span().start, error.to_string()))?;
    }
    let count = |value| reader.parse_count(value).map(|count| count as u64);
    Ok(Ceilings {
        cost_usd: usd,
        calls: parse_optional(table.get("calls"), count)?,
        tokens: parse_optional(table.get("tokens"), count)?,
    })
}

/// Reads the base settings: those of every arm that does not say otherwise.
fn parse_base(reader: FileReader<'_>, whole: &DeTable<'_>) -> Result<ArmConditions> {
    let mut base = ArmConditions::default();
    for (key, value) in whole {
        if ARM_KEYS.contains(&key.get_ref().as_ref()) {
            base.apply_key(reader, key, value)?;
        }
    }
    Ok(base.into_base())
}

fn parse_arms(reader: FileReader<'_>, whole: &DeTable<'_>) -> Result<Vec<ArmConditions>> {
    let Some(list) = whole.get("arms") else {
        return Ok(Vec::new());
    };
    let base = parse_base(reader, whole)?;
    let keys: Vec<&str> = ARM_KEYS.iter().chain(&[NAME]).copied().collect();
    let mut arms = Vec::new();
    for item in reader.parse_items(list)? {
        let table = reader.parse_table(item, "arms")?;
        let mut arm = base.clone();
        arm.line = reader.line_at(item.span().start);
        let mut key_words: Vec<(usize, Vec<String>)> = Vec::new();
        for (key, value) in table {
            reader.check_key(key, "[[arms]]", &keys)?;
            if key.get_ref() != NAME {
                let words = arm.apply_key(reader, key, value)?;
                key_words.push((key.span().start, words));
            }
        }
        key_words.sort();
        let words: Vec<String> = key_words.into_iter().flat_map(|(_, words)| words).collect();
        arm.name = match table.get(NAME) {
            Some(name) => reader.parse_text(name)?.trim().to_owned(),
            None => build_arm_name(&arm, &words),
        };
        arms.push(arm);
    }
    Ok(arms)
}

/// Reads the axes, in the order in which they are written.
fn parse_axes<'v>(reader: FileReader<'_>, value: Option<&'v Value<'v>>) -> Result<Vec<Axis>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let mut axes: Vec<Axis> = Vec::new();
    for (key, value) in reader.parse_table(value, "axes")? {
        if ["seed", "seeds"].contains(&key.get_ref().as_ref()) {
            let why = "seeds are no axis: every arm is played with each of them; write seeds = [1, 2] \
                       above the tables";
            return Err(reader.fault_at(key.span().start, why.to_owned()));
        }
        reader.check_key(key, "[axes]", &ARM_KEYS)?;
        match value.get_ref() {
            // set.NAME, seats.SEAT and prompts."PROTOCOL/TEMPLATE" are axes of their own.
            toml::de::DeValue::Table(inner) => {
                for (name, values) in inner {
                    axes.push(Axis::parse(reader, key, Some(name), values)?);
                }
            }
            _ => axes.push(Axis::parse(reader, key, None, value)?),
        }
    }
    axes.sort_by_key(|axis| axis.place);
    Ok(axes)
}

fn check_names(reader: FileReader<'_>, arms: &[ArmConditions]) -> Result<()> {
    for (at, arm) in arms.iter().enumerate() {
        if arms[..at].iter().any(|earlier| earlier.name == arm.name) {
            let why = format!(
                "two arms are called '{}': give them different conditions, or a name = \"…\" each",
                arm.name
            );
            let place = format!("{}:{}", reader.file, arm.line.max(1));
            return reject(format!("{place}: {why}"));
        }
    }
    Ok(())
}
