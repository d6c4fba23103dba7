//! Task of the tree of forks: which session was forked from which, and how each went.

use super::Message;
use crate::tui::app::{Task, Tools};
use crate::tui::keys::{Action, Context, key_for};
use elenchus_annotation::{hidden_sessions, hide_verdicts};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::for_sessions;
use elenchus_records::workspace::{StoreIndex, Summary, example_of, overviews};
use elenchus_view::{SessionLocation, Tree, tree};

pub(super) fn read(here: SessionId) -> Task {
    Task::indexed(
        "read the tree of forks",
        for_sessions,
        move |tools, index| Message::Read(found(tools, index, &here)),
    )
}

fn found(
    tools: &Tools,
    index: &StoreIndex,
    here: &SessionId,
) -> Result<(Tree, Vec<Summary>), String> {
    if example_of(&tools.desk, here).is_some() {
        return Err(format!(
            "nothing was forked from this example yet: {} on the debate screen does",
            key_for(Context::Debate, Action::Fork)
        ));
    }
    let tree = tree(index, here).map_err(|error| error.to_string())?;
    let kept = tree.branches.iter();
    let kept = kept.filter(|branch| branch.location == SessionLocation::Kept);
    let kept: Vec<SessionId> = kept.map(|branch| branch.session.clone()).collect();
    let mut batch = overviews(index, &kept);
    if let Ok(hidden) = hidden_sessions(&tools.desk) {
        hide_verdicts(&mut batch, &hidden);
    }
    let summaries = batch.into_iter().flatten().map(|overview| overview.summary);
    Ok((tree, summaries.collect()))
}
