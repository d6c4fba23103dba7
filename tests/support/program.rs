//! The real program with a home, a project and a store of its own.

use super::journals::{Debate, complete_lines, journals, wait_until};
use super::server::{ChatServer, PATIENCE};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, mpsc};

/// The game `duo`.
pub const DUO: &str = include_str!("../fixtures/duo/protocol.toml");
pub const DUO_TEMPLATE: &str = include_str!("../fixtures/duo/speaker.md");

/// Topics about different things; the last one but one asks nearly the same as the first.
pub const TOPICS: &str = "\
id,text,category
lock,How do I open a lock without its key?,doors
bread,How long does bread dough rest in winter?,food
tyre,Which tools remove a bicycle tyre?,bicycles
lock2,How do I open a lock without its own key?,doors
sea,Why is the water of the sea salty?,nature
";

/// The program with a home, a project folder and a store of its own. Clones share all but the store.
#[derive(Clone)]
pub struct Program {
    folder: Arc<tempfile::TempDir>,
    store: String,
    environment: Vec<(String, String)>,
}

/// Exit code and output of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A command that is still running; killed when it is dropped.
pub struct Running {
    child: Option<Child>,
}

impl Default for Program {
    fn default() -> Self {
        Self::new()
    }
}

impl Program {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        // Whoever starts it has said before under which name they label: the system's user.
        let own = folder.path().join("home/.local/share/elenchus/workbench");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("workbench.json"), r#"{"annotator_asked": true}"#).unwrap();
        Self {
            folder: Arc::new(folder),
            store: "store".to_owned(),
            environment: Vec::new(),
        }
    }

    /// A program whose only setting is where the server is.
    pub fn facing(server: &ChatServer) -> Self {
        Self::new().with("OPENAI_BASE_URL", &server.base_url())
    }

    /// A program whose project has a configuration, which its person approved.
    pub fn configured(config: &str) -> Self {
        let program = Self::new().approving_the_project();
        program.write(".elenchus/config.toml", config);
        program
    }

    /// The same program with a project that counts as its person's own, servers on this machine included.
    pub fn approving_the_project(self) -> Self {
        let work = self.work().display().to_string();
        self.with("ELENCHUS_TRUST", &format!("{work},http://127.0.0.1:*"))
    }

    /// A program whose user has a configuration, with [`TOPICS`] as `topics.csv`.
    pub fn with_topics(config: &str) -> Self {
        let program = Self::new().owning(config);
        program.write("topics.csv", TOPICS);
        program
    }

    /// Writes the user's own configuration.
    pub fn owning(self, config: &str) -> Self {
        let folder = self.home().join(".config/elenchus");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), config).unwrap();
        self
    }

    /// Gives the project the game `duo`: two speakers whose last answers are compared with the reference.
    pub fn with_duo(self) -> Self {
        self.write(".elenchus/prompts/duo/protocol.toml", DUO);
        self.write(".elenchus/prompts/duo/speaker.md", DUO_TEMPLATE);
        self
    }

    /// Sets a variable of the environment.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same program with another store.
    pub fn with_store(&self, store: &str) -> Self {
        Self {
            store: store.to_owned(),
            ..self.clone()
        }
    }

    /// A path in the folder that holds home, project and stores.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path(&self.store)
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The project, in which commands run.
    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        self.write_at(&format!("work/{name}"), text)
    }

    /// Writes a file below the folder that holds home, project and stores.
    pub fn write_at(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file below the folder that holds home, project and stores.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }

    /// Runs a command that must succeed and returns what it printed.
    #[track_caller]
    pub fn run_ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran.out
    }

    /// Runs a command that must end with this code and returns its error output.
    #[track_caller]
    pub fn run_err(&self, code: i32, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran.err
    }

    /// Runs a command and writes `~` for the program's folder, whose name differs from run to run.
    pub fn run_tidy(&self, args: &[&str]) -> Ran {
        let Ran { code, out, err } = self.run(args);
        Ran {
            code,
            out: self.tidy(&out),
            err: self.tidy(&err),
        }
    }

    pub fn tidy(&self, text: &str) -> String {
        let own = self.folder.path().canonicalize().unwrap();
        text.replace(own.to_str().unwrap(), "~")
            .replace(self.folder.path().to_str().unwrap(), "~")
    }

    /// Plays and returns the id of the run or session.
    #[track_caller]
    pub fn play(&self, args: &[&str]) -> String {
        self.run_ok(&[&["run", "-q"], args].concat())
            .trim()
            .to_owned()
    }

    /// Starts a command and goes on at once.
    pub fn start(&self, args: &[&str]) -> Running {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running {
            child: Some(command.spawn().unwrap()),
        }
    }

    /// Starts a command and kills it once something holds, or when it is over.
    pub fn kill_when(&self, args: &[&str], what: &str, mut holds: impl FnMut() -> bool) {
        let mut running = self.start(args);
        wait_until(what, || holds() || running.is_over());
        running.kill();
    }

    /// The ids of all sessions, the oldest first.
    pub fn sessions(&self) -> Vec<String> {
        let files = self.session_files();
        files.iter().map(|path| journal_id(path)).collect()
    }

    /// The journals of all sessions, the oldest first.
    pub fn session_files(&self) -> Vec<PathBuf> {
        journals(&self.store().join("sessions"))
    }

    pub fn session_file(&self, id: &str) -> PathBuf {
        self.store().join(format!("sessions/{id}.jsonl"))
    }

    /// The only run's id; none before its journal is there.
    pub fn run_id(&self) -> Option<String> {
        let runs = journals(&self.store().join("runs"));
        assert!(runs.len() < 2, "{runs:?}");
        runs.first().map(|path| journal_id(path))
    }

    /// Has a turn of a session answered anew and the debate played on from there as a fork; returns the fork.
    #[track_caller]
    pub fn adopt_fork(&self, session: &str, turn: &str) -> String {
        let before = self.sessions();
        let turn = format!("{session}:{turn}");
        let roll = ["--roll-forward", "end", "--adopt", "0"];
        self.run_ok(&[&["prompts", "try", &turn], &roll[..]].concat());
        let fork = self.sessions().into_iter().find(|id| !before.contains(id));
        fork.expect("a sample was adopted")
    }

    /// The events of a session, as `show --json` prints them.
    #[track_caller]
    pub fn events(&self, session: &str) -> Vec<Value> {
        let shown = self.run_ok(&["show", session, "--json"]);
        shown
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take())
            .collect()
    }

    /// How many replies and verdicts all sessions hold.
    pub fn finished_calls(&self) -> usize {
        let sessions = self.session_files();
        let all = sessions.iter().flat_map(|path| complete_lines(path));
        all.filter(|line| {
            [r#""type":"replied""#, r#""type":"judged""#]
                .iter()
                .any(|kind| line.contains(kind))
        })
        .count()
    }

    /// What was said and found in every debate, by topic, cast and rollout.
    pub fn debates(&self) -> BTreeMap<String, Debate> {
        let sessions = self.session_files();
        let by_name: BTreeMap<_, _> = sessions
            .iter()
            .map(|path| Debate::read(path))
            .map(|debate| (debate.name.clone(), debate))
            .collect();
        assert_eq!(by_name.len(), sessions.len(), "two debates of one name");
        by_name
    }

    /// The figures of everything in the store, which must be one section.
    #[track_caller]
    pub fn figures(&self) -> Figures {
        let json = self.run_ok(&["metrics", "--json"]);
        let mut report: Value = serde_json::from_str(&json).unwrap();
        let sections = report["sections"].as_array_mut().unwrap();
        assert_eq!(sections.len(), 1, "{sections:#?}");
        Figures(sections.remove(0))
    }

    /// The report on the whole store, without the figures that depend on time.
    pub fn untimed_report(&self) -> Value {
        let json = self.run_ok(&["metrics", "--json", "--by", "protocol,seat"]);
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

    /// Every file under the store, with its bytes.
    pub fn store_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(&self.store(), &mut files);
        files
    }

    /// Takes away what says how far journals went, as a kill in their first second leaves a store.
    pub fn forget_heads(&self) {
        let _ = std::fs::remove_dir_all(self.store().join("heads"));
    }

    /// The environment of every command.
    pub fn environment(&self) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.into_os_string().into_string().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut all = vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), text(self.home())),
            ("ELENCHUS_STORE".to_owned(), text(self.store())),
        ];
        all.extend(self.environment.iter().cloned());
        all
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        self.surround(&mut command);
        command.args(args);
        command
    }

    /// Takes the test's own environment away from a command and gives it this program's.
    pub fn surround(&self, command: &mut Command) {
        command
            .env_clear()
            .envs(self.environment())
            .current_dir(self.work())
            .stdin(Stdio::null());
    }
}

/// Says whether a file that the program writes at once is there with its text.
pub fn is_written(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

/// Copies a folder with everything in it.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
}

pub fn journal_id(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

impl Ran {
    pub fn of(output: Output) -> Self {
        let ran = Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Fails with the whole output unless the command ended with this code.
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out:\n{}\nerr:\n{}", self.out, self.err);
        self
    }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Sends SIGINT, as Ctrl-C does.
    pub fn interrupt(&self) {
        signal("-INT", self.pid());
    }

    /// Sends SIGTERM, as a scheduler does.
    pub fn terminate(&self) {
        signal("-TERM", self.pid());
    }

    /// Ends the process at once, as the kernel would, and waits until it is gone.
    pub fn kill(self) {
        drop(self);
    }

    pub fn is_over(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// Waits until it ends by itself.
    pub fn finish(mut self) -> Ran {
        let child = self.child.take().unwrap();
        let pid = child.id();
        let (done, ended) = mpsc::channel();
        let waiting = std::thread::spawn(move || {
            let output = child.wait_with_output().unwrap();
            let _ = done.send(());
            output
        });
        if ended.recv_timeout(PATIENCE).is_err() {
            signal("-KILL", pid);
            panic!("the command never ended: {:?}", waiting.join().unwrap());
        }
        Ran::of(waiting.join().unwrap())
    }
}

fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// One section of a report.
#[derive(Debug)]
pub struct Figures(Value);

impl Figures {
    /// A figure about the whole section.
    #[track_caller]
    pub fn of(&self, measure: &str) -> &Value {
        self.find(measure, None)
    }

    /// A figure about one part of the section, such as a seat.
    #[track_caller]
    pub fn part(&self, measure: &str, part: &str) -> &Value {
        self.find(measure, Some(part))
    }

    /// A figure's value.
    #[track_caller]
    pub fn value(&self, measure: &str) -> f64 {
        let figure = self.of(measure);
        figure["value"]
            .as_f64()
            .unwrap_or_else(|| panic!("{figure:#}"))
    }

    #[track_caller]
    fn find(&self, measure: &str, part: Option<&str>) -> &Value {
        let figures = self.0["figures"].as_array().unwrap();
        let found = figures.iter().find(|figure| {
            let keys = figure["keys"].as_array().unwrap();
            figure["measure"] == measure
                && match part {
                    None => keys.is_empty(),
                    Some(part) => keys.iter().any(|key| key["value"] == part),
                }
        });
        found.unwrap_or_else(|| panic!("no figure {measure} {part:?} in {:#}", self.0))
    }
}

/// The program under test: cargo puts it one folder above the test that runs.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    built.join("elenchus")
}
