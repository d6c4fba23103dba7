//! Events and child processes of the store's tests.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

use crate::{Head, JournalType, Journals, ReadLine, SyncPool, read_journal};
use serde::{Deserialize, Serialize};

/// What this program knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TestEvent {
    Opened { topic: String },
    Spoke { text: String },
    Measured { value: f64 },
}

/// What a later program knows as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LaterEvent {
    Spoke { text: String },
    Sang { tune: String },
}

impl JournalType for TestEvent {
    type Event = Self;
    const KIND: &'static str = "test";
}

impl JournalType for LaterEvent {
    type Event = Self;
    const KIND: &'static str = "test";
}

pub const AT: &str = "2025-01-02T03:04:05Z";

pub fn spoke(text: &str) -> TestEvent {
    TestEvent::Spoke { text: text.into() }
}

pub fn pool() -> SyncPool {
    SyncPool::default()
}

pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes a journal of `texts`; the heads after each line, the empty one first.
pub async fn journal(path: &Path, texts: &[&str]) -> Vec<Head> {
    let writer = Journals::new("a test", &pool())
        .begin_journal::<TestEvent>(path)
        .unwrap();
    let mut heads = vec![Head::EMPTY];
    for text in texts {
        heads.push(writer.append(AT, "ana", &spoke(text)).await.unwrap());
    }
    heads
}

/// The texts that were spoken, as a reader sees them.
pub fn texts(path: &Path) -> Vec<String> {
    texts_of(&read_journal(path).unwrap().lines)
}

pub fn texts_of(lines: &[ReadLine<TestEvent>]) -> Vec<String> {
    lines
        .iter()
        .map(|line| match line {
            ReadLine::Known(line) => match &line.event {
                TestEvent::Spoke { text } => text.clone(),
                other => panic!("{other:?}"),
            },
            ReadLine::Unknown { raw, .. } => panic!("unknown: {raw}"),
        })
        .collect()
}

/// Which part a child process plays: the name of an ignored test in this binary.
pub const PATH: &str = "ELENCHUS_TEST_PATH";

/// The command that runs one ignored test of this binary in a process of its own, after `setup` in a shell.
pub fn child(setup: &str, test: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{setup}\nexec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env(PATH, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

pub fn child_path() -> PathBuf {
    std::env::var_os(PATH)
        .expect("started by another test only")
        .into()
}

/// Waits until a child says `word` and returns what follows it on that line.
pub fn wait_for(child: &mut Child, word: &str) -> String {
    let stdout: &mut ChildStdout = child.stdout.as_mut().unwrap();
    for line in BufReader::new(stdout).lines() {
        let line = line.unwrap();
        if let Some(at) = line.find(word) {
            return line[at + word.len()..].trim().to_owned();
        }
    }
    panic!("the child ended without saying {word}");
}
