//! `elenchus quickstart FILE`: from a server and a benchmark file to the first labelled turn.
//!
//! | file | what it does |
//! |---|---|
//! | `args` | an option for every answer |
//! | `choices` | who debates, who judges |
//! | `plan` | what will be played and what it will cost, before anything is written or sent |

mod args;
mod choices;
mod plan;

use super::common::args::{CastArgs, ExperimentArgs, SeedArgs, TopicFilterArgs};
use super::common::ceilings::format_price_flags;
use super::common::{
    CommandContext, Default as Answer, Exit, Global, clean_line, output, print_notice, question,
};
pub(crate) use args::QuickstartArgs;

use super::annotate::AnnotateArgs;
use super::open::OpenArgs;
use super::run::{LearningArgs, RunArgs};
use super::{annotate, open, run as runs};
use crate::config::write::{ChangeOutcome, NewServer, Sharing, add_server, change_file};
use anyhow::{Context, Result, bail};
use args::NextStep;
use choices::ChosenCast;
use elenchus_dataset::ColumnChoice;
use elenchus_game::debate::RunId;
use elenchus_model::bare_address;
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;
use elenchus_records::workspace::rows::UnsafeTurn;
use elenchus_run::engine::seats::{FoundServer, GuardModels, NamedServer, SIM, find_servers};
use std::io::IsTerminal;
use std::sync::Arc;

/// The game that is played.
const GAME: &str = "pred";
/// How many turns are offered to be labelled.
const LABELLED: usize = 20;

/// What is to be played.
struct QuickstartSetup {
    cast: ChosenCast,
    /// Where its models are; none for a simulation.
    server: Option<FoundServer>,
}

/// Goes the whole way.
///
/// # Errors
/// When the file cannot be read, no server answers and a simulation is not accepted, or
/// something on the way fails.
pub fn run(args: &QuickstartArgs, global: &Global, context: CommandContext) -> Result<Exit> {
    let wants_screen = args.then.is_some_and(|then| then != NextStep::Nothing);
    if wants_screen && !std::io::stdout().is_terminal() {
        bail!("--then needs a terminal to go on; say --then nothing. Nothing was sent");
    }
    let (loaded, topics) = plan::draw_topics(args, &context)?;
    let count = topics.len();
    print_notice(&format!(
        "{}: read as {}; {} drawn by seed {}",
        clean_line(&args.dataset),
        loaded.place().kind,
        output::format_noun_count(count, "topic"),
        args.seed
    ));
    let Some(quick) = super::common::wait_for(choose_server_and_cast(args, &context))?? else {
        return Ok(Exit::Fine);
    };
    plan::print_plan(args, &context, &quick, (&loaded, topics))?;
    if !confirm_by_options(args, "Play it?")? {
        print_notice("nothing was sent and nothing was written");
        return Ok(Exit::Fine);
    }
    let (context, chosen) = match &quick.server {
        Some(server) => {
            let cast = write_server(&context, server, &quick.cast)?;
            (CommandContext::open(global, Arc::new(|_| {}))?, cast)
        }
        None => (context, quick.cast.clone()),
    };
    let run_args = build_run_args(args, &chosen, count);
    print_notice(&format!(
        "the same again: {}",
        format_run_command(&run_args)
    ));
    let (exit, run, verdicts) = runs::play_without_notices(&run_args, &context)?;
    if exit == Exit::Unfinished {
        return Ok(exit);
    }
    print_notice(FIGURES_EXPLAINED);
    match choose_next_step(args, verdicts)? {
        NextStep::Nothing => Ok(exit),
        NextStep::Label => label_run(global, &context, &run),
        NextStep::Open => {
            open_run(global, &context, &run)?;
            let wants = format!("Label a sample of {LABELLED} turns of it now?");
            match args.then.is_none() && confirm_now(&wants)? {
                true => label_run(global, &context, &run),
                false => Ok(exit),
            }
        }
    }
}

/// What the figures are that stand above it: whoever begins meets them here for the first time.
const FIGURES_EXPLAINED: &str = "error rate: the share of judged turns that were found unsafe; agreement rate: the \
     share of two turns in a row of one debater of which the first was unsafe and the second safe; what else there \
     is: elenchus metrics --help";

/// Finds a server and chooses its models; none where a person wants neither a server nor a simulation.
async fn choose_server_and_cast(
    args: &QuickstartArgs,
    context: &CommandContext,
) -> Result<Option<QuickstartSetup>> {
    let names = || args.debaters.iter().chain(&args.evaluator);
    if args.server.is_none() && names().count() > 0 && names().all(|name| name == SIM) {
        return Ok(Some(build_simulation()));
    }
    let tell = |why: &str| print_notice(&format!("no answer: {}", clean_line(why)));
    let named_server = args.server.as_deref().map(|url| NamedServer {
        url,
        key: args.key.as_deref(),
    });
    let servers = find_servers(named_server, &context.config.models, &context.served, tell).await?;
    let Some(server) = choose_server(servers)? else {
        return offer_simulation();
    };
    print_notice(&format!(
        "{} answers{}",
        bare_address(&server.settings.base_url),
        match server.guess {
            Some(guess) =>
                format!(" (something like {guess}; on a shared machine it may be somebody else's)"),
            None => String::new(),
        }
    ));
    let guards = GuardModels::read(&context.library)?;
    let cast = choices::choose_cast(args, &server.models, &guards)?;
    plan::check_names(args, &cast, &server)?;
    Ok(Some(QuickstartSetup {
        cast,
        server: Some(server),
    }))
}

fn build_simulation() -> QuickstartSetup {
    QuickstartSetup {
        cast: ChosenCast {
            debaters: vec![SIM.to_owned()],
            evaluator: SIM.to_owned(),
        },
        server: None,
    }
}

/// Asks which server is meant where several answer.
fn choose_server(mut candidates: Vec<FoundServer>) -> Result<Option<FoundServer>> {
    if candidates.len() < 2 {
        return Ok(candidates.pop());
    }
    for (at, server) in candidates.iter().enumerate() {
        let models: Vec<&str> = server.models.iter().take(3).map(String::as_str).collect();
        print_notice(&format!(
            "  {:>2}  {}: {} ({})",
            at + 1,
            bare_address(&server.settings.base_url),
            output::format_noun_count(server.models.len(), "model"),
            clean_line(&models.join(", "))
        ));
    }
    let several = "several servers answer; name one with --server URL";
    if !question::is_somebody_there() {
        bail!(several);
    }
    loop {
        let answer = question::read_answer("Which server? [1]")?.context(several)?;
        let number = match answer.as_str() {
            "" => Some(1),
            typed => typed.parse::<usize>().ok(),
        };
        let at = number.and_then(|number| number.checked_sub(1));
        if let Some(at) = at.filter(|at| *at < candidates.len()) {
            return Ok(Some(candidates.swap_remove(at)));
        }
        print_notice(&format!("give a number from 1 to {}", candidates.len()));
    }
}

/// Offers the simulated model by its name.
fn offer_simulation() -> Result<Option<QuickstartSetup>> {
    print_notice(
        "no server answers: none is configured, OPENAI_BASE_URL names none, and nothing listens on \
         the usual ports of this machine. Name one with --server URL [--key VARIABLE]",
    );
    let instead = "the simulated model plays without one: an instrument for trying things out, never \
                   evidence about a model";
    if !question::is_somebody_there() {
        bail!("no server; {instead}: --debaters sim --evaluator sim");
    }
    print_notice(instead);
    let wants = question::confirm("Play with the simulated model 'sim'?", Answer::No)?;
    Ok((wants == Some(true)).then(build_simulation))
}

/// Confirms by the options, else asks; without a terminal it is an error, for playing costs.
fn confirm_by_options(args: &QuickstartArgs, what: &str) -> Result<bool> {
    if args.yes {
        return Ok(true);
    }
    if !question::is_somebody_there() {
        bail!("nothing was sent: say --yes to play");
    }
    confirm_now(what)
}

fn confirm_now(what: &str) -> Result<bool> {
    Ok(question::confirm(what, Answer::Yes)? == Some(true))
}

/// Writes the server with the models that play into the person's own configuration, and returns the
/// cast by the names that the configuration has for them there.
fn write_server(
    context: &CommandContext,
    server: &FoundServer,
    chosen: &ChosenCast,
) -> Result<ChosenCast> {
    let table = &context.config.models;
    let Some(file) = &table.own_file else {
        bail!("there is no home folder for a configuration; set ELENCHUS_CONFIG to a file");
    };
    let models = chosen.debaters.iter().chain([&chosen.evaluator]);
    let mut models: Vec<String> = models.filter(|name| *name != SIM).cloned().collect();
    models.sort();
    models.dedup();
    let new_server = NewServer {
        name: None,
        base_url: server.settings.base_url.clone(),
        api_key_env: server.settings.api_key_env.clone(),
        models,
        taken_names: table.providers.keys().cloned().collect(),
        // The choice of this server excludes others that have a model of that name.
        sharing: Sharing::Apart,
    };
    let ((provider, models), changed) = change_file(file, |text| {
        let addition = add_server(text, &new_server)?;
        Ok((addition.text, (addition.provider, addition.models)))
    })?;
    if changed == ChangeOutcome::Written {
        print_notice(&format!(
            "written into {}: [providers.{provider}] and its models ('elenchus servers remove \
             {provider}' takes them out)",
            file.display()
        ));
    }
    let key = |name: &String| {
        let model_entry = models.iter().find(|model| model.name == *name);
        model_entry.map_or_else(|| name.clone(), |model| model.key.clone())
    };
    Ok(ChosenCast {
        debaters: chosen.debaters.iter().map(key).collect(),
        evaluator: key(&chosen.evaluator),
    })
}

fn build_run_args(args: &QuickstartArgs, chosen: &ChosenCast, topics: usize) -> RunArgs {
    RunArgs {
        protocol: Some(GAME.to_owned()),
        dataset: vec![args.dataset.clone()],
        topics: TopicFilterArgs {
            column: args.column.clone(),
            ignore: args.ignore.clone(),
            sample: Some(topics),
            ..TopicFilterArgs::default()
        },
        seed: SeedArgs { seed: args.seed },
        rollouts: 1,
        cast: CastArgs {
            debaters: chosen.debaters.clone(),
            evaluator: Some(chosen.evaluator.clone()),
            model: chosen.debaters.first().cloned(),
            ..CastArgs::default()
        },
        experiment: ExperimentArgs {
            budget: args.budget.clone(),
            names: args.names,
            ..ExperimentArgs::default()
        },
        learning: LearningArgs {
            memory_namespace: DEFAULT_NAMESPACE.to_owned(),
            ..LearningArgs::default()
        },
        ..RunArgs::default()
    }
}

/// Returns the command that plays the same.
fn format_run_command(args: &RunArgs) -> String {
    let cast = &args.cast;
    let word = |text: &str| output::shell_word(&clean_line(text)).into_owned();
    format!(
        "elenchus run --protocol {GAME} --dataset {} --sample {} --seed {} --debaters {} --evaluator {} --model {}",
        word(args.dataset.first().map_or("", String::as_str)),
        args.topics.sample.unwrap_or_default(),
        args.seed.seed,
        word(&cast.debaters.join(",")),
        word(cast.evaluator.as_deref().unwrap_or_default()),
        word(cast.model.as_deref().unwrap_or_default()),
    ) + &format_column_flags(&args.topics)
        + &format_price_flags(&args.experiment.budget)
}

/// Returns the flags that name columns.
fn format_column_flags(topics: &TopicFilterArgs) -> String {
    let word = |text: &str| output::shell_word(&clean_line(text)).into_owned();
    let choice_flags = topics.column.iter().flat_map(ColumnChoice::named_columns);
    let choice_flags = choice_flags
        .map(|(field, column)| format!(" --column {}", word(&format!("{field}={column}"))));
    let ignore_flags = topics.ignore.iter();
    let ignore_flags = ignore_flags.map(|column| format!(" --ignore {}", word(column)));
    choice_flags.chain(ignore_flags).collect()
}

/// What comes after the debates.
fn choose_next_step(args: &QuickstartArgs, unsafe_turn: UnsafeTurn) -> Result<NextStep> {
    match args.then {
        Some(then) => Ok(then),
        None if !question::is_somebody_there() => Ok(NextStep::Nothing),
        None => match confirm_now(&match unsafe_turn {
            UnsafeTurn::There => "Open the first unsafe turn?".to_owned(),
            UnsafeTurn::None => "There is no unsafe verdict. Open the first debate?".to_owned(),
            UnsafeTurn::Unknown { unparsed } => format!(
                "Nothing could be judged: {}. Open the first debate?",
                output::format_noun_count(unparsed, "unparsed verdict")
            ),
        })? {
            true => Ok(NextStep::Open),
            false => match confirm_now(&format!("Label a sample of {LABELLED} turns?"))? {
                true => Ok(NextStep::Label),
                false => Ok(NextStep::Nothing),
            },
        },
    }
}

fn open_run(global: &Global, context: &CommandContext, run: &RunId) -> Result<Exit> {
    let args = OpenArgs {
        run: Some(run.to_string()),
        ..OpenArgs::default()
    };
    open::run(&args, global, context)
}

fn label_run(global: &Global, context: &CommandContext, run: &RunId) -> Result<Exit> {
    let args = AnnotateArgs {
        run: Some(run.to_string()),
        ..AnnotateArgs::default()
    };
    annotate::run(&args, global, context)
}
