//! Language models: OpenAI-compatible servers, a simulated one, recorded ones.
//!
//! ```text
//! reply_cache ─► retrying (deadline, retries, concurrency limit, circuit breaker)
//!                  └► openai ─► http ─► server
//!                       └► stream_reader ─► reasoning_split: private │ public text
//! sim, recorded: the same [`Model`] trait, no network
//! ```
//!
//! Never: knows a protocol (seats and rounds arrive as a [`CallContext`]), retries in silence, shows a
//! key, contacts a server that is not trusted ([`Trust`]).

mod access;
mod batch;
mod call;
mod call_context;
mod context_window;
mod dialect;
mod embedded_table;
mod embedding;
mod error;
mod recorded;
mod reply;
mod reply_cache;
mod request_body;
mod request_terms;
mod sent_value;
mod server;
pub mod settings;
pub mod sim;
mod usage_bounds;

pub use access::bare_address::bare_address;
pub use access::key_variable::{is_variable_name, mask_variable};
pub use access::origin::{Origin, OriginPattern, is_loopback};
pub use access::secret::Secret;
pub use access::trust::{Trust, TrustError, Trusted, Untrusted};
pub use access::typed_address::{AddressError, base_url_candidates};
pub use batch::{BatchAnswer, BatchCall, BatchServer};
pub use call::{
    BoxFuture, ChatRole, Delta, Message, Model, NoWatch, ReplyForm, Request, Sampling, Watch,
};
pub use call_context::{
    Axis, CallContext, DocumentHint, GuardHint, JudgeTask, LabelChoice, RoleHint,
};
pub use context_window::{ContextSource, SHORTEST_REPLY_TOKENS, fit_to_context};
pub use dialect::{Api, Dialect, MaxTokensName, Param};
pub use embedding::EmbeddingModel;
pub use error::{CallError, CallErrorKind};
pub use recorded::{LookupRecording, RecordedKey, RecordedModel, Recording};
pub use reply::{CHARS_PER_TOKEN, ClaimedTokens, Finish, FirstToken, Reply, TokenSource, Usage};
pub use reply_cache::{CachedModel, FixedReply, LookupReply, SaveReply};
pub use sent_value::{SentValue, SentValues};
pub use server::concurrency_limit::ConcurrencyLimit;
pub use server::download::{Download, DownloadError, Downloaded, RedirectPolicy, download_file};
pub use server::finish_class::FinishClass;
pub use server::models_list::ListedModel;
pub use server::openai::OpenAi;
pub use server::probe::{
    PROBE_DEADLINE, PROBE_REPLY_TOKENS, is_usable_name, probe_reply, probe_server,
};
pub use server::provider::{Provider, ProviderError, check_key_variable};
pub use server::reasoning_marks::{OwnMarks, has_reasoning_marks};
pub use server::reasoning_split::{ReasoningSplitter, SplitReply};
pub use server::retrying::{RetryPolicy, RetryingModel};
pub use server::server_answer::ServerAnswer;
pub use settings::{
    FinishRule, ModelSettings, ProviderSettings, SettingsError, SimSettings,
    TEMPLATE_TOKENS_PER_MESSAGE, input_tokens_bound, split_training,
};
pub use sim::Sim;
pub use usage_bounds::MOST_CHARS_PER_TOKEN;

#[cfg(test)]
mod tests;
