//! `elenchus import`: journals of another store, or logs of Inspect; all that are taken or none.

use super::common::{CommandContext, describe_duplicates, format_noun_count, output};
use super::labels::{describe_counts, print_faults};
use anyhow::{Context, Result, bail};
use clap::Args;
use elenchus_annotation::JOURNAL_KINDS;
use elenchus_annotation::import::{ImportContext, ImportedFiles, LabelMap, write_import};
use elenchus_records::exchange::LabelColumns;
use elenchus_records::workspace::journals::{JournalImport, PersonActs, how_to_take};
use elenchus_records::workspace::memory::HeldBack;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Ends of the names of logs; journals end otherwise.
const LOG_ENDINGS: [&str; 2] = ["eval", "json"];

/// `elenchus import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Journals, or folders that 'export' wrote; or logs of Inspect (.eval, .json), whose samples become sessions to
    /// read, to label and to judge
    #[arg(required = true, value_name = "PATH")]
    pub path: Vec<PathBuf>,
    /// Also take the labels, notes, tags, lessons, guardrails and prompts in use of NAME, as the import lists
    /// them; 'all' takes everybody's, for a store of your own
    ///
    /// Several are given by several --take, or between commas. Lessons and guardrails come in disabled:
    /// 'elenchus memory enable' accepts them.
    #[arg(long, value_name = "NAME")]
    pub take: Vec<String>,
    /// Leave out samples of a log that cannot be read
    #[arg(long)]
    pub skip_bad_samples: bool,
}

/// Takes journals in.
///
/// # Errors
/// When any of them is broken, is no journal, or differs from one of the same id; then none is
/// taken.
pub async fn run(args: &ImportArgs, context: &CommandContext) -> Result<()> {
    let (logs, journals): (Vec<&PathBuf>, Vec<&PathBuf>) =
        args.path.iter().partition(|path| is_log(path));
    match (logs.is_empty(), journals.is_empty()) {
        (true, _) => {}
        (false, true) => return import_logs(args, context).await,
        (false, false) => {
            bail!("nothing was imported: import logs of Inspect and journals one after the other")
        }
    }
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

/// Says whether a path is that of a log of Inspect.
fn is_log(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_ending = |ending: &str| {
        LOG_ENDINGS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(ending))
    };
    ending.is_some_and(is_ending) && !path.is_dir()
}

/// Takes logs of Inspect in, as sessions that nobody played here.
async fn import_logs(args: &ImportArgs, context: &CommandContext) -> Result<()> {
    if !args.take.is_empty() {
        bail!("nothing was imported: --take is for journals; labels of people stay in a log");
    }
    let import_context = ImportContext {
        columns: LabelColumns::default(),
        map: LabelMap::default(),
        library: &context.library,
        layout: &context.store.layout,
    };
    let files =
        ImportedFiles::read_logs(&args.path, &import_context).context("nothing was imported")?;
    print_faults(&files);
    if !files.refused.is_empty() && !args.skip_bad_samples {
        bail!(
            "nothing was imported: {} cannot be taken; leave them out with --skip-bad-samples",
            format_noun_count(files.refused.len(), "sample")
        );
    }
    if files.plan.count_contents().0 == 0 {
        bail!("nothing was imported: no sample has an answer");
    }
    let people: BTreeSet<String> = files.plan.people().map(str::to_owned).collect();
    let columns: BTreeSet<String> = files.plan.pass_columns().map(str::to_owned).collect();
    let store = context.hold_store("import", Some(&"import".to_owned()));
    let counts = write_import(&store, files.plan).await?;
    output::print_text(&describe_counts(&counts, &people, &columns))
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
