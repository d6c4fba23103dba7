//! Model settings that a session records.

use elenchus_game::debate::event::ModelPlayer;
use elenchus_model::{ModelSettings, ProviderSettings, SimSettings};
use elenchus_records::workspace::CastError;
use serde::{Deserialize, Serialize};

/// Recorded settings of a model: those that define the experiment, and for the record the
/// address it was played at, which is never used again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordedSettings {
    Server {
        model: ModelSettings,
        provider: ProviderSettings,
    },
    Sim(Box<SimSettings>),
    Recorded {
        session: String,
        /// As they were when the session was recorded, but free: requests must come out the same.
        model: ModelSettings,
    },
}

impl RecordedSettings {
    /// Returns prices, sampling and limits as they were kept; a simulated model is free.
    pub(crate) fn into_settings(self, player: &ModelPlayer) -> ModelSettings {
        match self {
            RecordedSettings::Server { model, .. } | RecordedSettings::Recorded { model, .. } => {
                model
            }
            RecordedSettings::Sim(_) => free_settings(&player.name),
        }
    }
}

/// Returns prices and limits of a participant's model as its session keeps them, without making it
/// ready to be called; `None` where they cannot be read.
pub(crate) fn kept_settings(player: &ModelPlayer) -> Option<ModelSettings> {
    parse_kept_settings(player)
        .ok()
        .map(|kept| kept.into_settings(player))
}

/// Reads what a session kept of a participant's model.
///
/// # Errors
/// When it is none of what this program writes.
pub(super) fn parse_kept_settings(player: &ModelPlayer) -> Result<RecordedSettings, CastError> {
    let mut record: RecordedSettings =
        serde_json::from_value(player.settings.clone()).map_err(|error| CastError::Model {
            model: player.model.clone(),
            why: format!("its recorded settings cannot be read: {error}"),
        })?;
    // Servers to ask are never taken from the session's file.
    if let RecordedSettings::Server { model, .. } | RecordedSettings::Recorded { model, .. } =
        &mut record
    {
        model.providers.clear();
    }
    Ok(record)
}

/// Returns how many tokens a simulated model is set to write; `None` for any other.
pub(crate) fn simulated_reply_tokens(player: &ModelPlayer) -> Option<u64> {
    match serde_json::from_value(player.settings.clone()).ok()? {
        RecordedSettings::Sim(settings) => Some(u64::from(settings.tokens_per_reply)),
        RecordedSettings::Server { .. } | RecordedSettings::Recorded { .. } => None,
    }
}

/// A model that costs nothing.
pub(super) fn free_settings(name: &str) -> ModelSettings {
    ModelSettings {
        price_in_usd_per_mtok: Some(0.0),
        price_out_usd_per_mtok: Some(0.0),
        ..ModelSettings::from_name("none", name)
    }
}

/// Composes a participant's model as its session will keep it.
pub(super) fn compose_player(
    model: &str,
    provider: &str,
    name: &str,
    settings: &RecordedSettings,
) -> ModelPlayer {
    ModelPlayer {
        model: model.to_owned(),
        provider: provider.to_owned(),
        name: name.to_owned(),
        family: None,
        version: None,
        simulated: false,
        // Settings are maps with text keys: they always become JSON.
        settings: serde_json::to_value(settings).unwrap_or_default(),
        adapter: None,
    }
}
