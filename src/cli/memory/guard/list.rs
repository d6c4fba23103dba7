//! `elenchus memory guardrails list` and `show`.

use super::{report, shelf};
use crate::cli::args_guard::{GuardListArgs, GuardShowArgs};
use crate::cli::exit::Exit;
use crate::cli::list::table;
use crate::cli::page::{self, Ink, Page, counted};
use crate::cli::workshop::Workshop;
use crate::memory::{Guard, Standing};

/// Lists guardrails in the order in which they were proposed.
///
/// # Errors
/// When a journal cannot be read.
pub fn list(args: &GuardListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = shelf(shop, namespace)?;
    let wanted =
        |guard: &&Guard| args.all || (!guard.deleted && guard.standing != Standing::Rejected);
    let guards: Vec<&Guard> = shelf.fold.guards.iter().filter(wanted).collect();
    if args.json {
        for guard in &guards {
            let line = serde_json::to_string(guard)?;
            page::out(&format!("{}\n", page::harmless_json(&line)))?;
        }
        return Ok(Exit::Fine);
    }
    let rows: Vec<[String; 5]> = guards
        .iter()
        .map(|guard| {
            [
                guard.id.0.clone(),
                guard.standing_words(),
                guard.report().map_or_else(
                    || "untested".to_owned(),
                    |report| report::percent(report.over_refused),
                ),
                guard.origins.len().to_string(),
                guard.intent.clone(),
            ]
        })
        .collect();
    let heads = ["ID", "STANDING", "OVER-REFUSAL", "DEBATES", "INTENT"];
    page::out(&table(&heads, &rows, page::width()))?;
    let (unparsed, failed) = (shelf.fold.unparsed.len(), shelf.fold.failed.len());
    if unparsed + failed > 0 {
        page::notice(&format!(
            "besides, {} could not be read and {} failed; 'elenchus memory guardrails derive SESSION' tries again",
            counted(unparsed, "derivation"),
            counted(failed, "derivation"),
        ));
    }
    if rows.is_empty() {
        page::notice(&format!(
            "memory '{namespace}' has no guardrail; 'elenchus run --memory guardrails' proposes them from lessons"
        ));
    }
    Ok(Exit::Fine)
}

/// Shows a guardrail with everything that happened to it.
///
/// # Errors
/// When there is none of that id.
pub fn show(args: &GuardShowArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shelf = shelf(shop, &args.place.namespace)?;
    let guard = shelf.find(&args.guardrail)?;
    if args.json {
        let line = serde_json::to_string(guard)?;
        page::out(&format!("{}\n", page::harmless_json(&line)))?;
        return Ok(Exit::Fine);
    }
    let mut page = Page::new(page::width(), shop.colour);
    page.inked(Ink::Bold, 0, &guard.id.0);
    page.line(
        2,
        &format!("{}, revision {}", guard.standing_words(), guard.revision),
    );
    page.gap();
    page.prose(Ink::Plain, 2, &guard.intent);
    for example in &guard.examples {
        page.hung(Ink::Plain, 4, 6, &format!("- {example}"));
    }
    page.gap();
    if let Some(derived) = &guard.derived {
        let simulated = if derived.simulated { ", simulated" } else { "" };
        page.line(2, &format!("derived by {}{simulated}", derived.model));
    } else if guard.origins.is_empty() {
        page.line(2, "written by a person");
    }
    for origin in &guard.origins {
        page.line(
            2,
            &format!(
                "taught by session {}: {}",
                origin.session, origin.topic_text
            ),
        );
    }
    for merged in &guard.merged {
        page.line(2, &format!("the same intent was proposed as {merged}"));
    }
    for version in &guard.versions {
        page.gap();
        let head = format!("revision {} of {}", version.revision, version.at);
        page.inked(Ink::Dim, 2, &head);
        page.prose(Ink::Dim, 4, &version.text.intent);
        for example in &version.text.examples {
            page.hung(Ink::Dim, 6, 8, &format!("- {example}"));
        }
    }
    for report in &guard.tests {
        page.gap();
        report::write(&mut page, report, guard.revision);
    }
    page::out(&page.finish())?;
    Ok(Exit::Fine)
}
