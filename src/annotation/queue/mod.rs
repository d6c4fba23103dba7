//! Queues of turns to be labelled: what they are drawn from, how, and in which order each annotator
//! is shown them.
//!
//! ```text
//! definition ─► population (sessions that are over) ─► draw ─► wave ─► journal queues/<name>.jsonl
//!                                                                │
//!                     annotator ─► itinerary (order, hidden repeats) ─► progress (their margin)
//! ```
//!
//! A queue never changes what was drawn: extending it adds a wave with strata of its own, so that
//! every inclusion probability stays what it was when the turn was drawn (FIGURES 6).

mod book;
mod definition;
mod draw;
mod event;
mod handed_out;
mod itinerary;
mod merge;
mod of_run;
mod pack;
mod population;
mod returned;
mod sheet;

pub use book::{Extended, NamedQueue, QueuePlan, begin_queue, extend_queue, find_queue, queues};
pub use definition::{
    DisagreementOf, ItemOrder, LabelledBefore, PeoplesTurns, QueueDefinition, QueueFilter,
    QueueUnit, Sampling, SessionsOf, StratifyBy,
};
pub use event::{Queue, QueueItem, Stratum, Wave, read_queue};
pub(super) use handed_out::check_pack;
pub use handed_out::pack_is_for;
pub use itinerary::{Progress, Station, itinerary, minutes_left, progress};
pub use merge::{Merge, Merged, merge_pack};
pub use of_run::{SAMPLE_OF_RUN, SampleOfRun, queue_of_run, sample_of_run};
pub use pack::{Packed, label_book, write_pack};
pub use population::{Disregarded, Verdicts, verdicts_on};
pub(super) use sheet::check_sheet;
pub use sheet::{SawMessage, SawPart, Sheet, SheetTurn, read_sheet, sheet_of, write_sheet};
