//! Overlays of the workbench: the keys they read, and their results.

use super::{App, Asked, InputOutcome, Overlay};
use crate::tui::app::effect::Command;
use crate::tui::keys::{Action, Context, Resolved};
use crate::tui::popups::{Dialog, DialogAnswer, PopupResult, Reads, ThemeWish};
use crate::tui::theme::Role;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

impl App {
    pub(super) fn overlay_key(&mut self, key: KeyEvent, out: &mut InputOutcome) {
        let Some(overlay) = self.overlay.take() else {
            return;
        };
        let list_action = |app: &mut Self| match app.resolver.resolve(&app.keys, Context::List, key)
        {
            Resolved::Action(action) => Some(action),
            Resolved::Pending | Resolved::Which | Resolved::Cancelled | Resolved::Nothing => None,
        };
        match overlay {
            Overlay::Help(mut help) => {
                let said = match help.reads() {
                    Reads::Text => help.key(key),
                    Reads::Actions if key == KeyEvent::from(KeyCode::Char('/')) => {
                        help.act(Action::Search)
                    }
                    Reads::Actions => match list_action(self) {
                        Some(action) => help.act(action),
                        None => PopupResult::Stays,
                    },
                };
                match said {
                    PopupResult::Stays => self.overlay = Some(Overlay::Help(help)),
                    PopupResult::Closes => {}
                    PopupResult::Says(action) => self.act(action, out),
                }
            }
            Overlay::Dialog(dialog) => {
                let mut over = Some(dialog);
                let answer = Dialog::answer(&mut over, key);
                self.overlay = over.map(Overlay::Dialog);
                match answer {
                    Some(DialogAnswer::Item(Asked::Command(actions), at, _)) => {
                        if let Some(action) = actions.get(at) {
                            self.act(*action, out);
                        }
                    }
                    Some(DialogAnswer::Yes(_)) => self.quitting = true,
                    Some(_) | None => {}
                }
            }
            Overlay::Themes(mut picker) => {
                let said = match list_action(self) {
                    Some(action) => picker.act(action),
                    None => PopupResult::Stays,
                };
                match said {
                    PopupResult::Stays => self.overlay = Some(Overlay::Themes(picker)),
                    PopupResult::Closes => {}
                    PopupResult::Says(ThemeWish::Preview(name)) => {
                        self.wear(&name);
                        self.overlay = Some(Overlay::Themes(picker));
                    }
                    PopupResult::Says(ThemeWish::Keep(name)) => {
                        self.wear(&name);
                        out.commands
                            .push(Command::Remember(Box::new(self.arranged())));
                    }
                    PopupResult::Says(ThemeWish::Restore(name)) => self.wear(&name),
                }
            }
            Overlay::Which(mut which) => {
                if key == KeyEvent::from(KeyCode::Char(' ')) {
                    which.turn();
                    self.overlay = Some(Overlay::Which(which));
                } else if key.code == KeyCode::Esc {
                    self.resolver.reset();
                } else {
                    self.key(key, out);
                }
            }
        }
    }

    pub(super) fn wear(&mut self, name: &str) {
        self.worn.wear(&self.themes, name);
        if let Some(fault) = self.worn.fault() {
            self.said = Some((Role::Error, fault.to_string()));
        }
        self.dress();
    }

    pub(super) fn dress(&mut self) {
        if let Some(theme) = self.worn.theme() {
            self.look = theme.resolve(self.depth, self.glyphs);
        }
    }
}
