//! List of experiments: which lines pass the filter, what is folded, what is marked, and what each has come to.

use super::{Experiments, tasks};
use crate::tui::app::{Effect, say_notice};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::side_by_side::SideBySide;
use crate::tui::widgets::Moved;
use elenchus_records::workspace::ExperimentSummary;
use elenchus_run::experiments::{
    ExperimentColumn, ExperimentLine, ListedExperiment, ListedFigures,
};
use std::collections::BTreeMap;

/// Experiments whose figures are computed at a time.
const AT_ONCE: usize = 32;

/// What experiments have come to, each as of its summary: one that has not gone on is not computed again.
#[derive(Default)]
pub(super) struct KnownFigures(BTreeMap<String, (ExperimentSummary, Option<ListedFigures>)>);

impl KnownFigures {
    pub(super) fn find(&self, one: &ListedExperiment) -> Option<&ListedFigures> {
        self.0.get(&one.summary.id)?.1.as_ref()
    }

    fn is_known(&self, one: &ListedExperiment) -> bool {
        let known = self.0.get(&one.summary.id);
        known.is_some_and(|(summary, _)| *summary == one.summary)
    }
}

/// What experiments have come to.
pub(super) type ComputedFigures = Vec<(ExperimentSummary, Option<ListedFigures>)>;

impl Experiments {
    pub(super) fn experiments(&self) -> &[ListedExperiment] {
        let listing = self.known.as_ref();
        listing.map_or(&[], |known| known.experiments.as_slice())
    }

    /// Returns a line with its experiment.
    pub(super) fn listed_at(&self, item: usize) -> Option<(ExperimentLine, &ListedExperiment)> {
        let line = *self.lines.lines.get(item)?;
        Some((line, self.experiments().get(line.at)?))
    }

    /// Returns the experiment under the cursor.
    pub(super) fn chosen_experiment(&self) -> Option<&ListedExperiment> {
        let (_, one) = self.listed_at(self.list.selected_item()?)?;
        Some(one)
    }

    /// Lists what passes the filter; the cursor stays on its experiment where it can, else it goes to what that is a
    /// part of.
    pub(super) fn apply_filter(&mut self, cursor_id: Option<&str>) {
        let words = self.list.filter_words();
        let fits = |one: &ListedExperiment| {
            let summary = &one.summary;
            let word = one.activity_word();
            let text = format!("{} {} {word} {}", summary.id, summary.kind, summary.about);
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let listing = self.known.as_ref();
        let all = listing.map_or(&[][..], |known| known.experiments.as_slice());
        self.lines.arrange(all, fits);
        let is_at = |line: &&ExperimentLine, id: Option<&str>| {
            let one = all.get(line.at);
            one.map(|one| one.summary.id.as_str()) == id
        };
        let owner = all.iter().find(|one| {
            let mut runs = one.summary.runs.iter();
            cursor_id.is_some_and(|id| runs.any(|run| run.as_str() == id))
        });
        let owner_id = owner.map(|one| one.summary.id.as_str());
        let place = |id: Option<&str>| {
            let mut lines = self.lines.lines.iter();
            lines.position(|line| is_at(&line, id))
        };
        let cursor = place(cursor_id).or_else(|| place(owner_id));
        let items = (0..self.lines.lines.len()).collect();
        self.list.set_items(items, cursor);
    }

    /// Shows or folds away the runs that are parts of what the cursor is on.
    fn fold_parts(&mut self, is_folded: bool) -> Vec<Effect> {
        let Some(id) = self.selected_id() else {
            return Vec::new();
        };
        let listing = self.known.as_ref();
        let all = listing.map_or(&[][..], |known| known.experiments.as_slice());
        match self.lines.set_folded(all, &id, is_folded) {
            Some(owner) => {
                let cursor_id = if is_folded { owner } else { id };
                self.apply_filter(Some(&cursor_id));
                Vec::new()
            }
            None => say_notice("it has no runs of its own to fold"),
        }
    }

    /// Marks what the cursor is on, or unmarks it, and goes to the next.
    fn toggle_mark(&mut self) {
        let Some(id) = self.selected_id() else {
            return;
        };
        if !self.marks.remove(&id) {
            self.marks.insert(id);
        }
        _ = self.list.handle_action(Action::Down);
    }

    /// Puts the arms of what is marked side by side; where nothing is, those of what the cursor is on.
    fn compare_marked(&self) -> Vec<Effect> {
        let all = self.experiments().iter();
        let marked = all.filter(|one| self.marks.contains(&one.summary.id));
        let mut chosen: Vec<ListedExperiment> = marked.cloned().collect();
        // One that is marked and has one arm is compared with what the cursor is on.
        if !chosen.iter().any(ListedExperiment::has_arms) && chosen.len() < 2 {
            let under_cursor = self.chosen_experiment().cloned();
            let is_new = |one: &ListedExperiment| !self.marks.contains(&one.summary.id);
            chosen.extend(under_cursor.filter(is_new));
        }
        let mark = key_for(Context::Experiments, Action::Mark);
        if let Some(one) = chosen.iter().find(|one| !one.has_debates()) {
            return say_notice(format!(
                "a {} has no debates of its own; {mark} marks runs, sweeps and golden sets",
                one.summary.kind
            ));
        }
        match chosen.as_slice() {
            [] => say_notice("there is no experiment to compare"),
            [one] if !one.has_arms() => {
                say_notice(format!("{mark} marks two or more, which are then compared"))
            }
            [_, ..] => SideBySide::show_arms(chosen),
        }
    }

    /// Answers an action of the list; `None` where it is none.
    pub(super) fn handle_list_action(&mut self, action: Action) -> Option<Vec<Effect>> {
        if self.list.handle_action(action) == Moved::Yes {
            return Some(Vec::new());
        }
        match action {
            Action::Left => return Some(self.fold_parts(true)),
            Action::Right => return Some(self.fold_parts(false)),
            Action::Mark => self.toggle_mark(),
            Action::UnmarkAll => self.marks.clear(),
            Action::CompareRuns => return Some(self.compare_marked()),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Says what is marked, or how many experiments are listed.
    pub(super) fn describe_list(&self) -> String {
        let Some(known) = &self.known else {
            return "reading the experiments".to_owned();
        };
        if !self.marks.is_empty() {
            let compare = key_for(Context::Experiments, Action::CompareRuns);
            return format!("{} marked, {compare} compares", self.marks.len());
        }
        format!(
            "{} of {} experiments",
            self.lines.count_fitting(),
            known.experiments.len()
        )
    }

    /// Computes what experiments have come to of which that is not known, some at a time.
    pub(super) fn compute_listed_figures(&mut self) -> Vec<Effect> {
        let all = self.experiments().iter();
        let missing = all.filter(|one| one.run_id().is_some() && !self.figures.is_known(one));
        let missing: Vec<ListedExperiment> = missing.take(AT_ONCE).cloned().collect();
        if missing.is_empty() || self.is_computing {
            return Vec::new();
        }
        self.is_computing = true;
        let columns = self.columns().to_vec();
        vec![Effect::Start(tasks::compute_listed_figures(
            missing, columns,
        ))]
    }

    /// Takes in what experiments have come to, and goes on with the others.
    pub(super) fn take_listed_figures(&mut self, computed: ComputedFigures) -> Vec<Effect> {
        self.is_computing = false;
        for (summary, figures) in computed {
            let id = summary.id.clone();
            self.figures.0.insert(id, (summary, figures));
        }
        self.compute_listed_figures()
    }

    pub(super) fn columns(&self) -> &[ExperimentColumn] {
        let listing = self.known.as_ref();
        listing.map_or(&[], |known| known.columns.as_slice())
    }

    /// Drops the marks of experiments that are gone.
    pub(super) fn drop_stale_marks(&mut self) {
        let listing = self.known.as_ref();
        let all = listing.map_or(&[][..], |known| known.experiments.as_slice());
        self.marks
            .retain(|id| all.iter().any(|one| one.summary.id == *id));
    }
}
