//! Theme files: those that are built in, and those in a person's and a project's folders, which win
//! over them. The one place of themes that reads files.

use super::themes::Themes;
use elenchus_records::workspace::lies_in;
use elenchus_text::shell_word;
use include_dir::{Dir, include_dir};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Length of a theme file at most, in bytes.
pub const MAX_THEME_BYTES: u64 = 256 * 1024;
/// Theme files of a folder that are read, at most.
const MAX_THEMES: usize = 200;

static BUILT_IN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/themes");

/// Folders of theme files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeFiles {
    /// Those that win come last.
    folders: Vec<PathBuf>,
    /// Folder of a project that nobody approved: its themes are files in it, not links to elsewhere.
    bound: Option<PathBuf>,
}

impl ThemeFiles {
    /// Takes the folders to read, those that win last; they need not exist.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            bound: None,
        }
    }

    /// The same files, where those of this project may lie in it alone.
    #[must_use]
    pub fn with_bound(self, bound: Option<PathBuf>) -> Self {
        Self { bound, ..self }
    }

    /// Returns the folders, those that win last.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Reads every theme file; a file that cannot be read is a theme that says so.
    pub fn read_themes(&self) -> Themes {
        let mut themes = parse_built_in();
        for path in self
            .folders
            .iter()
            .flat_map(|folder| list_theme_files(folder))
        {
            if let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) {
                let read = self
                    .check_bound(&path)
                    .and_then(|()| read_theme_text(&path));
                themes.add_theme(name, &path.display().to_string(), read);
            }
        }
        themes
    }

    fn check_bound(&self, file: &Path) -> Result<(), String> {
        let bound = self.bound.as_ref().filter(|bound| file.starts_with(bound));
        match bound {
            Some(bound) if !lies_in(bound, file) => Err(format!(
                "it is a link to outside {}, and a project's files lie in it: put the file itself there, or, \
                 if you trust everyone who can write there: elenchus trust {}",
                bound.display(),
                shell_word(&bound.to_string_lossy())
            )),
            Some(_) | None => Ok(()),
        }
    }
}

/// Returns the themes that come with the program.
pub fn parse_built_in() -> Themes {
    let mut themes = Themes::default();
    for file in BUILT_IN.files() {
        let stem = file.path().file_stem().and_then(|stem| stem.to_str());
        if let (Some(name), Some(text)) = (stem, file.contents_utf8()) {
            themes.add_theme(name, &format!("built-in {name}.toml"), Ok(text.to_owned()));
        }
    }
    themes
}

fn list_theme_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let themes = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    themes.take(MAX_THEMES).collect()
}

fn read_theme_text(path: &Path) -> Result<String, String> {
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
