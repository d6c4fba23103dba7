//! Lookup of a prompt's text by label or hash, and restoring an earlier one.

use super::book::{KeptBecause, KeptPrompts, kept_text, read_kept};
use super::catalogue::read_prompt;
use super::name::PromptName;
use super::played::PlayedSessions;
use super::save::{SaveFault, Saved, save_prompt};
use crate::library::{Library, shorten_hash};
use crate::workspace::error::{Result, WorkspaceError, reject};
use crate::workspace::session::read_session;
use crate::workspace::store_context::StoreContext;
use crate::workspace::store_index::StoreIndex;
use elenchus_game::debate::State;
use elenchus_store::{Hash, Layout};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Fewer digits of a hash could be a word.
const MIN_HASH_DIGITS: usize = 4;
/// Prompts that a message names at most.
const MAX_NAMED: usize = 6;

/// Finds a text by its label or the beginning of its hash: of one prompt, or, where none is given, of
/// any. Blocks while it reads the store.
///
/// # Errors
/// When no text is meant, or more than one; when the store cannot be listed.
pub fn find_version(
    layout: &Layout,
    library: &Library,
    of: Option<&PromptName>,
    named: &str,
) -> Result<(Hash, Arc<str>)> {
    let kept_prompts = read_kept(layout)?;
    let matches_name = |name: &PromptName| of.is_none_or(|of| of == name);
    if let Some((hash, name)) = find_labelled_text(&kept_prompts, named, matches_name)? {
        return match kept_text(layout, &hash) {
            Some(text) => Ok((hash, text)),
            None => text_of(layout, library, of, &hash.to_string())?.ok_or_else(|| {
                WorkspaceError::Invalid(format!(
                    "the text labelled '{named}' of {name} ({}) is no longer in the store",
                    shorten_hash(&hash)
                ))
            }),
        };
    }
    let digits = named.bytes().all(|byte| byte.is_ascii_hexdigit());
    let version = match digits && named.len() >= MIN_HASH_DIGITS {
        true => text_of(layout, library, of, &named.to_lowercase())?,
        false => None,
    };
    version.ok_or_else(|| {
        let whose = of.map_or_else(|| "any prompt".to_owned(), ToString::to_string);
        WorkspaceError::Invalid(format!(
            "no text of {whose} has the label '{named}' or a hash that begins so; 'elenchus prompts \
             log {}' lists them",
            of.map_or_else(|| "PROMPT".to_owned(), ToString::to_string)
        ))
    })
}

/// Makes an earlier text of a prompt the one that is used; the replaced one stays among the versions.
/// Blocks.
///
/// # Errors
/// When there is no such text, and as [`save_prompt`].
pub fn restore_prompt(
    store: &StoreContext,
    library: &Library,
    folder: &Path,
    name: &PromptName,
    version: &str,
) -> Result<Saved, SaveFault> {
    let (_, text) = find_version(&store.layout, library, Some(name), version)?;
    let before = read_prompt(library, name)?;
    let (opened, because) = (&before.overview.hash, KeptBecause::Restored);
    save_prompt(store, library, folder, name, opened, &text, because)
}

fn find_labelled_text(
    kept: &KeptPrompts,
    label: &str,
    is_asked: impl Fn(&PromptName) -> bool,
) -> Result<Option<(Hash, PromptName)>> {
    let prompts = kept.labels.iter().filter(|(name, _)| is_asked(name));
    let hits: Vec<(&PromptName, &Hash)> = prompts
        .filter_map(|(name, labels)| Some((name, labels.get(label)?)))
        .collect();
    let Some((name, hash)) = hits.first() else {
        return Ok(None);
    };
    if hits.iter().all(|(_, other)| other == hash) {
        return Ok(Some((**hash, (*name).clone())));
    }
    let names = hits.iter().take(MAX_NAMED);
    let names: Vec<String> = names.map(|(name, _)| name.to_string()).collect();
    reject(format!(
        "'{label}' is a label of {} prompts, {}; give the beginning of the hash instead",
        hits.len(),
        names.join(", ")
    ))
}

/// Returns the one text whose hash begins so.
fn text_of(
    layout: &Layout,
    library: &Library,
    of: Option<&PromptName>,
    prefix: &str,
) -> Result<Option<(Hash, Arc<str>)>> {
    let mut texts = BTreeMap::new();
    let mut take = |text: &str| {
        let hash = Hash::digest(text.as_bytes());
        if hash.to_string().starts_with(prefix) {
            texts.entry(hash).or_insert_with(|| Arc::from(text));
        }
    };
    for library in [library, &Library::default()] {
        visit_texts_in_use(library, of, &mut take);
    }
    for kept in read_kept(layout)?.kept {
        let fits = kept.hash.to_string().starts_with(prefix);
        if fits && of.is_none_or(|of| *of == kept.name) {
            kept_text(layout, &kept.hash)
                .iter()
                .for_each(|text| take(text));
        }
    }
    let (index, _) = StoreIndex::read_prompts(layout);
    let sessions = PlayedSessions::read_prompts(&index)?;
    for (path, played) in sessions.sessions.iter().chain(&sessions.samples) {
        let mut versions = played.all_versions();
        if versions.any(|hash| hash.to_string().starts_with(prefix))
            && let Ok(state) = read_session(path)
        {
            visit_played_texts(&state, of, &mut take);
        }
    }
    index.write_changes();
    let mut all = texts.into_iter();
    match (all.next(), all.next()) {
        (Some(_), Some(_)) => reject(format!(
            "several versions begin with '{prefix}'; give more digits"
        )),
        (one, _) => Ok(one),
    }
}

fn visit_texts_in_use(library: &Library, of: Option<&PromptName>, take: &mut impl FnMut(&str)) {
    let protocols: Vec<String> = match of {
        Some(of) => vec![of.protocol.clone()],
        None => library
            .list_protocols()
            .into_iter()
            .map(|(id, _)| id)
            .collect(),
    };
    for id in protocols {
        // A game that cannot be read has no texts to be meant.
        let Ok(variants) = library.read_variants(&id) else {
            continue;
        };
        let templates = variants.iter().map(|variant| &variant.parts.templates);
        for (template, text) in templates.flatten() {
            if of.is_none_or(|of| of.template == *template) {
                take(text);
            }
        }
    }
}

fn visit_played_texts(state: &State, of: Option<&PromptName>, take: &mut impl FnMut(&str)) {
    let Some(created) = state.first_event() else {
        return;
    };
    if of.is_some_and(|of| of.protocol != created.protocol.id) {
        return;
    }
    let before = state.replaced_templates().iter();
    let before = before.flat_map(|before| &before.texts);
    for (template, text) in before.chain(&created.templates) {
        if of.is_none_or(|of| of.template == *template) {
            take(text);
        }
    }
}
