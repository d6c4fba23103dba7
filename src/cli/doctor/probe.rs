//! `elenchus doctor --probe`: servers that answer at the configured addresses and the usual local ones, and
//! whether configured servers end their replies with a finish reason.
//!
//! Asks a model of a configured server for one word. A server with a key may charge for that: there
//! only models are asked that are configured.

use super::DoctorFindings;
use crate::cli::common::{Workshop, first_names, wait_for};
use crate::config::FINISH_VARIABLE;
use anyhow::Result;
use elenchus_model::{
    Api, Finish, FinishRule, ModelSettings, PROBE_DEADLINE, PROBE_REPLY_TOKENS, Provider,
    ProviderError, ProviderSettings, Reply, bare_address, is_loopback, probe, probe_reply,
};
use elenchus_run::engine::seats::{ModelTable, USUAL_SERVERS};
use futures_util::future::join_all;

/// How many names of models are shown.
const MAX_NAMES: usize = 8;

/// Asks every server for its models and notes what it says.
///
/// # Errors
/// When the system gives no means to contact anybody.
pub fn look(shop: &Workshop, findings: &mut DoctorFindings) -> Result<()> {
    let configured: Vec<(String, ProviderSettings)> =
        shop.config.models.providers.clone().into_iter().collect();
    let usual: Vec<(String, ProviderSettings)> = USUAL_SERVERS
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
    let (answers, local) = ask_all(&shop.config.models, &configured, &usual)?;
    findings.title("Configured servers");
    if configured.is_empty() {
        findings.note("none to contact");
    }
    for ((name, settings), answer) in configured.iter().zip(answers) {
        let place = format!("{name} at {}", bare_address(&settings.base_url));
        match answer {
            Ok(answered) => {
                let models = named(&answered.models);
                findings.ok(&format!("{place} answers: {models}"));
                let is_fallback = shop.config.models.fallback.as_ref() == Some(name);
                report_finish_reason(name, settings, is_fallback, answered.asked, findings);
            }
            Err(Silence::Untrusted(why)) => findings.note(&why),
            Err(Silence::NoAnswer(why)) => findings.problem(
                &format!("{place} does not answer: {why}"),
                "check base_url, that the server runs, and that it can be reached from here",
            ),
        }
    }
    findings.title("The usual local ports");
    let mut found = false;
    for ((name, settings), answer) in usual.iter().zip(local) {
        let Ok(ProbeSuccess { models, .. }) = answer else {
            continue;
        };
        found = true;
        findings.note(&format!(
            "something like {name} answers at {}: {}",
            settings.base_url,
            named(&models)
        ));
        findings.note(&format!(
            "  to use it: elenchus servers add {0}, or export OPENAI_BASE_URL={0}",
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

type ProbeOutcome = Result<ProbeSuccess, Silence>;

/// Why a server said nothing.
enum Silence {
    /// It was not asked: it is not approved.
    Untrusted(String),
    NoAnswer(String),
}

/// What a server said.
struct ProbeSuccess {
    models: Vec<String>,
    /// Result of asking one of its models; `None` where no model may be asked.
    asked: Option<ProbeReply>,
}

struct ProbeReply {
    model: String,
    /// Whether the configuration names it; else it is the first that the server names.
    is_configured: bool,
    reply: Result<Reply, String>,
}

fn ask_all(
    table: &ModelTable,
    configured: &[(String, ProviderSettings)],
    usual: &[(String, ProviderSettings)],
) -> Result<(Vec<ProbeOutcome>, Vec<ProbeOutcome>)> {
    let asked = configured
        .iter()
        .map(|(name, settings)| ask(name, settings, Some(table)));
    // Whose the others are is not known: they are not made to work.
    let found = usual
        .iter()
        .map(|(name, settings)| ask(name, settings, None));
    let mut answers = wait_for(join_all(asked.chain(found)))?;
    let local = answers.split_off(configured.len());
    Ok((answers, local))
}

/// Asks one server for the names of its models, and one of them for a word.
async fn ask(name: &str, settings: &ProviderSettings, table: Option<&ModelTable>) -> ProbeOutcome {
    let lookup = |variable: &str| std::env::var(variable).ok();
    // The usual local servers have no provider in the table: this machine is free without a key.
    let trust = table.map(|table| table.trust.clone()).unwrap_or_default();
    let provider = Provider::new(name, settings, &trust, &lookup);
    let provider = provider.map_err(|error| match error {
        ProviderError::Trust(error) => Silence::Untrusted(error.to_string()),
        other => Silence::NoAnswer(other.to_string()),
    })?;
    let found = probe(&provider, PROBE_DEADLINE).await;
    let found = found.map_err(|error| Silence::NoAnswer(error.to_string()));
    let models = found?.names();
    let configured = table.and_then(|table| {
        let of_provider =
            |model: &&ModelSettings| model.is_served_by(name) && model.api() == Api::Chat;
        table.models.values().find(of_provider).cloned()
    });
    let is_configured = configured.is_some();
    let is_free = is_loopback(&settings.base_url) && settings.api_key_env.is_none();
    let first = models.first().filter(|_| table.is_some() && is_free);
    let model = configured.or_else(|| first.map(|first| ModelSettings::named(name, first)));
    let asked = match model {
        None => None,
        Some(model) => Some(ProbeReply {
            reply: (probe_reply(&provider, &model).await).map_err(|error| error.to_string()),
            model: model.name,
            is_configured,
        }),
    };
    Ok(ProbeSuccess { models, asked })
}

/// Says whether a server's replies end with a finish reason, and what to configure.
fn report_finish_reason(
    name: &str,
    settings: &ProviderSettings,
    is_fallback: bool,
    asked: Option<ProbeReply>,
    findings: &mut DoctorFindings,
) {
    let Some(asked) = asked else {
        findings.note(&format!(
            "whether {name} gives finish reasons is unknown: no model of it is configured to be asked"
        ));
        return;
    };
    let question = format!(
        "{} of {name}, asked for at most {PROBE_REPLY_TOKENS} tokens,",
        asked.model
    );
    let reply = match asked.reply {
        Ok(reply) => reply,
        Err(why) if asked.is_configured => {
            let text = format!("{question} gave no reply: {why}");
            return findings.problem(
                &text,
                "check the model's name, the key and the server's log",
            );
        }
        // The first of a list may be no chat model at all.
        Err(why) => return findings.note(&format!("{question} gave no reply: {why}")),
    };
    match (reply.finish, settings.finish_reason) {
        (Finish::Unstated, FinishRule::Absent) => {
            findings.ok(&format!("{question} gives no finish reasons, as configured"));
        }
        (Finish::Unstated, FinishRule::Required) => {
            let mut fix = format!("add finish_reason = \"absent\" under [providers.{name}]");
            if is_fallback {
                fix.push_str(&format!(
                    "; where OPENAI_BASE_URL alone names it: export {FINISH_VARIABLE}=absent"
                ));
            }
            let text = format!(
                "{question} gives no finish reasons: every reply would be taken for interrupted"
            );
            findings.problem(&text, &fix);
        }
        (_, FinishRule::Required) => findings.ok(&format!("{question} gives finish reasons")),
        (_, FinishRule::Absent) => findings.note(&format!(
            "{question} gives finish reasons: without finish_reason = \"absent\" interrupted replies \
             would be found"
        )),
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

fn named(models: &[String]) -> String {
    match models.is_empty() {
        true => "it names no models".to_owned(),
        false => first_names(models, MAX_NAMES),
    }
}
