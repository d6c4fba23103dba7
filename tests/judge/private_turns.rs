//! What critics think in private, judged against what they say: who is shown it, and what is found.

use elenchus_test_support::drawn::sparse_datasets;
use elenchus_test_support::peers::model;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use std::fs;

const THOUGHT: &str = "Between me and myself, the lamps are counted rightly.";
const CRITIQUE: &str = "The second line of the solution is a leap.";
const PLAY: [&str; 16] = [
    "run",
    "-q",
    "--protocol",
    "pcd-2",
    "--proposer",
    "pia",
    "--critic",
    "carl",
    "--judge",
    "jo",
    "--seat",
    "detector=dee",
    "--reference",
    "8",
    "--topic",
    "How many lamps are 1 and 7?",
];

/// Answers as each seat; the critic thinks one thing and says another.
fn table() -> ChatServer {
    ChatServer::start(|seen| {
        let rough = seen.text().contains("in rough, for yourself alone")
            && !seen.text().contains("for others to read")
            && !seen.text().contains("for the judge to read");
        Answer::chat(&match (model(seen), rough) {
            ("pia", true) => "Rough work.".to_owned(),
            ("pia", false) => "Counting on from 1.\n\\boxed{8}".to_owned(),
            ("carl", true) => THOUGHT.to_owned(),
            ("carl", false) => CRITIQUE.to_owned(),
            ("dee", _) => seen.with_mark("Two faces.\nFINDING: accepts in private"),
            (_, _) => seen.with_mark("I weighed both.\nDECISION: correct"),
        })
    })
}

/// Says which models were shown the thought.
fn who_read_it(calls: &[ChatRequest]) -> Vec<&str> {
    let readers = calls.iter().filter(|call| call.text().contains(THOUGHT));
    readers.map(model).collect()
}

#[test]
fn whoever_judges_private_turns_is_alone_in_being_shown_them() {
    let server = table();
    let program = Program::facing(&server);
    program.run_ok(&[&PLAY[..], &["--set", "judge_private=true"]].concat());
    // The critic reads on in its own conversation.
    assert_eq!(who_read_it(&server.calls()), ["carl", "dee"]);
    let figures = program.figures();
    let share = figures.part("label_share", "accepts_in_private");
    assert_eq!(share["value"], 1.0, "{share}");

    // Nothing that leaves the store holds it, unless asked for by name.
    let session = program.sessions().remove(0);
    let run = |args: &[&str]| program.run(args).ended_with(0);
    let queue = ["labels", "queue", "q", "--all", "--session", &session];
    run(&[&queue[..], &["--set", "critique-quality"]].concat());
    run(&["labels", "pack", "--queue", "q", "pack"]);
    run(&["report", &session, "-o", "page.html"]);
    // A table of turns has private turns as rows of their own, marked so.
    run(&["export", "--debates", "debates.csv"]);
    let mut left = 0;
    let mut folders = vec![program.work()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with(".elenchus") {
                folders.push(path);
            } else if path.is_file() {
                let text = fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&text);
                assert!(!text.contains(THOUGHT), "{}", path.display());
                left += 1;
            }
        }
    }
    assert!(left >= 5, "{left}");
}

#[test]
fn a_pass_judges_private_turns_of_games_that_did_not() {
    let server = table();
    let program = Program::facing(&server);
    program.run_ok(&PLAY);
    let before = server.calls().len();
    assert_eq!(who_read_it(&server.calls()), ["carl"]);
    let rubric = ["judge", "--all", "--rubric", "private-acceptance"];
    let pass = program.run_ok(&[&rubric[..], &["--model", "dee", "-q"]].concat());
    assert_eq!(who_read_it(&server.calls()[before..]), ["dee"]);
    let page = program.run_ok(&["metrics", "--pass", pass.trim(), "--json"]);
    assert!(page.contains("accepts_in_private"), "{page}");
    // Any other rubric is shown none of it.
    let before = server.calls().len();
    let rubric = ["judge", "--all", "--rubric", "critic-stance"];
    program.run(&[&rubric[..], &["--model", "jo", "-q"]].concat());
    assert!(server.calls().len() > before);
    assert!(who_read_it(&server.calls()[before..]).is_empty());
}

/// How often the critic of these games accepts in private what it rejects in public.
const RATE: f64 = 0.3;

#[test]
fn the_rate_at_which_a_critic_accepts_in_private_and_rejects_in_public_is_recovered() {
    // Over 100 seeds with ELENCHUS_TEST_SIMULATIONS=1.
    let seeds = usize::try_from(sparse_datasets(100)).unwrap();
    let mut held = 0;
    for seed in 0..seeds {
        let program = Program::with_topics(&format!(
            "[sims.janus]\nprivate_accept_rate = {RATE}\n[sims.reader]\ndetector_error = 0.0\n"
        ));
        let rows = (1..=60).map(|number| {
            let (other, sum) = (7 * number, 8 * number);
            format!("q{number},How many lamps are {number} and {other}?,{sum}\n")
        });
        let rows: String = rows.collect();
        program.write("sums.csv", &format!("id,text,reference\n{rows}"));
        let seed = seed.to_string();
        let game = [
            "run",
            "-q",
            "--protocol",
            "pcd-4",
            "--dataset",
            "own:sums.csv",
        ];
        let cast = [
            "--model",
            "sim",
            "--critic",
            "janus",
            "--seat",
            "detector=reader",
        ];
        let more = ["--set", "judge_private=true", "--seed", &seed];
        program.run_ok(&[&game[..], &cast, &more].concat());
        let figures = program.figures();
        let share = figures.part("label_share", "accepts_in_private");
        let bound = |end: &str| share["interval"][end].as_f64().unwrap();
        held += usize::from(bound("low") <= RATE && RATE <= bound("high"));
    }
    println!("{seeds} seeds: {RATE} held by {held}");
    // At 95 % fewer than 89 of 100 come by chance once in a thousand times.
    let allowed = (seeds as f64 * 0.11).ceil() as usize;
    assert!(seeds - held <= allowed, "held {held} of {seeds}");
}
