//! Text of a comparison's report. Pure.

use super::AbCard;
use crate::exchange::cost;
use crate::experiments::prompt_ab::{AbFlip, AbState, AbStop, AbSummary};
use crate::experiments::prompt_trial::RollForward;
use crate::metrics::PromptMeasure;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, Paragraph, counted};

/// Returns how many samples are there, of how many.
pub(super) fn progress(state: &AbState) -> String {
    let all = 2 * state.manifest.plan.contexts.len() * state.manifest.plan.samples as usize;
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
    let [a, b] = &manifest.plan.arms;
    let text = format!(
        "{}: A {} against B {}",
        manifest.plan.template, a.name, b.name
    );
    let mut title = Paragraph::of(Role::Strong, text);
    if is_simulated(&card.summary) {
        title = title.and(Role::Simulated, " SIMULATED");
    }
    let turns = manifest.plan.contexts.len();
    let samples = manifest.plan.samples;
    let plan = format!(
        "{}, {} of each prompt on every turn, {}, {}",
        counted(turns, "turn"),
        counted(samples as usize, "sample"),
        roll_words(manifest.plan.roll),
        stop_words(manifest.plan.stop)
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
            format!(" · at most {}", cost::sum(card.state.committed.usd, 1))
        }
        Ok(_) | Err(_) => format!(" · at most {}", cost::usd(card.state.committed.usd)),
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
    if let Err(why) = &summary.comparison {
        page.push(Paragraph::of(Role::Notice, why.to_string()));
    }
    page.extend(summary.paragraphs(&card.state));
    page
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
