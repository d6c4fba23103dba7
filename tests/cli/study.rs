//! `elenchus study`: a plan is played once and printed over its own runs.

use elenchus_test_support::ChatServer;
use elenchus_test_support::program::Program;

const SIMS: &str = "\
[sims.bold]
unsafe_rate = 0.5
[sims.mild]
unsafe_rate = 0.1
[sims.exact]
evaluator_sensitivity = 1.0
evaluator_specificity = 1.0
";

const PLAN: &str = r#"
title = "Two games"
source = "a note, figure 1"

[[run]]
name = "first"
protocol = "pred"
dataset = ["topics.csv"]
model = "bold"
evaluator = "exact"
rounds = 2

[[run]]
protocol = "standard"
dataset = ["topics.csv"]
model = "bold"
evaluator = "exact"

[[metrics]]
table = "protocol × model"

[[metrics]]
name = "first-rounds"
run = ["{first}"]
by = ["round"]
plot = "curve"
"#;

fn study(plan: &str) -> Program {
    let program = Program::with_topics(SIMS);
    program.write("plan.toml", plan);
    program
}

fn count_runs(program: &Program) -> usize {
    std::fs::read_dir(program.store().join("runs")).map_or(0, |files| {
        let journals = files.filter(|file| {
            let path = file.as_ref().unwrap().path();
            path.extension().is_some_and(|ending| ending == "jsonl")
        });
        journals.count()
    })
}

#[test]
fn a_plan_is_played_once_and_printed_over_its_own_runs() {
    let program = study(PLAN);
    let first = program.run(&["study", "plan.toml"]).ended_with(0);
    assert!(
        first
            .out
            .starts_with("a note, figure 1: Two games\n\nerror rate")
    );
    assert!(first.out.contains("over round"), "{}", first.out);
    assert_eq!(count_runs(&program), 2);

    // Another run of the same games in the store is none of the study's.
    let other = [
        "--protocol",
        "pred",
        "--dataset",
        "topics.csv",
        "--model",
        "mild",
    ];
    program.play(&[&other[..], &["--evaluator", "exact"]].concat());
    let again = program.run(&["study", "plan.toml"]).ended_with(0);
    assert_eq!(again.out, first.out);
    assert!(again.err.contains("2 of 2") && again.err.contains("there already"));
    assert_eq!(count_runs(&program), 3);
    let printed = program
        .run(&["study", "plan.toml", "--print-only"])
        .ended_with(0);
    assert_eq!(printed.out, first.out);
}

#[test]
fn a_run_that_was_played_by_hand_is_used_and_one_over_other_data_is_not() {
    let program = study(PLAN);
    let by_hand = [
        "--protocol",
        "pred",
        "--dataset",
        "own:topics.csv",
        "--model",
        "bold",
        "--evaluator",
        "exact",
        "--set",
        "rounds=2",
        "--budget-calls",
        "5000",
    ];
    program.play(&by_hand);
    let told = program.run(&["study", "plan.toml"]).ended_with(0).err;
    assert!(
        told.contains("1 of 2: run pred bold (plan.toml, [[run]] 1): there already"),
        "{told}"
    );
    assert_eq!(count_runs(&program), 2);
    for (change, runs) in [
        (
            "id,text\none,How do I mend a chair?\ntwo,How do I mend a door?\n",
            4,
        ),
        ("id,text\none,How do I mend a chair?\n", 6),
    ] {
        program.write("topics.csv", change);
        program.run(&["study", "plan.toml", "-q"]).ended_with(0);
        assert_eq!(count_runs(&program), runs, "other topics are another plan");
    }
    program.write("plan.toml", &PLAN.replace("rounds = 2", "rounds = 3"));
    program.run(&["study", "plan.toml", "-q"]).ended_with(0);
    assert_eq!(count_runs(&program), 7, "other rounds are another plan");
}

#[test]
fn a_limit_holds_for_all_that_is_played_and_what_is_open_is_gone_on_with() {
    let program = study(PLAN);
    let limited = |calls: &str| program.run(&["study", "plan.toml", "--budget-calls", calls]);
    let paused = limited("10").ended_with(4);
    assert_eq!(paused.out, "", "nothing is printed before all is played");
    assert!(
        paused.err.contains("go on with: elenchus study plan.toml"),
        "{}",
        paused.err
    );
    assert_eq!(count_runs(&program), 1);
    // The first run takes 85 calls; what it leaves is too little for the second.
    let paused = limited("90").ended_with(4);
    assert!(paused.err.contains("1 of 2") && paused.err.contains("is gone on with"));
    assert_eq!(count_runs(&program), 2);
    let over = limited("500").ended_with(0);
    assert!(over.out.contains("over round"), "{}", over.out);
    assert_eq!(count_runs(&program), 2);
}

#[test]
fn what_it_would_take_is_said_and_nothing_is_written() {
    let program = study(PLAN);
    let said = program.run_ok(&["study", "plan.toml", "--estimate"]);
    assert!(
        said.contains("2. run standard bold (plan.toml, [[run]] 2): 5 debates"),
        "{said}"
    );
    assert!(said.contains("estimate: $0.0000; "), "{said}");
    assert!(program.store_files().is_empty());
    program.run(&["study", "plan.toml", "-q"]).ended_with(0);
    let said = program.run_ok(&["study", "plan.toml", "--estimate"]);
    assert!(said.ends_with("nothing is to be played\n"), "{said}");
}

#[test]
fn models_and_data_of_ones_own_take_the_places_of_those_that_are_named() {
    let program = study(PLAN);
    program.write("mine/other.csv", "id,text\none,How do I mend a chair?\n");
    let own = [
        "--model",
        "bold=mild",
        "--dataset",
        "topics.csv=own:mine/other.csv",
    ];
    let printed = program.run_ok(&[&["study", "plan.toml"], &own[..]].concat());
    assert!(
        printed.contains("mild") && !printed.contains("bold"),
        "{printed}"
    );
    let unknown = program.run_err(1, &["study", "plan.toml", "--model", "brave=mild"]);
    assert!(
        unknown.contains("--model brave=mild: plan names no such model; it names bold, exact"),
        "{unknown}"
    );
}

#[test]
fn pictures_are_written_to_a_folder_and_a_plan_of_tables_has_none() {
    let program = study(PLAN);
    let written = program.run_ok(&["study", "plan.toml", "--svg", "drawn"]);
    assert!(
        written.contains("wrote drawn/first-rounds.svg (2 values)"),
        "{written}"
    );
    let picture = program.read("work/drawn/first-rounds.svg");
    assert!(picture.contains("SIMULATED") && picture.contains("<svg "));
    let tables = PLAN.split("[[metrics]]\nname").next().unwrap();
    program.write("tables.toml", tables);
    let refused = program.run_err(1, &["study", "tables.toml", "--svg", "drawn"]);
    assert!(refused.contains("has tables alone"), "{refused}");
}

#[test]
fn what_is_missing_or_cannot_be_meant_is_refused_before_anything_is_played() {
    let program = study(PLAN);
    for (from, to, says) in [
        (
            "model = \"bold\"",
            "model = \"brave\"",
            "no configured model is called brave; name your own: elenchus study plan.toml --model brave=MODEL",
        ),
        (
            "topics.csv",
            "nowhere.csv",
            "here is no file nowhere.csv; name your own: elenchus study plan.toml --dataset nowhere.csv=FILE",
        ),
        (
            "rounds = 2",
            "circles = 2",
            "plan.toml, [[run]] 1: 'circles' is no option of 'elenchus run'",
        ),
        (
            "rounds = 2",
            "rounds = \"two\"",
            "plan.toml, [[run]] 1: invalid value 'two' for '--rounds <N>'",
        ),
        (
            "rounds = 2",
            "topic = \"x\"",
            "'topic' does not stand in a plan: its runs are over data sets",
        ),
        (
            "rounds = 2",
            "price = \"1,2\"",
            "'price' does not stand in a plan: type it beside the study's name",
        ),
        (
            "{first}",
            "{last}",
            "plan.toml, [[metrics]] 2: {last} names no run before it; there are first",
        ),
        (
            "plot = \"curve\"",
            "plot = \"pie\"",
            "plan.toml, [[metrics]] 2: invalid value 'pie' for '--plot <KIND>'",
        ),
        ("title = ", "titel = ", "plan.toml:2: unknown field `titel`"),
        (
            "source = ",
            "needs = [\"table-99\"]\nsource = ",
            "plan.toml: needs: there is no study 'table-99'",
        ),
    ] {
        program.write("plan.toml", &PLAN.replace(from, to));
        let refused = program.run_err(1, &["study", "plan.toml"]);
        assert!(refused.contains(says), "{to}: {refused}");
        assert!(program.store_files().is_empty(), "{to}");
    }
    program.write("plan.toml", PLAN);
    let missing = program.run_err(1, &["study", "plan.toml", "--print-only"]);
    assert!(
        missing
            .contains("the store has no run of this plan; play it with: elenchus study plan.toml"),
        "{missing}"
    );
    let unknown = program.run_err(1, &["study", "table-99"]);
    assert!(
        unknown.contains("there is no study 'table-99'; there are figure-3, "),
        "{unknown}"
    );
    let large = "#".repeat(300 * 1024);
    program.write("plan.toml", &large);
    let refused = program.run_err(1, &["study", "plan.toml"]);
    assert!(
        refused.contains("a plan has at most 262144 bytes"),
        "{refused}"
    );
}

#[test]
fn files_need_each_other_once() {
    let program = study(PLAN);
    program.write("runs/one.toml", "title = \"one\"\nneeds = [\"./two.toml\"]\n[[run]]\nname = \"one\"\nprotocol = \"standard\"\ndataset = [\"topics.csv\"]\nmodel = \"bold\"\nevaluator = \"exact\"\n");
    program.write("runs/two.toml", "title = \"two\"\nneeds = [\"./one.toml\"]\n[[run]]\nprotocol = \"standard\"\ndataset = [\"topics.csv\"]\nmodel = \"mild\"\nevaluator = \"exact\"\n");
    program.write("plan.toml", "title = \"both\"\nneeds = [\"runs/one.toml\", \"runs/two.toml\"]\n[[metrics]]\ntable = \"protocol × model\"\n");
    let printed = program.run_ok(&["study", "plan.toml"]);
    assert!(
        printed.contains("bold") && printed.contains("mild"),
        "{printed}"
    );
    assert_eq!(count_runs(&program), 2);
    let same = "\n[[run]]\nname = \"one\"\nprotocol = \"pred\"\ndataset = [\"topics.csv\"]\n";
    program.write(
        "plan.toml",
        &format!("title = \"both\"\nneeds = [\"runs/one.toml\"]\n{same}"),
    );
    let refused = program.run_err(1, &["study", "plan.toml"]);
    assert!(
        refused.contains("plan.toml, [[run]] 1: 'one' is the name of runs/one.toml, [[run]] 1 too"),
        "{refused}"
    );
}

#[test]
fn a_model_of_a_server_is_priced_where_it_is_typed_and_asked_once() {
    let server = ChatServer::chat();
    let program = Program::facing(&server);
    program.write("topics.csv", "id,text\none,How do I mend a chair?\n");
    let sweep = "\n[[sweep]]\ndataset = \"own:topics.csv\"\nprotocol = \"single\"\nmodel = \"bold\"\n\
                 [sweep.axes]\nset.max_tokens = [50, 60]\n";
    let plan = PLAN.replace(
        "\n[[metrics]]\ntable",
        &format!("{sweep}\n[[metrics]]\ntable"),
    );
    // What the server says is read as no verdict: a table says so, and a picture would be refused.
    let tables = plan.split("[[metrics]]\nname").next().unwrap();
    program.write("plan.toml", tables);
    let study = [
        "study",
        "plan.toml",
        "--model",
        "bold=served-model",
        "--model",
        "exact=served-model",
    ];
    let priced = ["--budget-usd", "5", "--price", "1,2"];
    let unpriced = program.run_err(1, &[&study[..], &["--budget-usd", "5"]].concat());
    assert!(unpriced.contains("--price IN,OUT"), "{unpriced}");
    let said = program.run_ok(&[&study[..], &priced[..], &["--estimate"]].concat());
    assert!(
        said.contains("estimate: $0.0") && !said.contains("unknown"),
        "{said}"
    );
    program
        .run(&[&study[..], &priced[..]].concat())
        .ended_with(0);
    let (calls, runs) = (server.calls().len(), count_runs(&program));
    assert!(calls > 10 && runs == 4, "{calls} {runs}");
    // At another price, and without one.
    for more in [
        &["--budget-usd", "5", "--price", "3,4"][..],
        &["--budget-tokens", "900000"],
        &[],
    ] {
        program.run(&[&study[..], more].concat()).ended_with(0);
        assert_eq!(
            (server.calls().len(), count_runs(&program)),
            (calls, runs),
            "{more:?}"
        );
    }
}

/// A run of a plan, once.
const ONE_RUN: &str = r#"
[[run]]
protocol = "standard"
dataset = ["topics.csv"]
model = "bold"
evaluator = "exact"
"#;

#[test]
fn a_play_that_stands_in_a_plan_twice_is_played_once() {
    let program = study(&format!(
        "title = \"Twice\"\n{ONE_RUN}{ONE_RUN}[[metrics]]\nby = [\"protocol\"]\n"
    ));
    let estimate = program.run_ok(&["study", "plan.toml", "--estimate"]);
    assert!(estimate.contains(": the same as 1\n"), "{estimate}");
    assert_eq!(estimate.matches(" calls").count(), 2, "{estimate}");
    let first = program.run(&["study", "plan.toml"]).ended_with(0);
    assert_eq!(count_runs(&program), 1);
    let again = program.run(&["study", "plan.toml"]).ended_with(0);
    assert_eq!(first.out, again.out);
}

#[test]
fn a_plan_writes_no_file_of_its_own_and_sets_no_limit() {
    for (entry, says) in [
        (
            "[[metrics]]\nby = [\"protocol\"]\ncompare = [\"a\", \"b\", \"--svg=evil.svg\"]\n",
            "hyphen",
        ),
        (
            "[[sweep]]\ndataset = \"topics.csv\"\nprotocol = \"standard\"\nmodel = \"bold\"\n\
             [sweep.budget]\nusd = 1.0\n[sweep.axes]\nrounds = [1]\n[[metrics]]\nby = [\"protocol\"]\n",
            "does not stand in a plan",
        ),
    ] {
        let program = study(&format!("title = \"Not so\"\n{ONE_RUN}{entry}"));
        let refused = program.run_err(1, &["study", "plan.toml"]);
        assert!(refused.contains(says), "{refused}");
        // Before anything was played.
        assert_eq!(count_runs(&program), 0);
        assert!(!program.work().join("evil.svg").exists());
    }
}

#[test]
fn a_price_goes_to_whoever_plays_be_it_named_in_the_plan_or_not() {
    let server = ChatServer::chat();
    let program = Program::facing(&server);
    program.write("topics.csv", "id,text\none,How do I mend a chair?\n");
    program.write("cast.toml", "model = \"served-model\"\n");
    let plan = "title = \"By a cast\"\n[[run]]\nprotocol = \"standard\"\ndataset = [\"topics.csv\"]\n\
                cast = \"cast.toml\"\n[[metrics]]\nby = [\"protocol\"]\n";
    program.write("plan.toml", plan);
    let price = [
        "study",
        "plan.toml",
        "--budget-usd",
        "5",
        "--price",
        "served-model=1,2",
    ];
    program.run(&price).ended_with(0);
    assert_eq!(count_runs(&program), 1);
}

#[test]
fn no_option_does_nothing() {
    let program = study(PLAN);
    for args in [
        &["study", "--budget-usd", "1"][..],
        &["study", "--unlisted"],
        &["study", "plan.toml", "--plan", "--model", "bold=mild"],
        &["study", "plan.toml", "--plan", "-q"],
        &["study", "plan.toml", "--print-only", "--budget-calls", "3"],
        &["study", "plan.toml", "--estimate", "--svg", "drawn"],
    ] {
        program.run_err(2, args);
    }
}

#[test]
fn every_study_that_is_listed_is_played_by_the_manual() {
    let program = Program::new();
    let list = program.run_ok(&["study"]);
    let manual = std::fs::read_to_string("docs/studies.md").unwrap();
    let mut count = 0;
    assert!(
        list.lines().all(|line| line.chars().count() <= 80),
        "{list}"
    );
    let begins = |line: &&str| !line.starts_with(' ') && line.contains("  ");
    for line in list.lines().filter(begins) {
        let name = line.split_whitespace().next().unwrap();
        assert!(
            manual
                .lines()
                .any(|line| line.starts_with("elenchus ")
                    && line.split(' ').any(|word| word == name)),
            "{name}"
        );
        assert!(
            program
                .run_ok(&["study", name, "--plan"])
                .starts_with("title = ")
        );
        count += 1;
    }
    assert!(count >= 16, "{list}");
}
