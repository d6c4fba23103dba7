//! Progress of a pass: a bar on a terminal, plain lines elsewhere.

use crate::cli::common::output;
use crate::debate::event::Outcome;
use crate::exchange::text::{Keep, visible};
use crate::experiments::rejudge::PassUpdate;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often plain lines are written at most.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// How often the bar is drawn at most, a second.
const DRAWS_PER_SECOND: u8 = 10;
/// Failures that are listed; the rest is counted.
const MAX_LISTED: usize = 20;

/// Shows a pass's progress on standard error.
pub(super) struct PassProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// As far as it is known: sessions tell what they want when they are opened.
    wanted: usize,
    opened: usize,
    found: usize,
    unparsed: usize,
    failed: usize,
    printed_at: Instant,
}

impl PassProgress {
    /// Begins to show a pass; `wanted` is 0 where the total is unknown.
    pub(crate) fn begin(wanted: usize, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
            let bar = ProgressBar::with_draw_target(Some(wanted as u64), target);
            if let Ok(style) = ProgressStyle::with_template("{bar:10} {pos}/{len} {msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self {
            bar,
            quiet,
            wanted,
            opened: 0,
            found: 0,
            unparsed: 0,
            failed: 0,
            printed_at: Instant::now(),
        }
    }

    /// Learns how it goes on.
    pub(crate) fn take(&mut self, update: &PassUpdate) {
        match update {
            PassUpdate::Opened {
                verdicts, found, ..
            } => {
                self.opened += verdicts;
                self.found += found;
                self.wanted = self.wanted.max(self.opened);
            }
            PassUpdate::Judged(verdict) => {
                self.found += 1;
                match verdict.outcome {
                    Outcome::Label(_) => {}
                    Outcome::Unparsed { .. } => self.unparsed += 1,
                }
            }
            PassUpdate::Failed {
                session,
                target,
                why,
                ..
            } => {
                self.failed += 1;
                self.fault(&format!("failed: {session}, {target}: {why}"));
            }
            PassUpdate::LeftOut { session, why } => {
                self.failed += 1;
                self.fault(&format!("left out: {session}: {why}"));
            }
            PassUpdate::Ended(_) => {}
        }
        self.show();
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.failed > MAX_LISTED {
            output::notice(&format!("… and {} more failures", self.failed - MAX_LISTED));
        }
    }

    fn fault(&self, text: &str) {
        if self.failed > MAX_LISTED {
            return;
        }
        let text = visible(text, Keep::Nothing);
        match &self.bar {
            Some(bar) => bar.println(text),
            None => output::notice(&text),
        }
    }

    fn show(&mut self) {
        let line = format!("{} unparsed, {} failed", self.unparsed, self.failed);
        match &self.bar {
            Some(bar) => {
                bar.set_length(self.wanted as u64);
                bar.set_position(self.found as u64);
                bar.set_message(line);
            }
            None if self.quiet || self.printed_at.elapsed() < PLAIN_EVERY => {}
            None => {
                self.printed_at = Instant::now();
                output::notice(&format!("{}/{} verdicts, {line}", self.found, self.wanted));
            }
        }
    }
}
