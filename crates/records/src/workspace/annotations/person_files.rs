//! Files of people: which journal of a folder is whose, and what a new one is called.
//!
//! Two people never share a file, also where file systems fold case: a name that is not a plain file name
//! in small letters becomes one with a part of its hash. A journal names its person in its lines. Earlier
//! versions put a dash for every other character, so that several names gave one file; such a journal
//! goes on being that of the person who began it, under its name.

use super::journal::NOTES;
use crate::workspace::error::Result;
use elenchus_game::debate::Author;
use elenchus_store::{Hash, Import, JOURNAL, Layout, StoreError, import_of, open_lines};
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whom acts without a name belong to.
const NOBODY: &str = "person";
/// The longest plain name, and the longest name that earlier versions gave a file.
const MAX_PLAIN_CHARS: usize = 100;
/// Characters of a name that its file shows before the hash.
const SHOWN_CHARS: usize = 40;
/// Hexadecimal digits of the hash.
const HASH_CHARS: usize = 16;

/// Returns a person's name as annotations hold it: as it was given, without blanks around it.
pub fn annotator_name(person: &str) -> String {
    match person.trim() {
        "" => NOBODY.to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the people of a folder, `notes` or `sights`, with their journals, sorted by name.
///
/// A journal whose name does not fit the person in it is called by its file: what is copied here under
/// another name speaks for nobody else. Of two that fit, the one that was begun here has the name.
/// Blocks while it reads their first lines.
///
/// # Errors
/// When the folder cannot be listed.
pub fn journals_of_people(layout: &Layout, folder: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut by_owner: BTreeMap<String, Vec<(String, PathBuf)>> = BTreeMap::new();
    let mut people = Vec::new();
    for stem in layout.list_names(folder)? {
        let path = layout.journal_in(Path::new(folder), &stem)?;
        match owner_of(&path).filter(|owner| file_names(owner).contains(&stem)) {
            Some(owner) => by_owner.entry(owner).or_default().push((stem, path)),
            None => people.push((stem, path)),
        }
    }
    for (owner, mut journals) in by_owner {
        journals.sort_by_key(|(_, path)| import_of(path).is_some());
        let mut owner = Some(owner);
        let own_journals = journals.into_iter();
        people.extend(own_journals.map(|(stem, path)| (owner.take().unwrap_or(stem), path)));
    }
    people.sort();
    Ok(people)
}

/// Returns whose marks came with an import, with when and from where. Blocks while it reads first lines.
///
/// # Errors
/// When the folder cannot be listed.
pub fn imported_people(layout: &Layout) -> Result<BTreeMap<String, Import>> {
    let people = journals_of_people(layout, NOTES)?.into_iter();
    Ok(people
        .filter_map(|(person, path)| Some((person, import_of(&path)?)))
        .collect())
}

/// Returns whose journal a file is by its name and its lines: the person who began it, where the name fits
/// them, else whatever its name says. Blocks while it reads its first lines.
pub fn person_of_journal(path: &Path) -> String {
    let stem = stem_of(path);
    let owner = owner_of(path).filter(|owner| file_names(owner).contains(&stem));
    owner.unwrap_or(stem)
}

/// Returns the journal of a person in a folder, whether or not it is there. Blocks while it reads first
/// lines.
///
/// # Errors
/// When the folder cannot be listed.
pub fn journal_of_person(layout: &Layout, folder: &str, person: &str) -> Result<PathBuf> {
    let person = annotator_name(person);
    let at = |stem: &str| layout.journal_in(Path::new(folder), stem);
    let there = layout.list_names(folder)?;
    let mut own = Vec::new();
    for stem in file_names(&person) {
        let path = at(&stem)?;
        if there.contains(&stem) && owner_of(&path).as_ref() == Some(&person) {
            own.push(path);
        }
    }
    own.sort_by_key(|path| import_of(path).is_some());
    if let Some(path) = own.into_iter().next() {
        return Ok(path);
    }
    let is_free = |stem: &String| -> Result<bool, StoreError> {
        let mut others = there.iter().filter(|one| one.eq_ignore_ascii_case(stem));
        others.try_fold(true, |free, one| {
            // A journal that was begun and holds nothing yet is that of the name it has.
            Ok(free && one == stem && owner_of(&at(one)?).is_none())
        })
    };
    if let Some(plain) = plain_name(&person)
        && is_free(&plain)?
    {
        return Ok(at(&plain)?);
    }
    Ok(at(&hashed_name(&person))?)
}

/// Returns the name of a person's file among those of other writers, without checking whether an earlier
/// version gave it to others too.
pub(crate) fn new_name(person: &str) -> String {
    let person = annotator_name(person);
    plain_name(&person).unwrap_or_else(|| hashed_name(&person))
}

/// Returns the people who wrote in a journal that earlier versions may have given to several, in order;
/// empty where it is one person's.
pub fn people_in_one_file(path: &Path) -> Vec<String> {
    let stem = stem_of(path);
    let mut people: Vec<String> = Vec::new();
    for person in people_in(path) {
        if !people.contains(&person) && earlier_name(&person) == stem {
            people.push(person);
        }
    }
    match people.len() {
        0 | 1 => Vec::new(),
        _ => people,
    }
}

/// Returns the first person who wrote in a journal; `None` where nobody did or it cannot be read.
pub(crate) fn owner_of(path: &Path) -> Option<String> {
    people_in(path).next()
}

fn people_in(path: &Path) -> impl Iterator<Item = String> {
    let lines = open_lines::<IgnoredAny>(path).ok().into_iter().flatten();
    let sound = lines.map_while(std::result::Result::ok);
    let authors = sound.filter_map(|line| Some(Author::parse(&line.author()?)));
    authors.filter_map(|author| match author {
        Author::Person(name) => Some(annotator_name(&name)),
        Author::Engine => None,
    })
}

fn stem_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(JOURNAL).unwrap_or(&name).to_owned()
}

/// Returns every name that a person's file may have, of earlier versions and of this one.
fn file_names(person: &str) -> Vec<String> {
    let mut names = vec![earlier_name(person), hashed_name(person)];
    names.extend(plain_name(person));
    names.sort();
    names.dedup();
    names
}

/// Returns what earlier versions called a person's file.
pub(crate) fn earlier_name(person: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let name: String = person
        .trim()
        .trim_start_matches('.')
        .chars()
        .map(|letter| if plain(letter) { letter } else { '-' })
        .take(MAX_PLAIN_CHARS)
        .collect();
    match name.is_empty() {
        true => NOBODY.to_owned(),
        false => name,
    }
}

/// Returns a name that is a file's as it is; `None` where it has other signs, or looks like a hashed one.
fn plain_name(person: &str) -> Option<String> {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
    };
    let is_plain = person.bytes().all(plain) && !person.starts_with('.');
    let is_hashed = person.rsplit_once('.').is_some_and(|(_, end)| {
        end.len() == HASH_CHARS && end.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let fits = (1..=MAX_PLAIN_CHARS).contains(&person.len());
    (is_plain && !is_hashed && fits).then(|| person.to_owned())
}

/// Returns the name of a person's file that no other name gives.
pub(crate) fn hashed_name(person: &str) -> String {
    let person = &annotator_name(person);
    let prefix: String = person
        .chars()
        .map(|letter| match letter.is_ascii_alphanumeric() {
            true => letter.to_ascii_lowercase(),
            false => '-',
        })
        .take(SHOWN_CHARS)
        .collect();
    let prefix = match prefix.trim_matches('-') {
        "" => NOBODY,
        shown => shown,
    };
    let hash = Hash::digest(person.as_bytes()).to_string();
    let digits: String = hash.chars().take(HASH_CHARS).collect();
    format!("{prefix}.{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_names_share_a_file_also_where_case_is_folded() {
        let names = [
            "李雷", "韩梅", "Åsa", "Øsa", "åsa", "-sa", "a b", "a/b", "a-b", "A-b", "Ada", "ada",
            "ADA", "..", ".", "person", "Person", "e\u{301}", "é", "a ", "con", "",
        ];
        let people: BTreeSet<String> = names.iter().map(|name| annotator_name(name)).collect();
        let long = ["x".repeat(300), "x".repeat(301)];
        let imitated = hashed_name("Ada");
        let people: BTreeSet<String> = people.into_iter().chain(long).chain([imitated]).collect();
        let files: BTreeSet<String> = people
            .iter()
            .map(|name| new_name(name).to_ascii_lowercase())
            .collect();
        assert_eq!(files.len(), people.len(), "{files:?}");
        assert!(
            files
                .iter()
                .all(|name| name.len() <= MAX_PLAIN_CHARS && name.is_ascii())
        );
        assert_eq!(new_name("ada"), "ada");
        assert_eq!(new_name("a.b_c-1"), "a.b_c-1");
        assert!(new_name("Ada").starts_with("ada."));
    }
}
