//! Which folder of a project is obeyed.

use elenchus::config::{
    Config, FILE_NAME, PROJECT_FOLDER, ProcessEnvironment, TRUST_VARIABLE, find_distrust_reason,
};
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// User id of the administrator.
const ROOT: u32 = 0;

fn project(folder: &Path, mode: u32) -> PathBuf {
    let project = folder.join(PROJECT_FOLDER);
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join(FILE_NAME), "").unwrap();
    std::fs::set_permissions(&project, Permissions::from_mode(mode)).unwrap();
    project
}

#[test]
fn a_folder_that_everybody_may_write_is_passed_over_for_the_one_above() {
    let place = tempfile::tempdir().unwrap();
    let below = place.path().join("below");
    let open = project(&below, 0o777);
    let above = project(place.path(), 0o770);
    let read = |trusted: Option<String>| {
        let environment = |name: &str| trusted.clone().filter(|_| name == TRUST_VARIABLE);
        let around = ProcessEnvironment {
            current_folder: below.clone(),
            environment: &environment,
            user_config_folder: None,
            user_data_folder: None,
            store_flag: Some(place.path().join("store")),
        };
        Config::read(&around).unwrap()
    };
    let config = read(None);
    assert_eq!(config.project_file, Some(above.join(FILE_NAME)));
    assert_eq!(config.untrusted_projects.len(), 1);
    assert_eq!(config.untrusted_projects[0].folder, open);
    let config = read(Some(below.display().to_string()));
    assert_eq!(config.project_file, Some(open.join(FILE_NAME)));
    assert_eq!(config.untrusted_projects, Vec::new());
}

#[test]
fn a_configuration_that_everybody_may_write_is_not_obeyed() {
    let place = tempfile::tempdir().unwrap();
    let folder = project(place.path(), 0o700);
    let file = folder.join(FILE_NAME);
    std::fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let me = rustix::process::geteuid().as_raw();
    assert!(
        find_distrust_reason(&folder, me)
            .unwrap()
            .contains(FILE_NAME)
    );
    std::fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
    assert_eq!(find_distrust_reason(&folder, me), None);
}

#[test]
fn a_folder_of_another_user_is_not_obeyed() {
    let place = tempfile::tempdir().unwrap();
    let folder = project(place.path(), 0o700);
    let owner = folder.metadata().unwrap().uid();
    assert_eq!(find_distrust_reason(&folder, owner), None);
    // Seen by a user who is not its owner; root's files are trusted by all.
    let why = find_distrust_reason(&folder, owner.wrapping_add(1));
    assert_eq!(why.is_some(), owner != ROOT);
}
