//! Arms of a sweep: conditions that differ but for the seed, listed or as the product of axes.

use super::file_reader::{FileReader, Key, Value};
use crate::engine::seats::SeatRequest;
use elenchus_game::debate::SeatId;
use elenchus_game::debate::protocol::{SettingValue, Settings};
use elenchus_records::workspace::Result;
use elenchus_records::workspace::memory::MemoryKind;
use elenchus_records::workspace::prompts::PromptName;
use std::collections::BTreeMap;
use toml::de::DeValue;

/// Setting of the number of rounds.
const ROUNDS: &str = "rounds";
/// Memory that shows nothing.
const NO_MEMORY: &str = "none";
/// Joins kinds of memory in one text.
const AND: char = '+';
/// Name of the only arm of a plan without any, where it names no protocol.
const ONLY_ARM: &str = "base";

/// Conditions of an arm.
#[derive(Debug, Clone, Default)]
pub struct ArmConditions {
    /// Says what differs from the other arms.
    pub name: String,
    /// Line of the file; 0 for an arm of the product.
    pub(super) line: usize,
    pub protocol: Option<String>,
    pub model: Option<String>,
    pub memory: Vec<MemoryKind>,
    pub settings: Settings,
    pub seats: BTreeMap<SeatId, SeatRequest>,
    /// Versions of prompts, by label or hash.
    pub prompts: BTreeMap<PromptName, String>,
    /// A cast file.
    pub cast: Option<String>,
    /// Base settings and seats: arms whose protocol has none of that name do without.
    pub usual: SharedConditions,
}

/// Settings and seats of every arm whose protocol has them.
#[derive(Debug, Clone, Default)]
pub struct SharedConditions {
    pub settings: Settings,
    pub seats: BTreeMap<SeatId, SeatRequest>,
}

/// One condition of an arm.
#[derive(Debug, Clone)]
enum Condition {
    Protocol(String),
    Model(String),
    Rounds(u32),
    Memory(Vec<MemoryKind>),
    Setting(String, SettingValue),
    Seat(SeatId, SeatRequest),
    Prompt(PromptName, String),
    Cast(String),
}

/// Axis of a sweep: values of one condition.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// Its place in the file.
    pub place: usize,
    values: Vec<Condition>,
}

impl Axis {
    /// Reads an axis; `inner` is the name of a setting, seat or prompt.
    pub fn parse(
        reader: FileReader<'_>,
        key: &Key<'_>,
        inner: Option<&Key<'_>>,
        values: &Value<'_>,
    ) -> Result<Self> {
        let items = reader.parse_items(values)?.iter();
        let conditions = items.map(|item| Condition::parse(reader, key, inner, item));
        Ok(Self {
            place: inner.unwrap_or(key).span().start,
            values: conditions.collect::<Result<_, _>>()?,
        })
    }
}

/// Returns the product of axes over base settings: the last axis changes first.
pub(super) fn build_product(base: &ArmConditions, axes: &[Axis]) -> Vec<ArmConditions> {
    let mut arms: Vec<(ArmConditions, Vec<String>)> = vec![(base.clone(), Vec::new())];
    for axis in axes {
        let mut next = Vec::with_capacity(arms.len().saturating_mul(axis.values.len()));
        for (arm, words) in &arms {
            for value in &axis.values {
                let (mut arm, mut words) = (arm.clone(), words.clone());
                value.apply_to(&mut arm);
                words.push(value.name_part());
                next.push((arm, words));
            }
            // The caller refuses far fewer.
            if next.len() > MAX_PRODUCT {
                break;
            }
        }
        arms = next;
    }
    let conditions = arms.into_iter().map(|(mut arm, words)| {
        arm.name = build_arm_name(&arm, &words);
        arm
    });
    conditions.collect()
}

/// Arms after which a product is no longer written out.
const MAX_PRODUCT: usize = 10_000;

/// Joins what differs; that an arm is shown no memory is said only where nothing else is.
pub(super) fn build_arm_name(arm: &ArmConditions, words: &[String]) -> String {
    let silent = format!("memory={NO_MEMORY}");
    let differences: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| *word != silent)
        .collect();
    match (differences.is_empty(), words.is_empty()) {
        (false, _) => differences.join(" "),
        (true, false) => silent,
        (true, true) => arm.protocol.clone().unwrap_or_else(|| ONLY_ARM.to_owned()),
    }
}

impl ArmConditions {
    /// Makes base settings of what was read.
    pub(super) fn into_base(mut self) -> Self {
        self.usual.settings.append(&mut self.settings);
        self.usual.seats.append(&mut self.seats);
        self
    }

    /// Reads a key with all that it holds, and returns what it says in a name.
    pub(super) fn apply_key(
        &mut self,
        reader: FileReader<'_>,
        key: &Key<'_>,
        value: &Value<'_>,
    ) -> Result<Vec<String>> {
        let holds_more = ["set", "seats", "prompts"].contains(&key.get_ref().as_ref());
        if !holds_more {
            let one = Condition::parse(reader, key, None, value)?;
            one.apply_to(self);
            return Ok(vec![one.name_part()]);
        }
        let mut words = Vec::new();
        for (inner, value) in reader.parse_table(value, key.get_ref())? {
            let one = Condition::parse(reader, key, Some(inner), value)?;
            one.apply_to(self);
            words.push((inner.span().start, one.name_part()));
        }
        words.sort();
        Ok(words.into_iter().map(|(_, word)| word).collect())
    }
}

impl Condition {
    fn parse(
        reader: FileReader<'_>,
        key: &Key<'_>,
        inner: Option<&Key<'_>>,
        value: &Value<'_>,
    ) -> Result<Self> {
        let inner_name = inner.map(|inner| inner.get_ref().to_string());
        match (key.get_ref().as_ref(), inner_name) {
            ("protocol", None) => Ok(Self::Protocol(reader.parse_text(value)?)),
            ("model", None) => Ok(Self::Model(reader.parse_text(value)?)),
            ("cast", None) => Ok(Self::Cast(reader.parse_text(value)?)),
            ("rounds", None) => Ok(Self::Rounds(reader.parse_small_count(value)?)),
            ("memory", None) => Ok(Self::Memory(parse_memory_kinds(reader, value)?)),
            ("set", Some(name)) => Ok(Self::Setting(name, reader.parse_setting(value)?)),
            ("seats", Some(name)) => Ok(Self::Seat(SeatId::new(name), parse_seat(reader, value)?)),
            ("prompts", Some(name)) => {
                let prompt = name.parse::<PromptName>();
                let at = inner.unwrap_or(key).span().start;
                let prompt = prompt.map_err(|error| reader.fault_at(at, error.to_string()))?;
                Ok(Self::Prompt(prompt, reader.parse_text(value)?))
            }
            (name, _) => {
                let example = match name {
                    "set" => "set.NAME",
                    "seats" => "seats.SEAT",
                    "prompts" => "prompts.\"PROTOCOL/TEMPLATE\"",
                    _ => name,
                };
                Err(reader.fault_at(
                    key.span().start,
                    format!("'{name}' is written as {example} = …"),
                ))
            }
        }
    }

    fn apply_to(&self, arm: &mut ArmConditions) {
        match self {
            Self::Protocol(name) => arm.protocol = Some(name.clone()),
            Self::Model(name) => arm.model = Some(name.clone()),
            Self::Rounds(rounds) => {
                let value = SettingValue::Integer((*rounds).into());
                arm.settings.insert(ROUNDS.to_owned(), value);
            }
            Self::Memory(kinds) => arm.memory.clone_from(kinds),
            Self::Setting(name, value) => {
                arm.settings.insert(name.clone(), value.clone());
            }
            Self::Seat(seat, request) => {
                arm.seats.insert(seat.clone(), request.clone());
            }
            Self::Prompt(name, version) => {
                arm.prompts.insert(name.clone(), version.clone());
            }
            Self::Cast(file) => arm.cast = Some(file.clone()),
        }
    }

    /// Returns what it says in the name of an arm.
    fn name_part(&self) -> String {
        match self {
            Self::Protocol(name) => name.clone(),
            Self::Model(name) => format!("model={name}"),
            Self::Rounds(rounds) => format!("rounds={rounds}"),
            Self::Memory(kinds) => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                match names.is_empty() {
                    true => format!("memory={NO_MEMORY}"),
                    false => format!("memory={}", names.join("+")),
                }
            }
            Self::Setting(name, value) => format!("{name}={value}"),
            Self::Seat(seat, request) => {
                let models = request.models.iter().chain(&request.model);
                let models: Vec<&str> = models.map(String::as_str).collect();
                format!("{seat}={}", models.join(","))
            }
            Self::Prompt(name, version) => format!("{name}={version}"),
            Self::Cast(file) => {
                let stem = std::path::Path::new(file).file_stem();
                let stem = stem.and_then(|stem| stem.to_str()).unwrap_or(file);
                format!("cast={stem}")
            }
        }
    }
}

/// Reads kinds of memory: `none`, one, several joined by `+`, or a list.
fn parse_memory_kinds(reader: FileReader<'_>, value: &Value<'_>) -> Result<Vec<MemoryKind>> {
    let words: Vec<String> = match value.get_ref() {
        DeValue::Array(items) => {
            let items = items.iter().map(|item| reader.parse_text(item));
            items.collect::<Result<_, _>>()?
        }
        _ => reader
            .parse_text(value)?
            .split(AND)
            .map(str::to_owned)
            .collect(),
    };
    if let [only] = words.as_slice()
        && only.trim() == NO_MEMORY
    {
        return Ok(Vec::new());
    }
    let mut kinds = Vec::new();
    for word in &words {
        let Ok(kind) = word.trim().parse() else {
            let why = format!(
                "there is no memory '{}'; known are {NO_MEMORY}, {}",
                word.trim(),
                MemoryKind::NAMES.join(", ")
            );
            return Err(reader.fault_at(value.span().start, why));
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort();
    Ok(kinds)
}

/// Reads who sits on a seat: a model, one for each chair, or a table as in a cast file.
fn parse_seat(reader: FileReader<'_>, value: &Value<'_>) -> Result<SeatRequest> {
    let list = |value: &Value<'_>| -> Result<Vec<String>> {
        let items = reader.parse_items(value)?.iter();
        items.map(|item| reader.parse_text(item)).collect()
    };
    match value.get_ref() {
        DeValue::Array(_) => Ok(SeatRequest {
            models: list(value)?,
            ..SeatRequest::default()
        }),
        DeValue::Table(table) => {
            let mut request = SeatRequest::default();
            for (key, value) in table {
                reader.check_key(key, "a seat", &["model", "models", "persona"])?;
                match key.get_ref().as_ref() {
                    "model" => request.model = Some(reader.parse_text(value)?),
                    "models" => request.models = list(value)?,
                    _ => request.persona = Some(reader.parse_text(value)?),
                }
            }
            Ok(request)
        }
        _ => Ok(SeatRequest {
            models: vec![reader.parse_text(value)?],
            ..SeatRequest::default()
        }),
    }
}
