//! Provider from environment variables, and the key that they pair with it.

use super::ConfigError;
use elenchus_model::{FinishRule, Origin, ProviderSettings, Trusted};

/// The name of that provider.
pub(super) const ENVIRONMENT_PROVIDER: &str = "openai";
/// Variable that says whether the server of `OPENAI_BASE_URL` gives finish reasons.
pub const FINISH_VARIABLE: &str = "ELENCHUS_FINISH_REASON";
const OPENAI_KEY: &str = "OPENAI_API_KEY";
const OPENAI_BASE: &str = "OPENAI_BASE_URL";
const OPENAI_DEFAULT_BASE: &str = "https://api.openai.com/v1";

/// The provider that the environment describes.
#[derive(Debug, Clone)]
pub(super) struct EnvironmentProvider {
    /// The whole provider, where no file configures it.
    pub provider: ProviderSettings,
    /// Whether it names an address; a key alone implies OpenAI's.
    pub has_address: bool,
    /// The rule for finish reasons, where it is set.
    finish: Option<FinishRule>,
}

/// Returns the provider of `OPENAI_API_KEY` and `OPENAI_BASE_URL`: they alone are enough to start.
///
/// # Errors
/// When [`FINISH_VARIABLE`] has an invalid value.
pub(super) fn find_provider(
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<EnvironmentProvider>, ConfigError> {
    let variable_value = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let base = variable_value(OPENAI_BASE);
    let key = variable_value(OPENAI_KEY);
    if base.is_none() && key.is_none() {
        return Ok(None);
    }
    let mut provider =
        ProviderSettings::from_base_url(base.as_deref().unwrap_or(OPENAI_DEFAULT_BASE));
    provider.api_key_env = key.map(|_| OPENAI_KEY.to_owned());
    let finish = match variable_value(FINISH_VARIABLE).as_deref() {
        None => None,
        Some("required") => Some(FinishRule::Required),
        Some("absent") => Some(FinishRule::Absent),
        Some(other) => {
            let value = other.to_owned();
            return Err(ConfigError::FinishVariable { value });
        }
    };
    provider.finish_reason = finish.unwrap_or_default();
    Ok(Some(EnvironmentProvider {
        provider,
        has_address: base.is_some(),
        finish,
    }))
}

impl EnvironmentProvider {
    /// Replaces address and key of a file's provider, whose other settings stay. A key never moves
    /// to another server: the file's key goes with the file's address.
    pub(super) fn override_settings(&self, of_file: &mut ProviderSettings) {
        if !self.has_address {
            return;
        }
        let origin = |one: &ProviderSettings| Origin::from_url(&one.base_url).ok();
        let is_same = origin(of_file).is_some() && origin(of_file) == origin(&self.provider);
        if !is_same || self.provider.api_key_env.is_some() {
            of_file.api_key_env.clone_from(&self.provider.api_key_env);
        }
        if !is_same {
            of_file.headers.clear();
            of_file.query.clear();
        }
        of_file.base_url.clone_from(&self.provider.base_url);
        of_file.finish_reason = self.finish.unwrap_or(of_file.finish_reason);
    }
}

/// Returns the trusted pair: a user who sets both variables means this key for this address.
pub(super) fn trusted_pair(described: &EnvironmentProvider) -> Option<Trusted> {
    let provider = &described.provider;
    let key = provider.api_key_env.as_deref();
    let from = match key {
        Some(_) => format!("{OPENAI_KEY} of the environment"),
        None => format!("{OPENAI_BASE} of the environment"),
    };
    Trusted::from_url(&provider.base_url, key, &from).ok()
}
