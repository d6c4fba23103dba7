//! `elenchus doctor`: what is configured, what is missing, and how to mend it.
//!
//! Nothing is contacted without `--probe`, and no key is ever shown.

mod args;
mod memory;
mod probe;
mod training;

use super::common::{Colour, CommandContext, Page, format_noun_count, output};
use crate::config::{PROJECT_FOLDER, PendingApproval, STORE_VARIABLE};
use anyhow::{Result, bail};
pub(crate) use args::DoctorArgs;
use elenchus_game::debate::Chair;
use elenchus_model::{
    ModelSettings, Origin, ProviderSettings, TrustError, bare_address, check_key_variable,
    mask_variable,
};
use elenchus_records::workspace::{StoreIndex, all_overviews, read_runs};
use elenchus_run::engine::seats::{ModelTable, SIM};
use elenchus_store::create_private;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Where texts begin behind their mark.
const TEXT: usize = 10;

/// What is found, in the order in which it is looked for.
struct DoctorFindings {
    page: Page,
    problems: usize,
}

impl DoctorFindings {
    pub fn add_title(&mut self, text: &str) {
        self.page.add_title(text);
    }

    pub fn add_ok(&mut self, text: &str) {
        self.page.add_field(2, "ok", TEXT, text);
    }

    pub fn add_note(&mut self, text: &str) {
        self.page.add_field(2, "note", TEXT, text);
    }

    /// Something that was configured and does not work, with what to do.
    pub fn add_problem(&mut self, text: &str, fix: &str) {
        self.problems += 1;
        self.page.add_field(2, "PROBLEM", TEXT, text);
        self.page.add_field(2, "  fix:", TEXT, fix);
    }
}

/// Looks at everything and prints it.
///
/// # Errors
/// After printing, when something that is configured is broken.
pub fn run(args: &DoctorArgs, context: &CommandContext) -> Result<()> {
    let mut findings = DoctorFindings {
        page: Page::new(output::width(), context.colour),
        problems: 0,
    };
    report_configuration(context, &mut findings);
    report_store(context, &mut findings);
    report_providers(context, &mut findings);
    report_models(context, &mut findings);
    report_protocols(context, &mut findings);
    memory::report_memory(args, context, &mut findings);
    report_terminal(context, &mut findings);
    if args.probe {
        probe::probe_servers(context, &mut findings)?;
    }
    let problems = findings.problems;
    output::print_text(&findings.page.into_text())?;
    if problems > 0 {
        bail!(
            "{} found; each is above with its fix",
            format_noun_count(problems, "problem")
        );
    }
    Ok(())
}

fn report_configuration(context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Configuration (the first file wins)");
    for file in &context.config.files {
        findings.add_ok(&file.display().to_string());
    }
    if context.config.files.is_empty() {
        findings.add_note("no file; 'elenchus config init' writes one to start from");
    }
    for refused in &context.config.refusals {
        findings.add_problem(&refused.to_string(), "the line says what to do");
    }
    for line in &context.config.notices {
        findings.add_note(line);
    }
    for folder in &context.config.untrusted_projects {
        findings.add_note(&folder.to_string());
    }
    if let Some(file) = &context.config.project_file {
        // Servers are listed with their providers.
        let waiting = context.config.pending_approvals.iter();
        let ceiling_requests =
            waiting.filter(|waiting| matches!(waiting, PendingApproval::Ceiling { .. }));
        for waiting in ceiling_requests {
            findings.add_note(&format!(
                "{} {waiting}: that waits for approval; {}",
                file.display(),
                waiting.approval_command(file)
            ));
        }
    }
    for folder in context
        .config
        .prompts
        .iter()
        .filter(|folder| folder.is_dir())
    {
        findings.add_ok(&format!("prompts of {}", folder.display()));
    }
}

fn report_store(context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Store");
    let root = context.store.layout.root();
    let root_text = root.display().to_string();
    let above = root.ancestors().find(|above| above.exists());
    if let Some(file) = above.filter(|above| !above.is_dir() && *above != root) {
        let fix = format!("look at HOME, or choose another store with --store or {STORE_VARIABLE}");
        findings.add_problem(
            &format!("{root_text} cannot be: {} is no folder", file.display()),
            &fix,
        );
        return;
    }
    if !root.exists() {
        findings.add_note(&format!(
            "{root_text} is not there yet; the first debate creates it"
        ));
        return;
    }
    if !root.is_dir() {
        let fix = format!("move it away, or choose another store with --store or {STORE_VARIABLE}");
        findings.add_problem(&format!("{root_text} is not a folder"), &fix);
        return;
    }
    match write_and_remove(root) {
        Ok(()) => findings.add_ok(&format!("{root_text}, writable")),
        Err(error) => {
            let fix = format!(
                "check who owns it, or choose another store with --store or {STORE_VARIABLE}"
            );
            findings.add_problem(&format!("{root_text} cannot be written to: {error}"), &fix);
        }
    }
    let mode = root.metadata().map_or(0, |meta| meta.permissions().mode());
    if mode & 0o077 != 0 {
        let text = format!(
            "others on this machine can look into it (mode {:03o})",
            mode & 0o777
        );
        findings.add_problem(&text, &format!("chmod 700 '{root_text}'"));
    }
    report_store_contents(context, findings);
}

fn write_and_remove(folder: &Path) -> Result<()> {
    let path = folder.join(format!(".doctor.{}", std::process::id()));
    create_private(&path)?;
    Ok(std::fs::remove_file(path)?)
}

fn report_store_contents(context: &CommandContext, findings: &mut DoctorFindings) {
    if context.store.layout.cache_folder().is_dir() {
        match context.index().why_off() {
            None => findings.add_ok("the cache opens"),
            Some(why) => {
                findings.add_note(&format!("working without the cache, only slower: {why}"))
            }
        }
    } else {
        findings.add_note("there is no cache yet; the first list builds it");
    }
    let counts = all_overviews(&StoreIndex::bypass(&context.store.layout))
        .and_then(|sessions| Ok((sessions, read_runs(&context.store.layout)?)));
    match counts {
        Ok(((sessions, bad_sessions), (runs, bad_runs))) => {
            findings.add_ok(&format!(
                "{}, {}",
                format_noun_count(sessions.len(), "session"),
                format_noun_count(runs.len(), "run")
            ));
            for bad in bad_sessions.iter().chain(&bad_runs) {
                let fix = "'elenchus verify' looks at its chain; restore it from a copy";
                findings.add_problem(&bad.error.to_string(), fix);
            }
        }
        Err(error) => findings.add_problem(&error.to_string(), "check who owns the store"),
    }
}

fn report_providers(context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Providers");
    let table = &context.config.models;
    if table.providers.is_empty() {
        findings.add_note(
            "none: 'elenchus servers add URL' adds one with its models, or set OPENAI_BASE_URL; simulated \
             models need none",
        );
    }
    for (name, settings) in &table.providers {
        let place = format!("{name}: {}", bare_address(&settings.base_url));
        let lookup = |variable: &str| std::env::var(variable).ok();
        let trust_result = table.trust.check_provider(name, settings);
        let waits = matches!(trust_result, Err(TrustError::Untrusted(_)));
        match &settings.api_key_env {
            None if !waits => findings.add_ok(&format!("{place}, no key needed")),
            None => {}
            Some(_) if check_key_variable(name, settings, &lookup).is_err() => findings.add_problem(
                &format!(
                    "{place}: api_key_env holds what looks like a key, not the name of a variable"
                ),
                "put the key into an environment variable, and that variable's name there",
            ),
            Some(variable) if is_set(variable) && !waits => {
                findings.add_ok(&format!("{place}, key in {}", mask_variable(variable)));
            }
            Some(variable) if is_set(variable) => {}
            Some(variable) => findings.add_problem(
                &format!("{place}: its key is missing, {variable} is not set"),
                &format!("export {variable}=…, or remove api_key_env if it needs none"),
            ),
        }
        report_trust(name, settings, trust_result, findings);
    }
}

/// Reports origins that await approval, and keys that travel unencrypted.
fn report_trust(
    name: &str,
    settings: &ProviderSettings,
    trusted: Result<(), TrustError>,
    findings: &mut DoctorFindings,
) {
    if let Err(error) = trusted {
        return findings.add_note(&error.to_string());
    }
    let open = |origin: Origin| origin.is_plain() && !origin.is_loopback();
    if settings.api_key_env.is_some() && Origin::from_url(&settings.base_url).is_ok_and(open) {
        findings.add_note(&format!(
            "{name} is sent its key unencrypted over http://, for every machine on the way to read: \
             use https:// if the server speaks it, or a tunnel"
        ));
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn report_models(context: &CommandContext, findings: &mut DoctorFindings) {
    // A configured model is the same on every chair.
    let chair = Chair::first("any");
    findings.add_title("Models");
    let table = &context.config.models;
    for (name, settings) in &table.models {
        let price = match (
            settings.price_in_usd_per_mtok,
            settings.price_out_usd_per_mtok,
        ) {
            (Some(input), Some(output)) => format!("${input} in, ${output} out a million tokens"),
            (None, _) | (_, None) => "unpriced: no ceiling on cost can hold it".to_owned(),
        };
        match context.seats.find_player(name, &chair) {
            Ok(_) => findings.add_ok(&format!(
                "{name}: {} of {}, {price}",
                settings.name,
                settings.provider_names().join(" and ")
            )),
            Err(error) => findings.add_problem(
                &error.to_string(),
                &format!(
                    "add [providers.{}] ('elenchus servers add' writes one), or name another provider",
                    unknown_provider(settings, table)
                ),
            ),
        }
    }
    for (name, settings) in &table.models {
        if let Some(lessons) = &settings.trained_on {
            training::report_training(name, lessons, context, findings);
        }
    }
    for name in table.sims.keys() {
        findings.add_ok(&format!("{name}: simulated"));
    }
    if !table.sims.contains_key(SIM) {
        findings.add_ok(&format!("{SIM}: simulated, always there"));
    }
    if let Some(provider) = &table.fallback {
        findings.add_note(&format!(
            "any other name is asked of the provider '{provider}'"
        ));
    }
    let Some(default) = context.config.default_model() else {
        return findings.add_note(
            "seats without a named model have none: name one with --model, or as 'model' under [defaults]",
        );
    };
    match context.seats.find_player(default, &chair) {
        Ok(_) => findings.add_ok(&format!("seats without a named model get '{default}'")),
        Err(error) => findings.add_problem(
            &format!("the default model: {error}"),
            "change 'model' under [defaults]",
        ),
    }
}

/// The first provider of a model that is not configured.
fn unknown_provider<'a>(model: &'a ModelSettings, table: &ModelTable) -> &'a str {
    let mut servers = model.provider_names().into_iter();
    let unknown = servers.find(|name| !table.providers.contains_key(*name));
    unknown.unwrap_or(&model.provider)
}

fn report_protocols(context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Protocols");
    let protocol_origins = context.library.list_protocols();
    let mut ready_protocols = Vec::new();
    for (id, origin) in &protocol_origins {
        let faults = context.library.check_default(id).0;
        match faults.first() {
            None => ready_protocols.push(id.as_str()),
            Some(first) => findings.add_problem(
                &format!("{id} ({origin}): {first}"),
                &format!("'elenchus protocols check {id}' names everything that is wrong"),
            ),
        }
    }
    if !ready_protocols.is_empty() {
        findings.add_ok(&format!(
            "ready to be played: {}",
            ready_protocols.join(", ")
        ));
    }
    if protocol_origins.is_empty() {
        findings.add_note(&format!(
            "none; put one into {PROJECT_FOLDER}/prompts/ID/protocol.toml"
        ));
    }
}

fn report_terminal(context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Terminal");
    let colour = match context.colour {
        Colour::Ansi => "with colour",
        Colour::Plain => "without colour (no terminal, NO_COLOR, or TERM=dumb)",
    };
    findings.add_ok(&format!("{} columns, {colour}", output::width()));
}
