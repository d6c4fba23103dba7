//! Runs and other experiments: played in the background, inspected and labelled.

use super::Services;
use crate::tui::app::broadcast::Broadcast;
use crate::tui::app::run_commands::{RunCommand, RunEvent};
use elenchus_annotation::queue::draw_run_sample;
use elenchus_records::workspace::rows::{LookedAt, first_of_run, first_of_session};
use elenchus_run::experiments::BackgroundRun;
use std::sync::Arc;

impl Services {
    /// Performs a command; what comes of it is told to all screens.
    pub(in crate::tui::app) fn perform_run_command(
        &self,
        run: &mut BackgroundRun,
        command: RunCommand,
    ) {
        let services = self.clone();
        let tell = move |event| services.broadcast_run_event(event);
        let services = self.clone();
        match command {
            RunCommand::Play(task) => {
                run.start_task(self, &self.defaults, task, move |event| {
                    tell(RunEvent::Played(event))
                });
            }
            RunCommand::Pause => run.pause(),
            RunCommand::FirstOf(looked_at) => {
                tokio::task::spawn_blocking(move || {
                    let layout = &services.store.layout;
                    let first = match looked_at {
                        LookedAt::Run(run) => first_of_run(layout, &run),
                        LookedAt::Session(session) => first_of_session(&services.store, &session),
                    };
                    tell(RunEvent::FirstOf(first));
                });
            }
            RunCommand::Sample(run) => {
                tokio::spawn(async move {
                    let (store, library) = (&services.store, &services.library);
                    let sample = draw_run_sample(store, library, &run).await;
                    let sample = sample.map(Arc::new);
                    tell(RunEvent::Sampled(sample));
                });
            }
        }
    }

    fn broadcast_run_event(&self, event: RunEvent) {
        self.broadcast(Broadcast::Run(event));
    }
}
