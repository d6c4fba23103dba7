//! `elenchus show`: a session as a readable transcript, or its events as they are.

mod args;

use super::common::{CommandContext, output, resolve_session};
use anyhow::Result;
pub(crate) use args::ShowArgs;
use elenchus_game::debate::event::Replied;
use elenchus_game::debate::view::View;
use elenchus_game::debate::{AttemptId, State, TurnId};
use elenchus_game::prompt::expand_view;
use elenchus_records::workspace::prompts::{KeptPrompts, PromptName, read_kept, version_of};
use elenchus_records::workspace::{read_session, read_session_text};
use elenchus_store::import_of;
use elenchus_view::show::{TranscriptOptions, write_transcript};
use serde::Deserialize;
use serde_json::json;

/// Prints a session.
///
/// # Errors
/// When there is no such session, or its journal is broken.
pub fn run(args: &ShowArgs, context: &CommandContext) -> Result<()> {
    let id = resolve_session(context, &args.session)?;
    let path = context.store.layout.session_path(id.as_str())?;
    if args.json {
        let lines = read_session_text(&path)?;
        let lines = match args.views {
            true => add_views(
                &lines,
                &read_session(&path)?,
                &read_kept(&context.store.layout)?,
            ),
            false => lines,
        };
        let lines = lines.lines().map(|line| output::clean_json(line) + "\n");
        return output::print_text(&lines.collect::<String>());
    }
    let state = read_session(&path)?;
    let kept_prompts = match args.views {
        true => Some(read_kept(&context.store.layout)?),
        false => None,
    };
    let import = import_of(&path);
    let options = TranscriptOptions {
        imported: import.as_ref(),
        width: output::width(),
        colour: context.colour,
        private: args.private,
        views: kept_prompts.as_ref(),
    };
    output::print_text(&write_transcript(&id, &state, options))
}

/// The part of a line that says what a seat was shown.
#[derive(Deserialize)]
struct ViewLine {
    event: ViewEvent,
}

#[derive(Deserialize)]
struct ViewEvent {
    turn: Option<TurnId>,
    view: View,
}

/// Writes the text of every part of a view into its line, and behind the event of every reply the
/// template and version that it was asked for with.
fn add_views(lines: &str, state: &State, kept: &KeptPrompts) -> String {
    let line = |line: &str| {
        let line = add_part_texts(line, state).unwrap_or_else(|| line.to_owned());
        match find_prompt(&line, state, kept) {
            Some((whole, prompt)) => format!("{whole},\"prompt\":{prompt}}}\n"),
            None => line + "\n",
        }
    };
    lines.lines().map(line).collect()
}

/// Returns the line with every part's text; `None` where it holds no view.
fn add_part_texts(line: &str, state: &State) -> Option<String> {
    let event = serde_json::from_str::<ViewLine>(line).ok()?.event;
    // A view is always written in the same way, so it is found in the line as it is written again.
    let view_json = serde_json::to_string(&event.view).ok()?;
    let expanded_view = expand_view(state, event.turn.as_ref(), event.view);
    Some(line.replacen(&view_json, &serde_json::to_string(&expanded_view).ok()?, 1))
}

/// The part of a line that says which attempt came.
#[derive(Deserialize)]
struct ReplyLine {
    event: Replied,
}

/// Returns the line without its last brace, and what is said of the prompt.
fn find_prompt<'a>(line: &'a str, state: &State, kept: &KeptPrompts) -> Option<(&'a str, String)> {
    // Cheaper than reading every line, and what it lets through is read as a reply.
    if !line.contains("\"event\":{\"type\":\"replied\"") {
        return None;
    }
    let reply_event = serde_json::from_str::<ReplyLine>(line).ok()?.event;
    let id = AttemptId {
        turn: reply_event.turn,
        attempt: reply_event.attempt,
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
