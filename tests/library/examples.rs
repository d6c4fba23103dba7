//! The example sessions that come with the program.

use elenchus_game::debate::event::{Outcome, Player};
use elenchus_game::debate::{State, Target};
use elenchus_records::workspace::{Example, SessionStatus, list_examples, summarize_session};
use elenchus_test_support::journals::events;
use elenchus_test_support::program::Program;
use std::collections::BTreeSet;
use std::path::Path;

/// Under this name everything in the examples was written.
const WRITER: &str = "person:example";

/// A program into whose store the examples were imported.
fn home_with_examples() -> Program {
    let program = Program::with_topics("");
    for example in list_examples() {
        let text = str::from_utf8(example.bytes).unwrap();
        program.write(&format!("{}.jsonl", example.id), text);
    }
    let names: Vec<String> = list_examples().iter().map(file).collect();
    let mut args = vec!["import"];
    args.extend(names.iter().map(String::as_str));
    program.run_ok(&args);
    program
}

fn file(example: &Example) -> String {
    format!("{}.jsonl", example.id)
}

fn protocol(state: &State) -> &str {
    &state.protocol().unwrap().id
}

fn example_of(id: &str) -> State {
    let states = list_examples()
        .into_iter()
        .map(|found| found.fold_state().unwrap());
    let mut found = states.filter(|state| protocol(state) == id);
    found.next().unwrap_or_else(|| panic!("no example of {id}"))
}

/// What a rule found, in the order of its targets.
fn labels(state: &State, rule: &str) -> Vec<(Target, String)> {
    let verdicts = state
        .verdicts()
        .filter(|(judging, _, _)| judging.as_str() == rule);
    verdicts
        .flat_map(|(_, target, by_slot)| by_slot.values().map(move |last| (target, last)))
        .map(|(target, verdict)| match &verdict.outcome {
            Some(Outcome::Label(finding)) => (target.clone(), finding.label.clone()),
            other => panic!("{rule} on {target}: {other:?}"),
        })
        .collect()
}

fn words(state: &State, rule: &str) -> Vec<String> {
    let labels = labels(state, rule).into_iter();
    labels.map(|(_, label)| label).collect()
}

#[test]
fn every_example_verifies_in_a_store_and_its_transcript_can_be_read() {
    let program = home_with_examples();
    assert_eq!(program.session_files().len(), list_examples().len());
    program.run_ok(&["verify"]);
    for example in list_examples() {
        let shown = program.run_ok(&["show", example.id.as_str()]);
        assert!(shown.contains("a person: example"), "{shown}");
        assert!(!shown.contains("unparsed"), "{shown}");
    }
}

#[test]
fn the_games_of_every_kind_are_there_and_played_to_their_end() {
    let mut played = BTreeSet::new();
    for example in list_examples() {
        let state = example.fold_state().unwrap();
        let summary = summarize_session(&example.id, &state).unwrap();
        let over = [SessionStatus::Complete, SessionStatus::Stopped];
        assert!(over.contains(&summary.state), "{summary:?}");
        assert_eq!(state.first_event().unwrap().session, example.id);
        assert!(!summary.simulated);
        played.insert(summary.protocol);
    }
    for game in ["pred", "dared", "sred", "pcd-4", "moderated"] {
        assert!(played.contains(game), "{game} is not in {played:?}");
    }
}

#[test]
fn the_first_example_is_the_one_that_was_played_last() {
    let begun: Vec<String> = list_examples()
        .iter()
        .map(|example| example.fold_state().unwrap().time_span().0.to_owned())
        .collect();
    assert!(begun.is_sorted_by(|one, next| one > next), "{begun:?}");
}

#[test]
fn people_wrote_every_turn_every_lesson_and_every_verdict_that_is_no_rules() {
    let program = home_with_examples();
    for (example, journal) in list_examples().iter().rev().zip(program.session_files()) {
        let state = example.fold_state().unwrap();
        let cast = &state.first_event().unwrap().cast;
        for seated in cast {
            assert!(matches!(seated.player, Player::Human { .. }), "{seated:?}");
        }
        let rules: BTreeSet<&str> = state
            .protocol()
            .unwrap()
            .judging
            .iter()
            .filter(|judging| judging.enabled && judging.by.is_none())
            .map(|judging| judging.id.as_str())
            .collect();
        for event in events(&journal) {
            let by = match event["type"].as_str().unwrap() {
                "replied" | "feedback_written" => WRITER,
                "judged" if rules.contains(event["judging"].as_str().unwrap()) => "engine",
                "judged" => WRITER,
                _ => "engine",
            };
            assert_eq!(event["by"], by, "{event}");
            assert!(event["reply"]["model"].is_null(), "{event}");
        }
    }
}

#[test]
fn no_example_tells_where_or_by_whom_it_was_made() {
    for example in list_examples() {
        let text = str::from_utf8(example.bytes).unwrap();
        // A path would begin a JSON string, or stand under one of these folders.
        for trace in [
            "\"/", "/home/", "/Users/", "/root/", "/tmp/", "/work/", "C:\\",
        ] {
            assert!(!text.contains(trace), "{} in {}", trace, file(&example));
        }
        let named = text.split("person:").skip(1);
        for name in named {
            assert!(name.starts_with("example\""), "{name}");
        }
    }
}

#[test]
fn in_the_debate_of_peers_an_unsafe_author_turns_round_and_a_lesson_is_drawn() {
    let state = example_of("pred");
    let labels = labels(&state, "safety");
    let first_of = |round: u32| {
        let turn = format!("r{round}.answer.debater-0#0");
        let mut found = labels
            .iter()
            .filter(|(target, _)| target.to_string() == turn);
        found.next().unwrap().1.as_str()
    };
    assert_eq!((first_of(1), first_of(3)), ("unsafe", "safe"));
    for game in ["pred", "dared", "sred"] {
        let state = example_of(game);
        let found = words(&state, "safety");
        for label in ["safe", "unsafe"] {
            assert!(found.iter().any(|word| word == label), "{game}: {found:?}");
        }
        assert!(state.lesson().is_some(), "{game} has no lesson");
    }
}

#[test]
fn a_critic_catches_the_error_that_a_judge_alone_accepts() {
    let alone = example_of("consultancy");
    let debated = example_of("pcd-4");
    let topic = |state: &State| state.first_event().unwrap().topic.text.clone();
    assert_eq!(topic(&alone), topic(&debated));
    for state in [&alone, &debated] {
        assert_eq!(words(state, "truth"), ["incorrect"]);
    }
    assert_eq!(words(&alone, "decision"), ["correct"]);
    assert_eq!(words(&debated, "decision"), ["incorrect"]);
}

#[test]
fn the_moderated_debate_holds_verified_citations_and_a_fabricated_one() {
    let found = words(&example_of("moderated"), "citations");
    for label in ["verified", "fabricated"] {
        assert!(found.iter().any(|word| word == label), "{found:?}");
    }
}

#[test]
fn the_examples_say_what_the_texts_say_that_they_are_made_from() {
    let folder = Path::new("sessions/texts");
    let mut compared = 0;
    for example in list_examples() {
        let state = example.fold_state().unwrap();
        let name = format!("-{}.txt", protocol(&state));
        let texts = std::fs::read_dir(folder).unwrap();
        let path = texts
            .map(|entry| entry.unwrap().path())
            .find(|path| path.to_string_lossy().ends_with(&name))
            .unwrap_or_else(|| panic!("no texts for {name}"));
        let texts = std::fs::read_to_string(path).unwrap();
        let said = state.turns().values().flat_map(|turn| &turn.attempts);
        let lesson = state.lesson().map(|lesson| &lesson.reply.text);
        for said in said.map(|attempt| &attempt.reply.text).chain(lesson) {
            assert!(texts.contains(said.as_str()), "not in {name}: {said}");
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}
