//! Event loop of the workbench: takes inputs and results, draws frames, starts tasks, performs commands.

use super::bench::{App, InputOutcome, LoopStep, WorkbenchOptions};
use super::broadcast::Broadcast;
use super::drawing::{Dirty, Drawing};
use super::effect::Command;
use super::entry::{ExitReason, FirstScreen, WorkbenchExit, WorkbenchInputs};
use super::services::{Services, ShownVerdicts, edited_outside, keep_copy, recall};
use super::task::Delivery;
use super::ui_state::UiState;
use crate::tui::app::SessionPosition;
use crate::tui::screens::{PLACES, annotate_screen, first_screen};
use crate::tui::theme::{Role, ThemeFiles};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{
    FolderWatch, Listens, StoreWatch, WatchedChanges, panics_are_caught, write_new,
};
use elenchus_run::engine::live::LiveEvent;
use elenchus_run::experiments::{BackgroundRun, EXPERIMENT_KINDS};
use elenchus_terminal as terminal;
use elenchus_terminal::{
    Input, Link, Signal, Signals, TermError, TermOptions, Terminal, copied_words,
};
use elenchus_text::text::{Keep, has_hidden, visible};
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
pub async fn run(bench: WorkbenchInputs) -> Result<WorkbenchExit, TermError> {
    let kept = recall(&bench.tools.own_folder);
    let files = ThemeFiles::new(bench.theme_folders.clone()).within(bench.theme_bound.clone());
    let theme = bench.asked_theme.clone();
    let theme = theme.or(kept.theme.clone()).or(bench.theme.clone());
    let outfit = WorkbenchOptions {
        places: PLACES.to_vec(),
        keys: bench.keys.clone(),
        themes: files.read(),
        theme: theme.unwrap_or_else(|| "ansi".to_owned()),
        depth: bench.depth,
        glyphs: bench.glyphs,
        kept: kept.clone(),
    };
    let signals = Signals::listen().map_err(TermError::Threads)?;
    let options = TermOptions {
        depth: bench.depth,
        link: bench.link,
        in_tmux: bench.in_tmux,
        mouse: bench.mouse,
        has_hidden,
        panics_are_caught,
    };
    let (terminal, inputs) = Terminal::enter(&options)?;
    let (live_tell, lived) = unbounded_channel();
    let (deliver, delivered) = unbounded_channel();
    let (retheme, rethemed) = unbounded_channel();
    // Without a watch themes are read again when they are chosen.
    let themes = files.folders().iter().cloned();
    let themes: Vec<_> = themes
        .map(|folder| (folder, WatchedChanges::Saved))
        .collect();
    let folders = move || themes.clone();
    let watch = FolderWatch::begin(folders, ".toml", move || match retheme.send(()) {
        Ok(()) => Listens::Yes,
        Err(_) => Listens::No,
    });
    let (write_tell, written) = unbounded_channel();
    let first = match &bench.open {
        Some(FirstScreen::Annotate(work)) => annotate_screen(work.clone()),
        Some(FirstScreen::Session(..)) | None => first_screen(&kept, &bench.keys),
    };
    let kinds = EXPERIMENT_KINDS.iter();
    let of_experiments = kinds.flat_map(|kind| kind.folders.iter().copied());
    let mut round = EventLoop {
        app: App::new(outfit),
        services: Services::new(bench.tools.clone(), live_tell, deliver),
        run: BackgroundRun::default(),
        shown_verdicts: ShownVerdicts::default(),
        terminal,
        files,
        frame_every: match bench.link {
            Link::Slow => SLOW_FRAME_EVERY,
            Link::Near | Link::Far => FRAME_EVERY,
        },
        editor: bench.editor.clone(),
        pager: bench.pager.clone(),
        own_folder: bench.tools.own_folder.clone(),
        dirty: Dirty::Now,
        store_watch: StoreWatch::begin(
            &bench.tools.desk.layout,
            of_experiments.collect(),
            write_tell,
        ),
        drawn_at: Instant::now(),
        pressed_at: Instant::now(),
    };
    let shown = round.app.show(first);
    round.turn_out(shown).await;
    let wanted = match &bench.open {
        Some(FirstScreen::Session(id, turn)) => {
            let place = turn.clone().map(|turn| SessionPosition {
                turn: Some(turn),
                pane: None,
            });
            Some((id.clone(), place))
        }
        Some(FirstScreen::Annotate(_)) => None,
        // It may have been deleted meanwhile, or be of another store.
        None => place_of(&kept).filter(|(id, _)| is_session(&bench.tools.desk, id)),
    };
    if let Some((id, place)) = wanted {
        let turnout = round.app.open(id, place);
        round.turn_out(turnout).await;
    }
    if let Some(notice) = bench.notice {
        round.app.say(Role::Notice, notice);
    }
    let mut sources = Sources {
        signals,
        inputs,
        lived,
        delivered,
        written,
        rethemed,
    };
    let ending = round.go(&mut sources).await;
    drop(watch);
    let arranged = round.app.arranged();
    round.services.remember(&arranged);
    // The terminal comes back first: what is still being made durable must not hold the shell up.
    drop(round.terminal);
    let goes_on = rest_run(&mut round.run, ending, &mut sources.signals).await;
    round.services.close().await;
    Ok(WorkbenchExit {
        session: arranged.last.map(|last| last.session),
        goes_on,
        terminal: ending,
    })
}

/// Waits for a run to come to rest before the program ends, unless the terminal is gone or the
/// person interrupts.
async fn rest_run(
    run: &mut BackgroundRun,
    ending: ExitReason,
    signals: &mut Signals,
) -> Option<String> {
    match ending {
        ExitReason::Hangup => run.rest(std::future::ready(())).await,
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
            run.rest(hurry).await
        }
    }
}

fn place_of(kept: &UiState) -> Option<(SessionId, Option<SessionPosition>)> {
    let last = kept.last.as_ref()?;
    let place = SessionPosition::of(last);
    Some((last.session.clone(), Some(place)))
}

/// Sources of events.
struct Sources {
    signals: Signals,
    inputs: UnboundedReceiver<Input>,
    lived: UnboundedReceiver<(SessionId, LiveEvent)>,
    delivered: UnboundedReceiver<Delivery>,
    written: UnboundedReceiver<()>,
    rethemed: UnboundedReceiver<()>,
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
    async fn go(&mut self, from: &mut Sources) -> ExitReason {
        loop {
            let due = self.drawn_at + self.frame_every;
            // Asked once: a terminal that becomes ready between two questions would be neither
            // drawn to nor waited for.
            let is_ready = self.terminal.is_ready();
            let drawing = Drawing::decide(self.dirty, Instant::now() >= due, is_ready);
            if drawing == Drawing::Now {
                self.draw();
            }
            let go_on = tokio::select! {
                biased;
                signal = from.signals.next() => self.signal(signal),
                input = from.inputs.recv() => match input {
                    Some(input) => self.inputs(input, &mut from.inputs).await,
                    None => GoOn::No(ExitReason::Hangup),
                },
                Some(delivery) = from.delivered.recv() => {
                    self.dirty = self.dirty.max(delivery.dirty());
                    let turnout = self.app.deliver(delivery);
                    self.turn_out(turnout).await
                }
                Some((id, update)) = from.lived.recv() => {
                    self.lived(id, update, &mut from.lived).await
                }
                Some(()) = from.rethemed.recv() => {
                    let themes = self.files.read();
                    self.app.rethemed(themes);
                    self.dirty = Dirty::Now;
                    GoOn::Yes
                }
                Some(()) = from.written.recv() => {
                    self.store_watch.changed();
                    GoOn::Yes
                }
                () = tokio::time::sleep_until(self.store_watch.due().unwrap_or(due)),
                    if self.store_watch.due().is_some() =>
                {
                    self.refresh().await
                }
                () = self.terminal.ready(), if drawing == Drawing::OnceReady => GoOn::Yes,
                () = tokio::time::sleep_until(due), if drawing == Drawing::OnceDue => GoOn::Yes,
                () = tokio::time::sleep_until(self.drawn_at + SECOND),
                    if drawing == Drawing::Never && self.app.counts_seconds() =>
                {
                    self.dirty = Dirty::Soon;
                    GoOn::Yes
                }
                () = tokio::time::sleep_until(self.pressed_at + CHORD_PAUSE),
                    if self.app.is_in_a_chord() =>
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

    fn draw(&mut self) {
        let app = &mut self.app;
        let now = Instant::now();
        self.terminal
            .draw(|buffer| app.draw(buffer, now.into_std()));
        self.services.index_turns.begin();
        self.dirty = Dirty::No;
        self.drawn_at = now;
    }

    fn signal(&mut self, signal: Signal) -> GoOn {
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
    async fn inputs(&mut self, first: Input, more: &mut UnboundedReceiver<Input>) -> GoOn {
        self.pressed_at = Instant::now();
        let mut next = Some(first);
        let mut taken = 0;
        while let Some(input) = next {
            self.dirty = Dirty::Now;
            let turnout = self.app.input(&input);
            let go_on = self.turn_out(turnout).await;
            if go_on != GoOn::Yes {
                return go_on;
            }
            taken += 1;
            next = next_of_burst(more, taken);
        }
        GoOn::Yes
    }

    /// Takes what a session in play says, and what came with it.
    async fn lived(
        &mut self,
        id: SessionId,
        update: LiveEvent,
        more: &mut UnboundedReceiver<(SessionId, LiveEvent)>,
    ) -> GoOn {
        let mut next = Some((id, update));
        let mut taken = 0;
        while let Some((id, update)) = next {
            let dirty = match &update {
                LiveEvent::Delta { .. } => Dirty::Soon,
                _ => Dirty::Now,
            };
            self.dirty = self.dirty.max(dirty);
            if let LiveEvent::Happened(record) = &update {
                self.shown_verdicts.note(&self.services, &id, record);
            }
            let news = Broadcast::Live(id, Arc::new(update));
            let turnout = self.app.broadcast(&news);
            // Dropped here, not at the end of the loop: it asks for the next piece of the reply.
            drop(news);
            let go_on = self.turn_out(turnout).await;
            if go_on != GoOn::Yes {
                return go_on;
            }
            taken += 1;
            next = next_of_burst(more, taken);
        }
        GoOn::Yes
    }

    /// Reads again what the screen on top lists.
    async fn refresh(&mut self) -> GoOn {
        self.store_watch.refreshed();
        let turnout = self.app.refresh();
        self.turn_out(turnout).await
    }

    async fn turn_out(&mut self, turnout: InputOutcome) -> GoOn {
        if turnout.is_store_changed {
            self.store_watch.changed();
        }
        for (from, task) in turnout.tasks {
            task.start(from, &self.services);
        }
        for command in turnout.commands {
            self.perform(command);
        }
        if let Some((to, edit)) = turnout.edit {
            let editor = self.editor.as_deref();
            let edited = self.terminal.lend(|| edited_outside(editor, &edit.text));
            let message = (edit.ended)(edited);
            let turnout = self.app.deliver(Delivery::Message {
                to,
                message,
                dirty: Dirty::Now,
            });
            Box::pin(self.turn_out(turnout)).await;
        }
        match turnout.next {
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

    fn perform(&mut self, command: Command) {
        match command {
            Command::Copy(text) => self.copy(&text),
            Command::Page(text) => self.page(&text),
            Command::WriteText(path, text) => {
                let write = move |path: &Path| write_new(path, text.as_bytes());
                self.services.write_file(path, move |_, path| {
                    write(path).map_err(|error| error.to_string())
                });
            }
            Command::Draft(draft) => self.services.keep_draft(&draft),
            Command::Remember(kept) => self.services.remember(&kept),
            Command::LabelAs(name) => {
                self.services.label_as(name);
                // What they are shown is theirs.
                self.shown_verdicts = ShownVerdicts::default();
            }
            Command::Release(session) => self.services.release(session),
            Command::Run(command) => self.services.run_command(&mut self.run, command),
        }
    }

    fn copy(&mut self, text: &str) {
        let file = keep_copy(&self.own_folder, text);
        let sent = self.terminal.copy(text);
        match copied_words(sent, file) {
            Ok(place) => self.app.say(Role::Notice, place),
            Err(why) => self.app.say(Role::Error, why),
        }
    }

    fn page(&mut self, text: &str) {
        let pager = self.pager.clone();
        let text = visible(text, Keep::NewlinesAndTabs);
        let shown = self
            .terminal
            .lend(|| terminal::page(pager.as_deref(), &text));
        if let Err(why) = shown {
            self.app.say(Role::Error, why);
        }
    }
}

/// Returns what came with what was taken already, as far as one frame takes it in.
fn next_of_burst<T>(more: &mut UnboundedReceiver<T>, taken: usize) -> Option<T> {
    (taken < MAX_AT_ONCE).then(|| more.try_recv().ok())?
}
