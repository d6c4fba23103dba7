//! State of the workbench: a stack of screens, an overlay, one status line. Pure.

mod drawn;
mod over;
mod runs;
mod stack;
mod top_line;

use super::broadcast::Broadcast;
use super::effect::{Command, OutsideEdit};
use super::screen::Screen;
use super::task::{Delivery, ScreenId, Task};
use super::ui_state::UiState;
use crate::tui::app::SessionPosition;
use crate::tui::keys::{Action, KeyTable, Resolved, Resolver, key_name};
use crate::tui::popups::{Dialog, Help, ThemePicker, WhichKey, palette};
use crate::tui::screens::Place;
use crate::tui::theme::{ActiveTheme, Depth, GlyphSet, Look, Role, Themes};
use crate::tui::widgets::{ClickRows, Content};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::Draft;
use elenchus_run::engine::live::PendingTexts;
use elenchus_terminal::Input;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, MouseButton, MouseEventKind};
use ratatui::layout::Position;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// Rows that one notch of the wheel scrolls.
const WHEEL_ROWS: u32 = 3;
/// Below this size nothing can be read; the screen says so.
const SMALLEST: (u16, u16) = (60, 15);

/// Work of the loop after an input.
#[derive(Debug, Default)]
pub struct InputOutcome {
    pub commands: Vec<Command>,
    /// Tasks of screens.
    pub tasks: Vec<(ScreenId, Task)>,
    /// A text for `$EDITOR`, of this screen.
    pub edit: Option<(ScreenId, OutsideEdit)>,
    /// Something was written into the store: what is listed is read again soon.
    pub is_store_changed: bool,
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
    /// The screens that are one key away, in the order of the line at the top.
    pub places: Vec<Place>,
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
    screens: Vec<OpenScreen>,
    last_screen: ScreenId,
    /// Debates that are being played and were left; they are found again when they are opened.
    parked: BTreeMap<SessionId, OpenScreen>,
    overlay: Option<Overlay>,
    places: Vec<Place>,
    keys: KeyTable,
    resolver: Resolver,
    themes: Themes,
    worn: ActiveTheme,
    depth: Depth,
    glyphs: GlyphSet,
    look: Look,
    content: Content,
    rows: ClickRows,
    /// Where the names of places end in the line at the top.
    named_places: Vec<usize>,
    kept: UiState,
    said: Option<(Role, String)>,
    on_their_way: PendingTexts,
    /// The run that is played here, or was.
    run: runs::RunLine,
    quitting: bool,
}

/// A screen on the stack, or parked.
struct OpenScreen {
    id: ScreenId,
    screen: Box<dyn Screen>,
}

impl Deref for OpenScreen {
    type Target = dyn Screen;

    fn deref(&self) -> &Self::Target {
        self.screen.as_ref()
    }
}

impl DerefMut for OpenScreen {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.screen.as_mut()
    }
}

/// Overlay over the screens.
enum Overlay {
    Help(Help),
    Themes(ThemePicker),
    Which(WhichKey),
    Dialog(Dialog<Asked>),
}

/// What a dialog of the workbench's own asks.
#[derive(Debug)]
enum Asked {
    /// Which of these commands.
    Command(Vec<Action>),
    /// Whether to quit.
    Quit,
}

impl App {
    /// A workbench without a screen: the first is shown by [`App::show`].
    pub fn new(outfit: WorkbenchOptions) -> Self {
        let worn = ActiveTheme::new(&outfit.themes, &outfit.theme);
        let look = match worn.theme() {
            Some(theme) => theme.resolve(outfit.depth, outfit.glyphs),
            None => Look::plain(),
        };
        let said = worn.fault().map(|fault| (Role::Error, fault.to_string()));
        Self {
            screens: Vec::new(),
            last_screen: ScreenId::default(),
            parked: BTreeMap::new(),
            overlay: None,
            places: outfit.places,
            keys: outfit.keys,
            resolver: Resolver::default(),
            themes: outfit.themes,
            worn,
            depth: outfit.depth,
            glyphs: outfit.glyphs,
            look,
            rows: ClickRows::default(),
            named_places: Vec::new(),
            content: if outfit.kept.masked {
                Content::Masked
            } else {
                Content::Shown
            },
            kept: outfit.kept,
            said,
            on_their_way: PendingTexts::default(),
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
                    Some(Overlay::Dialog(dialog)) => dialog.paste(&paste.text),
                    Some(Overlay::Themes(_) | Overlay::Which(_)) => {}
                    None => {
                        if let Some(screen) = self.screens.last_mut() {
                            let (id, effects) = (screen.id, screen.pasted(paste));
                            self.perform(id, effects, &mut out);
                        }
                    }
                }
            }
            Input::Event(Event::Resize(..)) => out.next = LoopStep::Redraw,
            Input::Event(Event::Mouse(mouse)) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => {
                    self.click(Position::new(mouse.column, mouse.row), &mut out);
                }
                kind => self.wheel(kind, &mut out),
            },
            Input::Event(_) => {}
        }
        self.finish(out)
    }

    /// Goes to what was clicked: a place of the line at the top, a row of the list that has the keys, or
    /// another pane. A click on the chosen row opens it.
    fn click(&mut self, at: Position, out: &mut InputOutcome) {
        if self.reads_keys() && !self.rows.is_popup() {
            return;
        }
        self.said = None;
        if !self.rows.is_popup()
            && let Some(place) = self.place_at(at)
        {
            return self.act(Action::Show(place.keys), out);
        }
        let (row, pane) = (self.rows.steps_to(at), self.rows.panes_to(at));
        let (steps, action, key) = match (row, pane) {
            (Some(steps @ 0), _) => (steps, Action::Open, KeyCode::Enter),
            (Some(steps @ ..0), _) => (steps, Action::Up, KeyCode::Up),
            (Some(steps), _) => (steps, Action::Down, KeyCode::Down),
            (None, None | Some(0)) => return,
            (None, Some(steps @ ..0)) => (steps, Action::FocusPrevious, KeyCode::BackTab),
            (None, Some(steps)) => (steps, Action::FocusNext, KeyCode::Tab),
        };
        for _ in 0..steps.unsigned_abs().max(1) {
            self.act_or_key(action, key, out);
        }
    }

    /// Says whether keys are given to what is on top as they are.
    fn reads_keys(&self) -> bool {
        self.overlay.is_some() || self.screens.last().is_some_and(|screen| screen.is_typing())
    }

    /// Asks for an action, by its key where keys are read.
    fn act_or_key(&mut self, action: Action, key: KeyCode, out: &mut InputOutcome) {
        match self.reads_keys() {
            true => self.key(key.into(), out),
            false => self.act(action, out),
        }
    }

    /// Scrolls what is on top by the wheel.
    fn wheel(&mut self, kind: MouseEventKind, out: &mut InputOutcome) {
        let (action, key) = match kind {
            MouseEventKind::ScrollUp => (Action::Up, KeyCode::Up),
            MouseEventKind::ScrollDown => (Action::Down, KeyCode::Down),
            _ => return,
        };
        for _ in 0..WHEEL_ROWS {
            self.act_or_key(action, key, out);
        }
    }

    /// Says whether a chord has begun whose continuations are not shown yet.
    pub fn is_in_a_chord(&self) -> bool {
        self.overlay.is_none() && !self.resolver.pending().0.is_empty()
    }

    /// Shows which keys may follow those typed so far.
    pub fn show_continuations(&mut self) {
        if let Some(screen) = self.screens.last() {
            let (prefix, next) = self.resolver.continuations(&self.keys, screen.context());
            self.overlay = Some(Overlay::Which(WhichKey::new(prefix, next)));
        }
    }

    /// Tells all screens.
    pub fn broadcast(&mut self, news: &Broadcast) -> InputOutcome {
        let mut out = InputOutcome::default();
        if let Broadcast::Live(session, event) = news
            && let Some(record) = event.record()
        {
            let settled = self.on_their_way.settle(session, record).into_iter();
            let dropped = settled.map(|place| Draft {
                place,
                text: String::new(),
            });
            out.commands.extend(dropped.map(Command::Draft));
        }
        let screens = self.screens.iter_mut().chain(self.parked.values_mut());
        let said: Vec<_> = screens
            .map(|screen| (screen.id, screen.notice(news)))
            .collect();
        for (id, effects) in said {
            self.perform(id, effects, &mut out);
        }
        if let Broadcast::Run(event) = news {
            self.run_event(event, &mut out);
        }
        self.finish(out)
    }

    /// Delivers the result of a task to the screen that started it; where that was closed, to nobody.
    pub fn deliver(&mut self, delivery: Delivery) -> InputOutcome {
        let mut out = InputOutcome::default();
        let mut screens = self.screens.iter_mut().chain(self.parked.values_mut());
        match delivery {
            Delivery::Message { to, message, .. } => {
                if let Some(screen) = screens.find(|screen| screen.id == to) {
                    let effects = screen.deliver(message);
                    self.perform(to, effects, &mut out);
                }
            }
            Delivery::Say(role, text) => self.say(role, text),
            Delivery::All(news) => return self.broadcast(&news),
        }
        self.finish(out)
    }

    /// Lets the screen on top read again what it lists.
    pub fn refresh(&mut self) -> InputOutcome {
        let mut out = InputOutcome::default();
        if let Some(screen) = self.screens.last_mut() {
            let (id, effects) = (screen.id, screen.refresh());
            self.perform(id, effects, &mut out);
        }
        self.finish(out)
    }

    /// Shows a screen on top of everything.
    pub fn show(&mut self, screen: Box<dyn Screen>) -> InputOutcome {
        let mut out = InputOutcome::default();
        self.push(screen, &mut out);
        out
    }

    /// Shows a session on top of everything.
    pub fn open(&mut self, id: SessionId, place: Option<SessionPosition>) -> InputOutcome {
        let mut out = InputOutcome::default();
        self.open_session(id, place, &mut out);
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
            out.commands
                .push(Command::Remember(Box::new(self.arranged())));
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
            let id = screen.id;
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
            return self.perform(id, effects, out);
        }
        // A chord that has begun goes on: what follows it is no letter of its own.
        if self.resolver.pending().0.is_empty()
            && let Some(effects) = screen.takes(key)
        {
            let id = screen.id;
            return self.perform(id, effects, out);
        }
        let context = screen.context();
        match self.resolver.resolve(&self.keys, context, key) {
            Resolved::Action(action) => self.act(action, out),
            Resolved::Which => self.show_continuations(),
            Resolved::Pending | Resolved::Cancelled => {}
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
        let (id, context) = (screen.id, screen.context());
        if let Some(effects) = self.act_on_run(action) {
            return self.perform(id, effects, out);
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
                let (pick, actions) = palette(&self.keys, context);
                let dialog = Dialog::list(pick, Asked::Command(actions));
                self.overlay = Some(Overlay::Dialog(dialog));
            }
            Action::Themes => {
                let picker = ThemePicker::new(&self.themes, self.worn.wanted());
                self.overlay = Some(Overlay::Themes(picker));
            }
            Action::Show(keys) => {
                let place = self.places.iter().find(|place| place.keys == keys);
                if let Some(place) = place.copied() {
                    self.go_to(place, out);
                }
            }
            Action::Mask => self.content = self.content.toggled(),
            other => {
                let effects = screen.act(other);
                self.perform(id, effects, out);
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
        let dialog = Dialog::confirm("Quit", &question, Asked::Quit);
        self.overlay = Some(Overlay::Dialog(dialog));
    }
}
