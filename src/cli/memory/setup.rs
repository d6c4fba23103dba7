//! `elenchus memory setup`: a sentence model and ONNX Runtime, brought and tried out; or what is missing,
//! from where to get it and where to put it.

use super::args::MemorySetupArgs;
use crate::cli::common::{CommandContext, output, wait_for};
use anyhow::{Result, bail};
use elenchus_memory::embed::{Embedder, MODEL_FILE, MODEL_FILES};
use elenchus_memory::vectors::cosine;
use elenchus_model::{Downloaded, bare_address};
use elenchus_records::workspace::memory::{
    BroughtModel, EmbeddingPlaces, FoundRuntime, ModelRequest, ModelSetup, PinnedChecksum,
    RuntimeSource, SetupError, SetupEvent, load_folder,
};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;

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
pub fn run(args: &MemorySetupArgs, context: &CommandContext) -> Result<()> {
    if let Some(model) = &context.config.models.embeddings {
        output::print_notice(&format!(
            "memory is searched with the embeddings of '{model}', as 'embeddings' under [memory] says: \
             what is set up here is used without that line"
        ));
    }
    let places = context.embedding.places();
    let setup = ModelSetup::new(build_request(args), places, &context.config.models.trust)?;
    let library = RuntimeSource::from_address(args.runtime_url.as_deref(), places)?;
    let bar = progress_bar();
    let observe = |event: SetupEvent<'_>| print_event(event, &bar);
    let (runtime, model) = wait_for(async {
        // The runtime comes first: a model is tried with it.
        let runtime = library.install_runtime(places, &observe).await;
        (runtime, setup.install_model(&observe).await)
    })?;
    let model = match model {
        Ok(brought) => Ok(print_model_place(brought, &setup.folder)?),
        Err(error) => Err(error),
    };
    let mut missing = Vec::new();
    if let Err(error) = &model {
        missing.push(describe_model_to_copy(&setup, error));
    }
    match (&runtime, places.runtime_places()) {
        (Ok(_), _) => {}
        // What a person named is mended by the person.
        (Err(error), look) if look.named.is_some() || look.refused.is_some() => {
            missing.push(format!("- ONNX Runtime\n  why   {error}\n"));
        }
        (Err(error), _) => missing.push(library.to_copy(&error.to_string())),
    }
    if let (Ok(()), Ok(found)) = (&model, &runtime) {
        return test_model(places, &setup.folder, found);
    }
    output::print_notice(&format!(
        "memory is searched by words; to search it by meaning, this is missing:\n\n{}",
        missing.join("\n")
    ));
    bail!(
        "semantic search is not set up yet; copy what is missing to where it says and run 'elenchus \
         memory setup' again"
    )
}

fn build_request(args: &MemorySetupArgs) -> ModelRequest {
    ModelRequest {
        from: args.from.clone(),
        name: args.model.clone(),
        again: args.again,
        sha256: args.sha256.clone(),
        url: args.model_url.clone(),
    }
}

/// Says which files of a model to copy, from where, and to where.
fn describe_model_to_copy(setup: &ModelSetup<'_>, error: &SetupError) -> String {
    let from = match setup.model_address() {
        Ok(base) => format!(
            "  from  {}/ ({MODEL_FILE} may lie in onnx/ there)\n",
            bare_address(&base)
        ),
        Err(_) => String::new(),
    };
    format!(
        "- the sentence model: {}\n{from}  into  {}/ (or into any folder DIR, and use --from DIR)\n  \
         why   {error}\n",
        MODEL_FILES.join(", "),
        format_path(&setup.folder)
    )
}

fn print_model_place(brought: BroughtModel, folder: &Path) -> Result<()> {
    if brought == BroughtModel::There {
        output::print_notice(&format!(
            "{} has a model already; --again fetches it again",
            format_path(folder)
        ));
        return Ok(());
    }
    output::print_notice(&format!("the model is in {}", format_path(folder)));
    if brought == BroughtModel::PlacedElsewhere {
        output::print_text(&format!(
            "To use it, write into the configuration:\n\n[memory]\nmodel_dir = {:?}\n\n",
            folder.display().to_string()
        ))?;
    }
    Ok(())
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let template = "{msg} {bytes} of {total_bytes}, {bytes_per_sec}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

fn print_event(event: SetupEvent<'_>, bar: &ProgressBar) {
    match event {
        SetupEvent::Downloading { file, done, total } => {
            if bar.message() != file {
                bar.reset();
                bar.unset_length();
                bar.set_message(file.to_owned());
                if std::io::stderr().is_terminal() {
                    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
                }
            }
            if let Some(total) = total {
                bar.set_length(total);
            }
            bar.set_position(done);
        }
        SetupEvent::DownloadEnded => {
            bar.finish_and_clear();
            bar.set_message("");
        }
        SetupEvent::Downloaded {
            file,
            download,
            checksum,
        } => output::print_notice(&describe_download(file, download, checksum)),
        SetupEvent::Unpacking { archive } => {
            output::print_notice(&format!("unpacking {}", format_path(archive)));
        }
    }
}

/// Says what came.
fn describe_download(file: &str, fetched: &Downloaded, checksum: PinnedChecksum) -> String {
    let resume_note = match fetched.kept_bytes {
        0 => String::new(),
        bytes => format!(", {} of it kept from before", HumanBytes(bytes)),
    };
    let check_note = if fetched.checked {
        ", as the server says"
    } else {
        ""
    };
    let pin_note = match checksum {
        PinnedChecksum::NotNeeded => "",
        PinnedChecksum::Matches => ", as it should be",
        PinnedChecksum::Unknown => "; whether that is right is not known here",
    };
    format!(
        "{file}: {}{resume_note}, SHA-256 {}{check_note}{pin_note}",
        HumanBytes(fetched.bytes),
        fetched.sha256
    )
}

/// Embeds three sentences and prints how near they are.
fn test_model(places: &EmbeddingPlaces, folder: &Path, found: &FoundRuntime) -> Result<()> {
    let (model, _) = load_folder(places, folder)?;
    let vectors = model.embed(&SENTENCES)?;
    let [a, b, c] = vectors.as_slice() else {
        bail!(
            "the model gave {} vectors for three sentences",
            vectors.len()
        );
    };
    let (near, far) = (cosine(a, b), cosine(a, c));
    output::print_text(&format!(
        "{}: {} numbers a text, ONNX Runtime {} of {}\n\
         {near:+.4}  '{}' and '{}'\n\
         {far:+.4}  '{}' and '{}'\n",
        model.name(),
        model.dim(),
        found.version,
        format_path(&found.path),
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
    output::print_text(&format!(
        "memory is searched by meaning from now on; 'elenchus doctor' reports when it is not\n\
         semantic search works: {}-dimensional vectors\n",
        model.dim()
    ))
}

/// Returns a path as it is shown.
fn format_path(path: &Path) -> String {
    output::clean_line(&path.display().to_string())
}
