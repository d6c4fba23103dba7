//! `elenchus prompts list`: templates with their seats, stages and origins.

use crate::cli::common::{CommandContext, Page, output};
use anyhow::{Result, bail};
use elenchus_records::library::shorten_hash;
use elenchus_records::workspace::prompts::{PromptOverview, prompt_catalogue};

/// Prints the templates of one protocol, or of all.
///
/// # Errors
/// When the protocol does not exist or cannot be read.
pub fn run(context: &CommandContext, protocol: Option<&str>) -> Result<()> {
    if let Some(id) = protocol {
        // Says which there are, where there is none of that id.
        context.library.read_protocol(id)?;
    }
    let is_wanted = |id: &str| protocol.is_none_or(|wanted| wanted == id);
    let catalogue = prompt_catalogue(&context.library);
    let mut page = Page::new(output::width(), context.colour);
    let mut last = "";
    for prompt in &catalogue.prompts {
        let id = prompt.name.protocol.as_str();
        if !is_wanted(id) {
            continue;
        }
        if id != last {
            page.add_title(id);
            last = id;
        }
        write_prompt_overview(&mut page, prompt);
    }
    for (id, why) in catalogue.broken.iter().filter(|(id, _)| is_wanted(id)) {
        if protocol.is_some() {
            bail!("{why}");
        }
        page.add_title(id);
        page.line_at(2)
            .write_plain(&format!("cannot be used: {why}"));
    }
    output::print_text(&page.into_text())
}

fn write_prompt_overview(page: &mut Page, prompt: &PromptOverview) {
    let (name, hash) = (&prompt.name.template, shorten_hash(&prompt.hash));
    page.line_at(2)
        .write_plain(&format!("{name}  {hash}  {}", prompt.users));
    if !prompt.description.is_empty() {
        page.line_at(4).write_plain(&prompt.description);
    }
    if let Some(fault) = &prompt.fault {
        page.line_at(4).write_bad(fault);
    }
    page.line_at(4)
        .write_dim(&format!("{} [{}]", prompt.file, prompt.origin));
}
