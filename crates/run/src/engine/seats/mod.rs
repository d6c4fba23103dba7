//! Seats of a debate: which model, person, script or recording sits on each, ready to be asked.

mod cast;
mod cast_pins;
mod file_bounds;
mod guard_models;
mod human;
mod model_table;
mod models;
mod present_settings;
mod recorded_model;
mod replay;
mod replayed_lines;
mod scripted;
mod served_embedder;
mod served_models;
mod server_search;
pub(crate) mod typed_prices;
mod unlisted_models;

pub use cast::{CastRequest, HUMAN, SeatRequest, permute_cast, seat_of_person};
pub use file_bounds::FileBounds;
pub use guard_models::{GameForCast, GuardModels};
pub(crate) use human::{answer_event, build_question, person_at};
pub use model_table::{EnvironmentProvider, ModelTable, SIM};
pub use models::{
    Announce, Environment, OpenRecording, RECORDED, ReadyModel, Seats, describe_fallback_server,
    models_of,
};
pub(crate) use present_settings::find_player_settings;
pub(crate) use recorded_model::{kept_settings, simulated_reply_tokens};
pub use replay::open_replay;
pub(crate) use replayed_lines::LinesFromRun;
pub(crate) use scripted::read_lines;
pub use scripted::{FIXED, SAID};
pub use served_embedder::served_embedder;
pub use served_models::{
    ModelListError, ServedModels, ServerModels, fetch_models, is_no_chat_model,
};
pub use server_search::{FoundServer, NamedServer, ServerSearchError, USUAL_SERVERS, find_servers};
pub use typed_prices::Prices;
pub use unlisted_models::{UnlistedModel, find_unlisted_models, unlisted_on_known_lists};
