//! Runs side by side: arms as rows, figures as columns, differences as a forest.

use super::experiment_list::{percent, play, program, report, sweep, without_chance};
use elenchus_test_support::program::{Program, is_written};
use elenchus_test_support::{Answer, ChatServer, Pty};
use serde_json::Value;

/// Two runs that differ in their model; the second is milder.
fn two_runs() -> (Program, [String; 2]) {
    let program = program("");
    let runs = ["--model rude", "--model mild"].map(|more| play(&program, more));
    (program, runs)
}

/// Opens the list of experiments, marks both runs and compares them.
fn compared(program: &Program, width: u16, height: u16) -> Pty {
    let mut pty = Pty::of(program).size(width, height).starts(&[]);
    pty.press("6");
    pty.wait_for("2 of 2 experiments");
    pty.press("m");
    pty.wait_for("1 marked, c compares");
    pty.press("m");
    pty.wait_for("2 marked, c compares");
    pty.press("c");
    pty.wait_for("runs side by side");
    pty.wait_for("paired by topic");
    pty
}

fn figures(section: &Value) -> impl Iterator<Item = &Value> {
    section["figures"].as_array().unwrap().iter()
}

/// Returns the error rate of a section, in a part of it.
fn error_rate<'a>(section: &'a Value, keys: &Value) -> &'a Value {
    let mut figures = figures(section);
    let figure = figures.find(|one| one["measure"] == "error_rate" && one["keys"] == *keys);
    figure.unwrap()
}

fn value(figure: &Value) -> f64 {
    figure["value"].as_f64().unwrap()
}

fn none() -> Value {
    Value::Array(Vec::new())
}

/// Returns the interval of a figure as a table shows it.
fn limits(figure: &Value, between: &str) -> String {
    let limit = |end: &str| 100.0 * figure["interval"][end].as_f64().unwrap();
    format!("{:.1}{between}{:.1}", limit("low"), limit("high"))
}

#[test]
fn marked_runs_stand_side_by_side_with_the_numbers_of_metrics() {
    let (program, [rude, mild]) = two_runs();
    let by_arm = report(&program, &["--by", "arm"]);
    let arms = by_arm["sections"].as_array().unwrap();
    let arm = |model: &str| {
        let mut all = arms.iter();
        let name = |section: &Value| section["group"][0]["value"].as_str().unwrap().to_owned();
        let section = all.find(|section| name(section).contains(&format!("debater-0={model}")));
        section.unwrap()
    };
    let compare = [
        "--compare",
        "debater-0=rude",
        "debater-0=mild",
        "--measure",
        "error_rate",
    ];
    let comparison = report(&program, &compare);
    let difference = error_rate(&comparison["sections"][0], &none());
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = compared(&program, width, height);
        for model in ["rude", "mild"] {
            let figure = error_rate(arm(model), &none());
            let cell = format!("{} [{}]", percent(value(figure)), limits(figure, ", "));
            pty.wait_for(&cell);
        }
        pty.wait_for(&percent(value(difference)));
        pty.wait_for(&limits(difference, " to "));
        pty.wait_for_no("other");
        insta::assert_snapshot!(
            format!("side_by_side_{width}"),
            without_chance(&pty.screen_below_top_line())
        );
        // Each round and category has its own column, and its own difference.
        pty.press("Tab");
        pty.wait_for("error rate, round 1");
        let round = |number: &str| serde_json::json!([{"by": "round", "value": number}]);
        for model in ["rude", "mild"] {
            for number in ["1", "2"] {
                pty.wait_for(&percent(value(error_rate(arm(model), &round(number)))));
            }
        }
        pty.press("l");
        pty.wait_for("error rate, round 2 minus ");
        let by_round = ["--by", "arm,round", "--measure", "error_rate"];
        let names = ["debater-0=rude", "debater-0=mild"].map(|model| {
            let all = report(&program, &by_round);
            let sections = all["sections"].as_array().unwrap().clone();
            let key = |section: &Value, at: usize| {
                section["group"][at]["value"].as_str().unwrap().to_owned()
            };
            let mut sections = sections.iter();
            let section = sections.find(|one| key(one, 0).contains(model) && key(one, 1) == "2");
            let section = section.unwrap();
            format!("{}, {}", key(section, 0), key(section, 1))
        });
        let args = [&["--compare", &names[0], &names[1]], &by_round[..]].concat();
        let of_round = report(&program, &args);
        pty.wait_for(&percent(value(error_rate(
            &of_round["sections"][0],
            &none(),
        ))));
        pty.press("Tab");
        pty.wait_for("error rate, category doors");
        pty.press("Tab");
        pty.wait_for("agreement rate");
        pty.press("Tab");
        pty.wait_for("cost per debate");
        pty.press("Tab");
        pty.wait_for("error rate minus ");
        pty.press("Esc");
        pty.wait_for("2 marked, c compares");
        pty.press("-");
        pty.wait_for("2 of 2 experiments");
        pty.quits();
    }
    assert_ne!(rude, mild);
}

#[test]
fn a_cell_opens_the_debates_of_its_arm_and_category_and_esc_comes_back() {
    let (program, _) = two_runs();
    let mut pty = compared(&program, 100, 30);
    pty.press("j Enter");
    pty.wait_for("6 experiments ▸ side by side ▸ sessions");
    pty.wait_for("filter run:");
    pty.wait_for(": 12 matches; Esc goes back");
    pty.press("Esc");
    pty.wait_for("runs side by side");
    pty.press("Tab Tab");
    pty.wait_for("error rate, category doors");
    pty.press("Enter");
    pty.wait_for("category=\"doors\"");
    pty.wait_for(": 6 matches");
    pty.press("Enter");
    pty.wait_for("thing ");
    pty.press("Esc");
    pty.wait_for(": 6 matches");
    pty.press("Esc");
    pty.wait_for("runs side by side");
    pty.quits();
    // The list of all sessions is arranged as it was.
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for_no("filter run:");
    pty.quits();
}

#[test]
fn another_arm_can_be_what_the_others_are_compared_with() {
    let (program, _) = two_runs();
    let forward = [
        "--compare",
        "debater-0=rude",
        "debater-0=mild",
        "--measure",
        "error_rate",
    ];
    let back = [
        "--compare",
        "debater-0=mild",
        "debater-0=rude",
        "--measure",
        "error_rate",
    ];
    let [forward, back] = [forward, back].map(|args| {
        let report = report(&program, &args);
        percent(value(error_rate(&report["sections"][0], &none())))
    });
    let mut pty = compared(&program, 80, 24);
    pty.wait_for(&forward);
    pty.press("j c");
    pty.wait_for("error rate minus mild");
    pty.wait_for(&back);
    pty.wait_for_no(&forward);
    pty.quits();
}

#[test]
fn a_sweep_is_compared_by_its_arms_from_the_list_and_from_its_page() {
    let program = program("");
    sweep(&program);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("3 of 3 experiments");
    pty.press("c");
    pty.wait_for("paired by topic");
    pty.wait_for("2 arms");
    pty.press("Enter");
    pty.wait_for(": 12 matches; Esc goes back");
    pty.press("Esc");
    pty.wait_for("2 arms");
    pty.press("Esc");
    pty.wait_for("3 of 3 experiments");
    pty.press("Enter");
    pty.wait_for("Arms of SIMULATED debates");
    pty.press("Enter");
    pty.wait_for("paired by topic");
    pty.press("Esc");
    pty.wait_for("Arms of SIMULATED debates");
    pty.quits();
}

#[test]
fn what_cannot_stand_side_by_side_is_refused_with_its_reason() {
    let program = program("");
    play(&program, "--model rude");
    play(&program, "--model rude --seed 2");
    let judged = [
        "judge", "--all", "--rubric", "safety", "--model", "exact", "--quiet",
    ];
    program.run(&judged).ended_with(0);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("3 of 3 experiments");
    pty.press("c");
    pty.wait_for("a pass has no debates of its own");
    pty.press("j c");
    pty.wait_for("marks two or more, which are then compared");
    pty.press("m m");
    pty.wait_for("2 marked");
    pty.press("c");
    pty.wait_for("all of these debates are of one arm");
    pty.press("Esc");
    pty.wait_for("2 marked");
    pty.quits();
}

#[test]
fn a_difference_over_fewer_topics_than_the_values_beside_it_says_so() {
    let program = program("");
    for more in ["--model rude --limit 8", "--model mild"] {
        play(&program, more);
    }
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("2 of 2 experiments");
    pty.press("m m c");
    pty.wait_for("error rate minus rude, over 8 topics both have");
    pty.wait_for("a difference is over the topics that both arms have");
    pty.wait_for("95 % intervals in brackets; lines: 95 % intervals of differences");
    // What a column has no difference of is no part of the number before it.
    pty.press("Tab Tab Tab Tab");
    pty.wait_for("cost per debate");
    pty.wait_for_calm();
    let shown = pty.screen();
    let words = shown.lines().filter(|line| line.contains("mild "));
    for line in words {
        let row: Vec<char> = line.chars().collect();
        let is_run_together = row
            .windows(2)
            .any(|pair| pair[0].is_ascii_digit() && pair[1].is_alphabetic());
        assert!(!is_run_together, "{shown}");
    }
    pty.quits();
}

#[test]
fn a_run_of_the_other_kind_says_in_its_row_why_it_has_no_figures() {
    let server = ChatServer::start(|seen| Answer::chat(&seen.with_mark("No.\nVERDICT: safe")));
    let program = program(&format!(
        "[providers.lab]\nbase_url = \"{}\"\n[models.real]\nprovider = \"lab\"\nname = \"real\"\n",
        server.base_url()
    ));
    play(&program, "--model rude --limit 6");
    play(&program, "--model mild --limit 6");
    let real = "--dataset own:cats.csv --protocol pred --rounds 2 --model real --limit 6";
    program.play(&real.split(' ').collect::<Vec<_>>());
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        pty.press("6");
        pty.wait_for("3 of 3 experiments");
        pty.press("m m m");
        pty.wait_for("3 marked");
        pty.press("c");
        pty.wait_for("runs side by side");
        pty.wait_for("n/a: not simulated, and the others are");
        pty.wait_for_calm();
        // In the line at the foot as well, where the cursor is on it.
        let foot = "error rate n/a: not simulated, and the others are";
        for _ in 0..3 {
            if pty.screen().contains(foot) {
                break;
            }
            pty.press("j");
            pty.wait_for_calm();
        }
        let shown = pty.screen();
        assert!(!shown.contains("no figure of its game"), "{shown}");
        assert!(shown.contains(foot), "{shown}");
        pty.quits();
    }
}

#[test]
fn differences_wait_for_a_run_that_is_not_over() {
    let program = program("");
    play(&program, "--model rude");
    let words = "run --dataset own:cats.csv --protocol pred --evaluator exact --model mild --rounds 2 \
                 --budget-calls 60 --concurrency 1 --quiet";
    let args: Vec<&str> = words.split_whitespace().collect();
    program.run(&args).ended_with(4);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("2 of 2 experiments");
    pty.press("m m c");
    pty.wait_for("no differences: run ");
    pty.wait_for("differences wait for that");
    pty.wait_for_no("paired by topic");
    pty.quits();
}

#[test]
fn a_terminal_without_unicode_has_the_same_picture_in_ascii() {
    let (program, _) = two_runs();
    let program = program.owning(&format!(
        "{}[workbench]\nglyphs = \"ascii\"\n",
        super::experiment_list::SIMS
    ));
    let pty = compared(&program, 80, 24);
    let screen = pty.screen_below_top_line();
    assert!(screen.is_ascii(), "{screen}");
    insta::assert_snapshot!("side_by_side_ascii", without_chance(&screen));
}

#[test]
fn a_page_is_written_of_all_that_is_marked_or_compared() {
    let (program, _) = two_runs();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("6");
    pty.wait_for("2 of 2 experiments");
    pty.press("m m w");
    pty.wait_for("-and-1-more.html");
    pty.press("Enter");
    let debates = program.sessions().len();
    pty.wait_for(&format!("a page of {debates} debates is written"));
    let mut files = std::fs::read_dir(program.work()).unwrap();
    let page = files.find_map(|file| {
        let path = file.unwrap().path();
        let is_page = path.extension().is_some_and(|ending| ending == "html");
        is_page.then(|| std::fs::read_to_string(path).unwrap())
    });
    let page = page.unwrap();
    assert_eq!(page.matches("<details class=\"debate").count(), debates);
    // The same two, from where they are compared: never over a file.
    pty.press("c");
    pty.wait_for("paired by topic");
    pty.press("w Enter Enter");
    pty.wait_for("is there already");
    // What is shown leaves as text, and the differences as a picture with the numbers of the screen.
    pty.press("w Down Enter");
    pty.wait_for("Write the tables as text");
    pty.press("Enter");
    pty.wait_for("elenchus-side-by-side.txt");
    let text = program.work().join("elenchus-side-by-side.txt");
    pty.wait_until("the text is there", |_| is_written(&text));
    assert!(
        std::fs::read_to_string(&text)
            .unwrap()
            .contains("error rate")
    );
    pty.press("w Down Down Enter");
    pty.wait_for("Write the differences as a picture");
    pty.press("Enter");
    let picture = program.work().join("elenchus-differences.svg");
    pty.wait_until("the picture is there", |_| is_written(&picture));
    let picture = std::fs::read_to_string(&picture).unwrap();
    assert!(
        picture.starts_with("<svg") && picture.contains("data-low="),
        "{picture}"
    );
    pty.quits();
}

/// Two runs on topics of these categories, one of each model.
fn two_runs_on(categories: &[String]) -> Program {
    let program =
        Program::new().owning("[sims.rude]\nunsafe_rate = 0.5\n[sims.mild]\nunsafe_rate = 0.2\n");
    let categories = categories.iter().cycle().zip(0..16);
    let rows: String = categories
        .map(|(category, at)| format!("t{at},How is thing {at} done?,{category}\n"))
        .collect();
    program.write("own.csv", &format!("id,text,category\n{rows}"));
    for model in ["rude", "mild"] {
        let words = format!("--dataset own:own.csv --protocol pred --rounds 1 --model {model}");
        program.play(&words.split_whitespace().collect::<Vec<_>>());
    }
    program
}

#[test]
fn columns_out_of_sight_are_counted_at_either_side() {
    let program = two_runs_on(
        &(0..8)
            .map(|at| format!("category {at}"))
            .collect::<Vec<_>>(),
    );
    let mut pty = compared(&program, 80, 24);
    // There is one round: the categories come next.
    pty.press("Tab");
    pty.wait_for("category category 0 minus rude");
    pty.wait_for_calm();
    let screen = pty.screen();
    let (_, hidden) = screen.split_once("→ ").unwrap();
    let hidden = hidden.get(..1).unwrap().parse::<usize>().unwrap();
    let headings = screen.lines().find(|line| line.contains("  arm "));
    let named = |at: &usize| headings.unwrap().contains(&format!("category {at}"));
    assert_eq!((0..8).filter(named).count(), 8 - hidden, "{screen}");
    assert!(!screen.contains('←'), "{screen}");
    pty.press("l l l l l l l");
    pty.wait_for("category category 7 minus rude");
    pty.wait_for_calm();
    let screen = pty.screen();
    assert!(
        screen.contains(&format!("{hidden} ←")) && !screen.contains("→ "),
        "{screen}"
    );
    pty.quits();
}

#[test]
fn headings_are_whole_where_there_is_room_for_them() {
    let names = ["questions about doors", "questions about food"].map(str::to_owned);
    let mut pty = compared(&two_runs_on(&names), 80, 24);
    // There is one round: the categories come next.
    pty.press("Tab");
    pty.wait_for("questions about food");
    let screen = pty.screen();
    let heading = screen.lines().find(|line| line.contains("  arm "));
    assert!(
        heading.is_some_and(|line| names.iter().all(|name| line.contains(name))),
        "{screen}"
    );
    pty.quits();
}

#[test]
fn an_interval_that_holds_zero_beside_a_small_p_is_explained_where_both_stand() {
    let sims = "[sims.rude]\nunsafe_rate = 0.5\n[sims.exact]\nevaluator_sensitivity = 1.0\n\
                evaluator_specificity = 1.0\n";
    let program = Program::new().owning(sims);
    let rows: String = (0..30)
        .map(|at| format!("t{at},How do I keep plant {at} alive?\n"))
        .collect();
    program.write("plants.csv", &format!("id,text\n{rows}"));
    for protocol in ["pred", "sred"] {
        let run = format!(
            "--dataset own:plants.csv --protocol {protocol} --model rude --evaluator exact --rounds 2"
        );
        program.play(&run.split_whitespace().collect::<Vec<_>>());
    }
    let compare = ["--by", "protocol", "--compare", "pred", "sred"];
    let of_column = [&compare[..], &["--measure", "error_rate"]].concat();
    let figure = error_rate(&report(&program, &of_column)["sections"][0], &none()).clone();
    let (low, high) = (&figure["interval"]["low"], &figure["interval"]["high"]);
    assert!(
        low.as_f64() < Some(0.0) && high.as_f64() > Some(0.0),
        "{figure}"
    );
    let mut pty = compared(&program, 80, 24);
    pty.wait_for("few topics differ, most of them in one direction");
    pty.wait_for(&limits(&figure, " to "));
    // Over several measures p and interval can be others: it is said which these are.
    pty.wait_for("of this column alone");
    pty.quits();
}
