//! Text of a comparison's report. Pure.

use super::AbCard;
use crate::exchange::cost;
use crate::experiments::prompt_ab::{AbEvidence, AbFlip, AbState, AbStop, AbSummary};
use crate::experiments::prompt_trial::RollForward;
use crate::metrics::{
    Interval, PreferenceReport, PromptComparison, PromptMeasure, PromptRow, SequenceReport,
};
use crate::tui::theme::Role;
use crate::tui::widgets::Content;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::counted;

/// Columns of a measure's name, of a number, of an interval.
const NAME: usize = 22;
const NUMBER: usize = 9;
const INTERVAL: usize = 17;

/// Returns how many samples are there, of how many.
pub(super) fn progress(state: &AbState) -> String {
    let all = 2 * state.manifest.contexts.len() * state.manifest.samples as usize;
    let there = state.played.values().filter(|one| one.failed.is_none());
    format!("{} of {}", there.count(), counted(all, "sample"))
}

/// Returns how far samples are played.
pub(super) fn roll_words(roll: RollForward) -> &'static str {
    match roll {
        RollForward::Turn => "the turn alone",
        RollForward::Next => "rolled forward to the next verdict",
        RollForward::End => "rolled forward to the end",
    }
}

/// Returns when a comparison is over.
pub(super) fn stop_words(stop: AbStop) -> String {
    match stop {
        AbStop::Fixed => "ends when all are played".to_owned(),
        AbStop::Settled { alpha } => format!("ends when settled (alpha {alpha})"),
    }
}

/// Returns the heading above the figures.
pub(super) fn heading(card: &AbCard) -> Vec<Paragraph> {
    let manifest = &card.state.manifest;
    let [a, b] = &manifest.arms;
    let text = format!("{}: A {} against B {}", manifest.template, a.name, b.name);
    let mut title = Paragraph::of(Role::Strong, text);
    if is_simulated(&card.summary) {
        title = title.and(Role::Simulated, " SIMULATED");
    }
    let turns = manifest.contexts.len();
    let samples = manifest.samples;
    let plan = format!(
        "{}, {} of each prompt on every turn, {}, {}",
        counted(turns, "turn"),
        counted(samples as usize, "sample"),
        roll_words(manifest.roll),
        stop_words(manifest.stop)
    );
    let (role, end) = match (card.playing, &card.state.paused, card.state.completed) {
        (true, _, _) => (Role::Streaming, "being played".to_owned()),
        (false, Some(why), _) => (Role::Warning, format!("paused: {why}")),
        (false, None, true) => (Role::Safe, "complete".to_owned()),
        (false, None, false) => (Role::Warning, "not played to its end".to_owned()),
    };
    let cost = match card.summary.comparison.as_ref() {
        Ok(compared)
            if compared
                .rows
                .iter()
                .all(|row| row.measure != PromptMeasure::Cost) =>
        {
            format!(" · at most {}", cost::sum(card.state.committed_usd, 1))
        }
        Ok(_) | Err(_) => format!(" · at most {}", cost::usd(card.state.committed_usd)),
    };
    let far = Paragraph::of(Role::Text, progress(&card.state))
        .and(Role::Muted, " · ")
        .and(role, end)
        .and(Role::Muted, cost);
    vec![title, Paragraph::of(Role::Muted, plan), far]
}

fn is_simulated(summary: &AbSummary) -> bool {
    let compared = summary.comparison.as_ref();
    compared.is_ok_and(|compared| compared.simulated)
}

/// Returns the figures, and what may be read from them.
pub(super) fn figures(card: &AbCard) -> Vec<Paragraph> {
    let summary = &card.summary;
    let mut page = vec![Paragraph::gap()];
    match &summary.comparison {
        Ok(compared) => page.extend(table(compared, summary.reads)),
        Err(why) => page.push(Paragraph::of(Role::Notice, why.to_string())),
    }
    page.extend(reading(card));
    let stop = card.state.manifest.stop;
    let wanted = summary.reads == AbEvidence::Sequence || stop != AbStop::Fixed;
    if let Some(sequence) = summary.sequence.as_ref().filter(|_| wanted) {
        page.extend(watched(sequence));
    }
    if let Some(preference) = &summary.preference {
        page.extend(preferred(preference));
    }
    if let Ok(compared) = &summary.comparison {
        page.extend(left_out(card, compared));
    }
    let impossible = card.state.impossible.values().next();
    page.extend(impossible.map(|why| {
        let count = card.state.impossible.len();
        let text = format!("{} could not be tried: {why}", counted(count, "sample"));
        Paragraph::of(Role::Error, text)
    }));
    page
}

fn table(compared: &PromptComparison, reads: AbEvidence) -> Vec<Paragraph> {
    let mut page = vec![Paragraph::of(Role::Strong, head(reads))];
    for row in &compared.rows {
        page.push(Paragraph::of(Role::Text, line(row, reads)));
    }
    page.extend(
        compared
            .warnings
            .iter()
            .map(|warning| Paragraph::of(Role::Warning, warning.clone())),
    );
    let errors = compared.rows.iter();
    let mut errors = errors.filter(|row| row.measure == PromptMeasure::ErrorRate);
    let needed = errors.next().and_then(|row| row.needed_topics);
    if let (Some(needed), AbEvidence::FixedN) = (needed, reads) {
        let text = format!(
            "a difference of this size would be settled by about {needed} topics (5 %, power 80 %)"
        );
        page.push(Paragraph::of(Role::Muted, text));
    }
    page
}

fn head(reads: AbEvidence) -> String {
    let names = format!(
        "{:NAME$}{:>7}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}",
        "", "topics", "A", "B", "B - A"
    );
    match reads {
        AbEvidence::FixedN => format!("{names}{:>INTERVAL$}{:>7}", "95 % interval", "p"),
        AbEvidence::Sequence => names,
    }
}

fn line(row: &PromptRow, reads: AbEvidence) -> String {
    let number = |value: f64| match row.measure {
        PromptMeasure::Length => format!("{value:.0}"),
        PromptMeasure::Cost => format!("{value:.4}"),
        PromptMeasure::ErrorRate | PromptMeasure::MadeGood | PromptMeasure::MadeBad => {
            format!("{value:.3}")
        }
    };
    let figures = format!(
        "{:NAME$}{:>7}{:>NUMBER$}{:>NUMBER$}{:>NUMBER$}",
        row.measure.label(),
        row.topics,
        number(row.a),
        number(row.b),
        number(row.difference),
    );
    match reads {
        AbEvidence::Sequence => figures,
        AbEvidence::FixedN => {
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
    }
}

/// Says what may be read as evidence now (FIGURES 5).
fn reading(card: &AbCard) -> Vec<Paragraph> {
    let fixed = card.state.manifest.stop == AbStop::Fixed;
    let text = match card.summary.reads {
        AbEvidence::FixedN => {
            "each topic weighs the same; intervals resample topics; p by flipped signs of topics, \
             adjusted over the shares (Holm)"
        }
        AbEvidence::Sequence if fixed => {
            "intervals and p-values wait for all planned samples: whoever looks earlier and stops \
             would be misled by them"
        }
        AbEvidence::Sequence => {
            "whoever looks now and then may read the confidence sequence alone: it holds at every look"
        }
    };
    vec![Paragraph::of(Role::Muted, text)]
}

fn watched(sequence: &SequenceReport) -> Vec<Paragraph> {
    let mut page = vec![Paragraph::gap()];
    let share = 100.0 * (1.0 - sequence.alpha);
    let title = format!("Confidence sequence of the error rates' difference, {share:.0} %");
    page.push(Paragraph::of(Role::Strong, title));
    match sequence.last() {
        Some(last) => {
            let text = format!(
                "B - A {:+.3}, between {:+.3} and {:+.3} after {}",
                last.difference,
                last.low,
                last.high,
                counted(last.topics, "topic")
            );
            page.push(Paragraph::of(Role::Text, text).indented(2, 4));
        }
        None => {
            let text = "no topic is whole yet";
            page.push(Paragraph::of(Role::Muted, text).indented(2, 4));
        }
    }
    let (role, text) = match (sequence.settled_after, sequence.more_topics) {
        (Some(after), _) => {
            let text = format!("settled after {}", counted(after, "topic"));
            (Role::Safe, text)
        }
        (None, Some(more)) => (
            Role::Muted,
            format!("not settled: about {more} topics more would do if they go on like this"),
        ),
        (None, None) => (
            Role::Muted,
            "not settled, and nobody can say by how many topics it would be".to_owned(),
        ),
    };
    page.push(Paragraph::of(role, text).indented(2, 4));
    if sequence.waiting > 0 {
        let text = format!("not whole yet: {}", counted(sequence.waiting, "topic"));
        page.push(Paragraph::of(Role::Muted, text).indented(2, 4));
    }
    page
}

fn preferred(report: &PreferenceReport) -> Vec<Paragraph> {
    let mut page = vec![
        Paragraph::gap(),
        Paragraph::of(Role::Strong, "Preferred by a judge, asked in both orders"),
    ];
    let share = match (report.share_b, &report.interval) {
        (Some(share), Some(interval)) => format!(
            "B in {share:.3} of the pairs, between {:.3} and {:.3}",
            interval.low, interval.high
        ),
        (Some(share), None) => format!("B in {share:.3} of the pairs"),
        (None, _) => "no pair could be read".to_owned(),
    };
    let p = report.shown_p().map(|p| format!(", p {p}"));
    let share = format!("{share}{}", p.unwrap_or_default());
    page.push(Paragraph::of(Role::Text, share).indented(2, 4));
    let counts = format!(
        "{} on {}: A {}, B {}, ties {}, contradicted {}, unparsed {}, missing {}",
        counted(report.pairs, "pair"),
        counted(report.topics, "topic"),
        report.a,
        report.b,
        report.ties,
        report.contradicted,
        report.unparsed,
        report.missing
    );
    page.push(Paragraph::of(Role::Muted, counts).indented(2, 4));
    let warnings = report.warnings.iter();
    page.extend(warnings.map(|text| Paragraph::of(Role::Warning, text.clone()).indented(2, 4)));
    page
}

fn left_out(card: &AbCard, compared: &PromptComparison) -> Vec<Paragraph> {
    let [a, b] = &card.state.manifest.arms;
    let silent = [(a, compared.silent_a), (b, compared.silent_b)];
    let silent = silent.into_iter().filter(|(_, count)| *count > 0);
    let silent = silent.map(|(arm, count)| {
        format!(
            "{}: {} brought no reply",
            arm.name,
            counted(count, "sample")
        )
    });
    let unread = [(a, compared.left_out_a), (b, compared.left_out_b)];
    let unread = unread.into_iter().filter(|(_, count)| *count > 0);
    let unread = unread.map(|(arm, count)| {
        format!(
            "{}: {} without a readable verdict",
            arm.name,
            counted(count as usize, "turn")
        )
    });
    let lines = silent.chain(unread);
    lines
        .map(|text| Paragraph::of(Role::Warning, text))
        .collect()
}

/// Returns a topic that came out differently, on one line.
pub(super) fn flip(card: &AbCard, flip: &AbFlip, content: Content) -> String {
    let pairs = flip.samples.iter().map(Vec::len).min().unwrap_or(0);
    let found = &flip.flip;
    let topic = match card.topics.get(&found.topic) {
        Some(text) => content.of(&text.split_whitespace().collect::<Vec<_>>().join(" ")),
        None => found.topic.clone(),
    };
    let pairs = counted(pairs, "pair");
    format!("{:>6.2}{:>7.2}  {pairs:<9}{topic}", found.a, found.b)
}
