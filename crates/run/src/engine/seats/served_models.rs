//! Model lists of servers (`GET /v1/models`), cached for a while.
//!
//! A list is a hint: it completes names and questions those that are not on it. A server without a list is
//! used all the same. No key is stored, and a server that is not trusted is not asked.

use super::guard_models::GuardModels;
use super::model_table::{ModelTable, SIM};
use super::models::{Environment, Seats};
use elenchus_model::{
    CallErrorKind, ListedModel, PROBE_DEADLINE, Provider, ProviderSettings, Trust, bare_address,
    is_usable_name, probe_server,
};
use elenchus_records::workspace::Clock;
use elenchus_records::workspace::parse_milliseconds;
use elenchus_store::{FileCache, FileCacheLimits};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Time for which a list is taken as current.
const KEPT_MS: i64 = 10 * 60 * 1000;
/// The form of what is kept; another is as if it were not there.
const FORM: u32 = 1;
const LIMITS: FileCacheLimits = FileCacheLimits {
    files: 200,
    bytes: 16 << 20,
};

/// Models that a server lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelList {
    form: u32,
    /// In milliseconds since 1970.
    asked_at: i64,
    pub models: Vec<String>,
    /// How many tokens a model's request and reply may have together, where the server says it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contexts: BTreeMap<String, u32>,
}

/// Reason for a missing list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelListError {
    /// The server is not approved, or its key is missing: it was not asked.
    #[error("{0}")]
    NotAsked(String),
    /// Nothing listens there, or it is too slow.
    #[error("{0}")]
    NoAnswer(String),
    /// It answers, and lists nothing.
    #[error("{0}")]
    NothingListed(String),
}

/// A configured server and its list.
#[derive(Debug, Clone)]
pub struct ServerModels {
    /// The provider's name in the configuration.
    pub provider: String,
    /// Without a password.
    pub address: String,
    pub list: Result<ModelList, ModelListError>,
}

/// The lists of all configured servers.
pub struct ServedModels {
    table: ModelTable,
    environment: Environment,
    clock: Clock,
    files: Option<FileCache>,
    lists: Mutex<BTreeMap<String, ModelList>>,
}

impl ServedModels {
    /// Names the servers of a table of models; nothing is contacted. Lists are kept in `folder`, where
    /// there is one.
    pub fn new(seats: &Seats, clock: Clock, folder: Option<PathBuf>) -> Self {
        Self {
            table: seats.model_table().clone(),
            environment: seats.environment(),
            clock,
            files: folder.map(|folder| FileCache::new(folder, LIMITS)),
            lists: Mutex::default(),
        }
    }

    /// Returns a provider's list where it was asked for not long ago; contacts nothing.
    pub fn known_list(&self, provider: &str) -> Option<ModelList> {
        let settings = self.table.providers.get(provider)?;
        let key = list_key(settings);
        let cached_list = self.lock_lists().get(&key).cloned();
        let read = || {
            let bytes = self.files.as_ref()?.get(&key)?;
            serde_json::from_slice::<ModelList>(&bytes).ok()
        };
        let now = parse_milliseconds(&self.clock.now())?;
        let list = cached_list.or_else(read)?;
        // A list of the future was written by another clock.
        let is_current = (0..KEPT_MS).contains(&(now - list.asked_at));
        (list.form == FORM && is_current).then_some(list)
    }

    /// Asks a provider's server for its list, and keeps it.
    ///
    /// # Errors
    /// When the server was not asked, does not answer, or lists nothing.
    pub async fn fetch_list(&self, provider: &str) -> Result<ModelList, ModelListError> {
        let settings = self.table.providers.get(provider);
        let settings = settings.ok_or_else(|| {
            ModelListError::NotAsked(format!("no provider '{provider}' is configured"))
        })?;
        let trust = &self.table.trust;
        let models = fetch_models(provider, settings, trust, &*self.environment).await?;
        let context = |model: &ListedModel| Some((model.name.clone(), model.context_tokens?));
        let list = ModelList {
            form: FORM,
            asked_at: parse_milliseconds(&self.clock.now()).unwrap_or_default(),
            contexts: models.iter().filter_map(context).collect(),
            models: models.into_iter().map(|model| model.name).collect(),
        };
        self.keep_list(settings, &list);
        Ok(list)
    }

    /// Returns a provider's list, asking for it where it is not known.
    ///
    /// # Errors
    /// As [`ServedModels::fetch_list`].
    pub async fn load_list(&self, provider: &str) -> Result<ModelList, ModelListError> {
        match self.known_list(provider) {
            Some(list) => Ok(list),
            None => self.fetch_list(provider).await,
        }
    }

    /// Returns the list of every server that somebody named, asking all together for those that are not known.
    pub async fn load_all(&self) -> Vec<ServerModels> {
        let servers = self.table.named_providers();
        let requests = servers.map(|(provider, settings)| async move {
            ServerModels {
                provider: provider.clone(),
                address: bare_address(&settings.base_url),
                list: self.load_list(provider).await,
            }
        });
        join_all(requests).await
    }

    /// Returns the lists that are known; contacts nothing.
    pub fn known_lists(&self) -> Vec<ServerModels> {
        let servers = self.table.named_providers();
        let lists = servers.filter_map(|(provider, settings)| {
            Some(ServerModels {
                provider: provider.clone(),
                address: bare_address(&settings.base_url),
                list: Ok(self.known_list(provider)?),
            })
        });
        lists.collect()
    }

    /// Returns the names that can be played: those that are configured, and where none is, those that
    /// the server of the environment lists.
    pub fn playable_names(&self, servers: &[ServerModels]) -> Vec<String> {
        let mut names: Vec<String> = self.table.models.keys().cloned().collect();
        let of_fallback =
            |server: &&ServerModels| self.table.fallback.as_ref() == Some(&server.provider);
        let lists = servers.iter().filter(of_fallback);
        let lists = lists.filter_map(|server| server.list.as_ref().ok());
        // Lists are asked only where nothing is configured, so no name occurs twice.
        names.extend(lists.flat_map(|list| list.models.iter().cloned()));
        names
    }

    /// Returns the model that can speak, if there is only one: it fills seats that the cast leaves open.
    pub fn only_speaker(&self, servers: &[ServerModels], guards: &GuardModels) -> Option<String> {
        let mut names = self.playable_names(servers);
        let embeds = |name: &String| self.table.embeddings.as_ref() == Some(name);
        names.retain(|name| {
            guards.find_by_name(name).is_none() && !is_no_chat_model(name) && !embeds(name)
        });
        match names.as_slice() {
            [only] => Some(only.clone()),
            [] | [_, _, ..] => None,
        }
    }

    /// Returns the names of simulated models.
    pub fn simulated_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.table.sims.keys().cloned().collect();
        if !names.iter().any(|name| name == SIM) {
            names.push(SIM.to_owned());
        }
        names
    }

    fn keep_list(&self, settings: &ProviderSettings, list: &ModelList) {
        let key = list_key(settings);
        if let (Some(files), Ok(bytes)) = (&self.files, serde_json::to_vec(list)) {
            // It can be asked for again.
            let _ = files.insert(&key, &bytes);
        }
        self.lock_lists().insert(key, list.clone());
    }

    fn lock_lists(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, ModelList>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks a server for its models that can be chosen by their names, each once. `lookup` reads a variable of
/// the environment.
///
/// # Errors
/// When the server is not trusted, does not answer, or lists nothing.
pub async fn fetch_models(
    name: &str,
    settings: &ProviderSettings,
    trust: &Trust,
    lookup: &(dyn Fn(&str) -> Option<String> + Send + Sync),
) -> Result<Vec<ListedModel>, ModelListError> {
    let provider = Provider::new(name, settings, trust, &|variable| lookup(variable))
        .map_err(|error| ModelListError::NotAsked(error.to_string()))?;
    let answer = probe_server(&provider, PROBE_DEADLINE)
        .await
        .map_err(|error| match error.kind {
            CallErrorKind::Status(_) | CallErrorKind::BadReply => {
                ModelListError::NothingListed(error.to_string())
            }
            _ => ModelListError::NoAnswer(error.to_string()),
        })?;
    let mut models = answer.models;
    let mut names = BTreeSet::new();
    models.retain(|model| is_usable_name(&model.name) && names.insert(model.name.clone()));
    match models.is_empty() {
        true => Err(ModelListError::NothingListed(
            "it lists no models".to_owned(),
        )),
        false => Ok(models),
    }
}

/// Says whether a listed name is that of a model for embeddings, pictures or sounds.
pub fn is_no_chat_model(name: &str) -> bool {
    const PARTS: [&str; 7] = [
        "embed",
        "rerank",
        "whisper",
        "tts",
        "dall-e",
        "moderation",
        "transcribe",
    ];
    let name = name.to_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// Returns the file name of the list that a server gives for a key; no secret is in it.
fn list_key(settings: &ProviderSettings) -> String {
    let variable = settings.api_key_env.as_deref().unwrap_or_default();
    format!("{}\n{variable}", bare_address(&settings.base_url))
}
