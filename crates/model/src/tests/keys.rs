//! API keys in requests; never in errors or logs.

use std::error::Error as _;

use crate::{
    CallError, ModelSettings, Provider, ProviderError, ProviderSettings, Secret, SentValue, Trust,
    Trusted,
};
use serde_json::json;

use super::harness::{asked, complete, trusting};
use elenchus_test_support::{Answer, ChatServer};

const KEY: &str = "sk-very-secret-0123456789";

fn keyed(base_url: &str) -> Provider {
    let mut settings = ProviderSettings::from_base_url(base_url);
    settings.api_key_env = Some("THE_KEY".into());
    settings.retries = 0;
    let lookup = |name: &str| (name == "THE_KEY").then(|| format!("{KEY}\n"));
    Provider::new("loopback", &settings, &trusting(&settings), &lookup).unwrap()
}

fn assert_hidden(error: &CallError) {
    let shown = format!("{error} {error:?} {error:#?} {:?}", error.source());
    assert!(!shown.contains(KEY), "{shown}");
    assert!(!shown.contains("Bearer"), "{shown}");
}

#[tokio::test]
async fn the_key_is_sent_as_a_bearer_token() {
    let server = ChatServer::chat();
    let model =
        keyed(&server.base_url()).build_model(&ModelSettings::from_name("loopback", "m"), 1);
    complete(&*model, &asked()).await.unwrap();
    let seen = &server.requests()[0];
    assert_eq!(
        seen.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert!(!seen.body.to_string().contains(KEY));
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent() {
    let server = ChatServer::chat();
    super::harness::ask(&server).await.unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn no_error_shows_a_key_even_if_the_server_repeats_it() {
    let said = format!("Incorrect API key provided: {KEY}. Header: {KEY}");
    let answers = [
        Answer::error(401, "invalid_api_key", &said),
        Answer::error(500, KEY, &said),
        Answer::body(500, "text/plain", said.as_bytes()),
        Answer::body(200, "text/html", format!("<p>{said}").as_bytes()),
        Answer::with_headers(400, &[("x-request-id", KEY)], said.as_bytes()),
        Answer::sse([format!("data: {}\n\n", json!({"error": {"message": said}}))]),
        Answer::sse([format!("data: {said}\n\n")]),
        Answer::cut(),
    ];
    for answer in answers {
        let server = ChatServer::script(vec![answer]);
        let model =
            keyed(&server.base_url()).build_model(&ModelSettings::from_name("loopback", "m"), 1);
        assert_hidden(&complete(&*model, &asked()).await.unwrap_err());
    }
}

#[test]
fn an_address_with_a_password_or_a_query_is_refused_without_repeating_it() {
    for url in [
        format!("http://user:{KEY}@127.0.0.1:9/v1"),
        format!("http://127.0.0.1:9/v1?key={KEY}"),
    ] {
        let error = Provider::new(
            "loopback",
            &ProviderSettings::from_base_url(&url),
            &Trust::default(),
            &|_| None,
        )
        .err()
        .unwrap()
        .to_string();
        assert!(!error.contains(KEY), "{error}");
        assert!(error.contains("http://127.0.0.1:9/v1"), "{error}");
        assert!(error.contains("api_key_env"), "{error}");
    }
}

#[test]
fn a_provider_and_its_key_print_nothing() {
    let shown = format!(
        "{:?} {:?}",
        keyed("http://127.0.0.1:9/v1"),
        Secret::new(KEY)
    );
    assert!(!shown.contains(KEY), "{shown}");
}

#[test]
fn a_missing_or_unusable_key_names_its_variable_and_not_its_value() {
    let mut settings = ProviderSettings::from_base_url("http://127.0.0.1:9/v1");
    settings.api_key_env = Some("THE_KEY".into());
    let make = |value: Option<&str>| {
        let value = value.map(str::to_owned);
        Provider::new("p", &settings, &trusting(&settings), &|_| value.clone()).unwrap_err()
    };
    assert!(matches!(make(None), ProviderError::NoKey { .. }));
    assert!(matches!(make(Some("  ")), ProviderError::NoKey { .. }));
    let broken = make(Some("sk-a\nb"));
    assert!(matches!(broken, ProviderError::BadKey { .. }));
    let shown = format!("{broken} {broken:?}");
    assert!(
        shown.contains("THE_KEY") && !shown.contains("sk-a"),
        "{shown}"
    );
}

#[test]
fn an_address_over_tls_can_be_prepared() {
    let settings = ProviderSettings::from_base_url("https://example.invalid/v1");
    Provider::new("p", &settings, &trusting(&settings), &|_| None).unwrap();
}

#[test]
fn a_server_that_nobody_trusted_with_the_key_is_refused_before_the_key_is_read() {
    let settings = ProviderSettings {
        api_key_env: Some("THE_KEY".into()),
        ..ProviderSettings::from_base_url("http://127.0.0.1:9/v1")
    };
    let lookup = |name: &str| panic!("{name} was read");
    let refused = Provider::new("p", &settings, &Trust::default(), &lookup).unwrap_err();
    assert!(matches!(refused, ProviderError::Trust(_)), "{refused}");
}

#[test]
fn a_key_in_the_place_of_its_variables_name_is_refused_unprinted() {
    for key in [KEY, "hf_AbCdEfGhIjKlMnOpQrSt12"] {
        let settings = ProviderSettings {
            api_key_env: Some(key.to_owned()),
            ..ProviderSettings::from_base_url("http://127.0.0.1:9/v1")
        };
        let trust = trusting(&settings);
        let refused = Provider::new("p", &settings, &trust, &|_| None).unwrap_err();
        let shown = format!("{refused} {refused:?}");
        assert!(shown.contains("not the name of a variable"), "{shown}");
        assert!(!shown.contains(key), "{shown}");
    }
}

/// A provider as Azure wants it: a query, and the key in a header of its own.
fn azure(base_url: &str) -> (ProviderSettings, Trust) {
    let variable = |name: &str| SentValue::Variable {
        env: name.to_owned(),
    };
    let settings = ProviderSettings {
        retries: 0,
        headers: [("api-key".to_owned(), variable("AZURE_KEY"))].into(),
        query: [
            (
                "api-version".to_owned(),
                SentValue::Plain("2024-10-21".to_owned()),
            ),
            ("sig".to_owned(), variable("AZURE_SIG")),
        ]
        .into(),
        ..ProviderSettings::from_base_url(&format!(
            "{}/openai/deployments/gpt",
            base_url.trim_end_matches("/v1")
        ))
    };
    let pair = |key| Trusted::from_url(base_url, Some(key), "a test").unwrap();
    let trust = Trust {
        pairs: vec![pair("AZURE_KEY"), pair("AZURE_SIG")],
        ..Trust::default()
    };
    (settings, trust)
}

const SIGNATURE: &str = "sig-9876543210-very-secret";

fn azure_variables(name: &str) -> Option<String> {
    match name {
        "AZURE_KEY" => Some(KEY.to_owned()),
        "AZURE_SIG" => Some(SIGNATURE.to_owned()),
        _ => None,
    }
}

#[tokio::test]
async fn headers_and_query_of_a_provider_are_sent_with_every_request() {
    let server = ChatServer::chat();
    let (settings, trust) = azure(&server.base_url());
    let provider = Provider::new("azure", &settings, &trust, &azure_variables).unwrap();
    let model = provider.build_model(&ModelSettings::from_name("azure", "m"), 1);
    complete(&*model, &asked()).await.unwrap();
    let seen = &server.requests()[0];
    assert_eq!(
        seen.path,
        format!("/openai/deployments/gpt/chat/completions?api-version=2024-10-21&sig={SIGNATURE}")
    );
    assert_eq!(seen.header("api-key"), Some(KEY));
    assert_eq!(seen.header("authorization"), None);
}

#[tokio::test]
async fn keys_in_headers_and_query_are_hidden_as_any_key_is_and_written_nowhere() {
    let said = format!("{KEY} {SIGNATURE} at ?sig={SIGNATURE}");
    for answer in [Answer::error(500, "e", &said), Answer::chat(&said)] {
        let server = ChatServer::script(vec![answer]);
        let (settings, trust) = azure(&server.base_url());
        let provider = Provider::new("azure", &settings, &trust, &azure_variables).unwrap();
        let model = provider.build_model(&ModelSettings::from_name("azure", "m"), 1);
        let shown = match complete(&*model, &asked()).await {
            Ok(reply) => serde_json::to_string(&reply).unwrap(),
            Err(error) => format!("{error} {error:?}"),
        };
        assert!(shown.contains("[key]"), "{shown}");
        assert!(
            !shown.contains(KEY) && !shown.contains(SIGNATURE),
            "{shown}"
        );
        let shown = format!("{provider:?} {settings:?}");
        assert!(
            !shown.contains(KEY) && !shown.contains(SIGNATURE),
            "{shown}"
        );
        let written = serde_json::to_value(&settings).unwrap();
        assert_eq!(written["query"], json!({"api-version": "2024-10-21"}));
        assert_eq!(written.get("headers"), None);
    }
}

#[test]
fn each_variable_of_a_header_or_query_must_be_trusted_with_its_address() {
    let (settings, mut trust) = azure("http://127.0.0.1:9/v1");
    trust.pairs.pop();
    let lookup = |name: &str| panic!("{name} was read");
    let refused = Provider::new("azure", &settings, &trust, &lookup).unwrap_err();
    assert!(refused.to_string().contains("AZURE_SIG"), "{refused}");
}

#[tokio::test]
async fn fields_that_a_configuration_adds_are_sent_hashed_and_recorded() {
    let server = ChatServer::chat();
    let mut settings = ProviderSettings::from_base_url(&server.base_url());
    let fields = |value: serde_json::Value| value.as_object().unwrap().clone();
    settings.extra_body = fields(json!({"top_k": 20, "reasoning": {"effort": "low"}}));
    let mut model = ModelSettings::from_name("loopback", "m");
    model.extra_body = fields(json!({"top_k": 5}));
    model.add_provider_body(&settings);
    let plain = ModelSettings::from_name("loopback", "m");
    let request = |model: &ModelSettings| {
        let asked = asked();
        model.build_request(asked.messages, &asked.sampling, None, 0, asked.context)
    };
    assert_ne!(
        request(&model).compute_sha256(),
        request(&plain).compute_sha256()
    );
    let provider = Provider::new("loopback", &settings, &Trust::default(), &|_| None).unwrap();
    complete(&*provider.build_model(&model, 1), &request(&model))
        .await
        .unwrap();
    let body = &server.requests()[0].body;
    assert_eq!(
        (&body["top_k"], &body["reasoning"]["effort"]),
        (&json!(5), &json!("low"))
    );
    let dialect = serde_json::to_value(request(&model).dialect).unwrap();
    assert_eq!(dialect["extra_body"]["top_k"], 5);
    // What is recorded without them is as it always was.
    let dialect = serde_json::to_value(request(&plain).dialect).unwrap();
    assert_eq!(dialect, json!({"max_tokens_as": "max_tokens"}));
}

#[test]
fn an_address_with_a_query_is_refused_with_the_way_to_write_it() {
    let settings =
        ProviderSettings::from_base_url("http://h/openai/deployments/gpt?api-version=2024-10-21");
    let why = settings.check_values().unwrap_err().to_string();
    assert!(why.contains("query = { api-version = "), "{why}");
}
