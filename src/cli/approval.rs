//! The question whether a project's configuration may have what it asks for: put once, in a terminal,
//! before anything is sent.

use super::args::Command;
use super::args_golden::GoldenCommand;
use super::args_guard::GuardCommand;
use super::args_memory::MemoryCommand;
use super::args_prompts::PromptsCommand;
use super::args_servers::ServersCommand;
use super::page;
use super::question;
use super::trust;
use super::workshop::Workshop;
use crate::config::{Ceiling, Server, Waiting};
use anyhow::bail;
use std::path::Path;

/// Whether something was answered, so that the configuration means something else now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    Nothing,
    Something,
}

/// Asks for what waits, where the command will contact somebody and a person is there. Without one,
/// servers are refused when they are needed, and a raised limit on cost here.
///
/// # Errors
/// When a limit waits and nobody can be asked; when the answer cannot be kept.
pub fn ask(command: &Command, shop: &Workshop) -> anyhow::Result<Answered> {
    let Some(file) = &shop.config.project_file else {
        return Ok(Answered::Nothing);
    };
    let waiting: &[Waiting] = &shop.config.waiting;
    if waiting.is_empty() || !calls_models(command) {
        return Ok(Answered::Nothing);
    }
    if !question::is_somebody_there() {
        let raised = waiting
            .iter()
            .find(|it| matches!(it, Waiting::Ceiling { .. }));
        if let Some(raised) = raised.filter(|_| takes_the_limit(command)) {
            bail!(
                "{} {raised}, and nobody has approved that; to approve it: {}; or set a limit with \
                 --budget-usd",
                file.display(),
                raised.command(file)
            );
        }
        return Ok(Answered::Nothing);
    }
    let Some(approved) = put(file, waiting)? else {
        return Ok(Answered::Nothing);
    };
    let mut approvals = shop.config.approvals.clone();
    for wanted in waiting {
        match wanted.clone() {
            Waiting::Server { origin, key } => approvals.servers.push(Server {
                url: origin,
                key,
                approved,
            }),
            Waiting::Ceiling { usd, .. } => approvals.ceilings.push(Ceiling {
                file: file.canonicalize().unwrap_or_else(|_| file.clone()),
                usd,
                approved,
            }),
        }
    }
    let kept = trust::keep(shop, &approvals)?;
    page::notice(&format!(
        "{}: kept in {}; 'elenchus trust' changes it",
        if approved { "approved" } else { "not approved" },
        kept.display()
    ));
    Ok(Answered::Something)
}

/// Puts the question, and returns the answer; none where the terminal gives no line.
fn put(file: &Path, waiting: &[Waiting]) -> anyhow::Result<Option<bool>> {
    page::notice(&format!(
        "{} is the configuration of this folder. It",
        file.display()
    ));
    for wanted in waiting {
        page::notice(&format!("  - {wanted}"));
    }
    question::yes_or_no("Approve this, now and later?", question::Default::No)
}

/// Whether a command may call models.
fn calls_models(command: &Command) -> bool {
    match command {
        Command::Open(_) | Command::Quickstart(_) | Command::Run(_) | Command::Judge(_) => true,
        Command::Golden(args) => match args.command {
            GoldenCommand::Run(_) => true,
            GoldenCommand::Show(_) => false,
        },
        Command::Prompts(args) => {
            matches!(args.command, PromptsCommand::Try(_) | PromptsCommand::Ab(_))
        }
        Command::Memory(args) => match &args.command {
            MemoryCommand::Ablate(_) | MemoryCommand::Setup(_) => true,
            MemoryCommand::Guardrails(args) => {
                matches!(
                    args.command,
                    GuardCommand::Derive(_) | GuardCommand::Test(_)
                )
            }
            _ => false,
        },
        Command::Doctor(args) => args.probe,
        Command::Servers(args) => match &args.command {
            ServersCommand::List(args) => args.probe,
            // What is added is approved by whoever names it.
            ServersCommand::Add(_) | ServersCommand::Remove(_) => false,
        },
        Command::Ls(_)
        | Command::Show(_)
        | Command::Metrics(_)
        | Command::Validate(_)
        | Command::Annotate(_)
        | Command::Labels(_)
        | Command::Protocols(_)
        | Command::Export(_)
        | Command::Import(_)
        | Command::Verify(_)
        | Command::Gate(_)
        | Command::Trust(_)
        | Command::Config(_)
        | Command::Completions(_) => false,
    }
}

/// Whether a command spends up to the limit that the configuration sets.
fn takes_the_limit(command: &Command) -> bool {
    match command {
        Command::Open(_) => true,
        Command::Run(args) => args.budget_usd.is_none() && args.resume.is_none(),
        Command::Judge(args) => args.budget_usd.is_none(),
        _ => false,
    }
}
