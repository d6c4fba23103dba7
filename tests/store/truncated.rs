//! Journals whose end is cut off, and journals that were changed.

use super::home::{Home, complete_lines, events, journals};
use elenchus::debate::SessionId;
use elenchus::driver::{Session, read_session};
use elenchus::store::{Fsync, Layout};
use std::fs;

/// A short session: its id, and its journal's bytes.
fn played(home: &Home) -> (String, Vec<u8>) {
    let id = home.play(&[
        "--protocol",
        "standard",
        "--set",
        "debaters=2",
        "--topic",
        "Why is the sea salty?",
    ]);
    let bytes = fs::read(home.session(&id)).unwrap();
    (id, bytes)
}

/// Where the journal's lines end.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.map(|(at, _)| at + 1).collect()
}

fn put(home: &Home, id: &str, bytes: &[u8]) {
    fs::create_dir_all(home.store().join("sessions")).unwrap();
    home.forget_heads();
    fs::write(home.session(id), bytes).unwrap();
}

/// A session that is small enough to be cut at every byte.
fn small(home: &Home) -> (String, Vec<u8>) {
    let protocol = include_str!("../fixtures/duo/protocol.toml");
    home.write("work/.elenchus/prompts/duo/protocol.toml", protocol);
    let template = include_str!("../fixtures/duo/speaker.md");
    home.write("work/.elenchus/prompts/duo/speaker.md", template);
    let id = home.play(&["--protocol", "duo", "--topic", "Why?", "--reference", "So"]);
    let bytes = fs::read(home.session(&id)).unwrap();
    (id, bytes)
}

#[test]
fn a_journal_cut_at_any_byte_is_read_up_to_its_last_whole_line_and_can_be_opened() {
    let home = Home::new();
    let (id, bytes) = small(&home);
    let ends = ends(&bytes);
    let cut = home.with_store("cut");
    let layout = Layout::at(cut.store());
    let (session, fsync) = (SessionId::new(id.clone()), Fsync::start().unwrap());
    let path = cut.session(&id);
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
        let opening = state.open();
        // Opening is what cuts the incomplete line off, so it is done on a copy.
        if !ends.contains(&length) && length % 31 != 0 {
            continue;
        }
        let other = home.with_store("opened");
        put(&other, &id, &fs::read(&path).unwrap());
        let opened = Session::open(&Layout::at(other.store()), &fsync, "a test", &session).unwrap();
        assert_eq!(opened.notices.len(), usize::from(whole != length));
        assert_eq!(opened.state.open(), opening);
        assert_eq!(fs::read(other.session(&id)).unwrap(), bytes[..whole]);
        open_steps = opening.steps.len();
    }
    assert_eq!(open_steps, 2, "only the beginning is left at last");
    assert_eq!(layout.sessions().unwrap(), [id]);
}

#[test]
fn a_session_that_was_cut_off_is_resumed_to_the_same_end() {
    let home = Home::new();
    let (id, bytes) = played(&home);
    let (debates, ends) = (home.debates(), ends(&bytes));
    // At the ends of lines, and a few bytes before them.
    let cuts = ends.iter().flat_map(|end| [*end, *end - 1, *end - 40]);
    for length in cuts.filter(|length| *length >= ends[0]) {
        let cut = home.with_store(&format!("cut-{length}"));
        put(&cut, &id, &bytes[..length]);
        let shown = cut.run(&["show", &id]);
        assert_eq!(shown.code, Some(0), "{}", shown.err);
        assert_eq!(fs::read(cut.session(&id)).unwrap().len(), length);
        let ran = cut.run(&["run", "-q", "--resume-session", &id]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let mends = !ends.contains(&length);
        assert_eq!(ran.err.contains("cut off"), mends, "{length}: {}", ran.err);
        assert_eq!(cut.debates(), debates);
        let whole = ends.iter().rev().find(|end| **end <= length).unwrap();
        assert_eq!(
            fs::read(cut.session(&id)).unwrap()[..*whole],
            bytes[..*whole]
        );
        cut.fine(&["verify"]);
    }
}

#[test]
fn a_resumed_run_says_which_journal_it_mended() {
    let home = Home::with_config("[sims.slow]\nlatency_ms = 20\n");
    let running = home.start(&[
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--model",
        "slow",
    ]);
    super::home::wait_until("replies", || home.finished_calls() > 2);
    running.kill();
    let open = home.sessions().into_iter().find(|path| {
        let replied = events(path).iter().any(|event| event["type"] == "replied");
        replied && complete_lines(path).len() > 4
    });
    let open = open.unwrap();
    let bytes = fs::read(&open).unwrap();
    fs::write(&open, &bytes[..bytes.len() - 9]).unwrap();
    let ran = home.run(&["run", "--resume", &home.run_id().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let name = open.file_name().unwrap().to_str().unwrap();
    let told = ran.err.lines().find(|line| line.contains("cut off"));
    assert!(told.is_some_and(|told| told.contains(name)), "{}", ran.err);
    home.fine(&["verify"]);
}

#[test]
fn a_session_of_a_run_whose_first_line_was_never_written_is_begun_again() {
    let home = Home::with_config("[sims.slow]\nlatency_ms = 20\n");
    let args = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--model",
        "slow",
    ];
    let whole = home.with_store("whole");
    whole.fine(&args);
    let running = home.start(&args);
    super::home::wait_until("sessions", || home.finished_calls() > 0);
    running.kill();
    let sessions = home.sessions();
    let first_line = complete_lines(&sessions[0]).remove(0);
    fs::write(&sessions[0], "").unwrap();
    fs::write(&sessions[1], &first_line[..first_line.len() / 2]).unwrap();
    home.fine(&["ls"]);
    home.fine(&["run", "-q", "--resume", &home.run_id().unwrap()]);
    assert_eq!(home.debates(), whole.debates());
    home.fine(&["verify"]);
}

#[test]
fn a_single_session_without_a_whole_line_is_named_and_left_as_it_is() {
    let home = Home::new();
    let (id, bytes) = played(&home);
    for length in [0, 100] {
        put(&home, &id, &bytes[..length]);
        for args in [&["show", &id][..], &["run", "--resume-session", &id]] {
            let why = home.refused(1, args);
            assert!(why.contains(&format!("{id}.jsonl")), "{why}");
            assert!(why.contains("no whole line"), "{why}");
            assert_eq!(fs::read(home.session(&id)).unwrap(), bytes[..length]);
        }
    }
}

#[test]
fn a_run_remembers_what_its_sessions_had_when_their_ends_are_cut_off() {
    let home = Home::new();
    home.play(&[
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--limit",
        "2",
    ]);
    let path = home.sessions().remove(0);
    let bytes = fs::read(&path).unwrap();
    let ends = ends(&bytes);
    for end in &ends[1..ends.len() - 1] {
        fs::write(&path, &bytes[..*end]).unwrap();
        let ran = home.run(&["verify"]);
        assert_eq!(ran.code, Some(5), "cut at {end}: {}", ran.out);
        let name = path.file_name().unwrap().to_str().unwrap();
        let told = ran.out.lines().find(|line| line.contains(name)).unwrap();
        assert!(told.contains("the end was cut off"), "{told}");
        assert_eq!(fs::read(&path).unwrap(), bytes[..*end]);
    }
}

#[test]
fn a_changed_byte_is_named_by_file_and_line_and_never_repaired() {
    let home = Home::new();
    let (id, bytes) = played(&home);
    let ends = ends(&bytes);
    let path = home.session(&id);
    for line in 1..ends.len() - 1 {
        let mut changed = bytes.clone();
        let middle = (ends[line - 1] + ends[line]) / 2;
        changed[middle] ^= 1;
        fs::write(&path, &changed).unwrap();
        let ran = home.run(&["verify"]);
        assert_eq!(ran.code, Some(5), "{}", ran.out);
        let place = format!("{id}.jsonl:{}", line + 1);
        assert!(ran.out.contains(&place), "{place} is not in {}", ran.out);
        let why = home.refused(1, &["show", &id]);
        assert!(why.contains(&place), "{place} is not in {why}");
        let why = home.refused(1, &["run", "--resume-session", &id]);
        assert!(why.contains(&place), "{place} is not in {why}");
        let why = home.run(&["metrics"]).err;
        assert!(why.contains(&place), "{place} is not in {why}");
        assert_eq!(fs::read(&path).unwrap(), changed);
    }
}

#[test]
fn a_run_that_was_cut_off_while_it_was_planned_says_so_and_calls_nobody() {
    let home = Home::new();
    let id = home.play(&[
        "--dataset",
        "own:topics.csv",
        "--protocol",
        "standard",
        "--limit",
        "2",
    ]);
    let path = journals(&home.store().join("runs")).remove(0);
    let bytes = fs::read(&path).unwrap();
    let planned = ends(&bytes)[1];
    let cut = home.with_store("cut");
    fs::create_dir_all(cut.store().join("runs")).unwrap();
    let there = cut.store().join(format!("runs/{id}.jsonl"));
    fs::write(&there, &bytes[..planned + 10]).unwrap();
    let why = cut.refused(1, &["run", "--resume", &id]);
    assert!(why.contains("1 of 2 items"), "{why}");
    assert!(why.contains("begin it again"), "{why}");
    assert!(cut.sessions().is_empty());
}
