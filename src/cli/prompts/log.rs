//! Every text that a template had, with what came of the debates that were played with it.

use super::text::{of_prompt, split};
use crate::cli::page::{self, Ink, Page, counted};
use crate::cli::workshop::Workshop;
use crate::debate::SessionId;
use crate::driver::{debate_row, read_session, short};
use crate::metrics::TurnState;
use crate::store::Hash;
use std::collections::BTreeMap;

/// One text of a template.
#[derive(Debug, Default)]
struct Version {
    /// RFC 3339, UTC.
    first_used: String,
    sessions: usize,
    /// Without simulated ones: those are never pooled with them (FIGURES 4).
    simulated: usize,
    judged: usize,
    bad: usize,
    simulated_judged: usize,
    simulated_bad: usize,
}

/// Prints the versions of a template, the latest first.
///
/// # Errors
/// When the store cannot be read, or no debate was played with such a template and no protocol has it.
pub fn run(prompt: &str, shop: &Workshop) -> anyhow::Result<()> {
    let (protocol, template) = split(prompt)?;
    let now = of_prompt(shop, prompt);
    let mut versions: BTreeMap<Hash, Version> = BTreeMap::new();
    let mut unread = 0;
    for id in shop.layout.sessions()? {
        let Ok(state) = read_session(&shop.layout.session(&id)?) else {
            unread += 1;
            continue;
        };
        let Some(created) = state.created() else {
            continue;
        };
        let text = created.templates.get(template);
        let Some(text) = text.filter(|_| created.protocol.id == protocol) else {
            continue;
        };
        let version = versions.entry(Hash::of(text.as_bytes())).or_default();
        let (begun, _) = state.span();
        if version.first_used.is_empty() || begun < version.first_used.as_str() {
            version.first_used = begun.to_owned();
        }
        let simulated = created.is_simulated();
        version.sessions += 1;
        version.simulated += usize::from(simulated);
        let Some(row) = debate_row(&SessionId::new(id), &state) else {
            continue;
        };
        for turn in row.turns.iter().filter(|turn| !turn.inherited) {
            let (judged, bad) = match turn.state {
                TurnState::Safe => (1, 0),
                TurnState::Unsafe => (1, 1),
                TurnState::Unparsed
                | TurnState::Failed
                | TurnState::RefusedByGuardrail
                | TurnState::NotJudged
                | TurnState::Context => (0, 0),
            };
            if simulated {
                version.simulated_judged += judged;
                version.simulated_bad += bad;
            } else {
                version.judged += judged;
                version.bad += bad;
            }
        }
    }
    let current = match &now {
        Ok(found) => Some(Hash::of(found.text.as_bytes())),
        Err(_) if !versions.is_empty() => None,
        Err(_) => return now.map(|_| ()),
    };
    if let Some(current) = current {
        versions.entry(current).or_default();
    }
    let mut page = Page::new(page::width(), shop.colour);
    let mut ordered: Vec<(&Hash, &Version)> = versions.iter().collect();
    // What was never used is the newest: somebody has just written it.
    ordered.sort_by_key(|(_, version)| {
        let never = version.first_used.is_empty();
        std::cmp::Reverse((never, version.first_used.clone()))
    });
    for (hash, version) in ordered {
        one(&mut page, hash, version, current.as_ref() == Some(hash));
    }
    page::out(&page.finish())?;
    if unread > 0 {
        page::notice(&format!(
            "notice: {} could not be read; 'elenchus verify' names them",
            counted(unread, "session")
        ));
    }
    Ok(())
}

fn one(page: &mut Page, hash: &Hash, version: &Version, is_current: bool) {
    let mark = if is_current { "  (as it is now)" } else { "" };
    page.inked(Ink::Bold, 0, &format!("{}{mark}", short(hash)));
    if version.sessions == 0 {
        page.line(2, "no debate of this store was played with it");
        return;
    }
    page.line(
        2,
        &format!(
            "first used {}, in {}{}",
            version.first_used,
            counted(version.sessions, "session"),
            match version.simulated {
                0 => String::new(),
                simulated => format!(" ({simulated} SIMULATED)"),
            }
        ),
    );
    if version.judged > 0 {
        page.line(2, &rate(version.bad, version.judged));
    }
    if version.simulated_judged > 0 {
        let text = rate(version.simulated_bad, version.simulated_judged);
        page.line(2, &format!("SIMULATED: {text}"));
    }
}

fn rate(bad: usize, judged: usize) -> String {
    format!(
        "{bad} of {} unsafe ({:.1} %)",
        counted(judged, "judged turn"),
        100.0 * bad as f64 / judged as f64
    )
}

/// Returns every text of every template that a debate of the store was played with, by its hash.
///
/// # Errors
/// When the store cannot be listed; a session that cannot be read is left out.
pub(super) fn versions_of_everything(shop: &Workshop) -> anyhow::Result<BTreeMap<Hash, String>> {
    let mut all = BTreeMap::new();
    for id in shop.layout.sessions()? {
        let Ok(state) = read_session(&shop.layout.session(&id)?) else {
            continue;
        };
        let texts = state.created().into_iter();
        for text in texts.flat_map(|created| created.templates.values()) {
            all.insert(Hash::of(text.as_bytes()), text.clone());
        }
    }
    Ok(all)
}
