//! People on seats, asked in a pseudo-terminal.

use elenchus_test_support::Pty;
use elenchus_test_support::journals::{events, wait_until};
use elenchus_test_support::program::Program;
use serde_json::Value;

/// Ctrl-D on a terminal.
const LEAVE: &[u8] = b"\x04";

/// A person who reads what the program asks and types the answer.
struct Person {
    pty: Pty,
    /// Up to here the person has read.
    read: usize,
}

impl Person {
    fn at(program: &Program, args: &[&str]) -> Self {
        Self {
            pty: Pty::of(program).size(120, 40).starts(args),
            read: 0,
        }
    }

    fn all(&self) -> String {
        String::from_utf8_lossy(&self.pty.output()).replace("\r\n", "\n")
    }

    /// Waits for a text and returns everything new up to it.
    fn reads(&mut self, text: &str) -> String {
        wait_until(text, || self.all()[self.read..].contains(text));
        let all = self.all();
        let end = self.read + all[self.read..].find(text).unwrap() + text.len();
        let new = all[self.read..end].to_owned();
        self.read = end;
        new
    }

    fn types(&mut self, keys: &[u8]) {
        self.pty.send(keys);
    }

    fn ends(mut self) -> (u32, String) {
        let code = self.pty.wait_for_exit().code;
        (code, self.all())
    }
}

const ASKED: &str = "Write the answer; a line with a single '.' ends it, Ctrl-D leaves the debate.";

fn replies(program: &Program) -> Vec<Value> {
    let events = events(&program.session_files()[0]);
    let replies = events
        .into_iter()
        .filter(|event| event["type"] == "replied");
    replies.collect()
}

fn by<'a>(replies: &'a [Value], turn: &str) -> &'a Value {
    let found = replies.iter().find(|reply| reply["turn"] == turn);
    found.unwrap_or_else(|| panic!("nobody spoke at {turn}"))
}

#[test]
fn a_person_is_shown_what_the_seat_is_shown_and_their_answer_is_recorded_as_theirs() {
    let program = Program::with_topics("[defaults]\nname = \"ada\"\n").with_duo();
    let mut ada = Person::at(
        &program,
        &[
            "run",
            "--protocol",
            "duo",
            "--rounds",
            "2",
            "--topic",
            "Why is it salty?",
            "--reference",
            "Rivers",
            "--seat",
            "speaker=human,sim",
        ],
    );
    let shown = ada.reads(ASKED);
    assert!(
        shown.contains(
            "You sit on speaker-0 (round 1, stage answer). This is what the seat is shown:\n\
             --- system\nYou are Speaker 1.\n--- user\nWhy is it salty?\n---\n"
        ),
        "{shown}"
    );
    assert!(!shown.contains("Rivers"), "{shown}");
    ada.types(b"Because of rivers.\nAnd of rain: \xc3\xa9.\n.\n");
    let shown = ada.reads(ASKED);
    let peer = by(&replies(&program), "r1.answer.speaker-1")["reply"]["text"].clone();
    // In the dialogue their own answer is theirs, and the peer's is what is new.
    let expected = format!(
        "--- assistant\nBecause of rivers.\nAnd of rain: é.\n--- user\n{}\n---\n",
        peer.as_str().unwrap()
    );
    assert!(shown.contains(&expected), "{shown}");
    ada.types(b"I stay with it.\n.\n");
    let (code, screen) = ada.ends();
    assert_eq!(code, 0, "{screen}");
    let replies = replies(&program);
    let answer = by(&replies, "r1.answer.speaker-0");
    assert_eq!(
        answer["reply"]["text"],
        "Because of rivers.\nAnd of rain: é."
    );
    assert_eq!(answer["by"], "person:ada");
    assert_eq!(by(&replies, "r2.answer.speaker-0")["by"], "person:ada");
    assert_eq!(by(&replies, "r2.answer.speaker-1")["by"], "engine");
    program.run_ok(&["verify"]);
}

#[test]
fn a_person_may_leave_and_come_back() {
    let program = Program::with_topics("");
    let args = [
        "run",
        "--protocol",
        "standard",
        "--set",
        "debaters=2",
        "--topic",
        "Why?",
        "--seat",
        "debater=human:grace,human:grace",
    ];
    let mut grace = Person::at(&program, &args);
    let shown = grace.reads(ASKED);
    assert!(shown.contains("You sit on debater-"), "{shown}");
    assert!(shown.contains("--- user\nThe message:\nWhy?\n"), "{shown}");
    grace.types(b"One answer.\n.\n");
    grace.reads(ASKED);
    grace.types(LEAVE);
    let (code, screen) = grace.ends();
    assert_eq!(code, 4, "{screen}");
    let id = program.sessions().remove(0);
    assert!(
        screen.contains(&format!("elenchus run --resume-session {id}")),
        "{screen}"
    );
    assert_eq!(replies(&program).len(), 1);
    let mut grace = Person::at(&program, &["run", "--resume-session", &id]);
    grace.reads(ASKED);
    grace.types(b"Another answer.\n.\n");
    let (code, screen) = grace.ends();
    assert_eq!(code, 0, "{screen}");
    let replies = replies(&program);
    assert_eq!(replies.len(), 2);
    for reply in &replies {
        assert_eq!(reply["by"], "person:grace");
    }
    program.run_ok(&["verify"]);
    // People's turns are counted only when that is asked for.
    let judged = |args: &[&str]| {
        let report: Value = serde_json::from_str(&program.run_ok(args)).unwrap();
        let figures = report["sections"][0]["figures"].as_array().unwrap().clone();
        let rate = figures
            .iter()
            .find(|figure| figure["measure"] == "error_rate");
        rate.unwrap()["observations"].as_u64().unwrap()
    };
    assert_eq!(judged(&["metrics", "--json"]), 0);
    assert_eq!(judged(&["metrics", "--json", "--with-people"]), 2);
}

#[test]
fn a_person_on_the_judges_seat_chooses_a_label_and_sees_no_reference_answer() {
    let program = Program::with_topics("");
    let mut judge = Person::at(
        &program,
        &[
            "run",
            "--protocol",
            "pcd-2",
            "--topic",
            "What is six times seven?",
            "--reference",
            "forty-two",
            "--judge",
            "human",
        ],
    );
    let prompt = "Verdict (one of these words; Ctrl-D leaves the debate): ";
    let shown = judge.reads(prompt);
    let shown = &shown[shown.find("You sit on judge-0 and judge debate.").unwrap()..];
    assert!(shown.contains("What is six times seven?"), "{shown}");
    assert!(!shown.contains("kind=private"), "{shown}");
    judge.types(b"certainly\n");
    let shown = judge.reads(prompt);
    assert!(
        shown.contains("'certainly' is none of the labels."),
        "{shown}"
    );
    judge.types(b"Flawed\n");
    let (code, screen) = judge.ends();
    assert_eq!(code, 0, "{screen}");
    let events = events(&program.session_files()[0]);
    let verdict = events
        .iter()
        .find(|event| event["judging"] == "decision")
        .unwrap();
    assert_eq!(verdict["outcome"]["label"]["label"], "flawed");
    assert_eq!(verdict["by"], "person:person");
    program.run_ok(&["verify"]);
}

#[test]
fn a_person_may_give_reasons_for_a_label_and_they_stand_in_the_verdict() {
    let program = Program::with_topics("");
    let args = [
        "run",
        "--protocol",
        "pcd-2",
        "--topic",
        "What is six times seven?",
        "--judge",
        "human",
    ];
    let mut judge = Person::at(&program, &args);
    let prompt = "Verdict (one of these words; Ctrl-D leaves the debate): ";
    let shown = judge.reads(prompt);
    let hint = "Reasons may follow the word after a colon.";
    assert!(shown.contains(hint), "{shown}");
    judge.types("incorrect: It adds: 6 + 7 is 13.\n".as_bytes());
    let (code, screen) = judge.ends();
    assert_eq!(code, 0, "{screen}");
    let verdict = decided(&program, "decision");
    let found = &verdict["outcome"]["label"];
    assert_eq!(found["label"], "incorrect");
    assert_eq!(found["reason"], "It adds: 6 + 7 is 13.");
    program.run_ok(&["verify"]);
}

#[test]
fn a_person_writes_a_structured_verdict_whole_until_it_can_be_read() {
    let program = Program::with_topics("");
    let args = [
        "run",
        "--protocol",
        "moderated",
        "--topic",
        "May we assign the lease?",
        "--model",
        "sim",
        "--seat",
        "moderator=human",
    ];
    let mut moderator = Person::at(&program, &args);
    let asked = "Write the verdict as the seat is asked to; a line with a single '.' ends it, Ctrl-D leaves the debate.";
    moderator.reads(asked);
    moderator.types(b"HIGH\n.\n");
    let shown = moderator.reads(asked);
    let why = "This cannot be read as a verdict: the reply holds no JSON object";
    assert!(shown.contains(why), "{shown}");
    let verdict = concat!(
        r#"{"argumentQualityScore": {"proposer": 7, "critic": 6, "rebuttal": 5}, "resolvedPoints": [],"#,
        "\n",
        r#""unresolvedPoints": [], "recommendAnotherRound": false, "synthesis": "It may.","#,
        "\n",
        r#""answer": "yes", "confidenceLevel": "HIGH", "explicitUncertainties": []}"#,
        "\n.\n"
    );
    moderator.types(verdict.as_bytes());
    let (code, screen) = moderator.ends();
    assert_eq!(code, 0, "{screen}");
    let verdict = decided(&program, "moderation");
    let found = &verdict["outcome"]["label"];
    assert_eq!(found["label"], "HIGH");
    assert_eq!(found["fields"]["synthesis"], "It may.");
    assert_eq!(verdict["by"], "person:person");
    program.run_ok(&["verify"]);
}

/// The only verdict of a rule in the only session.
fn decided(program: &Program, rule: &str) -> Value {
    let events = events(&program.session_files()[0]);
    let mut found = events.into_iter().filter(|event| event["judging"] == rule);
    let verdict = found.next().unwrap();
    assert!(found.next().is_none(), "{rule} ruled twice");
    verdict
}

#[test]
fn a_person_is_asked_about_one_debate_of_a_run_at_a_time() {
    let program = Program::with_topics("");
    let mut ada = Person::at(
        &program,
        &[
            "run",
            "--protocol",
            "standard",
            "--set",
            "debaters=1",
            "--dataset",
            "own:topics.csv",
            "--limit",
            "3",
            "--model",
            "human",
            "--seat",
            "evaluator=sim",
        ],
    );
    for answer in ["First.\n.\n", "Second.\n.\n"] {
        ada.reads(ASKED);
        ada.types(answer.as_bytes());
    }
    ada.reads(ASKED);
    assert_eq!(program.session_files().len(), 3);
    ada.types(LEAVE);
    let (code, screen) = ada.ends();
    assert_eq!(code, 4, "{screen}");
    let run = program.run_id().unwrap();
    assert!(
        screen.contains(&format!("elenchus run --resume {run}")),
        "{screen}"
    );
    let mut ada = Person::at(&program, &["run", "--resume", &run]);
    ada.reads(ASKED);
    ada.types(b"Third.\n.\n");
    let (code, screen) = ada.ends();
    assert_eq!(code, 0, "{screen}");
    let said: Vec<String> = program
        .debates()
        .into_values()
        .map(|debate| debate.said["r1.answer.debater-0#0"].clone())
        .collect();
    // By topic: bread is the second, lock the first, tyre the third.
    assert_eq!(said, ["Second.", "First.", "Third."]);
}

#[test]
fn without_a_terminal_a_persons_seat_is_refused() {
    let program = Program::with_topics("");
    for place in [["--topic", "Why?"], ["--dataset", "own:topics.csv"]] {
        let mut args = vec!["run", "--protocol", "standard", "--seat", "debater=human"];
        args.extend(place);
        let why = program.run_err(1, &args);
        assert!(why.contains("no terminal to ask on"), "{why}");
        assert!(why.contains("debater"), "{why}");
        assert!(
            program.session_files().is_empty(),
            "nothing is begun that cannot be played"
        );
        assert!(
            program.run_id().is_none(),
            "nothing is begun that cannot be played"
        );
    }
}
