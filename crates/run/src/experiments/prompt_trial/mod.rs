//! Prompt trial: another prompt on a recorded turn. Shows the new view, the new reply and, on request, how the
//! debate goes on.
//!
//! Each sample is a fork of the recorded session with the changed templates, in a store of its own
//! ([`Layout::tries_store`](elenchus_store::Layout::tries_store)). The same engine plays it, and its whole journal is kept.
//! One that was cut off is begun again as another fork, where the reply cache answers what was answered before.
//! Nothing of it enters the recorded session or long-term memory. Adopting a sample moves it among the
//! sessions, where it is a fork like any other.
//!
//! | file | content |
//! |---|---|
//! | `change`, `context`, `plan`, `estimate` | another text; the recorded turn; what is asked for, and its cost |
//! | `call`, `verdict`, `memory_calls` | what is asked for again: a turn, a verdict, a lesson, a decision about guardrails |
//! | `reopened` | what is asked for from a fork that ends before it: all but turns |
//! | `trial`, `sample` | the trial and its samples, played |
//! | `adopt` | a sample becomes a session |

mod adopt;
mod call;
mod change;
mod context;
mod estimate;
mod memory_calls;
mod plan;
mod reopened;
mod sample;
mod trial;
mod verdict;

pub use adopt::adopt_tried_sample;
pub(crate) use call::list_target_findings;
pub use call::{CallContext, TriedCall};
pub use change::PromptChange;
pub use context::TurnContext;
pub use estimate::estimate_sample;
pub(crate) use estimate::{estimate_call, too_large_error};
pub(crate) use memory_calls::put_derived_guardrail;
pub use memory_calls::{
    DerivationPlace, GuardPlace, LessonPlace, list_guard_places, list_lesson_places,
    outcome_of_decision,
};
pub(crate) use plan::check_sample_count;
pub use plan::{MAX_SAMPLES, PlayedTry, RollForward, TrialPlan, TryPlan};
pub(crate) use sample::{
    PlayedSample, SampleStart, is_template_judged, own_attempts, play_sample, read_sample,
    remove_bare_samples, turn_judging_rule,
};
pub use sample::{SampleEnd, TrialUpdate, TrySample};
pub use trial::PromptTrial;
pub(in crate::experiments) use trial::seats_with_cache;
pub(crate) use verdict::side_of;
pub use verdict::{VerdictPlace, list_verdict_places};
