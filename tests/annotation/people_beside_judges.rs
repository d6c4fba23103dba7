//! People beside judges: label sets about proposals, critiques, debates and conclusions, what of these is drawn, and
//! people's labels beside the judge's decision and the grader.

use elenchus_annotation::queue::{find_queue, items_in_order};
use elenchus_records::library::Library;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationJournal, AnnotationTarget, Blindness, Label, LabelRole,
};
use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, items, journal, labels};
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{layout, open_store_as};
use serde_json::Value;
use std::collections::BTreeMap;

const TOPICS: usize = 12;

/// A program whose judge errs, with debates of one game about sums.
fn played(protocol: &str) -> Program {
    let program = Program::configured(
        "[sims.it]\naccuracy = 0.5\nsway = 0.5\nspurious_rate = 0.5\n[sims.other]\n",
    );
    play(&program, protocol);
    program
}

fn play(program: &Program, protocol: &str) {
    let rows: String = (1..=TOPICS)
        .map(|at| format!("q{at},How many lamps are {at} and {at}?,{}\n", 2 * at))
        .collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let game = ["run", "-q", "--dataset", "sums.csv", "--protocol", protocol];
    let more = ["--model", "it", "--seed", "5"];
    program.run(&[&game[..], &more].concat()).ended_with(0);
}

/// The stages of the turns that a queue holds, each once; `None` for a debate as a whole.
fn stages(program: &Program, queue: &str) -> Vec<Option<String>> {
    let items = items(program, queue);
    let mut stages: Vec<Option<String>> = items
        .iter()
        .map(|item| {
            let turn = item["on"]["attempt"]["turn"].as_str()?;
            turn.split('.').nth(1).map(str::to_owned)
        })
        .collect();
    stages.sort();
    stages.dedup();
    stages
}

/// Labels the items of a queue in its order, each in so many milliseconds, and returns what was labelled.
fn label_queue(
    program: &Program,
    (queue, person): (&str, &str),
    choose: impl Fn(usize) -> (&'static str, Option<u64>),
) -> Vec<(AnnotationTarget, &'static str)> {
    let queue = find_queue(&layout(program), queue).unwrap();
    let set = serde_json::from_value::<String>(
        journal(program, &format!("queues/{}.jsonl", queue_name(&queue)))[0]["set"].clone(),
    );
    let set = set.unwrap();
    let book = Library::default().read_label_set(&set).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut margin = AnnotationJournal::open(&open_store_as(program, person), person).unwrap();
    let items = items_in_order(&queue, person).into_iter();
    let given = items.filter(|item| item.repeat == 0).enumerate();
    let given = given.map(|(at, item)| {
        let (name, spent_ms) = choose(at);
        let label = Label {
            on: item.on.clone(),
            set: set.clone(),
            codebook: book.hash,
            label: name.to_owned(),
            category: None,
            strength: None,
            note: None,
            flagged: false,
            drawn: Some(item.drawn),
            blind: Blindness::Blind,
            role: LabelRole::Annotator,
            repeat: 0,
            spent_ms,
            source: None,
            marks_cut: true,
        };
        let written =
            runtime.block_on(margin.record_annotation(Annotation::Labelled(Box::new(label))));
        written.unwrap();
        (item.on, name)
    });
    given.collect()
}

fn queue_name(queue: &elenchus_annotation::queue::Queue) -> String {
    let (wave, item) = queue.items().next().unwrap();
    queue.find_draw(wave, item).unwrap().queue
}

/// The label by a rule of each session's game.
fn found_by(program: &Program, rule: &str) -> BTreeMap<String, String> {
    let sessions = program.sessions().into_iter();
    let found = sessions.map(|session| {
        let events = program.events(&session);
        let mut judged = events.into_iter().filter(|event| event["judging"] == rule);
        let verdict = judged.next().unwrap();
        let label = verdict["outcome"]["label"]["label"].as_str();
        let label = label.unwrap_or("unparsed").to_owned();
        (session, label)
    });
    found.collect()
}

fn validated(program: &Program, more: &[&str]) -> Value {
    let ran = program.run(&[&["validate", "--json"], more].concat());
    serde_json::from_str(&ran.ended_with(0).out).unwrap()
}

/// The report on the evaluator of a role, in the only section.
fn report_of<'a>(validation: &'a Value, role: &str, name: &str) -> &'a Value {
    let evaluators = validation["sections"][0]["evaluators"].as_array().unwrap();
    let mut of_role = evaluators
        .iter()
        .filter(|one| one["role"] == role && one["evaluator"].as_str().unwrap().starts_with(name));
    of_role
        .next()
        .unwrap_or_else(|| panic!("{role} {name}: {validation:#}"))
}

/// The counts of a matrix, by gold and found.
fn counts(report: &Value) -> BTreeMap<(String, String), usize> {
    let names = |which: &str| -> Vec<String> {
        let names = report["matrix"][which].as_array().unwrap();
        names
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    };
    let (gold, found) = (names("gold"), names("found"));
    let cells = report["matrix"]["cells"].as_array().unwrap();
    let places = gold
        .iter()
        .flat_map(|gold| found.iter().map(move |found| (gold.clone(), found.clone())));
    let cells = places.zip(
        cells
            .iter()
            .map(|cell| cell["turns"].as_array().unwrap().len()),
    );
    cells.filter(|(_, count)| *count > 0).collect()
}

#[test]
fn a_set_draws_what_it_is_about_and_nothing_else() {
    let program = played("pcd-2");
    let said = draw(&program, "decisions", &["--set", "game-verdict", "--all"]);
    assert!(said.contains("all: 12 of 12 proposals"), "{said}");
    assert_eq!(stages(&program, "decisions"), [Some("propose".to_owned())]);
    assert_eq!(items(&program, "decisions").len(), TOPICS);
    draw(
        &program,
        "critiques",
        &["--set", "critique-quality", "--all"],
    );
    assert_eq!(stages(&program, "critiques"), [Some("critique".to_owned())]);
    // A set of one's own about whole debates needs no option.
    let set = "id = \"whole\"\ndescription = \"d\"\nof = \"debate\"\n\
               [[labels]]\nname = \"good\"\nkey = \"a\"\nmeaning = \"m\"\ncounts = \"negative\"\n\
               [[labels]]\nname = \"bad\"\nkey = \"b\"\nmeaning = \"m\"\ncounts = \"positive\"\n";
    program.write(".elenchus/prompts/labels/whole.toml", set);
    program.write(".elenchus/prompts/labels/whole.md", "# Whole\n");
    draw(&program, "debates", &["--set", "whole", "--all"]);
    assert_eq!(stages(&program, "debates"), [None]);
    // The verdict of a proposal is what the judge decided about it.
    let strata = ["--set", "game-verdict", "--all", "--strata", "verdict"];
    draw(&program, "divided", &strata);
    let decisions = found_by(&program, "decision");
    let listed = program.run_ok(&["labels", "queues", "divided", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["of"], "proposal");
    for label in decisions.values() {
        let name = format!("verdict={label}");
        let mut strata = listed["strata"].as_array().unwrap().iter();
        let stratum = strata.find(|one| one["stratum"] == name.as_str()).unwrap();
        let count = decisions.values().filter(|one| *one == label).count();
        assert_eq!(stratum["of"], count, "{listed}");
    }
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_a_set_does_not_apply_to_is_refused_with_what_fits() {
    let program = played("pred");
    let refused = |args: &[&str]| {
        let queue = ["labels", "queue", "none", "--simulated", "--all"];
        let ran = program.run(&[&queue[..], args].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        ran.err
    };
    for (set, said) in [
        (
            "game-verdict",
            ["12 sessions have no proposal", "pcd-2 or two-candidate"],
        ),
        (
            "critique-quality",
            ["12 sessions have no critique", "game with a critic"],
        ),
        (
            "conclusion",
            ["12 sessions have no conclusion", "such as moderated"],
        ),
    ] {
        let err = refused(&["--set", set]);
        assert!(said.iter().all(|said| err.contains(said)), "{set}: {err}");
    }
    let pairs = refused(&["--set", "conclusion", "--pairs"]);
    assert!(
        pairs.contains("about conclusions; leave --pairs out"),
        "{pairs}"
    );
    let debates = refused(&["--set", "game-verdict", "--debates"]);
    assert!(debates.contains("about single proposals"), "{debates}");
    // Where some fit, the others are counted.
    play(&program, "pcd-2");
    let said = draw(&program, "some", &["--set", "game-verdict", "--all"]);
    assert!(
        said.contains("left out: 12 sessions, without a proposal"),
        "{said}"
    );
    assert_eq!(items(&program, "some").len(), TOPICS);
}

#[test]
fn people_stand_beside_the_judges_decision_and_beside_the_grader_each_by_name() {
    let program = played("pcd-2");
    draw(
        &program,
        "dec",
        &["--set", "game-verdict", "--all", "--repeats", "0"],
    );
    let names = ["correct", "incorrect", "flawed", "correct"];
    let spent = |at: usize| (!at.is_multiple_of(3)).then(|| 1_000 * (at as u64 + 1));
    let given = label_queue(&program, ("dec", "ada"), |at| (names[at % 4], spent(at)));
    let pass = program.run_ok(&["judge", "-q", "--all", "--model", "other"]);
    let validation = validated(&program, &["--set", "game-verdict"]);
    assert_eq!(validation["sections"][0]["turns"], TOPICS, "{validation:#}");
    let expected = |found: &BTreeMap<String, String>, grades: bool| {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (on, label) in &given {
            let found = found[on.session.as_str()].clone();
            let key = (label.to_string(), found);
            *counts.entry(key).or_default() += 1;
        }
        assert!(!grades || counts.keys().all(|(_, found)| found != "flawed"));
        counts
    };
    let decision = report_of(&validation, "decision", "own pcd-decision by it");
    let decided = expected(&found_by(&program, "decision"), false);
    assert_eq!(counts(decision), decided);
    let grader = report_of(&validation, "grader", "own:truth");
    let graded = expected(&found_by(&program, "truth"), true);
    assert_eq!(counts(grader), graded);
    // Accuracy by hand, over what is on a side: positive is flawed or incorrect.
    let is_bad = |label: &str| label != "correct";
    let agree = decided.iter();
    let agree: usize = agree
        .filter(|((gold, found), _)| is_bad(gold) == is_bad(found))
        .map(|(_, count)| count)
        .sum();
    let accuracy = decision["estimates"].as_array().unwrap().iter();
    let mut accuracy = accuracy.filter(|estimate| estimate["quantity"] == "accuracy");
    let value = accuracy.next().unwrap()["value"].as_f64().unwrap();
    assert!(
        (value - agree as f64 / TOPICS as f64).abs() < 1e-9,
        "{value}"
    );
    // Another judge in the game's place stands beside them too, as a decision.
    let id = pass.trim();
    report_of(
        &validation,
        "decision",
        &format!("pass:{}", &id[id.len() - 6..]),
    );

    let text = program.run_ok(&["validate", "--set", "game-verdict"]);
    for said in [
        "the judge's decision, against gold",
        "the grader, against gold",
    ] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{said}\n{text}");
    }
    let mut seconds: Vec<f64> = (0..TOPICS)
        .filter_map(spent)
        .map(|ms| ms as f64 / 1e3)
        .collect();
    seconds.sort_by(f64::total_cmp);
    let median = f64::midpoint(seconds[3], seconds[4]);
    assert_eq!(seconds.len(), 8);
    assert!(
        text.contains(&format!("ada 12 (median {median:.1} s a label)")),
        "{text}"
    );
    assert_eq!(
        validation["sections"][0]["people"]["median_seconds"]["ada"],
        median
    );
    let listed = program.run_ok(&["labels", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["median_seconds"], median);
    let csv = program.run_ok(&["validate", "--set", "game-verdict", "--csv"]);
    let row = csv
        .lines()
        .find(|line| line.contains("median seconds a label"));
    assert!(row.unwrap().contains(&format!(",{median},")), "{csv}");
}

#[test]
fn labels_on_turns_that_a_set_is_not_about_are_counted_and_left_out() {
    let program = played("pcd-2");
    // As earlier versions drew it: of turns.
    draw(
        &program,
        "old",
        &["--set", "safety", "--all", "--repeats", "0"],
    );
    let path = program.store().join("queues/old.jsonl");
    assert!(
        !std::fs::read_to_string(&path)
            .unwrap()
            .contains("\"about\"")
    );
    let given = label_queue(&program, ("old", "ada"), |_| ("safe", None));
    draw(
        &program,
        "dec",
        &["--set", "game-verdict", "--all", "--repeats", "0"],
    );
    label_queue(&program, ("dec", "ada"), |_| ("correct", None));
    let critics = given.iter().filter(|(on, _)| {
        let attempt = on.attempt.as_ref().unwrap();
        attempt.id.turn.chair.seat.as_str() == "critic"
    });
    let critics = critics.count();
    assert!(critics > 0);
    let ran = program
        .run(&["validate", "--set", "game-verdict"])
        .ended_with(0);
    assert!(
        ran.err.contains("12 proposals of 12 sessions read"),
        "{}",
        ran.err
    );
    let ran = program.run(&["validate", "--set", "safety"]).ended_with(0);
    assert!(
        ran.err.contains(" turns of 12 sessions read"),
        "{}",
        ran.err
    );
}

#[test]
fn a_conclusion_is_read_without_its_judges_confidence_and_compared_with_the_grader() {
    let program = played("moderated");
    draw(
        &program,
        "concl",
        &["--set", "conclusion", "--all", "--repeats", "0"],
    );
    assert_eq!(stages(&program, "concl"), [None]);
    let mut pty = Pty::of(&program)
        .size(120, 40)
        .starts(&["annotate", "concl", "--as", "ada"]);
    pty.wait_for("1 of 12  0 labelled");
    pty.wait_for("conclusion");
    pty.wait_for("answer");
    pty.wait_for("synthesis");
    pty.wait_for("4 turns, folded");
    let screen = pty.screen();
    for hidden in ["HIGH", "MODERATE", "LOW", "confidence", "moderation"] {
        assert!(!screen.contains(hidden), "{hidden}\n{screen}");
    }
    pty.press("t");
    pty.wait_for("Framer, round 1");
    pty.press("a");
    pty.wait_for("2 of 12  1 labelled");
    pty.press("d");
    pty.wait_for("3 of 12  2 labelled");
    pty.quits();
    let first = labels(&program, "ada");
    assert_eq!(first[0]["label"], "agree");
    assert!(first.iter().all(|label| label["on"]["attempt"].is_null()));
    assert!(first.iter().all(|label| label["blind"]["is"] == "blind"));
    let given = label_queue(&program, ("concl", "bo"), |at| {
        (["agree", "disagree", "open"][at % 3], Some(2_000))
    });
    let validation = validated(&program, &["--set", "conclusion", "--gold", "single:bo"]);
    assert_eq!(validation["classes"]["of"], "conclusion");
    let grader = report_of(&validation, "grader", "own:truth");
    let truth = found_by(&program, "truth");
    let count = |gold: &str, found: &str| {
        let given = given.iter();
        let of = given.filter(|(on, label)| *label == gold && truth[on.session.as_str()] == found);
        of.count()
    };
    let cells = counts(grader);
    for (gold, found, side) in [
        ("agree", "correct", "agree"),
        ("agree", "incorrect", "disagree"),
        ("disagree", "correct", "agree"),
        ("disagree", "incorrect", "disagree"),
        ("open", "correct", "agree"),
    ] {
        let key = (gold.to_owned(), side.to_owned());
        assert_eq!(
            cells.get(&key).copied().unwrap_or(0),
            count(gold, found),
            "{cells:?}"
        );
    }
    let text = program
        .run(&["validate", "--set", "conclusion"])
        .ended_with(0);
    assert!(
        text.out.contains("12 conclusions over 12 topics"),
        "{}",
        text.out
    );
    let cell = format!("agree/{}", cells.keys().next().unwrap().1);
    program
        .run(&["validate", "--set", "conclusion", "--turns", &cell])
        .ended_with(0);
}

#[test]
fn conclusions_go_to_others_in_packs_and_files_and_come_back() {
    let program = played("moderated");
    draw(
        &program,
        "concl",
        &["--set", "conclusion", "--sample", "4", "--repeats", "0"],
    );
    let pack = ["labels", "pack", "--queue", "concl", "--for", "bo", "pack"];
    program.run(&pack).ended_with(0);
    let mut pty = Pty::of(&program).starts(&["annotate", "--pack", "pack"]);
    for at in 0..4 {
        pty.wait_for(&format!("{} of 4  {at} labelled", at + 1));
        pty.wait_for("answer");
        pty.press("a");
    }
    pty.wait_for("Done: all 4 are labelled.");
    pty.quits();
    program.run(&["labels", "merge", "pack"]).ended_with(0);
    assert_eq!(labels(&program, "bo").len(), 4);
    assert!(
        labels(&program, "bo")
            .iter()
            .all(|label| label["drawn"]["queue"] == "concl")
    );
    let export = [
        "labels",
        "export",
        "--output",
        "labels.csv",
        "--set",
        "conclusion",
    ];
    program.run(&export).ended_with(0);
    let file = program.work().join("labels.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace(",bo,", ",cy,")).unwrap();
    program
        .run(&["labels", "import", "labels.csv"])
        .ended_with(0);
    let back = labels(&program, "cy");
    assert_eq!(back.len(), 4);
    assert!(back.iter().all(|label| label["on"]["attempt"].is_null()));
}

#[test]
fn whoever_was_shown_the_judges_reasons_is_on_record_and_counted_apart() {
    let program = played("pcd-2");
    draw(
        &program,
        "dec",
        &["--set", "game-verdict", "--all", "--repeats", "0"],
    );
    let mut pty = Pty::of(&program)
        .size(120, 40)
        .starts(&["annotate", "dec", "--as", "ada"]);
    let at = |pty: &Pty, at: usize| {
        pty.wait_for(&format!("{} of 12  {at} labelled", at + 1));
        pty.wait_for("Proposer, round 1");
    };
    at(&pty, 0);
    pty.press("a");
    at(&pty, 1);
    // What the judge decided, and then why.
    pty.press("V");
    pty.wait_for("will not be blind");
    pty.press("V");
    pty.wait_for("decision: ");
    pty.wait_for("V again shows why");
    pty.press("a");
    at(&pty, 2);
    pty.press("V");
    pty.wait_for("will not be blind");
    pty.press("V");
    pty.wait_for("decision: ");
    pty.press("V");
    pty.wait_until("the reason", |screen| {
        screen.contains("says why: ") || screen.contains("gives no reason")
    });
    pty.press("i");
    at(&pty, 3);
    pty.quits();
    let given = labels(&program, "ada");
    assert_eq!(given[0]["blind"]["is"], "blind");
    assert_eq!(given[1]["blind"]["saw"], serde_json::json!(["verdict"]));
    let saw = &given[2]["blind"]["saw"];
    assert_eq!(*saw, serde_json::json!(["verdict", "reasons"]));
    let labelled = |more: &[&str]| {
        let args = [&["--set", "game-verdict"], more].concat();
        validated(&program, &args)["sections"][0].take()
    };
    let blind = labelled(&[]);
    assert_eq!(blind["labelled"], 1);
    assert_eq!(blind["left_out"]["not_blind"], 1);
    assert_eq!(blind["left_out"]["after_reasons"], 1);
    let unblinded = labelled(&["--with-unblinded"]);
    assert_eq!(unblinded["labelled"], 2);
    assert_eq!(unblinded["left_out"]["after_reasons"], 1);
    let after = labelled(&["--after-reasons"]);
    assert_eq!(after["labelled"], 1);
    assert_eq!(after["left_out"]["without_reasons"], 2);
    let listed = program.run(&["labels", "list"]).ended_with(0);
    let said = "ada gave 1 label (game-verdict) after the judge's reasons were shown";
    assert!(listed.err.contains(said), "{}", listed.err);
    // It is kept where labels go to other tools and come back.
    program
        .run(&["labels", "export", "--output", "labels.csv"])
        .ended_with(0);
    let csv = std::fs::read_to_string(program.work().join("labels.csv")).unwrap();
    assert!(csv.contains("verdict+reasons"), "{csv}");
}

#[test]
fn the_form_says_of_what_a_queue_is_and_draws_it() {
    let program = played("moderated");
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("12 sessions, newest first");
    pty.press("a");
    pty.wait_for("there is no queue: n draws one");
    pty.press("n");
    pty.wait_for("simulated models - ");
    pty.wait_for("of what     turns that evaluators judge");
    pty.press("Down Down Down Down Down Down Down Down");
    pty.wait_for("▶ of what     turns that evaluators judge");
    pty.press("Left");
    pty.wait_for("▶ of what     conclusions of debates");
    pty.wait_for("labels      conclusion");
    pty.wait_for("simulated models - 12 conclusions");
    pty.wait_for("12 of 12 conclusions in 12 sessions: 12 items to label");
    pty.press("Ctrl-D");
    pty.wait_for("queue 'queue-1' is drawn");
    pty.wait_for("queue-1  conclusions by 'conclusion'  0 of 12 labelled");
    pty.quits();
    assert_eq!(stages(&program, "queue-1"), [None]);
}
