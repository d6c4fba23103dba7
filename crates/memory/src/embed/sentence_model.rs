//! Sentence model in a folder, run by ONNX Runtime through fastembed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use fastembed::{
    InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};

use super::model_folder::MODEL_FILE;
use super::{Catch, EmbedError, Embedder, Runtime, catch_panic, model_folder};

/// A text that is embedded once to learn the dimension.
const PROBE: &str = "a sentence";
/// Tolerance of a vector's length around 1.
const LENGTH_TOLERANCE: f32 = 1e-3;
/// Busy waiting of idle threads would keep an idle workbench busy.
const NO_SPINNING: (&str, &str) = ("session.intra_op.allow_spinning", "0");

/// A sentence model: mean of its token vectors, scaled to length 1.
pub struct SentenceModel {
    name: String,
    dim: usize,
    model: Mutex<TextEmbedding>,
    catch: Catch,
}

impl SentenceModel {
    /// Loads a model folder and embeds one sentence to see that it works.
    ///
    /// # Errors
    /// When a file is missing or foreign, files do not belong together, or the runtime refuses them.
    pub fn load(folder: &Path, runtime: &Runtime, catch: Catch) -> Result<Self, EmbedError> {
        let files = model_folder::read_model_folder(folder)?;
        let (name, said) = (files.name.clone(), files.declared_dim);
        let foreign = |why: String| EmbedError::Foreign {
            path: folder.join(MODEL_FILE).display().to_string(),
            why,
        };
        let environment = runtime.environment.clone();
        let outcome = catch_panic(catch, move || {
            let tokenizer = TokenizerFiles {
                tokenizer_file: files.tokenizer,
                config_file: files.config,
                special_tokens_map_file: files.special_tokens,
                tokenizer_config_file: files.tokenizer_config,
            };
            let model =
                UserDefinedEmbeddingModel::new(files.model, tokenizer).with_pooling(Pooling::Mean);
            let options = InitOptionsUserDefined::new()
                .with_environment(environment)
                .with_session_config(NO_SPINNING.0, NO_SPINNING.1);
            TextEmbedding::try_new_from_user_defined(model, options)
        });
        let model = match outcome {
            Ok(Ok(model)) => model,
            Ok(Err(error)) => return Err(foreign(error.to_string())),
            Err(panic) => return Err(foreign(panic)),
        };
        let mut sentence_model = SentenceModel {
            name,
            dim: 0,
            model: Mutex::new(model),
            catch,
        };
        let got = sentence_model.run_model(PROBE).map_err(foreign)?.len();
        match said {
            Some(said) if said != got => {
                return Err(EmbedError::Dimension {
                    folder: folder.display().to_string(),
                    said,
                    got,
                });
            }
            Some(_) | None => sentence_model.dim = got,
        }
        sentence_model.embed_text(PROBE)?;
        Ok(sentence_model)
    }

    /// One text at a time: in a batch it would be padded to the longest, which changes the last
    /// bits of its vector and, on two processors, saves nothing.
    fn run_model(&self, text: &str) -> Result<Vec<f32>, String> {
        // Embedding does not change the model: after a panic it is as good as before.
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let vectors = catch_panic(self.catch, || model.embed([text], None))?;
        let vectors = vectors.map_err(|error| error.to_string())?;
        let first = vectors.into_iter().next();
        first.ok_or_else(|| "it gave no vector".to_owned())
    }

    fn embed_text(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let fault = |why: String| EmbedError::Text {
            model: self.name.clone(),
            why,
        };
        let vector = self.run_model(text).map_err(fault)?;
        if vector.len() != self.dim {
            let why = format!(
                "a vector of {} numbers came instead of {}",
                vector.len(),
                self.dim
            );
            return Err(fault(why));
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if (length - 1.0).abs() > LENGTH_TOLERANCE || !length.is_finite() {
            return Err(fault(format!("its vector has the length {length}, not 1")));
        }
        Ok(vector)
    }
}

impl Embedder for SentenceModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed_text(text)).collect()
    }
}
