//! Hidden content shown to a person who labels, on request: it is recorded before it is shown.

use crate::queue::{own_verdicts_about, own_verdicts_on};
use elenchus_game::debate::{SessionId, State, Target};
use elenchus_game::prompt::expand_view;
use elenchus_records::workspace::annotations::{AnnotationTarget, Revealing, ShownHere};
use elenchus_records::workspace::{StoreContext, TableSide, WorkspaceError, read_session, reject};
use elenchus_store::Layout;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

/// Records that something hidden is shown, and returns it once that is durable.
///
/// # Errors
/// When the session cannot be read, or what the person is shown cannot be recorded.
pub async fn reveal_content(
    store: &StoreContext,
    shown: &Mutex<ShownHere>,
    on: &AnnotationTarget,
    what: Revealing,
) -> Result<Vec<String>, WorkspaceError> {
    let (layout, session) = (store.layout.clone(), on.session.clone());
    let read = spawn_blocking(move || read_session_state(&layout, &session)).await;
    let state = read.unwrap_or_else(|_| reject("the session could not be read"))?;
    let unblindings = [(on.session.clone(), what.unblindings())];
    shown.lock().await.record(store, &unblindings).await?;
    Ok(match what {
        Revealing::Verdict => describe_verdicts(&state, on),
        Revealing::Reasons => describe_reasons(&state, on),
        Revealing::View => describe_view(&state, on),
    })
}

fn read_session_state(layout: &Layout, session: &SessionId) -> Result<State, WorkspaceError> {
    let path = layout.session_path(session.as_str());
    let path = path?;
    if !path.exists() {
        return reject("this is a pack: it holds no verdicts and no prompts");
    }
    read_session(&path)
}

fn to_target(on: &AnnotationTarget) -> Target {
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
    let sided_labels = labels
        .iter()
        .filter(|(_, _, counts)| *counts != TableSide::LeftOut);
    let mut contradictions = sided_labels.filter(|(_, on, counts)| {
        let verdict_side = read_session_state(layout, &on.session).ok();
        let verdict_side =
            verdict_side.and_then(|state| own_verdicts_on(&state, &to_target(on)).table_side());
        verdict_side.is_some_and(|found| found != *counts)
    });
    contradictions.next().map(|(at, _, _)| *at)
}

/// Each verdict with why it was found, as its judge says.
fn describe_reasons(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let verdicts = own_verdicts_about(state, &to_target(on));
    let mut lines = describe_verdicts(state, on);
    let reasons = verdicts.reasons.iter().map(|(judge, reason)| match reason {
        Some(reason) => format!("{judge} says why: {reason}"),
        None => format!("{judge} gives no reason"),
    });
    lines.extend(reasons);
    lines
}

fn describe_verdicts(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let verdicts = own_verdicts_about(state, &to_target(on));
    let mut words: Vec<String> = verdicts
        .found
        .iter()
        .map(|(rule, found)| format!("{rule}: {found}"))
        .collect();
    if words.is_empty() {
        words.push("no evaluator has looked at it".to_owned());
    }
    if verdicts.has_disagreement() {
        words.push("evaluators disagree".to_owned());
    }
    words
}

/// Everything that a seat was shown, message by message.
fn describe_view(state: &State, on: &AnnotationTarget) -> Vec<String> {
    let Some(attempt) = &on.attempt else {
        return vec!["no model was shown a debate as a whole".to_owned()];
    };
    let view_place = state.turns().get(&attempt.id.turn).and_then(|turn| {
        let at = usize::try_from(attempt.id.attempt).ok()?;
        turn.attempts.get(at)?.view
    });
    let Some(place) = view_place else {
        return vec!["it was typed by a person: nothing was sent".to_owned()];
    };
    let view = expand_view(state, Some(&attempt.id.turn), state.view_at(place));
    let messages = view.messages.into_iter().map(|message| {
        let parts = message.parts.into_iter().filter_map(|part| part.text);
        format!("[{:?}]\n{}", message.role, parts.collect::<String>())
    });
    messages.collect()
}
