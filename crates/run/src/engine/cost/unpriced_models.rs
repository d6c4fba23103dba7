//! Models of a cast without a price, and the tables of configuration that would set one.

use crate::engine::seats::ModelTable;
use crate::engine::seats::find_player_settings;
use crate::engine::seats::kept_settings;
use crate::engine::seats::typed_prices::price_of_settings;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_model::{FinishRule, bare_address, mask_variable};
use elenchus_records::library::{format_key, quote_text};
use elenchus_records::workspace::{Price, TypedPrice};
use elenchus_records::workspace::{Unpriced, format_prices};
use std::collections::BTreeMap;

/// Finds out what is to be written where; `models` are those of the cast without a price.
pub(crate) fn find_unpriced_models(
    table: &ModelTable,
    players: &[&ModelPlayer],
    models: Vec<String>,
) -> Unpriced {
    let own_file = table.own_file.as_ref();
    let mut unpriced_models = Unpriced {
        models,
        recorded: Vec::new(),
        file: own_file.map_or_else(
            || "a file that ELENCHUS_CONFIG names".to_owned(),
            |file| file.display().to_string(),
        ),
        tables: String::new(),
        lacking: Vec::new(),
    };
    let mut places: BTreeMap<&str, String> = BTreeMap::new();
    let mut tables: BTreeMap<&str, String> = BTreeMap::new();
    for player in players {
        let Some(Ok(present)) = find_player_settings(table, player) else {
            continue;
        };
        let needs_price = unpriced_models.models.contains(&player.model);
        if needs_price
            && let Some(price) = kept_settings(player).as_ref().and_then(price_of_settings)
        {
            let model = Some(player.model.clone());
            let typed_price = TypedPrice { model, price };
            if !unpriced_models.recorded.contains(&typed_price) {
                unpriced_models.recorded.push(typed_price);
            }
        }
        match present.configured {
            Some(name) if needs_price => {
                let file = table.model_files.get(name);
                let file = file.map_or_else(
                    || unpriced_models.file.clone(),
                    |file| file.display().to_string(),
                );
                let lacking = (format!("[models.{}]", format_key(name)), file);
                if !unpriced_models.lacking.contains(&lacking) {
                    unpriced_models.lacking.push(lacking);
                }
            }
            Some(_) => {}
            // Once one model is configured the names of others are no longer taken as they are: all
            // of them must be.
            None => {
                if !table.trust.has_provider(present.place) {
                    places.insert(present.place, format_provider_table(table, present.place));
                }
                let price = price_of_settings(&present.model);
                let table_text =
                    format_model_table(&player.model, present.place, &present.model.name, price);
                tables.insert(&player.model, table_text);
            }
        }
    }
    unpriced_models.tables = places.into_values().chain(tables.into_values()).collect();
    unpriced_models
}

/// The table of a provider that no file names.
fn format_provider_table(table: &ModelTable, name: &str) -> String {
    let Some(settings) = table.providers.get(name) else {
        return String::new();
    };
    let mut lines = format!(
        "\n[providers.{}]\nbase_url = {}\n",
        format_key(name),
        quote_text(&bare_address(&settings.base_url))
    );
    if let Some(variable) = &settings.api_key_env {
        lines += &format!("api_key_env = {}\n", quote_text(mask_variable(variable)));
    }
    match settings.finish_reason {
        FinishRule::Required => {}
        FinishRule::Absent => lines += "finish_reason = \"absent\"\n",
    }
    lines
}

fn format_model_table(called: &str, provider: &str, name: &str, price: Option<Price>) -> String {
    format!(
        "\n[models.{}]\nprovider = {}\nname = {}\n{}",
        format_key(called),
        quote_text(provider),
        quote_text(name),
        format_prices(price)
    )
}
