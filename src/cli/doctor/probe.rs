//! `elenchus doctor --probe`: servers that answer at the configured addresses and the usual local ones, and
//! whether configured servers end their replies with a finish reason.
//!
//! Asks a model of a configured server for one word. A server with a key may charge for that: there
//! only models are asked that are configured.

use super::DoctorFindings;
use crate::cli::common::{CommandContext, join_first_names, wait_for};
use crate::config::FINISH_VARIABLE;
use anyhow::Result;
use elenchus_model::{
    Api, Finish, FinishRule, ModelSettings, PROBE_DEADLINE, PROBE_REPLY_TOKENS, Provider,
    ProviderError, ProviderSettings, Reply, bare_address, is_loopback, probe_reply, probe_server,
};
use elenchus_run::engine::seats::{ModelTable, USUAL_SERVERS};
use futures_util::future::join_all;

/// How many names of models are shown.
const MAX_NAMES: usize = 8;

/// Asks every server for its models and notes what it says.
///
/// # Errors
/// When the system gives no means to contact anybody.
pub fn probe_servers(context: &CommandContext, findings: &mut DoctorFindings) -> Result<()> {
    let configured_servers: Vec<(String, ProviderSettings)> = context
        .config
        .models
        .providers
        .clone()
        .into_iter()
        .collect();
    let local_servers: Vec<(String, ProviderSettings)> = USUAL_SERVERS
        .iter()
        .map(|(name, port)| {
            let url = format!("http://127.0.0.1:{port}/v1");
            ((*name).to_owned(), ProviderSettings::from_base_url(&url))
        })
        .filter(|(_, usual)| {
            configured_servers
                .iter()
                .all(|(_, known)| local_port(known) != local_port(usual))
        })
        .collect();
    let (answers, local) =
        ask_all_servers(&context.config.models, &configured_servers, &local_servers)?;
    findings.add_title("Configured servers");
    if configured_servers.is_empty() {
        findings.add_note("none to contact");
    }
    for ((name, settings), answer) in configured_servers.iter().zip(answers) {
        let place = format!("{name} at {}", bare_address(&settings.base_url));
        match answer {
            Ok(answered) => {
                let models = describe_models(&answered.models);
                findings.add_ok(&format!("{place} answers: {models}"));
                let is_fallback = context.config.models.fallback.as_ref() == Some(name);
                report_finish_reason(name, settings, is_fallback, answered.model_reply, findings);
            }
            Err(ProbeSilence::Untrusted(why)) => findings.add_note(&why),
            Err(ProbeSilence::NoAnswer(why)) => findings.add_problem(
                &format!("{place} does not answer: {why}"),
                "check base_url, that the server runs, and that it can be reached from here",
            ),
        }
    }
    findings.add_title("The usual local ports");
    let mut has_local_answer = false;
    for ((name, settings), answer) in local_servers.iter().zip(local) {
        let Ok(ProbeSuccess { models, .. }) = answer else {
            continue;
        };
        has_local_answer = true;
        findings.add_note(&format!(
            "something like {name} answers at {}: {}",
            settings.base_url,
            describe_models(&models)
        ));
        findings.add_note(&format!(
            "  to use it: elenchus servers add {0}, or export OPENAI_BASE_URL={0}",
            settings.base_url
        ));
    }
    findings.add_note(if has_local_answer {
        "on a shared machine it may be somebody else's: ask before you use it"
    } else {
        "nothing else answers there"
    });
    Ok(())
}

type ProbeOutcome = Result<ProbeSuccess, ProbeSilence>;

/// Why a server said nothing.
enum ProbeSilence {
    /// It was not asked: it is not approved.
    Untrusted(String),
    NoAnswer(String),
}

/// What a server said.
struct ProbeSuccess {
    models: Vec<String>,
    /// Result of asking one of its models; `None` where no model may be asked.
    model_reply: Option<ProbeReply>,
}

struct ProbeReply {
    model: String,
    /// Whether the configuration names it; else it is the first that the server names.
    is_configured: bool,
    reply: Result<Reply, String>,
}

fn ask_all_servers(
    table: &ModelTable,
    configured: &[(String, ProviderSettings)],
    usual: &[(String, ProviderSettings)],
) -> Result<(Vec<ProbeOutcome>, Vec<ProbeOutcome>)> {
    let configured_probes = configured
        .iter()
        .map(|(name, settings)| ask_server(name, settings, Some(table)));
    // Whose the others are is not known: they are not made to work.
    let local_probes = usual
        .iter()
        .map(|(name, settings)| ask_server(name, settings, None));
    let mut answers = wait_for(join_all(configured_probes.chain(local_probes)))?;
    let local = answers.split_off(configured.len());
    Ok((answers, local))
}

/// Asks one server for the names of its models, and one of them for a word.
async fn ask_server(
    name: &str,
    settings: &ProviderSettings,
    table: Option<&ModelTable>,
) -> ProbeOutcome {
    let lookup = |variable: &str| std::env::var(variable).ok();
    // The usual local servers have no provider in the table: this machine is free without a key.
    let trust = table.map(|table| table.trust.clone()).unwrap_or_default();
    let provider = Provider::new(name, settings, &trust, &lookup);
    let provider = provider.map_err(|error| match error {
        ProviderError::Trust(error) => ProbeSilence::Untrusted(error.to_string()),
        other => ProbeSilence::NoAnswer(other.to_string()),
    })?;
    let probe_result = probe_server(&provider, PROBE_DEADLINE).await;
    let probe_result = probe_result.map_err(|error| ProbeSilence::NoAnswer(error.to_string()));
    let models = probe_result?.into_names();
    let configured_model = table.and_then(|table| {
        let is_speaker = |(called, model): &(&String, &ModelSettings)| {
            let embeds = table.embeddings.as_ref() == Some(called);
            model.is_served_by(name) && model.effective_api() == Api::Chat && !embeds
        };
        let mut models = table.models.iter();
        models.find(is_speaker).map(|(_, model)| model.clone())
    });
    let is_configured = configured_model.is_some();
    let is_free = is_loopback(&settings.base_url) && settings.api_key_env.is_none();
    let first = models.first().filter(|_| table.is_some() && is_free);
    let model =
        configured_model.or_else(|| first.map(|first| ModelSettings::from_name(name, first)));
    let model_reply = match model {
        None => None,
        Some(model) => Some(ProbeReply {
            reply: (probe_reply(&provider, &model).await).map_err(|error| error.to_string()),
            model: model.name,
            is_configured,
        }),
    };
    Ok(ProbeSuccess {
        models,
        model_reply,
    })
}

/// Says whether a server's replies end with a finish reason, and what to configure.
fn report_finish_reason(
    name: &str,
    settings: &ProviderSettings,
    is_fallback: bool,
    model_reply: Option<ProbeReply>,
    findings: &mut DoctorFindings,
) {
    let Some(model_reply) = model_reply else {
        findings.add_note(&format!(
            "whether {name} gives finish reasons is unknown: no model of it is configured to be asked"
        ));
        return;
    };
    let question = format!(
        "{} of {name}, asked for at most {PROBE_REPLY_TOKENS} tokens,",
        model_reply.model
    );
    let reply = match model_reply.reply {
        Ok(reply) => reply,
        Err(why) if model_reply.is_configured => {
            let text = format!("{question} gave no reply: {why}");
            return findings.add_problem(
                &text,
                "check the model's name, the key and the server's log",
            );
        }
        // The first of a list may be no chat model at all.
        Err(why) => return findings.add_note(&format!("{question} gave no reply: {why}")),
    };
    match (reply.finish, settings.finish_reason) {
        (Finish::Unstated, FinishRule::Absent) => {
            findings.add_ok(&format!("{question} gives no finish reasons, as configured"));
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
            findings.add_problem(&text, &fix);
        }
        (_, FinishRule::Required) => findings.add_ok(&format!("{question} gives finish reasons")),
        (_, FinishRule::Absent) => findings.add_note(&format!(
            "{question} gives finish reasons: without finish_reason = \"absent\" interrupted replies \
             would be found"
        )),
    }
}

/// Returns the port of a server on this machine.
fn local_port(settings: &ProviderSettings) -> Option<u16> {
    let (_, rest) = settings.base_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let (host, port) = authority.rsplit_once(':')?;
    matches!(host, "127.0.0.1" | "localhost" | "[::1]")
        .then(|| port.parse().ok())
        .flatten()
}

fn describe_models(models: &[String]) -> String {
    match models.is_empty() {
        true => "it names no models".to_owned(),
        false => join_first_names(models, MAX_NAMES),
    }
}
