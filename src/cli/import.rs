//! `elenchus import`: journals of another store, all that are taken or none.

use super::common::{CommandContext, describe_duplicates, format_noun_count, output};
use anyhow::{Context, Result};
use clap::Args;
use elenchus_annotation::JOURNAL_KINDS;
use elenchus_records::workspace::journals::{JournalImport, PersonActs, how_to_take};
use elenchus_records::workspace::memory::HeldBack;
use std::path::PathBuf;

/// `elenchus import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Journals, or folders that 'export' wrote
    #[arg(required = true)]
    pub path: Vec<PathBuf>,
    /// Also take the labels, notes, tags, lessons, guardrails and prompts in use of NAME, as the import lists
    /// them; 'all' takes everybody's, for a store of your own
    ///
    /// Several are given by several --take, or between commas. Lessons and guardrails come in disabled:
    /// 'elenchus memory enable' accepts them.
    #[arg(long, value_name = "NAME")]
    pub take: Vec<String>,
}

/// Takes journals in.
///
/// # Errors
/// When any of them is broken, is no journal, or differs from one of the same id; then none is
/// taken.
pub async fn run(args: &ImportArgs, context: &CommandContext) -> Result<()> {
    let nothing = "nothing was imported";
    let mut import = JournalImport::from_paths(&args.path)?;
    import.check_journals(JOURNAL_KINDS).context(nothing)?;
    let left_acts = import.choose_acts(&args.take).context(nothing)?;
    for notice in &import.notices {
        output::print_notice(&format!("notice: {notice}"));
    }
    let store = context.hold_store("import", None);
    let outcome = import.import_journals(&store).await.context(nothing)?;
    output::print_notice(&format!(
        "imported {}{}",
        outcome.counts,
        describe_duplicates(outcome.there)
    ));
    if outcome.grown > 0 {
        output::print_notice(&format!(
            "{} that had been imported before went on since, as taken now",
            format_noun_count(outcome.grown, "journal")
        ));
    }
    outcome.held_back.iter().for_each(print_held_back);
    print_left_acts(&left_acts);
    Ok(())
}

/// Says what waits for a person.
fn print_held_back(held: &HeldBack) {
    let namespace = &held.namespace;
    if held.changed > 0 {
        output::print_notice(&format!(
            "notice: what was imported also changes {} of memory '{namespace}' that were here before; \
             'elenchus memory show' lists the journal of each text",
            format_noun_count(held.changed, "entry")
        ));
    }
    if !held.is_empty() {
        output::print_notice(&format!(
            "{} of memory '{namespace}' came in disabled: read them with 'elenchus memory list --all -n \
             {namespace}', and accept them with 'elenchus memory enable --imported -n {namespace}', or one \
             by one with their ids",
            format_noun_count(held.len(), "entry")
        ));
    }
}

/// Lists whose acts were left where they are.
fn print_left_acts(left: &[PersonActs]) {
    if left.is_empty() {
        return;
    }
    output::print_notice("not taken, because acts of others change figures and later debates:");
    for acts in left {
        output::print_notice(&format!("  {acts}"));
    }
    output::print_notice(&how_to_take(left));
}
