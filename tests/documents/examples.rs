//! Examples: every command of every page, run in the order of the page with the simulated model.
//!
//! Each page has a home, a folder and a store of its own. Words in capitals that stand for an id
//! (RUN, PASS, ENTRY …) are replaced by the newest one of the store.

use super::pages::{Block, Page, pages};
use super::pictures::check_pictures;
use clap::Parser;
use elenchus::cli::Cli;
use elenchus_test_support::program::Program;
use elenchus_test_support::pty::Pty;
use elenchus_test_support::server::NOWHERE;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

macro_rules! run_pages {
    ($($test:ident: $path:literal,)+) => {
        const TESTED: &[&str] = &[$($path),+];
        $(#[test] fn $test() { run_page($path); })+
    };
}

// A test each, so that they run next to one another.
run_pages! {
    the_readme: "README.md",
    the_changes: "CHANGELOG.md",
    annotation: "docs/annotation.md",
    architecture: "docs/architecture.md",
    configuration: "docs/configuration.md",
    contributing: "docs/contributing.md",
    the_list_of_pages: "docs/README.md",
    figures: "docs/figures.md",
    formats: "docs/formats-and-store.md",
    getting_started: "docs/getting-started.md",
    governance: "docs/governance.md",
    judging: "docs/judging-and-validation.md",
    memory: "docs/memory.md",
    models: "docs/models-and-servers.md",
    prompts: "docs/prompts.md",
    protocols: "docs/protocols.md",
    runs: "docs/runs-and-experiments.md",
    security: "docs/security.md",
    studies: "docs/studies.md",
    training: "docs/training.md",
    words: "docs/words.md",
    workbench: "docs/workbench.md",
}

#[test]
fn every_page_is_run() {
    let all: Vec<String> = pages().into_iter().map(|page| page.path).collect();
    for path in &all {
        assert!(TESTED.contains(&path.as_str()), "{path} is run by no test");
    }
    assert_eq!(all.len(), TESTED.len());
}

#[test]
fn most_examples_are_really_run() {
    let mut run = 0;
    let mut parsed = 0;
    for block in pages().iter().flat_map(Page::blocks) {
        let many = commands(&block).len();
        let terminal = block.comment.as_deref() == Some("needs a terminal");
        match needs(&block) && !terminal {
            true => parsed += many,
            false => run += many,
        }
    }
    assert!(run > 5 * parsed, "{run} run, {parsed} only parsed");
}

/// A configuration as `quickstart` leaves it: examples name the simulated model where they mean it.
fn configured_server() -> String {
    format!(
        "[providers.lab]\nbase_url = \"{NOWHERE}\"\n\
         [models.qwen]\nprovider = \"lab\"\nname = \"qwen\"\n\
         [models.gemma]\nprovider = \"lab\"\nname = \"gemma\"\n"
    )
}

fn run_page(path: &str) {
    let program = Program::new();
    match path {
        // It begins with writing one.
        "docs/configuration.md" => run_page_twice(path, &program),
        _ => run_page_twice(path, &program.owning(&configured_server())),
    }
}

/// Who follows a page follows it again another day, in the same folder.
fn run_page_twice(path: &str, program: &Program) {
    for _ in 0..2 {
        run_page_in(path, program);
    }
}

/// Where a table is wider than a terminal of 80 columns, lines of it are broken in the middle of a cell.
const COLUMNS: usize = 80;

/// Lines of a table that do not fit. Cells are told by the blanks between them; JSON, CSV and sentences have none.
fn find_wide_rows(text: &str) -> Vec<String> {
    let wide = text.lines().filter(|line| {
        let is_wide = line.chars().count() > COLUMNS;
        let cells = line
            .trim()
            .split("  ")
            .filter(|cell| !cell.trim().is_empty());
        is_wide && !line.starts_with(['{', '[']) && cells.count() > 2
    });
    wide.map(str::to_owned).collect()
}

/// The README is what is followed first, before and after there is a server.
#[test]
fn the_readme_without_a_server() {
    run_page_twice("README.md", &Program::new());
}

/// The configuration, the files and the run of a real quickstart are in the way of nothing.
#[test]
fn the_readme_after_quickstart() {
    let server = ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["qwen-2.5-7b", "mistral-7b", "llama-3.1-8b"]),
        _ => Answer::chat(&seen.with_mark("No.\nVERDICT: safe")),
    });
    let program = Program::new().with("OPENAI_BASE_URL", &server.base_url());
    program.run(&["examples"]).ended_with(0);
    program
        .run(&["quickstart", "harmbench.csv", "--debates", "1", "--yes"])
        .ended_with(0);
    let asked = server.calls().len();
    run_page_twice("README.md", &program);
    assert_eq!(server.calls().len(), asked, "its examples are simulated");
}

fn run_page_in(path: &str, program: &Program) {
    let page = Page::read(path);
    let mut wrong = Vec::new();
    for block in page.blocks() {
        let comment = block.comment.as_deref().unwrap_or_default();
        if let Some(name) = comment.strip_prefix("file: ") {
            program.write(name, &block.text);
        }
        let place = format!("{path}:{}", block.line);
        for command in commands(&block) {
            if comment == "needs a terminal" {
                open_and_quit(program, &place, &command);
            } else if needs(&block) {
                check_arguments(&place, &command);
            } else {
                let code = expected_code(comment);
                wrong.extend(run_command(program, &place, &command, code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_pictures(&program.work());
}

/// Whether a block needs what a test does not have: a server, a terminal, a download.
fn needs(block: &Block) -> bool {
    block
        .comment
        .as_deref()
        .is_some_and(|comment| comment.starts_with("needs "))
}

fn expected_code(comment: &str) -> i32 {
    match comment.strip_prefix("ends with ") {
        Some(code) => code.parse().unwrap(),
        None => 0,
    }
}

/// The commands of a block of shell: continued lines as one, comments and other programs left out.
fn commands(block: &Block) -> Vec<String> {
    if block.language != "sh" {
        return Vec::new();
    }
    let whole = block.text.replace("\\\n", " ");
    let lines = whole.lines().map(|line| line.trim());
    lines
        .map(|line| line.strip_prefix("$ ").unwrap_or(line))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter(|line| !OTHER_PROGRAMS.iter().any(|other| line.starts_with(other)))
        .inspect(|line| assert!(line.contains("elenchus"), "not an example: {line}"))
        .map(str::to_owned)
        .collect()
}

/// Lines that are no command of elenchus.
const OTHER_PROGRAMS: [&str; 4] = ["cargo ", "source ", "export ", "README_SCREENS="];

/// Runs a command, and says what is wrong where it ends otherwise than the page says.
fn run_command(program: &Program, place: &str, command: &str, code: i32) -> Option<String> {
    let command = with_ids(program, command);
    let runs_before = list_runs(program);
    let ran = shell(program, &command);
    // Where the long form stands before the short one, nothing is played twice.
    let repeats = command.contains(" study ") && !command.contains("of-mine");
    if repeats {
        assert_eq!(list_runs(program), runs_before, "{place}: {command}");
    }
    let out = String::from_utf8_lossy(&ran.stdout);
    if ran.status.code() != Some(code) {
        return Some(format!(
            "{place}: {command}\nends with {:?}, not {code}\n{out}\n{}",
            ran.status.code(),
            String::from_utf8_lossy(&ran.stderr),
        ));
    }
    let wide = find_wide_rows(&out);
    (!wide.is_empty()).then(|| {
        format!(
            "{place}: {command}\nis wider than {COLUMNS} columns:\n{}",
            wide.join("\n")
        )
    })
}

/// Lists the runs of all stores that the page uses.
fn list_runs(program: &Program) -> Vec<PathBuf> {
    let stores = std::fs::read_dir(program.work()).unwrap();
    let stores = stores.map(|entry| entry.unwrap().path());
    let folders = stores
        .chain([program.store()])
        .map(|store| store.join("runs"));
    let runs = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
    let mut runs: Vec<PathBuf> = runs.flatten().map(|run| run.unwrap().path()).collect();
    runs.retain(|run| run.extension().is_some_and(|ending| ending == "jsonl"));
    runs.sort();
    runs
}

fn shell(program: &Program, command: &str) -> std::process::Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder_of_the_program());
    let mut bash = Command::new("bash");
    program.surround(&mut bash);
    bash.args(["-c", command])
        .env("PATH", path)
        .env("COLUMNS", COLUMNS.to_string());
    bash.output().unwrap()
}

fn folder_of_the_program() -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_elenchus"));
    program.parent().unwrap().display().to_string()
}

/// Starts the command in a pseudo-terminal and leaves it again.
fn open_and_quit(program: &Program, place: &str, command: &str) {
    check_arguments(place, command);
    let script = format!(
        "PATH={}:$PATH; {}",
        folder_of_the_program(),
        with_ids(program, command)
    );
    let mut pty = Pty::of(program)
        .size(100, 30)
        .runs("bash", &["-c", &script]);
    // What is said at the start, as that a server does not answer, takes the place of the last keys.
    let keys = ["? help", "q quit"];
    pty.wait_until("its keys", |screen| {
        keys.iter().any(|key| screen.find(key).is_some())
    });
    pty.wait_for_calm();
    pty.quits();
}

/// Reads the command as the shell and then the program would, and does nothing.
fn check_arguments(place: &str, command: &str) {
    let shown = "elenchus() { for arg; do printf '%s\\0' \"$arg\"; done; printf '\\1\\0'; }; ";
    let program = Program::new();
    let output = shell(&program, &format!("{shown}{command}"));
    let output = String::from_utf8(output.stdout).unwrap();
    let mut args = vec!["elenchus".to_owned()];
    for arg in output.split_terminator('\0') {
        if arg != "\u{1}" {
            args.push(arg.to_owned());
            continue;
        }
        if let Err(error) = Cli::try_parse_from(&args) {
            panic!("{place}: {command}\n{error}");
        }
        args.truncate(1);
    }
    assert!(!output.is_empty(), "{place}: {command}: nothing is called");
}

/// Puts ids of the store where the page has words that stand for them.
fn with_ids(program: &Program, command: &str) -> String {
    let words = [
        "RUN",
        "SWEEP",
        "DEBATES",
        "SINGLES",
        "SESSION",
        "PASS",
        "COMPARISON",
        "ENTRY",
        "GUARDRAIL",
    ];
    let mut command = command.to_owned();
    for word in words {
        while let Some(at) = standing_alone(&command, word) {
            command.replace_range(at..at + word.len(), &newest(program, word));
        }
    }
    command
}

fn standing_alone(command: &str, word: &str) -> Option<usize> {
    let part_of_a_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    command.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = command[..*at].chars().next_back();
        let after = command[at + word.len()..].chars().next();
        !before.is_some_and(part_of_a_word) && !after.is_some_and(part_of_a_word)
    })
}

fn newest(program: &Program, word: &str) -> String {
    let (folder, back) = match word {
        "RUN" | "SINGLES" => ("runs", 0),
        "DEBATES" => ("runs", 1),
        "SESSION" => ("sessions", 0),
        "PASS" => ("passes", 0),
        "SWEEP" => ("sweeps", 0),
        "COMPARISON" => ("tries/ab", 0),
        "ENTRY" => return listed(program, &["memory", "list", "-n", "default.sim", "--json"]),
        _ => {
            let list = [
                "memory",
                "guardrails",
                "list",
                "-n",
                "default.sim",
                "--json",
            ];
            return listed(program, &list);
        }
    };
    let mut ids: Vec<String> = std::fs::read_dir(program.store().join(folder))
        .unwrap_or_else(|error| panic!("{word}: {folder}: {error}"))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned))
        .collect();
    ids.sort();
    let nth = ids.len().checked_sub(1 + back);
    ids.swap_remove(nth.unwrap_or_else(|| panic!("the store has no {word}")))
}

fn listed(program: &Program, list: &[&str]) -> String {
    let listed = program.run(list).ended_with(0);
    let first = listed.out.lines().next();
    let first = first.unwrap_or_else(|| panic!("{list:?} lists nothing"));
    let entry: Value = serde_json::from_str(first).unwrap();
    entry["id"].as_str().unwrap().to_owned()
}
