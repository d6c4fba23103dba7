//! `elenchus metrics --matrix`: the cells are the verdicts of the journals and of the figures.

use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;

const CONFIG: &str = "[sims.small]\nunsafe_rate = 0.5\n";

fn run(program: &Program, more: &[&str]) {
    let args = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "2",
        "--model",
        "small",
        "-q",
    ];
    let topics = ["--dataset", "own:topics.csv"];
    program.run_ok(&[&args[..], &topics, more].concat());
}

fn matrix(program: &Program, more: &[&str]) -> Value {
    let args = [&["metrics", "--matrix"], more, &["--json"]].concat();
    serde_json::from_str(&program.run_ok(&args)).unwrap()
}

/// All turns of a matrix: verdicts by session and turn.
fn cells(matrix: &Value) -> BTreeMap<(String, String), String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = matrix["lines"].as_array().unwrap().iter();
    let cells = lines.flat_map(|line| line["cells"].as_array().unwrap());
    let turns = cells.flat_map(|cell| cell["turns"].as_array().unwrap());
    turns
        .map(|turn| {
            let address = (text(&turn["session"]), text(&turn["turn"]));
            (address, text(&turn["verdict"]))
        })
        .collect()
}

#[test]
fn cells_are_the_verdicts_of_journals_and_of_figures() {
    let program = Program::with_topics(CONFIG);
    run(&program, &[]);
    let matrix = matrix(&program, &[]);
    let cells = cells(&matrix);
    let mut judged = BTreeMap::new();
    for session in program.sessions() {
        for event in program.events(&session) {
            if event["type"] == "judged" && event["judging"] == "safety" {
                let turn = event["target"]["attempt"]["turn"].as_str().unwrap();
                let label = event["outcome"]["label"]["label"].as_str().unwrap();
                judged.insert((session.clone(), turn.to_owned()), label.to_owned());
            }
        }
    }
    assert_eq!(cells, judged);
    let count = |word: &str| cells.values().filter(|verdict| *verdict == word).count() as f64;
    let (bad, good) = (count("unsafe"), count("safe"));
    assert!(bad > 0.0 && good > 0.0, "{cells:?}");
    let figure = program.figures();
    let rate = figure.of("error_rate");
    assert_eq!(rate["observations"].as_f64().unwrap(), bad + good);
    let topics: Vec<f64> = matrix["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let cells = line["cells"].as_array().unwrap();
            let bad = cells
                .iter()
                .filter(|cell| cell["turns"][0]["verdict"] == "unsafe");
            bad.count() as f64 / cells.len() as f64
        })
        .collect();
    let mean = topics.iter().sum::<f64>() / topics.len() as f64;
    assert!((mean - figure.value("error_rate")).abs() < 1e-12, "{mean}");
    // As text: a letter a cell.
    let text = program.run_ok(&["metrics", "--matrix"]);
    assert!(text.contains("5 debates · 5 topics · SIMULATED"), "{text}");
    assert!(text.contains("r1") && text.contains("r2"), "{text}");
    assert!(text.contains("U unsafe, S safe"), "{text}");
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(" $0.0000 "))
        .collect();
    let letters = |letter: char| {
        let lines = rows.iter().map(|line| line.rsplit_once('$').unwrap().1);
        lines
            .map(|cells| cells.matches(letter).count())
            .sum::<usize>() as f64
    };
    assert_eq!((letters('U'), letters('S')), (bad, good), "{text}");
}

#[test]
fn a_draw_of_questions_over_checkpoints_is_recorded_and_the_same_again() {
    let mut config = String::new();
    for (version, rate) in [("step-1", 0.8), ("step-2", 0.2)] {
        config += &format!("[sims.{version}]\nunsafe_rate = {rate}\nversion = \"{version}\"\n");
    }
    let program = Program::with_topics(&config);
    for version in ["step-1", "step-2"] {
        let args = [
            "run",
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--model",
            version,
            "-q",
        ];
        program.run_ok(&[&args[..], &["--dataset", "own:topics.csv"]].concat());
    }
    let drawn = matrix(&program, &["--sample", "3", "--seed", "7"]);
    assert_eq!(drawn["layout"], "checkpoints");
    assert_eq!(drawn["sample"]["drawn"], 3);
    assert_eq!(drawn["sample"]["of"], 5);
    assert_eq!(drawn["sample"]["seed"], 7);
    assert_eq!(drawn["lines"].as_array().unwrap().len(), 3);
    let columns = drawn["columns"].as_array().unwrap().iter();
    let names: Vec<&Value> = columns.map(|column| &column["name"]).collect();
    assert_eq!(names, ["step-1", "step-2"]);
    assert_eq!(matrix(&program, &["--sample", "3", "--seed", "7"]), drawn);
    let others: Vec<Value> = (0..6)
        .map(|seed: u32| matrix(&program, &["--sample", "3", "--seed", &seed.to_string()]))
        .collect();
    assert!(others.iter().any(|other| other["lines"] != drawn["lines"]));
    let text = program.run_ok(&["metrics", "--matrix", "--sample", "3", "--seed", "7"]);
    assert!(text.contains("3 of 5 topics, drawn with seed 7"), "{text}");
    assert!(text.contains("step-1") && text.contains("/3"), "{text}");
    let rounds = matrix(&program, &["rounds"]);
    assert_eq!(rounds["layout"], "rounds");
    assert_eq!(rounds["lines"].as_array().unwrap().len(), 10);
}

#[test]
fn a_hostile_topic_is_inert_and_what_does_not_go_together_is_refused() {
    let program = Program::with_topics(CONFIG);
    program.run_ok(&[
        "run",
        "--topic",
        "red \u{1b}[31m \u{202e}desrever",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "small",
        "-q",
    ]);
    let text = program.run_ok(&["metrics", "--matrix"]);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    assert!(text.contains("red ␛[31m"), "{text}");
    let json = program.run_ok(&["metrics", "--matrix", "--json"]);
    assert!(!json.contains(['\u{1b}', '\u{202e}']), "{json}");
    program.run_err(2, &["metrics", "--matrix", "--by", "arm"]);
    program.run_err(2, &["metrics", "--sample", "3"]);
}
