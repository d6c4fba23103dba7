//! Prompt comparisons that this process plays: they go on while no screen shows them.

use super::Services;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::experiments::prompt_ab::{Ab, AbPlan};
use elenchus_run::experiments::{ExperimentContext, StopSignal};

impl Services {
    /// Returns what comparisons are performed with.
    pub(crate) fn comparison_context(&self) -> ExperimentContext {
        self.experiment_context(StopSignal::new_immediate())
    }

    /// Begins a comparison in the background; returns its id, or in words why it cannot begin.
    pub(crate) async fn begin_comparison(&self, plan: AbPlan) -> Result<String, WorkspaceError> {
        let context = self.comparison_context();
        let ab = Ab::begin(&context, plan).await;
        let ab = ab?;
        let id = ab.log.state.manifest.id.clone();
        self.play_comparison(context, ab);
        Ok(id)
    }

    /// Goes on with a comparison in the background, or says why it cannot.
    pub(crate) async fn resume_comparison(&self, id: &str) -> Result<(), WorkspaceError> {
        let context = self.comparison_context();
        let ab = Ab::resume(&context, id, Ceilings::default()).await;
        self.play_comparison(context, ab?);
        Ok(())
    }

    fn play_comparison(&self, context: ExperimentContext, ab: Ab) {
        let (services, entry) = (self.clone(), self.comparisons.enter_comparison(context, ab));
        tokio::spawn(async move {
            let stop = entry.stop_token();
            let comparison = services.run_until_exit(stop, entry.play()).await;
            comparison.finish().await;
        });
    }
}
