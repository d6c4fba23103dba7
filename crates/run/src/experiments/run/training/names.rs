//! Names of adapters: none is used for two trainings, for servers keep what they know of a name.

use elenchus_game::debate::event::ModelPlayer;
use elenchus_records::workspace::Result;
use elenchus_records::workspace::run::{RunState, TrainedAdapter, TrainingBegun, read_run};
use elenchus_store::Layout;

/// Returns why a name cannot be that of an adapter; `None` where it can.
///
/// # Errors
/// When the runs that trained adapters cannot be listed.
pub(super) fn find_name_fault(
    layout: &Layout,
    state: &RunState,
    begun: &TrainingBegun,
    name: &str,
    players: &[ModelPlayer],
) -> Result<Option<String>> {
    if name == begun.base || players.iter().any(|player| player.name == name) {
        return Ok(Some(format!(
            "its last line names '{name}', which is the base and no adapter"
        )));
    }
    let clash = |run: &str, known: &TrainedAdapter| {
        let is_same_training =
            known.begun.lessons == begun.lessons && known.begun.base == begun.base;
        (known.model == name && !is_same_training).then(|| {
            format!(
                "its last line names '{name}', under which generation {} of {} of run {run} was trained on other \
                 lessons: servers keep what they know of a name, so let the command name each adapter anew \
                 (suggested_name in training.json is free)",
                known.begun.generation, known.begun.base
            )
        })
    };
    let own_run = state.manifest.run.as_str();
    let mut own = state.trained.iter();
    if let Some(why) = own.find_map(|known| clash(own_run, known)) {
        return Ok(Some(why));
    }
    for run in layout.list_training_runs()? {
        let path = layout.run_path(&run)?;
        // A run that was deleted left its folder.
        if run == own_run || !path.exists() {
            continue;
        }
        let other = match read_run(&path) {
            Ok(other) => other,
            Err(error) => {
                return Ok(Some(format!(
                    "whether run {run} trained an adapter of the name '{name}' cannot be known, since it cannot \
                     be read ({error})"
                )));
            }
        };
        if let Some(why) = other.trained.iter().find_map(|known| clash(&run, known)) {
            return Ok(Some(why));
        }
    }
    Ok(None)
}
