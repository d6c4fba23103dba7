//! Checks of `elenchus doctor` on semantic search of memory.

use super::{DoctorArgs, DoctorFindings};
use crate::cli::common::CommandContext;
use elenchus_memory::embed::{EmbedError, Embedder, Runtime, check_model_folder};
use elenchus_records::workspace::memory::{Embedding, EmbeddingPlaces, load_folder};
use elenchus_store::catch_panics;

/// Loads model and runtime, and names them or what is missing. An unconfigured one may
/// be missing: memory is searched by words then.
pub fn report_memory(args: &DoctorArgs, context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Long-term memory");
    if let Some(model) = &context.config.models.embeddings {
        return report_served(model, args, context, findings);
    }
    let places = context.embedding.places();
    let Some(folder) = places.model_dir() else {
        findings
            .add_note("there is no home folder to keep a model in; set model_dir under [memory]");
        return;
    };
    if let Err(error) = check_model_folder(&folder) {
        let is_named = places.settings.model_dir.is_some() || folder.exists();
        report_embed_error(findings, &error, is_named);
        report_runtime(places, findings);
        return;
    }
    match load_folder(places, &folder) {
        Ok((model, found)) => {
            findings.add_ok(&format!(
                "searched by meaning with {}: {} numbers a text, of {}",
                model.name(),
                model.dim(),
                folder.display()
            ));
            report_version(&found, findings);
        }
        Err(error) => {
            report_embed_error(findings, &error, true);
            if let EmbedError::NoRuntime { .. } = error {
                report_python_search(&places.runtime_places(), findings);
            }
            findings.add_note("until then memory is searched by words");
        }
    }
}

/// Says where texts are embedded; with `--probe` one is, to see that it works.
fn report_served(
    model: &str,
    args: &DoctorArgs,
    context: &CommandContext,
    findings: &mut DoctorFindings,
) {
    let place = match context.seats.describe_embedding_server(model) {
        Ok(place) => place,
        Err(error) => {
            let text =
                format!("memory cannot be searched with the embeddings of '{model}': {error}");
            return findings.add_problem(
                &text,
                "name a model of [models] as 'embeddings' under [memory], or take that line out",
            );
        }
    };
    let searched =
        format!("searched by meaning with the embeddings of '{model}', asked at {place}");
    if !args.probe {
        findings.add_ok(&searched);
        return findings.add_note("'elenchus doctor --probe' asks for one");
    }
    match context.embedding.get() {
        Embedding::Ready(embedder) => findings.add_ok(&format!(
            "{searched}: {} ({} numbers a text)",
            embedder.name(),
            embedder.dim()
        )),
        Embedding::Lexical { why } => {
            findings.add_problem(
                &why,
                "look at the server; runs that search memory wait for it",
            );
        }
    }
}

fn report_runtime(places: &EmbeddingPlaces, findings: &mut DoctorFindings) {
    let places = places.runtime_places();
    match Runtime::load(&places, catch_panics) {
        Ok(found) => report_version(&found, findings),
        Err(error) => {
            let is_problem = places.named.is_some() || places.refused.is_some();
            report_embed_error(findings, &error, is_problem);
            if let EmbedError::NoRuntime { .. } = error {
                report_python_search(&places, findings);
            }
        }
    }
}

/// Other environments of Python are not searched: says so, where a runtime is missing.
fn report_python_search(
    places: &elenchus_memory::embed::RuntimePlaces,
    findings: &mut DoctorFindings,
) {
    if places.named.is_some() {
        return;
    }
    findings.add_note(&match &places.python {
        Some(python) => format!(
            "of Python only {} was asked for its package onnxruntime, the first python3 on PATH; \
             activate another environment, or name the library in ORT_DYLIB_PATH",
            python.display()
        ),
        None => {
            "no python3 is on PATH, so no package onnxruntime was looked for; name the library \
                 in ORT_DYLIB_PATH"
                .to_owned()
        }
    });
}

fn report_version(runtime: &Runtime, findings: &mut DoctorFindings) {
    findings.add_ok(&format!(
        "ONNX Runtime {} of {}",
        runtime.version(),
        runtime.path().display()
    ));
}

/// An error says what is wrong and, behind its last semicolon, what mends it.
fn report_embed_error(findings: &mut DoctorFindings, error: &EmbedError, is_problem: bool) {
    let text = error.to_string();
    match text.rsplit_once("; ") {
        Some((what, fix)) if is_problem => findings.add_problem(what, fix),
        Some(_) | None if is_problem => findings.add_problem(&text, "'elenchus memory setup'"),
        Some(_) | None => findings.add_note(&format!("searched by words: {text}")),
    }
}
