//! Checks of `elenchus doctor` on semantic search of memory.

use super::DoctorFindings;
use crate::cli::common::CommandContext;
use elenchus_memory::embed::{EmbedError, Embedder, Runtime, check_model_folder};
use elenchus_records::workspace::memory::{EmbeddingPlaces, load_folder};
use elenchus_store::catch_panics;

/// Loads model and runtime, and names them or what is missing. An unconfigured one may
/// be missing: memory is searched by words then.
pub fn report_memory(context: &CommandContext, findings: &mut DoctorFindings) {
    findings.add_title("Long-term memory");
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
