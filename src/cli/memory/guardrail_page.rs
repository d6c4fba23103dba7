//! A guardrail with its tests and the debates that it was near, as text.

use super::guardrails::report;
use crate::cli::common::{Ink, Page, counted};
use crate::memory::MemoryEntry;
use crate::workspace::memory::{ChairDecision, EntryUse, EntryUses};

/// Writes a guardrail with the debates that it was near.
pub fn write(page: &mut Page, guard: &MemoryEntry, found: &EntryUses) {
    page.bold(&guard.id.0);
    page.at(2).line(&format!(
        "{}, revision {}",
        guard.standing_words(),
        guard.revision
    ));
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
        page.at(2)
            .line(&format!("derived by {}{simulated}", derived.model));
    } else if guard.origins.is_empty() {
        page.at(2).line("written by a person");
    }
    for origin in &guard.origins {
        page.at(2).line(&format!(
            "taught by session {}: {}",
            origin.session, origin.topic_text
        ));
    }
    for merged in &guard.merged {
        page.at(2)
            .line(&format!("the same intent was proposed as {}", merged.id));
    }
    fired(page, found);
    for (revision, version) in guard.earlier.iter().enumerate() {
        page.gap();
        page.at(2)
            .dim(&format!("revision {revision} of {}", version.at));
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
    page.at(2).bold(&match found.debates.len() {
        0 => "it was near no debate's topic yet".to_owned(),
        many => format!(
            "it was near {}{more} and fired in {fired}",
            counted(many, "debate")
        ),
    });
    for one in &found.debates {
        let inherited = if one.inherited {
            ", a fork: decided in its parent"
        } else {
            ""
        };
        page.at(4).line(&format!(
            "session {} ({}, place {}, score {:.3}, text {}{inherited}): {}",
            one.session,
            one.protocol,
            one.rank,
            one.score,
            one.revision.unwrap_or_default(),
            came(one)
        ));
        page.at(6).dim(&format!("about: {}", one.topic));
        for (chair, decided) in &one.decided {
            page.at(6).dim(&format!("{chair}: {}", in_words(decided)));
        }
    }
    if found.replicates > 0 {
        let given = counted(found.replicates, "replicate");
        page.at(4).dim(&format!("besides, {given} had it by plan"));
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
