//! State of the workbench: a stack of screens, an overlay, one status line. Pure.

mod drawn;
mod over;
mod runs;
mod stack;

use super::deed::{Deed, Effect};
use super::pending_writes::OnTheirWay;
use super::screen::Screen;
use super::told::{Opened, Told};
use super::ui_state::UiState;
use crate::debate::SessionId;
use crate::tui::keys::{Action, KeyTable, Resolved, Resolver, key_name};
use crate::tui::popups::{Confirm, ConfirmAnswer, Help, Palette, ThemePicker, WhichKey};
use crate::tui::screens::debate::SessionPosition;
use crate::tui::terminal::Input;
use crate::tui::theme::{ActiveTheme, Depth, GlyphSet, Look, Role, Themes};
use crate::tui::widgets::Content;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, MouseEventKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows that one notch of the wheel scrolls.
const WHEEL_ROWS: u32 = 3;
/// Below this size nothing can be read; the screen says so.
const SMALLEST: (u16, u16) = (60, 15);

/// Work of the loop after an input.
#[derive(Debug, Default)]
pub struct InputOutcome {
    pub deeds: Vec<Deed>,
    pub next: LoopStep,
}

/// Next step of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoopStep {
    #[default]
    Go,
    /// The whole screen is to be sent again.
    Redraw,
    Suspend,
    Quit,
}

/// Keys, themes and arrangement the workbench starts with.
pub struct WorkbenchOptions {
    pub keys: KeyTable,
    pub themes: Themes,
    /// The theme's name.
    pub theme: String,
    pub depth: Depth,
    pub glyphs: GlyphSet,
    pub kept: UiState,
}

/// The whole state of the workbench.
pub struct App {
    screens: Vec<Box<dyn Screen>>,
    /// Debates that are being played and were left; they are found again when they are opened.
    parked: BTreeMap<SessionId, Box<dyn Screen>>,
    overlay: Option<Overlay>,
    keys: KeyTable,
    resolver: Resolver,
    themes: Themes,
    worn: ActiveTheme,
    depth: Depth,
    glyphs: GlyphSet,
    look: Look,
    content: Content,
    kept: UiState,
    said: Option<(Role, String)>,
    /// A fork that was made and that no screen shows yet.
    forked: Option<(SessionId, SessionId, Arc<Opened>)>,
    on_their_way: OnTheirWay,
    /// The run that is played here, or was.
    run: runs::RunLine,
    quitting: bool,
}

/// Overlay over the screens.
enum Overlay {
    Help(Help),
    Palette(Palette),
    Themes(ThemePicker),
    Which(WhichKey),
    Quit(Confirm),
}

impl App {
    /// A workbench with its first screen.
    pub fn new(outfit: WorkbenchOptions, first: Box<dyn Screen>) -> Self {
        let worn = ActiveTheme::new(&outfit.themes, &outfit.theme);
        let look = match worn.theme() {
            Some(theme) => theme.resolve(outfit.depth, outfit.glyphs),
            None => Look::plain(),
        };
        let said = worn.fault().map(|fault| (Role::Error, fault.to_string()));
        Self {
            screens: vec![first],
            parked: BTreeMap::new(),
            overlay: None,
            keys: outfit.keys,
            resolver: Resolver::default(),
            themes: outfit.themes,
            worn,
            depth: outfit.depth,
            glyphs: outfit.glyphs,
            look,
            content: if outfit.kept.masked {
                Content::Masked
            } else {
                Content::Shown
            },
            kept: outfit.kept,
            said,
            forked: None,
            on_their_way: OnTheirWay::default(),
            run: runs::RunLine::default(),
            quitting: false,
        }
    }

    /// Takes an input.
    pub fn input(&mut self, input: &Input) -> InputOutcome {
        let mut out = InputOutcome::default();
        match input {
            Input::Event(Event::Key(key)) => {
                self.said = None;
                self.key(*key, &mut out);
            }
            Input::Paste(paste) => {
                self.said = None;
                match &mut self.overlay {
                    Some(Overlay::Help(help)) => help.paste(&paste.text),
                    Some(Overlay::Palette(palette)) => palette.paste(&paste.text),
                    Some(Overlay::Themes(_) | Overlay::Which(_) | Overlay::Quit(_)) => {}
                    None => {
                        if let Some(screen) = self.screens.last_mut() {
                            let effects = screen.pasted(paste);
                            self.perform(effects, &mut out);
                        }
                    }
                }
            }
            Input::Event(Event::Resize(..)) => out.next = LoopStep::Redraw,
            Input::Event(Event::Mouse(mouse)) => self.wheel(mouse.kind, &mut out),
            Input::Event(_) => {}
        }
        self.finish(out)
    }

    /// Scrolls what is on top by the wheel.
    fn wheel(&mut self, kind: MouseEventKind, out: &mut InputOutcome) {
        let (action, key) = match kind {
            MouseEventKind::ScrollUp => (Action::Up, KeyCode::Up),
            MouseEventKind::ScrollDown => (Action::Down, KeyCode::Down),
            _ => return,
        };
        let reads_keys =
            self.overlay.is_some() || self.screens.last().is_some_and(|screen| screen.is_typing());
        for _ in 0..WHEEL_ROWS {
            if reads_keys {
                self.key(key.into(), out);
            } else {
                self.act(action, out);
            }
        }
    }

    /// Takes in a result of a command.
    pub fn told(&mut self, told: &Told) -> InputOutcome {
        let mut out = InputOutcome::default();
        if let Told::Forked {
            parent,
            result: Ok((child, opened)),
        } = told
        {
            self.forked = Some((parent.clone(), child.clone(), Arc::clone(opened)));
        }
        if let Told::Begun(Ok((child, opened))) = told {
            self.forked = Some((child.clone(), child.clone(), Arc::clone(opened)));
        }
        let settled = self.on_their_way.told(told).into_iter().map(Deed::Draft);
        out.deeds.extend(settled);
        let mut effects = Vec::new();
        for screen in self.screens.iter_mut().chain(self.parked.values_mut()) {
            effects.extend(screen.told(told));
        }
        self.perform(effects, &mut out);
        if let Told::Run(told) = told {
            self.run_told(told, &mut out);
        }
        self.finish(out)
    }

    /// Shows a session on top of everything.
    pub fn open(&mut self, id: SessionId, place: Option<SessionPosition>) -> InputOutcome {
        let mut out = InputOutcome::default();
        self.perform_one(Effect::Open(id, place), &mut out);
        out
    }

    /// Says whether the program is to be left.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// Themes were read again.
    pub fn rethemed(&mut self, themes: Themes) {
        self.themes = themes;
        self.worn.again(&self.themes);
        if let Some(Overlay::Themes(picker)) = &mut self.overlay {
            picker.refresh(&self.themes);
        }
        self.said = self
            .worn
            .fault()
            .map(|fault| (Role::Error, fault.to_string()));
        self.dress();
    }

    /// Says something on the status line until the next key.
    pub fn say(&mut self, role: Role, text: String) {
        self.said = Some((role, text));
    }

    /// Returns how the workbench is arranged now.
    pub fn arranged(&self) -> UiState {
        let mut kept = self.kept.clone();
        kept.last = None;
        kept.masked = self.content == Content::Masked;
        kept.theme = Some(self.worn.wanted().to_owned());
        for screen in &self.screens {
            screen.keep(&mut kept);
        }
        kept
    }

    fn finish(&mut self, mut out: InputOutcome) -> InputOutcome {
        if self.quitting {
            out.deeds.push(Deed::Remember(self.arranged()));
            out.next = LoopStep::Quit;
        }
        out
    }

    fn key(&mut self, key: KeyEvent, out: &mut InputOutcome) {
        if self.overlay.is_some() {
            return self.overlay_key(key, out);
        }
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        if screen.is_typing() {
            let effects = match self.keys.while_typing(key) {
                Some(Action::Suspend) => {
                    out.next = LoopStep::Suspend;
                    return;
                }
                Some(Action::Redraw) => {
                    out.next = LoopStep::Redraw;
                    return;
                }
                // An interrupt while writing leaves the text.
                Some(_) => screen.typed(KeyEvent::from(KeyCode::Esc)),
                None => screen.typed(key),
            };
            return self.perform(effects, out);
        }
        // A chord that has begun goes on: what follows it is no letter of its own.
        if self.resolver.pending().0.is_empty()
            && let Some(effects) = screen.takes(key)
        {
            return self.perform(effects, out);
        }
        let context = screen.context();
        match self.resolver.resolve(&self.keys, context, key) {
            Resolved::Action(action) => self.act(action, out),
            Resolved::Which { prefix, next } => {
                self.overlay = Some(Overlay::Which(WhichKey::new(prefix, next)));
            }
            Resolved::Pending { .. } | Resolved::Cancelled => {}
            Resolved::Nothing => {
                let text = format!("no action on {}; ? shows the keys", key_name(key));
                self.said = Some((Role::Notice, text));
            }
        }
    }

    fn act(&mut self, action: Action, out: &mut InputOutcome) {
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        let context = screen.context();
        if let Some(effects) = self.act_on_run(action) {
            return self.perform(effects, out);
        }
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        match action {
            Action::Quit => self.quit(),
            Action::Suspend => out.next = LoopStep::Suspend,
            Action::Redraw => out.next = LoopStep::Redraw,
            Action::Help => self.overlay = Some(Overlay::Help(Help::new(&self.keys, context))),
            Action::Palette => {
                self.overlay = Some(Overlay::Palette(Palette::new(&self.keys, context)));
            }
            Action::Themes => {
                let picker = ThemePicker::new(&self.themes, self.worn.wanted());
                self.overlay = Some(Overlay::Themes(picker));
            }
            Action::Mask => self.content = self.content.toggled(),
            other => {
                let effects = screen.act(other);
                self.perform(effects, out);
            }
        }
    }

    /// Leaves the program, asking first where something goes on.
    pub fn quit(&mut self) {
        let mut busy: Vec<String> = self
            .screens
            .iter()
            .chain(self.parked.values())
            .filter_map(|screen| screen.busy())
            .collect();
        busy.dedup();
        let run = self.run_under_way();
        let question = match (run, busy.is_empty()) {
            (None, true) => {
                self.quitting = true;
                return;
            }
            (Some(run), true) => format!(
                "{run}. Leaving pauses it: what was sent arrives and is kept, and the command that \
                 goes on is printed. Quit?"
            ),
            (run, false) => {
                busy.extend(run.map(|run| format!("{run}, and will be paused")));
                format!(
                    "{}. What is cancelled may still cost its worst case; what was said is kept. Quit?",
                    busy.join("; ")
                )
            }
        };
        self.overlay = Some(Overlay::Quit(Confirm::new(
            "Quit",
            &question,
            ConfirmAnswer::No,
        )));
    }
}
