//! Check of the detector of named errors against a corpus of labelled critiques: how often it is right about what
//! a critique names, with intervals over problems.
//!
//! The detector alone tells whether an error is named. Whether a named error is there is told as figures tell it:
//! none is in a proposal that the grader calls correct.

mod corpus;
mod text;

pub use corpus::{CorpusError, CritiqueClass, LabelledCritique, TwoLabels, parse_corpus};
pub use text::detector_check_to_text;

use crate::statistics::agreement::ContingencyTable;
use crate::statistics::interval::{Interval, Resampling, TopicSums, share_interval};
use elenchus_game::debate::ReferenceAnswer;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::{Detector, Grader, GraderVersion};
use elenchus_game::judge::{
    GradedText, NAMES_ERROR, ReplyEnding, TurnAuthor, TurnText, grade_answer, run_detector,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The corpus that ships with the program. Its labels are those of language models, not of people.
const SHIPPED_CORPUS: &str = include_str!("spurious_corpus.jsonl");
/// Shares of spurious critiques for which predictive values are given.
const PREVALENCES: [f64; 3] = [0.1, 0.3, 0.5];

static SHIPPED_CHECK: LazyLock<Option<DetectorCheck>> = LazyLock::new(|| {
    let critiques = parse_corpus(SHIPPED_CORPUS).ok()?;
    Some(check_detector(&critiques, Resampling::default()))
});

/// Returns the check against the corpus that ships with the program. Computed once.
pub fn check_shipped_corpus() -> Option<&'static DetectorCheck> {
    SHIPPED_CHECK.as_ref()
}

/// How a detector fares against two readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DetectorCheck {
    pub critiques: usize,
    pub problems: usize,
    /// How many critiques each reader gave each class.
    pub labels: [BTreeMap<&'static str, usize>; 2],
    pub readers: ReaderAgreement,
    /// Over critiques on which both readers agree.
    pub agreed: DetectorScore,
    pub differing: DifferingScore,
}

/// Agreement of the two readers, over all critiques.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReaderAgreement {
    pub share: Option<f64>,
    /// Cohen's κ.
    pub kappa: Option<f64>,
    /// Gwet's AC1.
    pub ac1: Option<f64>,
}

/// What the detector finds on critiques of known class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DetectorScore {
    pub critiques: usize,
    /// Critiques by their label (rows) and by what the detector finds (columns).
    pub table: [[usize; 3]; 3],
    /// Positive: nothing is named, or an error that is not there.
    pub spurious: BinaryScore,
    /// Positive: nothing is named.
    pub names_nothing: BinaryScore,
}

/// How well one class is told from the rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BinaryScore {
    pub sensitivity: CountedShare,
    pub specificity: CountedShare,
    pub predictive_values: Vec<PredictiveValues>,
}

/// A share with what it is of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CountedShare {
    pub part: usize,
    pub of: usize,
    /// `None` of nothing.
    pub value: Option<f64>,
    /// 95 %, over problems; `None` where there are too few.
    pub interval: Option<Interval>,
}

/// How often a finding is right where so many critiques are of the class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PredictiveValues {
    pub prevalence: f64,
    /// Share of positive findings that are right.
    pub positive: Option<f64>,
    /// Share of negative findings that are right.
    pub negative: Option<f64>,
}

/// What the detector finds on critiques on which the readers differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DifferingScore {
    pub critiques: usize,
    pub as_a: usize,
    pub as_b: usize,
    pub as_neither: usize,
}

/// A critique of known class, with what the detector finds on it.
struct Checked<'a> {
    problem: &'a str,
    label: CritiqueClass,
    found: CritiqueClass,
}

/// Runs the detector over a corpus.
pub fn check_detector(critiques: &[LabelledCritique], plan: Resampling) -> DetectorCheck {
    let mut readers = ContingencyTable::new(CritiqueClass::ALL.len());
    let mut labels = [BTreeMap::new(), BTreeMap::new()];
    let mut agreed = Vec::new();
    let mut differing = DifferingScore::default();
    for critique in critiques {
        let TwoLabels { a, b } = critique.labels;
        for (counts, label) in labels.iter_mut().zip([a, b]) {
            *counts.entry(label.name()).or_default() += 1;
        }
        // Classes count from 0 and the weight is 1, so the table takes every pair.
        let _ = readers.add_item(a as usize, b as usize, 1.0);
        let found = classify(critique);
        if a == b {
            agreed.push(Checked {
                problem: &critique.problem,
                label: a,
                found,
            });
            continue;
        }
        differing.critiques += 1;
        match found {
            found if found == a => differing.as_a += 1,
            found if found == b => differing.as_b += 1,
            _ => differing.as_neither += 1,
        }
    }
    let problems: std::collections::BTreeSet<&str> = critiques
        .iter()
        .map(|critique| critique.problem.as_str())
        .collect();
    DetectorCheck {
        critiques: critiques.len(),
        problems: problems.len(),
        labels,
        readers: ReaderAgreement {
            share: readers.agreement(),
            kappa: readers.kappa(),
            ac1: readers.ac1(),
        },
        agreed: score(&agreed, plan),
        differing,
    }
}

/// Returns what a critique names by the detector, and by the grader whether a named error is there.
fn classify(critique: &LabelledCritique) -> CritiqueClass {
    let turn = |seat, whose, text| TurnText {
        seat,
        round: 1,
        stage: seat,
        whose,
        text,
        fields: None,
    };
    let proposal = [turn(
        "proposer",
        TurnAuthor::Other,
        critique.proposal.as_str(),
    )];
    let target = turn("critic", TurnAuthor::Own, critique.critique.as_str());
    let outcome = run_detector(
        Detector::NamesError,
        &target,
        &proposal,
        &critique.problem,
        &[],
    );
    let names_error = outcome
        .as_finding()
        .is_some_and(|found| found.label == NAMES_ERROR);
    match (names_error, is_correct(critique)) {
        (false, _) => CritiqueClass::NamesNothing,
        (true, true) => CritiqueClass::NamesAbsentError,
        (true, false) => CritiqueClass::NamesPresentError,
    }
}

fn is_correct(critique: &LabelledCritique) -> bool {
    let reference = ReferenceAnswer {
        answer: critique.answer.clone(),
        aliases: Vec::new(),
    };
    let graded = GradedText::Reply {
        text: &critique.proposal,
        ending: ReplyEnding::Whole,
    };
    match grade_answer(Grader::Auto, GraderVersion::CURRENT, &reference, graded) {
        Outcome::Label(finding) => finding.value > 0.0,
        Outcome::Unparsed { .. } => false,
    }
}

fn score(checked: &[Checked<'_>], plan: Resampling) -> DetectorScore {
    let mut table = [[0; 3]; 3];
    for one in checked {
        table[one.label as usize][one.found as usize] += 1;
    }
    DetectorScore {
        critiques: checked.len(),
        table,
        spurious: score_class(checked, plan, |class| {
            class != CritiqueClass::NamesPresentError
        }),
        names_nothing: score_class(checked, plan, |class| class == CritiqueClass::NamesNothing),
    }
}

fn score_class(
    checked: &[Checked<'_>],
    plan: Resampling,
    is_positive: impl Fn(CritiqueClass) -> bool,
) -> BinaryScore {
    let share = |wanted: bool| {
        let mut problems: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for one in checked
            .iter()
            .filter(|one| is_positive(one.label) == wanted)
        {
            let sums = problems.entry(one.problem).or_default();
            sums[0] += f64::from(u8::from(is_positive(one.found) == wanted));
            sums[1] += 1.0;
        }
        count_share(problems.values(), plan)
    };
    let (sensitivity, specificity) = (share(true), share(false));
    let predictive_values = PREVALENCES.map(|prevalence| {
        let hit = |value: Option<f64>, share: f64| value.map(|value| value * share);
        let (true_hits, missed) = (
            hit(sensitivity.value, prevalence),
            hit(sensitivity.value.map(|value| 1.0 - value), prevalence),
        );
        let (true_passes, alarms) = (
            hit(specificity.value, 1.0 - prevalence),
            hit(specificity.value.map(|value| 1.0 - value), 1.0 - prevalence),
        );
        PredictiveValues {
            prevalence,
            positive: share_of(true_hits, alarms),
            negative: share_of(true_passes, missed),
        }
    });
    BinaryScore {
        sensitivity,
        specificity,
        predictive_values: predictive_values.to_vec(),
    }
}

/// Returns right / (right + wrong), where both are known and not 0.
fn share_of(right: Option<f64>, wrong: Option<f64>) -> Option<f64> {
    let (right, wrong) = (right?, wrong?);
    (right + wrong > 0.0).then(|| right / (right + wrong))
}

fn count_share<'a>(problems: impl Iterator<Item = &'a [f64; 2]>, plan: Resampling) -> CountedShare {
    let mut sums = TopicSums::new(2);
    for problem in problems {
        sums.push(problem);
    }
    let total = sums.total();
    let (part, of) = (total[0], total[1]);
    CountedShare {
        part: part as usize,
        of: of as usize,
        value: (of > 0.0).then(|| part / of),
        interval: share_interval(&sums, plan),
    }
}
