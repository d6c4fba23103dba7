//! `elenchus protocols pin`: hashes of a game's files, as they are now.

use super::args::PinArgs;
use crate::cli::common::{CommandContext, Ink, Page, output};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::protocol::Settings;
use elenchus_records::library::{
    Game, Library, PINS_FILE, PinnedFile, Pins, ProtocolSource, shorten_hash,
};
use elenchus_store::{Hash, replace_private};
use std::path::{Path, PathBuf};

/// Writes the pins of a game.
///
/// # Errors
/// When the game cannot be read, or the pins cannot be written.
pub fn run(args: &PinArgs, context: &CommandContext) -> Result<()> {
    let place = ProtocolSource::from_name(&args.id);
    let game = place.load_unpinned_game(&context.library, &Settings::new())?;
    let (library, id) = place.select_library(&context.library, &game);
    let mut wider = game.clone();
    wider.protocol.pinned.extend(game.protocol.pinnable.clone());
    let mut files = library.list_pinned_files(&id, &wider)?;
    if args.all {
        // Also what a setting brings into the game.
        for variant in library.read_variants(&id)? {
            wider.files.extend(variant.parts.files);
            wider.more_files.extend(variant.parts.more_files);
        }
        let earlier_pins = library.read_pins(&id)?;
        let other_files = library.list_pinnable_paths(&id, &wider)?;
        wider.protocol.pinned.extend(other_files);
        files = library.list_pinned_files(&id, &wider)?;
        debug_assert!(files.len() >= earlier_pins.hashes.len());
    }
    if files.is_empty() {
        return output::print_text(&format!(
            "protocol '{}' names no file to pin; --all pins every file of it\n",
            output::clean_line(&args.id)
        ));
    }
    let target = choose_pins_file(args, context, &place, &id)?;
    let mut text = Page::new(output::width(), context.colour);
    let mut pins = Pins::default();
    for file in &files {
        text.add_line(&describe_change(file));
        if let Some(hash) = file.found {
            pins.hashes.insert(file.path.clone(), hash);
        }
    }
    replace_private(&target, pins.to_text().as_bytes())?;
    text.add_line(&format!("wrote {}", target.display()));
    output::print_text(&text.into_text())?;
    // What was read again is what counts: a nearer folder may have pins of its own.
    let (library, id) = reopen_library(context, &place, &game);
    if let Some(counts) = library.read_pins(&id)?.file
        && Path::new(&counts).canonicalize().ok() != target.canonicalize().ok()
    {
        output::print_notice(&format!(
            "notice: {counts} is nearer and still counts; --project writes there"
        ));
    }
    Ok(())
}

/// The library as it is now: its folder may not have been there before.
fn reopen_library(
    context: &CommandContext,
    place: &ProtocolSource,
    game: &Game,
) -> (Library, String) {
    match place {
        ProtocolSource::Library(id) => {
            let config = &context.config;
            let folders = config.project_prompts.iter().chain(&config.user_prompts);
            (
                context.library.with_folders(folders.cloned().collect()),
                id.clone(),
            )
        }
        ProtocolSource::BuiltIn(_) | ProtocolSource::File(_) => {
            place.select_library(&context.library, game)
        }
    }
}

/// Where the pins are written.
fn choose_pins_file(
    args: &PinArgs,
    context: &CommandContext,
    place: &ProtocolSource,
    id: &str,
) -> Result<PathBuf> {
    let folder = match place {
        ProtocolSource::BuiltIn(id) => bail!("what is built in is pinned already; pin '{id}' instead"),
        ProtocolSource::File(path) => {
            if args.project {
                bail!("a protocol that is named by its file has its pins next to it; leave --project out");
            }
            let path = path.canonicalize()?;
            return Ok(path.with_file_name(PINS_FILE));
        }
        ProtocolSource::Library(_) if args.project => context.config.project_prompts.as_ref().context(
            "there is no .elenchus folder here or above; 'elenchus config init --project' begins one",
        )?,
        ProtocolSource::Library(_) => context
            .config
            .user_prompts
            .as_ref()
            .context("there is no home folder to keep pins in; use --project")?,
    };
    Ok(folder.join(id).join(PINS_FILE))
}

fn describe_change(file: &PinnedFile) -> String {
    let old_hash = file
        .pin
        .map_or("none".to_owned(), |hash| shorten_hash(&hash));
    match file.found {
        None => format!(
            "{}: {old_hash} -> dropped, there is no such file",
            file.path
        ),
        Some(found) if file.pin == Some(found) => format!("{}: {old_hash}, as before", file.path),
        Some(found) => format!("{}: {old_hash} -> {}", file.path, shorten_hash(&found)),
    }
}

/// Says of each pinned file of a game whether it is the one that was pinned; nothing where none is.
///
/// # Errors
/// When the pins cannot be read.
pub(super) fn describe_pins(context: &CommandContext, named: &str, game: &Game) -> Result<String> {
    let (library, id) = ProtocolSource::from_name(named).select_library(&context.library, game);
    let files = library.list_pinned_files(&id, game)?;
    let mut watched_files = library.list_watched_files(&id, named, game)?;
    watched_files.retain(|other| files.iter().all(|file| file.path != other.path()));
    let mut text = Page::new(output::width(), context.colour);
    if files.is_empty() && watched_files.is_empty() {
        return Ok(String::new());
    }
    text.add_line("");
    text.add_bold_line("Pinned files");
    for file in &files {
        let digits =
            |hash: Option<Hash>| hash.map_or("none".to_owned(), |hash| shorten_hash(&hash));
        let (ink, state) = if file.matches_pin() {
            (Ink::Plain, format!("holds ({})", digits(file.found)))
        } else if file.pin.is_none() {
            (
                Ink::Bad,
                format!("NOT PINNED (it is {})", digits(file.found)),
            )
        } else {
            let (pin, found) = (digits(file.pin), digits(file.found));
            (Ink::Bad, format!("CHANGED (pinned {pin}, it is {found})"))
        };
        text.line_at(2)
            .write_in_ink(ink, &format!("{}: {state}", file.path));
    }
    for file in &watched_files {
        let hash_text = shorten_hash(&file.file_hash());
        let (ink, state) = match file.is_accepted() {
            true => (Ink::Plain, format!("built in ({hash_text})")),
            false => (
                Ink::Bad,
                format!("not pinned (it is {hash_text}): played, and flagged"),
            ),
        };
        text.line_at(2)
            .write_in_ink(ink, &format!("{}: {state}", file.path()));
    }
    Ok(text.into_text())
}
