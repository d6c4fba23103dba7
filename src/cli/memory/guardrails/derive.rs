//! `elenchus memory guardrails derive`: a guardrail from the lesson of a finished debate.

use super::args::GuardDeriveArgs;
use crate::cli::common::{Exit, Workshop, output, resolve_session, run_interruptible};
use anyhow::{Result, bail};
use elenchus_run::engine::check_budget;
use elenchus_run::engine::cost::Budget;
use elenchus_run::engine::guardrails::{DerivedFrom, derive_guard};

/// Derives a guardrail and prints its id.
///
/// # Errors
/// When the debate wrote no lesson, the call failed, or its reply could not be read.
pub fn run(args: &GuardDeriveArgs, shop: &Workshop) -> Result<Exit> {
    check_budget(args.budget_usd)?;
    let session = resolve_session(shop, &args.session)?;
    let desk = shop.desk("memory", None)?;
    run_interruptible(|cancel| async move {
        let budget = Budget::new(args.budget_usd, 0.0);
        let (library, seats) = (&shop.library, &shop.seats);
        let (namespace, came) =
            derive_guard(&desk, library, seats, &budget, &session, &cancel).await?;
        let (guard, already) = match came {
            DerivedFrom::Guardrail(guard) => (guard, ""),
            DerivedFrom::Already(guard) => (guard, " before"),
            DerivedFrom::Unparsed(why) => bail!(
                "the guardrail of session {session} could not be read, nor its repair: {why}; the replies are kept, and the same command asks again"
            ),
            DerivedFrom::Failed(why) => {
                bail!("the call for the guardrail of session {session} failed: {why}")
            }
            DerivedFrom::NotSent => {
                output::notice("nothing was sent: the ceiling allows no call, or it was stopped");
                return Ok(Exit::Unfinished);
            }
        };
        output::out(&format!("{}\n", guard.id))?;
        output::notice(&format!(
            "derived{already} in memory '{namespace}', {}: {}",
            guard.standing_words(),
            output::clean(&guard.text)
        ));
        Ok(Exit::Fine)
    })
}
