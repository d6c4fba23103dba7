//! Models of a run, before it is gone on with.

use crate::engine::seats::Seats;
use crate::engine::{CostCeiling, check_models};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::Result;
use elenchus_records::workspace::run::Manifest;

/// Finds out whether the models of a run can be called under ceilings.
///
/// # Errors
/// When a model is not there, cannot be called, or has no price under a ceiling in US dollars.
pub fn check_run_models(manifest: &Manifest, seats: &Seats, ceilings: Ceilings) -> Result<()> {
    let ceiling = CostCeiling::from_budget(ceilings.cost_usd, &manifest.protocol);
    for cast in &manifest.casts {
        check_models(cast, seats, ceiling)?;
    }
    Ok(())
}
