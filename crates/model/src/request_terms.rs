//! Adaptation of requests to a server: parameters that are left out, renamed or changed.
//!
//! Some adaptations are configured ([`Dialect`]), the rest is learned from the server's refusals
//! and remembered for each model of a provider as long as the process lives.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::call::{ChatRole, Request};
use super::dialect::{Dialect, MaxTokensName, Param};

/// Role of system messages as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemAs {
    System,
    Developer,
    /// Before the next user message.
    User,
}

/// One adaptation that is learned from a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TermChange {
    LeaveOut(Param),
    NameLimit(MaxTokensName),
    SystemAsDeveloper,
    /// The longest reply that the server takes as a limit, in tokens.
    LimitAtMost(u32),
    /// The shortest one.
    LimitAtLeast(u32),
}

impl TermChange {
    /// Returns whether this change says anew what another one said.
    fn can_replace(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
            && match self {
                Self::LeaveOut(_) => self == other,
                Self::NameLimit(_)
                | Self::SystemAsDeveloper
                | Self::LimitAtMost(_)
                | Self::LimitAtLeast(_) => true,
            }
    }
}

/// All adaptations of a request to a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RequestTerms {
    left_out: Vec<Param>,
    pub max_tokens_as: MaxTokensName,
    /// Whether the server refused the limit under its other name.
    pub limit_was_renamed: bool,
    is_developer: bool,
    /// A token limit instead of the request's own.
    pub lowered_limit: Option<u32>,
    /// The highest token limit that the server takes.
    highest_limit: Option<u32>,
    /// The lowest one.
    lowest_limit: Option<u32>,
}

impl RequestTerms {
    /// Returns the configured terms.
    pub(super) fn from_dialect(dialect: &Dialect) -> Self {
        Self {
            left_out: dialect.drop_params.clone(),
            max_tokens_as: dialect.max_tokens_as,
            ..Self::default()
        }
    }

    /// Applies a learned change.
    pub fn apply_change(&mut self, change: TermChange) {
        match change {
            TermChange::LeaveOut(param) => self.left_out.push(param),
            TermChange::NameLimit(name) => {
                self.max_tokens_as = name;
                self.limit_was_renamed = true;
            }
            TermChange::SystemAsDeveloper => self.is_developer = true,
            TermChange::LimitAtMost(limit) => self.highest_limit = Some(limit),
            TermChange::LimitAtLeast(limit) => self.lowest_limit = Some(limit),
        }
    }

    /// Returns whether a request has this part and it is sent.
    pub fn is_sent(&self, param: Param, request: &Request) -> bool {
        let is_streamed = !self.left_out.contains(&Param::Stream);
        has_param(param, request)
            && !self.left_out.contains(&param)
            && (param != Param::StreamOptions || is_streamed)
    }

    /// Returns the token limit that is sent.
    pub fn token_limit(&self, request: &Request) -> Option<u32> {
        let limit = request.sampling.max_tokens;
        let limit = limit.filter(|_| self.is_sent(Param::MaxTokens, request))?;
        let limit = self.lowered_limit.unwrap_or(limit);
        let limit = limit.min(self.highest_limit.unwrap_or(u32::MAX));
        Some(limit.max(self.lowest_limit.unwrap_or(0)))
    }

    /// Returns by how many tokens the limit that is sent is above the request's own.
    pub(super) fn limit_excess(&self, request: &Request) -> u32 {
        let configured_limit = request.sampling.max_tokens.unwrap_or(u32::MAX);
        self.token_limit(request)
            .map_or(0, |limit| limit.saturating_sub(configured_limit))
    }

    /// Role of system messages as sent.
    pub(super) fn system_role(&self) -> SystemAs {
        if self.left_out.contains(&Param::System) {
            SystemAs::User
        } else if self.is_developer {
            SystemAs::Developer
        } else {
            SystemAs::System
        }
    }

    /// Names the parts of a request that are not sent.
    pub(super) fn list_unsent_params(&self, request: &Request) -> Vec<String> {
        Param::ALL
            .iter()
            .copied()
            // System messages are sent in any case, under one role or another.
            .filter(|param| *param != Param::System && has_param(*param, request))
            .filter(|param| !self.is_sent(*param, request))
            .map(|param| param.name().to_owned())
            .collect()
    }

    /// Names the parts of a request that are sent under another name or with another value.
    pub fn list_changed_params(&self, request: &Request) -> BTreeMap<String, String> {
        let mut changes = BTreeMap::new();
        let mut change = |param: Param, to: String| changes.insert(param.name().to_owned(), to);
        if let Some(limit) = self.token_limit(request) {
            let is_another = request.sampling.max_tokens != Some(limit);
            match (self.max_tokens_as, is_another.then_some(limit)) {
                (MaxTokensName::MaxTokens, None) => {}
                (MaxTokensName::MaxTokens, Some(limit)) => {
                    change(Param::MaxTokens, limit.to_string());
                }
                (name @ MaxTokensName::MaxCompletionTokens, None) => {
                    change(Param::MaxTokens, name.name().to_owned());
                }
                (name @ MaxTokensName::MaxCompletionTokens, Some(limit)) => {
                    change(Param::MaxTokens, format!("{} {limit}", name.name()));
                }
            }
        }
        if has_param(Param::System, request) {
            match self.system_role() {
                SystemAs::System => {}
                SystemAs::Developer => {
                    change(Param::System, "developer".to_owned());
                }
                SystemAs::User => {
                    change(Param::System, "user".to_owned());
                }
            }
        }
        changes
    }
}

/// Returns whether a request has this part.
fn has_param(param: Param, request: &Request) -> bool {
    let sampling = &request.sampling;
    match param {
        Param::Temperature => sampling.temperature.is_some(),
        Param::TopP => sampling.top_p.is_some(),
        Param::MaxTokens => sampling.max_tokens.is_some(),
        Param::Seed => sampling.seed.is_some(),
        Param::Stop => !sampling.stop.is_empty(),
        Param::ResponseFormat => request.form.is_some(),
        Param::Logprobs => sampling.top_logprobs.is_some(),
        Param::ChatTemplateKwargs => sampling.chat_template_kwargs.is_some(),
        Param::Stream | Param::StreamOptions => true,
        Param::System => (request.messages.iter()).any(|message| message.role == ChatRole::System),
    }
}

/// Terms learned about the models of a provider.
#[derive(Debug, Default)]
pub(super) struct LearnedTerms(Mutex<BTreeMap<String, ModelTerms>>);

#[derive(Debug, Default)]
struct ModelTerms {
    changes: Vec<TermChange>,
    schema: SchemaSuspicion,
    /// Whether leaving parts out did not help against a refusal that names none.
    refuses_anyway: bool,
    /// Whether a whole reply broke off as well as streams do.
    breaks_anyway: bool,
    /// The most tokens of request and reply together, as the server says.
    context_tokens: Option<u32>,
    /// The last counts of tokens that the server read, each beside the estimate of what was sent.
    reads: VecDeque<TokensRead>,
}

/// Tokens of a request: by estimate, and as its server counts what it read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokensRead {
    pub sent: u64,
    pub read: u64,
}

/// Requests of fewer tokens say nothing about what a server cuts.
const LEAST_COMPARED_TOKENS: u64 = 256;
/// Counts that are remembered of a model.
const REMEMBERED_READS: usize = 16;

impl TokensRead {
    /// No text has so many characters a token that an honest count is below half of the estimate.
    fn is_far_below(self) -> bool {
        self.sent >= LEAST_COMPARED_TOKENS && self.read.saturating_mul(2) < self.sent
    }

    /// Two requests of which one is half as long again are not read as equally many tokens, unless both
    /// were cut.
    fn is_cut_like(self, other: Self) -> bool {
        let (short, long) = (self.sent.min(other.sent), self.sent.max(other.sent));
        self.read == other.read
            && long >= LEAST_COMPARED_TOKENS
            && long > self.read
            && long.saturating_mul(2) >= short.saturating_mul(3)
    }
}

/// Suspicion that a model's server fails (500) because of the schema.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SchemaSuspicion {
    #[default]
    None,
    /// It worked once without the schema after it had failed with it.
    Once,
    /// It failed without the schema as well: the server itself is out of order.
    Cleared,
}

impl LearnedTerms {
    /// Returns the terms on which a request is sent now.
    pub fn build_terms(&self, request: &Request) -> RequestTerms {
        let mut terms = RequestTerms::from_dialect(&request.dialect);
        let models = self.lock_models();
        let model_terms = models.get(&request.model);
        for change in model_terms.into_iter().flat_map(|known| &known.changes) {
            terms.apply_change(*change);
        }
        terms
    }

    /// Remembers a learned change.
    pub fn record_change(&self, model: &str, change: TermChange) {
        let mut models = self.lock_models();
        let changes = &mut models.entry(model.to_owned()).or_default().changes;
        changes.retain(|known| !change.can_replace(*known));
        changes.push(change);
    }

    /// Returns whether a failure of the server may be due to the schema: then the request is
    /// repeated without it.
    pub(super) fn suspects_schema(&self, model: &str) -> bool {
        let models = self.lock_models();
        let model_terms = models.get(model);
        model_terms.is_none_or(|known| known.schema != SchemaSuspicion::Cleared)
    }

    /// Records a success without the schema after a failure with it. The second one, with no reply
    /// to a schema in between, is no coincidence: from then on the schema is left out.
    pub(super) fn record_success_without_schema(&self, model: &str) {
        let mut models = self.lock_models();
        let model_terms = models.entry(model.to_owned()).or_default();
        let change = TermChange::LeaveOut(Param::ResponseFormat);
        match model_terms.schema {
            SchemaSuspicion::None | SchemaSuspicion::Cleared => {
                model_terms.schema = SchemaSuspicion::Once;
            }
            SchemaSuspicion::Once if !model_terms.changes.contains(&change) => {
                model_terms.changes.push(change);
            }
            SchemaSuspicion::Once => {}
        }
    }

    /// Records a failure without the schema.
    pub(super) fn record_failure_without_schema(&self, model: &str) {
        self.lock_models()
            .entry(model.to_owned())
            .or_default()
            .schema = SchemaSuspicion::Cleared;
    }

    /// Records a reply to a request with a schema: the schema is not the cause of failures.
    pub(super) fn record_schema_reply(&self, model: &str) {
        if let Some(model_terms) = self.lock_models().get_mut(model) {
            model_terms.schema = SchemaSuspicion::None;
            model_terms.refuses_anyway = false;
            model_terms.breaks_anyway = false;
        }
    }

    /// Records a reply to a request without a schema: the server works again.
    pub fn record_reply(&self, model: &str) {
        let mut models = self.lock_models();
        let Some(model_terms) = models.get_mut(model) else {
            return;
        };
        model_terms.refuses_anyway = false;
        model_terms.breaks_anyway = false;
        if model_terms.schema == SchemaSuspicion::Cleared {
            model_terms.schema = SchemaSuspicion::None;
        }
    }

    /// Remembers the context that a server names; the smaller one of several.
    pub(super) fn record_context(&self, model: &str, context_tokens: u32) {
        let mut models = self.lock_models();
        let smallest_context = &mut models.entry(model.to_owned()).or_default().context_tokens;
        *smallest_context =
            Some(smallest_context.map_or(context_tokens, |known| known.min(context_tokens)));
    }

    /// Returns the context that the server of a model names.
    pub(super) fn context_tokens(&self, model: &str) -> Option<u32> {
        self.lock_models().get(model)?.context_tokens
    }

    /// Takes a count of what was read of a request, and returns whether the server read far fewer tokens
    /// than were sent.
    pub(super) fn record_read(&self, model: &str, count: TokensRead) -> bool {
        let mut models = self.lock_models();
        let reads = &mut models.entry(model.to_owned()).or_default().reads;
        let is_short =
            count.is_far_below() || reads.iter().any(|before| count.is_cut_like(*before));
        if reads.len() == REMEMBERED_READS {
            reads.pop_front();
        }
        reads.push_back(count);
        is_short
    }

    /// Returns whether a whole reply may come where a stream broke off before its first word.
    pub(super) fn may_reply_whole(&self, model: &str) -> bool {
        !self
            .lock_models()
            .get(model)
            .is_some_and(|known| known.breaks_anyway)
    }

    /// Records that a whole reply broke off as well.
    pub(super) fn record_broken_whole_reply(&self, model: &str) {
        self.lock_models()
            .entry(model.to_owned())
            .or_default()
            .breaks_anyway = true;
    }

    /// Returns whether leaving parts out may help against a refusal that names none.
    pub(super) fn may_refuse_a_part(&self, model: &str) -> bool {
        !self
            .lock_models()
            .get(model)
            .is_some_and(|known| known.refuses_anyway)
    }

    /// Records that a refusal came whatever was left out.
    pub(super) fn record_repeated_refusal(&self, model: &str) {
        self.lock_models()
            .entry(model.to_owned())
            .or_default()
            .refuses_anyway = true;
    }

    fn lock_models(&self) -> MutexGuard<'_, BTreeMap<String, ModelTerms>> {
        // Each change is one assignment: a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
