//! Ceilings and prices of what a command begins or resumes, and hints where they do not suffice.

use super::args::{BudgetArgs, ExperimentArgs};
use super::{CommandContext, model_names, output, shell_word};
use anyhow::Result;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{CastError, WorkspaceError};
use elenchus_run::engine::check_budget;

impl CommandContext {
    /// Returns the ceilings of something that is begun: what was typed, else what is configured.
    ///
    /// # Errors
    /// When one cannot be meant.
    pub(crate) fn resolve_ceilings(&self, args: &BudgetArgs) -> Result<Ceilings> {
        let configured_ceilings = Ceilings::from_usd(self.config.defaults.budget_usd);
        let ceilings = configured_ceilings.with_overrides(args.typed_ceilings()?);
        check_budget(ceilings.cost_usd)?;
        Ok(ceilings)
    }

    /// Returns the same with models at the prices that were typed. Under a ceiling on tokens, which are the
    /// typed one or that of `known`, models are never asked without a limit: such a reply might pass it.
    ///
    /// # Errors
    /// When a model is given two prices.
    pub(crate) fn with_prices_and_limits(
        &self,
        args: &BudgetArgs,
        known: Ceilings,
    ) -> Result<Self> {
        let priced_workshop = self.with_prices(&args.price)?;
        Ok(match args.budget_tokens.or(known.tokens) {
            Some(_) => priced_workshop.with_token_limits(),
            None => priced_workshop,
        })
    }

    /// Says which typed prices replace configured ones, and which settings differ from what was recorded,
    /// and finds out whether servers list the models.
    ///
    /// # Errors
    /// When a typed price is for a model that does not play, or a name is on no list and is not confirmed.
    pub(crate) async fn check_players<'a>(
        &self,
        players: impl IntoIterator<Item = &'a ModelPlayer>,
        args: &ExperimentArgs,
    ) -> Result<()> {
        let players: Vec<&ModelPlayer> = players.into_iter().collect();
        self.print_prices_and_settings(players.iter().copied())?;
        model_names::check_names(self, players, args.names).await
    }

    /// Says which typed prices replace configured ones, and which settings differ from what was recorded.
    ///
    /// # Errors
    /// When a typed price is for a model that does not play.
    pub(crate) fn print_prices_and_settings<'a>(
        &self,
        players: impl IntoIterator<Item = &'a ModelPlayer>,
    ) -> Result<()> {
        let players: Vec<&ModelPlayer> = players.into_iter().collect();
        let price_replacements = self.seats.check_prices(players.iter().copied())?;
        for line in price_replacements
            .iter()
            .chain(&self.seats.describe_changes(players))
        {
            output::print_notice(&format!("notice: {}", output::clean_line(line)));
        }
        Ok(())
    }
}

/// What is begun or resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BegunOrResumed {
    Begins,
    /// By this command; its ceilings are kept with it.
    Experiment(String),
    /// By this command; its ceilings are typed again.
    Session(String),
}

/// Adds what the command line offers where models have no price.
pub(crate) fn with_price_advice(
    args: &BudgetArgs,
    error: anyhow::Error,
    going: &BegunOrResumed,
) -> anyhow::Error {
    let Some(WorkspaceError::Cast(CastError::Unpriced(unpriced))) = error.downcast_ref() else {
        return error;
    };
    let mut ways = vec![
        "say what a million tokens read and written cost: --price IN,OUT (0,0 for a free model)"
            .to_owned(),
    ];
    match going {
        BegunOrResumed::Experiment(again) | BegunOrResumed::Session(again)
            if !unpriced.recorded.is_empty() =>
        {
            let prices = unpriced.recorded.iter();
            let prices: String = prices
                .map(|typed| format_price_flag(&typed.to_string()))
                .collect();
            ways.insert(
                0,
                format!("type the prices again that it was begun with: {again}{prices}"),
            );
        }
        BegunOrResumed::Begins | BegunOrResumed::Experiment(_) | BegunOrResumed::Session(_) => {}
    }
    // An experiment keeps the ceiling that it was begun with, and the configuration sets its own.
    if args.budget_usd.is_some() && !matches!(going, BegunOrResumed::Experiment(_)) {
        ways.push(
            "count calls or tokens in the place of US dollars: --budget-calls N or \
             --budget-tokens N"
                .to_owned(),
        );
    }
    ways.push(unpriced.format_config_lines());
    anyhow::anyhow!(
        "{}; one of these helps:\n  {}",
        unpriced.describe_problem(),
        ways.join("\n  ")
    )
}

/// Returns the typed prices as they are typed again: they are kept in no configuration.
pub(crate) fn format_price_flags(args: &BudgetArgs) -> String {
    let prices = args.price.iter();
    prices
        .map(|typed| format_price_flag(&typed.to_string()))
        .collect()
}

fn format_price_flag(typed: &str) -> String {
    format!(" --price {}", shell_word(typed))
}
