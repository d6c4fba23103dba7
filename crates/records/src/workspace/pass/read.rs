//! Passes of a store, read from their journals.

use super::event::{PassEvent, VerdictAddress};
use super::rules::PassManifest;
use super::verdict::PassVerdict;
use crate::workspace::arrival::sort_newest_first;
use crate::workspace::error::Result;
use crate::workspace::find::{find_journal, locate_journals};
use crate::workspace::journal_kind::JournalKind;
use elenchus_game::debate::protocol::Orders;
use elenchus_game::debate::{SessionId, ShownOrder};
use elenchus_store::Layout;
use std::path::Path;

/// Characters of a pass's id that its name shows: ids differ at their end.
const SHORT: usize = 6;
/// The format of pass journals that this version writes.
pub const FORMAT: u32 = 1;

/// A pass as its journal has it.
#[derive(Debug, Clone)]
pub struct Pass {
    pub manifest: PassManifest,
    pub verdicts: Vec<PassVerdict>,
    /// Those that the provider's filter refused.
    pub filtered: Vec<VerdictAddress>,
    /// Verdicts of a pass in both orders whose judge was shown the sides exchanged: no verdicts on the debates as they
    /// are shown.
    pub exchanged: Vec<PassVerdict>,
    /// Those of these that the provider's filter refused.
    pub filtered_exchanged: Vec<VerdictAddress>,
    /// The most it may have cost, calls without a known outcome at their worst.
    pub committed_usd: f64,
    /// Calls that wait in a batch file for their answers.
    pub in_batch: usize,
    /// Verdicts of models without prices: what they cost is unknown.
    pub unpriced_calls: u64,
    /// `None` while it goes on, and after its process was killed.
    pub end: Option<PassStanding>,
}

/// State in which a pass was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassStanding {
    Completed,
    /// It can be resumed.
    Paused(String),
}

/// Reads every pass of a store, the newest first; those that cannot be read come as their errors.
/// Blocks while it reads.
///
/// # Errors
/// When the folder of passes cannot be listed.
pub fn read_all_passes(layout: &Layout) -> Result<Vec<Result<Pass>>> {
    let mut ids = Vec::new();
    for id in layout.list_passes()? {
        ids.push((layout.pass_path(&id)?, id));
    }
    sort_newest_first(&mut ids, |(path, id)| (id.clone(), path.clone()));
    Ok(ids
        .iter()
        .map(|(path, _)| read_pass_journal(path))
        .collect())
}

/// Finds the pass that an id, its beginning, its end, or `last` names, and reads it. Blocks while it reads.
///
/// # Errors
/// When none or several do, or its journal cannot be read.
pub fn find_pass(layout: &Layout, text: &str) -> Result<Pass> {
    read_pass(layout, &find_pass_id(layout, text)?)
}

/// Finds the pass that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn find_pass_id(layout: &Layout, text: &str) -> Result<String> {
    let journals = locate_journals(layout.list_passes()?, |id| layout.pass_path(id))?;
    find_journal(journals, text, "pass", "elenchus judge list")
}

fn read_pass(layout: &Layout, id: &str) -> Result<Pass> {
    read_pass_journal(&layout.pass_path(id)?)
}

/// Reads the journal of a pass, wherever it is. Blocks while it reads.
///
/// # Errors
/// When it cannot be read.
pub fn read_pass_journal(path: &Path) -> Result<Pass> {
    let state = PassEvent::read_state(path)?;
    let is_exchanged =
        |order| state.manifest.orders == Orders::Both && order == ShownOrder::Swapped;
    let all = state.verdicts().into_iter();
    let (exchanged, verdicts) = all.partition(|verdict| is_exchanged(verdict.order));
    let refused = state.filtered.keys().cloned();
    let (filtered_exchanged, filtered) = refused.partition(|asked| is_exchanged(asked.order));
    Ok(Pass {
        verdicts,
        exchanged,
        filtered,
        filtered_exchanged,
        committed_usd: state.committed_expense().usd,
        in_batch: state.count_in_batch(),
        unpriced_calls: state.unpriced_calls(),
        end: match (state.completed, state.paused) {
            (true, _) => Some(PassStanding::Completed),
            (false, Some(why)) => Some(PassStanding::Paused(why)),
            (false, None) => None,
        },
        manifest: state.manifest,
    })
}

impl Pass {
    /// Returns the same pass with what its judge found when the sides were exchanged in place of the rest, so that the
    /// same figures serve both.
    #[must_use]
    pub fn with_sides_exchanged(&self) -> Self {
        let verdicts = self.exchanged.iter().map(|verdict| PassVerdict {
            order: ShownOrder::AsSeated,
            ..verdict.clone()
        });
        let filtered = self.filtered_exchanged.iter().map(|asked| VerdictAddress {
            order: ShownOrder::AsSeated,
            ..asked.clone()
        });
        Self {
            verdicts: verdicts.collect(),
            filtered: filtered.collect(),
            exchanged: Vec::new(),
            filtered_exchanged: Vec::new(),
            ..self.clone()
        }
    }
}

/// Returns what passes found about a session, the latest pass last. Passes that cannot be read are
/// left out: [`read_all_passes`] names them. Blocks while it reads.
///
/// # Errors
/// When the folder of passes cannot be listed.
pub fn read_passes(layout: &Layout, session: &SessionId) -> Result<Vec<PassVerdict>> {
    let read = read_all_passes(layout)?.into_iter().rev();
    let verdicts = read.flatten().flat_map(|pass| pass.verdicts);
    Ok(verdicts
        .filter(|verdict| &verdict.session == session)
        .collect())
}

/// Returns the name of the evaluator that gave a verdict of a pass.
pub fn pass_evaluator(verdict: &PassVerdict) -> String {
    let short = shorten_id(&verdict.pass);
    format!("pass:{short} {} by {}", verdict.rubric, verdict.model)
}

/// Names a pass by the end of its id and its rules.
pub fn name_pass(manifest: &PassManifest) -> String {
    format!("pass:{} {}", shorten_id(&manifest.pass), manifest.rules)
}

fn shorten_id(pass: &str) -> String {
    let skip = pass.chars().count().saturating_sub(SHORT);
    pass.chars().skip(skip).collect()
}
