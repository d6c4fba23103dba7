//! Debates that a line of the page is about, which a matrix can show.

use super::failures::find_reasons;
use super::lines::{LineSubject, PageContent};
use elenchus_metrics::{ChairNames, Dimension, FigureKey, FigurePart};
use elenchus_text::safe_text::{Keep, make_visible};
use std::collections::BTreeSet;

/// Debates, and turns of them, that a line is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebatePart {
    Figure(FigurePart),
    /// Those that failed for one of these reasons.
    Failures(BTreeSet<String>),
}

/// The part of a line, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePart {
    pub debates: DebatePart,
    /// As in `round 2`; empty where it is all of them.
    pub name: String,
}

/// Returns which debates a line is about; `None` of a line that folds.
pub fn find_line_part(content: PageContent<'_>, subject: LineSubject) -> Option<LinePart> {
    match subject {
        LineSubject::Figure { section, figure } => {
            let section = content.report.sections.get(section)?;
            let figure = section.figures.get(figure)?;
            let mut names: Vec<String> =
                section.group.iter().map(|key| key.value.clone()).collect();
            names.extend(
                figure
                    .keys
                    .iter()
                    .filter_map(|key| name_key(key, content.chairs)),
            );
            names.extend(
                section
                    .hash_check
                    .then(|| "judged by hashes alone".to_owned()),
            );
            Some(LinePart {
                debates: DebatePart::Figure(FigurePart::from_figure(section, figure)),
                name: make_visible(&names.join(", "), Keep::Nothing).into_owned(),
            })
        }
        LineSubject::Failures(line) => {
            let reasons = find_reasons(content.failures, line);
            let why: Vec<&str> = reasons.iter().map(String::as_str).collect();
            let name = format!("failed: {}", why.join("; "));
            Some(LinePart {
                name: make_visible(&name, Keep::Nothing).into_owned(),
                debates: DebatePart::Failures(reasons),
            })
        }
        LineSubject::Section { .. } | LineSubject::Rest { .. } => None,
    }
}

/// Names a part by its key; names from protocols divide no debates.
fn name_key(key: &FigureKey, chairs: &ChairNames) -> Option<String> {
    let divides = !Dimension::NAMES.contains(&key.by);
    divides.then(|| format!("{} {}", key.by.label(), chairs.name_of(key)))
}
