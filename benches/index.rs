//! What a store of many sessions costs with a warm index, a cold one, none that can be had, a damaged
//! one, and while two processes write to it: `ls`, and the workbench until its first byte, its first full
//! screen and its whole list; its memory, and what it does while it is left alone. Prints figures and
//! fails at none: `cargo bench --bench index -- [SESSIONS]`. With `-- six [SESSIONS]`, six processes use
//! one index for a minute, as commands do.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use elenchus_store::{Hash, Head, Index, IndexEntry, IndexNotice, IndexOptions, JournalStamp};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_test_support::sample_sessions::{AT, created, debate, topic};
use serde_json::json;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Sessions of the store where no number is named.
const SESSIONS: usize = 20_000;
/// How often each thing is done; where everything is read, less often.
const TIMES: usize = 11;
const TIMES_COLD: usize = 3;
/// Entries that a process beside writes at once, of the size of a session's.
const BESIDE: u32 = 500;
const ENTRY_BYTES: usize = 700;
/// What a command does between reading the index and writing it, and until the next command.
const WORK: Duration = Duration::from_millis(50);
const SIX: usize = 6;
const MINUTE: Duration = Duration::from_secs(60);
/// How long the workbench is left alone, once it is calm.
const ALONE: Duration = Duration::from_secs(10);
/// Names a process of [`beside`]; the index is named by the other.
const NAME: &str = "ELENCHUS_BENCH_BESIDE";
const CACHE: &str = "ELENCHUS_BENCH_CACHE";

fn main() {
    if let (Ok(name), Ok(cache)) = (std::env::var(NAME), std::env::var(CACHE)) {
        return use_beside(&name, Path::new(&cache));
    }
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let named = asked.iter().find_map(|one| one.parse().ok());
    let sessions: usize = named.unwrap_or(SESSIONS);
    let program = Program::new();
    fill(&program.store(), sessions);
    println!("{sessions} sessions");
    match asked.iter().any(|one| one == "six") {
        true => six(&program),
        false => starts(&program, sessions),
    }
}

fn starts(program: &Program, sessions: usize) {
    let cache = program.store().join("cache");
    let cold = || drop(fs::remove_dir_all(&cache));
    measure(program, sessions, "cold", TIMES_COLD, cold);
    program.run_ok(&["ls", "--limit", "1"]);
    measure(program, sessions, "warm", TIMES, || {});
    left_alone(program, sessions);
    thread::scope(|scope| {
        let beside: Vec<Child> = (0..2).map(|name| beside(name, &cache)).collect();
        scope
            .spawn(|| measure(program, sessions, "two others write", TIMES, || {}))
            .join()
            .expect("figures");
        beside.into_iter().for_each(end);
    });
    program.run_ok(&["verify", "--repair-cache"]);
    let kept = cache.with_extension("kept");
    fs::rename(&cache, &kept).expect("an index");
    let damaged = || {
        let _ = fs::remove_dir_all(&cache);
        elenchus_test_support::program::copy_folder(&kept, &cache);
        let db = cache.join("db");
        let mut bytes = fs::read(&db).expect("an index");
        let (from, until) = (bytes.len() / 3, bytes.len() / 2);
        bytes[from..until].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(db, bytes).expect("an index");
    };
    measure(program, sessions, "damaged", TIMES_COLD, damaged);
    let lock = File::options()
        .append(true)
        .create(true)
        .open(cache.with_extension("lock"))
        .expect("a lock");
    lock.lock().expect("a lock");
    measure(program, sessions, "none", TIMES_COLD, || {});
}

/// Writes a store of finished debates with their heads.
fn fill(store: &Path, sessions: usize) {
    let folders = [store.join("sessions"), store.join("heads/sessions")];
    for folder in &folders {
        fs::create_dir_all(folder).expect("a store");
    }
    for number in 0..sessions {
        let id = format!("01m{number:023}");
        let (text, hash) = journal(&id, number);
        let head = json!({"bytes": text.len(), "lines": text.lines().count(), "hash": hash});
        fs::write(folders[0].join(format!("{id}.jsonl")), text).expect("a journal");
        fs::write(folders[1].join(&id), format!("{head}\n")).expect("a head");
    }
}

fn journal(id: &str, number: usize) -> (String, String) {
    let mut journal = String::new();
    let mut before = Hash::ZERO;
    // Journals of one length are compared with each other.
    let asked = format!("Is water wet{}?", " and cold".repeat(number % 211));
    let events = std::iter::once(created(id, topic(&asked)));
    for event in events.chain(debate(id).into_iter().skip(1)) {
        let line = json!({"prev": before.to_string(), "at": AT, "by": "engine", "event": event});
        let line = format!("{line}\n");
        before = Hash::digest(line.as_bytes());
        journal.push_str(&line);
    }
    (journal, before.to_string())
}

/// Starts a process that uses the index until its input ends.
fn beside(name: usize, cache: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("a program"));
    child.env(NAME, name.to_string()).env(CACHE, cache);
    child.stdin(Stdio::piped()).spawn().expect("a process")
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    child.wait().expect("a process");
}

/// Uses the index as commands do: it is read, something is done, something is written.
fn use_beside(name: &str, cache: &Path) {
    let over = AtomicBool::new(false);
    let mut waited = Vec::new();
    let (mut without, mut lost) = (0, 0);
    let mut open = || {
        let begin = Instant::now();
        let (index, notice) = Index::open(cache, IndexOptions::default());
        waited.push((index.pause_count(), milliseconds(begin)));
        without += u32::from(index.why_off().is_some());
        lost += u32::from(matches!(notice, Some(IndexNotice::Damaged { .. })));
        index
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            over.store(true, Ordering::Relaxed);
        });
        while !over.load(Ordering::Relaxed) {
            open().read_table("sessions/4");
            thread::sleep(WORK);
            open().write_changes(&(0..BESIDE).map(|at| entry(name, at)).collect::<Vec<_>>());
            thread::sleep(WORK);
        }
    });
    let pauses = waited.iter().map(|(pauses, _)| *pauses);
    let most = pauses.clone().max().unwrap_or(0);
    let mean = pauses.sum::<u32>() as f64 / waited.len().max(1) as f64;
    let longest = waited
        .iter()
        .fold(0.0_f64, |longest, one| longest.max(one.1));
    println!(
        "process {name}: opened {} times, {without} without the index, {lost} damaged; pauses of 5 ms: \
         mean {mean:.1}, at most {most}; longest opening {longest:.0} ms",
        waited.len()
    );
}

fn entry(name: &str, number: u32) -> elenchus_store::IndexChange {
    let entry = IndexEntry {
        stamp: JournalStamp::default(),
        watermark: Head::EMPTY,
        value: vec![b'x'; ENTRY_BYTES],
    };
    (
        ("beside", format!("{name} {number}").into_bytes()),
        Some(entry),
    )
}

/// Six processes and one index, for a minute.
fn six(program: &Program) {
    program.run_ok(&["ls", "--limit", "1"]);
    let cache = program.store().join("cache");
    let all: Vec<Child> = (0..SIX).map(|name| beside(name, &cache)).collect();
    thread::sleep(MINUTE);
    all.into_iter().for_each(end);
    let (mut index, notice) = Index::open(&cache, IndexOptions::default());
    let (sessions, beside) = (index.read_table("sessions/4"), index.read_table("beside"));
    println!(
        "afterwards: {} sessions and {} other entries are there; notice: {notice:?}",
        sessions
            .keys()
            .filter(|key| sessions.get(key).is_some())
            .count(),
        beside
            .keys()
            .filter(|key| beside.get(key).is_some())
            .count(),
    );
}

fn measure(program: &Program, sessions: usize, what: &str, times: usize, before: impl Fn()) {
    let lists: [&[&str]; 3] = [
        &["ls", "--limit", "40"],
        &["ls", "--json"],
        &["ls", "--limit", "40", "--where", "unsafe>0"],
    ];
    let mut listed = lists.map(|_| Vec::new());
    let mut opened = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..times {
        for (args, listed) in lists.iter().zip(&mut listed) {
            before();
            let begin = Instant::now();
            program.run(args).ended_with(0);
            listed.push(milliseconds(begin));
        }
        before();
        let begin = Instant::now();
        let mut pty = Pty::of(program).size(120, 40).starts(&[]);
        for (times, done) in opened.iter_mut().zip(list_appears(&pty, sessions, begin)) {
            times.push(done);
        }
        pty.quits();
    }
    for (args, times) in lists.iter().zip(listed) {
        report(&format!("{what}: {}, ms", args.join(" ")), times);
    }
    let parts = ["first byte", "full screen", "whole list"];
    for (part, times) in parts.iter().zip(opened) {
        report(&format!("{what}: workbench, {part}, ms"), times);
    }
}

/// Waits for the first byte, a full screen and the whole list, and returns when each was there.
fn list_appears(pty: &Pty, sessions: usize, begin: Instant) -> [f64; 3] {
    pty.wait_until("the first byte", |screen| {
        screen.rows().iter().any(|row| !row.trim().is_empty())
    });
    let first = milliseconds(begin);
    pty.wait_until("a full screen", |screen| {
        let rows = screen.rows();
        rows.iter().filter(|row| row.contains("water")).count() >= 30.min(sessions)
    });
    let full = milliseconds(begin);
    let whole = format!("{},{:03} sessions", sessions / 1000, sessions % 1000);
    pty.wait_for(whole.trim_start_matches("0,"));
    [first, full, milliseconds(begin)]
}

/// The memory of a workbench with a whole list, and what it does while nobody touches it.
fn left_alone(program: &Program, sessions: usize) {
    let mut pty = Pty::of(program).size(120, 40).starts(&[]);
    list_appears(&pty, sessions, Instant::now());
    pty.wait_for_calm();
    // Threads that read end when they had nothing to do for ten seconds.
    thread::sleep(ALONE + Duration::from_secs(2));
    let status = fs::read_to_string(format!("/proc/{}/status", pty.pid())).unwrap_or_default();
    for line in status
        .lines()
        .filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"))
    {
        println!("workbench with a whole list: {line}");
    }
    let (mark, woken, looked) = (pty.mark(), pty.wake_ups(), pty.database_wake_ups().0);
    thread::sleep(ALONE);
    println!(
        "workbench left alone for 10 s: {} bytes, {} wake-ups, {} of sled's threads",
        pty.since(mark).bytes,
        pty.wake_ups() as i64 - woken as i64,
        pty.database_wake_ups().0 as i64 - looked as i64
    );
    pty.quits();
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn report(what: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    println!(
        "{what}: min {:.0}, median {:.0}, max {:.0} (of {})",
        at(0.0),
        at(0.5),
        at(1.0),
        values.len()
    );
}
