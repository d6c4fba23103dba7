//! Memory ablation: replicates that leave an entry out, with cost, progress and results.

use super::typing::MemoryQuestion;
use super::{Memory, key, tasks};
use crate::debate::RunId;
use crate::exchange::price;
use crate::experiments::{AblationReport, PlannedAblation, StopSignal};
use crate::tui::app::{Effect, Ticket, fail, say};
use crate::tui::keys::Action;
use crate::tui::popups::Dialog;
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::workspace::memory::PageItem;
use crate::workspace::{EntryId, MemoryEntry};
use std::sync::Arc;

/// State of the replicates.
#[derive(Debug)]
pub(super) enum Trial {
    None,
    /// Their cost is being worked out.
    Planning(Ticket),
    Going {
        stop: StopSignal,
        run: Option<RunId>,
        over: usize,
        debates: usize,
    },
    /// Why it ended early.
    Over(Option<String>),
}

/// How far replicates are.
pub enum TrialProgress {
    Began(RunId),
    /// Number of debates that are over.
    Over(usize),
    /// No more are played: why not, where it ended early.
    Ended(Option<String>),
}

impl Trial {
    pub(super) fn planning(&mut self, ticket: Ticket) {
        *self = Trial::Planning(ticket);
    }

    pub(super) fn is_going(&self) -> bool {
        match self {
            Trial::Going { .. } => true,
            Trial::None | Trial::Planning(_) | Trial::Over(_) => false,
        }
    }

    /// Begins no more replicates; `false` where none are played.
    pub(super) fn stop(&self) -> bool {
        if let Trial::Going { stop, .. } = self {
            stop.pause.cancel();
        }
        self.is_going()
    }

    pub(super) fn busy(&self) -> Option<String> {
        self.is_going()
            .then(|| "replicates that leave an entry out are being played".to_owned())
    }

    pub(super) fn progress(&self) -> Option<String> {
        match self {
            Trial::None | Trial::Over(_) => None,
            Trial::Planning(_) => Some("working out what it would cost".to_owned()),
            Trial::Going { over, debates, .. } => Some(format!(
                "leave one out: {over} of {debates} debates over, {} stops",
                key(Action::Interrupt)
            )),
        }
    }

    /// Message where the screen is left before they are over.
    pub(super) fn left_behind(&self) -> Option<Effect> {
        match self {
            Trial::Going { run: Some(run), .. } => {
                let text = format!("they continue: elenchus memory ablate --show {run}");
                Some(Effect::Say(Role::Notice, text))
            }
            Trial::Going { run: None, .. } | Trial::None | Trial::Planning(_) | Trial::Over(_) => {
                None
            }
        }
    }
}

impl Memory {
    /// Says what replicates would cost, and asks.
    pub(super) fn planned(
        &mut self,
        answered: Ticket,
        planned: Result<Arc<PlannedAblation>, String>,
    ) -> Vec<Effect> {
        match &self.trial {
            Trial::Planning(ticket) if *ticket == answered => {}
            Trial::None | Trial::Planning(_) | Trial::Going { .. } | Trial::Over(_) => {
                return Vec::new();
            }
        }
        self.trial = Trial::None;
        match planned {
            Ok(planned) => {
                let question = question(&planned);
                let begin = MemoryQuestion::Begin(planned);
                let ask = Dialog::confirm("Leave one out", &question, begin);
                self.dialog = Some(ask);
                Vec::new()
            }
            Err(why) => fail(why),
        }
    }

    pub(super) fn begin_trial(&mut self, planned: Arc<PlannedAblation>) -> Vec<Effect> {
        let stop = StopSignal::at_once();
        self.trial = Trial::Going {
            stop: stop.clone(),
            run: None,
            over: 0,
            debates: planned.run.items.len(),
        };
        self.refresh_page();
        vec![Effect::Start(tasks::play(planned, stop))]
    }

    pub(super) fn trial_goes_on(&mut self, progress: TrialProgress) -> Vec<Effect> {
        match (progress, &mut self.trial) {
            (TrialProgress::Began(begun), Trial::Going { run, .. }) => {
                *run = Some(begun);
                Vec::new()
            }
            (TrialProgress::Over(count), Trial::Going { over, .. }) => {
                *over = count;
                Vec::new()
            }
            (TrialProgress::Ended(why), Trial::Going { .. }) => {
                self.trial = Trial::Over(why);
                self.refresh_page();
                let mut effects =
                    say("the replicates are over: the page of the entry has the results");
                let read = |entry: &MemoryEntry| tasks::read_ablations(entry.id.clone());
                effects.extend(self.chosen().map(read).map(Effect::Start));
                effects
            }
            (_, Trial::None | Trial::Planning(_) | Trial::Over(_)) => Vec::new(),
        }
    }

    /// Results of replicates, on the page of the entry that was left out: also those of earlier times.
    pub(super) fn trial_items(&self, entry: &EntryId) -> Vec<PageItem> {
        let mut items = Vec::new();
        if let Trial::Over(Some(why)) = &self.trial {
            let why = Paragraph::of(Role::Warning, why.clone()).indented(2, 2);
            items.push(PageItem::of(vec![why, Paragraph::gap()]));
        }
        let known = self.ablations.as_ref().filter(|(of, _)| of == entry);
        match known {
            None => {}
            Some((_, Ok(reports))) => items.extend(reports.iter().map(item)),
            Some((_, Err(why))) => {
                let why = Paragraph::of(Role::Error, why.clone()).indented(2, 2);
                items.push(PageItem::of(vec![why, Paragraph::gap()]));
            }
        }
        items
    }
}

fn item(report: &AblationReport) -> PageItem {
    let mut paragraphs = vec![Paragraph::of(Role::Strong, "Leave one out")];
    paragraphs.extend(report.paragraphs());
    let show = format!("elenchus memory ablate --show {}", report.run);
    paragraphs.push(Paragraph::of(Role::Muted, show).indented(2, 4));
    paragraphs.push(Paragraph::gap());
    PageItem {
        paragraphs,
        hint: None,
        opens: Some(report.about.session.clone()),
    }
}

fn question(planned: &PlannedAblation) -> String {
    let cost = match &planned.estimate {
        Some(all) => price::price_with_tokens(all),
        None => "the cost is not known".to_owned(),
    };
    let ceiling = price::ceiling(planned.run.manifest.ceilings.cost_usd);
    let given = planned
        .run
        .items
        .first()
        .and_then(|item| item.given_guards.as_ref());
    let guards = match given.map_or(0, |given| given.candidates.len()) {
        0 => String::new(),
        1 => " The guardrail that was near the topic is near it in all of them.".to_owned(),
        near => format!(" The {near} guardrails that were near the topic are so in all of them."),
    };
    format!(
        "{} debates, half of them with the entry and half without, of seed {}: {cost}; {ceiling}.\
         {guards} Play them?",
        planned.run.items.len(),
        planned.run.manifest.seed,
    )
}
