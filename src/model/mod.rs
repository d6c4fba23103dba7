//! Language models: OpenAI-compatible servers, a simulated one, recorded ones.
//!
//! ```text
//! cache ─► patient (deadline, retries, limit in flight) ─► openai ─► http ─► server
//!                                                       └► think: private │ public text
//! sim, recorded: the same [`Model`] face, no network
//! ```
//!
//! Never: knows a protocol (roles arrive as a [`Hint`]), retries in silence, shows a key,
//! contacts what nobody trusted ([`Trust`]).

mod address;
mod body;
mod cache;
mod call;
mod context;
mod error;
mod fetch;
mod hint;
mod http;
mod in_flight;
mod key_variable;
mod moderation;
mod openai;
mod origin;
mod patient;
mod probe;
mod provider;
mod reach;
mod reading;
mod recorded;
mod refusal;
mod refused;
mod reply;
mod retry_after;
mod scrub;
mod secret;
pub mod settings;
pub mod sim;
mod sse;
mod terms;
pub mod think;
mod trust;
mod typed_address;

pub use address::bare_address;
pub use body::{Api, Dialect, MaxTokensName, Param};
pub use cache::{Cached, KeptReply, LookupReply, SaveReply};
pub use call::{BoxFuture, Delta, Message, Model, NoWatch, Request, Role, Sampling, Watch};
pub use context::{SHORTEST_REPLY_TOKENS, TooLong, fit};
pub use error::{CallError, CallErrorKind};
pub use fetch::{Fetch, FetchError, Fetched, Redirects, fetch};
pub use hint::{Axis, Choice, DocumentHint, GuardHint, Hint, Question, RoleHint};
pub use in_flight::{InFlight, REPLIES_TO_RECOVER};
pub use key_variable::{is_variable_name, shown_variable};
pub use openai::OpenAi;
pub use origin::{Origin, OriginError, OriginPattern};
pub use patient::{Patient, RetryPolicy};
pub use probe::{Found, PROBE_DEADLINE, PROBE_REPLY_TOKENS, ask_briefly, is_usable_name, probe};
pub use provider::{Provider, ProviderError, check_key_variable, is_loopback};
pub use recorded::{LookupRecording, Recorded, RecordedKey, Recording};
pub use reply::{CHARS_PER_TOKEN, Counted, Finish, FirstToken, Reply, Usage};
pub use secret::Secret;
pub use settings::{
    FinishRule, ModelSettings, ProviderKind, ProviderSettings, SettingsError, SimSettings,
    TEMPLATE_TOKENS_PER_MESSAGE, input_tokens_bound,
};
pub use sim::Sim;
pub use trust::{Trust, TrustError, Trusted, Untrusted};
pub use typed_address::{AddressError, meant_addresses};
