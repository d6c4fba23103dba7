//! Sentence model of a setup: its files fetched or copied, checked as they arrive, loaded once, and moved
//! over those that were there.

use super::{PinnedChecksum, Result, SetupEvent, SetupObserver};
use super::{arrival_folder, disk_error, fetch_file, reject_setup};
use crate::workspace::memory::{DEFAULT_MODEL, EmbeddingPlaces, MODELS, load_folder};
use elenchus_memory::embed::{
    EmbedError, MAX_MODEL_BYTES, MODEL_FILE, MODEL_FILES, POOLING_FILE, check_model_file,
    check_model_folder, foreign_entry,
};
use elenchus_model::{Download, DownloadError, Downloaded, RedirectPolicy, Trust, download_file};
use elenchus_store::create_folders;
use std::path::{Path, PathBuf};

/// The model that is fetched unless another is named, as its hub calls it.
const DEFAULT_HUB_NAME: &str = "Qdrant/all-MiniLM-L6-v2-onnx";
/// Where files of a model lie, with its name for `{model}`.
const DEFAULT_URL: &str = "https://huggingface.co/{model}/resolve/main";
const NAME_MARK: &str = "{model}";
/// Where some makers keep the model itself.
const ONNX_FOLDER: &str = "onnx";

/// Model that a person asks for; by default the usual one, where there is none yet.
#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    /// The folder to copy it from, instead of fetching it.
    pub from: Option<PathBuf>,
    /// Its name on its hub.
    pub name: Option<String>,
    /// Whether it is brought where it is there already.
    pub again: bool,
    /// The checksum that the model itself must have.
    pub sha256: Option<String>,
    /// The address that its files lie at, with `{model}` for its name.
    pub url: Option<String>,
}

/// What came of bringing a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroughtModel {
    /// There was one, and none was asked for.
    There,
    Placed,
    /// It is in a folder that the configuration does not name.
    PlacedElsewhere,
}

/// A model on its way into a folder.
pub struct ModelSetup<'a> {
    pub folder: PathBuf,
    request: ModelRequest,
    places: &'a EmbeddingPlaces,
    trust: &'a Trust,
}

impl<'a> ModelSetup<'a> {
    /// Finds the folder of the model: the configured one, else one in the user's data folder.
    ///
    /// # Errors
    /// When there is neither.
    pub fn new(
        request: ModelRequest,
        places: &'a EmbeddingPlaces,
        trust: &'a Trust,
    ) -> Result<Self> {
        let folder = match (&places.settings.model_dir, &places.user_data_folder) {
            (Some(folder), _) => folder.clone(),
            (None, Some(data)) => {
                let name = request.name.as_deref();
                let name = name.map(|name| name.rsplit('/').next().unwrap_or(name));
                data.join(MODELS).join(name.unwrap_or(DEFAULT_MODEL))
            }
            (None, None) => {
                return reject_setup(
                    "there is no home folder to keep a model in; set model_dir under [memory]",
                );
            }
        };
        Ok(Self {
            folder,
            request,
            places,
            trust,
        })
    }

    /// Returns the address that the model's files lie at.
    ///
    /// # Errors
    /// When the model's name is none, or a project names an address without a folder of its own or one
    /// that is not trusted.
    pub fn model_address(&self) -> Result<String> {
        let name = self.request.name.as_deref().unwrap_or(DEFAULT_HUB_NAME);
        if !is_hub_name(name) {
            return reject_setup(format!(
                "--model {name}: give the name of a model on its hub, as in {DEFAULT_HUB_NAME}"
            ));
        }
        let settings = &self.places.settings;
        let request_url = self.request.url.as_deref();
        let config_url = settings.model_url.as_deref();
        let base = request_url.or(config_url).unwrap_or(DEFAULT_URL);
        let base = base.replace(NAME_MARK, name);
        let base = base.trim_end_matches('/');
        if request_url.is_none() {
            if let Some(why) = &settings.refused_model_url {
                return reject_setup(why);
            }
            if config_url.is_some() {
                let from = "'model_url' under [memory]";
                self.trust.check_address(from, base, None)?;
            }
        }
        Ok(base.to_owned())
    }

    /// Brings the model where there is none, or where one was asked for. Blocks while it is loaded.
    ///
    /// # Errors
    /// When it cannot be had or does not work; a model that was there before stays.
    pub async fn install_model(&self, observe: SetupObserver<'_>) -> Result<BroughtModel> {
        let request = &self.request;
        let has_name = request.name.is_some() || request.url.is_some();
        let asks_for_one = request.from.is_some() || has_name || request.again;
        if !asks_for_one && check_model_folder(&self.folder).is_ok() {
            return Ok(BroughtModel::There);
        }
        if let Some(entry) = foreign_entry(&self.folder) {
            return reject_setup(format!(
                "{} holds other files than a model's ({entry}), and they would be mixed up with it or \
                 replaced; nothing was changed: set model_dir under [memory] to a folder that is not \
                 there yet",
                self.folder.display()
            ));
        }
        let fresh = arrival_folder(&self.folder);
        create_folders(&fresh)?;
        match &request.from {
            Some(from) => copy_model(from, &fresh)?,
            None => self.fetch_all(&fresh, observe).await?,
        }
        check_model_folder(&fresh)?;
        self.try_to_load(&fresh)?;
        put_in_place(&fresh, &self.folder)?;
        Ok(match self.places.model_dir() {
            Some(used) if used == self.folder => BroughtModel::Placed,
            Some(_) | None => BroughtModel::PlacedElsewhere,
        })
    }

    /// Fetches every file; what came before one that fails stays for the next try.
    async fn fetch_all(&self, to: &Path, observe: SetupObserver<'_>) -> Result<()> {
        let base = self.model_address()?;
        let download_of = |path: &str, file: &str| Download {
            url: format!("{base}/{path}"),
            to: to.join(file),
            max_bytes: MAX_MODEL_BYTES,
            redirects: RedirectPolicy::NotWeaker,
        };
        for file in MODEL_FILES {
            let fetched_file = match fetch_file(file, &download_of(file, file), observe).await {
                Err(DownloadError::Status { status: 404, .. }) if file == MODEL_FILE => {
                    let nested_path = format!("{ONNX_FOLDER}/{file}");
                    fetch_file(file, &download_of(&nested_path, file), observe).await
                }
                fetched => fetched,
            }?;
            check_model_file(to, file)?;
            if file == MODEL_FILE {
                self.check_hash(&fetched_file, &to.join(file))?;
            }
            observe(SetupEvent::Downloaded {
                file,
                download: &fetched_file,
                checksum: PinnedChecksum::NotNeeded,
            });
        }
        // How its maker pools is known of some models only.
        let pooling = download_of(POOLING_FILE, POOLING_FILE);
        if let Some(folder) = pooling.to.parent() {
            create_folders(folder)?;
        }
        let _ = download_file(&pooling, &|_, _| {}).await;
        Ok(())
    }

    fn check_hash(&self, fetched: &Downloaded, path: &Path) -> Result<()> {
        match &self.request.sha256 {
            Some(said) if !said.eq_ignore_ascii_case(&fetched.sha256) => {
                // It would be taken for whole the next time.
                let _ = std::fs::remove_file(path);
                reject_setup(format!(
                    "--sha256 {said}: the model that came has {}; nothing was changed",
                    fetched.sha256
                ))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Loads the model; without a runtime nothing can be tried, but the files are there for when it comes.
    fn try_to_load(&self, fresh: &Path) -> Result<()> {
        match load_folder(self.places, fresh) {
            Ok(_)
            | Err(
                EmbedError::NoRuntime { .. }
                | EmbedError::RuntimeTooOld { .. }
                | EmbedError::RuntimeBroken { .. }
                | EmbedError::RuntimeRefused { .. },
            ) => Ok(()),
            Err(
                error @ (EmbedError::NoModel { .. }
                | EmbedError::NoFile { .. }
                | EmbedError::Unreadable { .. }
                | EmbedError::Foreign { .. }
                | EmbedError::Dimension { .. }
                | EmbedError::Text { .. }
                | EmbedError::Served { .. }),
            ) => reject_setup(format!(
                "the model does not work and is left in {}: {error}",
                fresh.display()
            )),
        }
    }
}

fn is_hub_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let parts: Vec<&str> = name.split('/').collect();
    parts.len() <= 2
        && parts
            .iter()
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain))
}

fn copy_model(from: &Path, to: &Path) -> Result<()> {
    check_model_folder(from)?;
    for file in MODEL_FILES.iter().chain(&[POOLING_FILE]) {
        let (source, target) = (from.join(file), to.join(file));
        if source.is_file() {
            if let Some(folder) = target.parent() {
                create_folders(folder)?;
            }
            std::fs::copy(&source, &target).map_err(disk_error(&source, "copied"))?;
        }
    }
    Ok(())
}

/// Moves files over those that are there, the model last, so that what is half moved is noticed.
fn put_in_place(fresh: &Path, folder: &Path) -> Result<()> {
    create_folders(folder)?;
    for file in [POOLING_FILE].iter().chain(&MODEL_FILES) {
        let (from, to) = (fresh.join(file), folder.join(file));
        if !from.is_file() {
            continue;
        }
        if let Some(inner) = to.parent() {
            create_folders(inner)?;
        }
        std::fs::rename(&from, &to).map_err(disk_error(&to, "written"))?;
    }
    let _ = std::fs::remove_dir_all(fresh);
    Ok(())
}
