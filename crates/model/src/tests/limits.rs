//! Deadlines, retries, the limit in flight, and cancelling.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{CallErrorKind, ModelSettings, NoWatch, RetryPolicy};
use futures_util::future::join_all;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::harness::{Notes, asked, complete, once, patient, provider, quick, settings};
use elenchus_test_support::answer::{Step, event};
use elenchus_test_support::{Answer, Barrier, ChatServer};

fn half() -> Answer {
    Answer::sse([event(&json!({"content": "half"}))])
}

#[tokio::test]
async fn what_is_worth_retrying_is_retried_and_each_retry_is_told() {
    let server = ChatServer::script(vec![
        Answer::error(500, "oops", "no"),
        half(),
        Answer::too_many("0"),
        Answer::cut(),
        Answer::chat("at last"),
    ]);
    let notes = Notes::default();
    let cancel = CancellationToken::new();
    let model = patient(&server, quick(4), 1);
    let reply = model.complete(&asked(), &notes, &cancel).await.unwrap();
    assert_eq!(reply.text, "at last");
    assert_eq!(*notes.public.lock().unwrap(), "at last");
    assert_eq!(server.requests().len(), 5);
    let told: Vec<_> = notes
        .retries
        .lock()
        .unwrap()
        .iter()
        .map(|(n, why, _)| (*n, why.clone()))
        .collect();
    let limited = CallErrorKind::RateLimited {
        retry_after_ms: Some(0),
    };
    assert_eq!(
        told,
        [
            (1, CallErrorKind::Status(500)),
            (2, CallErrorKind::NoFinishReason),
            (3, limited),
            (4, CallErrorKind::BrokenStream),
        ]
    );
}

#[tokio::test]
async fn retries_are_counted_and_end() {
    let server = ChatServer::script(vec![Answer::error(503, "oops", "no")]);
    let error = complete(&*patient(&server, quick(2), 1), &asked())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind, server.requests().len()),
        (CallErrorKind::Status(503), 3)
    );
}

#[tokio::test]
async fn what_cannot_succeed_is_not_retried() {
    for answer in [
        Answer::error(400, "bad", "no"),
        Answer::error(401, "bad", "no"),
        Answer::error(429, "insufficient_quota", "no"),
        Answer::body(200, "text/html", b"<html>"),
    ] {
        let server = ChatServer::script(vec![answer]);
        complete(&*patient(&server, quick(5), 1), &asked())
            .await
            .unwrap_err();
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_retry_waits_as_long_as_the_server_asks_and_can_be_cancelled_meanwhile() {
    let server = ChatServer::script(vec![Answer::too_many("30")]);
    let cancel = CancellationToken::new();
    let notes = Notes {
        then_cancel: Some(cancel.clone()),
        ..Notes::default()
    };
    let model = patient(&server, quick(5), 1);
    let error = model.complete(&asked(), &notes, &cancel).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Cancelled);
    let limited = CallErrorKind::RateLimited {
        retry_after_ms: Some(30_000),
    };
    assert_eq!(*notes.retries.lock().unwrap(), [(1, limited, 30_000)]);
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_is_not_begun() {
    let server = ChatServer::script(vec![Answer::too_many("3600")]);
    let error = complete(&*patient(&server, quick(5), 1), &asked())
        .await
        .unwrap_err();
    assert_eq!(
        error.kind,
        CallErrorKind::RateLimited {
            retry_after_ms: Some(3_600_000)
        }
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn waits_double_up_to_a_limit_and_are_spread_by_the_seed() {
    let policy = |jitter_seed| RetryPolicy {
        retries: 9,
        base_backoff_ms: 100,
        max_backoff_ms: 1000,
        deadline_ms: 1,
        jitter_seed,
    };
    let kind = CallErrorKind::Connect;
    for (retry, nominal) in [
        (1, 100),
        (2, 200),
        (3, 400),
        (4, 800),
        (5, 1000),
        (60, 1000),
    ] {
        let wait = policy(1).wait_ms(retry, &kind, &asked());
        assert!((nominal / 2..=nominal).contains(&wait), "{retry}: {wait}");
        assert_eq!(wait, policy(1).wait_ms(retry, &kind, &asked()));
    }
    let waits: std::collections::BTreeSet<u64> = (0..50)
        .map(|seed| policy(seed).wait_ms(5, &kind, &asked()))
        .collect();
    assert!(waits.len() > 20, "{waits:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_stream_ends_when_cancelled_and_its_connection_is_closed() {
    let server = ChatServer::script(vec![
        Answer::sse_open([event(&json!({"content": "half"}))]).then(Step::Stall),
    ]);
    let cancel = CancellationToken::new();
    let notes = Notes {
        then_cancel: Some(cancel.clone()),
        ..Notes::default()
    };
    let model = patient(&server, quick(5), 1);
    let error = model.complete(&asked(), &notes, &cancel).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Cancelled);
    server.wait_until("the client hangs up", |log| log.hung_up == 1);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_waits_for_a_place_can_be_cancelled() {
    let server = ChatServer::script(vec![Answer::stall()]);
    let model = patient(&server, quick(0), 1);
    let holder = CancellationToken::new();
    let running = {
        let (model, holder) = (Arc::clone(&model), holder.clone());
        tokio::spawn(async move { model.complete(&asked(), &NoWatch, &holder).await })
    };
    server.wait_until("the place is taken", |log| log.requests.len() == 1);
    let cancel = CancellationToken::new();
    let waiting = {
        let (model, cancel) = (Arc::clone(&model), cancel.clone());
        tokio::spawn(async move { model.complete(&asked(), &NoWatch, &cancel).await })
    };
    cancel.cancel();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Cancelled);
    holder.cancel();
    running.await.unwrap().unwrap_err();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_deadline_ends_a_call_with_all_its_retries() {
    let server = ChatServer::script(vec![Answer::stall()]);
    let policy = RetryPolicy {
        deadline_ms: 30,
        ..quick(5)
    };
    let error = complete(&*patient(&server, policy, 1), &asked())
        .await
        .unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Deadline { after_ms: 30 });
    server.wait_until("the client hangs up", |log| log.hung_up == 1);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn silence_before_and_inside_a_reply_is_a_stall_and_is_retried() {
    let mut settings = settings(&ChatServer::chat());
    settings.first_token_s = 1;
    settings.stall_s = 1;
    settings.retries = 0;
    let asks = AtomicUsize::new(0);
    let server = ChatServer::start(move |_| match asks.fetch_add(1, Ordering::SeqCst) {
        0 => Answer::stall(),
        _ => Answer::sse_open([event(&json!({"content": "half"}))]).then(Step::Stall),
    });
    settings.base_url = server.base_url();
    let model = provider(&settings).build_model(&ModelSettings::from_name("loopback", "m"), 1);
    for _ in 0..2 {
        let error = complete(&*model, &asked()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Stalled { after_ms: 1000 });
        assert!(error.is_worth_retrying());
    }
}

#[tokio::test]
async fn no_more_calls_are_in_flight_than_the_limit_and_no_fewer() {
    let barrier = Barrier::of(4);
    let server = {
        let barrier = Arc::clone(&barrier);
        ChatServer::start(move |_| Answer::chat("together").behind(&barrier))
    };
    let model = patient(&server, quick(0), 4);
    let request = asked();
    let replies = join_all((0..12).map(|_| complete(&*model, &request))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert!(!barrier.broken());
    assert_eq!((barrier.met(), server.most_in_flight()), (3, 4));
}

#[tokio::test]
async fn a_place_in_flight_is_free_during_back_off() {
    // The first call is told to wait for ten seconds; the second must get its place meanwhile.
    let server = ChatServer::script(vec![Answer::too_many("10"), Answer::chat("me first")]);
    let model = patient(&server, quick(3), 1);
    let cancel = CancellationToken::new();
    let (notes, request) = (Notes::default(), asked());
    let slow = model.complete(&request, &notes, &cancel);
    let quick = async {
        let reply = complete(&*model, &request).await;
        cancel.cancel();
        reply
    };
    let (slow, quick) = tokio::join!(slow, quick);
    assert_eq!(quick.unwrap().text, "me first");
    assert_eq!(slow.unwrap_err().kind, CallErrorKind::Cancelled);
}

#[tokio::test]
async fn a_model_that_is_being_loaded_is_waited_for_beyond_the_retries() {
    let bodies = [
        (
            503,
            json!({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}),
        ),
        (
            503,
            json!({"error": "Model big/one is currently loading", "estimated_time": 0.002}),
        ),
        (
            500,
            json!({"detail": "The server is warming up, the model is not ready yet"}),
        ),
        (
            200,
            json!({"error": {"message": "model is still loading", "code": 503}}),
        ),
        (
            429,
            json!({"message": "Deployment is scaled to zero and is starting"}),
        ),
    ];
    for (status, body) in bodies {
        let loading = body.clone();
        let server = ChatServer::start(move |seen| match seen.number {
            0..9 => Answer::refusal(status, &loading),
            _ => Answer::chat("at last"),
        });
        let notes = Notes::default();
        let cancel = CancellationToken::new();
        let model = patient(&server, quick(2), 1);
        let reply = model
            .complete(&asked(), &notes, &cancel)
            .await
            .expect("it is waited for");
        assert_eq!(
            (reply.text.as_str(), server.requests().len()),
            ("at last", 10),
            "{body}"
        );
        let told = notes.retries.lock().unwrap();
        let is_loading = |why: &CallErrorKind| {
            matches!(
                why,
                CallErrorKind::Busy {
                    is_loading: true,
                    ..
                }
            )
        };
        assert!(
            told.len() == 9 && told.iter().all(|(_, why, _)| is_loading(why)),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn a_model_that_cannot_be_loaded_or_never_is_is_given_up() {
    let failed = "Failed to load model: out of memory while the model is loading";
    let server = ChatServer::script(vec![Answer::error(503, "e", failed)]);
    let error = complete(&*patient(&server, quick(2), 1), &asked())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind, server.requests().len()),
        (CallErrorKind::Status(503), 3)
    );

    let server = ChatServer::script(vec![Answer::error(503, "e", "Loading model")]);
    let brief = crate::RetryPolicy {
        deadline_ms: 60,
        ..quick(2)
    };
    let error = complete(&*patient(&server, brief, 1), &asked())
        .await
        .unwrap_err();
    let ended = matches!(
        error.kind,
        CallErrorKind::Busy {
            is_loading: true,
            ..
        } | CallErrorKind::Deadline { .. }
    );
    assert!(ended, "{error}");
}

#[tokio::test]
async fn a_limit_for_a_day_is_a_used_up_account_and_one_for_a_minute_is_not() {
    let days = [
        (
            200,
            json!({"error": {"message": "Rate limit exceeded: free-models-per-day", "code": 429}}),
        ),
        (
            429,
            json!({"error": {"message": "Rate limit reached for model m on tokens per day (TPD): Limit 100000, Used 99993, Requested 2000. Please try again in 28m10s.", "code": "rate_limit_exceeded"}}),
        ),
        (
            429,
            json!({"error": {"message": "You exceeded your current quota. Please retry in 40s.", "status": "RESOURCE_EXHAUSTED",
            "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}),
        ),
        (
            429,
            json!({"message": "Daily request 200 limit exceeded. Please try again tomorrow."}),
        ),
        (403, json!({"error": {"message": "Daily limit exceeded"}})),
        (
            429,
            json!({"error": {"message": "request reached organization TPD rate limit, current: 1590271, limit: 1500000"}}),
        ),
        (429, json!({"error": "monthly request limit reached"})),
    ];
    for (status, body) in days {
        let server = ChatServer::script(vec![Answer::refusal(status, &body)]);
        let error = complete(&*patient(&server, quick(3), 1), &asked())
            .await
            .unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Quota, "{body}");
        assert_eq!(server.requests().len(), 1, "{body}");
    }
    let long = Answer::with_headers(429, &[("retry-after", "7200")], b"{}");
    let error = complete(&*once(&ChatServer::script(vec![long])), &asked())
        .await
        .unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Quota);
    let minutes = [
        json!({"error": {"message": "Rate limit exceeded: free-models-per-min.", "code": 429}}),
        json!({"error": {"message": "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s."}}),
        json!({"error": {"message": "You exceeded your current quota. Please retry in 40s.",
            "details": [{"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}]}}),
    ];
    for body in minutes {
        let server = ChatServer::script(vec![Answer::refusal(429, &body)]);
        let error = complete(&*once(&server), &asked()).await.unwrap_err();
        assert!(
            matches!(error.kind, CallErrorKind::RateLimited { .. }),
            "{body}: {error}"
        );
    }
}
