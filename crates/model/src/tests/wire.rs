//! The wire format: what servers send, and the reply or error it is read as.

use crate::{CallErrorKind, Finish, PROBE_DEADLINE, Param, ReplyForm, TokenSource, probe_server};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::harness::{Notes, ask, asked, complete, once, provider, settings};
use elenchus_test_support::answer::{Step, event, finish, head, usage};
use elenchus_test_support::{Answer, ChatServer};

async fn kind_of(answer: Answer) -> CallErrorKind {
    let server = ChatServer::script(vec![answer]);
    let kind = ask(&server).await.expect_err("should have failed").kind;
    // A stream that broke before its first word is asked for once more, as a whole.
    let requests = server.requests();
    let streamed = requests
        .iter()
        .filter(|seen| seen.body.get("stream").is_some());
    assert_eq!(streamed.count(), 1, "one call is one request");
    assert!(requests.len() == 1 || (requests.len() == 2 && kind == CallErrorKind::BrokenStream));
    kind
}

async fn reply_to(answer: Answer) -> crate::Reply {
    ask(&ChatServer::script(vec![answer])).await.unwrap()
}

fn say(text: &str) -> String {
    event(&json!({"content": text}))
}

#[tokio::test]
async fn a_streamed_reply_keeps_text_usage_finish_and_names() {
    let server = ChatServer::chat();
    let notes = Notes::default();
    let model = once(&server);
    let cancel = CancellationToken::new();
    let reply = model.complete(&asked(), &notes, &cancel).await.unwrap();
    assert_eq!(reply.text, "A short and harmless reply.");
    assert_eq!(*notes.public.lock().unwrap(), reply.text);
    assert_eq!(
        (reply.usage.input_tokens, reply.usage.output_tokens),
        (11, 7)
    );
    assert_eq!(reply.usage.reasoning_tokens, Some(3));
    assert_eq!(reply.usage.cached_tokens, Some(2));
    assert_eq!(reply.usage.counted, TokenSource::Server);
    assert_eq!(
        (reply.finish, reply.model.as_str()),
        (Finish::Stop, "served-model")
    );
    assert_eq!(reply.request_id.as_deref(), Some("req-7"));
    assert!(
        reply
            .first_token_ms
            .is_some_and(|first| first <= reply.latency_ms)
    );
    assert!(!model.is_simulated());
}

#[tokio::test]
async fn the_body_sent_is_the_body_hashed_plus_transport_fields() {
    let server = ChatServer::chat();
    let mut request = asked();
    request.sampling.max_tokens = Some(50);
    request.sampling.seed = Some(3);
    request.sampling.stop = vec!["END".into()];
    request.form = Some(ReplyForm::Schema(json!({"type": "object"})));
    request.dialect.drop_params = vec![Param::Seed];
    request.dialect.max_tokens_as = crate::MaxTokensName::MaxCompletionTokens;
    complete(&*once(&server), &request).await.unwrap();
    let mut sent = server.requests()[0].body.clone();
    let fields = sent.as_object_mut().unwrap();
    assert_eq!(fields.remove("stream"), Some(json!(true)));
    assert_eq!(
        fields.remove("stream_options"),
        Some(json!({"include_usage": true}))
    );
    assert_eq!(sent, request.build_body());
    assert_eq!(sent["max_completion_tokens"], 50);
    assert_eq!(sent.get("seed"), None);
    assert_eq!(
        sent["response_format"]["json_schema"]["schema"],
        json!({"type": "object"})
    );
}

#[tokio::test]
async fn the_hash_of_a_request_leaves_out_hint_and_sample() {
    let request = asked();
    let mut other = asked();
    other.context.seat = "someone else".into();
    other.sample = 5;
    assert_eq!(request.compute_sha256(), other.compute_sha256());
    other.sampling.temperature = Some(0.5);
    assert_ne!(request.compute_sha256(), other.compute_sha256());
}

#[tokio::test]
async fn twenty_calls_in_a_row_use_one_connection() {
    // The body ends later than `[DONE]`: who stops reading there loses the connection.
    let pause = Step::Wait(std::time::Duration::from_millis(5));
    let events = [say("yes"), finish("stop"), "data: [DONE]\n\n".into()];
    let answer = Answer::sse_open(events).then(pause).then(Step::EndChunks);
    let server = ChatServer::script(vec![answer]);
    let model = once(&server);
    for _ in 0..20 {
        complete(&*model, &asked()).await.unwrap();
    }
    assert_eq!((server.requests().len(), server.connections()), (20, 1));
}

#[tokio::test]
async fn refused_calls_do_not_cost_their_connection() {
    let server = ChatServer::script(vec![Answer::error(500, "oops", "no")]);
    let model = once(&server);
    for _ in 0..5 {
        complete(&*model, &asked()).await.unwrap_err();
    }
    assert_eq!((server.requests().len(), server.connections()), (5, 1));
}

#[tokio::test]
async fn a_finish_reason_without_done_completes_a_reply_even_if_the_connection_is_cut() {
    let answer = Answer::sse_open([say("yes"), finish("stop")]);
    let reply = reply_to(answer.then(Step::Cut)).await;
    assert_eq!((reply.text.as_str(), reply.finish), ("yes", Finish::Stop));
}

#[tokio::test]
async fn a_stream_that_just_ends_is_broken() {
    assert_eq!(
        kind_of(Answer::sse([say("half a")])).await,
        CallErrorKind::NoFinishReason
    );
}

#[tokio::test]
async fn a_cut_stream_is_broken_wherever_it_is_cut() {
    let before_anything = Answer::cut();
    let no_events: [&str; 0] = [];
    let after_head = Answer::sse_open(no_events).then(Step::Cut);
    let after_text = Answer::sse_open([say("half a")]).then(Step::Cut);
    let inside_event = Answer::sse([say("half a"), "data: {\"choices\":[{\"del".into()]);
    let only_comments = Answer::sse([": still here\n\n"]);
    for answer in [
        before_anything,
        after_head,
        after_text,
        inside_event,
        only_comments,
    ] {
        assert_eq!(kind_of(answer).await, CallErrorKind::BrokenStream);
    }
}

#[tokio::test]
async fn garbage_html_and_foreign_json_are_bad_replies() {
    let answers = [
        Answer::body(200, "text/event-stream", b"\x00\xff\xfegarbage without end"),
        Answer::body(200, "text/html", b"<!doctype html><title>Welcome</title>"),
        Answer::body(200, "application/json", b"{\"hello\":\"world\"}"),
        Answer::body(200, "application/json", b"[1,2,3]"),
        Answer::sse(["data: not json\n\n"]),
        Answer::sse(["data: {\"choices\":[]}\n\n", "data: [DONE]\n\n"]),
    ];
    for answer in answers {
        assert_eq!(kind_of(answer).await, CallErrorKind::BadReply);
    }
}

#[tokio::test]
async fn a_web_page_is_quoted_in_the_error_on_one_short_line() {
    let page = format!("<html>\n<p>{}</p>\x1b[31m", "Sign in first. ".repeat(100));
    let server = ChatServer::script(vec![Answer::body(200, "text/html", page.as_bytes())]);
    let text = ask(&server).await.unwrap_err().to_string();
    assert!(
        text.contains("loopback/asked-model") && text.contains("Sign in first."),
        "{text}"
    );
    assert!(text.contains("base_url") && text.len() < 700, "{text}");
    assert!(!text.contains('\n') && !text.contains('\x1b'), "{text}");
}

#[tokio::test]
async fn statuses_are_told_apart() {
    let cases = [
        (Answer::error(400, "bad", "no"), CallErrorKind::Status(400)),
        (
            Answer::error(401, "invalid_api_key", "no"),
            CallErrorKind::Auth,
        ),
        (Answer::error(402, "payment", "no"), CallErrorKind::Quota),
        (
            Answer::error(404, "model_not_found", "no"),
            CallErrorKind::Status(404),
        ),
        (
            Answer::error(429, "insufficient_quota", "no"),
            CallErrorKind::Quota,
        ),
        (Answer::error(500, "oops", "no"), CallErrorKind::Status(500)),
        (
            Answer::body(502, "text/html", b"<h1>Bad gateway"),
            CallErrorKind::Status(502),
        ),
        (
            Answer::error(400, "content_policy_violation", "no"),
            CallErrorKind::ContentFilter,
        ),
        (
            Answer::error(400, "context_length_exceeded", "no"),
            CallErrorKind::ContextLength,
        ),
        (
            Answer::with_headers(302, &[("location", "/elsewhere")], b""),
            CallErrorKind::Status(302),
        ),
        (
            Answer::with_headers(503, &[("retry-after", "2")], b""),
            CallErrorKind::Busy {
                retry_after_ms: 2000,
                is_loading: false,
            },
        ),
        (
            Answer::too_many("3"),
            CallErrorKind::RateLimited {
                retry_after_ms: Some(3000),
            },
        ),
        (
            Answer::too_many("soon"),
            CallErrorKind::RateLimited {
                retry_after_ms: None,
            },
        ),
    ];
    for (answer, expected) in cases {
        assert_eq!(kind_of(answer).await, expected);
    }
}

#[tokio::test]
async fn a_retry_after_date_is_read_against_the_servers_clock() {
    let headers = [
        ("retry-after", "Wed, 21 Oct 2015 07:28:05 GMT"),
        ("date", "Wed, 21 Oct 2015 07:28:00 GMT"),
    ];
    let kind = kind_of(Answer::with_headers(429, &headers, b"")).await;
    assert_eq!(
        kind,
        CallErrorKind::RateLimited {
            retry_after_ms: Some(5000)
        }
    );
}

#[tokio::test]
async fn errors_inside_a_stream_are_errors() {
    let inside = |error: &str| Answer::sse([say("half"), format!("data: {error}\n\n")]);
    let cases = [
        (
            "{\"error\":{\"message\":\"overloaded\"}}",
            CallErrorKind::ErrorInStream,
        ),
        (
            "{\"error\":\"out of memory\"}",
            CallErrorKind::ErrorInStream,
        ),
        (
            "{\"error\":{\"code\":502,\"message\":\"upstream\"}}",
            CallErrorKind::Status(502),
        ),
        (
            "{\"error\":{\"code\":\"429\"}}",
            CallErrorKind::RateLimited {
                retry_after_ms: None,
            },
        ),
        (
            "{\"error\":{\"code\":\"content_filter\"}}",
            CallErrorKind::ContentFilter,
        ),
        (
            "{\"object\":\"error\",\"message\":\"bad\",\"code\":400}",
            CallErrorKind::Status(400),
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(kind_of(inside(error)).await, expected, "{error}");
    }
    let event = "event: error\ndata: {\"message\":\"gone\"}\n\n";
    assert_eq!(
        kind_of(Answer::sse([event])).await,
        CallErrorKind::ErrorInStream
    );
}

#[tokio::test]
async fn a_content_filter_is_no_reply() {
    let answer = Answer::sse([say("half"), finish("content_filter")]);
    assert_eq!(kind_of(answer).await, CallErrorKind::ContentFilter);
}

#[tokio::test]
async fn odd_finish_reasons_are_kept() {
    for (word, finish_) in [
        ("length", Finish::Length),
        ("eos_token", Finish::Stop),
        ("tool_calls", Finish::Other("tool_calls".into())),
    ] {
        assert_eq!(
            reply_to(Answer::sse([say("a"), finish(word)])).await.finish,
            finish_
        );
    }
}

#[tokio::test]
async fn one_json_document_instead_of_a_stream_is_a_reply() {
    let reply = reply_to(Answer::whole("All at once.")).await;
    assert_eq!(
        (reply.text.as_str(), reply.first_token_ms),
        ("All at once.", None)
    );
    assert_eq!(reply.usage.output_tokens, 7);
}

#[tokio::test]
async fn missing_fields_are_forgiven_and_usage_is_then_marked_as_estimated() {
    let bare = "data: {\"choices\":[{\"delta\":{\"content\":\"12345678\"},\"finish_reason\":\"stop\"}]}\n\n";
    let reply = reply_to(Answer::sse([bare, "data: [DONE]"])).await;
    assert_eq!(
        (reply.text.as_str(), reply.model.as_str()),
        ("12345678", "asked-model")
    );
    assert_eq!(
        (reply.usage.counted, reply.usage.output_tokens),
        (TokenSource::Estimated, 2)
    );
}

#[tokio::test]
async fn comments_carriage_returns_and_split_characters_do_not_matter() {
    let text = "Grüße, 世界 — 👍 done";
    for piece_bytes in [1, 2, 3, 7, 1000] {
        assert_eq!(reply_to(Answer::drip(text, piece_bytes)).await.text, text);
    }
    let with_comments = [
        ": hello\r\n\r\n".to_owned(),
        say("a"),
        ":\n\n".into(),
        finish("stop"),
    ];
    assert_eq!(reply_to(Answer::sse(with_comments)).await.text, "a");
}

#[tokio::test]
async fn reasoning_fields_and_think_tags_are_private() {
    let field = |name: &str| Answer::deltas([json!({name: "secret"}), json!({"content": "open"})]);
    let tags = Answer::deltas(
        ["<th", "ink>sec", "ret</thi", "nk>\n\nopen"].map(|t| json!({"content": t})),
    );
    let unopened = Answer::deltas(["sec", "ret</think>", "open"].map(|t| json!({"content": t})));
    let both = Answer::deltas([
        json!({"reasoning": "secret", "reasoning_content": "secret"}),
        json!({"content": "open"}),
    ]);
    let parts = Answer::deltas([json!({"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "secret"}]},
        {"type": "text", "text": "open"},
    ]})]);
    let whole = Answer::whole("<think>secret</think>open");
    for answer in [
        field("reasoning_content"),
        field("reasoning"),
        tags,
        unopened,
        both,
        parts,
        whole,
    ] {
        let reply = reply_to(answer).await;
        assert_eq!(
            (reply.text.as_str(), reply.thinking.as_deref()),
            ("open", Some("secret"))
        );
    }
}

#[tokio::test]
async fn an_unterminated_think_tag_leaves_no_public_text() {
    let reply = reply_to(Answer::sse([say("<think>and on and on"), finish("length")])).await;
    assert_eq!((reply.text.as_str(), reply.finish), ("", Finish::Length));
    assert_eq!(reply.thinking.as_deref(), Some("and on and on"));
}

#[tokio::test]
async fn a_server_that_refuses_stream_options_is_asked_without_and_this_is_told() {
    let server = ChatServer::start(|seen| {
        if seen.body.get("stream_options").is_some() {
            Answer::error(400, "unknown", "unknown field stream_options")
        } else {
            Answer::chat("fine")
        }
    });
    let (model, notes) = (once(&server), Notes::default());
    let cancel = CancellationToken::new();
    for _ in 0..2 {
        let reply = model.complete(&asked(), &notes, &cancel).await.unwrap();
        assert_eq!(reply.text, "fine");
    }
    // The second call remembers.
    assert_eq!(server.requests().len(), 3);
    assert_eq!(
        *notes.retries.lock().unwrap(),
        [(1, CallErrorKind::Status(400), 0)]
    );
}

#[tokio::test]
async fn a_reply_without_end_is_given_up_at_a_limit() {
    let piece = say(&"x".repeat(1 << 20));
    let kind = kind_of(Answer::sse(vec![piece; 20])).await;
    assert!(matches!(kind, CallErrorKind::TooLarge { .. }), "{kind:?}");
    let line = "data: ".to_owned() + &"x".repeat(1 << 20);
    let kind = kind_of(Answer::sse(vec![line; 20])).await;
    assert!(matches!(kind, CallErrorKind::TooLarge { .. }), "{kind:?}");
}

#[tokio::test]
async fn a_huge_error_body_is_shortened() {
    let server = ChatServer::script(vec![Answer::body(500, "text/plain", &vec![b'x'; 1 << 20])]);
    let error = ask(&server).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Status(500));
    assert!(error.to_string().len() < 700);
}

#[tokio::test]
async fn bytes_that_are_not_http_are_a_broken_exchange() {
    let answer = Answer::of(vec![
        Step::Raw(b"SSH-2.0-whatever\r\n\r\n".to_vec()),
        Step::Cut,
    ]);
    assert_eq!(kind_of(answer).await, CallErrorKind::BrokenStream);
    let short = Answer::of(vec![
        Step::Raw(head(200, &[("content-length", "5000")])),
        Step::Raw(say("half").into_bytes()),
        Step::Cut,
    ]);
    assert_eq!(kind_of(short).await, CallErrorKind::BrokenStream);
}

#[tokio::test]
async fn usage_that_comes_with_every_event_is_taken_from_the_last() {
    let answer = Answer::sse([
        usage(1, 1),
        say("a"),
        usage(5, 2),
        finish("stop"),
        usage(5, 9),
    ]);
    assert_eq!(reply_to(answer).await.usage.output_tokens, 9);
}

#[tokio::test]
async fn a_closed_port_is_no_connection() {
    let closed = ChatServer::chat();
    let settings = settings(&closed);
    drop(closed);
    let error = probe_server(&provider(&settings), PROBE_DEADLINE)
        .await
        .unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Connect);
}

#[tokio::test]
async fn a_probe_lists_models_and_does_not_wait_long() {
    let server = ChatServer::listing(|seen| {
        assert_eq!(
            (seen.method.as_str(), seen.path.as_str()),
            ("GET", "/v1/models")
        );
        ChatServer::models(&["a", "b"])
    });
    let found = probe_server(&provider(&settings(&server)), PROBE_DEADLINE)
        .await
        .unwrap();
    assert_eq!(found.into_names(), ["a", "b"]);
    let silent = ChatServer::listing(|_| Answer::stall());
    let brief = std::time::Duration::from_millis(20);
    let error = probe_server(&provider(&settings(&silent)), brief)
        .await
        .unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Stalled { after_ms: 20 });
}

#[tokio::test]
async fn a_compressed_body_that_nobody_asked_for_is_named() {
    let bodies: [(&str, &[u8]); 2] = [
        ("gzip", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb]),
        ("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 4, 0]),
    ];
    for (name, body) in bodies {
        for status in [200, 502] {
            let headers = [
                ("content-type", "text/event-stream"),
                ("content-encoding", name),
            ];
            let answer = Answer::with_headers(status, &headers, body);
            let error = ask(&ChatServer::script(vec![answer])).await.unwrap_err();
            let words = format!("a body compressed with {name}, which was not asked for");
            assert!(error.detail.contains(&words), "{error}");
        }
    }
}

#[tokio::test]
async fn a_bare_list_of_models_is_a_list() {
    for list in [json!([{"id": "a"}, {"id": "b"}]), json!(["a", "b"])] {
        let server = ChatServer::listing(move |_| {
            Answer::body(200, "application/json", list.to_string().as_bytes())
        });
        let found = probe_server(&provider(&settings(&server)), PROBE_DEADLINE)
            .await
            .unwrap();
        assert_eq!(found.into_names(), ["a", "b"]);
    }
}
