//! Actions and typed keys of the new-debate form.

use super::ask::{Over, Sitter};
use super::form::{FormField, RowSelection, choices};
use super::{DRAFT, NewDebate};
use crate::debate::protocol::SettingValue;
use crate::engine::seats::HUMAN;
use crate::tui::app::Draft;
use crate::tui::app::{Deed, Effect, RunDeed};
use crate::tui::keys::Action;
use crate::tui::popups::{Confirm, ConfirmAnswer, PickItem, Picker, PopupResult};
use crate::tui::terminal::{Code, Key, Paste};
use crate::tui::theme::Role;
use crate::tui::widgets::{Edited, LineInput};
use std::path::PathBuf;

/// The setting that follows from who evaluates until it is chosen.
const RUBRIC: &str = "rubric";
/// Fields that a page is.
const PAGE: usize = 8;

/// Direction in which values are cycled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CycleDirection {
    Back,
    On,
}

impl NewDebate {
    /// Answers an action.
    pub(crate) fn answer(&mut self, action: Action) -> Vec<Effect> {
        let fields = self.fields();
        let last = fields.len().saturating_sub(1);
        let at = fields
            .iter()
            .position(|field| *field == self.focus)
            .unwrap_or(0);
        let to = match action {
            Action::Up | Action::FocusPrevious => at.saturating_sub(1),
            Action::Down | Action::FocusNext => at + 1,
            Action::PageUp => at.saturating_sub(PAGE),
            Action::PageDown => at + PAGE,
            Action::Top => 0,
            Action::Bottom => last,
            Action::Left => return self.step(CycleDirection::Back),
            Action::Right => return self.step(CycleDirection::On),
            Action::Open => return self.enter(),
            // In the list of games letters filter at once.
            Action::Filter => return self.choose_game(),
            Action::Back => return vec![Effect::Leave],
            _ => return Vec::new(),
        };
        if let Some(field) = fields.get(to.min(last)) {
            self.focus = field.clone();
        }
        Vec::new()
    }

    /// Does what Enter does in the focused field.
    fn enter(&mut self) -> Vec<Effect> {
        match self.focus.clone() {
            FormField::Game => self.choose_game(),
            FormField::Topic => {
                self.over = Over::Topic;
                Vec::new()
            }
            FormField::Dataset => self.ask(FormField::Dataset, self.form.dataset.clone()),
            FormField::Rows => {
                self.choose_rows();
                Vec::new()
            }
            FormField::SampleSize => self.ask(FormField::SampleSize, self.form.sample.clone()),
            FormField::Documents => self.ask(FormField::Documents, String::new()),
            FormField::Options => self.ask(FormField::Options, self.form.options.clone()),
            FormField::Reference => self.ask(FormField::Reference, self.form.reference.clone()),
            FormField::Persona(seat) => {
                let text = self.form.personas.get(&seat).cloned().unwrap_or_default();
                self.ask(FormField::Persona(seat), text)
            }
            FormField::Seed => self.ask(FormField::Seed, self.form.seed.clone()),
            FormField::Budget => self.ask(FormField::Budget, self.form.budget.clone()),
            field @ (FormField::Everybody | FormField::Chair(_)) => self.choose_sitter(field),
            FormField::Setting(name) => {
                let Some(spec) = self.spec(&name) else {
                    return Vec::new();
                };
                if choices(spec).is_empty() {
                    let value = self.setting(&name, spec);
                    self.ask(FormField::Setting(name), value)
                } else {
                    self.step(CycleDirection::On)
                }
            }
            FormField::Memory => self.step(CycleDirection::On),
            FormField::Begin => self.begin(),
        }
    }

    fn ask(&mut self, field: FormField, text: String) -> Vec<Effect> {
        self.over = Over::Line(field, LineInput::new(&text));
        Vec::new()
    }

    fn choose_game(&mut self) -> Vec<Effect> {
        let games = &self.library.games;
        let items = games.iter().map(|game| PickItem {
            label: game.id.clone(),
            detail: format!("{}. {}", game.name, game.description),
            aside: game.origin.clone(),
        });
        let mut pick = Picker::new("Choose a game", items.collect());
        if let Some(at) = games.iter().position(|game| game.id == self.form.game) {
            pick.choose(at);
        }
        self.over = Over::Games(pick);
        Vec::new()
    }

    fn choose_sitter(&mut self, field: FormField) -> Vec<Effect> {
        let sitters = self.sitters();
        let items = sitters.iter().map(|sitter| match sitter {
            Sitter::AsOthers => PickItem {
                label: "-".to_owned(),
                detail: match field {
                    FormField::Everybody => match self.default_model() {
                        Some(model) => self.usual(model),
                        None => "not chosen yet".to_owned(),
                    },
                    _ => "as every seat".to_owned(),
                },
                aside: String::new(),
            },
            Sitter::Named(name) => PickItem {
                label: name.clone(),
                detail: self.about(name),
                aside: String::new(),
            },
            Sitter::Typed => PickItem {
                label: "...".to_owned(),
                detail: "another name, typed: a model, or human:NAME".to_owned(),
                aside: String::new(),
            },
        });
        let title = match field {
            FormField::Everybody => "Model for all seats".to_owned(),
            _ => format!("Model for {}", self.label(&field).trim()),
        };
        let mut pick = Picker::new(&title, items.collect())
            .or_as_typed("no match; Enter uses the name as typed");
        let now = self.sitting(&field);
        if let Some(at) = sitters.iter().position(|sitter| *sitter == now) {
            pick.choose(at);
        }
        self.over = Over::Sitters(field, pick, sitters);
        Vec::new()
    }

    fn sitters(&self) -> Vec<Sitter> {
        let models = self.library.models.iter();
        let mut sitters = vec![Sitter::AsOthers];
        sitters.extend(models.map(|model| Sitter::Named(model.name.clone())));
        sitters.push(Sitter::Named(HUMAN.to_owned()));
        sitters.push(Sitter::Typed);
        sitters
    }

    fn sitting(&self, field: &FormField) -> Sitter {
        let named = match field {
            FormField::Chair(chair) => self.form.chairs.get(chair),
            _ => self.form.everybody.as_ref(),
        };
        named.map_or(Sitter::AsOthers, |name| Sitter::Named(name.clone()))
    }

    fn seat(&mut self, field: &FormField, sitter: Sitter) -> Vec<Effect> {
        let name = match sitter {
            Sitter::AsOthers => None,
            Sitter::Named(name) => Some(name),
            Sitter::Typed => return self.ask(field.clone(), String::new()),
        };
        match (field, name) {
            (FormField::Chair(chair), Some(name)) => {
                self.form.chairs.insert(chair.clone(), name);
            }
            (FormField::Chair(chair), None) => {
                self.form.chairs.remove(chair);
            }
            (_, name) => self.form.everybody = name,
        }
        self.prepare()
    }

    /// Takes the next value, or the one before.
    fn step(&mut self, way: CycleDirection) -> Vec<Effect> {
        match self.focus.clone() {
            field @ (FormField::Everybody | FormField::Chair(_)) => {
                let mut sitters = self.sitters();
                sitters.retain(|sitter| *sitter != Sitter::Typed);
                match next_of(&sitters, &self.sitting(&field), way) {
                    Some(sitter) => self.seat(&field, sitter),
                    None => Vec::new(),
                }
            }
            FormField::Setting(name) => self.step_setting(name, way),
            FormField::Memory => {
                self.form.memory = self.form.memory.next();
                self.prepare()
            }
            FormField::Game => {
                let ids: Vec<String> = self
                    .library
                    .games
                    .iter()
                    .map(|game| game.id.clone())
                    .collect();
                match next_of(&ids, &self.form.game, way) {
                    Some(id) => self.take_game(id),
                    None => Vec::new(),
                }
            }
            FormField::Rows => match next_of(&RowSelection::ALL, &self.form.rows, way) {
                Some(rows) => self.play_rows(rows),
                None => Vec::new(),
            },
            FormField::Topic
            | FormField::Dataset
            | FormField::SampleSize
            | FormField::Documents
            | FormField::Options
            | FormField::Reference
            | FormField::Persona(_)
            | FormField::Seed
            | FormField::Budget
            | FormField::Begin => Vec::new(),
        }
    }

    fn step_setting(&mut self, name: String, way: CycleDirection) -> Vec<Effect> {
        let Some(spec) = self.spec(&name) else {
            return Vec::new();
        };
        let now = self.setting(&name, spec);
        let values = choices(spec);
        let next = if !values.is_empty() {
            next_of(&values, &now, way)
        } else if let (SettingValue::Integer(_), Ok(number)) = (&spec.default, now.parse::<i64>()) {
            let next = match way {
                CycleDirection::Back => number.saturating_sub(1),
                CycleDirection::On => number.saturating_add(1),
            };
            let accepted = spec.accept(&SettingValue::Integer(next)).is_ok();
            accepted.then(|| next.to_string())
        } else {
            None
        };
        match next {
            Some(value) => self.set(name, value),
            None => Vec::new(),
        }
    }

    fn set(&mut self, name: String, value: String) -> Vec<Effect> {
        let default = self.spec(&name).map(|spec| spec.default.to_string());
        // A rubric that is chosen is no rubric that follows from who evaluates, also the usual one.
        if default.as_ref() == Some(&value) && name != RUBRIC {
            self.form.settings.remove(&name);
        } else {
            self.form.settings.insert(name, value);
        }
        self.prepare()
    }

    /// Takes a key while something is typed.
    pub(crate) fn take_key(&mut self, key: Key) -> Vec<Effect> {
        match std::mem::take(&mut self.over) {
            Over::Nothing => Vec::new(),
            Over::Topic => self.write(key),
            Over::Line(field, mut line) => match key.code {
                Code::Esc => Vec::new(),
                Code::Enter => self.entered(field, line.text().trim()),
                _ => {
                    line.key(key);
                    self.over = Over::Line(field, line);
                    Vec::new()
                }
            },
            Over::Games(mut pick) => match pick.key(key) {
                PopupResult::Says(at) => match self.library.games.get(at) {
                    Some(game) => self.take_game(game.id.clone()),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    // The game under the cursor is drawn next to the list.
                    let under = pick.chosen().and_then(|at| self.library.games.get(at));
                    let id = under.map(|game| game.id.clone());
                    self.over = Over::Games(pick);
                    id.map(|id| self.read_game(id)).unwrap_or_default()
                }
            },
            Over::Sitters(field, pick, _) if key.code == Code::Enter && pick.is_no_item() => {
                let name = pick.typed().trim().to_owned();
                self.seat(&field, Sitter::Named(name))
            }
            Over::Sitters(field, mut pick, sitters) => match pick.key(key) {
                PopupResult::Says(at) => match sitters.get(at) {
                    Some(sitter) => self.seat(&field, sitter.clone()),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Sitters(field, pick, sitters);
                    Vec::new()
                }
            },
            Over::Unlisted(mut ask) => match ask.key(key) {
                PopupResult::Says(answer) => self.answer_names(answer),
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Unlisted(ask);
                    Vec::new()
                }
            },
            Over::Choice(mut pick) => match pick.key(key) {
                PopupResult::Says(at) => match RowSelection::ALL.get(at) {
                    Some(rows) => self.take_rows(*rows),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Choice(pick);
                    Vec::new()
                }
            },
            Over::Rows(mut pick, topics) => match pick.key(key) {
                PopupResult::Says(at) => match topics.get(at) {
                    Some(topic) => self.take_row(topic),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Rows(pick, topics);
                    Vec::new()
                }
            },
        }
    }

    /// Takes pasted text: into what is typed, else into the topic.
    pub(crate) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.over {
            Over::Line(_, line) => {
                line.paste(&paste.text);
                Vec::new()
            }
            Over::Games(pick)
            | Over::Sitters(_, pick, _)
            | Over::Choice(pick)
            | Over::Rows(pick, _) => {
                pick.paste(&paste.text);
                Vec::new()
            }
            // Nothing pasted answers a question.
            Over::Unlisted(_) => Vec::new(),
            Over::Nothing if self.focus != FormField::Topic => {
                let text = "move to the topic to paste it there";
                vec![Effect::Say(Role::Notice, text.to_owned())]
            }
            Over::Nothing | Over::Topic => {
                let edited = self.form.topic.paste(&paste.text);
                let mut effects = self.wrote(edited);
                if paste.dropped_bytes > 0 {
                    let text = format!("{} bytes at the end were left out", paste.dropped_bytes);
                    effects.push(Effect::Say(Role::Warning, text));
                }
                effects.extend(self.prepare());
                effects
            }
        }
    }

    /// Writes in the topic; leaving it asks for the cost again.
    fn write(&mut self, key: Key) -> Vec<Effect> {
        match key.code {
            // Ctrl-D is done in every editor of the workbench.
            Code::Esc | Code::Tab | Code::Char('d') if leaves(key) => {
                if key.code == Code::Tab {
                    self.answer(Action::FocusNext);
                }
                self.prepare()
            }
            Code::BackTab => {
                self.answer(Action::FocusPrevious);
                self.prepare()
            }
            _ => {
                let edited = self.form.topic.key(key);
                self.over = Over::Topic;
                self.wrote(edited)
            }
        }
    }

    fn wrote(&mut self, edited: Edited) -> Vec<Effect> {
        let draft = Effect::Do(Deed::Draft(Draft {
            place: DRAFT.to_owned(),
            text: self.form.topic.text(),
        }));
        match edited {
            Edited::Changed => vec![draft],
            Edited::Moved | Edited::Ignored => Vec::new(),
            Edited::Full { dropped_bytes } => {
                let text = format!("the topic is full: {dropped_bytes} bytes were left out");
                vec![draft, Effect::Say(Role::Warning, text)]
            }
        }
    }

    /// Takes a line that was asked for.
    fn entered(&mut self, field: FormField, text: &str) -> Vec<Effect> {
        match field {
            FormField::Dataset => {
                self.form.dataset = text.to_owned();
                // Another file has other rows.
                self.form.available = 0;
                self.form.rows = RowSelection::One;
                self.wrong.remove(&FormField::Dataset);
                if text.is_empty() {
                    return Vec::new();
                }
                return vec![Effect::Do(Deed::ReadRows(text.to_owned()))];
            }
            FormField::Documents if text == "-" => {
                self.form.documents.pop();
            }
            FormField::Documents => {
                self.wrong.remove(&FormField::Documents);
                if text.is_empty() {
                    return Vec::new();
                }
                return vec![Effect::Do(Deed::ReadDocument(PathBuf::from(text)))];
            }
            FormField::Options => self.form.options = text.to_owned(),
            FormField::Reference => self.form.reference = text.to_owned(),
            FormField::Persona(seat) if text.is_empty() => {
                self.form.personas.remove(&seat);
            }
            FormField::Persona(seat) => {
                self.form.personas.insert(seat, text.to_owned());
            }
            FormField::Seed => self.form.seed = text.to_owned(),
            FormField::Budget => self.form.budget = text.to_owned(),
            FormField::Setting(name) => return self.set(name, text.to_owned()),
            FormField::Everybody | FormField::Chair(_) => {
                let sitter = match text {
                    "" => Sitter::AsOthers,
                    name => Sitter::Named(name.to_owned()),
                };
                return self.seat(&field, sitter);
            }
            FormField::SampleSize => self.form.sample = text.to_owned(),
            FormField::Game
            | FormField::Topic
            | FormField::Rows
            | FormField::Memory
            | FormField::Begin => {}
        }
        self.prepare()
    }

    fn begin(&mut self) -> Vec<Effect> {
        let faults = self.faults();
        if let Some((field, fault)) = faults.iter().next() {
            self.focus = field.clone();
            let text = format!("{}: {fault}", self.label(field).trim());
            return vec![Effect::Say(Role::Warning, text)];
        }
        match self.protocol() {
            Some(_) if !self.beginning && self.is_questioned() => self.question_names(),
            Some(protocol) if !self.beginning => {
                let deed = match self.form.run_plan(protocol, self.default_model()) {
                    Some(run) => Deed::Run(RunDeed::Begin(Box::new(run))),
                    None => {
                        let plan = self.form.plan(protocol, self.default_model());
                        Deed::Begin(Box::new(plan))
                    }
                };
                self.beginning = true;
                vec![Effect::Do(deed)]
            }
            Some(_) => Vec::new(),
            None => {
                let text = "the game is being read";
                vec![Effect::Say(Role::Notice, text.to_owned())]
            }
        }
    }
}

impl NewDebate {
    /// Describes the default model and why it is the default.
    pub(crate) fn usual(&self, model: &str) -> String {
        format!("{model} ({})", self.library.default_why)
    }

    /// Names that no server lists and that were not confirmed yet.
    fn is_questioned(&self) -> bool {
        match &self.prepared {
            Some(Ok(prepared)) => {
                // A name in the configuration is accepted even if the server does not list it.
                let mut doubtful = prepared.unlisted().iter().filter(|it| !it.is_configured);
                doubtful.any(|model| !self.meant.contains(model))
            }
            Some(Err(_)) | None => false,
        }
    }

    fn question_names(&mut self) -> Vec<Effect> {
        if let Some(Ok(prepared)) = &self.prepared {
            let said: Vec<String> = prepared
                .unlisted()
                .iter()
                .map(ToString::to_string)
                .collect();
            let question = format!("{}. Begin all the same?", said.join("; "));
            let ask = Confirm::new("A name that is not listed", &question, ConfirmAnswer::No);
            self.over = Over::Unlisted(ask);
        }
        Vec::new()
    }

    /// Takes the answer to the question whether a name is meant that is not listed.
    fn answer_names(&mut self, answer: ConfirmAnswer) -> Vec<Effect> {
        match (answer, &self.prepared) {
            (ConfirmAnswer::Yes, Some(Ok(prepared))) => {
                self.meant = prepared.unlisted().to_vec();
                self.begin()
            }
            (ConfirmAnswer::Yes | ConfirmAnswer::No, _) => {
                self.focus = FormField::Everybody;
                Vec::new()
            }
        }
    }
}

/// Returns the value after the one there is, round and round.
fn next_of<T: Clone + PartialEq>(values: &[T], now: &T, way: CycleDirection) -> Option<T> {
    let count = values.len();
    let at = values.iter().position(|value| value == now);
    let to = match (at, way) {
        (Some(at), CycleDirection::On) => at + 1,
        (Some(at), CycleDirection::Back) => at + count.saturating_sub(1),
        (None, CycleDirection::On | CycleDirection::Back) => 0,
    };
    values.get(to % count.max(1)).cloned()
}

/// Says whether a key leaves the editor: a letter only with Ctrl.
fn leaves(key: Key) -> bool {
    match key.code {
        Code::Char(_) => key.mods.ctrl,
        _ => true,
    }
}
