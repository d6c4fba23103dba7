//! Layout of a store: paths of its folders and journals.

use std::path::{Path, PathBuf};

use super::files::create_folders;
use super::reader::names_with;
use super::{Hash, Result, StoreError, heads};

/// Ends the names of journals.
pub const JOURNAL: &str = ".jsonl";
const MERGING: &str = "merging";
/// Folder of what adapters are trained on.
const TRAINING: &str = "training";
/// Folders of a namespace of memory.
const GUARDS: &str = "guards";
const TRIALS: &str = "trials";
const DOCUMENT: &str = ".json";
const MAX_NAME_BYTES: usize = 128;

/// Paths of a store's folders and journals.
///
/// Functions that take a name refuse one that could lead out of its folder ([`StoreError::Name`]). Those
/// that list return sorted names or paths and fail where a folder cannot be read ([`StoreError::Io`]); an
/// absent one is empty.
///
/// ```text
/// sessions/<id>.jsonl                 one debate each
/// runs/<id>.jsonl
/// sweeps/<id>.jsonl                  plans of many runs, and their outcomes
/// memory/<namespace>/<writer>.jsonl   one writer each, merged on reading
/// memory/<namespace>/guards/<writer>.jsonl  the same for guardrails
/// memory/<namespace>/trials/<name>.jsonl    decisions of guardrail benchmarks
/// notes/<annotator>.jsonl             labels, notes, tags and names
/// sights/<annotator>.jsonl            unblinding: what else an annotator was shown
/// passes/<id>.jsonl                   finished sessions judged again
/// queues/<name>.jsonl                 turns drawn to be labelled
/// sheets/<session>.jsonl              in packs: blinded transcripts of sessions
/// packs/<id>.jsonl                    a pack: its recipient and contents
/// merging/<id>.json                   annotations of a pack while they are merged into notes/ and sights/
/// training/<run>/<training>/          what an adapter was trained on, and what came of it; no journals
/// trash/<id>.jsonl                    deleted sessions
/// prompts/<person>.jsonl              versions of prompts, with their labels
/// prompts/texts/<sha256>.md           the texts
/// tries/sessions/<id>.jsonl           samples of prompt trials: a store of its own
/// tries/ab/<id>.jsonl                 comparisons of two prompts
/// experiments/<kind>/<id>.jsonl       every kind that has no folder above
/// tries/replies/                      cached replies; can be deleted at any time
/// vectors/                            embeddings, one file per embedder and namespace
/// partial/<session>.<call>            words of replies that are still coming; not journals
/// trash/partial/<session>.<call>      the same of deleted sessions
/// keys/<key>                          locks of keys that experiments were begun under; empty
/// heads/<folder>/<name>               durable length of each journal
/// cache/                              sled; can be deleted at any time
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

/// Folders of a store that hold journals; `*` is a namespace of memory. Deleted sessions are
/// not among them.
pub const JOURNAL_FOLDERS: &[&str] = &[
    "sessions",
    "runs",
    "sweeps",
    "queues",
    "memory/*",
    "memory/*/guards",
    "memory/*/trials",
    "notes",
    "sights",
    "passes",
    "prompts",
    "sheets",
    "packs",
    "tries/sessions",
    "tries/ab",
    "experiments/golden",
    "experiments/prompt-trials",
    "experiments/guardrail-benchmarks",
];

impl Layout {
    /// Returns the layout of the store at `root`; touches no file.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Creates the folders that are missing, readable by their owner alone.
    pub fn create_missing_folders(&self) -> Result<()> {
        [
            "sessions", "runs", "memory", "notes", "passes", "queues", "trash", "vectors",
        ]
        .iter()
        .try_for_each(|name| create_folders(&self.root.join(name)))
    }

    /// Returns the store's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder for [`Index::open`](super::Index::open).
    pub fn cache_folder(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Returns the folder of what adapters of a run are trained on.
    pub fn training_folder(&self, run: &str) -> Result<PathBuf> {
        Ok(self.root.join(TRAINING).join(check_name("run", run)?))
    }

    /// Returns the ids of the runs that trained adapters.
    pub fn list_training_runs(&self) -> Result<Vec<String>> {
        subfolders_of(&self.root.join(TRAINING))
    }

    /// Returns the store of samples of prompt trials.
    pub fn tries_store(&self) -> Layout {
        Layout::new(self.root.join("tries"))
    }

    /// Returns the folder for a [`KeptFiles`](super::FileCache) of replies, in a store of prompt
    /// trials.
    pub fn replies_folder(&self) -> PathBuf {
        self.root.join("replies")
    }

    /// Returns the journal of a prompt comparison, in a store of prompt trials.
    pub fn comparison_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("ab", "comparison of prompts", id)
    }

    /// Returns the folder for vectors.
    pub fn vectors_folder(&self) -> PathBuf {
        self.root.join("vectors")
    }

    /// Returns the file of one embedder's vectors for a namespace.
    pub fn vectors_path(&self, namespace: &str, embedder: &str) -> Result<PathBuf> {
        let namespace = check_name("memory namespace", namespace)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let embedder = embedder.replace(|c| !plain(c), ".");
        let name = format!("{}.vectors", check_name("embedder", &embedder)?);
        Ok(self.vectors_folder().join(namespace).join(name))
    }

    /// Returns the journal of a session.
    pub fn session_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("sessions", "session", id)
    }

    /// Returns the journal of a run.
    pub fn run_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("runs", "run", id)
    }

    /// Returns the journal of a sweep.
    ///
    /// # Errors
    /// [`StoreError::Name`].
    pub fn sweep_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("sweeps", "sweep", id)
    }

    /// Ids of the sweeps.
    pub fn list_sweeps(&self) -> Result<Vec<String>> {
        self.list_names("sweeps")
    }

    /// Returns the journal of one writer in a namespace of long-term memory.
    pub fn memory_path(&self, namespace: &str, writer: &str) -> Result<PathBuf> {
        self.namespace_path(namespace, "", ("memory writer", writer))
    }

    /// Returns the journal of one writer for the guardrails of a namespace.
    pub fn guards_path(&self, namespace: &str, writer: &str) -> Result<PathBuf> {
        self.namespace_path(namespace, GUARDS, ("memory writer", writer))
    }

    /// Returns the decision log of a guardrail benchmark in a namespace, one journal for each kind
    /// of benchmark.
    pub fn trial_path(&self, namespace: &str, name: &str) -> Result<PathBuf> {
        self.namespace_path(namespace, TRIALS, ("test of guardrails", name))
    }

    /// Journals of a namespace of long-term memory.
    pub fn memory_journals(&self, namespace: &str) -> Result<Vec<PathBuf>> {
        journals_in(&self.namespace_folder(namespace, "")?)
    }

    /// Journals of the guardrails of a namespace.
    pub fn guard_journals(&self, namespace: &str) -> Result<Vec<PathBuf>> {
        journals_in(&self.namespace_folder(namespace, GUARDS)?)
    }

    /// Decision logs of the guardrail benchmarks of a namespace.
    pub fn trial_journals(&self, namespace: &str) -> Result<Vec<PathBuf>> {
        journals_in(&self.namespace_folder(namespace, TRIALS)?)
    }

    fn namespace_folder(&self, namespace: &str, folder: &str) -> Result<PathBuf> {
        let namespace = check_name("memory namespace", namespace)?;
        Ok(self.root.join("memory").join(namespace).join(folder))
    }

    fn namespace_path(
        &self,
        namespace: &str,
        folder: &str,
        (what, name): (&'static str, &str),
    ) -> Result<PathBuf> {
        let folder = self.namespace_folder(namespace, folder)?;
        Ok(folder.join(format!("{}{JOURNAL}", check_name(what, name)?)))
    }

    /// Returns the journal of one annotator: labels, notes, tags and names.
    pub fn notes_path(&self, annotator: &str) -> Result<PathBuf> {
        self.journal_path("notes", "annotator", annotator)
    }

    /// Returns the journal of a pass, in which finished sessions are judged again.
    pub fn pass_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("passes", "judging pass", id)
    }

    /// Returns the unblinding journal of one annotator: what else they were shown.
    pub fn unblinding_path(&self, annotator: &str) -> Result<PathBuf> {
        self.journal_path("sights", "annotator", annotator)
    }

    /// Returns the file whose lock a process holds that works under a key; not a journal.
    pub fn key_path(&self, key: &str) -> Result<PathBuf> {
        Ok(self.root.join("keys").join(check_name("key", key)?))
    }

    /// Returns the journal of a labelling queue.
    pub fn queue_path(&self, name: &str) -> Result<PathBuf> {
        self.journal_path("queues", "queue", name)
    }

    /// Returns the blinded transcript of a session, in a pack.
    pub fn sheet_path(&self, session: &str) -> Result<PathBuf> {
        self.journal_path("sheets", "session", session)
    }

    /// Returns the journal of a pack (recipient and contents): in the pack, and in the store it was
    /// made from.
    pub fn pack_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("packs", "pack", id)
    }

    /// Annotations of a pack that were accepted and may not be in their journals yet; not a journal.
    pub fn pending_merge_path(&self, id: &str) -> Result<PathBuf> {
        let name = check_name("merge", id)?;
        Ok(self.root.join(MERGING).join(format!("{name}{DOCUMENT}")))
    }

    /// Returns the journal of one person's prompt versions and their labels.
    pub fn prompt_book(&self, person: &str) -> Result<PathBuf> {
        self.journal_path("prompts", "person", person)
    }

    /// Returns the file of a prompt version's text.
    pub fn prompt_text(&self, hash: &Hash) -> PathBuf {
        let folder = self.root.join("prompts").join("texts");
        folder.join(format!("{hash}.md"))
    }

    /// Returns the journal of a deleted session.
    pub fn trash_path(&self, id: &str) -> Result<PathBuf> {
        self.journal_path("trash", "session", id)
    }

    /// Ids of the sessions.
    pub fn list_sessions(&self) -> Result<Vec<String>> {
        self.list_names("sessions")
    }

    /// Ids of the runs.
    pub fn list_runs(&self) -> Result<Vec<String>> {
        self.list_names("runs")
    }

    /// Ids of the judging passes.
    pub fn list_passes(&self) -> Result<Vec<String>> {
        self.list_names("passes")
    }

    /// Namespaces of long-term memory.
    pub fn list_namespaces(&self) -> Result<Vec<String>> {
        subfolders_of(&self.root.join("memory"))
    }

    /// Ids of the merges that are not complete.
    pub fn list_pending_merges(&self) -> Result<Vec<String>> {
        let mut names = names_with(&self.root.join(MERGING), DOCUMENT)?;
        names.retain(|name| is_safe_name(name));
        Ok(names)
    }

    /// Returns every journal of a folder of [`JOURNAL_FOLDERS`].
    pub fn journals_of(&self, folder: &str) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for folder in self.folders_of(folder)? {
            let names = self.list_names(&folder)?.into_iter();
            let folder = self.root.join(folder);
            paths.extend(names.map(|name| folder.join(format!("{name}{JOURNAL}"))));
        }
        Ok(paths)
    }

    /// Returns the folders, relative to the store, that one of [`JOURNAL_FOLDERS`] stands for.
    pub fn folders_of(&self, folder: &str) -> Result<Vec<String>> {
        let Some((before, behind)) = folder.split_once('*') else {
            return Ok(vec![folder.to_owned()]);
        };
        let namespaces = self.list_namespaces()?.into_iter();
        Ok(namespaces
            .map(|namespace| format!("{before}{namespace}{behind}"))
            .collect())
    }

    /// Returns the journal of a name in a folder, relative to the store. Both may come from others:
    /// neither can lead anywhere else.
    pub fn journal_in(&self, folder: &Path, name: &str) -> Result<PathBuf> {
        let mut path = self.root.clone();
        for part in folder {
            path.push(check_name("folder of a store", &part.to_string_lossy())?);
        }
        Ok(path.join(format!("{}{JOURNAL}", check_name("journal", name)?)))
    }

    fn journal_path(&self, folder: &str, what: &'static str, name: &str) -> Result<PathBuf> {
        let name = check_name(what, name)?;
        Ok(self.root.join(folder).join(format!("{name}{JOURNAL}")))
    }

    /// Returns the names of the journals in a folder, which is no pattern.
    pub fn list_names(&self, folder: &str) -> Result<Vec<String>> {
        let mut names = names_with(&self.root.join(folder), JOURNAL)?;
        names.retain(|name| is_safe_name(name));
        Ok(names)
    }
}

/// Returns the names of the folders in a folder.
fn subfolders_of(folder: &Path) -> Result<Vec<String>> {
    let mut names = names_with(folder, "")?;
    names.retain(|name| is_safe_name(name) && folder.join(name).is_dir());
    Ok(names)
}

/// Lists all journals of a folder, along with those that are gone: reading one of these reports it.
fn journals_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let names = names_with(folder, JOURNAL)?;
    let here = names.iter().filter(|name| is_safe_name(name));
    let mut paths: Vec<PathBuf> = here
        .map(|name| folder.join(format!("{name}{JOURNAL}")))
        .collect();
    paths.extend(heads::list_gone_journals(folder));
    Ok(paths)
}

/// Checks a name. Names come from users, files and imports: none may lead out of its folder.
fn check_name<'a>(what: &'static str, name: &'a str) -> Result<&'a str> {
    if is_safe_name(name) {
        return Ok(name);
    }
    let name = name.chars().take(MAX_NAME_BYTES).collect();
    Err(StoreError::Name { what, name })
}

pub(super) fn is_safe_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with('.')
}
