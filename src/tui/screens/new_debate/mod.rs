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
    Broadcast, Command, DrawContext, Effect, RunCommand, RunEvent, Screen, UiState, Update,
    keep_draft, say_error, say_notice, say_warning, show_screen,
};
use crate::tui::components::writing::{warn_if_cut, warn_if_full};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::{Dialog, DialogAnswer, Picker};
use crate::tui::widgets::{Edited, Editor, Form, FormEvent};
use elenchus_game::debate::{SessionId, Topic};
use elenchus_records::workspace::{Draft, WorkspaceError};
use elenchus_run::drafts::debate_draft::{
    BeginStep, DebateChoices, DebateField, DebateList, DebateSetup, SetupResult, SetupSource,
    SetupStep,
};
use elenchus_run::engine::{DebatePlan, LibraryList};
use elenchus_run::experiments::{BackgroundEvent, BackgroundTask};
use elenchus_terminal::Paste;
use elenchus_text::FormValues;
use elenchus_view::OpenedSession;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use topic::{TopicEditor, TopicKey};

/// Key of the topic's draft.
const DRAFT: &str = "new-debate";
/// Key of the draft of everything else.
const FORM_DRAFT: &str = "new-debate-form";
/// The same of a form that began with a session.
const FORM_LIKE_DRAFT: &str = "new-debate-form-like";

/// The screen on which a debate is set out.
#[derive(Default)]
pub struct NewDebate {
    setup: DebateSetup,
    form: Form<DebateField>,
    topic: TopicEditor,
    dialog: Option<Dialog<Question>>,
    /// The topic is the one that was written last, and not a session's.
    is_drafted: bool,
    /// What is kept of the draft, as it was written last.
    kept_form: String,
    /// The debate was asked to begin.
    is_beginning: bool,
    /// What is waited for, where it was asked to begin before that was done.
    awaited: Option<&'static str>,
    /// What was left last time is being looked for.
    is_awaiting_drafts: bool,
    /// What the debate that began was played with.
    played_choices: Option<DebateChoices>,
}

/// What is asked over the form.
#[derive(Debug, Clone)]
enum Question {
    /// Whether names are meant that their server does not list.
    Unlisted,
    List(DebateList),
    /// Which value of a choice.
    Value(DebateField),
}

/// Result of a task of this screen.
pub enum Message {
    /// Games and models; again when servers have answered.
    Library(Arc<LibraryList>),
    Setup(SetupResult),
    /// The topic that was written last and not used.
    Draft(Draft),
    /// The other fields, as they were left.
    FormDraft(Draft),
    /// All that was left has come.
    DraftsRead,
    Begun(Result<(SessionId, Arc<OpenedSession>), WorkspaceError>),
}

impl NewDebate {
    /// Shows a form that begins with what was played last, or with what a session was played with.
    pub fn show_form(like: Option<SessionId>) -> Vec<Effect> {
        let from = like.map_or(SetupSource::Nothing, SetupSource::Session);
        show_screen(Self {
            setup: DebateSetup::new(from),
            ..Self::default()
        })
    }

    /// Returns the debate that the form describes, once its game was read.
    pub fn debate_plan(&self) -> Option<DebatePlan> {
        self.setup.build_plan()
    }

    /// Starts what is to be read or estimated after a change.
    fn with_tasks(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        let tasks = self.setup.take_tasks().into_iter();
        effects.extend(tasks.map(|task| Effect::Start(tasks::perform_setup(task))));
        effects.extend(self.keep_form());
        // Rows of a data set have no topic of their own, another game other seats.
        self.form.keep_focus(&self.setup.list_fields());
        effects
    }

    /// Keeps what is filled in, where somebody did and it is not kept yet; the topic is kept as it is written.
    fn keep_form(&mut self) -> Option<Effect> {
        // What begins is no draft any more.
        let drafted = self.setup.to_drafted().filter(|_| !self.is_beginning)?;
        let text = serde_json::to_string(&drafted).ok()?;
        if text == self.kept_form {
            return None;
        }
        self.kept_form.clone_from(&text);
        Some(keep_draft(self.form_draft(), text))
    }

    /// Returns where the fields of the form are kept.
    fn form_draft(&self) -> &'static str {
        match self.setup.is_of_session() {
            true => FORM_LIKE_DRAFT,
            false => FORM_DRAFT,
        }
    }

    /// Drops the drafts of what has begun.
    fn drop_drafts(&mut self) -> Vec<Effect> {
        let mut effects = vec![keep_draft(DRAFT, "")];
        // One that was not taken stays.
        if !std::mem::take(&mut self.kept_form).is_empty() {
            effects.push(keep_draft(self.form_draft(), ""));
        }
        effects
    }

    /// Does what a field leaves to the screen.
    fn handle_form_event(&mut self, event: FormEvent) -> Vec<Effect> {
        match event {
            FormEvent::Stays | FormEvent::Typed | FormEvent::Changed => Vec::new(),
            FormEvent::Choose => {
                if let Some(values) = self.form.list_values(&self.setup) {
                    let field = Question::Value(self.form.focus.clone());
                    self.dialog = Some(Dialog::new_list(Picker::from_list(values), field));
                    return Vec::new();
                }
                let list = self.setup.list_of(&self.form.focus);
                // What was configured since the form was opened is offered as well.
                let reads = matches!(list, DebateList::Player(..));
                self.open_list(list);
                let task = reads.then(|| Effect::Start(tasks::read_library()));
                task.into_iter().collect()
            }
            FormEvent::Press => self.start_play(),
            FormEvent::Write(key) => {
                // A blank goes on with a topic that is there already.
                if key.is_some_and(|key| key.code != KeyCode::Char(' ')) {
                    self.drop_given_topic();
                }
                self.topic.open_editor();
                key.map(|key| self.handle_topic_key(key))
                    .unwrap_or_default()
            }
        }
    }

    fn open_list(&mut self, list: DebateList) {
        let pick = Picker::from_list(self.setup.list_items(&list));
        self.dialog = Some(Dialog::new_list(pick, Question::List(list)));
    }

    /// Lists games, or participants, anew where there are others by now; what was typed stays.
    fn refresh_list(&mut self) {
        if let Some(Dialog::List(pick, Question::List(DebateList::Game))) = &self.dialog
            && pick.is_empty()
        {
            // It was opened before they were read.
            let typed = pick.typed_text().to_owned();
            self.open_list(DebateList::Game);
            if let Some(Dialog::List(pick, _)) = &mut self.dialog {
                pick.paste_text(&typed);
            }
            return;
        }
        let Some(Dialog::List(pick, Question::List(DebateList::Player(field, known)))) =
            &self.dialog
        else {
            return;
        };
        let list = self.setup.list_of(field);
        let DebateList::Player(_, now) = &list else {
            return;
        };
        if now == known {
            return;
        }
        let chosen = pick.selected_item().and_then(|at| known.get(at));
        let chosen = chosen.and_then(|name| now.iter().position(|one| one == name));
        let typed = pick.typed_text().to_owned();
        self.open_list(list);
        if let Some(Dialog::List(pick, _)) = &mut self.dialog {
            pick.paste_text(&typed);
            if let Some(at) = chosen {
                pick.select_item(at);
            }
        }
    }

    /// Takes a key of what lies over the form.
    fn handle_dialog_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match Dialog::answer_key(&mut self.dialog, key) {
            Some(DialogAnswer::Item(Question::List(list), at, typed)) => {
                if let DebateList::Row = list {
                    self.form.focus = DebateField::Topic;
                }
                let step = self.setup.pick_item(list, at, &typed);
                let is_topic = matches!(step, SetupStep::Take(_));
                let mut effects = self.apply_step(step);
                if is_topic {
                    effects.push(keep_draft(DRAFT, self.topic.editor.text()));
                }
                return effects;
            }
            Some(DialogAnswer::Item(Question::Value(field), at, _)) => {
                self.setup.pick_value(&field, at);
            }
            Some(DialogAnswer::Yes(_)) => {
                self.setup.confirm_names();
                return self.start_play();
            }
            Some(DialogAnswer::Left(Question::Unlisted)) => {
                self.form.focus = DebateField::Everybody;
            }
            Some(_) => {}
            None => {
                if let Some(Dialog::List(pick, Question::List(list))) = &self.dialog
                    && let Some(at) = pick.selected_item()
                {
                    self.setup.look_at(list, at);
                }
            }
        }
        Vec::new()
    }

    /// Does what follows in what is set out.
    fn apply_step(&mut self, step: SetupStep) -> Vec<Effect> {
        match step {
            SetupStep::Nothing => {}
            SetupStep::Focus(field) => self.form.focus = field,
            SetupStep::Choose(list) => self.open_list(list),
            SetupStep::Take(topic) => return self.take_topic(&topic),
            SetupStep::Fail(why) => return say_error(why),
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
    fn handle_topic_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match self.topic.handle_key(key) {
            TopicKey::Edited(edited) => self.save_topic_edit(edited),
            TopicKey::Left(then) => {
                self.setup.note_change();
                let event = then.map(|action| self.form.handle_action(action, &mut self.setup));
                event
                    .map(|event| self.handle_form_event(event))
                    .unwrap_or_default()
            }
        }
    }

    /// Takes the topic as it is after an edit, and keeps it as a draft.
    fn save_topic_edit(&mut self, edited: Edited) -> Vec<Effect> {
        let mut effects = Vec::new();
        if edited.has_changed() {
            self.setup.note_touch();
            let text = self.topic.editor.text();
            self.setup.draft.topic.clone_from(&text);
            effects.push(keep_draft(DRAFT, text));
        }
        effects.extend(warn_if_full(edited));
        effects
    }

    fn paste_topic(&mut self, paste: &Paste) -> Vec<Effect> {
        if !self.topic.is_open {
            self.drop_given_topic();
        }
        let edit = self.topic.editor.paste_text(&paste.text);
        let mut effects = self.save_topic_edit(edit);
        effects.extend(warn_if_cut(paste));
        self.setup.note_change();
        effects
    }

    fn take_topic(&mut self, topic: &Topic) -> Vec<Effect> {
        match Editor::from_text(&topic.text) {
            Ok(editor) => {
                self.setup.take_topic(topic, editor.text());
                self.topic.editor = editor;
                Vec::new()
            }
            Err(why) => say_error(why.to_string()),
        }
    }

    fn take_draft(&mut self, text: &str) -> Vec<Effect> {
        let is_of_session = self.setup.is_of_session();
        let nobody_wrote =
            self.topic.editor.is_empty() || (is_of_session && self.setup.draft.is_row());
        let editor = Editor::from_text(text).ok();
        let Some(editor) = editor.filter(|_| nobody_wrote && !text.is_empty()) else {
            return Vec::new();
        };
        if !self.setup.is_of_draft() {
            self.setup.draft.forget_topic();
        }
        self.setup.draft.topic = editor.text();
        self.topic.editor = editor;
        self.is_drafted = true;
        self.setup.note_change();
        self.say_what_came_back(match self.setup.is_of_draft() {
            true => "what you were setting out",
            false => "the topic that you were writing",
        })
    }

    fn say_what_came_back(&self, what: &str) -> Vec<Effect> {
        let instead = match self.setup.is_of_session() {
            true => ", in place of the session's",
            false => "",
        };
        say_notice(format!("this is {what} last time{instead}"))
    }

    /// Takes the other fields as they were left, and what belongs to the topic.
    fn take_form_draft(&mut self, text: &str) -> Vec<Effect> {
        // Of another version, or damaged: there is no draft then.
        let Ok(drafted) = serde_json::from_str(text) else {
            return Vec::new();
        };
        let was_written = self.is_drafted;
        if !self.setup.take_drafted(drafted) {
            return Vec::new();
        }
        if was_written {
            self.setup.draft.topic = self.topic.editor.text();
        } else if let Ok(editor) = Editor::from_text(&self.setup.draft.topic) {
            self.topic.editor = editor;
        }
        self.say_what_came_back("what you were setting out")
    }

    fn start_play(&mut self) -> Vec<Effect> {
        if self.is_awaiting_drafts {
            // It may hold the topic.
            self.awaited = Some("reading what was left last time");
            return Vec::new();
        }
        let effect = match self.setup.begin_step() {
            BeginStep::Mend(field, fault) => {
                self.form.focus = field;
                return say_warning(fault);
            }
            BeginStep::Wait(for_what) => {
                self.awaited = Some(for_what);
                return Vec::new();
            }
            _ if self.is_beginning => return Vec::new(),
            BeginStep::Ask(question) => {
                let title = "A name that is not listed";
                self.dialog = Some(Dialog::new_confirm(title, &question, Question::Unlisted));
                return Vec::new();
            }
            BeginStep::Debate(plan) => Effect::Start(tasks::begin_debate(*plan)),
            BeginStep::Run(run) => {
                Effect::Do(Command::Run(RunCommand::Play(BackgroundTask::New(run))))
            }
        };
        self.is_beginning = true;
        vec![effect]
    }

    /// Takes in that the debate began, and shows it.
    fn handle_start_result(
        &mut self,
        result: Result<(SessionId, Arc<OpenedSession>), WorkspaceError>,
    ) -> Vec<Effect> {
        self.is_beginning = false;
        match result {
            Ok((session, opened)) => {
                self.played_choices = Some(self.setup.draft.to_choices());
                let mut effects = self.drop_drafts();
                effects.extend([Effect::Leave, Effect::OpenBegun(session, opened)]);
                effects
            }
            Err(why) => {
                self.setup.take_refusal(why.clone());
                say_error(why)
            }
        }
    }
}

impl Update for NewDebate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = Vec::new();
        match message {
            Message::Library(library) => {
                self.setup.take_library(library);
                self.refresh_list();
            }
            Message::Setup(result) => {
                effects = match self.setup.take_result(result) {
                    // What was written and not used wins over a session's topic.
                    SetupStep::Take(_) if self.is_drafted => Vec::new(),
                    step => self.apply_step(step),
                };
            }
            Message::Draft(draft) => effects = self.take_draft(&draft.text),
            Message::FormDraft(draft) => effects = self.take_form_draft(&draft.text),
            Message::DraftsRead => self.is_awaiting_drafts = false,
            Message::Begun(Ok(begun)) => return self.handle_start_result(Ok(begun)),
            Message::Begun(result) => effects = self.handle_start_result(result),
        }
        // A list that opened is to be chosen from first.
        if self.awaited.take().is_some() && self.dialog.is_none() {
            effects.extend(self.start_play());
        }
        self.with_tasks(effects)
    }
}

impl Screen for NewDebate {
    fn key_context(&self) -> Context {
        Context::NewDebate
    }

    fn restore_state(&mut self, kept: &UiState) {
        if let Some(last) = &kept.last_debate {
            self.setup.take_last_choices(last);
        }
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        self.is_awaiting_drafts = true;
        let effects = vec![
            Effect::Start(tasks::read_library()),
            Effect::Start(tasks::find_drafts(DRAFT, self.form_draft())),
        ];
        self.setup.request_source();
        self.with_tasks(effects)
    }

    fn is_form(&self) -> bool {
        self.dialog.is_none()
    }

    fn is_typing(&self) -> bool {
        self.topic.is_open || self.form.is_typing() || self.dialog.is_some()
    }

    fn intercept_key(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        self.awaited = None;
        let event = self.form.start_typing(key, &self.setup.list_fields())?;
        let effects = self.handle_form_event(event);
        Some(self.with_tasks(effects))
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        // Whoever presses another key goes on with the form.
        self.awaited = None;
        let event = match action {
            Action::Back | Action::Interrupt => return vec![Effect::Leave],
            Action::Begin => {
                if std::mem::take(&mut self.topic.is_open) {
                    self.setup.note_change();
                }
                self.form.handle_action(action, &mut self.setup)
            }
            Action::Filter => {
                // In the list of games letters filter at once.
                self.open_list(DebateList::Game);
                FormEvent::Stays
            }
            other => self.form.handle_action(other, &mut self.setup),
        };
        let effects = self.handle_form_event(event);
        self.with_tasks(effects)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.awaited = None;
        let effects = if self.topic.is_open {
            self.handle_topic_key(key)
        } else if self.dialog.is_some() {
            self.handle_dialog_key(key)
        } else {
            let event = self.form.handle_typed_key(key, &mut self.setup);
            self.handle_form_event(event)
        };
        self.with_tasks(effects)
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        self.awaited = None;
        let effects = if let Some(dialog) = &mut self.dialog {
            dialog.paste_text(&paste.text);
            Vec::new()
        } else if self.topic.is_open || self.form.focus == DebateField::Topic {
            self.paste_topic(paste)
        } else if self.form.paste_text(&paste.text, &self.setup.list_fields()) {
            Vec::new()
        } else {
            say_notice("move to the topic to paste it there")
        };
        self.with_tasks(effects)
    }

    fn handle_broadcast(&mut self, news: &Broadcast) -> Vec<Effect> {
        // Why a run did not begin is said by the workbench; the form stays as it is.
        if let Broadcast::Run(RunEvent::Played(BackgroundEvent::Began(began))) = news
            && std::mem::take(&mut self.is_beginning)
            && began.is_ok()
        {
            self.played_choices = Some(self.setup.draft.to_choices());
            let mut effects = self.drop_drafts();
            effects.push(Effect::Leave);
            return effects;
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_form(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        match (self.is_beginning, self.awaited) {
            (true, _) => "beginning".to_owned(),
            (false, Some(for_what)) => format!("beginning: {for_what}"),
            (false, None) => {
                let keys = match self.topic.is_open {
                    true => "letters write",
                    false => self.form.describe_keys(&self.setup.list_fields()),
                };
                format!("{keys}; {}", self.setup.describe_status())
            }
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        if self.dialog.is_some() {
            return Vec::new();
        }
        if self.topic.is_open {
            return vec![Action::Begin, Action::Open, Action::Back];
        }
        self.form.list_hints(&self.setup.list_fields())
    }

    fn hint_word(&self, action: Action) -> Option<&'static str> {
        match (action, self.topic.is_open) {
            (Action::Back, true) => Some("form"),
            _ => self.form.hint_word(action, &self.setup.list_fields()),
        }
    }

    fn save_state(&self, kept: &mut UiState) {
        if let Some(choices) = &self.played_choices {
            kept.last_debate = Some(choices.clone());
        }
    }
}
