//! Containment of paths: whether a file lies in a folder once links are followed.

use std::path::{Component, Path, PathBuf};

/// Returns whether a path lies in a folder, or is the folder, once the links of both are followed. Of a
/// path that is not there yet, the part that is decides. A link that leads nowhere lies nowhere.
pub fn lies_in(folder: &Path, path: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else {
        return false;
    };
    resolve_links(path).is_some_and(|path| path.starts_with(folder))
}

/// Follows the links of the part of a path that is there.
fn resolve_links(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let there = path
        .ancestors()
        .find(|part| part.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let whole = there.canonicalize().ok()?;
    rest.components().all(is_plain).then(|| whole.join(rest))
}

#[cfg(test)]
mod tests {
    use super::lies_in;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_dots_lead_out_and_what_is_not_there_yet_is_placed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("project");
        std::fs::create_dir_all(folder.join("inner")).unwrap();
        std::fs::write(home.path().join("secret"), "s").unwrap();
        std::fs::write(folder.join("inner/own"), "o").unwrap();
        symlink(home.path().join("secret"), folder.join("out")).unwrap();
        symlink("inner/own", folder.join("in")).unwrap();
        symlink("nowhere", folder.join("dangling")).unwrap();
        symlink(home.path(), folder.join("up")).unwrap();
        let lies = |path: &str| lies_in(&folder, &folder.join(path));
        for inside in [
            "",
            "inner/own",
            "in",
            "inner/new/deep",
            "inner/../inner/own",
        ] {
            assert!(lies(inside), "{inside}");
        }
        for outside in [
            "out",
            "../secret",
            "up/secret",
            "up/new",
            "dangling",
            "new/../../secret",
        ] {
            assert!(!lies(outside), "{outside}");
        }
        assert!(!lies_in(&home.path().join("absent"), &folder));
    }
}
