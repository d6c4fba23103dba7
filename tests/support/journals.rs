//! Journals read as text, and what debates in them said and found.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long anything that is waited for may take.
const DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks at a condition.
const LOOK_AGAIN: Duration = Duration::from_micros(300);

/// Looks again and again until something holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < DEADLINE, "waited in vain for {what}");
        std::thread::park_timeout(LOOK_AGAIN);
    }
}

/// The journals of a folder, sorted; none where there is no folder.
pub fn journals(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// A journal's lines without the one that is still being written.
pub fn complete_lines(path: &Path) -> Vec<String> {
    let Ok(bytes) = fs::read(path) else {
        return Vec::new();
    };
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    let text = String::from_utf8(bytes[..end.map_or(0, |at| at + 1)].to_vec()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Cuts a journal off behind so many lines.
pub fn keep_lines(path: &Path, lines: usize) {
    let kept = complete_lines(path).into_iter().take(lines);
    let kept: String = kept.map(|line| line + "\n").collect();
    fs::write(path, kept).unwrap();
}

/// Chains the lines of a journal anew: each with the hash of the one before.
pub fn chained(text: &str) -> String {
    let mut chained = String::new();
    let mut before = String::new();
    for line in text.lines() {
        let old = line.strip_prefix("{\"prev\":\"").unwrap();
        let line = format!("{{\"prev\":\"{}{}\n", hash_of_line(&before), &old[64..]);
        chained.push_str(&line);
        before = line;
    }
    chained
}

/// The hash that the line after this one, with its newline, begins with; zeros where there is none before.
pub fn hash_of_line(line: &str) -> String {
    if line.is_empty() {
        return "0".repeat(64);
    }
    let hash = Sha256::digest(line.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Puts a line behind a journal, or begins it, chained as it should be; `by` as lines have it.
pub fn append_event(path: &Path, by: &str, at: &str, event: &Value) {
    let before = complete_lines(path);
    let prev = before.last().map_or_else(
        || hash_of_line(""),
        |last| hash_of_line(&format!("{last}\n")),
    );
    let line = serde_json::json!({"prev": prev, "at": at, "by": by, "event": event});
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let all: String = before.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, format!("{all}{line}\n")).unwrap();
}

/// The events of a journal's complete lines.
pub fn events(path: &Path) -> Vec<Value> {
    let lines = complete_lines(path);
    let parsed = lines.iter().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["event"]["by"] = line["by"].take();
        line["event"].take()
    });
    parsed.collect()
}

/// The step that an event finishes, as calls name it.
pub fn finished_step(event: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match event["type"].as_str().unwrap() {
        "replied" => Some(format!(
            "speak {}#{}",
            text(&event["turn"]),
            event["attempt"]
        )),
        "judged" => Some(format!("judge {}", judged_place(event))),
        "feedback_written" => Some("feedback".to_owned()),
        "retrieved" => Some("retrieve".to_owned()),
        _ => None,
    }
}

/// Where a verdict belongs: judging, chair and target.
fn judged_place(event: &Value) -> String {
    let target = &event["target"];
    let target = match (&target["attempt"], &target["round"]) {
        (Value::Object(attempt), _) => format!(
            "{}#{}",
            attempt["turn"].as_str().unwrap(),
            attempt["attempt"]
        ),
        (_, Value::Number(round)) => format!("r{round}"),
        _ => "debate".to_owned(),
    };
    let judging = event["judging"].as_str().unwrap();
    format!("{judging} {} {target}", event["chair"])
}

/// What was said and found in a debate, whatever the order and the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Debate {
    /// Topic, models of the cast, rollout.
    pub name: String,
    pub topic: String,
    pub batch: Option<u64>,
    pub models: Vec<String>,
    /// Text by turn.
    pub said: BTreeMap<String, String>,
    /// Label by place.
    pub found: BTreeMap<String, String>,
    pub lesson: Option<String>,
    /// Texts in the order in which they were shown.
    pub retrieved: Vec<String>,
}

impl Debate {
    pub fn read(path: &Path) -> Self {
        let events = events(path);
        let created = &events[0];
        assert_eq!(created["type"], "created", "{}", path.display());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let models = created["cast"].as_array().unwrap().iter();
        let models: Vec<String> = models
            .map(|seat| match seat["player"]["model"].as_str() {
                Some(model) => format!("{}={model}", text(&seat["chair"])),
                None => format!("{}=human", text(&seat["chair"])),
            })
            .collect();
        let mut debate = Self {
            name: format!(
                "{} {} {}",
                text(&created["topic"]["id"]),
                models.join(","),
                created["run"]["rollout"]
            ),
            topic: text(&created["topic"]["id"]),
            batch: created["run"]["batch"].as_u64(),
            models,
            said: BTreeMap::new(),
            found: BTreeMap::new(),
            lesson: None,
            retrieved: Vec::new(),
        };
        for event in &events[1..] {
            debate.take_in(event);
        }
        debate
    }

    fn take_in(&mut self, event: &Value) {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match event["type"].as_str().unwrap() {
            "replied" => {
                let turn = format!("{}#{}", text(&event["turn"]), event["attempt"]);
                let again = self.said.insert(turn, text(&event["reply"]["text"]));
                assert_eq!(again, None, "a turn was spoken twice");
            }
            "judged" => {
                let label = event["outcome"]["label"]["label"].as_str();
                let label = label.unwrap_or("unparsed").to_owned();
                let again = self.found.insert(judged_place(event), label);
                assert_eq!(again, None, "a verdict was found twice");
            }
            "feedback_written" => {
                let lesson = text(&event["reply"]["text"]);
                assert_eq!(self.lesson.replace(lesson), None, "two lessons");
            }
            "retrieved" => {
                assert!(self.retrieved.is_empty(), "memory was asked twice");
                let entries = event["entries"].as_array().unwrap().iter();
                self.retrieved = entries.map(|entry| text(&entry["text"])).collect();
            }
            _ => {}
        }
    }
}

/// The distinct values of a list.
pub fn distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    items.into_iter().collect()
}
