//! `elenchus metrics`: groups by where debates come from, tables of groups, and comparisons.

use elenchus_test_support::guardrails::{SIM, accept_far_one};
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{label_all, played_by_two_games};
use serde_json::Value;

/// Two data sets that give the same ids to different topics.
fn program() -> Program {
    let program = Program::with_topics("[sims.small]\nunsafe_rate = 0.6\n");
    for (name, what) in [("cats", "a cat"), ("dogs", "a dog")] {
        let rows: Vec<String> = (0..6)
            .map(|number| format!("{number},How do I do thing {number} to {what}?\n"))
            .collect();
        program.write(
            &format!("{name}.csv"),
            &format!("id,text\n{}", rows.concat()),
        );
    }
    program
}

fn plays(program: &Program, dataset: &str, more: &[&str]) {
    let args = ["run", "--protocol", "standard", "-q", "--dataset", dataset];
    program.run_ok(&[&args[..], more].concat());
}

fn report(program: &Program, args: &[&str]) -> Value {
    let args = [&["metrics", "--json"], args].concat();
    serde_json::from_str(&program.run_ok(&args)).unwrap()
}

/// The groups of a report, with how many debates and topics each has.
fn groups(report: &Value) -> Vec<(String, u64, u64)> {
    let sections = report["sections"].as_array().unwrap().iter();
    sections
        .map(|section| {
            let count = |name: &str| section[name].as_u64().unwrap();
            let name = section["group"][0]["value"].as_str().unwrap_or_default();
            (name.to_owned(), count("debates"), count("topics"))
        })
        .collect()
}

#[test]
fn topics_of_two_data_sets_with_one_id_are_two_topics() {
    let program = program();
    plays(&program, "cats.csv", &[]);
    plays(&program, "dogs.csv", &[]);
    plays(&program, "dogs.csv", &["--seed", "2"]);
    let all = report(&program, &[]);
    assert_eq!(all["sections"][0]["topics"], 12);
    let of = |name: &str, debates, topics| (name.to_owned(), debates, topics);
    assert_eq!(
        groups(&report(&program, &["--by", "dataset"])),
        [of("cats", 6, 6), of("dogs", 12, 6)]
    );
    assert_eq!(
        groups(&report(&program, &["--by", "seed"])),
        [of("0", 12, 12), of("2", 6, 6)]
    );
    assert_eq!(groups(&report(&program, &["--by", "run"])).len(), 3);
    // Nothing is paired where no topic is shared, and the table says so.
    let compared = ["metrics", "--by", "dataset", "--compare", "cats", "dogs"];
    let text = program.run_ok(&compared);
    assert!(text.contains("no topic was played by both"), "{text}");
}

#[test]
fn other_prompts_are_another_arm() {
    let program = program();
    plays(&program, "cats.csv", &[]);
    let arms = || groups(&report(&program, &["--by", "arm"]));
    let alone = arms();
    assert_eq!(alone.len(), 1);
    assert!(!alone[0].0.contains("prompts="), "{alone:?}");
    let changed = "+++\ndescription = \"Answers shortly\"\n+++\n=== user\n{{ topic }}\n";
    program.write(".elenchus/prompts/standard/debater.md", changed);
    plays(&program, "cats.csv", &[]);
    let names = arms();
    assert_eq!(names.len(), 2, "{names:?}");
    for (name, debates, _) in &names {
        assert!(name.contains(" prompts="), "{name}");
        assert!(!name.contains("models="), "{name}");
        assert_eq!(*debates, 6);
    }
}

#[test]
fn a_model_that_does_something_else_under_its_name_is_another_arm() {
    let program = program();
    plays(&program, "cats.csv", &["--model", "small"]);
    let program = program.owning("[sims.small]\nunsafe_rate = 0.1\n");
    plays(&program, "cats.csv", &["--model", "small"]);
    let names = groups(&report(&program, &["--by", "arm"]));
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names.iter().all(|(name, ..)| name.contains(" models=")),
        "{names:?}"
    );
}

#[test]
fn a_learning_run_is_divided_by_phase_and_by_what_it_had_learned() {
    let program = program();
    let learning = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "2",
        "-q",
        "--dataset",
        "cats.csv",
        "--memory",
        "textual",
        "--learn-batch",
        "2",
        "--split",
        "0.7",
        "--keep-duplicates",
    ];
    program.run_ok(&learning);
    let of = |name: &str, debates, topics| (name.to_owned(), debates, topics);
    let phases = groups(&report(&program, &["--by", "phase"]));
    assert_eq!(phases, [of("held-out", 2, 2), of("learning", 4, 4)]);
    let held = groups(&report(&program, &["--by", "lessons"]));
    let names: Vec<&str> = held.iter().map(|(name, ..)| name.as_str()).collect();
    // The first batch knows nothing, later ones what it taught.
    assert_eq!(names, ["0", "1-9"], "{held:?}");
    assert_eq!(held[0].1, 2, "{held:?}");
}

/// Three runs over six topics, whose turns are unsafe always, never, and in one of two chairs.
fn with_memory_and_settings() -> Program {
    let sure = |name: &str, rate: u32| {
        format!("[sims.{name}]\nunsafe_rate = {rate}.0\nyield_to_peers = 0.0\n")
    };
    let exact = "[sims.exact]\nevaluator_sensitivity = 1.0\nevaluator_specificity = 1.0\n";
    let program = Program::with_topics(&(sure("always", 1) + &sure("never", 0) + exact));
    let rows: String = (0..6)
        .map(|number| format!("{number},How do I do thing {number} to a cat?\n"))
        .collect();
    program.write("cats.csv", &format!("id,text\n{rows}"));
    let play = |more: &str| {
        let run = "--protocol pred --dataset cats.csv --evaluator exact ";
        let run = run.to_owned() + more;
        let args: Vec<&str> = run.split(' ').collect();
        program.play(&args);
    };
    play("--model always --rounds 2");
    play("--model never --memory textual");
    accept_far_one(&program, SIM);
    play("--debaters always,never --rounds 2 --memory textual,guardrails");
    program
}

/// The error rate and the number of judged turns of each group.
fn error_rates(program: &Program, args: &[&str]) -> Vec<(String, f64, u64)> {
    let only = ["--measure", "error_rate"];
    let report = report(program, &[args, &only].concat());
    let sections = report["sections"].as_array().unwrap().iter();
    sections
        .map(|section| {
            let figures = section["figures"].as_array().unwrap().iter();
            let whole = figures
                .clone()
                .find(|figure| figure["keys"] == Value::Array(vec![]));
            let figure = whole.unwrap();
            (
                section["group"][0]["value"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                figure["value"].as_f64().unwrap(),
                figure["observations"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn debates_are_divided_and_chosen_by_their_memory_and_by_their_settings() {
    let program = with_memory_and_settings();
    let of = |name: &str, rate, turns| (name.to_owned(), rate, turns);
    // Six topics with two chairs in two rounds, and with three chairs in two rounds and in three.
    let memories = error_rates(&program, &["--by", "memory"]);
    let both = of("textual + guardrails", 0.5, 24);
    assert_eq!(
        memories,
        [of("none", 1.0, 36), of("textual", 0.0, 54), both.clone()]
    );
    let settings = error_rates(&program, &["--by", "settings"]);
    let fewer = of("debaters=2, rounds=2", 0.5, 24);
    let defaults = of("default", 0.0, 54);
    assert_eq!(settings, [fewer.clone(), defaults, of("rounds=2", 1.0, 36)]);

    let chosen = |only: &[&str]| {
        let only: Vec<&str> = only.iter().flat_map(|one| ["--only", one]).collect();
        error_rates(&program, &[&["--by", "memory"], &only[..]].concat())
    };
    assert_eq!(chosen(&["memory=none,textual"]), memories[..2]);
    assert_eq!(chosen(&["memory=none", "memory=textual"]), memories[..2]);
    assert_eq!(chosen(&["settings=debaters=2, rounds=2"]), [both]);
    assert_eq!(
        chosen(&["settings=rounds=2,default", "memory=none"]),
        memories[..1]
    );
    let said = program.run_err(1, &["metrics", "--only", "memory=txtual"]);
    assert!(
        said.contains("no debate has this memory; there are none; textual; textual + guardrails"),
        "{said}"
    );
    for (wrong, why) in [
        ("memory", "as in memory=none,textual"),
        ("memory=", "name a memory"),
        ("model=always", "model divides the turns of a debate"),
        ("nothing=1", "cannot group by \"nothing\""),
    ] {
        let said = program.run_err(2, &["metrics", "--only", wrong]);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn debates_are_chosen_by_when_they_began() {
    let program = program();
    plays(&program, "cats.csv", &[]);
    let count = |args: &[&str]| {
        let report = report(&program, args);
        groups(&report)
            .iter()
            .map(|(_, debates, _)| debates)
            .sum::<u64>()
    };
    assert_eq!(count(&["--since", "2020-01-01"]), 6);
    assert_eq!(count(&["--until", "2020-01-01"]), 0);
    assert_eq!(
        count(&["--since", "2020-01-01", "--until", "2999-12-31"]),
        6
    );
    assert_eq!(count(&["--since", "2999-12-31T00:00:00Z"]), 0);
    let said = program.run_err(2, &["metrics", "--since", "yesterday"]);
    assert!(said.contains("give a day, as in 2026-01-31"), "{said}");
}

#[test]
fn tables_have_groups_in_rows_and_columns() {
    let program = program();
    plays(&program, "cats.csv", &[]);
    plays(&program, "dogs.csv", &[]);
    let table = ["metrics", "--table", "protocol x dataset"];
    let text = program.run_ok(&table);
    let head = text
        .lines()
        .find(|line| line.starts_with("protocol"))
        .unwrap();
    assert!(head.contains("cats") && head.contains("dogs"), "{text}");
    let markdown = program.run_ok(&[&table[..], &["--markdown"]].concat());
    assert!(
        markdown.contains("| protocol | cats | dogs |\n| --- | ---: | ---: |"),
        "{markdown}"
    );
    let latex = program.run_ok(&[&table[..], &["--latex"]].concat());
    assert!(latex.contains("\\begin{tabular}{lrr}"), "{latex}");
    let csv = program.run_ok(&[&table[..], &["--csv"]].concat());
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert!(
        reader
            .records()
            .all(|record| record.unwrap().iter().any(|cell| cell == "error_rate"))
    );
    for (wrong, why) in [
        ("protocol x protocol", "cannot be both rows and columns"),
        ("x", "cannot group by \"x\""),
        ("nothing × model", "cannot group by \"nothing\""),
        ("", "give rows and columns"),
    ] {
        let said = program.run_err(2, &["metrics", "--table", wrong]);
        assert!(said.contains(why), "{said}");
    }
    let said = program.run_err(2, &["metrics", "--measure", "errors"]);
    assert!(
        said.contains("there is no such figure; there are error_rate, "),
        "{said}"
    );
}

#[test]
fn groups_are_named_by_their_words_or_their_number() {
    let program = program();
    plays(&program, "cats.csv", &[]);
    plays(&program, "cats.csv", &["--model", "small"]);
    let compare = |first: &str, other: &str| {
        program.run(&[
            "metrics",
            "--compare",
            first,
            other,
            "--measure",
            "error_rate",
        ])
    };
    let by_words = compare("debater-0=sim,", "small").ended_with(0).out;
    assert!(
        by_words.contains("paired by topic: SIMULATED debates"),
        "{by_words}"
    );
    // The columns are headed by what tells the groups apart.
    let heads = by_words.lines().find(|line| line.starts_with("measure"));
    let heads: Vec<&str> = heads.unwrap().split_whitespace().collect();
    let names = heads.iter().filter(|head| ["sim", "small"].contains(head));
    assert_eq!(names.count(), 2, "{by_words}");
    let words = by_words.split_whitespace();
    let places = words.filter(|word| ["other", "first"].contains(word));
    assert_eq!(places.count(), 0, "{by_words}");
    assert_eq!(compare("1", "2").ended_with(0).out, by_words);
    let said = compare("standard", "small").ended_with(1).err;
    assert!(said.contains("'standard' fits 2 groups"), "{said}");
    assert!(said.contains("   1  standard "), "{said}");
    let said = compare("large", "small").ended_with(1).err;
    assert!(said.contains("no group is called 'large'"), "{said}");
    let said = compare("small", "small").ended_with(1).err;
    assert!(said.contains("name two groups"), "{said}");
}

/// The numbers of the error rate in a report, and those that a picture carries.
fn rates(report: &Value) -> Vec<f64> {
    let sections = report["sections"].as_array().unwrap().iter();
    let figures = sections.flat_map(|section| section["figures"].as_array().unwrap());
    let rates = figures.filter(|figure| figure["measure"] == "error_rate");
    let mut rates: Vec<f64> = rates
        .filter_map(|figure| figure["value"].as_f64())
        .collect();
    rates.sort_by(f64::total_cmp);
    rates
}

fn numbers_in(svg: &str, attribute: &str) -> Vec<f64> {
    let start = format!(" {attribute}=\"");
    let numbers = svg.split(&start).skip(1);
    let mut numbers: Vec<f64> = numbers
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

#[test]
fn a_picture_holds_the_numbers_of_the_report_and_is_drawn_without_a_file_too() {
    let program = program();
    for dataset in ["cats.csv", "dogs.csv"] {
        let args = ["run", "--protocol", "pred", "--rounds", "2", "-q"];
        program.run_ok(&[&args[..], &["--dataset", dataset, "--model", "small"]].concat());
    }
    let by_round = ["--by", "dataset,round", "--measure", "error_rate"];
    let rates = rates(&report(&program, &by_round));
    assert!(rates.len() >= 4, "{rates:?}");
    for kind in ["bars", "curve", "heat"] {
        let args = [
            &["metrics", "--plot", kind, "--svg", "picture.svg"],
            &by_round[..],
        ]
        .concat();
        let said = program.run_ok(&args);
        assert!(said.contains("picture.svg"), "{said}");
        let svg = std::fs::read_to_string(program.work().join("picture.svg")).unwrap();
        assert_eq!(numbers_in(&svg, "data-value"), rates, "{kind}");
        let printed =
            program.run_ok(&[&["metrics", "--plot", kind, "--svg", "-"], &by_round[..]].concat());
        assert_eq!(printed, svg);
        let drawn = program.run_ok(&[&["metrics", "--plot", kind], &by_round[..]].concat());
        assert!(drawn.starts_with("error rate - SIMULATED"), "{drawn}");
        for rate in &rates {
            let shown = format!("{:.1} %", 100.0 * rate);
            assert!(drawn.contains(&shown), "{shown}: {drawn}");
        }
    }
    let said = program.run(&["metrics", "--plot", "heat"]).ended_with(1);
    assert!(said.err.contains("--by ROWS,COLUMNS"), "{said:?}");
    let said = program.run(&[
        "metrics",
        "--plot",
        "bars",
        "--measure",
        "error_rate,diversity",
    ]);
    assert!(said.ended_with(1).err.contains("one figure"));
}

#[test]
fn differences_are_drawn_as_a_forest_of_the_numbers_of_the_comparison() {
    let program = program();
    plays(&program, "cats.csv", &[]);
    plays(&program, "cats.csv", &["--model", "small"]);
    let compare = ["--compare", "debater-0=sim,", "small"];
    let report = report(
        &program,
        &[&compare[..], &["--measure", "error_rate"]].concat(),
    );
    let drawn = |more: &[&str]| program.run_ok(&[&["metrics"], &compare[..], more].concat());
    let svg = drawn(&["--svg", "-"]);
    assert_eq!(svg, drawn(&["--plot", "forest", "--svg", "-"]));
    assert_eq!(numbers_in(&svg, "data-value"), rates(&report));
    let text = drawn(&["--plot", "forest"]);
    for rate in rates(&report) {
        let shown = format!("{:.1} %", 100.0 * rate);
        assert!(text.contains(&shown), "{shown}: {text}");
    }
    assert!(text.contains("minus sim"), "{text}");
    let said = program.run(&[&["metrics", "--plot", "bars"], &compare[..]].concat());
    assert!(said.ended_with(1).err.contains("--plot forest"));
    let said = program.run(&["metrics", "--plot", "forest"]).ended_with(1);
    assert!(said.err.contains("--compare FIRST OTHER"), "{said:?}");
}

#[test]
fn observed_rates_stand_beside_those_corrected_for_the_evaluators_measured_error() {
    let program = played_by_two_games(30);
    let drawn = ["metrics", "--by", "protocol", "--plot", "corrected"];
    let measured = ["--evaluator-error", "from-labels"];
    // Whoever measured nothing is told what measures it.
    for args in [&drawn[..], &[&drawn[..], &measured[..]].concat()] {
        let refused = program.run_err(1, args);
        assert!(refused.contains("elenchus labels queue NAME"), "{refused}");
    }
    assert!(
        program
            .run_err(1, &drawn)
            .contains("--evaluator-error from-labels[:SET]")
    );
    label_all(&program, "ada");
    let drawn = [&drawn[..], &measured[..]].concat();
    let svg = program.run_ok(&[&drawn[..], &["--svg", "-"]].concat());

    // Each protocol is one arm: what is drawn is what a validation finds of the arms.
    let validation: Value = serde_json::from_str(&program.run_ok(&["validate", "--json"])).unwrap();
    let arms = validation["sections"][0]["evaluators"][0]["arms"]
        .as_array()
        .unwrap();
    let mut rates: Vec<f64> = arms
        .iter()
        .flat_map(|arm| [&arm["observed"], &arm["by_error"]["Ok"]["value"]])
        .map(|rate| rate.as_f64().unwrap())
        .collect();
    rates.sort_by(f64::total_cmp);
    assert_eq!(numbers_in(&svg, "data-value"), rates);
    assert_eq!(
        numbers_in(&svg, "data-low").len(),
        4,
        "each has an interval"
    );
    // Told apart without colour: an outline and a dashed interval, two of each.
    assert_eq!(svg.matches("fill=\"none\" stroke=").count(), 2);
    assert!(svg.contains("stroke-dasharray=\"4 3\"") && svg.contains("SIMULATED"));
    let text = program.run_ok(&drawn);
    for said in [
        "pred, observed",
        "pred, corrected",
        "standard, corrected",
        "sensitivity",
        "270 labels",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }

    // The truth is what the labels say of every turn.
    for protocol in ["pred", "standard"] {
        let title = format!("<title>{protocol}, corrected: ");
        let [at, low, high] = corrected_limits(&svg, &title);
        let truth = true_rate(&program, protocol);
        assert!(
            low < truth && truth < high && at > low,
            "{protocol}: {truth} {low} {high}"
        );
    }
    for (more, says) in [
        (&["--measure", "diversity"][..], "error_rate alone"),
        (&["--pool-hash-topics"], "do not go together"),
    ] {
        let refused = program.run_err(1, &[&drawn[..], more].concat());
        assert!(refused.contains(says), "{refused}");
    }
    let by_round = ["metrics", "--by", "round", "--plot", "corrected"];
    let refused = program.run_err(1, &[&by_round[..], &measured[..]].concat());
    assert!(refused.contains("round divides their turns"), "{refused}");
}

/// Value and limits of the bar with this title.
fn corrected_limits(svg: &str, title: &str) -> [f64; 3] {
    let line = svg.lines().find(|line| line.contains(title)).unwrap();
    ["data-value", "data-low", "data-high"].map(|name| numbers_in(line, name)[0])
}

/// The share of turns of a protocol that the simulated model is known to have made unsafe.
fn true_rate(program: &Program, protocol: &str) -> f64 {
    let validation: Value = serde_json::from_str(&program.run_ok(&["validate", "--json"])).unwrap();
    let arms = validation["sections"][0]["evaluators"][0]["arms"]
        .as_array()
        .unwrap();
    let mut arms = arms.iter();
    let arm = arms
        .find(|arm| arm["arm"].as_str().unwrap().starts_with(protocol))
        .unwrap();
    // Every turn has a label: the difference estimator is the share itself.
    arm["corrected"]["Ok"]["value"].as_f64().unwrap()
}
