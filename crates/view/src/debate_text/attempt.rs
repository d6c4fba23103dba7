//! Paragraphs of one attempt among others: how it came about, what was found, what it says. Pure.

use super::findings::role_of;
use super::texts;
use elenchus_game::debate::event::{Author, Fields, Reply};
use elenchus_game::debate::state::{Attempt, State, StoppedReply};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, EMPTY_REPLY_PLACEHOLDER, TurnId, is_blank};
use elenchus_text::word_diff::{Marking, compare_inline_or_new};
use elenchus_text::{Content, Paragraph, Role, cost, others_prose, set_off, stopped_heading};

/// Display options of attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptOptions {
    pub content: Content,
    /// Private turns are shown.
    pub private: bool,
    /// Differences to the attempt that counts.
    pub difference: bool,
    pub marking: Marking,
}

/// Returns which attempt of how many it is, and whether it counts.
pub fn attempt_title(state: &State, turn: &TurnId, at: usize) -> String {
    let Some(turn_state) = state.turns().get(turn) else {
        return String::new();
    };
    let counts = if turn_state.chosen_index == at {
        " · counts"
    } else {
        ""
    };
    format!("{} of {}{counts}", at + 1, turn_state.attempts.len())
}

/// Returns an attempt: how it came about, what was found, what it says.
pub fn attempt_paragraphs(
    state: &State,
    turn: &TurnId,
    at: usize,
    show: AttemptOptions,
) -> Vec<Paragraph> {
    let Some(turn_state) = state.turns().get(turn) else {
        let text = "nothing was said in this turn yet: play it on the debate screen";
        return vec![Paragraph::new(Role::Notice, text)];
    };
    let Some(attempt) = turn_state.attempts.get(at) else {
        let text = "the provider's filter refused: there is no text";
        return vec![Paragraph::new(Role::Warning, text)];
    };
    let mut page = vec![author_line(attempt)];
    page.extend(usage_line(attempt));
    let id = AttemptId {
        turn: turn.clone(),
        attempt: u32::try_from(at).unwrap_or(u32::MAX),
    };
    page.extend(list_verdicts(state, &id));
    if let Some(Fields::Unparsed { .. }) = &attempt.fields {
        let text = "its fields could not be read";
        page.push(Paragraph::new(Role::Unparsed, text));
    }
    page.push(Paragraph::gap());
    if attempt.reply.is_empty() && show.content == Content::Shown {
        page.push(Paragraph::new(
            Role::Warning,
            attempt.reply.empty_placeholder(),
        ));
        return page;
    }
    let chosen_text = turn_state
        .chosen_attempt()
        .map(|chosen| chosen.reply.text.as_str());
    page.extend(text_paragraphs(
        &attempt.reply.text,
        chosen_text.filter(|_| turn_state.chosen_index != at),
        is_private(state, turn),
        show,
    ));
    page
}

/// Returns a reply that was stopped: why, what it used, and the words that came.
pub fn stopped_paragraphs(
    state: &State,
    turn: &TurnId,
    stopped: &StoppedReply,
    show: AttemptOptions,
) -> Vec<Paragraph> {
    let mut line = Paragraph::new(Role::Warning, stopped_heading(&stopped.reply));
    if stopped.inherited {
        line = line.with_run(Role::Muted, " from the parent");
    }
    let words = &stopped.reply.text;
    let mut page = vec![line, Paragraph::gap()];
    page.extend(text_paragraphs(words, None, is_private(state, turn), show));
    page
}

/// Says whether a turn is private reasoning of its seat.
pub fn is_private(state: &State, turn: &TurnId) -> bool {
    let stage = state
        .protocol()
        .and_then(|protocol| protocol.find_stage(&turn.stage));
    stage.is_some_and(|stage| stage.private)
}

/// Returns who wrote an attempt, and what is unusual about it.
pub fn author_line(attempt: &Attempt) -> Paragraph {
    let mut line = match &attempt.by {
        Author::Person(name) => Paragraph::new(Role::Human, format!("typed by {name}")),
        Author::Engine if attempt.reply.model.is_empty() => {
            Paragraph::new(Role::Muted, "written beforehand")
        }
        Author::Engine => Paragraph::new(Role::Text, attempt.reply.model.clone()),
    };
    if attempt.edited {
        line = line.with_run(Role::Warning, " edited");
    }
    if attempt.inherited {
        line = line.with_run(Role::Muted, " from the parent");
    }
    note_reply(line, &attempt.reply)
}

/// Returns which model wrote a reply, and what is unusual about it.
pub fn model_line(reply: &Reply) -> Paragraph {
    note_reply(Paragraph::new(Role::Text, reply.model.clone()), reply)
}

fn note_reply(mut line: Paragraph, reply: &Reply) -> Paragraph {
    if reply.cached {
        line = line.with_run(Role::Notice, " from the cache");
    }
    if let Some(how) = texts::unusual_end(reply) {
        line = line.with_run(Role::Warning, format!(" {how}"));
    }
    line
}

/// Usage of a model's reply; a person's text took no call.
pub fn usage_line(attempt: &Attempt) -> Option<Paragraph> {
    match attempt.by {
        Author::Engine => {}
        Author::Person(_) => return None,
    }
    Some(reply_usage_line(&attempt.reply))
}

/// Returns what a reply cost and how long it took.
pub fn reply_usage_line(reply: &Reply) -> Paragraph {
    let cost = cost::format_cost(reply.cost_usd);
    let text = format!(
        "{cost} · {} tokens · {:.1} s",
        reply.usage.output_tokens,
        reply.latency_ms as f64 / 1000.0
    );
    Paragraph::new(Role::Muted, text)
}

fn list_verdicts(state: &State, id: &AttemptId) -> Vec<Paragraph> {
    let target = Target::Attempt(id.clone());
    let rules = state.protocol().map(|protocol| &protocol.judging);
    let mut page: Vec<Paragraph> = rules
        .into_iter()
        .flatten()
        .filter_map(|rule| {
            let outcome = state.combined_outcome(rule, &target)?;
            let line = Paragraph::new(Role::Muted, format!("{}: ", rule.id));
            Some(line.with_run(role_of(&outcome), texts::finding_label(&outcome)))
        })
        .collect();
    if page.is_empty() {
        page.push(Paragraph::new(Role::Muted, "no verdict on it"));
    }
    page
}

/// Returns what stands in place of a text that is masked, private or empty.
pub fn hidden_text(text: &str, is_hidden: bool, content: Content) -> Option<Paragraph> {
    if content == Content::Masked {
        return Some(Paragraph::new(Role::Masked, content.show_or_mask(text)));
    }
    if is_hidden {
        let count = text.chars().count();
        let text = format!("[private reasoning: {count} characters, not shown]");
        return Some(Paragraph::new(Role::Private, text));
    }
    is_blank(text).then(|| Paragraph::new(Role::Warning, EMPTY_REPLY_PLACEHOLDER))
}

fn text_paragraphs(
    text: &str,
    chosen_text: Option<&str>,
    private: bool,
    show: AttemptOptions,
) -> Vec<Paragraph> {
    let is_hidden = private && !show.private;
    if let Some(instead) = hidden_text(text, is_hidden, show.content) {
        return vec![instead];
    }
    if let Some(chosen_text) = chosen_text.filter(|_| show.difference) {
        if chosen_text == text {
            return vec![Paragraph::new(
                Role::Muted,
                "says the same as the one that counts",
            )];
        }
        return set_off(compare_inline_or_new(
            chosen_text,
            text,
            show.marking,
            Role::Text,
        ));
    }
    others_prose(Role::Text, 2, text)
}

/// Returns a reply that is coming: its text, how much it thought, and what went wrong.
pub fn coming_reply(
    text: &str,
    said: (usize, Option<&str>),
    show: AttemptOptions,
) -> Vec<Paragraph> {
    let (thinking, note) = said;
    let mut page = Vec::new();
    match note {
        Some(note) => page.push(Paragraph::new(Role::Warning, note)),
        None => page.push(Paragraph::new(Role::Streaming, "speaking")),
    }
    if thinking > 0 && text.is_empty() {
        page.push(Paragraph::new(Role::Thinking, "thinking"));
    }
    page.push(Paragraph::gap());
    match show.content {
        // How much there is would change with every token, and cost as much.
        Content::Masked => page.push(Paragraph::new(Role::Masked, "[masked]")),
        Content::Shown => page.extend(others_prose(Role::Streaming, 2, text)),
    }
    page
}
