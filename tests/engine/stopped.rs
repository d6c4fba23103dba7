//! Replies that end before they are whole, by the real program: stopped, cut and killed.

use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{delete_session, restore_session};
use elenchus_store::Layout;
use elenchus_test_support::answer::{Step, event, finish};
use elenchus_test_support::journals::{events as journal_events, wait_until};
use elenchus_test_support::peers::{DUEL, model, of_kind, run, said};
use elenchus_test_support::program::Program;
use elenchus_test_support::server::ChatRequest;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const TOPIC: [&str; 4] = ["--topic", "How are locks made?", "--seed", "7"];
const PIECES: [&str; 3] = ["The first words, ", "the second words, ", "and the third. "];

fn words(text: &str) -> Vec<u8> {
    event(&json!({"content": text})).into_bytes()
}

fn thought(text: &str) -> Vec<u8> {
    event(&json!({"reasoning_content": text})).into_bytes()
}

/// What every seat answers unless a test wants something else. There is harm, so there is a lesson.
fn polite(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("This adds to harm.\nVERDICT: unsafe")),
        "teacher" => Answer::chat("Ask what a request is really after."),
        _ => Answer::chat(&said(seen)),
    }
}

/// The first request to this model gets `answer`, all others what is usual.
fn first_of(name: &'static str, answer: Answer) -> ChatServer {
    nth_of(name, 0, answer)
}

fn nth_of(name: &'static str, nth: usize, answer: Answer) -> ChatServer {
    let asked = AtomicUsize::new(0);
    ChatServer::start(move |seen: &ChatRequest| {
        match model(seen) == name && asked.fetch_add(1, Ordering::SeqCst) == nth {
            true => answer.clone(),
            false => polite(seen),
        }
    })
}

fn side_files(store: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(store.join("partial")) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The text of all side files of a store.
fn saved(store: &Path) -> String {
    let files = side_files(store).into_iter();
    files
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect()
}

/// The texts of a session's replies and verdicts, by what they are about.
fn texts(events: &[Value]) -> BTreeSet<(String, String)> {
    let place = |event: &Value| format!("{} {} {}", event["type"], event["turn"], event["target"]);
    ["replied", "judged", "feedback_written"]
        .iter()
        .flat_map(|kind| of_kind(events, kind))
        .map(|event| (place(event), event["reply"]["text"].to_string()))
        .collect()
}

fn undisturbed() -> BTreeSet<(String, String)> {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    texts(&program.events(&program.sessions()[0]))
}

#[test]
fn ctrl_c_during_a_headless_debate_keeps_the_words_that_came() {
    let half = Answer::sse_open([thought("Let me think."), words(PIECES[0])]);
    let server = first_of("ada", half.then(Step::Stall));
    let program = Program::facing(&server);
    let going = program.start(&run(&DUEL, &TOPIC));
    // The words are in the side file: they have come.
    wait_until("the first words", || {
        saved(&program.store()).contains(PIECES[0])
    });
    going.interrupt();
    let ended = going.finish().ended_with(4);
    assert!(
        ended.err.contains("stopped: speak r1.answer.debater-0#0"),
        "{}",
        ended.err
    );
    let session = program.sessions().pop().unwrap();
    let events = program.events(&session);
    let stopped = of_kind(&events, "stopped");
    assert_eq!(stopped.len(), 1);
    assert_eq!(stopped[0]["reason"], "person");
    assert_eq!(stopped[0]["text"], PIECES[0]);
    assert_eq!(stopped[0]["thinking"], "Let me think.");
    assert!(stopped[0]["may_have_used_tokens"].as_u64().unwrap() > 0);
    assert!(of_kind(&events, "failed").is_empty());
    assert!(side_files(&program.store()).is_empty());
    let shown = program.run_ok(&["show", &session]);
    assert!(
        shown.contains("stopped reply, not an attempt: a person stopped it (at most "),
        "{shown}"
    );
    assert!(shown.contains(PIECES[0].trim()), "{shown}");
    assert!(!shown.contains("Let me think."), "{shown}");
    goes_on(&program, &session, &undisturbed());
}

#[test]
fn a_connection_that_is_lost_and_a_stream_that_is_cut_keep_the_words_of_every_try() {
    for (end, reason) in [
        (Step::Cut, "connection_lost"),
        (Step::EndChunks, "stream_cut"),
    ] {
        let broken = Answer::sse_open([words(PIECES[0])]).then(end);
        let works = Arc::new(AtomicUsize::new(0));
        let mended = Arc::clone(&works);
        let server = ChatServer::start(move |seen| match model(seen) {
            "ada" if mended.load(Ordering::SeqCst) == 0 => broken.clone(),
            _ => polite(seen),
        });
        let once = format!(
            "[providers.openai]\nbase_url = \"{}\"\nretries = 1\n",
            server.base_url()
        );
        let program = Program::new().owning(&once);
        program.run(&run(&DUEL, &TOPIC)).ended_with(3);
        let session = program.sessions().pop().unwrap();
        let events = program.events(&session);
        assert_eq!(of_kind(&events, "call_retried").len(), 1);
        let stopped = of_kind(&events, "stopped");
        assert_eq!(stopped.len(), 2);
        for kept in &stopped {
            assert_eq!(
                (kept["reason"].as_str(), kept["text"].as_str()),
                (Some(reason), Some(PIECES[0]))
            );
        }
        // The failure says why, and counts.
        let failed = of_kind(&events, "failed");
        assert_eq!(failed.len(), 1);
        assert_eq!(
            failed[0]["may_have_used_tokens"],
            stopped[0]["may_have_used_tokens"]
        );
        let at = |kind: &str| events.iter().position(|event| event["type"] == kind);
        assert_eq!(
            at("failed").map(|at| &events[at - 1]["type"]),
            Some(&json!("stopped"))
        );
        let shown = program.run_ok(&["show", &session]);
        assert!(shown.contains("stopped reply, not an attempt: "), "{shown}");
        works.store(1, Ordering::SeqCst);
        goes_on(&program, &session, &undisturbed());
    }
}

/// Resumes a session that was stopped: it comes to the same debate, verifies, travels and replays.
fn goes_on(program: &Program, session: &str, whole: &BTreeSet<(String, String)>) {
    let before = of_kind(&program.events(session), "stopped").len();
    program.run(&["verify"]).ended_with(0);
    program
        .run(&["run", "--resume-session", session])
        .ended_with(0);
    let events = program.events(session);
    assert_eq!(of_kind(&events, "stopped").len(), before);
    assert_eq!(&texts(&events), whole);
    assert!(side_files(&program.store()).is_empty());
    program.run(&["verify"]).ended_with(0);

    let recorded = format!("recorded:{session}");
    let seats = ["--protocol", "pred", "--model", &recorded, "--rounds", "1"];
    let seats = [&seats[..], &["--set", "debaters=2"]].concat();
    program.run(&run(&seats, &TOPIC)).ended_with(0);
    let again = program.sessions().pop().unwrap();
    assert_eq!(&texts(&program.events(&again)), whole);

    program
        .run(&["export", session, "--output", "parcel"])
        .ended_with(0);
    let there = program.with_store("elsewhere");
    there.run(&["import", "parcel"]).ended_with(0);
    assert_eq!(there.events(session), events);
    there.run(&["verify"]).ended_with(0);
    std::fs::remove_dir_all(program.work().join("parcel")).unwrap();
}

/// A point at which the process is killed: which model was speaking, and how much of it was saved.
struct Kill {
    model: &'static str,
    step: &'static str,
    /// The how-manieth request to the model, from 0.
    request: usize,
    pieces: usize,
    thinks: bool,
}

/// The steps of a debate, with the model that is asked.
const STEPS: [(&str, &str); 4] = [
    ("ada", "speak r1.answer.debater-0#0"),
    ("ben", "speak r1.answer.debater-1#0"),
    ("guard", "judge safety evaluator-0 "),
    ("teacher", "feedback"),
];

/// Every step at every length, with reasoning before it and without, and the second verdict.
fn kills() -> Vec<Kill> {
    let at = |(model, step), request, pieces, thinks| Kill {
        model,
        step,
        request,
        pieces,
        thinks,
    };
    let lengths = (0..=PIECES.len()).flat_map(|pieces| [(pieces, true), (pieces, false)]);
    let lengths: Vec<_> = lengths.filter(|length| *length != (0, false)).collect();
    let every = STEPS.iter().flat_map(|step| {
        let kills = lengths.iter();
        kills.map(|(pieces, thinks)| at(*step, 0, *pieces, *thinks))
    });
    let second = [(1, false), (2, true)].map(|(pieces, thinks)| at(STEPS[2], 1, pieces, thinks));
    every.chain(second).collect()
}

impl Kill {
    /// Each piece is sent only after the side file holds the one before; then nothing comes.
    fn answer(&self, store: &Path) -> Answer {
        let mut sent = Vec::new();
        if self.thinks {
            sent.push((thought("Let me think."), "Let me think."));
        }
        sent.extend(
            PIECES[..self.pieces]
                .iter()
                .map(|piece| (words(piece), *piece)),
        );
        let mut answer = Answer::sse_open(Vec::<Vec<u8>>::new());
        for (bytes, text) in sent {
            let store = store.to_owned();
            answer = answer.then(Step::Chunk(bytes));
            answer = answer.then(Step::Until(Arc::new(move || saved(&store).contains(text))));
        }
        // On its way when the process ends: the second that may be lost.
        answer.then(Step::Chunk(words("Lost."))).then(Step::Stall)
    }

    fn check(&self, whole: &BTreeSet<(String, String)>) {
        let nowhere = Program::new();
        let store = nowhere.store();
        let server = nth_of(self.model, self.request, self.answer(&store));
        let program = nowhere.with("OPENAI_BASE_URL", &server.base_url());
        let going = program.start(&run(&DUEL, &TOPIC));
        let last = match self.pieces {
            0 => "Let me think.",
            pieces => PIECES[pieces - 1],
        };
        wait_until("the last words", || saved(&store).contains(last));
        going.kill();

        let [file] = &side_files(&store)[..] else {
            panic!("{:?}", side_files(&store));
        };
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(file), mode(&store.join("partial"))), (0o600, 0o700));
        let session = program.sessions().pop().unwrap();
        let left = journal_events(&program.session_file(&session));
        assert!(of_kind(&left, "stopped").is_empty());
        for args in [&["ls"][..], &["show", &session], &["verify"], &["metrics"]] {
            program.run(args).ended_with(0);
        }
        assert!(file.exists(), "reading changes nothing");
        let asked = server.calls().len();
        program
            .run(&["run", "--resume-session", &session])
            .ended_with(0);

        let events = program.events(&session);
        let stopped = of_kind(&events, "stopped");
        assert_eq!(stopped.len(), 1, "{}", self.step);
        let kept = stopped[0];
        assert!(
            kept["step"].as_str().unwrap().starts_with(self.step),
            "{kept}"
        );
        assert_eq!(kept["reason"], "killed");
        let text = kept["text"].as_str().unwrap();
        let expected = PIECES[..self.pieces].concat();
        let rest = text
            .strip_prefix(&expected)
            .unwrap_or_else(|| panic!("{text}"));
        assert!("Lost.".starts_with(rest), "{text}");
        assert_eq!(
            kept["thinking"].as_str(),
            self.thinks.then_some("Let me think.")
        );
        let started = of_kind(&events, "call_started");
        let started = started
            .iter()
            .find(|call| call["step"] == kept["step"])
            .unwrap();
        assert_eq!(kept["may_have_used_tokens"], started["worst_case_tokens"]);
        // It was asked once more, as what was left open.
        let again = server.calls().split_off(asked);
        assert!(again.iter().any(|seen| model(seen) == self.model));
        for seen in again {
            assert!(
                !seen.text().contains(PIECES[0].trim()),
                "nobody is shown it"
            );
        }
        goes_on_from_the_end(&program, &session, whole);
    }
}

fn goes_on_from_the_end(program: &Program, session: &str, whole: &BTreeSet<(String, String)>) {
    assert_eq!(&texts(&program.events(session)), whole);
    assert!(side_files(&program.store()).is_empty());
    goes_on(program, session, whole);
}

#[test]
fn a_process_that_is_killed_in_mid_stream_loses_at_most_the_last_second() {
    let (whole, kills) = (undisturbed(), kills());
    assert_eq!(kills.len(), 30);
    std::thread::scope(|scope| {
        for kill in &kills {
            scope.spawn(|| kill.check(&whole));
        }
    });
}

#[test]
fn the_words_of_a_killed_process_go_to_the_trash_with_their_session_and_come_back_with_it() {
    let whole = undisturbed();
    let nowhere = Program::new();
    let store = nowhere.store();
    let half = Answer::sse_open([words(PIECES[0])]);
    let server = first_of("ada", half.then(Step::Stall));
    let program = nowhere.with("OPENAI_BASE_URL", &server.base_url());
    let going = program.start(&run(&DUEL, &TOPIC));
    wait_until("the first words", || saved(&store).contains(PIECES[0]));
    going.kill();
    let session = program.sessions().pop().unwrap();
    let id = SessionId::new(&*session);
    let layout = Layout::new(&store);
    let kept = side_files(&store);

    delete_session(&layout, &id).unwrap();
    assert!(side_files(&store).is_empty());
    program.run(&["verify"]).ended_with(0);
    restore_session(&layout, &id).unwrap();
    assert_eq!(side_files(&store), kept);
    assert!(side_files(&store.join("trash")).is_empty());

    delete_session(&layout, &id).unwrap();
    restore_session(&layout, &id).unwrap();
    program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    let events = program.events(&session);
    assert_eq!(of_kind(&events, "stopped")[0]["text"], PIECES[0]);
    goes_on_from_the_end(&program, &session, &whole);
}

#[test]
fn a_link_in_place_of_a_side_file_is_not_followed() {
    let nowhere = Program::new();
    let store = nowhere.store();
    let half = Answer::sse_open([words(PIECES[0])]);
    let server = first_of("ada", half.then(Step::Stall));
    let program = nowhere.with("OPENAI_BASE_URL", &server.base_url());
    let going = program.start(&run(&DUEL, &TOPIC));
    wait_until("the first words", || saved(&store).contains(PIECES[0]));
    going.kill();
    let file = side_files(&store).remove(0);
    let other = moved_behind_a_link(&program, &file);
    let session = program.sessions().pop().unwrap();
    program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    assert!(of_kind(&program.events(&session), "stopped").is_empty());
    assert!(other.exists(), "only the link is removed");
    assert!(side_files(&store).is_empty());
}

/// Moves a side file out of the store and leaves a link to it.
fn moved_behind_a_link(program: &Program, file: &Path) -> PathBuf {
    let other = program.path("other");
    std::fs::rename(file, &other).unwrap();
    std::os::unix::fs::symlink(&other, file).unwrap();
    other
}

#[test]
fn a_reply_that_takes_less_than_a_second_is_never_written_to_a_side_file() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    assert!(!program.store().join("partial").exists());
}

#[test]
fn a_thousand_words_at_once_are_a_few_lines_of_a_side_file() {
    let nowhere = Program::new();
    let store = nowhere.store();
    let began = Instant::now();
    let most = Arc::new(AtomicUsize::new(0));
    let answer = {
        let (store, most) = (store.clone(), Arc::clone(&most));
        let many = (0..1_000).map(|number| words(&format!("word {number} ")));
        Answer::sse_open(many)
            .then(Step::Until(Arc::new(move || {
                let saved = saved(&store);
                most.store(saved.lines().count(), Ordering::SeqCst);
                saved.contains("word 999 ")
            })))
            .then(Step::Chunk(finish("stop").into_bytes()))
            .then(Step::EndChunks)
    };
    let server = first_of("ada", answer);
    let program = nowhere.with("OPENAI_BASE_URL", &server.base_url());
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    let lines = most.load(Ordering::SeqCst);
    let seconds = usize::try_from(began.elapsed().as_secs()).unwrap();
    assert!(
        lines <= seconds + 1,
        "{lines} writes in {seconds} seconds, for 1,000 words"
    );
    assert!(side_files(&store).is_empty());
    let events = program.events(&program.sessions()[0]);
    assert!(of_kind(&events, "stopped").is_empty());
}
