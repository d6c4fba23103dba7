//! What a workbench needs of a store: what is there, and what a person does to it besides playing.
//!
//! ```text
//! list, summaries_of, Summing   which sessions there are, newest first
//! GlanceBook                    what was read of them before
//! fork_point, fork, tree        what must be left out so that something can be changed
//! MarginBook                    labels, notes, tags and names, in a journal of the person's own
//! begin_queue, itinerary        what is drawn to be labelled, and in which order
//! Sheet                         what whoever labels is shown of a session, and nothing else
//! write_pack, merge_pack        labelling on another machine
//! delete, bring_back            the trash
//! Search                        text over all sessions
//! Plan, Prepared                one debate from what was asked for to its first event
//! RunPlan, PreparedRun          many debates over a data set, with what they cost together
//! Tail                          a session that another process drives
//! Pass                          judging finished sessions again
//! ```
//!
//! It never opens the cache: sled's threads look around for ever, and a workbench that nobody
//! touches must sleep. What blocks says so, and is called on a thread of its own.

mod branch;
mod file;
mod glance_book;
mod list;
mod pass;
mod plan;
mod run_plan;
mod search;
mod tail;
mod topics;
mod trash;
mod tree;

pub use super::label_book::LabelBook;
pub use super::margin::{
    Blindness, Drawn, Label, LabelPlace, LabelRole, MarginBook, MarginEvent, Margins, Mark, MarkId,
    Note, OnAttempt, Spot, StandingLabel, Unblinding, UnreadMargin, annotator, attempt_hash,
    read_margins, read_sights, record_sights,
};
pub use super::queue::{
    DisagreementOf, Disregarded, Extended, ItemOrder, LabelledBefore, Merge, Merged, NamedQueue,
    Packed, PeoplesTurns, Progress, Queue, QueueDefinition, QueueFilter, QueueItem, QueuePlan,
    QueueUnit, SAMPLE_OF_RUN, SampleOfRun, Sampling, SawMessage, SawPart, SessionsOf, Sheet,
    SheetTurn, Station, StratifyBy, Stratum, Verdicts, Wave, begin_queue, extend_queue, find_queue,
    itinerary, label_book, merge_pack, minutes_left, pack_is_for, progress, queue_of_run, queues,
    read_queue, read_sheet, sample_of_run, sheet_of, verdicts_on, write_pack, write_sheet,
};
pub use super::setting_out::{Shown, TypedTopic};
pub use crate::judge::{Asks, Counts, LabelChoice, LabelSet, LabelledThing, SeatNames};
pub use crate::store::replace_private as keep_private;
pub use branch::{ForkPoint, LeftOut, Reopen, fork, fork_point};
pub(in crate::driver) use branch::{fork_into, turn_of};
pub use file::{FileError, write_new};
pub use glance_book::GlanceBook;
pub use list::{Glance, Row, Summing, Unread, list, rows, summaries_by, summaries_of};
pub use pass::{
    BroughtRubric, Evaluator, MemberFinding, Pass, PassEnd, PassFloor, PassHandle, PassManifest,
    PassMember, PassPlan, PassRules, PassStanding, PassTiding, PassVerdict, PassWork, begin_pass,
    find_pass, passes, plan_pass, read_pass_journal, read_passes, resume_pass,
};
pub(super) use pass::{ImportedPass, ImportedVerdict};
pub use plan::{Plan, Prepared};
pub use run_plan::{PreparedRun, RunPlan, no_person};
pub use search::{Finding, Hit, Place, Search};
pub use tail::Tail;
pub use topics::{TopicError, read_document, topics_of};
pub use trash::{bring_back, delete};
pub use tree::{Branch, Parting, Tree, Whereabouts, tree};

use super::clock::Clock;
use crate::store::{Fsync, Layout};

/// What a workbench works on a store with; clones share the threads that sync.
#[derive(Debug, Clone)]
pub struct Desk {
    pub layout: Layout,
    pub fsync: Fsync,
    pub clock: Clock,
    /// What other processes are told about who drives a journal.
    pub holder: String,
    /// Who sits at the workbench: the author of what they do, and the annotator of their margins.
    pub person: String,
}
