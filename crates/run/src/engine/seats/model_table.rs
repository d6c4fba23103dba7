//! Table of the providers and models that can be named: what the configuration, the environment and the
//! command line say of them.

use super::file_bounds::FileBounds;
use super::typed_prices::Prices;
use elenchus_model::{ModelSettings, ProviderSettings, SimSettings, Trust, bare_address};
use elenchus_records::workspace::CastError;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The name of the simulated model that is always there.
pub const SIM: &str = "sim";

/// Models and providers of the configuration.
#[derive(Debug, Clone, Default)]
pub struct ModelTable {
    pub providers: BTreeMap<String, ProviderSettings>,
    pub models: BTreeMap<String, ModelSettings>,
    /// Simulated models; [`SIM`] is there even when it is not configured.
    pub sims: BTreeMap<String, SimSettings>,
    /// The provider of models that are not configured, where none is: what `OPENAI_API_KEY` and
    /// `OPENAI_BASE_URL` describe.
    pub fallback: Option<String>,
    /// The provider whose address the environment says.
    pub of_environment: Option<EnvironmentProvider>,
    /// File for a person's own providers and models.
    pub own_file: Option<PathBuf>,
    /// The configuration file that a model is from, by the model's name.
    pub model_files: BTreeMap<String, PathBuf>,
    /// The model that embeds the texts of memory: it speaks in no debate.
    pub embeddings: Option<String>,
    /// Prices from the command line for models whose price is not configured.
    pub prices: Prices,
    /// Servers that text and keys may be sent to, and who named them.
    pub trust: Trust,
    /// What cast files and plans of sweeps may name.
    pub bounds: FileBounds,
}

impl ModelTable {
    /// Returns the servers that somebody named. OpenAI's, which a key alone implies, is asked for no list: text and key
    /// go there with a model that a person names, and never before.
    pub fn named_providers(&self) -> impl Iterator<Item = (&String, &ProviderSettings)> {
        let is_assumed = |name: &str| {
            let environment = self.of_environment.as_ref();
            environment.is_some_and(|it| it.is_assumed && it.provider == name)
        };
        let providers = self.providers.iter();
        providers.filter(move |(name, _)| !is_assumed(name))
    }

    /// Returns the address of the provider of models that are not configured.
    pub fn fallback_address(&self) -> Option<String> {
        let provider = self.providers.get(self.fallback.as_ref()?)?;
        Some(bare_address(&provider.base_url))
    }
}

/// Provider whose address is from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentProvider {
    /// Its name.
    pub provider: String,
    /// The address that a file gives it, which is not asked.
    pub instead_of: Option<String>,
    /// Only a key is there: its address is the usual one.
    pub is_assumed: bool,
}

impl ModelTable {
    /// Returns the error for a name that it does not have: what it has, and how more is added.
    pub(super) fn no_such_model(&self, name: &str) -> CastError {
        let mut names: Vec<&str> = self.models.keys().map(String::as_str).collect();
        names.extend(self.sims.keys().map(String::as_str));
        let is_bare = names.is_empty() && self.providers.is_empty();
        if !names.contains(&SIM) {
            names.push(SIM);
        }
        CastError::NoSuchModel {
            name: name.to_owned(),
            known: names.join(", "),
            or: match is_bare {
                true => ", or set OPENAI_API_KEY or OPENAI_BASE_URL to use it as it is",
                false if self.of_environment.is_some() => {
                    ". What the server of the environment lists is not played by name as long as \
                             something is configured: 'elenchus servers add URL' adds its models"
                }
                false => "",
            },
        }
    }
}
