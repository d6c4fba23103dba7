//! `elenchus annotate`: the workbench, opened where turns are labelled.

use super::args_labels::AnnotateArgs;
use super::exit::Exit;
use super::labels::{desk, tell};
use super::open::{bench, sit_down};
use super::page::{self, shell_word};
use super::workshop::Workshop;
use crate::driver::desk::{annotator, find_queue, pack_is_for, queues, sample_of_run};
use crate::driver::find_run;
use crate::store::Layout;
use crate::tui::app::Work;
use crate::tui::{Bench, Ending, First};
use anyhow::{Context, bail};

/// Opens a queue to be labelled, or what its annotators disagree on.
///
/// # Errors
/// When there is no terminal, no such queue, or several and none is named.
pub fn run(args: &AnnotateArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let layout = match &args.pack {
        None => shop.layout.clone(),
        Some(folder) => Layout::at(folder),
    };
    let queue = match (&args.queue, &args.run, &args.pack) {
        (Some(name), _, _) => name.clone(),
        (None, Some(run), _) => of_run(run, args, shop)?,
        (None, None, pack) => {
            let mut names: Vec<String> = queues(&layout)?.into_iter().map(|it| it.0).collect();
            match (names.len(), pack) {
                (1, _) => names.remove(0),
                (0, Some(folder)) => bail!(
                    "{} is no pack: it holds no queue; name the folder that 'elenchus labels pack' wrote",
                    folder.display()
                ),
                (0, None) => bail!(
                    "there is no queue to label; 'elenchus labels queue NAME --sample N' draws one"
                ),
                (_, _) => bail!(
                    "there are several queues, name one of them: {}",
                    names.join(", ")
                ),
            }
        }
    };
    find_queue(&layout, &queue)?;
    let is_for = match &args.pack {
        Some(_) => pack_is_for(&layout)?,
        None => None,
    };
    let person = args.person.clone().or_else(|| is_for.clone());
    let person = person.unwrap_or_else(|| super::open::person(shop));
    if let Some(is_for) = is_for.filter(|is_for| annotator(is_for) != annotator(&person)) {
        page::notice(&format!(
            "this pack is for {is_for}: what {person} does in it is taken only with 'labels merge --take'"
        ));
    }
    if person.trim().is_empty() {
        bail!("whoever labels needs a name; give one with --as NAME");
    }
    let mut bench = bench(&args.look, shop, person.clone())?;
    bench.tools.desk.layout = layout;
    bench.tools.desk.holder = shop.holder("annotate");
    let work = match args.adjudicate {
        true => Work::Disputes(queue.clone()),
        false => Work::Queue(queue.clone()),
    };
    let left = sit_down(Bench {
        open: Some(First::Annotate(work)),
        ..bench
    })?;
    if left.terminal == Ending::Hangup {
        return Ok(Exit::Unfinished);
    }
    // A pack's words can come from anybody.
    let mut again = format!(
        "elenchus annotate {} --as {}",
        shell_word(&queue),
        shell_word(&person)
    );
    if let Some(pack) = &args.pack {
        again.push_str(&format!(" --pack {}", shell_word(&pack.to_string_lossy())));
    }
    if args.adjudicate {
        again.push_str(" --adjudicate");
    }
    page::notice(&format!("go on with: {again}"));
    Ok(Exit::Fine)
}

/// Takes the queue of a run, or draws it, telling what was drawn.
fn of_run(run: &str, args: &AnnotateArgs, shop: &Workshop) -> anyhow::Result<String> {
    let run = find_run(&shop.layout, run)?;
    let desk = desk(shop, args.person.as_ref())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime could not be started")?;
    let sample = runtime.block_on(sample_of_run(&desk, &shop.library, &run))?;
    if let Some(drawn) = &sample.drawn {
        tell(drawn);
    }
    for notice in sample.notices() {
        page::notice(&format!("notice: {notice}"));
    }
    Ok(sample.queue)
}
