//! Models of a cast without a price, and the tables of configuration that would set one.

use crate::engine::seats::ModelTable;
use crate::engine::seats::kept_settings;
use crate::engine::seats::present_of;
use crate::engine::seats::price::configured;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_model::{FinishRule, bare_address, shown_variable};
use elenchus_records::library::{key, quoted};
use elenchus_records::workspace::{Price, TypedPrice};
use elenchus_records::workspace::{Unpriced, prices};
use std::collections::BTreeMap;

/// Finds out what is to be written where; `models` are those of the cast without a price.
pub(crate) fn find_unpriced(
    table: &ModelTable,
    players: &[&ModelPlayer],
    models: Vec<String>,
) -> Unpriced {
    let own_file = table.own_file.as_ref();
    let mut unpriced = Unpriced {
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
        let Some(Ok(present)) = present_of(table, player) else {
            continue;
        };
        let is_unpriced = unpriced.models.contains(&player.model);
        if is_unpriced && let Some(price) = kept_settings(player).as_ref().and_then(configured) {
            let model = Some(player.model.clone());
            let typed = TypedPrice { model, price };
            if !unpriced.recorded.contains(&typed) {
                unpriced.recorded.push(typed);
            }
        }
        match present.configured {
            Some(name) if is_unpriced => {
                let file = table.model_files.get(name);
                let file =
                    file.map_or_else(|| unpriced.file.clone(), |file| file.display().to_string());
                let lacking = (format!("[models.{}]", key(name)), file);
                if !unpriced.lacking.contains(&lacking) {
                    unpriced.lacking.push(lacking);
                }
            }
            Some(_) => {}
            // Once one model is configured the names of others are no longer taken as they are: all
            // of them must be.
            None => {
                if !table.trust.is_named(present.place) {
                    places.insert(present.place, provider(table, present.place));
                }
                let price = configured(&present.model);
                let written = model(&player.model, present.place, &present.model.name, price);
                tables.insert(&player.model, written);
            }
        }
    }
    unpriced.tables = places.into_values().chain(tables.into_values()).collect();
    unpriced
}

/// The table of a provider that no file names.
fn provider(table: &ModelTable, name: &str) -> String {
    let Some(settings) = table.providers.get(name) else {
        return String::new();
    };
    let mut lines = format!(
        "\n[providers.{}]\nbase_url = {}\n",
        key(name),
        quoted(&bare_address(&settings.base_url))
    );
    if let Some(variable) = &settings.api_key_env {
        lines += &format!("api_key_env = {}\n", quoted(shown_variable(variable)));
    }
    match settings.finish_reason {
        FinishRule::Required => {}
        FinishRule::Absent => lines += "finish_reason = \"absent\"\n",
    }
    lines
}

fn model(called: &str, provider: &str, name: &str, price: Option<Price>) -> String {
    format!(
        "\n[models.{}]\nprovider = {}\nname = {}\n{}",
        key(called),
        quoted(provider),
        quoted(name),
        prices(price)
    )
}
