//! Recorded replies and the reply cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::{
    CachedModel, CallErrorKind, Model, RecordedKey, RecordedModel, Recording, Reply, Sim,
    SimSettings,
};

use super::harness::{asked, complete, once};
use elenchus_test_support::ChatServer;

fn sim() -> Sim {
    Sim::new(SimSettings::default()).unwrap()
}

fn recorded(recording: Option<Recording>) -> RecordedModel {
    let place = RecordedKey::from_context(&asked().context);
    RecordedModel::from_simulated_replies(Arc::new(move |key| {
        recording.clone().filter(|_| *key == place)
    }))
}

#[tokio::test]
async fn a_recording_gives_its_reply_to_the_same_request_only() {
    let reply = sim().compute_reply(&asked()).unwrap();
    let model = recorded(Some(Recording {
        request_sha256: asked().compute_sha256(),
        dialect: Default::default(),
        reply: reply.clone(),
    }));
    assert_eq!(complete(&model, &asked()).await.unwrap(), reply);
    assert!(model.is_simulated());

    let mut changed = asked();
    changed.messages[0].content.push('!');
    let error = complete(&model, &changed).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::RecordingMismatch);
    assert!(
        error
            .to_string()
            .contains("round 1, stage debate, seat debater-0"),
        "{error}"
    );

    let mut elsewhere = asked();
    elsewhere.context.attempt = 1;
    let error = complete(&model, &elsewhere).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::NotRecorded);
    assert!(error.to_string().contains("attempt 1"), "{error}");
}

#[tokio::test]
async fn the_cache_serves_the_same_request_and_sample_again_and_says_so() {
    let server = ChatServer::chat();
    let kept: Arc<Mutex<HashMap<String, Reply>>> = Arc::default();
    let (reading, writing) = (Arc::clone(&kept), kept);
    let model = CachedModel::new(
        once(&server),
        "loopback",
        Arc::new(move |key| reading.lock().unwrap().get(key).cloned()),
        Arc::new(move |key, reply| {
            writing
                .lock()
                .unwrap()
                .insert(key.to_owned(), reply.clone());
        }),
    );
    let first = complete(&model, &asked()).await.unwrap();
    let again = complete(&model, &asked()).await.unwrap();
    assert!(!first.cached && again.cached);
    assert_eq!(first.text, again.text);
    assert_eq!(server.requests().len(), 1);
    let mut other = asked();
    other.sample = 1;
    assert!(!complete(&model, &other).await.unwrap().cached);
    other.sample = 0;
    other.sampling.temperature = Some(1.0);
    assert!(!complete(&model, &other).await.unwrap().cached);
    assert_eq!(server.requests().len(), 3);
}
