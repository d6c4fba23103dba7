//! Queues of turns to be labelled: population, draw, waves, and the order in which each annotator
//! is shown their items.
//!
//! ```text
//! definition ─► population (sessions that are over) ─► draw ─► wave ─► journal queues/<name>.jsonl
//!                                                                │
//!                     annotator ─► items_in_order (order, hidden repeats) ─► progress (their margin)
//! ```
//!
//! A queue never changes what was drawn: extending it by newer sessions adds a wave with strata of its own, so
//! that every inclusion probability stays what it was when the turn was drawn (FIGURES 6). A further draw from what
//! earlier waves passed over says anew by which chance their items are there.

mod choices;
mod definition;
mod draw;
mod event;
mod filter_words;
mod forecast;
mod further;
pub(crate) mod item_order;
mod journal;
mod later_draws;
mod population;
mod run_sample;

pub(crate) use choices::NO_CHOICES;
pub use choices::{ChoicesOf, QueueChoice, QueueChoices, QueueKind};
pub(crate) use definition::QueueDefinition;
pub use definition::{
    DisagreementOf, ItemOrder, LabelledBefore, PeoplesTurns, PlayedBy, QueueFilter, QueueUnit,
    Sampling, StratifyBy,
};
pub use event::Queue;
pub(crate) use event::{QueueEvent, QueueItem, Stratum, Wave, read_queue};
pub use filter_words::{FILTER_WORDS, filter_from_words};
pub use forecast::{FORECAST_RATES, ForecastPopulation, QueueForecast, forecast_queue};
pub use further::{
    ConsideredTurns, DrawnCall, FurtherDraw, TurnCall, TurnCalls, describe_draw, draw_further,
    warn_of_single_call,
};
pub use item_order::{Progress, compute_progress, items_in_order, minutes_left};
pub use journal::{
    DrawnQueue, QueuePlan, begin_queue, extend_queue, find_labelled_queue, find_queue,
    find_same_queue, list_labelled_queues, read_queues, remove_queue,
};
pub(crate) use later_draws::LaterDraws;
pub use population::{fits_target, own_verdicts_about, own_verdicts_on};
pub use run_sample::{REPEATS_PERCENT, RUN_SAMPLE_TURNS, RunSample, draw_run_sample};
