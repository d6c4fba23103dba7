//! Computes a figure of all finished debates of a store, with its interval:
//! `cargo run --example compute_figure -- FOLDER`.

use anyhow::Result;
use elenchus_metrics::{Measure, ReportSettings, compute_report};
use elenchus_records::workspace::rows::debate_row;
use elenchus_records::workspace::{list_sessions, read_session};
use elenchus_store::Layout;
use std::fmt::Write as _;
use std::path::Path;

/// Returns the error rate of each section of a report: real and simulated debates are never pooled.
pub fn compute_figure(store: &Path) -> Result<String> {
    let layout = Layout::new(store.to_owned());
    let mut rows = Vec::new();
    for id in list_sessions(&layout)? {
        let state = read_session(&layout.session_path(id.as_str())?)?;
        // A debate that can go on has no row yet.
        rows.extend(debate_row(&id, &state));
    }
    let settings = ReportSettings {
        measures: vec![Measure::ErrorRate],
        ..ReportSettings::default()
    };
    let mut text = String::new();
    for section in compute_report(&rows, &settings)?.sections {
        let kind = if section.simulated {
            "simulated"
        } else {
            "played"
        };
        for figure in section.figures.iter().filter(|one| one.keys.is_empty()) {
            let Some(value) = figure.value else {
                let why = figure.not_applicable.as_deref().unwrap_or("unknown");
                writeln!(text, "{kind}: no error rate: {why}")?;
                continue;
            };
            write!(text, "{kind}: error rate {value:.3}")?;
            if let Some(interval) = &figure.interval {
                write!(text, " ({:.3} to {:.3})", interval.low, interval.high)?;
            }
            writeln!(text, ", {} topics", figure.topics)?;
        }
    }
    Ok(text)
}

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.unwrap_or_else(|| "debates".into());
    print!("{}", compute_figure(folder.as_ref())?);
    Ok(())
}
