//! State of the workbench: a stack of screens, an overlay, one status line. Pure.

mod drawn;
mod over;
mod runs;
mod stack;
mod top_line;

use super::broadcast::{Broadcast, NameOf};
use super::effect::{Command, OutsideEdit};
use super::screen::Screen;
use super::task::{Delivery, ScreenId, Task};
use super::ui_state::UiState;
use crate::tui::app::SessionPosition;
use crate::tui::keys::{
    Action, Context, KeyTable, Resolved, Resolver, key_for, key_name, spelled, typed_char,
};
use crate::tui::popups::{
    CommandLineEntry, Dialog, Help, PaletteRow, ThemePicker, WhichKey, build_palette,
};
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
    /// It follows what others write into the store: what its tasks find out is no answer to a person, and is drawn
    /// with what follows.
    pub is_watched: bool,
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
    pub saved_state: UiState,
    /// Lists what the command line does, for whoever looks for it here.
    pub command_line: fn() -> Vec<CommandLineEntry>,
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
    command_line: fn() -> Vec<CommandLineEntry>,
    resolver: Resolver,
    themes: Themes,
    active_theme: ActiveTheme,
    depth: Depth,
    glyphs: GlyphSet,
    look: Look,
    content: Content,
    rows: ClickRows,
    /// Where the names of places end in the line at the top.
    place_ends: Vec<usize>,
    saved_state: UiState,
    message: Option<(Role, String)>,
    pending_texts: PendingTexts,
    /// The run that is played here, or was.
    run: runs::RunLine,
    quitting: bool,
    /// The key before was an interrupt with nothing to interrupt: the next one leaves.
    interrupted: bool,
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
    Command(Vec<PaletteRow>),
    /// Whether to quit.
    Quit,
}

impl App {
    /// A workbench without a screen: the first is shown by [`App::show_screen`].
    pub fn new(options: WorkbenchOptions) -> Self {
        let active_theme = ActiveTheme::new(&options.themes, &options.theme);
        let look = match active_theme.theme() {
            Some(theme) => theme.resolve_look(options.depth, options.glyphs),
            None => Look::plain(),
        };
        let message = active_theme
            .fault()
            .map(|fault| (Role::Error, fault.to_string()));
        Self {
            screens: Vec::new(),
            last_screen: ScreenId::default(),
            parked: BTreeMap::new(),
            overlay: None,
            places: options.places,
            keys: options.keys,
            command_line: options.command_line,
            resolver: Resolver::default(),
            themes: options.themes,
            active_theme,
            depth: options.depth,
            glyphs: options.glyphs,
            look,
            rows: ClickRows::default(),
            place_ends: Vec::new(),
            content: if options.saved_state.masked {
                Content::Masked
            } else {
                Content::Shown
            },
            saved_state: options.saved_state,
            message,
            pending_texts: PendingTexts::default(),
            run: runs::RunLine::default(),
            quitting: false,
            interrupted: false,
        }
    }

    /// Takes an input.
    pub fn handle_input(&mut self, input: &Input) -> InputOutcome {
        let mut out = InputOutcome::default();
        match input {
            Input::Event(Event::Key(key)) => {
                self.message = None;
                let was_interrupted = std::mem::take(&mut self.interrupted);
                self.handle_key(*key, &mut out);
                if was_interrupted && self.interrupted {
                    self.quit();
                }
            }
            Input::Paste(paste) => {
                self.message = None;
                match &mut self.overlay {
                    Some(Overlay::Help(help)) => help.paste_text(&paste.text),
                    Some(Overlay::Dialog(dialog)) => dialog.paste_text(&paste.text),
                    Some(Overlay::Themes(_) | Overlay::Which(_)) => {}
                    None => {
                        if let Some(screen) = self.screens.last_mut() {
                            let (id, effects) = (screen.id, screen.handle_paste(paste));
                            self.perform_effects(id, effects, &mut out);
                        }
                    }
                }
            }
            Input::Event(Event::Resize(..)) => out.next = LoopStep::Redraw,
            Input::Event(Event::Mouse(mouse)) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => {
                    self.handle_click(Position::new(mouse.column, mouse.row), &mut out);
                }
                kind => self.handle_wheel(kind, &mut out),
            },
            Input::Event(_) => {}
        }
        self.finish_outcome(out)
    }

    /// Goes to what was clicked: a place of the line at the top, a row of the list that has the keys, or
    /// another pane. A click on the chosen row opens it.
    fn handle_click(&mut self, at: Position, out: &mut InputOutcome) {
        let is_form =
            self.overlay.is_none() && self.screens.last().is_some_and(|one| one.is_form());
        if self.reads_keys() && !self.rows.is_popup() && !is_form {
            return;
        }
        self.message = None;
        if !self.rows.is_popup()
            && let Some(place) = self.place_at(at)
        {
            return self.handle_action(Action::Show(place.keys), out);
        }
        let (row, pane) = (self.rows.steps_to(at), self.rows.panes_to(at));
        let columns = self.rows.columns_to(at).unwrap_or(0);
        let across = match columns {
            ..0 => (Action::Left, KeyCode::Left),
            _ => (Action::Right, KeyCode::Right),
        };
        for _ in 0..columns.unsigned_abs() {
            self.handle_action_or_key(across.0, across.1, out);
        }
        let (steps, action, key) = match (row, pane) {
            (Some(0), _) if columns != 0 => return self.rows.note_moves(0, columns, 0),
            // A text is gone into where it is clicked; Enter would go on from it.
            (Some(0), _) if is_form && self.reads_keys() => return,
            (Some(steps @ 0), _) if is_form => (steps, Action::Edit, KeyCode::Enter),
            (Some(steps @ 0), _) => (steps, Action::Open, KeyCode::Enter),
            (Some(steps @ ..0), _) => (steps, Action::Up, KeyCode::Up),
            (Some(steps), _) => (steps, Action::Down, KeyCode::Down),
            (None, None | Some(0)) => return,
            (None, Some(steps @ ..0)) => (steps, Action::FocusPrevious, KeyCode::BackTab),
            (None, Some(steps)) => (steps, Action::FocusNext, KeyCode::Tab),
        };
        for _ in 0..steps.unsigned_abs().max(1) {
            self.handle_action_or_key(action, key, out);
        }
        match row {
            Some(0) => {
                // What was opened is not drawn yet, and no place of it is known.
                self.rows.clear();
            }
            Some(_) => self.rows.note_moves(steps, columns, 0),
            None => self.rows.note_moves(0, columns, steps),
        }
    }

    /// Says whether keys are given to what is on top as they are.
    fn reads_keys(&self) -> bool {
        self.overlay.is_some() || self.screens.last().is_some_and(|screen| screen.is_typing())
    }

    /// Asks for an action, by its key where keys are read.
    fn handle_action_or_key(&mut self, action: Action, key: KeyCode, out: &mut InputOutcome) {
        match self.reads_keys() {
            true => self.handle_key(key.into(), out),
            false => self.handle_action(action, out),
        }
    }

    /// Scrolls what is on top by the wheel.
    fn handle_wheel(&mut self, kind: MouseEventKind, out: &mut InputOutcome) {
        let (action, key) = match kind {
            MouseEventKind::ScrollUp => (Action::Up, KeyCode::Up),
            MouseEventKind::ScrollDown => (Action::Down, KeyCode::Down),
            _ => return,
        };
        for _ in 0..WHEEL_ROWS {
            self.handle_action_or_key(action, key, out);
        }
    }

    /// Says whether a chord has begun whose continuations are not shown yet.
    pub fn is_in_chord(&self) -> bool {
        self.overlay.is_none() && !self.resolver.pending_chord().0.is_empty()
    }

    /// Shows which keys may follow those typed so far.
    pub fn show_continuations(&mut self) {
        if let Some(screen) = self.screens.last() {
            let (prefix, next) = self
                .resolver
                .list_continuations(&self.keys, screen.key_context());
            self.overlay = Some(Overlay::Which(WhichKey::new(prefix, next)));
        }
    }

    /// Tells all screens.
    pub fn handle_broadcast(&mut self, news: &Broadcast) -> InputOutcome {
        let mut out = InputOutcome::default();
        if let Broadcast::Live(session, event) = news
            && let Some(record) = event.record()
        {
            let used_places = self
                .pending_texts
                .remove_durable(session, record)
                .into_iter();
            let empty_drafts = used_places.map(|place| Draft {
                place,
                text: String::new(),
            });
            out.commands.extend(empty_drafts.map(Command::Draft));
        }
        let screens = self.screens.iter_mut().chain(self.parked.values_mut());
        let screen_effects: Vec<_> = screens
            .map(|screen| (screen.id, screen.handle_broadcast(news)))
            .collect();
        for (id, effects) in screen_effects {
            self.perform_effects(id, effects, &mut out);
        }
        if let Broadcast::Run(event) = news {
            self.handle_run_event(event, &mut out);
        }
        if let Broadcast::Annotator(name, NameOf::User) = news {
            self.saved_state.annotator = Some(name.clone());
            self.saved_state.annotator_asked = true;
            let state = Box::new(self.to_ui_state());
            out.commands.push(Command::Remember(state));
        }
        self.finish_outcome(out)
    }

    /// Delivers the result of a task to the screen that started it; where that was closed, to nobody.
    pub fn handle_delivery(&mut self, delivery: Delivery) -> InputOutcome {
        let mut out = InputOutcome::default();
        let mut screens = self.screens.iter_mut().chain(self.parked.values_mut());
        match delivery {
            Delivery::Message { to, message, .. } => {
                if let Some(screen) = screens.find(|screen| screen.id == to) {
                    let effects = screen.deliver_message(message);
                    self.perform_effects(to, effects, &mut out);
                }
            }
            Delivery::Say(role, text) => self.show_message(role, text),
            // It is of what tasks work with.
            Delivery::Models(_) => {}
            Delivery::All(news) => return self.handle_broadcast(&news),
        }
        self.finish_outcome(out)
    }

    /// Says whether the screen on top shows what a process on this machine does.
    pub fn watches_process(&self) -> bool {
        (self.screens.last()).is_some_and(|screen| screen.watches_process())
    }

    /// Lets the screen on top read again what it lists.
    pub fn refresh_top(&mut self) -> InputOutcome {
        let mut out = InputOutcome::default();
        if let Some(screen) = self.screens.last_mut() {
            let (id, effects) = (screen.id, screen.refresh());
            self.perform_effects(id, effects, &mut out);
        }
        self.finish_outcome(out)
    }

    /// Shows a screen on top of everything.
    pub fn show_screen(&mut self, screen: Box<dyn Screen>) -> InputOutcome {
        let mut out = InputOutcome::default();
        self.push_screen(screen, &mut out);
        out
    }

    /// Shows a session on top of everything.
    pub fn show_session(&mut self, id: SessionId, place: Option<SessionPosition>) -> InputOutcome {
        let mut out = InputOutcome::default();
        self.open_session(id, place, &mut out);
        out
    }

    /// Says whether the program is to be left.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// Themes were read again.
    pub fn replace_themes(&mut self, themes: Themes) {
        self.themes = themes;
        self.active_theme.reload_theme(&self.themes);
        if let Some(Overlay::Themes(picker)) = &mut self.overlay {
            picker.refresh_list(&self.themes);
        }
        self.message = self
            .active_theme
            .fault()
            .map(|fault| (Role::Error, fault.to_string()));
        self.apply_theme();
    }

    /// Says something on the status line until the next key.
    pub fn show_message(&mut self, role: Role, text: String) {
        self.message = Some((role, text));
    }

    /// Returns how the workbench is arranged now.
    pub fn to_ui_state(&self) -> UiState {
        let mut state = self.saved_state.clone();
        state.last = None;
        state.masked = self.content == Content::Masked;
        state.theme = Some(self.active_theme.requested_name().to_owned());
        for screen in &self.screens {
            screen.save_state(&mut state);
        }
        state
    }

    fn finish_outcome(&mut self, mut out: InputOutcome) -> InputOutcome {
        if self.quitting {
            out.commands
                .push(Command::Remember(Box::new(self.to_ui_state())));
            out.next = LoopStep::Quit;
        }
        out
    }

    fn handle_key(&mut self, key: KeyEvent, out: &mut InputOutcome) {
        if self.overlay.is_some() {
            return self.handle_overlay_key(key, out);
        }
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        let (is_form, context) = (screen.is_form(), screen.key_context());
        if is_form && self.keys.is_begin_key(context, key) {
            self.resolver.reset();
            return self.handle_action(Action::Begin, out);
        }
        if screen.is_typing() {
            let id = screen.id;
            let effects = match self.keys.find_typing_action(key) {
                Some(Action::Suspend) => {
                    out.next = LoopStep::Suspend;
                    return;
                }
                Some(Action::Redraw) => {
                    out.next = LoopStep::Redraw;
                    return;
                }
                // An interrupt while writing leaves the text.
                Some(_) => screen.handle_typed_key(KeyEvent::from(KeyCode::Esc)),
                None => screen.handle_typed_key(key),
            };
            return self.perform_effects(id, effects, out);
        }
        // A chord that has begun goes on: what follows it is no letter of its own.
        if self.resolver.pending_chord().0.is_empty()
            && let Some(effects) = screen.intercept_key(key)
        {
            let id = screen.id;
            return self.perform_effects(id, effects, out);
        }
        let is_letter = typed_char(key).is_some();
        match self.resolver.resolve_key(&self.keys, context, key) {
            Resolved::Action(action) if is_form && is_letter && is_refused_in_form(action) => {
                self.message = Some((Role::Notice, self.refuse_in_form(action)));
            }
            Resolved::Action(action) => self.handle_action(action, out),
            Resolved::Which => self.show_continuations(),
            Resolved::Pending | Resolved::Cancelled => {}
            Resolved::Nothing => {
                let text = format!("no action on {}; ? shows the keys", key_name(key));
                self.message = Some((Role::Notice, text));
            }
        }
    }

    /// Says what does in a form what a letter does elsewhere.
    fn refuse_in_form(&self, action: Action) -> String {
        let back = key_for(Context::Everywhere, Action::Back);
        let next = key_for(Context::Everywhere, Action::FocusNext);
        let text = match action {
            Action::Quit => format!("no letter leaves a form: {back} does, then quit"),
            Action::Show(_) => format!("no digit leaves a form: {back} does"),
            _ => format!("no letter moves in a form: the arrows and {next} do"),
        };
        spelled(&text, &self.keys)
    }

    fn handle_action(&mut self, action: Action, out: &mut InputOutcome) {
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        let (id, context) = (screen.id, screen.key_context());
        if let Some(effects) = self.handle_run_action(action) {
            return self.perform_effects(id, effects, out);
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
                let (pick, rows) = build_palette(&self.keys, context, &(self.command_line)());
                let dialog = Dialog::new_list(pick, Asked::Command(rows));
                self.overlay = Some(Overlay::Dialog(dialog));
            }
            Action::Themes => {
                let picker = ThemePicker::new(&self.themes, self.active_theme.requested_name());
                self.overlay = Some(Overlay::Themes(picker));
            }
            Action::Show(keys) => {
                let place = self.places.iter().find(|place| place.keys == keys);
                if let Some(place) = place.copied() {
                    self.go_to_place(place, out);
                }
            }
            Action::Mask => self.content = self.content.opposite(),
            other => {
                // It leaves a form.
                let is_form = screen.is_form();
                let effects = screen.handle_action(other);
                if other == Action::Interrupt && effects.is_empty() && !is_form {
                    self.offer_to_leave(context);
                }
                self.perform_effects(id, effects, out);
            }
        }
    }

    /// Says how to leave where there was nothing to interrupt; interrupting once more does.
    fn offer_to_leave(&mut self, context: Context) {
        self.interrupted = true;
        let again = self.keys.key_hint(context, Action::Interrupt);
        let again = again.unwrap_or_default();
        let quit = self.keys.key_hint(context, Action::Quit);
        let quit = quit.map_or_else(String::new, |key| format!(", as {key} does"));
        let text = format!("nothing goes on here; {again} again leaves the program{quit}");
        self.message = Some((Role::Notice, text));
    }

    /// Leaves the program, asking first where something goes on.
    pub fn quit(&mut self) {
        let mut busy: Vec<String> = self
            .screens
            .iter()
            .chain(self.parked.values())
            .filter_map(|screen| screen.describe_open_work())
            .collect();
        busy.dedup();
        let run = self.describe_open_run();
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
        let dialog = Dialog::new_confirm("Quit", &question, Asked::Quit);
        self.overlay = Some(Overlay::Dialog(dialog));
    }
}

/// Says whether a letter or a digit may not ask for an action in a form: it would move, and be text where it moved to,
/// or leave the form.
fn is_refused_in_form(action: Action) -> bool {
    action.is_scrolling()
        || matches!(
            action,
            Action::Quit | Action::Show(_) | Action::FocusNext | Action::FocusPrevious
        )
}
