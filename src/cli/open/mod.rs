//! `elenchus open`, and `elenchus` alone: the workbench.

mod args;
mod reread_models;

use super::common::{Colour, CommandContext, Exit, Global, output, resolve_session};
use crate::config::UntrustedProject;
use crate::tui::app::{
    Annotator, ExitReason, FirstScreen, WorkbenchExit, WorkbenchInputs, WorkbenchSettings,
};
use crate::tui::keys::{Action, Context as Keys};
use crate::tui::theme::Depth;
use anyhow::{Context, Result, bail};
pub(crate) use args::{LookArgs, OpenArgs};
use directories::ProjectDirs;
use elenchus_annotation::queue::RUN_SAMPLE_TURNS;
use elenchus_records::workspace::find_run;
use elenchus_records::workspace::rows::first_of_run;
use elenchus_run::engine::seats::describe_fallback_server;
use elenchus_terminal::{ColorChoice, GlyphChoice, Link, LinkChoice, Mouse, TerminalEnvironment};
use reread_models::reread_models;

/// Opens the workbench.
///
/// # Errors
/// When there is no terminal, or the session named does not exist.
pub fn run(args: &OpenArgs, global: &Global, context: &CommandContext) -> Result<Exit> {
    let (open, notice) = match (&args.session, &args.run) {
        (Some(id), _) => (
            Some(FirstScreen::Session(resolve_session(context, id)?, None)),
            None,
        ),
        (None, Some(run)) => {
            let (open, notice) = find_first_screen(context, run)?;
            (Some(open), Some(notice))
        }
        (None, None) => (None, None),
    };
    context.store.layout.create_missing_folders()?;
    let inputs = build_workbench_inputs(
        &args.look,
        global,
        context,
        (context.store.person.clone(), known_annotator(context)),
    );
    let inputs = WorkbenchInputs {
        open,
        notice: inputs.notice.or(notice),
        ..inputs
    };
    let exit = run_workbench(inputs)?;
    if exit.terminal == ExitReason::Hangup {
        return Ok(Exit::Unfinished);
    }
    if let Some(command) = &exit.goes_on {
        output::print_notice(&format!("go on with what was played: {command}"));
    }
    match exit.session {
        Some(session) => output::print_notice(&format!("go on with: elenchus open {session}")),
        None => output::print_notice("open the workbench again with: elenchus"),
    }
    Ok(Exit::Fine)
}

/// Says whether the person's name is configured, or only guessed.
pub(super) fn known_annotator(context: &CommandContext) -> Annotator {
    match context.config.defaults.name {
        Some(_) => Annotator::Named,
        None => Annotator::Unasked,
    }
}

/// Says which key of the workbench labels a sample of a run, as what is done after looking at it.
pub(super) fn labelling_hint(context: &CommandContext) -> String {
    let key = context
        .config
        .keys
        .key_hint(Keys::Debate, Action::LabelSample);
    key.map_or_else(String::new, |key| {
        format!(" (then {key} labels a sample of {RUN_SAMPLE_TURNS})")
    })
}

/// Where a run is looked at first, its first unsafe turn, else its first debate; and what is said of it.
fn find_first_screen(context: &CommandContext, run: &str) -> Result<(FirstScreen, String)> {
    let id = find_run(&context.store.layout, run)?;
    let first = first_of_run(&context.store.layout, &id)?;
    let message = format!("{}{}", first.describe(), labelling_hint(context));
    Ok((FirstScreen::Session(first.session, first.turn), message))
}

/// Opens the workbench on the terminal, until it is left.
///
/// # Errors
/// When the terminal says that it cannot place text, or there is none.
pub(super) fn run_workbench(inputs: WorkbenchInputs) -> Result<WorkbenchExit> {
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        bail!(
            "the workbench cannot be drawn: TERM is 'dumb', a terminal that cannot place text. Name the terminal that \
             it is (TERM=xterm-256color elenchus), or use the commands, which need none: 'elenchus ls', 'elenchus \
             show', 'elenchus run', 'elenchus metrics'"
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the threads that play debates could not be started")?;
    let exit = runtime.block_on(crate::tui::app::run_workbench(inputs))?;
    // What still reads in the background holds nothing that must be kept.
    runtime.shutdown_background();
    Ok(exit)
}

/// Gathers what the workbench of a person works with.
pub(super) fn build_workbench_inputs(
    look: &LookArgs,
    global: &Global,
    context: &CommandContext,
    (person, annotator): (String, Annotator),
) -> WorkbenchInputs {
    // Flags win over the configuration.
    let settings = WorkbenchSettings {
        theme: look.theme.clone(),
        color: look.color,
        glyphs: look.glyphs,
        link: look.link,
        mouse: None,
        experiment_columns: None,
    }
    .or(context.config.workbench.clone());
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let terminal = TerminalEnvironment::new(&environment);
    let folders = ProjectDirs::from("", "", "elenchus");
    let own_folder = match &folders {
        Some(folders) => folders.data_dir().join("workbench"),
        None => context.store.layout.root().join("workbench"),
    };
    let config = &context.config;
    let mut run = context.hold_run("workbench");
    run.store.person = person;
    WorkbenchInputs {
        run,
        annotator,
        defaults: context.play_defaults(),
        configured: describe_models(context),
        elsewhere: context.describe_other_store(),
        reread_models: reread_models(global, context),
        prompt_folder: (config.project_prompts.clone()).or(config.user_prompts.clone()),
        own_folder,
        experiment_columns: settings.experiment_columns.clone().unwrap_or_default(),
        keys: context.config.keys.clone(),
        theme_folders: context.config.themes.clone(),
        theme_bound: context.config.foreign_project.clone(),
        depth: choose_color_depth(settings.color, context, &terminal),
        glyphs: match settings.glyphs.unwrap_or_default() {
            GlyphChoice::Exactly(set) => set,
            GlyphChoice::Auto => terminal.detect_glyphs(),
        },
        link: match settings.link.unwrap_or_default() {
            LinkChoice::Fast => Link::Near,
            LinkChoice::Slow => Link::Slow,
            LinkChoice::Auto => terminal.detect_link(),
        },
        asked_theme: look.theme.clone(),
        theme: settings.theme,
        in_tmux: terminal.is_in_tmux(),
        mouse: match settings.mouse {
            Some(true) => Mouse::On,
            Some(false) | None => Mouse::Off,
        },
        editor: environment("VISUAL").or_else(|| environment("EDITOR")),
        pager: environment("PAGER"),
        command_line: context.command_line,
        open: None,
        notice: context
            .config
            .untrusted_projects
            .first()
            .map(UntrustedProject::to_string),
    }
}

fn choose_color_depth(
    choice: Option<ColorChoice>,
    context: &CommandContext,
    terminal: &TerminalEnvironment<'_>,
) -> Depth {
    match choice.unwrap_or_default() {
        ColorChoice::Exactly(depth) => depth,
        ColorChoice::Auto if context.colour == Colour::Plain => Depth::None,
        ColorChoice::Auto => terminal.detect_depth(),
    }
}

/// Says in one line what is configured.
fn describe_models(context: &CommandContext) -> String {
    let models = &context.config.models.models;
    let store = context.store.layout.root().display();
    let fallback = context.config.models.fallback.as_ref();
    if let Some(settings) = fallback.and_then(|name| context.config.models.providers.get(name)) {
        return format!("{}; kept in {store}", describe_fallback_server(settings));
    }
    match models.len() {
        0 => format!(
            "no model is configured: debates are simulated until one is (elenchus config init); kept in {store}"
        ),
        1 => format!("one model is configured; kept in {store}"),
        count => format!("{count} models are configured; kept in {store}"),
    }
}
