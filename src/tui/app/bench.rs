//! The workbench's state: screens in a stack, an overlay over them, one status line below. Pure.

use super::deed::{Deed, Effect};
use super::screen::{Brush, Screen};
use super::sent::OnTheirWay;
use super::told::{Opened, Told};
use crate::debate::SessionId;
use crate::tui::input::{Code, Input, Key};
use crate::tui::keep::Kept;
use crate::tui::keys::{Action, Context, KeyTable, Resolved, Resolver};
use crate::tui::overlays::{
    Answer, Ask, Help, Palette, Reads, Said, ThemePicker, ThemeWish, WhichKey,
};
use crate::tui::parts::secret::Content;
use crate::tui::parts::{cells, fill, put};
use crate::tui::screens::compare::{Compare, Side};
use crate::tui::screens::debate::{Debate, Place, Taken};
use crate::tui::theme::{Depth, GlyphSet, Look, Role, Themes, Worn};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Below this size nothing can be read; the screen says so.
pub const SMALLEST: (u16, u16) = (60, 15);

/// What the loop is to do after an input.
#[derive(Debug, Default)]
pub struct Turnout {
    pub deeds: Vec<Deed>,
    pub next: Next,
}

/// How the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Next {
    #[default]
    Go,
    /// The whole screen is to be sent again.
    Redraw,
    Suspend,
    Quit,
}

/// How the workbench looks, to begin with.
pub struct Outfit {
    pub keys: KeyTable,
    pub themes: Themes,
    /// The theme's name.
    pub theme: String,
    pub depth: Depth,
    pub glyphs: GlyphSet,
    pub kept: Kept,
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
    worn: Worn,
    depth: Depth,
    glyphs: GlyphSet,
    look: Look,
    content: Content,
    kept: Kept,
    said: Option<(Role, String)>,
    /// A fork that was made and that no screen shows yet.
    forked: Option<(SessionId, SessionId, Arc<Opened>)>,
    on_their_way: OnTheirWay,
    quitting: bool,
}

/// What lies over the screens.
enum Overlay {
    Help(Help),
    Palette(Palette),
    Themes(ThemePicker),
    Which(WhichKey),
    Quit(Ask),
}

impl App {
    /// A workbench with its first screen.
    pub fn new(outfit: Outfit, first: Box<dyn Screen>) -> Self {
        let worn = Worn::new(&outfit.themes, &outfit.theme);
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
            quitting: false,
        }
    }

    /// Takes an input.
    pub fn input(&mut self, input: &Input) -> Turnout {
        let mut out = Turnout::default();
        match input {
            Input::Key(key) => {
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
            Input::Resized { .. } => out.next = Next::Redraw,
        }
        self.finish(out)
    }

    /// Learns what came of deeds.
    pub fn told(&mut self, told: &Told) -> Turnout {
        let mut out = Turnout::default();
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
        self.finish(out)
    }

    /// Shows a session on top of everything.
    pub fn open(&mut self, id: SessionId, place: Option<Place>) -> Turnout {
        let mut out = Turnout::default();
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
    pub fn arranged(&self) -> Kept {
        let mut kept = self.kept.clone();
        kept.last = None;
        kept.masked = self.content == Content::Masked;
        kept.theme = Some(self.worn.wanted().to_owned());
        for screen in &self.screens {
            screen.keep(&mut kept);
        }
        kept
    }

    fn finish(&mut self, mut out: Turnout) -> Turnout {
        if self.quitting {
            out.deeds.push(Deed::Remember(self.arranged()));
            out.next = Next::Quit;
        }
        out
    }

    fn key(&mut self, key: Key, out: &mut Turnout) {
        if self.overlay.is_some() {
            return self.overlay_key(key, out);
        }
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        if screen.is_typing() {
            let effects = match self.keys.while_typing(key) {
                Some(Action::Suspend) => {
                    out.next = Next::Suspend;
                    return;
                }
                Some(Action::Redraw) => {
                    out.next = Next::Redraw;
                    return;
                }
                // Whoever interrupts while writing wants to leave the text.
                Some(_) => screen.typed(Key::plain(Code::Esc)),
                None => screen.typed(key),
            };
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
                let text = format!("{key} means nothing here; ? shows the keys");
                self.said = Some((Role::Notice, text));
            }
        }
    }

    fn act(&mut self, action: Action, out: &mut Turnout) {
        let Some(screen) = self.screens.last_mut() else {
            return;
        };
        let context = screen.context();
        match action {
            Action::Quit => self.quit(),
            Action::Suspend => out.next = Next::Suspend,
            Action::Redraw => out.next = Next::Redraw,
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

    fn overlay_key(&mut self, key: Key, out: &mut Turnout) {
        let Some(overlay) = self.overlay.take() else {
            return;
        };
        let list_action = |app: &mut Self| match app.resolver.resolve(&app.keys, Context::List, key)
        {
            Resolved::Action(action) => Some(action),
            Resolved::Pending { .. }
            | Resolved::Which { .. }
            | Resolved::Cancelled
            | Resolved::Nothing => None,
        };
        match overlay {
            Overlay::Help(mut help) => {
                let said = match help.reads() {
                    Reads::Text => help.key(key),
                    Reads::Actions if key == Key::char('/') => help.act(Action::Search),
                    Reads::Actions => match list_action(self) {
                        Some(action) => help.act(action),
                        None => Said::Stays,
                    },
                };
                self.after(said, Overlay::Help(help), out);
            }
            Overlay::Palette(mut palette) => {
                let said = palette.key(key);
                self.after(said, Overlay::Palette(palette), out);
            }
            Overlay::Themes(mut picker) => {
                let said = match list_action(self) {
                    Some(action) => picker.act(action),
                    None => Said::Stays,
                };
                match said {
                    Said::Stays => self.overlay = Some(Overlay::Themes(picker)),
                    Said::Closes => {}
                    Said::Says(ThemeWish::Preview(name)) => {
                        self.wear(&name);
                        self.overlay = Some(Overlay::Themes(picker));
                    }
                    Said::Says(ThemeWish::Keep(name)) => {
                        self.wear(&name);
                        out.deeds.push(Deed::Remember(self.arranged()));
                    }
                    Said::Says(ThemeWish::Restore(name)) => self.wear(&name),
                }
            }
            Overlay::Which(mut which) => {
                if key == Key::char(' ') {
                    which.turn();
                    self.overlay = Some(Overlay::Which(which));
                } else if key.code != Code::Esc {
                    self.key(key, out);
                }
            }
            Overlay::Quit(mut ask) => match ask.key(key) {
                Said::Stays => self.overlay = Some(Overlay::Quit(ask)),
                Said::Closes | Said::Says(Answer::No) => {}
                Said::Says(Answer::Yes) => self.quitting = true,
            },
        }
    }

    fn after(&mut self, said: Said<Action>, overlay: Overlay, out: &mut Turnout) {
        match said {
            Said::Stays => self.overlay = Some(overlay),
            Said::Closes => {}
            Said::Says(action) => self.act(action, out),
        }
    }

    fn wear(&mut self, name: &str) {
        self.worn.wear(&self.themes, name);
        if let Some(fault) = self.worn.fault() {
            self.said = Some((Role::Error, fault.to_string()));
        }
        self.dress();
    }

    fn dress(&mut self) {
        if let Some(theme) = self.worn.theme() {
            self.look = theme.resolve(self.depth, self.glyphs);
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
        if busy.is_empty() {
            self.quitting = true;
            return;
        }
        let question = format!(
            "{}. They are cancelled and may still cost their worst case; what was said is kept. Quit?",
            busy.join("; ")
        );
        self.overlay = Some(Overlay::Quit(Ask::new("Quit", &question, Answer::No)));
    }

    fn perform(&mut self, effects: Vec<Effect>, out: &mut Turnout) {
        for effect in effects {
            self.perform_one(effect, out);
        }
    }

    fn perform_one(&mut self, effect: Effect, out: &mut Turnout) {
        match effect {
            Effect::Show(screen) => self.screens.push(screen),
            Effect::Leave => self.leave(out),
            Effect::Replace(screen) => {
                self.take_away(out);
                self.screens.push(screen);
            }
            Effect::Open(id, place) => {
                let opened = match self.parked.remove(&id) {
                    Some(screen) => screen,
                    None => {
                        let (debate, deed) = Debate::opening(id, &self.kept, place);
                        self.perform_one(deed, out);
                        Box::new(debate)
                    }
                };
                self.screens.push(opened);
            }
            Effect::OpenInstead(id) => {
                self.take_away(out);
                self.perform_one(Effect::Open(id, None), out);
            }
            Effect::OpenForked(child) => self.open_forked(&child, out),
            Effect::Compare(left, right) => {
                let (compare, effects) = Compare::of(Side::wanted(&left), Side::wanted(&right));
                self.screens.push(Box::new(compare));
                self.perform(effects, out);
            }
            Effect::Quit => self.quit(),
            Effect::Say(role, text) => self.said = Some((role, text)),
            Effect::Sent(sent) => self.on_their_way.add(sent),
            Effect::Do(deed) => out.deeds.push(deed),
        }
        self.resolver.reset();
    }

    /// Shows a fork in place of its parent, and of what lay over that.
    fn open_forked(&mut self, child: &SessionId, out: &mut Turnout) {
        let Some((parent, made, opened)) = self.forked.take() else {
            return;
        };
        if made != *child {
            self.forked = Some((parent, made, opened));
            return;
        }
        let mut screens = self.screens.iter();
        if let Some(at) = screens.position(|screen| screen.session() == Some(&parent)) {
            while self.screens.len() > at {
                self.take_away(out);
            }
        }
        // Whoever forks goes on where they were.
        let last = self.kept.last.take().filter(|last| last.session == parent);
        let place = last.map(|last| Place::of(&last));
        self.keep_arrangement();
        let debate = Debate::opened(made, &self.kept, &opened, Taken::Yes, place);
        self.screens.push(Box::new(debate));
        out.deeds.push(Deed::Remember(self.arranged()));
    }

    fn keep_arrangement(&mut self) {
        self.kept = self.arranged();
    }

    fn leave(&mut self, out: &mut Turnout) {
        if self.screens.len() <= 1 {
            return self.quit();
        }
        self.take_away(out);
        if let Some(screen) = self.screens.last_mut() {
            let effects = screen.returned();
            self.perform(effects, out);
        }
        out.deeds.push(Deed::Remember(self.arranged()));
    }

    /// Takes the top screen away: a debate that is being played goes on without it.
    fn take_away(&mut self, out: &mut Turnout) {
        let Some(screen) = self.screens.pop() else {
            return;
        };
        screen.keep(&mut self.kept);
        let Some(id) = screen.session().cloned() else {
            return;
        };
        if screen.busy().is_some() {
            let text = "it goes on while you are elsewhere; opening it again shows it";
            self.said = Some((Role::Notice, text.to_owned()));
            self.parked.insert(id, screen);
        } else if !self
            .screens
            .iter()
            .any(|other| other.session() == Some(&id))
        {
            out.deeds.push(Deed::Release(id));
        }
    }

    /// Draws everything and returns where the terminal's cursor stands.
    pub fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let area = buffer.area;
        fill(area, buffer, &self.look);
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            let text = format!(
                "elenchus needs {}×{} cells; this is {}×{}",
                SMALLEST.0, SMALLEST.1, area.width, area.height
            );
            let style = self.look.style(Role::Notice);
            put(
                buffer,
                area.as_position(),
                area.width,
                &text,
                style,
                &self.look,
            );
            return None;
        }
        let brush = Brush {
            look: &self.look,
            content: self.content,
        };
        let cursor = match self.screens.last_mut() {
            Some(screen) => screen.draw(buffer, area, brush),
            None => None,
        };
        self.status(buffer, area);
        let look = &self.look;
        match &self.overlay {
            None => cursor,
            Some(Overlay::Help(help)) => help.draw(area, buffer, look),
            Some(Overlay::Palette(palette)) => palette.draw(area, buffer, look),
            Some(Overlay::Themes(picker)) => {
                picker.draw(area, buffer, look);
                None
            }
            Some(Overlay::Which(which)) => {
                which.draw(area, buffer, look);
                None
            }
            Some(Overlay::Quit(ask)) => {
                ask.draw(area, buffer, look);
                None
            }
        }
    }

    /// The last row: what is going on, and the keys that are worth knowing now.
    fn status(&self, buffer: &mut Buffer, area: Rect) {
        let Some(screen) = self.screens.last() else {
            return;
        };
        let look = &self.look;
        let y = area.bottom().saturating_sub(1);
        let row = Rect {
            y,
            height: 1,
            ..area
        };
        fill(row, buffer, look);
        buffer.set_style(row, look.style(Role::StatusLine));
        let pending = self.resolver.pending();
        let hints = if pending.0.is_empty() {
            self.hints(screen.as_ref())
        } else {
            vec![(format!("{pending} …"), "Esc gives up".to_owned())]
        };
        let (role, text) = match &self.said {
            Some((role, text)) => (*role, text.clone()),
            None => (Role::StatusLine, screen.status()),
        };
        let mut right = area.right();
        if self.content == Content::Masked {
            right = right.saturating_sub(9);
            let style = look.style(Role::Masked);
            put(buffer, Position::new(right, y), 8, "[masked]", style, look);
        }
        // What was said is worth more than hints.
        let wanted = u16::try_from(cells(&text))
            .unwrap_or(u16::MAX)
            .saturating_add(3);
        let left = area.x.saturating_add(wanted.min(area.width));
        let mut end = right;
        for (key, what) in fitting(&hints, right.saturating_sub(left)).iter().rev() {
            let width = hint_width(key, what);
            end = end.saturating_sub(width);
            let at = Position::new(end + 1, y);
            let used = put(buffer, at, width, key, look.style(Role::KeyHint), look);
            let at = Position::new(end + 2 + used, y);
            put(buffer, at, width, what, look.style(Role::Muted), look);
        }
        let room = end.saturating_sub(area.x + 1);
        put(
            buffer,
            Position::new(area.x, y),
            room,
            &text,
            look.style(role),
            look,
        );
    }

    fn hints(&self, screen: &dyn Screen) -> Vec<Hint> {
        let context = screen.context();
        let actions = screen.hints().into_iter();
        actions
            .filter_map(|action| {
                Some((
                    self.keys.hint(context, action)?,
                    action.name().replace('-', " "),
                ))
            })
            .collect()
    }
}

/// A hint: a key, and what it does.
type Hint = (String, String);

fn hint_width(key: &str, what: &str) -> u16 {
    u16::try_from(cells(key) + cells(what) + 3).unwrap_or(u16::MAX)
}

/// Returns the hints that fit: the first ones, and the last, which leads to all others.
fn fitting(hints: &[Hint], room: u16) -> Vec<&Hint> {
    let Some((last, first)) = hints.split_last() else {
        return Vec::new();
    };
    let mut left = room.checked_sub(hint_width(&last.0, &last.1));
    let mut fit: Vec<&Hint> = Vec::new();
    for hint in first {
        let after = left.and_then(|left| left.checked_sub(hint_width(&hint.0, &hint.1)));
        if after.is_none() {
            break;
        }
        left = after;
        fit.push(hint);
    }
    if room >= hint_width(&last.0, &last.1) {
        fit.push(last);
    }
    fit
}
