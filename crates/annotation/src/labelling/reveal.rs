//! Hidden content shown to a person who labels, on request: it is recorded before it is shown.

use crate::queue::own_verdicts_on;
use elenchus_game::debate::{SessionId, State, Target};
use elenchus_game::prompt::expand;
use elenchus_records::workspace::annotations::{AnnotationTarget, Revealing, record_unblinding};
use elenchus_records::workspace::{Desk, TableSide, read_session};
use elenchus_store::Layout;
use tokio::task::spawn_blocking;

/// Records that something hidden is shown, and returns it once that is durable.
///
/// # Errors
/// When the session cannot be read, or what the person is shown cannot be recorded.
pub async fn reveal(
    desk: &Desk,
    on: &AnnotationTarget,
    what: Revealing,
) -> Result<Vec<String>, String> {
    let (layout, session) = (desk.layout.clone(), on.session.clone());
    let read = spawn_blocking(move || read(&layout, &session)).await;
    let state = read.unwrap_or_else(|_| Err("the session could not be read".to_owned()))?;
    let shown = [(on.session.clone(), what.unblinding())];
    let recorded = record_unblinding(desk, &shown).await;
    recorded.map_err(|error| error.to_string())?;
    Ok(match what {
        Revealing::Verdict => verdict(&state, on),
        Revealing::View => view(&state, on),
    })
}

fn read(layout: &Layout, session: &SessionId) -> Result<State, String> {
    let path = layout.session(session.as_str());
    let path = path.map_err(|error| error.to_string())?;
    if !path.exists() {
        return Err("this is a pack: it holds no verdicts and no prompts".to_owned());
    }
    read_session(&path).map_err(|error| error.to_string())
}

fn target(on: &AnnotationTarget) -> Target {
    match &on.attempt {
        Some(attempt) => Target::Attempt(attempt.id.clone()),
        None => Target::Debate,
    }
}

/// Returns the first of some labels (each with its place and its side) that evaluators contradict; one that is
/// left out of tables contradicts nothing. Blocks while it reads: only for a person who is no longer blind.
pub fn find_disagreement(
    layout: &Layout,
    labels: &[(usize, AnnotationTarget, TableSide)],
) -> Option<usize> {
    let decided = labels
        .iter()
        .filter(|(_, _, counts)| *counts != TableSide::LeftOut);
    let mut contradicted = decided.filter(|(_, on, counts)| {
        let found = read(layout, &on.session).ok();
        let found = found.and_then(|state| own_verdicts_on(&state, &target(on)).counts());
        found.is_some_and(|found| found != *counts)
    });
    contradicted.next().map(|(at, _, _)| *at)
}

fn verdict(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let verdicts = own_verdicts_on(state, &target(on));
    let mut words: Vec<String> = verdicts
        .found
        .iter()
        .map(|(rule, found)| format!("{rule}: {found}"))
        .collect();
    if words.is_empty() {
        words.push("no evaluator has looked at it".to_owned());
    }
    if verdicts.disagree() {
        words.push("evaluators disagree".to_owned());
    }
    words
}

/// Everything that a seat was shown, message by message.
fn view(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let Some(attempt) = &on.attempt else {
        return vec!["no model was shown a debate as a whole".to_owned()];
    };
    let chosen = state.turns().get(&attempt.id.turn).and_then(|turn| {
        let at = usize::try_from(attempt.id.attempt).ok()?;
        turn.attempts.get(at)?.view
    });
    let Some(place) = chosen else {
        return vec!["it was typed by a person: nothing was sent".to_owned()];
    };
    let view = expand(state, Some(&attempt.id.turn), state.view(place));
    let messages = view.messages.into_iter().map(|message| {
        let parts = message.parts.into_iter().filter_map(|part| part.text);
        format!("[{:?}]\n{}", message.role, parts.collect::<String>())
    });
    messages.collect()
}
