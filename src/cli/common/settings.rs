//! Settings of a protocol as they are typed: `NAME=VALUE`.

use anyhow::{Context, Result, bail};
use elenchus_game::debate::protocol::{SettingValue, Settings};

/// Reads the `NAME=VALUE`s of an option.
pub(crate) fn parse_settings(option: &str, set: &[String]) -> Result<Settings> {
    let mut settings = Settings::new();
    for pair in set {
        let (name, value) = pair.split_once('=').with_context(|| {
            format!("{option} '{pair}' is not NAME=VALUE, as in {option} rounds=2")
        })?;
        let name = name.trim().to_owned();
        let value = SettingValue::parse(value.trim());
        if settings.insert(name.clone(), value).is_some() {
            bail!("{option} {name} is given twice");
        }
    }
    Ok(settings)
}
