//! Passes as their journals hold them: finished sessions judged again, one verdict on each target.
//! `experiments` carries them out.

mod event;
mod imported;
mod read;
mod replaced;
mod rules;
mod seating;
mod subject;
mod target_hash;
mod verdict;

pub use event::{FailedTry, PassEvent, PassState, Rejudged, VerdictAddress};
pub use imported::{ImportedPass, ImportedVerdict};
pub use read::{
    FORMAT, Pass, PassStanding, find_pass, find_pass_id, name_pass, pass_evaluator,
    read_all_passes, read_pass_journal, read_passes,
};
pub use replaced::{CritiqueText, FrozenExchange, ReplacedCritique};
pub use rules::{BroughtRubric, Evaluator, PassManifest, PassMember, PassRules};
pub use seating::{PASS_SEAT, find_self_judging};
pub use subject::find_subject;
pub use target_hash::hash_target;
pub use verdict::{PassVerdict, member_rule};
