//! `elenchus prompts accept`: shows how a pinned prompt changed, and pins it as it is now.

use super::args::AcceptPromptArgs;
use super::text::{named, print_difference};
use crate::cli::common::{Workshop, output};
use anyhow::Result;
use elenchus_records::library::short;
use elenchus_records::workspace::prompts::{accept, acceptance};

/// Shows what changed and writes the pin.
///
/// # Errors
/// When nothing pins the prompt there, or a file cannot be read or written.
pub fn run(args: &AcceptPromptArgs, shop: &Workshop) -> Result<()> {
    let name = named(&args.prompt)?;
    let desk = shop.desk("prompts accept", None)?;
    let found = acceptance(&desk, &shop.library, &name, args.cast.as_deref())?;
    if found.pin.holds {
        output::notice(&format!("{name} is what {} pins already", found.pin.file));
        return Ok(());
    }
    let now = short(&found.now.glance.hash);
    match &found.before {
        Some(before) => {
            let pinned = format!("{name} as it was pinned");
            print_difference((&pinned, before), (&now, &found.now.text))?;
        }
        None if found.pin.expected.is_empty() => {}
        None => output::notice(&format!(
            "the text that was pinned is neither in the store nor among the prompts: what changed \
             cannot be shown; 'elenchus prompts show {name}' prints it as it is now"
        )),
    }
    accept(&desk, &name, &found)?;
    let file = found.file.display();
    output::notice(&format!("{file} pins {name} as {now} now"));
    Ok(())
}
