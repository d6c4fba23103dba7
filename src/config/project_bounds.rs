//! Bounds of a project's configuration: what it may name lies in the project, and it speaks for nobody.
//!
//! A folder that the user approved has none: it counts as the user's own.

use super::project_folder::shell_word;
use super::{Approvals, ConfigError, PROJECT_FOLDER, SourceFile};
use elenchus_memory::embed::{MODEL_FILES, POOLING_FILE};
use elenchus_run::engine::seats::{FIXED, FileBounds};
use elenchus_store::lies_in;
use std::path::Path;

/// Takes out of a project's file what it may not say, and returns the refusals, and notices of what is
/// left out without harm. Paths must be whole already.
pub(super) fn hold(
    theirs: &mut SourceFile,
    folder: &Path,
    own_file: Option<&Path>,
) -> (Vec<ConfigError>, Vec<String>) {
    let path = theirs.path.display().to_string();
    let fault = |what, name: &str, why: String| ConfigError::Value {
        path: path.clone(),
        what,
        name: name.to_owned(),
        why,
    };
    let approve = format!("elenchus trust {}", shell_word(folder));
    let own = own_file.map_or_else(
        || "your own configuration".to_owned(),
        |file| format!("your own {}", file.display()),
    );
    let mut refused = Vec::new();
    let defaults = &mut theirs.shape.defaults;
    if let Some(model) = defaults.model.take_if(|model| model.starts_with(FIXED)) {
        let why = format!(
            "it is a file of this machine, and a project does not choose which is read: take the line \
             out and name it with --model or --seat, or, if you trust everyone who can write there: \
             {approve}"
        );
        refused.push(fault("default model", &model, why));
    }
    let leads_out = |name: &String| is_path(name) && !lies_in(work(folder), Path::new(name));
    if let Some(protocol) = defaults.protocol.take_if(|name| leads_out(name)) {
        let why = format!(
            "it lies outside {}: take the line out and give --protocol, or, if you trust everyone who \
             can write there: {approve}",
            work(folder).display()
        );
        refused.push(fault("default protocol", &protocol, why));
    }
    let mut ignored = Vec::new();
    if let Some(name) = defaults.name.take() {
        ignored.push(format!(
            "{path}: the name '{name}' is not used: a project does not say who signs labels and turns; \
             write name = \"{name}\" under [defaults] into {own} if that is you"
        ));
    }
    let memory = &mut theirs.shape.memory;
    let outside = |dir: &Path| {
        let files = MODEL_FILES.iter().chain(&[POOLING_FILE]);
        let mut files = files.map(|file| dir.join(file));
        let is_out = |path: &Path| !lies_in(work(folder), path);
        match is_out(dir) {
            true => Some(dir.to_owned()),
            false => files.find(|file| file.symlink_metadata().is_ok() && is_out(file)),
        }
    };
    if let Some(dir) = memory.model_dir.clone()
        && let Some(outside) = outside(&dir)
    {
        memory.model_dir = None;
        memory.model_url = None;
        let why = format!(
            "{} lies outside {}, and a project names its own files alone: put the model below it, set \
             model_dir in {own}, or, if you trust everyone who can write there: {approve}",
            outside.display(),
            work(folder).display()
        );
        let shown = dir.display().to_string();
        refused.push(fault("model_dir", &shown, why));
    }
    (refused, ignored)
}

/// Returns the bounds of cast files and plans: those in the user's own folders have none.
pub(super) fn of_files(
    user_folder: Option<&Path>,
    approvals: &[&Approvals],
    foreign: Option<&Path>,
) -> FileBounds {
    let approved = approvals.iter().flat_map(|all| &all.folders);
    let approved = approved.map(|folder| match folder.path.ends_with(PROJECT_FOLDER) {
        true => work(&folder.path).to_owned(),
        false => folder.path.clone(),
    });
    FileBounds {
        own: user_folder
            .map(Path::to_owned)
            .into_iter()
            .chain(approved)
            .collect(),
        project: foreign.map(|folder| work(folder).to_owned()),
    }
}

/// Returns the folder that a project's folder lies in: the project itself.
fn work(folder: &Path) -> &Path {
    folder.parent().unwrap_or(folder)
}

/// Returns whether the name of a protocol is that of a file.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}
