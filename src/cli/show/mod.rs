//! `elenchus show`: a session as a readable transcript, or its events as they are.

mod args;
pub(crate) mod transcript;

use super::common::Exit;
use super::common::Workshop;
use super::common::output;
use super::common::read_exactly;
use crate::cli::common::resolve_session;
use crate::debate::event::Replied;
use crate::debate::{AttemptId, State};
use crate::store::imported_at;
use crate::store::verify_journal;
use crate::workspace::prompts::{KeptPrompts, PromptName, read_kept, version_of};
use crate::workspace::read_session;
use anyhow::{Context, bail};
pub(crate) use args::ShowArgs;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use transcript::{Options, Private, Views, render};

/// Prints a session.
///
/// # Errors
/// When there is no such session, or its journal is broken.
pub fn run(args: &ShowArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let id = resolve_session(shop, &args.session)?;
    let path = shop.layout.session(id.as_str())?;
    if args.json {
        let events = events(&path)?;
        let lines = match args.views {
            true => with_prompts(&events, &read_session(&path)?, &read_kept(&shop.layout)?),
            false => events,
        };
        output::out(&lines)?;
        return Ok(Exit::Fine);
    }
    let state = read_session(&path)?;
    let kept = match args.views {
        true => read_kept(&shop.layout)?,
        false => KeptPrompts::default(),
    };
    let imported = imported_at(&path);
    let options = Options {
        imported: imported.as_deref(),
        width: output::width(),
        colour: shop.colour,
        private: if args.private {
            Private::Shown
        } else {
            Private::Hidden
        },
        views: if args.views {
            Views::Shown
        } else {
            Views::Hidden
        },
    };
    output::out(&render(&id, &state, &kept, options))?;
    Ok(Exit::Fine)
}

/// Returns a journal's complete lines. Events of kinds that this version does not know are among
/// them: their chain holds all the same.
fn events(path: &Path) -> anyhow::Result<String> {
    let found = verify_journal(path, &[])?;
    if let Some(broken) = &found.broken {
        bail!("{broken}");
    }
    let bytes = read_exactly(path, found.head.bytes)?;
    let text =
        String::from_utf8(bytes).with_context(|| format!("{} is not text", path.display()))?;
    Ok(text
        .lines()
        .map(|line| output::harmless_json(line) + "\n")
        .collect())
}

/// The part of a line that says which attempt came.
#[derive(Deserialize)]
struct ReplyLine {
    event: Replied,
}

/// Puts the template and its version behind the event of every reply that was asked for with one.
fn with_prompts(lines: &str, state: &State, kept: &KeptPrompts) -> String {
    lines
        .lines()
        .map(|line| match prompt_of(line, state, kept) {
            Some((whole, prompt)) => format!("{whole},\"prompt\":{prompt}}}\n"),
            None => format!("{line}\n"),
        })
        .collect()
}

/// Returns the line without its last brace, and what is said of the prompt.
fn prompt_of<'a>(line: &'a str, state: &State, kept: &KeptPrompts) -> Option<(&'a str, String)> {
    // Cheaper than reading every line, and what it lets through is read as a reply.
    if !line.contains("\"event\":{\"type\":\"replied\"") {
        return None;
    }
    let replied = serde_json::from_str::<ReplyLine>(line).ok()?.event;
    let id = AttemptId {
        turn: replied.turn,
        attempt: replied.attempt,
    };
    let (template, hash) = version_of(state, &id)?;
    let name = PromptName {
        protocol: state.protocol()?.id.clone(),
        template,
    };
    let prompt = json!({
        "name": name.to_string(),
        "sha256": hash,
        "labels": kept.labels_of(&name, &hash),
    });
    Some((line.strip_suffix('}')?, prompt.to_string()))
}
