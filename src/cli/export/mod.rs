//! `elenchus export`: journals, byte for byte, into a folder.
//!
//! A journal is the format; `--record` writes round records instead. One that is being written to is copied up to its last complete line.

use super::args_export::ExportArgs;
use super::exit::Exit;
use super::export_record;
use super::list::resolve_session;
use super::page::{self, counted};
use super::parcel::{Copy, Kind, There, compare, heads_of, inspect, publish_all, read_exactly};
use super::short::{tell_gone, tell_short};
use super::workshop::Workshop;
use crate::debate::SessionId;
use crate::driver::{find_run, read_run};
use crate::store::Head;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What is to be exported, with the heads that runs remember.
#[derive(Default)]
struct Wanted {
    journals: BTreeSet<(Kind, String)>,
    heads: BTreeMap<SessionId, Vec<Head>>,
}

/// Copies journals into a folder; nothing is written unless all of them can be.
///
/// # Errors
/// When a journal is broken, or a different file of its name is in the folder.
pub fn run(args: &ExportArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if args.record_schema {
        return export_record::schema();
    }
    let output = args.output.as_deref().context("give --output")?;
    tell_short(shop)?;
    if args.record {
        return export_record::run(args, shop, output);
    }
    let wanted = wanted(args, shop)?;
    if wanted.journals.is_empty() {
        bail!("there is nothing to export; 'elenchus ls' lists what there is");
    }
    let mut copies = Vec::new();
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut same = 0;
    for (kind, id) in &wanted.journals {
        let path = match kind {
            Kind::Session => shop.layout.session(id)?,
            Kind::Run => shop.layout.run(id)?,
        };
        let known = wanted.heads.get(&SessionId::new(id.clone()));
        let known = known
            .filter(|_| *kind == Kind::Session)
            .map_or(&[][..], Vec::as_slice);
        let (head, _) = inspect(&path, known).context("nothing was exported")?;
        let content = read_exactly(&path, head.bytes)?;
        let target = target(output, *kind, id);
        match compare(&target, &content)? {
            There::Nothing => {
                copies.push(Copy::write(&target, &content, head)?);
                *counts.entry(*kind).or_default() += 1;
            }
            There::Same => same += 1,
            There::Shorter | There::Longer | There::Different => bail!(
                "{} is there already and differs; nothing was exported: choose another folder",
                target.display()
            ),
        }
    }
    publish_all(&copies)?;
    page::notice(&format!(
        "exported {} and {} to {}{}",
        counted(counts.get(&Kind::Session).copied().unwrap_or(0), "session"),
        counted(counts.get(&Kind::Run).copied().unwrap_or(0), "run"),
        output.display(),
        if same > 0 {
            format!("; {same} were there already")
        } else {
            String::new()
        },
    ));
    Ok(Exit::Fine)
}

fn target(folder: &std::path::Path, kind: Kind, id: &str) -> PathBuf {
    folder
        .join(kind.folder())
        .join(format!("{id}{}", super::parcel::JOURNAL))
}

fn wanted(args: &ExportArgs, shop: &Workshop) -> anyhow::Result<Wanted> {
    let mut wanted = Wanted::default();
    if args.session.is_empty() && args.run.is_empty() {
        for id in shop.layout.sessions()? {
            wanted.journals.insert((Kind::Session, id));
        }
        for id in shop.layout.runs()? {
            add_run(shop, &id, &mut wanted)?;
        }
        return Ok(wanted);
    }
    for text in &args.session {
        let id = resolve_session(shop, text)?;
        wanted.journals.insert((Kind::Session, id.to_string()));
    }
    for text in &args.run {
        let id = find_run(&shop.layout, text)?;
        add_run(shop, id.as_str(), &mut wanted)?;
    }
    Ok(wanted)
}

fn add_run(shop: &Workshop, id: &str, wanted: &mut Wanted) -> anyhow::Result<()> {
    let run = read_run(&shop.layout.run(id)?)?;
    tell_gone(shop, &run)?;
    wanted.journals.insert((Kind::Run, id.to_owned()));
    let there: BTreeSet<String> = shop.layout.sessions()?.into_iter().collect();
    for session in run.sessions() {
        // Items that were not begun have no journal yet.
        if there.contains(session.as_str()) {
            wanted.journals.insert((Kind::Session, session.to_string()));
        }
    }
    for (session, head) in heads_of(&run) {
        wanted.heads.entry(session).or_default().push(head);
    }
    Ok(())
}
