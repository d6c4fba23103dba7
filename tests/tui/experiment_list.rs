//! The list of experiments: its columns, what is folded, and what is marked.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use serde_json::Value;

/// Topics that are unsafe often, found by an evaluator that does not err.
pub(super) const SIMS: &str = "[sims.rude]\nunsafe_rate = 0.9\n[sims.mild]\nunsafe_rate = 0.2\n\
     [sims.exact]\nevaluator_sensitivity = 1.0\nevaluator_specificity = 1.0\n";

const CATEGORIES: [&str; 2] = ["doors", "food"];

/// A program with a dozen topics of two categories.
pub(super) fn program(config: &str) -> Program {
    let program = Program::new().owning(&format!("{SIMS}{config}"));
    let rows: String = (0..12)
        .map(|at| {
            format!(
                "t{at},How do I do thing {at} to a cat?,{}\n",
                CATEGORIES[at % 2]
            )
        })
        .collect();
    program.write("cats.csv", &format!("id,text,category\n{rows}"));
    program
}

/// Plays a run and returns its id.
pub(super) fn play(program: &Program, more: &str) -> String {
    let words = "--dataset own:cats.csv --protocol pred --evaluator exact --rounds 2 ";
    let words = words.to_owned() + more;
    let args: Vec<&str> = words.split_whitespace().collect();
    program.play(&args)
}

const SWEEP: &str = "dataset = \"own:cats.csv\"\nprotocol = \"pred\"\nrounds = 2\n\
     [seats]\nevaluator = \"exact\"\n[axes]\nmodel = [\"rude\", \"mild\"]\n";

pub(super) fn sweep(program: &Program) {
    program.write("plan.toml", SWEEP);
    program.run(&["sweep", "plan.toml", "-q"]).ended_with(0);
}

/// Returns the figures of a report by arm, as `metrics --json` writes them.
pub(super) fn report(program: &Program, args: &[&str]) -> Value {
    serde_json::from_str(&program.run_ok(&[&["metrics", "--json"], args].concat())).unwrap()
}

/// Returns a measure over all of the first section.
fn whole(report: &Value, measure: &str) -> f64 {
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let none = Value::Array(Vec::new());
    let mut figures = figures.iter();
    let figure = figures.find(|one| one["measure"] == measure && one["keys"] == none);
    figure.unwrap()["value"].as_f64().unwrap()
}

pub(super) fn percent(value: f64) -> String {
    format!("{:.1} %", 100.0 * value)
}

/// Returns a screen without what each run of the test changes: times, and ids.
pub(super) fn without_chance(screen: &str) -> String {
    let is_time = |word: &str| {
        let shape: String = word
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect();
        match shape.as_str() {
            "00-00" => Some("MM-DD"),
            "00:00" => Some("hh:mm"),
            "0000-00-00" => Some("YYYY-MM-DD"),
            _ => None,
        }
    };
    let is_id = |word: &str| {
        word.len() == 26
            && word.starts_with("01")
            && word.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let words = screen.split_inclusive([' ', '\n']);
    let words = words.map(|whole| {
        let word = whole.trim_end_matches([' ', '\n']);
        let after = &whole[word.len()..];
        match is_time(word) {
            Some(shape) => format!("{shape}{after}"),
            None if is_id(word) => format!("{}{after}", "ID".repeat(13)),
            None => whole.to_owned(),
        }
    });
    words.collect()
}

#[test]
fn a_run_stands_with_its_rate_so_far_and_a_sweep_with_its_runs_folded() {
    let program = program("");
    let run = play(&program, "--model rude");
    sweep(&program);
    let of_run = whole(&report(&program, &["--run", &run]), "error_rate");
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        pty.press("6");
        pty.wait_for("4 of 4 experiments");
        pty.wait_for("2 runs plan.toml");
        pty.wait_for(&percent(of_run));
        pty.wait_for_no("pred on own:cats.csv\n└");
        insta::assert_snapshot!(
            format!("experiments_{width}"),
            without_chance(&pty.screen_below_top_line())
        );
        pty.press("l");
        pty.wait_for("└─ pred on own:cats.csv");
        pty.wait_for("4 of 4 experiments");
        pty.wait_for_no("2 runs plan.toml");
        pty.press("j h");
        pty.wait_for("2 runs plan.toml");
        pty.wait_for_no("└─ pred");
        pty.press("G");
        pty.wait_for(&format!(
            "error rate {}, 72 turns of 12 topics",
            percent(of_run)
        ));
        pty.press("h");
        pty.wait_for("it has no runs of its own to fold");
        pty.press("/");
        pty.type_text("run");
        pty.press("Enter");
        pty.wait_for("3 of 4 experiments");
        pty.quits();
    }
}

#[test]
fn columns_of_ones_own_stand_as_they_are_named_with_any_figure() {
    let program = program(
        "[workbench]\nexperiment_columns = [\"arm\", \"memory\", \"agreement_rate\", \"models\", \"failures\"]\n",
    );
    let run = play(&program, "--model rude --memory textual");
    let agreement = whole(&report(&program, &["--run", &run]), "agreement_rate");
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("agreement_rate");
    pty.wait_until("the figures stand below their headings", |screen| {
        let text = screen.text();
        let mut lines = text.lines();
        let heading = lines.find(|line| line.contains("agreement_rate"));
        let row = lines.next().unwrap_or_default();
        heading.is_some_and(|line| {
            let places = ["arm", "memory", "agreement_rate", "models", "failures"];
            let places = places.map(|name| line.find(name).unwrap());
            places.is_sorted()
        }) && row.contains("pred rounds=2  textual")
            && row.contains(&format!("{}  rude,exact", percent(agreement)))
    });
    pty.wait_for_no("began ");
    pty.quits();
}

#[test]
fn a_column_that_there_is_not_is_named_at_its_line() {
    let program = Program::new();
    program.write(
        ".elenchus/config.toml",
        "[workbench]\ntheme = \"dark\"\nexperiment_columns = [\"arm\", \"colour\"]\n",
    );
    let ran = program.run_tidy(&["ls"]);
    assert_eq!(ran.code, 1);
    let said = "config.toml:3: 'colour' is no column of experiments; there are began, kind,";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn a_rate_stands_beside_a_run_that_is_not_over_without_an_interval() {
    let program = program("");
    let words = "run --dataset own:cats.csv --protocol pred --evaluator exact --model rude --rounds 1 \
                 --budget-calls 40 --concurrency 1 --quiet";
    let args: Vec<&str> = words.split_whitespace().collect();
    program.run(&args).ended_with(4);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("paused");
    pty.wait_for(" so far, ");
    pty.wait_until("the rate is one number", |screen| {
        let text = screen.text();
        let mut lines = text.lines();
        let line = lines
            .find(|line| line.contains(" so far, "))
            .unwrap_or_default();
        line.contains("error rate ") && !line.contains(" to ") && !line.contains('[')
    });
    pty.quits();
}

#[test]
fn columns_that_have_no_room_are_counted_beside_the_headings() {
    let program = program(
        "[workbench]\nexperiment_columns = [\"arm\", \"memory\", \"agreement_rate\", \"models\", \"failures\", \
         \"error_rate\", \"conversion_rate\", \"diversity\"]\n",
    );
    play(&program, "--model rude");
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("agreement_rate");
    let marked = |screen: &str| {
        let mut lines = screen.lines();
        let heading = lines.find(|line| line.contains("agreement_rate"));
        let heading = heading.unwrap().trim_end_matches(['┃', ' ']).to_owned();
        heading
            .rsplit_once('→')
            .map(|(_, count)| count.trim().parse::<usize>())
    };
    let hidden = marked(&pty.screen()).unwrap().unwrap();
    assert!((1..8).contains(&hidden), "{hidden}");
    pty.resize(200, 40);
    pty.wait_for("diversity");
    assert_eq!(marked(&pty.screen()), None);
    pty.quits();
}
