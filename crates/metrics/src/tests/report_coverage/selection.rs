//! What optimising a seat's reward would come to, from rollouts that were played.

use super::{assert_covers, mean};
use crate::tests::selection::{repeated_texts, rollout_row};
use crate::{CurveTopics, DecisionLabel, Measure, Selection, SelectionSettings, selection_report};
use rand::Rng;

const ROLLOUTS: usize = 4;

/// How many of a topic's rollouts have the better of two rewards, with the chance of each number.
fn winners(bad: f64) -> impl Iterator<Item = (f64, f64)> {
    (0..1u32 << ROLLOUTS).map(move |drawn| {
        let won = drawn.count_ones() as i32;
        let lost = ROLLOUTS as i32 - won;
        (f64::from(won), bad.powi(won) * (1.0 - bad).powi(lost))
    })
}

/// The weight of all winners together under each selection.
fn weight_of_winners(won: f64, selection: Selection) -> f64 {
    let all = ROLLOUTS as f64;
    match selection {
        // No winner in two draws without replacement: C(lost, 2) / C(all, 2).
        Selection::BestOf(_) => {
            let lost = all - won;
            1.0 - lost * (lost - 1.0) / (all * (all - 1.0))
        }
        Selection::Boltzmann(beta) => {
            let raised = won * (1.0 / beta).exp();
            raised / (raised + (all - won) * (-1.0 / beta).exp())
        }
    }
}

fn selection_covers(selection: Selection) {
    // Winners are right in .9 of cases, losers in .4.
    let expected = |of: &dyn Fn(f64, f64) -> f64| {
        mean(|bad| {
            let sums = winners(bad)
                .map(|(won, chance)| chance * of(won, weight_of_winners(won, selection)));
            sums.sum()
        })
    };
    let all = ROLLOUTS as f64;
    let accuracy = expected(&|_, weight| 0.9 * weight + 0.4 * (1.0 - weight));
    let reward = expected(&|_, weight| 2.0 * weight - 1.0);
    let nats = |count: f64, weight: f64| match count > 0.0 && weight > 0.0 {
        true => weight * (weight / count * all).ln(),
        false => 0.0,
    };
    let divergence = expected(&|won, weight| nats(won, weight) + nats(all - won, 1.0 - weight));
    let squares = |count: f64, weight: f64| {
        if count > 0.0 {
            weight * weight / count
        } else {
            0.0
        }
    };
    let effective =
        expected(&|won, weight| 1.0 / (squares(won, weight) + squares(all - won, 1.0 - weight)));
    assert_covers(
        &[
            (Measure::ProposerAccuracy, "", accuracy),
            (Measure::MeanReward, "", reward),
            (Measure::SelectionDivergence, "", divergence),
            (Measure::EffectiveRollouts, "", effective),
        ],
        |rng, bad, number| {
            (0..ROLLOUTS as u32)
                .map(|rollout| {
                    let won = rng.random_bool(bad);
                    let reward = if won { 1.0 } else { -1.0 };
                    let right = rng.random_bool(if won { 0.9 } else { 0.4 });
                    let label = match won {
                        true => DecisionLabel::Accept,
                        false => DecisionLabel::Reject,
                    };
                    let text = u64::from(rollout);
                    let topic = format!("t{number}");
                    rollout_row(&topic, (0, rollout), (text, text), (reward, right, label))
                })
                .collect()
        },
        |rows, settings| {
            let seats = ["proposer".to_owned()];
            // Another judge decides what the first did: rewards are those that were selected by.
            let repetitions = repeated_texts(rows);
            let selected = SelectionSettings {
                seats: &seats,
                selections: &[selection],
                topics: CurveTopics::Shared,
                judged_by: Some(&repetitions),
            };
            let mut report = selection_report(rows, &settings, &selected).unwrap();
            for figure in &mut report.sections[0].figures {
                figure.keys.clear();
            }
            report
        },
    );
}

#[test]
fn the_best_of_two_rollouts() {
    selection_covers(Selection::BestOf(2));
}

#[test]
fn rollouts_reweighted_by_their_reward() {
    selection_covers(Selection::Boltzmann(2.0));
}
