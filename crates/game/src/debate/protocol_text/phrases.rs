//! Phrases for visibility and judging rules.

use crate::debate::ids::JudgingId;
use crate::debate::protocol::{
    BeforeUse, Combine, Detector, DocumentsSeen, Gauge, Grader, Judging, Orders, OwnPrivate,
    PeerOrder, Sees,
};

use super::{Description, describe_turns_seen};

impl Description<'_> {
    pub(super) fn describe_sees(&self, sees: &Sees) -> String {
        let mut parts = Vec::new();
        if sees.topic {
            parts.push("the topic".to_owned());
        }
        match sees.documents {
            DocumentsSeen::None => {}
            DocumentsSeen::All => parts.push("its documents".to_owned()),
            DocumentsSeen::ByRound => parts.push("its documents, one more each round".to_owned()),
        }
        if sees.options {
            parts.push("its options".to_owned());
        }
        if sees.memory {
            parts.push("lessons from memory, if it is used".to_owned());
        }
        match sees.own_private {
            OwnPrivate::None => {}
            OwnPrivate::ThisRound => parts.push("own private reasoning of this round".to_owned()),
            OwnPrivate::All => parts.push("all own private reasoning".to_owned()),
        }
        if sees.judged_private {
            parts.push("what its author thought in private".to_owned());
        }
        if sees.rewards {
            parts.push("what was decided and paid".to_owned());
        }
        parts.extend(sees.turns.iter().map(describe_turns_seen));
        if sees.verdicts {
            parts.push("the verdicts on these turns".to_owned());
        }
        parts.extend(
            sees.rulings
                .iter()
                .map(|rule| format!("what '{rule}' found about earlier rounds")),
        );
        if let Some(rule) = &sees.screened_by {
            parts.push(format!(
                "what '{rule}' found of their citations, without arguments that rest on a \
                 fabricated one"
            ));
        }
        if !sees.turns.is_empty() {
            parts.push(
                match sees.peer_order {
                    PeerOrder::Shuffled => "in an order shuffled for each reader",
                    PeerOrder::Seat => "in the order of the seats",
                }
                .to_owned(),
            );
        }
        if parts.is_empty() {
            return "nothing".to_owned();
        }
        parts.join("; ")
    }

    pub(super) fn describe_judge(&self, rule: &Judging) -> String {
        if let Some(detector) = rule.detector {
            return format!("no model: a rule {}", describe_detector(detector));
        }
        let what_is_graded = rule.grades.as_ref().map(|grader| {
            format!(
                "; shown the reference answer and asked about what the rules of '{grader}' leave undecided{}",
                self.describe_sample(grader)
            )
        });
        if let Some(command) = &rule.command {
            return format!(
                "no model: the command that the user's configuration knows as '{command}'{}",
                what_is_graded.unwrap_or_default()
            );
        }
        let Some(seat) = &rule.by else {
            if rule
                .grader
                .as_ref()
                .is_some_and(|grader| grader.rules.is_none())
            {
                return "no model: no rule compares an open task".to_owned();
            }
            let how = match rule.grader.as_ref().and_then(|grader| grader.rules) {
                Some(Grader::Exact) => "exactly",
                Some(Grader::Alias) => "with its other spellings",
                Some(Grader::Boxed) => "with what is boxed",
                Some(Grader::Numeric) => "as a number",
                Some(Grader::Auto) | None => "as it calls for",
            };
            return format!("no model: compared with the reference answer, {how}");
        };
        let mut text = self.describe_chairs(std::slice::from_ref(seat));
        if let Some(rubric) = &rule.rubric {
            text.push_str(&format!(", by the rubric '{rubric}'"));
        }
        text.push_str(&what_is_graded.unwrap_or_default());
        match rule.orders {
            Orders::One => {}
            Orders::Both => text.push_str(
                ", the candidates in both orders; findings that contradict each other are a tie",
            ),
        }
        if let Some(repair) = &rule.repair {
            let times = format_count(repair.at_most as usize, "time");
            text.push_str(&format!(
                "; asked again when it cannot be read, {times} at most"
            ));
        }
        if self
            .protocol
            .find_seat(seat)
            .is_some_and(|seat| seat.count > 1)
        {
            text.push_str(match rule.combine {
                Combine::Majority => "; the majority counts, a tie is no finding",
                Combine::Mean => "; the label nearest to the mean counts",
            });
        }
        text
    }
}

impl Description<'_> {
    /// Describes the sample of what a grader's rules decided.
    fn describe_sample(&self, grader: &JudgingId) -> String {
        let rule = self.protocol.find_judging(grader);
        let choice = rule.and_then(|rule| rule.grader.as_ref());
        let sample = choice
            .and_then(|choice| choice.asks.as_ref())
            .map_or(0.0, |asked| asked.sample);
        match sample > 0.0 {
            true => format!(", and about {:.0} % of what they decide", sample * 100.0),
            false => String::new(),
        }
    }
}

fn describe_detector(detector: Detector) -> &'static str {
    match detector {
        Detector::Citations => "looks up what is cited in the documents",
        Detector::Stance => "finds whether a turn accepts or rejects the proposal",
        Detector::BackStab => "finds whether a turn rejects what its speaker accepted before",
        Detector::SpuriousTone => "finds whether a critique is harsh and points at nothing",
        Detector::NamesError => {
            "finds whether a critique says what is wrong at a place of the proposal"
        }
        Detector::Goalposts => "finds whether objections are dropped for new demands",
        Detector::Refusal => "finds whether a turn refuses what it is asked, in full or in part",
    }
}

/// Describes the readings of a gauge and its thresholds.
pub(super) fn describe_gauge(gauge: &Gauge) -> String {
    let mut text = gauge.name.clone();
    if let Some(bound) = gauge.alert_below {
        text.push_str(&format!("; ALERT when the mean is below {bound}"));
    }
    if let Some(bound) = gauge.alert_above {
        text.push_str(&format!("; ALERT when the mean is above {bound}"));
    }
    if let Some(bound) = gauge.flag_below {
        text.push_str(&format!("; a debate with less than {bound} is flagged"));
    }
    if let Some(BeforeUse { cases, mean_above }) = gauge.before_use {
        text.push_str(&format!(
            "; before use a mean above {mean_above} on {cases} known cases or more"
        ));
    }
    text
}

/// Returns `count` with the right form of its noun, for regular nouns.
pub(super) fn format_count(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}
