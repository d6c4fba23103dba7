//! Settings of providers and models, and the cost of calls.
//!
//! Never holds a key: a provider names the environment variable that does.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::CallContext;
use super::access::bare_address::bare_address;
use super::call::{Message, ReplyForm, Request, Sampling};
use super::dialect::{Api, Dialect, MaxTokensName, Param};
use super::reply::Reply;
use super::sent_value::{self, SentValue, SentValues};

pub use super::sim::settings::{JudgeRow, PersonaEffect, SimSettings};

/// A setting with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} = {value}: {why}")]
pub struct SettingsError {
    /// The setting's name.
    pub field: String,
    /// Its value.
    pub value: String,
    /// The rule that the value breaks.
    pub why: &'static str,
}

impl SettingsError {
    pub(super) fn new(field: &str, value: impl ToString, why: &'static str) -> Self {
        Self {
            field: field.to_owned(),
            value: value.to_string(),
            why,
        }
    }
}

/// API of a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// The OpenAI chat API.
    #[default]
    Openai,
}

/// Sign of a complete reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishRule {
    /// By its finish reason: a stream that ends without one is broken.
    #[default]
    Required,
    /// The server sends none, so every stream that ends without an error counts as a whole reply.
    Absent,
}

impl FinishRule {
    fn is_required(&self) -> bool {
        *self == Self::Required
    }
}

/// A server that hosts models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// The API of the server.
    #[serde(default)]
    pub kind: ProviderKind,
    /// The address that `/chat/completions` is appended to, such as `http://127.0.0.1:8000/v1`.
    pub base_url: String,
    /// The environment variable that holds the key; none where no key is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The most requests in flight together.
    #[serde(default = "ProviderSettings::default_in_flight")]
    pub in_flight: u32,
    /// The most seconds for a call with all its retries, without the wait for a permit.
    #[serde(default = "ProviderSettings::default_deadline_s")]
    pub deadline_s: u64,
    /// The most seconds until a reply's first byte.
    #[serde(default = "ProviderSettings::default_first_token_s")]
    pub first_token_s: u64,
    /// The most seconds of silence after the first byte; keep-alive comments break the silence.
    #[serde(default = "ProviderSettings::default_stall_s")]
    pub stall_s: u64,
    /// The most retries of a failed request.
    #[serde(default = "ProviderSettings::default_retries")]
    pub retries: u32,
    /// Whether replies must end with a finish reason.
    #[serde(default, skip_serializing_if = "FinishRule::is_required")]
    pub finish_reason: FinishRule,
    /// Headers of every request; recorded nowhere.
    #[serde(default, skip_serializing)]
    pub headers: SentValues,
    /// Query of the address, such as Azure's `api-version`; keys, by variable, are recorded nowhere.
    #[serde(
        default,
        skip_serializing_if = "sent_value::none_is_plain",
        serialize_with = "sent_value::serialize_plain"
    )]
    pub query: SentValues,
    /// Fields that are added to the body of every chat request.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

impl ProviderSettings {
    /// Describes a server with default limits.
    pub fn from_base_url(base_url: &str) -> Self {
        Self {
            kind: ProviderKind::Openai,
            base_url: base_url.to_owned(),
            api_key_env: None,
            in_flight: Self::default_in_flight(),
            deadline_s: Self::default_deadline_s(),
            first_token_s: Self::default_first_token_s(),
            stall_s: Self::default_stall_s(),
            retries: Self::default_retries(),
            finish_reason: FinishRule::default(),
            headers: SentValues::new(),
            query: SentValues::new(),
            extra_body: Map::new(),
        }
    }

    /// Returns the variables that hold keys for this server.
    pub fn key_variables(&self) -> impl Iterator<Item = &str> {
        let values = self.headers.values().chain(self.query.values());
        let variables = values.filter_map(SentValue::variable_name);
        self.api_key_env.as_deref().into_iter().chain(variables)
    }

    /// Returns whether it adds headers, a query or fields to requests, which the user's own
    /// configuration alone may.
    pub fn adds_to_requests(&self) -> bool {
        !(self.headers.is_empty() && self.query.is_empty() && self.extra_body.is_empty())
    }

    /// Refuses invalid values.
    pub fn check_values(&self) -> Result<(), SettingsError> {
        if !(self.base_url.starts_with("http://") || self.base_url.starts_with("https://")) {
            let why = "must begin with http:// or https://";
            let bare = bare_address(&self.base_url);
            return Err(SettingsError::new("base_url", bare, why));
        }
        let bare = bare_address(&self.base_url);
        if bare != self.base_url {
            // Sessions keep the address, and a session never holds a secret.
            let why = "must hold no user, password or query; put the key into the environment \
                       variable that api_key_env names, and a query such as Azure's into the \
                       provider's table: query = { api-version = \"…\" }";
            return Err(SettingsError::new("base_url", bare, why));
        }
        sent_value::check_headers_are_sendable(&self.headers)?;
        sent_value::check_body(&self.extra_body)?;
        let counts = [
            ("in_flight", u64::from(self.in_flight)),
            ("deadline_s", self.deadline_s),
            ("first_token_s", self.first_token_s),
            ("stall_s", self.stall_s),
        ];
        for (field, value) in counts {
            if value == 0 {
                return Err(SettingsError::new(field, value, "must be at least 1"));
            }
        }
        Ok(())
    }

    fn default_in_flight() -> u32 {
        16
    }

    fn default_deadline_s() -> u64 {
        600
    }

    fn default_first_token_s() -> u64 {
        120
    }

    fn default_stall_s() -> u64 {
        60
    }

    fn default_retries() -> u32 {
        4
    }
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// The provider's name in the configuration; where several serve it, the first of them.
    #[serde(default)]
    pub provider: String,
    /// The names of all its providers where a configuration lists them, the first one included.
    /// Journals record a single provider.
    #[serde(default, skip_serializing)]
    pub providers: Vec<String>,
    /// The name sent to the server.
    pub name: String,
    /// The model family (`llama`, `qwen` …): seats of one family share failure modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The version, where the name does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model whose weights were trained further, or can be: what a training loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The adapter that its server puts over the base, as a person calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// The lessons that the adapter was trained on, `NAMESPACE@HASH`: a namespace of memory and the beginning
    /// of the SHA-256 of what it held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_on: Option<String>,
    /// US dollars for a million input tokens; 0 for a free model, absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_in_usd_per_mtok: Option<f64>,
    /// US dollars for a million output tokens; 0 for a free model, absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_out_usd_per_mtok: Option<f64>,
    /// The most tokens of request and reply together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// Default sampling, where protocol and cast have none.
    #[serde(default)]
    pub sampling: Sampling,
    /// A deadline instead of the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_s: Option<u64>,
    /// Parameters that this model's server refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop_params: Vec<Param>,
    /// The name of the token limit.
    #[serde(default)]
    pub max_tokens_as: MaxTokensName,
    /// Marks around the model's private reasoning that are not known of other models, each as what opens
    /// it and what closes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning_marks: Vec<(String, String)>,
    /// The API that the model is called through; left out, it follows from the name
    /// ([`ModelSettings::api`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// Fields that are added to the body of every chat request, over those of its provider.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

/// The fewest digits of a hash that name what a model was trained on.
const MIN_HASH_DIGITS: usize = 8;
const HASH_DIGITS: usize = 64;

/// Splits what a model was trained on into a namespace and the beginning of a hash.
pub fn split_training(lessons: &str) -> Option<(&str, &str)> {
    let (namespace, hash) = lessons.rsplit_once('@')?;
    let is_hash = (MIN_HASH_DIGITS..=HASH_DIGITS).contains(&hash.len())
        && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    (!namespace.is_empty() && is_hash).then_some((namespace, hash))
}

/// The most servers that one model can have.
const MAX_SERVERS_OF_A_MODEL: usize = 64;

/// The most pairs of marks that a model's settings name.
const MAX_REASONING_MARKS: usize = 16;
/// The longest mark.
const MAX_MARK_BYTES: usize = 64;

/// Prefixes of the names of OpenAI's moderation models.
const MODERATION_MODELS: [&str; 2] = ["omni-moderation", "text-moderation"];

/// Reply tokens reserved where nothing limits them: no served model writes more in one reply.
pub const UNLIMITED_REPLY_TOKENS: u64 = 131_072;
/// Tokens that a chat template may add to a message (role, separators).
pub const TEMPLATE_TOKENS_PER_MESSAGE: u64 = 16;
/// Tokens that a chat template may add to a request (a default system prompt, dates).
pub const TEMPLATE_TOKENS_PER_REQUEST: u64 = 128;

const TOKENS_PER_PRICE: f64 = 1_000_000.0;

impl ModelSettings {
    /// Names a model without prices or limits.
    pub fn from_name(provider: &str, name: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            providers: Vec::new(),
            name: name.to_owned(),
            family: None,
            version: None,
            base: None,
            adapter: None,
            trained_on: None,
            price_in_usd_per_mtok: None,
            price_out_usd_per_mtok: None,
            context_tokens: None,
            sampling: Sampling::default(),
            deadline_s: None,
            drop_params: Vec::new(),
            max_tokens_as: MaxTokensName::default(),
            reasoning_marks: Vec::new(),
            api: None,
            extra_body: Map::new(),
        }
    }

    /// Adds the fields that a provider adds to the body, where this model has none of that name.
    pub fn add_provider_body(&mut self, provider: &ProviderSettings) {
        for (name, value) in &provider.extra_body {
            if !self.extra_body.contains_key(name) {
                self.extra_body.insert(name.clone(), value.clone());
            }
        }
    }

    /// Makes the first of a configured list the provider.
    pub fn resolve_provider(&mut self) -> Result<(), SettingsError> {
        let fault = |field, value: String, why| Err(SettingsError::new(field, value, why));
        let Some(first) = self.providers.first() else {
            return match self.provider.is_empty() {
                true => fault(
                    "provider",
                    "\"\"".to_owned(),
                    "must name one of [providers]",
                ),
                false => Ok(()),
            };
        };
        let providers_text = format!("{:?}", self.providers);
        if !self.provider.is_empty() {
            let why = "give either provider or providers, not both";
            return fault("providers", providers_text, why);
        }
        if self.providers.len() > MAX_SERVERS_OF_A_MODEL {
            let count = self.providers.len().to_string();
            return fault(
                "providers",
                count,
                "are more than the 64 that a model can have",
            );
        }
        let is_twice = |name: &String| self.providers.iter().filter(|one| *one == name).count() > 1;
        if self
            .providers
            .iter()
            .any(|name| name.is_empty() || is_twice(name))
        {
            return fault(
                "providers",
                providers_text,
                "must name different ones of [providers]",
            );
        }
        self.provider = first.clone();
        Ok(())
    }

    /// Returns the names of its providers, at least one.
    pub fn provider_names(&self) -> Vec<&str> {
        match self.providers.is_empty() {
            true => vec![&self.provider],
            false => self.providers.iter().map(String::as_str).collect(),
        }
    }

    /// Returns whether a provider serves it.
    pub fn is_served_by(&self, provider: &str) -> bool {
        self.provider_names().contains(&provider)
    }

    /// Returns the API of the model: the configured one, else moderation if the name is one of
    /// [`MODERATION_MODELS`], which answer no chat.
    pub fn effective_api(&self) -> Api {
        let name = self.name.rsplit('/').next().unwrap_or_default();
        let moderates = MODERATION_MODELS
            .iter()
            .any(|known| name.starts_with(known));
        self.api.unwrap_or(match moderates {
            true => Api::Moderation,
            false => Api::Chat,
        })
    }

    /// Composes a request to this model; `sampling` overrides this model's defaults.
    pub fn build_request(
        &self,
        messages: Vec<Message>,
        sampling: &Sampling,
        form: Option<ReplyForm>,
        sample: u32,
        context: CallContext,
    ) -> Request {
        Request {
            model: self.name.clone(),
            messages,
            sampling: sampling.with_defaults(&self.sampling),
            form,
            dialect: Dialect {
                drop_params: self.drop_params.clone(),
                max_tokens_as: self.max_tokens_as,
                api: self.effective_api(),
                extra_body: self.extra_body.clone(),
            },
            sample,
            context,
        }
    }

    /// Refuses invalid values.
    pub fn check_values(&self) -> Result<(), SettingsError> {
        let prices = [
            ("price_in_usd_per_mtok", self.price_in_usd_per_mtok),
            ("price_out_usd_per_mtok", self.price_out_usd_per_mtok),
        ];
        for (field, price) in prices {
            if let Some(price) = price
                && !(price.is_finite() && price >= 0.0)
            {
                return Err(SettingsError::new(field, price, "must be 0 or more"));
            }
        }
        if self.reasoning_marks.len() > MAX_REASONING_MARKS {
            let count = self.reasoning_marks.len();
            let why = "are more than the 16 pairs that a model can have";
            return Err(SettingsError::new("reasoning_marks", count, why));
        }
        for (open, close) in &self.reasoning_marks {
            let is_usable = |mark: &str| {
                !mark.trim().is_empty() && mark.trim() == mark && mark.len() <= MAX_MARK_BYTES
            };
            if !is_usable(open) || !is_usable(close) {
                let pair = format!("[{open:?}, {close:?}]");
                let why = "must be two texts of 1 to 64 bytes without outer white space";
                return Err(SettingsError::new("reasoning_marks", pair, why));
            }
        }
        sent_value::check_body(&self.extra_body)?;
        for (field, name) in [("base", &self.base), ("adapter", &self.adapter)] {
            if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
                return Err(SettingsError::new(field, "\"\"", "must not be empty"));
            }
        }
        if let Some(lessons) = &self.trained_on
            && split_training(lessons).is_none()
        {
            let why = "must be NAMESPACE@HASH, with the first 8 or more digits of the hash of the \
                       namespace's lessons ('elenchus memory list --namespaces')";
            return Err(SettingsError::new("trained_on", lessons, why));
        }
        if self.context_tokens == Some(0) {
            return Err(SettingsError::new(
                "context_tokens",
                0,
                "must be at least 1",
            ));
        }
        if self.deadline_s == Some(0) {
            return Err(SettingsError::new("deadline_s", 0, "must be at least 1"));
        }
        Ok(())
    }

    /// Returns the upper bound of one attempt's cost in US dollars; `None` if the model is
    /// unpriced.
    ///
    /// Input: byte-level tokenizers never need more tokens than bytes, so the bound is all bytes of
    /// messages, schema and template arguments, [`TEMPLATE_TOKENS_PER_MESSAGE`] for each message
    /// and [`TEMPLATE_TOKENS_PER_REQUEST`]. Output: the token limit if it is sent, else the
    /// context, else [`UNLIMITED_REPLY_TOKENS`]. A known context caps both.
    pub fn worst_case_usd(&self, request: &Request) -> Option<f64> {
        let (input, output) = self.worst_case_usage(request);
        self.compute_price(input, output)
    }

    /// Returns the upper bound of one attempt's tokens, input and output together, by the same
    /// rule.
    pub fn worst_case_tokens(&self, request: &Request) -> u64 {
        let (input, output) = self.worst_case_usage(request);
        input.saturating_add(output)
    }

    fn worst_case_usage(&self, request: &Request) -> (u64, u64) {
        let context = self.context_tokens.map_or(u64::MAX, u64::from);
        let input = input_tokens_bound(request).min(context);
        let limit_is_sent = !request.dialect.drop_params.contains(&Param::MaxTokens);
        let limit = request.sampling.max_tokens.filter(|_| limit_is_sent);
        let output = limit.map_or(UNLIMITED_REPLY_TOKENS, u64::from).min(context);
        (input, output)
    }

    /// Computes what a reply cost, in US dollars: 0 if it came from the reply cache, what the provider says
    /// where it came with a batch that says so, none if the model is unpriced.
    pub fn cost_usd(&self, reply: &Reply) -> Option<f64> {
        if reply.cached {
            return Some(0.0);
        }
        let computed = self.compute_price(reply.usage.input_tokens, reply.usage.output_tokens);
        reply.reported_cost_usd.or(computed)
    }

    /// Computes what tokens cost, in US dollars; none if the model is unpriced.
    pub fn compute_price(&self, input_tokens: u64, output_tokens: u64) -> Option<f64> {
        let input = input_tokens as f64 * self.price_in_usd_per_mtok?;
        let output = output_tokens as f64 * self.price_out_usd_per_mtok?;
        Some((input + output) / TOKENS_PER_PRICE)
    }
}

/// Bounds the tokens of a request from above.
pub fn input_tokens_bound(request: &Request) -> u64 {
    let content: usize = request.messages.iter().map(|m| m.content.len()).sum();
    let form = request.form.as_ref().map_or(0, |form| form.to_text().len());
    let extra_bytes = request.sampling.template_bytes() + request.dialect.extra_bytes();
    (content + form + extra_bytes) as u64
        + request.messages.len() as u64 * TEMPLATE_TOKENS_PER_MESSAGE
        + TEMPLATE_TOKENS_PER_REQUEST
}
