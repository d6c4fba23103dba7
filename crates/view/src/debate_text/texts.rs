//! Small texts about turns and debates. Pure.

use elenchus_game::debate::TurnId;
use elenchus_game::debate::event::{Created, Finish, Outcome, Reply};
use elenchus_game::debate::state::{Attempt, State};
use elenchus_game::debate::step::EndReason;
use elenchus_text::word_diff::{Marking, compare_inline};
use elenchus_text::{Paragraph, Role, cost};

/// Characters of an id that distinguish it from others.
const END_OF_ID: usize = 8;

/// Returns the label of a finding with its codes, without the reason.
pub fn finding_label(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) if finding.codes.is_empty() => finding.label.clone(),
        Outcome::Label(finding) => format!("{} [{}]", finding.label, finding.codes.join(", ")),
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}

/// Returns what is unusual about how a reply ended, or about marks in it.
pub fn unusual_end(reply: &Reply) -> Option<String> {
    let finish = match &reply.finish {
        Finish::Stop => None,
        Finish::Length => Some("cut at the token limit".to_owned()),
        Finish::Other(why) => Some(format!("ended: {why}")),
    };
    let mark = reply.unknown_mark.as_deref();
    let mark =
        mark.map(|mark| format!("'{mark}' is not known: private reasoning may be in the text"));
    let parts: Vec<String> = finish.into_iter().chain(mark).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Returns what the same chair said in the same stage of the round before.
pub fn previous_attempt<'a>(state: &'a State, turn: &TurnId) -> Option<&'a Attempt> {
    let before = TurnId {
        round: turn.round.checked_sub(1)?,
        ..turn.clone()
    };
    state.chosen_attempt(&before).map(|(_, attempt)| attempt)
}

/// Returns the second text with what was added and what was removed since the first.
pub fn describe_difference(old: &str, new: &str, indent: usize) -> Vec<Paragraph> {
    let Some(page) = compare_inline(old, new, Marking::Look) else {
        let note = "too long to compare word by word";
        return vec![Paragraph::new(Role::Notice, note).with_indent(indent, indent)];
    };
    let lines = page.into_iter();
    lines
        .map(|line| line.with_indent(indent, indent).mark_as_others())
        .collect()
}

/// Returns how far the debate has come, in words.
pub fn describe_ending(state: &State) -> (Role, String) {
    let opening = state.find_open_steps();
    describe_end(opening.done.as_ref(), opening.blocked.len())
}

/// Returns what has ended a debate, or how many of its steps failed, in words.
pub fn describe_end(done: Option<&EndReason>, blocked: usize) -> (Role, String) {
    match done {
        Some(EndReason::Complete) => (Role::Safe, "complete".to_owned()),
        Some(EndReason::Stopped { after_round }) => (
            Role::Safe,
            format!("complete (ended by a rule after round {after_round})"),
        ),
        Some(EndReason::Truncated(ceiling)) => (
            Role::Warning,
            format!(
                "DEBATE_TRUNCATED: the ceiling on {} was met",
                ceiling.name()
            ),
        ),
        None if blocked == 0 => (Role::Accent, "not played to its end".to_owned()),
        None if blocked == 1 => (Role::Error, "1 step failed".to_owned()),
        None => (Role::Error, format!("{blocked} steps failed")),
    }
}

/// Returns what the session has cost, as lines.
pub fn describe_spend(state: &State) -> Vec<Paragraph> {
    let spend = state.spend();
    let count = |calls: u64| match calls {
        1 => "1 call".to_owned(),
        many => format!("{many} calls"),
    };
    let mut calls = format!(
        "{}, {} tokens in, {} out",
        count(spend.calls),
        spend.input_tokens,
        spend.output_tokens
    );
    if spend.retries > 0 {
        calls.push_str(&format!(", {} tried again", spend.retries));
    }
    let mut cost = describe_cost(state);
    if spend.unpriced_calls > 0 {
        let unpriced = count(spend.unpriced_calls);
        cost.push_str(&format!(": {unpriced} of models without prices"));
    }
    let mut lines = vec![
        Paragraph::new(Role::Muted, cost).with_indent(2, 4),
        Paragraph::new(Role::Muted, calls).with_indent(2, 4),
    ];
    if spend.in_doubt_usd > 0.0 {
        let doubt = format!(
            "and at most {} for calls without a known end",
            cost::format_usd(spend.in_doubt_usd)
        );
        lines.push(Paragraph::new(Role::Warning, doubt).with_indent(2, 4));
    }
    lines
}

/// Returns the cost of a session: what is known of it, and whether that is all.
pub fn describe_cost(state: &State) -> String {
    let spend = state.spend();
    let in_doubt = match state.first_event().is_some_and(Created::is_simulated) {
        true => 0,
        false => spend.in_doubt_calls,
    };
    cost::format_cost_sum(spend.cost_usd, spend.unpriced_calls + in_doubt)
}

/// Returns the kind of a guardrail's id and its end, by which commands find it: whole ones do not fit
/// into narrow panes.
pub fn short_guardrail(id: &str) -> String {
    let kind = id.split_once('-').map(|(kind, _)| kind);
    let cut = id.char_indices().rev().nth(END_OF_ID - 1).map(|(at, _)| at);
    match (kind, cut.and_then(|at| id.get(at..))) {
        (Some(kind), Some(end)) if id.len() > kind.len() + END_OF_ID + 2 => {
            format!("{kind}-…{end}")
        }
        _ => id.to_owned(),
    }
}
