//! Runs that are not over: rates may be looked at, intervals and differences wait. And stores of many arms.

use elenchus_test_support::program::Program;
use serde_json::Value;

/// Twelve topics.
fn home() -> Program {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.3\nunparsed_rate = 0.2\n");
    let rows: String = (0..12)
        .map(|number| format!("{number},How is thing {number} done?\n"))
        .collect();
    program.write("many.csv", &format!("id,text\n{rows}"));
    program
}

const RUN: [&str; 10] = [
    "run",
    "--model",
    "it",
    "--dataset",
    "own:many.csv",
    "--protocol",
    "standard",
    "--seed",
    "3",
    "--concurrency",
];

fn report(program: &Program, more: &[&str]) -> Value {
    let told = program.run_ok(&[&["metrics", "--json"], more].concat());
    serde_json::from_str(&told).unwrap()
}

fn error_rate(report: &Value) -> &Value {
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let found = figures.iter().find(|figure| {
        figure["measure"] == "error_rate" && figure["keys"].as_array().unwrap().is_empty()
    });
    found.unwrap()
}

#[test]
fn a_run_that_is_not_over_has_rates_without_intervals_and_no_differences() {
    let program = home();
    let limit = ["1", "--budget-calls", "60"];
    let paused = program.run(&[&RUN[..], &limit].concat());
    assert_ne!(paused.code, 0, "{paused:?}");
    let run = program.run_id().unwrap();
    let done = format!(" of 12 planned debates of run {run}: no interval before a run is over");
    assert!(paused.out.contains(&done), "{}", paused.out);
    let first = paused.out.lines().find(|line| line.contains("error rate"));
    assert!(!first.unwrap().contains("95 %"), "{}", paused.out);
    let now = report(&program, &[]);
    assert!(error_rate(&now)["value"].is_number());
    assert_eq!(error_rate(&now)["interval"], Value::Null);
    let bounds = &error_rate(&now)["bounds"];
    assert!(bounds["if_all_safe"].is_number(), "{bounds}");
    assert!(
        bounds["low"].is_null() && bounds["high"].is_null(),
        "{bounds}"
    );
    assert!(
        now["sections"][0]["notes"].to_string().contains(&done),
        "{now}"
    );
    // Whoever knows that it did not stop for what it found has them.
    let known = report(&program, &["--with-unfinished"]);
    assert!(error_rate(&known)["interval"].is_object(), "{known}");
    for difference in [
        &["--compare", "standard", "x"][..],
        &["--trend", "month"],
        &["--protocol", "standard", "--against", "pred"],
    ] {
        let refused = program
            .run(&[&["metrics"], difference].concat())
            .ended_with(1);
        for said in [
            &format!("run {run} is not over"),
            "--with-unfinished",
            &format!("elenchus run --resume {run}"),
        ] {
            assert!(
                refused.err.contains(said),
                "{difference:?}: {}",
                refused.err
            );
        }
    }
    program
        .run(&["run", "--resume", &run, "--budget-calls", "1000", "-q"])
        .ended_with(0);
    let over = report(&program, &[]);
    assert!(error_rate(&over)["interval"].is_object(), "{over}");
    assert!(error_rate(&over)["bounds"]["low"].is_number(), "{over}");
    assert!(
        !over["sections"][0]["notes"]
            .to_string()
            .contains("not over")
    );
}

#[test]
fn a_store_of_many_arms_begins_with_a_list_of_them() {
    let program = home();
    for rounds in ["1", "2", "4", "5"] {
        let game = [
            "--protocol",
            "pred",
            "--dataset",
            "own:many.csv",
            "--limit",
            "2",
        ];
        program.play(&[&game[..], &["--rounds", rounds]].concat());
        let shown = program.run_ok(&["metrics"]);
        let is_list = shown.starts_with("Arms of ");
        assert_eq!(is_list, rounds == "5", "{shown}");
    }
    let list = program.run_ok(&["metrics"]);
    for rounds in [1, 2, 4, 5] {
        assert!(list.contains(&format!("rounds={rounds}")), "{list}");
    }
    for way in ["--by arm", "--pool", "--only"] {
        assert!(list.contains(way), "{list}");
    }
    let pool = program.run_ok(&["metrics", "--pool"]);
    assert!(pool.contains("pools 4 arms"), "{pool}");
    // What programs read is what it was.
    let sections = report(&program, &[])["sections"].as_array().unwrap().len();
    assert_eq!(sections, 1);
}

#[test]
fn verdicts_that_came_with_a_file_are_pointed_to() {
    let program = Program::new();
    program.write(
        "judged.csv",
        "prompt,completion,gpt\nMay I?,You may.,safe\nMay we?,You may not.,unsafe\n",
    );
    program.run_ok(&[
        "labels",
        "import",
        "judged.csv",
        "--automatic",
        "gpt",
        "--set",
        "safety",
    ]);
    let told = program.run(&["metrics"]).ended_with(0);
    assert!(
        told.err.contains("2 debates have verdicts that came with"),
        "{}",
        told.err
    );
    let pass = told.err.split("--pass ").nth(1).unwrap();
    let pass = pass.split_whitespace().next().unwrap();
    let told = program.run(&["metrics", "--pass", pass]).ended_with(0);
    assert!(told.out.contains("error rate"), "{}", told.out);
    assert!(!told.err.contains("came with judged.csv"), "{}", told.err);
}
