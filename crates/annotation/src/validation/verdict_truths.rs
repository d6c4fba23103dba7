//! What judges' verdicts can be held against besides what graders found: blind labels of people, and other judges.

use super::request::{is_turn_set, read_label_truths, sets_in_use};
use elenchus_game::debate::Target;
use elenchus_records::library::Library;
use elenchus_records::workspace::pass::{find_pass, name_pass, read_all_passes};
use elenchus_records::workspace::{StoreIndex, WorkspaceError};
use elenchus_run::experiments::prompt_ab::{ContextKind, KnownTruth, TruthChoice, VerdictTruth};
use elenchus_store::Layout;

/// Reads what is known of what verdicts should say. Blocks while it reads; of the index only what labels need.
///
/// # Errors
/// When the label set or the pass does not exist, does not say whether something is good, or cannot be read.
pub fn read_known_truth(
    index: &StoreIndex,
    library: &Library,
    truth: &VerdictTruth,
) -> Result<KnownTruth, WorkspaceError> {
    match truth {
        VerdictTruth::Grader => Ok(KnownTruth::Grader),
        VerdictTruth::Pass(name) => KnownTruth::from_pass(&find_pass(index.layout(), name)?),
        VerdictTruth::Labels(set) => {
            let truths = read_label_truths(index, library, set)?.into_iter();
            let truths =
                truths.map(|((session, id), is_good)| ((session, Target::Attempt(id)), is_good));
            Ok(KnownTruth::Named(truth.clone(), truths.collect()))
        }
    }
}

/// Lists what verdicts can be held against: the grader first, then the label sets by which turns, proposals or
/// critiques were labelled, then the passes of one rubric, the newest first. What cannot be read is left out. Blocks.
///
/// # Errors
/// When the annotators or the passes cannot be listed.
pub fn list_verdict_truths(
    layout: &Layout,
    library: &Library,
) -> Result<Vec<TruthChoice>, WorkspaceError> {
    let sets = sets_in_use(layout)?.into_keys();
    let sets = sets.filter(|set| is_turn_set(library, set));
    let labels = sets.map(VerdictTruth::Labels);
    let known = [VerdictTruth::Grader].into_iter().chain(labels);
    let known = known.map(|truth| TruthChoice {
        name: truth.describe(ContextKind::Verdict),
        truth,
    });
    let passes = read_all_passes(layout)?.into_iter().flatten();
    let passes = passes.filter(|pass| KnownTruth::from_pass(pass).is_ok_and(|of| of.is_known()));
    let passes = passes.map(|pass| TruthChoice {
        name: format!("what {} found", name_pass(&pass.manifest)),
        truth: VerdictTruth::Pass(pass.manifest.pass),
    });
    Ok(known.chain(passes).collect())
}
