//! Rules that compare a chair's turn with its earlier ones: its first turn can have none of their labels but the one
//! that says nothing, and counts in no share of them (FIGURES 23).

use std::collections::BTreeSet;

use elenchus_game::debate::protocol::Detector;
use elenchus_game::judge::detector_labels;

use crate::rows::{DebateRow, FindingRow, FindingTarget, JudgingResult};

/// Detectors that compare a turn with earlier ones of its chair. A rule that asks a model the same has their labels.
const OF_SEVERAL_TURNS: [Detector; 2] = [Detector::BackStab, Detector::Goalposts];

/// Note on shares of such a rule.
pub(super) const LATER_TURNS: &str = "of turns of a chair that had an earlier one: a first turn can \
     be no change";

/// Says whether a rule compares turns with earlier ones, by the labels that it found.
pub(super) fn compares_turns<'a>(findings: impl Iterator<Item = &'a FindingRow>) -> bool {
    let labels_found = findings.filter_map(|finding| match &finding.found {
        JudgingResult::Label(label) => Some(label.as_str()),
        JudgingResult::Unparsed | JudgingResult::UnparsedOfMaterial | JudgingResult::Filtered => {
            None
        }
    });
    let found_labels: BTreeSet<&str> = labels_found.collect();
    OF_SEVERAL_TURNS.into_iter().any(|detector| {
        let labels = detector_labels(detector).iter();
        let label_names: BTreeSet<&str> = labels.map(|(label, _)| *label).collect();
        let takes_a_side = detector_labels(detector)
            .iter()
            .any(|(label, value)| *value != 0.0 && found_labels.contains(label));
        takes_a_side && found_labels.is_subset(&label_names)
    })
}

/// Says whether the rule looked at an earlier turn of the same chair.
pub(super) fn has_an_earlier_turn(debate: &DebateRow, finding: &FindingRow) -> bool {
    let FindingTarget::Turn {
        seat,
        index,
        round,
        stage,
    } = &finding.about
    else {
        return true;
    };
    let place_of = |round: u32, stage: &str| {
        let mut turns = debate.turns.iter();
        let position = turns.position(|turn| {
            turn.seat == *seat && turn.index == *index && turn.round == round && turn.stage == stage
        });
        (round, position)
    };
    let own = place_of(*round, stage);
    debate.findings.iter().any(|other| match &other.about {
        FindingTarget::Turn {
            seat: of_seat,
            index: of_index,
            round: of_round,
            stage: of_stage,
        } => {
            let is_of_chair = of_seat == seat && of_index == index;
            other.judging == finding.judging && is_of_chair && place_of(*of_round, of_stage) < own
        }
        FindingTarget::Round(_) | FindingTarget::Debate => false,
    })
}
