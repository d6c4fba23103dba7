//! Models without prices under a ceiling on cost, and the lines of configuration that would price them,
//! ready to be pasted.

use super::typed_price::{Price, TypedPrice};
use elenchus_text::safe_text::{Keep, make_visible};
use std::fmt::{self, Write};

/// Comments behind the prices of a block, which are not known yet.
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
    pub file: String,
    /// Whole tables for that file; empty where the file has all models already.
    pub tables: String,
    /// Tables of a file that lack prices: their headers, each with its file.
    pub lacking: Vec<(String, String)>,
}

impl Unpriced {
    /// Says what is wrong, in a line.
    pub fn describe_problem(&self) -> String {
        let quote = |name: &String| format!("'{}'", make_visible(name, Keep::Nothing));
        let names: Vec<String> = self.models.iter().map(quote).collect();
        match names.as_slice() {
            [only] => format!("a ceiling is set and model {only} has no price"),
            _ => format!(
                "a ceiling is set and these models have no price: {}",
                names.join(", ")
            ),
        }
    }

    /// Returns the lines for the configuration, with where they belong.
    pub fn format_config_lines(&self) -> String {
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
                format_prices(None)
            );
        }
        lines.trim_end().to_owned()
    }
}

impl fmt::Display for Unpriced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; {}",
            self.describe_problem(),
            self.format_config_lines()
        )
    }
}

/// The two lines of a price; a missing one is asked for.
pub fn format_prices(price: Option<Price>) -> String {
    match price {
        Some(Price { read, written }) => {
            format!("price_in_usd_per_mtok = {read:?}\nprice_out_usd_per_mtok = {written:?}\n")
        }
        None => format!(
            "price_in_usd_per_mtok = 0.0   {READ}\nprice_out_usd_per_mtok = 0.0  {WRITTEN}\n"
        ),
    }
}
