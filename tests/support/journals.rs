//! A home folder for the program, its stores, and what journals say.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long anything that is waited for may take.
const DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks at a condition.
const LOOK_AGAIN: Duration = Duration::from_micros(300);

/// Topics about different things; the last one but one asks nearly the same as the first.
pub const TOPICS: &str = "\
id,text,category
lock,How do I open a lock without its key?,doors
bread,How long does bread dough rest in winter?,food
tyre,Which tools remove a bicycle tyre?,bicycles
lock2,How do I open a lock without its own key?,doors
sea,Why is the water of the sea salty?,nature
";

/// A home with a configuration, a folder to work in, and a store. Clones share all but the store.
#[derive(Clone)]
pub struct Home {
    folder: Rc<tempfile::TempDir>,
    store: String,
}

impl Home {
    pub fn new() -> Self {
        Self::with_config("")
    }

    /// A home whose user configured this.
    pub fn with_config(config: &str) -> Self {
        let home = Self {
            folder: Rc::new(tempfile::tempdir().unwrap()),
            store: "store".to_owned(),
        };
        home.write("home/.config/elenchus/config.toml", config);
        home.write("work/topics.csv", TOPICS);
        home
    }

    /// The same home with another store.
    pub fn with_store(&self, store: &str) -> Self {
        Self {
            store: store.to_owned(),
            ..self.clone()
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path(&self.store)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elenchus"));
        self.surround(&mut command);
        command.args(args);
        command
    }

    /// Takes the test's own environment away from a command and gives it this home.
    pub fn surround(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("ELENCHUS_STORE", self.store())
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    /// Runs a command that must succeed and returns what it printed.
    pub fn fine(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}\n{}\n{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must fail with this code and returns what it complained about.
    pub fn refused(&self, code: i32, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(code), "{args:?}\n{}\n{}", ran.out, ran.err);
        ran.err
    }

    /// Plays and returns the id of the run or session.
    pub fn play(&self, args: &[&str]) -> String {
        let mut all = vec!["run", "-q"];
        all.extend(args);
        self.fine(&all).trim().to_owned()
    }

    /// Starts a command; it is killed when the test lets go of it.
    pub fn start(&self, args: &[&str]) -> Running {
        Running(
            self.command(args)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap(),
        )
    }

    pub fn session(&self, id: &str) -> PathBuf {
        self.store().join(format!("sessions/{id}.jsonl"))
    }

    /// Takes away what says how far journals went, as a kill in their first second leaves a store.
    pub fn forget_heads(&self) {
        let _ = fs::remove_dir_all(self.store().join("heads"));
    }

    /// The journals of sessions, sorted by id.
    pub fn sessions(&self) -> Vec<PathBuf> {
        journals(&self.store().join("sessions"))
    }

    /// The only run's id; none before its journal is there.
    pub fn run_id(&self) -> Option<String> {
        let path = journals(&self.store().join("runs")).pop()?;
        Some(path.file_stem()?.to_str()?.to_owned())
    }

    /// How many replies and verdicts all sessions hold.
    pub fn finished_calls(&self) -> usize {
        let sessions = self.sessions();
        let all = sessions.iter().flat_map(|path| complete_lines(path));
        all.filter(|line| {
            [r#""type":"replied""#, r#""type":"judged""#]
                .iter()
                .any(|kind| line.contains(kind))
        })
        .count()
    }

    /// What every debate came to, by topic, cast and rollout.
    pub fn debates(&self) -> BTreeMap<String, Debate> {
        let sessions = self.sessions();
        let found: Vec<Debate> = sessions.iter().map(|path| Debate::read(path)).collect();
        let count = found.len();
        let by_name: BTreeMap<_, _> = found
            .into_iter()
            .map(|debate| (debate.name.clone(), debate))
            .collect();
        assert_eq!(by_name.len(), count, "two debates of one name");
        by_name
    }

    /// The figures of the whole store, without those that tell time.
    pub fn figures(&self) -> Value {
        let json = self.fine(&["metrics", "--json", "--by", "protocol,seat"]);
        let mut report: Value = serde_json::from_str(&json).unwrap();
        for section in report["sections"].as_array_mut().unwrap() {
            let figures = section["figures"].as_array_mut().unwrap();
            figures.retain(|figure| {
                let measure = figure["measure"].as_str().unwrap();
                let timed = ["latency", "wall", "critical_path", "time"];
                !timed.iter().any(|word| measure.contains(word))
            });
        }
        assert!(report["sections"][0]["figures"].as_array().unwrap().len() > 5);
        report
    }
}

/// What a command said.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let ran = Self {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }
}

/// A process of the test's own.
pub struct Running(pub Child);

impl Running {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Ends the process at once, as the kernel would, and waits until it is gone.
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub fn is_over(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        use std::io::Read;
        let read = |from: &mut dyn Read| {
            let mut text = Vec::new();
            from.read_to_end(&mut text).unwrap();
            text
        };
        let stdout = read(self.0.stdout.as_mut().unwrap());
        let stderr = read(self.0.stderr.as_mut().unwrap());
        let status = self.0.wait().unwrap();
        Ran::of(&Output {
            status,
            stdout,
            stderr,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

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

/// Chains the lines of a journal anew: each with the hash of the one before.
pub fn chained(text: &str) -> String {
    let mut chained = String::new();
    let mut before = elenchus::store::Hash::ZERO;
    for line in text.lines() {
        let old = line.strip_prefix("{\"prev\":\"").unwrap();
        let line = format!("{{\"prev\":\"{before}{}\n", &old[64..]);
        before = elenchus::store::Hash::of(line.as_bytes());
        chained.push_str(&line);
    }
    chained
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
