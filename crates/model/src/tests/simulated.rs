//! The simulated model: what it says, and what it can know.

use crate::sim::{Flaw, Marker, MarkerKind, SimState, Trick, UNSAFE_PLACEHOLDER, find_markers};
use crate::{
    Axis, CallContext, CallErrorKind, LabelChoice, Model, NoWatch, Reply, ReplyForm, RoleHint, Sim,
    SimSettings,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::harness::{Notes, asked, complete, hint, request};

pub fn sim(change: impl FnOnce(&mut SimSettings)) -> Sim {
    let mut settings = SimSettings {
        topic_effect: 0.0,
        seat_effect: 0.0,
        ..SimSettings::default()
    };
    change(&mut settings);
    Sim::new(settings).unwrap()
}

pub fn say(sim: &Sim, texts: &[&str], hint: CallContext) -> Reply {
    sim.compute_reply(&request(texts, hint)).unwrap()
}

pub fn only_mark(text: &str) -> Marker {
    let [marker] = find_markers(text).try_into().expect("exactly one mark");
    marker
}

pub fn choices() -> Vec<LabelChoice> {
    let choice = |label: &str, value| LabelChoice {
        label: label.into(),
        reply: format!("VERDICT {label}"),
        value,
    };
    vec![choice("safe", 1.0), choice("unsafe", -1.0)]
}

#[tokio::test]
async fn the_same_request_gets_the_same_reply_and_another_sample_another() {
    let sim = sim(|_| {});
    let one = complete(&sim, &asked()).await.unwrap();
    assert_eq!(one, complete(&sim, &asked()).await.unwrap());
    let texts: std::collections::BTreeSet<String> = (0..20)
        .map(|sample| {
            let mut request = asked();
            request.sample = sample;
            sim.compute_reply(&request).unwrap().text
        })
        .collect();
    assert!(texts.len() > 5);
    assert!(sim.is_simulated());
}

#[tokio::test]
async fn a_watcher_sees_the_text_that_is_returned() {
    let notes = Notes::default();
    let cancel = CancellationToken::new();
    let sim = sim(|s| s.tokens_per_reply = 300);
    let reply = sim.complete(&asked(), &notes, &cancel).await.unwrap();
    assert_eq!(*notes.public.lock().unwrap(), reply.text);
    assert!(reply.text.len() > 1000);
}

#[tokio::test]
async fn a_slow_reply_can_be_cancelled() {
    let sim = sim(|s| s.latency_ms = 3_600_000);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = sim.complete(&asked(), &NoWatch, &cancel).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Cancelled);
}

#[test]
fn an_unsafe_turn_is_a_marked_placeholder_and_a_safe_one_is_not() {
    let bad = say(&sim(|s| s.unsafe_rate = 1.0), &["?"], hint());
    assert!(bad.text.starts_with(UNSAFE_PLACEHOLDER));
    assert_eq!(only_mark(&bad.text).state, SimState::Unsafe);
    let good = say(&sim(|s| s.unsafe_rate = 0.0), &["?"], hint());
    assert!(!good.text.contains(UNSAFE_PLACEHOLDER));
    assert_eq!(
        only_mark(&good.text).to_string(),
        "[sim seat=debater-0 round=1 state=safe]"
    );
}

#[test]
fn a_correct_proposal_boxes_the_reference_and_an_incorrect_one_something_else() {
    let proposal = |accuracy, reference: &str| {
        let hint = CallContext {
            axis: Axis::Correctness,
            reference: Some(reference.into()),
            ..hint()
        };
        say(&sim(|s| s.accuracy = accuracy), &["?"], hint).text
    };
    for reference in ["42", "-3.5", "yes", "B", "Paris", "inf", "\\frac{1}{2}"] {
        let boxed = format!("\\boxed{{{reference}}}");
        assert!(proposal(1.0, reference).contains(&boxed));
        let wrong = proposal(0.0, reference);
        assert!(
            wrong.contains("\\boxed{") && !wrong.contains(&boxed),
            "{wrong}"
        );
        assert!(wrong.contains("state=incorrect"));
    }
}

#[test]
fn a_private_turn_is_marked_private_and_decides_the_public_one() {
    let thinking = CallContext {
        private: true,
        axis: Axis::Correctness,
        reference: Some("42".into()),
        ..hint()
    };
    for seed in 0..40 {
        let sim = sim(|s| s.accuracy = 0.5);
        let private = say(
            &sim,
            &["?"],
            CallContext {
                seed,
                ..thinking.clone()
            },
        );
        let mark = only_mark(&private.text);
        assert_eq!(mark.kind, MarkerKind::Private);
        assert!(!private.text.contains("boxed"));
        let public = CallContext {
            seed,
            private: false,
            ..thinking.clone()
        };
        let public = say(&sim, &["?", &private.text], public);
        assert_eq!(only_mark(&public.text).state, mark.state);
    }
}

#[test]
fn a_speaker_keeps_its_state_unless_something_in_view_changes_it() {
    let sim = sim(|s| s.yield_to_peers = 1.0);
    let later = CallContext { round: 2, ..hint() };
    let own = "[sim seat=debater-0 round=1 state=unsafe]";
    let peer = "[sim seat=debater-1 round=1 state=safe]";
    let state = |texts: &[&str]| only_mark(&say(&sim, texts, later.clone()).text).state;
    assert_eq!(state(&[own]), SimState::Unsafe);
    assert_eq!(state(&[own, peer]), SimState::Safe);
    // Neither a peer's private reasoning nor a verdict moves a speaker.
    let private = "[sim kind=private seat=debater-1 round=1 state=safe]";
    let verdict = "[sim kind=verdict seat=evaluator-0 round=1 state=safe]";
    assert_eq!(state(&[own, private, verdict]), SimState::Unsafe);
}

#[test]
fn personas_move_speakers_by_their_own_effect() {
    let sim = sim(|s| {
        s.personas.get_mut("socratic").unwrap().to_safe = 1.0;
        s.personas.get_mut("angel").unwrap().to_safe = 0.0;
    });
    let later = CallContext { round: 2, ..hint() };
    let own = "[sim seat=debater-0 round=1 state=unsafe]";
    let state = |persona: &str| only_mark(&say(&sim, &[own, persona], later.clone()).text).state;
    assert_eq!(
        state("[sim seat=socratic-0 round=1 state=persona]"),
        SimState::Safe
    );
    assert_eq!(
        state("[sim seat=angel-0 round=1 state=persona]"),
        SimState::Unsafe
    );
    // What was said before the own turn has already had its effect.
    assert_eq!(
        state("[sim seat=socratic-0 round=0 state=persona]"),
        SimState::Unsafe
    );
}

#[test]
fn angel_and_devil_never_say_the_same_and_are_marked_as_simulated() {
    let sim = sim(|_| {});
    for round in 1..=20 {
        let persona = |seat: &str| {
            let context = CallContext {
                seat: seat.into(),
                judged: false,
                round,
                ..hint()
            };
            let text = say(&sim, &["[sim seat=debater-0 round=1 state=safe]"], context).text;
            assert_eq!(only_mark(&text).state, SimState::Persona);
            let (words, _) = text.split_once("[sim").unwrap();
            let sentences = words.split_inclusive(['.', '?', '!', ';']);
            let sentences = sentences.map(|sentence| sentence.trim().to_owned());
            let sentences = sentences.filter(|sentence| !sentence.is_empty());
            sentences.collect::<std::collections::BTreeSet<_>>()
        };
        let (angel, devil) = (persona("angel"), persona("devil"));
        assert!(angel.len() > 1 && devil.len() > 1, "{angel:?} {devil:?}");
        assert!(angel.is_disjoint(&devil), "{angel:?} {devil:?}");
        // A persona without a character of its own asks and doubts as before.
        assert!(persona("socratic").is_disjoint(&devil));
    }
}

#[test]
fn a_skilled_critic_names_the_flaw_and_a_heeding_speaker_repairs_it() {
    let sim = sim(|s| {
        s.critic_skill = 1.0;
        s.heed_critic = 1.0;
    });
    let critic = CallContext {
        seat: "critic".into(),
        judged: false,
        ..hint()
    };
    let bad = "[sim seat=debater-0 round=1 state=unsafe]";
    let critique = say(&sim, &[bad], critic.clone()).text;
    let mark = only_mark(&critique);
    assert_eq!(
        (mark.state, mark.flaw),
        (SimState::Persona, Some(Flaw::Named))
    );
    let revised = say(&sim, &[bad, &critique], hint()).text;
    assert_eq!(only_mark(&revised).state, SimState::Safe);
    let praise = say(&sim, &["[sim seat=debater-0 round=1 state=safe]"], critic).text;
    assert_eq!(only_mark(&praise).flaw, Some(Flaw::NotNamed));
}

#[test]
fn a_finding_is_exactly_a_choice_and_its_mark_is_in_the_thinking() {
    let hint = CallContext {
        role: RoleHint::Evaluator,
        seat: "evaluator".into(),
        choices: choices(),
        ..hint()
    };
    let sim = sim(|s| {
        s.evaluator_sensitivity = 1.0;
        s.evaluator_specificity = 1.0;
    });
    for (shown, reply) in [("unsafe", "VERDICT unsafe"), ("safe", "VERDICT safe")] {
        let shown = format!("[sim seat=debater-0 round=1 state={shown}]");
        // An earlier turn in view is not the one under judgement.
        let found = say(
            &sim,
            &["[sim seat=debater-1 round=1 state=unsafe]", &shown],
            hint.clone(),
        );
        assert_eq!(found.text, reply);
        let mark = only_mark(found.thinking.as_deref().unwrap());
        assert_eq!(mark.kind, MarkerKind::Verdict);
    }
}

#[test]
fn a_lesson_carries_its_topic() {
    let hint = CallContext {
        role: RoleHint::Feedback,
        seat: "feedback".into(),
        topic: "a topic, with [odd] signs = é".into(),
        ..hint()
    };
    let mark = only_mark(&say(&sim(|_| {}), &["?"], hint.clone()).text);
    assert_eq!(
        (mark.kind, mark.topic),
        (MarkerKind::Feedback, Some(hint.topic))
    );
}

#[test]
fn a_structured_reply_satisfies_its_schema_and_carries_marks() {
    let mut asked = asked();
    asked.form = Some(ReplyForm::Schema(json!({
        "type": "object",
        "properties": {
            "argument": {"type": "string"},
            "strength": {"type": "integer", "minimum": 1, "maximum": 5},
            "share": {"type": "number", "minimum": 0.0, "maximum": 1.0},
            "stance": {"enum": ["agree", "disagree"]},
            "short": {"type": "string", "maxLength": 5},
            "points": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/point"}},
            "maybe": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        },
        "required": ["argument"],
        "$defs": {"point": {"type": "object", "properties": {"text": {"type": "string"}}}},
    })));
    for seed in 0..50 {
        asked.context.seed = seed;
        let reply = sim(|_| {}).compute_reply(&asked).unwrap();
        let value: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(
            only_mark(value["argument"].as_str().unwrap()).seat,
            "debater"
        );
        assert!((1..=5).contains(&value["strength"].as_i64().unwrap()));
        assert!((0.0..=1.0).contains(&value["share"].as_f64().unwrap()));
        assert!(["agree", "disagree"].contains(&value["stance"].as_str().unwrap()));
        assert!(value["short"].as_str().unwrap().chars().count() <= 5);
        assert_eq!(value["points"].as_array().unwrap().len(), 2);
        assert_eq!(
            find_markers(value["points"][1]["text"].as_str().unwrap()).len(),
            1
        );
        assert_eq!(value["maybe"], Value::Null);
    }
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    let mut asked = asked();
    asked.form = Some(ReplyForm::Schema(
        json!({"type": "object", "properties": {"again": {"$ref": "#"}}}),
    ));
    sim(|_| {}).compute_reply(&asked).unwrap();
}

#[test]
fn failures_and_unreadable_replies_happen_on_demand() {
    let failing = sim(|s| s.failure_rate = 1.0);
    let error = failing.compute_reply(&asked()).unwrap_err();
    assert_eq!(error.kind, CallErrorKind::SimulatedFailure);
    let evaluator = CallContext {
        role: RoleHint::Evaluator,
        choices: choices(),
        ..hint()
    };
    let mumbling = sim(|s| s.unparsed_rate = 1.0);
    let reply = say(&mumbling, &["?"], evaluator);
    assert!(choices().iter().all(|choice| choice.reply != reply.text));
    assert!(reply.text.contains("simulated"));
}

proptest! {
    #[test]
    fn a_mark_is_found_as_it_was_written_wherever_it_stands(
        seat in "[a-zé \\]\\[=%-]{1,12}", index in 0u32..100, round in 0u32..100,
        topic in proptest::option::of(".{0,20}"), before in ".{0,30}", after in ".{0,30}",
    ) {
        let marker = Marker {
            kind: MarkerKind::Private,
            seat, index, round,
            state: SimState::Incorrect,
            flaw: Some(Flaw::NotNamed),
            trick: Some(Trick::BackStab),
            stage: topic.clone(),
            topic,
            others_rewards: index % 2 == 1,
        };
        let text = format!("{before} {marker} {after}");
        prop_assert!(find_markers(&text).contains(&marker));
        let json = serde_json::to_string(&text).unwrap();
        prop_assert!(find_markers(&json).contains(&marker));
    }

    #[test]
    fn no_text_makes_the_reader_of_marks_panic(text in "(\\[sim |seat=|a-1|round=|%|é|state=safe| |\\]){0,20}") {
        find_markers(&text);
    }
}
