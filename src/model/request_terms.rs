//! On what terms a server takes a request: what is left out of it and what is said in another way.
//!
//! Some is configured ([`Dialect`]), the rest is learned from what the server refuses and remembered
//! for each model of a provider as long as the process lives.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::body::{Dialect, MaxTokensName, Param};
use super::call::{Request, Role};

/// How the system's messages are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemAs {
    System,
    Developer,
    /// Before the next user message.
    User,
}

/// One thing that a refusal teaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    LeaveOut(Param),
    NameLimit(MaxTokensName),
    SystemAsDeveloper,
}

/// How a request is put to a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Terms {
    left_out: Vec<Param>,
    pub max_tokens_as: MaxTokensName,
    /// Whether the server refused it under its other name.
    pub limit_was_renamed: bool,
    is_developer: bool,
    /// A token limit instead of the request's own.
    pub lowered_limit: Option<u32>,
}

impl Terms {
    /// Reads the terms that are configured.
    pub fn of(dialect: &Dialect) -> Self {
        Self {
            left_out: dialect.drop_params.clone(),
            max_tokens_as: dialect.max_tokens_as,
            ..Self::default()
        }
    }

    /// Takes up what was learned.
    pub fn take(&mut self, change: Change) {
        match change {
            Change::LeaveOut(param) => self.left_out.push(param),
            Change::NameLimit(name) => {
                self.max_tokens_as = name;
                self.limit_was_renamed = true;
            }
            Change::SystemAsDeveloper => self.is_developer = true,
        }
    }

    /// Whether a request holds this and it is sent.
    pub fn sends(&self, param: Param, request: &Request) -> bool {
        let is_streamed = !self.left_out.contains(&Param::Stream);
        holds(param, request)
            && !self.left_out.contains(&param)
            && (param != Param::StreamOptions || is_streamed)
    }

    /// The token limit that is sent.
    pub fn limit(&self, request: &Request) -> Option<u32> {
        let limit = request.sampling.max_tokens;
        let limit = limit.filter(|_| self.sends(Param::MaxTokens, request));
        limit.map(|limit| self.lowered_limit.unwrap_or(limit))
    }

    /// How the system's messages are sent.
    pub fn system_as(&self) -> SystemAs {
        if self.left_out.contains(&Param::System) {
            SystemAs::User
        } else if self.is_developer {
            SystemAs::Developer
        } else {
            SystemAs::System
        }
    }

    /// Names what a request holds that is not sent.
    pub fn left_out_of(&self, request: &Request) -> Vec<String> {
        Param::ALL
            .into_iter()
            // What the system says is sent in any case.
            .filter(|param| *param != Param::System && holds(*param, request))
            .filter(|param| !self.sends(*param, request))
            .map(|param| param.name().to_owned())
            .collect()
    }

    /// Names what of a request is sent under another name or with another value.
    pub fn sent_as(&self, request: &Request) -> BTreeMap<String, String> {
        let mut changed = BTreeMap::new();
        let mut change = |param: Param, to: String| changed.insert(param.name().to_owned(), to);
        if self.limit(request).is_some() {
            let lowered = self.lowered_limit.map(|limit| limit.to_string());
            match (self.max_tokens_as, lowered) {
                (MaxTokensName::MaxTokens, None) => {}
                (MaxTokensName::MaxTokens, Some(limit)) => {
                    change(Param::MaxTokens, limit);
                }
                (name @ MaxTokensName::MaxCompletionTokens, None) => {
                    change(Param::MaxTokens, name.name().to_owned());
                }
                (name @ MaxTokensName::MaxCompletionTokens, Some(limit)) => {
                    change(Param::MaxTokens, format!("{} {limit}", name.name()));
                }
            }
        }
        if holds(Param::System, request) {
            match self.system_as() {
                SystemAs::System => {}
                SystemAs::Developer => {
                    change(Param::System, "developer".to_owned());
                }
                SystemAs::User => {
                    change(Param::System, "user".to_owned());
                }
            }
        }
        changed
    }
}

/// Whether there is anything of this kind in a request.
fn holds(param: Param, request: &Request) -> bool {
    let sampling = &request.sampling;
    match param {
        Param::Temperature => sampling.temperature.is_some(),
        Param::TopP => sampling.top_p.is_some(),
        Param::MaxTokens => sampling.max_tokens.is_some(),
        Param::Seed => sampling.seed.is_some(),
        Param::Stop => !sampling.stop.is_empty(),
        Param::ResponseFormat => request.schema.is_some(),
        Param::Logprobs => sampling.top_logprobs.is_some(),
        Param::ChatTemplateKwargs => sampling.chat_template_kwargs.is_some(),
        Param::Stream | Param::StreamOptions => true,
        Param::System => (request.messages.iter()).any(|message| message.role == Role::System),
    }
}

/// What was learned about the models of a provider.
#[derive(Debug, Default)]
pub(super) struct Learned(Mutex<BTreeMap<String, OfModel>>);

#[derive(Debug, Default)]
struct OfModel {
    changes: Vec<Change>,
    schema: SchemaSuspicion,
}

/// Whether a model's server fails (500) because it is sent a schema.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SchemaSuspicion {
    #[default]
    None,
    /// It worked once without the schema after it had failed with it.
    Once,
    /// It failed without the schema as well: the server is ill.
    Cleared,
}

impl Learned {
    /// Returns the terms on which a request is sent now.
    pub fn terms(&self, request: &Request) -> Terms {
        let mut terms = Terms::of(&request.dialect);
        let models = self.models();
        let known = models.get(&request.model);
        for change in known.into_iter().flat_map(|known| &known.changes) {
            terms.take(*change);
        }
        terms
    }

    /// Remembers what a refusal taught.
    pub fn remember(&self, model: &str, change: Change) {
        let mut models = self.models();
        let changes = &mut models.entry(model.to_owned()).or_default().changes;
        if !changes.contains(&change) {
            changes.push(change);
        }
    }

    /// Whether a failure of the server may come of the schema: then it is tried without.
    pub fn suspects_schema(&self, model: &str) -> bool {
        let models = self.models();
        let known = models.get(model);
        known.is_none_or(|known| known.schema != SchemaSuspicion::Cleared)
    }

    /// Notes that it worked without the schema after it had failed with it. Twice in a row, with no
    /// reply to a schema in between, is no chance: from then on it is left out.
    pub fn worked_without_schema(&self, model: &str) {
        let mut models = self.models();
        let known = models.entry(model.to_owned()).or_default();
        let change = Change::LeaveOut(Param::ResponseFormat);
        match known.schema {
            SchemaSuspicion::None | SchemaSuspicion::Cleared => {
                known.schema = SchemaSuspicion::Once;
            }
            SchemaSuspicion::Once if !known.changes.contains(&change) => {
                known.changes.push(change);
            }
            SchemaSuspicion::Once => {}
        }
    }

    /// Notes that it failed without the schema as well.
    pub fn failed_without_schema(&self, model: &str) {
        self.models().entry(model.to_owned()).or_default().schema = SchemaSuspicion::Cleared;
    }

    /// Notes a reply to a request with a schema: that is not what it fails of.
    pub fn replied_to_schema(&self, model: &str) {
        if let Some(known) = self.models().get_mut(model) {
            known.schema = SchemaSuspicion::None;
        }
    }

    /// Notes a reply to a request without a schema: the server is well again.
    pub fn replied(&self, model: &str) {
        if let Some(known) = self.models().get_mut(model)
            && known.schema == SchemaSuspicion::Cleared
        {
            known.schema = SchemaSuspicion::None;
        }
    }

    fn models(&self) -> MutexGuard<'_, BTreeMap<String, OfModel>> {
        // Each change is one assignment: whoever panicked left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
