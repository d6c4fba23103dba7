//! Prompts: templates and views. A view is the exact messages shown to a seat, with the source of
//! each part.
//!
//! Values enter templates tagged with their [`PartSource`](crate::debate::view::PartSource); a formatter
//! leaves a mark in their place, so every part of a message has its source. A template that joins
//! or filters a tagged value would lose the mark and is rejected.

mod compact;
mod engine;
pub mod fence;
mod guardrail_prompt;
mod judge_prompt;
mod label_line;
mod missing_value;
mod preference_prompt;
mod rehearsal;
mod retry_messages;
mod tagged_values;
mod template;
mod template_bounds;
mod template_context;
mod view;
mod visible_turns;

pub use compact::{compact_view, expand_view, full_text};
pub use engine::{Engine, PromptError, TemplateSampling};
pub use guardrail_prompt::{DECISION, DERIVATION, Derivation, REPAIR, derivation_view, guard_view};
pub use judge_prompt::{FenceMode, JudgeFrame, LabelHint};
pub use label_line::mark_label_line;
pub(crate) use label_line::{is_label_mark, split_label_line};
pub use preference_prompt::{ReplyPair, preference_view};
pub use rehearsal::{TemplateFault, rehearse_game, sample_context};
pub use template::{Template, TemplateError};
pub use view::{feedback_view, judge_view, speaker_view};
pub use visible_turns::EMPTY_TURN_TEXT;
