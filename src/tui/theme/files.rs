//! Theme files: those that are built in, and those in a person's and a project's folders, which win
//! over them. The one place of themes that reads files.

use super::themes::Themes;
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Length of a theme file at most, in bytes.
pub const MAX_THEME_BYTES: u64 = 256 * 1024;
/// Theme files of a folder that are read, at most.
const MAX_THEMES: usize = 200;

static BUILT_IN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/themes");

/// Folders of theme files, and how they were when they were read last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeFiles {
    /// Those that win come last.
    folders: Vec<PathBuf>,
    stamps: BTreeMap<PathBuf, FileStamp>,
}

/// By what a changed file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    changed: Option<SystemTime>,
    bytes: u64,
}

impl ThemeFiles {
    /// Takes the folders to read, those that win last; they need not exist.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            stamps: BTreeMap::new(),
        }
    }

    /// Returns the folders, those that win last.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Reads every theme file; a file that cannot be read is a theme that says so.
    pub fn read(&mut self) -> Themes {
        self.stamps = self.look();
        let mut themes = built_in();
        for folder in &self.folders {
            for path in self.stamps.keys().filter(|path| path.starts_with(folder)) {
                if let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) {
                    themes.add(name, &path.display().to_string(), read(path));
                }
            }
        }
        themes
    }

    /// Returns whether a file came, went or was changed since [`ThemeFiles::read`].
    pub fn stale(&self) -> bool {
        self.look() != self.stamps
    }

    fn look(&self) -> BTreeMap<PathBuf, FileStamp> {
        self.folders
            .iter()
            .flat_map(|folder| stamps(folder))
            .collect()
    }
}

/// Returns the themes that come with the program.
pub fn built_in() -> Themes {
    let mut themes = Themes::default();
    for file in BUILT_IN.files() {
        let stem = file.path().file_stem().and_then(|stem| stem.to_str());
        if let (Some(name), Some(text)) = (stem, file.contents_utf8()) {
            themes.add(name, &format!("built-in {name}.toml"), Ok(text.to_owned()));
        }
    }
    themes
}

fn stamps(folder: &Path) -> Vec<(PathBuf, FileStamp)> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .take(MAX_THEMES)
        .map(|path| {
            let about = std::fs::metadata(&path).ok();
            let stamp = FileStamp {
                changed: about.as_ref().and_then(|about| about.modified().ok()),
                bytes: about.map_or(0, |about| about.len()),
            };
            (path, stamp)
        })
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is no file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(MAX_THEME_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_THEME_BYTES {
        return Err(format!("it is longer than {MAX_THEME_BYTES} bytes"));
    }
    Ok(text)
}
