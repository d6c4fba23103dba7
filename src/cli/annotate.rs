//! `elenchus annotate`: the workbench, opened where turns are labelled.

use super::common::{CommandContext, Exit, Global, output, shell_word, wait_for};
use super::labels::print_draw_summary;
use super::open::{LookArgs, build_workbench_inputs, known_annotator, run_workbench};
use crate::tui::app::{Annotator, ExitReason, FirstScreen, WorkbenchInputs};
use anyhow::{Result, bail};
use clap::Args;
use elenchus_annotation::labelling::LabellingWork;
use elenchus_annotation::pack::read_pack_recipient;
use elenchus_annotation::queue::{draw_run_sample, find_labelled_queue, list_labelled_queues};
use elenchus_records::workspace::annotations::annotator_name;
use elenchus_records::workspace::{StoreContext, find_run};
use elenchus_store::Layout;
use std::path::PathBuf;

/// `elenchus annotate`
#[derive(Debug, Default, Args)]
pub struct AnnotateArgs {
    /// The queue [default: the only one]
    #[arg(value_name = "QUEUE")]
    pub queue: Option<String>,
    /// The queue of this run, which is drawn where it is not there: 20 of its turns, over what the evaluator found
    #[arg(long, value_name = "RUN", conflicts_with_all = ["queue", "pack"])]
    pub run: Option<String>,
    /// Who labels [default: whom the pack is for, the configured name, or USER]
    #[arg(long = "as", value_name = "NAME")]
    pub person: Option<String>,
    /// A pack that a colleague made, in place of the store
    #[arg(long, value_name = "FOLDER", conflicts_with = "store")]
    pub pack: Option<PathBuf>,
    /// Settle what annotators disagree on, in place of labelling
    #[arg(long)]
    pub adjudicate: bool,
    #[command(flatten)]
    pub look: LookArgs,
}

/// Opens a queue to be labelled, or what its annotators disagree on.
///
/// # Errors
/// When there is no terminal, no such queue, or several and none is named.
pub fn run(args: &AnnotateArgs, global: &Global, context: &CommandContext) -> Result<Exit> {
    let layout = match &args.pack {
        None => context.store.layout.clone(),
        Some(folder) => Layout::new(folder),
    };
    let queue = match (&args.queue, &args.run, &args.pack) {
        (Some(name), _, _) => name.clone(),
        (None, Some(run), _) => ensure_run_queue(run, args, context)?,
        (None, None, pack) => {
            let mut names: Vec<String> = list_labelled_queues(&layout)?
                .into_iter()
                .map(|it| it.0)
                .collect();
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
    find_labelled_queue(&layout, &queue)?;
    let is_for = match &args.pack {
        Some(_) => read_pack_recipient(&layout)?,
        None => None,
    };
    let person = args.person.clone().or_else(|| is_for.clone());
    let annotator = match person {
        Some(_) => Annotator::Named,
        None => known_annotator(context),
    };
    let person = person.unwrap_or_else(|| context.store.person.clone());
    if let Some(is_for) = is_for.filter(|is_for| annotator_name(is_for) != annotator_name(&person))
    {
        output::print_notice(&format!(
            "this pack is for {is_for}: what {person} does in it is taken only with 'labels merge --take'"
        ));
    }
    if person.trim().is_empty() {
        bail!("the annotator needs a name; give one with --as NAME");
    }
    let mut inputs =
        build_workbench_inputs(&args.look, global, context, (person.clone(), annotator));
    inputs.run.store = StoreContext {
        layout,
        ..context.hold_store("annotate", Some(&person))
    };
    let work = match args.adjudicate {
        true => LabellingWork::Disputes(queue.clone()),
        false => LabellingWork::Queue(queue.clone()),
    };
    let exit = run_workbench(WorkbenchInputs {
        open: Some(FirstScreen::Annotate(work)),
        ..inputs
    })?;
    if exit.terminal == ExitReason::Hangup {
        return Ok(Exit::Unfinished);
    }
    // A pack's words can come from anybody.
    let mut again = format!(
        "elenchus annotate {} --as {}",
        shell_word(&queue),
        shell_word(&exit.annotator)
    );
    if let Some(pack) = &args.pack {
        again.push_str(&format!(" --pack {}", shell_word(&pack.to_string_lossy())));
    }
    if args.adjudicate {
        again.push_str(" --adjudicate");
    }
    output::print_notice(&format!("go on with: {again}"));
    Ok(Exit::Fine)
}

/// Takes the queue of a run, or draws it, telling what was drawn.
fn ensure_run_queue(run: &str, args: &AnnotateArgs, context: &CommandContext) -> Result<String> {
    let run = find_run(&context.store.layout, run)?;
    let store = context.hold_store("labels", args.person.as_ref());
    let sample = wait_for(draw_run_sample(&store, &context.library, &run))??;
    if let Some(queue_draw) = &sample.drawn {
        print_draw_summary(queue_draw);
    }
    output::print_notices(sample.build_notices());
    Ok(sample.queue)
}
