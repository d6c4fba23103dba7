//! `elenchus verify`: integrity of journals.

mod accept;
mod args;

use super::common::{Exit, Workshop, counted, output};
use accept::accept;
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
pub fn run(args: &VerifyArgs, shop: &Workshop) -> Result<Exit> {
    let index = shop.index();
    if args.accept {
        accept(args, shop, &index)?;
    }
    let mut journals = journals_to_check(&index, &args.file)?;
    if args.accept {
        // What is gone was accepted.
        journals.retain(|journal| journal.path.exists());
    }
    let mut findings = CheckFindings::of(&journals, JOURNAL_KINDS)?;
    if args.file.is_empty() {
        findings.check_store(&shop.layout)?;
    }
    output::notices(&findings.notices);
    output::out(&report(&findings))?;
    if findings.can_be_accepted {
        output::notice(
            "restore what is lost from a copy; to go on without it: elenchus verify --accept [FILE]",
        );
    }
    if args.repair_cache {
        repair(shop)?;
    }
    Ok(if findings.faults.is_empty() {
        Exit::Fine
    } else {
        Exit::Broken
    })
}

fn report(findings: &CheckFindings) -> String {
    let mut text = String::new();
    for fault in &findings.faults {
        text.push_str(&format!("broken: {}\n", output::clean(fault)));
    }
    let count = |kind| findings.files.get(&kind).copied().unwrap_or(0);
    let (sessions, runs) = (
        count(counted_as::<SessionJournal>()),
        count(counted_as::<RunEvent>()),
    );
    let others = findings.files.values().sum::<usize>() - sessions - runs;
    text.push_str(&format!(
        "checked {}, {} and {}{}: {}, {}\n",
        counted(sessions, "session"),
        counted(runs, "run"),
        counted(others, "other journal"),
        other_kinds(findings),
        counted(
            usize::try_from(findings.lines).unwrap_or(usize::MAX),
            "event"
        ),
        match findings.broken_files + findings.changed_texts {
            0 => "nothing is broken".to_owned(),
            _ if findings.broken_files == 0 =>
                format!("{} changed", counted(findings.changed_texts, "kept prompt")),
            1 => "1 journal is broken".to_owned(),
            many => format!("{many} journals are broken"),
        }
    ));
    text
}

/// Says what the journals are that are neither sessions nor runs.
fn other_kinds(findings: &CheckFindings) -> String {
    let named: Vec<String> = findings
        .files
        .iter()
        .filter_map(|(what, count)| {
            let (one, many) = match what {
                what if [counted_as::<SessionJournal>(), counted_as::<RunEvent>()]
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
    if named.is_empty() {
        String::new()
    } else {
        format!(" ({})", named.join(", "))
    }
}

fn counted_as<K: JournalKind>() -> CheckedAs {
    let at = JOURNAL_KINDS.place(K::KIND);
    at.map_or(CheckedAs::Unknown, CheckedAs::Kind)
}

fn repair(shop: &Workshop) -> Result<()> {
    let index = StoreIndex::empty(&shop.layout);
    let (built, _) = all_overviews(&index)?;
    if let Err(why) = index.replace_all() {
        bail!("the cache was not rebuilt: {why}");
    }
    output::notice(&format!(
        "the cache was rebuilt from {}",
        counted(built.len(), "session")
    ));
    Ok(())
}
