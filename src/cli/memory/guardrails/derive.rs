//! `elenchus memory guardrails derive`.

use crate::cli::args_guard::GuardDeriveArgs;
use crate::cli::exit::Exit;
use crate::cli::memory::desk;
use crate::cli::page;
use crate::cli::run::on_a_runtime;
use crate::cli::workshop::Workshop;
use crate::driver::{Budget, DerivedFrom, check_budget, derive_guard, find_session};
use anyhow::bail;

/// Derives a guardrail and prints its id.
///
/// # Errors
/// When the debate wrote no lesson, the call failed, or its reply could not be read.
pub fn run(args: &GuardDeriveArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    check_budget(args.budget_usd)?;
    let session = find_session(&shop.layout, &args.session)?;
    let desk = desk(shop)?;
    on_a_runtime(|cancel| async move {
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
                page::notice("nothing was sent: the ceiling allows no call, or it was stopped");
                return Ok(Exit::Unfinished);
            }
        };
        page::out(&format!("{}\n", guard.id))?;
        page::notice(&format!(
            "derived{already} in memory '{namespace}', {}: {}",
            guard.standing_words(),
            crate::exchange::visible(&guard.intent, crate::exchange::Keep::Nothing)
        ));
        Ok(Exit::Fine)
    })
}
