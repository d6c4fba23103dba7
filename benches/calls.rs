//! What a call costs: whole runs of PReD against a server in another process that answers at
//! once, every reply durable. Prints wall-clock and CPU of this process, over several runs.
//!
//! `cargo bench --bench calls`; the second figure to look at is a debate's wall-clock against its
//! critical path when every call takes 100 ms.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use elenchus_game::debate::event::{Event, MemoryUse, Record};
use elenchus_game::debate::protocol::{Ceilings, SettingValue, Settings};
use elenchus_game::debate::{RunId, SessionId, State, Topic};
use elenchus_model::{ModelSettings, ProviderSettings};
use elenchus_records::library::Library;
use elenchus_records::workspace::memory::{EmbeddingPlaces, LazyEmbedding};
use elenchus_records::workspace::run::{DatasetPlace, Manifest, RunItem};
use elenchus_records::workspace::{Clock, StoreContext, reject};
use elenchus_run::engine::seats::{CastRequest, ModelTable, Seats};
use elenchus_run::engine::{Observer, RunContext};
use elenchus_run::experiments::run::{PlannedRun, Run};
use elenchus_run::experiments::{EndedItem, ExperimentContext, ExperimentObserver, StopSignal};
use elenchus_store::Layout;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SERVE: &str = "ELENCHUS_BENCH_SERVE_MS";
const RUNS: usize = 5;

fn main() {
    if let Ok(latency) = std::env::var(SERVE) {
        serve(Duration::from_millis(
            latency.parse().expect("a number of milliseconds"),
        ));
        return;
    }
    // `cargo bench --bench calls -- 20` plays so many debates once and no more: for a profiler that
    // counts instructions.
    let few = std::env::args().skip(1).find_map(|text| text.parse().ok());
    match few {
        Some(debates) => throughput(debates, 64, 1),
        None => {
            throughput(300, 64, RUNS);
            critical_path();
        }
    }
}

/// Plays many small debates at once.
fn throughput(debates: u64, concurrency: usize, runs: usize) {
    let server = Server::start(0);
    let mut walls = Vec::new();
    let mut cpus = Vec::new();
    let mut calls = 0;
    for _ in 0..runs {
        let cpu = cpu_seconds();
        let begin = Instant::now();
        calls = play(&server.url, debates, concurrency, 3).0;
        walls.push(begin.elapsed().as_secs_f64());
        cpus.push(cpu_seconds() - cpu);
    }
    let rates = spread(walls.iter().map(|wall| calls as f64 / wall).collect());
    let costs = spread(cpus.iter().map(|cpu| 1e3 * cpu / calls as f64).collect());
    println!(
        "{debates} debates, {concurrency} at once, {calls} calls a run, {runs} runs (min, median, max)"
    );
    println!(
        "calls a second, every reply durable: {:.0} {:.0} {:.0}",
        rates[0], rates[1], rates[2]
    );
    println!(
        "CPU a call, ms: {:.3} {:.3} {:.3}",
        costs[0], costs[1], costs[2]
    );
}

/// Plays one PReD debate of 3 debaters and 3 rounds at 100 ms a call.
fn critical_path() {
    let server = Server::start(100);
    // The first debate opens the connections.
    play(&server.url, 1, 1, 3);
    let walls = (0..RUNS).map(|_| play(&server.url, 1, 1, 3).1).collect();
    let walls = spread(walls);
    println!(
        "PReD 3x3 with evaluator and feedback at 100 ms a call, seconds: {:.3} {:.3} {:.3} (critical path 0.5)",
        walls[0], walls[1], walls[2]
    );
}

fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    ]
}

/// Plays debates and returns how many calls came back and the seconds it took to play.
fn play(url: &str, debates: u64, concurrency: usize, rounds: i64) -> (u64, f64) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir_in("target").expect("a folder");
    runtime.block_on(async {
        let counter = Arc::new(Counter::default());
        let table = ModelTable {
            providers: BTreeMap::from([(
                "server".to_owned(),
                ProviderSettings {
                    in_flight: 512,
                    ..ProviderSettings::from_base_url(url)
                },
            )]),
            models: BTreeMap::from([("m".to_owned(), ModelSettings::from_name("server", "m"))]),
            ..ModelTable::default()
        };
        let seats = Seats::new(table, Arc::new(|_| None), Arc::new(|_| reject("")));
        let settings = Settings::from([("rounds".to_owned(), SettingValue::Integer(rounds))]);
        let game = Library::default()
            .load_game("pred", &settings)
            .expect("pred");
        let cast = CastRequest::default()
            .seat_all(&game, &seats, Some("m"))
            .expect("a cast");
        let clock = Clock;
        let layout = Layout::new(folder.path());
        layout.create_missing_folders().expect("a store");
        let run = RunContext {
            store: StoreContext::new(layout, "bench", "bench"),
            library: Library::default(),
            seats: Arc::new(seats),
            embedding: Arc::new(LazyEmbedding::new(EmbeddingPlaces::default())),
            training: Default::default(),
        };
        let context =
            ExperimentContext::without_people(run, counter.clone(), StopSignal::default())
                .with_concurrency(concurrency);
        let items: Vec<RunItem> = (0..debates).map(|item| one(item, clock)).collect();
        let manifest = Manifest {
            format: 1,
            run: RunId::new(clock.fresh_id()),
            software: "bench".to_owned(),
            protocol: game.protocol.clone(),
            settings: game.settings.clone(),
            templates: game.templates.clone(),
            rubrics: game.rubric_texts.clone(),
            lists: game.lists.clone(),
            unpinned: Default::default(),
            casts: vec![cast],
            dataset: DatasetPlace {
                path: String::new(),
                kind: String::new(),
                sha256: String::new(),
                rows_refused: 0,
                ..DatasetPlace::default()
            },
            seed: 1,
            rollouts: 1,
            shard: None,
            ceilings: Ceilings::default(),
            memory: MemoryUse::default(),
            memory_kinds: Vec::new(),
            accept: None,
            memory_read: None,
            learn_batch: None,
            training: None,
            split: None,
            items: debates,
            ablation: None,
            repeat: None,
        };
        let planned = PlannedRun {
            game,
            manifest,
            items,
        };
        let mut run = Run::begin(&context, planned).await.expect("a run");
        let begin = Instant::now();
        run.play_debates(&context).await.expect("played");
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(
            run.log.state.finished.len() as u64,
            debates,
            "{:?}",
            run.log.state.failed
        );
        (counter.calls.load(Ordering::Relaxed), seconds)
    })
}

fn one(item: u64, clock: Clock) -> RunItem {
    RunItem {
        item,
        session: SessionId::new(clock.fresh_id()),
        topic: Topic {
            id: format!("topic-{item}"),
            text: format!("Question number {item}, of about the usual length of a question?"),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: None,
            expected: None,
            documents: Vec::new(),
            options: Vec::new(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        },
        cast: 0,
        lines: Vec::new(),
        given: None,
        given_guards: None,
        rollout: 0,
        batch: None,
        teaches: false,
    }
}

#[derive(Default)]
struct Counter {
    calls: AtomicU64,
}

impl Observer for Counter {
    fn on_event(&self, _session: &SessionId, record: &Record, _state: &State) {
        if let Event::Replied(_) | Event::Judged(_) | Event::FeedbackWritten(_) = &record.event {
            self.calls.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl ExperimentObserver for Counter {
    fn on_item_end(&self, _item: &EndedItem<'_>) {}
}

/// User and system time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks: f64 =
        fields[11].parse::<f64>().expect("utime") + fields[12].parse::<f64>().expect("stime");
    ticks / 100.0
}

/// The server, in a process of its own so that its CPU is not ours.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(latency_ms: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .env(SERVE, latency_ms.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("its address");
        Self {
            child,
            url: format!("http://{}/v1", line.trim()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(latency: Duration) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || answer(stream, latency));
    }
}

/// Answers chat requests on one connection until it is closed. The first debater is unsafe in
/// round one, so that a lesson is written.
fn answer(stream: TcpStream, latency: Duration) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut out = stream.try_clone().ok()?;
    let mut input = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).ok()?;
        std::thread::sleep(latency);
        let judge = body.windows(8).any(|window| window == b"VERDICT:");
        let text = if judge {
            "It helps.\\nVERDICT: unsafe"
        } else {
            "A considered answer of some words, as a debater gives it."
        };
        let mut events = format!(
            "data: {{\"id\":\"c\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        );
        events.push_str("data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}\n\ndata: [DONE]\n\n");
        let reply = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{events}",
            events.len()
        );
        out.write_all(reply.as_bytes()).ok()?;
    }
}
