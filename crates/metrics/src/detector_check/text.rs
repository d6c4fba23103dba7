//! The check of a detector as lines of text.

use super::{BinaryScore, CountedShare, CritiqueClass, DetectorCheck};
use std::fmt::Write as _;

/// Renders a check; `labelled_by` says whose labels they are.
pub fn detector_check_to_text(check: &DetectorCheck, labelled_by: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} critiques of proposals to {} problems, each labelled twice {labelled_by}",
        check.critiques, check.problems
    );
    for (reader, counts) in ["a", "b"].iter().zip(&check.labels) {
        let counts: Vec<String> = CritiqueClass::ALL
            .iter()
            .map(|class| {
                format!(
                    "{} {}",
                    class.name(),
                    counts.get(class.name()).unwrap_or(&0)
                )
            })
            .collect();
        let _ = writeln!(out, "  reader {reader}: {}", counts.join(", "));
    }
    let _ = writeln!(
        out,
        "  the readers agree on {}, kappa {}, AC1 {}",
        percent(check.readers.share),
        coefficient(check.readers.kappa),
        coefficient(check.readers.ac1)
    );
    let _ = writeln!(
        out,
        "\nThe {} on which they agree (rows: label, columns: detector and grade)",
        check.agreed.critiques
    );
    // A column is as wide as its heading: all three fit into a terminal of 80 columns.
    let widths = CritiqueClass::ALL.iter();
    let columns: Vec<usize> = widths.map(|class| class.name().len() + 2).collect();
    let label = columns.iter().max().map_or(0, |widest| widest + 1);
    let _ = write!(out, "{:label$}", "");
    for (class, width) in CritiqueClass::ALL.iter().zip(&columns) {
        let _ = write!(out, "{:>width$}", class.name());
    }
    out.push('\n');
    for (class, row) in CritiqueClass::ALL.iter().zip(&check.agreed.table) {
        let _ = write!(out, "  {:<1$}", class.name(), label - 2);
        for (count, width) in row.iter().zip(&columns) {
            let _ = write!(out, "{count:>width$}");
        }
        out.push('\n');
    }
    push_score(
        &mut out,
        "spurious (names nothing, or an error that is not there)",
        &check.agreed.spurious,
    );
    push_score(&mut out, "names nothing", &check.agreed.names_nothing);
    let differing = check.differing;
    let _ = writeln!(
        out,
        "\nThe {} on which they differ: the detector sides with a on {}, with b on {},\n  with neither on {}",
        differing.critiques, differing.as_a, differing.as_b, differing.as_neither
    );
    out
}

fn push_score(out: &mut String, name: &str, score: &BinaryScore) {
    let _ = writeln!(out, "\n{name}");
    let _ = writeln!(
        out,
        "  sensitivity {}",
        share_with_interval(&score.sensitivity)
    );
    let _ = writeln!(
        out,
        "  specificity {}",
        share_with_interval(&score.specificity)
    );
    for values in &score.predictive_values {
        let _ = writeln!(
            out,
            "  where {} are: {} of findings that it is are right, {} of others",
            percent(Some(values.prevalence)),
            percent(values.positive),
            percent(values.negative)
        );
    }
}

fn share_with_interval(share: &CountedShare) -> String {
    let counts = format!("{} of {}", share.part, share.of);
    match share.interval {
        Some(interval) => format!(
            "{} [{}, {}] ({counts})",
            percent(share.value),
            percent(Some(interval.low)),
            percent(Some(interval.high))
        ),
        None => format!("{} ({counts}; no interval)", percent(share.value)),
    }
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(
        || "n/a".to_owned(),
        |value| format!("{:.1} %", 100.0 * value),
    )
}

fn coefficient(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"))
}
