//! Acts on several sessions: on the marked ones where any are marked, else on the one that is chosen. What is
//! asked before, and what came of it, in words. Pure.

use super::browser::SessionBrowser;
use super::known_sessions::SessionEntry;
use crate::ExportAs;
use elenchus_game::debate::SessionId;
use elenchus_text::{Content, Role, grouped_count};
use std::path::{Path, PathBuf};

/// Sessions that a question names.
const NAMED: usize = 3;
/// Letters of a title in a question.
const MAX_TITLE: usize = 40;
/// Folder that several sessions are written to where no other is given.
const FOLDER: &str = "elenchus-sessions";

/// Sessions that an act takes, and those that it leaves out with the reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActTargets {
    pub taken: Vec<SessionId>,
    pub left_out: Vec<(SessionId, String)>,
}

impl ActTargets {
    /// Returns why nothing is done, where no session is taken.
    pub fn refusal(&self) -> Option<(Role, String)> {
        if !self.taken.is_empty() {
            return None;
        }
        let why = outcome_words(None, &self.left_out);
        Some(why.unwrap_or((Role::Notice, "choose a session first".to_owned())))
    }

    /// Returns what is left out and why, in words.
    pub fn left_out_outcome(&self) -> Option<(Role, String)> {
        outcome_words(None, &self.left_out)
    }

    fn left_out_words(&self) -> String {
        let Some((id, why)) = self.left_out.first() else {
            return String::new();
        };
        match self.left_out.len() {
            1 => format!(" 1 is left out, {id}: {why}."),
            many => format!(" {many} are left out, the first {id}: {why}."),
        }
    }
}

/// Returns what was done, and which session failed and why; `None` where there is nothing to say.
pub fn outcome_words(
    done: Option<String>,
    failed: &[(SessionId, String)],
) -> Option<(Role, String)> {
    Some(match (done, failed) {
        (None, []) => return None,
        (Some(done), []) => (Role::Notice, done),
        (done, [(id, why), rest @ ..]) => {
            let done = done.map_or_else(String::new, |done| format!("{done}; "));
            let first = match rest.len() {
                0 => String::new(),
                more => format!("{} not done, the first ", more + 1),
            };
            (Role::Error, format!("{done}{first}{id}: {why}"))
        }
    })
}

impl SessionBrowser {
    /// Returns the sessions that an act is about: the marked ones in the order of the list, those out of
    /// sight last; else the chosen one.
    pub fn targets(&self) -> Vec<SessionId> {
        if self.marks.is_empty() {
            let chosen = self.chosen().map(|entry| entry.id.clone());
            return chosen.into_iter().collect();
        }
        let mut rest = self.marks.clone();
        let listed = self.listed().into_iter();
        let mut targets: Vec<SessionId> = listed.filter_map(|id| rest.take(id)).collect();
        targets.extend(rest);
        targets
    }

    fn choose_by(&self, why_not: impl Fn(&SessionEntry) -> Option<String>) -> ActTargets {
        let mut chosen = ActTargets::default();
        for id in self.targets() {
            match self.known().entry(&id).and_then(&why_not) {
                Some(why) => chosen.left_out.push((id, why)),
                None => chosen.taken.push(id),
            }
        }
        chosen
    }

    /// Returns the sessions that can be changed, judged again or deleted.
    pub fn to_change(&self) -> ActTargets {
        self.choose_by(SessionEntry::why_not_changed)
    }

    /// Returns the sessions that can be played on.
    pub fn to_play(&self) -> ActTargets {
        self.choose_by(SessionEntry::why_not_played_on)
    }

    /// Returns what is asked before sessions are deleted; `None` where that is the one that was chosen.
    pub fn deletion_question(&self, targets: &ActTargets, content: Content) -> Option<String> {
        if targets.taken.len() == 1 && targets.left_out.is_empty() {
            return None;
        }
        Some(format!(
            "Move {} to the trash: {}?{} Undo brings them back.",
            grouped_count(targets.taken.len(), "session"),
            self.named(&targets.taken, content),
            targets.left_out_words()
        ))
    }

    /// Returns what is asked before sessions are played on.
    pub fn playing_question(&self, targets: &ActTargets, content: Content) -> String {
        format!(
            "Play {} to the end: {}?{} Models are asked, as far as each session's ceiling allows.",
            grouped_count(targets.taken.len(), "session"),
            self.named(&targets.taken, content),
            targets.left_out_words()
        )
    }

    /// Names the first of several sessions.
    fn named(&self, sessions: &[SessionId], content: Content) -> String {
        let title = |id: &SessionId| {
            let title = self.known().entry(id).map_or("", SessionEntry::title);
            let title = content.of(title);
            match title.chars().count() > MAX_TITLE {
                true => format!("'{}…'", title.chars().take(MAX_TITLE).collect::<String>()),
                false => format!("'{title}'"),
            }
        };
        let mut names: Vec<String> = sessions.iter().take(NAMED).map(title).collect();
        match sessions.len().saturating_sub(NAMED) {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        names.join(", ")
    }

    /// Marks or unmarks the chosen session, and goes to the next row.
    pub fn mark(&mut self) {
        let Some(id) = self.chosen().map(|entry| entry.id.clone()) else {
            return;
        };
        if !self.marks.remove(&id) {
            self.marks.insert(id);
        }
        self.choose_row(self.row() + 1);
    }

    /// Marks every session of the store that is listed; examples can be marked one by one.
    pub fn mark_all(&mut self) {
        let is_kept = |id: &&SessionId| {
            let entry = self.known().entry(id);
            entry.is_some_and(|entry| entry.why_not_changed().is_none())
        };
        let listed = self.listed().into_iter().filter(is_kept);
        let listed: Vec<SessionId> = listed.cloned().collect();
        self.marks.extend(listed);
    }

    pub fn unmark_all(&mut self) {
        self.marks.clear();
    }

    pub fn is_marked(&self, session: &SessionId) -> bool {
        self.marks.contains(session)
    }

    /// Returns how many are marked and how many of them are out of sight, in words; `None` where none is.
    pub fn marked_words(&self) -> Option<String> {
        if self.marks.is_empty() {
            return None;
        }
        let mut hidden = self.marks.clone();
        for id in self.listed() {
            hidden.remove(id);
        }
        match (self.marks.len(), hidden.len()) {
            (marked, 0) => Some(format!("{marked} marked")),
            (marked, hidden) => Some(format!("{marked} marked, {hidden} out of sight")),
        }
    }

    /// Returns the two sessions that are to be compared: two marked ones, or the marked one and the chosen.
    ///
    /// # Errors
    /// Says what is to be marked first.
    pub fn pair(&self) -> Result<(SessionId, SessionId), String> {
        let chosen = self.chosen().map(|entry| &entry.id);
        match (self.targets().as_slice(), chosen) {
            ([left, right], _) => Ok((left.clone(), right.clone())),
            ([marked], Some(chosen)) if marked != chosen => Ok((marked.clone(), chosen.clone())),
            ([_], _) if !self.marks.is_empty() => {
                Err("this is the marked session; choose another one to compare it with".to_owned())
            }
            ([_] | [], _) => {
                Err("mark the other session first, then compare it with this one".to_owned())
            }
            (many, _) => Err(format!("{} are marked: two are compared", many.len())),
        }
    }

    /// Returns where an export goes unless something else is typed: a file for one session, a folder for
    /// several.
    pub fn export_to(&self, form: ExportAs) -> String {
        match self.targets().as_slice() {
            [only] => file_of(only, form),
            _ => FOLDER.to_owned(),
        }
    }

    /// Returns the file of each session of an export.
    pub fn export_files(&self, form: ExportAs, to: &Path) -> Vec<(SessionId, PathBuf)> {
        match self.targets().as_slice() {
            [only] => vec![(only.clone(), to.to_owned())],
            several => {
                let file = |id: &SessionId| (id.clone(), to.join(file_of(id, form)));
                several.iter().map(file).collect()
            }
        }
    }
}

fn file_of(session: &SessionId, form: ExportAs) -> String {
    match form {
        ExportAs::Parcel => format!("{session}.jsonl"),
        ExportAs::Transcript => format!("elenchus-{session}.txt"),
    }
}
