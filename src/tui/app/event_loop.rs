//! The loop: inputs and tidings in, frames out, deeds to the hands.

use super::app::{App, Deed, Next, Outfit, RunTold, Told, TryTold, Turnout, Work};
use super::hands::{Hands, Tools, recall};
use super::input::Input;
use super::keep::Kept;
use super::keys::KeyTable;
use super::outside;
use super::screens::debate::Place;
use super::screens::first::{annotate_screen, first_screen};
use super::term::{Link, Signal, Signals, TermError, TermOptions, Terminal};
use super::theme::{Depth, GlyphSet, Role, ThemeFiles};
use super::watch::{FolderWatch, Listens};
use crate::debate::{RunId, SessionId, TurnId};
use crate::driver::live::Tiding;
use crate::driver::tries::TryTiding;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

/// A frame of a stream is drawn at most so often: 20 times a second, 10 on a slow link.
const FRAME_EVERY: Duration = Duration::from_millis(50);
const SLOW_FRAME_EVERY: Duration = Duration::from_millis(100);
/// What has come and is taken in before a frame is drawn.
const MAX_AT_ONCE: usize = 4096;

/// What the workbench is opened with.
pub struct Bench {
    pub tools: Tools,
    pub keys: KeyTable,
    /// Folders of themes, those that win last.
    pub theme_folders: Vec<PathBuf>,
    /// The theme that is configured; what a person chose in the workbench wins.
    pub theme: Option<String>,
    /// The theme that was asked for this time.
    pub asked_theme: Option<String>,
    pub depth: Depth,
    pub glyphs: GlyphSet,
    pub link: Link,
    pub in_tmux: bool,
    pub editor: Option<String>,
    pub pager: Option<String>,
    /// What is to be opened at once.
    pub open: Option<First>,
    /// What a person should know before they begin.
    pub notice: Option<String>,
}

/// What the workbench can be opened with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum First {
    /// A session, at a turn where one is named.
    Session(SessionId, Option<TurnId>),
    /// Something to be labelled: nothing that tells verdicts is shown before it.
    Annotate(Work),
}

/// How the workbench was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The session that was open: leaving prints how to come back to it.
    pub session: Option<SessionId>,
    /// A run that was played here and can be gone on with.
    pub run: Option<RunId>,
    /// Whether the terminal is still there to print on.
    pub terminal: Ending,
}

/// What ended the workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A person left, or the process was asked to end.
    Orderly,
    /// The terminal is gone.
    Hangup,
}

/// Opens the workbench and returns when it is left. Must be called in a runtime.
///
/// # Errors
/// When standard input or output is no terminal, or its modes cannot be set.
pub async fn run(bench: Bench) -> Result<Left, TermError> {
    let kept = recall(&bench.tools.own_folder);
    let mut files = ThemeFiles::new(bench.theme_folders.clone());
    let theme = bench.asked_theme.clone();
    let theme = theme.or(kept.theme.clone()).or(bench.theme.clone());
    let outfit = Outfit {
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
    };
    let (terminal, inputs) = Terminal::enter(&options)?;
    let (tell, told) = unbounded_channel();
    let (live_tell, lived) = unbounded_channel();
    let (retheme, rethemed) = unbounded_channel();
    // Without a watch themes are read again when they are chosen.
    let watch = FolderWatch::begin(files.folders(), ".toml", move || match retheme.send(()) {
        Ok(()) => Listens::Yes,
        Err(_) => Listens::No,
    });
    let hands = Hands::new(bench.tools.clone(), tell, live_tell);
    let (first, begin) = match &bench.open {
        Some(First::Annotate(work)) => annotate_screen(work.clone()),
        Some(First::Session(..)) | None => first_screen(&kept, &bench.keys),
    };
    let mut round = Loop {
        app: App::new(outfit, first),
        hands,
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
        drawn_at: Instant::now(),
    };
    for deed in begin {
        round.hands.perform(deed);
    }
    let wanted = match &bench.open {
        Some(First::Session(id, turn)) => {
            let place = turn.clone().map(|turn| Place {
                turn: Some(turn),
                pane: None,
            });
            Some((id.clone(), place))
        }
        Some(First::Annotate(_)) => None,
        None => place_of(&kept),
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
        told,
        lived,
        rethemed,
    };
    let ending = round.go(&mut sources).await;
    drop(watch);
    let arranged = round.app.arranged();
    round.hands.perform(Deed::Remember(arranged.clone()));
    // The terminal comes back first: what is still being made durable must not hold the shell up.
    drop(round.terminal);
    let run = rest_run(&mut round.hands, ending, &mut sources.signals).await;
    round.hands.close().await;
    Ok(Left {
        session: arranged.last.map(|last| last.session),
        run,
        terminal: ending,
    })
}

/// Lets a run come to rest before the program ends: it is waited for, unless nobody can be told or
/// somebody has no time.
async fn rest_run(hands: &mut Hands, ending: Ending, signals: &mut Signals) -> Option<RunId> {
    match ending {
        Ending::Hangup => hands.rest_run(std::future::ready(())).await,
        Ending::Orderly => {
            if hands.plays_a_run() {
                let text =
                    "pausing the run: what was sent arrives and is kept (Ctrl-C gives it up)";
                // Whoever reads nothing any more waits all the same.
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
            hands.rest_run(hurry).await
        }
    }
}

fn place_of(kept: &Kept) -> Option<(SessionId, Option<Place>)> {
    let last = kept.last.as_ref()?;
    let place = Place::of(last);
    Some((last.session.clone(), Some(place)))
}

/// Where things come from.
struct Sources {
    signals: Signals,
    inputs: UnboundedReceiver<Input>,
    told: UnboundedReceiver<Told>,
    lived: UnboundedReceiver<(SessionId, Tiding)>,
    rethemed: UnboundedReceiver<()>,
}

/// Whether the screen differs from the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dirty {
    No,
    /// Only a stream went on.
    Soon,
    Now,
}

struct Loop {
    app: App,
    hands: Hands,
    terminal: Terminal,
    files: ThemeFiles,
    frame_every: Duration,
    editor: Option<String>,
    pager: Option<String>,
    own_folder: PathBuf,
    dirty: Dirty,
    drawn_at: Instant,
}

/// Says how soon what was told is drawn: replies to tries come on the way of everything else.
fn urgency(told: &Told) -> Dirty {
    if matches!(told, Told::Run(RunTold::Went(_))) {
        return Dirty::Soon;
    }
    let Told::Try(TryTold::Went(_, tiding)) = told else {
        return Dirty::Now;
    };
    match tiding.as_ref() {
        TryTiding::Went { tiding, .. } if matches!(**tiding, Tiding::Delta { .. }) => Dirty::Soon,
        TryTiding::Begun { .. } | TryTiding::Went { .. } | TryTiding::Left { .. } => Dirty::Now,
    }
}

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoOn {
    Yes,
    No(Ending),
}

impl Loop {
    async fn go(&mut self, from: &mut Sources) -> Ending {
        loop {
            let due = self.drawn_at + self.frame_every;
            let now = self.dirty == Dirty::Now || Instant::now() >= due;
            if self.dirty != Dirty::No && now && self.terminal.is_ready() {
                self.draw();
            }
            let waiting = self.dirty != Dirty::No;
            let ready = self.terminal.is_ready();
            // A clean screen waits for nothing but news: no timer is armed.
            let go_on = tokio::select! {
                biased;
                signal = from.signals.next() => self.signal(signal),
                input = from.inputs.recv() => match input {
                    Some(input) => self.inputs(input, &mut from.inputs).await,
                    None => GoOn::No(Ending::Hangup),
                },
                Some(told) = from.told.recv() => {
                    self.dirty = self.dirty.max(urgency(&told));
                    self.hands.take_note(&told);
                    let turnout = self.app.told(&told);
                    // It may hold a piece of a reply: dropping it asks for the next.
                    drop(told);
                    self.turn_out(turnout).await
                }
                Some((id, tiding)) = from.lived.recv() => {
                    self.lived(id, tiding, &mut from.lived).await
                }
                Some(()) = from.rethemed.recv() => {
                    let themes = self.files.read();
                    self.app.rethemed(themes);
                    self.dirty = Dirty::Now;
                    GoOn::Yes
                }
                () = self.terminal.ready(), if waiting && !ready => GoOn::Yes,
                () = tokio::time::sleep_until(due), if self.dirty == Dirty::Soon && ready => GoOn::Yes,
            };
            if let GoOn::No(ending) = go_on {
                return ending;
            }
        }
    }

    fn draw(&mut self) {
        let app = &mut self.app;
        self.terminal.draw(|buffer| app.draw(buffer));
        self.dirty = Dirty::No;
        self.drawn_at = Instant::now();
    }

    fn signal(&mut self, signal: Signal) -> GoOn {
        match signal {
            Signal::Hangup => return GoOn::No(Ending::Hangup),
            Signal::Terminate => return GoOn::No(Ending::Orderly),
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
            GoOn::No(Ending::Orderly)
        } else {
            GoOn::Yes
        }
    }

    /// Takes an input, and what came with it: a burst of keys is one frame.
    async fn inputs(&mut self, first: Input, more: &mut UnboundedReceiver<Input>) -> GoOn {
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
            next = if taken < MAX_AT_ONCE {
                more.try_recv().ok()
            } else {
                None
            };
        }
        GoOn::Yes
    }

    /// Takes what a session in play says, and what came with it.
    async fn lived(
        &mut self,
        id: SessionId,
        tiding: Tiding,
        more: &mut UnboundedReceiver<(SessionId, Tiding)>,
    ) -> GoOn {
        let mut next = Some((id, tiding));
        let mut taken = 0;
        while let Some((id, tiding)) = next {
            let dirty = match &tiding {
                Tiding::Delta { .. } => Dirty::Soon,
                _ => Dirty::Now,
            };
            self.dirty = self.dirty.max(dirty);
            // Dropping it afterwards asks for the next piece of the reply.
            let told = Told::Live(id, Arc::new(tiding));
            self.hands.take_note(&told);
            let turnout = self.app.told(&told);
            // Dropped here, not at the end of the loop: it asks for the next piece of the reply.
            drop(told);
            let go_on = self.turn_out(turnout).await;
            if go_on != GoOn::Yes {
                return go_on;
            }
            taken += 1;
            next = if taken < MAX_AT_ONCE {
                more.try_recv().ok()
            } else {
                None
            };
        }
        GoOn::Yes
    }

    async fn turn_out(&mut self, turnout: Turnout) -> GoOn {
        for deed in turnout.deeds {
            match deed {
                Deed::Copy(text) => self.copy(&text).await,
                Deed::Page(text) => self.page(&text).await,
                Deed::EditOutside { ticket, text } => {
                    let editor = self.editor.clone();
                    let edited = self
                        .terminal
                        .lend(|| outside::edit(editor.as_deref(), &text));
                    let turnout = self.app.told(&Told::Edited(ticket, edited));
                    Box::pin(self.turn_out(turnout)).await;
                }
                other => self.hands.perform(other),
            }
        }
        match turnout.next {
            Next::Go => GoOn::Yes,
            Next::Redraw => {
                self.terminal.clear();
                GoOn::Yes
            }
            Next::Suspend => {
                self.terminal.suspend();
                GoOn::Yes
            }
            Next::Quit => GoOn::No(Ending::Orderly),
        }
    }

    async fn copy(&mut self, text: &str) {
        let file = outside::keep_copy(&self.own_folder, text);
        let sent = self.terminal.copy(text);
        let told = outside::copied_words(sent, file);
        let turnout = self.app.told(&Told::Copied(told));
        Box::pin(self.turn_out(turnout)).await;
    }

    async fn page(&mut self, text: &str) {
        let pager = self.pager.clone();
        let shown = self.terminal.lend(|| outside::page(pager.as_deref(), text));
        if let Err(why) = shown {
            self.app.say(Role::Error, why);
        }
    }
}
