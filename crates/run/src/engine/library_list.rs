//! Games and models to choose from: configured ones, and those that servers list.

use super::seats::{GuardModels, ModelListError, SIM, ServedModels, ServerModels};
use super::{PlayDefaults, RunContext};
use elenchus_game::debate::protocol::Settings;
use elenchus_text::safe_text::{Keep, make_visible};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Names of models in a line, at most.
const MAX_NAMES: usize = 5;

/// The games and models there are.
#[derive(Debug, Clone, Default)]
pub struct LibraryList {
    pub games: Vec<GameLine>,
    pub models: Vec<ModelLine>,
    /// Why models of a server are not listed, and what to do about it.
    pub server_faults: Vec<String>,
    /// Address of the server that is asked for any name of a model, where there is one.
    pub any_model_of: Option<String>,
    /// Model of seats without a named one; none where one must be chosen.
    pub default_model: Option<String>,
    /// Reason for that default, in words.
    pub default_why: &'static str,
    pub default_protocol: Option<String>,
}

/// A game in a list.
#[derive(Debug, Clone)]
pub struct GameLine {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Origin: built in, the person's or the project's.
    pub origin: String,
}

/// A model in a list.
#[derive(Debug, Clone)]
pub struct ModelLine {
    pub name: String,
    pub simulated: bool,
    /// Provider and price, in words.
    pub about: String,
}

/// Reads games and models, asks servers whose lists are not known, and tells again when they have
/// answered.
pub async fn read_library(
    run: &RunContext,
    defaults: &PlayDefaults,
    report: impl Fn(Arc<LibraryList>),
) {
    let known_lists = defaults.served.known_lists();
    let is_whole = known_lists.len() == run.seats.model_table().named_providers().count();
    if let Some(library) = load_library_list(run, defaults, known_lists).await {
        report(library);
    }
    if !is_whole {
        let all_lists = defaults.served.load_all().await;
        if let Some(library) = load_library_list(run, defaults, all_lists).await {
            report(library);
        }
    }
}

/// Reads the library; `None` where that panicked.
async fn load_library_list(
    run: &RunContext,
    defaults: &PlayDefaults,
    servers: Vec<ServerModels>,
) -> Option<Arc<LibraryList>> {
    let (run, defaults) = (run.clone(), defaults.clone());
    let task = spawn_blocking(move || Arc::new(build_library_list(&run, &defaults, &servers)));
    task.await.ok()
}

/// Describes the servers that answer, each time in one line: those whose lists of models are known, and again
/// when all have answered.
pub async fn describe_servers(run: &RunContext, defaults: &PlayDefaults, report: impl Fn(String)) {
    let server_count = run.seats.model_table().named_providers().count();
    if server_count == 0 {
        return;
    }
    let describe = async |servers: Vec<ServerModels>| {
        let (library, defaults) = (run.library.clone(), defaults.clone());
        let line = spawn_blocking(move || {
            let usual = defaults.find_model(&library, &servers);
            describe_server_models(&servers, usual.as_deref())
        });
        if let Ok(Some(line)) = line.await {
            report(line);
        }
    };
    let known_lists = defaults.served.known_lists();
    let is_whole = known_lists.len() == server_count;
    describe(known_lists).await;
    if !is_whole {
        describe(defaults.served.load_all().await).await;
    }
}

fn build_library_list(
    run: &RunContext,
    defaults: &PlayDefaults,
    servers: &[ServerModels],
) -> LibraryList {
    let games = run.library.list_protocols().into_iter();
    let games = games.map(|(id, origin)| {
        let game = run.library.load_unpinned_game(&id, &Settings::default());
        let (name, description) = match game {
            Ok(game) => (game.protocol.name, game.protocol.description),
            Err(error) => (id.clone(), error.to_string()),
        };
        GameLine {
            id,
            name,
            description,
            origin: origin.to_string(),
        }
    });
    let usual = defaults.find_model(&run.library, servers);
    LibraryList {
        games: games.collect(),
        models: list_models(run, &defaults.served, servers),
        server_faults: servers.iter().filter_map(describe_server_fault).collect(),
        any_model_of: run.seats.model_table().fallback_address(),
        default_why: match &usual {
            Some(_) if defaults.model.is_none() => "the only one listed",
            Some(name) if name == SIM && run.seats.model_table().providers.is_empty() => {
                "no server is configured"
            }
            Some(name) if name == SIM => "'model' under [defaults]; Enter lists what servers offer",
            Some(_) | None => "'model' under [defaults]",
        },
        default_model: usual,
        default_protocol: Some(defaults.protocol.clone()),
    }
}

/// Returns who can be chosen: configured models, those that a server lists, simulated ones.
pub fn list_models(
    run: &RunContext,
    served: &ServedModels,
    servers: &[ServerModels],
) -> Vec<ModelLine> {
    let table = run.seats.model_table();
    let guards = GuardModels::read(&run.library).unwrap_or_default();
    let about = |name: &str| match (table.models.get(name), &table.fallback) {
        (Some(settings), _) => {
            let servers = settings.provider_names().join(" and ");
            format!("{} at {servers}", settings.name)
        }
        (None, Some(provider)) => match guards.find_by_name(name) {
            Some(guard) => format!("{}, a guard: it judges; listed by {provider}", guard.name),
            None => format!("listed by {provider}"),
        },
        (None, None) => String::new(),
    };
    let playable = served.playable_names(servers).into_iter();
    let models = playable.map(|name| ModelLine {
        about: about(&name),
        name,
        simulated: false,
    });
    let simulated_names = served.simulated_names().into_iter();
    let simulated_models = simulated_names.map(|name| ModelLine {
        name,
        simulated: true,
        about: "simulated: fast, free, never evidence".to_owned(),
    });
    models.chain(simulated_models).collect()
}

/// Describes in one line the servers that answer, their models and the default model; none where no
/// server was asked.
fn describe_server_models(servers: &[ServerModels], usual: Option<&str>) -> Option<String> {
    if servers.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = servers.iter().map(describe_server).collect();
    lines.push(match usual {
        Some(name) => format!("a new debate is played by {}", clean_text(name)),
        None => "a new debate asks who plays".to_owned(),
    });
    Some(lines.join("; "))
}

fn describe_server(server: &ServerModels) -> String {
    let address = &server.address;
    match &server.list {
        Ok(list) => {
            let names = list
                .models
                .iter()
                .take(MAX_NAMES)
                .map(|name| clean_text(name));
            let names = names.collect::<Vec<_>>().join(", ");
            match list.models.len().saturating_sub(MAX_NAMES) {
                0 => format!("{address} answers: {names}"),
                more => format!("{address} answers: {names} and {more} more"),
            }
        }
        Err(ModelListError::NothingListed(_)) => format!("{address} answers and lists no models"),
        Err(ModelListError::NoAnswer(_)) => format!("{address} does not answer"),
        Err(ModelListError::NotAsked(why)) => clean_text(why),
    }
}

/// Says why the models of a server are not listed, and what to do; `None` where they are.
fn describe_server_fault(server: &ServerModels) -> Option<String> {
    let address = &server.address;
    Some(match &server.list {
        Ok(_) => return None,
        Err(ModelListError::NoAnswer(why)) => format!(
            "{address} does not answer: start the server, or see 'elenchus doctor --probe'; a name \
             can be typed all the same ({})",
            clean_text(why)
        ),
        Err(ModelListError::NothingListed(why)) => {
            format!(
                "{address} lists no models: type a name that it serves ({})",
                clean_text(why)
            )
        }
        Err(ModelListError::NotAsked(why)) => clean_text(why),
    })
}

fn clean_text(text: &str) -> String {
    make_visible(text, Keep::Nothing).to_string()
}
