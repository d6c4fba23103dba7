//! `elenchus verify` on sessions.

use elenchus_test_support::program::Program;
use elenchus_test_support::sample_sessions::{debate, write_session};

async fn store() -> Program {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    program
}

#[tokio::test]
async fn a_whole_store_is_found_whole() {
    let ran = store().await.run_tidy(&["verify"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(
        ran.out,
        "checked 1 session, 0 runs and 0 other journals: 5 events, nothing is broken\n"
    );
}

#[tokio::test]
async fn a_changed_letter_is_named_by_file_and_line_and_ends_with_5() {
    let program = store().await;
    let text = program.read("store/sessions/aa-one.jsonl");
    program.write_at(
        "store/sessions/aa-one.jsonl",
        &text.replacen("\"yes\",\"thinking\"", "\"yet\",\"thinking\"", 1),
    );
    let ran = program.run_tidy(&["verify"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert_eq!(
        ran.out,
        "broken: ~/store/sessions/aa-one.jsonl:2: its hash is not the one that the next line holds: \
         the line was changed, or lines were put in or taken out behind it\n\
         checked 1 session, 0 runs and 0 other journals: 1 event, 1 journal is broken\n"
    );
}

#[tokio::test]
async fn an_incomplete_last_line_is_a_notice_and_no_fault() {
    let program = store().await;
    let text = program.read("store/sessions/aa-one.jsonl");
    program.write_at("store/sessions/aa-one.jsonl", &format!("{text}{{\"prev\":"));
    let ran = program.run_tidy(&["verify"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.starts_with(
            "notice: ~/store/sessions/aa-one.jsonl:6: an incomplete last line of 8 bytes was ignored"
        ),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn a_chain_that_holds_but_tells_what_cannot_have_happened_is_broken() {
    let program = Program::new();
    let mut events = debate("aa-one");
    events.truncate(2);
    // A verdict on a turn that nobody spoke.
    events.push(elenchus_test_support::sample_sessions::graded(
        1, 1, "correct", 1.0,
    ));
    write_session(&program.session_file("aa-one"), &events).await;
    let ran = program.run_tidy(&["verify"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    let fault =
        "broken: ~/store/sessions/aa-one.jsonl:3: the event does not fit what happened before it: ";
    assert!(ran.out.starts_with(fault), "{}", ran.out);
}

#[tokio::test]
async fn an_end_that_was_cut_off_is_noticed_by_what_the_cache_saw() {
    let program = store().await;
    assert_eq!(program.run_tidy(&["ls"]).code, 0);
    let text = program.read("store/sessions/aa-one.jsonl");
    let shorter: String = text.split_inclusive('\n').take(4).collect();
    program.write_at("store/sessions/aa-one.jsonl", &shorter);
    let ran = program.run_tidy(&["verify"]);
    assert_eq!(ran.code, 5);
    assert_eq!(
        ran.out.lines().next(),
        Some(
            "broken: ~/store/sessions/aa-one.jsonl: 4 lines are there and 5 were acknowledged: the end was cut off"
        )
    );
    let repaired = program.run_tidy(&["verify", "--repair-cache"]);
    assert!(
        (repaired.err).ends_with("the cache was rebuilt from 0 sessions\n"),
        "{repaired:?}"
    );
    assert_eq!(
        program.run_tidy(&["verify"]).code,
        5,
        "the head still knows"
    );
    let accepted = program.run_tidy(&["verify", "--accept"]);
    assert_eq!(accepted.code, 0);
    assert_eq!(
        accepted.out.lines().next(),
        Some(
            "accepted: ~/store/sessions/aa-one.jsonl ends after 4 lines, what came behind is lost"
        )
    );
    assert_eq!(program.run_tidy(&["verify"]).code, 0);
}

#[tokio::test]
async fn single_files_can_be_named_wherever_they_are() {
    let program = store().await;
    let copy = program.path("copy.jsonl");
    std::fs::copy(program.session_file("aa-one"), &copy).unwrap();
    let ran = program.run_tidy(&["verify", copy.to_str().unwrap()]);
    assert_eq!(
        ran.out,
        "checked 1 session, 0 runs and 0 other journals: 5 events, nothing is broken\n"
    );
    let missing = program.run_tidy(&["verify", "nope.jsonl"]);
    assert_eq!(missing.code, 1);
    assert!(
        missing
            .err
            .starts_with("error: there is no journal nope.jsonl"),
        "{}",
        missing.err
    );
}
