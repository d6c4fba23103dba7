//! `elenchus show`: a session as a readable transcript, or its events as they are.

use super::args::ShowArgs;
use super::exit::Exit;
use super::list::resolve_session;
use super::page;
use super::parcel::read_exactly;
use super::transcript::{Options, Private, Views, render};
use super::workshop::Workshop;
use crate::driver::read_session;
use crate::store::verify_journal;
use anyhow::{Context, bail};
use std::path::Path;

/// Prints a session.
///
/// # Errors
/// When there is no such session, or its journal is broken.
pub fn run(args: &ShowArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let id = resolve_session(shop, &args.session)?;
    let path = shop.layout.session(id.as_str())?;
    if args.json {
        page::out(&events(&path)?)?;
        return Ok(Exit::Fine);
    }
    let state = read_session(&path)?;
    let options = Options {
        width: page::width(),
        colour: shop.colour,
        private: if args.private {
            Private::Shown
        } else {
            Private::Hidden
        },
        views: if args.views {
            Views::Shown
        } else {
            Views::Hidden
        },
    };
    page::out(&render(&id, &state, options))?;
    Ok(Exit::Fine)
}

/// Returns a journal's complete lines. Events of kinds that this version does not know are among
/// them: their chain holds all the same.
fn events(path: &Path) -> anyhow::Result<String> {
    let found = verify_journal(path, &[])?;
    if let Some(broken) = &found.broken {
        bail!("{broken}");
    }
    let bytes = read_exactly(path, found.head.bytes)?;
    let text =
        String::from_utf8(bytes).with_context(|| format!("{} is not text", path.display()))?;
    Ok(text
        .lines()
        .map(|line| page::harmless_json(line) + "\n")
        .collect())
}
