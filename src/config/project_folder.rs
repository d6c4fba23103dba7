//! Project folder: the nearest trusted `.elenchus` folder.
//!
//! Write access to it controls the models that are called and their prompts: a folder of another
//! user, or one that all users may write to, is skipped. Groups are fine: labs share.

use super::{FILE_NAME, PROJECT_FOLDER};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Mode bit of write access for all users.
const EVERYBODY_WRITES: u32 = 0o002;
/// User id of the administrator.
const ROOT: u32 = 0;

/// A folder that is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntrustedProject {
    pub folder: PathBuf,
    pub why: String,
}

impl std::fmt::Display for UntrustedProject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let folder = self.folder.display();
        write!(
            f,
            "{folder} is not used: {}; if you trust everyone who can write there: elenchus trust {}",
            self.why,
            quote_for_shell(&self.folder)
        )
    }
}

/// Returns a path quoted for a shell: the name of a folder must not become a command.
pub(super) fn quote_for_shell(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Finds the nearest project from a folder upwards, and the skipped ones on the way. The owner of
/// an approved folder does not matter.
pub(super) fn find_nearest_project(
    from: &Path,
    is_approved: &dyn Fn(&Path) -> bool,
) -> (Option<PathBuf>, Vec<UntrustedProject>) {
    let me = rustix::process::geteuid().as_raw();
    let mut untrusted_projects = Vec::new();
    for above in from.ancestors() {
        let folder = above.join(PROJECT_FOLDER);
        if !folder.is_dir() {
            continue;
        }
        match find_distrust_reason(&folder, me) {
            Some(why) if !is_approved(&folder) => {
                untrusted_projects.push(UntrustedProject { folder, why })
            }
            Some(_) | None => return (Some(folder), untrusted_projects),
        }
    }
    (None, untrusted_projects)
}

/// Returns whether `entry` names this project: the folder itself, or the one that it lies in.
pub(super) fn is_same_project(folder: &Path, entry: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    let folder = canonical(folder);
    folder.is_some()
        && (folder == canonical(entry) || folder == canonical(&entry.join(PROJECT_FOLDER)))
}

/// Returns the reason for a user not to trust a folder and its configuration.
pub fn find_distrust_reason(folder: &Path, me: u32) -> Option<String> {
    let file = folder.join(FILE_NAME);
    [folder, &file].into_iter().find_map(|path| {
        // A link belongs to its creator, and its target may belong to yet another user.
        let link = path.symlink_metadata().ok()?;
        let metadata = path.metadata().ok()?;
        let why =
            describe_foreign_owner(&link, me).or_else(|| describe_foreign_owner(&metadata, me));
        let why = why.or_else(|| {
            (metadata.mode() & EVERYBODY_WRITES != 0)
                .then(|| "everybody may write to it".to_owned())
        });
        why.map(|why| match path == file {
            true => format!("its {FILE_NAME} is not safe, {why}"),
            false => why,
        })
    })
}

fn describe_foreign_owner(metadata: &Metadata, me: u32) -> Option<String> {
    let owner = metadata.uid();
    (owner != me && owner != ROOT)
        .then(|| format!("it belongs to user {owner}, who is neither you nor root"))
}
