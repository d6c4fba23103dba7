//! Rewards of games that are played to the end with given verdicts, computed by hand.

use crate::tests::builtin_games::{Finds, created, game, play_judged};
use elenchus_game::debate::protocol::SettingValue;
use elenchus_game::debate::{ShownOrder, Step};
use std::collections::BTreeMap;

/// What the judges say, by rule and chair; the other rules find nothing that counts.
type Said = &'static [(&'static str, &'static [Option<(&'static str, f64)>])];

/// One game, what is said of it, and the reward of each seat.
type Case = (
    &'static str,
    &'static [(&'static str, &'static str)],
    Said,
    &'static [(&'static str, f64)],
);

const CORRECT: Option<(&str, f64)> = Some(("correct", 1.0));
const FLAWED: Option<(&str, f64)> = Some(("flawed", 0.0));
const INCORRECT: Option<(&str, f64)> = Some(("incorrect", -1.0));
const SHOWN: Option<(&str, f64)> = Some(("shown_spurious", -1.0));
const HELD: Option<(&str, f64)> = Some(("stands", 1.0));
const UNREADABLE: Option<(&str, f64)> = None;

const CASES: &[Case] = &[
    // Two seats, one judge: the table of the source.
    (
        "pcd-2",
        &[],
        &[("decision", &[CORRECT])],
        &[("critic", -1.0), ("proposer", 1.0)],
    ),
    (
        "pcd-2",
        &[],
        &[("decision", &[FLAWED])],
        &[("critic", 0.0), ("proposer", 0.0)],
    ),
    (
        "pcd-2",
        &[],
        &[("decision", &[INCORRECT])],
        &[("critic", 1.0), ("proposer", -1.0)],
    ),
    ("pcd-2", &[], &[("decision", &[UNREADABLE])], &[]),
    (
        "pcd-4",
        &[],
        &[("decision", &[CORRECT])],
        &[("critic", -1.0), ("proposer", 1.0)],
    ),
    (
        "pcd-4",
        &[],
        &[("decision", &[INCORRECT])],
        &[("critic", 1.0), ("proposer", -1.0)],
    ),
    // Three judges: most of them; a tie of three is no decision; the mean of 1, 0 and -1 is 0.
    (
        "pcd-4",
        &[("judges", "3")],
        &[("decision", &[INCORRECT, CORRECT, INCORRECT])],
        &[("critic", 1.0), ("proposer", -1.0)],
    ),
    (
        "pcd-4",
        &[("judges", "3")],
        &[("decision", &[CORRECT, FLAWED, INCORRECT])],
        &[],
    ),
    (
        "pcd-4",
        &[("judges", "3"), ("combine", "mean")],
        &[("decision", &[CORRECT, FLAWED, INCORRECT])],
        &[("critic", 0.0), ("proposer", 0.0)],
    ),
    // The penalty is the critic's alone, so the sum is no longer zero.
    (
        "pcd-4",
        &[("spurious_penalty", "true")],
        &[("decision", &[INCORRECT]), ("critique", &[SHOWN])],
        &[("critic", 0.0), ("proposer", -1.0)],
    ),
    (
        "pcd-2",
        &[("spurious_penalty", "true")],
        &[("decision", &[CORRECT]), ("critique", &[SHOWN])],
        &[("critic", -2.0), ("proposer", 1.0)],
    ),
    (
        "pcd-2",
        &[("spurious_penalty", "true")],
        &[("decision", &[CORRECT]), ("critique", &[HELD])],
        &[("critic", -1.0), ("proposer", 1.0)],
    ),
    (
        "pcd-4",
        &[("spurious_penalty", "true"), ("judges", "3")],
        &[
            ("decision", &[FLAWED, FLAWED, CORRECT]),
            ("critique", &[SHOWN, HELD, SHOWN]),
        ],
        &[("critic", -1.0), ("proposer", 0.0)],
    ),
    // Without the setting nobody is asked.
    (
        "pcd-2",
        &[],
        &[("decision", &[CORRECT]), ("critique", &[SHOWN])],
        &[("critic", -1.0), ("proposer", 1.0)],
    ),
    (
        "consultancy",
        &[],
        &[("decision", &[CORRECT])],
        &[("proposer", 1.0)],
    ),
    (
        "consultancy",
        &[],
        &[("decision", &[INCORRECT])],
        &[("proposer", 0.0)],
    ),
    // The judge is wrong, and the consultant is paid by it all the same.
    (
        "consultancy",
        &[],
        &[("decision", &[CORRECT]), ("truth", &[INCORRECT])],
        &[("proposer", 1.0)],
    ),
    ("rlvr", &[], &[("truth", &[CORRECT])], &[("proposer", 1.0)]),
    (
        "rlvr",
        &[],
        &[("truth", &[INCORRECT])],
        &[("proposer", 0.0)],
    ),
];

fn value(text: &str) -> SettingValue {
    SettingValue::parse(text)
}

/// Plays the game with what is said, and returns what each seat gets.
fn rewards(id: &str, settings: &[(&str, &str)], finds: Finds<'_>) -> BTreeMap<String, f64> {
    let settings: Vec<(&str, SettingValue)> = settings
        .iter()
        .map(|(name, text)| (*name, value(text)))
        .collect();
    let game = game(id, &settings);
    let (_, state) = play_judged(created(&game), &game, finds);
    let rewards = state.compute_rewards().into_iter();
    rewards
        .map(|(chair, reward)| (chair.seat.to_string(), reward))
        .collect()
}

#[test]
fn every_verdict_is_worth_what_the_table_says() {
    for (id, settings, said, expected) in CASES {
        let finds = |step: &Step| {
            let (rule, chair) = match step {
                Step::Judge(judge) | Step::AwaitJudge(judge) => {
                    (judge.judging.as_str(), judge.chair.index as usize)
                }
                Step::Grade { judging, .. } => (judging.as_str(), 0),
                _ => return None,
            };
            let by_chair = said.iter().find(|(name, _)| *name == rule);
            by_chair.and_then(|(_, found)| found[chair])
        };
        let expected: BTreeMap<String, f64> = expected
            .iter()
            .map(|(seat, reward)| ((*seat).to_owned(), *reward))
            .collect();
        assert_eq!(
            rewards(id, settings, &finds),
            expected,
            "{id} {settings:?} {said:?}"
        );
    }
}

#[test]
fn a_candidate_wins_if_it_is_preferred_in_both_orders() {
    type Found = &'static str;
    let cases: [(Found, Found, f64); 5] = [
        ("a", "a", 1.0),
        ("b", "b", -1.0),
        // Whoever is shown first wins: that says nothing about the candidates.
        ("a", "b", 0.0),
        ("b", "a", 0.0),
        ("tie", "tie", 0.0),
    ];
    for (seated, swapped, reward) in cases {
        let finds = |step: &Step| match step {
            Step::Judge(judge) => {
                let label = match judge.order {
                    ShownOrder::AsSeated => seated,
                    ShownOrder::Swapped => swapped,
                };
                Some((label, 0.0))
            }
            _ => None,
        };
        let found = rewards("two-candidate", &[], &finds);
        let expected = [("debater-a", reward), ("debater-b", -reward)];
        let expected: BTreeMap<String, f64> = expected
            .into_iter()
            .map(|(seat, reward)| (seat.to_owned(), reward))
            .collect();
        assert_eq!(found, expected, "{seated}, {swapped}");
    }
}
