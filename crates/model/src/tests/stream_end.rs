//! The end of a streamed reply, and replies without one.

use crate::{CallErrorKind, Finish, FinishRule, ProviderSettings};
use futures_util::future::join_all;
use serde_json::json;

use super::harness::{ask, asked, complete, patient, quick, without_reasons};
use elenchus_test_support::answer::{Step, event, finish, usage};
use elenchus_test_support::{Answer, Barrier, ChatServer};

fn say(text: &str) -> String {
    event(&json!({"content": text}))
}

fn done() -> String {
    "data: [DONE]\n\n".to_owned()
}

/// A whole reply that says nothing about its end.
fn unexplained() -> Answer {
    let message = json!({"role": "assistant", "content": "All at once."});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": null}]});
    Answer::body(200, "application/json", body.to_string().as_bytes())
}

#[tokio::test]
async fn a_reply_without_a_finish_reason_is_broken_however_it_ends() {
    let ends = [
        Answer::sse([say("half a"), done()]),
        Answer::sse([say("half a"), usage(11, 7), done()]),
        Answer::sse([event(&json!({"role": "assistant"})), done()]),
        Answer::sse([say("half a")]),
        unexplained(),
    ];
    for end in ends {
        let error = ask(&ChatServer::script(vec![end])).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::NoFinishReason);
        assert!(error.is_worth_retrying());
        let text = error.to_string();
        for part in [
            "finish_reason = \"absent\"",
            "[providers.loopback]",
            "in_flight = 1",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }
}

#[tokio::test]
async fn where_no_finish_reasons_are_given_a_proper_end_completes_a_reply() {
    let ends = [
        Answer::sse([say("yes"), done()]),
        Answer::sse([say("yes"), finish(""), done()]),
        Answer::sse([say("yes")]),
    ];
    for end in ends {
        let server = ChatServer::script(vec![end]);
        let reply = complete(&*without_reasons(&server), &asked())
            .await
            .unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.finish),
            ("yes", Finish::Unstated)
        );
    }
    let server = ChatServer::script(vec![unexplained()]);
    let reply = complete(&*without_reasons(&server), &asked())
        .await
        .unwrap();
    assert_eq!(reply.text, "All at once.");
    let server = ChatServer::script(vec![Answer::sse([say("yes"), finish("length"), done()])]);
    let reply = complete(&*without_reasons(&server), &asked())
        .await
        .unwrap();
    assert_eq!(reply.finish, Finish::Length);
}

#[tokio::test]
async fn a_connection_that_breaks_is_no_end_even_where_no_finish_reasons_are_given() {
    for cut in [
        Answer::sse_open([say("half a")]).then(Step::Cut),
        Answer::sse([say("half a"), "data: {\"choices\":[{\"del".to_owned()]),
    ] {
        let server = ChatServer::script(vec![cut]);
        let error = complete(&*without_reasons(&server), &asked())
            .await
            .unwrap_err();
        assert_eq!(error.kind, CallErrorKind::BrokenStream);
    }
}

#[tokio::test]
async fn a_finish_reason_counts_wherever_it_stands_and_an_empty_one_does_not() {
    let said = |reason: serde_json::Value| {
        let choice = json!({"index": 0, "delta": {"content": "a"}, "finish_reason": reason});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let with_reason = [
        vec![said(json!("null")), said(json!("stop")), done()],
        vec![said(json!("")), finish("eos"), said(json!(null)), done()],
        vec![
            said(json!("stop")),
            said(json!("stop")),
            usage(3, 2),
            done(),
        ],
    ];
    for events in with_reason {
        let reply = ask(&ChatServer::script(vec![Answer::sse(events)]))
            .await
            .unwrap();
        assert_eq!(reply.finish, Finish::Stop);
    }
    for nothing in [json!(""), json!("null"), json!(null), json!("None")] {
        let answer = Answer::sse([said(nothing), usage(3, 2), done()]);
        let error = ask(&ChatServer::script(vec![answer])).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::NoFinishReason);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_one_reply_for_the_next_request_is_soon_asked_one_by_one() {
    // The first sixteen are there together: at least one of them is interrupted.
    let sixteen = Barrier::of(16);
    let server = ChatServer::start(move |seen| match seen.number {
        0..16 => Answer::interruptible("A whole reply.").behind(&sixteen),
        _ => Answer::interruptible("A whole reply."),
    });
    let model = patient(&server, quick(4), 16);
    let request = asked();
    let replies = join_all((0..48).map(|_| complete(&*model, &request))).await;
    for reply in replies {
        assert_eq!(reply.unwrap().text, "A whole reply.");
    }
    // The first sixteen may all break once; a few break again before the last of them has ended.
    let asked_again = server.requests().len() - 48;
    assert!((1..=32).contains(&asked_again), "{asked_again}");
}

#[tokio::test]
async fn each_break_tells_how_many_calls_are_still_made_at_once() {
    let server = ChatServer::script(vec![Answer::sse([say("half a"), done()])]);
    let error = complete(&*patient(&server, quick(2), 16), &asked())
        .await
        .unwrap_err();
    assert_eq!(server.requests().len(), 3);
    assert!(error.detail.contains("at most 2 at once"), "{error}");
}

#[test]
fn settings_of_before_are_read_and_mean_that_reasons_are_required() {
    let before = json!({"base_url": "http://127.0.0.1:8000/v1", "in_flight": 4});
    let read: ProviderSettings = serde_json::from_value(before).unwrap();
    assert_eq!(read.finish_reason, FinishRule::Required);
    // What is usual is not written: requests of old sessions find the provider that they share.
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(written.get("finish_reason"), None);
    let absent = json!({"base_url": "http://127.0.0.1:8000/v1", "finish_reason": "absent"});
    let read: ProviderSettings = serde_json::from_value(absent).unwrap();
    assert_eq!(read.finish_reason, FinishRule::Absent);
}
