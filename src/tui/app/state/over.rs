//! Overlays of the workbench: the keys they read, and their results.

use super::{App, Asked, InputOutcome, Overlay};
use crate::tui::app::effect::Command;
use crate::tui::keys::{Action, Context, Resolved};
use crate::tui::popups::{Dialog, DialogAnswer, InputKind, PaletteRow, PopupResult, ThemeWish};
use crate::tui::theme::Role;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

impl App {
    pub(super) fn handle_overlay_key(&mut self, key: KeyEvent, out: &mut InputOutcome) {
        let Some(overlay) = self.overlay.take() else {
            return;
        };
        let list_action =
            |app: &mut Self| match app.resolver.resolve_key(&app.keys, Context::List, key) {
                Resolved::Action(action) => Some(action),
                Resolved::Pending | Resolved::Which | Resolved::Cancelled | Resolved::Nothing => {
                    None
                }
            };
        match overlay {
            Overlay::Help(mut help) => {
                let result = match help.input_kind() {
                    InputKind::Text => help.handle_key(key),
                    InputKind::Actions if key == KeyEvent::from(KeyCode::Char('/')) => {
                        help.handle_action(Action::Search)
                    }
                    InputKind::Actions => match list_action(self) {
                        Some(action) => help.handle_action(action),
                        None => PopupResult::Stays,
                    },
                };
                match result {
                    PopupResult::Stays => self.overlay = Some(Overlay::Help(help)),
                    PopupResult::Closes => {}
                    PopupResult::Says(action) => self.handle_action(action, out),
                }
            }
            Overlay::Dialog(dialog) => {
                let mut over = Some(dialog);
                let answer = Dialog::answer_key(&mut over, key);
                self.overlay = over.map(Overlay::Dialog);
                match answer {
                    Some(DialogAnswer::Item(Asked::Command(rows), at, _)) => match rows.get(at) {
                        Some(PaletteRow::Action(action)) => self.handle_action(*action, out),
                        Some(PaletteRow::CommandLine(entry)) => {
                            let text =
                                format!("not here, but on the command line: {}", entry.command);
                            self.message = Some((Role::Notice, text));
                        }
                        None => {}
                    },
                    Some(DialogAnswer::Yes(_)) => self.quitting = true,
                    Some(_) | None => {}
                }
            }
            Overlay::Themes(mut picker) => {
                let result = match list_action(self) {
                    Some(action) => picker.handle_action(action),
                    None => PopupResult::Stays,
                };
                match result {
                    PopupResult::Stays => self.overlay = Some(Overlay::Themes(picker)),
                    PopupResult::Closes => {}
                    PopupResult::Says(ThemeWish::Preview(name)) => {
                        self.set_theme(&name);
                        self.overlay = Some(Overlay::Themes(picker));
                    }
                    PopupResult::Says(ThemeWish::Keep(name)) => {
                        self.set_theme(&name);
                        out.commands
                            .push(Command::Remember(Box::new(self.to_ui_state())));
                    }
                    PopupResult::Says(ThemeWish::Restore(name)) => self.set_theme(&name),
                }
            }
            Overlay::Which(mut which) => {
                if key == KeyEvent::from(KeyCode::Char(' ')) {
                    which.turn_page();
                    self.overlay = Some(Overlay::Which(which));
                } else if key.code == KeyCode::Esc {
                    self.resolver.reset();
                } else {
                    self.handle_key(key, out);
                }
            }
        }
    }

    pub(super) fn set_theme(&mut self, name: &str) {
        self.active_theme.set_theme(&self.themes, name);
        if let Some(fault) = self.active_theme.fault() {
            self.message = Some((Role::Error, fault.to_string()));
        }
        self.apply_theme();
    }

    pub(super) fn apply_theme(&mut self) {
        if let Some(theme) = self.active_theme.theme() {
            self.look = theme.resolve_look(self.depth, self.glyphs);
        }
    }
}
