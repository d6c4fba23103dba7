//! Figures of a comparison of two prompts in paragraphs: the same for the workbench and the command line.

use super::{Paragraph, Role, format_noun_count};
use elenchus_metrics::{
    Interval, PairedTest, PreferenceReport, PromptComparison, PromptEvidence, PromptMeasure,
    PromptRow, SequenceReport,
};

/// Columns of a measure's name, of a number, of an interval.
const NAME: usize = 22;
const NUMBER: usize = 9;
const INTERVAL: usize = 17;

/// Figures of a comparison, and what may be read of them (FIGURES 5).
#[derive(Debug)]
pub struct PromptFigures<'a> {
    pub names: [&'a str; 2],
    pub reads: PromptEvidence,
    pub comparison: Option<&'a PromptComparison>,
    pub sequence: Option<&'a SequenceReport>,
    /// Whether it ends as soon as the sequence is settled.
    pub is_stopped_early: bool,
    /// Who is asked which reply is better, and what came of it.
    pub preference: Option<(String, Option<&'a PreferenceReport>)>,
}

impl PromptFigures<'_> {
    /// Returns the table, what may be read of it, the sequence, the preference and what is left out.
    pub fn to_paragraphs(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        if let Some(comparison) = self.comparison {
            page.extend(self.describe_table(comparison));
            page.push(Paragraph::gap());
        }
        page.push(Paragraph::new(Role::Muted, self.describe_evidence()));
        if self.reads == PromptEvidence::Sequence || self.is_stopped_early {
            page.extend(self.describe_sequence());
        }
        if let Some((judge, report)) = &self.preference {
            page.push(Paragraph::gap());
            page.push(Paragraph::new(
                Role::Strong,
                format!("Preferred by {judge}"),
            ));
            match report {
                Some(report) => page.extend(describe_preference(report, self.reads)),
                None => page.push(indented_line(Role::Muted, "no pair is judged yet")),
            }
        }
        page.extend(
            self.comparison
                .iter()
                .flat_map(|compared| self.describe_left_out(compared)),
        );
        page
    }

    fn describe_table(&self, comparison: &PromptComparison) -> Vec<Paragraph> {
        let mut head = format!(
            "{:NAME$}{:>7}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}",
            "", "topics", "A", "B", "B - A"
        );
        if self.reads == PromptEvidence::FixedN {
            let has_adjustment = comparison.rows.iter().any(|row| row.confidence.is_some());
            let [interval, p] = match has_adjustment {
                true => ["adj. interval", "adj. p"],
                false => ["95 % interval", "p"],
            };
            head += &format!("{interval:>INTERVAL$}{p:>7}");
        }
        let warnings = comparison.warnings.iter();
        let mut page: Vec<Paragraph> = warnings
            .map(|warning| Paragraph::new(Role::Warning, warning.clone()))
            .collect();
        page.push(Paragraph::new(Role::Strong, head));
        for row in &comparison.rows {
            page.push(Paragraph::new(Role::Text, self.format_row(row)));
            let notes = self.list_notes(row).into_iter();
            page.extend(notes.map(|note| Paragraph::new(Role::Muted, note).with_indent(4, 6)));
        }
        page
    }

    fn format_row(&self, row: &PromptRow) -> String {
        let number = |value: f64| match row.measure {
            PromptMeasure::Length => format!("{value:.0}"),
            PromptMeasure::Cost => format!("{value:.4}"),
            PromptMeasure::ErrorRate | PromptMeasure::MadeGood | PromptMeasure::MadeBad => {
                format!("{value:.3}")
            }
        };
        let [a, b, difference] = [row.a, row.b, row.difference].map(number);
        let label = row.measure.label();
        let figures = format!(
            "{label:NAME$}{:>7}{a:>NUMBER$}{b:>NUMBER$}{difference:>NUMBER$}",
            row.topics
        );
        if self.reads == PromptEvidence::Sequence {
            return figures;
        }
        let interval = row.interval.as_ref();
        let interval = interval.map_or("n/a".to_owned(), |interval: &Interval| {
            format!("{} to {}", number(interval.low), number(interval.high))
        });
        let p = match (row.p_holm, row.measure.is_share()) {
            (Some(_), true) => row.shown_p().to_string(),
            (Some(_) | None, _) => String::new(),
        };
        format!("{figures}{interval:>INTERVAL$}{p:>7}")
    }

    fn list_notes(&self, row: &PromptRow) -> Vec<String> {
        let mut notes = Vec::new();
        if row.unpaired_topics > 0 {
            let topics = format_noun_count(row.unpaired_topics, "topic");
            notes.push(format!(
                "{topics} with a value of one prompt alone are left out"
            ));
        }
        if self.reads == PromptEvidence::Sequence || row.measure != PromptMeasure::ErrorRate {
            return notes;
        }
        if let Some(topic_count) = row.needed_topics {
            notes.push(format!(
                "a difference of this size would be settled by about {topic_count} topics (5 %, power \
                 80 %; judged by the spread of these {})",
                row.topics
            ));
        }
        let of_one_verdict = match row.test {
            PairedTest::McNemar => Some("exact test"),
            PairedTest::McNemarMidP => Some("mid-p test"),
            PairedTest::SignFlip
            | PairedTest::LabelPermutation
            | PairedTest::RunPermutation
            | PairedTest::RunSignFlip => None,
        };
        if let Some(test) = of_one_verdict {
            notes.push(format!("one verdict a topic and prompt: McNemar's {test}"));
        }
        notes
    }

    fn describe_evidence(&self) -> &'static str {
        match self.reads {
            PromptEvidence::FixedN => {
                "fixed number of topics: each topic weighs the same, whatever its turns and \
                 samples; intervals resample topics (Bonett and Price where few differ); p by \
                 flipped signs of topics (McNemar where each has one verdict). Of the shares both \
                 are adjusted: p is multiplied by some k (Holm), and its interval is at 1 - .05 / k; \
                 length and cost are at 95 %"
            }
            PromptEvidence::Sequence if !self.is_stopped_early => {
                "intervals and p-values wait for all planned samples: whoever looks earlier and \
                 stops would be misled by them"
            }
            PromptEvidence::Sequence => {
                "each topic weighs the same, whatever its turns and samples; intervals and p-values \
                 are left out: they hold for a number of topics that was fixed before, and this \
                 comparison may end, or be looked at, at any of them"
            }
        }
    }

    fn describe_sequence(&self) -> Vec<Paragraph> {
        let title = "Confidence sequence of the error rates, B - A";
        let mut page = vec![Paragraph::gap(), Paragraph::new(Role::Strong, title)];
        let Some(sequence) = self.sequence else {
            let none = "no topic is complete yet, or none was judged";
            page.push(indented_line(Role::Muted, none));
            return page;
        };
        if let Some(last) = sequence.last() {
            let text = format!(
                "after {}: {:+.3}, {:+.3} to {:+.3} ({:.0} %, at every look together)",
                format_noun_count(last.topics, "topic"),
                last.difference,
                last.low,
                last.high,
                (1.0 - sequence.alpha) * 100.0
            );
            page.push(indented_line(Role::Text, text));
        }
        let topics = |count| format_noun_count(count, "topic");
        let (role, text) = match (sequence.settled_after, sequence.more_topics) {
            (Some(after), _) if self.is_stopped_early => (
                Role::Safe,
                format!("settled after {}: it ended there", topics(after)),
            ),
            (Some(after), _) => (
                Role::Safe,
                format!("no difference was left out after {}", topics(after)),
            ),
            (None, Some(more)) => (
                Role::Muted,
                format!(
                    "not settled; about {more} more topics would settle it, if they go on as these did"
                ),
            ),
            (None, None) => (Role::Muted, "not settled".to_owned()),
        };
        page.push(indented_line(role, text));
        for (count, why) in [
            (sequence.waiting, "not complete yet"),
            (
                sequence.without_value,
                "left out: a sample failed, or no turn of a prompt was judged",
            ),
        ] {
            if count > 0 {
                page.push(indented_line(
                    Role::Muted,
                    format!("{} {why}", topics(count)),
                ));
            }
        }
        page
    }

    fn describe_left_out(&self, comparison: &PromptComparison) -> Vec<Paragraph> {
        let [a, b] = self.names;
        let counts = [
            (a, comparison.silent_a, "sample", "brought no reply"),
            (b, comparison.silent_b, "sample", "brought no reply"),
            (
                a,
                comparison.left_out_a as usize,
                "turn",
                "without a readable verdict",
            ),
            (
                b,
                comparison.left_out_b as usize,
                "turn",
                "without a readable verdict",
            ),
        ];
        let counts = counts.into_iter().filter(|(_, count, ..)| *count > 0);
        counts
            .map(|(name, count, what, why)| {
                let text = format!("{name}: {} {why}", format_noun_count(count, what));
                Paragraph::new(Role::Warning, text)
            })
            .collect()
    }
}

fn indented_line(role: Role, text: impl Into<String>) -> Paragraph {
    Paragraph::new(role, text).with_indent(2, 4)
}

fn describe_preference(report: &PreferenceReport, reads: PromptEvidence) -> Vec<Paragraph> {
    let share = report.share_b.map(|share| format!("{share:.3}"));
    let share = share.unwrap_or_else(|| "n/a".to_owned());
    let mut text = format!("B is preferred in {share} of pairs, ties a half");
    if reads == PromptEvidence::FixedN {
        if let Some(interval) = &report.interval {
            text += &format!(", {:.3} to {:.3}", interval.low, interval.high);
        }
        if let Some(p) = report.shown_p() {
            let test = match report.test {
                PairedTest::McNemar => "exact, one pair a topic",
                PairedTest::McNemarMidP => "mid-p, one pair a topic",
                PairedTest::SignFlip => "flipped signs of topics",
                PairedTest::LabelPermutation => "topics divided otherwise",
                PairedTest::RunPermutation | PairedTest::RunSignFlip => "learning runs",
            };
            text += &format!(", p {p} ({test})");
        }
    }
    let mut page = vec![indented_line(Role::Text, text)];
    let counts = format!(
        "{}, {}: {} for A, {} for B, {}, {} that contradict each other by the order shown",
        format_noun_count(report.topics, "topic"),
        format_noun_count(report.pairs, "pair"),
        report.a,
        report.b,
        format_noun_count(report.ties, "tie"),
        report.contradicted
    );
    page.push(indented_line(Role::Muted, counts));
    if report.unparsed + report.missing > 0 {
        let text = format!(
            "left out: {} with an answer that could not be read, {} without both replies and answers",
            report.unparsed, report.missing
        );
        page.push(indented_line(Role::Muted, text));
    }
    if report.simulated {
        let text = "SIMULATED: a check of the instrument, no evidence about prompts";
        page.push(indented_line(Role::Simulated, text));
    }
    let warnings = report.warnings.iter();
    page.extend(warnings.map(|text| indented_line(Role::Warning, text.clone())));
    page
}
