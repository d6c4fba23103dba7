//! `elenchus prompts render`: the prompt of a turn as the seat was shown it, or with another template.

use crate::cli::common::read_text;
use crate::cli::common::{CommandContext, Ink, Page, output, resolve_session};
use anyhow::{Context, Result, bail};
use clap::Args;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::view::View;
use elenchus_records::workspace::read_session;
use elenchus_run::experiments::prompt_trial::{
    CallContext, DerivationPlace, PromptChange, TriedCall, list_guard_places, list_lesson_places,
    list_verdict_places,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// `elenchus prompts render`
#[derive(Debug, Args)]
pub struct RenderPromptArgs {
    /// SESSION:TURN, SESSION:RULE for a verdict, SESSION:lesson, SESSION:guardrails/CHAIR or SESSION:derivation,
    /// as in last:r2.debater-0, last:decision; SESSION alone lists them
    #[arg(value_name = "SESSION:TURN")]
    pub turn: String,
    /// Render this text instead of the recorded one
    #[arg(long, value_name = "FILE")]
    pub with: Option<PathBuf>,
    /// The template that FILE stands for [default: the one of the turn's seat]
    #[arg(long, value_name = "NAME", requires = "with")]
    pub template: Option<String>,
    /// Say of every part where it comes from
    #[arg(long)]
    pub parts: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "parts")]
    pub json: bool,
}

/// Prints the messages.
///
/// # Errors
/// When there is no such session or turn, or the text cannot be rendered there.
pub fn run(args: &RenderPromptArgs, command_context: &CommandContext) -> Result<()> {
    let Some((session, turn)) = args.turn.rsplit_once(':') else {
        return print_turns(command_context, &args.turn);
    };
    let session = resolve_session(command_context, session)?;
    let call = find_call(command_context, &session, turn)?;
    let context = CallContext::read(&command_context.store.layout, &session, &call)?;
    let view = match &args.with {
        Some(file) => {
            let change = read_change(&context, file, args.template.as_deref())?;
            context.render_view(&change)?
        }
        None => context.shown_view().cloned().with_context(|| {
            format!("no model was called for {call}: a person spoke, or it is scripted")
        })?,
    };
    if args.json {
        return output::print_json_lines([view_to_json(&view)]);
    }
    if args.parts {
        return output::print_text(&format_parts(&view, command_context));
    }
    for message in &view.messages {
        let text: String = message
            .parts
            .iter()
            .filter_map(|part| part.text.as_deref())
            .collect();
        output::print_text(&output::clean_text(&format!(
            "=== {}\n{}\n",
            message.role.as_str(),
            text.trim_end_matches('\n')
        )))?;
    }
    Ok(())
}

/// Returns the change that a file makes to the prompt of a call.
pub(super) fn read_change(
    context: &CallContext,
    file: &Path,
    template: Option<&str>,
) -> Result<PromptChange> {
    Ok(PromptChange {
        template: template.unwrap_or(context.template()).to_owned(),
        text: read_text(file)?,
        named: file.display().to_string(),
    })
}

/// Finds a call of a session by what a person calls it.
pub(super) fn find_call(
    context: &CommandContext,
    session: &SessionId,
    text: &str,
) -> Result<TriedCall> {
    let state = read_session(&context.store.layout.session_path(session.as_str())?)?;
    Ok(TriedCall::find(&state, text)?)
}

fn print_turns(context: &CommandContext, session: &str) -> Result<()> {
    let id = resolve_session(context, session)?;
    let state = read_session(&context.store.layout.session_path(id.as_str())?)?;
    if state.turns().is_empty() {
        bail!("session {id} has no turns yet");
    }
    for turn in state.turns().keys() {
        output::print_text(&output::clean_text(&format!("{id}:{turn}\n")))?;
    }
    let decisions = list_guard_places(&state).into_iter();
    let lessons = list_lesson_places(&state).into_iter();
    let calls = (decisions.map(TriedCall::GuardDecision))
        .chain(
            list_verdict_places(&state)
                .into_iter()
                .map(TriedCall::Verdict),
        )
        .chain(lessons.map(TriedCall::Lesson))
        .chain(DerivationPlace::find(&state).map(TriedCall::Derivation));
    for call in calls {
        output::print_text(&output::clean_text(&format!("{id}:{call}\n")))?;
    }
    Ok(())
}

fn format_parts(view: &View, context: &CommandContext) -> String {
    let mut page = Page::new(output::width(), context.colour);
    for message in &view.messages {
        page.add_bold_line(&format!("=== {}", message.role.as_str()));
        for part in &message.parts {
            let text = part.text.as_deref().unwrap_or_default();
            if text.trim().is_empty() {
                continue;
            }
            page.line_at(2).write_dim(&source_json(&part.from));
            page.write_behind_bar(4, |page| {
                page.add_prose(Ink::Plain, 0, text.trim_matches('\n'));
            });
        }
    }
    page.into_text()
}

fn source_json(from: &elenchus_game::debate::view::PartSource) -> String {
    // The names of JSON are those of the record; people read them as well as programs do.
    serde_json::to_string(from).unwrap_or_default()
}

fn view_to_json(view: &View) -> serde_json::Value {
    let messages: Vec<_> = view
        .messages
        .iter()
        .map(|message| {
            let parts: Vec<_> = message
                .parts
                .iter()
                .map(|part| json!({"from": part.from, "text": part.text}))
                .collect();
            json!({"role": message.role.as_str(), "parts": parts})
        })
        .collect();
    json!({ "messages": messages })
}
