//! Current settings of a recorded model: the configuration says how its server is asked, not the session.
//!
//! A session keeps what defines the experiment: the model's name, its sampling, its family. The settings for
//! its server can turn out wrong and be corrected while a session is half played; taken from the session, they
//! would be refused again on every resume. A recorded address and key variable are never used: they come from
//! the author of the file.

use super::model_table::ModelTable;
use super::recorded_model::{RecordedSettings, parse_kept_settings};
use super::typed_prices;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_model::{ModelSettings, ProviderSettings, bare_address, mask_variable};
use elenchus_records::library::{format_key, quote_text};
use elenchus_records::workspace::CastError;
use elenchus_records::workspace::Price;
use serde_json::Value;

/// A recorded model, where the configuration has it today.
pub(crate) struct PresentSettings<'a> {
    /// The provider's name in the configuration.
    pub place: &'a str,
    pub provider: &'a ProviderSettings,
    /// Other providers that have it as well, by name.
    pub others: Vec<(&'a str, &'a ProviderSettings)>,
    pub model: ModelSettings,
    /// The model's name in the configuration; none where it is asked for without being there.
    pub configured: Option<&'a str>,
    /// Its configured price, prices of the command line left out.
    pub configured_price: Option<Price>,
}

/// Finds a recorded model in today's configuration: by its own name there, by its provider and name,
/// by the name sent to its server alone (it moved), at the provider of its name, and where no models
/// are configured at the one that serves any name.
///
/// # Errors
/// When no configured provider has that model; says which lines to add.
pub(super) fn find_present_settings<'a>(
    table: &'a ModelTable,
    player: &ModelPlayer,
    recorded: (&ModelSettings, &ProviderSettings),
) -> Result<PresentSettings<'a>, CastError> {
    let (model, provider) = recorded;
    let is_it = |(_, now): &(&String, &ModelSettings)| {
        now.name == model.name && now.effective_api() == model.effective_api()
    };
    let same_place = |(_, now): &(&String, &ModelSettings)| now.is_served_by(&model.provider);
    let own_name = table.models.get_key_value(&player.model).filter(is_it);
    let all = || table.models.iter().filter(is_it);
    let model_entry = own_name
        .filter(same_place)
        .or_else(|| all().find(same_place))
        .or(own_name)
        .or_else(|| all().next());
    let mut now = match model_entry {
        Some((_, now)) => ModelSettings {
            // Of several servers the one that it was played at is preferred.
            provider: match now.is_served_by(&model.provider) {
                true => model.provider.clone(),
                false => now.provider.clone(),
            },
            // What defines the experiment stays as it was recorded.
            name: model.name.clone(),
            family: model.family.clone(),
            version: model.version.clone(),
            base: model.base.clone(),
            adapter: model.adapter.clone(),
            trained_on: model.trained_on.clone(),
            sampling: model.sampling.clone(),
            ..now.clone()
        },
        None => {
            let own_place = Some(&model.provider).filter(|name| table.trust.has_provider(name));
            let place = own_place.or(table.fallback.as_ref());
            let place =
                place.ok_or_else(|| not_configured_error(table, player, (model, provider)))?;
            ModelSettings {
                provider: place.clone(),
                // Prices, and what is added to requests, are never taken from the session's file.
                price_in_usd_per_mtok: None,
                price_out_usd_per_mtok: None,
                extra_body: serde_json::Map::new(),
                ..model.clone()
            }
        }
    };
    let find_provider = |name: &str| {
        let provider_entry = table.providers.get_key_value(name);
        let provider_entry = provider_entry.map(|(name, settings)| (name.as_str(), settings));
        provider_entry.ok_or_else(|| CastError::NoSuchProvider {
            model: player.model.clone(),
            provider: name.to_owned(),
        })
    };
    let (place, provider) = find_provider(&now.provider)?;
    now.add_provider_body(provider);
    let environment = table.of_environment.as_ref();
    let has_assumed_address =
        environment.is_some_and(|env| env.is_assumed && env.provider == place);
    let is_elsewhere = bare_address(&provider.base_url) != bare_address(&recorded.1.base_url);
    if has_assumed_address && is_elsewhere {
        // No configuration allows sending it to that server.
        return Err(CastError::AddressAssumed {
            model: player.model.clone(),
            played_at: bare_address(&recorded.1.base_url),
            assumed: bare_address(&provider.base_url),
        });
    }
    let others = now
        .provider_names()
        .into_iter()
        .filter(|name| *name != place);
    let others = others.map(find_provider).collect::<Result<_, _>>()?;
    Ok(PresentSettings {
        place,
        provider,
        others,
        configured: model_entry.map(|(name, _)| name.as_str()),
        configured_price: typed_prices::price_of_settings(&now),
        model: table.prices.apply_to(&player.model, now),
    })
}

/// Finds a participant's model in today's configuration; `None` for one that no server plays, or
/// whose recorded settings cannot be read.
pub(crate) fn find_player_settings<'a>(
    table: &'a ModelTable,
    player: &ModelPlayer,
) -> Option<Result<PresentSettings<'a>, CastError>> {
    let Ok(RecordedSettings::Server { model, provider }) = parse_kept_settings(player) else {
        return None;
    };
    Some(find_present_settings(table, player, (&model, &provider)))
}

/// The lines that would make a recorded model known.
fn not_configured_error(
    table: &ModelTable,
    player: &ModelPlayer,
    (model, provider): (&ModelSettings, &ProviderSettings),
) -> CastError {
    let (place, called) = (format_key(&model.provider), format_key(&player.model));
    let lines = format!(
        "  [providers.{place}]\n  base_url = \"URL\"\n  [models.{called}]\n  provider = {}\n  name = {}",
        quote_text(&model.provider),
        quote_text(&model.name)
    );
    let file = table
        .own_file
        .as_ref()
        .map(|file| file.display().to_string());
    CastError::NotConfigured {
        model: player.model.clone(),
        address: bare_address(&provider.base_url),
        file: file.unwrap_or_else(|| "a file that ELENCHUS_CONFIG names".to_owned()),
        lines,
    }
}

/// Says which settings differ from the recorded ones, and how; `None` where none does.
pub(super) fn describe_differences(
    player: &ModelPlayer,
    recorded: (&ModelSettings, &ProviderSettings),
    present: &PresentSettings<'_>,
) -> Option<String> {
    let values = |model: &ModelSettings, provider: &ProviderSettings| {
        // Settings are maps with text keys: they always become JSON.
        let of = |settings: serde_json::Result<Value>| settings.unwrap_or_default();
        [
            of(serde_json::to_value(redact_provider(provider))),
            of(serde_json::to_value(model)),
        ]
    };
    let old_values = values(recorded.0, recorded.1);
    let now = values(&present.model, present.provider);
    let mut changes = Vec::new();
    for (before, now) in old_values.iter().zip(&now) {
        let empty = serde_json::Map::new();
        let (before, now) = (
            before.as_object().unwrap_or(&empty),
            now.as_object().unwrap_or(&empty),
        );
        let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (before, now) = (before.get(name), now.get(name));
            if before != now {
                changes.push(format!(
                    "{name} = {} (was {})",
                    format_value(now),
                    format_value(before)
                ));
            }
        }
    }
    (!changes.is_empty()).then(|| {
        format!(
            "model {} is asked as the configuration says now, not as recorded: {}",
            player.model,
            changes.join(", ")
        )
    })
}

/// Settings of a provider without what must not be shown: a session can hold anything.
fn redact_provider(provider: &ProviderSettings) -> ProviderSettings {
    ProviderSettings {
        base_url: bare_address(&provider.base_url),
        api_key_env: provider
            .api_key_env
            .as_deref()
            .map(|variable| mask_variable(variable).to_owned()),
        ..provider.clone()
    }
}

fn format_value(value: Option<&Value>) -> String {
    value.map_or_else(|| "not set".to_owned(), Value::to_string)
}
