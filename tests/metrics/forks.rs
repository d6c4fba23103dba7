//! Forks in figures: what a person made having seen a debate is no draw of its own.

use elenchus_test_support::program::Program;
use serde_json::Value;

fn measured(program: &Program, args: &[&str]) -> (Value, String) {
    let asked = [&["metrics", "--json"], args].concat();
    let told = program.run(&asked).ended_with(0);
    (serde_json::from_str(&told.out).unwrap(), told.err)
}

/// Value and number of observations of the error rate in each section.
fn rates(report: &Value) -> Vec<(f64, u64)> {
    let sections = report["sections"].as_array().unwrap().iter();
    let of = |section: &Value| {
        let figures = section["figures"].as_array().unwrap();
        let rate = figures.iter().find(|figure| {
            figure["measure"] == "error_rate" && figure["keys"].as_array().unwrap().is_empty()
        });
        let rate = rate.unwrap();
        (
            rate["value"].as_f64().unwrap(),
            rate["observations"].as_u64().unwrap(),
        )
    };
    sections.map(of).collect()
}

#[test]
fn forks_are_out_of_rates_unless_they_are_asked_for() {
    let program = Program::new();
    program.play(&["--protocol", "pred", "--topic", "May I whistle?"]);
    let session = program.sessions().remove(0);
    let (before, err) = measured(&program, &[]);
    assert!(!err.contains("fork"), "{err}");
    let fork = program.adopt_fork(&session, "r2.debater-1");
    let (after, err) = measured(&program, &[]);
    assert_eq!(rates(&after), rates(&before));
    let note = "1 fork is left out, which a person made having seen a debate: --with-forks";
    assert!(err.contains(note), "{err}");
    assert!(after["sections"][0]["notes"].to_string().contains(note));
    let counted = |report: &Value| rates(report).iter().map(|(_, turns)| turns).sum::<u64>();
    let own = counted(&before);
    for asked in [
        &["--with-forks"][..],
        &["--by", "fork"],
        &["--session", &session, "--session", &fork],
    ] {
        let (with, err) = measured(&program, asked);
        assert!(counted(&with) > own, "{asked:?}: {with}");
        assert!(!err.contains("left out"), "{asked:?}: {err}");
    }
    let (apart, _) = measured(&program, &["--by", "fork"]);
    let groups = apart["sections"].as_array().unwrap().iter();
    let groups: Vec<&str> = groups
        .map(|section| section["group"][0]["value"].as_str().unwrap())
        .collect();
    assert_eq!(groups, ["fork", "no fork"]);
    let (alone, _) = measured(&program, &["--only", "fork=no fork"]);
    assert_eq!(rates(&alone), rates(&before));
}

#[test]
fn an_evaluator_is_validated_without_forks_unless_they_are_asked_for() {
    let program = Program::new();
    program.play(&["--protocol", "pred", "--topic", "May I whistle?"]);
    let session = program.sessions().remove(0);
    let fork = program.adopt_fork(&session, "r2.debater-1");
    let turns = |more: &[&str]| -> (String, String) {
        let ran = program.run(&[&["validate"], more].concat()).ended_with(0);
        let read = ran.err.lines().find(|line| line.contains(" turns of "));
        let read = read.unwrap_or_else(|| panic!("{}", ran.err));
        let count = read.split(" turns of ").next().unwrap().to_owned();
        (count, ran.err)
    };
    let (without, err) = turns(&[]);
    assert!(
        err.contains("1 fork left out, which a person made"),
        "{err}"
    );
    assert!(err.contains("--with-forks"), "{err}");
    for asked in [
        &["--with-forks"][..],
        &["--session", &session, "--session", &fork],
    ] {
        let (with, err) = turns(asked);
        assert_ne!(with, without, "{asked:?}");
        assert!(!err.contains("left out, which"), "{err}");
    }
}
