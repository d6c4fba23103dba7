//! What a person does with long-term memory: look into it, search it, change it, carry it to
//! another store, and find out what one entry does to a debate.
//!
//! ```text
//! namespaces, Shelf          what there is, and where it stands
//! search, would_show         by meaning, with scores; what a debate about a topic would be shown
//! uses                       which debates were shown an entry
//! search_guards, would_ask   guardrails by meaning; which ones a debate about a topic would ask
//! firings                    which debates asked a guardrail, and what was decided
//! Change, change             a person's changes, in a journal of their own
//! Bundle                     a namespace as one file
//! plan_ablation, ablation    fresh replicates of a debate with and without one entry
//! ```
//!
//! It never changes a journal that is not the person's own. What blocks says so.

mod ablate;
mod browse;
mod bundle;
mod change;
mod firings;
mod guards_near;
mod lookup;
mod uses;

pub use super::guard_desk::{GuardChange, GuardChanged, GuardShelf, change_guard};
pub use super::run_event::Ablation;
pub use crate::memory::{
    Acceptance, Entry, EntryId, EntryStanding, Guard, GuardId, GuardReport, GuardText,
    MAX_EXAMPLES, Merged, Share, Standing, Version,
};
pub use ablate::{
    AblationArm, AblationFound, AblationPlan, AblationReport, PlannedAblation, ablation,
    plan_ablation,
};
pub use browse::{Counts, NamespaceGlance, Shelf, namespaces};
pub use bundle::{Bundle, BundledJournal};
pub use change::{Change, Changed, MAX_ENTRY_BYTES, change, person_journal};
pub use firings::{Decided, Firing, Firings, firings};
pub use guards_near::{GuardSearch, WouldAsk, search_guards, would_ask};
pub use lookup::{Scored, Search, WouldShow, search, would_show};
pub use uses::{MAX_USES, Use, Uses, uses};
