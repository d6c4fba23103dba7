//! Browser: the sessions as they are listed now, the line that is chosen, those that are marked, and a search
//! over all of them. Pure.

use super::arrangement::{
    ArrangedList, Direction, GroupBy, ListArrangement, ListLine, ListState, SessionGroup,
    SessionLine, SortBy,
};
use super::known_sessions::{KnownSessions, SessionEntry};
use super::search_results::SearchResults;
use crate::{SearchEvent, SearchHit};
use elenchus_game::debate::SessionId;
use elenchus_text::format_grouped_count;
use std::collections::BTreeSet;

/// Line that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListPick {
    Session(SessionId),
    Heading(SessionGroup),
}

/// Change of a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    Away,
    Out,
    TurnRound,
}

/// A search and its places.
#[derive(Debug)]
struct Search {
    text: String,
    results: SearchResults,
    row: usize,
}

/// All sessions that were read, as they are listed. Where a search is shown, rows are its places.
#[derive(Debug)]
pub struct SessionBrowser {
    known: KnownSessions,
    arrangement: ListArrangement,
    list: ArrangedList,
    /// Something changed since the list was arranged.
    is_stale: bool,
    pick: Option<ListPick>,
    row: usize,
    /// Session to choose as soon as it is listed.
    wanted: Option<SessionId>,
    search: Option<Search>,
    pub(super) marks: BTreeSet<SessionId>,
}

impl SessionBrowser {
    /// A list that is not read yet, arranged as it was kept.
    pub fn new(kept: &ListState) -> Self {
        Self {
            known: KnownSessions::default(),
            arrangement: ListArrangement::from_state(kept),
            list: ArrangedList::default(),
            is_stale: true,
            pick: None,
            row: 0,
            wanted: None,
            search: None,
            marks: BTreeSet::new(),
        }
    }

    pub fn known_sessions(&self) -> &KnownSessions {
        &self.known
    }

    pub fn arrangement(&self) -> &ListArrangement {
        &self.arrangement
    }

    /// Takes in what was read or changed; the list is arranged anew before it is shown.
    pub fn update_sessions(&mut self, change: impl FnOnce(&mut KnownSessions)) {
        change(&mut self.known);
        self.is_stale = true;
    }

    /// Takes the marks of sessions that are gone away.
    pub fn drop_stale_marks(&mut self) {
        let sessions = &self.known;
        self.marks.retain(|id| sessions.find_entry(id).is_some());
    }

    /// Arranges the list again, if anything changed: the choice stays on its session.
    pub fn refresh(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        self.list = self
            .arrangement
            .arrange(self.known.entries(), self.known.now());
        let place = |pick: &ListPick| {
            let mut lines = self.list.lines.iter();
            lines.position(|line| pick_of(line, &self.known).as_ref() == Some(pick))
        };
        let wanted_pick = self.wanted.clone().map(ListPick::Session);
        let wanted_row = wanted_pick.as_ref().and_then(place);
        let at = wanted_row.or_else(|| self.pick.as_ref().and_then(place));
        if wanted_row.is_some() {
            self.wanted = None;
        }
        self.row = match at {
            Some(at) => at,
            // Its place is taken by what follows; at first by the first session.
            None if self.pick.is_some() => self.row,
            None => {
                let is_session = |line: &ListLine| matches!(line, ListLine::Session(_));
                self.list.lines.iter().position(is_session).unwrap_or(0)
            }
        };
        self.update_pick();
    }

    fn update_pick(&mut self) {
        self.row = self.row.min(self.list.lines.len().saturating_sub(1));
        let line = self.list.lines.get(self.row);
        self.pick = line.and_then(|line| pick_of(line, &self.known));
    }

    /// Returns how many rows there are.
    pub fn row_count(&self) -> usize {
        match &self.search {
            Some(search) => search.results.hits().len(),
            None => self.list.lines.len(),
        }
    }

    /// Returns the chosen row.
    pub fn row_index(&self) -> usize {
        self.search.as_ref().map_or(self.row, |search| search.row)
    }

    /// Chooses a row, the last one where there are fewer.
    pub fn choose_row(&mut self, row: usize) {
        if let Some(search) = &mut self.search {
            let last = search.results.hits().len().saturating_sub(1);
            search.row = row.min(last);
            return;
        }
        self.wanted = None;
        self.row = row;
        self.update_pick();
    }

    /// Chooses a session as soon as it is listed, unless the choice is moved before.
    pub fn choose_session(&mut self, session: SessionId) {
        self.wanted = Some(session);
        self.is_stale = true;
    }

    /// Returns the lines of the list.
    pub fn lines(&self) -> &[ListLine] {
        &self.list.lines
    }

    /// Returns what is chosen in the list.
    pub fn pick(&self) -> Option<&ListPick> {
        self.pick.as_ref()
    }

    /// Returns the chosen session.
    pub fn chosen_session(&self) -> Option<&SessionEntry> {
        match (&self.search, self.pick.as_ref()) {
            (Some(_), _) => self.known.find_entry(&self.chosen_hit()?.session),
            (None, Some(ListPick::Session(id))) => self.known.find_entry(id),
            (None, Some(ListPick::Heading(_)) | None) => None,
        }
    }

    /// Returns the sessions that the list or the search shows, in their order.
    pub(super) fn shown_sessions(&self) -> Vec<&SessionId> {
        if let Some(search) = &self.search {
            let hits = search.results.hits().iter();
            return hits.map(|hit| &hit.session).collect();
        }
        let entry = |line: &ListLine| match line {
            ListLine::Session(line) => self.known.entries().get(line.at),
            ListLine::Heading { .. } => None,
        };
        let entries = self.list.lines.iter().filter_map(entry);
        entries.map(|entry| &entry.id).collect()
    }

    /// Returns how many sessions are listed, those of folded groups as well.
    pub(super) fn count_sessions(&self) -> usize {
        let count = |line: &ListLine| match line {
            ListLine::Session(_) => 1,
            ListLine::Heading { count, folded, .. } => match folded {
                true => *count,
                false => 0,
            },
        };
        self.list.lines.iter().map(count).sum()
    }

    /// Returns the conditions that listed sessions meet.
    pub fn filter(&self) -> &str {
        &self.arrangement.filter
    }

    /// Lists what meets these conditions.
    pub fn filter_by(&mut self, filter: &str) {
        filter.clone_into(&mut self.arrangement.filter);
        self.is_stale = true;
    }

    /// Sorts by the next column, in its usual direction.
    pub fn sort_by_next(&mut self) {
        self.arrangement.sort = self.arrangement.sort.next();
        self.arrangement.direction = self.arrangement.sort.usual_direction();
        self.is_stale = true;
    }

    /// Turns the order round.
    pub fn reverse_order(&mut self) {
        self.arrangement.direction = self.arrangement.direction.opposite();
        self.is_stale = true;
    }

    /// Groups by something else.
    pub fn group_by_next(&mut self) {
        self.arrangement.group = self.arrangement.group.next();
        self.is_stale = true;
    }

    /// Returns order, groups and what is out of sight, in words.
    pub(super) fn arrangement_words(&self) -> String {
        let arrangement = &self.arrangement;
        let mut facts = vec![arrangement.sort.first(arrangement.direction).to_owned()];
        if arrangement.group != GroupBy::Nothing {
            facts.push(format!("grouped by {}", arrangement.group.word()));
        }
        if self.list.replicates > 0 {
            let replicate_count = format_grouped_count(self.list.replicates, "replicate");
            facts.push(format!(
                "{replicate_count} out of sight: filter is:replicate"
            ));
        }
        facts.join(", ")
    }

    /// Returns the column that the list is sorted by, and which way.
    pub fn sort_order(&self) -> (SortBy, Direction) {
        (self.arrangement.sort, self.arrangement.direction)
    }

    /// Folds the chosen heading or the forks of the chosen session away, or out again. A fork that has none
    /// itself folds its parent.
    pub fn apply_fold(&mut self, fold: Fold) {
        match self.pick.clone() {
            Some(ListPick::Heading(group)) => {
                let was_folded = self.arrangement.folded.remove(&group);
                let is_folded = match fold {
                    Fold::Away => true,
                    Fold::Out => false,
                    Fold::TurnRound => !was_folded,
                };
                if is_folded {
                    self.arrangement.folded.insert(group);
                }
            }
            Some(ListPick::Session(id)) => self.fold_forks(fold, id),
            None => {}
        }
        self.is_stale = true;
    }

    fn fold_forks(&mut self, fold: Fold, id: SessionId) {
        match (fold, self.chosen_line()) {
            (Fold::Away, Some((_, true))) => {
                self.arrangement.folded_forks.insert(id);
            }
            (Fold::Away, Some((line, false))) if line.depth > 0 => {
                let entry = self.known.find_entry(&id);
                if let Some(parent) = entry.and_then(SessionEntry::parent).cloned() {
                    self.choose_session(parent.clone());
                    self.arrangement.folded_forks.insert(parent);
                }
            }
            (Fold::Away | Fold::Out | Fold::TurnRound, _) => {
                self.arrangement.folded_forks.remove(&id);
            }
        }
    }

    /// Returns the chosen line of a session, and whether a fork of it follows.
    fn chosen_line(&self) -> Option<(SessionLine, bool)> {
        let line = |at: usize| match self.list.lines.get(at)? {
            ListLine::Session(line) => Some(*line),
            ListLine::Heading { .. } => None,
        };
        let session_line = line(self.row)?;
        let next = line(self.row + 1);
        Some((
            session_line,
            next.is_some_and(|next| next.depth > session_line.depth),
        ))
    }

    /// Shows what a search finds, instead of the list.
    pub fn open_search(&mut self, text: String) {
        self.search = Some(Search {
            text,
            results: SearchResults::default(),
            row: 0,
        });
    }

    /// Takes an event of the search; `None` where everything was looked at.
    pub fn handle_search_event(&mut self, event: Option<SearchEvent>) {
        if let Some(search) = &mut self.search {
            match event {
                Some(event) => search.results.add_event(event),
                None => search.results.finish(),
            }
        }
    }

    /// Shows the list again; says whether a search was shown.
    pub fn leave_search(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// Returns what is searched for and what was found, where a search is shown.
    pub fn current_search(&self) -> Option<(&str, &SearchResults)> {
        let search = self.search.as_ref()?;
        Some((&search.text, &search.results))
    }

    /// Returns the chosen place of the search.
    pub fn chosen_hit(&self) -> Option<&SearchHit> {
        let search = self.search.as_ref()?;
        search.results.hits().get(search.row)
    }
}

fn pick_of(line: &ListLine, known: &KnownSessions) -> Option<ListPick> {
    match line {
        ListLine::Session(line) => {
            let entry = known.entries().get(line.at)?;
            Some(ListPick::Session(entry.id.clone()))
        }
        ListLine::Heading { group, .. } => Some(ListPick::Heading(group.clone())),
    }
}
