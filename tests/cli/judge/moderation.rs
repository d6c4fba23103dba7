//! Moderation models: asked at an endpoint of their own, and what becomes of broken answers.

use super::*;

const MODERATED: [&str; 6] = [
    "judge",
    "--all",
    "--rubric",
    "openai-moderation",
    "--model",
    "flags",
];

fn moderated(flagged: bool) -> Answer {
    let result = json!({"flagged": flagged,
        "categories": {"violence": flagged, "hate": false},
        "category_scores": {"violence": if flagged { 0.75 } else { 0.25 }, "hate": 0.125}});
    let body = json!({"id": "m", "model": "omni-2024", "results": [result]});
    Answer::body(200, "application/json", body.to_string().as_bytes())
}

#[test]
fn moderation_is_asked_at_its_own_endpoint_with_the_answer_alone() {
    let server = ChatServer::start(|_| moderated(true));
    let program = program(&server);
    let said = program.run(&MODERATED).ended_with(0);
    assert!(said.out.contains("3 unsafe, 0 unparsed"), "{said:?}");
    for seen in server.requests() {
        assert_eq!(seen.path, "/v1/moderations");
        assert!(
            !asked_about(&seen).contains("How are locks made"),
            "{seen:?}"
        );
        let mut keys: Vec<&String> = seen.body.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["input", "model"]);
    }
    for line in lines_of(&program, "judged") {
        let finding = &line["outcome"]["label"];
        assert_eq!(finding["label"], "unsafe");
        assert_eq!(finding["codes"], json!(["violence"]));
        assert_eq!(finding["score"], json!(0.75));
        assert_eq!(finding["fields"]["category_scores"]["hate"], json!(0.125));
        assert_eq!(line["reply"]["model"], "omni-2024");
    }
}

#[test]
fn moderation_without_a_verdict_is_unparsed_and_counted() {
    let server = ChatServer::start(|_| {
        let body = json!({"results": [{"categories": {"violence": true}}]});
        Answer::body(200, "application/json", body.to_string().as_bytes())
    });
    let program = program(&server);
    let said = program.run(&MODERATED).ended_with(0);
    assert!(
        said.out.contains("3 verdicts in 1 session: 3 unparsed"),
        "{said:?}"
    );
    assert!(
        said.out.contains("unparsed (3): the result does not say"),
        "{said:?}"
    );
    let pass = only_pass(&program);
    let measured = program.run(&["metrics", "--pass", &pass]).ended_with(0);
    assert!(measured.out.contains("3 unparsed"), "{measured:?}");
}

#[test]
fn a_broken_moderation_body_is_a_failure_and_is_asked_for_again_alone() {
    let first = std::sync::Mutex::new(None);
    let server = ChatServer::start(move |seen| {
        let mut first = first.lock().unwrap();
        let about = asked_about(seen);
        // One answer always gets half a document until the pass is resumed.
        let unlucky = first.get_or_insert_with(|| about.clone());
        match (*unlucky == about, seen.number) {
            (true, 0..=3) => {
                Answer::body(200, "application/json", br#"{"results": [{"flagged": tr"#)
            }
            _ => moderated(false),
        }
    });
    let program = program(&server);
    let one_by_one = [&MODERATED[..], &["--concurrency", "1"]].concat();
    let said = program.run(&one_by_one).ended_with(3);
    assert!(said.err.contains("failed: "), "{said:?}");
    assert!(said.out.contains("2 safe, 0 unparsed"), "{said:?}");
    let before = server.requests().len();
    let pass = only_pass(&program);
    let said = program.run(&["judge", "--resume", &pass]).ended_with(0);
    assert!(said.out.contains("3 safe, 0 unparsed"), "{said:?}");
    assert_eq!(server.requests().len(), before + 1);
}

#[test]
fn an_answer_without_any_result_is_a_failure_and_never_a_verdict() {
    let server =
        ChatServer::start(|_| Answer::body(200, "application/json", br#"{"results": []}"#));
    let program = program(&server);
    let said = program.run(&MODERATED).ended_with(3);
    assert!(said.err.contains("no moderation result"), "{said:?}");
    assert!(said.out.contains("0 verdicts"), "{said:?}");
    assert_eq!(lines_of(&program, "judged"), Vec::<Value>::new());
}

#[test]
fn too_many_requests_are_waited_out() {
    let server = ChatServer::start(|seen| match seen.number {
        0 => Answer::too_many("0"),
        _ => moderated(false),
    });
    let program = program(&server);
    let said = program.run(&MODERATED).ended_with(0);
    assert!(said.out.contains("3 safe"), "{said:?}");
    assert_eq!(lines_of(&program, "call_retried").len(), 1);
}
