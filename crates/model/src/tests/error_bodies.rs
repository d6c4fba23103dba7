//! Error bodies of servers and proxies, and the errors they are read as.

use crate::CallErrorKind;
use serde_json::{Value, json};

use super::harness::ask;
use elenchus_test_support::{Answer, ChatServer};

async fn refused(status: u16, body: &Value) -> crate::CallError {
    let server = ChatServer::script(vec![Answer::refusal(status, body)]);
    let error = ask(&server).await.unwrap_err();
    assert_eq!(server.requests().len(), 1, "{body}");
    error
}

fn openai(code: Value, kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

/// What LiteLLM makes of the error of the server behind it.
fn litellm(code: &str, message: &str) -> Value {
    openai(json!(code), "None", message)
}

#[tokio::test]
async fn a_wrong_key_is_told_whoever_says_so() {
    let bodies = [
        (
            401,
            openai(
                json!("invalid_api_key"),
                "invalid_request_error",
                "Incorrect API key provided: x",
            ),
        ),
        (401, json!({"error": "Unauthorized"})),
        (
            401,
            openai(json!(401), "authentication_error", "Invalid API Key"),
        ),
        (
            401,
            json!({"error": {"code": "401", "message": "Access denied due to invalid subscription key"}}),
        ),
        (
            401,
            json!({"error": {"code": 401, "message": "No auth credentials found"}}),
        ),
        (
            401,
            openai(
                json!("401"),
                "auth_error",
                "Authentication Error, Invalid proxy server token passed",
            ),
        ),
        (
            400,
            litellm(
                "400",
                "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: x",
            ),
        ),
        (
            400,
            litellm("401", "litellm.BadRequestError: the upstream said no"),
        ),
        (
            500,
            litellm(
                "500",
                "litellm.AuthenticationError: AnthropicException - invalid x-api-key",
            ),
        ),
        (
            400,
            json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]),
        ),
    ];
    for (status, body) in bodies {
        let error = refused(status, &body).await;
        assert_eq!(error.kind, CallErrorKind::Auth, "{body}");
        let text = error.to_string();
        assert!(
            text.contains("api_key_env") && !text.contains("sampling"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn an_account_that_is_used_up_is_told_and_never_asked_again() {
    let used_up = "You exceeded your current quota, please check your plan and billing details.";
    let bodies = [
        (
            429,
            openai(json!("insufficient_quota"), "insufficient_quota", used_up),
        ),
        (
            429,
            litellm(
                "429",
                &format!("litellm.RateLimitError: OpenAIException - {used_up}"),
            ),
        ),
        (
            402,
            json!({"error": {"code": 402, "message": "Insufficient credits. Add more"}}),
        ),
        (
            402,
            json!({"error": {"code": 402, "message": "This request requires more credits, or fewer max_tokens."}}),
        ),
        (
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}}),
        ),
        (
            402,
            openai(
                json!("invalid_request_error"),
                "unknown_error",
                "Insufficient Balance",
            ),
        ),
        (
            400,
            litellm(
                "400",
                "litellm.BadRequestError: DeepseekException - {\"error\":{\"message\":\"Insufficient Balance\"}}",
            ),
        ),
        (
            400,
            openai(
                json!("400"),
                "budget_exceeded",
                "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0",
            ),
        ),
        (
            403,
            json!({"error": {"code": 403, "message": "Key limit exceeded"}}),
        ),
    ];
    for (status, body) in bodies {
        let error = refused(status, &body).await;
        assert_eq!(error.kind, CallErrorKind::Quota, "{body}");
        assert!(!error.is_worth_retrying());
    }
}

#[tokio::test]
async fn too_many_requests_are_told_from_a_used_up_account() {
    let a_minute = "You exceeded your current quota. Please retry in 34.2s.";
    let bodies = [
        (
            429,
            openai(
                json!("rate_limit_exceeded"),
                "tokens",
                "Rate limit reached for gpt-4o on tokens per min",
            ),
        ),
        (
            429,
            json!({"error": {"code": 429, "message": a_minute, "status": "RESOURCE_EXHAUSTED"}}),
        ),
        (400, litellm("429", "litellm.BadRequestError: slow down")),
        (
            500,
            litellm(
                "500",
                "litellm.RateLimitError: RateLimitError: AzureException",
            ),
        ),
        (
            429,
            json!({"error": {"code": "RateLimitReached", "message": "Please wait"}}),
        ),
    ];
    for (status, body) in bodies {
        let kind = refused(status, &body).await.kind;
        assert_eq!(
            kind,
            CallErrorKind::RateLimited {
                retry_after_ms: None
            },
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_is_told_whoever_says_so() {
    let too_long =
        "This model's maximum context length is 4096 tokens. However, you requested 5000";
    let bodies = [
        (
            400,
            openai(
                json!("context_length_exceeded"),
                "invalid_request_error",
                too_long,
            ),
        ),
        (
            400,
            json!({"object": "error", "message": too_long, "type": "BadRequestError", "code": 400}),
        ),
        (
            400,
            json!({"object": "error", "message": "max_tokens must be at least 1, got -186.", "type": "BadRequestError", "code": 400}),
        ),
        (
            400,
            openai(
                json!(400),
                "exceed_context_size_error",
                "request (4390 tokens) exceeds the available context size (4096 tokens)",
            ),
        ),
        (
            500,
            openai(
                json!(500),
                "server_error",
                "Context size has been exceeded.",
            ),
        ),
        (
            400,
            openai(
                json!("context_length_exceeded"),
                "invalid_request_error",
                "Requested tokens (8031) exceed context window of 2048",
            ),
        ),
        (
            400,
            litellm(
                "400",
                "litellm.ContextWindowExceededError: AnthropicError - {\"message\":\"prompt is too long: 209303 tokens\"}",
            ),
        ),
        (
            400,
            litellm(
                "400",
                "litellm.BadRequestError: input length and `max_tokens` exceed context limit: 179413 + 32768",
            ),
        ),
    ];
    for (status, body) in bodies {
        let kind = refused(status, &body).await.kind;
        assert_eq!(kind, CallErrorKind::ContextLength, "{body}");
    }
}

#[tokio::test]
async fn the_policy_of_a_provider_is_told_whoever_says_so() {
    let filtered = json!({"error": {"code": "content_filter", "status": 400, "message": "filtered",
        "innererror": {"code": "ResponsibleAIPolicyViolation"}}});
    let wrapped = litellm(
        "400",
        "litellm.ContentPolicyViolationError: AzureException - filtered",
    );
    for body in [filtered, wrapped] {
        assert_eq!(
            refused(400, &body).await.kind,
            CallErrorKind::ContentFilter,
            "{body}"
        );
    }
}

#[tokio::test]
async fn what_a_router_hands_on_is_read_and_shown() {
    let raw = json!({"error": {"message": "Your credit balance is too low", "type": "x"}});
    let body = json!({"error": {"message": "Provider returned error", "code": 400,
        "metadata": {"raw": raw.to_string(), "provider_name": "Far"}}});
    let error = refused(400, &body).await;
    assert_eq!(error.kind, CallErrorKind::Quota);
    assert!(error.detail.contains("credit balance"), "{error}");
}

#[tokio::test]
async fn other_refusals_keep_their_status() {
    let bodies = [
        (
            404,
            openai(
                json!("model_not_found"),
                "invalid_request_error",
                "The model `x` does not exist",
            ),
        ),
        (
            404,
            openai(
                Value::Null,
                "api_error",
                "model \"x\" not found, try pulling it first",
            ),
        ),
        (
            400,
            openai(
                json!("invalid_value"),
                "invalid_request_error",
                "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
            ),
        ),
        (500, openai(json!(500), "server_error", "out of memory")),
    ];
    for (status, body) in bodies {
        let kind = refused(status, &body).await.kind;
        assert_eq!(kind, CallErrorKind::Status(status), "{body}");
    }
}

/// Shapes and words of servers that answer in fields of their own.
#[tokio::test]
async fn errors_in_fields_of_their_own_are_read_within_a_status_200_too() {
    use CallErrorKind::{Auth, ContentFilter, ContextLength, Quota};
    let bodies = [
        (
            200,
            json!({"error_code": 17, "error_msg": "The daily request limit of this API is reached"}),
            Quota,
        ),
        (
            200,
            json!({"error_code": 31, "error_msg": "content risk: the messages cannot be answered"}),
            ContentFilter,
        ),
        (
            200,
            json!({"error_code": 32, "error_msg": "the prompt tokens are too long"}),
            ContextLength,
        ),
        (
            200,
            json!({"error_code": 33, "error_msg": "This access token is invalid"}),
            Auth,
        ),
        (
            200,
            json!({"Response": {"Error": {"Code": "Failed.ContentAudit", "Message": "not passed"}}}),
            ContentFilter,
        ),
        (
            200,
            json!({"base_resp": {"status_code": 9, "status_msg": "login fail: no key was sent"}}),
            Auth,
        ),
        (
            424,
            json!({"success": false, "error": [{"code": 2016, "message": "The prompt was stopped by a security configuration"}]}),
            ContentFilter,
        ),
        (
            400,
            json!({"error": {"code": "InputRiskDetection", "message": "The text may be risky content"}}),
            ContentFilter,
        ),
        (
            400,
            json!({"code": "Arrearage", "message": "The account is not in good standing"}),
            Quota,
        ),
        (
            429,
            json!({"error": {"code": "1113", "message": "账户已欠费"}}),
            Quota,
        ),
        (
            400,
            json!({"error": {"code": 400, "message": "Your location is not supported here"}}),
            Auth,
        ),
        (
            400,
            json!({"message": "too many tokens: the limit is exceeded by 1326"}),
            ContextLength,
        ),
    ];
    for (status, body, kind) in bodies {
        let error = refused(status, &body).await;
        assert_eq!(error.kind, kind, "{body}");
    }
}
