//! Run from the form of the workbench: the request, checked and planned.

use super::TopicCount;
use super::plan::{Duplicates, MemoryRequest, PlannedRun, RunRequest};
use super::topics::TopicRequest;
use crate::engine::seats::{Seats, UnlistedModel, seat_of_person};
use crate::engine::{DebatePlan, MemoryShown};
use elenchus_dataset::{ColumnChoice, Selection};
use elenchus_game::debate::CostEstimate;
use elenchus_game::debate::event::MemoryLookup;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::library::{Game, Library};
use elenchus_records::workspace::memory::MemoryKind;
use elenchus_records::workspace::{Result, StoreContext, WorkspaceError};

/// Requested run: every debate as `debate` says, about topics of a data set.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// Its topic is not played; its seed is the run's, and its ceiling.
    pub debate: DebatePlan,
    /// The data set, named as for `--dataset`.
    pub dataset: String,
    /// Which of its columns are what, and which are not read.
    pub columns: ColumnChoice,
    /// Number of topics drawn by the seed; all where none is given.
    pub sample: Option<usize>,
}

/// A run that can begin: everything was checked that can be before anything is paid for.
#[derive(Debug, Clone)]
pub struct PreparedRun {
    pub planned: PlannedRun,
    /// What all debates cost together; `None` where their game is too large for a dry run.
    pub estimate: Option<CostEstimate>,
    /// What a person should know before it begins.
    pub notices: Vec<String>,
    /// Models that their server does not list, as far as its list is known.
    pub unlisted: Vec<UnlistedModel>,
}

impl RunPlan {
    /// Reads game and data set, seats everybody and estimates the cost of the whole; contacts and
    /// creates nothing. Blocks while it reads files.
    ///
    /// # Errors
    /// As [`DebatePlan::prepare`], when the data set cannot be read or has fewer rows than are drawn, and
    /// when a person sits on a seat: a person cannot be asked in many debates at once.
    pub fn prepare(
        &self,
        store: &StoreContext,
        library: &Library,
        seats: &Seats,
        default_model: Option<&str>,
    ) -> Result<PreparedRun> {
        let (party, mut notices) = self
            .debate
            .seat_game(store, library, seats, default_model)?;
        if let Some(seat) = seat_of_person(&party.cast) {
            return Err(human_seat_error(seat.as_str()));
        }
        let request = TopicRequest {
            selection: Selection {
                sample: self.sample,
                seed: self.debate.seed,
                ..Selection::default()
            },
            columns: self.columns.clone(),
            ..TopicRequest::from_dataset(&self.dataset)
        };
        let (loaded_topics, topics) = request.load_topics(&store.layout)?;
        notices.extend(TopicCount::from_topics(&topics).duplicate_notice());
        let refusal_count = loaded_topics.rejected_rows().count();
        if refusal_count > 0 {
            notices.push(format!(
                "{refusal_count} of the data set's rows cannot be read and are left out; 'elenchus run \
                 --dataset' says why"
            ));
        }
        let request = self.build_request(store);
        let run_plan =
            request.plan_run(&party, (&loaded_topics, topics), &store.layout, store.clock)?;
        Ok(PreparedRun {
            estimate: run_plan.estimate_cost(),
            planned: run_plan,
            notices,
            unlisted: Vec::new(),
        })
    }

    fn build_request(&self, store: &StoreContext) -> RunRequest {
        let debate = &self.debate;
        let kinds = match debate.shown {
            MemoryShown::Nothing => Vec::new(),
            MemoryShown::Lessons => vec![MemoryKind::Textual],
            MemoryShown::Guardrails => vec![MemoryKind::Guardrails],
            MemoryShown::Both => vec![MemoryKind::Textual, MemoryKind::Guardrails],
        };
        RunRequest {
            ceilings: Ceilings::from_usd(debate.budget_usd),
            memory: MemoryRequest {
                kinds,
                namespace: debate.namespace.clone(),
                snapshot: None,
                duplicates: Duplicates::Merged,
                lookup: Some(MemoryLookup::default()),
                guard_examples: store.recorded_examples(),
            },
            ..RunRequest::new_plain(debate.seed)
        }
    }
}

impl PreparedRun {
    /// Returns the game that is played.
    pub fn game(&self) -> &Game {
        &self.planned.game
    }
}

/// Says that a run in a workbench has no seat for a person.
pub fn human_seat_error(seat: &str) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "seat '{seat}' is a person's, and a run asks no person here: give the seat a model, play one \
         row, or play the run in a terminal with 'elenchus run'"
    ))
}
