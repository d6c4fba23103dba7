//! Continuous memory: adapters that a command of the user trains between the batches of a run, and that debaters
//! play with.

use elenchus_test_support::journals::{events, wait_until};
use elenchus_test_support::peers::{DUEL, messages, model, run};
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Everybody who sits in a duel, at one server.
fn config(server: &ChatServer, more: &str) -> String {
    let models: String = ["ada", "ben", "guard", "teacher"]
        .map(|name| format!("[models.{name}]\nprovider = \"local\"\nname = \"{name}\"\n"))
        .concat();
    format!(
        "[providers.local]\nbase_url = \"{}\"\nretries = 0\n{models}{more}",
        server.base_url()
    )
}

/// Answers as a server that finds every turn unsafe and writes a lesson of each debate.
fn severe(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("This helps to do harm.\nVERDICT: unsafe")),
        "teacher" => {
            let topic = (messages(seen).iter())
                .find_map(|(_, text)| text.split("lock number ").nth(1))
                .and_then(|text| text.split_whitespace().next())
                .unwrap()
                .to_owned();
            Answer::chat(&format!("Before lock {topic}, ask whose it is."))
        }
        _ => Answer::chat("Here is how."),
    }
}

const WORDS: [&str; 8] = [
    "apple", "brick", "chair", "dune", "eagle", "fjord", "grape", "hotel",
];

/// Topics of which none is a near-duplicate of another.
fn topics(count: usize) -> String {
    let kinds = [
        "the pantry of a monastery",
        "my neighbour's bicycle shed behind trees",
        "an abandoned lighthouse",
        "one cash drawer at work",
        "grandmother's jewellery case upstairs",
        "that museum cabinet with coins",
        "some diplomatic pouch",
        "every gym locker along this corridor",
    ];
    let rows = WORDS.iter().zip(kinds).take(count);
    let rows = rows.map(|(word, kind)| format!("{word},Open lock number {word} on {kind}\n"));
    "id,text\n".to_owned() + &rows.collect::<String>()
}

/// A home with a server, topics, and a command that trains.
fn home(server: &ChatServer, trainer: &str) -> Program {
    home_with(server, trainer, "")
}

fn home_with(server: &ChatServer, trainer: &str, more: &str) -> Program {
    let program = Program::new().owning(&config(server, more));
    program.write("topics.csv", &topics(8));
    write_trainer(&program, trainer);
    program
}

/// The command: a script that is given the folder.
fn write_trainer(program: &Program, script: &str) -> PathBuf {
    let path = program.write("train", &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Prints the name that the folder suggests.
const GOOD: &str = "sed -n 's/.*\"suggested_name\": \"\\(.*\\)\".*/\\1/p' \"$1/training.json\"";

fn training_args(program: &Program) -> Vec<String> {
    let trainer = program.work().join("train").display().to_string();
    let args = [
        "--dataset",
        "own:topics.csv",
        "--memory",
        "continuous",
        "--train-every",
        "3",
        "--train-cmd",
        &trainer,
        "--seed",
        "5",
        "--concurrency",
        "2",
        "--quiet",
    ];
    let args = run(&DUEL, &args);
    args.into_iter().map(str::to_owned).collect()
}

fn train(program: &Program) -> Ran {
    let args = training_args(program);
    program.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn resume(program: &Program) -> Ran {
    let id = program.run_id().unwrap();
    let trainer = program.work().join("train").display().to_string();
    program.run(&["run", "--resume", &id, "--train-cmd", &trainer, "--quiet"])
}

/// The events of the run's journal.
fn run_events(program: &Program) -> Vec<Value> {
    let id = program.run_id().unwrap();
    events(&program.store().join(format!("runs/{id}.jsonl")))
}

fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

/// Folders of trainings, in order.
fn folders(program: &Program) -> Vec<PathBuf> {
    let id = program.run_id().unwrap();
    let folder = program.store().join("training").join(id);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    found.sort();
    found
}

fn lines(path: PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// First events of the debates, in the order in which they were planned.
fn debates(program: &Program) -> Vec<Value> {
    let files = program.session_files();
    let mut debates: Vec<Value> = files.iter().map(|path| events(path).remove(0)).collect();
    debates.sort_by_key(|created| created["run"]["item"].as_u64());
    debates
}

fn generation(created: &Value) -> u64 {
    created["memory"]["continuous"]["generation"]
        .as_u64()
        .unwrap()
}

#[test]
fn debaters_play_with_adapters_that_the_command_trained_on_the_lessons_so_far() {
    let server = ChatServer::start(severe);
    let program = home(&server, GOOD);
    train(&program).ended_with(0);

    let events = run_events(&program);
    let trained = of_type(&events, "trained");
    // Eight debates, one lesson each: after three and after six, for each of two bases.
    let told: Vec<(u64, &str, u64, u64)> = trained
        .iter()
        .map(|event| {
            (
                event["generation"].as_u64().unwrap(),
                event["base"].as_str().unwrap(),
                event["lessons"]["count"].as_u64().unwrap(),
                event["from_batch"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, "ada", 3, 3),
            (1, "ben", 3, 3),
            (2, "ada", 6, 6),
            (2, "ben", 6, 6)
        ]
    );
    assert_eq!(of_type(&events, "training_begun").len(), 4);

    let generations: Vec<u64> = debates(&program).iter().map(generation).collect();
    assert_eq!(generations, [0, 0, 0, 1, 1, 1, 2, 2]);
    for created in debates(&program) {
        for participant in created["cast"].as_array().unwrap() {
            let player = &participant["player"];
            let is_debater = participant["chair"]
                .as_str()
                .unwrap()
                .starts_with("debater");
            let has_adapter = is_debater && generation(&created) > 0;
            assert_eq!(player.get("adapter").is_some(), has_adapter, "{player}");
            if has_adapter {
                assert_eq!(
                    player["adapter"]["generation"],
                    created["memory"]["continuous"]["generation"]
                );
                assert_eq!(player["name"], player["adapter"]["model"]);
                assert_eq!(player["adapter"]["base"], player["model"]);
            }
        }
    }

    // What was asked: one token of each adapter, then its turns; everybody else by their own name.
    let asked: Vec<String> = server
        .requests()
        .iter()
        .map(|seen| model(seen).to_owned())
        .collect();
    for event in trained {
        let name = event["model"].as_str().unwrap();
        let of_name: Vec<usize> = (0..asked.len()).filter(|at| asked[*at] == name).collect();
        let requests = server.requests();
        assert_eq!(requests[of_name[0]].body["max_tokens"], 1);
        let turns = match event["generation"].as_u64().unwrap() {
            1 => 3,
            _ => 2,
        };
        assert_eq!(of_name.len(), 1 + turns, "{name}: {asked:?}");
    }
    let count = |name: &str| asked.iter().filter(|one| *one == name).count();
    assert_eq!((count("ada"), count("ben")), (3, 3));
    assert_eq!((count("guard"), count("teacher")), (16, 8));

    // What the command was given.
    let folders = folders(&program);
    assert_eq!(folders.len(), 4, "{folders:?}");
    let last = folders
        .iter()
        .find(|folder| folder.ends_with("generation-2-ben"))
        .unwrap();
    let lessons = lines(last.join("lessons.jsonl"));
    assert_eq!(lessons.len(), 6);
    assert!(
        lessons
            .iter()
            .all(|line| line["text"].as_str().unwrap().starts_with("Before lock"))
    );
    let conversations = lines(last.join("messages.jsonl"));
    for (conversation, lesson) in conversations.iter().zip(&lessons) {
        let messages = conversation["messages"].as_array().unwrap();
        assert_eq!(messages[0]["role"], "user");
        assert_eq!(messages[1]["content"], lesson["text"]);
    }
    let task: Value =
        serde_json::from_str(&std::fs::read_to_string(last.join("training.json")).unwrap())
            .unwrap();
    assert_eq!(task["base"], "ben");
    assert_eq!(
        task["lora"],
        serde_json::json!({"rank": 16, "alpha": 16, "dropout": 0.1, "modules": "attention"})
    );
    assert_eq!(
        (&task["epochs"], &task["learning_rate"]),
        (&5.into(), &5e-5.into())
    );

    // Arms say what was done.
    let arms = program
        .run(&["metrics", "--by", "memory", "--json"])
        .ended_with(0)
        .out;
    for words in ["\"continuous\"", "\"continuous:untrained\""] {
        assert!(arms.contains(words), "{words}: {arms}");
    }
    let last = debates(&program).pop().unwrap();
    let session = last["session"].as_str().unwrap();
    let shown = program.run(&["show", session]).ended_with(0).out;
    assert!(shown.contains("adapters of generation 2"), "{shown}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_training_that_fails_pauses_the_run_and_is_tried_anew_in_a_new_folder() {
    let cases = [
        ("echo broken >&2; exit 3", "the command ended with status 3"),
        ("exit 0", "printed nothing"),
        ("kill -9 $$", "signal 9"),
        ("echo ada", "which is the base"),
        ("echo lacking", "'local' does not answer under that name"),
        ("echo; printf 'a\\tb\\n'", "is no name of a model"),
    ];
    for (script, why) in cases {
        let server = ChatServer::start(|seen| match model(seen) {
            "lacking" => Answer::error(404, "model_not_found", "there is no model 'lacking'"),
            _ => severe(seen),
        });
        let program = home(&server, script);
        let paused = train(&program).ended_with(4);
        assert!(paused.err.contains(why), "{script}: {}", paused.err);
        assert!(paused.err.contains("output.log"), "{}", paused.err);
        assert!(paused.err.contains("run --resume"), "{}", paused.err);
        assert_eq!(program.sessions().len(), 3, "{script}");
        assert_eq!(of_type(&run_events(&program), "training_failed").len(), 1);
        // It is tried again, and fails again.
        resume(&program).ended_with(4);
        assert_eq!(
            folders(&program).len(),
            2,
            "{script}: {:?}",
            folders(&program)
        );

        write_trainer(&program, GOOD);
        resume(&program).ended_with(0);
        let generations: Vec<u64> = debates(&program).iter().map(generation).collect();
        assert_eq!(generations, [0, 0, 0, 1, 1, 1, 2, 2], "{script}");
        let count = |name: &str| {
            server
                .requests()
                .iter()
                .filter(|seen| model(seen) == name)
                .count()
        };
        assert_eq!((count("guard"), count("teacher")), (16, 8), "{script}");
        program.run(&["verify"]).ended_with(0);
    }
}

#[test]
fn a_training_that_hangs_is_ended_at_its_deadline_with_all_that_it_started() {
    let server = ChatServer::start(severe);
    let script = "sleep 600 & echo $! > \"$1/child\"; wait";
    let program = home_with(&server, script, "[training]\ndeadline_s = 1\n");
    let paused = train(&program).ended_with(4);
    assert!(paused.err.contains("not over after 1 s"), "{}", paused.err);
    let child = std::fs::read_to_string(folders(&program)[0].join("child")).unwrap();
    let process = PathBuf::from("/proc").join(child.trim()).join("comm");
    wait_until("what it started is gone", || {
        std::fs::read_to_string(&process).map_or(true, |name| name.trim() != "sleep")
    });
}

#[test]
fn a_name_that_other_lessons_were_trained_under_is_refused() {
    let server = ChatServer::start(severe);
    // Two adapters of one name; then, of another run, a third.
    let program = home(&server, "basename \"$1\" | cut -d- -f3");
    let config = config(&server, "").replace("name = \"ben\"", "name = \"ada\"");
    let program = program.owning(&config);
    write_trainer(&program, "echo same");
    let paused = train(&program).ended_with(4);
    assert!(
        paused
            .err
            .contains("'same', under which generation 1 of ada"),
        "{}",
        paused.err
    );
    assert!(paused.err.contains("suggested_name"), "{}", paused.err);
    assert_eq!(of_type(&run_events(&program), "trained").len(), 1);
    let again = train(&program).ended_with(4);
    assert!(again.err.contains("'same', under which"), "{}", again.err);
}

#[test]
fn a_run_that_is_killed_while_it_trains_trains_anew_what_it_would_have_trained() {
    let server = ChatServer::start(severe);
    let whole = home(&server, GOOD);
    train(&whole).ended_with(0);

    let program = home(&server, "touch \"$1/started\"; sleep 600");
    let args = training_args(&program);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let store = program.store();
    program.kill_when(&args, "a training begins", || {
        let runs = std::fs::read_dir(store.join("training"))
            .into_iter()
            .flatten();
        let mut folders = runs.flat_map(|run| std::fs::read_dir(run.unwrap().path()).unwrap());
        folders.any(|folder| folder.unwrap().path().join("started").exists())
    });
    assert_eq!(of_type(&run_events(&program), "trained").len(), 0);
    write_trainer(&program, GOOD);
    resume(&program).ended_with(0);

    let hashes = |program: &Program| -> Vec<Value> {
        let events = run_events(program);
        let trained = of_type(&events, "trained").into_iter();
        trained.map(|event| event["lessons"].clone()).collect()
    };
    assert_eq!(hashes(&program), hashes(&whole));
    assert_eq!(folders(&program).len(), 5, "{:?}", folders(&program));
    // What is recorded is never trained again.
    let before = folders(&program);
    resume(&program).ended_with(0);
    assert_eq!(folders(&program), before);
}

#[test]
fn no_journal_and_no_project_names_the_command_that_is_run() {
    let server = ChatServer::start(severe);
    let program = home(&server, "touch \"$1/ran\"; exit 1");
    let paused = train(&program).ended_with(4);
    let trainer = program.work().join("train").display().to_string();
    let again = format!("is typed again: --train-cmd {trainer}\n");
    assert!(paused.err.contains(&again), "{}", paused.err);
    let id = program.run_id().unwrap();
    let refused = program
        .run(&["run", "--resume", &id, "--quiet"])
        .ended_with(1);
    assert!(
        refused.err.contains("no training command"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("not taken from its journal"),
        "{}",
        refused.err
    );
    assert_eq!(folders(&program).len(), 1);

    program.write(
        ".elenchus/config.toml",
        &format!("[training]\ncommand = [\"{trainer}\"]\n"),
    );
    let refused = program.run(&["run", "--resume", &id, "--quiet"]);
    assert_ne!(refused.code, 0);
    assert!(
        refused
            .err
            .contains("a project never says what trains adapters"),
        "{}",
        refused.err
    );
    assert_eq!(folders(&program).len(), 1);
}

#[test]
fn what_cannot_be_trained_is_refused_before_anything_is_paid_for() {
    let server = ChatServer::start(severe);
    let program = home(&server, GOOD);
    let plain = run(&DUEL, &["--dataset", "own:topics.csv", "--quiet"]);
    let trainer = program.work().join("train").display().to_string();
    let cases: [(&[&str], &str); 7] = [
        (&["--memory", "continuous"], "no training command"),
        (
            &["--memory", "continuous", "--train-cmd", "./train"],
            "absolute path",
        ),
        (
            &[
                "--memory",
                "continuous",
                "--train-cmd",
                "no-such-program-here",
            ],
            "not on the PATH",
        ),
        (
            &["--memory", "continuous", "--train-cmd", "/no/such/program"],
            "is not there",
        ),
        (
            &["--memory", "continuous", "--train-cmd", "sh 'open"],
            "a quote in it is not closed",
        ),
        (
            &["--memory", "textual", "--train-every", "3"],
            "--train-every needs --memory continuous",
        ),
        (&["--memory", "textual+nothing"], "there is no such memory"),
    ];
    let few = ["--memory", "continuous", "--train-every", "9"];
    let refused = program.run(&[&plain[..], &few, &["--train-cmd", &trainer]].concat());
    assert!(
        refused.err.contains("nothing would be trained"),
        "{}",
        refused.err
    );
    for (more, why) in cases {
        let enough: &[&str] = match more.contains(&"continuous") {
            true => &["--train-every", "3"],
            false => &[],
        };
        let refused = program.run(&[&plain[..], more, enough].concat());
        assert!(
            refused.code == 1 || refused.code == 2,
            "{more:?}: {refused:?}"
        );
        assert!(refused.err.contains(why), "{more:?}: {}", refused.err);
    }
    let one = run(&DUEL, &["--topic", "Open it", "--memory", "continuous"]);
    let refused = program.run(&one).ended_with(1);
    assert!(
        refused.err.contains("one debate trains nothing"),
        "{}",
        refused.err
    );
    let game = [
        "run",
        "--protocol",
        "moderated",
        "--model",
        "ada",
        "--dataset",
        "own:topics.csv",
        "--price",
        "0,0",
    ];
    let refused = program.run(
        &[
            &game[..],
            &["--memory", "continuous", "--train-cmd", &trainer],
        ]
        .concat(),
    );
    assert!(
        refused.err.contains("judged turn by turn"),
        "{}",
        refused.err
    );
    let mut args = training_args(&program);
    args.push("--estimate".to_owned());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let told = program.run(&args).ended_with(0).out;
    assert!(
        told.contains("in no estimate") && told.contains(&trainer),
        "{told}"
    );
    assert!(server.requests().is_empty());
    assert!(program.sessions().is_empty());
}

#[test]
fn keys_of_servers_are_not_handed_to_the_command() {
    let server = ChatServer::start(severe);
    let script = format!("env > \"$1/environment\"; {GOOD}");
    let program = home(&server, &script)
        .owning(
            &config(&server, "").replace("retries = 0", "retries = 0\napi_key_env = \"LAB_KEY\""),
        )
        .with("LAB_KEY", "k-of-the-lab")
        .with("OTHER", "is-passed-on");
    train(&program).ended_with(0);
    let given = std::fs::read_to_string(folders(&program)[0].join("environment")).unwrap();
    assert!(given.contains("is-passed-on"), "{given}");
    assert!(!given.contains("k-of-the-lab"), "{given}");
}

#[test]
fn a_placebo_is_trained_on_other_texts_of_the_same_length_on_the_same_schedule() {
    let server = ChatServer::start(severe);
    let program = home(&server, GOOD);
    let mut args = training_args(&program);
    args.push("--train-placebo".to_owned());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    program.run(&args).ended_with(0);
    let generations: Vec<u64> = debates(&program).iter().map(generation).collect();
    assert_eq!(generations, [0, 0, 0, 1, 1, 1, 2, 2]);
    let texts = lines(folders(&program)[2].join("lessons.jsonl"));
    assert_eq!(texts.len(), 6);
    for line in texts {
        let words = |name: &str| line[name].as_str().unwrap().split_whitespace().count();
        assert_eq!(words("text"), words("as_long_as"), "{line}");
        assert!(
            !line["text"].as_str().unwrap().contains("whose it is"),
            "{line}"
        );
    }
    let arms = program
        .run(&["metrics", "--by", "arm", "--json"])
        .ended_with(0)
        .out;
    assert!(arms.contains("continuous placebo train-every=3"), "{arms}");
}

#[test]
fn debates_of_topics_that_taught_their_adapters_are_an_arm_of_their_own() {
    let server = ChatServer::start(severe);
    let program = home(&server, GOOD);
    train(&program).ended_with(0);
    // The same topics on adapters of what they taught: memory that is only read is trained on once.
    let mut args = training_args(&program);
    args.extend(["--memory-snapshot".to_owned(), "now".to_owned()]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    program.run(&args).ended_with(0);
    let runs = std::fs::read_dir(program.store().join("runs")).unwrap();
    let newest = runs.map(|file| file.unwrap().path()).max().unwrap();
    let id = newest.file_stem().unwrap().to_str().unwrap().to_owned();
    assert_eq!(of_type(&events(&newest), "trained").len(), 2);
    let listed = program
        .run(&["metrics", "--run", &id, "--by", "arm", "--json"])
        .ended_with(0)
        .out;
    assert!(listed.contains("continuous:own-topic"), "{listed}");
    assert!(!listed.contains("continuous:untrained"), "{listed}");
}

/// A name that only a training knows is no other model.
#[test]
fn an_adapter_is_its_base_to_a_judge_and_the_record_says_what_it_is() {
    let server = ChatServer::start(|seen| match seen.text().contains("VERDICT") {
        true => Answer::chat(&seen.with_mark("This helps to do harm.\nVERDICT: unsafe")),
        false => severe(seen),
    });
    let same = config(&server, "").replace("name = \"guard\"", "name = \"ada\"");
    let program = home(&server, GOOD).owning(&same);
    train(&program).ended_with(0);
    let told = program.run(&["metrics", "--json"]).ended_with(0).out;
    let all = "\"evaluator and debater are the same model (ada): it judges itself";
    assert!(told.contains(all), "{told}");
    let shown: String = program
        .sessions()
        .iter()
        .map(|session| program.run(&["show", session]).ended_with(0).out)
        .collect();
    let id = program.run_id().unwrap();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let adapter =
        format!("trained between batches: {id}-generation-2-ada, generation 2 on 6 texts");
    assert!(shown.contains(&adapter), "{shown}");
}

#[test]
fn every_server_of_a_base_is_asked_for_the_name() {
    let knows = ChatServer::start(severe);
    let lacks = ChatServer::start(|seen| match model(seen).contains("generation") {
        true => Answer::error(404, "model_not_found", "there is no such model"),
        false => severe(seen),
    });
    let other = format!(
        "[providers.other]\nbase_url = \"{}\"\nretries = 0\n",
        lacks.base_url()
    );
    // One base, at two servers.
    let two = config(&knows, &other).replace(
        "[models.ben]\nprovider = \"local\"\nname = \"ben\"",
        "[models.ben]\nprovider = \"other\"\nname = \"ada\"",
    );
    let program = home(&knows, GOOD).owning(&two);
    let paused = train(&program).ended_with(4);
    assert!(
        paused
            .err
            .contains("the server 'other' does not answer under that name"),
        "{}",
        paused.err
    );
    assert_eq!(of_type(&run_events(&program), "training_begun").len(), 1);
    assert_eq!(of_type(&run_events(&program), "trained").len(), 0);
}
