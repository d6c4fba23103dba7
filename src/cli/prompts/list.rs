//! `elenchus prompts list`: templates with their seats, stages and origins.

use crate::cli::common::{Page, Workshop, output};
use anyhow::{Result, bail};
use elenchus_records::library::short;
use elenchus_records::workspace::prompts::{PromptOverview, prompt_catalogue};

/// Prints the templates of one protocol, or of all.
///
/// # Errors
/// When the protocol does not exist or cannot be read.
pub fn run(shop: &Workshop, protocol: Option<&str>) -> Result<()> {
    if let Some(id) = protocol {
        // Says which there are, where there is none of that id.
        shop.library.protocol(id)?;
    }
    let is_wanted = |id: &str| protocol.is_none_or(|wanted| wanted == id);
    let all = prompt_catalogue(&shop.library);
    let mut page = Page::new(output::width(), shop.colour);
    let mut last = "";
    for prompt in &all.prompts {
        let id = prompt.name.protocol.as_str();
        if !is_wanted(id) {
            continue;
        }
        if id != last {
            page.title(id);
            last = id;
        }
        one(&mut page, prompt);
    }
    for (id, why) in all.broken.iter().filter(|(id, _)| is_wanted(id)) {
        if protocol.is_some() {
            bail!("{why}");
        }
        page.title(id);
        page.at(2).line(&format!("cannot be used: {why}"));
    }
    output::out(&page.finish())
}

fn one(page: &mut Page, prompt: &PromptOverview) {
    let (name, hash) = (&prompt.name.template, short(&prompt.hash));
    page.at(2)
        .line(&format!("{name}  {hash}  {}", prompt.tellers));
    if !prompt.description.is_empty() {
        page.at(4).line(&prompt.description);
    }
    if let Some(fault) = &prompt.fault {
        page.at(4).bad(fault);
    }
    page.at(4)
        .dim(&format!("{} [{}]", prompt.file, prompt.origin));
}
