//! Download of a sentence model's files, each checked as it arrives.

use super::args::MemorySetupArgs;
use crate::cli::common::{Workshop, output, wait_for};
use crate::memory::embed::{
    MAX_MODEL_BYTES, MODEL_FILE, MODEL_FILES, POOLING_FILE, check_model_file,
};
use crate::model::{Download, DownloadError, Downloaded, RedirectPolicy, download};
use crate::store::create_folders;
use anyhow::{Result, bail};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The model that is fetched unless another is named, as its hub calls it.
const DEFAULT_HUB_NAME: &str = "Qdrant/all-MiniLM-L6-v2-onnx";
/// Where files of a model lie, with its name for `{model}`.
const DEFAULT_URL: &str = "https://huggingface.co/{model}/resolve/main";
const NAME_MARK: &str = "{model}";
/// Where some makers keep the model itself.
const ONNX_FOLDER: &str = "onnx";

/// Returns the address that a model's files lie at.
///
/// # Errors
/// When the model's name is none, or a project names an address without a folder of its own or one that
/// is not trusted.
pub(super) fn address(args: &MemorySetupArgs, shop: &Workshop) -> Result<String> {
    let name = args.model.as_deref().unwrap_or(DEFAULT_HUB_NAME);
    if !is_hub_name(name) {
        bail!("--model {name}: give the name of a model on its hub, as in {DEFAULT_HUB_NAME}");
    }
    let memory = &shop.config.memory;
    let typed = args.model_url.as_deref();
    let configured = memory.model_url.as_deref();
    let base = typed.or(configured).unwrap_or(DEFAULT_URL);
    let base = base.replace(NAME_MARK, name);
    let base = base.trim_end_matches('/');
    if typed.is_none() {
        if let Some(why) = &memory.refused_model_url {
            bail!("{why}");
        }
        if configured.is_some() {
            let trust = &shop.config.models.trust;
            trust.check_address("'model_url' under [memory]", base, None)?;
        }
    }
    Ok(base.to_owned())
}

/// Fetches every file of a model.
///
/// # Errors
/// When one cannot be had or is foreign; what came before stays for the next try.
pub(super) fn fetch_all(args: &MemorySetupArgs, base: &str, to: &Path) -> Result<()> {
    let download_of = |path: &str, file: &str| Download {
        url: format!("{base}/{path}"),
        to: to.join(file),
        max_bytes: MAX_MODEL_BYTES,
        redirects: RedirectPolicy::NotWeaker,
    };
    for file in MODEL_FILES {
        let fetched = wait_for(async {
            match one(file, &download_of(file, file)).await {
                Err(DownloadError::Status { status: 404, .. }) if file == MODEL_FILE => {
                    let nested = format!("{ONNX_FOLDER}/{file}");
                    one(file, &download_of(&nested, file)).await
                }
                fetched => fetched,
            }
        })??;
        check_model_file(to, file)?;
        if file == MODEL_FILE {
            check_hash(args, &fetched, &to.join(file))?;
        }
        output::notice(&in_words(file, &fetched));
    }
    // How its maker pools is known of some models only.
    let pooling = download_of(POOLING_FILE, POOLING_FILE);
    if let Some(folder) = pooling.to.parent() {
        create_folders(folder)?;
    }
    let _ = wait_for(download(&pooling, &|_, _| {}));
    Ok(())
}

/// Fetches one file, with its progress on a terminal.
///
/// # Errors
/// As [`fetch`].
pub(super) async fn one(name: &str, file: &Download) -> Result<Downloaded, DownloadError> {
    let bar = ProgressBar::no_length();
    if std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {bytes} of {total_bytes}, {bytes_per_sec}")
        {
            bar.set_style(style);
        }
    } else {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_message(name.to_owned());
    let watch = |done: u64, total: Option<u64>| {
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(done);
    };
    let fetched = download(file, &watch).await;
    bar.finish_and_clear();
    fetched
}

/// Says what came.
pub(super) fn in_words(file: &str, fetched: &Downloaded) -> String {
    let kept = match fetched.kept_bytes {
        0 => String::new(),
        bytes => format!(", {} of it kept from before", HumanBytes(bytes)),
    };
    let checked = if fetched.checked {
        ", as the server says"
    } else {
        ""
    };
    format!(
        "{file}: {}{kept}, SHA-256 {}{checked}",
        HumanBytes(fetched.bytes),
        fetched.sha256
    )
}

fn check_hash(args: &MemorySetupArgs, fetched: &Downloaded, path: &Path) -> Result<()> {
    let Some(said) = &args.sha256 else {
        return Ok(());
    };
    if !said.eq_ignore_ascii_case(&fetched.sha256) {
        // It would be taken for whole the next time.
        let _ = std::fs::remove_file(path);
        bail!(
            "--sha256 {said}: the model that came has {}; nothing was changed",
            fetched.sha256
        );
    }
    Ok(())
}

/// Returns the folder in which files for another one arrive.
pub(super) fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".arriving");
    PathBuf::from(name)
}

fn is_hub_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let parts: Vec<&str> = name.split('/').collect();
    parts.len() <= 2
        && parts
            .iter()
            .all(|part| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain))
}

/// Returns a path as it is shown.
pub(super) fn shown(path: &Path) -> String {
    output::clean(&path.display().to_string())
}
