//! Progress of a run: a bar on a terminal, plain lines elsewhere.

use super::output;
use crate::debate::event::{CallEvent, EventGroup, MemoryEvent, Record, TurnEvent};
use crate::debate::protocol::MeasuredProperty;
use crate::debate::{SessionId, Spend, State};
use crate::engine::Observer;
use crate::exchange::cost;
use crate::exchange::text::{Keep, visible};
use crate::experiments::run::{ItemEnd, RunObserver};
use crate::store::TailNotice;
use crate::workspace::run::RunItem;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often plain lines are written at most.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// How often the bar is drawn at most, a second.
const DRAWS_PER_SECOND: u8 = 10;

/// Shows a run's progress on standard error.
pub(crate) struct RunProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
    total: u64,
    /// Debates that were done before this process began: they say nothing about its speed.
    done_before: u64,
    counts: Mutex<RunCounts>,
}

/// What was counted so far, in this process.
#[derive(Debug, Clone)]
pub(crate) struct RunCounts {
    pub left: u64,
    pub failed: u64,
    pub truncated: u64,
    pub calls: u64,
    pub tokens: u64,
    pub cost_usd: f64,
    pub unpriced: u64,
    pub retries: u64,
    judged: u64,
    bad: u64,
    began: Instant,
    printed_at: Instant,
}

impl RunProgress {
    /// Begins to show a run of `total` debates, of which `done` are done already.
    pub(crate) fn begin(total: u64, done: u64, quiet: bool) -> Self {
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
            total,
            done_before: done,
            counts: Mutex::new(RunCounts {
                left: done,
                failed: 0,
                truncated: 0,
                calls: 0,
                tokens: 0,
                cost_usd: 0.0,
                unpriced: 0,
                retries: 0,
                judged: 0,
                bad: 0,
                began: now,
                printed_at: now,
            }),
        }
    }

    /// Takes the bar away and returns what was counted.
    pub(crate) fn end(&self) -> RunCounts {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.counts().clone()
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, RunCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line without breaking the bar.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => output::notice(line),
        }
    }

    fn show(&self, counts: &mut RunCounts) {
        let line = |counts: &RunCounts| counts.line(self.total, self.done_before);
        match &self.bar {
            Some(bar) => {
                bar.set_position(counts.left);
                bar.set_message(line(counts));
            }
            None if self.quiet || counts.printed_at.elapsed() < PLAIN_EVERY => {}
            None => {
                counts.printed_at = Instant::now();
                let line = line(counts);
                output::notice(&format!("{}/{} debates, {line}", counts.left, self.total));
            }
        }
    }

    /// Writes the last plain line, however long ago the one before was.
    fn show_last(&self, counts: &RunCounts) {
        if self.bar.is_none() && !self.quiet && counts.left == self.total {
            let line = counts.line(self.total, self.done_before);
            output::notice(&format!("{}/{} debates, {line}", counts.left, self.total));
        }
    }
}

impl RunCounts {
    /// Returns how long this process played.
    pub(crate) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    fn line(&self, total: u64, done_before: u64) -> String {
        let mut parts = vec![
            output::counted(self.calls as usize, "call"),
            format!("{} tokens", short(self.tokens)),
            cost::sum(self.cost_usd, self.unpriced),
        ];
        if self.judged > 0 {
            let rate = 100.0 * self.bad as f64 / self.judged as f64;
            parts.push(format!("error {rate:.1} %"));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        let fresh = self.left.saturating_sub(done_before);
        if fresh > 0 && self.left < total {
            let each = self.began.elapsed().as_secs_f64() / fresh as f64;
            let left = Duration::from_secs_f64(each * (total - self.left) as f64);
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

impl Observer for RunProgress {
    fn happened(&self, _session: &SessionId, record: &Record, state: &State) {
        let mut counts = self.counts();
        if let Some(reply) = record.event.reply() {
            counts.take(reply);
        }
        match record.event.group() {
            EventGroup::Verdict(judged) => {
                // Elsewhere findings are of many kinds, and no one rate says anything.
                let safety = state
                    .protocol()
                    .is_some_and(|protocol| protocol.measures == MeasuredProperty::Safety);
                if let crate::debate::event::Outcome::Label(finding) = &judged.outcome
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
        self.say(&format!("notice: {}", visible(notice, Keep::Nothing)));
    }
}

impl RunCounts {
    fn take(&mut self, reply: &crate::debate::event::Reply) {
        self.calls += 1;
        self.tokens += reply.usage.input_tokens + reply.usage.output_tokens;
        match reply.cost_usd {
            Some(cost) => self.cost_usd += cost,
            None => self.unpriced += 1,
        }
    }
}

impl RunObserver for RunProgress {
    fn left(&self, item: &RunItem, how: &ItemEnd, _spend: Spend) {
        let mut counts = self.counts();
        match how {
            ItemEnd::Done(done) => {
                counts.left += 1;
                if let crate::debate::step::EndReason::Truncated(_) = done {
                    counts.truncated += 1;
                }
            }
            ItemEnd::Failed(_) => {
                counts.left += 1;
                counts.failed += 1;
                // The reason is in the list at the end.
                let topic = visible(&item.topic.id, Keep::Nothing);
                self.say(&format!("failed: {topic} (session {})", item.session));
            }
            ItemEnd::Unfinished => {}
        }
        match counts.left == self.total {
            true => self.show_last(&counts),
            false => self.show(&mut counts),
        }
    }

    fn as_observer(&self) -> &dyn Observer {
        self
    }
}
