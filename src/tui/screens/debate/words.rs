//! Small texts about turns and debates that panes share. Pure.

use crate::debate::TurnId;
use crate::debate::event::{CeilingKind, Finish, Outcome};
use crate::debate::state::{Attempt, State};
use crate::debate::step::Done;
use crate::tui::parts::paragraph::Paragraph;
use crate::tui::theme::Role;
use similar::{ChangeTag, TextDiff};

/// Texts beyond this are not compared word by word: the comparison grows with the square.
const MAX_DIFF_BYTES: usize = 64 * 1024;

/// Returns the label of a finding with its codes, without the reason.
pub fn label(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) if finding.codes.is_empty() => finding.label.clone(),
        Outcome::Label(finding) => format!("{} [{}]", finding.label, finding.codes.join(", ")),
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}

/// Returns what is unusual about how a reply ended.
pub fn unusual_finish(finish: &Finish) -> Option<String> {
    match finish {
        Finish::Stop => None,
        Finish::Length => Some("cut at the token limit".to_owned()),
        Finish::Other(why) => Some(format!("ended: {why}")),
    }
}

/// Returns what the same chair said in the same stage of the round before.
pub fn round_before<'a>(state: &'a State, turn: &TurnId) -> Option<&'a Attempt> {
    let before = TurnId {
        round: turn.round.checked_sub(1)?,
        ..turn.clone()
    };
    state.chosen(&before).map(|(_, attempt)| attempt)
}

/// Returns the second text with what was added and what was removed since the first.
pub fn difference(old: &str, new: &str, indent: usize) -> Vec<Paragraph> {
    if old.len() + new.len() > MAX_DIFF_BYTES {
        let note = "too long to compare word by word";
        return vec![Paragraph::of(Role::Notice, note).indented(indent, indent)];
    }
    let mut page = Vec::new();
    let mut line = Paragraph::default().indented(indent, indent);
    for (role, text) in grouped(old, new) {
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                let next = Paragraph::default().indented(indent, indent);
                page.push(std::mem::replace(&mut line, next));
            }
            if !piece.is_empty() {
                line.runs.push((role, piece.to_owned()));
            }
        }
    }
    if !line.runs.is_empty() {
        page.push(line);
    }
    page
}

/// Returns the words that stayed, went and came. What went stands together before what came in its
/// place: blanks alone do not part a change, or two texts would be read word by word in turns.
fn grouped(old: &str, new: &str) -> Vec<(Role, String)> {
    let diff = TextDiff::from_words(old, new);
    let mut runs: Vec<(Role, String)> = Vec::new();
    let (mut went, mut came) = (String::new(), String::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Delete => went.push_str(text),
            ChangeTag::Insert => came.push_str(text),
            ChangeTag::Equal if text.trim().is_empty() && !(went.is_empty() && came.is_empty()) => {
                went.push_str(text);
                came.push_str(text);
            }
            ChangeTag::Equal => {
                settle(&mut runs, &mut went, &mut came);
                runs.push((Role::Text, text.to_owned()));
            }
        }
    }
    settle(&mut runs, &mut went, &mut came);
    runs
}

fn settle(runs: &mut Vec<(Role, String)>, went: &mut String, came: &mut String) {
    let (gone, new) = (std::mem::take(went), std::mem::take(came));
    if !gone.trim().is_empty() {
        let parted = gone.ends_with(char::is_whitespace) || new.trim().is_empty();
        runs.push((Role::Removed, gone));
        if !parted {
            runs.push((Role::Text, " ".to_owned()));
        }
    }
    if !new.is_empty() {
        runs.push((Role::Added, new));
    }
}

/// Returns how far the debate has come, in words.
pub fn ending(state: &State) -> (Role, String) {
    let opening = state.open();
    ended(opening.done.as_ref(), opening.blocked.len())
}

/// Returns what has ended a debate, or how many of its steps failed, in words.
pub fn ended(done: Option<&Done>, blocked: usize) -> (Role, String) {
    match done {
        Some(Done::Complete) => (Role::Safe, "complete".to_owned()),
        Some(Done::Stopped { after_round }) => (
            Role::Safe,
            format!("stopped by a rule of the game after round {after_round}"),
        ),
        Some(Done::Truncated(ceiling)) => (
            Role::Warning,
            format!(
                "DEBATE_TRUNCATED: the ceiling on {} was met",
                ceiling_word(*ceiling)
            ),
        ),
        None if blocked == 0 => (Role::Accent, "not played to its end".to_owned()),
        None => (Role::Error, format!("{blocked} of its steps failed")),
    }
}

fn ceiling_word(ceiling: CeilingKind) -> &'static str {
    match ceiling {
        CeilingKind::CostUsd => "cost",
        CeilingKind::Calls => "calls",
        CeilingKind::Tokens => "tokens",
    }
}

/// Returns what the session has cost, as lines.
pub fn spend(state: &State) -> Vec<Paragraph> {
    let spend = state.spend();
    let calls = format!(
        "{} calls, {} tokens in, {} out",
        spend.calls, spend.input_tokens, spend.output_tokens
    );
    let mut lines = vec![
        Paragraph::of(Role::Muted, cost(state)).indented(2, 4),
        Paragraph::of(Role::Muted, calls).indented(2, 4),
    ];
    if spend.in_doubt_usd > 0.0 {
        let doubt = format!(
            "and at most ${:.4} for calls without a known end",
            spend.in_doubt_usd
        );
        lines.push(Paragraph::of(Role::Warning, doubt).indented(2, 4));
    }
    lines
}

/// Returns the cost of a session; a lower bound is called one.
pub fn cost(state: &State) -> String {
    let spend = state.spend();
    if spend.unpriced_calls > 0 {
        format!("at least ${:.4}", spend.cost_usd)
    } else {
        format!("${:.4}", spend.cost_usd)
    }
}
