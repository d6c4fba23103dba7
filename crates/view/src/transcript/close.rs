//! End of a transcript: decision, rewards, lesson, failures, cost and outcome.

use super::Script;
use elenchus_game::debate::event::FailureKind;
use elenchus_game::debate::step::{EndReason, Target};
use elenchus_records::exchange::best_sample;
use elenchus_text::cost;
use elenchus_text::{Ink, format_noun_count};
use jiff::Timestamp;

impl Script<'_> {
    pub(crate) fn write_closing_part(&mut self) {
        self.write_decision();
        self.write_lesson();
        self.write_other_stopped_replies();
        self.write_failures();
        self.write_ending();
    }

    fn write_decision(&mut self) {
        let state = self.state;
        let has_verdict = state
            .verdicts()
            .any(|(_, target, _)| target == &Target::Debate);
        let rewards = state.compute_rewards();
        let stopped_verdict = state.stopped_verdicts_on(&Target::Debate).next();
        if !has_verdict && rewards.is_empty() && stopped_verdict.is_none() {
            return;
        }
        self.page.add_title("Decision");
        self.write_verdicts(&Target::Debate);
        if !rewards.is_empty() {
            let texts: Vec<String> = rewards
                .iter()
                .map(|(chair, reward)| format!("{} {reward:+}", self.chair_name(chair)))
                .collect();
            self.page
                .line_at(4)
                .write_plain(&format!("rewards: {}", texts.join(", ")));
        }
    }

    fn write_lesson(&mut self) {
        let Some(lesson) = self.state.lesson() else {
            return;
        };
        self.page
            .add_title(&format!("Lesson (memory entry {})", lesson.entry));
        self.write_feedback_view(lesson.view.as_ref());
        if let Some(thinking) = &lesson.reply.thinking {
            self.private_text(4, "its own thinking", thinking);
        }
        if lesson.reply.is_empty() {
            let empty = lesson.reply.empty_placeholder();
            let text = format!("{empty}; memory keeps nothing of it");
            self.page.line_at(4).write_middle(&text);
            return;
        }
        self.write_prose(Ink::Plain, 4, &lesson.reply.text);
    }

    fn write_failures(&mut self) {
        let state = self.state;
        if state.failures().is_empty() {
            return;
        }
        self.page.add_title("Failures");
        for (step, failed) in state.failures() {
            let kind = match failed.kind {
                FailureKind::Error => "",
                FailureKind::Filtered => " (the provider's filter)",
            };
            let mut text = format!("{step}{kind}: {}", failed.message);
            if let Some(usd) = failed.may_have_cost_usd.filter(|usd| *usd > 0.0) {
                text.push_str(&format!(" (may have cost {})", cost::format_usd(usd)));
            }
            self.page.line_at(2).write_bad(&text);
        }
    }

    fn write_ending(&mut self) {
        let opening = self.state.find_open_steps();
        let (ink, text, goes_on) = match opening.done {
            Some(EndReason::Complete) => (Ink::Good, "complete".to_owned(), false),
            Some(EndReason::Stopped { after_round }) => {
                let text =
                    format!("complete (ended by a rule of the protocol after round {after_round})");
                (Ink::Good, text, false)
            }
            Some(EndReason::Truncated(ceiling)) => {
                let text = format!(
                    "DEBATE_TRUNCATED: the ceiling on {} was met",
                    ceiling.name()
                );
                (Ink::Bad, text, false)
            }
            None if opening.blocked.is_empty() => {
                (Ink::Middle, "not played to its end".to_owned(), true)
            }
            None => {
                let failed_steps = format_noun_count(opening.blocked.len(), "step");
                (
                    Ink::Bad,
                    format!("not played to its end: {failed_steps} failed"),
                    true,
                )
            }
        };
        self.page.add_title("End");
        self.page.line_at(2).write_in_ink(ink, &text);
        if let Some(best) = best_sample(self.state) {
            self.page.line_at(2).write_plain(&best);
        }
        self.write_spend();
        if goes_on {
            let hint = match &self.created.run {
                Some(place) => format!("go on: elenchus run --resume {}", place.run),
                None => format!("go on: elenchus run --resume-session {}", self.session),
            };
            self.page.line_at(2).write_plain(&hint);
        }
    }

    fn write_spend(&mut self) {
        let spend = self.state.spend();
        let mut cost = cost::format_cost_sum(spend.cost_usd, spend.unpriced_calls);
        if spend.unpriced_calls > 0 {
            let calls = format_noun_count(as_count(spend.unpriced_calls), "call");
            cost.push_str(&format!(": {calls} of models without prices"));
        }
        if spend.in_doubt_usd > 0.0 {
            cost.push_str(&format!(
                ", and at most {} for calls without a known end",
                cost::format_usd(spend.in_doubt_usd)
            ));
        }
        let mut calls = format!(
            "{}, {} tokens in, {} out",
            format_noun_count(as_count(spend.calls), "call"),
            spend.input_tokens,
            spend.output_tokens
        );
        if spend.retries > 0 {
            calls.push_str(&format!(", {} tried again", spend.retries));
        }
        self.page.add_field(2, "cost", 7, &cost);
        self.page.add_field(2, "calls", 7, &calls);
        let (first, last) = self.state.time_span();
        let duration = match (first.parse::<Timestamp>(), last.parse::<Timestamp>()) {
            (Ok(first), Ok(last)) => {
                let ms = (last.as_millisecond() - first.as_millisecond()).max(0);
                format!("{}.{:03} s, until {last}", ms / 1000, ms % 1000)
            }
            _ => format!("until {last}"),
        };
        self.page.add_field(2, "time", 7, &duration);
    }
}

fn as_count(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
