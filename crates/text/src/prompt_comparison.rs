//! Figures of a comparison of two prompts in paragraphs: the same for the workbench and the command line.

use super::{Paragraph, Role, counted};
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
    pub fn paragraphs(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        if let Some(compared) = self.comparison {
            page.extend(self.table(compared));
            page.push(Paragraph::gap());
        }
        page.push(Paragraph::of(Role::Muted, self.reading()));
        if self.reads == PromptEvidence::Sequence || self.is_stopped_early {
            page.extend(self.sequence());
        }
        if let Some((judge, report)) = &self.preference {
            page.push(Paragraph::gap());
            page.push(Paragraph::of(Role::Strong, format!("Preferred by {judge}")));
            match report {
                Some(report) => page.extend(preferred(report, self.reads)),
                None => page.push(line(Role::Muted, "no pair is judged yet")),
            }
        }
        page.extend(
            self.comparison
                .iter()
                .flat_map(|compared| self.left_out(compared)),
        );
        page
    }

    fn table(&self, compared: &PromptComparison) -> Vec<Paragraph> {
        let mut head = format!(
            "{:NAME$}{:>7}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}",
            "", "topics", "A", "B", "B - A"
        );
        if self.reads == PromptEvidence::FixedN {
            let is_adjusted = compared.rows.iter().any(|row| row.confidence.is_some());
            let [interval, p] = match is_adjusted {
                true => ["adj. interval", "adj. p"],
                false => ["95 % interval", "p"],
            };
            head += &format!("{interval:>INTERVAL$}{p:>7}");
        }
        let warnings = compared.warnings.iter();
        let mut page: Vec<Paragraph> = warnings
            .map(|warning| Paragraph::of(Role::Warning, warning.clone()))
            .collect();
        page.push(Paragraph::of(Role::Strong, head));
        for row in &compared.rows {
            page.push(Paragraph::of(Role::Text, self.row(row)));
            let notes = self.notes(row).into_iter();
            page.extend(notes.map(|note| Paragraph::of(Role::Muted, note).indented(4, 6)));
        }
        page
    }

    fn row(&self, row: &PromptRow) -> String {
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

    fn notes(&self, row: &PromptRow) -> Vec<String> {
        let mut notes = Vec::new();
        if row.unpaired_topics > 0 {
            let topics = counted(row.unpaired_topics, "topic");
            notes.push(format!(
                "{topics} with a value of one prompt alone are left out"
            ));
        }
        if self.reads == PromptEvidence::Sequence || row.measure != PromptMeasure::ErrorRate {
            return notes;
        }
        if let Some(needed) = row.needed_topics {
            notes.push(format!(
                "a difference of this size would be settled by about {needed} topics (5 %, power \
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

    fn reading(&self) -> &'static str {
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

    fn sequence(&self) -> Vec<Paragraph> {
        let title = "Confidence sequence of the error rates, B - A";
        let mut page = vec![Paragraph::gap(), Paragraph::of(Role::Strong, title)];
        let Some(sequence) = self.sequence else {
            let none = "no topic is complete yet, or none was judged";
            page.push(line(Role::Muted, none));
            return page;
        };
        if let Some(last) = sequence.last() {
            let text = format!(
                "after {}: {:+.3}, {:+.3} to {:+.3} ({:.0} %, at every look together)",
                counted(last.topics, "topic"),
                last.difference,
                last.low,
                last.high,
                (1.0 - sequence.alpha) * 100.0
            );
            page.push(line(Role::Text, text));
        }
        let topics = |count| counted(count, "topic");
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
        page.push(line(role, text));
        for (count, why) in [
            (sequence.waiting, "not complete yet"),
            (
                sequence.without_value,
                "left out: a sample failed, or no turn of a prompt was judged",
            ),
        ] {
            if count > 0 {
                page.push(line(Role::Muted, format!("{} {why}", topics(count))));
            }
        }
        page
    }

    fn left_out(&self, compared: &PromptComparison) -> Vec<Paragraph> {
        let [a, b] = self.names;
        let counts = [
            (a, compared.silent_a, "sample", "brought no reply"),
            (b, compared.silent_b, "sample", "brought no reply"),
            (
                a,
                compared.left_out_a as usize,
                "turn",
                "without a readable verdict",
            ),
            (
                b,
                compared.left_out_b as usize,
                "turn",
                "without a readable verdict",
            ),
        ];
        let counts = counts.into_iter().filter(|(_, count, ..)| *count > 0);
        counts
            .map(|(name, count, what, why)| {
                let text = format!("{name}: {} {why}", counted(count, what));
                Paragraph::of(Role::Warning, text)
            })
            .collect()
    }
}

fn line(role: Role, text: impl Into<String>) -> Paragraph {
    Paragraph::of(role, text).indented(2, 4)
}

fn preferred(report: &PreferenceReport, reads: PromptEvidence) -> Vec<Paragraph> {
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
    let mut page = vec![line(Role::Text, text)];
    let counts = format!(
        "{}, {}: {} for A, {} for B, {}, {} that contradict each other by the order shown",
        counted(report.topics, "topic"),
        counted(report.pairs, "pair"),
        report.a,
        report.b,
        counted(report.ties, "tie"),
        report.contradicted
    );
    page.push(line(Role::Muted, counts));
    if report.unparsed + report.missing > 0 {
        let text = format!(
            "left out: {} with an answer that could not be read, {} without both replies and answers",
            report.unparsed, report.missing
        );
        page.push(line(Role::Muted, text));
    }
    if report.simulated {
        let text = "SIMULATED: a check of the instrument, no evidence about prompts";
        page.push(line(Role::Simulated, text));
    }
    let warnings = report.warnings.iter();
    page.extend(warnings.map(|text| line(Role::Warning, text.clone())));
    page
}
