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

use super::common::{Exit, Workshop, counted, output};
use super::protocols::check;
use anyhow::{Result, bail};

/// Runs a command on prompts.
///
/// # Errors
/// When a prompt, protocol, session or turn does not exist, or `check` found faults.
pub fn run(command: &PromptsCommand, shop: &Workshop) -> Result<Exit> {
    match command {
        PromptsCommand::List { protocol } => list::run(shop, protocol.as_deref())?,
        PromptsCommand::Show { prompt } => {
            let found = text::of_prompt(shop, prompt)?;
            output::notice(&format!("{} ({})", found.from, found.hash()));
            output::out(&output::harmless_text(&found.text))?;
        }
        PromptsCommand::Render(args) => render::run(args, shop)?,
        PromptsCommand::Check { protocols } => check(protocols, shop)?,
        PromptsCommand::Eject(args) => eject::run(args, shop)?,
        PromptsCommand::Log { prompt } => log::run(prompt, shop)?,
        PromptsCommand::Label(args) => versions::label(args, shop)?,
        PromptsCommand::Restore(args) => versions::bring_back(args, shop)?,
        PromptsCommand::Accept(args) => accept::run(args, shop)?,
        PromptsCommand::Diff { one, other } => text::diff(shop, one, other)?,
        PromptsCommand::Try(args) => return trial::run(args, shop),
        PromptsCommand::Ab(args) => return ab::run(args, shop),
    }
    Ok(Exit::Fine)
}

fn check(protocols: &[String], shop: &Workshop) -> Result<()> {
    let mut wrong = 0;
    let all = shop.library.protocols().into_iter().map(|(id, _)| id);
    let wanted: Vec<String> = match protocols {
        [] => all.collect(),
        some => some.to_vec(),
    };
    for id in &wanted {
        // Each says what is wrong with it; the others are still looked at.
        if let Err(error) = check::run(shop, id) {
            output::notice(&format!("{error:#}"));
            wrong += 1;
        }
    }
    if wrong > 0 {
        bail!(
            "{} of {} cannot be played as they are; the faults are listed above",
            wrong,
            counted(wanted.len(), "protocol")
        );
    }
    Ok(())
}
