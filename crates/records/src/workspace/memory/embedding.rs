//! Embedder of this process, found when it is first needed and kept, or the reason why there is none.

use elenchus_memory::embed::{
    EmbedError, Embedder, MODEL_FILE, Runtime, RuntimePlaces, SentenceModel,
};
use elenchus_memory::{Lexical, Retriever};
use elenchus_store::catch_panics;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The folder of models in the user's data folder.
pub const MODELS: &str = "models";
/// The model that is used, and fetched, unless another is named.
pub const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2";
/// The variable that names ONNX Runtime, as its other users know it.
pub const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";
/// Where systems keep libraries.
const SYSTEM_FOLDERS: [&str; 6] = [
    "/usr/local/lib",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/opt/homebrew/lib",
];

/// The table `[memory]` of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemorySettings {
    /// A model of `[models]` whose server is asked for vectors, in place of a sentence model here.
    #[serde(default)]
    pub embeddings: Option<String>,
    /// The folder of a sentence model.
    #[serde(default)]
    pub model_dir: Option<PathBuf>,
    /// The most examples of a guardrail: that models are shown, that one derivation gives, and that a person
    /// writes.
    #[serde(default)]
    pub guardrail_examples: Option<usize>,
    /// ONNX Runtime's library: its file, or a name of `runtimes`. It is run as code, so what a project
    /// says here is only ever a name, looked up in the person's own configuration.
    #[serde(default)]
    pub runtime: Option<PathBuf>,
    /// Libraries of ONNX Runtime by name, in the person's own configuration.
    #[serde(default)]
    pub runtimes: BTreeMap<String, PathBuf>,
    /// Why the library that a project names is not loaded.
    #[serde(skip)]
    pub refused_runtime: Option<String>,
    /// Where `memory setup` fetches files from: their names are put behind it.
    #[serde(default)]
    pub model_url: Option<String>,
    /// Why the address that a project names is not asked.
    #[serde(skip)]
    pub refused_model_url: Option<String>,
}

impl MemorySettings {
    /// Fills what is not said here with what another table says.
    #[must_use]
    pub fn fill_from(self, other: MemorySettings) -> Self {
        // The nearer of two files decides which of the two is meant.
        let is_decided = self.model_dir.is_some() || self.embeddings.is_some();
        MemorySettings {
            embeddings: self.embeddings.or(other.embeddings.filter(|_| !is_decided)),
            model_dir: self.model_dir.or(other.model_dir),
            guardrail_examples: self.guardrail_examples.or(other.guardrail_examples),
            runtime: self.runtime.or(other.runtime),
            runtimes: other.runtimes,
            refused_runtime: self.refused_runtime.or(other.refused_runtime),
            model_url: self.model_url.or(other.model_url),
            refused_model_url: self.refused_model_url.or(other.refused_model_url),
        }
    }

    /// Holds what a project's file says to what it may: an address of models only for a folder of its
    /// own, and of code it names only what the person's own
    /// configuration knows by that name.
    pub fn hold_to(&mut self, own: &MemorySettings, file: &Path) {
        self.runtimes.clear();
        // The folder for all projects takes no files from where one of them says.
        if self.model_dir.is_none() && self.model_url.take().is_some() {
            self.refused_model_url = Some(format!(
                "{} sets model_url without model_dir, and what a project has fetched does not go into \
                 the folder of your other projects: set model_dir there, or give the address with \
                 --model-url",
                file.display()
            ));
        }
        let Some(library) = self.runtime.take() else {
            return;
        };
        let name = library.to_str().unwrap_or_default();
        self.runtime = own.runtimes.get(name).cloned();
        if self.runtime.is_none() {
            self.refused_runtime = Some(format!(
                "{} names '{}' as ONNX Runtime, and a project never names code by its path: nothing \
                 was loaded; add NAME = \"{}\" under [memory.runtimes] of your own configuration and \
                 write runtime = \"NAME\" there, or set {RUNTIME_VARIABLE}",
                file.display(),
                library.display(),
                library.display(),
            ));
        }
    }

    /// Makes paths whole: `~/` is the home folder, and other relative ones begin at `folder`, where
    /// the file is that says them. A runtime's name becomes its path.
    pub fn resolve_paths(&mut self, folder: &Path, home: Option<&Path>) {
        let library = self.runtime.as_ref().and_then(|name| name.to_str());
        let library = library.and_then(|name| self.runtimes.get(name)).cloned();
        self.runtime = library.or(self.runtime.take());
        for path in [&mut self.model_dir, &mut self.runtime]
            .into_iter()
            .flatten()
            .chain(self.runtimes.values_mut())
        {
            *path = match (path.strip_prefix("~"), home) {
                (Ok(rest), Some(home)) => home.join(rest),
                (Ok(_), None) | (Err(_), _) => folder.join(&*path),
            };
        }
    }
}

/// Where model and runtime are looked for.
#[derive(Debug, Clone, Default)]
pub struct EmbeddingPlaces {
    pub settings: MemorySettings,
    pub user_data_folder: Option<PathBuf>,
    /// `ORT_DYLIB_PATH`, and what the system's loader and shell search.
    pub runtime_variable: Option<OsString>,
    pub library_path: Option<OsString>,
    pub search_path: Option<OsString>,
}

impl EmbeddingPlaces {
    /// Returns the folder of the model: the configured one, else that of the user's data folder.
    pub fn model_dir(&self) -> Option<PathBuf> {
        let default_folder = |folder: &PathBuf| folder.join(MODELS).join(DEFAULT_MODEL);
        let own = self.user_data_folder.as_ref().map(default_folder);
        self.settings.model_dir.clone().or(own)
    }

    /// Returns where the runtime is looked for. A variable wins over the configuration.
    pub fn runtime_places(&self) -> RuntimePlaces {
        let of_variable = self
            .runtime_variable
            .as_ref()
            .filter(|path| !path.is_empty())
            .map(|path| (PathBuf::from(path), RUNTIME_VARIABLE.to_owned()));
        let of_file = self.settings.runtime.clone();
        let of_file = of_file.map(|path| (path, "'runtime' under [memory]".to_owned()));
        let folders = |path: &Option<OsString>| -> Vec<PathBuf> {
            let split = path.iter().flat_map(std::env::split_paths);
            split.filter(|folder| folder.is_absolute()).collect()
        };
        let mut library_path = folders(&self.library_path);
        library_path.extend(SYSTEM_FOLDERS.iter().map(PathBuf::from));
        let pythons = folders(&self.search_path).into_iter();
        RuntimePlaces {
            named: of_variable.or(of_file),
            refused: self.settings.refused_runtime.clone(),
            library_path,
            data_folder: self.user_data_folder.clone(),
            python: pythons
                .map(|folder| folder.join("python3"))
                .find(|path| path.is_file()),
        }
    }
}

/// Embedder of this process.
#[derive(Clone)]
pub enum Embedding {
    Ready(Arc<dyn Embedder>),
    /// Nothing: memory is searched by words.
    Lexical {
        why: String,
    },
}

impl Embedding {
    /// Returns the name of the retriever that ranks with it.
    pub fn retriever_name(&self) -> &str {
        match self {
            Embedding::Ready(embedder) => embedder.name(),
            Embedding::Lexical { .. } => Lexical.name(),
        }
    }
}

/// Connects to an embedder that is not on this machine. Blocks.
pub type ConnectEmbedder = Arc<dyn Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync>;

/// An [`Embedding`] that is found when it is first asked for, because finding one takes a second
/// and most debates need none. Once found it stays; where there is none it is looked for again, since
/// `memory setup` may have brought one meanwhile, or a server may be back.
pub struct LazyEmbedding {
    places: EmbeddingPlaces,
    /// Takes the place of what is on this machine.
    served: Option<ConnectEmbedder>,
    found: OnceLock<Embedding>,
    /// One search at a time: a model is loaded once.
    searching: Mutex<()>,
}

impl LazyEmbedding {
    /// Knows where to look; looks nowhere yet.
    pub fn new(places: EmbeddingPlaces) -> Self {
        LazyEmbedding {
            places,
            served: None,
            found: OnceLock::new(),
            searching: Mutex::new(()),
        }
    }

    /// Asks a server instead of looking on this machine.
    #[must_use]
    pub fn with_served(self, served: Option<ConnectEmbedder>) -> Self {
        LazyEmbedding { served, ..self }
    }

    /// Has what was found elsewhere.
    pub fn from_embedding(embedding: Embedding) -> Self {
        LazyEmbedding {
            places: EmbeddingPlaces::default(),
            served: None,
            found: OnceLock::from(embedding),
            searching: Mutex::new(()),
        }
    }

    /// Returns where is looked.
    pub fn places(&self) -> &EmbeddingPlaces {
        &self.places
    }

    /// Returns whether the person's configuration names a server for it.
    pub fn is_served(&self) -> bool {
        self.served.is_some()
    }

    /// Says that memory is searched by words, where no server is configured and no model is here; looks at
    /// files' names alone.
    pub fn describe_word_search(&self) -> Option<&'static str> {
        let folder = self.places.model_dir();
        let is_here = folder.is_some_and(|folder| folder.join(MODEL_FILE).is_file());
        (!is_here && !self.is_served())
            .then_some("memory is searched by words until 'elenchus memory setup' brings a model")
    }

    /// Finds the embedder, or returns the one that was found before. Blocks.
    pub fn get(&self) -> Embedding {
        let _alone = self
            .searching
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(embedding) = self.found.get() {
            return embedding.clone();
        }
        let outcome = match &self.served {
            Some(connect) => connect(),
            None => {
                load_model(&self.places).map(|(model, _)| -> Arc<dyn Embedder> { Arc::new(model) })
            }
        };
        match outcome {
            Ok(embedder) => self
                .found
                .get_or_init(|| Embedding::Ready(embedder))
                .clone(),
            Err(error) => Embedding::Lexical {
                why: error.to_string(),
            },
        }
    }
}

/// Loads model and runtime. Blocks.
///
/// # Errors
/// When one is missing or broken.
pub fn load_model(places: &EmbeddingPlaces) -> Result<(SentenceModel, Runtime), EmbedError> {
    let folder = places.model_dir().ok_or_else(|| EmbedError::NoModel {
        folder: "the user's data folder, which there is none".to_owned(),
    })?;
    load_folder(places, &folder)
}

/// Loads the model of a folder, with the runtime. Blocks.
///
/// # Errors
/// When one is missing or broken.
pub fn load_folder(
    places: &EmbeddingPlaces,
    folder: &Path,
) -> Result<(SentenceModel, Runtime), EmbedError> {
    // Looked at first: without a model no runtime is needed, and Python is not asked for one.
    elenchus_memory::embed::check_model_folder(folder)?;
    let runtime = Runtime::load(&places.runtime_places(), catch_panics)?;
    let model = SentenceModel::load(folder, &runtime, catch_panics)?;
    Ok((model, runtime))
}
