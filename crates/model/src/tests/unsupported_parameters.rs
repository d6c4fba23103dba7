//! Parameters that a server refuses: the request is repeated without them, reported and remembered.

use std::sync::Arc;

use crate::{CallErrorKind, ChatRole, MaxTokensName, Message, ModelSettings, Param, Request};
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
    request.schema = Some(json!({"type": "object"}));
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
    let before = request.sha256();
    let reply = complete(&*once(&server), &request).await.unwrap();
    assert_eq!(server.requests().len(), 6);
    let sent = &server.requests()[5].body;
    assert_eq!(
        (&sent["max_completion_tokens"], &sent["seed"]),
        (&json!(50), &json!(3))
    );
    assert_eq!(reply.left_out, ["temperature", "top_p", "stop", "logprobs"]);
    assert_eq!(reply.sent_as["max_tokens"], "max_completion_tokens");
    assert_eq!(request.sha256(), before);
}

#[tokio::test]
async fn what_one_seat_learned_of_a_model_all_seats_of_its_provider_know() {
    let server = refusing("seed", 422, forbidden("seed"));
    let provider = provider(&settings(&server));
    let model = |name: &str| provider.model(&ModelSettings::named("loopback", name), 1);
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
    let mut priced = ModelSettings::named("loopback", "asked-model");
    priced.price_out_usd_per_mtok = Some(10.0);
    let model = provider(&settings(&server)).model(&priced, 1);
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
    let request = priced.request(full().messages, &full().sampling, None, 0, full().hint);
    let model = provider(&settings(&server)).model(&priced, 1);
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
    let before = request.sha256();
    request.dialect.drop_params = vec![Param::System, Param::Stream, Param::Seed];
    assert_ne!(request.sha256(), before);
    let reply = complete(&*once(&server), &request).await.unwrap();
    let sent = &server.requests()[0].body;
    assert_eq!((sent.get("stream"), sent.get("seed")), (None, None));
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1);
    assert_eq!(*sent, request.body());
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
