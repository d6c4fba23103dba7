//! Filter of debates: those of some groups alone, by any dimension of a whole debate.

use super::ReportSettings;
use super::figure::Dimension;
use super::groups::debate_value;
use super::text_layout::escape_hidden;
use crate::rows::DebateRow;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Most values that a refusal lists.
const MAX_LISTED: usize = 20;

/// Groups of one dimension, as `memory=none,textual`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateFilter {
    by: Dimension,
    values: Vec<String>,
}

/// A value of a filter that no debate has: it is most likely misspelt.
#[derive(Debug, thiserror::Error)]
#[error("--only {by}={value}: no debate has this {by}; there are {known}")]
pub struct NoDebateHas {
    by: &'static str,
    value: String,
    known: String,
}

impl FromStr for DebateFilter {
    type Err = String;

    /// Reads a dimension and its values.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((by, values)) = text.split_once('=') else {
            return Err("give what and its values, as in memory=none,textual".to_owned());
        };
        let by: Dimension = by.trim().parse()?;
        if by.divides_turns() {
            let name = by.label();
            return Err(format!(
                "{name} divides the turns of a debate and chooses no debates; put {name} into --by or --table"
            ));
        }
        let values = split(values);
        match values.is_empty() {
            true => Err(format!("name a {0}, as in {0}=VALUE", by.label())),
            false => Ok(Self { by, values }),
        }
    }
}

impl DebateFilter {
    pub fn dimension(&self) -> Dimension {
        self.by
    }
}

/// Splits at commas; one before a space stands inside a value, as in `debaters=4, rounds=4`.
fn split(values: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = values.chars().peekable();
    while let Some(c) = rest.next() {
        match parts.last_mut() {
            Some(last) if c != ',' || rest.peek() == Some(&' ') => last.push(c),
            Some(_) | None => parts.push(String::new()),
        }
    }
    let parts = parts.iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Keeps the debates that are in one of the groups of every dimension; returns how many it left out.
///
/// # Errors
/// When a value is that of no debate.
pub fn keep_debates(
    rows: &mut Vec<DebateRow>,
    only: &[DebateFilter],
) -> Result<usize, NoDebateHas> {
    let settings = ReportSettings::default();
    let value = |row: &DebateRow, by| debate_value(row, by, &settings).unwrap_or_default();
    for one in only {
        let known_values: BTreeSet<String> = rows.iter().map(|row| value(row, one.by)).collect();
        let unknown = one
            .values
            .iter()
            .find(|wanted| !known_values.contains(*wanted));
        if let Some(unknown) = unknown.filter(|_| !known_values.is_empty()) {
            let listed_values: Vec<&str> = known_values
                .iter()
                .take(MAX_LISTED)
                .map(String::as_str)
                .collect();
            return Err(NoDebateHas {
                by: one.by.label(),
                value: escape_hidden(unknown),
                known: escape_hidden(&listed_values.join("; ")),
            });
        }
    }
    let all = rows.len();
    // The same dimension twice means either, as several values do.
    let dimensions: BTreeSet<Dimension> = only.iter().map(|one| one.by).collect();
    rows.retain(|row| {
        dimensions.iter().all(|by| {
            let own = value(row, *by);
            let mut groups = only.iter().filter(|one| one.by == *by);
            groups.any(|one| one.values.contains(&own))
        })
    });
    Ok(all - rows.len())
}
