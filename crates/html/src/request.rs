//! What a page is of, and what it shows.

use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::pass::PassEvent;
use elenchus_records::workspace::sweep::SweepEvent;
use elenchus_records::workspace::{ItemPlan, Result, WorkspaceError, find_session, reject};
use elenchus_run::experiments::{GoldenPlan, ListedExperiment, find_whole_experiment};
use elenchus_store::{JournalType, Layout};

/// Largest page, in bytes, unless another limit is given: programs for mail still take it.
pub const DEFAULT_MAX_BYTES: usize = 8_000_000;

/// What a page is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// At least one, in the order in which they stand on the page.
    pub subjects: Vec<Subject>,
    /// The day that stands on the page, as `2026-11-27`.
    pub date: String,
    pub options: PageOptions,
}

/// One thing that a page is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Run(RunId),
    Sweep(String),
    /// Both runs of a golden set.
    GoldenSet(String),
    /// The sessions of a pass, with what the pass found in place of the games' own verdicts.
    Pass(String),
    Session(SessionId),
}

/// What a page shows beside figures and public turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOptions {
    /// For people who label: no verdict, model, arm, protocol or prompt.
    pub blind: bool,
    /// What each seat was shown.
    pub views: bool,
    /// Private turns and the models' own thinking.
    pub private: bool,
    /// Labels of people, and evaluators measured against them.
    pub labels: bool,
    /// Entries of long-term memory that debates were shown.
    pub memory: bool,
    /// Texts of the prompts, by version.
    pub prompts: bool,
    pub max_bytes: usize,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            blind: false,
            views: false,
            private: false,
            labels: false,
            memory: false,
            prompts: false,
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }
}

/// Returns the command that makes a page again, to the byte with the same store.
pub fn format_page_command(request: &PageRequest) -> String {
    let mut command = "elenchus report".to_owned();
    for subject in &request.subjects {
        let id = match subject {
            Subject::Run(run) => run.as_str(),
            Subject::Sweep(id) | Subject::GoldenSet(id) | Subject::Pass(id) => id.as_str(),
            Subject::Session(session) => session.as_str(),
        };
        command.push_str(&format!(" {id}"));
    }
    let show = request.options;
    for (is_given, option) in [
        (show.blind, "--blind"),
        (show.views, "--views"),
        (show.private, "--private"),
        (show.labels, "--labels"),
        (show.memory, "--memory"),
        (show.prompts, "--prompts"),
    ] {
        if is_given {
            command.push_str(&format!(" {option}"));
        }
    }
    if show.max_bytes != DEFAULT_MAX_BYTES {
        // Bytes are whole: so many decimals say them all.
        let megabytes = show.max_bytes as f64 / 1e6;
        command.push_str(&format!(" --max-size {megabytes}"));
    }
    command.push_str(&format!(" --date {} -o page.html", request.date));
    command
}

/// Finds the run, sweep, golden set, pass or session that an id, its beginning or its end, names. Blocks.
///
/// # Errors
/// When none or several do, and where it is an experiment of another kind.
pub fn find_subject(layout: &Layout, text: &str) -> Result<Subject> {
    let experiment = match find_whole_experiment(layout, text) {
        Ok(experiment) => experiment,
        Err(WorkspaceError::NoSuch { .. }) => {
            return match find_session(layout, text) {
                Ok(session) => Ok(Subject::Session(session)),
                Err(WorkspaceError::NoSuch { id, .. }) => reject(format!(
                    "there is no run, sweep, golden set, pass or session '{id}'; 'elenchus experiments list' and 'elenchus ls' list them"
                )),
                Err(why) => Err(why),
            };
        }
        Err(why) => return Err(why),
    };
    match Subject::from_experiment(&experiment) {
        Some(subject) => Ok(subject),
        None => reject(format!(
            "{} is a {}: a page is of runs, sweeps, golden sets, passes and sessions; name the runs or sessions that it \
             is about",
            experiment.summary.id, experiment.summary.kind
        )),
    }
}

impl Subject {
    /// Returns the subject that an experiment is; `None` where no page is of its kind.
    pub fn from_experiment(experiment: &ListedExperiment) -> Option<Self> {
        if let Some(run) = experiment.run_id() {
            return Some(Self::Run(run));
        }
        let id = experiment.summary.id.clone();
        match experiment.kind.kind {
            SweepEvent::KIND => Some(Self::Sweep(id)),
            PassEvent::KIND => Some(Self::Pass(id)),
            GoldenPlan::KIND => Some(Self::GoldenSet(id)),
            _ => None,
        }
    }
}
