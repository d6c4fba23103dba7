//! Re-judging of both sides: progress, and verdicts now and earlier. Pure.

use super::side::{DiffSide, Subject};
use crate::debate::event::Outcome;
use crate::debate::{JudgingId, SessionId, Target};
use crate::experiments::ExperimentEnd;
use crate::experiments::rejudge::PassUpdate;
use crate::tui::keys::{Action, Context, key_for};
use crate::workspace::pass::PassVerdict;
use std::collections::BTreeMap;

/// Verdicts of passes, and the pass in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Again {
    found: BTreeMap<(SessionId, Target), Vec<PassVerdict>>,
    progress: Option<RejudgeStatus>,
}

/// Progress of a pass.
#[derive(Debug, Clone, Default)]
struct RejudgeStatus {
    wanted: usize,
    found: usize,
    failed: usize,
    left_out: Vec<String>,
    /// End of the pass, in words.
    over: Option<String>,
}

impl Again {
    /// Takes what earlier passes found.
    pub(crate) fn read(&mut self, verdicts: &[PassVerdict]) {
        for verdict in verdicts {
            self.take(verdict);
        }
    }

    fn take(&mut self, verdict: &PassVerdict) {
        let place = (verdict.session.clone(), verdict.target.clone());
        let known = self.found.entry(place).or_default();
        // A pass that is read while it is played reports some verdicts twice.
        let same = |one: &PassVerdict| {
            (&one.pass, &one.judging, one.chair, one.order)
                == (
                    &verdict.pass,
                    &verdict.judging,
                    verdict.chair,
                    verdict.order,
                )
        };
        known.retain(|one| !same(one));
        known.push(verdict.clone());
    }

    /// Resets the counts.
    pub(crate) fn begin(&mut self) {
        self.progress = Some(RejudgeStatus::default());
    }

    /// Learns how it goes on; returns what is to be said.
    pub(crate) fn told(&mut self, update: &PassUpdate) -> Option<String> {
        let progress = self.progress.get_or_insert_default();
        match update {
            PassUpdate::Opened {
                verdicts, found, ..
            } => {
                progress.wanted += verdicts;
                progress.found += found;
                None
            }
            PassUpdate::Judged(verdict) => {
                progress.found += 1;
                self.take(verdict);
                None
            }
            PassUpdate::Failed { why, .. } => {
                progress.failed += 1;
                Some(format!("a verdict is missing: {why}"))
            }
            PassUpdate::LeftOut { session, why } => {
                let text = format!("{session} was not judged again: {why}");
                progress.left_out.push(text.clone());
                Some(text)
            }
            PassUpdate::Ended(end) => {
                let text = match end {
                    Ok(ExperimentEnd::Completed) => "judged again".to_owned(),
                    Ok(ExperimentEnd::WithFailures(missing)) => match missing {
                        1 => "judged again, 1 verdict is missing".to_owned(),
                        _ => format!("judged again, {missing} verdicts are missing"),
                    },
                    Ok(ExperimentEnd::Paused { why, .. }) => {
                        format!("judging again was stopped: {why}")
                    }
                    Err(why) => format!("judging again failed: {why}"),
                };
                progress.over = Some(text.clone());
                Some(text)
            }
        }
    }

    /// Says whether a pass goes on.
    pub(crate) fn goes_on(&self) -> bool {
        self.progress
            .as_ref()
            .is_some_and(|progress| progress.over.is_none())
    }

    /// Returns how far it is, in words.
    pub(crate) fn status_text(&self) -> Option<String> {
        let progress = self.progress.as_ref()?;
        if let Some(over) = &progress.over {
            return Some(over.clone());
        }
        let failed = match progress.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        Some(format!(
            "judging again: {} of {} verdicts{failed}; {} stops it",
            progress.found,
            progress.wanted,
            key_for(Context::Compare, Action::Rejudge)
        ))
    }

    /// Returns what passes found on a row of a side, the latest pass last.
    pub(crate) fn on(&self, side: &DiffSide, subject: &Subject) -> &[PassVerdict] {
        let Some(target) = side.target(subject) else {
            return &[];
        };
        let place = (side.session.clone(), target);
        self.found.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Returns how often each label was found by the latest pass of a side, by rule.
    pub(crate) fn counts(&self, session: &SessionId) -> BTreeMap<JudgingId, Vec<(String, usize)>> {
        let of = |session: &SessionId| {
            let session = session.clone();
            let places = self.found.iter();
            places
                .filter(move |((of, _), _)| *of == session)
                .flat_map(|(_, found)| found)
        };
        // Ids of passes are sorted by time.
        let Some(latest) = of(session).map(|found| found.pass.clone()).max() else {
            return BTreeMap::new();
        };
        let mut counts: BTreeMap<JudgingId, BTreeMap<String, usize>> = BTreeMap::new();
        for found in of(session).filter(|found| found.pass == latest) {
            let rule = counts.entry(found.judging.clone()).or_default();
            *rule.entry(label(&found.outcome)).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(rule, labels)| (rule, labels.into_iter().collect()))
            .collect()
    }
}

/// Returns a finding's label, or that it could not be read.
pub(super) fn label(outcome: &Outcome) -> String {
    outcome.label().unwrap_or("unparsed").to_owned()
}
