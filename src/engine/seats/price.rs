//! Prices that are typed on a command line, for models whose configuration names none.

use super::error::CastError;
use super::present_settings::present_of;
use super::seats::ModelTable;
use crate::debate::event::ModelPlayer;
use crate::exchange::text::{Keep, visible};
use crate::model::ModelSettings;
use std::collections::BTreeMap;
use std::str::FromStr;

/// What tokens cost, in US dollars a million.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub read: f64,
    pub written: f64,
}

/// A price as it is typed: of one model, or of all that have none.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedPrice {
    /// The model, by its name in the cast.
    pub model: Option<String>,
    pub price: Price,
}

/// All prices of a command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    of_model: BTreeMap<String, Price>,
    others: Option<Price>,
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.read, self.written)
    }
}

impl std::fmt::Display for TypedPrice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{model}={}", self.price),
            None => self.price.fmt(f),
        }
    }
}

impl FromStr for TypedPrice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A model's name may hold a '=' itself.
        let (model, price) = match text.rsplit_once('=') {
            Some((model, price)) => (Some(model.trim()), price),
            None => (None, text),
        };
        let usd = |text: &str| {
            let usd = text.trim().parse::<f64>().ok();
            // A zero below zero is written as one that is none.
            usd.filter(|usd| usd.is_finite() && *usd >= 0.0)
                .map(f64::abs)
        };
        let read = price
            .split_once(',')
            .and_then(|(read, written)| usd(read).zip(usd(written)));
        let Some((read, written)) = read.filter(|_| model != Some("")) else {
            return Err(
                "write IN,OUT, the US dollars for a million tokens read and written, both 0 or \
                 more, as in 0.15,0.60; or MODEL=IN,OUT for one model"
                    .to_owned(),
            );
        };
        Ok(Self {
            model: model.map(str::to_owned),
            price: Price { read, written },
        })
    }
}

impl Prices {
    /// Puts the prices of a command line together.
    ///
    /// # Errors
    /// When a model is given two.
    pub fn of(typed: &[TypedPrice]) -> Result<Self, CastError> {
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

    pub(super) fn is_empty(&self) -> bool {
        self.of_model.is_empty() && self.others.is_none()
    }

    /// Returns a model's settings with the price that was typed for it: one that was typed for it by
    /// name wins over the configuration.
    pub(super) fn applied(&self, name: &str, settings: ModelSettings) -> ModelSettings {
        let others = self.others.filter(|_| configured(&settings).is_none());
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
pub(super) fn configured(settings: &ModelSettings) -> Option<Price> {
    Some(Price {
        read: settings.price_in_usd_per_mtok?,
        written: settings.price_out_usd_per_mtok?,
    })
}

/// Says which typed prices stand in the place of configured ones.
///
/// # Errors
/// When a price is for nobody who plays: a mistyped name would leave its model without one.
pub(super) fn check<'a>(
    table: &ModelTable,
    players: impl IntoIterator<Item = &'a ModelPlayer>,
) -> Result<Vec<String>, CastError> {
    let prices = &table.prices;
    if prices.is_empty() {
        return Ok(Vec::new());
    }
    // What each model that a server plays costs by the configuration.
    let mut served: BTreeMap<&str, Option<Price>> = BTreeMap::new();
    for player in players {
        if let Some(present) = present_of(table, player) {
            served.insert(&player.model, present?.configured_price);
        }
    }
    let names: Vec<&str> = served.keys().copied().collect();
    let shown = |text: &str| visible(text, Keep::Nothing).into_owned();
    let known = match names.is_empty() {
        true => "no model of a server plays, and others cost nothing".to_owned(),
        false => format!(
            "models of a server that play are {}",
            shown(&names.join(", "))
        ),
    };
    let stranger = prices
        .of_model
        .keys()
        .find(|name| !served.contains_key(name.as_str()));
    if let Some(name) = stranger {
        let why = format!(
            "'{}' is given a price and is no model that could cost it: {known}",
            shown(name)
        );
        return Err(CastError::Price { why });
    }
    let left = served
        .iter()
        .any(|(name, price)| price.is_none() && !prices.of_model.contains_key(*name));
    if prices.others.is_some() && !left {
        let why = match names.is_empty() {
            true => known,
            false => format!(
                "IN,OUT is for models without a price, and all that play have one; to replace one \
                 write MODEL=IN,OUT ({known})"
            ),
        };
        return Err(CastError::Price { why });
    }
    let replaced = prices.of_model.iter().filter_map(|(name, typed)| {
        let before = served.get(name.as_str()).copied().flatten()?;
        (before != *typed).then(|| {
            format!(
                "model '{name}' is counted at the price that was typed ({typed}), not at that of \
                 the configuration ({before})"
            )
        })
    });
    Ok(replaced.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_with_or_without_the_model_that_it_is_for() {
        let price = |text: &str| text.parse::<TypedPrice>();
        assert_eq!(price(" 0.5, 2 ").unwrap().to_string(), "0.5,2");
        assert_eq!(price("a=b/c=1,0").unwrap().to_string(), "a=b/c=1,0");
        assert_eq!(price("-0,0").unwrap().to_string(), "0,0");
        for wrong in [
            "", "1", "1,", "1,2,3", "-1,2", "NaN,1", "1,inf", "cheap", "=1,2", "m=", "m=1;2",
        ] {
            assert!(price(wrong).unwrap_err().contains("IN,OUT"), "{wrong}");
        }
    }
}
