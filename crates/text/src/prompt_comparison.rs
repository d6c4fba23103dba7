//! Figures of a comparison of two prompts in paragraphs: the same for the workbench and the command line.

use super::{Paragraph, Role, format_noun_count};
use elenchus_metrics::{
    Interval, PairedTest, PreferenceReport, PromptComparison, PromptEvidence, PromptMeasure,
    PromptRow, SequenceReport, SmallestDifference, Unit, format_value,
};

/// Columns of a measure's name, of a number, of an interval.
const NAME: usize = 24;
const NUMBER: usize = 8;
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
    /// A and B have the same words: what differs between them is chance.
    pub is_one_text: bool,
    /// What was asked for alone, in place of turns: a verdict, a decision.
    pub asked_alone: Option<&'static str>,
    /// Who is asked which reply is better, and what came of it.
    pub preference: Option<(String, Option<&'a PreferenceReport>)>,
}

impl PromptFigures<'_> {
    /// Returns the conclusion, the table, what may be read of it, the sequence, the preference and what is
    /// left out.
    pub fn to_paragraphs(&self) -> Vec<Paragraph> {
        let mut page = self.conclude();
        if let Some(comparison) = self.comparison {
            page.push(Paragraph::gap());
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

    /// Returns the sentence that the comparison comes to; `None` where nothing is paired yet.
    pub fn conclusion(&self) -> Option<String> {
        let page = self.conclude();
        let strong = |paragraph: &&Paragraph| {
            let mut runs = paragraph.runs.iter();
            runs.any(|(role, _)| *role == Role::Strong)
        };
        let sentence = page.iter().find(strong)?;
        Some(
            sentence
                .runs
                .iter()
                .map(|(_, text)| text.as_str())
                .collect(),
        )
    }

    /// Returns what the comparison says, in sentences: what differs, by how much, and what would have
    /// been seen.
    fn conclude(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        if self.is_one_text {
            let text = "A and B are one text: what differs between them is chance";
            page.push(Paragraph::new(Role::Warning, text));
        }
        let Some(comparison) = self.comparison else {
            return page;
        };
        let rows = &comparison.rows;
        let rate = rows
            .iter()
            .find(|row| row.measure == PromptMeasure::ErrorRate);
        let Some(rate) = rate else {
            let text = match comparison.left_out_a + comparison.left_out_b {
                0 => {
                    "Nothing was judged, neither the turns nor what follows them: only length and \
                     cost are compared."
                }
                _ => {
                    "No verdict could be read for both prompts: only length and cost are compared."
                }
            };
            page.push(Paragraph::new(Role::Strong, text));
            return page;
        };
        let sentence = match self.reads {
            PromptEvidence::FixedN => conclude_rate(rate, comparison.flips.is_empty()),
            PromptEvidence::Sequence => self.conclude_sequence(),
        };
        page.push(Paragraph::new(Role::Strong, sentence));
        if self.reads == PromptEvidence::FixedN {
            let others = rows.iter().filter_map(conclude_other);
            page.extend(others.map(|text| Paragraph::new(Role::Text, text)));
            let seen = rate.smallest_difference.filter(|_| !rate.is_settled());
            let seen = seen.map(|smallest| describe_smallest(smallest, rate.topics));
            page.extend(seen.map(|text| Paragraph::new(Role::Text, text)));
        }
        page
    }

    fn conclude_sequence(&self) -> String {
        let last = self.sequence.and_then(SequenceReport::last);
        let (Some(sequence), Some(last), true) = (self.sequence, last, self.is_stopped_early)
        else {
            return "Not all samples are played: nothing is concluded yet.".to_owned();
        };
        let topics = |count| format_noun_count(count, "topic");
        let range = format!("{} to {} points", points(last.low), points(last.high));
        match sequence.settled_after {
            Some(after) => format!(
                "{} has the higher error rate, by {} points ({range}): settled after {}.",
                if last.difference > 0.0 { "B" } else { "A" },
                points(last.difference.abs()),
                topics(after)
            ),
            None => format!(
                "Not settled after {}: B's error rate less A's is {} points, {range}.",
                topics(last.topics),
                points(last.difference)
            ),
        }
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
                points(value)
            }
        };
        let mean = |value: f64| match row.measure.is_share() {
            true => format_value(value, Unit::Share),
            false => number(value),
        };
        let [a, b, difference] = [mean(row.a), mean(row.b), number(row.difference)];
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
            let are = if row.unpaired_topics == 1 {
                "is"
            } else {
                "are"
            };
            notes.push(format!(
                "{topics} with a value of one prompt alone {are} left out"
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
                 samples; B - A of rates in percentage points; intervals resample topics (Bonett and Price where few differ); p by \
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
                "after {}: {} points, {} to {} ({:.0} %, at every look together)",
                format_noun_count(last.topics, "topic"),
                points(last.difference),
                points(last.low),
                points(last.high),
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
        let (unread, why_unread) = match self.asked_alone {
            Some(what) => (what, "that could not be read"),
            None => ("turn", "without a readable verdict"),
        };
        let counts = [
            (a, comparison.silent_a, "sample", "brought no reply"),
            (b, comparison.silent_b, "sample", "brought no reply"),
            (a, comparison.left_out_a as usize, unread, why_unread),
            (b, comparison.left_out_b as usize, unread, why_unread),
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

/// Returns a difference of shares in percentage points, without a unit.
fn points(difference: f64) -> String {
    let text = format_value(difference, Unit::Share);
    text.trim_end_matches(" %").to_owned()
}

/// Says which prompt has the higher error rate, or that this is not settled.
fn conclude_rate(rate: &PromptRow, is_same_everywhere: bool) -> String {
    let [a, b] = [rate.a, rate.b].map(|value| format_value(value, Unit::Share));
    let topics = format_noun_count(rate.topics, "topic");
    if is_same_everywhere {
        return format!("No topic came out differently: the error rate of both is {b} ({topics}).");
    }
    let interval = rate.interval.as_ref().map(|interval| {
        let [low, high] = [interval.low, interval.high].map(points);
        format!("{low} to {high}, ")
    });
    let evidence = format!(
        "({}p {}, {topics})",
        interval.unwrap_or_default(),
        rate.shown_p()
    );
    let difference = format!("{} points", points(rate.difference));
    match (rate.is_settled(), rate.difference > 0.0) {
        (true, true) => format!(
            "B has the higher error rate: {b} against {a}, a difference of {difference} {evidence}."
        ),
        (true, false) => format!(
            "B has the lower error rate: {b} against {a}, a difference of {difference} {evidence}."
        ),
        (false, _) => format!(
            "No difference is settled: the error rate of A is {a}, of B {b}, a difference of \
             {difference} {evidence}."
        ),
    }
}

/// Share of a reply's length below which a difference of lengths is not worth a sentence.
const LEAST_LENGTH_CHANGE: f64 = 0.05;

/// Says how another measure differs, where that is settled.
fn conclude_other(row: &PromptRow) -> Option<String> {
    match row.measure {
        PromptMeasure::ErrorRate | PromptMeasure::Cost => None,
        PromptMeasure::MadeGood | PromptMeasure::MadeBad => row.is_settled().then(|| {
            format!(
                "{} is {} with A and {} with B (p {}).",
                row.measure.label(),
                format_value(row.a, Unit::Share),
                format_value(row.b, Unit::Share),
                row.shown_p()
            )
        }),
        PromptMeasure::Length => {
            let interval = row.interval.as_ref()?;
            // A character or two more is nothing to conclude, however sure.
            let is_clear = (interval.low > 0.0 || interval.high < 0.0)
                && row.difference.abs() >= LEAST_LENGTH_CHANGE * row.a;
            let word = if row.difference > 0.0 {
                "longer"
            } else {
                "shorter"
            };
            (is_clear && row.a > 0.0).then(|| {
                format!(
                    "The replies of B are {word}: {:.0} characters against {:.0}.",
                    row.b, row.a
                )
            })
        }
    }
}

/// Says which difference so many topics would have settled.
fn describe_smallest(smallest: SmallestDifference, topics: usize) -> String {
    let topic_count = format_noun_count(topics, "topic");
    match smallest {
        SmallestDifference::BySpread(difference) if difference < 1.0 => format!(
            "A difference of {} points or more would have been seen on these {topic_count}, in four of \
             five comparisons like this (5 %, power 80 %).",
            points(difference)
        ),
        SmallestDifference::BySpread(_) => format!(
            "These {topic_count} differ so much among each other that no difference would have been \
             seen for certain; more topics are needed."
        ),
        SmallestDifference::ChangedTopics(least) => format!(
            "A difference would have been seen if at least {least} of the {topic_count} had changed \
             in one direction."
        ),
        SmallestDifference::TooFewTopics(least) => {
            let nothing = match topics {
                1 => "settles nothing, whatever it shows",
                _ => "settle nothing, whatever they show",
            };
            format!(
                "{topic_count} {nothing}: a difference is seen from {least} topics on that change in \
                 one direction."
            )
        }
    }
}

fn indented_line(role: Role, text: impl Into<String>) -> Paragraph {
    Paragraph::new(role, text).with_indent(2, 4)
}

fn describe_preference(report: &PreferenceReport, reads: PromptEvidence) -> Vec<Paragraph> {
    let share = report.share_b;
    let share = share.map(|share| format_value(share, Unit::Share));
    let share = share.unwrap_or_else(|| "n/a".to_owned());
    let mut text = format!("B is preferred in {share} of pairs, ties a half");
    if reads == PromptEvidence::FixedN {
        if let Some(interval) = &report.interval {
            text += &format!(", {} to {}", points(interval.low), points(interval.high));
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
