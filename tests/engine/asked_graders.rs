//! Graders that ask somebody besides their rules of comparison: a model that alone is shown the reference answer, or
//! a program of the user's that may be silent, endless or wrong.

use elenchus_test_support::peers::of_kind;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A reference that no model would write by itself.
const REFERENCE: &str = "zyxref-4711";

/// A game of two that answer one after the other and see each other, with an evaluator, a lesson and a grader.
fn protocol(grader: &str) -> String {
    format!(
        r#"
id = "pair"
name = "A pair"
description = "Two answers, graded."
measures = "correctness"
rounds = 2
[[seats]]
id = "solver"
kind = "speaker"
label = "Solver"
count = 2
[[seats]]
id = "grader"
kind = "evaluator"
label = "Grader"
[[seats]]
id = "judge"
kind = "judge"
label = "Judge"
[[seats]]
id = "feedback"
kind = "feedback"
label = "Coach"
[[stages]]
id = "solve"
seats = ["solver"]
sees = {{ topic = true, verdicts = true, turns = [{{ seats = ["self", "peers"] }}] }}
[[judging]]
id = "truth"
grader = {grader}
of = "turn"
turns = [{{ seats = ["solver"] }}]
[[judging]]
id = "decision"
by = "judge"
of = "debate"
rubric = "correct-or-not"
sees = {{ topic = true, turns = [{{ seats = ["solver"] }}] }}
[[feedback]]
by = "feedback"
when = "always"
template = "lesson"
sees = {{ topic = true, turns = [{{ seats = ["solver"] }}] }}
"#
    )
}

const TURNS: &str = "{% for turn in turns %}{{ turn.label }} wrote:\n{{ turn.text }}\n{{ turn.verdict }}\n{% endfor %}";

fn write_game(program: &Program, grader: &str) {
    let folder = ".elenchus/prompts/pair";
    let ask = format!("=== system\nSolve it.\n=== user\n{{{{ topic }}}}\n{TURNS}\n");
    let learn = format!("=== system\nWrite a lesson.\n=== user\n{{{{ topic }}}}\n{TURNS}\n");
    program.write(&format!("{folder}/protocol.toml"), &protocol(grader));
    program.write(&format!("{folder}/solver.md"), &ask);
    program.write(&format!("{folder}/lesson.md"), &learn);
}

fn answer(seen: &ChatRequest) -> Answer {
    let text = seen.text();
    if text.contains("You grade one solution") {
        let grade = match text.contains("it is the morning star") {
            true => "GRADE: correct",
            false => "GRADE: incorrect",
        };
        return Answer::chat(&seen.with_mark(&format!("The reference is {REFERENCE}.\n{grade}")));
    }
    if text.contains("DECISION") {
        return Answer::chat(&seen.with_mark("It holds.\nDECISION: correct"));
    }
    if text.contains("Write a lesson") {
        return Answer::chat("Look twice.");
    }
    Answer::chat("I believe that it is the morning star.")
}

fn play(program: &Program, more: &[&str]) -> elenchus_test_support::program::Ran {
    let game = ["run", "--protocol", "pair", "--model", "gpt-x"];
    let topic = ["--topic", "Which one?", "--reference", REFERENCE];
    program.run(&[&game[..], &topic, more].concat())
}

/// Verdicts of a rule of the newest session, each as its outcome.
fn outcomes(program: &Program, rule: &str) -> Vec<Value> {
    let events = program.events("last");
    let judged = of_kind(&events, "judged")
        .into_iter()
        .filter(|judged| judged["judging"] == rule)
        .map(|judged| judged["outcome"].clone());
    judged.collect()
}

#[test]
fn a_grader_alone_is_shown_the_reference_and_its_finding_is_the_truth() {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    write_game(
        &program,
        r#"{ by = "grader", rubric = "same-answer", rules = "none" }"#,
    );
    play(&program, &[]).ended_with(0);
    let (graders, others): (Vec<_>, Vec<_>) = server
        .calls()
        .into_iter()
        .partition(|call| call.text().contains("You grade one solution"));
    assert_eq!(graders.len(), 4, "one for each turn");
    assert!(graders.iter().all(|call| call.text().contains(REFERENCE)));
    // Four turns, a decision and a lesson: none of them holds the reference, or that anything was graded.
    assert_eq!(others.len(), 6);
    for call in &others {
        let text = call.text();
        assert!(!text.contains(REFERENCE), "{text}");
        let is_judge = text.contains("DECISION");
        assert!(is_judge || !text.contains("correct"), "{text}");
    }
    assert_eq!(outcomes(&program, "truth-asked").len(), 4);
    let figures = program.figures();
    assert_eq!(figures.value("answer_accuracy"), 1.0);
    assert_eq!(figures.value("grader_undecided"), 1.0);

    // Nothing that leaves the store holds it.
    let session = program.sessions().remove(0);
    let run = |args: &[&str]| program.run(args).ended_with(0);
    run(&[
        "labels",
        "queue",
        "q",
        "--all",
        "--session",
        &session,
        "--set",
        "game-verdict",
    ]);
    run(&["labels", "pack", "--queue", "q", "pack"]);
    run(&["report", &session, "-o", "page.html"]);
    run(&["export", "--outcomes", "-o", "outcomes.jsonl"]);
    run(&["export", "--sft", "judge", "-o", "judge.jsonl"]);
    run(&["export", "--turns", "turns.csv"]);
    run(&["export", "--debates", "debates.csv"]);
    let mut left = Vec::new();
    let mut folders = vec![program.work()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != ".elenchus" {
                folders.push(path);
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                left.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    assert!(
        left.len() >= 7,
        "{:?}",
        left.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    for (name, text) in left {
        assert!(!text.contains(REFERENCE), "{name}");
    }
    // It is in the journal, and who researches finds it.
    assert!(
        program
            .run_ok(&["show", "last", "--views"])
            .contains(REFERENCE)
    );
}

#[test]
fn rules_come_first_and_a_sample_of_what_they_decided_is_asked_as_well() {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    // The rule for words calls these answers wrong; the grader calls them right.
    write_game(&program, r#"{ by = "grader", rubric = "same-answer" }"#);
    play(&program, &[]).ended_with(0);
    assert_eq!(outcomes(&program, "truth").len(), 4);
    assert!(
        outcomes(&program, "truth-asked").is_empty(),
        "rules decided all"
    );
    assert_eq!(program.figures().value("answer_accuracy"), 0.0);

    let program = Program::facing(&server);
    write_game(
        &program,
        r#"{ by = "grader", rubric = "same-answer", sample = 1 }"#,
    );
    play(&program, &[]).ended_with(0);
    assert_eq!(outcomes(&program, "truth-asked").len(), 4);
    let figures = program.figures();
    assert_eq!(
        figures.value("answer_accuracy"),
        0.0,
        "what rules decided stands"
    );
    assert_eq!(
        figures.part("grader_disagreement", "truth-asked")["value"],
        1.0
    );
    assert_eq!(figures.value("grader_undecided"), 0.0);
    let printed = program.run_ok(&["metrics"]);
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("4 that they call incorrect are called correct, 0 the other way"),
        "{printed}"
    );
}

#[test]
fn an_open_task_is_graded_in_points_which_can_be_paid() {
    let server = ChatServer::start(|seen| {
        let text = seen.text();
        match text.contains("What a full answer holds") {
            true => Answer::chat(&seen.with_mark("Little is there.\nPOINTS: 1")),
            false => answer(seen),
        }
    });
    let program = Program::facing(&server);
    write_game(
        &program,
        r#"{ by = "grader", rubric = "points", rules = "none" }"#,
    );
    let file = program.work().join(".elenchus/prompts/pair/protocol.toml");
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.push_str("[rewards.truth]\n4_points = { solver = 1.0 }\n1_point = { solver = 0.25 }\n");
    std::fs::write(&file, &text).unwrap();
    play(&program, &[]).ended_with(0);
    let found = outcomes(&program, "truth-asked");
    let labels: Vec<&Value> = found.iter().map(|one| &one["label"]["label"]).collect();
    assert_eq!(labels, ["1_point"; 4]);
    let shown = program.run_ok(&["show", "last"]);
    assert!(
        shown.contains("Solver 1: +0.5"),
        "two turns of a quarter: {shown}"
    );
    assert_eq!(program.figures().value("answer_accuracy"), 0.0);
    std::fs::write(&file, text.replace("1_point", "9_points")).unwrap();
    let refused = program.run(&["protocols", "check", "pair"]);
    assert!((refused.out + &refused.err).contains("9_points"));
}

/// Writes a program of the shell, and names it in the user's configuration.
fn grading_by(server: &ChatServer, script: &str) -> Program {
    let program = Program::facing(server);
    let path = program.write("grade.sh", &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let table = format!(
        "[graders.check]\ncommand = [{}]\ndeadline_s = 1\n",
        json!(path.display().to_string())
    );
    let program = program.owning(&table);
    write_game(&program, r#"{ command = "check", rules = "none" }"#);
    program
}

#[test]
fn a_command_reads_one_line_and_prints_one_without_a_key_in_its_environment() {
    let server = ChatServer::start(answer);
    let script = r#"cd "$(dirname "$0")"
read line
printf '%s\n' "$line" > seen.json
env > seen.env
echo '{"verdict": "correct", "reason": "it is", "points": 3}'"#;
    let program = grading_by(&server, script);
    play(&program, &[]).ended_with(0);
    let read = |name: &str| std::fs::read_to_string(program.work().join(name)).unwrap();
    let seen: Value = serde_json::from_str(&read("seen.json")).unwrap();
    assert_eq!(seen["question"], "Which one?");
    assert_eq!(seen["reference"], REFERENCE);
    assert_eq!(seen["answer"], "I believe that it is the morning star.");
    let environment = read("seen.env");
    assert!(environment.contains("PATH="), "{environment}");
    for (name, value) in program.environment() {
        let is_key = name.contains("KEY");
        assert!(!is_key || !environment.contains(&value), "{environment}");
    }
    assert!(!environment.contains("KEY"), "{environment}");
    assert_eq!(
        outcomes(&program, "truth-asked")[0]["label"],
        json!({"label": "correct", "value": 1.0, "reason": "it is", "fields": {"points": 3.0}})
    );
    assert_eq!(program.figures().value("answer_accuracy"), 1.0);
}

#[test]
fn what_a_command_prints_beside_a_verdict_is_no_verdict() {
    let server = ChatServer::start(answer);
    for (script, why) in [
        ("echo garbage", "printed no verdict"),
        ("true", "printed nothing"),
        (
            r#"echo '{"verdict": "correct"}'; echo '{"verdict": "incorrect"}'"#,
            "several lines",
        ),
        (
            r#"echo '{"verdict": "yes"}'"#,
            "neither correct, incorrect nor undecided",
        ),
        (
            r#"echo '{"verdict": "undecided", "reason": "no algebra"}'"#,
            "decided nothing: 'no algebra'",
        ),
        (
            r#"echo '{"verdict": "correct", "rewards": 5}'"#,
            "unknown field",
        ),
    ] {
        let program = grading_by(&server, script);
        play(&program, &[]).ended_with(0);
        let found = outcomes(&program, "truth-asked");
        assert_eq!(found.len(), 4, "{script}");
        let said = found[0]["unparsed"]["why"].as_str().unwrap_or_default();
        assert!(said.contains(why), "{script}: {found:?}");
        let figures = program.figures();
        let accuracy = &figures.of("answer_accuracy")["value"];
        assert_eq!(accuracy, &Value::Null, "{script}");
    }
}

#[test]
fn a_command_that_fails_leaves_the_verdict_open_until_it_is_mended() {
    let server = ChatServer::start(answer);
    for (script, why) in [
        ("while true; do :; done", "was not over after 1 s"),
        (
            "echo '{\"verdict\": \"correct\"}'; sleep 1000",
            "was not over after 1 s",
        ),
        (
            "head -c 1000000 /dev/zero | tr '\\0' 'x'; sleep 1000",
            "printed more than 64 KiB",
        ),
        ("echo broken >&2; exit 3", "ended with status 3: 'broken'"),
    ] {
        let program = grading_by(&server, script);
        let ran = play(&program, &[]);
        assert_ne!(ran.code, 0, "{script}");
        let events = program.events("last");
        let failed = of_kind(&events, "failed");
        assert_eq!(failed.len(), 4, "{script}");
        let said = failed[0]["message"].as_str().unwrap();
        assert!(said.contains(why), "{script}: {said}");
        assert!(outcomes(&program, "truth-asked").is_empty(), "{script}");

        let calls = server.calls().len();
        program.write("grade.sh", "#!/bin/sh\necho '{\"verdict\": \"correct\"}'\n");
        let session = program.sessions().remove(0);
        program
            .run(&["run", "--resume-session", &session])
            .ended_with(0);
        assert_eq!(outcomes(&program, "truth-asked").len(), 4, "{script}");
        // Nothing that was there is asked again: the lesson alone waited.
        assert!(server.calls().len() <= calls + 2, "{script}");
    }
}

#[test]
fn a_protocol_names_a_command_and_only_the_user_says_which_program_that_is() {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    write_game(&program, r#""command:check""#);
    let refused = play(&program, &[]);
    assert_ne!(refused.code, 0);
    assert!(
        refused
            .err
            .contains("the grader command 'check' is not known here"),
        "{}",
        refused.err
    );
    for (typed, why) in [
        ("check=grade.sh", "absolute path"),
        ("check", "write NAME=COMMAND"),
        ("check=/nowhere/grade", "is not there"),
    ] {
        let refused = play(&program, &["--grader", typed]);
        assert_ne!(refused.code, 0);
        assert!(refused.err.contains(why), "{typed}: {}", refused.err);
    }
    // A project's own configuration may not say it.
    let marked = program.path("was-run");
    let script = program.write(
        "bad.sh",
        &format!("#!/bin/sh\ntouch {}\n", marked.display()),
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let table = format!(
        "[graders.check]\ncommand = [{}]\n",
        json!(script.display().to_string())
    );
    program.write(".elenchus/config.toml", &table);
    let refused = play(&program, &[]);
    assert!(
        refused
            .err
            .contains("a project never says which program grades"),
        "{}",
        refused.err
    );
    assert_ne!(refused.code, 0);
    assert!(!marked.exists());
    assert!(
        server.calls().is_empty(),
        "nothing was asked before it was refused"
    );
}

#[test]
fn a_template_of_anybody_else_that_names_the_reference_is_refused() {
    let program = Program::new();
    let grader = r#"{ by = "grader", rubric = "same-answer", rules = "none" }"#;
    write_game(&program, grader);
    program.run(&["protocols", "check", "pair"]).ended_with(0);
    for file in ["solver", "lesson"] {
        write_game(&program, grader);
        let text = "=== user\n{{ topic }} {{ reference }}\n";
        program.write(&format!(".elenchus/prompts/pair/{file}.md"), text);
        let refused = program.run(&["protocols", "check", "pair"]);
        assert_ne!(refused.code, 0);
        let said = refused.out + &refused.err;
        assert!(
            said.contains("there is no 'reference' here"),
            "{file}: {said}"
        );
    }
    // A rubric that asks for it judges nobody's debates in a pass.
    program.run_ok(&[
        "run",
        "--protocol",
        "pcd-2",
        "--topic",
        "Which?",
        "--model",
        "sim",
    ]);
    let refused = program.run(&[
        "judge",
        "--all",
        "--rubric",
        "same-answer",
        "--model",
        "sim",
    ]);
    assert_ne!(refused.code, 0);
    assert!(
        refused.err.contains("which a game's grader alone is shown"),
        "{}",
        refused.err
    );
    assert_eq!(program.run_ok(&["judge", "list", "--json"]).trim(), "");
}

/// A grader's server that does this when it is asked, and answers well later.
fn graded_by_a_server(
    bad: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static,
) -> (Program, ChatServer, Arc<AtomicBool>) {
    let mended = Arc::new(AtomicBool::new(false));
    let is_mended = Arc::clone(&mended);
    let server = ChatServer::start(move |seen| {
        let is_grader = seen.text().contains("You grade one solution");
        match is_grader && !is_mended.load(Ordering::SeqCst) {
            true => bad(seen),
            false => answer(seen),
        }
    });
    let config = format!(
        "[providers.openai]\nbase_url = \"{}\"\nretries = 0\nfirst_token_s = 1\nstall_s = 1\n",
        server.base_url()
    );
    let program = Program::new().owning(&config);
    write_game(
        &program,
        r#"{ by = "grader", rubric = "same-answer", rules = "none" }"#,
    );
    (program, server, mended)
}

#[test]
fn a_grader_whose_server_misbehaves_states_nothing_or_is_asked_again() {
    let garbage = |_: &ChatRequest| Answer::chat("Both are fine, I suppose.");
    let megabyte = |_: &ChatRequest| Answer::whole(&"nothing ".repeat(1 << 17));
    for bad in [garbage as fn(&ChatRequest) -> Answer, megabyte] {
        let (program, _server, _) = graded_by_a_server(bad);
        play(&program, &[]).ended_with(0);
        let found = outcomes(&program, "truth-asked");
        assert_eq!(found.len(), 4);
        assert!(
            found.iter().all(|one| one["unparsed"].is_object()),
            "{found:?}"
        );
        let figures = program.figures();
        assert_eq!(figures.of("answer_accuracy")["value"], Value::Null);
    }
    let stalls = |_: &ChatRequest| Answer::stall();
    let refuses = |_: &ChatRequest| Answer::error(500, "broken", "not today");
    for bad in [stalls as fn(&ChatRequest) -> Answer, refuses] {
        let (program, server, mended) = graded_by_a_server(bad);
        assert_ne!(play(&program, &[]).code, 0);
        assert!(
            outcomes(&program, "truth-asked").is_empty(),
            "a failure is no verdict"
        );
        mended.store(true, Ordering::SeqCst);
        let turns = |server: &ChatServer| {
            let calls = server.calls();
            calls
                .iter()
                .filter(|call| call.text().contains("Solve it."))
                .count()
        };
        let before = turns(&server);
        let session = program.sessions().remove(0);
        program
            .run(&["run", "--resume-session", &session])
            .ended_with(0);
        assert_eq!(outcomes(&program, "truth-asked").len(), 4);
        assert_eq!(turns(&server), before, "no turn is asked for again");
    }
}

/// Where Python has sympy; the example is tried where it is there, and nowhere else.
fn find_sympy() -> Option<String> {
    let path = "import sympy, sys; print(sys.executable)";
    let ran = std::process::Command::new("python3")
        .args(["-c", path])
        .output()
        .ok()?;
    let printed = String::from_utf8(ran.stdout).ok()?;
    ran.status.success().then(|| printed.trim().to_owned())
}

#[test]
fn the_example_with_sympy_proves_what_rules_of_comparison_do_not() {
    let Some(python) = find_sympy() else {
        println!("python3 has no sympy here: the example was not tried");
        return;
    };
    let said = Arc::new(Mutex::new(String::new()));
    let next = Arc::clone(&said);
    let server = ChatServer::start(move |seen| match seen.text().contains("Solve it.") {
        true => Answer::chat(&format!("It is \\boxed{{{}}}.", next.lock().unwrap())),
        false => answer(seen),
    });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/grading/sympy_grade.py");
    for (reply, reference, label) in [
        (r"(x+1)^2", r"x^2+2x+1", "correct"),
        (r"\frac{1}{2}+y", "y+0.5", "correct"),
        (r"\sin(x)^2+\cos(x)^2", "1", "correct"),
        (r"x^3", r"x^2", "incorrect"),
        (r"__import__(1)", "1", "undecided"),
        (r"9^9^9^9", "1", "undecided"),
    ] {
        reply.clone_into(&mut said.lock().unwrap());
        let program = Program::facing(&server);
        write_game(&program, r#"{ command = "sympy", rules = "none" }"#);
        let game = ["run", "--protocol", "pair", "--model", "gpt-x"];
        let topic = ["--topic", "Which one?", "--reference", reference];
        let grader = format!("sympy={python} {script}");
        let ran = program.run(&[&game[..], &topic, &["--grader", &grader]].concat());
        ran.ended_with(0);
        let found = outcomes(&program, "truth-asked").remove(0);
        let why = found["unparsed"]["why"].as_str().unwrap_or_default();
        match label {
            "undecided" => assert!(why.contains("decided nothing"), "{reply}: {found}"),
            label => assert_eq!(found["label"]["label"], label, "{reply}: {found}"),
        }
    }
}

#[test]
fn another_judge_leaves_what_a_grader_that_asks_found_and_its_prompt_is_none_of_a_judges() {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    write_game(
        &program,
        r#"{ by = "grader", rubric = "same-answer", rules = "none" }"#,
    );
    play(&program, &[]).ended_with(0);
    let asked = server.calls().len();
    let judge = ["judge", "--all", "--model", "gpt-y", "-q"];
    program.run(&judge).ended_with(0);
    assert_eq!(server.calls().len(), asked + 1, "the decision alone");
    let report = program.run_ok(&["metrics", "--pass", "last", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let aligned = figures
        .iter()
        .find(|one| one["measure"] == "judge_alignment_middle_neither");
    assert_eq!(aligned.expect("a figure")["value"], 1.0, "{figures:#?}");
    program.write("mine.md", "=== user\n{{ topic }} {{ reference }}\n");
    let try_it = ["prompts", "ab", "--seat", "grader", "--a", "recorded"];
    let ran = program.run(&[&try_it[..], &["--b", "mine.md"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("has a seat or template like that"),
        "{ran:?}"
    );
    assert_eq!(server.calls().len(), asked + 1);
}
