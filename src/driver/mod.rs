//! Where everything meets: does what the game asks and records what happened.
//!
//! ```text
//! library ─► game ─┐                       ┌─► observers (what is durable, nothing else)
//! cast, seats ─────┼─► session ─► play ────┤
//! memory_book ─────┘     ▲  open steps     └─► budget (worst case reserved before sending)
//!                        ├── run: many sessions, one manifest
//!                        ├── live: one session under somebody's hands, by the same play
//!                        └── desk: what a workbench does with a store besides playing
//! ```
//!
//! A reply is appended and synced before a screen, a caller or the next step sees it.

mod arm_memory;
mod asked;
mod budget;
mod call;
mod cast;
mod cast_pins;
mod charge;
mod clock;
mod convert;
mod derive;
pub mod desk;
mod embedding;
mod error;
mod estimate;
mod examples;
mod families;
mod fixed;
mod game;
mod game_labels;
mod gate;
mod guard_book;
mod guard_call;
mod guard_desk;
mod guard_models;
mod guard_trial;
mod intake;
mod journal_kind;
mod kept_model;
mod label_book;
mod library;
mod library_pins;
mod lines;
pub mod live;
mod log;
mod margin;
mod memory_book;
pub mod memory_desk;

mod memory_open;
mod memory_read;
mod memory_seen;
mod memory_state;
mod model_words;
mod observe;
mod pins;
mod play;
mod present_settings;
mod price;
pub mod prompt_desk;
mod purse;
mod queue;
mod ranking;
mod replay;
mod reply_cache;
mod reply_form;
mod retries;
mod rows;
mod rows_by_pass;
mod rows_judged;
mod rubric_limit;
mod rules;
mod ruling;
mod run;
mod run_accept;
mod run_event;
mod run_item;
mod run_plan;
mod run_state;
mod said;
mod seats;
mod served_models;
mod session;
mod setting_out;
mod shelf;
mod sources;
mod templates_of;
mod toml_text;
mod trial_book;
pub mod tries;
mod unlisted_models;
mod unpriced;
pub mod validate;
mod walk;
mod walk_json;
mod walk_use;

pub use crate::store::imported_at;
pub use crate::store::{panics_are_caught, replace_own, replace_private};
pub use budget::{Budget, Exhausted, MetCeiling, NotRaised, Reservation, Standing};
pub use cast::{CastRequest, HUMAN, SeatRequest, permutations, seat_of_person};
pub use clock::Clock;
pub use embedding::{
    DEFAULT_MODEL, Embedding, EmbeddingPlaces, LazyEmbedding, MODELS, MemorySettings,
    RUNTIME_VARIABLE, load, load_folder,
};
pub use error::{CastError, DriverError};
pub use estimate::{Estimator, estimate};
pub use examples::{Example, examples};
pub use families::{Families, SelfJudging};
pub use fixed::{FIXED, SAID, read_lines};
pub use game::{Game, GameError};
pub use gate::{
    Condition, ConditionName, GateDecision, GateFault, GatePolicy, GateQuestion, GateRule, decide,
};
pub use guard_desk::{
    DerivedFrom, GuardChange, GuardChanged, GuardShelf, change_guard, derive_guard,
};
pub use guard_models::{GameForCast, GuardModel, GuardModels};
pub use guard_trial::{PlannedTrial, Trial, TrialFloor, Tried, plan_trial, try_guards};
pub use intake::{
    IMPORTED, Intake, LABEL_COLUMNS, TookIn, WordMap, label_rows, own_labels, plan_intake, take_in,
};
pub use journal_kind::{JournalKind, TellsKind, check_journal, kind_by_first_event};
pub use label_book::LabelBook;
pub use library::{Library, Origin};
pub use memory_book::{DEFAULT_NAMESPACE, MemoryBook, namespace_for};
pub use memory_open::{MemoryRead, memory_of};
pub use memory_read::{MemoryJournal, NamespaceJournals, read_namespace};
pub use memory_state::MemoryState;
pub use observe::{
    Answer, NoObserver, Nobody, Observer, People, Question, QuestionKind, VerdictForm,
};
pub use pins::{PINS_FILE, PinError, PinnedFile, Pins, short};
pub use play::{Left, Table, play};
pub use price::{Prices, TypedPrice};
pub use ranking::{Ordered, Ranked, Ranking};
pub use replay::{Replay, recording};
pub use reply_form::ReplyForm;
pub use rows::{debate_row, first_of_run, run_rows};
pub use rows_by_pass::{NotOfPass, PassFindings, RowOfPass};
pub use run::{Floor, ItemEnd, Run, RunEnd, RunObserver, WOULD_BE_REFUSED};
pub use run_event::{
    Ablation, AcceptRule, ChairLines, DatasetPlace, Finished, Item, Manifest, RunEvent, Shard,
};
pub use run_item::failure_text;
pub use run_plan::{
    Acceptance, Casts, Duplicates, MemoryRequest, PlannedRun, RunRequest, load_topics,
};
pub use run_state::{RunState, read_run};
pub use said::FromRun;
pub use seats::{
    Announce, Environment, ModelTable, OfEnvironment, OpenRecording, RECORDED, SIM, Seat, Seats,
    announcement, models_of,
};
pub use served_models::{
    ModelList, NoList, ServedModels, ServerModels, is_no_chat_model, listed_models,
};
pub use session::{Session, read_session};
pub use setting_out::{
    Ceiling, GamePlan, MemoryKind, OneDebate, Party, PartyPlan, Present, Shown, TypedTopic,
    check_budget, check_options, guarded, make_ready, software,
};
pub use shelf::{
    SessionStatus, Summary, Unreadable, find_run, find_session, runs, summaries, summary,
    watermarks,
};
pub use sources::{
    At, Gone, Short, copied, copied_journals, copies, gone_journals, gone_sessions,
    journals_of_store, short_sources,
};
pub use trial_book::{Before, TrialBook, TrialPlace};
pub use unlisted_models::{UnlistedModel, unlisted, unlisted_as_known};
pub use unpriced::Unpriced;
