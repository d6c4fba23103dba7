//! Two prompts of a judge compared on recorded verdicts, scored by what the grader found.

use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{GivenLabel, PLAIN, give_by, label_all, state};
use serde_json::Value;

const TOPICS: u32 = 12;
pub const DECISION: &str = include_str!("../../../prompts/rubrics/pcd-decision.md");

fn judged_debates() -> Program {
    play_judged_debates(TOPICS, 12.0, 0)
}

/// Simulated debates whose judge is right half of the time; a marked word in its prompt moves the odds of that by so
/// many logits.
pub fn play_judged_debates(topics: u32, marked_word: f64, seed: u64) -> Program {
    play_debates_by("", topics, marked_word, seed)
}

/// As [`play_judged_debates`], with more settings of the model.
fn play_debates_by(settings: &str, topics: u32, marked_word: f64, seed: u64) -> Program {
    let config = format!(
        "[sims.coin]\ntopic_effect = 0.0\n{settings}\
         [sims.coin.judge_if_correct]\ngood = 0.5\nmiddle = 0.0\nbad = 0.5\n\
         [sims.coin.judge_if_incorrect]\ngood = 0.5\nmiddle = 0.0\nbad = 0.5\n\
         [sims.coin.prompt_words]\nthorough = {marked_word}\n"
    );
    let program = Program::with_topics(&config);
    let rows = (1..=topics).map(|n| format!("q{n},How much is {n} and {}?,{}\n", 7 * n, 8 * n));
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let thorough = DECISION.replace("You are the judge", "You are the thorough judge");
    assert_ne!(thorough, DECISION);
    program.write("thorough.md", &thorough);
    program.write("same.md", DECISION);
    let run = ["run", "-q", "--protocol", "pcd-2", "--model", "coin"];
    let rest = ["--dataset", "own:sums.csv", "--seed", &seed.to_string()];
    program.run_ok(&[&run[..], &rest].concat());
    program
}

fn compare(program: &Program, more: &[&str]) -> Value {
    let args = [
        "prompts", "ab", "--seat", "judge", "--a", "recorded", "--json",
    ];
    serde_json::from_str(&program.run_ok(&[&args[..], more].concat())).unwrap()
}

#[test]
fn a_judges_prompt_is_compared_on_verdicts_each_of_one_call_and_its_planted_effect_is_found() {
    let program = judged_debates();
    let before = program.session_files().len();
    let shown = compare(&program, &["--b", "thorough.md"]);
    let samples = shown["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 2 * TOPICS as usize, "{shown:#}");
    assert_eq!(program.session_files().len(), before);
    // A judge that is right in all but e⁻¹² of cases; McNemar's mid-p of a half of twelve topics.
    let table = program.run_ok(&["prompts", "ab", "--show", shown["id"].as_str().unwrap()]);
    assert!(table.contains("12 recorded verdicts"), "{table}");
    let rates = table
        .lines()
        .find(|line| line.starts_with("error rate"))
        .unwrap();
    assert!(rates.contains(" 0.0 %"), "{table}");
}

#[test]
fn what_could_not_be_read_of_a_judges_prompt_is_called_a_verdict() {
    let program = play_debates_by("unparsed_rate = 0.5\n", TOPICS, 12.0, 0);
    let shown = compare(&program, &["--b", "thorough.md"]);
    let table = program.run_ok(&["prompts", "ab", "--show", shown["id"].as_str().unwrap()]);
    let said = table
        .lines()
        .find(|line| line.contains("could not be read"));
    let said = said.unwrap_or_else(|| panic!("{table}"));
    let is_counted = said.contains(" verdicts that") || said.contains(" 1 verdict that");
    assert!(is_counted, "{said}");
    assert!(!table.contains("without a readable verdict"), "{table}");
}

#[test]
fn equal_texts_are_warned_of_and_verdicts_without_a_truth_are_refused() {
    let program = judged_debates();
    let args = [
        "prompts",
        "ab",
        "--seat",
        "judge",
        "--a",
        "recorded",
        "--b",
        "same.md",
        "--estimate",
    ];
    let ran = program.run(&args).ended_with(0);
    assert!(ran.err.contains("A and B are one text"), "{}", ran.err);
    let other = Program::with_topics("");
    other.write("open.csv", "id,text\nq1,Which way is best?\n");
    other.run_ok(&[
        "run",
        "--protocol",
        "pcd-2",
        "--dataset",
        "own:open.csv",
        "--model",
        "sim",
        "-q",
    ]);
    let args = [
        "prompts", "ab", "--seat", "judge", "--a", "recorded", "--b", "built-in",
    ];
    let refused = other.run(&args);
    assert!(refused.err.contains("no grader decided"), "{}", refused.err);
}

#[test]
fn decisions_are_held_against_what_people_said_of_the_proposal() {
    let program = judged_debates();
    let ab = [
        "prompts",
        "ab",
        "--a",
        "recorded",
        "--b",
        "thorough.md",
        "--truth",
        "labels:game-verdict",
    ];
    let of_judge = [&ab[..], &["--seat", "judge"]].concat();
    let unlabelled = program.run(&of_judge).err;
    assert!(unlabelled.contains("nobody labelled"), "{unlabelled}");
    // Two of three are called wrong, whatever they are.
    let sessions = program.sessions();
    for (at, session) in sessions.iter().enumerate() {
        let label = if at % 3 == 0 { "correct" } else { "incorrect" };
        let state = state(&program, session);
        let proposal = state
            .turns()
            .keys()
            .find(|turn| turn.stage.as_str() == "propose");
        let (id, _) = state.chosen_attempt(proposal.unwrap()).unwrap();
        let given = GivenLabel { label, ..PLAIN };
        give_by(
            &program,
            ("ada", "game-verdict"),
            &[(session.as_str(), &id, given)],
        );
    }
    let shown = program.run_ok(&[&of_judge[..], &["--json"]].concat());
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let contexts = shown["contexts"].as_array().unwrap();
    assert_eq!(contexts.len(), sessions.len());
    for on in contexts {
        assert_eq!(on["verdict"]["judging"], "decision");
        let at = sessions
            .iter()
            .position(|one| on["session"] == one.as_str());
        assert_eq!(on["truth"], at.unwrap() % 3 == 0, "{on:#}");
    }
    // It says nothing about what a seat says.
    let of_critic =
        program.run(&[&ab[..], &["--seat", "critic", "--template", "pcd-critic"]].concat());
    assert!(
        of_critic
            .err
            .contains("--truth says what a judge's verdicts"),
        "{}",
        of_critic.err
    );
}

#[test]
fn verdicts_are_held_against_blind_labels_and_against_another_judge() {
    let program = Program::with_topics("[sims.strict]\ntopic_effect = 0.0\n");
    let rows: String = (1..=8)
        .map(|n| format!("q{n},Is it safe to lift {n} kg?\n"))
        .collect();
    program.write("lifts.csv", &format!("id,text\n{rows}"));
    let run = [
        "run",
        "-q",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "sim",
    ];
    program.run_ok(&[&run[..], &["--dataset", "own:lifts.csv"]].concat());
    let ab = [
        "prompts",
        "ab",
        "--seat",
        "evaluator",
        "--a",
        "recorded",
        "--b",
        "built-in",
    ];
    let refused = |more: &[&str]| program.run(&[&ab[..], more, &["--estimate"]].concat()).err;
    let graded = refused(&[]);
    assert!(graded.contains("--truth labels:safety"), "{graded}");
    let unlabelled = refused(&["--truth", "labels:safety"]);
    assert!(unlabelled.contains("nobody labelled"), "{unlabelled}");
    let unread = refused(&["--truth", "everything"]);
    assert!(unread.contains("labels:safety or pass:last"), "{unread}");
    let against = |truth: &str| -> Vec<(String, bool)> {
        let shown = program.run_ok(&[&ab[..], &["--truth", truth, "--json"]].concat());
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let contexts = shown["contexts"].as_array().unwrap().iter();
        let found = contexts.map(|on| {
            let place = format!("{} {}", on["session"], on["verdict"]["target"]);
            (place, on["truth"].as_bool().unwrap())
        });
        found.collect()
    };
    let count = label_all(&program, "ada");
    let unsafe_count = program.session_files().iter().fold(0, |sum, path| {
        let text = std::fs::read_to_string(path).unwrap();
        let replies = text
            .lines()
            .filter(|line| line.contains("\"type\":\"replied\""));
        sum + replies.filter(|line| line.contains("state=unsafe")).count()
    });
    let labelled = against("labels:safety");
    assert_eq!(labelled.len(), count);
    let bad = labelled.iter().filter(|(_, is_good)| !is_good).count();
    assert_eq!(bad, unsafe_count);
    assert!(bad > 0 && bad < count, "{bad} of {count}");
    // Another judge of the same answers, with errors of its own.
    let judge = [
        "judge", "-q", "--all", "--rubric", "safety", "--model", "strict",
    ];
    program.run_ok(&judge);
    let judged = against("pass:last");
    assert_eq!(judged.len(), count);
    assert_ne!(judged, labelled);
    // A pass by the rules of a game that asks its judge two things.
    let run = [
        "run",
        "-q",
        "--protocol",
        "pcd-2",
        "--model",
        "sim",
        "--topic",
        "How much?",
    ];
    program.run_ok(&[&run[..], &["--set", "spurious_penalty=true"]].concat());
    program.run_ok(&["judge", "-q", "--protocol", "pcd-2", "--model", "strict"]);
    let two = refused(&["--truth", "pass:last"]);
    assert!(two.contains("asked several rubrics"), "{two}");
}
