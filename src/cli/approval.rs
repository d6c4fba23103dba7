//! Approval of what a project's configuration asks for (servers, cost limits): asked once, in a terminal,
//! before anything is sent.

use super::args::Command;
use super::common::args::ExperimentArgs;
use super::common::{Workshop, output, question};
use super::experiments::ExperimentsCommand;
use super::golden::GoldenCommand;
use super::memory::MemoryCommand;
use super::memory::guardrails::GuardCommand;
use super::prompts::PromptsCommand;
use super::servers::ServersCommand;
use super::trust;
use crate::config::{ApprovedCeiling, ApprovedServer, PendingApproval};
use anyhow::{Result, bail};
use std::path::Path;

/// Result of the question: an answer changes the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApprovalOutcome {
    Nothing,
    Something,
}

/// Refuses what a project names outside itself, but for the commands that mend it.
///
/// # Errors
/// The first refusal.
pub fn check_bounds(command: &Command, shop: &Workshop) -> Result<()> {
    match (command, shop.config.refused.first()) {
        (Command::Trust(_) | Command::Doctor(_) | Command::Completions(_), _) | (_, None) => Ok(()),
        (_, Some(refused)) => bail!("{refused}"),
    }
}

/// Asks for pending approvals where the command will contact a server and a person is present. Without one,
/// servers are refused when they are needed, and a raised limit on cost here.
///
/// # Errors
/// When a limit is pending and no person is present; when the answer cannot be saved.
pub fn ask(command: &Command, shop: &Workshop) -> Result<ApprovalOutcome> {
    let Some(file) = &shop.config.project_file else {
        return Ok(ApprovalOutcome::Nothing);
    };
    let waiting: &[PendingApproval] = &shop.config.waiting;
    if waiting.is_empty() || !calls_models(command) {
        return Ok(ApprovalOutcome::Nothing);
    }
    if !question::is_somebody_there() {
        let raised = waiting
            .iter()
            .find(|it| matches!(it, PendingApproval::Ceiling { .. }));
        if let Some(raised) = raised.filter(|_| takes_the_limit(command)) {
            bail!(
                "{} {raised}, and nobody has approved that; to approve it: {}; or set a limit with \
                 --budget-usd",
                file.display(),
                raised.command(file)
            );
        }
        return Ok(ApprovalOutcome::Nothing);
    }
    let Some(approved) = put(file, waiting)? else {
        return Ok(ApprovalOutcome::Nothing);
    };
    let mut approvals = shop.config.approvals.clone();
    for wanted in waiting {
        match wanted.clone() {
            PendingApproval::Server { origin, key } => approvals.servers.push(ApprovedServer {
                url: origin,
                key,
                approved,
            }),
            PendingApproval::Ceiling { usd, .. } => approvals.ceilings.push(ApprovedCeiling {
                file: file.canonicalize().unwrap_or_else(|_| file.clone()),
                usd,
                approved,
            }),
        }
    }
    let kept = trust::keep(shop, &approvals)?;
    output::notice(&format!(
        "{}: kept in {}; 'elenchus trust' changes it",
        if approved { "approved" } else { "not approved" },
        kept.display()
    ));
    Ok(ApprovalOutcome::Something)
}

/// Puts the question, and returns the answer; none where the terminal gives no line.
fn put(file: &Path, waiting: &[PendingApproval]) -> Result<Option<bool>> {
    output::notice(&format!(
        "{} is the configuration of this folder. It",
        file.display()
    ));
    for wanted in waiting {
        output::notice(&format!("  - {wanted}"));
    }
    question::yes_or_no("Approve this, now and later?", question::Default::No)
}

/// Whether a command may call models.
fn calls_models(command: &Command) -> bool {
    match command {
        Command::Open(_) | Command::Quickstart(_) => true,
        Command::Sweep(args) => args.show.is_none() && !args.list,
        Command::Memory(
            MemoryCommand::Setup(_) | MemoryCommand::Guardrails(GuardCommand::Derive(_)),
        ) => true,
        Command::Run(_)
        | Command::Judge(_)
        | Command::Golden(_)
        | Command::Prompts(_)
        | Command::Memory(_) => experiment(command).is_some(),
        Command::Experiments(command) => matches!(command, ExperimentsCommand::Resume(_)),
        Command::Doctor(args) => args.probe,
        Command::Servers(ServersCommand::List(args)) => args.probe,
        Command::Ls(_)
        | Command::Show(_)
        | Command::Metrics(_)
        | Command::Validate(_)
        | Command::Annotate(_)
        | Command::Labels(_)
        // Naming a server approves it.
        | Command::Servers(ServersCommand::Add(_) | ServersCommand::Remove { .. })
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
    let begins = |args: &ExperimentArgs| args.budget.budget_usd.is_none() && args.resume.is_none();
    matches!(command, Command::Open(_)) || experiment(command).is_some_and(begins)
}

/// Returns what is said of the experiment that a command begins or goes on with; `None` for other commands.
fn experiment(command: &Command) -> Option<&ExperimentArgs> {
    Some(match command {
        Command::Run(args) => &args.experiment,
        Command::Sweep(args) => &args.experiment,
        Command::Judge(args) => &args.experiment,
        Command::Golden(args) => match &args.command {
            None => &args.experiment,
            Some(GoldenCommand::Run(args)) => &args.experiment,
            Some(GoldenCommand::Resume(args)) => &args.experiment,
            Some(GoldenCommand::Show(_)) => return None,
        },
        Command::Prompts(PromptsCommand::Try(args)) => &args.experiment,
        Command::Prompts(PromptsCommand::Ab(args)) => &args.experiment,
        Command::Memory(MemoryCommand::Ablate(args)) => &args.experiment,
        Command::Memory(MemoryCommand::Guardrails(GuardCommand::Test(args))) => &args.experiment,
        _ => return None,
    })
}
