//! Bounds of a project's configuration: what it may name lies in the project, and it speaks for nobody.
//!
//! A folder that the user approved has none: it counts as the user's own.

use super::project_folder::quote_for_shell;
use super::{Approvals, ConfigError, PROJECT_FOLDER, SourceFile};
use elenchus_memory::embed::{MODEL_FILES, POOLING_FILE};
use elenchus_run::engine::TrainingSettings;
use elenchus_run::engine::seats::{FIXED, FileBounds};
use elenchus_store::lies_in;
use std::path::Path;

/// Takes out of a project's file what it may not say, and returns the refusals, and notices of what is
/// left out without harm. Paths must be whole already.
pub(super) fn enforce_bounds(
    project_source: &mut SourceFile,
    folder: &Path,
    own_file: Option<&Path>,
) -> (Vec<ConfigError>, Vec<String>) {
    let path = project_source.path.display().to_string();
    let fault = |what, name: &str, why: String| ConfigError::Value {
        path: path.clone(),
        what,
        name: name.to_owned(),
        why,
    };
    let approve = format!("elenchus trust {}", quote_for_shell(folder));
    let own_config = own_file.map_or_else(
        || "your own configuration".to_owned(),
        |file| format!("your own {}", file.display()),
    );
    let mut refusals = Vec::new();
    let defaults = &mut project_source.shape.defaults;
    if let Some(model) = defaults.model.take_if(|model| model.starts_with(FIXED)) {
        let why = format!(
            "it is a file of this machine, and a project does not choose which is read: take the line \
             out and name it with --model or --seat, or, if you trust everyone who can write there: \
             {approve}"
        );
        refusals.push(fault("default model", &model, why));
    }
    let leads_out =
        |name: &String| is_path(name) && !lies_in(project_root(folder), Path::new(name));
    if let Some(protocol) = defaults.protocol.take_if(|name| leads_out(name)) {
        let why = format!(
            "it lies outside {}: take the line out and give --protocol, or, if you trust everyone who \
             can write there: {approve}",
            project_root(folder).display()
        );
        refusals.push(fault("default protocol", &protocol, why));
    }
    let mut notices = Vec::new();
    if let Some(name) = defaults.name.take() {
        notices.push(format!(
            "{path}: the name '{name}' is not used: a project does not say who signs labels and turns; \
             write name = \"{name}\" under [defaults] into {own_config} if that is you"
        ));
    }
    let memory = &mut project_source.shape.memory;
    let outside = |dir: &Path| {
        let files = MODEL_FILES.iter().chain(&[POOLING_FILE]);
        let mut files = files.map(|file| dir.join(file));
        let is_out = |path: &Path| !lies_in(project_root(folder), path);
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
             model_dir in {own_config}, or, if you trust everyone who can write there: {approve}",
            outside.display(),
            project_root(folder).display()
        );
        let dir_text = dir.display().to_string();
        refusals.push(fault("model_dir", &dir_text, why));
    }
    (refusals, notices)
}

/// Takes out of a project's file how adapters are trained: that runs a command, and the user's own configuration
/// alone names one, whoever may write to the project.
pub(super) fn take_training(
    project_source: &mut SourceFile,
    own_file: Option<&Path>,
) -> Option<ConfigError> {
    let training = std::mem::take(&mut project_source.shape.training);
    let own_config = own_file.map_or_else(
        || "your own configuration".to_owned(),
        |file| format!("your own {}", file.display()),
    );
    (training != TrainingSettings::default()).then(|| ConfigError::Value {
        path: project_source.path.display().to_string(),
        what: "table",
        name: "training".to_owned(),
        why: format!(
            "a project never says what trains adapters, for that is run: take the table out, and put it into \
             {own_config} or give --train-cmd"
        ),
    })
}

/// Takes programs that grade out of a project's file, for the same reason.
pub(super) fn take_graders(
    project_source: &mut SourceFile,
    own_file: Option<&Path>,
) -> Option<ConfigError> {
    let graders = std::mem::take(&mut project_source.shape.graders);
    let own_config = own_file.map_or_else(
        || "your own configuration".to_owned(),
        |file| format!("your own {}", file.display()),
    );
    (!graders.is_empty()).then(|| ConfigError::Value {
        path: project_source.path.display().to_string(),
        what: "table",
        name: "graders".to_owned(),
        why: format!(
            "a project never says which program grades, for that is run: take the table out, and put it into \
             {own_config} or give --grader"
        ),
    })
}

/// Returns the bounds of cast files and plans: those in the user's own folders have none.
pub(super) fn build_file_bounds(
    user_folder: Option<&Path>,
    approvals: &[&Approvals],
    foreign: Option<&Path>,
) -> FileBounds {
    let approved_folders = approvals.iter().flat_map(|all| &all.folders);
    let approved_folders =
        approved_folders.map(|folder| match folder.path.ends_with(PROJECT_FOLDER) {
            true => project_root(&folder.path).to_owned(),
            false => folder.path.clone(),
        });
    FileBounds {
        own: user_folder
            .map(Path::to_owned)
            .into_iter()
            .chain(approved_folders)
            .collect(),
        project: foreign.map(|folder| project_root(folder).to_owned()),
    }
}

/// Returns the folder that a project's folder lies in: the project itself.
fn project_root(folder: &Path) -> &Path {
    folder.parent().unwrap_or(folder)
}

/// Returns whether the name of a protocol is that of a file.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}
