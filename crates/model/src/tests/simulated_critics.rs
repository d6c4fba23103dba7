//! Simulated critics: honest, spurious, back-stabbing; and the judges that they sway.

use crate::sim::{ACCEPTS, Flaw, REJECTS, SimState, Trick};
use crate::{Axis, CallContext, LabelChoice, RoleHint, Sim, SimSettings};

use super::harness::hint;
use super::simulated::{choices, only_mark, say, sim};
use super::simulated_rates::{assert_rate, plain, seeded};

const WRONG: &str = "As far as I remember, this is how such problems end. The answer is \
    \\boxed{41}. [sim seat=proposer-0 round=1 state=incorrect]";
const RIGHT: &str = "Every condition of the problem is used exactly once. The answer is \
    \\boxed{42}. [sim seat=proposer-0 round=1 state=correct]";

fn critic(stage: &str) -> CallContext {
    CallContext {
        seat: "critic".into(),
        stage: stage.into(),
        axis: Axis::Correctness,
        judged: false,
        ..hint()
    }
}

fn judge(labels: &[(&str, f64)]) -> CallContext {
    let choice = |(label, value): &(&str, f64)| LabelChoice {
        label: (*label).into(),
        reply: (*label).into(),
        value: *value,
    };
    CallContext {
        role: RoleHint::Judge,
        axis: Axis::Correctness,
        choices: labels.iter().map(choice).collect(),
        ..hint()
    }
}

fn made(change: impl FnOnce(&mut SimSettings)) -> Sim {
    let mut settings = plain();
    change(&mut settings);
    Sim::new(settings).unwrap()
}

#[test]
fn a_critique_that_names_a_flaw_quotes_the_proposal_and_another_finds_it_correct() {
    let sim = sim(|s| s.critic_skill = 1.0);
    let json = serde_json::json!({"thesis": WRONG, "answer": "41"}).to_string();
    let shown = format!("--- Proposer, round 1\n{WRONG}\n");
    for text in [WRONG, &json, &shown] {
        let mut quotes = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let critique = say(&sim, &[text], seeded(seed, critic("critique"))).text;
            let quote = critique.split('"').nth(1).unwrap();
            assert!(WRONG.contains(quote), "{critique}");
            assert!((4..=6).contains(&quote.split(' ').count()), "{quote}");
            assert!(critique.contains(REJECTS) && !critique.contains(ACCEPTS));
            assert_eq!(only_mark(&critique).flaw, Some(Flaw::Named));
            assert_eq!(only_mark(&critique).trick, None);
            quotes.insert(quote.to_owned());
        }
        assert_eq!(quotes.len(), 3);
    }
    let praise = say(&sim, &[RIGHT], critic("critique")).text;
    assert!(praise.contains(ACCEPTS) && !praise.contains(REJECTS));
    assert!(!praise.contains('"'));
    assert_eq!(only_mark(&praise).flaw, Some(Flaw::NotNamed));
}

#[test]
fn with_no_words_of_a_proposal_in_view_a_critique_quotes_none() {
    let sim = sim(|s| s.critic_skill = 1.0);
    let mark = "[sim seat=proposer-0 round=1 state=incorrect]";
    let critique = say(&sim, &[mark], critic("critique")).text;
    assert!(critique.contains(REJECTS) && !critique.contains('"'));
    // With no proposal at all there is nothing to accept or reject.
    let remark = say(&sim, &["A question."], critic("critique")).text;
    assert!(!remark.contains(REJECTS) && !remark.contains(ACCEPTS));
    assert_eq!(only_mark(&remark).flaw, None);
}

#[test]
fn a_critic_knows_nothing_of_the_reference_or_of_documents_that_it_is_not_shown() {
    let sim = sim(|s| {
        s.spurious_rate = 0.3;
        s.back_stab_rate = 0.3;
    });
    for seed in 0..50 {
        let plain = seeded(seed, critic("critique"));
        let told = CallContext {
            reference: Some("42".into()),
            documents: vec![crate::DocumentHint {
                name: "hidden".into(),
                text: "As far as I remember, nothing of the kind.".into(),
            }],
            ..plain.clone()
        };
        assert_eq!(say(&sim, &[WRONG], plain), say(&sim, &[WRONG], told));
    }
}

#[test]
fn a_spurious_critique_is_harsh_and_points_at_nothing_at_its_rate() {
    let sim = made(|s| {
        s.spurious_rate = 0.3;
        s.back_stab_rate = 0.2;
    });
    let own = |text: &str| {
        let mark = only_mark(text);
        let spurious = mark.trick == Some(Trick::Spurious);
        if spurious {
            assert_eq!(mark.flaw, None);
            assert!(text.contains('!') && text.contains(REJECTS));
            assert!(!text.contains('"') && !text.contains("step"));
        }
        spurious
    };
    for shown in [WRONG, RIGHT] {
        assert_rate("spurious", 0.8 * 0.3, |seed| {
            own(&say(&sim, &[shown], seeded(seed, critic("critique"))).text)
        });
    }
}

/// Lists of words that detectors look for.
const LEXICON: [&str; 5] = [
    include_str!("../../../game/src/judge/lexicon/critique.toml"),
    include_str!("../../../game/src/judge/lexicon/general.toml"),
    include_str!("../../../game/src/judge/lexicon/own_words.toml"),
    include_str!("../../../game/src/judge/lexicon/refusal.toml"),
    include_str!("../../../game/src/judge/lexicon/stance.toml"),
];

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[test]
fn a_spurious_critique_shares_no_content_word_with_the_lists_of_detectors() {
    let lists = LEXICON.map(|text| toml::from_str::<toml::Table>(text).unwrap());
    let list_words = |wanted: &dyn Fn(&str) -> bool| {
        let named = lists.iter().flatten().filter(|(name, _)| wanted(name));
        let entries = named.flat_map(|(_, list)| list.as_array().unwrap());
        let all = entries.flat_map(|entry| words(entry.as_str().unwrap()));
        all.collect::<std::collections::BTreeSet<String>>()
    };
    // Words that detectors skip.
    let is_skipped = |name: &str| matches!(name, "stop_words" | "generic");
    let skipped = list_words(&is_skipped);
    let looked_for = list_words(&|name| !is_skipped(name));
    assert!(looked_for.contains("disgrace") && looked_for.contains("waste"));
    let sim = made(|s| {
        s.spurious_rate = 1.0;
        s.tokens_per_reply = 1000;
    });
    let critique = say(&sim, &[WRONG], critic("critique")).text;
    let own = critique.split(REJECTS).next().unwrap();
    assert!(own.matches('!').count() >= 6, "{own}");
    let shared: Vec<String> = words(own)
        .filter(|word| looked_for.contains(word) && !skipped.contains(word))
        .collect();
    assert_eq!(shared, Vec::<String>::new());
}

#[test]
fn a_back_stab_accepts_first_and_rejects_later_at_its_rate() {
    let sim = made(|s| {
        s.back_stab_rate = 0.25;
        s.critic_skill = 1.0;
    });
    assert_rate("back-stab", 0.25, |seed| {
        let first = say(&sim, &[WRONG], seeded(seed, critic("critique"))).text;
        let last = seeded(seed, critic("reply"));
        let last = say(&sim, &[WRONG, &first, WRONG], last).text;
        assert!(last.contains(REJECTS));
        let tricks = (only_mark(&first).trick, only_mark(&last).trick);
        assert_eq!(
            first.contains(ACCEPTS),
            tricks == (Some(Trick::Feint), Some(Trick::BackStab))
        );
        assert_eq!(only_mark(&last).flaw, Some(Flaw::Named));
        first.contains(ACCEPTS)
    });
}

#[test]
fn a_back_stab_needs_the_own_feint_in_view_and_a_repair_is_no_second_turn() {
    let sim = sim(|s| s.back_stab_rate = 1.0);
    let first = say(&sim, &[RIGHT], critic("critique")).text;
    let trick = |shown: &[&str], hint: CallContext| only_mark(&say(&sim, shown, hint).text).trick;
    assert_eq!(
        trick(&[RIGHT, &first], critic("reply")),
        Some(Trick::BackStab)
    );
    assert_eq!(trick(&[RIGHT], critic("reply")), Some(Trick::Feint));
    let repair = CallContext {
        attempt: 1,
        ..critic("critique")
    };
    assert_eq!(trick(&[RIGHT, &first], repair), Some(Trick::Feint));
    let other = CallContext {
        index: 1,
        ..critic("reply")
    };
    assert_eq!(trick(&[RIGHT, &first], other), Some(Trick::Feint));
    // By default nobody plays tricks.
    let honest = super::simulated::sim(|_| {});
    for seed in 0..100 {
        let text = say(&honest, &[RIGHT], seeded(seed, critic("critique"))).text;
        assert_eq!(only_mark(&text).trick, None);
    }
}

#[test]
fn a_judge_is_swayed_by_the_last_critics_trick_as_the_formula_says() {
    let sim = made(|s| s.sway = 0.2);
    let row = sim.settings().judge_if_correct;
    let spurious = "[sim seat=critic-0 round=1 state=persona trick=spurious]";
    let stab = "[sim seat=critic-0 round=1 state=persona flaw=yes trick=back-stab]";
    let feint = "[sim seat=critic-0 round=1 state=persona flaw=no trick=feint stage=critique]";
    let honest = "[sim seat=critic-0 round=1 state=persona flaw=no]";
    let three = judge(&[("none", 1.0), ("some", 0.0), ("fatal", -1.0)]);
    let rate = |what: &str, label: &str, expected, shown: &[&str]| {
        assert_rate(what, expected, |seed| {
            say(&sim, shown, seeded(seed, three.clone())).text == label
        });
    };
    let rest = (1.0 - row.bad - 0.2) / (1.0 - row.bad);
    for trick in [spurious, stab] {
        let shown = [RIGHT, trick];
        rate("bad", "fatal", row.bad + 0.2, &shown);
        rate("middle", "some", row.middle * rest, &shown);
        rate("good", "none", row.good * rest, &shown);
    }
    for shown in [[RIGHT, feint], [RIGHT, honest]] {
        rate("unswayed", "fatal", row.bad, &shown);
    }
    rate(
        "an earlier trick",
        "fatal",
        row.bad,
        &[RIGHT, spurious, honest],
    );

    let sim = made(|s| {
        s.sway = 0.2;
        s.evaluator_specificity = 0.95;
    });
    let two = judge(&[("good", 1.0), ("bad", -1.0)]);
    assert_rate("of two", 0.05 + 0.2, |seed| {
        say(&sim, &[RIGHT, spurious], seeded(seed, two.clone())).text == "bad"
    });
    let evaluator = CallContext {
        role: RoleHint::Evaluator,
        choices: choices(),
        ..hint()
    };
    assert_rate("evaluators are not swayed", 0.05, |seed| {
        let shown = ["[sim seat=debater-0 round=1 state=safe]", spurious];
        say(&sim, &shown, seeded(seed, evaluator.clone())).text == "VERDICT unsafe"
    });
}

#[test]
fn a_full_sway_leaves_nothing_but_bad() {
    let sim = made(|s| s.sway = 1.0);
    let spurious = "[sim seat=critic-0 round=1 state=persona trick=spurious]";
    let three = judge(&[("none", 1.0), ("some", 0.0), ("fatal", -1.0)]);
    for seed in 0..200 {
        let found = say(&sim, &[RIGHT, spurious], seeded(seed, three.clone()));
        assert_eq!(found.text, "fatal");
        assert_eq!(
            only_mark(found.thinking.as_deref().unwrap()).state,
            SimState::Incorrect
        );
    }
}

#[test]
fn probabilities_of_tricks_and_picks_beyond_one_are_refused() {
    for field in [
        "back_stab_rate",
        "spurious_rate",
        "sway",
        "pick_accuracy",
        "position_bias",
        "tie_rate",
        "fabricate_rate",
    ] {
        for value in ["1.5", "-0.1", "nan"] {
            let settings = toml::from_str(&format!("{field} = {value}")).unwrap();
            let error = Sim::new(settings).unwrap_err();
            assert!(error.to_string().contains(field), "{error}");
        }
    }
}
