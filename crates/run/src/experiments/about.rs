//! Page about an experiment, from its own journal alone. Pure.

use super::kinds::{Activity, ListedExperiment};
use elenchus_records::workspace::{ExperimentSummary, Pace, to_the_minute};
use elenchus_text::{Paragraph, Role, cost};

/// Failures that are shown; the rest is counted.
const MAX_SHOWN_FAILURES: usize = 20;

impl ListedExperiment {
    /// Returns what is known of an experiment from its own journal.
    pub fn describe(&self) -> Vec<Paragraph> {
        let one = &self.summary;
        let mut about = Paragraph::new(Role::Strong, format!("{} ", one.about));
        let models = one.setup.as_ref().map(|setup| setup.models.join(", "));
        if let Some(models) = models.filter(|models| !models.is_empty()) {
            about = about.with_run(Role::Text, format!("· {models} "));
        }
        let mut page = vec![about.with_run(Role::Muted, &*one.id)];
        let begin_time = to_the_minute(&one.begun_at);
        let mut progress = self.describe_progress();
        if !begin_time.is_empty() {
            progress = progress.with_run(Role::Muted, format!(" · begun {begin_time} UTC"));
        }
        page.push(progress);
        page.push(Paragraph::new(Role::Text, describe_cost(one)));
        page.extend(self.describe_pause());
        // Before what failed, which may be longer than the room.
        if self.can_resume() && !self.goes_on() {
            page.push(Paragraph::new(
                Role::Muted,
                format!("go on with: {}", self.resume_command()),
            ));
        }
        let first_failures = one.failures.iter().take(MAX_SHOWN_FAILURES);
        page.extend(first_failures.map(|(item, why)| {
            Paragraph::new(Role::Error, format!("{item}: {why}")).with_indent(0, 2)
        }));
        let more = one.failures.len().saturating_sub(MAX_SHOWN_FAILURES);
        if more > 0 {
            page.push(Paragraph::new(
                Role::Muted,
                format!("and {more} more failures"),
            ));
        }
        page
    }

    /// Returns the head of a page about it: what it is about, how far it is, what it cost at most, and why it paused.
    /// The page names it in its title.
    pub fn describe_below_title(&self) -> Vec<Paragraph> {
        let one = &self.summary;
        let progress = self
            .describe_progress()
            .with_run(Role::Muted, format!(" · {}", describe_cost(one)));
        let mut page = vec![Paragraph::new(Role::Strong, one.about.clone()), progress];
        page.extend(self.describe_pause());
        page
    }

    fn describe_pause(&self) -> Option<Paragraph> {
        let why = self.summary.standing.pause_reason()?;
        let why = match self.activity() {
            Activity::EndedWithFailures => why.to_owned(),
            Activity::GoesOn
            | Activity::GoesOnAt(_)
            | Activity::BrokenOff
            | Activity::Paused(_)
            | Activity::Completed => format!("paused: {why}"),
        };
        Some(Paragraph::new(Role::Warning, why))
    }
}

impl ListedExperiment {
    /// Returns how far it is; where it goes on, how fast, and how long what is left takes at that pace. It changes
    /// with the journal alone.
    pub fn describe_progress(&self) -> Paragraph {
        let one = &self.summary;
        let (_, names) = one.item_names;
        let all = one.items.all;
        let of = all.map_or_else(|| "?".to_owned(), |all| all.to_string());
        let activity = self.activity();
        let role = match activity {
            Activity::GoesOn | Activity::GoesOnAt(_) => Role::Streaming,
            Activity::BrokenOff | Activity::Paused(_) | Activity::EndedWithFailures => {
                Role::Warning
            }
            Activity::Completed => Role::Text,
        };
        let mut line = match activity {
            Activity::Completed => Paragraph::default(),
            Activity::GoesOnAt(host) => Paragraph::new(
                role,
                format!(
                    "{} on {host}, last line {} UTC, ",
                    self.activity_word(),
                    time_of_day(&self.progress.last_line_at)
                ),
            ),
            Activity::GoesOn
            | Activity::BrokenOff
            | Activity::Paused(_)
            | Activity::EndedWithFailures => {
                Paragraph::new(role, format!("{} ", self.activity_word()))
            }
        };
        line = line.with_run(Role::Text, format!("{} of {of} {names}", one.items.done));
        if let (Activity::GoesOn | Activity::GoesOnAt(_), Some(pace)) =
            (activity, self.progress.pace)
        {
            line = line.with_run(Role::Text, format!(" · {}", format_pace(pace)));
            let left = all.map(|all| all.saturating_sub(one.items.done + self.progress.failed));
            if let Some(left) = left.filter(|left| *left > 0) {
                let seconds = pace.seconds_for(left);
                line = line.with_run(Role::Text, format!(" · {} left", format_seconds(seconds)));
            }
        }
        let failure_role = if one.items.failed > 0 {
            Role::Error
        } else {
            Role::Muted
        };
        let line = match (one.items.failed, activity) {
            (
                0,
                Activity::Completed
                | Activity::Paused(_)
                | Activity::BrokenOff
                | Activity::EndedWithFailures,
            ) => line,
            (failed, _) => line.with_run(failure_role, format!(" · {failed} failed")),
        };
        match one.filtered {
            0 => line,
            1 => line.with_run(Role::Warning, " · 1 reply filtered"),
            many => line.with_run(Role::Warning, format!(" · {many} replies filtered")),
        }
    }
}

/// Returns a pace as items a second, or a minute where they are slow.
fn format_pace(pace: Pace) -> String {
    const SLOW: f64 = 0.1;
    match pace.items_per_second() {
        slow if slow < SLOW => format!("{:.1}/min", slow * 60.0),
        fast => format!("{fast:.1}/s"),
    }
}

/// Returns a time to wait in its two largest units.
fn format_seconds(seconds: f64) -> String {
    const MINUTE: u64 = 60;
    /// In minutes.
    const HOUR: u64 = 60;
    // A pace is above 0, so that the time is a number; what is too long stays at the most.
    let seconds = seconds.ceil() as u64;
    if seconds < MINUTE {
        return format!("{seconds} s");
    }
    // Begun minutes are whole ones: the last of an hour makes it full.
    match seconds.div_ceil(MINUTE) {
        minutes @ 0..HOUR => format!("{minutes} min"),
        minutes => format!("{} h {} min", minutes / HOUR, minutes % HOUR),
    }
}

/// Returns the time of day of a time in RFC 3339, to the second.
fn time_of_day(at: &str) -> &str {
    at.get(11..19).unwrap_or(at)
}

/// Returns the most that it may have cost, and its ceilings.
fn describe_cost(one: &ExperimentSummary) -> String {
    let mut text = match (one.committed_usd, one.ended_usd) {
        (Some(usd), _) => format!("cost at most {}", cost::format_usd(usd)),
        // What debates used that are being played is in their own journals.
        (None, Some(usd)) => format!("cost {} so far", cost::format_usd(usd)),
        (None, None) => "cost ? (not known from its journal)".to_owned(),
    };
    if let Some(ceiling) = one.ceilings.cost_usd {
        text.push_str(&format!(" of {}", cost::format_usd(ceiling)));
    }
    for (count, name) in [
        (one.ceilings.calls, "calls"),
        (one.ceilings.tokens, "tokens"),
    ] {
        if let Some(count) = count {
            text.push_str(&format!(" · {count} {name} at most"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_minute_of_an_hour_makes_it_full() {
        let texts =
            [59.2, 61.0, 3540.0, 3541.0, 3599.0, 3600.0, 3601.0, 7200.0].map(format_seconds);
        let expected = [
            "1 min",
            "2 min",
            "59 min",
            "1 h 0 min",
            "1 h 0 min",
            "1 h 0 min",
            "1 h 1 min",
            "2 h 0 min",
        ];
        assert_eq!(texts, expected);
    }
}
