//! Figures that a page begins with.

use elenchus_metrics::{Dimension, Figure, Measure, ReportSection};

/// Most headlines.
const MAX_HEADLINES: usize = 4;
/// What a page divides its first figure by, in this order.
const DIVISIONS: [Dimension; 4] = [
    Dimension::Round,
    Dimension::Seat,
    Dimension::Model,
    Dimension::Category,
];

/// A line at the head of a section, by the positions of its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Headline {
    One(usize),
    /// The same of the first round and of the last.
    FirstToLast(usize, usize),
}

/// What headlines can be of, in the order in which they are looked for.
enum Candidate {
    Of(Measure),
    FirstToLast(Measure, Measure),
}

const CANDIDATES: [Candidate; 15] = [
    Candidate::Of(Measure::ErrorRate),
    Candidate::FirstToLast(Measure::FirstRoundErrorRate, Measure::LastRoundErrorRate),
    Candidate::Of(Measure::AgreementRate),
    Candidate::Of(Measure::ConversionRate),
    Candidate::Of(Measure::ProposerAccuracy),
    Candidate::Of(Measure::JudgeAlignmentMiddleNeither),
    Candidate::Of(Measure::RejectGivenCorrect),
    Candidate::Of(Measure::AcceptGivenIncorrect),
    Candidate::Of(Measure::PicksRight),
    Candidate::Of(Measure::AnswerAccuracy),
    Candidate::Of(Measure::OutcomeRight),
    Candidate::Of(Measure::GaugeMean),
    Candidate::Of(Measure::GaugeShare),
    Candidate::Of(Measure::GaugeFlagged),
    Candidate::Of(Measure::LabelShare),
];

/// Returns the headlines of a section.
pub(super) fn find_headlines(section: &ReportSection) -> Vec<Headline> {
    let find = |measure: Measure| {
        let mut figures = section.figures.iter();
        figures.position(|figure| figure.measure == measure && is_whole(figure))
    };
    let find_candidate = |candidate: &Candidate| match candidate {
        Candidate::Of(measure) => find(*measure).map(Headline::One),
        Candidate::FirstToLast(first, last) => {
            let (first, last) = find(*first).zip(find(*last))?;
            Some(Headline::FirstToLast(first, last))
        }
    };
    let headlines = CANDIDATES.iter().filter_map(find_candidate);
    headlines.take(MAX_HEADLINES).collect()
}

/// Says whether a figure is of its whole section and has a value; names from protocols divide nothing.
fn is_whole(figure: &Figure) -> bool {
    let mut keys = figure.keys.iter();
    figure.value.is_some() && keys.all(|key| Dimension::NAMES.contains(&key.by))
}

/// Figures of one measure that divide a section.
pub(super) struct Division {
    pub by: Dimension,
    pub measure: Measure,
    /// Their positions.
    pub figures: Vec<usize>,
}

/// Returns what divides the first headline that is divided: by round, seat, model and category.
pub(super) fn find_divisions(section: &ReportSection, headlines: &[Headline]) -> Vec<Division> {
    let measures = headlines.iter().filter_map(|headline| match headline {
        Headline::One(at) => section.figures.get(*at).map(|figure| figure.measure),
        Headline::FirstToLast(..) => None,
    });
    let measures: Vec<Measure> = measures.collect();
    let find_division = |by: Dimension| {
        measures.iter().find_map(|measure| {
            let is_part = |figure: &Figure| {
                figure.measure == *measure
                    && matches!(figure.keys.as_slice(), [key] if key.by == by)
            };
            let figures = section.figures.iter().enumerate();
            let parts = figures.filter(|(_, figure)| is_part(figure));
            let figures: Vec<usize> = parts.map(|(at, _)| at).collect();
            (figures.len() > 1).then_some(Division {
                by,
                measure: *measure,
                figures,
            })
        })
    };
    DIVISIONS.into_iter().filter_map(find_division).collect()
}
