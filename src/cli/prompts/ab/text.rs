//! Text below a comparison's table: the confidence sequence and the judged preference.

use crate::cli::common::{Page, counted};
use crate::experiments::prompt_ab::{AbEvidence, AbState, AbStop, AbSummary};
use crate::metrics::{PairedTest, PreferenceReport};

/// Says what the confidence sequence knows: where it is what counts.
pub(super) fn sequence(page: &mut Page, state: &AbState, summary: &AbSummary) {
    if summary.reads == AbEvidence::FixedN {
        return;
    }
    page.title("Confidence sequence of the error rates, B - A");
    let Some(sequence) = &summary.sequence else {
        page.at(2)
            .line("no topic is complete yet, or none was judged");
        return;
    };
    if let Some(last) = sequence.last() {
        let share = (1.0 - sequence.alpha) * 100.0;
        page.at(2).line(&format!(
            "after {}: {:.3}, {:.3} to {:.3} ({share:.0} %, at every look together)",
            counted(last.topics, "topic"),
            last.difference,
            last.low,
            last.high
        ));
    }
    match (sequence.settled_after, state.manifest.stop) {
        (Some(topics), AbStop::Settled { .. }) => {
            let topics = counted(topics, "topic");
            page.at(2)
                .good(&format!("settled after {topics}: it ended there"));
        }
        (Some(topics), AbStop::Fixed) => {
            let topics = counted(topics, "topic");
            page.at(2)
                .line(&format!("no difference was left out after {topics}"));
        }
        (None, _) => {
            let more = match sequence.more_topics {
                Some(more) => format!(
                    "not settled; about {} more would settle it, if they go on as these did",
                    counted(usize::try_from(more).unwrap_or(usize::MAX), "topic")
                ),
                None => "not settled".to_owned(),
            };
            page.at(2).line(&more);
        }
    }
    if sequence.without_value > 0 {
        let topics = counted(sequence.without_value, "topic");
        page.at(2).line(&format!(
            "{topics} left out: a sample failed, or no turn of a prompt was judged"
        ));
    }
}

/// Says which prompt's replies a judge prefers.
pub(super) fn preference(page: &mut Page, state: &AbState, summary: &AbSummary) {
    let Some(asked) = &state.manifest.preference else {
        return;
    };
    page.gap();
    page.bold(&format!("Preferred by {} ({})", asked.judge, asked.rubric));
    match &summary.preference {
        Some(report) => print_preference(page, report, summary.reads),
        None => page.at(2).line("no pair is judged yet"),
    }
    for why in state.unanswered.values().take(MAX_FAULTS) {
        page.at(2).bad(&format!("no answer: {why}"));
    }
}

/// Number of failed questions that are listed.
const MAX_FAULTS: usize = 3;

fn print_preference(page: &mut Page, report: &PreferenceReport, reads: AbEvidence) {
    let share = report
        .share_b
        .map_or("n/a".to_owned(), |share| format!("{share:.3}"));
    let mut line = format!("B is preferred in {share} of pairs, ties a half");
    if let (AbEvidence::FixedN, Some(interval)) = (reads, &report.interval) {
        line += &format!(", {:.3} to {:.3}", interval.low, interval.high);
    }
    if let (AbEvidence::FixedN, Some(p)) = (reads, report.shown_p()) {
        let test = match report.test {
            PairedTest::McNemar => "exact, one pair a topic",
            PairedTest::SignFlip => "flipped signs of topics",
            PairedTest::LabelPermutation => "topics divided otherwise",
        };
        line += &format!(", p {p} ({test})");
    }
    page.at(2).line(&line);
    page.at(2).line(&format!(
        "{}, {}: {} for A, {} for B, {}, {} that contradict each other by the order shown",
        counted(report.topics, "topic"),
        counted(report.pairs, "pair"),
        report.a,
        report.b,
        counted(report.ties, "tie"),
        report.contradicted
    ));
    if report.unparsed + report.missing > 0 {
        page.at(2).line(&format!(
            "left out: {} with an answer that could not be read, {} without both replies and \
                 answers",
            report.unparsed, report.missing
        ));
    }
    if report.simulated {
        page.at(2)
            .middle("SIMULATED: a check of the instrument, no evidence about prompts");
    }
    for warning in &report.warnings {
        page.at(2).middle(warning);
    }
}
