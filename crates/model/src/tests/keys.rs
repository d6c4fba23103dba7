//! API keys in requests; never in errors or logs.

use std::error::Error as _;

use crate::{CallError, ModelSettings, Provider, ProviderError, ProviderSettings, Secret, Trust};
use serde_json::json;

use super::harness::{asked, complete, trusting};
use elenchus_test_support::{Answer, ChatServer};

const KEY: &str = "sk-very-secret-0123456789";

fn keyed(base_url: &str) -> Provider {
    let mut settings = ProviderSettings::at(base_url);
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
    let model = keyed(&server.base_url()).model(&ModelSettings::named("loopback", "m"), 1);
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
        let model = keyed(&server.base_url()).model(&ModelSettings::named("loopback", "m"), 1);
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
            &ProviderSettings::at(&url),
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
    let mut settings = ProviderSettings::at("http://127.0.0.1:9/v1");
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
    let settings = ProviderSettings::at("https://example.invalid/v1");
    Provider::new("p", &settings, &trusting(&settings), &|_| None).unwrap();
}

#[test]
fn a_server_that_nobody_trusted_with_the_key_is_refused_before_the_key_is_read() {
    let settings = ProviderSettings {
        api_key_env: Some("THE_KEY".into()),
        ..ProviderSettings::at("http://127.0.0.1:9/v1")
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
            ..ProviderSettings::at("http://127.0.0.1:9/v1")
        };
        let trust = trusting(&settings);
        let refused = Provider::new("p", &settings, &trust, &|_| None).unwrap_err();
        let shown = format!("{refused} {refused:?}");
        assert!(shown.contains("not the name of a variable"), "{shown}");
        assert!(!shown.contains(key), "{shown}");
    }
}
