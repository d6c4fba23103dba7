//! `elenchus doctor --probe`: who answers, at the configured addresses and the usual local ones.

use super::doctor::Findings;
use super::workshop::Workshop;
use crate::model::{PROBE_DEADLINE, Provider, ProviderSettings, bare_address, probe};
use anyhow::Context;
use futures_util::future::join_all;

/// Where local servers listen unless they are told otherwise.
const USUAL: [(&str, u16); 4] = [
    ("Ollama", 11434),
    ("llama.cpp", 8080),
    ("vLLM", 8000),
    ("LM Studio", 1234),
];
/// How many names of models are shown.
const MAX_NAMES: usize = 8;

/// Asks every server for its models and notes what it says.
///
/// # Errors
/// When the system gives no means to contact anybody.
pub fn look(shop: &Workshop, findings: &mut Findings) -> anyhow::Result<()> {
    let configured: Vec<(String, ProviderSettings)> =
        shop.config.models.providers.clone().into_iter().collect();
    let usual: Vec<(String, ProviderSettings)> = USUAL
        .iter()
        .map(|(name, port)| {
            let url = format!("http://127.0.0.1:{port}/v1");
            ((*name).to_owned(), ProviderSettings::at(&url))
        })
        .filter(|(_, usual)| {
            configured
                .iter()
                .all(|(_, known)| port(known) != port(usual))
        })
        .collect();
    let (answers, local) = ask_all(&configured, &usual)?;
    findings.title("Configured servers");
    if configured.is_empty() {
        findings.note("none to contact");
    }
    for ((name, settings), answer) in configured.iter().zip(answers) {
        let place = format!("{name} at {}", bare_address(&settings.base_url));
        match answer {
            Ok(models) => findings.ok(&format!("{place} answers: {}", names(&models))),
            Err(why) => findings.problem(
                &format!("{place} does not answer: {why}"),
                "check base_url, that the server runs, and that it can be reached from here",
            ),
        }
    }
    findings.title("The usual local ports");
    let mut found = false;
    for ((name, settings), answer) in usual.iter().zip(local) {
        let Ok(models) = answer else { continue };
        found = true;
        findings.note(&format!(
            "something like {name} answers at {}: {}",
            settings.base_url,
            names(&models)
        ));
        findings.note(&format!(
            "  to use it: export OPENAI_BASE_URL={}, or name it as base_url of a provider in the \
             configuration",
            settings.base_url
        ));
    }
    findings.note(if found {
        "on a shared machine it may be somebody else's: ask before you use it"
    } else {
        "nothing else answers there"
    });
    Ok(())
}

type Answer = Result<Vec<String>, String>;

fn ask_all(
    configured: &[(String, ProviderSettings)],
    usual: &[(String, ProviderSettings)],
) -> anyhow::Result<(Vec<Answer>, Vec<Answer>)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("nothing can be contacted from here")?;
    let asked = configured
        .iter()
        .chain(usual)
        .map(|(name, settings)| ask(name, settings));
    let mut answers = runtime.block_on(join_all(asked));
    let local = answers.split_off(configured.len());
    Ok((answers, local))
}

/// Asks one server for the names of its models.
async fn ask(name: &str, settings: &ProviderSettings) -> Answer {
    let lookup = |variable: &str| std::env::var(variable).ok();
    let provider = Provider::new(name, settings, &lookup).map_err(|error| error.to_string())?;
    match probe(&provider, PROBE_DEADLINE).await {
        Ok(found) => Ok(found.models),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the port of a server on this machine.
fn port(settings: &ProviderSettings) -> Option<u16> {
    let (_, rest) = settings.base_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let (host, port) = authority.rsplit_once(':')?;
    matches!(host, "127.0.0.1" | "localhost" | "[::1]")
        .then(|| port.parse().ok())
        .flatten()
}

fn names(models: &[String]) -> String {
    match models {
        [] => "it names no models".to_owned(),
        few if few.len() <= MAX_NAMES => few.join(", "),
        many => format!(
            "{} and {} more",
            many[..MAX_NAMES].join(", "),
            many.len() - MAX_NAMES
        ),
    }
}
