//! What to do about models that have no price under a ceiling on cost: the lines that a
//! configuration wants, ready to be pasted.

use super::kept_model::kept_settings;
use super::present_settings::present_of;
use super::price::{Price, TypedPrice, configured};
use super::seats::ModelTable;
use super::toml_text::{key, quoted};
use crate::debate::event::ModelPlayer;
use crate::exchange::text::{Keep, visible};
use crate::model::{FinishRule, bare_address, shown_variable};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Stand behind the prices of a block, which nobody knows yet.
const READ: &str = "# US dollars for a million tokens read: put yours in (0 for a free model)";
const WRITTEN: &str = "# and for a million written";

/// Models without a price, and how they get one.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpriced {
    /// By their names in the cast.
    pub models: Vec<String>,
    /// The prices that their session was begun with, where it had some.
    pub recorded: Vec<TypedPrice>,
    /// The person's own configuration file.
    file: String,
    /// Whole tables for that file; empty where all models stand in one already.
    tables: String,
    /// Tables that stand in a file already and lack prices: their headers, each with its file.
    lacking: Vec<(String, String)>,
}

impl Unpriced {
    /// Finds out what is to be written where; `models` are those of the cast without a price.
    pub(super) fn of(table: &ModelTable, players: &[&ModelPlayer], models: Vec<String>) -> Self {
        let own_file = table.own_file.as_ref();
        let mut unpriced = Self {
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
            if is_unpriced && let Some(price) = kept_settings(player).as_ref().and_then(configured)
            {
                let model = Some(player.model.clone());
                let typed = TypedPrice { model, price };
                if !unpriced.recorded.contains(&typed) {
                    unpriced.recorded.push(typed);
                }
            }
            match present.configured {
                Some(name) if is_unpriced => {
                    let file = table.model_files.get(name);
                    let file = file
                        .map_or_else(|| unpriced.file.clone(), |file| file.display().to_string());
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

    /// Says what is wrong, in a line.
    pub fn complaint(&self) -> String {
        let shown = |name: &String| format!("'{}'", visible(name, Keep::Nothing));
        let names: Vec<String> = self.models.iter().map(shown).collect();
        match names.as_slice() {
            [only] => format!("a ceiling is set and model {only} has no price"),
            _ => format!(
                "a ceiling is set and these models have no price: {}",
                names.join(", ")
            ),
        }
    }

    /// Returns the lines for the configuration, with where they belong.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        // Writing to a string cannot fail.
        if !self.tables.is_empty() {
            let _ = write!(lines, "add to {}:\n{}", self.file, self.tables);
        }
        for (header, file) in &self.lacking {
            let and = if lines.is_empty() { "" } else { "\n" };
            let _ = write!(
                lines,
                "{and}add below {header} in {file}:\n\n{}",
                prices(None)
            );
        }
        lines.trim_end().to_owned()
    }
}

impl fmt::Display for Unpriced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.complaint(), self.lines())
    }
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

/// The two lines of a price; what nobody said yet is asked for.
fn prices(price: Option<Price>) -> String {
    match price {
        Some(Price { read, written }) => {
            format!("price_in_usd_per_mtok = {read:?}\nprice_out_usd_per_mtok = {written:?}\n")
        }
        None => format!(
            "price_in_usd_per_mtok = 0.0   {READ}\nprice_out_usd_per_mtok = 0.0  {WRITTEN}\n"
        ),
    }
}
