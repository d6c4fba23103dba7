//! Engine: plays one debate. It checks the setup, asks the seats, reserves what calls may cost, and records
//! every reply before the screen, the caller or the next step sees it.
//!
//! ```text
//! debate_plan ─► setup ─► Session (workspace) ─► play: open steps, concurrently ─► call ─► model
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `debate_plan`, `setup` | a requested debate, checked: game, cast, topic, memory, ceiling |
//! | `seats` | models, people, scripts and recordings on seats, ready to be asked |
//! | `play` | the loop over open steps: start, record, settle |
//! | `live` | the same loop under control of a screen: commands in, events out |
//! | `live_sessions` | sessions that this process plays, each under its lock |
//! | `run_context`, `library_list` | what is played with; games and models to choose from |
//! | `model_step`, `build_request`, `step_request` | which steps ask a model, and what they ask of a chair |
//! | `call`, `model_request` | a step with its model, ready to be sent; its reply as an event |
//! | `automatic_steps`, `verdict_event` | steps without a model; a judge's reply read by its rubric |
//! | `grader_programs`, `grader_command`, `user_command` | programs of the user's that grade; how one is run |
//! | `guardrails` | decisions before a turn, derivation of a guardrail from a lesson |
//! | `cost` | budget, the debate's own spend limit, prices, estimates |
//! | `dry_run` | the same steps with replies of assumed length |
//! | `partial_saver` | words of replies that are still coming, saved once a second |
//! | `reply_cache`, `retries`, `observer`, `open_memory`, `debate_gate` | small parts of their own |

pub(crate) mod automatic_steps;
pub(crate) mod build_request;
pub(crate) mod call;
pub mod cost;
mod debate_gate;
mod debate_plan;
pub mod dry_run;
mod grader_command;
mod grader_programs;
pub mod guardrails;
mod library_list;
pub mod live;
mod live_sessions;
mod memory_browsing;
mod memory_preview;
pub(crate) mod model_request;
mod model_step;
mod observer;
mod open_memory;
pub(crate) mod paid_call;
mod partial_saver;
pub mod play;
mod play_defaults;
mod reply_cache;
mod retries;
mod run_context;
pub mod seats;
mod setup;
mod step_request;
mod training_settings;
pub(crate) mod user_command;
pub(crate) mod verdict_event;

pub(crate) use call::{Call, DEFAULT_MAX_TOKENS};
pub use debate_gate::{
    ConditionName, GateDecision, GatePolicy, GateQuestion, GateRule, decide_debate,
};
pub use debate_plan::{DebatePlan, PreparedDebate};
pub use grader_programs::{GraderProgram, GraderPrograms};
pub use library_list::{
    GameLine, LibraryList, ModelLine, describe_servers, list_models, read_library,
};
pub use live_sessions::{LiveSessions, ReadySession};
pub use memory_browsing::{MemoryNews, MemoryQuery, change_memory, memory_index, read_memory};
pub use memory_preview::preview_topic_memory;
pub(crate) use model_request::CallPlace;
pub use observer::{
    NoObserver, NoPeople, Observer, People, PersonAnswer, PersonQuestion, QuestionKind,
};
pub use open_memory::open_memory;
pub(crate) use open_memory::original_ranking_policy;
pub use play_defaults::{PlayDefaults, prepare_debate};
pub use reply_cache::{Repeats, ReplyCache};
pub use run_context::RunContext;
pub use setup::{
    Attendance, CostCeiling, DebateInputs, GamePlan, MemoryShown, SeatedGame, SeatingPlan,
    TypedTopic, add_guardrails, check_budget, check_models, check_options, created_of,
};
pub use training_settings::TrainingSettings;
pub(crate) use verdict_event::restore_seat_order;
