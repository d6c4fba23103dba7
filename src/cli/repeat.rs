//! A command that may be repeated: under a key it begins what it plays, or goes on with what it began.

use super::args::Command;
use super::common::args::ExperimentArgs;
use super::common::{CommandContext, print_notice};
use super::golden::GoldenCommand;
use super::memory::MemoryCommand;
use super::prompts::PromptsCommand;
use super::typed_options::TypedOptions;
use anyhow::{Context, Result, bail};
use elenchus_records::workspace::{RepeatKey, Standing};
use elenchus_run::experiments::{ListedExperiment, find_by_key};
use elenchus_store::KeyLock;

/// Lets a command with a key go on with what it began under that key, or begin under it. The lock is held for as long
/// as it performs that: what else is started under the key meanwhile is refused.
///
/// # Errors
/// When another command, or another plan, was begun under the key, or a process works under it now.
pub(super) fn look_up_key(
    command: &mut Command,
    typed: &TypedOptions,
    context: &CommandContext,
) -> Result<Option<KeyLock>> {
    let Some((words, Some(name), args)) = find_experiment_args(command) else {
        return Ok(None);
    };
    if args.estimate {
        return Ok(None);
    }
    let repeat = RepeatKey {
        name: name.clone(),
        command: words.to_owned(),
        options: typed.with_hashes(),
    };
    let layout = &context.store.layout;
    let lock = KeyLock::acquire(layout, &name, &format!("elenchus {words} --key {name}"));
    let lock = lock.with_context(|| format!("key '{name}' cannot be used now"))?;
    match find_by_key(layout, &name)? {
        None => args.repeat = Some(Box::new(repeat)),
        Some(experiment) => {
            check_same(&experiment, &repeat)?;
            let (kind, id) = (experiment.summary.kind, &experiment.summary.id);
            let is_over = experiment.summary.standing == Standing::Completed
                && experiment.summary.failures.is_empty();
            if !args.quiet {
                print_notice(&match is_over {
                    true => format!("key '{name}': {kind} {id} is complete; nothing is left to do"),
                    false => format!("key '{name}': going on with {kind} {id}"),
                });
            }
            args.resume = Some(id.clone());
        }
    }
    Ok(Some(lock))
}

/// Returns the words of a command that can have a key, the key, and its options as an experiment.
fn find_experiment_args(
    command: &mut Command,
) -> Option<(&'static str, Option<String>, &mut ExperimentArgs)> {
    let (words, key, args) = match command {
        Command::Run(args) => ("run", &args.repeat, &mut args.experiment),
        Command::Sweep(args) => ("sweep", &args.repeat, &mut args.experiment),
        Command::Judge(args) => ("judge", &args.repeat, &mut args.experiment),
        Command::Golden(args) => match &mut args.command {
            Some(GoldenCommand::Run(args)) => ("golden run", &args.repeat, &mut args.experiment),
            _ => return None,
        },
        Command::Prompts(PromptsCommand::Ab(args)) => {
            ("prompts ab", &args.repeat, &mut args.experiment)
        }
        Command::Memory(MemoryCommand::Ablate(args)) => {
            ("memory ablate", &args.repeat, &mut args.experiment)
        }
        _ => return None,
    };
    Some((words, key.key.clone(), args))
}

fn check_same(experiment: &ListedExperiment, asked: &RepeatKey) -> Result<()> {
    let (kind, id) = (experiment.summary.kind, &experiment.summary.id);
    let differences = experiment.summary.repeat.as_ref();
    let differences = differences.map(|begun| begun.list_differences(asked));
    let differences = differences.unwrap_or_default();
    if differences.is_empty() {
        return Ok(());
    }
    let name = &asked.name;
    bail!(
        "key '{name}' was used for another plan, {kind} {id}: {}; take another key for this one, or go on with that \
         one: {}",
        differences.join("; "),
        experiment.resume_command()
    )
}
