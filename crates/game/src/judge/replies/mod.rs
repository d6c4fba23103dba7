//! Replies of judges, guard models and graders, parsed into verdicts or fields.

pub(crate) mod coerce;
pub(crate) mod first_token_score;
pub(crate) mod grade;
pub(crate) mod guard_model;
pub(crate) mod guardrail;
pub(crate) mod json;
pub(crate) mod material;
pub(crate) mod moderation;
pub(crate) mod own_words;
pub(crate) mod rubric;
pub(crate) mod statement;
pub(crate) mod verdict;
pub(crate) mod verdict_line;
