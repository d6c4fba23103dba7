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
use elenchus_text::grouped_count;
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
    how: ListArrangement,
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
            how: ListArrangement::of(kept),
            list: ArrangedList::default(),
            is_stale: true,
            pick: None,
            row: 0,
            wanted: None,
            search: None,
            marks: BTreeSet::new(),
        }
    }

    pub fn known(&self) -> &KnownSessions {
        &self.known
    }

    pub fn how(&self) -> &ListArrangement {
        &self.how
    }

    /// Takes in what was read or changed; the list is arranged anew before it is shown.
    pub fn know(&mut self, change: impl FnOnce(&mut KnownSessions)) {
        change(&mut self.known);
        self.is_stale = true;
    }

    /// Takes the marks of sessions that are gone away.
    pub fn drop_marks_of_gone(&mut self) {
        let known = &self.known;
        self.marks.retain(|id| known.entry(id).is_some());
    }

    /// Arranges the list again, if anything changed: the choice stays on its session.
    pub fn refresh(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        self.list = self.how.arrange(self.known.entries(), self.known.now());
        let place = |pick: &ListPick| {
            let mut lines = self.list.lines.iter();
            lines.position(|line| pick_of(line, &self.known).as_ref() == Some(pick))
        };
        let wanted = self.wanted.clone().map(ListPick::Session);
        let wanted = wanted.as_ref().and_then(place);
        let at = wanted.or_else(|| self.pick.as_ref().and_then(place));
        if wanted.is_some() {
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
        self.take_pick();
    }

    fn take_pick(&mut self) {
        self.row = self.row.min(self.list.lines.len().saturating_sub(1));
        let line = self.list.lines.get(self.row);
        self.pick = line.and_then(|line| pick_of(line, &self.known));
    }

    /// Returns how many rows there are.
    pub fn rows(&self) -> usize {
        match &self.search {
            Some(search) => search.results.hits().len(),
            None => self.list.lines.len(),
        }
    }

    /// Returns the chosen row.
    pub fn row(&self) -> usize {
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
        self.take_pick();
    }

    /// Chooses a session as soon as it is listed, unless the choice is moved before.
    pub fn choose(&mut self, session: SessionId) {
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
    pub fn chosen(&self) -> Option<&SessionEntry> {
        match (&self.search, self.pick.as_ref()) {
            (Some(_), _) => self.known.entry(&self.hit()?.session),
            (None, Some(ListPick::Session(id))) => self.known.entry(id),
            (None, Some(ListPick::Heading(_)) | None) => None,
        }
    }

    /// Returns the sessions that the list or the search shows, in their order.
    pub(super) fn listed(&self) -> Vec<&SessionId> {
        if let Some(search) = &self.search {
            let hits = search.results.hits().iter();
            return hits.map(|hit| &hit.session).collect();
        }
        let entry = |line: &ListLine| match line {
            ListLine::Session(line) => self.known.entries().get(line.at),
            ListLine::Heading { .. } => None,
        };
        let listed = self.list.lines.iter().filter_map(entry);
        listed.map(|entry| &entry.id).collect()
    }

    /// Returns how many sessions are listed, those of folded groups as well.
    pub(super) fn count(&self) -> usize {
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
        &self.how.filter
    }

    /// Lists what meets these conditions.
    pub fn filter_by(&mut self, filter: &str) {
        filter.clone_into(&mut self.how.filter);
        self.is_stale = true;
    }

    /// Sorts by the next column, in its usual direction.
    pub fn sort_by_next(&mut self) {
        self.how.sort = self.how.sort.next();
        self.how.direction = self.how.sort.usual();
        self.is_stale = true;
    }

    /// Turns the order round.
    pub fn turn_order(&mut self) {
        self.how.direction = self.how.direction.turned();
        self.is_stale = true;
    }

    /// Groups by something else.
    pub fn group_by_next(&mut self) {
        self.how.group = self.how.group.next();
        self.is_stale = true;
    }

    /// Returns order, groups and what is out of sight, in words.
    pub(super) fn arrangement_words(&self) -> String {
        let how = &self.how;
        let mut facts = vec![how.sort.first(how.direction).to_owned()];
        if how.group != GroupBy::Nothing {
            facts.push(format!("grouped by {}", how.group.word()));
        }
        if self.list.replicates > 0 {
            let hidden = grouped_count(self.list.replicates, "replicate");
            facts.push(format!("{hidden} out of sight: filter is:replicate"));
        }
        facts.join(", ")
    }

    /// Returns the column that the list is sorted by, and which way.
    pub fn order(&self) -> (SortBy, Direction) {
        (self.how.sort, self.how.direction)
    }

    /// Folds the chosen heading or the forks of the chosen session away, or out again. A fork that has none
    /// itself folds its parent.
    pub fn fold(&mut self, fold: Fold) {
        match self.pick.clone() {
            Some(ListPick::Heading(group)) => {
                let was_folded = self.how.folded.remove(&group);
                let is_folded = match fold {
                    Fold::Away => true,
                    Fold::Out => false,
                    Fold::TurnRound => !was_folded,
                };
                if is_folded {
                    self.how.folded.insert(group);
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
                self.how.folded_forks.insert(id);
            }
            (Fold::Away, Some((line, false))) if line.depth > 0 => {
                let entry = self.known.entry(&id);
                if let Some(parent) = entry.and_then(SessionEntry::parent).cloned() {
                    self.choose(parent.clone());
                    self.how.folded_forks.insert(parent);
                }
            }
            (Fold::Away | Fold::Out | Fold::TurnRound, _) => {
                self.how.folded_forks.remove(&id);
            }
        }
    }

    /// Returns the chosen line of a session, and whether a fork of it follows.
    fn chosen_line(&self) -> Option<(SessionLine, bool)> {
        let line = |at: usize| match self.list.lines.get(at)? {
            ListLine::Session(line) => Some(*line),
            ListLine::Heading { .. } => None,
        };
        let chosen = line(self.row)?;
        let next = line(self.row + 1);
        Some((chosen, next.is_some_and(|next| next.depth > chosen.depth)))
    }

    /// Shows what a search finds, instead of the list.
    pub fn search(&mut self, text: String) {
        self.search = Some(Search {
            text,
            results: SearchResults::default(),
            row: 0,
        });
    }

    /// Takes an event of the search; `None` where everything was looked at.
    pub fn found(&mut self, event: Option<SearchEvent>) {
        if let Some(search) = &mut self.search {
            match event {
                Some(event) => search.results.take(event),
                None => search.results.end(),
            }
        }
    }

    /// Shows the list again; says whether a search was shown.
    pub fn leave_search(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// Returns what is searched for and what was found, where a search is shown.
    pub fn searched(&self) -> Option<(&str, &SearchResults)> {
        let search = self.search.as_ref()?;
        Some((&search.text, &search.results))
    }

    /// Returns the chosen place of the search.
    pub fn hit(&self) -> Option<&SearchHit> {
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
