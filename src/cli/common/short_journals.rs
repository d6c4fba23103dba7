//! Notices of missing or cut-off journals, on standard error and in JSON.

use super::context::CommandContext;
use super::output;
use super::output::{format_noun_count, join_first_names};
use anyhow::Result;
use elenchus_records::workspace::read_whole_run;
use elenchus_records::workspace::run::RunState;
use elenchus_records::workspace::{
    IncompleteSource, StoreIndex, find_run, incomplete_sources, missing_sessions,
};
use elenchus_store::Layout;
use serde_json::{Value, json};

/// Journals and sessions that are named; the rest are counted.
const MAX_NAMED: usize = 3;

/// Names the journals of the store that hold less than was acknowledged, are gone, or lie there
/// twice, and returns their paths.
///
/// # Errors
/// When a folder cannot be listed.
pub fn print_missing_journals(context: &CommandContext) -> Result<Vec<String>> {
    let index = context.index();
    let short = print_incomplete_sources(&index);
    index.write_changes();
    short
}

/// As [`print_missing_journals`], with an index that was read and is written by the caller.
fn print_incomplete_sources(index: &StoreIndex) -> Result<Vec<String>> {
    Ok(print_incomplete(&incomplete_sources(index)?))
}

/// Names journals that were found to be incomplete, and returns their paths.
pub fn print_incomplete(short: &[IncompleteSource]) -> Vec<String> {
    let short: Vec<String> = short
        .iter()
        .map(|short| short.path.display().to_string())
        .collect();
    if !short.is_empty() {
        output::print_notice(&format!(
            "notice: {} damaged, gone or copied, so this is over less than there was: {}; \
             'elenchus verify' says what is wrong and what to do",
            match short.len() {
                1 => "1 journal of this store is".to_owned(),
                many => format!("{} of this store are", format_noun_count(many, "journal")),
            },
            join_first_paths(&short)
        ));
    }
    short
}

/// Says in a JSON object over which journals it is short; one over whole journals stays as it is.
///
/// # Errors
/// When the text is no JSON object.
pub fn add_short_paths(text: String, short: &[String]) -> Result<String> {
    if short.is_empty() {
        return Ok(text);
    }
    let mut report: Value = serde_json::from_str(&text)?;
    if let Some(report) = report.as_object_mut() {
        report.insert("short".to_owned(), json!(short));
    }
    Ok(output::clean_json(&serde_json::to_string_pretty(&report)?) + "\n")
}

/// Names the sessions of a run that were finished and are not there, and how to get them back.
///
/// Returns their paths.
///
/// # Errors
/// When the run names what is no session.
pub fn print_missing_sessions(layout: &Layout, run: &RunState) -> Result<Vec<String>> {
    let lost_sessions = missing_sessions(layout, run)?;
    for gone in lost_sessions.iter().take(MAX_NAMED) {
        let text = format!("notice: run {}: {gone}", run.manifest.run);
        output::print_notice(&output::clean_line(&text));
    }
    if lost_sessions.len() > MAX_NAMED {
        let more = format_noun_count(lost_sessions.len() - MAX_NAMED, "session");
        output::print_notice(&format!("notice: … and {more} more of the run are gone"));
    }
    let paths = lost_sessions
        .iter()
        .map(|gone| gone.path.display().to_string());
    Ok(paths.collect())
}

/// Says what figures over the store and these runs are short of, and returns the paths; of journals that the
/// index knows as they are none is opened.
///
/// # Errors
/// As [`print_missing_journals`] and [`print_missing_sessions`]; when there is no such run.
pub fn print_missing_of_runs(index: &StoreIndex, runs: &[String]) -> Result<Vec<String>> {
    let layout = index.layout();
    let mut short = print_incomplete_sources(index)?;
    for text in runs {
        let id = find_run(layout, text)?;
        let run = read_whole_run(layout, &id)?;
        let mut lost_paths = print_missing_sessions(layout, &run)?;
        lost_paths.retain(|path| !short.contains(path));
        short.extend(lost_paths);
    }
    Ok(short)
}

fn join_first_paths(paths: &[String]) -> String {
    output::clean_line(&join_first_names(paths, MAX_NAMED))
}
