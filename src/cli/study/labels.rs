//! Names of runs in a plan, `{NAME}`, which stand for the ids that the runs come to have.

use super::file::{Entry, StudyPlan};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use toml::Value;

/// Ids by the names that a plan gives to its runs.
pub(super) type RunIds = BTreeMap<String, String>;

/// Finds out whether every name is that of an earlier run, before anything is played.
///
/// # Errors
/// With the first that is not.
pub(super) fn check_labels(plan: &StudyPlan) -> Result<()> {
    let mut ids = RunIds::new();
    for play in &plan.plays {
        insert_run_ids(&mut play.entry.clone(), &ids)?;
        if let Some(label) = &play.label {
            ids.insert(label.clone(), String::new());
        }
    }
    for figure in &plan.figures {
        insert_run_ids(&mut figure.clone(), &ids)?;
    }
    Ok(())
}

/// Puts ids in the places of names.
///
/// # Errors
/// When no earlier entry has that name.
pub(super) fn insert_run_ids(entry: &mut Entry, ids: &RunIds) -> Result<()> {
    let place = entry.place.clone();
    for (_, value) in entry.options.iter_mut() {
        insert_into_value(value, ids, &place)?;
    }
    Ok(())
}

fn insert_into_value(value: &mut Value, ids: &RunIds, place: &str) -> Result<()> {
    match value {
        Value::String(text) => *text = insert_into_text(text, ids, place)?,
        Value::Array(values) => {
            for value in values {
                insert_into_value(value, ids, place)?;
            }
        }
        Value::Table(table) => {
            for (_, value) in table.iter_mut() {
                insert_into_value(value, ids, place)?;
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
    Ok(())
}

fn insert_into_text(text: &str, ids: &RunIds, place: &str) -> Result<String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        let Some(id) = ids.get(name) else {
            let names: Vec<&str> = ids.keys().map(String::as_str).collect();
            bail!(
                "{place}: {{{name}}} names no run before it; {}",
                match names.is_empty() {
                    true => "give that run a name: name = \"…\"".to_owned(),
                    false => format!("there are {}", names.join(", ")),
                }
            );
        };
        result.push_str(before);
        result.push_str(id);
        rest = behind;
    }
    Ok(result + rest)
}
