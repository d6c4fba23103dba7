//! `elenchus verify`: integrity of journals.

mod accept;
mod args;

use super::common::{CommandContext, Exit, format_noun_count, output};
use accept::accept_losses;
use anyhow::{Result, bail};
pub(crate) use args::VerifyArgs;
use elenchus_annotation::JOURNAL_KINDS;
use elenchus_records::workspace::journals::{CheckFindings, CheckedAs, journals_to_check};
use elenchus_records::workspace::run::RunEvent;
use elenchus_records::workspace::{JournalKind, SessionJournal, StoreIndex, all_overviews};

/// Checks journals, and rebuilds the cache on request.
///
/// # Errors
/// When a named file is not there or a folder cannot be listed. Broken journals are no error but a
/// finding: [`Exit::Broken`].
pub fn run(args: &VerifyArgs, context: &CommandContext) -> Result<Exit> {
    let index = context.index();
    if args.accept {
        accept_losses(args, context, &index)?;
    }
    let mut journals = journals_to_check(&index, &args.file)?;
    if args.accept {
        // What is gone was accepted.
        journals.retain(|journal| journal.path.exists());
    }
    let mut findings = CheckFindings::check_journals(&journals, JOURNAL_KINDS)?;
    if args.file.is_empty() {
        findings.check_store(&context.store.layout)?;
    }
    output::print_notices(&findings.notices);
    output::print_text(&format_report(&findings))?;
    if findings.can_be_accepted {
        output::print_notice(
            "restore what is lost from a copy; to go on without it: elenchus verify --accept [FILE]",
        );
    }
    if args.repair_cache {
        rebuild_cache(context)?;
    }
    Ok(if findings.faults.is_empty() {
        Exit::Fine
    } else {
        Exit::Broken
    })
}

fn format_report(findings: &CheckFindings) -> String {
    let mut text = String::new();
    for fault in &findings.faults {
        text.push_str(&format!("broken: {}\n", output::clean_line(fault)));
    }
    let count = |kind| findings.files.get(&kind).copied().unwrap_or(0);
    let (sessions, runs) = (
        count(kind_of_journal::<SessionJournal>()),
        count(kind_of_journal::<RunEvent>()),
    );
    let other_count = findings.files.values().sum::<usize>() - sessions - runs;
    text.push_str(&format!(
        "checked {}, {} and {}{}: {}, {}\n",
        format_noun_count(sessions, "session"),
        format_noun_count(runs, "run"),
        format_noun_count(other_count, "other journal"),
        describe_other_kinds(findings),
        format_noun_count(
            usize::try_from(findings.lines).unwrap_or(usize::MAX),
            "event"
        ),
        match findings.broken_files + findings.changed_texts {
            0 => "nothing is broken".to_owned(),
            _ if findings.broken_files == 0 => format!(
                "{} changed",
                format_noun_count(findings.changed_texts, "kept prompt")
            ),
            1 => "1 journal is broken".to_owned(),
            many => format!("{many} journals are broken"),
        }
    ));
    text
}

/// Says what the journals are that are neither sessions nor runs.
fn describe_other_kinds(findings: &CheckFindings) -> String {
    let kind_counts: Vec<String> = findings
        .files
        .iter()
        .filter_map(|(what, count)| {
            let (one, many) = match what {
                what if [
                    kind_of_journal::<SessionJournal>(),
                    kind_of_journal::<RunEvent>(),
                ]
                .contains(what) =>
                {
                    return None;
                }
                CheckedAs::Kind(at) => JOURNAL_KINDS.0.get(*at)?.names,
                CheckedAs::Sample => ("sample of tries/", "samples of tries/"),
                CheckedAs::Unknown => {
                    ("of a kind that is not known", "of kinds that are not known")
                }
            };
            Some(format!("{count} {}", if *count == 1 { one } else { many }))
        })
        .collect();
    if kind_counts.is_empty() {
        String::new()
    } else {
        format!(" ({})", kind_counts.join(", "))
    }
}

fn kind_of_journal<K: JournalKind>() -> CheckedAs {
    let at = JOURNAL_KINDS.find_place(K::KIND);
    at.map_or(CheckedAs::Unknown, CheckedAs::Kind)
}

fn rebuild_cache(context: &CommandContext) -> Result<()> {
    let index = StoreIndex::new_empty(&context.store.layout);
    let (overviews, _) = all_overviews(&index)?;
    if let Err(why) = index.replace_all() {
        bail!("the cache was not rebuilt: {why}");
    }
    output::print_notice(&format!(
        "the cache was rebuilt from {}",
        format_noun_count(overviews.len(), "session")
    ));
    Ok(())
}
