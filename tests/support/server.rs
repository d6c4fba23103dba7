//! A real HTTP/1.1 server on loopback that can misbehave and records what it is asked.
//!
//! Threads and blocking sockets: it shares no code and no runtime with what it tests.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{Answer, Step};
use super::journals::wait_until;

/// Where nothing listens. A port that was free a moment ago may be another test's server by now.
pub const NOWHERE: &str = "http://127.0.0.1:1/v1";
/// How long a test waits for something that should happen before it fails.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How often a stalled answer looks whether the client is still there.
const LOOK: Duration = Duration::from_millis(5);

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    /// The how-manieth request of this server, from 0.
    pub number: usize,
    /// The how-manieth connection it came on, from 0.
    pub connection: u64,
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON body; null if there is none.
    pub body: Value,
}

impl ChatRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A reply as a judge copies it that was asked for marked lines: each line that states a label has the
    /// mark that this request shows for it.
    pub fn with_mark(&self, reply: &str) -> String {
        let asked = self.text();
        let lines = reply.lines().map(|line| {
            let marked = line.split_once(':').and_then(|(head, tail)| {
                let mut marks = asked.lines().filter_map(|shown| {
                    let mark = shown.strip_prefix(head)?.split_once(':')?.0;
                    (mark.len() == 5 && mark.starts_with(' ')).then_some(mark)
                });
                Some(format!("{head}{}:{tail}", marks.next()?))
            });
            marked.unwrap_or_else(|| line.to_owned())
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// All message texts, joined.
    pub fn text(&self) -> String {
        let messages = self.body["messages"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let texts = messages.iter().filter_map(|m| m["content"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// What the server remembers.
#[derive(Debug, Default)]
pub struct Log {
    pub requests: Vec<ChatRequest>,
    pub in_flight: usize,
    pub most_in_flight: usize,
    /// How many clients closed the connection while an answer stalled or was being written.
    pub hung_up: usize,
}

type Respond = dyn Fn(&ChatRequest) -> Answer + Send + Sync;

/// What those get who ask for the list of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    None,
    AsAnyRequest,
}

struct Shared {
    respond: Box<Respond>,
    lists: Lists,
    log: Mutex<Log>,
    changed: Condvar,
    stopping: AtomicBool,
    connections: AtomicU64,
    open: Mutex<HashMap<u64, TcpStream>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// The server; dropping it closes every connection and ends every thread.
pub struct ChatServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl ChatServer {
    /// Serves on a free port of 127.0.0.1; `respond` decides what each request gets. The server has no
    /// list of models: whoever asks for one is told so, apart from the requests that are counted.
    pub fn start(respond: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static) -> Self {
        Self::serving(any_port(), respond, Lists::None)
    }

    /// Serves like [`ChatServer::start`], and `respond` decides what those get who ask for the list of
    /// models, too.
    pub fn listing(respond: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static) -> Self {
        Self::serving(any_port(), respond, Lists::AsAnyRequest)
    }

    /// Lists like [`ChatServer::listing`], at a loopback address that no other server has: once it is gone,
    /// nobody else's answers there.
    pub fn listing_apart(respond: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static) -> Self {
        static TAKEN: AtomicU8 = AtomicU8::new(1);
        let last = 2 + TAKEN.fetch_add(1, Ordering::SeqCst) % 250;
        let address = SocketAddr::from(([127, 0, 77, last], 0));
        Self::serving(address, respond, Lists::AsAnyRequest)
    }

    /// Serves where another server was.
    pub fn start_at(
        address: SocketAddr,
        respond: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::serving(address, respond, Lists::None)
    }

    fn serving(
        address: SocketAddr,
        respond: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static,
        lists: Lists,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            respond: Box::new(respond),
            lists,
            log: Mutex::default(),
            changed: Condvar::new(),
            stopping: AtomicBool::new(false),
            connections: AtomicU64::new(0),
            open: Mutex::default(),
            threads: Mutex::default(),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || accept(&listener, &shared))
        };
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    /// Serves like a plain chat model: the models list, and a short reply to everything.
    pub fn chat() -> Self {
        Self::listing(|seen| match seen.path.as_str() {
            "/v1/models" => Self::models(&["served-model"]),
            _ => Answer::chat("A short and harmless reply."),
        })
    }

    /// The answers in turn; the last one again and again.
    pub fn script(answers: Vec<Answer>) -> Self {
        Self::start(move |seen| answers[seen.number.min(answers.len() - 1)].clone())
    }

    /// A list of models.
    pub fn models(names: &[&str]) -> Answer {
        let data: Vec<Value> = names.iter().map(|name| json!({"id": name})).collect();
        let body = json!({"object": "list", "data": data}).to_string();
        Answer::body(200, "application/json", body.as_bytes())
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for `base_url` settings and `OPENAI_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests that were sent to a model: not those for the list of models.
    pub fn calls(&self) -> Vec<ChatRequest> {
        let mut calls = self.requests();
        calls.retain(|seen| !seen.path.ends_with("/models"));
        calls
    }

    pub fn requests(&self) -> Vec<ChatRequest> {
        self.shared.log.lock().unwrap().requests.clone()
    }

    /// All connections, used or not.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// The connections on which models were called.
    pub fn connections_of_calls(&self) -> usize {
        let calls = self.calls().into_iter();
        let used: HashSet<u64> = calls.map(|seen| seen.connection).collect();
        used.len()
    }

    /// Waits until every client is gone and all that they sent was read, as after a kill.
    pub fn wait_until_left(&self) {
        // Accepted behind all others.
        let last = TcpStream::connect(self.address).unwrap();
        let own = last.local_addr().unwrap();
        wait_until("the clients are gone", || {
            let open = self.shared.open.lock().unwrap();
            let mut clients = open.values().filter_map(|stream| stream.peer_addr().ok());
            open.len() == 1 && clients.next() == Some(own)
        });
    }

    pub fn most_in_flight(&self) -> usize {
        self.shared.log.lock().unwrap().most_in_flight
    }

    /// Waits until the log fulfils a condition; panics with `what` if it never does.
    ///
    /// Blocks its thread: in an async test the runtime must have others.
    pub fn wait_until(&self, what: &str, condition: impl Fn(&Log) -> bool) {
        let log = self.shared.log.lock().unwrap();
        let (log, out) = self
            .shared
            .changed
            .wait_timeout_while(log, PATIENCE, |log| !condition(log))
            .unwrap();
        assert!(!out.timed_out(), "never happened: {what}; {log:?}");
    }
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        for stream in self.shared.open.lock().unwrap().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        let threads = std::mem::take(&mut *self.shared.threads.lock().unwrap());
        for thread in threads {
            let _ = thread.join();
        }
    }
}

fn any_port() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let _ = stream.set_nodelay(true);
        let number = shared.connections.fetch_add(1, Ordering::SeqCst);
        let Ok(handle) = stream.try_clone() else {
            continue;
        };
        shared.open.lock().unwrap().insert(number, handle);
        let thread = {
            let shared = Arc::clone(shared);
            std::thread::spawn(move || {
                serve(&stream, number, &shared);
                let _ = stream.shutdown(Shutdown::Both);
                shared.open.lock().unwrap().remove(&number);
            })
        };
        shared.threads.lock().unwrap().push(thread);
    }
}

/// Serves one connection; none means that it is over.
fn serve(stream: &TcpStream, connection: u64, shared: &Shared) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut seen = read(&mut reader)?;
        if shared.lists == Lists::None && seen.path.ends_with("/models") {
            let none = Answer::body(404, "application/json", b"{}");
            let steps = none.steps.iter();
            steps
                .map(|step| perform(step, stream, shared))
                .collect::<Option<Vec<()>>>()?;
            continue;
        }
        {
            let mut log = shared.log.lock().unwrap();
            seen.number = log.requests.len();
            seen.connection = connection;
            log.requests.push(seen.clone());
            log.in_flight += 1;
            log.most_in_flight = log.most_in_flight.max(log.in_flight);
            shared.changed.notify_all();
        }
        let answer = (shared.respond)(&seen);
        let (last, rest) = answer.steps.split_last()?;
        let mut going = rest
            .iter()
            .try_for_each(|step| perform(step, stream, shared));
        if going.is_some() {
            // Before the last bytes: who has read them may look at the count at once.
            let is_end = matches!(last, Step::Raw(_) | Step::Chunk(_) | Step::EndChunks);
            if is_end {
                leave(shared);
                going = perform(last, stream, shared);
            } else {
                going = perform(last, stream, shared);
                leave(shared);
            }
        } else {
            leave(shared);
        }
        going?;
    }
}

fn leave(shared: &Shared) {
    shared.log.lock().unwrap().in_flight -= 1;
    shared.changed.notify_all();
}

fn perform(step: &Step, mut stream: &TcpStream, shared: &Shared) -> Option<()> {
    let written = match step {
        Step::Raw(bytes) => stream.write_all(bytes),
        Step::Chunk(bytes) => stream.write_all(&chunk(bytes)),
        Step::ByCompany { alone, others } => {
            let is_alone = shared.log.lock().unwrap().in_flight == 1;
            stream.write_all(&chunk(if is_alone { alone } else { others }))
        }
        Step::EndChunks => stream.write_all(b"0\r\n\r\n"),
        Step::Wait(time) => {
            std::thread::sleep(*time);
            Ok(())
        }
        Step::Stall => {
            stall(stream, shared);
            return None;
        }
        Step::Cut => return None,
        Step::Until(holds) => {
            let began = std::time::Instant::now();
            while !holds() && !shared.stopping.load(Ordering::SeqCst) {
                assert!(began.elapsed() < PATIENCE, "what was waited for never held");
                std::thread::sleep(LOOK);
            }
            Ok(())
        }
        Step::Meet(barrier) => {
            barrier.meet();
            Ok(())
        }
    };
    if written.is_err() {
        hung_up(shared);
    }
    written.ok()
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

/// Waits until the client closes the connection or the server stops.
fn stall(mut stream: &TcpStream, shared: &Shared) {
    let _ = stream.set_read_timeout(Some(LOOK));
    while !shared.stopping.load(Ordering::SeqCst) {
        match stream.read(&mut [0; 64]) {
            Ok(0) => return hung_up(shared),
            Ok(_) => {}
            Err(error) => match error.kind() {
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => {}
                _ => return hung_up(shared),
            },
        }
    }
}

fn hung_up(shared: &Shared) {
    shared.log.lock().unwrap().hung_up += 1;
    shared.changed.notify_all();
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<ChatRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap_or(0))];
    reader.read_exact(&mut body).ok()?;
    Some(ChatRequest {
        number: 0,
        connection: 0,
        method,
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}
