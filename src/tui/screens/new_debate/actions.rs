//! What actions and typed keys do in the form.

use super::ask::{Over, Sitter};
use super::form::{Field, Rows, choices};
use super::{DRAFT, NewDebate};
use crate::debate::protocol::SettingValue;
use crate::driver::HUMAN;
use crate::tui::app::{Deed, Effect, RunDeed};
use crate::tui::input::{Code, Key, Paste};
use crate::tui::keep::Draft;
use crate::tui::keys::Action;
use crate::tui::overlays::{Answer, Ask, Pick, PickItem, Said};
use crate::tui::parts::{Edited, LineInput};
use crate::tui::theme::Role;
use std::path::PathBuf;

/// The setting that follows from who evaluates until it is chosen.
const RUBRIC: &str = "rubric";
/// Fields that a page is.
const PAGE: usize = 8;

/// Which way values are gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Back,
    On,
}

impl NewDebate {
    /// Answers an action.
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
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
            Action::Left => return self.step(Way::Back),
            Action::Right => return self.step(Way::On),
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
            Field::Game => self.choose_game(),
            Field::Topic => {
                self.over = Over::Topic;
                Vec::new()
            }
            Field::Dataset => self.ask(Field::Dataset, self.form.dataset.clone()),
            Field::Rows => {
                self.choose_rows();
                Vec::new()
            }
            Field::SampleSize => self.ask(Field::SampleSize, self.form.sample.clone()),
            Field::Documents => self.ask(Field::Documents, String::new()),
            Field::Options => self.ask(Field::Options, self.form.options.clone()),
            Field::Reference => self.ask(Field::Reference, self.form.reference.clone()),
            Field::Persona(seat) => {
                let text = self.form.personas.get(&seat).cloned().unwrap_or_default();
                self.ask(Field::Persona(seat), text)
            }
            Field::Seed => self.ask(Field::Seed, self.form.seed.clone()),
            Field::Budget => self.ask(Field::Budget, self.form.budget.clone()),
            field @ (Field::Everybody | Field::Chair(_)) => self.choose_sitter(field),
            Field::Setting(name) => {
                let Some(spec) = self.spec(&name) else {
                    return Vec::new();
                };
                if choices(spec).is_empty() {
                    let value = self.setting(&name, spec);
                    self.ask(Field::Setting(name), value)
                } else {
                    self.step(Way::On)
                }
            }
            Field::Memory => self.step(Way::On),
            Field::Begin => self.begin(),
        }
    }

    fn ask(&mut self, field: Field, text: String) -> Vec<Effect> {
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
        let mut pick = Pick::new("Choose a game", items.collect());
        if let Some(at) = games.iter().position(|game| game.id == self.form.game) {
            pick.choose(at);
        }
        self.over = Over::Games(pick);
        Vec::new()
    }

    fn choose_sitter(&mut self, field: Field) -> Vec<Effect> {
        let sitters = self.sitters();
        let items = sitters.iter().map(|sitter| match sitter {
            Sitter::AsOthers => PickItem {
                label: "-".to_owned(),
                detail: match field {
                    Field::Everybody => match self.default_model() {
                        Some(model) => self.usual(model),
                        None => "nobody yet".to_owned(),
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
        let title = format!("Who sits here: {}", self.label(&field).trim());
        let mut pick = Pick::new(&title, items.collect())
            .or_as_typed("no such name is listed; Enter takes it as it is typed");
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

    fn sitting(&self, field: &Field) -> Sitter {
        let named = match field {
            Field::Chair(chair) => self.form.chairs.get(chair),
            _ => self.form.everybody.as_ref(),
        };
        named.map_or(Sitter::AsOthers, |name| Sitter::Named(name.clone()))
    }

    fn seat(&mut self, field: &Field, sitter: Sitter) -> Vec<Effect> {
        let name = match sitter {
            Sitter::AsOthers => None,
            Sitter::Named(name) => Some(name),
            Sitter::Typed => return self.ask(field.clone(), String::new()),
        };
        match (field, name) {
            (Field::Chair(chair), Some(name)) => {
                self.form.chairs.insert(chair.clone(), name);
            }
            (Field::Chair(chair), None) => {
                self.form.chairs.remove(chair);
            }
            (_, name) => self.form.everybody = name,
        }
        self.prepare()
    }

    /// Takes the next value, or the one before.
    fn step(&mut self, way: Way) -> Vec<Effect> {
        match self.focus.clone() {
            field @ (Field::Everybody | Field::Chair(_)) => {
                let mut sitters = self.sitters();
                sitters.retain(|sitter| *sitter != Sitter::Typed);
                match next_of(&sitters, &self.sitting(&field), way) {
                    Some(sitter) => self.seat(&field, sitter),
                    None => Vec::new(),
                }
            }
            Field::Setting(name) => self.step_setting(name, way),
            Field::Memory => {
                self.form.memory = self.form.memory.next();
                self.prepare()
            }
            Field::Game => {
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
            Field::Rows => match next_of(&Rows::ALL, &self.form.rows, way) {
                Some(rows) => self.play_rows(rows),
                None => Vec::new(),
            },
            Field::Topic
            | Field::Dataset
            | Field::SampleSize
            | Field::Documents
            | Field::Options
            | Field::Reference
            | Field::Persona(_)
            | Field::Seed
            | Field::Budget
            | Field::Begin => Vec::new(),
        }
    }

    fn step_setting(&mut self, name: String, way: Way) -> Vec<Effect> {
        let Some(spec) = self.spec(&name) else {
            return Vec::new();
        };
        let now = self.setting(&name, spec);
        let values = choices(spec);
        let next = if !values.is_empty() {
            next_of(&values, &now, way)
        } else if let (SettingValue::Integer(_), Ok(number)) = (&spec.default, now.parse::<i64>()) {
            let next = match way {
                Way::Back => number.saturating_sub(1),
                Way::On => number.saturating_add(1),
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
    pub(super) fn take_key(&mut self, key: Key) -> Vec<Effect> {
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
                Said::Says(at) => match self.library.games.get(at) {
                    Some(game) => self.take_game(game.id.clone()),
                    None => Vec::new(),
                },
                Said::Closes => Vec::new(),
                Said::Stays => {
                    // The game under the cursor is drawn beside the list.
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
                Said::Says(at) => match sitters.get(at) {
                    Some(sitter) => self.seat(&field, sitter.clone()),
                    None => Vec::new(),
                },
                Said::Closes => Vec::new(),
                Said::Stays => {
                    self.over = Over::Sitters(field, pick, sitters);
                    Vec::new()
                }
            },
            Over::Unlisted(mut ask) => match ask.key(key) {
                Said::Says(answer) => self.answer_names(answer),
                Said::Closes => Vec::new(),
                Said::Stays => {
                    self.over = Over::Unlisted(ask);
                    Vec::new()
                }
            },
            Over::Choice(mut pick) => match pick.key(key) {
                Said::Says(at) => match Rows::ALL.get(at) {
                    Some(rows) => self.take_rows(*rows),
                    None => Vec::new(),
                },
                Said::Closes => Vec::new(),
                Said::Stays => {
                    self.over = Over::Choice(pick);
                    Vec::new()
                }
            },
            Over::Rows(mut pick, topics) => match pick.key(key) {
                Said::Says(at) => match topics.get(at) {
                    Some(topic) => self.take_row(topic),
                    None => Vec::new(),
                },
                Said::Closes => Vec::new(),
                Said::Stays => {
                    self.over = Over::Rows(pick, topics);
                    Vec::new()
                }
            },
        }
    }

    /// Takes pasted text: into what is typed, else into the topic.
    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
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
            Over::Nothing if self.focus != Field::Topic => {
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
    fn entered(&mut self, field: Field, text: &str) -> Vec<Effect> {
        match field {
            Field::Dataset => {
                self.form.dataset = text.to_owned();
                // Another file has other rows.
                self.form.available = 0;
                self.form.rows = Rows::One;
                self.wrong.remove(&Field::Dataset);
                if text.is_empty() {
                    return Vec::new();
                }
                return vec![Effect::Do(Deed::ReadRows(text.to_owned()))];
            }
            Field::Documents if text == "-" => {
                self.form.documents.pop();
            }
            Field::Documents => {
                self.wrong.remove(&Field::Documents);
                if text.is_empty() {
                    return Vec::new();
                }
                return vec![Effect::Do(Deed::ReadDocument(PathBuf::from(text)))];
            }
            Field::Options => self.form.options = text.to_owned(),
            Field::Reference => self.form.reference = text.to_owned(),
            Field::Persona(seat) if text.is_empty() => {
                self.form.personas.remove(&seat);
            }
            Field::Persona(seat) => {
                self.form.personas.insert(seat, text.to_owned());
            }
            Field::Seed => self.form.seed = text.to_owned(),
            Field::Budget => self.form.budget = text.to_owned(),
            Field::Setting(name) => return self.set(name, text.to_owned()),
            Field::Everybody | Field::Chair(_) => {
                let sitter = match text {
                    "" => Sitter::AsOthers,
                    name => Sitter::Named(name.to_owned()),
                };
                return self.seat(&field, sitter);
            }
            Field::SampleSize => self.form.sample = text.to_owned(),
            Field::Game | Field::Topic | Field::Rows | Field::Memory | Field::Begin => {}
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
    /// Says who sits where nobody is chosen, and why.
    pub(super) fn usual(&self, model: &str) -> String {
        format!("{model} ({})", self.library.default_why)
    }

    /// Whether a name is on no list of its server, and nobody said yet that it is meant.
    fn is_questioned(&self) -> bool {
        match &self.prepared {
            Some(Ok(prepared)) => {
                // Whoever wrote a name into the configuration may know more than the server lists.
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
            let ask = Ask::new("A name that is not listed", &question, Answer::No);
            self.over = Over::Unlisted(ask);
        }
        Vec::new()
    }

    /// Takes the answer to the question whether a name is meant that is not listed.
    fn answer_names(&mut self, answer: Answer) -> Vec<Effect> {
        match (answer, &self.prepared) {
            (Answer::Yes, Some(Ok(prepared))) => {
                self.meant = prepared.unlisted().to_vec();
                self.begin()
            }
            (Answer::Yes | Answer::No, _) => {
                self.focus = Field::Everybody;
                Vec::new()
            }
        }
    }
}

/// Returns the value after the one there is, round and round.
fn next_of<T: Clone + PartialEq>(values: &[T], now: &T, way: Way) -> Option<T> {
    let count = values.len();
    let at = values.iter().position(|value| value == now);
    let to = match (at, way) {
        (Some(at), Way::On) => at + 1,
        (Some(at), Way::Back) => at + count.saturating_sub(1),
        (None, Way::On | Way::Back) => 0,
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
