//! Event loop of the workbench: takes inputs and results, draws frames, starts tasks, performs commands.

use super::broadcast::Broadcast;
use super::drawing::{Dirty, Drawing};
use super::effect::Command;
use super::entry::{Annotator, ExitReason, FirstScreen, WorkbenchExit, WorkbenchInputs};
use super::services::{Services, ShownVerdicts, edit_in_editor, read_ui_state, write_copy};
use super::state::{App, InputOutcome, LoopStep, WorkbenchOptions};
use super::task::Delivery;
use super::ui_state::UiState;
use crate::tui::app::SessionPosition;
use crate::tui::screens::{PLACES, annotate_screen, first_screen};
use crate::tui::theme::{Role, ThemeFiles};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{
    FolderWatch, Listens, Settling, StoreWatch, WatchedChanges, panics_are_caught, write_new,
};
use elenchus_run::engine::live::LiveEvent;
use elenchus_run::experiments::{BackgroundRun, EXPERIMENT_KINDS};
use elenchus_terminal as terminal;
use elenchus_terminal::{
    Input, Link, Signal, Signals, TermError, TermOptions, Terminal, describe_copy,
};
use elenchus_text::safe_text::{Keep, has_hidden, make_visible};
use elenchus_view::is_session;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

/// A frame of a stream is drawn at most so often: 20 times a second, 10 on a slow link.
const FRAME_EVERY: Duration = Duration::from_millis(50);
const SLOW_FRAME_EVERY: Duration = Duration::from_millis(100);
/// The keys that may follow are shown to whoever hesitates this long within a chord: who knows them pays
/// for no frame.
const CHORD_PAUSE: Duration = Duration::from_millis(400);
const SECOND: Duration = Duration::from_secs(1);
/// Events taken in at most before a frame is drawn.
const MAX_AT_ONCE: usize = 4096;

/// Opens the workbench and returns when it is left. Must be called in a runtime.
///
/// # Errors
/// When standard input or output is no terminal, or its modes cannot be set.
pub async fn run_workbench(mut start: WorkbenchInputs) -> Result<WorkbenchExit, TermError> {
    let saved_state = read_ui_state(&start.own_folder);
    if start.annotator == Annotator::Unasked && saved_state.annotator_asked {
        let store = &mut start.run.store;
        store.person = saved_state
            .annotator
            .clone()
            .unwrap_or(store.person.clone());
        start.annotator = Annotator::Named;
    }
    let files = ThemeFiles::new(start.theme_folders.clone()).with_bound(start.theme_bound.clone());
    let theme = start.asked_theme.clone();
    let theme = theme.or(saved_state.theme.clone()).or(start.theme.clone());
    let workbench_options = WorkbenchOptions {
        places: PLACES.to_vec(),
        keys: start.keys.clone(),
        themes: files.read_themes(),
        theme: theme.unwrap_or_else(|| "ansi".to_owned()),
        depth: start.depth,
        glyphs: start.glyphs,
        saved_state: saved_state.clone(),
        command_line: start.command_line,
    };
    let signals = Signals::listen().map_err(TermError::Threads)?;
    let options = TermOptions {
        depth: start.depth,
        link: start.link,
        in_tmux: start.in_tmux,
        mouse: start.mouse,
        has_hidden,
        panics_are_caught,
    };
    let (terminal, inputs) = Terminal::enter(&options)?;
    let (live_sender, live_events) = unbounded_channel();
    let (delivery_sender, deliveries) = unbounded_channel();
    let (theme_sender, theme_changes) = unbounded_channel();
    // Without a watch themes are read again when they are chosen.
    let themes = files.folders().iter().cloned();
    let themes: Vec<_> = themes
        .map(|folder| (folder, WatchedChanges::Saved))
        .collect();
    let folders = move || themes.clone();
    let watch = FolderWatch::start(folders, ".toml", move || match theme_sender.send(()) {
        Ok(()) => Listens::Yes,
        Err(_) => Listens::No,
    });
    let (store_sender, store_changes) = unbounded_channel();
    let first = match &start.open {
        Some(FirstScreen::Annotate(work)) => annotate_screen(work.clone()),
        Some(FirstScreen::Session(..)) | None => first_screen(&saved_state, &start.keys),
    };
    let kinds = EXPERIMENT_KINDS.iter();
    let of_experiments = kinds.flat_map(|kind| kind.folders.iter().copied());
    let mut event_loop = EventLoop {
        app: App::new(workbench_options),
        services: Services::new(&start, live_sender, delivery_sender),
        run: BackgroundRun::default(),
        shown_verdicts: ShownVerdicts::default(),
        terminal,
        files,
        frame_every: match start.link {
            Link::Slow => SLOW_FRAME_EVERY,
            Link::Near | Link::Far => FRAME_EVERY,
        },
        editor: start.editor.clone(),
        pager: start.pager.clone(),
        own_folder: start.own_folder.clone(),
        dirty: Dirty::Now,
        store_watch: StoreWatch::start(
            &start.run.store.layout,
            of_experiments.collect(),
            store_sender,
        ),
        drawn_at: Instant::now(),
        pressed_at: Instant::now(),
    };
    let first_outcome = event_loop.app.show_screen(first);
    event_loop.perform_outcome(first_outcome).await;
    let first_session = match &start.open {
        Some(FirstScreen::Session(id, turn)) => {
            let place = turn.clone().map(|turn| SessionPosition {
                turn: Some(turn),
                pane: None,
            });
            Some((id.clone(), place))
        }
        Some(FirstScreen::Annotate(_)) => None,
        // It may have been deleted meanwhile, or be of another store.
        None => find_last_position(&saved_state).filter(|(id, _)| is_session(&start.run.store, id)),
    };
    if let Some((id, place)) = first_session {
        let outcome = event_loop.app.show_session(id, place);
        event_loop.perform_outcome(outcome).await;
    }
    if let Some(notice) = start.notice {
        event_loop.app.show_message(Role::Notice, notice);
    }
    let mut sources = Sources {
        signals,
        inputs,
        live_events,
        deliveries,
        store_changes,
        theme_changes,
    };
    let ending = event_loop.run_events(&mut sources).await;
    drop(watch);
    let arrangement = event_loop.app.to_ui_state();
    event_loop.services.save_ui_state(&arrangement);
    // The terminal comes back first: what is still being made durable must not hold the shell up.
    drop(event_loop.terminal);
    let goes_on = wait_for_run(&mut event_loop.run, ending, &mut sources.signals).await;
    let annotator = event_loop.services.store.person.clone();
    event_loop.services.close().await;
    Ok(WorkbenchExit {
        annotator,
        session: arrangement.last.map(|last| last.session),
        goes_on,
        terminal: ending,
    })
}

/// Waits for a run to come to rest before the program ends, unless the terminal is gone or the
/// person interrupts.
async fn wait_for_run(
    run: &mut BackgroundRun,
    ending: ExitReason,
    signals: &mut Signals,
) -> Option<String> {
    match ending {
        ExitReason::Hangup => run.pause_and_wait(std::future::ready(())).await,
        ExitReason::Orderly => {
            if run.is_under_way() {
                let text = "pausing what is played: what was sent arrives and is kept (Ctrl-C gives it up)";
                // A closed standard error does not end the wait.
                let _ = writeln!(std::io::stderr(), "{text}");
            }
            let hurry = async {
                loop {
                    match signals.next().await {
                        Signal::Hangup | Signal::Terminate | Signal::Interrupt => return,
                        Signal::Suspend | Signal::Continue => {}
                    }
                }
            };
            run.pause_and_wait(hurry).await
        }
    }
}

fn find_last_position(state: &UiState) -> Option<(SessionId, Option<SessionPosition>)> {
    let last = state.last.as_ref()?;
    let place = SessionPosition::from_last_place(last);
    Some((last.session.clone(), Some(place)))
}

/// Sources of events.
struct Sources {
    signals: Signals,
    inputs: UnboundedReceiver<Input>,
    live_events: UnboundedReceiver<(SessionId, LiveEvent)>,
    deliveries: UnboundedReceiver<Delivery>,
    store_changes: UnboundedReceiver<()>,
    theme_changes: UnboundedReceiver<()>,
}

struct EventLoop {
    app: App,
    services: Services,
    run: BackgroundRun,
    shown_verdicts: ShownVerdicts,
    terminal: Terminal,
    files: ThemeFiles,
    frame_every: Duration,
    editor: Option<String>,
    pager: Option<String>,
    own_folder: PathBuf,
    dirty: Dirty,
    store_watch: StoreWatch,
    drawn_at: Instant,
    pressed_at: Instant,
}

/// Decision of the loop after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoOn {
    Yes,
    No(ExitReason),
}

impl EventLoop {
    async fn run_events(&mut self, sources: &mut Sources) -> ExitReason {
        loop {
            let due = self.drawn_at + self.frame_gap();
            // Asked once: a terminal that becomes ready between two questions would be neither
            // drawn to nor waited for.
            let is_ready = self.terminal.is_ready();
            let drawing = Drawing::decide(self.dirty, Instant::now() >= due, is_ready);
            if drawing == Drawing::Now {
                self.draw();
            }
            let go_on = tokio::select! {
                biased;
                signal = sources.signals.next() => self.handle_signal(signal),
                input = sources.inputs.recv() => match input {
                    Some(input) => self.handle_inputs(input, &mut sources.inputs).await,
                    None => GoOn::No(ExitReason::Hangup),
                },
                Some(delivery) = sources.deliveries.recv() => {
                    if let Delivery::Models(choices) = &delivery {
                        self.services.take_models(choices);
                    }
                    let dirty = delivery.dirty();
                    self.dirty = self.dirty.max(dirty);
                    let mut outcome = self.app.handle_delivery(delivery);
                    outcome.is_watched = dirty == Dirty::Watched;
                    self.perform_outcome(outcome).await
                }
                Some((id, update)) = sources.live_events.recv() => {
                    self.handle_live_events(id, update, &mut sources.live_events).await
                }
                Some(()) = sources.theme_changes.recv() => {
                    let themes = self.files.read_themes();
                    self.app.replace_themes(themes);
                    self.dirty = Dirty::Now;
                    GoOn::Yes
                }
                Some(()) = sources.store_changes.recv() => {
                    self.store_watch.note_change();
                    GoOn::Yes
                }
                () = tokio::time::sleep_until(self.store_watch.due_at().unwrap_or(due)),
                    if self.store_watch.due_at().is_some() =>
                {
                    self.refresh_screen().await
                }
                () = self.terminal.wait_until_ready(), if drawing == Drawing::OnceReady => GoOn::Yes,
                () = tokio::time::sleep_until(due), if drawing == Drawing::OnceDue => GoOn::Yes,
                () = tokio::time::sleep_until(self.drawn_at + SECOND),
                    if drawing == Drawing::Never && self.app.counts_seconds() =>
                {
                    self.dirty = Dirty::Soon;
                    GoOn::Yes
                }
                () = tokio::time::sleep_until(self.pressed_at + CHORD_PAUSE),
                    if self.app.is_in_chord() =>
                {
                    self.app.show_continuations();
                    self.dirty = Dirty::Now;
                    GoOn::Yes
                }
            };
            if let GoOn::No(ending) = go_on {
                return ending;
            }
        }
    }

    /// Returns how long after the last frame the next one may be drawn.
    fn frame_gap(&self) -> Duration {
        match self.dirty {
            Dirty::Watched => SECOND,
            Dirty::No | Dirty::Soon | Dirty::Now => self.frame_every,
        }
    }

    fn draw(&mut self) {
        let app = &mut self.app;
        let now = Instant::now();
        self.terminal
            .draw(|buffer| app.draw(buffer, now.into_std()));
        self.services.index_turns.start_turns();
        self.dirty = Dirty::No;
        self.drawn_at = now;
    }

    fn handle_signal(&mut self, signal: Signal) -> GoOn {
        match signal {
            Signal::Hangup => return GoOn::No(ExitReason::Hangup),
            Signal::Terminate => return GoOn::No(ExitReason::Orderly),
            Signal::Interrupt => self.app.quit(),
            Signal::Suspend => {
                self.terminal.suspend();
            }
            Signal::Continue => {
                self.terminal.resume();
            }
        }
        self.dirty = Dirty::Now;
        if self.app.is_quitting() {
            GoOn::No(ExitReason::Orderly)
        } else {
            GoOn::Yes
        }
    }

    /// Takes an input, and what came with it: a burst of keys is one frame.
    async fn handle_inputs(&mut self, first: Input, more: &mut UnboundedReceiver<Input>) -> GoOn {
        self.pressed_at = Instant::now();
        let mut next = Some(first);
        let mut count = 0;
        while let Some(input) = next {
            self.dirty = Dirty::Now;
            let outcome = self.app.handle_input(&input);
            let go_on = self.perform_outcome(outcome).await;
            if go_on != GoOn::Yes {
                return go_on;
            }
            count += 1;
            next = receive_next(more, count);
        }
        GoOn::Yes
    }

    /// Takes what a session in play says, and what came with it.
    async fn handle_live_events(
        &mut self,
        id: SessionId,
        update: LiveEvent,
        more: &mut UnboundedReceiver<(SessionId, LiveEvent)>,
    ) -> GoOn {
        let mut next = Some((id, update));
        let mut count = 0;
        while let Some((id, update)) = next {
            let dirty = match &update {
                LiveEvent::Delta { .. } => Dirty::Soon,
                _ => Dirty::Now,
            };
            self.dirty = self.dirty.max(dirty);
            if let LiveEvent::Happened(record) = &update {
                self.shown_verdicts
                    .note_verdict(&self.services, &id, record);
            }
            let news = Broadcast::Live(id, Arc::new(update));
            let outcome = self.app.handle_broadcast(&news);
            // Dropped here, not at the end of the loop: it asks for the next piece of the reply.
            drop(news);
            let go_on = self.perform_outcome(outcome).await;
            if go_on != GoOn::Yes {
                return go_on;
            }
            count += 1;
            next = receive_next(more, count);
        }
        GoOn::Yes
    }

    /// Reads again what the screen on top lists.
    async fn refresh_screen(&mut self) -> GoOn {
        let settling = match self.app.watches_process() {
            true => Settling::LooksAgain,
            false => Settling::IsSettled,
        };
        self.store_watch.note_refresh(settling);
        let mut outcome = self.app.refresh_top();
        outcome.is_watched = true;
        self.perform_outcome(outcome).await
    }

    async fn perform_outcome(&mut self, outcome: InputOutcome) -> GoOn {
        if outcome.is_store_changed {
            self.store_watch.note_change();
        }
        let watching = outcome.is_watched.then(|| self.services.to_watching());
        for (from, task) in outcome.tasks {
            task.start(from, watching.as_ref().unwrap_or(&self.services));
        }
        for command in outcome.commands {
            self.perform_command(command);
        }
        if let Some((to, edit)) = outcome.edit {
            let editor = self.editor.as_deref();
            let edit_result = self.terminal.lend(|| edit_in_editor(editor, &edit.text));
            let message = (edit.to_message)(edit_result);
            let outcome = self.app.handle_delivery(Delivery::Message {
                to,
                message,
                dirty: Dirty::Now,
            });
            Box::pin(self.perform_outcome(outcome)).await;
        }
        match outcome.next {
            LoopStep::Go => GoOn::Yes,
            LoopStep::Redraw => {
                self.terminal.clear();
                GoOn::Yes
            }
            LoopStep::Suspend => {
                self.terminal.suspend();
                GoOn::Yes
            }
            LoopStep::Quit => GoOn::No(ExitReason::Orderly),
        }
    }

    fn perform_command(&mut self, command: Command) {
        match command {
            Command::Copy(text) => self.copy_text(&text),
            Command::Page(text) => self.show_in_pager(&text),
            Command::WriteText(path, text) => {
                let write = move |path: &Path| write_new(path, text.as_bytes());
                self.services
                    .write_file(path, move |_, path| Ok(write(path)?));
            }
            Command::Draft(draft) => self.services.keep_draft(&draft),
            Command::Remember(kept) => self.services.save_ui_state(&kept),
            Command::LabelAs(name) => {
                self.services.set_annotator(name);
                // What they are shown is theirs.
                self.shown_verdicts = ShownVerdicts::default();
            }
            Command::Release(session) => self.services.release_session(session),
            Command::Run(command) => self.services.perform_run_command(&mut self.run, command),
        }
    }

    fn copy_text(&mut self, text: &str) {
        let file = write_copy(&self.own_folder, text);
        let clipboard_result = self.terminal.copy_text(text);
        match describe_copy(clipboard_result, file) {
            Ok(place) => self.app.show_message(Role::Notice, place),
            Err(why) => self.app.show_message(Role::Error, why),
        }
    }

    fn show_in_pager(&mut self, text: &str) {
        let pager = self.pager.clone();
        let text = make_visible(text, Keep::NewlinesAndTabs);
        let pager_result = self
            .terminal
            .lend(|| terminal::run_pager(pager.as_deref(), &text));
        if let Err(why) = pager_result {
            self.app.show_message(Role::Error, why.to_string());
        }
    }
}

/// Returns what came with what was taken already, as far as one frame takes it in.
fn receive_next<T>(more: &mut UnboundedReceiver<T>, count: usize) -> Option<T> {
    (count < MAX_AT_ONCE).then(|| more.try_recv().ok())?
}
