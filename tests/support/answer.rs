//! Canned answers of the loopback server, well or badly behaved.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How long a barrier waits for company before it reports failure.
const BARRIER_PATIENCE: Duration = Duration::from_secs(20);

/// A step of an answer.
#[derive(Clone)]
pub enum Step {
    /// Sends bytes as they are.
    Raw(Vec<u8>),
    /// Sends bytes as one chunk of a chunked body.
    Chunk(Vec<u8>),
    /// Sends the last chunk of a chunked body.
    EndChunks,
    /// Lets time pass.
    Wait(Duration),
    /// Sends nothing until the client hangs up or the server stops.
    Stall,
    /// Closes the connection.
    Cut,
    /// Waits until enough requests are here together.
    Meet(Arc<Barrier>),
    /// Waits until something holds, for example that a file has what was sent before.
    Until(Arc<dyn Fn() -> bool + Send + Sync>),
    /// Sends one chunk where no other request is in flight, and another where there is.
    ByCompany { alone: Vec<u8>, others: Vec<u8> },
}

/// What the server does with one request.
#[derive(Clone)]
pub struct Answer {
    pub steps: Vec<Step>,
}

/// Holds answers back until `size` requests wait together.
pub struct Barrier {
    size: usize,
    state: Mutex<BarrierState>,
    changed: Condvar,
}

#[derive(Default)]
struct BarrierState {
    waiting: usize,
    generation: u64,
    broken: bool,
}

impl Barrier {
    pub fn of(size: usize) -> Arc<Self> {
        Arc::new(Self {
            size,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Waits for the others; afterwards the barrier serves the next `size` requests.
    pub fn meet(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        if state.waiting >= self.size {
            state.waiting = 0;
            state.generation += 1;
            self.changed.notify_all();
            return;
        }
        let mine = state.generation;
        let (mut state, out) = self
            .changed
            .wait_timeout_while(state, BARRIER_PATIENCE, |s| {
                s.generation == mine && !s.broken
            })
            .unwrap();
        if out.timed_out() {
            state.broken = true;
            self.changed.notify_all();
        }
    }

    /// How often enough requests met.
    pub fn met(&self) -> u64 {
        self.state.lock().unwrap().generation
    }

    /// Whether a request waited in vain.
    pub fn broken(&self) -> bool {
        self.state.lock().unwrap().broken
    }
}

impl Answer {
    pub fn of(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// Does something else first.
    pub fn after(mut self, step: Step) -> Self {
        self.steps.insert(0, step);
        self
    }

    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Answers only once enough requests are in flight together.
    pub fn behind(self, barrier: &Arc<Barrier>) -> Self {
        self.after(Step::Meet(Arc::clone(barrier)))
    }

    /// Streams a text as a chat server does, word by word, with usage.
    pub fn chat(text: &str) -> Self {
        Self::deltas(
            text.split_inclusive(' ')
                .map(|word| json!({"content": word})),
        )
    }

    /// Answers as [`Answer::chat`] does and counts these tokens: a count that a text cannot have is not
    /// taken as it is.
    pub fn counted(text: &str, input: u64, output: u64) -> Self {
        let deltas = text.split_inclusive(' ');
        Self::counted_deltas(deltas.map(|word| json!({"content": word})), (input, output))
    }

    /// Streams deltas, then finish reason, usage and `[DONE]`.
    pub fn deltas(deltas: impl IntoIterator<Item = Value>) -> Self {
        Self::counted_deltas(deltas, (11, 7))
    }

    fn counted_deltas(
        deltas: impl IntoIterator<Item = Value>,
        (input, output): (u64, u64),
    ) -> Self {
        let mut events: Vec<String> = deltas.into_iter().map(|delta| event(&delta)).collect();
        events.push(finish("stop"));
        events.push(usage(input, output));
        events.push("data: [DONE]\n\n".into());
        Self::sse(events)
    }

    /// Streams events exactly as given, one chunk each, and ends the body properly.
    pub fn sse<T: AsRef<[u8]>>(events: impl IntoIterator<Item = T>) -> Self {
        Self::sse_open(events).then(Step::EndChunks)
    }

    /// Streams events exactly as given and leaves the body open.
    pub fn sse_open<T: AsRef<[u8]>>(events: impl IntoIterator<Item = T>) -> Self {
        let mut steps = vec![Step::Raw(head(
            200,
            &[
                ("content-type", "text/event-stream"),
                ("transfer-encoding", "chunked"),
            ],
        ))];
        steps.extend(
            events
                .into_iter()
                .map(|event| Step::Chunk(event.as_ref().to_vec())),
        );
        Self::of(steps)
    }

    /// Streams a text as a server does that serves one request at a time and ends it, without a
    /// finish reason, as soon as the next one is there.
    pub fn interruptible(text: &str) -> Self {
        let done = "data: [DONE]\n\n";
        let whole = format!(
            "{}{}{done}",
            event(&json!({"content": text})),
            finish("stop")
        );
        Self::sse_open([event(&json!({"role": "assistant", "content": ""}))])
            .then(Step::Wait(Duration::from_millis(2)))
            .then(Step::ByCompany {
                alone: whole.into_bytes(),
                others: done.as_bytes().to_vec(),
            })
            .then(Step::EndChunks)
    }

    /// Answers with an error body as the server wrote it.
    pub fn refusal(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", body.to_string().as_bytes())
    }

    /// Answers with a whole body.
    pub fn body(status: u16, kind: &str, body: &[u8]) -> Self {
        Self::with_headers(status, &[("content-type", kind)], body)
    }

    pub fn with_headers(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let length = body.len().to_string();
        let mut headers = headers.to_vec();
        headers.push(("content-length", &length));
        let mut bytes = head(status, &headers);
        bytes.extend_from_slice(body);
        Self::of(vec![Step::Raw(bytes)])
    }

    /// Answers with an error object.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        let body = json!({"error": {"code": code, "type": code, "message": message}});
        Self::body(status, "application/json", body.to_string().as_bytes())
    }

    pub fn too_many(retry_after: &str) -> Self {
        let headers = [
            ("retry-after", retry_after),
            ("content-type", "application/json"),
        ];
        Self::with_headers(429, &headers, br#"{"error":{"message":"slow down"}}"#)
    }

    /// Answers a streaming request with one JSON document.
    pub fn whole(text: &str) -> Self {
        let message = json!({"role": "assistant", "content": text});
        let choice = json!({"index": 0, "finish_reason": "stop", "message": message});
        let usage = json!({"prompt_tokens": 11, "completion_tokens": 7});
        let body = json!({"model": "served-model", "choices": [choice], "usage": usage});
        let pretty = serde_json::to_vec_pretty(&body).unwrap();
        Self::body(200, "application/json", &pretty)
    }

    /// Sends a well-behaved stream in small pieces, cut wherever they end.
    pub fn drip(text: &str, piece_bytes: usize) -> Self {
        let mut all = Vec::new();
        for word in text.split_inclusive(' ') {
            all.extend_from_slice(
                event(&json!({"content": word}))
                    .replace('\n', "\r\n")
                    .as_bytes(),
            );
        }
        all.extend_from_slice(finish("stop").as_bytes());
        all.extend_from_slice(b"data: [DONE]\n\n");
        Self::sse(all.chunks(piece_bytes))
    }

    pub fn stall() -> Self {
        Self::of(vec![Step::Stall])
    }

    pub fn cut() -> Self {
        Self::of(vec![Step::Cut])
    }
}

/// A stream event with a delta.
pub fn event(delta: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": null});
    format!(
        "data: {}\n\n",
        json!({"model": "served-model", "choices": [choice]})
    )
}

/// A stream event with a finish reason.
pub fn finish(reason: &str) -> String {
    let choice = json!({"index": 0, "delta": {}, "finish_reason": reason});
    format!(
        "data: {}\n\n",
        json!({"model": "served-model", "choices": [choice]})
    )
}

/// A stream event with usage.
pub fn usage(input: u64, output: u64) -> String {
    let usage = json!({"prompt_tokens": input, "completion_tokens": output,
        "completion_tokens_details": {"reasoning_tokens": 3},
        "prompt_tokens_details": {"cached_tokens": 2}});
    format!(
        "data: {}\n\n",
        json!({"model": "served-model", "choices": [], "usage": usage})
    )
}

/// A response's head.
pub fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Whatever\r\n");
    if !headers.iter().any(|(name, _)| *name == "x-request-id") {
        text.push_str("x-request-id: req-7\r\n");
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.into_bytes()
}
