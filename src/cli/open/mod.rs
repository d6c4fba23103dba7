//! `elenchus open`, and `elenchus` alone: the workbench.

mod args;

use super::common::{Colour, Exit, Workshop, output, resolve_session};
use crate::config::UntrustedProject;
use crate::tui::app::Tools;
use crate::tui::app::{ExitReason, FirstScreen, WorkbenchExit, WorkbenchInputs, WorkbenchSettings};
use crate::tui::keys::{Action, Context as Keys};
use crate::tui::theme::Depth;
use anyhow::{Context, Result, bail};
pub(crate) use args::{LookArgs, OpenArgs};
use directories::ProjectDirs;
use elenchus_annotation::queue::RUN_SAMPLE_TURNS;
use elenchus_records::workspace::find_run;
use elenchus_records::workspace::rows::first_of_run;
use elenchus_run::engine::PlayTools;
use elenchus_run::engine::seats::describe_fallback_server;
use elenchus_terminal::{ColorChoice, GlyphChoice, Link, LinkChoice, Mouse, TerminalEnvironment};
use std::sync::Arc;

/// The game that is played where none is named and nothing is configured.
pub(super) const FIRST_GAME: &str = "pred";
/// Calls of a pass that may be on their way at once, where nothing is configured.
const CONCURRENCY: usize = 8;

/// Opens the workbench.
///
/// # Errors
/// When there is no terminal, or the session named does not exist.
pub fn run(args: &OpenArgs, shop: &Workshop) -> Result<Exit> {
    let (open, notice) = match (&args.session, &args.run) {
        (Some(id), _) => (
            Some(FirstScreen::Session(resolve_session(shop, id)?, None)),
            None,
        ),
        (None, Some(run)) => {
            let (open, notice) = find_first_screen(shop, run)?;
            (Some(open), Some(notice))
        }
        (None, None) => (None, None),
    };
    shop.layout.create_missing_folders()?;
    let inputs = build_workbench_inputs(&args.look, shop, shop.person_name())?;
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

/// Says which key of the workbench labels a sample of a run, as what is done after looking at it.
pub(super) fn labelling_hint(shop: &Workshop) -> String {
    let key = shop.config.keys.key_hint(Keys::Debate, Action::LabelSample);
    key.map_or_else(String::new, |key| {
        format!(" (then {key} labels a sample of {RUN_SAMPLE_TURNS})")
    })
}

/// Where a run is looked at first, its first unsafe turn, else its first debate; and what is said of it.
fn find_first_screen(shop: &Workshop, run: &str) -> Result<(FirstScreen, String)> {
    let id = find_run(&shop.layout, run)?;
    let (session, turn) = first_of_run(&shop.layout, &id)?;
    let what = match &turn {
        Some(_) => "the first unsafe turn of the run",
        None => "no unsafe verdict in this run: its first debate",
    };
    let message = format!("{what}{}", labelling_hint(shop));
    Ok((FirstScreen::Session(session, turn), message))
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
    shop: &Workshop,
    person: String,
) -> Result<WorkbenchInputs> {
    // Flags win over the configuration.
    let settings = WorkbenchSettings {
        theme: look.theme.clone(),
        color: look.color,
        glyphs: look.glyphs,
        link: look.link,
        mouse: None,
    }
    .or(shop.config.workbench.clone());
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let terminal = TerminalEnvironment::new(&environment);
    let folders = ProjectDirs::from("", "", "elenchus");
    let own_folder = match &folders {
        Some(folders) => folders.data_dir().join("workbench"),
        None => shop.layout.root().join("workbench"),
    };
    let tools = Tools {
        play: PlayTools {
            desk: shop.open_desk("workbench", Some(&person))?,
            library: shop.library.clone(),
            seats: Arc::clone(&shop.seats),
            served: Arc::clone(&shop.served),
            embedding: Arc::clone(&shop.embedding),
            default_model: shop.config.default_model().map(str::to_owned),
            default_protocol: shop
                .config
                .defaults
                .protocol
                .clone()
                .or(Some(FIRST_GAME.to_owned())),
            budget_usd: shop.config.defaults.budget_usd,
            concurrency: shop.config.defaults.concurrency.unwrap_or(CONCURRENCY),
        },
        configured: describe_models(shop),
        prompt_folder: {
            let config = &shop.config;
            let project = config.project_prompts.clone();
            project.or(config.user_prompts.clone())
        },
        own_folder,
    };
    Ok(WorkbenchInputs {
        tools,
        keys: shop.config.keys.clone(),
        theme_folders: shop.config.themes.clone(),
        theme_bound: shop.config.foreign_project.clone(),
        depth: choose_color_depth(settings.color, shop, &terminal),
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
        open: None,
        notice: shop
            .config
            .untrusted_projects
            .first()
            .map(UntrustedProject::to_string),
    })
}

fn choose_color_depth(
    choice: Option<ColorChoice>,
    shop: &Workshop,
    terminal: &TerminalEnvironment<'_>,
) -> Depth {
    match choice.unwrap_or_default() {
        ColorChoice::Exactly(depth) => depth,
        ColorChoice::Auto if shop.colour == Colour::Plain => Depth::None,
        ColorChoice::Auto => terminal.detect_depth(),
    }
}

/// Says in one line what is configured.
fn describe_models(shop: &Workshop) -> String {
    let models = &shop.config.models.models;
    let store = shop.layout.root().display();
    let fallback = shop.config.models.fallback.as_ref();
    if let Some(settings) = fallback.and_then(|name| shop.config.models.providers.get(name)) {
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
