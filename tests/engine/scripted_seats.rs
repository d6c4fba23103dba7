//! Scripted seats: their turns come from a file, a session or a run, and cost nothing.

use elenchus_test_support::peers::{model, of_kind, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::Value;

/// The judged game without rough work.
const GAME: [&str; 8] = [
    "--protocol",
    "pcd-2",
    "--proposer",
    "pia",
    "--judge",
    "jo",
    "--set",
    "private_reasoning=false",
];
const TOPIC: [&str; 2] = ["--topic", "What is six times seven?"];
const CRITIQUE: &str = "I cannot follow the second step.";

/// Answers with words that no other request is answered with; the judge always rejects.
fn table() -> ChatServer {
    ChatServer::start(|seen| {
        Answer::chat(&match model(seen) {
            "jo" => seen.with_mark("I weighed both.\nDECISION: incorrect"),
            who => format!("{who} says this in answer {}.", seen.number),
        })
    })
}

fn asked(server: &ChatServer) -> Vec<String> {
    let requests = server.requests();
    requests.iter().map(|seen| model(seen).to_owned()).collect()
}

/// What a chair said, in its order, with round and stage.
fn said(program: &Program, session: &str, chair: &str) -> Vec<(String, String)> {
    let events = program.events(session);
    of_kind(&events, "replied")
        .into_iter()
        .filter(|event| event["turn"].as_str().unwrap().ends_with(chair))
        .map(|event| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&event["turn"]), text(&event["reply"]["text"]))
        })
        .collect()
}

fn questions(program: &Program, texts: &[&str]) {
    program.write("topics.txt", &(texts.join("\n") + "\n"));
}

#[test]
fn a_critic_of_fixed_words_says_them_to_every_topic_and_nobody_is_asked_for_them() {
    let server = table();
    let program = Program::facing(&server);
    program.write("critique.txt", &format!("{CRITIQUE}\n"));
    questions(&program, &["What is one and one?", "What is two and two?"]);
    let more = [
        "--dataset",
        "own:topics.txt",
        "--seat",
        "critic=fixed:critique.txt",
    ];
    program.run(&run(&GAME, &more)).ended_with(0);
    let mut asked = asked(&server);
    asked.sort();
    assert_eq!(asked, ["jo", "jo", "pia", "pia"]);
    for request in server.requests().iter().filter(|seen| model(seen) == "jo") {
        assert!(request.text().contains(CRITIQUE), "{}", request.text());
    }
    for session in program.sessions() {
        let turn = ("r1.critique.critic-0".to_owned(), CRITIQUE.to_owned());
        assert_eq!(said(&program, &session, "critic-0"), [turn]);
        let events = program.events(&session);
        let critique = of_kind(&events, "replied")[1];
        assert_eq!(critique["reply"]["cached"], true, "{critique:#}");
        assert!(critique["reply"].get("cost_usd").is_none(), "{critique:#}");
    }
    let shown = program.run(&["show", &program.sessions()[0]]).ended_with(0);
    assert!(
        shown.out.contains("written beforehand: critique.txt"),
        "{}",
        shown.out
    );
    assert!(
        shown.out.contains(" · written beforehand\n"),
        "{}",
        shown.out
    );
    let arms = program
        .run(&["metrics", "--by", "arm", "--json"])
        .ended_with(0);
    assert!(
        arms.out.contains("critic-0=fixed:critique.txt"),
        "{}",
        arms.out
    );
}

#[test]
fn each_line_of_a_file_belongs_to_its_round_and_stage() {
    let server = table();
    let program = Program::facing(&server);
    program.write(
        "critic.toml",
        "[[lines]]\nround = 2\nstage = \"critique\"\ntext = \"Still no.\"\n\n\
         [[lines]]\nstage = \"critique\"\ntext = \"\"\"No.\"\"\"\n",
    );
    program.write(
        "cast.toml",
        "[seats.critic]\nmodel = \"fixed:critic.toml\"\n",
    );
    let more = [&TOPIC[..], &["--cast", "cast.toml", "--rounds", "2"]].concat();
    program.run(&run(&GAME, &more)).ended_with(0);
    let session = program.sessions().remove(0);
    let texts: Vec<String> = said(&program, &session, "critic-0")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts, ["No.", "Still no."]);
}

#[test]
fn what_was_said_in_a_session_is_said_again_word_for_word_private_turns_included() {
    let server = table();
    let program = Program::facing(&server);
    let with_thoughts = [&GAME[..6], &TOPIC].concat();
    program
        .run(&run(&with_thoughts, &["--critic", "carl"]))
        .ended_with(0);
    let first = program.sessions().remove(0);
    let before = asked(&server).len();
    let seat = format!("critic=said:{first}");
    program
        .run(&run(&with_thoughts, &["--seat", &seat]))
        .ended_with(0);
    let second = program.sessions().remove(1);
    assert_eq!(said(&program, &first, "critic-0").len(), 2);
    assert_eq!(
        said(&program, &second, "critic-0"),
        said(&program, &first, "critic-0")
    );
    assert_ne!(
        said(&program, &second, "proposer-0"),
        said(&program, &first, "proposer-0")
    );
    assert_eq!(asked(&server)[before..], ["pia", "pia", "jo"]);
    let shown = program.run(&["show", &second]).ended_with(0);
    let line = format!("written beforehand: session {first}");
    assert!(shown.out.contains(&line), "{}", shown.out);
}

#[test]
fn what_was_said_in_a_run_is_said_again_topic_by_topic_and_rollout_by_rollout() {
    let server = table();
    let program = Program::facing(&server);
    questions(&program, &["What is one and one?", "What is two and two?"]);
    let dataset = ["--dataset", "own:topics.txt", "--rollouts", "2"];
    program
        .run(&run(&GAME, &[&dataset[..], &["--critic", "carl"]].concat()))
        .ended_with(0);
    let old = program.run_id().unwrap();
    let first = program.sessions();
    let seat = format!("critic=said:{old}");
    let more = [&dataset[..], &["--seat", &seat, "--concurrency", "1"]].concat();
    program.run(&run(&GAME, &more)).ended_with(0);
    let all = program.sessions();
    let by_place = |sessions: &[String]| {
        let mut found: Vec<_> = sessions
            .iter()
            .map(|id| {
                let created = program.events(id).remove(0);
                let rollout = created["run"]["rollout"].as_u64().unwrap();
                let topic = created["topic"]["text"].as_str().unwrap().to_owned();
                (topic, rollout, said(&program, id, "critic-0"))
            })
            .collect();
        found.sort();
        found
    };
    let (then, now): (Vec<String>, Vec<String>) =
        all.into_iter().partition(|id| first.contains(id));
    assert_eq!(now.len(), 4);
    assert_eq!(by_place(&now), by_place(&then));
}

const DATASET: [&str; 2] = ["--dataset", "own:topics.txt"];

/// Plays one question with carl as critic, whose turns can be said again.
fn play_with_carl(program: &Program) {
    questions(program, &["What is one and one?"]);
    let args = [&DATASET[..], &["--critic", "carl"]].concat();
    program.run(&run(&GAME, &args)).ended_with(0);
}

#[test]
fn one_rollout_of_a_run_is_said_again_in_every_rollout() {
    let server = table();
    let program = Program::facing(&server);
    play_with_carl(&program);
    let first = program.sessions().remove(0);
    let old = program.run_id().unwrap();
    let named = |recording: &str| {
        let seat = format!("critic=said:{recording}");
        let more = [&DATASET[..], &["--rollouts", "3", "--seat", &seat]].concat();
        program.run(&run(&GAME, &more))
    };
    named(&format!("{old}/0")).ended_with(0);
    let again: Vec<String> = program
        .sessions()
        .into_iter()
        .filter(|id| *id != first)
        .collect();
    assert_eq!(again.len(), 3);
    for session in &again {
        assert_eq!(
            said(&program, session, "critic-0"),
            said(&program, &first, "critic-0")
        );
        let shown = program.run(&["show", session]).ended_with(0);
        let words: Vec<&str> = shown.out.split_whitespace().collect();
        let line = format!("written beforehand: run {old}, rollout 0");
        assert!(words.join(" ").contains(&line), "{}", shown.out);
    }
    for (recording, why) in [
        (format!("{old}/1"), "with rollout 1"),
        (format!("{old}/x"), "the number of a rollout"),
        (format!("{first}/0"), "a session has no rollouts"),
    ] {
        let ran = named(&recording).ended_with(1);
        assert!(ran.err.contains(why), "{recording}: {}", ran.err);
    }
    assert_eq!(program.sessions().len(), 4);
}

#[test]
fn a_topic_that_the_run_does_not_have_is_refused_before_anything_is_played() {
    let server = table();
    let program = Program::facing(&server);
    play_with_carl(&program);
    let before = asked(&server).len();
    let seat = format!("critic=said:{}", program.run_id().unwrap());
    questions(&program, &["What is one and one?", "What is two and two?"]);
    let ran = program.run(&run(&GAME, &[&DATASET[..], &["--seat", &seat]].concat()));
    let ran = ran.ended_with(1);
    assert!(
        ran.err.contains("it has no debate about topic '"),
        "{}",
        ran.err
    );
    let twice = [
        &DATASET[..],
        &["--limit", "1", "--rollouts", "2", "--seat", &seat],
    ]
    .concat();
    let ran = program.run(&run(&GAME, &twice)).ended_with(1);
    assert!(ran.err.contains("with rollout 1"), "{}", ran.err);
    questions(&program, &["What is three and three?"]);
    let ran = program.run(&run(&GAME, &[&DATASET[..], &["--seat", &seat]].concat()));
    let ran = ran.ended_with(1);
    assert!(
        ran.err.contains("asks something else") || ran.err.contains("no debate about"),
        "{}",
        ran.err
    );
    assert_eq!(asked(&server).len(), before);
    assert_eq!(program.sessions().len(), 1);
    program.run_id().unwrap();
}

#[test]
fn lines_that_cannot_be_used_are_refused_before_anything_is_begun() {
    let server = table();
    let program = Program::facing(&server);
    program.write("empty.txt", " \n");
    program.write(
        "some.toml",
        "[[lines]]\nstage = \"critique\"\ntext = \"No.\"\n",
    );
    program.write(
        "typo.toml",
        "[[lines]]\n\nstep = \"critique\"\ntext = \"No.\"\n",
    );
    program.write("large.txt", &"word ".repeat(1_000_000));
    std::fs::write(program.work().join("bytes.txt"), b"No\xff\xfe").unwrap();
    let refused = |seat: &str, words: &str| {
        let others = ["--seat", seat, "--model", "sim"];
        let with_thoughts = [&GAME[..6], &TOPIC, &others].concat();
        let ran = program.run(&run(&with_thoughts, &[])).ended_with(1);
        assert!(ran.err.contains(words), "{seat}: {}", ran.err);
    };
    refused(
        "critic=fixed:none.txt",
        "the lines of none.txt cannot be used: No such file",
    );
    refused("critic=fixed:.", "it is no file");
    refused(
        "critic=fixed:empty.txt",
        "empty.txt cannot be used: it says nothing",
    );
    refused("critic=fixed:bytes.txt", "no UTF-8 text from byte 2 on");
    refused("critic=fixed:large.txt", "it is larger than 1024 KiB");
    refused(
        "critic=fixed:typo.toml",
        "typo.toml:3 cannot be used: unknown field `step`",
    );
    refused(
        "critic=fixed:some.toml",
        "some.toml has no line for what critic-0 says in stage 'think_critic' of round 1",
    );
    refused("critic=said:01nothing", "there is no such session or run");
    refused(
        "judge=fixed:some.toml",
        "seat 'judge' does not speak, so 'fixed:some.toml' cannot sit there",
    );
    assert_eq!(program.sessions(), Vec::<String>::new());
    assert!(server.requests().is_empty());
}

#[test]
fn a_game_that_is_longer_than_what_was_said_is_refused() {
    let server = table();
    let program = Program::facing(&server);
    let game = [&GAME[..], &TOPIC].concat();
    program
        .run(&run(&game, &["--critic", "carl"]))
        .ended_with(0);
    let seat = format!("critic=said:{}", program.sessions()[0]);
    let ran = program
        .run(&run(&game, &["--seat", &seat, "--rounds", "2"]))
        .ended_with(1);
    assert!(
        ran.err
            .contains("no line for what critic-0 says in stage 'critique' of round 2"),
        "{}",
        ran.err
    );
}
