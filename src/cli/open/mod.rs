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
use elenchus_run::engine::seats::announcement;
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
            let (open, notice) = look_at_run(shop, run)?;
            (Some(open), Some(notice))
        }
        (None, None) => (None, None),
    };
    shop.layout.create()?;
    let bench = bench(&args.look, shop, shop.person())?;
    let bench = WorkbenchInputs {
        open,
        notice: bench.notice.or(notice),
        ..bench
    };
    let left = sit_down(bench)?;
    if left.terminal == ExitReason::Hangup {
        return Ok(Exit::Unfinished);
    }
    if let Some(command) = &left.goes_on {
        output::notice(&format!("go on with what was played: {command}"));
    }
    match left.session {
        Some(session) => output::notice(&format!("go on with: elenchus open {session}")),
        None => output::notice("open the workbench again with: elenchus"),
    }
    Ok(Exit::Fine)
}

/// Says which key of the workbench labels a sample of a run, as what is done after looking at it.
pub(super) fn then_label(shop: &Workshop) -> String {
    let key = shop.config.keys.hint(Keys::Debate, Action::LabelSample);
    key.map_or_else(String::new, |key| {
        format!(" (then {key} labels a sample of {RUN_SAMPLE_TURNS})")
    })
}

/// Where a run is looked at first, its first unsafe turn, else its first debate; and what is said of it.
fn look_at_run(shop: &Workshop, run: &str) -> Result<(FirstScreen, String)> {
    let id = find_run(&shop.layout, run)?;
    let (session, turn) = first_of_run(&shop.layout, &id)?;
    let what = match &turn {
        Some(_) => "the first unsafe turn of the run",
        None => "no unsafe verdict in this run: its first debate",
    };
    let said = format!("{what}{}", then_label(shop));
    Ok((FirstScreen::Session(session, turn), said))
}

/// Opens the workbench on the terminal, until it is left.
///
/// # Errors
/// When the terminal says that it cannot place text, or there is none.
pub(super) fn sit_down(bench: WorkbenchInputs) -> Result<WorkbenchExit> {
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
    let left = runtime.block_on(crate::tui::app::run(bench))?;
    // What still reads in the background holds nothing that must be kept.
    runtime.shutdown_background();
    Ok(left)
}

/// Gathers what the workbench of a person works with.
pub(super) fn bench(look: &LookArgs, shop: &Workshop, person: String) -> Result<WorkbenchInputs> {
    // Flags win over the configuration.
    let wanted = WorkbenchSettings {
        theme: look.theme.clone(),
        color: look.color,
        glyphs: look.glyphs,
        link: look.link,
        mouse: None,
    }
    .or(shop.config.workbench.clone());
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let around = TerminalEnvironment::new(&environment);
    let folders = ProjectDirs::from("", "", "elenchus");
    let own_folder = match &folders {
        Some(folders) => folders.data_dir().join("workbench"),
        None => shop.layout.root().join("workbench"),
    };
    let tools = Tools {
        play: PlayTools {
            desk: shop.desk("workbench", Some(&person))?,
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
        configured: configured(shop),
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
        depth: depth(wanted.color, shop, &around),
        glyphs: match wanted.glyphs.unwrap_or_default() {
            GlyphChoice::Exactly(set) => set,
            GlyphChoice::Auto => around.glyphs(),
        },
        link: match wanted.link.unwrap_or_default() {
            LinkChoice::Fast => Link::Near,
            LinkChoice::Slow => Link::Slow,
            LinkChoice::Auto => around.link(),
        },
        asked_theme: look.theme.clone(),
        theme: wanted.theme,
        in_tmux: around.in_tmux(),
        mouse: match wanted.mouse {
            Some(true) => Mouse::On,
            Some(false) | None => Mouse::Off,
        },
        editor: environment("VISUAL").or_else(|| environment("EDITOR")),
        pager: environment("PAGER"),
        open: None,
        notice: shop
            .config
            .passed_over
            .first()
            .map(UntrustedProject::to_string),
    })
}

fn depth(choice: Option<ColorChoice>, shop: &Workshop, around: &TerminalEnvironment<'_>) -> Depth {
    match choice.unwrap_or_default() {
        ColorChoice::Exactly(depth) => depth,
        ColorChoice::Auto if shop.colour == Colour::Plain => Depth::None,
        ColorChoice::Auto => around.depth(),
    }
}

/// Says in one line what is configured.
fn configured(shop: &Workshop) -> String {
    let models = &shop.config.models.models;
    let store = shop.layout.root().display();
    let fallback = shop.config.models.fallback.as_ref();
    if let Some(settings) = fallback.and_then(|name| shop.config.models.providers.get(name)) {
        return format!("{}; kept in {store}", announcement(settings));
    }
    match models.len() {
        0 => format!(
            "no model is configured: debates are simulated until one is (elenchus config init); kept in {store}"
        ),
        1 => format!("one model is configured; kept in {store}"),
        count => format!("{count} models are configured; kept in {store}"),
    }
}
