//! Graders that ask somebody besides their rules of comparison.

use super::harness::{created, play, protocol};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use elenchus_game::debate::{Protocol, State, Target};

/// The kitchen with a seat that grades and this grader.
fn kitchen(grader: &str) -> String {
    let seat =
        "[[seats]]\nid = \"examiner\"\nkind = \"evaluator\"\n\n[[judging]]\nid = \"hygiene\"";
    let with_seat = KITCHEN.replacen("[[judging]]\nid = \"hygiene\"", seat, 1);
    with_seat.replacen("grader = \"auto\"", &format!("grader = {grader}"), 1)
}

const ASKING: &str = r#"{ by = "examiner", rubric = "same" }"#;

#[test]
fn who_is_asked_has_a_rule_of_its_own_and_stays_hidden_as_a_grader_does() {
    let game = protocol(&kitchen(ASKING), &[]);
    let rule = game.find_judging(&"right-asked".into()).unwrap();
    assert_eq!(rule.grades, Some("right".into()));
    assert_eq!(
        rule.turns,
        game.find_judging(&"right".into()).unwrap().turns
    );
    assert!(!rule.has_judge(), "no view of verdicts holds it");
    for grader in [
        "\"auto\"",
        "\"command:check\"",
        ASKING,
        r#"{ command = "check", rules = "none", sample = 0.25 }"#,
        r#"{ by = "examiner", rubric = "same", rules = "boxed", sample = 1 }"#,
    ] {
        let game = protocol(&kitchen(grader), &[]);
        let text = serde_json::to_string(&game).unwrap();
        assert_eq!(
            serde_json::from_str::<Protocol>(&text).unwrap(),
            game,
            "{grader}"
        );
    }
}

#[test]
fn a_grader_that_cannot_be_asked_is_refused_with_what_is_missing() {
    for (grader, why) in [
        ("\"best\"", "unknown variant `best`"),
        (
            r#"{ by = "examiner" }"#,
            "has a seat in `by` with a `rubric`",
        ),
        (
            r#"{ by = "examiner", rubric = "same", command = "c" }"#,
            "or a `command`",
        ),
        (r#"{ rules = "none" }"#, "or a `command`"),
        (r#"{ command = "c", sample = 2 }"#, "a share from 0 to 1"),
        (r#"{ command = "c", sees = 2 }"#, "unknown field `sees`"),
        (
            r#"{ command = "../c" }"#,
            "a grader's command cannot be called '../c'",
        ),
        (
            r#"{ by = "examiner", rubric = "../x" }"#,
            "a rubric cannot be called '../x'",
        ),
        (r#"{ by = "cook", rubric = "same" }"#, "cannot grade"),
        (r#"{ by = "nobody", rubric = "same" }"#, "nobody"),
        (
            r#"{ by = "chef", rubric = "same" }"#,
            "give the grader a seat of its own",
        ),
    ] {
        let file = ProtocolFile::parse("k.toml", &kitchen(grader)).unwrap();
        let refused = file
            .resolve_protocol(&Settings::new())
            .unwrap_err()
            .to_string();
        assert!(refused.contains(why), "{grader}: {refused}");
    }
}

/// The events of debates under a grader, each with its last state.
fn play_many(grader: &str) -> Vec<State> {
    let game = protocol(&kitchen(grader), &[]);
    let debates = (0..40).map(|seed| {
        let mut state = State::default();
        for record in play(created(game.clone(), seed), seed, seed) {
            state.apply_event(&record).unwrap();
        }
        state
    });
    debates.collect()
}

/// Counts turns that rules decided and left undecided, and how many of each were asked about.
fn count_asked(debates: &[State]) -> [(usize, usize); 2] {
    let mut counts = [(0, 0); 2];
    for state in debates {
        let game = state.protocol().unwrap();
        let right = game.find_judging(&"right".into()).unwrap();
        let asked = game.find_judging(&"right-asked".into()).unwrap();
        let verdicts = state.verdicts().filter(|(id, _, _)| **id == right.id);
        for (_, target, _) in verdicts {
            let own = state.own_outcome(right, target).unwrap();
            let others = state.own_outcome(asked, target);
            let place = usize::from(matches!(own, Outcome::Unparsed { .. }));
            counts[place].0 += 1;
            counts[place].1 += usize::from(others.is_some());
            let combined = state.combined_outcome(right, target).unwrap();
            assert_eq!(
                combined,
                match own {
                    Outcome::Label(_) => own,
                    Outcome::Unparsed { .. } => others.unwrap(),
                }
            );
            assert!(matches!(target, Target::Attempt(_)));
        }
    }
    counts
}

#[test]
fn what_rules_leave_undecided_is_asked_always_and_a_sample_of_the_rest_as_well() {
    let [decided, undecided] = count_asked(&play_many(ASKING));
    assert!(
        decided.0 > 100 && undecided.0 > 10,
        "{decided:?} {undecided:?}"
    );
    assert_eq!(decided.1, 0);
    assert_eq!(undecided.0, undecided.1);
    let sampled = r#"{ by = "examiner", rubric = "same", sample = 0.3 }"#;
    let [decided, undecided] = count_asked(&play_many(sampled));
    assert_eq!(undecided.0, undecided.1);
    let share = decided.1 as f64 / decided.0 as f64;
    assert!((0.15..0.45).contains(&share), "{decided:?}");
    let [decided, _] = count_asked(&play_many(r#"{ command = "check", sample = 1 }"#));
    assert_eq!(decided.0, decided.1);
}
