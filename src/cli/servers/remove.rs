//! `elenchus servers remove`: a server and the models that it alone has go out of a person's own
//! configuration.

use super::{own_config_file, print_line, read_own_config};
use crate::cli::common::{CommandContext, clean_line, output};
use crate::config::write::{change_file, has_provider, provider_at, remove_server};
use anyhow::{Result, bail};
use elenchus_model::base_url_candidates;
use std::path::Path;

/// Takes a server out.
///
/// # Errors
/// When it is not in the user's own configuration, or that cannot be changed.
pub fn run(server: &str, context: &CommandContext) -> Result<()> {
    let file = own_config_file(context)?;
    let name = find_provider_name(server, &read_own_config(file), context, file)?;
    let (removed, _) = change_file(file, |text| {
        let removal = remove_server(text, &name)?;
        Ok((removal.text.clone(), removal))
    })?;
    print_line(&format!("taken out of {}:", file.display()))?;
    print_line(&format!("  {}", clean_line(&name)))?;
    for model in &removed.models {
        print_line(&format!("  model {}", clean_line(model)))?;
    }
    for model in &removed.kept_models {
        print_line(&format!(
            "  (model {} stays: others serve it)",
            clean_line(model)
        ))?;
    }
    let default = context.config.defaults.model.as_ref();
    if let Some(default) = default.filter(|default| removed.models.contains(default)) {
        output::print_notice(&format!(
            "notice: 'model' under [defaults] still names {}; name another one there",
            clean_line(default)
        ));
    }
    let table = &context.config.models;
    if table
        .trust
        .provider_files
        .get(&name)
        .is_some_and(|at| at != file)
    {
        output::print_notice(&format!(
            "notice: {}",
            describe_other_source(&name, context)
        ));
    }
    Ok(())
}

/// Finds the provider that a name or an address means.
fn find_provider_name(
    text: &str,
    own: &str,
    context: &CommandContext,
    file: &Path,
) -> Result<String> {
    if has_provider(own, text) {
        return Ok(text.to_owned());
    }
    let candidates = base_url_candidates(text).unwrap_or_default();
    if let Some(name) = candidates.iter().find_map(|url| provider_at(own, url)) {
        return Ok(name);
    }
    let providers = &context.config.models.providers;
    let is_it = |url: &str| {
        candidates
            .iter()
            .any(|meant| meant == url.trim_end_matches('/'))
    };
    let other_provider = providers
        .iter()
        .find(|(name, at)| *name == text || is_it(&at.base_url));
    if let Some((name, _)) = other_provider {
        bail!(
            "{}; nothing was changed",
            describe_other_source(name, context)
        );
    }
    let provider_names: Vec<String> = providers.keys().map(|name| clean_line(name)).collect();
    bail!(
        "{} holds no such server; configured are: {}",
        file.display(),
        match provider_names.is_empty() {
            true => "none".to_owned(),
            false => provider_names.join(", "),
        }
    )
}

/// Names the file of a provider that this command does not remove.
fn describe_other_source(name: &str, context: &CommandContext) -> String {
    let table = &context.config.models;
    match table.trust.provider_files.get(name) {
        Some(other) => format!(
            "the provider '{}' is in {}, which is edited by hand",
            clean_line(name),
            other.display()
        ),
        None => format!(
            "the provider '{}' is what OPENAI_BASE_URL and OPENAI_API_KEY describe: unset them",
            clean_line(name)
        ),
    }
}
