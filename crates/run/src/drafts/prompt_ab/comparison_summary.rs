//! A comparison as far as it has come: its summary, and what a screen says of it.

use crate::experiments::prompt_ab::AbRows;
use crate::experiments::prompt_ab::AbState;
use crate::experiments::prompt_ab::AbStop;
use crate::experiments::prompt_ab::read_ab;
use crate::experiments::prompt_ab::{AbSummary, AbTopic, ContextKind, summarize_samples};
use elenchus_metrics::{PromptMeasure, Unit, format_value};
use elenchus_records::workspace::{Result, StoreContext};
use elenchus_text::format_grouped_count as counted;
use elenchus_text::{Content, Paragraph, Role, cost};
use std::collections::BTreeMap;

/// Topics whose words are read at most; others are called by their ids.
const MAX_NAMED: usize = 50;

/// Returns when a comparison is over.
fn describe_stop(stop: AbStop) -> String {
    match stop {
        AbStop::Fixed => "ends when all are played".to_owned(),
        AbStop::Settled { alpha } => format!("ends when settled (alpha {alpha})"),
    }
}

/// A comparison with its summary.
#[derive(Debug, Clone)]
pub struct ComparisonSummary {
    pub state: AbState,
    pub summary: AbSummary,
    /// It is played now, by whoever holds the card.
    pub playing: bool,
    /// Texts of the topics, by their ids, where they were read.
    topics: BTreeMap<String, String>,
}

impl ComparisonSummary {
    /// Sums up a comparison that is being played, with the words of its topics. Blocks.
    ///
    /// # Errors
    /// When a sample cannot be read.
    pub fn sum_so_far(store: &StoreContext, rows: &mut AbRows, state: AbState) -> Result<Self> {
        rows.read_samples(&store.layout, &state)?;
        let summary = summarize_samples(rows, &state);
        let named = summary.topics.iter().take(MAX_NAMED);
        let topics = rows.read_topic_texts(&store.layout, &state, named).clone();
        Ok(Self {
            summary,
            state,
            playing: true,
            topics,
        })
    }

    /// Sums up a comparison that is not played any more. Blocks.
    ///
    /// # Errors
    /// When a sample cannot be read.
    pub fn sum_whole(store: &StoreContext, rows: &mut AbRows, state: AbState) -> Result<Self> {
        let mut card = Self::sum_so_far(store, rows, state)?;
        card.playing = false;
        Ok(card)
    }

    /// Reads a comparison that is not played. Blocks.
    ///
    /// # Errors
    /// When there is none of that id, or its journal or a sample cannot be read.
    pub fn read(store: &StoreContext, id: &str) -> Result<Self> {
        let state = read_ab(&store.layout, id)?;
        Self::sum_whole(store, &mut AbRows::default(), state)
    }

    /// Returns the heading above the figures.
    pub fn heading(&self) -> Vec<Paragraph> {
        let manifest = &self.state.manifest;
        let [a, b] = &manifest.plan.arms;
        let text = format!(
            "{}: A {} against B {}",
            manifest.plan.template, a.name, b.name
        );
        let mut title = Paragraph::new(Role::Strong, text);
        if self.is_simulated() {
            title = title.with_run(Role::Simulated, " SIMULATED");
        }
        let turns = manifest.plan.contexts.len();
        let samples = manifest.plan.samples;
        let kind = self.state.context_kind();
        let (what, how) = match kind {
            ContextKind::Verdict | ContextKind::GuardDecision => {
                let truth = manifest.plan.truth.describe(kind);
                (kind.noun(), format!("held against {truth}"))
            }
            ContextKind::Lesson | ContextKind::Guardrail => {
                (kind.noun(), "asked for alone".to_owned())
            }
            ContextKind::Turn | ContextKind::Debate => {
                ("turn", manifest.plan.roll.describe().to_owned())
            }
        };
        let plan = format!(
            "{}, {} of each prompt on every {what}, {how}, {}",
            counted(turns, what),
            counted(samples as usize, "sample"),
            describe_stop(manifest.plan.stop)
        );
        let (role, end) = match (self.playing, &self.state.paused, self.state.completed) {
            (true, _, _) => (Role::Streaming, "being played".to_owned()),
            (false, Some(why), _) => (Role::Warning, format!("paused: {why}")),
            (false, None, true) => (Role::Safe, "complete".to_owned()),
            (false, None, false) => (Role::Warning, "not played to its end".to_owned()),
        };
        let cost = match self.summary.comparison.as_ref() {
            Ok(compared)
                if compared
                    .rows
                    .iter()
                    .all(|row| row.measure != PromptMeasure::Cost) =>
            {
                format!(
                    " · at most {}",
                    cost::format_cost_sum(self.state.committed.usd, 1)
                )
            }
            Ok(_) | Err(_) => format!(" · at most {}", cost::format_usd(self.state.committed.usd)),
        };
        let far = Paragraph::new(Role::Text, self.state.describe_progress())
            .with_run(Role::Muted, " · ")
            .with_run(role, end)
            .with_run(Role::Muted, cost);
        vec![title, Paragraph::new(Role::Muted, plan), far]
    }

    /// Returns the figures, and what may be read from them.
    pub fn figures(&self) -> Vec<Paragraph> {
        let summary = &self.summary;
        let mut page = vec![Paragraph::gap()];
        if let Err(why) = &summary.comparison {
            page.push(Paragraph::new(Role::Notice, why.to_string()));
        }
        page.extend(summary.to_paragraphs(&self.state));
        page
    }

    /// Returns what the list of topics shows, above its rows.
    pub fn topics_heading(&self) -> String {
        let all = self.summary.topics.len();
        let topics = self.summary.topics.iter();
        let different = topics
            .filter(|topic| topic.different_rates().is_some())
            .count();
        match (all, different) {
            (0, _) => "no topic has replies to both prompts yet".to_owned(),
            (_, 0) => format!(
                "      A       B  {}, none came out differently",
                counted(all, "topic")
            ),
            (all, some) => format!(
                "      A       B  {}; {some} came out differently, the worse for B first",
                counted(all, "topic")
            ),
        }
    }

    /// Returns a topic with the error rates of both prompts, on one line.
    pub fn format_topic(&self, topic: &AbTopic, content: Content) -> String {
        let text = match self.topics.get(&topic.id) {
            Some(text) => {
                content.show_or_mask(&text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            None => topic.id.clone(),
        };
        let [a, b] = topic.rates.map(|rate| match rate {
            Some(rate) => format_value(rate, Unit::Share),
            None => "-".to_owned(),
        });
        format!("{a:>7} {b:>7}  {text}")
    }
}

impl ComparisonSummary {
    fn is_simulated(&self) -> bool {
        let comparison = self.summary.comparison.as_ref();
        comparison.is_ok_and(|compared| compared.simulated)
    }
}
