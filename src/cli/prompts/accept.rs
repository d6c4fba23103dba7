//! `elenchus prompts accept`: shows how a pinned prompt changed, and pins it as it is now.

use super::args::AcceptPromptArgs;
use super::text::{parse_prompt_name, print_difference};
use crate::cli::common::{CommandContext, output};
use anyhow::Result;
use elenchus_records::library::shorten_hash;
use elenchus_records::workspace::prompts::{accept_prompt, prepare_acceptance};

/// Shows what changed and writes the pin.
///
/// # Errors
/// When nothing pins the prompt there, or a file cannot be read or written.
pub fn run(args: &AcceptPromptArgs, context: &CommandContext) -> Result<()> {
    let name = parse_prompt_name(&args.prompt)?;
    let store_context = context.hold_store("prompts accept", None);
    let candidate = prepare_acceptance(
        &store_context,
        &context.library,
        &name,
        args.cast.as_deref(),
    )?;
    if candidate.pin.holds {
        output::print_notice(&format!(
            "{name} is what {} pins already",
            candidate.pin.file
        ));
        return Ok(());
    }
    let now = shorten_hash(&candidate.now.overview.hash);
    match &candidate.before {
        Some(before) => {
            let before_title = format!("{name} as it was pinned");
            print_difference((&before_title, before), (&now, &candidate.now.text))?;
        }
        None if candidate.pin.expected.is_empty() => {}
        None => output::print_notice(&format!(
            "the text that was pinned is neither in the store nor among the prompts: what changed \
             cannot be shown; 'elenchus prompts show {name}' prints it as it is now"
        )),
    }
    accept_prompt(&store_context, &name, &candidate)?;
    let file = candidate.file.display();
    output::print_notice(&format!("{file} pins {name} as {now} now"));
    Ok(())
}
