//! Tables of words that are embedded in the program.

use serde::de::DeserializeOwned;

/// Parses an embedded table. Cannot fail in a released program, because each table has a test that parses
/// it, and what is embedded is the same in every program.
pub(crate) fn parse_embedded_table<T: DeserializeOwned>(table: &str) -> T {
    toml::from_str(table).expect("an embedded table parses")
}
