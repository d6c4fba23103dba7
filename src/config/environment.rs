//! The provider that variables of the environment describe, and what they trust it with.

use super::ConfigError;
use crate::model::{FinishRule, Origin, ProviderSettings, Trusted};

/// The name of that provider.
pub(super) const ENVIRONMENT_PROVIDER: &str = "openai";
/// Whether the server that `OPENAI_BASE_URL` names gives finish reasons.
pub const FINISH_VARIABLE: &str = "ELENCHUS_FINISH_REASON";
const OPENAI_KEY: &str = "OPENAI_API_KEY";
const OPENAI_BASE: &str = "OPENAI_BASE_URL";
const OPENAI_DEFAULT_BASE: &str = "https://api.openai.com/v1";

/// What the environment says of its provider.
#[derive(Debug, Clone)]
pub(super) struct Described {
    /// The whole of it, where no file has more to say.
    pub provider: ProviderSettings,
    /// Whether it names an address; a key alone means the usual one.
    pub has_address: bool,
    /// How the end of a reply is known, where it says so.
    finish: Option<FinishRule>,
}

/// Returns what `OPENAI_API_KEY` and `OPENAI_BASE_URL` describe: they alone are enough to start.
///
/// # Errors
/// When [`FINISH_VARIABLE`] says what cannot be meant.
pub(super) fn provider(
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Described>, ConfigError> {
    let given = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let base = given(OPENAI_BASE);
    let key = given(OPENAI_KEY);
    if base.is_none() && key.is_none() {
        return Ok(None);
    }
    let mut provider = ProviderSettings::at(base.as_deref().unwrap_or(OPENAI_DEFAULT_BASE));
    provider.api_key_env = key.map(|_| OPENAI_KEY.to_owned());
    let finish = match given(FINISH_VARIABLE).as_deref() {
        None => None,
        Some("required") => Some(FinishRule::Required),
        Some("absent") => Some(FinishRule::Absent),
        Some(other) => {
            let value = other.to_owned();
            return Err(ConfigError::FinishVariable { value });
        }
    };
    provider.finish_reason = finish.unwrap_or_default();
    Ok(Some(Described {
        provider,
        has_address: base.is_some(),
        finish,
    }))
}

impl Described {
    /// Puts its address and key in the place of those of a file, whose other settings stay. A key
    /// never moves to another server: the file's goes with the file's address.
    pub fn lay_over(&self, of_file: &mut ProviderSettings) {
        if !self.has_address {
            return;
        }
        let origin = |one: &ProviderSettings| Origin::of(&one.base_url).ok();
        let is_same = origin(of_file).is_some() && origin(of_file) == origin(&self.provider);
        if !is_same || self.provider.api_key_env.is_some() {
            of_file.api_key_env.clone_from(&self.provider.api_key_env);
        }
        of_file.base_url.clone_from(&self.provider.base_url);
        of_file.finish_reason = self.finish.unwrap_or(of_file.finish_reason);
    }
}

/// Whoever sets both variables means this key for this address.
pub(super) fn pair(described: &Described) -> Option<Trusted> {
    let provider = &described.provider;
    let key = provider.api_key_env.as_deref();
    let from = match key {
        Some(_) => format!("{OPENAI_KEY} of the environment"),
        None => format!("{OPENAI_BASE} of the environment"),
    };
    Trusted::at(&provider.base_url, key, &from).ok()
}
