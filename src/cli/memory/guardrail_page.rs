//! A guardrail with its tests and the debates that it was near, as text.

use super::guardrails::report;
use crate::cli::common::{Ink, Page, counted};
use crate::memory::MemoryEntry;
use crate::workspace::memory::{ChairDecision, EntryUse, EntryUses};

/// Writes a guardrail with the debates that it was near.
pub fn write(page: &mut Page, guard: &MemoryEntry, found: &EntryUses) {
    page.inked(Ink::Bold, 0, &guard.id.0);
    page.line(
        2,
        &format!("{}, revision {}", guard.standing_words(), guard.revision),
    );
    page.gap();
    page.prose(Ink::Plain, 2, &guard.text);
    for example in &guard.examples {
        page.hung(Ink::Plain, 4, 6, &format!("- {example}"));
    }
    page.gap();
    let derived = guard
        .guardrail
        .as_ref()
        .and_then(|own| own.derived.as_ref());
    if let Some(derived) = derived {
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
        let line = format!("the same intent was proposed as {}", merged.id);
        page.line(2, &line);
    }
    fired(page, found);
    for (revision, version) in guard.earlier.iter().enumerate() {
        page.gap();
        let head = format!("revision {revision} of {}", version.at);
        page.inked(Ink::Dim, 2, &head);
        page.prose(Ink::Dim, 4, &version.text);
        for example in &version.examples {
            page.hung(Ink::Dim, 6, 8, &format!("- {example}"));
        }
    }
    for report in guard.tests() {
        page.gap();
        report::write(page, report, guard.revision);
    }
}

/// Writes in which debates it was near, and what was decided there.
fn fired(page: &mut Page, found: &EntryUses) {
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
                one.session,
                one.protocol,
                one.rank,
                one.score,
                one.revision.unwrap_or_default(),
                came(one)
            ),
        );
        page.inked(Ink::Dim, 6, &format!("about: {}", one.topic));
        for (chair, decided) in &one.decided {
            page.inked(Ink::Dim, 6, &format!("{chair}: {}", in_words(decided)));
        }
    }
    if found.replicates > 0 {
        let given = counted(found.replicates, "replicate");
        page.inked(Ink::Dim, 4, &format!("besides, {given} had it by plan"));
    }
}

fn came(one: &EntryUse) -> String {
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
