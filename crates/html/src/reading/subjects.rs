//! What a page is of, read: runs, sweeps, sessions, and the debates in the order in which they stand.

use crate::request::Subject;
use elenchus_game::debate::event::{Created, ModelPlayer};
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::pass::{Pass, find_pass};
use elenchus_records::workspace::run::{RunState, read_begun_run, read_run};
use elenchus_records::workspace::sweep::{SweepState, read_sweep};
use elenchus_records::workspace::{
    ItemPlan, Result, StoreIndex, read_session, read_whole_run, reject,
};
use elenchus_run::experiments::{GoldenPlan, read_plan};
use elenchus_text::format_noun_count;
use elenchus_view::{SessionLocation, read_tree};
use std::collections::BTreeSet;

use super::debates::shorten_topic;

/// Forks of named sessions that are shown beside them.
const MAX_FORKS: usize = 100;

/// What a page is of.
pub(super) struct Subjects {
    pub runs: Vec<RunState>,
    pub sweeps: Vec<SweepState>,
    pub golden_sets: Vec<GoldenPlan>,
    /// The pass whose findings the page shows.
    pub pass: Option<PassOnPage>,
    /// Sessions that were named by themselves, with their states.
    pub named: Vec<SessionId>,
    pub states: Vec<State>,
    /// All debates of the page.
    pub items: Vec<PageItem>,
    /// Their sessions, to find them by.
    known: BTreeSet<SessionId>,
}

/// A pass, with what its sessions say of themselves.
pub(super) struct PassOnPage {
    pub pass: Pass,
    /// Simulated models played or judged some of it.
    pub has_simulated: bool,
    pub models: BTreeSet<String>,
    pub programs: BTreeSet<String>,
    /// Sessions that are not in the store any more.
    pub missing: usize,
}

impl PassOnPage {
    fn from_pass(pass: Pass) -> Self {
        let manifest = &pass.manifest;
        let members = manifest.members.iter().map(|member| &member.judge);
        let judges: Vec<&ModelPlayer> = members.chain([&manifest.judge]).flatten().collect();
        let has_simulated = judges.iter().any(|judge| judge.simulated);
        let models = judges.iter().map(|judge| judge.model.clone()).collect();
        Self {
            has_simulated,
            models,
            programs: [manifest.software.clone()].into(),
            missing: 0,
            pass,
        }
    }

    fn add_session(&mut self, created: &Created) {
        self.has_simulated |= created.is_simulated();
        let models = created.cast.iter().filter_map(|one| one.player.as_model());
        self.models.extend(models.map(|model| model.model.clone()));
        self.programs.insert(created.software.clone());
    }
}

/// A debate of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageItem {
    pub session: SessionId,
    /// `None` where only its own journal says it.
    pub topic: Option<String>,
    /// Forks between it and the session beside which it stands.
    pub depth: usize,
    /// It was not named: it is a fork of one that was.
    pub is_relative: bool,
}

impl Subjects {
    /// Reads what is asked for.
    pub fn read(index: &StoreIndex, subjects: &[Subject]) -> Result<Self> {
        let layout = index.layout();
        let mut all = Self {
            runs: Vec::new(),
            sweeps: Vec::new(),
            golden_sets: Vec::new(),
            pass: None,
            named: Vec::new(),
            states: Vec::new(),
            items: Vec::new(),
            known: BTreeSet::new(),
        };
        for subject in subjects {
            match subject {
                Subject::Run(run) => all.add_run(index, read_whole_run(layout, run)?)?,
                Subject::Sweep(id) => {
                    let sweep = read_sweep(layout, id)?;
                    for point in &sweep.manifest.points {
                        let path = layout.run_path(point.run.as_str())?;
                        let run = match sweep.planned {
                            true => Some(read_run(&path)?),
                            false => read_begun_run(&path)?,
                        };
                        if let Some(run) = run {
                            all.add_run(index, run)?;
                        }
                    }
                    all.sweeps.push(sweep);
                }
                Subject::GoldenSet(id) => {
                    let plan: GoldenPlan = read_plan(layout, id)?;
                    // The first of them is what the other is compared with.
                    for run in [&plan.singles, &plan.debates] {
                        if let Some(run) = read_begun_run(&layout.run_path(run.as_str())?)? {
                            all.add_run(index, run)?;
                        }
                    }
                    all.golden_sets.push(plan);
                }
                Subject::Pass(id) => {
                    if subjects.len() > 1 {
                        return reject(format!(
                            "the page of pass {id} shows what it found in place of the games' own verdicts: write it \
                             alone, and another page of the rest"
                        ));
                    }
                    all.add_pass(index, find_pass(layout, id)?)?;
                }
                Subject::Session(session) => all.add_session(index, session)?,
            }
        }
        Ok(all)
    }

    /// Adds a run; one that is on the page already is not there twice.
    fn add_run(&mut self, index: &StoreIndex, run: RunState) -> Result<()> {
        let mut known = self.runs.iter();
        if known.any(|known| known.manifest.run == run.manifest.run) {
            return Ok(());
        }
        for item in &run.items {
            let is_there = index.layout().session_path(item.session.as_str())?.exists();
            if is_there && self.known.insert(item.session.clone()) {
                self.items.push(PageItem {
                    session: item.session.clone(),
                    topic: Some(item.topic.text.clone()),
                    depth: 0,
                    is_relative: false,
                });
            }
        }
        self.runs.push(run);
        Ok(())
    }

    /// Adds the sessions of a pass.
    fn add_pass(&mut self, index: &StoreIndex, pass: Pass) -> Result<()> {
        let mut on_page = PassOnPage::from_pass(pass);
        for session in on_page.pass.manifest.sessions.clone() {
            let path = index.layout().session_path(session.as_str())?;
            if !path.exists() {
                on_page.missing += 1;
                continue;
            }
            let state = read_session(&path)?;
            let created = state.first_event();
            created
                .into_iter()
                .for_each(|created| on_page.add_session(created));
            if self.known.insert(session.clone()) {
                self.items.push(PageItem {
                    session,
                    topic: created.map(|created| created.topic.text.clone()),
                    depth: 0,
                    is_relative: false,
                });
            }
        }
        self.pass = Some(on_page);
        Ok(())
    }

    /// Adds a session below its parent where that stands on the page, and its forks below it.
    fn add_session(&mut self, index: &StoreIndex, session: &SessionId) -> Result<()> {
        if self.named.contains(session) {
            return Ok(());
        }
        let path = index.layout().session_path(session.as_str())?;
        if !path.exists() {
            return reject(format!(
                "session {session} is not in this store: of a recorded example a fork can be put on a page"
            ));
        }
        let state = read_session(&path)?;
        let topic = state
            .first_event()
            .map(|created| created.topic.text.clone());
        let parents = state.forked_from().iter().rev();
        let parent = parents.enumerate().find_map(|(above, parent)| {
            let mut items = self.items.iter();
            let at = items.position(|item| item.session == *parent)?;
            Some((at, self.items.get(at)?.depth + above + 1))
        });
        self.named.push(session.clone());
        self.states.push(state);
        let depth = parent.map_or(0, |(_, depth)| depth);
        let new = PageItem {
            session: session.clone(),
            topic: topic.clone(),
            depth,
            is_relative: false,
        };
        self.known.insert(session.clone());
        let known = self.items.iter_mut().find(|item| item.session == *session);
        match (known, parent) {
            (Some(item), _) => item.is_relative = false,
            (None, Some((at, _))) => self.items.insert(at + 1, new),
            (None, None) => self.items.push(new),
        }
        let nodes = read_tree(index, session)?.list_depth_first();
        let mut nodes = nodes.into_iter().map(|node| node.branch);
        let Some(own) = nodes.find(|branch| branch.session == *session) else {
            return Ok(());
        };
        let at = self.items.iter().position(|item| item.session == *session);
        let mut at = at.map_or(self.items.len(), |at| at + 1);
        for fork in nodes
            .take_while(|branch| branch.depth > own.depth)
            .take(MAX_FORKS)
        {
            if fork.location == SessionLocation::Kept && self.known.insert(fork.session.clone()) {
                let item = PageItem {
                    session: fork.session,
                    topic: topic.clone(),
                    depth: depth + fork.depth - own.depth,
                    is_relative: true,
                };
                self.items.insert(at, item);
                at += 1;
            }
        }
        Ok(())
    }

    /// Returns the sessions that figures are asked of.
    pub fn counted_sessions(&self) -> BTreeSet<SessionId> {
        let items = self.items.iter().filter(|item| !item.is_relative);
        items.map(|item| item.session.clone()).collect()
    }

    /// Returns the words that select the same debates in `elenchus metrics`.
    pub fn format_selection(&self) -> String {
        if let Some(PassOnPage { pass, .. }) = &self.pass {
            return format!(" --pass {}", pass.manifest.pass);
        }
        let runs = self
            .runs
            .iter()
            .map(|run| format!(" --run {}", run.manifest.run));
        let sessions = self
            .named
            .iter()
            .map(|session| format!(" --session {session}"));
        runs.chain(sessions).collect()
    }

    /// Returns the words that select the same labels and verdicts in `elenchus validate`.
    pub fn format_label_selection(&self) -> String {
        match &self.pass {
            Some(PassOnPage { pass, .. }) => format!(" --evaluator pass:{}", pass.manifest.pass),
            None => self.format_selection(),
        }
    }

    /// Names the page by what is played and on what.
    pub fn title(&self) -> String {
        if let [sweep] = self.sweeps.as_slice()
            && self.named.is_empty()
        {
            return format!("Sweep {}", sweep.manifest.file);
        }
        if let Some(PassOnPage { pass, .. }) = &self.pass {
            return format!("Judged again: {}", pass.manifest.rules);
        }
        if let [set] = self.golden_sets.as_slice()
            && self.named.is_empty()
        {
            return format!("Golden set {}", set.dataset);
        }
        match (self.runs.as_slice(), self.states.as_slice()) {
            ([], [state]) => {
                let created = state.first_event();
                created.map_or_else(
                    || "A debate".to_owned(),
                    |created| format!("Debate: {}", shorten_topic(&created.topic.text)),
                )
            }
            ([], states) => format_noun_count(states.len(), "debate"),
            ([run], []) => {
                let manifest = &run.manifest;
                format!("{} on {}", manifest.protocol.name, manifest.dataset.name())
            }
            (runs, _) => {
                let mut names: Vec<&str> = runs
                    .iter()
                    .map(|run| run.manifest.protocol.name.as_str())
                    .collect();
                names.dedup();
                names.join(", ")
            }
        }
    }

    /// Says in one sentence what the page is.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        for sweep in &self.sweeps {
            parts.push(format!(
                "a sweep of {} and {}",
                format_noun_count(sweep.manifest.arms.len(), "arm"),
                format_noun_count(sweep.manifest.seeds.len(), "seed")
            ));
        }
        for set in &self.golden_sets {
            parts.push(format!("a golden set, {}", set.describe_subject()));
        }
        if self.pass.is_some() {
            parts.push("judged again by a pass".to_owned());
        }
        let has_plan = !self.sweeps.is_empty() || !self.golden_sets.is_empty();
        if !has_plan && !self.runs.is_empty() {
            parts.push(match self.runs.len() {
                1 => "one run".to_owned(),
                many => format_noun_count(many, "run"),
            });
        }
        match self.named.len() {
            0 => {}
            1 if self.runs.is_empty() => parts.push("one debate".to_owned()),
            many if self.runs.is_empty() => parts.push(format_noun_count(many, "debate")),
            many => parts.push(format!("{} named alone", format_noun_count(many, "debate"))),
        }
        let relatives = self.items.iter().filter(|item| item.is_relative).count();
        let forks = match relatives {
            0 => String::new(),
            many => format!(", beside {}", format_noun_count(many, "fork")),
        };
        let is_of_sessions = self.runs.is_empty() && self.sweeps.is_empty() && self.pass.is_none();
        let debates = match is_of_sessions {
            true => String::new(),
            false => format!(
                ", {}",
                format_noun_count(self.items.len() - relatives, "debate")
            ),
        };
        format!(
            "Debates between language models: {}{debates}{forks}.",
            parts.join(" and ")
        )
    }
}
