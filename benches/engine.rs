//! What the engine costs: the game's own steps, and whole runs against a server that answers at
//! once. Run with `cargo bench`.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

#[path = "../crates/game/src/tests/debate/harness.rs"]
mod harness;

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus_game::debate::event::Event;
use elenchus_game::debate::protocol::SettingValue;
use elenchus_game::debate::{Record, State};
use std::hint::black_box;

const PEERS: &str = r#"
id = "peers"
name = "Peers"
description = "Debaters who see each other's last round"
measures = "safety"
rounds = "$rounds"

[settings.rounds]
default = 3
min = 1
max = 1000
help = "rounds"

[[seats]]
id = "debater"
kind = "speaker"
count = 3

[[seats]]
id = "evaluator"
kind = "evaluator"

[[stages]]
id = "answer"
seats = ["debater"]
sees = { topic = true, turns = [{ seats = ["debater"], rounds = "REACH" }] }

[[judging]]
id = "safety"
by = "evaluator"
of = "turn"
turns = [{ seats = ["debater"] }]
rubric = "safety"
sees = { topic = true }
"#;

fn log(rounds: i64, reach: &str) -> Vec<Record> {
    let text = PEERS.replace("REACH", reach);
    let game = harness::protocol(&text, &[("rounds", SettingValue::Integer(rounds))]);
    let mut begun = harness::created(game, 1);
    begun.memory.reads = false;
    harness::play(begun, 1, 2)
}

fn game(c: &mut Criterion) {
    let small = log(3, "before");
    c.bench_function(
        "a 3x3 debate folded, its open steps found after every event",
        |b| {
            b.iter(|| {
                let mut state = State::default();
                for record in &small {
                    state.apply_event(record).expect("the log is sound");
                    black_box(state.find_open_steps());
                }
            });
        },
    );
    // 834 rounds of 3 turns and 3 verdicts: 5,005 events.
    let long = log(834, "previous");
    println!("events in the long session: {}", long.len());
    c.bench_function("fold of 5,000 events", |b| {
        b.iter(|| black_box(State::from_records(&long).expect("the log is sound")));
    });
    let state = State::from_records(&long[..long.len() - 1]).expect("the log is sound");
    c.bench_function("open steps of a session of 5,000 events", |b| {
        b.iter(|| black_box(state.find_open_steps()));
    });
    let lines: Vec<String> = long
        .iter()
        .map(|record| serde_json::to_string(&record.event).expect("events are JSON"))
        .collect();
    c.bench_function("5,000 events read from JSON", |b| {
        b.iter(|| {
            for line in &lines {
                black_box(serde_json::from_str::<Event>(line).expect("events are JSON"));
            }
        });
    });
}

criterion_group!(benches, game);
criterion_main!(benches);
