//! Completers of option values: models, seats and protocols that begin as it is typed.

use super::context::CommandContext;
use super::global::Global;
use clap::builder::StyledStr;
use clap_complete::engine::CompletionCandidate;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

/// Longest wait for servers after Tab.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Maximum number of candidates that a shell is given.
const MAX_CANDIDATES: usize = 500;

/// Returns the models that begin as it is typed: configured, listed by servers, simulated; and people.
pub fn complete_models(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(prefix) = typed.to_str() else {
        return Vec::new();
    };
    let names = list_player_names().into_iter();
    let fits = names.filter(|(name, _)| name.starts_with(prefix));
    let candidates = fits.take(MAX_CANDIDATES);
    candidates
        .map(|(name, about)| CompletionCandidate::new(name).help(Some(StyledStr::from(about))))
        .collect()
}

/// Completes the last model of `SEAT=MODEL[,MODEL…]`.
pub fn complete_seat(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(prefix) = typed.to_str().filter(|typed| typed.contains('=')) else {
        return Vec::new();
    };
    let Some(at) = prefix.rfind(['=', ',']) else {
        return Vec::new();
    };
    let (before, last) = prefix.split_at(at + 1);
    let models = complete_models(OsStr::new(last)).into_iter();
    models.map(|model| model.add_prefix(before)).collect()
}

/// Returns the games that begin as it is typed.
pub fn complete_games(typed: &OsStr) -> Vec<CompletionCandidate> {
    let (Some(prefix), Some(context)) = (typed.to_str(), open_workshop()) else {
        return Vec::new();
    };
    let games = context
        .library
        .list_protocols()
        .into_iter()
        .map(|(id, _)| id);
    let fits = games.filter(|id| id.starts_with(prefix));
    fits.map(CompletionCandidate::new).collect()
}

fn open_workshop() -> Option<CommandContext> {
    let global = Global {
        store: None,
        no_color: true,
    };
    CommandContext::open(&global, Arc::new(|_| {})).ok()
}

/// Returns models and people that a seat can be given to, each with its kind; servers whose lists are not known are asked.
fn list_player_names() -> Vec<(String, &'static str)> {
    let Some(context) = open_workshop() else {
        return Vec::new();
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let servers = match runtime {
        Ok(runtime) => runtime.block_on(async {
            let answers = tokio::time::timeout(PATIENCE, context.served.load_all()).await;
            answers.unwrap_or_else(|_| context.served.known_lists())
        }),
        Err(_) => context.served.known_lists(),
    };
    let models = context.served.playable_names(&servers).into_iter();
    let models = models.map(|name| (name, "model"));
    let simulated_names = context.served.simulated_names().into_iter();
    let simulated_names = simulated_names.map(|name| (name, "simulated"));
    let person = (
        elenchus_run::engine::seats::HUMAN.to_owned(),
        "a person, at this terminal",
    );
    let all = models.chain(simulated_names).chain([person]);
    all.filter(|(name, _)| is_harmless_word(name)).collect()
}

/// Whether a shell takes a word for nothing but itself: what a server lists is inserted as it is.
fn is_harmless_word(word: &str) -> bool {
    let is_harmless = |c: char| c.is_alphanumeric() || "-_.:/@+,=%".contains(c);
    !word.is_empty() && !word.starts_with('-') && word.chars().all(is_harmless)
}
