//! Context of a command: configuration, store, library and models.

use super::global::Global;
use crate::config::{Config, ProcessEnvironment};
use crate::tui::popups::CommandLineEntry;
use anyhow::{Context, Result};
use directories::ProjectDirs;
use elenchus_records::library::Library;
use elenchus_records::workspace::memory::{EmbeddingPlaces, LazyEmbedding, RUNTIME_VARIABLE};
use elenchus_records::workspace::{Clock, StoreContext, StoreIndex, TypedPrice};
use elenchus_run::engine::seats::{
    Announce, Prices, Seats, ServedModels, open_replay, served_embedder,
};
use elenchus_run::engine::{
    GraderProgram, GraderPrograms, PlayDefaults, RunContext, TrainingSettings,
};
use elenchus_store::{IndexNotice, Layout};
use elenchus_text::{Colour, shell_word};
use std::io::IsTerminal;
use std::ops::Deref;
use std::sync::Arc;

/// Variable with further folders of the system's library loader.
const LIBRARY_PATH_VARIABLE: &str = if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// The game that is played where none is named and nothing is configured.
pub(crate) const FIRST_GAME: &str = "pred";
/// Calls of a pass, or debates, that the workbench has on their way at once, where nothing is configured.
const WORKBENCH_CONCURRENCY: usize = 8;

/// Where lists of the models that servers offer are kept, in the user's folder of what can be deleted.
const SERVED: &str = "served-models";

/// Everything a command needs, opened once; what is played with is read as its own.
#[derive(Clone)]
pub struct CommandContext {
    pub run: RunContext,
    pub config: Config,
    /// What servers offer.
    pub served: Arc<ServedModels>,
    /// Whether standard output takes colour.
    pub colour: Colour,
    /// Lists the commands, for the palette of the workbench; none until they are named.
    pub command_line: fn() -> Vec<CommandLineEntry>,
}

impl Deref for CommandContext {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.run
    }
}

impl CommandContext {
    /// Says where another store with sessions is and how it is opened, where this one has none: a project's
    /// configuration that was made meanwhile moves the store.
    pub fn describe_other_store(&self) -> Option<String> {
        let has_sessions =
            |layout: &Layout| layout.list_sessions().is_ok_and(|all| !all.is_empty());
        if has_sessions(&self.store.layout) {
            return None;
        }
        let mut others = self.config.other_stores.iter();
        let other = others.find(|folder| has_sessions(&Layout::new(folder.as_path())))?;
        let place = other.display().to_string();
        Some(format!(
            "sessions of yours are in another store: elenchus --store {}",
            shell_word(&place)
        ))
    }

    /// Reads the configuration and finds the store; nothing is contacted or created. `announce` is called
    /// for an unconfigured server before it is first asked.
    ///
    /// # Errors
    /// When the configuration is wrong or there is nowhere to keep data.
    pub fn open(global: &Global, announce: Announce) -> Result<Self> {
        let folders = ProjectDirs::from("", "", "elenchus");
        let environment = |name: &str| std::env::var(name).ok();
        let config = Config::read(&ProcessEnvironment {
            current_folder: std::env::current_dir().context("the current folder cannot be read")?,
            environment: &environment,
            user_config_folder: folders.as_ref().map(|dirs| dirs.config_dir().to_path_buf()),
            user_data_folder: folders.as_ref().map(|dirs| dirs.data_dir().to_path_buf()),
            store_flag: global.store.clone(),
        })?;
        let layout = Layout::new(&config.store);
        let recordings = layout.clone();
        let seats = Seats::new(
            config.models.clone(),
            Arc::new(environment),
            Arc::new(move |session| open_replay(&recordings, session)),
        )
        .with_announce(announce)
        .with_graders(GraderPrograms::new(config.graders.clone()));
        let seats = Arc::new(seats);
        let plain = global.no_color
            || environment("NO_COLOR").is_some_and(|value| !value.is_empty())
            || environment("TERM").is_some_and(|term| term == "dumb");
        let kept_lists = folders.as_ref().map(|dirs| dirs.cache_dir().join(SERVED));
        let places = EmbeddingPlaces {
            settings: config.memory.clone(),
            user_data_folder: folders.as_ref().map(|dirs| dirs.data_dir().to_path_buf()),
            runtime_variable: std::env::var_os(RUNTIME_VARIABLE),
            library_path: std::env::var_os(LIBRARY_PATH_VARIABLE),
            search_path: std::env::var_os("PATH"),
        };
        let mut store = StoreContext::new(layout, "elenchus", choose_person_name(&config));
        if let Some(examples) = config.memory.guardrail_examples {
            store.guardrail_examples = examples;
        }
        Ok(Self {
            command_line: Vec::new,
            served: Arc::new(ServedModels::new(&seats, Clock, kept_lists)),
            run: RunContext {
                store,
                library: build_library(&config),
                embedding: Arc::new(
                    LazyEmbedding::new(places).with_served(served_embedder(&seats)),
                ),
                seats,
                training: Arc::new(TrainingSettings {
                    search_path: std::env::var_os("PATH"),
                    ..config.training.clone()
                }),
            },
            colour: if plain || !std::io::stdout().is_terminal() {
                Colour::Plain
            } else {
                Colour::Ansi
            },
            config,
        })
    }

    /// Returns the same with programs that grade, besides those of the configuration.
    ///
    /// # Errors
    /// When one is typed wrongly.
    pub fn with_typed_graders(&self, typed: &[String]) -> Result<Self> {
        let mut context = self.clone();
        if !typed.is_empty() {
            let mut programs = self.config.graders.clone();
            for line in typed {
                let (name, program) = GraderProgram::parse_typed(line)?;
                programs.insert(name, program);
            }
            let seats = self.seats.with_graders(GraderPrograms::new(programs));
            context.run.seats = Arc::new(seats);
        }
        Ok(context)
    }

    /// Returns the same with models at prices that were typed.
    ///
    /// # Errors
    /// When a model is given two.
    pub fn with_prices(&self, typed: &[TypedPrice]) -> Result<Self> {
        let seats = self.seats.with_prices(Prices::from_typed_prices(typed)?);
        let mut context = self.clone();
        context.run.seats = Arc::new(seats);
        Ok(context)
    }

    /// As [`RunContext::with_token_limits`].
    #[must_use]
    pub fn with_token_limits(&self) -> Self {
        Self {
            run: self.run.with_token_limits(),
            ..self.clone()
        }
    }

    /// Returns what is played where a person names nothing else.
    pub fn play_defaults(&self) -> PlayDefaults {
        let defaults = &self.config.defaults;
        PlayDefaults {
            protocol: defaults
                .protocol
                .clone()
                .unwrap_or_else(|| FIRST_GAME.to_owned()),
            model: self.config.default_model().map(str::to_owned),
            served: Arc::clone(&self.served),
            budget_usd: defaults.budget_usd,
            concurrency: defaults.concurrency.unwrap_or(WORKBENCH_CONCURRENCY),
        }
    }

    /// Reads the index of the store for lists, telling what a person should know.
    pub fn index(&self) -> StoreIndex {
        self.read_index(StoreIndex::read_overviews)
    }

    /// Reads a part of the index of the store, telling what a person should know.
    pub fn read_index(&self, read: fn(&Layout) -> (StoreIndex, Option<IndexNotice>)) -> StoreIndex {
        let (index, notice) = read(&self.store.layout);
        match notice {
            Some(notice @ IndexNotice::Damaged { .. }) => eprintln!("notice: {notice}"),
            // Another process has it: journals are read instead, only slower.
            Some(IndexNotice::Off { .. }) | None => {}
        }
        index
    }

    /// Does work with what the index holds for rows of debates, and keeps there what the work read.
    pub fn with_rows<T>(&self, work: impl FnOnce(&StoreIndex) -> T) -> T {
        let index = self.read_index(StoreIndex::read_rows);
        let result = work(&index);
        index.write_changes();
        result
    }

    /// Returns the store for acts of a person, or of the one who calls the program. Others who find a
    /// journal in use are shown the command.
    pub fn hold_store(&self, command: &str, person: Option<&String>) -> StoreContext {
        let mut store = self.store.clone();
        store.holder = format!("elenchus {command}");
        if let Some(person) = person {
            store.person.clone_from(person);
        }
        store
    }

    /// Returns what a command plays with, under the name that others are shown.
    pub fn hold_run(&self, command: &str) -> RunContext {
        RunContext {
            store: self.hold_store(command, None),
            ..self.run.clone()
        }
    }
}

/// Returns the name of the person who calls the program.
fn choose_person_name(config: &Config) -> String {
    let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    let name = config.defaults.name.clone().or_else(user);
    name.unwrap_or_else(|| "person".to_owned())
}

/// Returns the library over the folders of the configuration; files of a project stay in it.
fn build_library(config: &Config) -> Library {
    let library = Library::new(config.prompts.clone());
    let project = config.foreign_project.as_ref();
    match (project, &config.project_prompts) {
        (Some(folder), Some(prompts)) => {
            let work = folder.parent().unwrap_or(folder).to_owned();
            library.with_bounds(prompts.clone(), folder.clone(), work)
        }
        (Some(_) | None, _) => library,
    }
}
