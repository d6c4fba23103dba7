//! Choice of debaters and evaluator: from the options, else asked with a proposal.

use super::args::QuickstartArgs;
use super::clean_line;
use crate::cli::common::{print_notice, question};
use anyhow::{Result, bail};
use elenchus_run::engine::seats::{GuardModels, is_no_chat_model};

/// Debaters of the game, each of whom may be another model.
const DEBATERS: usize = 3;
/// The most models that are numbered on the screen.
const SHOWN: usize = 30;

/// The cast that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenCast {
    /// One for all debaters, or one for each.
    pub debaters: Vec<String>,
    pub evaluator: String,
}

/// What a server offers, sorted by what it is good for.
pub struct Offer<'a> {
    pub speakers: Vec<&'a str>,
    pub guards: Vec<&'a str>,
}

impl<'a> Offer<'a> {
    pub fn from_models(models: &'a [String], guards: &GuardModels) -> Self {
        let (guards, others): (Vec<&str>, Vec<&str>) = models
            .iter()
            .map(String::as_str)
            .partition(|name| guards.find_by_name(name).is_some());
        let mut speakers = others;
        speakers.retain(|name| !is_no_chat_model(name));
        Self { speakers, guards }
    }

    /// The first that can speak, at most three. Where no guard can judge, one is left to do it that does not debate.
    fn default_debaters(&self) -> Vec<&'a str> {
        let judges = usize::from(self.guards.is_empty());
        let debates = self.speakers.len().saturating_sub(judges).max(1);
        let debaters = self.speakers.iter().take(debates.min(DEBATERS));
        debaters.copied().collect()
    }

    /// A guard model where there is one, else a model that does not debate, else the last debater.
    fn default_evaluator(&self, debaters: &[String]) -> Option<&'a str> {
        let debates = |name: &str| debaters.iter().any(|debater| debater == name);
        let aside = || self.speakers.iter().copied().find(|name| !debates(name));
        let guard = self.guards.first().copied();
        guard.or_else(aside).or(self.speakers.last().copied())
    }
}

/// Takes debaters and evaluator from the options, and asks for what they leave open.
///
/// # Errors
/// When a choice is open and no person can be asked, or the terminal is closed.
pub fn choose_cast(
    args: &QuickstartArgs,
    models: &[String],
    guards: &GuardModels,
) -> Result<ChosenCast> {
    let offer = Offer::from_models(models, guards);
    let is_open = args.debaters.is_empty() || args.evaluator.is_none();
    let asks = is_open && !args.yes && question::is_somebody_there();
    if asks {
        print_models(models, guards);
    }
    let debaters = match args.debaters.as_slice() {
        [] if asks => ask_debaters(models, &offer)?,
        [] => offer
            .default_debaters()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        given => given.to_vec(),
    };
    let debaters = seat_debaters(debaters);
    if debaters.is_empty() {
        bail!("the server lists no model that can debate; name one with --debaters");
    }
    let suggestion = offer.default_evaluator(&debaters);
    let evaluator = match (&args.evaluator, suggestion) {
        (Some(given), _) => given.clone(),
        (None, Some(proposed)) if asks => ask_evaluator(models, proposed)?,
        (None, Some(proposed)) => proposed.to_owned(),
        (None, None) => bail!("name who judges with --evaluator"),
    };
    Ok(ChosenCast {
        debaters,
        evaluator,
    })
}

/// Returns who sits on each chair: of two models the first takes the third chair too.
fn seat_debaters(mut models: Vec<String>) -> Vec<String> {
    if let [first, _] = models.as_slice() {
        models.push(first.clone());
    }
    models
}

fn print_models(models: &[String], guards: &GuardModels) {
    for (at, name) in models.iter().take(SHOWN).enumerate() {
        let about = match guards.find_by_name(name) {
            Some(guard) => format!("   {}: a guard, it can only judge", guard.name),
            None if is_no_chat_model(name) => "   no chat model, by its name".to_owned(),
            None => String::new(),
        };
        print_notice(&format!("  {:>2}  {}{about}", at + 1, clean_line(name)));
    }
    if models.len() > SHOWN {
        print_notice(&format!("      and {} more, by name", models.len() - SHOWN));
    }
}

fn ask_debaters(models: &[String], offer: &Offer<'_>) -> Result<Vec<String>> {
    let suggestion = offer.default_debaters();
    loop {
        let question = format!(
            "Who debates? One for all {DEBATERS}, or 2 or {DEBATERS} between commas [{}]",
            clean_line(&suggestion.join(", "))
        );
        let answer = question::read_answer(&question)?;
        let Some(answer) = answer else {
            bail!("no answer; name the debaters with --debaters");
        };
        let entries = answer.split(',').map(str::trim);
        let entries = entries.filter(|name| !name.is_empty());
        let names: Vec<String> = entries.map(|typed| resolve_model(models, typed)).collect();
        match names.len() {
            0 if !suggestion.is_empty() => {
                return Ok(suggestion.into_iter().map(str::to_owned).collect());
            }
            1..=DEBATERS => return Ok(names),
            _ => print_notice(&format!("give 1 to {DEBATERS}")),
        }
    }
}

fn ask_evaluator(models: &[String], proposed: &str) -> Result<String> {
    let question = format!("Who judges every answer? [{}]", clean_line(proposed));
    match question::read_answer(&question)?.as_deref() {
        None => bail!("no answer; name the evaluator with --evaluator"),
        Some("") => Ok(proposed.to_owned()),
        Some(typed) => Ok(resolve_model(models, typed)),
    }
}

fn resolve_model(models: &[String], typed: &str) -> String {
    let model_at = |number: usize| models.get(number.checked_sub(1)?).cloned();
    // A model may be called by a number: its name wins.
    if models.iter().any(|name| name == typed) {
        return typed.to_owned();
    }
    let number = typed.parse().ok().and_then(model_at);
    number.unwrap_or_else(|| typed.to_owned())
}
