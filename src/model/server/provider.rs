//! A server with its connections, its key and its limit in flight.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::in_flight::InFlight;
use super::key_variable::{NO_NAME, is_variable_name, shown_variable};
use super::patient::{Patient, RetryPolicy, Served};
use super::reach::Reach;
use super::secret::Secret;
use super::settings::{FinishRule, ModelSettings, ProviderKind, ProviderSettings, SettingsError};
use super::terms::Learned;
use super::trust::{Trust, TrustError};
use super::{Model, OpenAi};

/// How long a connection attempt may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A configured server: one pool of connections and one limit in flight for all its models.
#[derive(Clone)]
pub struct Provider {
    name: String,
    settings: ProviderSettings,
    key: Secret,
    http: reqwest::Client,
    in_flight: Arc<InFlight>,
    reach: Arc<Reach>,
    learned: Arc<Learned>,
    /// Whether a token limit that it refuses is left out of no request.
    holds_limits: bool,
}

/// Why a provider cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// A setting cannot be meant.
    #[error("provider {name}: {source}")]
    Settings {
        /// The provider's name in the configuration.
        name: String,
        /// What is wrong.
        source: SettingsError,
    },
    /// Nobody trusted it with what would be sent.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A key stands where the name of its variable belongs.
    #[error("provider {name}: api_key_env {NO_NAME}")]
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
        /// What the HTTP library says.
        why: String,
    },
}

impl Provider {
    /// Prepares a server for calls; contacts nothing. There is no way to a server but this one.
    ///
    /// `lookup` reads an environment variable, only after the server was found to be trusted.
    ///
    /// # Errors
    /// When nobody trusted the server with text and key, when a setting cannot be meant or the key is
    /// missing.
    pub fn new(
        name: &str,
        settings: &ProviderSettings,
        trust: &Trust,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ProviderError> {
        settings.check().map_err(|source| ProviderError::Settings {
            name: name.to_owned(),
            source,
        })?;
        check_key_variable(name, settings, lookup)?;
        trust.check(name, settings)?;
        let key = read_key(name, settings, lookup)?;
        let http = http_client(settings).map_err(|error| ProviderError::Client {
            name: name.to_owned(),
            why: error.without_url().to_string(),
        })?;
        let places = usize::try_from(settings.in_flight).unwrap_or(usize::MAX);
        Ok(Self {
            name: name.to_owned(),
            settings: settings.clone(),
            key,
            http,
            in_flight: Arc::new(InFlight::of(places)),
            reach: Arc::default(),
            learned: Arc::default(),
            holds_limits: false,
        })
    }

    /// The name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The settings it was made from.
    pub fn settings(&self) -> &ProviderSettings {
        &self.settings
    }

    /// Makes a model of this server that keeps deadlines, retries and the limit in flight.
    ///
    /// `jitter_seed` spreads the waits before retries.
    pub fn model(&self, model: &ModelSettings, jitter_seed: u64) -> Arc<dyn Model> {
        self.model_shared(&[], model, jitter_seed)
    }

    /// Makes a model that other servers have as well, as [`Provider::model`] does. The most patient of
    /// their settings hold for a call.
    pub fn model_shared(
        &self,
        others: &[Self],
        model: &ModelSettings,
        jitter_seed: u64,
    ) -> Arc<dyn Model> {
        let policy_of = |one: &Self| RetryPolicy::from_settings(&one.settings, model, jitter_seed);
        let policy = others.iter().fold(policy_of(self), |policy, other| {
            policy.or(&policy_of(other))
        });
        let others = others.iter().map(|other| other.serving(model)).collect();
        Arc::new(Patient::at(self.serving(model), others, policy))
    }

    fn serving(&self, model: &ModelSettings) -> Served {
        Served {
            model: match self.settings.kind {
                ProviderKind::Openai => Arc::new(OpenAi::new(self).knowing(model)),
            },
            in_flight: Arc::clone(&self.in_flight),
            reach: Arc::clone(&self.reach),
            place: format!("{}/{}", self.name, model.name),
        }
    }

    /// The same server, never asked without a token limit because it refuses one.
    #[must_use]
    pub fn holding_limits(self) -> Self {
        Self {
            holds_limits: true,
            ..self
        }
    }

    pub(super) fn holds_limits(&self) -> bool {
        self.holds_limits
    }

    /// The same server for one question: without retries, and whether or not it gives finish reasons.
    pub(super) fn for_one_question(&self, deadline_s: u64) -> Self {
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

    pub(super) fn learned(&self) -> &Arc<Learned> {
        &self.learned
    }

    pub(super) fn key(&self) -> &Secret {
        &self.key
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

/// Refuses a key in the place of its variable's name, without showing it.
///
/// # Errors
/// When what stands there can be no name.
pub fn check_key_variable(
    name: &str,
    settings: &ProviderSettings,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<(), ProviderError> {
    let is_set = |variable: &str| lookup(variable).is_some();
    match &settings.api_key_env {
        Some(variable) if !is_variable_name(variable, &is_set) => {
            Err(ProviderError::KeyInPlaceOfName {
                name: name.to_owned(),
            })
        }
        Some(_) | None => Ok(()),
    }
}

fn read_key(
    name: &str,
    settings: &ProviderSettings,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Secret, ProviderError> {
    let Some(variable) = &settings.api_key_env else {
        return Ok(Secret::none());
    };
    let key = lookup(variable).map(|key| Secret::new(&key));
    let Some(key) = key.filter(|key| !key.is_none()) else {
        return Err(ProviderError::NoKey {
            name: name.to_owned(),
            variable: shown_variable(variable).to_owned(),
        });
    };
    if reqwest::header::HeaderValue::from_str(key.expose()).is_err() {
        return Err(ProviderError::BadKey {
            name: name.to_owned(),
            variable: shown_variable(variable).to_owned(),
        });
    }
    Ok(key)
}

fn http_client(settings: &ProviderSettings) -> Result<reqwest::Client, reqwest::Error> {
    client(&settings.base_url, settings.in_flight)
}

/// A client for files, which anybody may have.
pub(super) fn plain_client(url: &str) -> Result<reqwest::Client, reqwest::Error> {
    client(url, 1)
}

fn client(base_url: &str, in_flight: u32) -> Result<reqwest::Client, reqwest::Error> {
    static CRYPTO: OnceLock<()> = OnceLock::new();
    // reqwest is built without a provider and panics when it finds none. A provider that somebody
    // installed earlier is as good.
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

/// Whether an address is one of this machine.
pub fn is_loopback(base_url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(base_url) else {
        return false;
    };
    let Some(host) = url.host_str() else {
        return false;
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
