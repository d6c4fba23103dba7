//! A changed prompt that somebody pinned is read and accepted.

use super::desk;
use super::text::{named, print_difference};
use crate::cli::args_prompt_versions::AcceptPromptArgs;
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::driver::prompt_desk::{accept, acceptance};
use crate::driver::short;

/// Shows what changed and writes the pin.
///
/// # Errors
/// When nothing pins the prompt there, or a file cannot be read or written.
pub fn run(args: &AcceptPromptArgs, shop: &Workshop) -> anyhow::Result<()> {
    let name = named(&args.prompt)?;
    let desk = desk(shop, "prompts accept")?;
    let found = acceptance(&desk, &shop.library, &name, args.cast.as_deref())?;
    if found.pin.holds {
        page::notice(&format!("{name} is what {} pins already", found.pin.file));
        return Ok(());
    }
    let now = short(&found.now.glance.hash);
    match &found.before {
        Some(before) => {
            let pinned = format!("{name} as it was pinned");
            print_difference((&pinned, before), (&now, &found.now.text))?;
        }
        None if found.pin.expected.is_empty() => {}
        None => page::notice(&format!(
            "the text that was pinned is neither in the store nor among the prompts: what changed \
             cannot be shown; 'elenchus prompts show {name}' prints it as it is now"
        )),
    }
    accept(&desk, &name, &found)?;
    let file = found.file.display();
    page::notice(&format!("{file} pins {name} as {now} now"));
    Ok(())
}
