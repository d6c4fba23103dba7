//! Killed runs: resumed at any point without buying a reply twice.

use elenchus_test_support::drawn;
use elenchus_test_support::journals::{complete_lines, events, finished_step, wait_until};
use elenchus_test_support::program::Program;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const SLOW: &str = "[sims.slow]\nlatency_ms = 4\nunsafe_rate = 0.5\n";
const RUN: [&str; 11] = [
    "run",
    "--dataset",
    "own:topics.csv",
    "--protocol",
    "pred",
    "--model",
    "slow",
    "--rounds",
    "2",
    "--concurrency",
    "4",
];
/// Five topics, three debaters, two rounds: a reply and a verdict each.
const REPLIES_AND_VERDICTS: usize = 5 * 3 * 2 * 2;
const KILLS: usize = 20;

/// What a killed process left of a session.
struct Left {
    path: PathBuf,
    lines: Vec<String>,
    /// Calls that had begun and had not come back.
    in_flight: BTreeSet<String>,
}

impl Left {
    fn of(path: PathBuf) -> Self {
        let mut in_flight = BTreeSet::new();
        for event in events(&path) {
            if let Some(step) = call_started(&event) {
                in_flight.insert(step);
            } else if let Some(step) = finished_step(&event) {
                in_flight.remove(&step);
            }
        }
        Self {
            lines: complete_lines(&path),
            path,
            in_flight,
        }
    }
}

/// The step of a call that begins, named as [`finished_step`] names it.
fn call_started(event: &serde_json::Value) -> Option<String> {
    let step = (event["type"] == "call_started").then(|| event["step"].as_str().unwrap())?;
    let parts: Vec<&str> = step.split(' ').collect();
    Some(match parts[..] {
        ["judge", judging, chair, target] => {
            let number = chair.rsplit('-').next().unwrap();
            format!("judge {judging} {number} {target}")
        }
        _ => step.to_owned(),
    })
}

/// Starts a command and kills it once so many replies and verdicts are written.
fn kill_at(program: &Program, args: &[&str], enough: usize) -> Vec<Left> {
    program.kill_when(args, "replies", || program.finished_calls() >= enough);
    program.session_files().into_iter().map(Left::of).collect()
}

/// Everything that a kill left is there byte for byte, and only calls in flight were made again.
fn check(left: &[Left]) {
    let mut in_flight: BTreeMap<(&PathBuf, &str), usize> = BTreeMap::new();
    for left in left {
        let now = complete_lines(&left.path);
        assert!(now.len() >= left.lines.len(), "{}", left.path.display());
        assert_eq!(now[..left.lines.len()], left.lines);
        for step in &left.in_flight {
            *in_flight.entry((&left.path, step)).or_default() += 1;
        }
    }
    for path in left.iter().map(|left| &left.path).collect::<BTreeSet<_>>() {
        let mut calls: BTreeMap<String, usize> = BTreeMap::new();
        for step in events(path).iter().filter_map(call_started) {
            *calls.entry(step).or_default() += 1;
        }
        for (step, times) in calls {
            let lost = in_flight.get(&(path, step.as_str())).copied().unwrap_or(0);
            assert!(
                times <= 1 + lost,
                "{step} was called {times} times and was in flight at {lost} kills"
            );
        }
    }
}

/// What a kill left can be read before anybody goes on with it, and reading changes nothing.
fn check_reading(program: &Program) {
    let bytes = || -> Vec<Vec<u8>> {
        let sessions = program.session_files().into_iter();
        sessions.map(|path| std::fs::read(path).unwrap()).collect()
    };
    let before = bytes();
    for args in [
        &["ls"][..],
        &["ls", "--runs"],
        &["show", "last"],
        &["metrics"],
        &["verify"],
    ] {
        program.run_ok(args);
    }
    assert_eq!(bytes(), before);
}

#[test]
fn no_reply_is_lost_or_bought_twice_when_a_run_is_killed_at_many_points() {
    let program = Program::with_topics(SLOW);
    let whole = program.with_store("whole");
    whole.run_ok(&RUN);
    assert_eq!(whole.finished_calls(), REPLIES_AND_VERDICTS);
    let (debates, figures) = (whole.debates(), whole.untimed_report());
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(20);
    let mut in_flight = 0;
    let mut tried = 0;
    for kill in drawn::kills(KILLS) {
        tried += 1;
        let program = program.with_store(&format!("killed-{kill}"));
        let first = random.random_range(1..REPLIES_AND_VERDICTS - 6);
        let mut left = kill_at(&program, &RUN, first);
        let run = program.run_id().unwrap();
        let resume = ["run", "--resume", &run];
        // Every other time it is killed once more while it goes on.
        if kill % 2 == 1 {
            let second = random.random_range(first..REPLIES_AND_VERDICTS - 3);
            left.extend(kill_at(&program, &resume, second));
        }
        if kill % 5 == 0 {
            check_reading(&program);
        }
        in_flight += left.iter().map(|left| left.in_flight.len()).sum::<usize>();
        program.run_ok(&resume);
        check(&left);
        assert_eq!(program.debates(), debates, "killed after {first}");
        assert_eq!(program.untimed_report(), figures, "killed after {first}");
        program.run_ok(&["verify"]);
    }
    assert!(in_flight > tried, "hardly any call was ever in flight");
}

#[test]
fn lessons_are_kept_once_however_often_their_run_is_killed() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 2\nunsafe_rate = 1.0\n");
    let mut seen = program.finished_calls();
    let mut left = kill_at(&program, &RUN, 1);
    let run = program.run_id().unwrap();
    let resume = ["run", "--resume", &run];
    while seen + 5 < REPLIES_AND_VERDICTS {
        seen = program.finished_calls();
        left.extend(kill_at(&program, &resume, seen + 9));
    }
    program.run_ok(&resume);
    check(&left);
    let memory = program
        .store()
        .join(format!("memory/default.sim/{run}.jsonl"));
    let lessons: Vec<String> = events(&memory)
        .iter()
        .map(|event| event["origin"]["topic_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(lessons.len(), 5);
    assert_eq!(elenchus_test_support::journals::distinct(lessons).len(), 5);
    program.run_ok(&["verify"]);
}

#[test]
fn zeros_that_a_power_cut_left_of_an_unsynced_line_stop_no_session_for_ever() {
    let program = Program::with_topics(SLOW);
    kill_at(&program, &RUN, 20);
    let sessions = program.session_files();
    for (path, zeros) in sessions
        .iter()
        .zip(["\0\0\0\"}}\n", "\0\0\0\0"].iter().cycle())
    {
        let mut bytes = std::fs::read(path).unwrap();
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').unwrap() + 1);
        bytes.extend_from_slice(zeros.as_bytes());
        std::fs::write(path, bytes).unwrap();
    }
    check_reading(&program);
    let run = program.run_id().unwrap();
    program.run_ok(&["run", "--resume", &run]);
    assert_eq!(program.finished_calls(), REPLIES_AND_VERDICTS);
    program.run_ok(&["verify"]);
    let entries = std::fs::read_dir(program.store().join("sessions")).unwrap();
    let kept = entries.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().contains(".jsonl.tail-")
    });
    assert!(kept.count() > 0, "what was cut off was not kept");
}

#[test]
fn a_run_that_is_killed_when_heads_were_written_goes_on_without_false_damage() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 400\nunsafe_rate = 0.5\n");
    let mut running = program.start(&RUN);
    let heads = program.store().join("heads/sessions");
    wait_until("heads", || {
        std::fs::read_dir(&heads).is_ok_and(|there| there.count() > 2) || running.is_over()
    });
    running.kill();
    let left: Vec<Left> = program.session_files().into_iter().map(Left::of).collect();
    assert!(left.iter().any(|left| !left.in_flight.is_empty()));
    check_reading(&program);
    let run = program.run_id().unwrap();
    program.run_ok(&["run", "--resume", &run]);
    check(&left);
    assert_eq!(program.finished_calls(), REPLIES_AND_VERDICTS);
    program.run_ok(&["verify"]);
}
