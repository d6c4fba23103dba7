//! Plan of a sweep as a TOML file: base settings, axes whose product is played, and arms that are listed.
//!
//! Unknown keys are refused with file and line. Paths are as on a command line: from the current folder.

use super::arms::{ArmConditions, Axis, name_of, product};
use super::file_reader::{FileReader, Value};
use crate::engine::check_budget;
use crate::experiments::run::{AcceptanceRequest, Casts, Duplicates, TopicCriterion, TopicRequest};
use elenchus_dataset::{ColumnChoice, Selection};
use elenchus_game::debate::event::{DEFAULT_LESSONS, MemoryLookup};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{Result, invalid};
use toml::de::DeTable;

/// Keys of the plan as a whole.
const PLAN_KEYS: [&str; 27] = [
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
    "memory_namespace",
    "memory_snapshot",
    "memory_k",
    "memory_min_score",
    "memory_query",
    "keep_duplicates",
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
    pub memory_namespace: Option<String>,
    pub memory_snapshot: Option<String>,
    pub lookup: MemoryLookup,
    pub duplicates: Duplicates,
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
            reader.fault(at, error.message().trim().replace('\n', "; "))
        })?;
        let whole = whole.get_ref();
        let known: Vec<&str> = PLAN_KEYS.iter().chain(&ARM_KEYS).copied().collect();
        for (key, _) in whole {
            reader.check_key(key, "a sweep", &known)?;
        }
        let get = |name: &str| whole.get(name);
        let datasets = texts(reader, get("dataset"))?;
        if datasets.is_empty() {
            let why = "name the data set, as in dataset = \"own:topics.csv\"";
            return Err(reader.fault(0, why.to_owned()));
        }
        let seeds = match get("seeds") {
            Some(value) => seeds(reader, value)?,
            None => vec![0],
        };
        let first = seeds.first().copied().unwrap_or(0);
        let selection = Selection {
            categories: texts(reader, get("category"))?,
            levels: levels(reader, get("level"))?,
            limit: optional(get("limit"), |value| reader.count(value))?,
            sample: optional(get("sample"), |value| reader.count(value))?,
            seed: optional(get("sample_seed"), |value| reader.whole(value))?.unwrap_or(first),
        };
        if let (Some(limit), Some(_)) = (get("limit"), selection.sample) {
            let why = "'limit' takes the first topics and 'sample' draws some: give one of them";
            return Err(reader.fault(limit.span().start, why.to_owned()));
        }
        let mut arms = listed_arms(reader, whole)?;
        let has_axes = get("axes").is_some();
        if has_axes || arms.is_empty() {
            arms.extend(product(&base(reader, whole)?, &axes(reader, get("axes"))?));
        }
        check_names(reader, &arms)?;
        Ok(Self {
            file: file.to_owned(),
            text: text.to_owned(),
            topics: TopicRequest {
                datasets,
                columns: columns(reader, get("column"), get("ignore"))?,
                selection,
                criterion: optional(get("select"), |value| criterion(reader, value))?,
            },
            seeds,
            rollouts: optional(get("rollouts"), |value| reader.small(value))?.unwrap_or(1),
            casts: match optional(get("permute_cast"), |value| reader.yes_or_no(value))? {
                Some(true) => Casts::EveryPermutation,
                Some(false) | None => Casts::AsGiven,
            },
            learn_batch: optional(get("learn_batch"), |value| reader.small(value))?,
            split: optional(get("split"), |value| reader.share(value))?,
            memory_namespace: optional(get("memory_namespace"), |value| reader.text_of(value))?,
            memory_snapshot: optional(get("memory_snapshot"), |value| reader.text_of(value))?,
            lookup: MemoryLookup {
                k: optional(get("memory_k"), |value| reader.lessons(value))?
                    .unwrap_or(DEFAULT_LESSONS),
                min_score: optional(get("memory_min_score"), |value| reader.number(value))?,
                query: optional(get("memory_query"), |value| reader.memory_query(value))?
                    .unwrap_or_default(),
            },
            duplicates: match optional(get("keep_duplicates"), |value| reader.yes_or_no(value))? {
                Some(true) => Duplicates::Kept,
                Some(false) | None => Duplicates::Merged,
            },
            acceptance: acceptance(
                reader,
                get("accept_guardrails"),
                get("benign"),
                [get("benign_column"), get("benign_ignore")],
            )?,
            ceilings: optional(get("budget"), |value| ceilings(reader, value))?.unwrap_or_default(),
            arms,
        })
    }
}

fn optional<'v, T>(
    value: Option<&'v Value<'v>>,
    read: impl FnOnce(&'v Value<'v>) -> Result<T>,
) -> Result<Option<T>> {
    value.map(read).transpose()
}

fn seeds(reader: FileReader<'_>, value: &Value<'_>) -> Result<Vec<u64>> {
    let mut seeds = Vec::new();
    for item in reader.items(value)? {
        let seed = reader.whole(item)?;
        if seeds.contains(&seed) {
            let why = format!("seed {seed} is there twice: both would play the same debates");
            return Err(reader.fault(item.span().start, why));
        }
        seeds.push(seed);
    }
    Ok(seeds)
}

fn texts(reader: FileReader<'_>, value: Option<&Value<'_>>) -> Result<Vec<String>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    if value.get_ref().is_str() {
        return Ok(vec![reader.text_of(value)?]);
    }
    let items = reader.items(value)?.iter();
    items.map(|item| reader.text_of(item)).collect()
}

fn criterion(reader: FileReader<'_>, value: &Value<'_>) -> Result<TopicCriterion> {
    let read = reader.text_of(value)?.parse();
    read.map_err(|why: String| reader.fault(value.span().start, why))
}

/// Reads which columns are what, and which are not read.
fn columns(
    reader: FileReader<'_>,
    column: Option<&Value<'_>>,
    ignore: Option<&Value<'_>>,
) -> Result<ColumnChoice> {
    let at = column.or(ignore).map_or(0, |value| value.span().start);
    let fault = |why: String| reader.fault(at, why);
    let named = texts(reader, column)?;
    let choices = named.iter().map(|text| text.parse().map_err(fault));
    let choices = choices.collect::<Result<Vec<ColumnChoice>>>()?;
    ColumnChoice::joined(&choices, texts(reader, ignore)?).map_err(fault)
}

fn levels(reader: FileReader<'_>, value: Option<&Value<'_>>) -> Result<Vec<u8>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let items = reader.items(value)?.iter();
    let level = |item: &Value<'_>| {
        let level = reader.whole(item)?;
        let small = u8::try_from(level).ok().filter(|level| *level > 0);
        small.ok_or_else(|| reader.fault(item.span().start, format!("{level} is no level")))
    };
    items.map(level).collect()
}

fn acceptance(
    reader: FileReader<'_>,
    share: Option<&Value<'_>>,
    benign: Option<&Value<'_>>,
    [column, ignore]: [Option<&Value<'_>>; 2],
) -> Result<Option<AcceptanceRequest>> {
    if let (None, Some(alone)) = (benign, column.or(ignore)) {
        let why =
            "'benign_column' and 'benign_ignore' are about the columns of 'benign': give it too";
        return Err(reader.fault(alone.span().start, why.to_owned()));
    }
    match (share, benign) {
        (None, None) => Ok(None),
        (Some(share), Some(benign)) => Ok(Some(AcceptanceRequest {
            max_over_refusal: reader.number(share)?,
            benign: reader.text_of(benign)?,
            columns: columns(reader, column, ignore)?,
        })),
        (Some(alone), None) | (None, Some(alone)) => {
            let why = "accept_guardrails is a share of the prompts of 'benign': give both";
            Err(reader.fault(alone.span().start, why.to_owned()))
        }
    }
}

fn ceilings(reader: FileReader<'_>, value: &Value<'_>) -> Result<Ceilings> {
    let table = reader.table(value, "budget")?;
    for (key, _) in table {
        reader.check_key(key, "[budget]", &BUDGET_KEYS)?;
    }
    let usd = optional(table.get("usd"), |value| reader.number(value))?;
    if let Some(at) = table.get("usd") {
        let checked = check_budget(usd);
        checked.map_err(|error| reader.fault(at.span().start, error.to_string()))?;
    }
    let count = |value| reader.count(value).map(|count| count as u64);
    Ok(Ceilings {
        cost_usd: usd,
        calls: optional(table.get("calls"), count)?,
        tokens: optional(table.get("tokens"), count)?,
    })
}

/// Reads the base settings: those of every arm that does not say otherwise.
fn base(reader: FileReader<'_>, whole: &DeTable<'_>) -> Result<ArmConditions> {
    let mut base = ArmConditions::default();
    for (key, value) in whole {
        if ARM_KEYS.contains(&key.get_ref().as_ref()) {
            base.read_all(reader, key, value)?;
        }
    }
    Ok(base.into_base())
}

fn listed_arms(reader: FileReader<'_>, whole: &DeTable<'_>) -> Result<Vec<ArmConditions>> {
    let Some(list) = whole.get("arms") else {
        return Ok(Vec::new());
    };
    let base = base(reader, whole)?;
    let known: Vec<&str> = ARM_KEYS.iter().chain(&[NAME]).copied().collect();
    let mut arms = Vec::new();
    for item in reader.items(list)? {
        let table = reader.table(item, "arms")?;
        let mut arm = base.clone();
        arm.line = reader.line(item.span().start);
        let mut said: Vec<(usize, Vec<String>)> = Vec::new();
        for (key, value) in table {
            reader.check_key(key, "[[arms]]", &known)?;
            if key.get_ref() != NAME {
                let words = arm.read_all(reader, key, value)?;
                said.push((key.span().start, words));
            }
        }
        said.sort();
        let words: Vec<String> = said.into_iter().flat_map(|(_, words)| words).collect();
        arm.name = match table.get(NAME) {
            Some(name) => reader.text_of(name)?.trim().to_owned(),
            None => name_of(&arm, &words),
        };
        arms.push(arm);
    }
    Ok(arms)
}

/// Reads the axes, in the order in which they are written.
fn axes<'v>(reader: FileReader<'_>, value: Option<&'v Value<'v>>) -> Result<Vec<Axis>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let mut axes: Vec<Axis> = Vec::new();
    for (key, value) in reader.table(value, "axes")? {
        if ["seed", "seeds"].contains(&key.get_ref().as_ref()) {
            let why = "seeds are no axis: every arm is played with each of them; write seeds = [1, 2] \
                       above the tables";
            return Err(reader.fault(key.span().start, why.to_owned()));
        }
        reader.check_key(key, "[axes]", &ARM_KEYS)?;
        match value.get_ref() {
            // set.NAME, seats.SEAT and prompts."PROTOCOL/TEMPLATE" are axes of their own.
            toml::de::DeValue::Table(inner) => {
                for (name, values) in inner {
                    axes.push(Axis::read(reader, key, Some(name), values)?);
                }
            }
            _ => axes.push(Axis::read(reader, key, None, value)?),
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
            return invalid(format!("{place}: {why}"));
        }
    }
    Ok(())
}
