//! New-debate screen: a game, a topic, the cast, the settings, and the cost. What is set out, and what is read
//! for it, is a [`DebateSetup`]; here are its form, the editor of its topic and the lists over it.
//!
//! | file | content |
//! |---|---|
//! | `topic` | the editor of the topic |
//! | `tasks` | what is read, estimated and begun in the background |
//! | `view` | drawing |

mod tasks;
mod topic;
mod view;

use crate::tui::app::{
    Broadcast, Command, DrawContext, Effect, RunCommand, RunEvent, Screen, Task, UiState, Update,
    fail, keep_draft, say, show, warn,
};
use crate::tui::components::writing::{cut_off, full};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::{Dialog, DialogAnswer, Picker};
use crate::tui::widgets::{Edited, Editor, Form, FormEvent};
use elenchus_game::debate::{SessionId, Topic};
use elenchus_records::workspace::Draft;
use elenchus_run::drafts::debate_draft::{
    BeginStep, DebateChoices, DebateField, DebateList, DebateSetup, SetupResult, SetupSource,
    SetupStep,
};
use elenchus_run::engine::{DebatePlan, LibraryList};
use elenchus_run::experiments::{BackgroundEvent, BackgroundTask};
use elenchus_terminal::Paste;
use elenchus_text::{FormField, FormValues};
use elenchus_view::Opened;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use topic::{TopicEditor, TopicKey};

/// Key of the topic's draft.
const DRAFT: &str = "new-debate";

/// The screen on which a debate is set out.
#[derive(Default)]
pub struct NewDebate {
    setup: DebateSetup,
    form: Form<DebateField>,
    topic: TopicEditor,
    over: Option<Dialog<Question>>,
    /// The topic is the one that was written last, and not a session's.
    is_drafted: bool,
    /// The debate was asked to begin.
    beginning: bool,
    /// What the debate that began was played with.
    begun: Option<DebateChoices>,
}

/// What is asked over the form.
#[derive(Debug, Clone)]
enum Question {
    /// Whether names are meant that their server does not list.
    Unlisted,
    List(DebateList),
}

/// Result of a task of this screen.
pub enum Message {
    /// Games and models; again when servers have answered.
    Library(Arc<LibraryList>),
    Setup(SetupResult),
    /// The topic that was written last and not used.
    Draft(Draft),
    Begun(Result<(SessionId, Arc<Opened>), String>),
}

impl NewDebate {
    /// Shows a form that begins with what was played last, or with what a session was played with.
    pub fn show(like: Option<SessionId>) -> Vec<Effect> {
        let from = like.map_or(SetupSource::Nothing, SetupSource::Session);
        show(Self {
            setup: DebateSetup::new(from),
            ..Self::default()
        })
    }

    /// Returns the debate that the form describes, once its game was read.
    pub fn plan(&self) -> Option<DebatePlan> {
        self.setup.plan()
    }

    /// Starts what is to be read or estimated after a change.
    fn with_tasks(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        let tasks = self.setup.take_tasks().into_iter();
        effects.extend(tasks.map(|task| Effect::Start(tasks::perform(task))));
        effects
    }

    /// Does what a field leaves to the screen.
    fn answer(&mut self, event: FormEvent) -> Vec<Effect> {
        match event {
            FormEvent::Stays | FormEvent::Changed => Vec::new(),
            FormEvent::Choose => {
                self.choose(self.setup.list_of(&self.form.focus));
                Vec::new()
            }
            FormEvent::Press => self.begin(),
            FormEvent::Write(key) => {
                // A blank goes on with a topic that is there already.
                if key.is_some_and(|key| key.code != KeyCode::Char(' ')) {
                    self.drop_given_topic();
                }
                self.topic.open();
                key.map(|key| self.write(key)).unwrap_or_default()
            }
        }
    }

    fn choose(&mut self, list: DebateList) {
        let pick = Picker::of(self.setup.items(&list));
        self.over = Some(Dialog::list(pick, Question::List(list)));
    }

    /// Takes a key of what lies over the form.
    fn over_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match Dialog::answer(&mut self.over, key) {
            Some(DialogAnswer::Item(Question::List(list), at, typed)) => {
                if let DebateList::Row = list {
                    self.form.focus = DebateField::Topic;
                }
                let step = self.setup.pick(list, at, &typed);
                return self.follow(step);
            }
            Some(DialogAnswer::Yes(_)) => {
                self.setup.confirm_names();
                return self.begin();
            }
            Some(DialogAnswer::Left(Question::Unlisted)) => {
                self.form.focus = DebateField::Everybody;
            }
            Some(_) => {}
            None => {
                if let Some(Dialog::List(pick, Question::List(list))) = &self.over
                    && let Some(at) = pick.chosen()
                {
                    self.setup.look_at(list, at);
                }
            }
        }
        Vec::new()
    }

    /// Does what follows in what is set out.
    fn follow(&mut self, step: SetupStep) -> Vec<Effect> {
        match step {
            SetupStep::Nothing => {}
            SetupStep::Focus(field) => self.form.focus = field,
            SetupStep::Choose(list) => self.choose(list),
            SetupStep::Take(topic) => return self.take_topic(&topic),
            SetupStep::Fail(why) => return fail(why),
        }
        Vec::new()
    }

    /// Makes room for another topic, where nobody wrote here what there is.
    fn drop_given_topic(&mut self) {
        if self.setup.draft.is_row() {
            self.setup.draft.forget_topic();
            self.topic.editor = Editor::default();
        }
    }

    /// Writes in the topic; leaving it asks for the cost again.
    fn write(&mut self, key: KeyEvent) -> Vec<Effect> {
        match self.topic.key(key) {
            TopicKey::Edited(edited) => self.wrote(edited),
            TopicKey::Left(then) => {
                self.setup.changed();
                let event = then.map(|action| self.form.act(action, &mut self.setup));
                event.map(|event| self.answer(event)).unwrap_or_default()
            }
        }
    }

    /// Takes the topic as it is after an edit, and keeps it as a draft.
    fn wrote(&mut self, edited: Edited) -> Vec<Effect> {
        let mut effects = Vec::new();
        if edited.has_changed() {
            let text = self.topic.editor.text();
            self.setup.draft.topic.clone_from(&text);
            effects.push(keep_draft(DRAFT, text));
        }
        effects.extend(full(edited));
        effects
    }

    fn paste_topic(&mut self, paste: &Paste) -> Vec<Effect> {
        if !self.topic.is_open {
            self.drop_given_topic();
        }
        let edited = self.topic.editor.paste(&paste.text);
        let mut effects = self.wrote(edited);
        effects.extend(cut_off(paste));
        self.setup.changed();
        effects
    }

    fn take_topic(&mut self, topic: &Topic) -> Vec<Effect> {
        match Editor::open(&topic.text) {
            Ok(editor) => {
                self.setup.take_topic(topic, editor.text());
                self.topic.editor = editor;
                Vec::new()
            }
            Err(why) => fail(why.to_string()),
        }
    }

    fn take_draft(&mut self, text: &str) -> Vec<Effect> {
        let is_of_session = self.setup.is_of_session();
        let nobody_wrote =
            self.topic.editor.is_empty() || (is_of_session && self.setup.draft.is_row());
        let editor = Editor::open(text).ok();
        let Some(editor) = editor.filter(|_| nobody_wrote && !text.is_empty()) else {
            return Vec::new();
        };
        self.setup.draft.forget_topic();
        self.setup.draft.topic = editor.text();
        self.topic.editor = editor;
        self.is_drafted = true;
        self.setup.changed();
        say(match is_of_session {
            true => "this is the topic that you were writing last time, in place of the session's",
            false => "this is the topic that you were writing last time",
        })
    }

    fn begin(&mut self) -> Vec<Effect> {
        let effect = match self.setup.begin() {
            BeginStep::Mend(field, fault) => {
                self.form.focus = field;
                return warn(fault);
            }
            BeginStep::Wait => return say("the game is being read"),
            _ if self.beginning => return Vec::new(),
            BeginStep::Ask(question) => {
                let title = "A name that is not listed";
                self.over = Some(Dialog::confirm(title, &question, Question::Unlisted));
                return Vec::new();
            }
            BeginStep::Debate(plan) => Effect::Start(tasks::begin_debate(*plan)),
            BeginStep::Run(run) => {
                Effect::Do(Command::Run(RunCommand::Play(BackgroundTask::New(run))))
            }
        };
        self.beginning = true;
        vec![effect]
    }

    /// Takes in that the debate began, and shows it.
    fn has_begun(&mut self, result: Result<(SessionId, Arc<Opened>), String>) -> Vec<Effect> {
        self.beginning = false;
        match result {
            Ok((session, opened)) => {
                self.begun = Some(self.setup.draft.choices());
                vec![
                    keep_draft(DRAFT, ""),
                    Effect::Leave,
                    Effect::OpenBegun(session, opened),
                ]
            }
            Err(why) => {
                self.setup.refused(why.clone());
                fail(why)
            }
        }
    }
}

impl Update for NewDebate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = Vec::new();
        match message {
            Message::Library(library) => self.setup.take_library(library),
            Message::Setup(result) => {
                effects = match self.setup.take(result) {
                    // What was written and not used wins over a session's topic.
                    SetupStep::Take(_) if self.is_drafted => Vec::new(),
                    step => self.follow(step),
                };
            }
            Message::Draft(draft) => effects = self.take_draft(&draft.text),
            Message::Begun(result) => effects = self.has_begun(result),
        }
        self.with_tasks(effects)
    }
}

impl Screen for NewDebate {
    fn context(&self) -> Context {
        Context::NewDebate
    }

    fn recall(&mut self, kept: &UiState) {
        if let Some(last) = &kept.last_debate {
            self.setup.recall(last);
        }
    }

    fn opened(&mut self) -> Vec<Effect> {
        let effects = vec![
            Effect::Start(tasks::read_library()),
            Effect::Start(Task::find_draft(DRAFT.to_owned(), Message::Draft)),
        ];
        self.setup.open();
        self.with_tasks(effects)
    }

    fn is_typing(&self) -> bool {
        self.topic.is_open || self.form.is_typing() || self.over.is_some()
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let event = self.form.begins(key, &self.setup.fields())?;
        let effects = self.answer(event);
        Some(self.with_tasks(effects))
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let event = match action {
            Action::Back => return vec![Effect::Leave],
            Action::Filter => {
                // In the list of games letters filter at once.
                self.choose(DebateList::Game);
                FormEvent::Stays
            }
            other => self.form.act(other, &mut self.setup),
        };
        let effects = self.answer(event);
        self.with_tasks(effects)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let effects = if self.topic.is_open {
            self.write(key)
        } else if self.over.is_some() {
            self.over_key(key)
        } else {
            let event = self.form.typed(key, &mut self.setup);
            self.answer(event)
        };
        self.with_tasks(effects)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        let effects = if let Some(dialog) = &mut self.over {
            dialog.paste(&paste.text);
            Vec::new()
        } else if self.topic.is_open || self.form.focus == DebateField::Topic {
            self.paste_topic(paste)
        } else if self.form.paste(&paste.text, &self.setup.fields()) {
            Vec::new()
        } else {
            say("move to the topic to paste it there")
        };
        self.with_tasks(effects)
    }

    fn notice(&mut self, news: &Broadcast) -> Vec<Effect> {
        // Why a run did not begin is said by the workbench; the form stays as it is.
        if let Broadcast::Run(RunEvent::Played(BackgroundEvent::Began(began))) = news
            && std::mem::take(&mut self.beginning)
            && began.is_ok()
        {
            self.begun = Some(self.setup.draft.choices());
            return vec![Effect::Leave];
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        match self.beginning {
            true => "beginning".to_owned(),
            false => self.setup.status(),
        }
    }

    fn hints(&self) -> Vec<Action> {
        if self.is_typing() {
            return Vec::new();
        }
        let fields = self.setup.fields();
        let is_text = |field: &FormField<_>| field.kind.takes_letters();
        if self.form.focused(&fields).is_some_and(is_text) {
            // Letters are text here.
            return vec![Action::Open, Action::FocusNext, Action::Back, Action::Help];
        }
        vec![
            Action::Open,
            Action::Down,
            Action::Up,
            Action::Right,
            Action::Bottom,
            Action::Back,
            Action::Help,
        ]
    }

    fn keep(&self, kept: &mut UiState) {
        if let Some(begun) = &self.begun {
            kept.last_debate = Some(begun.clone());
        }
    }
}
