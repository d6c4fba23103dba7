//! `elenchus prompts`: templates and their versions, rendered prompts, trials and comparisons.

mod ab;
mod accept;
mod args;
mod eject;
mod list;
mod log;
mod render;
mod text;
mod trial;
mod trial_args;
mod trial_progress;
mod versions;

pub(crate) use args::PromptsCommand;
pub use trial_progress::ShownWords;

use super::common::{CommandContext, Exit, format_noun_count, output};
use super::protocols::check;
use anyhow::{Result, bail};

/// Runs a command on prompts.
///
/// # Errors
/// When a prompt, protocol, session or turn does not exist, or `check` found faults.
pub fn run(command: &PromptsCommand, context: &CommandContext) -> Result<Exit> {
    match command {
        PromptsCommand::List { protocol } => list::run(context, protocol.as_deref())?,
        PromptsCommand::Show { prompt } => {
            let prompt_text = text::read_prompt_text(context, prompt)?;
            output::print_notice(&format!("{} ({})", prompt_text.from, prompt_text.hash()));
            output::print_text(&output::clean_text(&prompt_text.text))?;
        }
        PromptsCommand::Render(args) => render::run(args, context)?,
        PromptsCommand::Check { protocols } => check_protocols(protocols, context)?,
        PromptsCommand::Eject(args) => eject::run(args, context)?,
        PromptsCommand::Log { prompt } => log::run(prompt, context)?,
        PromptsCommand::Label(args) => versions::label_version(args, context)?,
        PromptsCommand::Restore(args) => versions::restore_version(args, context)?,
        PromptsCommand::Accept(args) => accept::run(args, context)?,
        PromptsCommand::Diff { one, other } => text::compare_texts(context, one, other)?,
        PromptsCommand::Try(args) => return trial::run(args, context),
        PromptsCommand::Ab(args) => return ab::run(args, context),
    }
    Ok(Exit::Fine)
}

fn check_protocols(protocols: &[String], context: &CommandContext) -> Result<()> {
    let mut fault_count = 0;
    let all_ids = context
        .library
        .list_protocols()
        .into_iter()
        .map(|(id, _)| id);
    let protocol_ids: Vec<String> = match protocols {
        [] => all_ids.collect(),
        some => some.to_vec(),
    };
    for id in &protocol_ids {
        // Each says what is wrong with it; the others are still looked at.
        if let Err(error) = check::run(context, id) {
            output::print_notice(&format!("{error:#}"));
            fault_count += 1;
        }
    }
    if fault_count > 0 {
        bail!(
            "{} of {} cannot be played as they are; the faults are listed above",
            fault_count,
            format_noun_count(protocol_ids.len(), "protocol")
        );
    }
    Ok(())
}
