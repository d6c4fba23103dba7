//! Served embedder: vectors of memory's texts from a server of the configuration.
//!
//! It is asked under the same rules as every model: a provider that is trusted, with its key, retries and
//! limit in flight. Never answers with anything but vectors of that model, all of one dimension.

use super::models::{ReadyModel, Seats};
use elenchus_memory::embed::{EmbedError, Embedder, FailureReach};
use elenchus_model::{CallError, CallErrorKind, Delta, EmbeddingModel, Watch, bare_address};
use elenchus_records::workspace::CastError;
use elenchus_records::workspace::memory::ConnectEmbedder;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::runtime::Runtime;

/// Texts of one call: servers that batch take at least so many.
const MAX_BATCH_TEXTS: usize = 32;
/// Bytes of the texts of one call, unless one text alone has more.
const MAX_BATCH_BYTES: usize = 256 << 10;
/// Vectors that are kept in memory: a debate looks one text up several times, and what came of a call
/// before one that failed is not asked for again.
const MAX_RECENT: usize = 256;
/// Characters by which a text that is refused is known again.
const MAX_QUOTED_CHARS: usize = 80;
/// Length under which a vector has no direction.
const MIN_LENGTH: f32 = 1e-12;
/// A text that is embedded to learn the dimension, and whether any text is.
const PROBE: &str = "a sentence";

/// A model of a server that embeds texts.
pub struct ServedEmbedder {
    /// Model and dimension: only such vectors can be compared.
    name: String,
    dim: usize,
    server: EmbeddingServer,
    recent: Mutex<VecDeque<(String, Vec<f32>)>>,
}

/// What is asked for vectors, and where.
struct EmbeddingServer {
    /// Name in the configuration.
    configured: String,
    model: EmbeddingModel,
    runtime: CallRuntime,
}

/// Returns what connects to the model that the configuration names for memory, where it names one.
pub fn served_embedder(seats: &Arc<Seats>) -> Option<ConnectEmbedder> {
    let configured = seats.model_table().embeddings.clone()?;
    let seats = Arc::clone(seats);
    Some(Arc::new(move || {
        let embedder = ServedEmbedder::connect(&seats, &configured)?;
        Ok(Arc::new(embedder))
    }))
}

impl Seats {
    /// Returns the model that embeds the texts of memory, ready to be asked; contacts nothing.
    ///
    /// # Errors
    /// When it is not configured, its server is not trusted or its key is missing.
    fn find_embedding_model(&self, configured: &str) -> Result<EmbeddingModel, CastError> {
        let (player, settings) = self.find_served_player(configured)?;
        let ReadyModel { model, .. } = self.make_ready(&player)?;
        Ok(EmbeddingModel::new(model, settings))
    }

    /// Says where the texts of memory are embedded, without contacting anybody.
    ///
    /// # Errors
    /// When nothing can be asked there.
    pub fn describe_embedding_server(&self, configured: &str) -> Result<String, CastError> {
        let model = self.find_embedding_model(configured)?;
        let table = self.model_table();
        let addresses = model.settings().provider_names().into_iter();
        let addresses = addresses
            .filter_map(|name| table.providers.get(name))
            .map(|provider| bare_address(&provider.base_url));
        Ok(addresses.collect::<Vec<_>>().join(", "))
    }
}

impl ServedEmbedder {
    /// Embeds one sentence to learn the dimension. Blocks.
    fn connect(seats: &Seats, configured: &str) -> Result<Self, EmbedError> {
        let model = seats.find_embedding_model(configured);
        let server = EmbeddingServer {
            configured: configured.to_owned(),
            model: model.map_err(|error| served_error(configured, &error.to_string()))?,
            runtime: CallRuntime::start(configured)?,
        };
        let vectors = server.request_vectors(&[PROBE]);
        let mut vectors = vectors.map_err(|error| server.lost_error(&error))?;
        let vector = vectors.pop().unwrap_or_default();
        let settings = server.model.settings();
        let version = settings.version.iter();
        let version: String = version.map(|version| format!("@{version}")).collect();
        Ok(ServedEmbedder {
            name: format!("{}{version}/{}", settings.name, vector.len()),
            dim: vector.len(),
            server,
            recent: Mutex::default(),
        })
    }

    /// Asks for the vectors of texts of which none is known: together, or one by one where the server refuses
    /// them together.
    fn embed_batch(&self, texts: &[&str]) -> Result<(), EmbedError> {
        match (self.server.request_vectors(texts), texts) {
            (Ok(vectors), _) => self.keep_vectors(texts, vectors),
            (Err(error), [text]) if may_concern_texts(&error.kind) => {
                Err(self.server.explain_refusal(text, &error))
            }
            (Err(error), _) if may_concern_texts(&error.kind) => {
                texts.iter().try_for_each(|text| self.embed_batch(&[text]))
            }
            (Err(error), _) => Err(self.server.lost_error(&error)),
        }
    }

    fn keep_vectors(&self, texts: &[&str], vectors: Vec<Vec<f32>>) -> Result<(), EmbedError> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for (text, vector) in texts.iter().zip(vectors) {
            if vector.len() != self.dim {
                let why = format!(
                    "vectors of {} numbers come now, and {} when it was first asked: another model \
                     answers under that name; put the first one back, and go on",
                    vector.len(),
                    self.dim
                );
                return Err(served_error(&self.server.configured, &why));
            }
            if recent.len() >= MAX_RECENT {
                recent.pop_front();
            }
            recent.push_back(((*text).to_owned(), vector));
        }
        Ok(())
    }

    fn find_recent(&self, text: &str) -> Option<Vec<f32>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut newest_first = recent.iter().rev();
        let (_, vector) = newest_first.find(|(known, _)| known == text)?;
        Some(vector.clone())
    }
}

impl Embedder for ServedEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors: Vec<Option<Vec<f32>>> =
            texts.iter().map(|text| self.find_recent(text)).collect();
        let mut missing: Vec<&str> = texts
            .iter()
            .zip(&vectors)
            .filter_map(|(text, vector)| vector.is_none().then_some(*text))
            .collect();
        missing.dedup();
        for batch in split_batches(&missing) {
            self.embed_batch(batch)?;
            // Before later batches push them out.
            for (text, vector) in texts.iter().zip(&mut vectors) {
                if vector.is_none() && batch.contains(text) {
                    *vector = self.find_recent(text);
                }
            }
        }
        let vectors: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
        vectors
            .ok_or_else(|| served_error(&self.server.configured, "a text has no vector; try again"))
    }
}

/// Splits texts into batches of bounded number and size.
fn split_batches<'t, 'a>(texts: &'t [&'a str]) -> Vec<&'t [&'a str]> {
    let mut batches = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        let is_full = at - begin >= MAX_BATCH_TEXTS || bytes + text.len() > MAX_BATCH_BYTES;
        if is_full && at > begin {
            batches.extend(texts.get(begin..at));
            (begin, bytes) = (at, 0);
        }
        bytes += text.len();
    }
    batches.extend(texts.get(begin..).filter(|rest| !rest.is_empty()));
    batches
}

impl EmbeddingServer {
    /// Requests the vectors of texts in one call, each scaled to length 1. Blocks.
    fn request_vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CallError> {
        let model = self.model.clone();
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let call = async move { model.embed_texts(&texts, &LogRetries).await };
        let outcome = self.runtime.wait_for(call);
        let vectors = outcome.unwrap_or_else(|| {
            let place = &self.configured;
            Err(CallError::new(CallErrorKind::Cancelled, place, ""))
        })?;
        let vectors: Option<Vec<Vec<f32>>> = vectors.into_iter().map(scale_vector).collect();
        vectors.ok_or_else(|| {
            let why = "a vector of length 0 came, which is near nothing";
            self.model.bad_reply(why)
        })
    }

    /// Returns the error for a text that was refused: that of the text alone, unless another is refused as well,
    /// as each is by a server that does not know a field of the call.
    fn explain_refusal(&self, text: &str, error: &CallError) -> EmbedError {
        if let Err(error) = self.request_vectors(&[PROBE]) {
            return self.lost_error(&error);
        }
        let why = format!(
            "{}: one text is refused: '{}'; have the server take longer texts or cut them, or edit this one and \
             begin anew",
            error.describe(),
            quote_beginning(text)
        );
        EmbedError::Served {
            why: describe_failure(&self.configured, &why),
            reach: FailureReach::ThisText,
        }
    }

    fn lost_error(&self, error: &CallError) -> EmbedError {
        served_error(&self.configured, &error.to_string())
    }
}

/// Says whether a call may have failed by what its texts are, or by how many they are.
fn may_concern_texts(kind: &CallErrorKind) -> bool {
    match kind {
        CallErrorKind::ContextLength | CallErrorKind::ContentFilter => true,
        CallErrorKind::Status(status) => matches!(status, 400 | 413 | 422),
        _ => false,
    }
}

fn quote_beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Returns the error for a server of which no text gets a vector now.
fn served_error(configured: &str, why: &str) -> EmbedError {
    EmbedError::Served {
        why: describe_failure(configured, why),
        reach: FailureReach::EveryText,
    }
}

fn describe_failure(configured: &str, why: &str) -> String {
    format!("no embeddings of '{configured}' ('embeddings' under [memory]): {why}")
}

/// Returns a vector scaled to length 1; `None` where it has none.
fn scale_vector(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let square_sum: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    let length = square_sum.sqrt();
    if length < f64::from(MIN_LENGTH) {
        return None;
    }
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Some(vector)
}

/// Writes retries into the log: the search that waits has nobody to tell.
struct LogRetries;

impl Watch for LogRetries {
    fn on_delta(&self, _delta: Delta<'_>) {}

    fn on_retry(&self, _retry: u32, why: &CallError, wait_ms: u64) {
        tracing::warn!(%why, wait_ms, "embeddings asked again");
    }
}

/// A thread on which calls go on while those who wait for them block, on whatever thread they are.
struct CallRuntime(Option<Runtime>);

impl CallRuntime {
    fn start(configured: &str) -> Result<Self, EmbedError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| {
            served_error(
                configured,
                &format!("the system gives no thread for it ({error})"),
            )
        })?;
        Ok(Self(Some(runtime)))
    }

    /// Waits for a future; `None` where it ended abnormally.
    fn wait_for<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = mpsc::channel();
        self.0.as_ref()?.spawn(async move {
            // Who waits for it may be gone.
            let _ = sender.send(future.await);
        });
        receiver.recv().ok()
    }
}

impl Drop for CallRuntime {
    fn drop(&mut self) {
        // Waiting for its thread is not possible everywhere.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
