//! Search for servers: the one that is named, those that are configured, those that answer on the usual
//! ports of this machine.

use super::cast::HUMAN;
use super::model_table::{ModelTable, SIM};
use super::models::RECORDED;
use super::scripted::{FIXED, SAID};
use super::served_models::{ModelListError, ServedModels, fetch_models};
use elenchus_model::{
    AddressError, ProviderSettings, Trust, TrustError, Trusted, bare_address, base_url_candidates,
};
use futures_util::future::join_all;

/// Servers of models on one's own machine, with their default ports.
pub const USUAL_SERVERS: [(&str, u16); 4] = [
    ("Ollama", 11434),
    ("llama.cpp", 8080),
    ("vLLM", 8000),
    ("LM Studio", 1234),
];

/// Why a server that is named cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ServerSearchError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(
        "the server gives no list of models; check the address and that it runs, or name the variable of \
         its key with --key: {0}"
    )]
    NoList(String),
}

type Result<T, E = ServerSearchError> = std::result::Result<T, E>;

/// A server that a person names.
#[derive(Debug, Clone, Copy)]
pub struct NamedServer<'a> {
    pub url: &'a str,
    /// The environment variable that holds its key.
    pub key: Option<&'a str>,
}

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

/// Looks for servers; `tell` is told of those that do not answer.
///
/// # Errors
/// When the server that is named cannot be used.
pub async fn find_servers(
    server: Option<NamedServer<'_>>,
    table: &ModelTable,
    served: &ServedModels,
    report: impl Fn(&str),
) -> Result<Vec<FoundServer>> {
    if let Some(server) = server {
        return Ok(vec![find_named_server(server, table).await?]);
    }
    let configured_servers = find_configured_servers(table, served, &report).await;
    if !configured_servers.is_empty() || table.named_providers().next().is_some() {
        return Ok(configured_servers);
    }
    Ok(find_local_servers().await)
}

async fn find_named_server(server: NamedServer<'_>, table: &ModelTable) -> Result<FoundServer> {
    let mut why = None;
    for base_url in base_url_candidates(server.url)? {
        let mut settings = ProviderSettings::from_base_url(&base_url);
        settings.api_key_env = server.key.map(str::to_owned);
        // Naming server and key together approves that key for that server.
        let mut trust = table.trust.clone();
        let pair =
            Trusted::from_url(&base_url, server.key, "--server").map_err(TrustError::from)?;
        trust.pairs.push(pair);
        match fetch_usable_models("the server", &settings, &trust).await {
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
            Err(error) => {
                why.get_or_insert(format!("{}: {error}", bare_address(&base_url)));
            }
        }
    }
    let why = why.unwrap_or_else(|| format!("{} is no address", server.url));
    Err(ServerSearchError::NoList(why))
}

async fn find_configured_servers(
    table: &ModelTable,
    served: &ServedModels,
    report: impl Fn(&str),
) -> Vec<FoundServer> {
    let mut servers = Vec::new();
    for server in served.load_all().await {
        match (server.list, table.providers.get(&server.provider)) {
            (Ok(list), Some(settings)) => servers.push(FoundServer {
                settings: settings.clone(),
                provider: Some(server.provider),
                models: usable_names(list.models),
                guess: None,
            }),
            (Err(ModelListError::NotAsked(why)), _) => report(&why),
            (Err(ModelListError::NoAnswer(why) | ModelListError::NothingListed(why)), _) => {
                report(&format!("{} at {}: {why}", server.provider, server.address));
            }
            (Ok(_), None) => {}
        }
    }
    servers
}

async fn find_local_servers() -> Vec<FoundServer> {
    let requests = USUAL_SERVERS.iter().map(|(guess, port)| async move {
        let settings = ProviderSettings::from_base_url(&format!("http://127.0.0.1:{port}/v1"));
        let models = fetch_usable_models(guess, &settings, &Trust::default())
            .await
            .ok()?;
        Some(FoundServer {
            settings,
            provider: None,
            models,
            guess: Some(guess),
        })
    });
    join_all(requests).await.into_iter().flatten().collect()
}

async fn fetch_usable_models(
    name: &str,
    settings: &ProviderSettings,
    trust: &Trust,
) -> Result<Vec<String>, ModelListError> {
    let lookup = |variable: &str| std::env::var(variable).ok();
    let all_models = fetch_models(name, settings, trust, &lookup).await?;
    let models = usable_names(all_models.into_iter().map(|model| model.name).collect());
    match models.is_empty() {
        true => Err(ModelListError::NothingListed(
            "it lists no models that can be chosen by their names".to_owned(),
        )),
        false => Ok(models),
    }
}

/// Returns the names that mean nothing else to a command.
fn usable_names(mut models: Vec<String>) -> Vec<String> {
    models.retain(|name| !is_reserved_name(name));
    models
}

/// Whether commands understand something else by a name: a simulated model, a person, a recording, lines
/// that are written down, or several models.
fn is_reserved_name(name: &str) -> bool {
    let begins = ["human:", RECORDED, FIXED, SAID];
    matches!(name, SIM | HUMAN)
        || name.contains([',', '='])
        || begins.iter().any(|word| name.starts_with(word))
}
