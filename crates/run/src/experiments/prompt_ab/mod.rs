//! Prompt comparison (A/B): planned, begun, resumed.

mod contexts;
mod estimate;
mod event;
mod play;
mod power;
mod preference;
mod report;
mod selection;
mod state;
mod summary;
mod survey;
mod topics;

use super::prompt_trial::{CallContext, PromptChange, check_sample_count, remove_bare_samples};
use crate::experiments::engine::{ExperimentContext, ExperimentLog};
use contexts::group_contexts;
pub use contexts::{KnownTruth, TurnFilter, create_fresh_contexts, scored_kind};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::library::software_name;
use elenchus_records::workspace::{JournalKind, Result, WorkspaceError, reject, sort_newest_first};
use elenchus_store::Layout;
pub use estimate::estimate_ab;
pub use event::{
    AbArm, AbCell, AbContext, AbEvent, AbPlan, AbPreference, AbStop, ContextKind, DEFAULT_ALPHA,
    VerdictTruth,
};
use event::{AbManifest, FORMAT};
pub use power::PlannedPower;
use preference::{has_price, is_kin, load_judge};
pub use report::AbRows;
pub use selection::{ComparedTemplate, ComparedTurns, TemplateFilter, has_one_text, select_turns};
pub use state::AbState;
pub use summary::{AbSummary, read_ab_summary, summarize_samples};
pub use survey::{AbPlanned, AbSource, AbSurvey, AbWish, TruthChoice};
pub use topics::{AbTopic, AbTopicTexts};

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
            return reject(
                "no recorded turn fits: choose other sessions, another seat or another round",
            );
        }
        check_sample_count(plan.samples)?;
        check_outcome(&plan)?;
        remove_bare_samples(context)?;
        if let AbStop::Settled { alpha } = plan.stop
            && !(alpha > 0.0 && alpha <= MAX_ALPHA)
        {
            return reject(format!(
                "{alpha} is no chance of settling wrongly; give one above 0 and up to {MAX_ALPHA}, as in 0.05"
            ));
        }
        // A text that fails is found before anything is paid for.
        if let Some(first) = plan.contexts.first() {
            check_texts(context, first, &plan)?;
        }
        let judge = match &plan.preference {
            None => None,
            Some(_) if plan.context_kind().has_truth() => {
                return reject(format!(
                    "which of two {}s is better is known from the truth, and is no preference; leave \
                     --preference out",
                    plan.context_kind().noun()
                ));
            }
            Some(_) if plan.contexts.iter().any(AbContext::is_fresh) => {
                return reject(
                    "a judged preference compares replies to one recorded turn, and fresh debates \
                     have many; leave it out, or compare on recorded turns",
                );
            }
            Some(wanted) => {
                let mut judge = load_judge(&context.library, &context.seats, wanted)?;
                judge.is_kin = is_kin(
                    &context.store.layout,
                    &plan.contexts,
                    &judge,
                    &context.library.read_families()?,
                )?;
                if plan.ceilings.cost_usd.is_some() && !has_price(&context.seats, &judge)? {
                    return reject(format!(
                        "model '{}' has no price, so a ceiling cannot hold; set its prices to \
                         compare under one",
                        wanted.judge
                    ));
                }
                Some(Box::new(judge))
            }
        };
        if !plan.stop.is_fixed() {
            plan.contexts = group_contexts(plan.contexts, plan.seed);
        }
        let manifest = AbManifest {
            format: FORMAT,
            id: context.store.clock.fresh_id(),
            software: software_name(),
            plan,
            judge,
        };
        let store = context.store.layout.tries_store();
        store.create_missing_folders()?;
        let path = store.comparison_path(&manifest.id)?;
        let first_event = AbEvent::Begun(Box::new(manifest));
        Ok(Self {
            log: ExperimentLog::begin_journal(&context.store, &path, (first_event, Vec::new()))
                .await?,
        })
    }

    /// Goes on with a comparison: what was played is not played again, what failed is tried again.
    /// Ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process plays it, or its journal cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        remove_bare_samples(context)?;
        let path = context.store.layout.tries_store().comparison_path(id)?;
        let log = ExperimentLog::resume_journal(&context.store, &path, ceilings).await?;
        Ok(Self { log })
    }
}

/// Reads all comparisons, newest first; of those that cannot be read, why. Blocks.
pub fn list_comparisons(layout: &Layout) -> Vec<Result<AbState, String>> {
    let mut ids = layout.tries_store().list_names("ab").unwrap_or_default();
    sort_newest_first(&mut ids, |id| {
        let path = layout.tries_store().comparison_path(id).unwrap_or_default();
        (id.clone(), path)
    });
    let comparisons = ids.into_iter().map(|id| {
        let comparison = read_ab(layout, &id);
        comparison.map_err(|error| format!("{id}: {error}"))
    });
    comparisons.collect()
}

/// Reads a comparison without its lock. Blocks.
///
/// # Errors
/// When there is none of that id, or its journal cannot be read.
pub fn read_ab(layout: &Layout, id: &str) -> Result<AbState> {
    AbEvent::read_state(&layout.tries_store().comparison_path(id)?)
}

/// Refuses a comparison of what nothing says the better one of.
pub(super) fn check_outcome(plan: &AbPlan) -> Result<()> {
    if plan.context_kind() == ContextKind::Lesson && plan.preference.is_none() {
        return reject(
            "no lesson is right or wrong by itself, so that nothing says which prompt is better: have a model say \
             which of two lessons is, with --preference MODEL; or look at samples with 'elenchus prompts try \
             SESSION:lesson'",
        );
    }
    Ok(())
}

/// Tries both texts on what they are to be compared on. Blocks.
pub(super) fn check_texts(
    context: &ExperimentContext,
    on: &AbContext,
    plan: &AbPlan,
) -> Result<()> {
    let changes = plan.arms.iter();
    let changes = changes.filter_map(|arm| arm.build_change(&plan.template));
    let changes: Vec<PromptChange> = changes.collect();
    let layout = &context.store.layout;
    let Some(call) = &on.call else {
        let state = on.read_state(layout)?;
        for change in &changes {
            let game = change.build_game(&state);
            let game = game.map_err(|fault| WorkspaceError::Invalid(fault.to_string()))?;
            let faults = game.list_template_faults();
            if !faults.is_empty() {
                return reject(faults.join("\n"));
            }
        }
        return Ok(());
    };
    CallContext::read_for_changes(layout, (&on.session, call), &context.seats, &changes).map(|_| ())
}
