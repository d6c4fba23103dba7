//! Sides of judged games that learn from rewards: each in a memory of its own, with a placebo, and as points of
//! a curve.

use elenchus_test_support::guardrails::{SIM, accept_far_one};
use elenchus_test_support::journals::{events, wait_until};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Lessons help the pupil by a known amount, the critic by another, and the dull one not at all.
const CONFIG: &str = "
[sims.pupil]
accuracy = 0.4
topic_effect = 0.0
seat_effect = 0.0
memory_effect = 0.0
lesson_effect = 0.4
critic_skill = 0.5
critic_lesson_effect = 0.4
heed_critic = 0.0

[sims.dull]
accuracy = 0.4
topic_effect = 0.0
seat_effect = 0.0
memory_effect = 0.0
heed_critic = 0.0
";

/// Logit of a pupil's accuracy without a lesson, and what five lessons in view make of it.
const UNTAUGHT: f64 = 0.4;
const TAUGHT: f64 = 0.831_2;

/// Questions that are no near-duplicates of each other.
fn questions(name: &str, count: usize) -> String {
    let rows = (0..count).map(|at| {
        let words =
            [at * 31 % 9973, at * at % 9929, at * 77 % 8171].map(|word| format!("{name}{word}"));
        format!(
            "{name}-{at},Which number has {}?,{}\n",
            words.join(" "),
            1000 + at
        )
    });
    "id,text,answer\n".to_owned() + &rows.collect::<String>()
}

fn home() -> Program {
    let program = Program::configured(CONFIG);
    program.write("taught.csv", &questions("taught", 12));
    program.write("held.csv", &questions("held", 80));
    program
}

fn learn(program: &Program, model: &str, learn: &str, more: &[&str]) -> String {
    let learn = format!("learn={learn}");
    let mut args = vec!["--protocol", "pcd-2", "--set", &learn, "--model", model];
    args.extend(["--dataset", "own:taught.csv", "--memory", "textual"]);
    args.extend(["--keep-duplicates", "--learn-batch", "4", "--seed", "3"]);
    args.extend(more);
    program.play(&args)
}

fn replay(program: &Program, model: &str, side: &str, first: &str) -> String {
    let first = format!("first:{first}");
    let mut args = vec!["--protocol", "pcd-2", "--set", side];
    args.extend(["--model", model, "--dataset", "own:held.csv"]);
    args.extend(["--memory", "textual", "--keep-duplicates"]);
    args.extend(["--memory-snapshot", &first, "--seed", "7"]);
    program.play(&args)
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

fn sessions(program: &Program) -> BTreeMap<String, Vec<Value>> {
    let files = program.session_files();
    let read = files.iter().map(|path| {
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (id, events(path))
    });
    read.collect()
}

/// The seat whose turn a reply is: `r1.think_critic.critic-0` is the critic's.
fn speaker(reply: &Value) -> &str {
    let turn = reply["turn"].as_str().unwrap();
    let chair = turn.rsplit_once('.').unwrap().1;
    chair.rsplit_once('-').unwrap().0
}

/// The parts of a view, by their kind and what they are of.
fn parts(event: &Value) -> Vec<(String, Value)> {
    let messages = event["view"]["messages"].as_array().unwrap();
    let parts = messages
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap());
    let named = parts.map(|part| match &part["from"] {
        Value::String(kind) => (kind.clone(), Value::Null),
        Value::Object(kind) => {
            let (kind, of) = kind.iter().next().unwrap();
            (kind.clone(), of.clone())
        }
        other => panic!("{other}"),
    });
    named.collect()
}

fn shown_texts(event: &Value) -> String {
    let messages = event["view"]["messages"].as_array().unwrap();
    let parts = messages
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap());
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn namespaces(program: &Program) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(program.store().join("memory"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn lessons_in(program: &Program, namespace: &str, run: &str) -> usize {
    let path = program
        .store()
        .join(format!("memory/{namespace}/{run}.jsonl"));
    of_kind(&events(&path), "EntryAdded").len()
}

#[test]
fn each_side_learns_in_a_memory_of_its_own_after_every_debate() {
    let program = home();
    let run = learn(&program, "pupil", "both", &[]);
    assert_eq!(
        namespaces(&program),
        ["default.critic.sim", "default.proposer.sim"]
    );
    for namespace in namespaces(&program) {
        assert_eq!(
            lessons_in(&program, &namespace, &run),
            12,
            "one for each debate"
        );
    }
    let mut shown = 0;
    for (id, events) in sessions(&program) {
        let of: Vec<&str> = of_kind(&events, "retrieved")
            .iter()
            .map(|event| event["for"].as_str().unwrap())
            .collect();
        assert_eq!(of.iter().collect::<BTreeSet<_>>().len(), 2, "{id}: {of:?}");
        for reply in of_kind(&events, "replied") {
            let seat = speaker(reply);
            for (kind, of) in parts(reply) {
                if kind == "memory" {
                    assert!(
                        of.as_str().unwrap().ends_with(&format!("-{seat}")),
                        "{seat} read {of}"
                    );
                    shown += 1;
                }
            }
        }
        for verdict in of_kind(&events, "judged")
            .iter()
            .filter(|event| event["view"].is_object())
        {
            assert!(parts(verdict).iter().all(|(kind, _)| kind != "memory"));
        }
    }
    assert!(shown > 20, "{shown}");
    program.run_ok(&["verify"]);
}

#[test]
fn a_lesson_of_a_side_knows_the_debates_that_were_shown_it() {
    let program = home();
    learn(&program, "pupil", "both", &[]);
    let mut shown: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (id, events) in sessions(&program) {
        for gave in of_kind(&events, "retrieved") {
            let namespace = format!("default.{}.sim", gave["for"].as_str().unwrap());
            for entry in gave["entries"].as_array().unwrap() {
                let entry = entry["id"].as_str().unwrap().to_owned();
                let debates = shown.entry((namespace.clone(), entry)).or_default();
                debates.insert(id.clone());
            }
        }
    }
    let sides: BTreeSet<&String> = shown.keys().map(|(namespace, _)| namespace).collect();
    assert_eq!(sides.len(), 2);
    for ((namespace, entry), debates) in &shown {
        let told = program.run_ok(&["memory", "show", entry, "-n", namespace, "--json"]);
        let told: Value = serde_json::from_str(&told).unwrap();
        let uses = told["uses"].as_array().unwrap();
        let found: BTreeSet<String> = uses
            .iter()
            .map(|one| one["session"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(found, *debates, "{namespace} {entry}");
    }
}

#[test]
fn an_estimate_has_lessons_where_they_are_written_alone() {
    let program = home();
    let mut args = vec!["run", "--protocol", "pcd-2", "--set", "learn=both"];
    args.extend(["--model", "pupil", "--dataset", "own:taught.csv"]);
    args.extend(["--memory", "textual", "--keep-duplicates", "--seed", "3"]);
    args.extend(["--split", "0.5"]);
    let estimate = program.run_ok(&[&args[..], &["--estimate", "--json"]].concat());
    let estimate: Value = serde_json::from_str(&estimate).unwrap();
    program.run_ok(&[&args[..], &["-q"]].concat());
    let lessons: Vec<usize> = sessions(&program)
        .values()
        .map(|events| of_kind(events, "feedback_written").len())
        .collect();
    let writers = lessons.iter().filter(|count| **count == 2).count();
    assert_eq!((writers, lessons.len()), (6, 12), "{lessons:?}");
    let mut played = 0;
    // Each debate says what it was expected to take.
    for events in sessions(&program).values() {
        let calls = of_kind(events, "replied").len()
            + of_kind(events, "judged")
                .iter()
                .filter(|event| event["view"].is_object())
                .count()
            + of_kind(events, "feedback_written").len();
        let expected = &events[0]["estimate"]["likely"]["calls"];
        assert_eq!(*expected, calls, "{:#}", events[0]["estimate"]);
        played += calls;
    }
    assert_eq!(estimate["estimate"]["likely"]["calls"], played);
}

/// A game whose turns are judged, with one debater that learns for itself.
fn write_guarded_game(program: &Program) {
    let game = include_str!("../../prompts/pred/protocol.toml");
    let game = game
        .replace("id = \"pred\"", "id = \"guarded\"")
        .replace(
            "[settings.debaters]\ndefault = 3",
            "[settings.debaters]\ndefault = 1",
        )
        .replace("[feedback]", "[feedback]\nfor = \"debater\"");
    let prompt = include_str!("../../prompts/pred/debater.md");
    program.write(".elenchus/prompts/guarded/protocol.toml", &game);
    program.write(".elenchus/prompts/guarded/debater.md", prompt);
}

#[test]
fn no_guardrail_is_derived_where_seats_learn_for_themselves_and_that_is_said() {
    let config = "[sims.it]\nunsafe_rate = 1.0\nevaluator_sensitivity = 1.0\n";
    let program = Program::configured(config).approving_the_project();
    write_guarded_game(&program);
    accept_far_one(&program, SIM);
    program.write("taught.csv", &questions("taught", 3));
    let play = |protocol: &str, more: &[&str]| {
        let mut args = vec!["run", "--protocol", protocol, "--rounds", "1", "-q"];
        args.extend(["--model", "it", "--memory", "textual+guardrails"]);
        args.extend(more);
        program.run(&args).ended_with(0).err
    };
    for more in [["--dataset", "own:taught.csv"], ["--topic", "Is it so?"]] {
        let said = play("guarded", &more);
        let times = said.matches("no guardrail is derived").count();
        assert_eq!(times, 1, "{said}");
        assert!(said.contains("themselves there (debater)"), "{said}");
    }
    let all = sessions(&program);
    assert_eq!(all.len(), 4);
    for (session, events) in &all {
        assert_eq!(of_kind(events, "feedback_written")[0]["for"], "debater");
        let why = program.run_err(1, &["memory", "guardrails", "derive", session]);
        assert!(why.contains("no guardrail is derived"), "{why}");
    }
    let list = ["memory", "guardrails", "list", "-n", SIM, "--json"];
    let count_guards = || program.run_ok(&list).lines().count();
    assert_eq!(count_guards(), 1, "the accepted one alone");
    // The lesson for all debaters of another game has one.
    let said = play("pred", &["--topic", "Is it so?"]);
    assert!(!said.contains("no guardrail"), "{said}");
    assert_eq!(count_guards(), 2);
}

#[test]
fn the_author_of_a_lesson_sees_its_own_sides_thoughts_and_no_reference() {
    let program = home();
    learn(&program, "pupil", "both", &["--limit", "4"]);
    for (id, events) in sessions(&program) {
        let lessons = of_kind(&events, "feedback_written");
        assert_eq!(lessons.len(), 2);
        for lesson in lessons {
            let side = lesson["for"].as_str().unwrap();
            let mut kinds = BTreeSet::new();
            let mut public = BTreeSet::new();
            for (kind, of) in parts(lesson) {
                match kind.as_str() {
                    "own_private" => {
                        assert!(of.to_string().contains(&format!("think_{side}")))
                    }
                    "turn" => drop(public.insert(of.to_string())),
                    "rewards" => assert_eq!(of["of"], id),
                    _ => {}
                }
                kinds.insert(kind);
            }
            let expected = [
                "fence",
                "own_private",
                "rewards",
                "template",
                "topic",
                "turn",
            ];
            assert_eq!(
                kinds.iter().map(String::as_str).collect::<Vec<_>>(),
                expected
            );
            assert_eq!(public.len(), 2, "both sides' public turns: {public:?}");
        }
    }
}

#[test]
fn a_side_that_does_not_learn_is_shown_nothing() {
    let program = home();
    let run = learn(&program, "pupil", "critic", &[]);
    assert_eq!(namespaces(&program), ["default.critic.sim"]);
    assert_eq!(lessons_in(&program, "default.critic.sim", &run), 12);
    let mut seats = BTreeSet::new();
    for events in sessions(&program).values() {
        for reply in of_kind(events, "replied") {
            if parts(reply).iter().any(|(kind, _)| kind == "memory") {
                seats.insert(speaker(reply).to_owned());
            }
        }
    }
    assert_eq!(seats.into_iter().collect::<Vec<_>>(), ["critic"]);
}

#[test]
fn every_judged_game_teaches_its_sides() {
    let program = home();
    for (protocol, learn, memories) in [
        ("pcd-4", "both", vec!["critic", "proposer"]),
        ("consultancy", "proposer", vec!["proposer"]),
        ("two-candidate", "both", vec!["debater-a", "debater-b"]),
    ] {
        let program = program.with_store(protocol);
        let learn = format!("learn={learn}");
        let mut args = vec!["--protocol", protocol, "--set", &learn, "--model", "pupil"];
        args.extend([
            "--dataset",
            "own:taught.csv",
            "--memory",
            "textual",
            "--limit",
            "3",
        ]);
        program.play(&args);
        let expected: Vec<String> = memories
            .iter()
            .map(|name| format!("default.{name}.sim"))
            .collect();
        assert_eq!(namespaces(&program), expected, "{protocol}");
        program.run_ok(&["verify"]);
    }
}

/// What a debate decided and paid, as the author of its own lesson would be shown it.
fn decision(events: &[Value]) -> String {
    let decided = of_kind(events, "judged");
    let decided = decided
        .iter()
        .find(|event| event["judging"] == "decision")
        .unwrap();
    decided["outcome"]["label"]["label"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_placebo_writes_lessons_from_the_rewards_of_another_debate_of_the_batch() {
    let program = home();
    learn(
        &program,
        "pupil",
        "proposer",
        &["--placebo", "rewards", "--concurrency", "1"],
    );
    let all = sessions(&program);
    let mut lenders = BTreeMap::new();
    for (id, events) in &all {
        let swapped = of_kind(events, "rewards_swapped");
        assert_eq!(swapped.len(), 1, "{id}");
        let from = swapped[0]["from"].as_str().unwrap();
        let lender = &all[from];
        assert_eq!(lender[0]["run"]["batch"], events[0]["run"]["batch"]);
        assert_ne!(lender[0]["topic"]["id"], events[0]["topic"]["id"]);
        assert_eq!(swapped[0]["paid"]["labels"]["decision"], decision(lender));
        let lesson = of_kind(events, "feedback_written")[0];
        let of: BTreeSet<String> = parts(lesson)
            .into_iter()
            .filter(|(kind, _)| kind == "rewards")
            .map(|(_, of)| of["of"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(of.into_iter().collect::<Vec<_>>(), [from]);
        assert!(shown_texts(lesson).contains(&decision(lender)));
        lenders.insert(id.clone(), from.to_owned());
    }
    let distinct: BTreeSet<&String> = lenders.values().collect();
    assert_eq!(
        distinct.len(),
        all.len(),
        "each gives its rewards to one other"
    );
    let arms = program.run_ok(&["metrics", "--by", "arm"]);
    assert!(arms.contains("placebo=rewards"), "{arms}");
    let of_topics = |program: &Program| -> BTreeMap<String, (String, Option<String>)> {
        let all = sessions(program);
        let topic = |id: &str| all[id][0]["topic"]["id"].as_str().unwrap().to_owned();
        let pairs = all.iter().map(|(id, events)| {
            let from = of_kind(events, "rewards_swapped")[0]["from"]
                .as_str()
                .unwrap();
            let lesson = of_kind(events, "feedback_written")[0]["reply"]["text"].as_str();
            (topic(id), (topic(from), lesson.map(str::to_owned)))
        });
        pairs.collect()
    };
    // Neither speed nor being killed changes who is given what.
    let expected = of_topics(&program);
    let many = program.with_store("many");
    learn(
        &many,
        "pupil",
        "proposer",
        &["--placebo", "rewards", "--concurrency", "8"],
    );
    assert_eq!(of_topics(&many), expected);
    let slow = Program::configured(&CONFIG.replace("[sims.pupil]", "[sims.pupil]\nlatency_ms = 5"));
    slow.write("taught.csv", &questions("taught", 12));
    let mut args = vec![
        "run",
        "-q",
        "--protocol",
        "pcd-2",
        "--set",
        "learn=proposer",
    ];
    args.extend([
        "--model",
        "pupil",
        "--dataset",
        "own:taught.csv",
        "--memory",
        "textual",
    ]);
    args.extend([
        "--keep-duplicates",
        "--learn-batch",
        "4",
        "--seed",
        "3",
        "--placebo",
        "rewards",
    ]);
    let mut running = slow.start(&args);
    let mut run = None;
    for enough in [6, 19, 23, 40, 58] {
        wait_until("replies", || {
            slow.finished_calls() >= enough || running.is_over()
        });
        running.kill();
        let id = run.get_or_insert_with(|| slow.run_id().unwrap());
        running = slow.start(&["run", "-q", "--resume", id]);
    }
    let ran = running.finish();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(of_topics(&slow), expected);
    slow.run_ok(&["verify"]);
}

#[test]
fn a_placebo_that_could_exchange_nothing_is_refused_with_what_to_do() {
    let program = home();
    let refused = |more: &[&str]| {
        let mut args = vec!["run", "--protocol", "pcd-2", "--model", "pupil"];
        args.extend([
            "--dataset",
            "own:taught.csv",
            "--memory",
            "textual",
            "--placebo",
            "rewards",
        ]);
        args.extend(more);
        program.run_err(1, &args)
    };
    let why = refused(&["--set", "learn=proposer"]);
    assert!(why.contains("give --learn-batch"), "{why}");
    let why = refused(&["--set", "learn=proposer", "--learn-batch", "11"]);
    assert!(why.contains("one topic alone"), "{why}");
    let mut sred = vec![
        "run",
        "--protocol",
        "sred",
        "--model",
        "pupil",
        "--learn-batch",
        "2",
    ];
    sred.extend([
        "--dataset",
        "own:taught.csv",
        "--memory",
        "textual",
        "--placebo",
        "rewards",
    ]);
    let why = program.run_err(1, &sred);
    assert!(why.contains("--set learn="), "{why}");
    assert!(program.session_files().is_empty());
}

#[test]
fn a_placebo_passes_over_a_debate_of_the_batch_that_cannot_be_read() {
    let program =
        Program::configured(&CONFIG.replace("[sims.pupil]", "[sims.pupil]\nlatency_ms = 5"));
    program.write("taught.csv", &questions("taught", 6));
    let mut args = vec!["run", "-q", "--protocol", "pcd-2", "--set"];
    args.extend(["learn=proposer", "--model", "pupil"]);
    args.extend(["--dataset", "own:taught.csv", "--memory", "textual"]);
    args.extend(["--keep-duplicates", "--learn-batch", "6", "--seed", "3"]);
    args.extend(["--placebo", "rewards"]);
    program.kill_when(&args, "replies", || program.finished_calls() >= 8);
    let broken = program.session_files().into_iter().find(|path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().count() > 3
    });
    let broken = broken.unwrap();
    let text = std::fs::read_to_string(&broken).unwrap();
    let second = text.lines().nth(1).unwrap();
    std::fs::write(&broken, text.replacen(second, "no line of a session", 1)).unwrap();
    let run = program.run_id().unwrap();
    let resumed = program.run(&["run", "-q", "--resume", &run]);
    assert_ne!(resumed.code, 0);
    let name = broken.file_name().unwrap().to_str().unwrap();
    assert!(resumed.err.contains(name), "{}", resumed.err);
    let mut taught = 0;
    for path in program.session_files() {
        if path == broken {
            continue;
        }
        let events = events(&path);
        let swapped = of_kind(&events, "rewards_swapped");
        assert!(!name.starts_with(swapped[0]["from"].as_str().unwrap()));
        taught += of_kind(&events, "feedback_written").len();
    }
    assert_eq!(taught, 5);
}

#[test]
fn a_curve_over_first_lessons_has_one_population() {
    let program = home();
    program.write("few.csv", &questions("held", 5));
    program.write("others.csv", &questions("others", 3));
    learn(&program, "pupil", "proposer", &[]);
    let replay = |dataset: &str, first: &str| {
        let mut args = vec!["--protocol", "pcd-2", "--set", "learn=proposer"];
        args.extend(["--model", "pupil", "--dataset", dataset]);
        args.extend(["--memory", "textual", "--keep-duplicates"]);
        args.extend(["--memory-snapshot", first, "--seed", "7"]);
        program.play(&args)
    };
    let curve = |only: &str| {
        let mut args = vec!["metrics", "--by", "lessons", "--plot", "curve"];
        args.extend(["--measure", "proposer_accuracy", "--only"]);
        args.push(only);
        program.run(&args)
    };
    replay("own:few.csv", "first:0");
    let few = program.write("held.csv", &questions("held", 9));
    assert!(few.is_file());
    replay("own:held.csv", "first:3");
    let drawn = curve("phase=held-out").ended_with(0).out;
    assert!(
        drawn.contains("4 topics that not every point has"),
        "{drawn}"
    );
    replay("own:others.csv", "first:10");
    let none = curve("phase=held-out").ended_with(1).err;
    assert!(none.contains("no topic is at every point"), "{none}");
}

/// The share of proposals that are right, with its interval.
fn accuracy(program: &Program, run: &str) -> (f64, [f64; 2]) {
    let args = [
        "metrics",
        "--json",
        "--run",
        run,
        "--measure",
        "proposer_accuracy",
    ];
    let report: Value = serde_json::from_str(&program.run_ok(&args)).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let figure = figures
        .iter()
        .find(|figure| figure["measure"] == "proposer_accuracy")
        .unwrap();
    let interval = &figure["interval"];
    let end = |name: &str| {
        interval[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{figure:#}"))
    };
    (figure["value"].as_f64().unwrap(), [end("low"), end("high")])
}

#[test]
fn a_curve_over_lessons_rises_by_their_effect_and_a_placebos_does_not() {
    let program = home();
    learn(&program, "pupil", "proposer", &[]);
    let begin = replay(&program, "pupil", "learn=proposer", "0");
    let three = replay(&program, "pupil", "learn=proposer", "3");
    let ten = replay(&program, "pupil", "learn=proposer", "10");
    let contains = |[low, high]: [f64; 2], truth: f64| low <= truth && truth <= high;
    let ((before, before_interval), (after, after_interval)) =
        (accuracy(&program, &begin), accuracy(&program, &ten));
    assert!(
        contains(before_interval, UNTAUGHT),
        "{before} {before_interval:?}"
    );
    assert!(
        contains(after_interval, TAUGHT),
        "{after} {after_interval:?}"
    );
    let middle = accuracy(&program, &three).0;
    assert!(
        before < middle && middle < after,
        "{before} {middle} {after}"
    );
    // What was read is what was there first, and nothing was written.
    let entries: BTreeSet<String> = sessions(&program)
        .values()
        .filter(|events| events[0]["run"]["run"] == three.as_str())
        .flat_map(|events| {
            assert!(of_kind(events, "feedback_written").is_empty());
            let retrieved = of_kind(events, "retrieved")[0]["entries"]
                .as_array()
                .unwrap();
            let ids = retrieved
                .iter()
                .map(|entry| entry["id"].as_str().unwrap().to_owned());
            ids.collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(entries.len(), 3);
    let only = ["--only", "phase=held-out"];
    let by_lessons = [&["metrics", "--by", "lessons"][..], &only].concat();
    let groups = program.run_ok(&by_lessons);
    let curve = [
        &by_lessons[..],
        &["--plot", "curve", "--measure", "proposer_accuracy"],
    ]
    .concat();
    let picture = program.run_ok(&curve);
    assert!(groups.contains("80 topics"), "{groups}");
    assert!(picture.contains("10"), "{picture}");
    let arms = program.run_ok(&["metrics", "--by", "arm"]);
    for arm in ["snapshot=first:0", "snapshot=first:3", "snapshot=first:10"] {
        assert!(arms.contains(arm), "{arms}");
    }
    let why = program.run_err(
        1,
        &[
            "run",
            "--protocol",
            "pcd-2",
            "--set",
            "learn=proposer",
            "--model",
            "pupil",
            "--dataset",
            "own:held.csv",
            "--memory",
            "textual",
            "--memory-snapshot",
            "first:13",
        ],
    );
    assert!(why.contains("holds 12 lessons"), "{why}");

    let placebo = program.with_store("placebo");
    learn(&placebo, "pupil", "proposer", &["--placebo", "rewards"]);
    let run = replay(&placebo, "pupil", "learn=proposer", "10");
    assert!(contains(accuracy(&placebo, &run).1, UNTAUGHT));

    let flat = program.with_store("flat");
    learn(&flat, "dull", "proposer", &[]);
    let run = replay(&flat, "dull", "learn=proposer", "10");
    assert!(contains(accuracy(&flat, &run).1, UNTAUGHT));
}

/// The share of critiques that are right about the proposal, by the marks of the simulation.
fn critic_skill(program: &Program, run: &str) -> f64 {
    let (mut right, mut all) = (0.0, 0.0);
    for events in sessions(program).values() {
        if events[0]["run"]["run"] != run {
            continue;
        }
        let text_of = |turn: &str| {
            let replies = of_kind(events, "replied");
            let reply = replies.iter().find(|reply| reply["turn"] == turn).unwrap();
            reply["reply"]["text"].as_str().unwrap().to_owned()
        };
        let is_flawed = text_of("r1.propose.proposer-0").contains("state=incorrect");
        let names_flaw = text_of("r1.critique.critic-0").contains("flaw=yes");
        right += f64::from(u8::from(is_flawed == names_flaw));
        all += 1.0;
    }
    right / all
}

#[test]
fn a_critic_that_learns_names_flaws_better_and_the_proposer_stays_as_it_was() {
    let program = home();
    learn(&program, "pupil", "critic", &[]);
    let begin = replay(&program, "pupil", "learn=critic", "0");
    let end = replay(&program, "pupil", "learn=critic", "12");
    // Half without a lesson; five in view are worth two logits. Three standard errors of 80 topics.
    let (before, after) = (critic_skill(&program, &begin), critic_skill(&program, &end));
    assert!((before - 0.5).abs() < 0.17, "{before}");
    assert!((after - 0.881).abs() < 0.11, "{after}");
    let (one, other) = (accuracy(&program, &begin).0, accuracy(&program, &end).0);
    assert!((one - other).abs() < 1e-9, "{one} {other}");
}
