//! `elenchus servers list`: what is configured, where, and on request what answers.

use super::args::ServersListArgs;
use super::ask_server;
use crate::cli::common::{CommandContext, Page, join_first_names, output, wait_for};
use anyhow::Result;
use elenchus_model::{ProviderSettings, ServerAnswer, bare_address, mask_variable};
use elenchus_run::engine::seats::ModelTable;
use futures_util::future::join_all;
use serde::Serialize;
use std::path::Path;

/// Where texts begin below a server's name.
const TEXT: usize = 10;
/// The most names of models that a line holds.
const MAX_NAMES: usize = 24;

/// A server, as it is listed.
#[derive(Serialize)]
struct ServerRow<'a> {
    name: &'a str,
    base_url: String,
    /// The variable of its key.
    api_key_env: Option<&'a str>,
    /// Whether that variable is set.
    key_is_set: bool,
    /// The file that names it.
    file: Option<&'a Path>,
    /// Whether the environment says its address.
    of_environment: bool,
    /// Nobody named its address.
    #[serde(skip)]
    is_assumed: bool,
    models: Vec<RowModel<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<Probe>,
}

#[derive(Serialize)]
struct RowModel<'a> {
    /// The name that commands take.
    model: &'a str,
    /// The name that the server knows.
    name: &'a str,
}

/// Result of asking a server.
#[derive(Serialize)]
struct Probe {
    answers: bool,
    /// Why it said nothing, or no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// What it lists.
    models: Vec<String>,
    /// What of that no model of the configuration names.
    not_configured: Vec<String>,
}

/// Lists the servers.
///
/// # Errors
/// When they are to be asked and nothing can be contacted.
pub fn run(args: &ServersListArgs, context: &CommandContext) -> Result<()> {
    let table = &context.config.models;
    let mut rows: Vec<ServerRow> = table
        .providers
        .iter()
        .map(|(name, settings)| build_row(name, settings, table))
        .collect();
    if args.probe {
        let requests = table.providers.iter();
        let requests = requests.map(|(name, settings)| ask_server(name, settings, &table.trust));
        let answers = wait_for(join_all(requests))?;
        for (row, answer) in rows.iter_mut().zip(answers) {
            row.probe = Some(build_probe(answer, row));
        }
    }
    if args.output.json {
        return output::print_json_lines(&rows);
    }
    let mut page = Page::new(output::width(), context.colour);
    if rows.is_empty() {
        page.add_line("no server is configured; 'elenchus servers add URL' adds one");
    }
    for row in &rows {
        print_server(row, table, &mut page);
    }
    output::print_text(&page.into_text())
}

fn build_row<'a>(
    name: &'a str,
    settings: &'a ProviderSettings,
    table: &'a ModelTable,
) -> ServerRow<'a> {
    let variable = settings.api_key_env.as_deref();
    let is_set = |variable: &str| std::env::var_os(variable).is_some_and(|key| !key.is_empty());
    let of_it = table
        .models
        .iter()
        .filter(|(_, model)| model.is_served_by(name));
    let of_environment = table.of_environment.as_ref();
    ServerRow {
        name,
        base_url: bare_address(&settings.base_url),
        api_key_env: variable.map(mask_variable),
        key_is_set: variable.is_some_and(is_set),
        file: table
            .trust
            .provider_files
            .get(name)
            .map(|file| file.as_path()),
        of_environment: of_environment.is_some_and(|it| it.provider == name),
        is_assumed: of_environment.is_some_and(|it| it.provider == name && it.is_assumed),
        models: of_it
            .map(|(key, model)| RowModel {
                model: key,
                name: &model.name,
            })
            .collect(),
        probe: None,
    }
}

fn build_probe(answer: ServerAnswer, row: &ServerRow<'_>) -> Probe {
    let (answers, why, models) = match answer {
        ServerAnswer::Lists(models) => (true, None, models),
        ServerAnswer::NoList(why) => (true, Some(format!("no list of models: {why}")), Vec::new()),
        ServerAnswer::WantsKey => (
            true,
            Some("it refuses the key, or wants one".to_owned()),
            Vec::new(),
        ),
        ServerAnswer::Silent(why) => (false, Some(why), Vec::new()),
        ServerAnswer::NotAsked(error) => (false, Some(error.to_string()), Vec::new()),
    };
    let is_known = |name: &&String| row.models.iter().any(|model| model.name == *name);
    Probe {
        answers,
        why,
        not_configured: models
            .iter()
            .filter(|name| !is_known(name))
            .cloned()
            .collect(),
        models,
    }
}

fn print_server(row: &ServerRow<'_>, table: &ModelTable, page: &mut Page) {
    page.add_title(&format!("{}  {}", row.name, row.base_url));
    let key = match row.api_key_env {
        None => "none".to_owned(),
        Some(variable) if row.key_is_set => format!("in {variable}"),
        Some(variable) => format!("in {variable}, which is not set"),
    };
    page.add_field(2, "key", TEXT, &key);
    let from = match (row.file, row.of_environment) {
        (Some(file), true) => format!("OPENAI_BASE_URL, with the settings of {}", file.display()),
        (Some(file), false) => file.display().to_string(),
        (None, _) if row.is_assumed => {
            "OPENAI_API_KEY alone, for a model that you name: set OPENAI_BASE_URL to be \
             offered its models"
                .to_owned()
        }
        (None, _) => "OPENAI_BASE_URL, OPENAI_API_KEY".to_owned(),
    };
    page.add_field(2, "from", TEXT, &from);
    let model_names = row.models.iter().map(|model| {
        let is_same = model.model == model.name;
        match is_same {
            true => model.model.to_owned(),
            false => format!("{} ({})", model.model, model.name),
        }
    });
    let models = match (
        row.models.is_empty(),
        table.fallback.as_deref() == Some(row.name),
    ) {
        (true, true) => "any that it knows, by its name".to_owned(),
        (true, false) => "none".to_owned(),
        (false, _) => join_first_names(&model_names.collect::<Vec<_>>(), MAX_NAMES),
    };
    page.add_field(2, "models", TEXT, &models);
    if let Some(probe) = &row.probe {
        let answer_text = match (&probe.why, probe.answers) {
            (None, _) => "it answers".to_owned(),
            (Some(why), true) => format!("it answers, {why}"),
            (Some(why), false) => format!("no answer: {why}"),
        };
        page.add_field(2, "now", TEXT, &answer_text);
        if !probe.not_configured.is_empty() {
            let names = join_first_names(&probe.not_configured, MAX_NAMES);
            page.add_field(2, "lists", TEXT, &format!("{names}, not configured"));
        }
    }
}
