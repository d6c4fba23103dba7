//! `elenchus servers add`: servers and the models that they list, written to the user's configuration.
//!
//! Of several servers all are written or none. A key goes only to the addresses that are named with
//! it, which approves them.

use super::args::ServersAddArgs;
use super::{ask_server, own_config_file, print_line, read_own_config};
use crate::cli::common::{
    CommandContext, clean_line, format_noun_count, join_first_names, output, wait_for,
};
use crate::config::write::{
    AddedServer, ChangeOutcome, MAX_NEW_MODELS, ModelBefore, NewServer, add_server, change_file,
    has_provider, is_model_name,
};
use anyhow::{Result, bail};
use elenchus_model::{
    Origin, ProviderError, ProviderSettings, ServerAnswer, Trust, Trusted, base_url_candidates,
    is_variable_name, mask_variable,
};
use std::path::Path;

/// The most names that a message repeats.
const MAX_NAMES: usize = 12;

/// Asks the servers, and writes them into the person's own configuration.
///
/// # Errors
/// When one of them cannot be used as it is; nothing is written then.
pub fn run(args: &ServersAddArgs, context: &CommandContext) -> Result<()> {
    check_args(args)?;
    let file = own_config_file(context)?;
    let own_config = read_own_config(file);
    let providers = context.config.models.providers.keys();
    let elsewhere = providers.filter(|name| !has_provider(&own_config, name));
    let taken_names: Vec<String> = elsewhere.cloned().collect();
    let mut servers = Vec::new();
    for url in &args.url {
        let server = wait_for(find_server(url, args, context))??;
        servers.push(NewServer {
            name: args.name.clone(),
            taken_names: taken_names.clone(),
            ..server
        });
    }
    let (additions, outcome) = change_file(file, |text| {
        let mut text = text.to_owned();
        let mut server_list = Vec::new();
        for server in &servers {
            let addition = add_server(&text, server)?;
            text.clone_from(&addition.text);
            server_list.push(addition);
        }
        Ok((text, server_list))
    })?;
    for (server, added) in servers.iter().zip(&additions) {
        print_addition(server, added, outcome, file)?;
        print_warnings(server, added, context);
    }
    let model = additions.iter().flat_map(|added| &added.models).next();
    if let Some(model) = model {
        print_line(&format!(
            "to use it: elenchus run --protocol pred --model {} --topic '…'",
            output::shell_word(&model.key)
        ))?;
    }
    if context.config.models.fallback.is_some() && outcome == ChangeOutcome::Written {
        output::print_notice(
            "notice: OPENAI_BASE_URL and OPENAI_API_KEY serve any name of a model only as long as \
             nothing is configured; add that server as well if you want its models",
        );
    }
    Ok(())
}

fn check_args(args: &ServersAddArgs) -> Result<()> {
    if args.name.is_some() && args.url.len() > 1 {
        bail!("--name goes with one address; add them one by one to name each");
    }
    check_key(args.key.as_deref())
}

/// Refuses a key in the place of the name of the variable that holds it.
///
/// # Errors
/// When it is no name.
pub(in crate::cli) fn check_key(key: Option<&str>) -> Result<()> {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    match key {
        Some(key) if !is_variable_name(key, &is_set) => bail!(
            "--key holds what looks like a key, not the name of a variable; put the key into an \
             environment variable, and give that variable's name"
        ),
        Some(_) | None => Ok(()),
    }
}

/// Asks at the addresses that a text can mean, and returns the server with the models to be written.
async fn find_server(
    url: &str,
    args: &ServersAddArgs,
    context: &CommandContext,
) -> Result<NewServer> {
    let candidates = base_url_candidates(url)?;
    let first = candidates.first().cloned().unwrap_or_default();
    let key = find_key_variable(&first, args, context);
    let server = |base_url: &str, models| NewServer {
        base_url: base_url.to_owned(),
        api_key_env: key.clone(),
        models,
        ..NewServer::default()
    };
    let mut trust = Trust::default();
    trust.pairs.push(Trusted::from_url(
        &first,
        key.as_deref(),
        "the command line",
    )?);
    let mut why_not = String::new();
    for base_url in &candidates {
        let settings = ProviderSettings {
            api_key_env: key.clone(),
            ..ProviderSettings::from_base_url(base_url)
        };
        let name = args.name.as_deref().unwrap_or("the server");
        match ask_server(name, &settings, &trust).await {
            ServerAnswer::Lists(listed) if listed.is_empty() => {
                why_not = "it lists no models".to_owned();
            }
            ServerAnswer::Lists(listed) => {
                return Ok(server(base_url, choose_models(base_url, &listed, args)?));
            }
            ServerAnswer::NoList(why) => why_not = format!("it has no list of models ({why})"),
            ServerAnswer::WantsKey => bail!(describe_missing_key(base_url, key.as_deref())),
            ServerAnswer::NotAsked(error @ ProviderError::NoKey { .. }) => {
                bail!("{error}; nothing was sent and nothing was written")
            }
            ServerAnswer::NotAsked(error) => bail!("{error}; nothing was written"),
            ServerAnswer::Silent(why) => {
                why_not = format!("it does not answer ({why})");
                break;
            }
        }
    }
    if args.model.is_empty() {
        bail!(
            "{first}: {why_not}; nothing was written. Check the address and that the server runs, or \
             name its models by hand: elenchus servers add {first} --model NAME"
        );
    }
    output::print_notice(&format!(
        "notice: {first}: {why_not}; its models are written as you named them"
    ));
    Ok(server(&first, args.model.clone()))
}

/// The variable whose key a server is sent: the one that is named, else the one that a provider of
/// that address is trusted with already.
fn find_key_variable(
    base_url: &str,
    args: &ServersAddArgs,
    context: &CommandContext,
) -> Option<String> {
    if args.key.is_some() {
        return args.key.clone();
    }
    let table = &context.config.models;
    let origin = Origin::from_url(base_url).ok()?;
    let mut providers = table.providers.values();
    let provider = providers.find(|one| {
        one.base_url.trim_end_matches('/') == base_url
            && one.api_key_env.is_some()
            && table.trust.allows(&origin, one.api_key_env.as_deref())
    });
    provider.and_then(|one| one.api_key_env.clone())
}

fn describe_missing_key(base_url: &str, key: Option<&str>) -> String {
    match key {
        None => format!(
            "{base_url} wants a key; nothing was written. Put it into an environment variable, and \
             name that: elenchus servers add {base_url} --key VARIABLE"
        ),
        Some(variable) => format!(
            "{base_url} refused the key in {}; nothing was written",
            mask_variable(variable)
        ),
    }
}

/// Chooses the models that are written: those that were asked for, else all that can be.
fn choose_models(base_url: &str, listed: &[String], args: &ServersAddArgs) -> Result<Vec<String>> {
    let is_fine = |name: &&String| is_model_name(name) && clean_line(name) == **name;
    let (fine, odd): (Vec<&String>, Vec<&String>) = listed.iter().partition(is_fine);
    let missing = args.model.iter().find(|name| !listed.contains(name));
    if let Some(name) = missing {
        bail!(
            "{base_url} lists no model '{}'; nothing was written. It lists {}",
            clean_line(name),
            join_first_names(&fine, MAX_NAMES)
        );
    }
    if !args.model.is_empty() {
        return Ok(args.model.clone());
    }
    if !odd.is_empty() {
        output::print_notice(&format!(
            "notice: {base_url}: {} left out, with hidden characters or too long",
            format_noun_count(odd.len(), "name")
        ));
    }
    if fine.len() > MAX_NEW_MODELS {
        bail!(
            "{base_url} lists {} models; nothing was written. Name those that you want with --model \
             NAME; it lists {}",
            fine.len(),
            join_first_names(&fine, MAX_NAMES)
        );
    }
    Ok(fine.into_iter().cloned().collect())
}

/// Prints what is in the file now.
fn print_addition(
    server: &NewServer,
    added: &AddedServer,
    changed: ChangeOutcome,
    file: &Path,
) -> Result<()> {
    let key = match &server.api_key_env {
        Some(variable) => format!("with the key in {}", mask_variable(variable)),
        None => "without a key".to_owned(),
    };
    let file = file.display();
    print_line(&match changed {
        ChangeOutcome::Written => format!("written into {file}:"),
        ChangeOutcome::Nothing => format!("{file} says so already; nothing was changed:"),
    })?;
    let provider = &added.provider;
    print_line(&format!("  {provider}: {} {key}", server.base_url))?;
    for model in &added.models {
        let model_name = clean_line(&model.key);
        print_line(&match &model.before {
            ModelBefore::Nothing => format!("  model {model_name}"),
            ModelBefore::Everything => format!("  model {model_name}, as before"),
            ModelBefore::Others(others) => format!(
                "  model {model_name}, which {} and {provider} serve together now",
                others.join(", ")
            ),
        })?;
    }
    Ok(())
}

/// Says what a person may not expect.
fn print_warnings(server: &NewServer, added: &AddedServer, context: &CommandContext) {
    let is_open = |origin: Origin| origin.is_plain() && !origin.is_loopback();
    if server.api_key_env.is_some() && Origin::from_url(&server.base_url).is_ok_and(is_open) {
        output::print_notice(&format!(
            "notice: {} is sent its key unencrypted over http://, for every machine on the way to read",
            server.base_url
        ));
    }
    let Some(nearer) = &context.config.project_file else {
        return;
    };
    for model in &added.models {
        let is_elsewhere = context.config.models.models.contains_key(&model.key)
            && model.before == ModelBefore::Nothing;
        if is_elsewhere {
            output::print_notice(&format!(
                "notice: {} configures the model '{}' too, and wins in its folder: add the server \
                 there as well, as in providers = [\"…\", \"{}\"]",
                nearer.display(),
                clean_line(&model.key),
                added.provider
            ));
        }
    }
}
