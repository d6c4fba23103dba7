//! Requests that do not fit into the model's context.

use crate::{
    CallErrorKind, ModelSettings, SHORTEST_REPLY_TOKENS, TEMPLATE_TOKENS_PER_MESSAGE, fit,
};

use super::harness::{complete, hint, provider, request, settings};
use elenchus_test_support::ChatServer;

/// A request of about this many tokens, which asks for a reply of so many.
fn of(tokens: u64, limit: u32) -> crate::Request {
    let text = "abcd".repeat(usize::try_from(tokens - TEMPLATE_TOKENS_PER_MESSAGE).unwrap());
    let mut request = request(&[&text], hint());
    request.sampling.max_tokens = Some(limit);
    request
}

#[test]
fn a_request_that_fits_with_its_reply_is_sent_as_it_is() {
    assert_eq!(fit(&of(3000, 1000), None), Ok(None));
    assert_eq!(fit(&of(3000, 1096), Some(4096)), Ok(None));
    let mut without_limit = of(4000, 1);
    without_limit.sampling.max_tokens = None;
    assert_eq!(fit(&without_limit, Some(4096)), Ok(None));
}

#[test]
fn the_reply_gets_what_the_request_leaves_of_the_context() {
    assert_eq!(fit(&of(3000, 1097), Some(4096)), Ok(Some(1096)));
    let shortest = u64::from(SHORTEST_REPLY_TOKENS);
    assert_eq!(
        fit(&of(4096 - shortest, 1000), Some(4096)),
        Ok(Some(SHORTEST_REPLY_TOKENS))
    );
    // A reply cut after a few words is worth less than what the server says.
    assert_eq!(fit(&of(4097 - shortest, 1000), Some(4096)), Ok(None));
    assert_eq!(fit(&of(4090, 5), Some(4096)), Ok(None));
}

#[test]
fn what_is_clearly_too_long_is_refused_and_what_may_fit_is_not() {
    assert_eq!(fit(&of(5120, 100), Some(4096)), Ok(None));
    let long = fit(&of(5121, 100), Some(4096)).unwrap_err();
    assert_eq!((long.estimated_tokens, long.context_tokens), (5121, 4096));
}

#[tokio::test]
async fn a_request_that_is_clearly_too_long_is_not_sent() {
    let server = ChatServer::chat();
    let settings = settings(&server);
    let mut model = ModelSettings::named("loopback", "small");
    model.context_tokens = Some(4096);
    let small = provider(&settings).model(&model, 1);
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
    let mut model = ModelSettings::named("loopback", "small");
    model.context_tokens = Some(4096);
    let small = provider(&settings).model(&model, 1);
    let request = of(3000, 2000);
    let reply = complete(&*small, &request).await.unwrap();
    assert_eq!(server.requests()[0].body["max_tokens"], 1096);
    assert_eq!(reply.sent_as["max_tokens"], "1096");
    // The request stays what was composed, so that its recording is found again.
    assert_eq!(request.body()["max_tokens"], 2000);
}
