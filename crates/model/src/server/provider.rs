//! Provider: a configured server with its connections, key, concurrency limit and circuit breaker.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::circuit_breaker::CircuitBreaker;
use super::concurrency_limit::ConcurrencyLimit;
use super::retrying::{RetryPolicy, RetryingModel, ServerModel};
use crate::access::key_variable::{KEY_IN_PLACE_OF_NAME, is_variable_name, mask_variable};
use crate::access::origin::is_loopback;
use crate::access::secret::Secret;
use crate::access::trust::{Trust, TrustError};
use crate::request_terms::LearnedTerms;
use crate::sent_value::SentValue;
use crate::settings::{FinishRule, ModelSettings, ProviderKind, ProviderSettings, SettingsError};
use crate::{Model, OpenAi};

/// Time limit of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A configured server: one pool of connections and one concurrency limit for all its models.
#[derive(Clone)]
pub struct Provider {
    name: String,
    settings: ProviderSettings,
    key: Secret,
    additions: Arc<RequestAdditions>,
    http: reqwest::Client,
    in_flight: Arc<ConcurrencyLimit>,
    breaker: Arc<CircuitBreaker>,
    learned: Arc<LearnedTerms>,
    /// Whether a request is never sent without its token limit, even if the server refuses the
    /// limit.
    holds_limits: bool,
}

/// Reason that a provider cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProviderError {
    /// A setting cannot be meant.
    #[error("provider {name}: {source}")]
    Settings {
        /// The provider's name in the configuration.
        name: String,
        /// The fault.
        source: SettingsError,
    },
    /// It is not trusted with what would be sent.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A key is in the place of its variable's name.
    #[error("provider {name}: api_key_env {KEY_IN_PLACE_OF_NAME}")]
    KeyInPlaceOfName {
        /// The provider's name in the configuration.
        name: String,
    },
    /// The environment variable with the key is missing or empty.
    #[error(
        "provider {name}: the environment variable {variable} is not set; export it, or remove api_key_env if the server needs no key"
    )]
    NoKey {
        /// The provider's name in the configuration.
        name: String,
        /// The variable's name.
        variable: String,
    },
    /// The key holds characters that no HTTP header may hold.
    #[error(
        "provider {name}: the key in {variable} holds characters that cannot be sent; set it again without line breaks"
    )]
    BadKey {
        /// The provider's name in the configuration.
        name: String,
        /// The variable's name.
        variable: String,
    },
    /// The HTTP client could not be made.
    #[error("provider {name}: no HTTP client ({why}); check the system's certificates")]
    Client {
        /// The provider's name in the configuration.
        name: String,
        /// The HTTP library's message.
        why: String,
    },
}

impl Provider {
    /// Prepares a server for calls and contacts nothing. All calls to servers go through a
    /// provider.
    ///
    /// `lookup` reads an environment variable, only after the server was found to be trusted.
    ///
    /// # Errors
    /// When the server is not trusted with text and key, a setting is invalid or the key is
    /// missing.
    pub fn new(
        name: &str,
        settings: &ProviderSettings,
        trust: &Trust,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ProviderError> {
        settings
            .check_values()
            .map_err(|source| ProviderError::Settings {
                name: name.to_owned(),
                source,
            })?;
        check_key_variable(name, settings, lookup)?;
        trust.check_provider(name, settings)?;
        let key = read_key(name, settings, lookup)?;
        let additions = RequestAdditions::from_settings(name, settings, lookup)?;
        let key = key.with_hidden(additions.secrets());
        let http = http_client(settings).map_err(|error| ProviderError::Client {
            name: name.to_owned(),
            why: error.without_url().to_string(),
        })?;
        let in_flight_limit = usize::try_from(settings.in_flight).unwrap_or(usize::MAX);
        Ok(Self {
            name: name.to_owned(),
            settings: settings.clone(),
            key,
            additions: Arc::new(additions),
            http,
            in_flight: Arc::new(ConcurrencyLimit::new(in_flight_limit)),
            breaker: Arc::default(),
            learned: Arc::default(),
            holds_limits: false,
        })
    }

    /// Returns the name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the settings it was made from.
    pub fn settings(&self) -> &ProviderSettings {
        &self.settings
    }

    /// Returns a model of this server with deadline, retries and concurrency limit.
    ///
    /// `jitter_seed` spreads the waits before retries.
    pub fn build_model(&self, model: &ModelSettings, jitter_seed: u64) -> Arc<dyn Model> {
        self.build_shared_model(&[], model, jitter_seed)
    }

    /// Returns a model that several servers have, as [`Provider::build_model`] does. The largest of their
    /// deadlines and retry counts apply.
    pub fn build_shared_model(
        &self,
        others: &[Self],
        model: &ModelSettings,
        jitter_seed: u64,
    ) -> Arc<dyn Model> {
        let policy_of = |one: &Self| RetryPolicy::from_settings(&one.settings, model, jitter_seed);
        let policy = others.iter().fold(policy_of(self), |policy, other| {
            policy.merge(&policy_of(other))
        });
        let others = others
            .iter()
            .map(|other| other.build_server_model(model))
            .collect();
        Arc::new(RetryingModel::from_servers(
            self.build_server_model(model),
            others,
            policy,
        ))
    }

    fn build_server_model(&self, model: &ModelSettings) -> ServerModel {
        ServerModel {
            model: match self.settings.kind {
                ProviderKind::Openai => Arc::new(OpenAi::new(self).with_model_settings(model)),
            },
            in_flight: Arc::clone(&self.in_flight),
            breaker: Arc::clone(&self.breaker),
            place: format!("{}/{}", self.name, model.name),
        }
    }

    /// Returns the same server, but no request is sent without its token limit because the server
    /// refuses the limit.
    #[must_use]
    pub fn with_held_limits(self) -> Self {
        Self {
            holds_limits: true,
            ..self
        }
    }

    /// Takes note of the context that the server's list names for a model: what clearly does not fit is
    /// not sent.
    pub fn record_context(&self, model: &str, context_tokens: u32) {
        self.learned.record_context(model, context_tokens);
    }

    pub(super) fn holds_limits(&self) -> bool {
        self.holds_limits
    }

    /// Returns the same server for one question: without retries, and with or without finish
    /// reasons.
    pub(super) fn with_probe_settings(&self, deadline_s: u64) -> Self {
        let settings = ProviderSettings {
            finish_reason: FinishRule::Absent,
            retries: 0,
            deadline_s,
            ..self.settings.clone()
        };
        Self {
            settings,
            ..self.clone()
        }
    }

    pub(super) fn learned_terms(&self) -> &Arc<LearnedTerms> {
        &self.learned
    }

    pub(super) fn key(&self) -> &Secret {
        &self.key
    }

    pub(super) fn additions(&self) -> &Arc<RequestAdditions> {
        &self.additions
    }

    pub(super) fn http(&self) -> &reqwest::Client {
        &self.http
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // base_url may hold a password.
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// Refuses a key in place of its variable's name, without showing it.
///
/// # Errors
/// When the value cannot be a name.
pub fn check_key_variable(
    name: &str,
    settings: &ProviderSettings,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<(), ProviderError> {
    let is_set = |variable: &str| lookup(variable).is_some();
    let mut variables = settings.key_variables();
    match variables.all(|variable| is_variable_name(variable, &is_set)) {
        true => Ok(()),
        false => Err(ProviderError::KeyInPlaceOfName {
            name: name.to_owned(),
        }),
    }
}

fn read_key(
    name: &str,
    settings: &ProviderSettings,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Secret, ProviderError> {
    match &settings.api_key_env {
        Some(variable) => read_variable(name, variable, lookup),
        None => Ok(Secret::none()),
    }
}

/// Reads a key that can be sent in a header.
fn read_variable(
    name: &str,
    variable: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Secret, ProviderError> {
    let key = lookup(variable).map(|key| Secret::new(&key));
    let Some(key) = key.filter(|key| !key.is_none()) else {
        return Err(ProviderError::NoKey {
            name: name.to_owned(),
            variable: mask_variable(variable).to_owned(),
        });
    };
    if HeaderValue::from_str(key.expose()).is_err() {
        return Err(ProviderError::BadKey {
            name: name.to_owned(),
            variable: mask_variable(variable).to_owned(),
        });
    }
    Ok(key)
}

/// Shortest plain value of a header that is hidden like a key: shorter ones could be words of a reply.
const SHORTEST_HIDDEN_VALUE: usize = 16;

/// Headers and query that a provider's settings add to requests, with the values of their variables.
#[derive(Clone, Default)]
pub(super) struct RequestAdditions {
    pub headers: HeaderMap,
    pub query: Vec<(String, String)>,
    secrets: Vec<Secret>,
}

impl RequestAdditions {
    fn from_settings(
        name: &str,
        settings: &ProviderSettings,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ProviderError> {
        let mut additions = Self::default();
        for (header, value) in &settings.headers {
            let (value, is_key) = match value {
                SentValue::Plain(text) => (Secret::new(text), text.len() >= SHORTEST_HIDDEN_VALUE),
                SentValue::Variable { env } => (read_variable(name, env, lookup)?, true),
            };
            // Names and plain values are checked with the settings, keys where they are read.
            let header_parts = (
                HeaderName::from_bytes(header.as_bytes()),
                HeaderValue::from_str(value.expose()),
            );
            if let (Ok(header), Ok(mut sent)) = header_parts {
                sent.set_sensitive(true);
                additions.headers.insert(header, sent);
            }
            additions.secrets.extend(Some(value).filter(|_| is_key));
        }
        for (field, value) in &settings.query {
            let value = match value {
                SentValue::Plain(text) => text.clone(),
                SentValue::Variable { env } => {
                    let key = read_variable(name, env, lookup)?;
                    let text = key.expose().to_owned();
                    additions.secrets.push(key);
                    text
                }
            };
            additions.query.push((field.clone(), value));
        }
        Ok(additions)
    }

    fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(Secret::expose)
    }
}

fn http_client(settings: &ProviderSettings) -> Result<reqwest::Client, reqwest::Error> {
    build_client(&settings.base_url, settings.in_flight)
}

/// Returns an HTTP client for public files.
pub(super) fn plain_client(url: &str) -> Result<reqwest::Client, reqwest::Error> {
    build_client(url, 1)
}

fn build_client(base_url: &str, in_flight: u32) -> Result<reqwest::Client, reqwest::Error> {
    static CRYPTO: OnceLock<()> = OnceLock::new();
    // reqwest is built without a crypto provider and panics when it finds none. One that was
    // installed earlier serves as well.
    CRYPTO.get_or_init(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("elenchus/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(usize::try_from(in_flight).unwrap_or(usize::MAX))
        // A key must not follow a redirect, and a retry must not be hidden.
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    if base_url.starts_with("http://") {
        // No TLS: do not read the system's certificates, which takes time and may fail.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(base_url) {
        // A proxy from the environment cannot reach this machine's own servers.
        builder = builder.no_proxy();
    }
    builder.build()
}
