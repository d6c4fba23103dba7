//! Requests that do not fit into the model's context.

use crate::{
    CallErrorKind, ModelSettings, SHORTEST_REPLY_TOKENS, TEMPLATE_TOKENS_PER_MESSAGE,
    fit_to_context,
};

use super::harness::{complete, hint, once, patient, provider, quick, request, settings};
use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::json;

/// A request of about this many tokens, which asks for a reply of so many.
fn of(tokens: u64, limit: u32) -> crate::Request {
    let text = "abcd".repeat(usize::try_from(tokens - TEMPLATE_TOKENS_PER_MESSAGE).unwrap());
    let mut request = request(&[&text], hint());
    request.sampling.max_tokens = Some(limit);
    request
}

#[test]
fn a_request_that_fits_with_its_reply_is_sent_as_it_is() {
    assert_eq!(fit_to_context(&of(3000, 1000), None), Ok(None));
    assert_eq!(fit_to_context(&of(3000, 1096), Some(4096)), Ok(None));
    let mut without_limit = of(4000, 1);
    without_limit.sampling.max_tokens = None;
    assert_eq!(fit_to_context(&without_limit, Some(4096)), Ok(None));
}

#[test]
fn the_reply_gets_what_the_request_leaves_of_the_context() {
    assert_eq!(fit_to_context(&of(3000, 1097), Some(4096)), Ok(Some(1096)));
    let shortest = u64::from(SHORTEST_REPLY_TOKENS);
    assert_eq!(
        fit_to_context(&of(4096 - shortest, 1000), Some(4096)),
        Ok(Some(SHORTEST_REPLY_TOKENS))
    );
    // A reply cut after a few words is worth less than what the server says.
    assert_eq!(
        fit_to_context(&of(4097 - shortest, 1000), Some(4096)),
        Ok(None)
    );
    assert_eq!(fit_to_context(&of(4090, 5), Some(4096)), Ok(None));
}

#[test]
fn what_is_clearly_too_long_is_refused_and_what_may_fit_is_not() {
    assert_eq!(fit_to_context(&of(5120, 100), Some(4096)), Ok(None));
    let long = fit_to_context(&of(5121, 100), Some(4096)).unwrap_err();
    assert_eq!((long.estimated_tokens, long.context_tokens), (5121, 4096));
}

#[tokio::test]
async fn a_request_that_is_clearly_too_long_is_not_sent() {
    let server = ChatServer::chat();
    let settings = settings(&server);
    let mut model = ModelSettings::from_name("loopback", "small");
    model.context_tokens = Some(4096);
    let small = provider(&settings).build_model(&model, 1);
    let error = complete(&*small, &of(6000, 100)).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::ContextLength);
    let text = error.to_string();
    assert!(
        text.contains("about 6000 tokens") && text.contains("4096"),
        "{text}"
    );
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_limit_that_was_lowered_is_sent_and_told() {
    let server = ChatServer::chat();
    let settings = settings(&server);
    let mut model = ModelSettings::from_name("loopback", "small");
    model.context_tokens = Some(4096);
    let small = provider(&settings).build_model(&model, 1);
    let request = of(3000, 2000);
    let reply = complete(&*small, &request).await.unwrap();
    assert_eq!(server.requests()[0].body["max_tokens"], 1096);
    assert_eq!(reply.sent_as["max_tokens"], "1096");
    // The request stays what was composed, so that its recording is found again.
    assert_eq!(request.build_body()["max_tokens"], 2000);
}

/// Answers as it is asked: as a stream, or as a whole.
fn answered(seen: &ChatRequest) -> Answer {
    match seen.body.get("stream") {
        Some(_) => Answer::chat("fine"),
        None => Answer::whole("fine"),
    }
}

/// Refuses replies of more than `room` tokens, in these words.
fn with_room(room: u64, message: &'static str) -> ChatServer {
    ChatServer::start(move |seen| match seen.body["max_tokens"].as_u64() {
        Some(limit) if limit <= room => answered(seen),
        _ => Answer::refusal(400, &json!({"error": {"message": message, "code": 400}})),
    })
}

#[tokio::test]
async fn where_the_prompt_fits_and_the_reply_does_not_it_is_asked_once_more_with_what_fits() {
    let messages = [
        "This model's maximum context length is 8192 tokens. However, you requested 9192 tokens (7192 in the messages, 2000 in the completion).",
        "Sum of prompt (7192) and generation (2000) exceeds the context window of 8192",
        "inputs + max_new_tokens must be <= 8192. Given: 7192 `inputs` tokens and 2000 `max_new_tokens`",
        "input length and `max_tokens` exceed context limit: 7192 + 2000 > 8192",
        "The request wants 9192 tokens, more than the context size of 8192 tokens",
    ];
    for message in messages {
        let server = with_room(1000, message);
        let model = once(&server);
        for requests in [2, 4] {
            let reply = complete(&*model, &of(5000, 2000)).await.expect(message);
            assert_eq!(reply.sent_as["max_tokens"], "1000", "{message}");
            assert_eq!(server.requests().len(), requests, "{message}");
        }
    }
}

#[tokio::test]
async fn a_request_that_is_refused_again_is_given_up() {
    let server = with_room(
        10,
        "The context is 8192 tokens; prompt (7192) and reply (2000) exceed it",
    );
    let error = complete(&*patient(&server, quick(3), 1), &of(5000, 2000))
        .await
        .unwrap_err();
    assert_eq!(error.kind, CallErrorKind::ContextLength);
    let limits: Vec<_> = server
        .requests()
        .iter()
        .map(|seen| seen.body["max_tokens"].clone())
        .collect();
    assert_eq!(limits, [json!(2000), json!(1000)]);
}

#[tokio::test]
async fn too_long_is_told_by_pattern_and_never_asked_again() {
    let bodies = [
        (
            400,
            json!({"message": "The input (9001 tokens) is longer than the model's context length (8192 tokens)."}),
        ),
        (
            400,
            json!({"error": "n_keep 9001 is greater than the context the model was loaded with"}),
        ),
        (
            422,
            json!({"error": "Input validation error: `inputs` must have less than 8192 tokens. Given: 9001"}),
        ),
        (
            413,
            json!({"error": {"message": "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7024", "code": "rate_limit_exceeded"}}),
        ),
        (
            429,
            json!({"error": {"message": "Request too large for m in organization o on tokens per min (TPM): Limit 30000, Requested 43000.", "code": "rate_limit_exceeded"}}),
        ),
        (
            500,
            json!({"error": {"message": "the sequence of 9001 tokens does not fit into the KV cache (8192)"}}),
        ),
        (
            200,
            json!({"error": {"message": "Your conversation is too long for this model", "code": 400}}),
        ),
    ];
    for (status, body) in bodies {
        let server = ChatServer::script(vec![Answer::refusal(status, &body)]);
        let error = complete(&*patient(&server, quick(3), 1), &of(9001, 500))
            .await
            .unwrap_err();
        assert_eq!(error.kind, CallErrorKind::ContextLength, "{body}");
        assert_eq!(server.requests().len(), 1, "{body}");
    }
}

#[tokio::test]
async fn a_context_that_a_server_named_holds_back_what_clearly_cannot_fit() {
    let server = ChatServer::start(|seen| match seen.text().len() {
        0..16_000 => answered(seen),
        _ => Answer::error(
            400,
            "too_long",
            "The prompt (5000 tokens) exceeds the context of 4096 tokens",
        ),
    });
    let model = once(&server);
    complete(&*model, &of(5000, 100)).await.unwrap_err();
    let error = complete(&*model, &of(6000, 100)).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::ContextLength);
    let text = error.to_string();
    assert!(
        text.contains("about 6000 tokens")
            && text.contains("its server names a context of 4096; it was not sent"),
        "{text}"
    );
    assert_eq!(server.requests().len(), 1);
    // A shorter one is sent, with a reply that fits.
    let reply = complete(&*model, &of(3000, 2000)).await.unwrap();
    assert_eq!(reply.sent_as["max_tokens"], "1096");
}

/// A stream that breaks off after these events.
fn broken(events: &[String]) -> Answer {
    Answer::sse_open(events.to_vec()).then(elenchus_test_support::answer::Step::Cut)
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_word_is_asked_for_as_a_whole_to_learn_why() {
    let role = event(&json!({"role": "assistant", "content": ""}));
    for events in [vec![], vec![role]] {
        let breaking = events.clone();
        let server = ChatServer::start(move |seen| match seen.body.get("stream") {
            Some(_) => broken(&breaking),
            None => Answer::error(
                500,
                "e",
                "Requested tokens (5495) exceed context window of 4096",
            ),
        });
        let error = complete(&*patient(&server, quick(3), 1), &of(5495, 100))
            .await
            .unwrap_err();
        assert_eq!(error.kind, CallErrorKind::ContextLength);
        assert_eq!(server.requests().len(), 2);

        let server = ChatServer::start(move |seen| match seen.body.get("stream") {
            Some(_) => broken(&events),
            None => Answer::whole("fine"),
        });
        let reply = complete(&*once(&server), &of(100, 100)).await.unwrap();
        assert_eq!((reply.text.as_str(), server.requests().len()), ("fine", 2));
        assert_eq!(reply.left_out, ["stream_options", "stream"]);
    }
}

#[tokio::test]
async fn a_stream_that_breaks_after_a_word_is_not_asked_for_as_a_whole() {
    let server = ChatServer::start(|seen| match seen.body.get("stream") {
        Some(_) => broken(&[event(&json!({"content": "half of "}))]),
        None => Answer::whole("fine"),
    });
    let error = complete(&*once(&server), &of(100, 100)).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::BrokenStream);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_whose_whole_replies_break_as_well_is_asked_for_one_only() {
    let server = ChatServer::script(vec![broken(&[])]);
    let model = patient(&server, quick(3), 1);
    for requests in [5, 9] {
        complete(&*model, &of(100, 100)).await.unwrap_err();
        assert_eq!(server.requests().len(), requests);
    }
    let requests = server.requests();
    let whole = requests
        .iter()
        .filter(|seen| seen.body.get("stream").is_none());
    assert_eq!(whole.count(), 1);
}

#[tokio::test]
async fn a_server_that_is_gone_is_not_asked_for_whole_replies() {
    let server = ChatServer::script(vec![Answer::cut()]);
    let error = complete(&*once(&server), &of(100, 100)).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::BrokenStream);
    assert_eq!(server.requests().len(), 1);
}

/// A server that says it read so many tokens.
fn reading(read: impl Fn(u64) -> (u64, u64) + Send + Sync + 'static) -> ChatServer {
    ChatServer::start(move |seen| {
        let (read, cached) = read(seen.text().len() as u64 / 4);
        Answer::sse([
            event(&json!({"content": "fine"})),
            finish("stop"),
            usage(read, 1).replace(
                "\"cached_tokens\":2",
                &format!("\"cached_tokens\":{cached}"),
            ),
            "data: [DONE]\n\n".to_owned(),
        ])
    })
}

#[tokio::test]
async fn a_server_that_reads_far_less_than_was_sent_is_noticed() {
    let flagged = async |server: &ChatServer, sizes: &[u64]| {
        let model = once(server);
        let mut flagged = Vec::new();
        for size in sizes {
            let reply = complete(&*model, &of(*size, 100)).await.unwrap();
            flagged.push(reply.usage.sent_tokens.is_some());
        }
        flagged
    };
    // It cuts at 4096 tokens.
    let cuts = reading(|sent| (sent.min(4096), 0));
    assert_eq!(
        flagged(&cuts, &[3000, 9000, 6000, 4500]).await,
        [false, true, true, true]
    );
    // It counts what it had in its cache apart.
    let caches = reading(|sent| (sent / 4, sent - sent / 4));
    assert_eq!(flagged(&caches, &[3000, 9000]).await, [false, false]);
    // Tokens may be longer than four characters.
    let long = reading(|sent| (sent * 2 / 3, 0));
    assert_eq!(
        flagged(&long, &[3000, 9000, 4000]).await,
        [false, false, false]
    );
    // Short requests say nothing.
    let short = reading(|_| (11, 0));
    assert_eq!(flagged(&short, &[100, 200]).await, [false, false]);
}
