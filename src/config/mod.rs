//! Configuration: composes the settings types that each module owns.
//!
//! Flags override the environment, the environment the nearest `.elenchus/config.toml`, and that
//! the user's own file. Unknown keys are errors. Never holds a key: providers name the environment
//! variable that holds theirs.
//!
//! A project's file may come from an untrusted source: text for a new address, or spending beyond
//! the user's own limit, waits until the user approves it ([`PendingApproval`]), and it never names code.

mod approvals;
mod config_file;
mod environment;
mod pending_approval;
mod project_bounds;
mod project_folder;
pub mod write;

pub use approvals::{Approvals, ApprovedCeiling, ApprovedFolder, ApprovedServer};
pub use config_file::Defaults;
pub use environment::FINISH_VARIABLE;
pub use pending_approval::PendingApproval;
pub use project_folder::{UntrustedProject, find_distrust_reason};

use crate::tui::app::WorkbenchSettings;
use crate::tui::keys::KeyTable;
use crate::tui::screens::{PLACES, default_keys};
use config_file::FileShape;
use elenchus_model::{Trust, Trusted};
use elenchus_records::workspace::memory::MemorySettings;
use elenchus_run::engine::seats::Prices;
use elenchus_run::engine::seats::{EnvironmentProvider, ModelTable, SIM};
use elenchus_run::engine::{GatePolicy, GraderProgram, TrainingSettings};
use environment::ENVIRONMENT_PROVIDER;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The folder of a project.
pub const PROJECT_FOLDER: &str = ".elenchus";
/// Name of the configuration file in the project's and in the user's folder.
pub const FILE_NAME: &str = "config.toml";
/// Name of the file that holds the user's approvals, next to their configuration.
const TRUST_FILE_NAME: &str = "trust.toml";
/// The variable that moves the store.
pub const STORE_VARIABLE: &str = "ELENCHUS_STORE";
/// The variable that moves the user's configuration.
pub const CONFIG_VARIABLE: &str = "ELENCHUS_CONFIG";
/// The variable that approves servers and folders, for jobs and containers.
pub const TRUST_VARIABLE: &str = "ELENCHUS_TRUST";

/// A configuration file that cannot be used.
#[derive(Debug, Clone, Error)]
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

/// The whole configuration, with its sources.
#[derive(Debug, Clone)]
pub struct Config {
    pub models: ModelTable,
    pub defaults: Defaults,
    /// The policy for debates that are not worth their cost.
    pub gate: GatePolicy,
    /// The embedding model of long-term memory.
    pub memory: MemorySettings,
    /// What adapters are trained with.
    pub training: TrainingSettings,
    /// Programs that grade, by the names that protocols use.
    pub graders: BTreeMap<String, GraderProgram>,
    pub workbench: WorkbenchSettings,
    /// The keys of the workbench, as the files change them.
    pub keys: KeyTable,
    /// Folders of themes that override the built-in ones; later ones win. They need not exist.
    pub themes: Vec<PathBuf>,
    /// The files that were read, the nearest first.
    pub files: Vec<PathBuf>,
    /// The project's own, where there is one.
    pub project_file: Option<PathBuf>,
    /// Project folders that were not trusted.
    pub untrusted_projects: Vec<UntrustedProject>,
    /// The user's approvals and refusals.
    pub approvals: Approvals,
    /// Approvals of `ELENCHUS_TRUST`.
    pub variable_approvals: Approvals,
    pub trust_file: Option<PathBuf>,
    /// Requests of the project's file that are not answered yet.
    pub pending_approvals: Vec<PendingApproval>,
    /// What the project's file names outside the project; it was not used.
    pub refusals: Vec<ConfigError>,
    /// What the project's file says that only the user's own may; it was not used.
    pub notices: Vec<String>,
    /// The folder of a project that does not count as the user's: what its files name lies in it.
    pub foreign_project: Option<PathBuf>,
    pub store: PathBuf,
    /// Other stores that sessions of this person may lie in: their own, and the project's. They need not exist.
    pub other_stores: Vec<PathBuf>,
    /// Folders of prompts that override the built-in ones, the nearest first; they need not exist.
    pub prompts: Vec<PathBuf>,
    /// Folders for prompts of the nearest project and of the user, whether or not they exist.
    pub project_prompts: Option<PathBuf>,
    pub user_prompts: Option<PathBuf>,
}

/// The environment of the process, passed in so that this module does not inspect it by itself.
pub struct ProcessEnvironment<'a> {
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
    pub fn read(process: &ProcessEnvironment<'_>) -> Result<Self, ConfigError> {
        let trust_file = process.user_config_folder.as_ref();
        let trust_file = trust_file.map(|folder| folder.join(TRUST_FILE_NAME));
        let approvals = trust_file.as_deref().map(Approvals::read).transpose()?;
        let approvals = approvals.unwrap_or_default();
        let variable_approvals = (process.environment)(TRUST_VARIABLE).unwrap_or_default();
        let variable_approvals =
            Approvals::parse_variable(&variable_approvals, &process.current_folder)?;
        let is_approved =
            |folder: &Path| approvals.has_folder(folder) || variable_approvals.has_folder(folder);
        let (project, untrusted_projects) =
            project_folder::find_nearest_project(&process.current_folder, &is_approved);

        let own_file = find_own_file(process);
        let project_file = project.as_ref().map(|folder| folder.join(FILE_NAME));
        // A user who names a project's file as their own means it.
        let project_file = project_file.filter(|file| !is_same_file(file, own_file.as_deref()));
        let own_source = SourceFile::read(own_file.as_deref())?;
        let project_source = SourceFile::read(project_file.as_deref())?;
        if let Some(theirs) = &project_source {
            theirs.check_additions()?;
        }

        let mut trust = Trust::default();
        let environment_provider = environment::find_provider(process.environment)?;
        trust
            .pairs
            .extend(own_source.iter().flat_map(list_own_pairs));
        trust.pairs.extend(
            environment_provider
                .iter()
                .filter_map(environment::trusted_pair),
        );
        if let Some(file) = &trust_file {
            trust
                .pairs
                .extend(approvals.approved_pairs(&file.display().to_string()));
        }
        trust
            .pairs
            .extend(variable_approvals.approved_pairs(TRUST_VARIABLE));

        let mut files = Vec::new();
        let mut merged_shape = FileShape::default();
        let mut pending_approvals = Vec::new();
        let mut refusals = Vec::new();
        let mut notices = Vec::new();
        // A folder that the user approved counts as their own.
        let foreign_project = project.clone().filter(|folder| !is_approved(folder));
        let mut in_environment =
            environment_provider
                .as_ref()
                .map(|described| EnvironmentProvider {
                    is_assumed: !described.has_address,
                    ..build_environment_provider(None)
                });
        let mut apply_environment = |shape: &mut FileShape| {
            let of_file = shape.providers.get_mut(ENVIRONMENT_PROVIDER);
            if let (Some(of_file), Some(environment_provider)) = (of_file, &environment_provider) {
                let address = of_file.base_url.clone();
                environment_provider.override_settings(of_file);
                let instead_of = (address != of_file.base_url).then_some(address);
                in_environment = environment_provider
                    .has_address
                    .then(|| build_environment_provider(instead_of));
            }
        };
        let mut model_files = BTreeMap::new();
        if let Some(mut own_source) = own_source {
            own_source.resolve_paths(process);
            apply_environment(&mut own_source.shape);
            trust.record_source_file(own_source.shape.providers.keys(), &own_source.path);
            model_files.extend(own_source.model_files());
            merged_shape = own_source.shape;
            files.push(own_source.path);
        }
        if let Some(mut project_source) = project_source {
            trust.record_source_file(project_source.shape.providers.keys(), &project_source.path);
            // Settings without effect need no approval.
            apply_environment(&mut project_source.shape);
            model_files.extend(project_source.model_files());
            trust.project_origins = pending_approval::list_loopback_origins(&project_source);
            pending_approvals = pending_approval::find_pending(
                &mut project_source,
                &merged_shape,
                &trust,
                &approvals,
            );
            project_source
                .shape
                .memory
                .hold_to(&merged_shape.memory, &project_source.path);
            project_source.resolve_paths(process);
            if let Some(folder) = &foreign_project {
                (refusals, notices) = project_bounds::enforce_bounds(
                    &mut project_source,
                    folder,
                    own_file.as_deref(),
                );
            }
            refusals.extend(project_bounds::take_training(
                &mut project_source,
                own_file.as_deref(),
            ));
            refusals.extend(project_bounds::take_graders(
                &mut project_source,
                own_file.as_deref(),
            ));
            merged_shape.merge(project_source.shape);
            files.insert(0, project_source.path);
        }
        let fallback = find_fallback(&merged_shape);
        // A key without an address that nothing can be asked with is another server's.
        let is_meant = |described: &environment::EnvironmentProvider| {
            let mut models = merged_shape.models.values();
            described.has_address
                || fallback.is_some()
                || models.any(|model| model.provider == ENVIRONMENT_PROVIDER)
        };
        let environment_provider = environment_provider.filter(is_meant);
        if environment_provider.is_none() {
            in_environment = None;
        }
        if let Some(environment_provider) = environment_provider {
            let providers = &mut merged_shape.providers;
            providers
                .entry(ENVIRONMENT_PROVIDER.to_owned())
                .or_insert(environment_provider.provider);
        }
        let fallback = fallback.filter(|name| merged_shape.providers.contains_key(*name));
        let store = choose_store_folder(process, project.as_deref())?;
        let other_stores = list_other_stores(process, project.as_deref(), &store);
        let prompts_of = |folder: &PathBuf| folder.join("prompts");
        let project_prompts = project.as_ref().map(prompts_of);
        let user_prompts = process.user_config_folder.as_ref().map(prompts_of);
        let prompts = project_prompts
            .iter()
            .chain(&user_prompts)
            .cloned()
            .collect();
        let themes_of = |folder: &PathBuf| folder.join("themes");
        let user_themes = process.user_config_folder.as_ref().map(themes_of);
        let project_themes = project.as_ref().map(themes_of);
        Ok(Self {
            keys: KeyTable::with_overrides(default_keys(PLACES), &merged_shape.key_changes)?,
            training: merged_shape.training,
            graders: merged_shape.graders,
            workbench: merged_shape.workbench,
            themes: user_themes.into_iter().chain(project_themes).collect(),
            models: ModelTable {
                providers: merged_shape.providers,
                models: merged_shape.models,
                sims: merged_shape.sims,
                fallback: fallback.map(str::to_owned),
                of_environment: in_environment,
                own_file,
                model_files,
                embeddings: merged_shape.memory.embeddings.clone(),
                prices: Prices::default(),
                trust,
                bounds: project_bounds::build_file_bounds(
                    process.user_config_folder.as_deref(),
                    &[&approvals, &variable_approvals],
                    foreign_project.as_deref(),
                ),
            },
            memory: merged_shape.memory,
            defaults: merged_shape.defaults,
            // Every file was checked on its own, and names do not depend on each other.
            gate: config_file::parse_gate(merged_shape.gate).unwrap_or_default(),
            files,
            project_file: project_file.filter(|file| file.is_file()),
            untrusted_projects,
            approvals,
            variable_approvals,
            trust_file,
            pending_approvals,
            refusals,
            notices,
            foreign_project,
            store,
            other_stores,
            prompts,
            project_prompts,
            user_prompts,
        })
    }

    /// Returns the model of seats without one: the configured default, else the simulated one where
    /// there is no server. With a server a simulation is not assumed, and a model must be named.
    pub fn default_model(&self) -> Option<&str> {
        let models = &self.models;
        let has_server = !models.providers.is_empty() || !models.models.is_empty();
        let configured_model = self.defaults.model.as_deref();
        configured_model.or((!has_server).then_some(SIM))
    }
}

/// A file that was read.
struct SourceFile {
    path: PathBuf,
    shape: FileShape,
}

fn find_own_file(process: &ProcessEnvironment<'_>) -> Option<PathBuf> {
    let variable_path = (process.environment)(CONFIG_VARIABLE).filter(|path| !path.is_empty());
    let default_path = || {
        let folder = process.user_config_folder.as_ref();
        folder.map(|folder| folder.join(FILE_NAME))
    };
    variable_path.map(PathBuf::from).or_else(default_path)
}

fn is_same_file(file: &Path, other: Option<&Path>) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    other.is_some_and(|other| canonical(file).is_some() && canonical(file) == canonical(other))
}

impl SourceFile {
    fn read(path: Option<&Path>) -> Result<Option<Self>, ConfigError> {
        let Some(path) = path.filter(|path| path.is_file()) else {
            return Ok(None);
        };
        Ok(Some(Self {
            path: path.to_owned(),
            shape: FileShape::read(path)?,
        }))
    }

    /// Refuses what a project adds to requests: it could send a user's keys along, or change unseen what
    /// is asked.
    ///
    /// # Errors
    /// Names the table.
    fn check_additions(&self) -> Result<(), ConfigError> {
        let fault = |what, name: &String| {
            Err(ConfigError::Value {
                path: self.path.display().to_string(),
                what,
                name: name.clone(),
                why: "headers, query and extra_body are set in your own configuration alone"
                    .to_owned(),
            })
        };
        let mut providers = self.shape.providers.iter();
        if let Some((name, _)) = providers.find(|(_, provider)| provider.adds_to_requests()) {
            return fault("provider", name);
        }
        let mut models = self.shape.models.iter();
        match models.find(|(_, model)| !model.extra_body.is_empty()) {
            Some((name, _)) => fault("model", name),
            None => Ok(()),
        }
    }

    /// Returns the models that it names, each with the file.
    fn model_files(&self) -> BTreeMap<String, PathBuf> {
        let names = self.shape.models.keys();
        names
            .map(|name| (name.clone(), self.path.clone()))
            .collect()
    }

    fn resolve_paths(&mut self, process: &ProcessEnvironment<'_>) {
        let home = (process.environment)("HOME").map(PathBuf::from);
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let folder = process.current_folder.join(folder);
        self.shape.memory.resolve_paths(&folder, home.as_deref());
    }
}

/// Returns the user's own file pairs each key with the address next to it.
fn list_own_pairs(own: &SourceFile) -> Vec<Trusted> {
    let from = own.path.display().to_string();
    let pair = |url: &str, key: Option<&str>| Trusted::from_url(url, key, &from).ok();
    let providers = own.shape.providers.values();
    let of_providers = providers.flat_map(|at| {
        let keys = at
            .key_variables()
            .filter_map(|key| pair(&at.base_url, Some(key)));
        let address = pair(&at.base_url, None).filter(|_| at.key_variables().next().is_none());
        keys.chain(address).collect::<Vec<_>>()
    });
    let of_models = own.shape.memory.model_url.iter();
    of_providers
        .chain(of_models.filter_map(|url| pair(url, None)))
        .collect()
}

fn build_environment_provider(instead_of: Option<String>) -> EnvironmentProvider {
    EnvironmentProvider {
        provider: ENVIRONMENT_PROVIDER.to_owned(),
        instead_of,
        is_assumed: false,
    }
}

/// Returns the provider of models that are not configured: the one of the environment, or one
/// configured under its name, if it is the only one. A mistyped name must not go to an arbitrary
/// server with a key.
fn find_fallback(merged: &FileShape) -> Option<&'static str> {
    let has_others = merged
        .providers
        .keys()
        .any(|name| name != ENVIRONMENT_PROVIDER);
    let nothing_else = !has_others && merged.models.is_empty() && merged.sims.is_empty();
    nothing_else.then_some(ENVIRONMENT_PROVIDER)
}

/// Returns the store of a project that keeps one: it has a configuration, or a store already. A folder
/// that only holds prompts or themes does not take the sessions of those who work beside it.
fn find_own_store(project: &Path) -> Option<PathBuf> {
    let store = project.join("store");
    (store.exists() || project.join(FILE_NAME).exists()).then_some(store)
}

fn choose_store_folder(
    process: &ProcessEnvironment<'_>,
    project: Option<&Path>,
) -> Result<PathBuf, ConfigError> {
    let variable_path = (process.environment)(STORE_VARIABLE).filter(|path| !path.is_empty());
    process
        .store_flag
        .clone()
        .or_else(|| variable_path.map(PathBuf::from))
        .or_else(|| project.and_then(find_own_store))
        .or_else(|| find_user_store(process))
        .ok_or(ConfigError::NoHome)
}

fn find_user_store(process: &ProcessEnvironment<'_>) -> Option<PathBuf> {
    let folder = process.user_data_folder.as_ref();
    folder.map(|folder| folder.join("store"))
}

/// Returns the stores that would be used from another folder, or without a flag or variable.
fn list_other_stores(
    process: &ProcessEnvironment<'_>,
    project: Option<&Path>,
    chosen: &Path,
) -> Vec<PathBuf> {
    let of_project = project.map(|project| project.join("store"));
    let all = find_user_store(process).into_iter().chain(of_project);
    all.filter(|store| store != chosen).collect()
}
