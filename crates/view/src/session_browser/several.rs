//! Acts on several sessions: on the marked ones where any are marked, else on the one that is chosen. What is
//! asked before, and what came of it, in words. Pure.

use super::browser::SessionBrowser;
use super::known_sessions::SessionEntry;
use crate::ExportAs;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_text::{Content, Role, format_grouped_count};
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
    pub fn describe_refusal(&self) -> Option<(Role, String)> {
        if !self.taken.is_empty() {
            return None;
        }
        let why = outcome_words(None, &self.left_out);
        Some(why.unwrap_or((Role::Notice, "choose a session first".to_owned())))
    }

    /// Returns what is left out and why, in words.
    pub fn describe_left_out(&self) -> Option<(Role, String)> {
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
            let prefix = done.map_or_else(String::new, |done| format!("{done}; "));
            let first = match rest.len() {
                0 => String::new(),
                more => format!("{} not done, the first ", more + 1),
            };
            (Role::Error, format!("{prefix}{first}{id}: {why}"))
        }
    })
}

impl SessionBrowser {
    /// Returns the sessions that an act is about: the marked ones in the order of the list, those out of
    /// sight last; else the chosen one.
    pub fn act_targets(&self) -> Vec<SessionId> {
        if self.marks.is_empty() {
            let chosen_id = self.chosen_session().map(|entry| entry.id.clone());
            return chosen_id.into_iter().collect();
        }
        let mut rest = self.marks.clone();
        let shown_ids = self.shown_sessions().into_iter();
        let mut targets: Vec<SessionId> = shown_ids.filter_map(|id| rest.take(id)).collect();
        targets.extend(rest);
        targets
    }

    /// Returns the sessions that are looked at together: those that are marked, else all that are listed.
    pub fn marked_or_listed(&self) -> Vec<SessionId> {
        match self.marks.is_empty() {
            true => self.shown_sessions().into_iter().cloned().collect(),
            false => self.act_targets(),
        }
    }

    fn split_targets(&self, why_not: impl Fn(&SessionEntry) -> Option<String>) -> ActTargets {
        let mut targets = ActTargets::default();
        for id in self.act_targets() {
            match self.known_sessions().find_entry(&id).and_then(&why_not) {
                Some(why) => targets.left_out.push((id, why)),
                None => targets.taken.push(id),
            }
        }
        targets
    }

    /// Returns the sessions that can be changed, judged again or deleted.
    pub fn targets_to_change(&self) -> ActTargets {
        self.split_targets(SessionEntry::unchangeable_reason)
    }

    /// Returns the sessions that can be played on.
    pub fn targets_to_play(&self) -> ActTargets {
        self.split_targets(SessionEntry::unplayable_reason)
    }

    /// Returns what is asked before sessions are deleted; `None` where that is the one that was chosen.
    pub fn deletion_question(&self, targets: &ActTargets, content: Content) -> Option<String> {
        if targets.taken.len() == 1 && targets.left_out.is_empty() {
            return None;
        }
        Some(format!(
            "Move {} to the trash: {}?{} Undo brings them back.",
            format_grouped_count(targets.taken.len(), "session"),
            self.list_titles(&targets.taken, content),
            targets.left_out_words()
        ))
    }

    /// Returns what is asked before sessions are played on.
    pub fn playing_question(&self, targets: &ActTargets, content: Content) -> String {
        format!(
            "Play {} to the end: {}?{} Models are asked, as far as each session's ceiling allows.",
            format_grouped_count(targets.taken.len(), "session"),
            self.list_titles(&targets.taken, content),
            targets.left_out_words()
        )
    }

    /// Names the first of several sessions.
    fn list_titles(&self, sessions: &[SessionId], content: Content) -> String {
        let title = |id: &SessionId| {
            let title = self
                .known_sessions()
                .find_entry(id)
                .map_or("", SessionEntry::title);
            let title = content.show_or_mask(title);
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
    pub fn toggle_mark(&mut self) {
        let Some(id) = self.chosen_session().map(|entry| entry.id.clone()) else {
            return;
        };
        if !self.marks.remove(&id) {
            self.marks.insert(id);
        }
        self.choose_row(self.row_index() + 1);
    }

    /// Marks every session of the store that is listed; examples can be marked one by one.
    pub fn mark_all(&mut self) {
        let is_kept = |id: &&SessionId| {
            let entry = self.known_sessions().find_entry(id);
            entry.is_some_and(|entry| entry.unchangeable_reason().is_none())
        };
        let session_ids = self.shown_sessions().into_iter().filter(is_kept);
        let session_ids: Vec<SessionId> = session_ids.cloned().collect();
        self.marks.extend(session_ids);
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
        let mut hidden_marks = self.marks.clone();
        for id in self.shown_sessions() {
            hidden_marks.remove(id);
        }
        match (self.marks.len(), hidden_marks.len()) {
            (marked, 0) => Some(format!("{marked} marked")),
            (marked, hidden) => Some(format!("{marked} marked, {hidden} out of sight")),
        }
    }

    /// Returns the two sessions that are to be compared: two marked ones, or the marked one and the chosen.
    ///
    /// # Errors
    /// Says what is to be marked first.
    pub fn pair_to_compare(&self) -> Result<(SessionId, SessionId), WorkspaceError> {
        let chosen_id = self.chosen_session().map(|entry| &entry.id);
        match (self.act_targets().as_slice(), chosen_id) {
            ([left, right], _) => Ok((left.clone(), right.clone())),
            ([marked], Some(chosen)) if marked != chosen => Ok((marked.clone(), chosen.clone())),
            ([_], _) if !self.marks.is_empty() => {
                reject("this is the marked session; choose another one to compare it with")
            }
            ([_] | [], _) => reject("mark the other session first, then compare it with this one"),
            (many, _) => reject(format!("{} are marked: two are compared", many.len())),
        }
    }

    /// Returns where an export goes unless something else is typed: a file for one session, a folder for
    /// several.
    pub fn default_export_path(&self, form: ExportAs) -> String {
        match self.act_targets().as_slice() {
            [only] => export_file_name(only, form),
            _ => FOLDER.to_owned(),
        }
    }

    /// Returns the file of each session of an export.
    pub fn export_files(&self, form: ExportAs, to: &Path) -> Vec<(SessionId, PathBuf)> {
        match self.act_targets().as_slice() {
            [only] => vec![(only.clone(), to.to_owned())],
            several => {
                let file = |id: &SessionId| (id.clone(), to.join(export_file_name(id, form)));
                several.iter().map(file).collect()
            }
        }
    }
}

fn export_file_name(session: &SessionId, form: ExportAs) -> String {
    match form {
        ExportAs::Parcel => format!("{session}.jsonl"),
        ExportAs::Transcript => format!("elenchus-{session}.txt"),
    }
}
