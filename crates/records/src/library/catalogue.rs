//! Catalogue of the library: protocols, templates, rubrics and lists by their names.
//!
//! Built-in files are embedded in the binary; a file of the same name in the project's or the user's
//! folder wins, file by file.

use super::game::{Game, GameError, GameParts};
use super::rubric_limit::limit_chosen_rubrics;
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use elenchus_game::debate::{ListItem, NO_LIST};
use elenchus_game::judge::Rubric;
use elenchus_game::prompt;
use elenchus_store::lies_in;
use elenchus_text::shell_word;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

static BUILT_IN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../prompts");

/// The folder, next to the protocols, that holds rubrics.
const RUBRICS: &str = "rubrics";
/// The folder, next to the protocols, that holds templates which several of them use. A file of the
/// same name in the protocol's own folder comes first.
pub const SHARED: &str = "shared";
/// The largest file that is read from a prompts folder, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Sets a rubric's template apart from a protocol's templates of the same name.
const RUBRIC_TEMPLATE: &str = "rubric:";

/// Folders that are searched before the built-in prompts, nearest first.
#[derive(Debug, Clone, Default)]
pub struct Library {
    folders: Vec<PathBuf>,
    /// Folders of them whose files must lie in another one once links are followed.
    bounds: BTreeMap<PathBuf, PathBuf>,
    /// The folder of a project that is not the user's own.
    project: Option<PathBuf>,
}

/// Where a file was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOrigin {
    BuiltIn,
    Folder(PathBuf),
}

impl std::fmt::Display for FileOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileOrigin::BuiltIn => f.write_str("built-in"),
            FileOrigin::Folder(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A template that asks about guardrails, which no protocol names.
pub(crate) struct GuardrailTemplate {
    /// The name in sessions.
    pub name: &'static str,
    pub text: String,
    /// Where, below a folder of prompts, it was found.
    pub file: String,
}

pub struct LibraryFile {
    /// The file's name in errors.
    pub name: String,
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFile {
    items: Vec<ListItem>,
}

impl Library {
    /// Makes a library over folders that each hold what `prompts/` holds, nearest first.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            ..Self::default()
        }
    }

    /// Holds the files of a project to it: those of its `prompts` to its `settings` folder, those of a
    /// protocol that lies in `project` to that. A link that leads out is refused: what it points at
    /// would be shown to models, and packed as a codebook.
    #[must_use]
    pub fn with_bounds(mut self, prompts: PathBuf, settings: PathBuf, project: PathBuf) -> Self {
        self.bounds.insert(prompts, settings);
        self.project = Some(project);
        self
    }

    /// Returns the library over other folders, with the same bounds.
    #[must_use]
    pub fn with_folders(&self, folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            ..self.clone()
        }
    }

    /// Returns the folders that are searched before the built-in prompts, nearest first.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Returns every protocol's id with where its `protocol.toml` comes from, sorted.
    pub fn list_protocols(&self) -> Vec<(String, FileOrigin)> {
        let mut ids = BTreeSet::new();
        for folder in &self.folders {
            let Ok(entries) = std::fs::read_dir(folder) else {
                continue;
            };
            for entry in entries.flatten() {
                if entry.path().join("protocol.toml").is_file() {
                    ids.insert(entry.file_name().to_string_lossy().into_owned());
                }
            }
        }
        for dir in BUILT_IN.dirs() {
            let has_protocol = dir
                .files()
                .any(|file| file.path().ends_with("protocol.toml"));
            if let (true, Some(name)) = (has_protocol, dir.path().file_name()) {
                ids.insert(name.to_string_lossy().into_owned());
            }
        }
        ids.into_iter()
            .map(|id| {
                let origin = self.file_origin(&format!("{id}/protocol.toml"));
                (id, origin)
            })
            .collect()
    }

    /// Reads a protocol of the library.
    ///
    /// # Errors
    /// When there is none of that id (the known ones are named) or its text cannot be read.
    pub fn read_protocol(&self, id: &str) -> Result<ProtocolFile, GameError> {
        let path = format!("{id}/protocol.toml");
        let file = self
            .find_file(&path)?
            .ok_or_else(|| GameError::NoSuchProtocol {
                id: id.to_owned(),
                known: self
                    .list_protocols()
                    .into_iter()
                    .map(|(id, _)| id)
                    .collect::<Vec<_>>()
                    .join(", "),
            })?;
        Ok(ProtocolFile::parse(&file.name, &file.text)?)
    }

    /// Collects everything a game needs: protocol, templates, rubrics and lists, checked together.
    ///
    /// # Errors
    /// When a setting, a file or a reference between files is wrong; the file and line are named.
    /// When a pinned file is not the one that was pinned.
    pub fn load_game(&self, id: &str, settings: &Settings) -> Result<Game, GameError> {
        let mut game = self.load_unpinned_game(id, settings)?;
        self.check_pins(id, id, &game)?;
        game.watched = self.list_watched_files(id, id, &game)?;
        Ok(game)
    }

    /// Collects a game to be looked at: whether its pins hold is not asked.
    ///
    /// # Errors
    /// As [`Library::load_game`], pins aside.
    pub fn load_unpinned_game(&self, id: &str, settings: &Settings) -> Result<Game, GameError> {
        let file = self.read_protocol(id)?;
        let (protocol, settings) = file.resolve_protocol(settings)?;
        self.assemble_game(id, &file, protocol, settings)
            .map_err(|error| locate_error(&file, error))
    }

    /// Collects a game whose protocol is a file of its own; templates next to it come first.
    ///
    /// # Errors
    /// As [`Library::load_game`].
    pub fn load_game_from_file(&self, path: &Path, settings: &Settings) -> Result<Game, GameError> {
        let mut game = self.load_unpinned_game_from_file(path, settings)?;
        let (library, id) = self.library_of_file(path, &game.protocol.id);
        let name = path.display().to_string();
        library.check_pins(&id, &name, &game)?;
        game.watched = library.list_watched_files(&id, &name, &game)?;
        Ok(game)
    }

    /// Collects a game from its file to be looked at: whether its pins hold is not asked.
    ///
    /// # Errors
    /// As [`Library::load_game`], pins aside.
    pub fn load_unpinned_game_from_file(
        &self,
        path: &Path,
        settings: &Settings,
    ) -> Result<Game, GameError> {
        let text = read_file(path)?;
        let file = ProtocolFile::parse(&path.display().to_string(), &text)?;
        let (protocol, settings) = file.resolve_protocol(settings)?;
        let (library, id) = self.library_of_file(path, &protocol.id);
        library
            .assemble_game(&id, &file, protocol, settings)
            .map_err(|error| locate_error(&file, error))
    }

    /// Returns the library in which files next to a protocol's file come first, and the name
    /// of the file's folder.
    pub fn library_of_file(&self, path: &Path, id: &str) -> (Library, String) {
        let mut library = self.clone();
        if let Some(home) = path.parent().and_then(Path::parent) {
            let home = home.to_path_buf();
            let whole = std::path::absolute(&home).ok();
            let project = self.project.clone();
            if let Some(project) = project.filter(|at| whole.is_some_and(|it| it.starts_with(at)))
                && !library.folders.contains(&home)
            {
                library.bounds.insert(home.clone(), project);
            }
            library.folders.insert(0, home);
        }
        let folder = path.parent().and_then(Path::file_name);
        let id = folder.map_or_else(|| id.to_owned(), |name| name.to_string_lossy().into_owned());
        (library, id)
    }

    fn assemble_game(
        &self,
        folder: &str,
        file: &ProtocolFile,
        mut protocol: elenchus_game::debate::Protocol,
        settings: Settings,
    ) -> Result<Game, GameError> {
        let parts = self.read_parts(folder, &protocol)?;
        limit_chosen_rubrics(&mut protocol, file, &parts.rubrics);
        Game::new(protocol, settings, parts)
    }

    /// Reads everything a game is put together from, whether or not its templates can be used.
    ///
    /// # Errors
    /// When its protocol, a rubric or a list is wrong, or a file cannot be read.
    pub fn read_unchecked_parts(
        &self,
        id: &str,
    ) -> Result<(elenchus_game::debate::Protocol, Settings, GameParts), GameError> {
        let (protocol, settings) = self.read_protocol(id)?.resolve_protocol(&Settings::new())?;
        let parts = self.read_parts(id, &protocol)?;
        Ok((protocol, settings, parts))
    }

    pub(super) fn read_parts(
        &self,
        folder: &str,
        protocol: &elenchus_game::debate::Protocol,
    ) -> Result<GameParts, GameError> {
        let mut templates = BTreeMap::new();
        let mut files = BTreeMap::new();
        let mut more_files = Vec::new();
        for name in template_names(protocol) {
            let own = format!("{folder}/{name}.md");
            let shared_path = format!("{SHARED}/{name}.md");
            let (path, found) = match (self.find_file(&own)?, self.find_file(&shared_path)?) {
                (Some(found), _) => (own, found),
                (None, Some(found)) => (shared_path, found),
                (None, None) => (own.clone(), self.require_file(&own, &protocol.id)?),
            };
            files.insert(name.clone(), path);
            templates.insert(name, found.text);
        }
        let mut rubric_texts = BTreeMap::new();
        let mut rubrics = BTreeMap::new();
        for judging in protocol.judging.iter().filter(|judging| judging.enabled) {
            let Some(name) = &judging.rubric else {
                continue;
            };
            let own = format!("{folder}/{RUBRICS}/{name}");
            let base = match self.find_file(&format!("{own}.toml"))? {
                Some(_) => own,
                None => {
                    self.refuse_template_alone(&own, name)?;
                    let shared_base = format!("{RUBRICS}/{name}");
                    self.refuse_template_alone(&shared_base, name)?;
                    shared_base
                }
            };
            let rubric_file = self.require_file(&format!("{base}.toml"), &protocol.id)?;
            let rubric = Rubric::parse(&rubric_file.name, &rubric_file.text)?;
            let template = self.require_file(&format!("{base}.md"), &protocol.id)?;
            files.insert(rubric_template(name), format!("{base}.md"));
            more_files.push(format!("{base}.toml"));
            templates.insert(rubric_template(name), template.text);
            rubric_texts.insert(name.clone(), rubric_file.text);
            rubrics.insert(name.clone(), rubric);
        }
        let reserved = format!("{folder}/{NO_LIST}.list.toml");
        if let Some(list_file) = self.find_file(&reserved)? {
            return Err(GameError::List {
                file: list_file.name,
                why: format!(
                    "the list '{NO_LIST}' is the one that draws nothing: call this one otherwise"
                ),
            });
        }
        let mut lists = BTreeMap::new();
        for name in protocol.stages.iter().flat_map(|stage| stage.draw.values()) {
            let path = format!("{folder}/{name}.list.toml");
            let list_file = self.require_file(&path, &protocol.id)?;
            more_files.push(path);
            let list: ListFile =
                toml::from_str(&list_file.text).map_err(|error| GameError::List {
                    file: list_file.name.clone(),
                    why: error.message().to_owned(),
                })?;
            if let Some(why) = find_list_fault(&list.items) {
                return Err(GameError::List {
                    file: list_file.name,
                    why,
                });
            }
            lists.insert(name.clone(), list.items);
        }
        Ok(GameParts {
            templates,
            files,
            more_files,
            rubric_texts,
            rubrics,
            lists,
        })
    }

    /// Returns the templates that ask about guardrails in debates of a game: its own, or those that all share.
    pub(super) fn guardrail_templates(
        &self,
        folder: &str,
    ) -> Result<Vec<GuardrailTemplate>, GameError> {
        let templates = [
            (prompt::DECISION, "guardrail-decide"),
            (prompt::DERIVATION, "guardrail-derive"),
            (prompt::REPAIR, "repair"),
        ];
        let templates = templates.map(|(name, shared_file)| {
            let own = format!("{folder}/{}", guardrail_file(name));
            let (file, found) = match self.find_file(&own)? {
                Some(found) => (own, found),
                None => {
                    let path = format!("{SHARED}/{shared_file}.md");
                    let found = self.require_file(&path, SHARED)?;
                    (path, found)
                }
            };
            Ok(GuardrailTemplate {
                name,
                text: found.text,
                file,
            })
        });
        templates.into_iter().collect()
    }

    /// Returns the built-in files that a protocol is played with, by their paths below a folder of
    /// prompts: those that several protocols use among them.
    ///
    /// # Errors
    /// When there is no built-in protocol of that id.
    pub fn built_in_files(&self, id: &str) -> Result<BTreeMap<String, String>, GameError> {
        let library = Library::default();
        let game = library.load_unpinned_game(id, &Settings::new())?;
        let mut paths: BTreeSet<String> = game.files.values().cloned().collect();
        for variant in library.read_variants(id)? {
            paths.extend(variant.parts.files.into_values());
        }
        paths.extend(game.more_files);
        let own = BUILT_IN.get_dir(id).into_iter().flat_map(Dir::files);
        paths.extend(own.map(|file| file.path().display().to_string()));
        let texts = paths.into_iter().filter_map(|path| {
            let text = BUILT_IN.get_file(&path)?.contents_utf8()?.to_owned();
            Some((path, text))
        });
        Ok(texts.collect())
    }

    /// Returns where a file of the library comes from.
    pub fn file_origin(&self, path: &str) -> FileOrigin {
        self.folders
            .iter()
            .find(|folder| folder.join(path).is_file())
            .map_or(FileOrigin::BuiltIn, |folder| {
                FileOrigin::Folder(folder.clone())
            })
    }

    /// Returns the names of the rubrics that any game can use, sorted.
    pub fn list_rubrics(&self) -> Vec<String> {
        self.names_in(RUBRICS)
    }

    /// Returns the names of the TOML files in a folder of the library, sorted.
    pub(super) fn names_in(&self, folder: &str) -> Vec<String> {
        let folders = self.folders.iter().map(|prompts| prompts.join(folder));
        let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
        let own = entries.flatten().flatten().map(|entry| entry.path());
        let built_in = BUILT_IN.get_dir(folder).into_iter();
        let built_in = built_in.flat_map(|dir| dir.files().map(|file| file.path().to_owned()));
        let all: BTreeSet<String> = own
            .chain(built_in)
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "toml")
            })
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        all.into_iter().collect()
    }

    /// Refuses a rubric's template where no folder has the rubric to it: it would be left out without
    /// a word.
    fn refuse_template_alone(&self, base: &str, name: &str) -> Result<(), GameError> {
        let template = format!("{base}.md");
        let mut folders = self.folders.iter();
        let folder = folders.find(|folder| folder.join(&template).is_file());
        let (None, Some(folder)) = (self.find_file(&format!("{base}.toml"))?, folder) else {
            return Ok(());
        };
        let display_path = |path: &str| folder.join(path).display().to_string();
        let shared_base = format!("{RUBRICS}/{name}");
        // Among the rubrics of all games, a template alone wins over the built-in one.
        let way = match self.find_file(&format!("{shared_base}.toml"))? {
            Some(_) if base != shared_base => format!(
                ", or move the text to {}, where it replaces the text alone, for every game that \
                 uses the rubric",
                display_path(&format!("{shared_base}.md"))
            ),
            Some(_) | None => String::new(),
        };
        Err(GameError::RubricTemplateAlone {
            template: display_path(&template),
            rubric: display_path(&format!("{base}.toml")),
            way,
        })
    }

    /// Reads a rubric that any game can use: its text and its template's.
    ///
    /// # Errors
    /// When there is none of that name (the known ones are named) or it cannot be read.
    pub fn read_rubric(&self, name: &str) -> Result<(String, String), GameError> {
        self.refuse_template_alone(&format!("{RUBRICS}/{name}"), name)?;
        let rubric_file =
            |extension: &str| self.find_file(&format!("{RUBRICS}/{name}.{extension}"));
        let (Some(rubric), Some(template)) = (rubric_file("toml")?, rubric_file("md")?) else {
            return Err(GameError::NoSuchRubric {
                name: name.to_owned(),
                known: self.list_rubrics().join(", "),
            });
        };
        Rubric::parse(&rubric.name, &rubric.text)?;
        Ok((rubric.text, template.text))
    }

    fn require_file(&self, path: &str, protocol: &str) -> Result<LibraryFile, GameError> {
        self.find_file(path)?.ok_or_else(|| GameError::MissingFile {
            protocol: protocol.to_owned(),
            path: path.to_owned(),
        })
    }

    pub fn find_file(&self, path: &str) -> Result<Option<LibraryFile>, GameError> {
        for folder in &self.folders {
            let full = folder.join(path);
            if full.is_file() {
                self.check_bound(folder, &full)?;
                return Ok(Some(LibraryFile {
                    name: full.display().to_string(),
                    text: read_file(&full)?,
                }));
            }
        }
        Ok(BUILT_IN
            .get_file(path)
            .and_then(|file| file.contents_utf8())
            .map(|text| LibraryFile {
                name: format!("prompts/{path}"),
                text: text.to_owned(),
            }))
    }
}

impl Library {
    /// Says whether a folder of prompts is a project's.
    pub(super) fn is_of_project(&self, folder: &Path) -> bool {
        self.bounds.contains_key(folder)
    }

    fn check_bound(&self, folder: &Path, file: &Path) -> Result<(), GameError> {
        match self.bounds.get(folder) {
            Some(bound) if !lies_in(bound, file) => Err(GameError::Unreadable {
                path: file.display().to_string(),
                why: format!(
                    "it is a link to outside {}, and a project's files lie in it: put the file itself \
                     there, or, if you trust everyone who can write there: elenchus trust {}",
                    bound.display(),
                    shell_word(&bound.to_string_lossy())
                ),
            }),
            Some(_) | None => Ok(()),
        }
    }
}

/// Adds the place in the protocol's file at which an unknown label is named.
fn locate_error(file: &ProtocolFile, error: GameError) -> GameError {
    match &error {
        GameError::NoSuchLabel { label, .. } => match file.place_of_word(label) {
            Some(place) => GameError::At {
                place,
                error: Box::new(error),
            },
            None => error,
        },
        GameError::NoSuchProtocol { .. }
        | GameError::NoSuchRubric { .. }
        | GameError::RubricTemplateAlone { .. }
        | GameError::NoSuchLabelSet { .. }
        | GameError::LabelSet(_)
        | GameError::Protocol(_)
        | GameError::Rubric(_)
        | GameError::Prompt(_)
        | GameError::OneOrderRubric { .. }
        | GameError::MissingFile { .. }
        | GameError::Unreadable { .. }
        | GameError::List { .. }
        | GameError::Pin(_)
        | GameError::At { .. } => error,
    }
}

/// Returns the name under which a rubric's template is kept among a session's templates.
pub fn rubric_template(rubric: &str) -> String {
    format!("{RUBRIC_TEMPLATE}{rubric}")
}

/// Says why nothing can be drawn from the items of a list.
fn find_list_fault(items: &[ListItem]) -> Option<String> {
    let Some(first) = items.first() else {
        return Some("the list has no items to draw from".to_owned());
    };
    let first_parts = first.part_names();
    if first_parts.as_ref().is_some_and(Vec::is_empty) {
        return Some("item 1 is an empty table: give it parts, as { critique = \"…\" }".to_owned());
    }
    let mut later_items = items.iter().zip(1..);
    let (_, at) = later_items.find(|(item, _)| item.part_names() != first_parts)?;
    let first_is = match first_parts {
        None => "a text".to_owned(),
        Some(names) => format!("a table of {}", names.join(", ")),
    };
    Some(format!(
        "item {at} is made otherwise than the first, which is {first_is}: templates name what every \
         item has"
    ))
}

/// Returns the file of a game's own text of a template about guardrails, in its folder.
pub fn guardrail_file(template: &str) -> String {
    format!("{}.md", template.replace(':', "-"))
}

/// Returns what models are asked about guardrails in debates of a game: whether one matches where evaluators judge
/// single turns, and for one where a lesson is written for all.
pub(super) fn guardrail_names(
    protocol: &elenchus_game::debate::Protocol,
) -> impl Iterator<Item = &'static str> {
    let decides = !protocol.judged_chairs().is_empty();
    let derives = decides && !protocol.feedback.is_empty() && protocol.learners().next().is_none();
    let decision = decides.then_some(prompt::DECISION);
    let derivation = derives.then_some([prompt::DERIVATION, prompt::REPAIR]);
    decision.into_iter().chain(derivation.into_iter().flatten())
}

pub(super) fn template_names(protocol: &elenchus_game::debate::Protocol) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for stage in protocol.stages.iter().filter(|stage| stage.enabled) {
        for seat in &stage.seats {
            names.insert(protocol.template_name(stage, seat).to_owned());
        }
        names.extend(stage.retry.iter().filter_map(|rule| rule.template.clone()));
    }
    let judging = protocol.judging.iter().filter(|judging| judging.enabled);
    names.extend(judging.filter_map(|judging| Some(judging.repair.as_ref()?.template.clone())));
    for feedback in &protocol.feedback {
        names.insert(feedback.template_name().to_owned());
    }
    names
}

pub(super) fn read_file(path: &Path) -> Result<String, GameError> {
    let unreadable = |why: String| GameError::Unreadable {
        path: path.display().to_string(),
        why,
    };
    let size = std::fs::metadata(path)
        .map_err(|error| unreadable(error.to_string()))?
        .len();
    if size > MAX_FILE_BYTES {
        return Err(unreadable(format!(
            "it is larger than {MAX_FILE_BYTES} bytes"
        )));
    }
    std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))
}
