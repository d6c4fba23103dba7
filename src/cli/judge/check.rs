//! `elenchus judge --detector spurious --check`: a detector against critiques of known class.

use crate::cli::common::{Exit, output};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::protocol::Detector;
use elenchus_metrics::{
    Resampling, check_detector, check_shipped_corpus, detector_check_to_text, parse_corpus,
};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The largest file of critiques that is read.
const MAX_BYTES: u64 = 16 << 20;
/// Whose labels the shipped critiques have.
const SHIPPED_LABELS: &str = "by language models, not by people";

/// Prints how right a detector is on a file of labelled critiques, or on those that come with the program.
///
/// # Errors
/// When there are no labelled critiques for the detector, or the file cannot be read.
pub(super) fn run(file: Option<&Path>, detectors: &[Detector], json: bool) -> Result<Exit> {
    if detectors != [Detector::NamesError] {
        bail!("only --detector spurious can be checked against labelled critiques; name it alone");
    }
    let from_file;
    let (check, labelled_by) = match file {
        None => {
            let shipped = check_shipped_corpus();
            let check =
                shipped.context("the critiques that come with the program cannot be read")?;
            (check, SHIPPED_LABELS)
        }
        Some(path) => {
            let text = read_text(path)?;
            let critiques = parse_corpus(&text)
                .with_context(|| format!("{} is no file of labelled critiques", path.display()))?;
            from_file = check_detector(&critiques, Resampling::default());
            (&from_file, "as the file says")
        }
    };
    match json {
        true => output::print_json_lines([serde_json::json!({
            "detector": Detector::NamesError.name(),
            "labelled_by": labelled_by,
            "check": check,
        })])?,
        false => output::print_text(&detector_check_to_text(check, labelled_by))?,
    }
    Ok(Exit::Fine)
}

fn read_text(path: &Path) -> Result<String> {
    let mut text = String::new();
    let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    file.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("{} cannot be read as text", path.display()))?;
    if text.len() as u64 > MAX_BYTES {
        bail!(
            "{} is larger than {} MiB; check a part of it",
            path.display(),
            MAX_BYTES >> 20
        );
    }
    Ok(text)
}
