//! `elenchus servers remove`: a server and the models that it alone has go out of a person's own
//! configuration.

use super::{own_file, own_text, say};
use crate::cli::common::{Workshop, clean, output};
use crate::config::write::{change_file, has_provider, provider_at, remove_server};
use anyhow::{Result, bail};
use elenchus_model::base_url_candidates;
use std::path::Path;

/// Takes a server out.
///
/// # Errors
/// When it is not in the user's own configuration, or that cannot be changed.
pub fn run(server: &str, shop: &Workshop) -> Result<()> {
    let file = own_file(shop)?;
    let name = named(server, &own_text(file), shop, file)?;
    let (removed, _) = change_file(file, |text| {
        let removed = remove_server(text, &name)?;
        Ok((removed.text.clone(), removed))
    })?;
    say(&format!("taken out of {}:", file.display()))?;
    say(&format!("  {}", clean(&name)))?;
    for model in &removed.models {
        say(&format!("  model {}", clean(model)))?;
    }
    for model in &removed.kept {
        say(&format!(
            "  (model {} stays: others serve it)",
            clean(model)
        ))?;
    }
    let default = shop.config.defaults.model.as_ref();
    if let Some(default) = default.filter(|default| removed.models.contains(default)) {
        output::notice(&format!(
            "notice: 'model' under [defaults] still names {}; name another one there",
            clean(default)
        ));
    }
    let table = &shop.config.models;
    if table.trust.named_in.get(&name).is_some_and(|at| at != file) {
        output::notice(&format!("notice: {}", elsewhere(&name, shop)));
    }
    Ok(())
}

/// Finds the provider that a name or an address means.
fn named(text: &str, own: &str, shop: &Workshop, file: &Path) -> Result<String> {
    if has_provider(own, text) {
        return Ok(text.to_owned());
    }
    let meant = base_url_candidates(text).unwrap_or_default();
    if let Some(name) = meant.iter().find_map(|url| provider_at(own, url)) {
        return Ok(name);
    }
    let providers = &shop.config.models.providers;
    let is_it = |url: &str| meant.iter().any(|meant| meant == url.trim_end_matches('/'));
    let other = providers
        .iter()
        .find(|(name, at)| *name == text || is_it(&at.base_url));
    if let Some((name, _)) = other {
        bail!("{}; nothing was changed", elsewhere(name, shop));
    }
    let known: Vec<String> = providers.keys().map(|name| clean(name)).collect();
    bail!(
        "{} holds no such server; configured are: {}",
        file.display(),
        match known.is_empty() {
            true => "none".to_owned(),
            false => known.join(", "),
        }
    )
}

/// Names the file of a provider that this command does not remove.
fn elsewhere(name: &str, shop: &Workshop) -> String {
    let table = &shop.config.models;
    match table.trust.named_in.get(name) {
        Some(other) => format!(
            "the provider '{}' is in {}, which is edited by hand",
            clean(name),
            other.display()
        ),
        None => format!(
            "the provider '{}' is what OPENAI_BASE_URL and OPENAI_API_KEY describe: unset them",
            clean(name)
        ),
    }
}
