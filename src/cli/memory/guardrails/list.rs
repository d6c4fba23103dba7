//! `elenchus memory guardrails list` and `show`: guardrails with their status and tests.

use super::args::{GuardListArgs, GuardShowArgs};
use super::report;
use super::shelf::{hint_at_simulated, read_guardrails};
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::{Ink, Page, counted, output};
use crate::cli::common::{short_ids, table};
use crate::cli::memory::show::hit_json;
use crate::memory::{Guard, GuardStatus};
use crate::workspace::memory::{ChairDecision, Firing, firings};
use serde_json::json;

/// Lists guardrails in the order in which they were proposed.
///
/// # Errors
/// When a journal cannot be read.
pub fn list(args: &GuardListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let namespace = &args.place.namespace;
    let shelf = read_guardrails(shop, namespace)?;
    let wanted =
        |guard: &&Guard| args.all || (!guard.deleted && guard.standing != GuardStatus::Rejected);
    let guards: Vec<&Guard> = shelf.fold.guards.iter().filter(wanted).collect();
    if args.output.json {
        for guard in &guards {
            let line = serde_json::to_string(guard)?;
            output::out(&format!("{}\n", output::harmless_json(&line)))?;
        }
        return Ok(Exit::Fine);
    }
    let ids: Vec<String> = guards.iter().map(|guard| guard.id.0.clone()).collect();
    let short = short_ids(&ids);
    let rows: Vec<[String; 5]> = guards
        .iter()
        .map(|guard| {
            [
                short.get(&guard.id.0).unwrap_or(&guard.id.0).clone(),
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
    output::out(&table(&heads, &rows, output::width()))?;
    let (unparsed, failed) = (shelf.fold.unparsed.len(), shelf.fold.failed.len());
    if unparsed + failed > 0 {
        output::notice(&format!(
            "besides, {} could not be read and {} failed; 'elenchus memory guardrails derive SESSION' tries again",
            counted(unparsed, "derivation"),
            counted(failed, "derivation"),
        ));
    }
    if rows.is_empty() {
        output::notice(&format!(
            "memory '{namespace}' has no guardrail{}; 'elenchus run --memory guardrails' proposes them from lessons",
            hint_at_simulated(shop, namespace)
        ));
    }
    Ok(Exit::Fine)
}

/// Shows a guardrail with everything that happened to it.
///
/// # Errors
/// When there is none of that id.
pub fn show(args: &GuardShowArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shelf = read_guardrails(shop, &args.place.namespace)?;
    let guard = shelf.find(&args.guardrail)?;
    if args.json {
        let found = firings(&shop.layout, &args.place.namespace, guard)?;
        let debates: Vec<serde_json::Value> = found.debates.iter().map(firing_json).collect();
        let mut line = serde_json::to_value(guard)?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("near".to_owned(), debates.into());
            fields.insert("more_near".to_owned(), found.more.into());
        }
        output::out(&format!("{}\n", output::harmless_json(&line.to_string())))?;
        return Ok(Exit::Fine);
    }
    let mut page = Page::new(output::width(), shop.colour);
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
    fired(&mut page, shop, &args.place.namespace, guard)?;
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
    output::out(&page.finish())?;
    Ok(Exit::Fine)
}

/// Writes in which debates it was near, and what was decided there.
fn fired(page: &mut Page, shop: &Workshop, namespace: &str, guard: &Guard) -> anyhow::Result<()> {
    let found = firings(&shop.layout, namespace, guard)?;
    for unread in &found.unread {
        output::notice(&format!("notice: a session was not looked at: {unread}"));
    }
    page.gap();
    let fired = found.debates.iter().filter(|one| one.fired()).count();
    let more = if found.more { " and more" } else { "" };
    page.inked(
        Ink::Bold,
        2,
        &match found.debates.len() {
            0 => "it was near no debate's topic yet".to_owned(),
            many => format!(
                "it was near {}{more} and fired in {fired}",
                counted(many, "debate")
            ),
        },
    );
    for one in &found.debates {
        let inherited = if one.inherited {
            ", a fork: decided in its parent"
        } else {
            ""
        };
        page.line(
            4,
            &format!(
                "session {} ({}, place {}, score {:.3}, text {}{inherited}): {}",
                one.hit.session,
                one.hit.protocol,
                one.hit.rank,
                one.hit.score,
                one.revision,
                came(one)
            ),
        );
        page.inked(Ink::Dim, 6, &format!("about: {}", one.hit.topic));
        for (chair, decided) in &one.decided {
            page.inked(Ink::Dim, 6, &format!("{chair}: {}", in_words(decided)));
        }
    }
    if found.replicates > 0 {
        let given = counted(found.replicates, "replicate");
        page.inked(Ink::Dim, 4, &format!("besides, {given} had it by plan"));
    }
    Ok(())
}

fn came(one: &Firing) -> String {
    match one.fired() {
        true => format!("fired, {} refused", counted(one.refused, "turn")),
        false => "did not fire".to_owned(),
    }
}

fn in_words(decided: &ChairDecision) -> String {
    match decided {
        ChairDecision::Fired => "matches, so it did not speak".to_owned(),
        ChairDecision::Another(id) => format!("another one matches, {id}"),
        ChairDecision::NoMatch => "none matches".to_owned(),
        ChairDecision::Unparsed(why) => format!("unparsed, so it spoke: {why}"),
        ChairDecision::Failed(why) => format!("failed, so it spoke: {why}"),
    }
}

fn firing_json(one: &Firing) -> serde_json::Value {
    let decided = one.decided.iter().map(|(chair, decided)| {
        let word = match decided {
            ChairDecision::Fired => "fired",
            ChairDecision::Another(_) => "another",
            ChairDecision::NoMatch => "no_match",
            ChairDecision::Unparsed(_) => "unparsed",
            ChairDecision::Failed(_) => "failed",
        };
        (chair.to_string(), json!(word))
    });
    let mut line = hit_json(&one.hit, Some(one.revision));
    if let Some(fields) = line.as_object_mut() {
        fields.insert("inherited".to_owned(), one.inherited.into());
        fields.insert("refused".to_owned(), one.refused.into());
        let decided: serde_json::Map<_, _> = decided.collect();
        fields.insert("decided".to_owned(), decided.into());
    }
    line
}
