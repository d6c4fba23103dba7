//! Servers that quickstart finds: the one that is named, those that are configured, those that answer
//! on the usual ports of this machine.

use super::args::QuickstartArgs;
use crate::cli::common::Workshop;
use crate::cli::doctor::USUAL;
use crate::engine::seats::{
    FIXED, HUMAN, ModelListError, ModelTable, RECORDED, SAID, SIM, ServedModels, listed_models,
};
use crate::model::{ProviderSettings, Trust, Trusted, bare_address, base_url_candidates};
use anyhow::{Result, anyhow, bail};
use futures_util::future::join_all;

/// A server that answers, with its models.
#[derive(Debug, Clone)]
pub struct FoundServer {
    pub settings: ProviderSettings,
    /// Its name in the configuration or the environment; none where nothing names it yet.
    pub provider: Option<String>,
    pub models: Vec<String>,
    /// Usual server of that port.
    pub guess: Option<&'static str>,
}

/// Looks for servers, and prints those that do not answer.
///
/// # Errors
/// When the server that is named cannot be used.
pub async fn find(
    args: &QuickstartArgs,
    shop: &Workshop,
    tell: impl Fn(&str),
) -> Result<Vec<FoundServer>> {
    if let Some(url) = &args.server {
        return Ok(vec![named(args, url, &shop.config.models).await?]);
    }
    let configured = configured(&shop.config.models, &shop.served, &tell).await;
    if !configured.is_empty() || !shop.config.models.providers.is_empty() {
        return Ok(configured);
    }
    Ok(on_usual_ports().await)
}

async fn named(args: &QuickstartArgs, url: &str, table: &ModelTable) -> Result<FoundServer> {
    let mut why = None;
    for base_url in base_url_candidates(url)? {
        let mut settings = ProviderSettings::at(&base_url);
        settings.api_key_env.clone_from(&args.key);
        // Naming server and key together approves that key for that server.
        let mut trust = table.trust.clone();
        let pair = Trusted::at(&base_url, args.key.as_deref(), "--server")?;
        trust.pairs.push(pair);
        match list("the server", &settings, &trust).await {
            Ok(models) => {
                let mut providers = table.providers.iter();
                let provider = providers.find(|(_, known)| known.base_url == base_url);
                return Ok(FoundServer {
                    provider: provider.map(|(name, _)| name.clone()),
                    settings,
                    models,
                    guess: None,
                });
            }
            Err(error) => why = why.or(Some(error.context(bare_address(&base_url)))),
        }
    }
    let why = why.unwrap_or_else(|| anyhow!("{url} is no address"));
    Err(why.context(
        "the server gives no list of models; check the address and that it runs, or name the \
         variable of its key with --key",
    ))
}

async fn configured(
    table: &ModelTable,
    served: &ServedModels,
    tell: impl Fn(&str),
) -> Vec<FoundServer> {
    let mut found = Vec::new();
    for server in served.all().await {
        match (server.list, table.providers.get(&server.provider)) {
            (Ok(list), Some(settings)) => found.push(FoundServer {
                settings: settings.clone(),
                provider: Some(server.provider),
                models: usable(list.models),
                guess: None,
            }),
            (Err(ModelListError::NotAsked(why)), _) => tell(&why),
            (Err(ModelListError::NoAnswer(why) | ModelListError::NothingListed(why)), _) => {
                tell(&format!("{} at {}: {why}", server.provider, server.address));
            }
            (Ok(_), None) => {}
        }
    }
    found
}

async fn on_usual_ports() -> Vec<FoundServer> {
    let asked = USUAL.iter().map(|(guess, port)| async move {
        let settings = ProviderSettings::at(&format!("http://127.0.0.1:{port}/v1"));
        let models = list(guess, &settings, &Trust::default()).await.ok()?;
        Some(FoundServer {
            settings,
            provider: None,
            models,
            guess: Some(guess),
        })
    });
    join_all(asked).await.into_iter().flatten().collect()
}

async fn list(name: &str, settings: &ProviderSettings, trust: &Trust) -> Result<Vec<String>> {
    let lookup = |variable: &str| std::env::var(variable).ok();
    let models = usable(listed_models(name, settings, trust, &lookup).await?);
    if models.is_empty() {
        bail!("it lists no models that can be chosen by their names");
    }
    Ok(models)
}

/// Returns the names that mean nothing else to a command.
fn usable(mut models: Vec<String>) -> Vec<String> {
    models.retain(|name| !means_something_else(name));
    models
}

/// Whether commands understand something else by a name: a simulated model, a person, a recording, lines
/// that are written down, or several models.
fn means_something_else(name: &str) -> bool {
    let begins = ["human:", RECORDED, FIXED, SAID];
    matches!(name, SIM | HUMAN)
        || name.contains([',', '='])
        || begins.iter().any(|word| name.starts_with(word))
}
