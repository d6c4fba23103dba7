//! Column of one attempt. Pure.

use crate::debate::event::{Author, Fields};
use crate::debate::state::{Attempt, State, StoppedReply};
use crate::debate::step::Target;
use crate::debate::{AttemptId, EMPTY_REPLY_PLACEHOLDER, TurnId, is_blank};
use crate::exchange::{cost, stopped_heading};
use crate::tui::keys::{Action, Context, KeyTable, key_for, spelled};
use crate::tui::screens::debate::{role_of, texts};
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, Marking, Paragraph, prose, woven};

/// Display options of attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Show {
    pub content: Content,
    /// Private turns are shown.
    pub private: bool,
    /// Differences to the attempt that counts.
    pub difference: bool,
    pub marking: Marking,
}

/// Returns the lines above the columns.
pub(super) fn heading(
    state: &State,
    turn: &TurnId,
    coming: usize,
    show: Show,
    keys: &KeyTable,
) -> Vec<Paragraph> {
    let known = state.turns().get(turn);
    let count = known.map_or(0, |known| known.attempts.len());
    let name = state.protocol().map_or_else(
        || turn.chair.to_string(),
        |protocol| protocol.name_of(&turn.chair),
    );
    let mut line = Paragraph::of(Role::Strong, format!("attempts of {turn}"))
        .and(Role::Muted, format!(" · {name} · {count} there"));
    if coming > 0 {
        line = line.and(Role::Streaming, format!(", {coming} coming"));
    }
    let key = |action| key_for(Context::List, action);
    let how = match (show.difference, count) {
        (_, 0 | 1) => format!(
            "{} on the debate screen asks the seat again, one or more times",
            key_for(Context::Debate, Action::Reroll)
        ),
        (true, _) => format!(
            "marked: what differs from the attempt that counts; {} shows plain texts",
            key(Action::Difference)
        ),
        (false, _) => format!(
            "{} chooses · {} marks differences to the attempt that counts",
            key(Action::Open),
            key(Action::Difference)
        ),
    };
    vec![line, Paragraph::of(Role::Muted, spelled(&how, keys))]
}

/// Returns the title of a column.
pub(super) fn title(state: &State, turn: &TurnId, at: usize) -> String {
    let Some(known) = state.turns().get(turn) else {
        return String::new();
    };
    let counts = if known.chosen == at { " · counts" } else { "" };
    format!("{} of {}{counts}", at + 1, known.attempts.len())
}

/// Returns an attempt: how it came about, what was found, what it says.
pub(super) fn attempt(state: &State, turn: &TurnId, at: usize, show: Show) -> Vec<Paragraph> {
    let Some(known) = state.turns().get(turn) else {
        let text = "nothing was said in this turn yet: play it on the debate screen";
        return vec![Paragraph::of(Role::Notice, text)];
    };
    let Some(attempt) = known.attempts.get(at) else {
        let text = "the provider's filter refused: there is no text";
        return vec![Paragraph::of(Role::Warning, text)];
    };
    let mut page = vec![who(attempt)];
    page.extend(figures(attempt));
    let id = AttemptId {
        turn: turn.clone(),
        attempt: u32::try_from(at).unwrap_or(u32::MAX),
    };
    page.extend(verdicts(state, &id));
    if let Some(Fields::Unparsed { .. }) = &attempt.fields {
        let text = "its fields could not be read";
        page.push(Paragraph::of(Role::Unparsed, text));
    }
    page.push(Paragraph::gap());
    let chosen = known.chosen().map(|chosen| chosen.reply.text.as_str());
    page.extend(text(
        &attempt.reply.text,
        chosen.filter(|_| known.chosen != at),
        is_private(state, turn),
        show,
    ));
    page
}

/// Returns a reply that was stopped: why, what it used, and the words that came.
pub(super) fn stopped(
    state: &State,
    turn: &TurnId,
    stopped: &StoppedReply,
    show: Show,
) -> Vec<Paragraph> {
    let mut line = Paragraph::of(Role::Warning, stopped_heading(&stopped.reply));
    if stopped.inherited {
        line = line.and(Role::Muted, " from the parent");
    }
    let words = &stopped.reply.text;
    let mut page = vec![line, Paragraph::gap()];
    page.extend(text(words, None, is_private(state, turn), show));
    page
}

fn is_private(state: &State, turn: &TurnId) -> bool {
    let stage = state
        .protocol()
        .and_then(|protocol| protocol.stage(&turn.stage));
    stage.is_some_and(|stage| stage.private)
}

pub(crate) fn who(attempt: &Attempt) -> Paragraph {
    let mut line = match &attempt.by {
        Author::Person(name) => Paragraph::of(Role::Human, format!("typed by {name}")),
        Author::Engine if attempt.reply.model.is_empty() => {
            Paragraph::of(Role::Muted, "written beforehand")
        }
        Author::Engine => Paragraph::of(Role::Text, attempt.reply.model.clone()),
    };
    if attempt.edited {
        line = line.and(Role::Warning, " edited");
    }
    if attempt.inherited {
        line = line.and(Role::Muted, " from the parent");
    }
    if attempt.reply.cached {
        line = line.and(Role::Notice, " from the cache");
    }
    if let Some(how) = texts::unusual_finish(&attempt.reply.finish) {
        line = line.and(Role::Warning, format!(" {how}"));
    }
    line
}

/// Usage of a model's reply; a person's text took no call.
pub(crate) fn figures(attempt: &Attempt) -> Option<Paragraph> {
    match attempt.by {
        Author::Engine => {}
        Author::Person(_) => return None,
    }
    let reply = &attempt.reply;
    let cost = cost::known(reply.cost_usd);
    let text = format!(
        "{cost} · {} tokens · {:.1} s",
        reply.usage.output_tokens,
        reply.latency_ms as f64 / 1000.0
    );
    Some(Paragraph::of(Role::Muted, text))
}

fn verdicts(state: &State, id: &AttemptId) -> Vec<Paragraph> {
    let target = Target::Attempt(id.clone());
    let rules = state.protocol().map(|protocol| &protocol.judging);
    let mut page: Vec<Paragraph> = rules
        .into_iter()
        .flatten()
        .filter_map(|rule| {
            let found = state.finding(rule, &target)?;
            let line = Paragraph::of(Role::Muted, format!("{}: ", rule.id));
            Some(line.and(role_of(&found), texts::label(&found)))
        })
        .collect();
    if page.is_empty() {
        page.push(Paragraph::of(Role::Muted, "no verdict on it"));
    }
    page
}

fn text(text: &str, chosen: Option<&str>, private: bool, show: Show) -> Vec<Paragraph> {
    if show.content == Content::Masked {
        return vec![Paragraph::of(Role::Masked, show.content.of(text))];
    }
    if private && !show.private {
        let count = text.chars().count();
        let text = format!("[private reasoning: {count} characters, not shown]");
        return vec![Paragraph::of(Role::Private, text)];
    }
    if is_blank(text) {
        return vec![Paragraph::of(Role::Warning, EMPTY_REPLY_PLACEHOLDER)];
    }
    if let Some(chosen) = chosen.filter(|_| show.difference) {
        if chosen == text {
            return vec![Paragraph::of(
                Role::Muted,
                "says the same as the one that counts",
            )];
        }
        if let Some(page) = woven(chosen, text, show.marking) {
            return page;
        }
        let note = "too long to be compared word by word";
        let mut page = vec![Paragraph::of(Role::Notice, note)];
        page.extend(prose(Role::Text, 0, text));
        return page;
    }
    prose(Role::Text, 0, text)
}

/// Returns a reply that is coming: its text, how much it thought, and what went wrong.
pub(crate) fn coming(text: &str, said: (usize, Option<&str>), show: Show) -> Vec<Paragraph> {
    let (thinking, note) = said;
    let mut page = Vec::new();
    match note {
        Some(note) => page.push(Paragraph::of(Role::Warning, note)),
        None => page.push(Paragraph::of(Role::Streaming, "speaking")),
    }
    if thinking > 0 && text.is_empty() {
        page.push(Paragraph::of(Role::Thinking, "thinking"));
    }
    page.push(Paragraph::gap());
    match show.content {
        // How much there is would change with every token, and cost as much.
        Content::Masked => page.push(Paragraph::of(Role::Masked, "[masked]")),
        Content::Shown => page.extend(prose(Role::Streaming, 0, text)),
    }
    page
}
