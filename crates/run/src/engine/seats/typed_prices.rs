//! Prices given on the command line, for models whose configuration has none.

use super::model_table::ModelTable;
use super::present_settings::find_player_settings;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_model::ModelSettings;
use elenchus_records::workspace::CastError;
use elenchus_records::workspace::{Price, TypedPrice};
use elenchus_text::safe_text::{Keep, make_visible};
use std::collections::BTreeMap;

/// All prices of a command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    of_model: BTreeMap<String, Price>,
    others: Option<Price>,
}

impl Prices {
    /// Puts the prices of a command line together.
    ///
    /// # Errors
    /// When a model is given two.
    pub fn from_typed_prices(typed: &[TypedPrice]) -> Result<Self, CastError> {
        let mut prices = Self::default();
        for TypedPrice { model, price } in typed {
            let (before, what) = match model {
                Some(name) => (
                    prices.of_model.insert(name.clone(), *price),
                    format!("the price of model '{name}'"),
                ),
                None => (
                    prices.others.replace(*price),
                    "the price of all models that have none".to_owned(),
                ),
            };
            if before.is_some() {
                return Err(CastError::Price {
                    why: format!("{what} is given twice: leave one out"),
                });
            }
        }
        Ok(prices)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.of_model.is_empty() && self.others.is_none()
    }

    /// Returns a model's settings with the price that was typed for it: one that was typed for it by
    /// name wins over the configuration.
    pub(crate) fn apply_to(&self, name: &str, settings: ModelSettings) -> ModelSettings {
        let others = self
            .others
            .filter(|_| price_of_settings(&settings).is_none());
        match self.of_model.get(name).copied().or(others) {
            Some(Price { read, written }) => ModelSettings {
                price_in_usd_per_mtok: Some(read),
                price_out_usd_per_mtok: Some(written),
                ..settings
            },
            None => settings,
        }
    }
}

/// Returns the price that settings name, where they name the whole of it.
pub(crate) fn price_of_settings(settings: &ModelSettings) -> Option<Price> {
    Some(Price {
        read: settings.price_in_usd_per_mtok?,
        written: settings.price_out_usd_per_mtok?,
    })
}

/// Lists the typed prices that replace configured ones.
///
/// # Errors
/// When a price is for a model outside the cast: a mistyped name would leave its model without one.
pub(crate) fn check_prices<'a>(
    table: &ModelTable,
    players: impl IntoIterator<Item = &'a ModelPlayer>,
) -> Result<Vec<String>, CastError> {
    let prices = &table.prices;
    if prices.is_empty() {
        return Ok(Vec::new());
    }
    // What each model that a server plays costs by the configuration.
    let mut server_prices: BTreeMap<&str, Option<Price>> = BTreeMap::new();
    for player in players {
        if let Some(present) = find_player_settings(table, player) {
            server_prices.insert(&player.model, present?.configured_price);
        }
    }
    let names: Vec<&str> = server_prices.keys().copied().collect();
    let clean_text = |text: &str| make_visible(text, Keep::Nothing).into_owned();
    let known_models = match names.is_empty() {
        true => "no model of a server plays, and others cost nothing".to_owned(),
        false => format!(
            "models of a server that play are {}",
            clean_text(&names.join(", "))
        ),
    };
    let stranger = prices
        .of_model
        .keys()
        .find(|name| !server_prices.contains_key(name.as_str()));
    if let Some(name) = stranger {
        let why = format!(
            "'{}' is given a price and is no model that could cost it: {known_models}",
            clean_text(name)
        );
        return Err(CastError::Price { why });
    }
    let left = server_prices
        .iter()
        .any(|(name, price)| price.is_none() && !prices.of_model.contains_key(*name));
    if prices.others.is_some() && !left {
        let why = match names.is_empty() {
            true => known_models,
            false => format!(
                "IN,OUT is for models without a price, and all that play have one; to replace one \
                 write MODEL=IN,OUT ({known_models})"
            ),
        };
        return Err(CastError::Price { why });
    }
    let replacements = prices.of_model.iter().filter_map(|(name, typed)| {
        let before = server_prices.get(name.as_str()).copied().flatten()?;
        (before != *typed).then(|| {
            format!(
                "model '{name}' is counted at the price that was typed ({typed}), not at that of \
                 the configuration ({before})"
            )
        })
    });
    Ok(replacements.collect())
}
