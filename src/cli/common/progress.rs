//! Progress of an experiment: a bar on a terminal, plain lines elsewhere.

use super::output;
use elenchus_game::debate::event::{CallEvent, EventGroup, MemoryEvent, Record, TurnEvent};
use elenchus_game::debate::protocol::MeasuredProperty;
use elenchus_game::debate::{SessionId, Spend, State};
use elenchus_run::engine::Observer;
use elenchus_run::experiments::{ExperimentObserver, ItemEnd, LeftItem};
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
    left: u64,
    /// Those that this process left: others say nothing about its speed.
    fresh: u64,
    failed: u64,
    pub retries: u64,
    /// What was reported call by call, as debates do.
    told: Spend,
    /// What was reported at the ends of items.
    at_ends: Spend,
    judged: u64,
    bad: u64,
    began: Instant,
    printed_at: Instant,
}

impl ExperimentProgress {
    /// Begins to show an experiment of `total` items, as far as that is known, of which `done` are done
    /// already.
    pub(crate) fn begin(
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
                left: done,
                fresh: 0,
                failed: 0,
                retries: 0,
                told: Spend::default(),
                at_ends: Spend::default(),
                judged: 0,
                bad: 0,
                began: now,
                printed_at: now,
            }),
        }
    }

    /// Takes the bar away and returns what was counted.
    pub(crate) fn end(&self) -> ProgressCounts {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.counts().clone()
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, ProgressCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line without breaking the bar.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => output::notice(line),
        }
    }

    fn show(&self, counts: &mut ProgressCounts) {
        match &self.bar {
            Some(bar) => {
                bar.set_length(counts.total);
                bar.set_position(counts.left);
                bar.set_message(counts.line());
            }
            None if self.quiet || counts.printed_at.elapsed() < PLAIN_EVERY => {}
            None => {
                counts.printed_at = Instant::now();
                self.write(counts);
            }
        }
    }

    fn write(&self, counts: &ProgressCounts) {
        let (done, all, (_, names)) = (counts.left, counts.total, self.names);
        let line = counts.line();
        output::notice(&format!("{done}/{all} {names}, {line}"));
    }
}

impl ProgressCounts {
    /// Returns how long this process played.
    pub(crate) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    /// Returns what was used. Calls of debates are reported one by one, those of other items at their end.
    pub(crate) fn used(&self) -> Spend {
        match self.told.calls {
            0 => self.at_ends,
            _ => self.told,
        }
    }

    fn line(&self) -> String {
        let used = self.used();
        let mut parts = vec![
            output::counted(used.calls as usize, "call"),
            format!("{} tokens", short(used.tokens())),
            cost::sum(used.cost_usd, used.unpriced_calls),
        ];
        if self.judged > 0 {
            let rate = 100.0 * self.bad as f64 / self.judged as f64;
            parts.push(format!("error {rate:.1} %"));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if self.fresh > 0 && self.left < self.total {
            let each = self.began.elapsed().as_secs_f64() / self.fresh as f64;
            let left = Duration::from_secs_f64(each * (self.total - self.left) as f64);
            parts.push(format!("{} left", HumanDuration(left)));
        }
        parts.join(", ")
    }
}

fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

impl Observer for ExperimentProgress {
    fn happened(&self, _session: &SessionId, record: &Record, state: &State) {
        let mut counts = self.counts();
        if let Some(reply) = record.event.reply() {
            counts.told = counts.told.plus(Spend::of_reply(reply));
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
                    counts.judged += 1;
                    counts.bad += u64::from(finding.value < 0.0);
                }
            }
            EventGroup::Call(CallEvent::Retried { .. }) => counts.retries += 1,
            EventGroup::Turn(TurnEvent::Replied(_))
            | EventGroup::Memory(MemoryEvent::Guarded(_))
            | EventGroup::Lesson(_) => {}
            EventGroup::Call(_)
            | EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_))
            | EventGroup::Memory(MemoryEvent::Retrieved(_) | MemoryEvent::GuardsRetrieved(_))
            | EventGroup::Session(_) => return,
        }
        // A debate may take minutes: its calls are shown.
        self.show(&mut counts);
    }

    fn mended(&self, notice: &TailNotice) {
        self.say(&format!("notice: {notice}"));
    }

    fn noticed(&self, notice: &str) {
        self.say(&format!("notice: {}", output::clean(notice)));
    }
}

impl ExperimentObserver for ExperimentProgress {
    fn left(&self, item: &LeftItem<'_>) {
        let mut counts = self.counts();
        counts.at_ends = counts.at_ends.plus(item.spend);
        match item.end {
            ItemEnd::Done(()) => counts.fresh += 1,
            ItemEnd::Failed(_) => {
                counts.fresh += 1;
                counts.failed += 1;
                // The reason is in the list at the end.
                if counts.failed <= MAX_TOLD_FAILURES {
                    self.say(&format!("failed: {}", output::clean(item.name)));
                }
            }
            ItemEnd::Unfinished => return,
        }
        // A pass learns of what was done before as it goes.
        counts.left = (counts.left + 1).max(item.counts.done);
        counts.total = item.counts.all.unwrap_or(0).max(counts.left);
        match (counts.left == counts.total, self.bar.is_none()) {
            // The last plain line is written however long ago the one before was.
            (true, true) if !self.quiet => self.write(&counts),
            (_, _) => self.show(&mut counts),
        }
    }
}
