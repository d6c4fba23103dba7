//! Composes the settings that each module owns.
//!
//! Flags win over the environment, the environment over the nearest `.elenchus/config.toml`, and
//! that over the user's own file. Unknown keys are errors. No key is ever in here: providers name
//! the environment variable that holds theirs.
//!
//! A project's file may have come from anywhere: what it would send to a new address, or spend beyond
//! the person's own limit, waits until they approve it ([`Waiting`]), and it never names code.

mod approvals;
mod environment;
mod file;
mod project;
mod waiting;
pub mod write;

pub use approvals::{Approvals, Ceiling, Folder, Server};
pub use environment::FINISH_VARIABLE;
pub use file::Defaults;
pub use project::PassedOver;
pub use waiting::Waiting;

use crate::driver::{GatePolicy, MemorySettings, ModelTable, OfEnvironment, Prices, SIM};
use crate::model::{Trust, Trusted};
use crate::tui::keys::KeyTable;
use crate::tui::settings::WorkbenchSettings;
use environment::ENVIRONMENT_PROVIDER;
use file::FileShape;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The folder of a project.
pub const PROJECT_FOLDER: &str = ".elenchus";
/// The configuration's name in the project's and in the user's folder.
pub const FILE_NAME: &str = "config.toml";
/// The name of the file that holds what a person approved, beside their configuration.
pub const TRUST_FILE_NAME: &str = "trust.toml";
/// The variable that moves the store.
pub const STORE_VARIABLE: &str = "ELENCHUS_STORE";
/// The variable that moves the user's configuration.
pub const CONFIG_VARIABLE: &str = "ELENCHUS_CONFIG";
/// The variable that approves servers and folders, for jobs and containers.
pub const TRUST_VARIABLE: &str = "ELENCHUS_TRUST";

/// A configuration file that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read {path}: {why}")]
    Unreadable { path: String, why: String },
    #[error("{path}:{line}: {why}")]
    Text {
        path: String,
        line: usize,
        why: String,
    },
    #[error("{path}: {what} '{name}': {why}")]
    Value {
        path: String,
        what: &'static str,
        name: String,
        why: String,
    },
    #[error("there is no home folder to keep data in; give --store, or set {STORE_VARIABLE}")]
    NoHome,
    #[error("{FINISH_VARIABLE} = {value}: must be required or absent")]
    FinishVariable { value: String },
    #[error("{TRUST_VARIABLE}: {why}; write URL, URL=VARIABLE or a folder, between commas")]
    TrustVariable { why: String },
}

/// Everything that is configured, with where it came from.
#[derive(Debug, Clone)]
pub struct Config {
    pub models: ModelTable,
    pub defaults: Defaults,
    /// When a debate is worth its cost.
    pub gate: GatePolicy,
    /// Where the model is that memory is searched with.
    pub memory: MemorySettings,
    pub workbench: WorkbenchSettings,
    /// The keys of the workbench, as the files change them.
    pub keys: KeyTable,
    /// Folders of themes that win over the built-in ones, those that win last; they need not exist.
    pub themes: Vec<PathBuf>,
    /// The files that were read, the nearest first.
    pub files: Vec<PathBuf>,
    /// The project's own, where there is one.
    pub project_file: Option<PathBuf>,
    /// Folders of projects that are not obeyed.
    pub passed_over: Vec<PassedOver>,
    /// What a person approved or answered no to, and where that is kept.
    pub approvals: Approvals,
    /// What `ELENCHUS_TRUST` approves.
    pub of_variable: Approvals,
    pub trust_file: Option<PathBuf>,
    /// What the project's file wants and nobody has answered yet.
    pub waiting: Vec<Waiting>,
    pub store: PathBuf,
    /// Folders of prompts that win over the built-in ones, the nearest first; they need not exist.
    pub prompts: Vec<PathBuf>,
    /// Where the nearest project keeps its prompts, and where the user does, whether or not there
    /// are any.
    pub project_prompts: Option<PathBuf>,
    pub user_prompts: Option<PathBuf>,
}

/// What the process was started with, given in so that nothing here looks around by itself.
pub struct Surroundings<'a> {
    pub current_folder: PathBuf,
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    pub user_config_folder: Option<PathBuf>,
    pub user_data_folder: Option<PathBuf>,
    pub store_flag: Option<PathBuf>,
}

impl Config {
    /// Reads the configuration.
    ///
    /// # Errors
    /// With file and line, when a file is wrong; when there is nowhere to keep data.
    pub fn read(around: &Surroundings<'_>) -> Result<Self, ConfigError> {
        let trust_file = around.user_config_folder.as_ref();
        let trust_file = trust_file.map(|folder| folder.join(TRUST_FILE_NAME));
        let approvals = trust_file.as_deref().map(Approvals::read).transpose()?;
        let approvals = approvals.unwrap_or_default();
        let of_variable = (around.environment)(TRUST_VARIABLE).unwrap_or_default();
        let of_variable = Approvals::of_variable(&of_variable, &around.current_folder)?;
        let is_approved =
            |folder: &Path| approvals.has_folder(folder) || of_variable.has_folder(folder);
        let (project, passed_over) = project::nearest(&around.current_folder, &is_approved);

        let own_file = own_file(around);
        let project_file = project.as_ref().map(|folder| folder.join(FILE_NAME));
        // Whoever names a project's file as their own means it.
        let project_file = project_file.filter(|file| !is_same(file, own_file.as_deref()));
        let own = Source::read(own_file.as_deref())?;
        let theirs = Source::read(project_file.as_deref())?;

        let mut trust = Trust::default();
        let described = environment::provider(around.environment)?;
        trust.pairs.extend(own.iter().flat_map(own_pairs));
        trust
            .pairs
            .extend(described.iter().filter_map(environment::pair));
        if let Some(file) = &trust_file {
            trust
                .pairs
                .extend(approvals.pairs(&file.display().to_string()));
        }
        trust.pairs.extend(of_variable.pairs(TRUST_VARIABLE));

        let mut files = Vec::new();
        let mut merged = FileShape::default();
        let mut waiting = Vec::new();
        let mut in_environment = described.as_ref().map(|described| OfEnvironment {
            is_assumed: !described.has_address,
            ..of_environment(None)
        });
        let mut lay_over = |shape: &mut FileShape| {
            let of_file = shape.providers.get_mut(ENVIRONMENT_PROVIDER);
            if let (Some(of_file), Some(described)) = (of_file, &described) {
                let address = of_file.base_url.clone();
                described.lay_over(of_file);
                let instead_of = (address != of_file.base_url).then_some(address);
                in_environment = described.has_address.then(|| of_environment(instead_of));
            }
        };
        let mut model_files = BTreeMap::new();
        if let Some(mut own) = own {
            own.resolve(around);
            lay_over(&mut own.shape);
            trust.name_all(own.shape.providers.keys(), &own.path);
            model_files.extend(own.model_files());
            merged = own.shape;
            files.push(own.path);
        }
        if let Some(mut theirs) = theirs {
            trust.name_all(theirs.shape.providers.keys(), &theirs.path);
            // What is not asked need not be approved.
            lay_over(&mut theirs.shape);
            model_files.extend(theirs.model_files());
            waiting = waiting::of(&mut theirs, &merged, &trust, &approvals);
            theirs.shape.memory.hold_to(&merged.memory, &theirs.path);
            theirs.resolve(around);
            merged.merge(theirs.shape);
            files.insert(0, theirs.path);
        }
        let fallback = fallback(&merged);
        if let Some(described) = described {
            let providers = &mut merged.providers;
            providers
                .entry(ENVIRONMENT_PROVIDER.to_owned())
                .or_insert(described.provider);
        }
        let fallback = fallback.filter(|name| merged.providers.contains_key(*name));
        let store = store_folder(around, project.as_deref())?;
        let prompts_of = |folder: &PathBuf| folder.join("prompts");
        let project_prompts = project.as_ref().map(prompts_of);
        let user_prompts = around.user_config_folder.as_ref().map(prompts_of);
        let prompts = project_prompts
            .iter()
            .chain(&user_prompts)
            .cloned()
            .collect();
        let themes_of = |folder: &PathBuf| folder.join("themes");
        let user_themes = around.user_config_folder.as_ref().map(themes_of);
        let project_themes = project.as_ref().map(themes_of);
        Ok(Self {
            keys: KeyTable::with(&merged.key_changes)?,
            memory: merged.memory,
            workbench: merged.workbench,
            themes: user_themes.into_iter().chain(project_themes).collect(),
            models: ModelTable {
                providers: merged.providers,
                models: merged.models,
                sims: merged.sims,
                fallback: fallback.map(str::to_owned),
                of_environment: in_environment,
                own_file,
                model_files,
                prices: Prices::default(),
                trust,
            },
            defaults: merged.defaults,
            // Every file was checked by itself, and names do not depend on each other.
            gate: file::gate(merged.gate).unwrap_or_default(),
            files,
            project_file: project_file.filter(|file| file.is_file()),
            passed_over,
            approvals,
            of_variable,
            trust_file,
            waiting,
            store,
            prompts,
            project_prompts,
            user_prompts,
        })
    }

    /// Returns the model of seats that nobody named: the configured one, else the simulated one where
    /// there is no server. Whoever has one did not mean a simulation, and must name a model.
    pub fn default_model(&self) -> Option<&str> {
        let models = &self.models;
        let has_server = !models.providers.is_empty() || !models.models.is_empty();
        let usual = self.defaults.model.as_deref();
        usual.or((!has_server).then_some(SIM))
    }
}

/// A file that was read.
struct Source {
    path: PathBuf,
    shape: FileShape,
}

fn own_file(around: &Surroundings<'_>) -> Option<PathBuf> {
    let named = (around.environment)(CONFIG_VARIABLE).filter(|path| !path.is_empty());
    let usual = || {
        let folder = around.user_config_folder.as_ref();
        folder.map(|folder| folder.join(FILE_NAME))
    };
    named.map(PathBuf::from).or_else(usual)
}

fn is_same(file: &Path, other: Option<&Path>) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    other.is_some_and(|other| whole(file).is_some() && whole(file) == whole(other))
}

impl Source {
    fn read(path: Option<&Path>) -> Result<Option<Self>, ConfigError> {
        let Some(path) = path.filter(|path| path.is_file()) else {
            return Ok(None);
        };
        Ok(Some(Self {
            path: path.to_owned(),
            shape: FileShape::read(path)?,
        }))
    }

    /// The models that it names, each with the file.
    fn model_files(&self) -> BTreeMap<String, PathBuf> {
        let names = self.shape.models.keys();
        names
            .map(|name| (name.clone(), self.path.clone()))
            .collect()
    }

    fn resolve(&mut self, around: &Surroundings<'_>) {
        let home = (around.environment)("HOME").map(PathBuf::from);
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let folder = around.current_folder.join(folder);
        self.shape.memory.resolve(&folder, home.as_deref());
    }
}

/// A person's own file means each key for the address beside it.
fn own_pairs(own: &Source) -> Vec<Trusted> {
    let from = own.path.display().to_string();
    let pair = |url: &str, key: Option<&str>| Trusted::at(url, key, &from).ok();
    let providers = own.shape.providers.values();
    let of_providers = providers.filter_map(|at| pair(&at.base_url, at.api_key_env.as_deref()));
    let of_models = own.shape.memory.model_url.iter();
    of_providers
        .chain(of_models.filter_map(|url| pair(url, None)))
        .collect()
}

fn of_environment(instead_of: Option<String>) -> OfEnvironment {
    OfEnvironment {
        provider: ENVIRONMENT_PROVIDER.to_owned(),
        instead_of,
        is_assumed: false,
    }
}

/// The provider of models that nobody configured: the one of the environment, or configured under its
/// name, as long as there is nothing else. A mistyped name must not go to whichever server has a key.
fn fallback(merged: &FileShape) -> Option<&'static str> {
    let others = merged
        .providers
        .keys()
        .any(|name| name != ENVIRONMENT_PROVIDER);
    let nothing_else = !others && merged.models.is_empty() && merged.sims.is_empty();
    nothing_else.then_some(ENVIRONMENT_PROVIDER)
}

fn store_folder(around: &Surroundings<'_>, project: Option<&Path>) -> Result<PathBuf, ConfigError> {
    let named = (around.environment)(STORE_VARIABLE).filter(|path| !path.is_empty());
    around
        .store_flag
        .clone()
        .or_else(|| named.map(PathBuf::from))
        .or_else(|| project.map(|folder| folder.join("store")))
        .or_else(|| {
            around
                .user_data_folder
                .as_ref()
                .map(|folder| folder.join("store"))
        })
        .ok_or(ConfigError::NoHome)
}
