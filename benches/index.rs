//! What a store of many sessions costs with a warm index, a cold one, none that can be had, a damaged
//! one, and while others write to it: `ls`, and the workbench until its first byte, its first full screen
//! and its whole list. Prints figures and fails at none: `cargo bench --bench index -- [SESSIONS]`.

#[path = "../tests/support/mod.rs"]
mod support;

use elenchus::store::{Hash, Head, Index, IndexEntry, IndexOptions, JournalStamp};
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use support::Pty;
use support::program::Program;
use support::sample_sessions::{AT, created, debate, topic};

/// Sessions of the store where no number is named.
const SESSIONS: usize = 20_000;
/// How often each thing is done.
const TIMES: usize = 5;
/// Entries that a process beside writes at once.
const BESIDE: u32 = 500;

fn main() {
    let named = std::env::args().skip(1).find_map(|one| one.parse().ok());
    let sessions: usize = named.unwrap_or(SESSIONS);
    let program = Program::new();
    let folder = program.store().join("sessions");
    fs::create_dir_all(&folder).expect("a store");
    for number in 0..sessions {
        let id = format!("01m{number:023}");
        let path = folder.join(format!("{id}.jsonl"));
        fs::write(path, journal(&id, number)).expect("a journal");
    }
    let cache = program.store().join("cache");
    let lock = program.store().join("cache.lock");
    let cold = || drop(fs::remove_dir_all(&cache));
    let damaged = || {
        let db = cache.join("db");
        let mut bytes = fs::read(&db).expect("an index");
        let (from, until) = (bytes.len() / 3, bytes.len() / 2);
        bytes[from..until].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(db, bytes).expect("an index");
    };
    println!("{sessions} sessions");
    measure(&program, sessions, "cold", cold);
    program.run_ok(&["ls", "--limit", "1"]);
    measure(&program, sessions, "warm", || {});
    measure(&program, sessions, "damaged", damaged);
    program.run_ok(&["verify", "--repair-cache"]);
    let file = File::options()
        .append(true)
        .create(true)
        .open(&lock)
        .expect("a lock");
    file.lock().expect("a lock");
    measure(&program, sessions, "none", || {});
    drop(file);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            let (over, cache) = (&over, &cache);
            scope.spawn(move || write_beside(name, cache, over));
        }
        measure(&program, sessions, "two others write", || {});
        over.store(true, Ordering::Relaxed);
    });
}

fn journal(id: &str, number: usize) -> String {
    let mut journal = String::new();
    let mut before = Hash::ZERO;
    // Journals of one length are compared with each other.
    let asked = format!("Is water wet{}?", " and cold".repeat(number % 211));
    let events = std::iter::once(created(id, topic(&asked)));
    for event in events.chain(debate(id).into_iter().skip(1)) {
        let line = json!({"prev": before.to_string(), "at": AT, "by": "engine", "event": event});
        let line = format!("{line}\n");
        before = Hash::of(line.as_bytes());
        journal.push_str(&line);
    }
    journal
}

/// Writes into the index until the others are over, waiting as any process does.
fn write_beside(name: &str, cache: &Path, over: &AtomicBool) {
    let (mut most, mut turns, mut without) = (0, 0, 0);
    while !over.load(Ordering::Relaxed) {
        let (mut index, _) = Index::open(cache, IndexOptions::default());
        most = most.max(index.pauses());
        turns += 1;
        without += u32::from(index.why_off().is_some());
        let entry = |number: u32| {
            let entry = IndexEntry {
                stamp: JournalStamp::default(),
                watermark: Head::EMPTY,
                value: vec![b'x'; 700],
            };
            let key = format!("{name} {number}").into_bytes();
            (("beside", key), Some(entry))
        };
        index.write(&(0..BESIDE).map(entry).collect::<Vec<_>>());
    }
    println!(
        "writer {name}: {turns} turns, {without} without the index, at most {most} pauses of 5 ms"
    );
}

fn measure(program: &Program, sessions: usize, what: &str, before: impl Fn()) {
    let mut listed = Vec::new();
    let mut opened = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..TIMES {
        before();
        let begin = Instant::now();
        program.run(&["ls", "--limit", "40"]).ended_with(0);
        listed.push(milliseconds(begin));
        before();
        let begin = Instant::now();
        let mut pty = Pty::of(program).size(120, 40).starts(&[]);
        pty.wait_until("the first byte", |screen| {
            screen.rows().iter().any(|row| !row.trim().is_empty())
        });
        opened[0].push(milliseconds(begin));
        pty.wait_until("a full screen", |screen| {
            let rows = screen.rows();
            rows.iter().filter(|row| row.contains("water")).count() >= 30
        });
        opened[1].push(milliseconds(begin));
        let whole = format!("{},{:03} sessions", sessions / 1000, sessions % 1000);
        pty.wait_for(whole.trim_start_matches("0,"));
        opened[2].push(milliseconds(begin));
        pty.quits();
    }
    report(&format!("{what}: ls --limit 40, ms"), listed);
    let parts = ["first byte", "full screen", "whole list"];
    for (part, times) in parts.iter().zip(opened) {
        report(&format!("{what}: workbench, {part}, ms"), times);
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn report(what: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    println!(
        "{what}: min {:.0}, median {:.0}, max {:.0}",
        at(0.0),
        at(0.5),
        at(1.0)
    );
}
