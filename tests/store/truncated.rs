//! Truncated and changed journals.

use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{Session, read_session};
use elenchus_store::{Journals, Layout, SyncPool};
use elenchus_test_support::journals::{complete_lines, events, journals};
use elenchus_test_support::program::Program;
use std::fs;

/// A short session: its id, and its journal's bytes.
fn played(program: &Program) -> (String, Vec<u8>) {
    let id = program.play(&[
        "--protocol",
        "standard",
        "--set",
        "debaters=2",
        "--topic",
        "Why is the sea salty?",
    ]);
    let bytes = fs::read(program.session_file(&id)).unwrap();
    (id, bytes)
}

/// Where the journal's lines end.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| at + 1).collect()
}

fn put(program: &Program, id: &str, bytes: &[u8]) {
    fs::create_dir_all(program.store().join("sessions")).unwrap();
    program.forget_heads();
    fs::write(program.session_file(id), bytes).unwrap();
}

/// A session that is small enough to be cut at every byte.
fn small(program: &Program) -> (String, Vec<u8>) {
    program.clone().with_duo();
    let id = program.play(&["--protocol", "duo", "--topic", "Why?", "--reference", "So"]);
    let bytes = fs::read(program.session_file(&id)).unwrap();
    (id, bytes)
}

#[test]
fn a_journal_cut_at_any_byte_is_read_up_to_its_last_whole_line_and_can_be_opened() {
    let program = Program::with_topics("");
    let (id, bytes) = small(&program);
    let ends = ends(&bytes);
    let cut = program.with_store("cut");
    let layout = Layout::new(cut.store());
    let (session, fsync) = (SessionId::new(id.clone()), SyncPool::default());
    let path = cut.session_file(&id);
    put(&cut, &id, &bytes);
    let mut open_steps = usize::MAX;
    for length in (0..bytes.len()).rev() {
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(length as u64)
            .unwrap();
        let whole = ends.iter().rev().find(|end| **end <= length).copied();
        let Some(whole) = whole else {
            assert!(read_session(&path).is_err(), "nothing is no session");
            continue;
        };
        let state = read_session(&path).unwrap();
        let opening = state.find_open_steps();
        // Opening is what cuts the incomplete line off, so it is done on a copy.
        if !ends.contains(&length) && length % 31 != 0 {
            continue;
        }
        let other = program.with_store("opened");
        put(&other, &id, &fs::read(&path).unwrap());
        let opened = Session::open(
            &Layout::new(other.store()),
            &Journals::new("a test", &fsync),
            &session,
        )
        .unwrap();
        assert_eq!(opened.notices.len(), usize::from(whole != length));
        assert_eq!(opened.state.find_open_steps(), opening);
        assert_eq!(fs::read(other.session_file(&id)).unwrap(), bytes[..whole]);
        open_steps = opening.steps.len();
    }
    assert_eq!(open_steps, 2, "only the beginning is left at last");
    assert_eq!(layout.list_sessions().unwrap(), [id]);
}

#[test]
fn a_session_that_was_cut_off_is_resumed_to_the_same_end() {
    let program = Program::with_topics("");
    let (id, bytes) = played(&program);
    let (debates, ends) = (program.debates(), ends(&bytes));
    // At the ends of lines, and a few bytes before them.
    let cuts = ends.iter().flat_map(|end| [*end, *end - 1, *end - 40]);
    for length in cuts.filter(|length| *length >= ends[0]) {
        let cut = program.with_store(&format!("cut-{length}"));
        put(&cut, &id, &bytes[..length]);
        let shown = cut.run(&["show", &id]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        assert_eq!(fs::read(cut.session_file(&id)).unwrap().len(), length);
        let ran = cut.run(&["run", "-q", "--resume-session", &id]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let mends = !ends.contains(&length);
        assert_eq!(ran.err.contains("cut off"), mends, "{length}: {}", ran.err);
        assert_eq!(cut.debates(), debates);
        let whole = ends.iter().rev().find(|end| **end <= length).unwrap();
        assert_eq!(
            fs::read(cut.session_file(&id)).unwrap()[..*whole],
            bytes[..*whole]
        );
        cut.run_ok(&["verify"]);
    }
}

#[test]
fn a_resumed_run_says_which_journal_it_mended() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 20\n");
    let running = program.start(&[
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--model",
        "slow",
    ]);
    elenchus_test_support::journals::wait_until("replies", || program.finished_calls() > 2);
    running.kill();
    let open = program.session_files().into_iter().find(|path| {
        let replied = events(path).iter().any(|event| event["type"] == "replied");
        replied && complete_lines(path).len() > 4
    });
    let open = open.unwrap();
    let bytes = fs::read(&open).unwrap();
    fs::write(&open, &bytes[..bytes.len() - 9]).unwrap();
    let ran = program.run(&["run", "--resume", &program.run_id().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let name = open.file_name().unwrap().to_str().unwrap();
    let told = ran.err.lines().find(|line| line.contains("cut off"));
    assert!(told.is_some_and(|told| told.contains(name)), "{}", ran.err);
    program.run_ok(&["verify"]);
}

#[test]
fn a_session_of_a_run_whose_first_line_was_never_written_is_begun_again() {
    let program = Program::with_topics("[sims.slow]\nlatency_ms = 20\n");
    let args = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--model",
        "slow",
    ];
    let whole = program.with_store("whole");
    whole.run_ok(&args);
    let running = program.start(&args);
    elenchus_test_support::journals::wait_until("sessions", || program.finished_calls() > 0);
    running.kill();
    let sessions = program.session_files();
    let first_line = complete_lines(&sessions[0]).remove(0);
    fs::write(&sessions[0], "").unwrap();
    fs::write(&sessions[1], &first_line[..first_line.len() / 2]).unwrap();
    program.run_ok(&["ls"]);
    program.run_ok(&["run", "-q", "--resume", &program.run_id().unwrap()]);
    assert_eq!(program.debates(), whole.debates());
    program.run_ok(&["verify"]);
}

#[test]
fn a_single_session_without_a_whole_line_is_named_and_left_as_it_is() {
    let program = Program::with_topics("");
    let (id, bytes) = played(&program);
    for length in [0, 100] {
        put(&program, &id, &bytes[..length]);
        for args in [&["show", &id][..], &["run", "--resume-session", &id]] {
            let why = program.run_err(1, args);
            assert!(why.contains(&format!("{id}.jsonl")), "{why}");
            assert!(why.contains("no whole line"), "{why}");
            assert_eq!(
                fs::read(program.session_file(&id)).unwrap(),
                bytes[..length]
            );
        }
    }
}

#[test]
fn a_run_remembers_what_its_sessions_had_when_their_ends_are_cut_off() {
    let program = Program::with_topics("");
    program.play(&[
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--limit",
        "2",
    ]);
    let path = program.session_files().remove(0);
    let bytes = fs::read(&path).unwrap();
    let ends = ends(&bytes);
    for end in &ends[1..ends.len() - 1] {
        fs::write(&path, &bytes[..*end]).unwrap();
        let ran = program.run(&["verify"]);
        assert_eq!(ran.code, 5, "cut at {end}: {}", ran.out);
        let name = path.file_name().unwrap().to_str().unwrap();
        let told = ran.out.lines().find(|line| line.contains(name)).unwrap();
        assert!(told.contains("the end was cut off"), "{told}");
        assert_eq!(fs::read(&path).unwrap(), bytes[..*end]);
    }
}

#[test]
fn a_changed_byte_is_named_by_file_and_line_and_never_repaired() {
    let program = Program::with_topics("");
    let (id, bytes) = played(&program);
    let ends = ends(&bytes);
    let path = program.session_file(&id);
    for line in 1..ends.len() - 1 {
        let mut changed = bytes.clone();
        let middle = (ends[line - 1] + ends[line]) / 2;
        changed[middle] ^= 1;
        fs::write(&path, &changed).unwrap();
        let ran = program.run(&["verify"]);
        assert_eq!(ran.code, 5, "{}", ran.out);
        let place = format!("{id}.jsonl:{}", line + 1);
        assert!(ran.out.contains(&place), "{place} is not in {}", ran.out);
        let why = program.run_err(1, &["show", &id]);
        assert!(why.contains(&place), "{place} is not in {why}");
        let why = program.run_err(1, &["run", "--resume-session", &id]);
        assert!(why.contains(&place), "{place} is not in {why}");
        let why = program.run(&["metrics"]).err;
        assert!(why.contains(&place), "{place} is not in {why}");
        assert_eq!(fs::read(&path).unwrap(), changed);
    }
}

#[test]
fn a_run_that_was_cut_off_while_it_was_planned_says_so_and_calls_nobody() {
    let program = Program::with_topics("");
    let id = program.play(&[
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--limit",
        "2",
    ]);
    let path = journals(&program.store().join("runs")).remove(0);
    let bytes = fs::read(&path).unwrap();
    let planned = ends(&bytes)[1];
    let cut = program.with_store("cut");
    fs::create_dir_all(cut.store().join("runs")).unwrap();
    let there = cut.store().join(format!("runs/{id}.jsonl"));
    fs::write(&there, &bytes[..planned + 10]).unwrap();
    let why = cut.run_err(1, &["run", "--resume", &id]);
    assert!(why.contains("1 of 2 items"), "{why}");
    assert!(why.contains("begin it again"), "{why}");
    assert!(cut.session_files().is_empty());
}
