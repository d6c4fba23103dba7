//! Texts of a trial that is watched: the recorded reply, and each sample with what was found and what followed.
//! Pure.

use super::live_sample::{LiveSample, SampleFindings};
use crate::experiments::prompt_trial::{SampleEnd, TriedCall, list_target_findings};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, State, StepId, TurnId};
use elenchus_text::word_diff::{compare_inline, compare_side_by_side};
use elenchus_text::{Paragraph, Role, others_prose, set_off};
use elenchus_view::debate_text::{
    AttemptOptions, author_line, coming_reply, finding_label, hidden_text, is_private, model_line,
    reply_usage_line, role_of, usage_line,
};

/// Comparison of a sample with the recorded reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialLayout {
    /// Side by side: each is marked where the other differs.
    Beside,
    /// The sample alone: removed words are shown among its own.
    Woven,
}

/// A reply in a column: who wrote it, what it says, and what was found there.
struct ColumnReply {
    head: Vec<Paragraph>,
    text: String,
    findings: SampleFindings,
    is_private: bool,
}

impl ColumnReply {
    /// Reads what is recorded at a call; `None` where nothing is.
    fn read(state: &State, call: &TriedCall) -> Option<Self> {
        let findings = call.list_findings(state);
        match call {
            TriedCall::Turn(turn) => {
                let (_, attempt) = state.chosen_attempt(turn)?;
                let mut head = vec![author_line(attempt)];
                head.extend(usage_line(attempt));
                Some(Self {
                    head,
                    text: attempt.reply.text.clone(),
                    findings,
                    is_private: is_private(state, turn),
                })
            }
            TriedCall::Verdict(_)
            | TriedCall::Lesson(_)
            | TriedCall::GuardDecision(_)
            | TriedCall::Derivation(_) => {
                let replies = call.list_replies(state);
                let lines = replies.iter();
                let lines = lines.flat_map(|reply| [model_line(reply), reply_usage_line(reply)]);
                Some(Self {
                    head: lines.collect(),
                    text: call.find_text(state)?,
                    findings,
                    is_private: false,
                })
            }
        }
    }

    /// Returns what stands in place of a reply that is masked, private or empty.
    fn hidden_note(&self, show: AttemptOptions) -> Option<Paragraph> {
        hidden_text(&self.text, self.is_private && !show.private, show.content)
    }
}

/// Returns the recorded reply, compared with the sample next to it.
pub(super) fn recorded_page(
    state: &State,
    call: &TriedCall,
    other: Option<&LiveSample>,
    show: AttemptOptions,
) -> Vec<Paragraph> {
    let Some(reply) = ColumnReply::read(state, call) else {
        return vec![Paragraph::new(Role::Notice, "nothing was said here")];
    };
    let mut page = reply.head.clone();
    page.extend(verdict_lines(call, &reply.findings, None));
    page.push(Paragraph::gap());
    let other = other.and_then(|sample| call.find_own_text(&sample.state));
    let other_text = other.filter(|text| show.difference && *text != reply.text);
    let comparison =
        other_text.and_then(|text| compare_side_by_side(&reply.text, &text, show.marking));
    let text = &reply.text;
    page.extend(match (reply.hidden_note(show), comparison) {
        (Some(instead), _) => vec![instead],
        (None, Some(both)) => set_off(both.left),
        (None, None) => others_prose(Role::Text, 2, text),
    });
    page
}

/// Returns a sample: what came, what was found on it, what it says, what followed.
pub(super) fn sample_page(
    sample: &LiveSample,
    recorded: &State,
    call: &TriedCall,
    (layout, show): (TrialLayout, AttemptOptions),
) -> Vec<Paragraph> {
    let mut page = Vec::new();
    let own = sample.has_reply(call);
    match own
        .then(|| ColumnReply::read(&sample.state, call))
        .flatten()
    {
        Some(reply) => {
            page.extend(reply.head.iter().cloned());
            let base = ColumnReply::read(recorded, call);
            let old_findings = base.as_ref().map(|base| &base.findings);
            page.extend(verdict_lines(call, &reply.findings, old_findings));
            page.push(Paragraph::gap());
            let base_text = base.as_ref().map(|base| base.text.as_str());
            page.extend(match reply.hidden_note(show) {
                Some(instead) => vec![instead],
                None => compared_text(&reply.text, base_text, (layout, show)),
            });
        }
        None => page.extend(coming_text(sample, call, show)),
    }
    if let TriedCall::Turn(turn) = call {
        page.extend(following_page(sample, recorded, turn));
    }
    page.extend(sample.end.as_ref().and_then(describe_end));
    page
}

/// Returns the text of the tried call while it comes.
fn coming_text(sample: &LiveSample, call: &TriedCall, show: AttemptOptions) -> Vec<Paragraph> {
    let is_tried = |step: &StepId| step.turn().as_ref() == call.turn();
    match sample.coming.iter().find(|(step, _)| is_tried(step)) {
        Some((_, reply)) => {
            coming_reply(&reply.text, (reply.thinking, reply.note.as_deref()), show)
        }
        None if sample.is_over() => vec![Paragraph::new(Role::Muted, "no reply came")],
        None => vec![Paragraph::new(Role::Muted, "waits to be asked")],
    }
}

/// Returns the verdicts, a line for each rule, next to those on the recorded reply; lessons are not judged.
fn verdict_lines(
    call: &TriedCall,
    findings: &SampleFindings,
    old_findings: Option<&SampleFindings>,
) -> Vec<Paragraph> {
    if let TriedCall::Lesson(_) = call {
        return Vec::new();
    }
    if findings.is_empty() {
        return vec![Paragraph::new(Role::Muted, "no verdict on it")];
    }
    let lines = findings.iter().map(|(rule, outcome)| {
        let line = Paragraph::new(Role::Muted, format!("{rule}: "));
        let line = line.with_run(role_of(outcome), finding_label(outcome));
        let old_finding = old_findings.map(|known| known.iter().find(|(of, _)| of == rule));
        match old_finding {
            None => line,
            Some(Some((_, before))) => line
                .with_run(Role::Muted, " · recorded: ")
                .with_run(role_of(before), finding_label(before)),
            Some(None) => line.with_run(Role::Muted, " · recorded: none"),
        }
    });
    lines.collect()
}

/// Returns a sample's words, marked where they differ from the recorded ones.
fn compared_text(
    text: &str,
    base: Option<&str>,
    (layout, show): (TrialLayout, AttemptOptions),
) -> Vec<Paragraph> {
    let with_note = |note: &str| {
        let mut page = vec![Paragraph::new(Role::Notice, note)];
        page.extend(others_prose(Role::Text, 2, text));
        page
    };
    let Some(base) = base.filter(|_| show.difference) else {
        return others_prose(Role::Text, 2, text);
    };
    if base == text {
        return with_note("says the same as the recorded one");
    }
    let difference = match layout {
        TrialLayout::Beside => {
            compare_side_by_side(base, text, show.marking).map(|both| both.right)
        }
        TrialLayout::Woven => compare_inline(base, text, show.marking),
    };
    match difference {
        // Two texts in turns, word by word, cannot be read.
        Some(page) if layout == TrialLayout::Woven && !shares_much(&page) => {
            with_note("shares little with the recorded one: no differences are marked")
        }
        Some(page) => set_off(page),
        None => with_note("too long to be compared word by word"),
    }
}

/// Says whether at least half of both texts is the same.
fn shares_much(page: &[Paragraph]) -> bool {
    let (mut same, mut all) = (0, 0);
    for (role, text) in page.iter().flat_map(|line| &line.runs) {
        let count = text.chars().count();
        match role {
            Role::Added | Role::Removed => all += count,
            _ => {
                same += 2 * count;
                all += 2 * count;
            }
        }
    }
    2 * same >= all
}

/// Returns how the debate went on: who spoke, what was found, and what had been found there.
fn following_page(sample: &LiveSample, recorded: &State, turn: &TurnId) -> Vec<Paragraph> {
    let state = &sample.state;
    let mut lines: Vec<Paragraph> = sample
        .following_turns(turn)
        .iter()
        .map(|id| later_turn_line(state, recorded, id))
        .collect();
    lines.extend(round_finding_lines(state, recorded, turn));
    let others = sample
        .coming
        .keys()
        .filter(|step| step.turn().as_ref() != Some(turn));
    lines.extend(others.map(|step| match step.turn() {
        Some(next) => turn_line(state, &next).with_run(Role::Streaming, "speaking"),
        None => Paragraph::new(Role::Streaming, "a judge is asked").with_indent(2, 4),
    }));
    if lines.is_empty() {
        return lines;
    }
    let mut page = vec![
        Paragraph::gap(),
        Paragraph::new(Role::Strong, "What followed"),
    ];
    page.extend(lines);
    page
}

fn turn_line(state: &State, turn: &TurnId) -> Paragraph {
    let name = state.name_of(&turn.chair);
    let text = format!("round {} {}, {name}: ", turn.round, turn.stage);
    Paragraph::new(Role::Text, text).with_indent(2, 4)
}

fn later_turn_line(state: &State, recorded: &State, id: &AttemptId) -> Paragraph {
    append_findings(
        turn_line(state, &id.turn),
        &list_target_findings(state, &Target::Attempt(id.clone())),
        &TriedCall::Turn(id.turn.clone()).list_findings(recorded),
    )
}

/// Returns what was found on rounds and on the debate since the turn.
fn round_finding_lines(state: &State, recorded: &State, turn: &TurnId) -> Vec<Paragraph> {
    let mut targets: Vec<&Target> = state
        .verdicts()
        .map(|(_, target, _)| target)
        .filter(|target| match target {
            Target::Attempt(_) => false,
            Target::Round(round) => *round >= turn.round,
            Target::Debate => true,
        })
        .collect();
    targets.sort();
    targets.dedup();
    let lines = targets.into_iter().map(|target| {
        let name = match target {
            Target::Attempt(_) | Target::Debate => "the debate: ".to_owned(),
            Target::Round(round) => format!("round {round}: "),
        };
        let line = Paragraph::new(Role::Text, name).with_indent(2, 4);
        append_findings(
            line,
            &list_target_findings(state, target),
            &list_target_findings(recorded, target),
        )
    });
    lines.collect()
}

fn append_findings(line: Paragraph, now: &SampleFindings, before: &SampleFindings) -> Paragraph {
    if now.is_empty() && before.is_empty() {
        return line.with_run(Role::Muted, "spoken");
    }
    let add_findings = |mut line: Paragraph, found: &SampleFindings| {
        if found.is_empty() {
            return line.with_run(Role::Muted, "no verdict");
        }
        for (at, (_, outcome)) in found.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            line = line.with_run(Role::Muted, comma);
            line = line.with_run(role_of(outcome), finding_label(outcome));
        }
        line
    };
    let line = add_findings(line, now).with_run(Role::Muted, " · recorded: ");
    add_findings(line, before)
}

fn describe_end(end: &SampleEnd) -> Option<Paragraph> {
    let (role, text) = match end {
        SampleEnd::Played => return None,
        SampleEnd::Failed(why) => (Role::Error, format!("failed: {why}")),
        SampleEnd::Paused => (
            Role::Warning,
            "the ceiling allowed no more calls".to_owned(),
        ),
        SampleEnd::Stopped => (Role::Notice, "stopped here; what came is kept".to_owned()),
    };
    Some(Paragraph::new(role, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::SessionId;
    use elenchus_text::word_diff::Marking;
    use elenchus_text::{Content, plain_text};
    use std::sync::Arc;

    fn turn() -> TriedCall {
        TriedCall::Turn(TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap())
    }

    fn show() -> AttemptOptions {
        AttemptOptions {
            content: Content::Shown,
            private: false,
            difference: true,
            marking: Marking::Signs,
        }
    }

    #[test]
    fn a_sample_without_a_reply_says_whether_one_can_still_come() {
        let mut one = LiveSample::new(0, SessionId::new("01SAMPLE"), Arc::default());
        let page = |one: &LiveSample| {
            let how = (TrialLayout::Woven, show());
            plain_text(&sample_page(one, &State::default(), &turn(), how))
        };
        assert_eq!(page(&one), "waits to be asked");
        let ends = [
            (SampleEnd::Stopped, "stopped here; what came is kept"),
            (SampleEnd::Paused, "the ceiling allowed no more calls"),
            (SampleEnd::Failed("no key".to_owned()), "failed: no key"),
        ];
        for (end, words) in ends {
            one.end_sample(end);
            assert_eq!(page(&one), format!("no reply came\n{words}"));
        }
    }

    #[test]
    fn texts_share_much_where_half_of_both_is_the_same() {
        let page = |same: &str, added: &str| {
            let line = Paragraph::new(Role::Text, same);
            [line.with_run(Role::Added, added)]
        };
        assert!(shares_much(&page("one two", "three")));
        assert!(shares_much(&page("12", "1234")));
        assert!(!shares_much(&page("12", "12345")));
    }

    #[test]
    fn nothing_is_compared_with_a_turn_that_was_never_spoken() {
        let page = recorded_page(&State::default(), &turn(), None, show());
        assert_eq!(plain_text(&page), "nothing was said here");
    }
}
