//! Parameters that a server refuses: the request is repeated without them, reported and remembered.

use std::sync::Arc;

use crate::{
    CallErrorKind, ChatRole, MaxTokensName, Message, ModelSettings, Param, ReplyForm, Request,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::harness::{Notes, asked, complete, once, patient, provider, quick, settings};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};

/// A request that holds everything that may be refused.
fn full() -> Request {
    let mut request = asked();
    request.messages.insert(
        0,
        Message {
            role: ChatRole::System,
            content: "You debate.".into(),
        },
    );
    request.sampling.temperature = Some(0.0);
    request.sampling.top_p = Some(0.9);
    request.sampling.max_tokens = Some(50);
    request.sampling.seed = Some(3);
    request.sampling.stop = vec!["END".into()];
    request.sampling.top_logprobs = Some(5);
    request.form = Some(ReplyForm::Schema(json!({"type": "object"})));
    request
}

/// Refuses with a message while the request holds a field.
fn refusing(field: &'static str, status: u16, body: Value) -> ChatServer {
    ChatServer::start(move |seen| match seen.body.get(field) {
        Some(_) => Answer::refusal(status, &body),
        None => answered(seen),
    })
}

/// Answers as a stream or as a whole, as it is asked.
fn answered(seen: &ChatRequest) -> Answer {
    match seen.body.get("stream") {
        Some(_) => Answer::chat("fine"),
        None => Answer::whole("fine"),
    }
}

fn unsupported(name: &str) -> Value {
    json!({"error": {"message": format!("Unsupported parameter: '{name}' is not supported with this model."),
        "type": "invalid_request_error", "param": name, "code": "unsupported_parameter"}})
}

fn only_default(name: &str) -> Value {
    json!({"error": {"message": format!("Unsupported value: '{name}' does not support 0 with this model. Only the default (1) value is supported."),
        "type": "invalid_request_error", "param": name, "code": "unsupported_value"}})
}

fn forbidden(name: &str) -> Value {
    json!({"object": "error", "type": "invalid_request_error", "code": null,
        "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 3}]}})
}

fn by_litellm(name: &str) -> Value {
    json!({"error": {"code": "400", "message": format!("litellm.UnsupportedParamsError: far does not support parameters: ['{name}'], for model=x. To drop these, set `litellm.drop_params=True`")}})
}

#[tokio::test]
async fn a_refused_part_is_left_out_told_and_remembered() {
    let verified = json!({"error": {"message": "Your organization must be verified to stream this model.",
        "type": "invalid_request_error", "param": "stream", "code": "unsupported_value"}});
    let unavailable = json!({"error": {"message": "This response_format type is unavailable now"}});
    let schema_500 = json!({"error": {"code": 500, "type": "server_error",
        "message": "response_format type must be one of \"text\" or \"json_object\", but got: json_schema"}});
    let logits = json!({"error": {"message": "logprobs is not supported for models created with logits_all=False"}});
    let routed = json!({"error": {"message": "Provider returned error", "code": 400,
        "metadata": {"raw": only_default("temperature").to_string()}}});
    let unknown_name =
        json!([{"error": {"code": 400, "message": "Unknown name \"seed\": Cannot find field."}}]);
    let cases: [(&'static str, u16, Value, &str); 18] = [
        (
            "temperature",
            400,
            only_default("temperature"),
            "temperature",
        ),
        (
            "temperature",
            422,
            json!({"error": "Input validation error: `temperature` must be strictly positive"}),
            "temperature",
        ),
        (
            "temperature",
            400,
            json!({"error": {"message": "`temperature` is deprecated for this model."}}),
            "temperature",
        ),
        (
            "temperature",
            400,
            json!({"error": {"message": "invalid temperature: only 1 is allowed for this model"}}),
            "temperature",
        ),
        ("temperature", 400, routed, "temperature"),
        (
            "top_p",
            400,
            json!({"error": {"message": "`temperature` and `top_p` cannot both be specified"}}),
            "top_p",
        ),
        ("seed", 422, forbidden("seed"), "seed"),
        ("seed", 400, by_litellm("seed"), "seed"),
        ("seed", 500, by_litellm("seed"), "seed"),
        ("seed", 400, unknown_name, "seed"),
        ("stop", 400, unsupported("stop"), "stop"),
        ("top_p", 400, unsupported("top_p"), "top_p"),
        ("logprobs", 500, logits, "logprobs"),
        (
            "stream_options",
            400,
            json!({"error": {"message": "Unrecognized request argument supplied: stream_options"}}),
            "stream_options",
        ),
        ("response_format", 400, unavailable, "response_format"),
        ("response_format", 500, schema_500, "response_format"),
        ("stream", 400, verified, "stream"),
        ("seed", 400, unsupported("seed"), "seed"),
    ];
    for (field, status, body, left_out) in cases {
        let server = if left_out == "temperature" {
            refusing("temperature", status, body.clone())
        } else {
            refusing(field, status, body.clone())
        };
        let (model, notes) = (once(&server), Notes::default());
        let cancel = CancellationToken::new();
        for _ in 0..2 {
            let reply = model.complete(&full(), &notes, &cancel).await.unwrap();
            assert_eq!(reply.text, "fine", "{body}");
            let expected: &[&str] = if left_out == "stream" {
                // Its options go with it.
                &["stream_options", "stream"]
            } else {
                &[left_out]
            };
            assert_eq!(reply.left_out, expected, "{body}");
        }
        // The second call remembers.
        assert_eq!(server.requests().len(), 3, "{body}");
        let retries = notes.retries.lock().unwrap().clone();
        assert_eq!(retries, [(1, CallErrorKind::Status(status), 0)], "{body}");
        let sent = &server.requests()[2].body;
        assert_eq!(sent.get(left_out), None);
        assert!(sent.get("model").is_some());
    }
}

#[tokio::test]
async fn a_reasoning_model_that_refuses_one_part_after_the_other_gets_what_it_takes() {
    let server = ChatServer::start(|seen| {
        let refused = ["max_tokens", "temperature", "top_p", "logprobs", "stop"];
        match refused
            .into_iter()
            .find(|name| seen.body.get(name).is_some())
        {
            Some(name) => Answer::refusal(400, &unsupported(name)),
            None => answered(seen),
        }
    });
    let request = full();
    let before = request.compute_sha256();
    let reply = complete(&*once(&server), &request).await.unwrap();
    assert_eq!(server.requests().len(), 6);
    let sent = &server.requests()[5].body;
    assert_eq!(
        (&sent["max_completion_tokens"], &sent["seed"]),
        (&json!(50), &json!(3))
    );
    assert_eq!(reply.left_out, ["temperature", "top_p", "stop", "logprobs"]);
    assert_eq!(reply.sent_as["max_tokens"], "max_completion_tokens");
    assert_eq!(request.compute_sha256(), before);
}

#[tokio::test]
async fn what_one_seat_learned_of_a_model_all_seats_of_its_provider_know() {
    let server = refusing("seed", 422, forbidden("seed"));
    let provider = provider(&settings(&server));
    let model = |name: &str| provider.build_model(&ModelSettings::from_name("loopback", name), 1);
    for _ in 0..2 {
        complete(&*model("asked-model"), &full()).await.unwrap();
    }
    assert_eq!(server.requests().len(), 3);
    let other = Request {
        model: "another".into(),
        ..full()
    };
    complete(&*model("another"), &other).await.unwrap();
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_asked_a_bounded_number_of_times() {
    let everything = [
        "stream_options",
        "logprobs",
        "response_format",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "seed",
        "stop",
        "stream",
        "system role",
    ];
    let message = everything
        .map(|name| format!("{name} is not supported"))
        .join("; ");
    let server = ChatServer::script(vec![Answer::error(400, "no", &message)]);
    let error = complete(&*once(&server), &full()).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Status(400));
    // Once as it is, once without each of ten parts, and once with the limit under its other name.
    assert_eq!(server.requests().len(), 12);
}

#[tokio::test]
async fn a_value_that_somebody_chose_is_no_refused_part() {
    let messages = [
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
        "max_tokens: 99999 > 4096, which is the maximum allowed number of output tokens; more is not supported",
        "temperature must be between 0 and 1; larger values are not supported",
        "The model `x` does not exist or does not support chat",
        "logit_bias is not supported",
        "'seed' is fine, the messages are wrong",
    ];
    for message in messages {
        let server = ChatServer::script(vec![Answer::error(400, "invalid_value", message)]);
        let error = complete(&*once(&server), &full()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Status(400), "{message}");
        assert_eq!(server.requests().len(), 1, "{message}");
    }
    // What was not sent cannot be refused.
    let server = ChatServer::script(vec![Answer::refusal(400, &unsupported("temperature"))]);
    complete(&*once(&server), &asked()).await.unwrap_err();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_limit_that_is_refused_under_both_names_is_given_up_only_where_replies_cost_nothing() {
    let neither = |seen: &ChatRequest| {
        let names = ["max_tokens", "max_completion_tokens"];
        match names.into_iter().find(|name| seen.body.get(name).is_some()) {
            Some(name) => Answer::refusal(400, &unsupported(name)),
            None => answered(seen),
        }
    };
    let server = ChatServer::start(neither);
    let reply = complete(&*once(&server), &full()).await.unwrap();
    assert_eq!(reply.left_out, ["max_tokens"]);
    assert_eq!(server.requests().len(), 3);

    let server = ChatServer::start(neither);
    let mut priced = ModelSettings::from_name("loopback", "asked-model");
    priced.price_out_usd_per_mtok = Some(10.0);
    let model = provider(&settings(&server)).build_model(&priced, 1);
    for requests in [2, 3] {
        let error = complete(&*model, &full()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::LimitRefused);
        assert!(
            error.to_string().contains("drop_params = [\"max_tokens\"]"),
            "{error}"
        );
        assert_eq!(server.requests().len(), requests);
    }
    // Who accepts that says so.
    priced.drop_params = vec![Param::MaxTokens];
    let request = priced.build_request(full().messages, &full().sampling, None, 0, full().context);
    let model = provider(&settings(&server)).build_model(&priced, 1);
    complete(&*model, &request).await.unwrap();
}

#[tokio::test]
async fn a_limit_that_is_configured_under_the_wrong_name_is_sent_under_the_other() {
    let server = refusing(
        "max_completion_tokens",
        422,
        forbidden("max_completion_tokens"),
    );
    let mut request = full();
    request.dialect.max_tokens_as = MaxTokensName::MaxCompletionTokens;
    let reply = complete(&*once(&server), &request).await.unwrap();
    assert_eq!(server.requests()[1].body["max_tokens"], 50);
    assert!(reply.sent_as.is_empty() && reply.left_out.is_empty());
}

#[tokio::test]
async fn a_system_role_that_is_refused_is_put_before_the_user_or_called_as_the_server_wants() {
    let is_system = |seen: &ChatRequest| seen.body["messages"][0]["role"] == "system";
    let by_template = json!({"error": {"code": 500, "type": "server_error", "message": "Jinja: System role not supported"}});
    let by_name = json!({"error": {"message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "type": "invalid_request_error", "param": "messages[0].role", "code": "unsupported_value"}});
    let alternate =
        json!({"error": "Conversation roles must alternate user/assistant/user/assistant/..."});
    for (status, body) in [(500, by_template), (400, by_name), (400, alternate)] {
        let server = ChatServer::start(move |seen| match is_system(seen) {
            true => Answer::refusal(status, &body),
            false => answered(seen),
        });
        let reply = complete(&*once(&server), &full()).await.unwrap();
        assert_eq!(server.requests().len(), 2);
        let messages = &server.requests()[1].body["messages"];
        assert_eq!(
            *messages,
            json!([{"role": "user", "content": "You debate.\n\nWhat is a debate?"}])
        );
        assert_eq!(reply.sent_as["system"], "user");
        assert!(reply.left_out.is_empty());
    }
    let wants_developer = json!({"error": {"message": "The role 'system' is not supported. Use 'developer' instead."}});
    let server = ChatServer::start(move |seen| match is_system(seen) {
        true => Answer::refusal(400, &wants_developer),
        false => answered(seen),
    });
    let reply = complete(&*once(&server), &full()).await.unwrap();
    assert_eq!(
        server.requests()[1].body["messages"][0]["role"],
        "developer"
    );
    assert_eq!(reply.sent_as["system"], "developer");
}

#[tokio::test]
async fn configured_parts_are_left_out_from_the_first_request_on_and_hashed_so() {
    let server = ChatServer::start(answered);
    let mut request = full();
    let before = request.compute_sha256();
    request.dialect.drop_params = vec![Param::System, Param::Stream, Param::Seed];
    assert_ne!(request.compute_sha256(), before);
    let reply = complete(&*once(&server), &request).await.unwrap();
    let sent = &server.requests()[0].body;
    assert_eq!((sent.get("stream"), sent.get("seed")), (None, None));
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1);
    assert_eq!(*sent, request.build_body());
    assert_eq!(reply.left_out, ["seed", "stream_options", "stream"]);
}

#[tokio::test]
async fn a_schema_that_a_server_fails_of_is_left_out_once_that_is_sure() {
    let server = ChatServer::start(|seen| match seen.body.get("response_format") {
        Some(_) => Answer::error(500, "oops", "internal error"),
        None => answered(seen),
    });
    let (model, notes) = (once(&server), Notes::default());
    let cancel = CancellationToken::new();
    for requests in [2, 4, 5, 6] {
        let reply = model.complete(&full(), &notes, &cancel).await.unwrap();
        assert_eq!(reply.left_out, ["response_format"]);
        assert_eq!(server.requests().len(), requests);
    }
    assert_eq!(notes.retries.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_failure_that_comes_once_does_not_cost_the_schema() {
    let server = ChatServer::start(|seen| match seen.number {
        0 | 3 => Answer::error(500, "oops", "internal error"),
        _ => answered(seen),
    });
    let model = once(&server);
    let left_out = async || complete(&*model, &full()).await.unwrap().left_out;
    assert_eq!(left_out().await, ["response_format"]);
    assert!(left_out().await.is_empty());
    assert_eq!(left_out().await, ["response_format"]);
    assert!(left_out().await.is_empty());
}

#[tokio::test]
async fn a_server_that_fails_of_everything_is_asked_once_without_the_schema() {
    let server = ChatServer::script(vec![Answer::error(500, "oops", "out of memory")]);
    let model: Arc<_> = patient(&server, quick(3), 1);
    for requests in [5, 9] {
        let error = complete(&*model, &full()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Status(500));
        assert_eq!(server.requests().len(), requests);
    }
    let without = server
        .requests()
        .into_iter()
        .filter(|seen| seen.body.get("response_format").is_none());
    assert_eq!(without.count(), 1);
}

/// A request whose reply may have this many tokens.
fn limited(limit: u32) -> Request {
    let mut request = full();
    request.sampling.max_tokens = Some(limit);
    request
}

#[tokio::test]
async fn a_refusal_teaches_under_any_status_and_in_the_engines_words() {
    let cases: [(u16, &str, &str, &str); 24] = [
        (
            403,
            "logprobs",
            "logprobs",
            "You may not use logprobs: they are disabled for this model",
        ),
        (
            404,
            "logprobs",
            "logprobs",
            "This route returns no log probabilities",
        ),
        (
            400,
            "logprobs",
            "logprobs",
            "Computing log probs needs a model loaded with logits_all",
        ),
        (
            400,
            "response_format",
            "response_format",
            "llama_sampler_init: failed to parse grammar",
        ),
        (
            500,
            "response_format",
            "response_format",
            "Failed to compile the GBNF for this request",
        ),
        (
            422,
            "response_format",
            "response_format",
            "Grammar error: unimplemented keyword 'pattern'",
        ),
        (
            400,
            "response_format",
            "response_format",
            "The JSON schema uses features that xgrammar does not support",
        ),
        (
            400,
            "response_format",
            "response_format",
            "Invalid 'response_format': only type text is known here",
        ),
        (
            400,
            "response_format",
            "response_format",
            "'response_format.type' must be 'json_object' or 'text'",
        ),
        (
            400,
            "response_format",
            "response_format",
            "json mode cannot be used with this model",
        ),
        (
            400,
            "response_format",
            "response_format",
            "The specified schema produces a constraint that has too many states for serving",
        ),
        (
            403,
            "response_format",
            "response_format",
            "Structured outputs are not enabled on your plan",
        ),
        (
            400,
            "response_format",
            "response_format",
            "guided decoding backend 'outlines' is not installed",
        ),
        (
            415,
            "seed",
            "seed",
            "Argument not supported on this model: seed",
        ),
        (
            405,
            "stop",
            "stop",
            "stop sequences are not supported by the engine",
        ),
        (403, "stop", "stop", "Forbidden: `stop` may not be set"),
        (
            412,
            "top_p",
            "top_p",
            "top_p cannot be used together with temperature",
        ),
        (400, "seed", "seed", "参数非法: seed 不支持"),
        (405, "seed", "seed", "the seed parameter is disabled"),
        (
            424,
            "temperature",
            "temperature",
            "invalid value: temperature is not valid for reasoning models",
        ),
        (501, "logprobs", "logprobs", "logprobs: not implemented"),
        (
            400,
            "temperature",
            "temperature",
            "temperature is incompatible with this model",
        ),
        (
            400,
            "stream_options",
            "stream_options",
            "body.stream_options: unknown key",
        ),
        (404, "seed", "seed", "Unknown parameter seed"),
    ];
    for (status, field, left_out, message) in cases {
        let server = refusing(field, status, json!({"error": {"message": message}}));
        let model = once(&server);
        for _ in 0..2 {
            let reply = complete(&*model, &full()).await.expect(message);
            assert_eq!(reply.left_out, [left_out], "{message}");
        }
        assert_eq!(server.requests().len(), 3, "{message}");
    }
}

#[tokio::test]
async fn a_part_that_is_refused_within_a_reply_of_200_is_left_out() {
    for code in [
        Value::Null,
        json!(400),
        json!(403),
        json!("invalid_request"),
    ] {
        let body = json!({"error": {"code": code, "message": "logprobs are not available here"}});
        let server = refusing("logprobs", 200, body.clone());
        let reply = complete(&*once(&server), &full())
            .await
            .unwrap_or_else(|error| panic!("{body}: {error}"));
        assert_eq!(reply.left_out, ["logprobs"], "{body}");
        let asked = server.requests().len();
        assert_eq!(asked, 2, "{body}");
    }
}

#[tokio::test]
async fn a_key_that_is_refused_is_no_refused_part() {
    let messages = [
        (401, "Invalid API key; logprobs are not available either"),
        (403, "This API key is not allowed to use the schema"),
    ];
    for (status, message) in messages {
        let server = ChatServer::script(vec![Answer::error(status, "no", message)]);
        let error = complete(&*once(&server), &full()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Auth, "{message}");
        assert_eq!(server.requests().len(), 1, "{message}");
    }
}

#[tokio::test]
async fn a_limit_beyond_what_the_server_takes_becomes_the_one_that_it_names() {
    let cases: [(u32, u32, &str); 10] = [
        (
            9000,
            8192,
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        ),
        (
            9000,
            4096,
            "max_tokens: 9000 > 4096, which is the maximum allowed number of output tokens for small-3-20240307",
        ),
        (
            9000,
            8192,
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
        ),
        (9000, 4095, "max_new_tokens must be less than 4096"),
        (9000, 1024, "Output tokens are limited to 1,024 a reply"),
        (
            9000,
            8000,
            "max_completion_tokens may not exceed 8000 (got 9000)",
        ),
        (
            5,
            16,
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
        ),
        (5, 21, "max_tokens must be greater than 20"),
        (5, 16, "max_tokens must be between 16 and 4096"),
        (9000, 4096, "max_tokens must be between 16 and 4096"),
    ];
    for (asked, sent, message) in cases {
        let body = json!({"error": {"message": message, "code": 400}});
        let server = ChatServer::start(move |seen| match seen.body["max_tokens"] == json!(sent) {
            true => answered(seen),
            false => Answer::refusal(400, &body),
        });
        let model = once(&server);
        for _ in 0..2 {
            let reply = complete(&*model, &limited(asked)).await.expect(message);
            assert_eq!(reply.sent_as["max_tokens"], sent.to_string(), "{message}");
            assert!(reply.left_out.is_empty(), "{message}");
        }
        assert_eq!(server.requests().len(), 3, "{message}");
    }
}

#[tokio::test]
async fn a_limit_that_the_server_takes_is_sent_although_another_was_refused() {
    let server = ChatServer::start(|seen| match seen.body["max_tokens"].as_u64() {
        Some(..=4096) => answered(seen),
        _ => Answer::error(400, "no", "max_tokens is too large: at most 4096"),
    });
    let model = once(&server);
    complete(&*model, &limited(9000)).await.unwrap();
    let reply = complete(&*model, &limited(300)).await.unwrap();
    assert!(reply.sent_as.is_empty());
    assert_eq!(server.requests()[2].body["max_tokens"], 300);
}

/// Refuses a longer reply than the request's limit.
struct NoLonger(CancellationToken);

impl crate::Watch for NoLonger {
    fn on_delta(&self, _delta: crate::Delta<'_>) {}

    fn on_retry(&self, _retry: u32, _why: &crate::CallError, _wait_ms: u64) {}

    fn may_reply_longer(&self, by_tokens: u32) -> bool {
        assert_eq!(by_tokens, 11);
        self.0.cancel();
        false
    }
}

#[tokio::test]
async fn a_limit_is_raised_only_where_the_caller_has_room_for_it() {
    let server = ChatServer::script(vec![Answer::error(
        400,
        "no",
        "max_tokens must be at least 16",
    )]);
    let model = once(&server);
    for requests in [1, 2] {
        let cancel = CancellationToken::new();
        let watch = NoLonger(cancel.clone());
        let error = model
            .complete(&limited(5), &watch, &cancel)
            .await
            .unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Cancelled);
        assert_eq!(server.requests().len(), requests);
    }
}

#[tokio::test]
async fn a_server_that_names_another_limit_each_time_is_asked_twice() {
    let server = ChatServer::start(|seen| {
        let limit = seen.body["max_tokens"].as_u64().unwrap();
        let message = format!("max_tokens may be at most {}", limit - 1);
        Answer::error(400, "no", &message)
    });
    let error = complete(&*once(&server), &limited(900)).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Status(400));
    assert_eq!(server.requests().len(), 2);
}

const ROUTED: &str = "No endpoints found that support all the requested parameters.";

#[tokio::test]
async fn a_routers_refusal_that_goes_away_by_itself_costs_no_part() {
    let server = ChatServer::start(|seen| match seen.number {
        0 => Answer::error(404, "404", ROUTED),
        _ => answered(seen),
    });
    let reply = complete(&*once(&server), &full()).await.unwrap();
    assert!(reply.left_out.is_empty());
    let seen = server.requests();
    assert_eq!((seen.len(), &seen[0].body), (2, &seen[1].body));
}

#[tokio::test]
async fn a_routers_refusal_that_stays_costs_the_part_without_which_it_is_answered() {
    for (field, left_out, requests) in [
        ("response_format", "response_format", 3),
        ("seed", "seed", 6),
    ] {
        let body = json!({"error": {"code": 404, "message": ROUTED}});
        let server = refusing(field, 404, body);
        let model = once(&server);
        for more in 0..2 {
            let reply = complete(&*model, &full()).await.unwrap();
            assert_eq!(reply.left_out, [left_out]);
            assert_eq!(server.requests().len(), requests + more);
        }
    }
}

#[tokio::test]
async fn a_router_without_any_server_is_asked_a_bounded_number_of_times_and_then_twice() {
    let server = ChatServer::script(vec![Answer::error(404, "404", ROUTED)]);
    let model = once(&server);
    // Unchanged twice, without each of six parts, without all of them; then it is known not to help.
    for requests in [9, 11] {
        let error = complete(&*model, &full()).await.unwrap_err();
        assert_eq!(error.kind, CallErrorKind::Status(404));
        assert_eq!(server.requests().len(), requests);
    }
    let elsewhere = "No allowed providers are available for the selected model.";
    let server = ChatServer::script(vec![Answer::error(404, "404", elsewhere)]);
    complete(&*once(&server), &full()).await.unwrap_err();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn what_did_not_help_is_not_remembered() {
    let server = ChatServer::start(|seen| match seen.number {
        0 | 1 => Answer::error(
            400,
            "no",
            "This request cannot be served; the seed is not to blame",
        ),
        _ => answered(seen),
    });
    let model = once(&server);
    complete(&*model, &full()).await.unwrap_err();
    let reply = complete(&*model, &full()).await.unwrap();
    assert!(reply.left_out.is_empty(), "{:?}", reply.left_out);
}
