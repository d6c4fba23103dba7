//! What optimising a reward would come to, played and played again by the program: decisions are measured on
//! repetitions of what was selected.

use elenchus_test_support::program::Program;
use serde_json::Value;

/// Nine in ten critiques are spurious, which the judge believes more often than not.
const CONFIG: &str = "\
[sims.solver]\naccuracy = 0.6\nspurious_rate = 0.9\ntopic_effect = 0.0\nseat_effect = 0.0\nheed_critic = 0.0\n\
[sims.weak]\nsway = 0.6\n\
[sims.sure]\nsway = 0.0\n[sims.sure.judge_if_correct]\ngood = 1.0\nmiddle = 0.0\nbad = 0.0\n\
[sims.sure.judge_if_incorrect]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n";
/// P(reject | correct) of the judge: .1, and .6 more after a spurious critique.
const REJECTED: f64 = 0.1 * 0.1 + 0.9 * 0.7;
const TOPICS: u32 = 12;

fn program() -> Program {
    let program = Program::with_topics(CONFIG);
    let rows = (1..=TOPICS).map(|number| {
        let (other, sum) = (7 * number, 8 * number);
        format!("q{number},How many lamps are {number} and {other}?,{sum}\n")
    });
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    program
}

/// Plays the sums and returns the run's id.
fn plays(program: &Program, judge: &str, rollouts: &str, more: &[&str]) -> String {
    let args = [
        "run",
        "--protocol",
        "pcd-2",
        "--dataset",
        "sums.csv",
        "--model",
        "solver",
        "--judge",
        judge,
        "--rollouts",
        rollouts,
        "-q",
    ];
    let printed = program.run_ok(&[&args[..], more].concat());
    printed.lines().next().unwrap().trim().to_owned()
}

/// Plays it three times more, with these seats saying what they said in a run.
fn repeats(program: &Program, judge: &str, rollouts: &str, run: &str, seats: &[&str]) -> String {
    let said: Vec<String> = seats
        .iter()
        .map(|seat| format!("{seat}=said:{run}"))
        .collect();
    let runs = ["11", "12", "13"].map(|seed| {
        let mut more: Vec<&str> = vec!["--seed", seed];
        for seat in &said {
            more.extend(["--seat", seat]);
        }
        plays(program, judge, rollouts, &more)
    });
    runs.join(",")
}

fn sections(program: &Program, args: &[&str]) -> Vec<Value> {
    let printed = program.run_ok(&[&["metrics", "--json"], args].concat());
    let report: Value = serde_json::from_str(&printed).unwrap();
    report["sections"].as_array().unwrap().clone()
}

fn figure<'a>(section: &'a Value, measure: &str) -> &'a Value {
    let figures = section["figures"].as_array().unwrap();
    let found = figures.iter().find(|figure| figure["measure"] == measure);
    found.unwrap_or_else(|| panic!("no {measure} in {section:#}"))
}

fn holds(section: &Value, measure: &str, truth: f64) -> bool {
    let interval = &figure(section, measure)["interval"];
    let end = |name: &str| interval[name].as_f64().unwrap();
    (end("low")..=end("high")).contains(&truth)
}

fn heading(section: &Value) -> &str {
    let keys = section["group"].as_array().unwrap();
    keys.last().unwrap()["value"].as_str().unwrap()
}

#[test]
fn the_judge_of_a_selected_proposer_is_measured_where_the_same_proposals_are_judged_again() {
    let program = program();
    let run = plays(&program, "weak", "4", &[]);
    let measured = [
        "--run",
        &run,
        "--reward-of",
        "proposer",
        "--best-of",
        "1,2,4",
    ];

    // Of the decisions that were selected hardly one rejects a right proposal.
    for section in sections(&program, &measured) {
        let rejected = figure(&section, "reject_given_correct");
        assert_eq!(rejected["value"], Value::Null, "{section:#}");
        assert_eq!(
            rejected["not_applicable"],
            "made of the decision that was selected"
        );
        assert!(figure(&section, "proposer_accuracy")["value"].is_f64());
    }

    let again = repeats(&program, "weak", "4", &run, &["proposer"]);
    let fresh = sections(
        &program,
        &[&measured[..], &["--judged-by", &again]].concat(),
    );
    assert_eq!(fresh.len(), 3);
    for section in &fresh {
        assert!(
            heading(section)
                .ends_with("by proposer, a fresh critic and judge on the same proposals"),
            "{}",
            heading(section)
        );
        assert!(
            holds(section, "reject_given_correct", REJECTED),
            "{section:#}"
        );
        assert!(
            figure(section, "draws_of_answer")["value"]
                .as_f64()
                .unwrap()
                >= 4.0
        );
        assert_eq!(section["topics"], TOPICS);
    }
    let accuracy = |section: &Value| {
        figure(section, "proposer_accuracy")["value"]
            .as_f64()
            .unwrap()
    };
    assert!(
        accuracy(&fresh[2]) > accuracy(&fresh[0]) + 0.2,
        "{fresh:#?}"
    );

    // Whose seed is that of the first run draws what it drew.
    let same = plays(
        &program,
        "weak",
        "4",
        &["--proposer", &format!("said:{run}")],
    );
    let refused = program.run_err(
        1,
        &[&["metrics"], &measured[..], &["--judged-by", &same]].concat(),
    );
    assert!(refused.contains("play it with another --seed"), "{refused}");
    let alone = program.run_err(2, &["metrics", "--run", &run, "--judged-by", &same]);
    assert!(alone.contains("--best-of"), "{alone}");
}

#[test]
fn a_judge_that_never_differs_cannot_judge_a_transcript_afresh() {
    let program = program();
    let run = plays(&program, "sure", "2", &[]);
    let again = repeats(&program, "sure", "2", &run, &["proposer", "critic"]);
    let measured = ["--run", &run, "--reward-of", "proposer", "--best-of", "2"];
    let fresh = sections(
        &program,
        &[&measured[..], &["--judged-by", &again]].concat(),
    );
    assert_eq!(
        heading(&fresh[0]),
        "best of 2 by proposer, a fresh judge on the same transcripts"
    );
    let rejected = figure(&fresh[0], "reject_given_correct");
    assert_eq!(rejected["not_applicable"], "the judge never differs");
}

#[test]
fn a_critic_is_selected_among_many_on_one_frozen_proposal() {
    let program = program();
    // One proposal a topic, four critics of it, and three more judges of each critique.
    let proposals = plays(&program, "weak", "1", &[]);
    let frozen = format!("said:{proposals}/0");
    let run = plays(
        &program,
        "weak",
        "4",
        &["--seed", "5", "--proposer", &frozen],
    );
    let again = repeats(&program, "weak", "4", &run, &["proposer", "critic"]);
    let measured = ["--run", &run, "--reward-of", "critic", "--best-of", "1,4"];
    let fresh = sections(
        &program,
        &[&measured[..], &["--judged-by", &again]].concat(),
    );
    for section in &fresh {
        assert!(
            heading(section).ends_with("the critic selected, on frozen turns of proposer"),
            "{}",
            heading(section)
        );
    }
    // Proposals are the same, whoever criticises them; the critics that are chosen are the spurious ones.
    let value =
        |section: &Value, measure: &str| figure(section, measure)["value"].as_f64().unwrap();
    let accuracy = fresh
        .iter()
        .map(|section| value(section, "proposer_accuracy"));
    let accuracy: Vec<f64> = accuracy.collect();
    assert!((accuracy[0] - accuracy[1]).abs() < 1e-9, "{accuracy:?}");
    let rejected = fresh
        .iter()
        .map(|section| value(section, "reject_given_correct"));
    let rejected: Vec<f64> = rejected.collect();
    assert!(rejected[1] > rejected[0], "{rejected:?}");
}

#[test]
fn figures_of_selected_rollouts_are_drawn_over_what_selects() {
    let program = program();
    plays(&program, "weak", "3", &[]);
    let selected = [
        "metrics",
        "--best-of",
        "1,2,3",
        "--measure",
        "proposer_accuracy",
    ];
    let one = [&selected[..], &["--reward-of", "proposer"]].concat();
    let report: Value =
        serde_json::from_str(&program.run_ok(&[&one[..], &["--json"]].concat())).unwrap();
    let sections = report["sections"].as_array().unwrap().iter();
    let values: Vec<String> = sections
        .map(|section| section["figures"][0]["value"].as_f64().unwrap())
        .map(|value| format!("data-value=\"{value}\""))
        .collect();
    let svg = program.run_ok(&[&one[..], &["--plot", "curve", "--svg", "-"]].concat());
    // However they are typed, they are points of one curve; a picture of them is one without a word for it.
    let mut typed = one.clone();
    typed[2] = "3,1,2,1";
    assert_eq!(program.run_ok(&[&typed[..], &["--svg", "-"]].concat()), svg);
    // In their order along the axis, which says once whose reward selects.
    let places: Vec<usize> = values
        .iter()
        .map(|value| svg.find(value).unwrap())
        .collect();
    assert!(places.is_sorted() && places.len() == 3, "{places:?} {svg}");
    assert!(
        svg.contains(">best of 2</text>")
            && svg.contains(">selected by the reward of proposer</text>")
    );
    let text = program.run_ok(&[&one[..], &["--plot", "curve"]].concat());
    assert!(
        text.contains("over selected by the reward of proposer"),
        "{text}"
    );
    for (args, says) in [
        (
            [&one[..], &["--boltzmann", "1"]].concat(),
            "over --best-of or over --boltzmann",
        ),
        (
            [&one[..], &["--boltzmann", "1", "--svg", "-"]].concat(),
            "over --best-of or over --boltzmann",
        ),
        (selected.to_vec(), "--reward-of; there are critic, proposer"),
    ] {
        let refused = program.run_err(1, &[&args[..], &["--plot", "curve"]].concat());
        assert!(refused.contains(says), "{refused}");
    }
    let judged = [
        "metrics",
        "--best-of",
        "1,2",
        "--reward-of",
        "proposer",
        "--plot",
        "curve",
    ];
    let refused = program.run_err(
        1,
        &[&judged[..], &["--measure", "reject_given_correct"]].concat(),
    );
    assert!(
        refused.contains("no value of"),
        "a decision that paid the reward is in no picture: {refused}"
    );
}
