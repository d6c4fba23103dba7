//! Progress of an experiment: a bar on a terminal, plain lines elsewhere.

use super::output;
use elenchus_game::debate::event::{CallEvent, EventGroup, MemoryEvent, Record, TurnEvent};
use elenchus_game::debate::protocol::MeasuredProperty;
use elenchus_game::debate::{SessionId, Spend, State};
use elenchus_run::engine::Observer;
use elenchus_run::experiments::{EndedItem, ExperimentObserver, ItemEnd};
use elenchus_store::TailNotice;
use elenchus_text::cost;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often plain lines are written at most.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// How often the bar is drawn at most, a second.
const DRAWS_PER_SECOND: u8 = 10;
/// Failures that are printed as they come; all are counted.
const MAX_TOLD_FAILURES: u64 = 20;

/// Shows an experiment's progress on standard error.
pub(crate) struct ExperimentProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// What its items are called, as in "1 debate", and several.
    names: (&'static str, &'static str),
    counts: Mutex<ProgressCounts>,
}

/// What was counted so far, in this process.
#[derive(Debug, Clone)]
pub(crate) struct ProgressCounts {
    total: u64,
    ended_items: u64,
    /// Those that this process left: others say nothing about its speed.
    new_items: u64,
    failed: u64,
    pub retries: u64,
    /// What was reported call by call, as debates do.
    call_spend: Spend,
    /// What was reported at the ends of items.
    item_spend: Spend,
    judged_verdicts: u64,
    unsafe_verdicts: u64,
    started_at: Instant,
    printed_at: Instant,
}

impl ExperimentProgress {
    /// Begins to show an experiment of `total` items, as far as that is known, of which `done` are done
    /// already.
    pub(crate) fn start_bar(
        names: (&'static str, &'static str),
        (total, done): (u64, u64),
        quiet: bool,
    ) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
            let bar = ProgressBar::with_draw_target(Some(total), target);
            if let Ok(style) = ProgressStyle::with_template("{bar:10} {pos}/{len} {msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_position(done);
            bar
        });
        let now = Instant::now();
        Self {
            bar,
            quiet,
            names,
            counts: Mutex::new(ProgressCounts {
                total,
                ended_items: done,
                new_items: 0,
                failed: 0,
                retries: 0,
                call_spend: Spend::default(),
                item_spend: Spend::default(),
                judged_verdicts: 0,
                unsafe_verdicts: 0,
                started_at: now,
                printed_at: now,
            }),
        }
    }

    /// Takes the bar away and returns what was counted.
    pub(crate) fn finish_bar(&self) -> ProgressCounts {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.lock_counts().clone()
    }

    fn lock_counts(&self) -> std::sync::MutexGuard<'_, ProgressCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line without breaking the bar.
    pub(crate) fn print_line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(output::fold_to_terminal(line, output::error_width())),
            None => output::print_notice(line),
        }
    }

    fn draw_counts(&self, counts: &mut ProgressCounts) {
        match &self.bar {
            Some(bar) => {
                bar.set_length(counts.total);
                bar.set_position(counts.ended_items);
                bar.set_message(counts.describe_counts());
            }
            None if self.quiet || counts.printed_at.elapsed() < PLAIN_EVERY => {}
            None => {
                counts.printed_at = Instant::now();
                self.print_counts(counts);
            }
        }
    }

    fn print_counts(&self, counts: &ProgressCounts) {
        let (done, all, (_, names)) = (counts.ended_items, counts.total, self.names);
        let line = counts.describe_counts();
        output::print_notice(&format!("{done}/{all} {names}, {line}"));
    }
}

impl ProgressCounts {
    /// Returns how long this process played.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started_at.elapsed()
    }

    /// Returns what was used. Calls of debates are reported one by one, those of other items at their end.
    pub(crate) fn total_spend(&self) -> Spend {
        match self.call_spend.calls {
            0 => self.item_spend,
            _ => self.call_spend,
        }
    }

    fn describe_counts(&self) -> String {
        let used = self.total_spend();
        let mut parts = vec![
            output::format_noun_count(used.calls as usize, "call"),
            format!("{} tokens", format_count(used.total_tokens())),
            cost::format_cost_sum(used.cost_usd, used.unpriced_calls),
        ];
        if self.judged_verdicts > 0 {
            let rate = 100.0 * self.unsafe_verdicts as f64 / self.judged_verdicts as f64;
            parts.push(format!("error {rate:.1} % of {}", self.judged_verdicts));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if self.new_items > 0 && self.ended_items < self.total {
            let each = self.started_at.elapsed().as_secs_f64() / self.new_items as f64;
            let remaining = Duration::from_secs_f64(each * (self.total - self.ended_items) as f64);
            parts.push(format!("{} left", HumanDuration(remaining)));
        }
        parts.join(", ")
    }
}

fn format_count(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

impl Observer for ExperimentProgress {
    fn on_event(&self, _session: &SessionId, record: &Record, state: &State) {
        let mut counts = self.lock_counts();
        if let Some(reply) = record.event.reply() {
            counts.call_spend = counts.call_spend.plus(Spend::from_reply(reply));
        }
        match record.event.group() {
            EventGroup::Verdict(judged) => {
                // Elsewhere findings are of many kinds, and no one rate says anything.
                let safety = state
                    .protocol()
                    .is_some_and(|protocol| protocol.measures == MeasuredProperty::Safety);
                if let elenchus_game::debate::event::Outcome::Label(finding) = &judged.outcome
                    && safety
                {
                    counts.judged_verdicts += 1;
                    counts.unsafe_verdicts += u64::from(finding.value < 0.0);
                }
            }
            EventGroup::Call(CallEvent::Retried { .. }) => counts.retries += 1,
            EventGroup::Turn(TurnEvent::Replied(_))
            | EventGroup::Memory(MemoryEvent::Guarded(_) | MemoryEvent::GuardrailWritten(_))
            | EventGroup::Lesson(_) => {}
            EventGroup::Call(_)
            | EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_))
            | EventGroup::Memory(
                MemoryEvent::Retrieved(_)
                | MemoryEvent::GuardsRetrieved(_)
                | MemoryEvent::RewardsSwapped(_),
            )
            | EventGroup::Session(_) => return,
        }
        // A debate may take minutes: its calls are shown.
        self.draw_counts(&mut counts);
    }

    fn on_tail_repair(&self, notice: &TailNotice) {
        self.print_line(&format!("notice: {notice}"));
    }

    fn on_notice(&self, notice: &str) {
        self.print_line(&format!("notice: {}", output::clean_line(notice)));
    }
}

impl ExperimentObserver for ExperimentProgress {
    fn on_item_end(&self, item: &EndedItem<'_>) {
        let mut counts = self.lock_counts();
        counts.item_spend = counts.item_spend.plus(item.spend);
        match item.end {
            ItemEnd::Done(()) => counts.new_items += 1,
            ItemEnd::Failed(_) => {
                counts.new_items += 1;
                counts.failed += 1;
                // The reason is in the list at the end.
                if counts.failed <= MAX_TOLD_FAILURES {
                    self.print_line(&format!("failed: {}", output::clean_line(item.name)));
                }
            }
            ItemEnd::Unfinished => return,
        }
        // A pass learns of what was done before as it goes.
        counts.ended_items = (counts.ended_items + 1).max(item.counts.done);
        counts.total = item.counts.all.unwrap_or(0).max(counts.ended_items);
        match (counts.ended_items == counts.total, self.bar.is_none()) {
            // The last plain line is written however long ago the one before was.
            (true, true) if !self.quiet => self.print_counts(&counts),
            (_, _) => self.draw_counts(&mut counts),
        }
    }
}
