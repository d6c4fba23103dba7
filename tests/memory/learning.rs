//! Long-term memory: lessons that debates share, and lessons that are kept from them.

use elenchus_records::workspace::memory::MemoryBook;
use elenchus_store::{Layout, SyncPool};
use elenchus_test_support::journals::{events, wait_until};
use elenchus_test_support::lessons::kindred_topics;
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything is unsafe, so every debate teaches.
const CONFIG: &str = "[sims.it]\nunsafe_rate = 0.7\n[sims.slow]\nunsafe_rate = 0.7\n";

/// Topics that share words, and a near-duplicate of the first.
fn topics() -> String {
    kindred_topics(10) + "t10,Say the details and steps for a bicycle tyre in cold winter\n"
}

fn home() -> Program {
    let program = Program::with_topics(CONFIG);
    program.write("many.csv", &topics());
    program
}

const RUN: [&str; 13] = [
    "--dataset",
    "own:many.csv",
    "--protocol",
    "pred",
    "--rounds",
    "1",
    "--model",
    "it",
    "--memory",
    "textual",
    "--learn-batch",
    "2",
    "--seed",
];

fn played(program: &Program, more: &[&str]) -> String {
    let mut args = RUN.to_vec();
    args.push("3");
    args.extend(more);
    program.play(&args)
}

/// A session as memory sees it.
struct Taught {
    topic: String,
    batch: u64,
    /// Sessions whose lessons were shown.
    shown: Vec<String>,
    /// Why others were not, by lesson.
    excluded: BTreeMap<String, String>,
}

fn taught(program: &Program) -> BTreeMap<String, Taught> {
    let sessions = program.session_files();
    let read = sessions.iter().map(|path| {
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let events = events(path);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let retrieved: Vec<&Value> = events
            .iter()
            .filter(|event| event["type"] == "retrieved")
            .collect();
        assert_eq!(retrieved.len(), 1, "{id}");
        let pairs = retrieved[0]["excluded"].as_array().into_iter().flatten();
        let taught = Taught {
            topic: text(&events[0]["topic"]["id"]),
            batch: events[0]["run"]["batch"].as_u64().unwrap(),
            shown: retrieved[0]["entries"]
                .as_array()
                .unwrap()
                .iter()
                .map(|entry| text(&entry["origin"]))
                .collect(),
            excluded: pairs.map(|pair| (text(&pair[0]), text(&pair[1]))).collect(),
        };
        (id, taught)
    });
    read.collect()
}

#[test]
fn what_debates_learn_does_not_depend_on_concurrency_or_on_being_killed() {
    let program = home();
    let one = program.with_store("one");
    played(&one, &["--concurrency", "1"]);
    let expected = one.debates();
    assert!(expected.values().any(|debate| debate.retrieved.len() == 5));
    // Ids differ from run to run: a tie that they broke would show sooner or later.
    for store in ["a", "b", "c", "d"] {
        let many = program.with_store(store);
        played(&many, &["--concurrency", "8"]);
        assert_eq!(many.debates(), expected);
        assert_eq!(many.untimed_report(), one.untimed_report());
    }
    let slow = Program::with_topics("[sims.it]\nunsafe_rate = 0.7\nlatency_ms = 5\n");
    slow.write("many.csv", &topics());
    let mut args = vec!["run", "-q"];
    args.extend(RUN);
    args.push("3");
    let mut running = slow.start(&args);
    let mut run = None;
    for enough in [4, 25, 40, 60] {
        wait_until("replies", || {
            slow.finished_calls() >= enough || running.is_over()
        });
        running.kill();
        let id = run.get_or_insert_with(|| slow.run_id().unwrap());
        running = slow.start(&["run", "-q", "--resume", id]);
    }
    let ran = running.finish();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(slow.debates(), expected);
    slow.run_ok(&["verify"]);
}

#[test]
fn a_debate_is_shown_lessons_of_earlier_batches_only_and_never_those_of_its_like() {
    let program = home();
    // Every lesson is an entry of its own, under its own name.
    played(&program, &["--keep-duplicates"]);
    let all = taught(&program);
    let mut shown = 0;
    for (id, debate) in &all {
        for origin in &debate.shown {
            let teacher = &all[origin];
            assert!(
                teacher.batch < debate.batch,
                "{id} learned from its own batch"
            );
            assert_ne!(teacher.topic, debate.topic);
            let pair = [teacher.topic.as_str(), debate.topic.as_str()];
            assert!(!pair.iter().all(|topic| ["t0", "t10"].contains(topic)));
            shown += 1;
        }
    }
    assert!(shown > 10);
    // Of the two near-duplicates, the later one says why it was not shown the earlier one's lesson.
    let of = |topic: &str| {
        all.iter()
            .find(|(_, taught)| taught.topic == topic)
            .unwrap()
    };
    let (mut first, mut second) = (of("t0"), of("t10"));
    if first.1.batch > second.1.batch {
        std::mem::swap(&mut first, &mut second);
    }
    assert_ne!(first.1.batch, second.1.batch, "choose another seed");
    let why = &second.1.excluded[&format!("lesson-{}", first.0)];
    assert!(why.contains("near-duplicate"), "{why}");
}

#[test]
fn the_same_topic_teaches_itself_nothing_in_a_later_run() {
    let program = home();
    played(&program, &[]);
    let before = program.session_files();
    played(&program, &["--limit", "3"]);
    let all = taught(&program);
    let mut shown = 0;
    for (id, debate) in &all {
        if before.contains(&program.session_file(id)) {
            continue;
        }
        for origin in &debate.shown {
            assert_ne!(all[origin].topic, debate.topic);
            shown += 1;
        }
        let same = debate
            .excluded
            .values()
            .filter(|why| why.contains("same topic"));
        assert!(same.count() >= 1, "{id}");
    }
    assert!(
        shown >= 3,
        "lessons of the first run are shown in the second"
    );
}

#[test]
fn only_the_training_part_of_a_split_teaches() {
    let program = home();
    let run = played(&program, &["--split", "0.5"]);
    let memory = program
        .store()
        .join(format!("memory/default.sim/{run}.jsonl"));
    let teachers: Vec<String> = events(&memory)
        .iter()
        .map(|event| event["origin"]["session"].as_str().unwrap().to_owned())
        .collect();
    let all = taught(&program);
    let last = all.values().map(|taught| taught.batch).max().unwrap();
    let reading: Vec<&String> = all
        .iter()
        .filter(|(_, taught)| taught.batch == last)
        .map(|(id, _)| id)
        .collect();
    // Eleven topics: six teach in three batches, five only read.
    assert_eq!((reading.len(), last), (5, 3));
    assert!(!teachers.is_empty());
    for id in &reading {
        assert!(!teachers.contains(id), "{id} taught");
        for origin in &all[*id].shown {
            assert!(!reading.contains(&origin));
        }
    }
    let lessons = program
        .debates()
        .values()
        .filter(|debate| debate.lesson.is_some())
        .count();
    assert!(
        lessons > teachers.len(),
        "reading debates write lessons that are not kept"
    );
}

#[test]
fn memory_and_shards_do_not_go_together() {
    let program = home();
    let mut args = vec!["run"];
    args.extend(RUN);
    args.extend(["3", "--shard", "1/2"]);
    let why = program.run_err(1, &args);
    assert!(
        why.contains("--memory and --shard do not go together"),
        "{why}"
    );
    assert!(why.contains("which part it is in"), "{why}");
    assert!(program.session_files().is_empty());
}

#[test]
fn experiments_keep_their_memories_apart_and_simulated_ones_from_real_ones() {
    let program = home();
    let first = played(&program, &["--memory-namespace", "mine"]);
    played(&program, &["--memory-namespace", "other"]);
    let memory = program.store().join("memory");
    let mut names: Vec<String> = std::fs::read_dir(&memory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["mine.sim", "other.sim"]);
    // The second experiment was shown nothing of the first one.
    let all = taught(&program);
    let run_of = |id: &str| events(&program.session_file(id))[0]["run"]["run"].clone();
    for (id, debate) in &all {
        for origin in &debate.shown {
            assert_eq!(run_of(origin), run_of(id));
        }
    }
    assert!(memory.join(format!("mine.sim/{first}.jsonl")).exists());
}

/// A run that goes on later is shown what it would have been shown then.
#[test]
fn what_others_taught_after_a_run_began_is_not_shown_to_it() {
    let program = home();
    played(&program, &[]);
    let layout = Layout::new(program.store());
    let fsync = SyncPool::default();
    let known = |writer: &str, as_of: &str| {
        MemoryBook::open(&layout, &fsync, "default.sim", writer, as_of)
            .unwrap()
            .len()
    };
    let run = layout.list_runs().unwrap().pop().unwrap();
    assert!(known("another", "2999-01-01T00:00:00Z") > 5);
    assert_eq!(known("another", "2000-01-01T00:00:00Z"), 0);
    // What it taught itself stays, whenever that was.
    assert!(known(&run, "2000-01-01T00:00:00Z") > 5);
}
