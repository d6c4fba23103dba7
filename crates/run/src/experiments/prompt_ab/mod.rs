//! Prompt comparison (A/B): planned, begun, resumed.

mod contexts;
mod estimate;
mod event;
mod play;
mod preference;
mod report;
mod selection;
mod state;
mod summary;
mod survey;

use super::prompt_trial::{TurnContext, check_samples, sweep_samples};
use crate::experiments::engine::{ExperimentContext, ExperimentLog};
use contexts::by_topic;
pub use contexts::{TurnFilter, fresh_contexts};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::library::software;
use elenchus_records::workspace::{
    JournalKind, Result, WorkspaceError, invalid, sort_newest_first,
};
use elenchus_store::Layout;
pub use estimate::estimate_ab;
pub use event::{AbArm, AbCell, AbContext, AbEvent, AbPlan, AbPreference, AbStop, DEFAULT_ALPHA};
use event::{AbManifest, FORMAT};
use preference::{is_kin, is_priced, judge_of};
pub use report::AbRows;
pub use selection::{ComparedTemplate, ComparedTurns, TemplateFilter, select_turns};
pub use state::AbState;
pub use summary::{AbFlip, AbSummary, ab_summary, summarise};
pub use survey::{AbPlanned, AbSource, AbSurvey, AbWish};

/// Comparison in progress: it holds its journal's lock.
pub struct Ab {
    pub log: ExperimentLog<AbEvent>,
}

/// Maximum error probability of stopping early.
const MAX_ALPHA: f64 = 0.5;

impl Ab {
    /// Begins a comparison; its manifest is durable when this returns. Blocks while texts are tried
    /// on the first turns.
    ///
    /// # Errors
    /// When there is no turn, a text cannot be used on the first one, or the disk refuses.
    pub async fn begin(context: &ExperimentContext, mut plan: AbPlan) -> Result<Self> {
        if plan.contexts.is_empty() {
            return invalid(
                "no recorded turn fits: choose other sessions, another seat or another round",
            );
        }
        check_samples(plan.samples)?;
        sweep_samples(context)?;
        if let AbStop::Settled { alpha } = plan.stop
            && !(alpha > 0.0 && alpha <= MAX_ALPHA)
        {
            return invalid(format!(
                "{alpha} is no chance of settling wrongly; give one above 0 and up to {MAX_ALPHA}, as in 0.05"
            ));
        }
        // A text that fails is found before anything is paid for.
        if let Some(first) = plan.contexts.first() {
            try_texts(context, first, &plan)?;
        }
        let judge = match &plan.preference {
            None => None,
            Some(_) if plan.contexts.iter().any(|context| context.turn.is_none()) => {
                return invalid(
                    "a judged preference compares replies to one recorded turn, and fresh debates \
                     have many; leave it out, or compare on recorded turns",
                );
            }
            Some(wanted) => {
                let mut judge = judge_of(&context.library, &context.seats, wanted)?;
                judge.is_kin = is_kin(
                    &context.desk.layout,
                    &plan.contexts,
                    &judge,
                    &context.library.families()?,
                )?;
                if plan.ceilings.cost_usd.is_some() && !is_priced(&context.seats, &judge)? {
                    return invalid(format!(
                        "model '{}' has no price, so a ceiling cannot hold; set its prices to \
                         compare under one",
                        wanted.judge
                    ));
                }
                Some(Box::new(judge))
            }
        };
        if !plan.stop.is_fixed() {
            plan.contexts = by_topic(plan.contexts, plan.seed);
        }
        let manifest = AbManifest {
            format: FORMAT,
            id: context.desk.clock.fresh_id(),
            software: software(),
            plan,
            judge,
        };
        let store = context.desk.layout.tries();
        store.create()?;
        let path = store.comparison(&manifest.id)?;
        let begun = AbEvent::Begun(Box::new(manifest));
        Ok(Self {
            log: ExperimentLog::begin(&context.desk, &path, (begun, Vec::new())).await?,
        })
    }

    /// Goes on with a comparison: what was played is not played again, what failed is tried again.
    /// Ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process plays it, or its journal cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        sweep_samples(context)?;
        let path = context.desk.layout.tries().comparison(id)?;
        let log = ExperimentLog::resume(&context.desk, &path, ceilings).await?;
        Ok(Self { log })
    }
}

/// Reads all comparisons, newest first; of those that cannot be read, why. Blocks.
pub fn list_comparisons(layout: &Layout) -> Vec<Result<AbState, String>> {
    let mut ids = layout.tries().names("ab").unwrap_or_default();
    sort_newest_first(&mut ids, |id| {
        let path = layout.tries().comparison(id).unwrap_or_default();
        (id.clone(), path)
    });
    let read = ids.into_iter().map(|id| {
        let read = read_ab(layout, &id);
        read.map_err(|error| format!("{id}: {error}"))
    });
    read.collect()
}

/// Reads a comparison without its lock. Blocks.
///
/// # Errors
/// When there is none of that id, or its journal cannot be read.
pub fn read_ab(layout: &Layout, id: &str) -> Result<AbState> {
    AbEvent::read(&layout.tries().comparison(id)?)
}

/// Tries both texts on what they are to be compared on. Blocks.
pub(super) fn try_texts(context: &ExperimentContext, on: &AbContext, plan: &AbPlan) -> Result<()> {
    let changes = plan.arms.iter();
    let changes = changes.filter_map(|arm| arm.change(&plan.template));
    let layout = &context.desk.layout;
    let Some(turn) = &on.turn else {
        let state = on.state(layout)?;
        for change in changes {
            let game = change.game(&state);
            let game = game.map_err(|fault| WorkspaceError::Invalid(fault.to_string()))?;
            let faults: Vec<String> = game.rehearse().iter().map(ToString::to_string).collect();
            if !faults.is_empty() {
                return invalid(faults.join("\n"));
            }
        }
        return Ok(());
    };
    let turn = TurnContext::read(&on.path(layout)?, turn)?;
    for change in changes {
        turn.rendered(&change)?;
    }
    Ok(())
}
