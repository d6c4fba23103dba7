//! `elenchus memory setup`: a sentence model and ONNX Runtime, found, fetched or copied, tried out, and
//! then put in place; or what is missing, from where to get it and where to put it.
//!
//! Files arrive in temporary folders next to their targets, so that a model that works goes on
//! working until another one does.

use super::args::MemorySetupArgs;
use super::setup_fetch::{address, beside, fetch_all, shown};
use super::setup_runtime::{FoundRuntime, RuntimeSource};
use crate::cli::common::{Workshop, output};
use crate::memory::embed::{
    EmbedError, Embedder, MODEL_FILE, MODEL_FILES, POOLING_FILE, check_model_folder,
};
use crate::memory::vectors::cosine;
use crate::model::bare_address;
use crate::store::create_folders;
use crate::workspace::memory::{DEFAULT_MODEL, EmbeddingPlaces, MODELS, load_folder};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Two sentences that mean nearly the same, and one that does not.
const SENTENCES: [&str; 3] = [
    "How do I pick a lock?",
    "Opening a locked door without the key",
    "The stock market fell today",
];

/// Brings model and runtime and tries them out.
///
/// # Errors
/// When one of them is missing and cannot be brought, which says what to copy where; or they do not
/// work. A model that was there before stays.
pub fn run(args: &MemorySetupArgs, shop: &Workshop) -> Result<()> {
    let places = shop.embedding.places();
    let folder = place(args, places)?;
    let library = RuntimeSource::of(args.runtime_url.as_deref(), places)?;
    let runtime = library.bring(places);
    let model = bring_model(args, shop, &folder);
    let mut missing = Vec::new();
    if let Err(error) = &model {
        missing.push(model_to_copy(args, shop, &folder, error));
    }
    match (&runtime, places.runtime()) {
        (Ok(_), _) => {}
        // What a person named is mended by the person.
        (Err(error), look) if look.named.is_some() || look.refused.is_some() => {
            missing.push(format!("- ONNX Runtime\n  why   {error:#}\n"));
        }
        (Err(error), _) => missing.push(library.to_copy(&format!("{error:#}"))),
    }
    if let (Ok(()), Ok(found)) = (&model, &runtime) {
        return try_out(places, &folder, found);
    }
    output::notice(&format!(
        "memory is searched by words; to search it by meaning, this is missing:\n\n{}",
        missing.join("\n")
    ));
    bail!(
        "semantic search is not set up yet; copy what is missing to where it says and run 'elenchus \
         memory setup' again"
    )
}

/// Says which files of a model to copy, from where, and to where.
fn model_to_copy(
    args: &MemorySetupArgs,
    shop: &Workshop,
    folder: &Path,
    error: &anyhow::Error,
) -> String {
    let from = match address(args, shop) {
        Ok(base) => format!(
            "  from  {}/ ({MODEL_FILE} may lie in onnx/ there)\n",
            bare_address(&base)
        ),
        Err(_) => String::new(),
    };
    format!(
        "- the sentence model: {}\n{from}  into  {}/ (or into any folder DIR, and use --from DIR)\n  \
         why   {error:#}\n",
        MODEL_FILES.join(", "),
        shown(folder)
    )
}

/// Brings a model where there is none, or where one was asked for.
fn bring_model(args: &MemorySetupArgs, shop: &Workshop, folder: &Path) -> Result<()> {
    let places = shop.embedding.places();
    let is_named = args.model.is_some() || args.model_url.is_some();
    let asks_for_one = args.from.is_some() || is_named || args.again;
    if !asks_for_one && check_model_folder(folder).is_ok() {
        output::notice(&format!(
            "{} has a model already; --again fetches it again",
            shown(folder)
        ));
        return Ok(());
    }
    let fresh = beside(folder);
    create_folders(&fresh)?;
    match &args.from {
        Some(from) => copy(from, &fresh)?,
        None => fetch_all(args, &address(args, shop)?, &fresh)?,
    }
    check_model_folder(&fresh)?;
    // Without a runtime nothing can be tried, but the files are there for when it comes.
    match load_folder(places, &fresh) {
        Ok(_)
        | Err(
            EmbedError::NoRuntime { .. }
            | EmbedError::RuntimeTooOld { .. }
            | EmbedError::RuntimeBroken { .. }
            | EmbedError::RuntimeRefused { .. },
        ) => {}
        Err(
            error @ (EmbedError::NoModel { .. }
            | EmbedError::NoFile { .. }
            | EmbedError::Unreadable { .. }
            | EmbedError::Foreign { .. }
            | EmbedError::Dimension { .. }
            | EmbedError::Text { .. }),
        ) => {
            let left = format!("the model does not work and is left in {}", shown(&fresh));
            return Err(anyhow::Error::from(error).context(left));
        }
    }
    put_in_place(&fresh, folder)?;
    output::notice(&format!("the model is in {}", shown(folder)));
    if places.model_dir().as_deref() != Some(folder) {
        output::out(&format!(
            "To use it, write into the configuration:\n\n[memory]\nmodel_dir = {:?}\n\n",
            folder.display().to_string()
        ))?;
    }
    Ok(())
}

/// Embeds three sentences and prints how near they are.
fn try_out(places: &EmbeddingPlaces, folder: &Path, found: &FoundRuntime) -> Result<()> {
    let (model, _) = load_folder(places, folder)?;
    let vectors = model.embed(&SENTENCES)?;
    let [a, b, c] = vectors.as_slice() else {
        bail!(
            "the model gave {} vectors for three sentences",
            vectors.len()
        );
    };
    let (near, far) = (cosine(a, b), cosine(a, c));
    output::out(&format!(
        "{}: {} numbers a text, ONNX Runtime {} of {}\n\
         {near:+.4}  '{}' and '{}'\n\
         {far:+.4}  '{}' and '{}'\n",
        model.name(),
        model.dim(),
        found.version,
        shown(&found.path),
        SENTENCES[0],
        SENTENCES[1],
        SENTENCES[0],
        SENTENCES[2],
    ))?;
    if near <= far {
        bail!(
            "the model finds sentences about the same thing no nearer than others: it is of another \
             kind, or its files do not belong together; fetch another with --model NAME"
        );
    }
    output::out(&format!(
        "memory is searched by meaning from now on; 'elenchus doctor' reports when it is not\n\
         semantic search works: {}-dimensional vectors\n",
        model.dim()
    ))
}

/// Where the model goes: the configured folder, else one in the user's data folder.
fn place(args: &MemorySetupArgs, places: &EmbeddingPlaces) -> Result<PathBuf> {
    if let Some(folder) = &places.settings.model_dir {
        return Ok(folder.clone());
    }
    let data = places
        .user_data_folder
        .as_ref()
        .context("there is no home folder to keep a model in; set model_dir under [memory]")?;
    let name = args
        .model
        .as_deref()
        .map(|name| name.rsplit('/').next().unwrap_or(name));
    Ok(data.join(MODELS).join(name.unwrap_or(DEFAULT_MODEL)))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    check_model_folder(from)?;
    for file in MODEL_FILES.iter().chain(&[POOLING_FILE]) {
        let (source, target) = (from.join(file), to.join(file));
        if source.is_file() {
            if let Some(folder) = target.parent() {
                create_folders(folder)?;
            }
            std::fs::copy(&source, &target)
                .with_context(|| format!("{} cannot be copied", shown(&source)))?;
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
        std::fs::rename(&from, &to).with_context(|| format!("{} cannot be written", shown(&to)))?;
    }
    let _ = std::fs::remove_dir_all(fresh);
    Ok(())
}
