//! Embedding model: texts as vectors, with the deadline, the retries and the limit in flight of its server.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::call::{ChatRole, Message, Model, Sampling, Watch};
use super::dialect::Api;
use super::settings::ModelSettings;
use super::{CallContext, CallError, CallErrorKind, RoleHint};

/// Word for what is asked, in contexts of requests.
const EMBEDDING: &str = "embedding";

/// A served model that turns texts into vectors.
#[derive(Clone)]
pub struct EmbeddingModel {
    model: Arc<dyn Model>,
    settings: ModelSettings,
}

impl EmbeddingModel {
    /// Asks `model` for vectors; of `settings` the name is sent, and the fields that it adds to requests.
    pub fn new(model: Arc<dyn Model>, settings: ModelSettings) -> Self {
        Self { model, settings }
    }

    /// Returns its settings.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// Requests a vector for each text, in one call: in their order, all of one dimension and finite.
    ///
    /// # Errors
    /// When the call fails, or its answer is not a vector for each text.
    pub async fn embed_texts(
        &self,
        texts: &[String],
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<f32>>, CallError> {
        let messages = texts.iter().map(|text| Message {
            role: ChatRole::User,
            content: text.clone(),
        });
        let mut request = self.settings.build_request(
            messages.collect(),
            &Sampling::default(),
            None,
            0,
            CallContext::standalone(RoleHint::Speaker, EMBEDDING),
        );
        request.dialect.api = Api::Embedding;
        let cancel = CancellationToken::new();
        let reply = self.model.complete(&request, watch, &cancel).await?;
        // What answers may not be the embeddings endpoint of a server.
        serde_json::from_str(&reply.text).map_err(|_| self.bad_reply("no vectors came"))
    }

    /// Returns the error for an answer that is not what was asked for.
    pub fn bad_reply(&self, why: &str) -> CallError {
        let place = format!("{}/{}", self.settings.provider, self.settings.name);
        CallError::new(CallErrorKind::BadReply, &place, why)
    }
}
