//! Plan file of a study: what is played and what is then printed, as TOML whose keys are the options of the commands.
//!
//! A study that comes with the program is such a file, embedded; there is no other kind.

use anyhow::{Context, Result, bail};
use elenchus_dataset::DatasetSpec;
use elenchus_run::engine::seats::FileBounds;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::Table;

static BUILT_IN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/studies");

/// Length of a plan file at most, in bytes.
const MAX_BYTES: u64 = 256 * 1024;
/// Files of a study at most, those that it needs included.
const MAX_FILES: usize = 20;
/// Runs and sweeps of a study at most.
const MAX_PLAYS: usize = 200;
/// Tables and pictures of a study at most.
const MAX_FIGURES: usize = 50;
const ENDING: &str = "toml";

/// A plan file as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    title: String,
    /// The publication and what of it this is.
    #[serde(default)]
    source: String,
    /// Studies whose runs it needs as well, by name or by file.
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    run: Vec<Table>,
    #[serde(default)]
    sweep: Vec<Table>,
    #[serde(default)]
    metrics: Vec<Table>,
}

/// A study: its own plan, and the runs of those that it needs before its own.
#[derive(Debug, Clone)]
pub(super) struct StudyPlan {
    /// As it is called, without its folder.
    pub name: String,
    pub title: String,
    pub source: String,
    pub plays: Vec<PlannedPlay>,
    pub figures: Vec<Entry>,
}

/// One thing to be played.
#[derive(Debug, Clone)]
pub(super) struct PlannedPlay {
    pub kind: PlayKind,
    /// How later entries name what it came to.
    pub label: Option<String>,
    pub entry: Entry,
}

/// The command that plays it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlayKind {
    Run,
    Sweep,
}

/// An entry of a plan file: options of a command by their names.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// File, kind and number, for messages.
    pub place: String,
    pub options: Table,
}

/// A study that comes with the program, as the list shows it.
pub(super) struct ListedStudy {
    pub name: String,
    pub title: String,
    pub source: String,
}

/// Returns the studies that come with the program and print something, in the order of their sources.
pub(super) fn list_studies() -> Result<Vec<ListedStudy>> {
    let mut studies = Vec::new();
    for (name, text) in built_in_files() {
        let file = parse_file(&name, text)?;
        if !file.metrics.is_empty() {
            studies.push(ListedStudy {
                name,
                title: file.title,
                source: file.source,
            });
        }
    }
    studies.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(studies)
}

/// Returns the text of a plan file.
///
/// # Errors
/// When there is no such study, or its file cannot be read.
pub(super) fn read_study_text(named: &str) -> Result<String> {
    StudySource::find(named, None)?.read_text()
}

/// Reads a study with all that it needs.
///
/// # Errors
/// When there is no such study, a file cannot be read or says what cannot be meant, or there is too much of it.
pub(super) fn read_study(named: &str, bounds: &FileBounds) -> Result<StudyPlan> {
    let source = StudySource::find(named, None)?;
    let mut reading = Reading {
        bounds,
        sources: Vec::new(),
        plays: Vec::new(),
    };
    let file = reading.read_file(&source)?;
    let place = source.place();
    let figures = number_entries(&place, "metrics", file.metrics);
    if figures.len() > MAX_FIGURES {
        bail!("{place}: more than {MAX_FIGURES} [[metrics]]; divide it into several files");
    }
    for (at, play) in reading.plays.iter().enumerate() {
        let mut earlier = reading.plays[..at].iter();
        if let Some(same) = earlier.find(|one| one.label.is_some() && one.label == play.label) {
            bail!(
                "{}: '{}' is the name of {} too; give it another",
                play.entry.place,
                play.label.as_deref().unwrap_or_default(),
                same.entry.place
            );
        }
    }
    Ok(StudyPlan {
        name: source.name(),
        title: file.title,
        source: file.source,
        plays: reading.plays,
        figures,
    })
}

/// Where a plan file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StudySource {
    BuiltIn(String),
    File(PathBuf),
}

impl StudySource {
    /// Takes a path for a file and any other word for a study that comes with the program; paths in a file are from
    /// its folder.
    fn find(named: &str, from: Option<&Path>) -> Result<Self> {
        if named.contains('/') || named.ends_with(&format!(".{ENDING}")) {
            let folder = from.and_then(Path::parent);
            return Ok(Self::File(folder.unwrap_or(Path::new("")).join(named)));
        }
        if built_in_files().any(|(name, _)| name == named) {
            return Ok(Self::BuiltIn(named.to_owned()));
        }
        let names: Vec<String> = list_studies()?.into_iter().map(|it| it.name).collect();
        bail!(
            "there is no study '{named}'; there are {}; a file of one's own is named by its path, as ./{named}.{ENDING}",
            names.join(", ")
        )
    }

    fn place(&self) -> String {
        match self {
            Self::BuiltIn(name) => name.clone(),
            Self::File(path) => path.display().to_string(),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => name.clone(),
            Self::File(path) => {
                let stem = path.file_stem().unwrap_or(path.as_os_str());
                stem.to_string_lossy().into_owned()
            }
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::BuiltIn(_) => None,
            Self::File(path) => Some(path),
        }
    }

    fn read_text(&self) -> Result<String> {
        match self {
            Self::BuiltIn(named) => {
                let mut files = built_in_files();
                let file = files.find(|(name, _)| name == named);
                let (_, text) = file.context("the study is no longer there")?;
                Ok(text.to_owned())
            }
            Self::File(path) => read_bounded(path),
        }
    }
}

fn read_bounded(path: &Path) -> Result<String> {
    let place = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("{place} cannot be read"))?;
    let mut text = String::new();
    let mut file = file.take(MAX_BYTES + 1);
    file.read_to_string(&mut text)
        .with_context(|| format!("{place} cannot be read as text"))?;
    if text.len() as u64 > MAX_BYTES {
        bail!("{place}: a plan has at most {MAX_BYTES} bytes; divide it into several files");
    }
    Ok(text)
}

fn built_in_files() -> impl Iterator<Item = (String, &'static str)> {
    BUILT_IN.files().filter_map(|file| {
        let path = file.path();
        let is_plan = path.extension().is_some_and(|ending| ending == ENDING);
        let name = path.file_stem().filter(|_| is_plan)?.to_str()?;
        Some((name.to_owned(), file.contents_utf8()?))
    })
}

fn parse_file(place: &str, text: &str) -> Result<StudyFile> {
    toml::from_str(text).map_err(|error| {
        let before = error
            .span()
            .map_or("", |span| &text[..span.start.min(text.len())]);
        let line = before.matches('\n').count() + 1;
        anyhow::anyhow!("{place}:{line}: {}", error.message().trim())
    })
}

/// Files of a study as they are read, each once.
struct Reading<'b> {
    bounds: &'b FileBounds,
    sources: Vec<StudySource>,
    plays: Vec<PlannedPlay>,
}

impl Reading<'_> {
    /// Reads a file; what it needs comes before its own.
    fn read_file(&mut self, source: &StudySource) -> Result<StudyFile> {
        let place = source.place();
        self.sources.push(source.clone());
        if self.sources.len() > MAX_FILES {
            bail!("{place}: a study has at most {MAX_FILES} files, those that it needs included");
        }
        let file = parse_file(&place, &source.read_text()?)?;
        for needed in &file.needs {
            let needed = StudySource::find(needed, source.path())
                .with_context(|| format!("{place}: needs"))?;
            if let (Some(from), Some(path)) = (source.path(), needed.path()) {
                let check_result = self.bounds.check_path(from, path);
                check_result.map_err(anyhow::Error::msg)?;
            }
            if !self.sources.contains(&needed) {
                self.read_file(&needed)?;
            }
        }
        if let Some(path) = source.path() {
            for options in &file.run {
                self.check_bounds(path, options)?;
            }
        }
        self.add_plays(
            PlayKind::Run,
            number_entries(&place, "run", file.run.clone()),
        )?;
        self.add_plays(
            PlayKind::Sweep,
            number_entries(&place, "sweep", file.sweep.clone()),
        )?;
        if self.plays.len() > MAX_PLAYS {
            bail!(
                "{place}: a study has at most {MAX_PLAYS} runs and sweeps; divide it into several files"
            );
        }
        Ok(file)
    }

    /// Refuses what a run of a project's plan may not name; sweeps are checked when they are planned.
    fn check_bounds(&self, file: &Path, options: &Table) -> Result<()> {
        let texts_of = |option: &str| {
            let values = match options.get(option) {
                Some(toml::Value::Array(values)) => values.as_slice(),
                Some(value) => std::slice::from_ref(value),
                None => &[],
            };
            values.iter().filter_map(toml::Value::as_str)
        };
        // Whatever option names a player: a text that it would say is read from a file.
        for text in options.keys().flat_map(|option| texts_of(option)) {
            for word in text.split(['=', ',']) {
                self.bounds.check_player(file, word.trim())?;
            }
        }
        let datasets = texts_of("dataset").chain(texts_of("benign"));
        let datasets = datasets.filter_map(|named| Some(named.parse::<DatasetSpec>().ok()?.path));
        let protocols = texts_of("protocol");
        let protocols = protocols.filter(|name| name.contains('/') || name.ends_with(".toml"));
        let others = protocols.chain(texts_of("cast")).map(PathBuf::from);
        for path in datasets.chain(others) {
            let check_result = self.bounds.check_path(file, &path);
            check_result.map_err(anyhow::Error::msg)?;
        }
        Ok(())
    }

    fn add_plays(&mut self, kind: PlayKind, entries: Vec<Entry>) -> Result<()> {
        for mut entry in entries {
            let label = entry.take_name()?;
            self.plays.push(PlannedPlay { kind, label, entry });
        }
        Ok(())
    }
}

impl Entry {
    /// Takes the entry's own name out of its options.
    pub fn take_name(&mut self) -> Result<Option<String>> {
        match self.options.remove("name") {
            None => Ok(None),
            Some(toml::Value::String(name)) if is_plain_name(&name) => Ok(Some(name)),
            Some(_) => bail!(
                "{}: 'name' is a text of letters, digits and hyphens",
                self.place
            ),
        }
    }
}

fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 80 && name.chars().all(is_plain)
}

fn number_entries(place: &str, kind: &str, tables: Vec<Table>) -> Vec<Entry> {
    let numbered = (1..).zip(tables);
    let entries = numbered.map(|(number, options): (usize, Table)| Entry {
        place: format!("{place}, [[{kind}]] {number}"),
        options,
    });
    entries.collect()
}
