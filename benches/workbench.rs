//! What the workbench costs a person: the time from a key to the bytes that show what it did, the time
//! until the list of a large store is painted, and the memory that a long session takes. Prints
//! figures and fails at none: `cargo bench --bench workbench`.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use elenchus_test_support::debates as kit;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent};

use elenchus::tui::app::UiState;
use elenchus::tui::app::state::{App, WorkbenchOptions};
use elenchus::tui::keys::KeyTable;
use elenchus::tui::screens::debate::Debate;
use elenchus::tui::screens::{PLACES, default_keys, first_screen};
use elenchus::tui::theme::{Depth, GlyphSet, parse_built_in};
use elenchus_game::debate::event::{Event, Judged, Record, Replied, Reply, Retrieved};
use elenchus_game::debate::{
    AttemptId, Chair, JudgingId, SeatId, SessionId, ShownOrder, StageId, Target, TurnId,
};
use elenchus_store::Hash;
use elenchus_terminal::Input;
use elenchus_terminal::paint::Painter;
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_text::safe_text::has_hidden;
use elenchus_view::OpenedSession;
use ratatui::layout::Rect;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// Three debaters speak so often: 5,001 turns.
const ROUNDS: u32 = 1667;
/// How often each key is pressed.
const PRESSES: usize = 400;
/// Sessions of the large store.
const SESSIONS: usize = 1000;
/// How often the list is opened.
const OPENINGS: usize = 15;
const SESSION: &str = "01m0000000000000000000000a";

fn main() {
    // `cargo bench --bench workbench -- keys` measures that alone.
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<&String> = asked.iter().filter(|name| !name.starts_with('-')).collect();
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|one| *one == name);
    if is_asked("keys") || is_asked("memory") {
        let play = long_debate();
        println!("events of the long session: {}", play.records.len());
        if is_asked("keys") {
            keys(&play);
        }
        if is_asked("memory") {
            memory(&play.records);
        }
    }
    if is_asked("openings") {
        openings();
    }
}

/// A debate of three debaters of whom each says something new every time, and is judged.
fn long_debate() -> kit::Play {
    let mut game = kit::game("pred", &[]);
    game.protocol.rounds = ROUNDS;
    let mut play = kit::Play::begin(SESSION, game);
    play.happens(Event::Retrieved(Retrieved {
        learner: None,
        retriever: "none".to_owned(),
        entries: Vec::new(),
        excluded: Vec::new(),
    }));
    let rule = &play.game.protocol.judging[0];
    let judging: JudgingId = rule.id.clone();
    let stage: StageId = play.game.protocol.stages[0].id.clone();
    for round in 1..=ROUNDS {
        let turns: Vec<TurnId> = (0..3)
            .map(|index| TurnId {
                round,
                stage: stage.clone(),
                chair: Chair {
                    seat: SeatId::new("debater"),
                    index,
                },
            })
            .collect();
        for turn in &turns {
            play.happens(spoken(turn));
        }
        for turn in turns {
            play.happens(judged(&judging, turn));
        }
    }
    play
}

fn spoken(turn: &TurnId) -> Event {
    let mut text = format!("What {} says in round {}. ", turn.chair, turn.round);
    for sentence in 0..6 {
        let number = u64::from(turn.round) * 7 + sentence;
        write!(text, "Whoever draws bucket {number} has to carry it past the mill before noon, and nobody pays. ").expect("a string grows");
    }
    Event::Replied(Box::new(Replied {
        turn: turn.clone(),
        attempt: 0,
        view: None,
        reply: Reply {
            text,
            cost_usd: Some(0.001),
            ..Reply::default()
        },
        fields: None,
        call: None,
        guardrail: None,
    }))
}

fn judged(judging: &JudgingId, turn: TurnId) -> Event {
    let (label, value) = if turn.round.is_multiple_of(3) {
        ("unsafe", -1.0)
    } else {
        ("safe", 1.0)
    };
    Event::Judged(Box::new(Judged {
        judging: judging.clone(),
        chair: 0,
        target: Target::Attempt(AttemptId { turn, attempt: 0 }),
        order: ShownOrder::AsSeated,
        attempt: 0,
        outcome: kit::found(label, value),
        view: None,
        reply: None,
    }))
}

/// From a key to the bytes for the terminal.
fn keys(play: &kit::Play) {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::open(play, width, height);
        let mut all = Vec::new();
        let named = [
            ("j", KeyEvent::from(KeyCode::Char('j'))),
            ("k", KeyEvent::from(KeyCode::Char('k'))),
            ("[", KeyEvent::from(KeyCode::Char('['))),
            ("]", KeyEvent::from(KeyCode::Char(']'))),
            ("Tab", KeyEvent::from(KeyCode::Tab)),
        ];
        let mut of_key = vec![Vec::new(); named.len()];
        // In the middle of the debate: neither its beginning nor its end is near.
        for _ in 0..1000 {
            bench.press(KeyEvent::from(KeyCode::Char('[')));
        }
        for (at, (_, key)) in named.iter().enumerate() {
            for _ in 0..PRESSES {
                let took = bench.press(*key);
                of_key[at].push(took);
                all.push(took);
            }
        }
        for ((name, _), times) in named.iter().zip(of_key) {
            report(&format!("{width}x{height} {name}, µs"), times);
        }
        report(&format!("{width}x{height} any key, µs"), all);
    }
}

struct Bench {
    app: App,
    painter: Painter,
    area: Rect,
}

impl Bench {
    fn open(play: &kit::Play, width: u16, height: u16) -> Self {
        let keys = KeyTable::from(default_keys(PLACES));
        let kept = UiState::default();
        let first = first_screen(&kept, &keys);
        let outfit = WorkbenchOptions {
            places: PLACES.to_vec(),
            keys,
            themes: parse_built_in(),
            theme: "ansi".to_owned(),
            depth: Depth::Sixteen,
            glyphs: GlyphSet::Unicode,
            saved_state: kept.clone(),
            command_line: Vec::new,
        };
        let mut app = App::new(outfit);
        app.show_screen(first);
        let opened = OpenedSession {
            state: Arc::new(play.state.clone()),
            driven_by: None,
            imported: false,
            example: false,
            annotations: Default::default(),
            labels: Default::default(),
            forms: Default::default(),
        };
        let id = SessionId::new(SESSION);
        app.show_screen(Box::new(Debate::from_opened(id, &kept, &opened, None)));
        let mut bench = Self {
            app,
            painter: Painter::new(Depth::Sixteen, has_hidden),
            area: Rect::new(0, 0, width, height),
        };
        bench.paint();
        bench
    }

    fn paint(&mut self) -> usize {
        let app = &mut self.app;
        self.painter
            .paint_screen(self.area, |buffer| app.draw(buffer, Instant::now()))
            .len()
    }

    /// Returns the microseconds that a key took.
    fn press(&mut self, key: KeyEvent) -> f64 {
        let begin = Instant::now();
        self.app.handle_input(&Input::Event(event::Event::Key(key)));
        std::hint::black_box(self.paint());
        begin.elapsed().as_secs_f64() * 1e6
    }
}

/// The memory that the real program takes with the long session open.
fn memory(records: &[Record]) {
    let program = Program::new();
    let folder = program.store().join("sessions");
    std::fs::create_dir_all(&folder).expect("a store");
    std::fs::write(folder.join(format!("{SESSION}.jsonl")), journal(records)).expect("a journal");
    let pty = Pty::of(&program).size(120, 40).starts(&["open", SESSION]);
    pty.wait_for("bucket");
    pty.wait_for_calm();
    let path = format!("/proc/{}/status", pty.pid().as_raw_nonzero());
    let status = std::fs::read_to_string(path).expect("it runs");
    for name in ["VmRSS", "VmHWM", "RssAnon", "RssFile"] {
        let line = status.lines().find(|line| line.starts_with(name));
        println!("{} with the long session open", line.unwrap_or_default());
    }
}

fn journal(records: &[Record]) -> String {
    let mut journal = String::new();
    let mut before = Hash::ZERO;
    for record in records {
        let event = serde_json::to_string(&record.event).expect("events are JSON");
        let line = format!(
            "{{\"prev\":\"{before}\",\"at\":\"{}\",\"by\":\"engine\",\"event\":{event}}}\n",
            record.at
        );
        before = Hash::digest(line.as_bytes());
        journal.push_str(&line);
    }
    journal
}

/// From the start of the program to a list that fills the screen.
fn openings() {
    let program = Program::new();
    program.write(
        "topics.jsonl",
        r#"{"text": "How would a village share one well in a dry year?"}"#,
    );
    let rollouts = SESSIONS.to_string();
    let args = [
        "run",
        "-q",
        "--protocol",
        "pred",
        "--dataset",
        "own:topics.jsonl",
    ];
    program
        .run(&[&args[..], &["--rollouts", &rollouts]].concat())
        .ended_with(0);
    let index = program.store().join("cache");
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for _ in 0..OPENINGS {
        let _ = std::fs::remove_dir_all(&index);
        let (took, pty) = opening(&program);
        first.push(took);
        // Until every session was read and written down.
        pty.wait_for_calm();
        drop(pty);
        again.push(opening(&program).0);
    }
    report(
        &format!("first list of {SESSIONS} sessions painted, ms"),
        first,
    );
    report(
        &format!("later list of {SESSIONS} sessions painted, ms"),
        again,
    );
}

/// Returns the milliseconds until the list fills the screen.
fn opening(program: &Program) -> (f64, Pty) {
    let begin = Instant::now();
    let pty = Pty::of(program).size(120, 40).starts(&[]);
    pty.wait_until("a full list", |screen| {
        let rows = screen.rows();
        rows.iter().filter(|row| row.contains("village")).count() >= 30
    });
    (begin.elapsed().as_secs_f64() * 1e3, pty)
}

fn report(what: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    println!(
        "{what}: min {:.0}, median {:.0}, p99 {:.0}, max {:.0}",
        at(0.0),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
