//! `elenchus labels pack`: a folder in which a colleague labels a queue on another machine.

use super::args::PackArgs;
use crate::cli::common::{CommandContext, format_noun_count, output, shell_word};
use anyhow::{Result, bail};
use elenchus_annotation::pack::write_pack;

/// Writes a folder in which a colleague labels a queue.
///
/// # Errors
/// When there is no such queue, a session of it cannot be read, or the folder is there and is not this pack.
pub async fn run(args: &PackArgs, context: &CommandContext) -> Result<()> {
    let store = context.hold_store("labels", None);
    let person = args.person.as_deref();
    if person.is_some_and(|name| name.trim().is_empty()) {
        bail!("the recipient of the pack needs a name; give one with --for NAME");
    }
    let summary = write_pack(&store, &context.library, &args.queue, &args.folder, person).await?;
    if summary.is_there_already {
        output::print_notice(&format!(
            "{} is this pack already, and is left as it is, with what is labelled in it",
            args.folder.display()
        ));
    }
    output::print_notice(&format!(
        "{}: {} of {}, only the questions and turns: no verdict, model, protocol or prompt",
        args.folder.display(),
        format_noun_count(summary.items, "item"),
        format_noun_count(summary.sessions, "session"),
    ));
    let folder = args.folder.to_string_lossy();
    let folder = shell_word(&folder);
    output::print_notice(&format!(
        "label it with: elenchus annotate --pack {folder} --as {}",
        person.map_or("NAME".into(), shell_word)
    ));
    output::print_notice(&format!(
        "take it in with: elenchus labels merge {folder}{}",
        match person {
            Some(_) => "",
            None => " --take NAME; a pack that is made with --for NAME needs no --take",
        }
    ));
    Ok(())
}
