//! Sweeps: many runs under one plan, one budget and one journal, whatever interrupts them.

use elenchus_test_support::drawn;
use elenchus_test_support::journals::{distinct, events, journals, keep_lines};
use elenchus_test_support::program::{Program, copy_folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const SLOW: &str = "[sims.slow]\nlatency_ms = 2\nunsafe_rate = 0.5\n";

/// Two arms with three seeds over five topics.
const PLAN: &str = "\
dataset = \"own:topics.csv\"
model = \"slow\"
protocol = \"pred\"
rounds = 1
seeds = [1, 2, 3]

[axes]
memory = [\"none\", \"textual\"]
";
const POINTS: usize = 6;
const DEBATES: usize = POINTS * 5;
/// Three debaters, a reply and a verdict each.
const REPLIES_AND_VERDICTS: usize = DEBATES * 6;

fn with_plan(plan: &str) -> Program {
    let program = Program::with_topics(SLOW);
    program.write("plan.toml", plan);
    program
}

fn sweep_file(program: &Program) -> PathBuf {
    let mut sweeps = journals(&program.store().join("sweeps"));
    assert_eq!(sweeps.len(), 1, "{sweeps:?}");
    sweeps.remove(0)
}

fn sweep_id(program: &Program) -> String {
    let file = sweep_file(program);
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn run_files(program: &Program) -> Vec<PathBuf> {
    journals(&program.store().join("runs"))
}

fn is_planned(program: &Program) -> bool {
    let events = events(&sweep_file(program));
    events.iter().any(|event| event["type"] == "planned")
}

/// The figures of a sweep, without ids, times, calls and cost.
fn table(program: &Program) -> Value {
    let shown = program.run_ok(&["sweep", "--show", &sweep_id(program), "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let mut report = shown["report"].clone();
    for section in report["sections"].as_array_mut().unwrap() {
        let figures = section["figures"].as_array_mut().unwrap();
        figures.retain(|figure| {
            let measure = figure["measure"].as_str().unwrap();
            let differing = [
                "latency",
                "wall",
                "critical_path",
                "time",
                "calls",
                "tokens",
                "cost",
            ];
            !differing.iter().any(|word| measure.contains(word))
        });
        assert!(figures.len() > 5);
        section.as_object_mut().unwrap().remove("advantages");
    }
    let arms = shown["arms"].as_array().unwrap().iter();
    let arms: Vec<Value> = arms
        .map(|arm| serde_json::json!([arm["name"], arm["debates"]]))
        .collect();
    serde_json::json!({
        "standing": shown["standing"],
        "arms": arms,
        "report": report,
        "comparisons": shown["comparisons"],
    })
}

/// What was said and found, by point, topic and rollout.
fn said(program: &Program) -> BTreeMap<String, (Value, Value)> {
    let mut found = BTreeMap::new();
    let plan = &events(&sweep_file(program))[0];
    for point in plan["points"].as_array().unwrap() {
        let run = point["run"].as_str().unwrap();
        let path = program.store().join(format!("runs/{run}.jsonl"));
        for item in events(&path)
            .iter()
            .filter(|event| event["type"] == "planned")
        {
            let session = item["session"].as_str().unwrap();
            let debate = events(&program.session_file(session));
            let texts = |kind: &str, pick: fn(&Value) -> Value| {
                let mut all: Vec<String> = debate
                    .iter()
                    .filter(|event| event["type"] == kind)
                    .map(|event| pick(event).to_string())
                    .collect();
                all.sort();
                Value::from(all)
            };
            let replies = texts("replied", |event| {
                serde_json::json!([event["turn"], event["reply"]["text"]])
            });
            let verdicts = texts("judged", |event| {
                serde_json::json!([event["target"], event["outcome"]])
            });
            let name = format!("{} {} {}", point["arm"], point["seed"], item["topic"]["id"]);
            assert!(found.insert(name, (replies, verdicts)).is_none());
        }
    }
    found
}

#[test]
fn a_sweep_that_is_killed_anywhere_ends_as_if_it_had_not_been() {
    let program = with_plan(PLAN);
    let whole = program.with_store("whole");
    whole.run_ok(&["sweep", "plan.toml", "-q"]);
    assert_eq!(whole.finished_calls(), REPLIES_AND_VERDICTS);
    let (figures, debates) = (table(&whole), said(&whole));
    assert_eq!(debates.len(), DEBATES);
    let mut unplanned = 0;
    for kill in drawn::kills(12) {
        let program = program.with_store(&format!("killed-{kill}"));
        let begin = ["sweep", "plan.toml", "-q"];
        match kill {
            // While its runs begin.
            0..4 => program.kill_when(&begin, "runs", || run_files(&program).len() > kill),
            _ => program.kill_when(&begin, "replies", || {
                program.finished_calls() >= (kill - 3) * REPLIES_AND_VERDICTS / 10
            }),
        }
        let id = sweep_id(&program);
        unplanned += usize::from(!is_planned(&program));
        let resume = ["sweep", "--resume", &id, "-q"];
        if kill % 2 == 1 {
            let before = program.finished_calls();
            let enough = before + (REPLIES_AND_VERDICTS - before) / 2;
            program.kill_when(&resume, "more replies", || {
                program.finished_calls() >= enough
            });
        }
        // What a kill left can be looked at.
        program.run_ok(&["sweep", "--show", &id]);
        program.run_ok(&["sweep", "--list"]);
        program.run_ok(&resume);
        assert_eq!(table(&program), figures, "kill {kill}");
        assert_eq!(said(&program), debates, "kill {kill}");
        program.run_ok(&["verify"]);
    }
    assert!(unplanned > 0, "no kill came while the runs began");
}

/// A store as a kill leaves it that comes while the runs of a sweep begin: `whole` of them are there, and
/// the beginning of the next.
fn cut_while_planning(program: &Program, from: &Program, name: &str, whole: usize) -> Program {
    let cut = program.with_store(name);
    copy_folder(&from.store(), &cut.store());
    keep_lines(&sweep_file(&cut), 1);
    let plan = &events(&sweep_file(&cut))[0];
    for (number, point) in plan["points"].as_array().unwrap().iter().enumerate() {
        let run = point["run"].as_str().unwrap();
        let path = cut.store().join(format!("runs/{run}.jsonl"));
        match number.cmp(&whole) {
            std::cmp::Ordering::Less => keep_lines(&path, 6),
            std::cmp::Ordering::Equal => keep_lines(&path, 3),
            std::cmp::Ordering::Greater => std::fs::remove_file(&path).unwrap(),
        }
    }
    for folder in ["sessions", "memory", "cache"] {
        let _ = std::fs::remove_dir_all(cut.store().join(folder));
    }
    cut.forget_heads();
    cut
}

#[test]
fn runs_that_had_not_begun_begin_when_it_goes_on_unless_something_has_changed() {
    let program = with_plan(PLAN);
    let whole = program.with_store("whole");
    whole.run_ok(&["sweep", "plan.toml", "-q"]);
    for begun in [0, 2, 5] {
        let cut = cut_while_planning(&program, &whole, &format!("cut-{begun}"), begun);
        let id = sweep_id(&cut);
        // The text that is kept counts, not the file.
        program.write("plan.toml", "nothing = 1\n");
        cut.run_ok(&["sweep", "--resume", &id, "-q"]);
        assert_eq!(table(&cut), table(&whole));
        assert_eq!(said(&cut), said(&whole));
    }
    let refused = |change: &dyn Fn(&Program), expected: &str, name: &str| {
        let program = with_plan(PLAN);
        let whole = program.with_store("whole");
        whole.run_ok(&["sweep", "plan.toml", "-q"]);
        let cut = cut_while_planning(&program, &whole, name, 2);
        change(&cut);
        let before = cut.store_files();
        let said = cut.run_err(1, &["sweep", "--resume", &sweep_id(&cut)]);
        assert!(said.contains(expected), "{said}");
        let journals = |files: Vec<(PathBuf, Vec<u8>)>| -> Vec<(PathBuf, Vec<u8>)> {
            let is_kept = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
            files
                .into_iter()
                .filter(|(path, _)| is_kept(path))
                .collect()
        };
        assert_eq!(journals(cut.store_files()), journals(before));
    };
    refused(
        &|program| {
            program.write("topics.csv", "id,text\na,How?\n");
        },
        "own:topics.csv has changed since sweep",
        "other-topics",
    );
    refused(
        &|program| {
            program.run_ok(&["prompts", "eject", "pred"]);
            let file = program.work().join(".elenchus/prompts/pred/protocol.toml");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text.replacen("name = \"", "name = \"Own ", 1)).unwrap();
        },
        "arm 'memory=none' would no longer be played as when sweep",
        "other-game",
    );
}

#[test]
fn a_run_that_cannot_be_read_is_named_while_its_sweep_is_planned() {
    let whole = with_plan(PLAN);
    whole.run(&["sweep", "plan.toml", "-q"]).ended_with(0);
    let cut = cut_while_planning(&whole, &whole, "cut", 2);
    let shown = || cut.run(&["sweep", "--show", &sweep_id(&cut)]);
    // Those that have not begun are none of its runs yet.
    shown().ended_with(0);
    let file = run_files(&cut).remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("\"run\"", "\"sun\"", 1)).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    let told = shown().ended_with(1);
    assert!(told.err.contains(&name), "{}", told.err);
}

#[test]
fn one_budget_holds_for_all_points_and_a_higher_one_goes_on() {
    let program = with_plan(&format!("{PLAN}\n[budget]\ncalls = 60\n"));
    let ran = program.run(&["sweep", "plan.toml", "-q"]).ended_with(4);
    let id = sweep_id(&program);
    assert!(
        ran.err
            .contains("paused: the ceiling is reached: 60 of 60 calls"),
        "{}",
        ran.err
    );
    let again = format!("elenchus sweep --resume {id} --budget-calls MORE");
    assert!(ran.err.contains(&again), "{}", ran.err);
    let calls = || {
        let sessions = program.session_files();
        let all = sessions.iter().flat_map(|path| events(path));
        all.filter(|event| event["type"] == "call_started").count()
    };
    assert!(calls() <= 60, "{}", calls());
    assert!(calls() > 40, "{}", calls());
    // A point alone would not count what the others used.
    let run = run_files(&program).pop().unwrap();
    let run = run.file_stem().unwrap().to_str().unwrap().to_owned();
    let alone = program.run_err(1, &["run", "--resume", &run]);
    assert!(
        alone.contains(&format!("elenchus sweep --resume {id}")),
        "{alone}"
    );
    // Without a higher one nothing more is sent.
    program.run(&["sweep", "--resume", &id, "-q"]).ended_with(4);
    assert!(calls() <= 60, "{}", calls());
    program
        .run(&["sweep", "--resume", &id, "-q", "--budget-calls", "130"])
        .ended_with(4);
    assert!(calls() <= 130, "{}", calls());
    assert!(calls() > 100, "{}", calls());
    program.run_ok(&["sweep", "--resume", &id, "-q", "--budget-calls", "2000"]);
    let whole = with_plan(PLAN);
    whole.run_ok(&["sweep", "plan.toml", "-q"]);
    assert_eq!(table(&program), table(&whole));
    // What is finished stays as it is.
    let before = program.finished_calls();
    program.run_ok(&["sweep", "--resume", &id, "-q"]);
    assert_eq!(program.finished_calls(), before);
}

#[test]
fn a_point_is_a_run_that_every_other_command_knows() {
    let program = with_plan(PLAN);
    program.run_ok(&["sweep", "plan.toml", "-q"]);
    let listed = program.run_ok(&["ls", "--runs", "--json"]);
    assert_eq!(listed.lines().count(), POINTS);
    let shown = program.run_ok(&["sweep", "--show", &sweep_id(&program), "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let run = shown["points"][4]["run"].as_str().unwrap();
    assert_eq!(shown["points"][4]["seed"], 2);
    assert_eq!(
        program
            .run_ok(&["ls", "--run", run, "--json"])
            .lines()
            .count(),
        5
    );
    program.run_ok(&["metrics", "--run", run]);
    program.run_ok(&[
        "judge", "--run", run, "--rubric", "safety", "--model", "slow",
    ]);
    // Figures of an arm are those of its runs.
    let mut metrics = vec!["metrics", "--json"];
    let runs: Vec<&str> = (0..3)
        .map(|point| shown["points"][point]["run"].as_str().unwrap())
        .collect();
    runs.iter().for_each(|run| metrics.extend(["--run", run]));
    let of_runs: Value = serde_json::from_str(&program.run_ok(&metrics)).unwrap();
    let (of_runs, of_arm) = (&of_runs["sections"][0], &shown["report"]["sections"][0]);
    assert_eq!(of_arm["debates"], 15);
    assert_eq!(of_arm["topics"], 5);
    for figure in ["error_rate", "calls_per_debate", "cost_per_debate"] {
        let find = |section: &Value| {
            let figures = section["figures"].as_array().unwrap().iter();
            let mut figures = figures.filter(|found| found["measure"] == figure);
            figures.next().unwrap().clone()
        };
        assert_eq!(find(of_runs), find(of_arm));
    }
}

#[test]
fn all_arms_and_seeds_have_the_same_topics_and_no_arm_learns_from_another() {
    let program = with_plan(&PLAN.replace("[axes]", "sample = 3\n\n[axes]"));
    program.run_ok(&["sweep", "plan.toml", "-q"]);
    let topics = run_files(&program).into_iter().map(|path| {
        let planned = events(&path)
            .into_iter()
            .filter(|event| event["type"] == "planned");
        planned
            .map(|event| event["topic"]["id"].to_string())
            .collect::<BTreeSet<_>>()
    });
    let topics: Vec<BTreeSet<String>> = topics.collect();
    assert_eq!(topics.len(), POINTS);
    assert_eq!(distinct(topics).len(), 1);
    let namespaces = std::fs::read_dir(program.store().join("memory")).unwrap();
    let namespaces: Vec<String> = namespaces
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(namespaces.len(), POINTS, "{namespaces:?}");
    for name in namespaces {
        assert!(
            name.starts_with(&format!("sweep-{}-", sweep_id(&program))),
            "{name}"
        );
        let writers = journals(&program.store().join("memory").join(&name));
        assert_eq!(writers.len(), 1, "{name}");
    }
}

#[test]
fn a_named_memory_is_read_as_of_one_moment_by_all_points() {
    let plan = PLAN.replace(
        "[axes]",
        "memory_namespace = \"mine\"\nmemory_snapshot = \"now\"\n\n[axes]",
    );
    let program = with_plan(&plan);
    program.run_ok(&["memory", "add", "Be careful.", "-n", "mine.sim"]);
    program.run_ok(&["sweep", "plan.toml", "-q"]);
    let mut moments = BTreeSet::new();
    for path in run_files(&program) {
        let memory = events(&path)[0]["memory"].clone();
        if memory["reads"] == true {
            assert_eq!(memory["namespace"], "mine.sim");
            assert_eq!(memory["writes"], false);
            moments.insert(memory["as_of"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(moments.len(), 1, "{moments:?}");
}

#[test]
fn a_sweep_travels_with_its_store_and_verifies() {
    let program = with_plan(PLAN);
    program.run_ok(&["sweep", "plan.toml", "-q"]);
    let checked = program.run_ok(&["verify"]);
    assert!(checked.contains("1 sweep"), "{checked}");
    let out = program.path("out");
    program.run_ok(&["export", "--all", "-o", out.to_str().unwrap()]);
    let other = program.with_store("other");
    other.run_ok(&["import", out.to_str().unwrap()]);
    assert_eq!(table(&other), table(&program));
    other.run_ok(&["verify"]);
}

#[test]
fn an_arm_has_no_figures_before_its_planned_number_of_debates() {
    let program = with_plan(&format!("{PLAN}\n[budget]\ncalls = 130\n"));
    program.run(&["sweep", "plan.toml", "-q"]).ended_with(4);
    let shown = program.run_ok(&["sweep", "--show", &sweep_id(&program)]);
    assert!(
        shown.contains("1 of 2 arms wait for their planned number of debates"),
        "{shown}"
    );
    let json = program.run_ok(&["sweep", "--show", &sweep_id(&program), "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["report"]["sections"].as_array().unwrap().len(), 1);
    assert!(json["comparisons"].is_null(), "{json}");
}

#[test]
fn three_protocols_with_two_memories_and_three_seeds_are_killed_twice() {
    let topics = drawn::datasets(20);
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.4\n");
    let rows: String = (0..topics)
        .map(|number| {
            format!("t{number},What is known about thing number {number} of this list?\n")
        })
        .collect();
    program.write("topics.csv", &format!("id,text\n{rows}"));
    program.write(
        "tables.toml",
        "\
dataset = \"own:topics.csv\"
model = \"it\"
seeds = [1, 2, 3]
rounds = 2

[axes]
protocol = [\"pred\", \"sred\", \"dared\"]
memory = [\"none\", \"textual\"]
",
    );
    let whole = program.with_store("whole");
    whole.run_ok(&["sweep", "tables.toml", "-q"]);
    let all = whole.finished_calls();
    let debates = 3 * 2 * 3 * topics;
    assert_eq!(whole.sessions().len() as u64, debates);
    program.kill_when(&["sweep", "tables.toml", "-q"], "a third", || {
        program.finished_calls() >= all / 3
    });
    let id = sweep_id(&program);
    let resume = ["sweep", "--resume", &id, "-q"];
    program.kill_when(&resume, "two thirds", || {
        program.finished_calls() >= 2 * all / 3
    });
    let ran = program.run(&["sweep", "--resume", &id]).ended_with(0);
    assert_eq!(program.finished_calls(), all);
    assert_eq!(table(&program), table(&whole));
    assert_eq!(said(&program), said(&whole));
    for line in [
        format!("6 arms, 3 seeds, {debates} of {debates} debates done").as_str(),
        "sred memory=textual",
        "Against pred, paired by topic",
    ] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    let widest = ran.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", ran.out);
}
