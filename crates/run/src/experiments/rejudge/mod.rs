//! Re-judging: a pass judges finished sessions again, by their own rules or by another rubric and model.
//!
//! Verdicts of a pass are in a journal of its own and point at (session, hash of the judged text). A pass
//! never changes a session.

mod batch;
mod plan;
mod play;
mod progress;
mod rubric_target;
mod selection;
mod session_judging;

pub use batch::{OpenCalls, TakenAnswers};
pub use plan::{PassPlan, PassWork, plan_critique_pass, plan_exchange_pass, plan_pass};
pub use progress::PassProgress;
pub use selection::{SelectedSessions, SessionSelection, pair_evaluators};

use super::engine::{ExperimentContext, ExperimentEnd, ExperimentLog, perform_experiment};
use crate::engine::check_budget;
use batch::{CallsBy, lock};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{JudgingId, SessionId, Target};
use elenchus_records::exchange::batch_file::AnswerFile;
use elenchus_records::workspace::pass::{PassEvent, PassRules, PassVerdict};
use elenchus_records::workspace::{Result, WorkspaceError};
use play::OpenVerdicts;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::UnboundedSender;

/// Update of a pass in progress.
#[derive(Debug, Clone)]
pub enum PassUpdate {
    /// A session is judged now: how many verdicts it wants, and how many of them are there already.
    Opened {
        session: SessionId,
        verdicts: usize,
        found: usize,
    },
    /// A verdict is durable.
    Judged(Box<PassVerdict>),
    /// A verdict could not be had; going on with the pass tries it again.
    Failed {
        session: SessionId,
        judging: JudgingId,
        target: Target,
        why: String,
    },
    /// A session, or a rule of it, cannot be judged again.
    LeftOut { session: SessionId, why: String },
    /// It ended; after an error the verdicts so far are kept. Its player says so.
    Ended(Result<ExperimentEnd, WorkspaceError>),
}

/// A pass that this process carries out.
pub struct RejudgingPass {
    pub log: ExperimentLog<PassEvent>,
}

impl RejudgingPass {
    /// Begins a pass; its manifest is durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(context: &ExperimentContext, plan: PassPlan) -> Result<Self> {
        let layout = &context.store.layout;
        layout.create_missing_folders()?;
        let path = layout.pass_path(&plan.manifest.pass)?;
        let first_event = PassEvent::Begun(Box::new(plan.manifest));
        Ok(Self {
            log: ExperimentLog::begin_journal(&context.store, &path, (first_event, Vec::new()))
                .await?,
        })
    }

    /// Goes on with a pass that was left: what it found already is not asked again. Ceilings that are
    /// given replace its own.
    ///
    /// # Errors
    /// When another process carries it out, its journal cannot be read, or its labels came with a file.
    pub async fn resume(
        context: &ExperimentContext,
        pass: &str,
        ceilings: Ceilings,
    ) -> Result<Self> {
        check_budget(ceilings.cost_usd)?;
        let path = context.store.layout.pass_path(pass)?;
        let mut log = ExperimentLog::<PassEvent>::open_journal(&context.store, &path)?;
        if let PassRules::Imported { .. } = log.state.manifest.rules {
            return Err(plan::imported_labels_error());
        }
        log.record_resume(ceilings).await?;
        Ok(Self { log })
    }

    /// Returns its id.
    pub fn id(&self) -> &str {
        &self.log.state.manifest.pass
    }

    /// Asks for every verdict that is missing; updates are sent meanwhile.
    ///
    /// # Errors
    /// When its journal cannot be written; the verdicts so far are kept.
    pub async fn judge_missing(
        &mut self,
        context: &ExperimentContext,
        updates: UnboundedSender<PassUpdate>,
    ) -> Result<ExperimentEnd> {
        let mut verdicts = OpenVerdicts::new(&self.log.state, updates, CallsBy::Asking);
        perform_experiment(&mut self.log, &mut verdicts, context).await
    }

    /// Words the calls of every verdict that is missing, for a batch file, under the pass's ceilings: from
    /// here on each counts at its worst until it is answered. What needs no server is judged at once.
    ///
    /// # Errors
    /// As [`judge_missing`](Self::judge_missing).
    pub async fn write_open_calls(
        &mut self,
        context: &ExperimentContext,
        updates: UnboundedSender<PassUpdate>,
    ) -> Result<(ExperimentEnd, OpenCalls)> {
        let calls = Arc::<Mutex<OpenCalls>>::default();
        let by = CallsBy::Writing(Arc::clone(&calls));
        let mut verdicts = OpenVerdicts::new(&self.log.state, updates, by);
        // One after the other: a file of the same pass has the same lines in the same order.
        let context = context.clone().with_concurrency(1);
        let end = perform_experiment(&mut self.log, &mut verdicts, &context).await?;
        let mut calls = std::mem::take(&mut *lock(&calls));
        calls.failed = verdicts.failed_count();
        Ok((end, calls))
    }

    /// Takes the answers of a batch file as verdicts, each under the worst case that was set aside for it.
    /// What has no answer stays open.
    ///
    /// # Errors
    /// As [`judge_missing`](Self::judge_missing).
    pub async fn take_answers(
        &mut self,
        context: &ExperimentContext,
        updates: UnboundedSender<PassUpdate>,
        answers: AnswerFile,
    ) -> Result<(ExperimentEnd, TakenAnswers)> {
        let taken = Arc::new(Mutex::new(TakenAnswers::new(answers)));
        let by = CallsBy::Reading(Arc::clone(&taken));
        let mut verdicts = OpenVerdicts::new(&self.log.state, updates, by);
        let state = &self.log.state;
        let context =
            context.with_made_calls(state.manifest.ceilings, state.expense_outside_batches());
        let end = perform_experiment(&mut self.log, &mut verdicts, &context).await?;
        let mut taken =
            std::mem::replace(&mut *lock(&taken), TakenAnswers::new(AnswerFile::new("")));
        if verdicts.has_looked_at_all() {
            taken.answers.note_unknown();
        }
        Ok((end, taken))
    }
}
