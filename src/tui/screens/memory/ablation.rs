//! Memory ablation: replicates that leave an entry out, with cost, progress and results.

use super::typing::{MemoryQuestion, Over, Purpose};
use super::{Memory, PageItem, key};
use crate::debate::{ExpectedUse, RunId};
use crate::exchange::cost;
use crate::experiments::{AblationReport, AblationResult, PlannedAblation, ablations_of};
use crate::tui::app::{Deed, Draft, Effect, MemoryDeed, Task, Ticket, TrialTiding, Update};
use crate::tui::keys::Action;
use crate::tui::popups::Dialog;
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::{counted, thousands};
use crate::workspace::EntryId;
use std::sync::Arc;

/// State of the replicates.
#[derive(Debug)]
pub(super) enum Trial {
    None,
    /// Their cost is being worked out.
    Planning(Ticket),
    Going {
        run: Option<RunId>,
        over: usize,
        debates: usize,
    },
    /// Why it ended early.
    Over(Option<String>),
}

/// Message of the screen's own tasks.
pub enum Message {
    /// What all runs that left an entry out came to, newest first.
    Ablations(EntryId, Result<Vec<AblationReport>, String>),
    /// A text of an earlier time that was not used, and its place.
    DraftFound(String, Draft),
    /// A text came back from the person's own editor.
    Edited(Purpose, Result<String, String>),
}

impl Update for Memory {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Ablations(entry, reports) => {
                if self.chosen().is_some_and(|chosen| chosen.id == entry) {
                    self.ablations = Some((entry, reports));
                    self.refresh_page();
                }
                Vec::new()
            }
            Message::DraftFound(place, draft) => self.draft_found(&place, &draft),
            Message::Edited(purpose, Ok(text)) => self.written(purpose, text),
            Message::Edited(_, Err(why)) => vec![Effect::Say(Role::Error, why)],
        }
    }
}

/// Reads what all runs that left an entry out came to.
pub(super) fn read_ablations(entry: EntryId) -> Effect {
    Effect::Start(Task::blocking("read ablations", move |services| {
        let layout = &services.tools.desk.layout;
        let reports = ablations_of(layout, &entry.0).map_err(|error| error.to_string());
        Message::Ablations(entry, reports)
    }))
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
        planned: &Result<Arc<PlannedAblation>, String>,
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
                let question = question(planned);
                let begin = MemoryQuestion::Begin(Arc::clone(planned));
                let ask = Dialog::confirm("Leave one out", &question, begin);
                self.over = Some(Over::Asks(ask));
                Vec::new()
            }
            Err(why) => vec![Effect::Say(Role::Error, why.clone())],
        }
    }

    pub(super) fn begin_trial(&mut self, planned: Arc<PlannedAblation>) -> Vec<Effect> {
        self.trial = Trial::Going {
            run: None,
            over: 0,
            debates: planned.run.items.len(),
        };
        self.refresh_page();
        vec![Effect::Do(Deed::Memory(MemoryDeed::Begin(planned)))]
    }

    pub(super) fn trial_goes_on(&mut self, update: &TrialTiding) -> Vec<Effect> {
        match (update, &mut self.trial) {
            (TrialTiding::Began { run: begun, .. }, Trial::Going { run, .. }) => {
                *run = Some(begun.clone());
                Vec::new()
            }
            (TrialTiding::Over(count), Trial::Going { over, .. }) => {
                *over = *count;
                Vec::new()
            }
            (TrialTiding::Ended(why), Trial::Going { .. }) => {
                self.trial = Trial::Over(why.clone());
                self.refresh_page();
                let text = "the replicates are over: the page of the entry has the results";
                let mut effects = vec![Effect::Say(Role::Notice, text.to_owned())];
                effects.extend(self.chosen().map(|entry| read_ablations(entry.id.clone())));
                effects
            }
            // Of another screen, which was left.
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
    paragraphs.extend(told(report));
    paragraphs.push(Paragraph::gap());
    PageItem {
        paragraphs,
        hint: None,
        opens: Some(report.about.session.clone()),
    }
}

fn question(planned: &PlannedAblation) -> String {
    let cost = match &planned.estimate {
        Some(all) => {
            let (likely, most) = (used(&all.likely), used(&all.at_most));
            format!("likely {likely}; at most {most}")
        }
        None => "the cost is not known".to_owned(),
    };
    let ceiling = match planned.run.manifest.ceilings.cost_usd {
        Some(usd) => format!("; it pauses before ${usd:.2}"),
        None => "; there is no ceiling".to_owned(),
    };
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
        "{} debates, half of them with the entry and half without, of seed {}: {cost}{ceiling}.\
         {guards} Play them?",
        planned.run.items.len(),
        planned.run.manifest.seed,
    )
}

fn used(used: &ExpectedUse) -> String {
    let money = cost::known(used.cost_usd);
    format!(
        "{money}, {}, {} tokens",
        counted(used.calls as usize, "call"),
        thousands(used.tokens())
    )
}

fn told(report: &AblationReport) -> Vec<Paragraph> {
    let line = |role, text: String| Paragraph::of(role, text).indented(2, 4);
    let mut page = vec![line(
        Role::Muted,
        format!(
            "{} replicates of session {}, seed {}; it was {} of {} shown",
            report.replicates,
            report.about.session,
            report.seed,
            report.about.rank,
            report.about.shown
        ),
    )];
    let interval = |interval: Option<(f64, f64)>| match interval {
        Some((low, high)) => format!("95 % over replicates: {low:+.3} to {high:+.3}"),
        None => "no interval: too few replicates, or all are equal".to_owned(),
    };
    match &report.found {
        None => page.push(line(
            Role::Notice,
            "no pair has a value in both arms".to_owned(),
        )),
        Some(AblationResult::Errors(errors)) => {
            let rates = format!(
                "error rate with it {:.3}, without it {:.3}",
                errors.first, errors.second
            );
            page.push(line(Role::Text, rates));
            let own = errors.interval.map(|own| (own.low, own.high));
            let difference = format!(
                "difference, without − with: {:+.3} ({}; p {})",
                errors.difference,
                interval(own),
                errors.shown_p()
            );
            page.push(line(Role::Strong, difference));
        }
        Some(AblationResult::Right(right)) => {
            let row = &right.overall;
            let rates = format!(
                "right with it {:.3}, without it {:.3}",
                row.right_a, row.right_b
            );
            page.push(line(Role::Text, rates));
            let own = row.interval.map(|own| (-own.high, -own.low));
            let difference = format!(
                "difference, without − with: {:+.3} ({}; p {})",
                -row.difference,
                interval(own),
                row.shown_p()
            );
            page.push(line(Role::Strong, difference));
        }
    }
    page.push(line(
        Role::Muted,
        "All replicates are of one topic: this says what the entry does to this debate, and nothing \
         about other topics."
            .to_owned(),
    ));
    if report.simulated {
        page.push(line(
            Role::Simulated,
            "simulated: a check of the instrument, no evidence about models".to_owned(),
        ));
    }
    page.push(line(
        Role::Muted,
        format!("elenchus memory ablate --show {}", report.run),
    ));
    page
}
