//! Comparison form: turns, plan and cost of a prompt comparison. Nothing is paid for before it
//! begins.

mod tasks;

use super::prompt_ab::ComparisonReport;
use crate::tui::app::{DrawContext, Effect, Screen, Update, say_error, say_notice};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Form, FormEvent, Paragraph, draw_text, draw_top_lines, head_and_body, lay_out,
};
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::drafts::prompt_ab::{AbBegin, AbField, AbSetup, CompareWish};
use elenchus_run::experiments::prompt_ab::{AbPlanned, AbSurvey, AbWish};
use elenchus_terminal::Paste;
use elenchus_text::{FormValues, PickList};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Columns of a field's name.
const LABEL: u16 = 17;

/// The screen on which a comparison is set out.
pub struct ComparisonForm {
    setup: AbSetup,
    form: Form<AbField>,
    /// The debates, to be chosen from.
    debates: Option<Dialog<AbField>>,
    is_beginning: bool,
    /// It was asked to begin before its cost was known.
    begins_when_planned: bool,
}

impl ComparisonForm {
    /// A form that looks for debates once it is opened.
    pub fn from_wish(wish: CompareWish) -> Self {
        Self {
            setup: AbSetup::from_wish(wish),
            form: Form::with_focus(AbField::Debates),
            debates: None,
            is_beginning: false,
            begins_when_planned: false,
        }
    }

    /// Returns the comparison that the form sets out; `None` where there are no debates.
    pub fn wish(&self) -> Option<AbWish> {
        self.setup.draft.build_wish()
    }

    /// Does what a field leaves to the screen.
    fn handle_form_event(&mut self, event: FormEvent) -> Vec<Effect> {
        match event {
            FormEvent::Stays | FormEvent::Typed | FormEvent::Write(_) => Vec::new(),
            FormEvent::Changed => start_planning(self.setup.take_change()),
            FormEvent::Press => self.start_comparison(),
            FormEvent::Choose => match self.list_values() {
                Some(values) => {
                    let field = self.form.focus;
                    self.debates = Some(Dialog::new_list(Picker::from_list(values), field));
                    Vec::new()
                }
                None => say_notice(self.setup.empty_reason()),
            },
        }
    }

    /// Returns what the focused field is chosen from.
    fn list_values(&self) -> Option<PickList> {
        match self.form.focus {
            AbField::Debates => self.setup.draft.list_sources(),
            AbField::Seat
            | AbField::Round
            | AbField::Turns
            | AbField::Samples
            | AbField::Roll
            | AbField::Stop
            | AbField::Judge
            | AbField::Truth
            | AbField::Repeats
            | AbField::Ceiling
            | AbField::Seed
            | AbField::Begin => self.form.list_values(&self.setup.draft),
        }
    }

    /// Does what an action asks of the form.
    fn handle_form_action(&mut self, action: Action) -> Vec<Effect> {
        let was_typing = self.form.is_typing();
        let event = self.form.handle_action(action, &mut self.setup.draft);
        // What was typed until now is not in the cost that is shown.
        if was_typing && event == FormEvent::Press {
            let mut effects = start_planning(self.setup.take_change());
            effects.extend(self.start_comparison());
            return effects;
        }
        self.handle_form_event(event)
    }

    /// Gives a key to the list of debates, or to the field that is typed in.
    fn handle_key_of_field(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.debates.is_none() {
            let event = self.form.handle_typed_key(key, &mut self.setup.draft);
            return self.handle_form_event(event);
        }
        match Dialog::answer_key(&mut self.debates, key) {
            Some(DialogAnswer::Item(field, at, _)) => {
                match field {
                    AbField::Debates => self.setup.draft.choose_source(at),
                    field => {
                        self.setup.draft.pick_value(&field, at);
                    }
                }
                start_planning(self.setup.take_change())
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// Says that it does not begin any more, where it was to begin by itself.
    fn say_taken_back(&self, was_waiting: bool, mut effects: Vec<Effect>) -> Vec<Effect> {
        if was_waiting && !self.begins_when_planned && !self.is_beginning {
            let again = key_for(Context::Form, Action::Begin);
            effects.extend(say_notice(format!(
                "taken back: it does not begin by itself; {again} begins it"
            )));
        }
        effects
    }

    fn start_comparison(&mut self) -> Vec<Effect> {
        if self.is_beginning {
            return Vec::new();
        }
        match self.setup.begin_step() {
            AbBegin::Wait => {
                self.begins_when_planned = true;
                Vec::new()
            }
            AbBegin::Refuse(why) => say_notice(why),
            AbBegin::Fail(why) => say_error(why),
            AbBegin::Begin(plan) => {
                self.is_beginning = true;
                vec![Effect::Start(tasks::start_comparison(*plan))]
            }
        }
    }

    fn handle_start_result(&mut self, begun: Result<String, WorkspaceError>) -> Vec<Effect> {
        self.is_beginning = false;
        match begun {
            Ok(id) => vec![Effect::Replace(Box::new(ComparisonReport::from_id(id)))],
            Err(why) => say_error(why),
        }
    }
}

/// Has the cost of a comparison worked out.
fn start_planning(wish: Option<AbWish>) -> Vec<Effect> {
    let task = wish.map(|wish| Effect::Start(tasks::plan_comparison(wish)));
    task.into_iter().collect()
}

/// Result of a task of this screen.
pub enum FormMessage {
    Surveyed(Result<AbSurvey, WorkspaceError>),
    Planned(Result<Box<AbPlanned>, WorkspaceError>),
    /// The id of the comparison.
    Begun(Result<String, WorkspaceError>),
}

impl Update for ComparisonForm {
    type Message = FormMessage;

    fn update(&mut self, message: FormMessage) -> Vec<Effect> {
        match message {
            FormMessage::Surveyed(found) => match self.setup.take_survey(found) {
                Ok(wish) => start_planning(wish),
                Err(why) => say_error(why),
            },
            FormMessage::Planned(found) => {
                let mut effects = start_planning(self.setup.take_plan(found));
                if std::mem::take(&mut self.begins_when_planned) {
                    effects.extend(self.start_comparison());
                }
                effects
            }
            FormMessage::Begun(begun) => self.handle_start_result(begun),
        }
    }
}

impl Screen for ComparisonForm {
    fn key_context(&self) -> Context {
        Context::Form
    }

    fn name(&self) -> String {
        "prompts compared".to_owned()
    }

    fn is_form(&self) -> bool {
        self.debates.is_none()
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let prompt = self.setup.draft.prompts.prompt.clone();
        vec![Effect::Start(tasks::find_debates(prompt))]
    }

    fn is_typing(&self) -> bool {
        self.debates.is_some() || self.form.is_typing()
    }

    fn intercept_key(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let event = self
            .form
            .start_typing(key, &self.setup.draft.list_fields())?;
        let was_waiting = std::mem::take(&mut self.begins_when_planned);
        let effects = self.handle_form_event(event);
        Some(self.say_taken_back(was_waiting, effects))
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        // Whoever presses another key goes on with the form.
        let was_waiting = std::mem::take(&mut self.begins_when_planned);
        let effects = match action {
            Action::Back if was_waiting => Vec::new(),
            Action::Back | Action::Interrupt => return vec![Effect::Leave],
            other => self.handle_form_action(other),
        };
        self.say_taken_back(was_waiting, effects)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let was_waiting = std::mem::take(&mut self.begins_when_planned);
        let effects = self.handle_key_of_field(key);
        self.say_taken_back(was_waiting, effects)
    }
    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(debates) = &mut self.debates {
            debates.paste_text(&paste.text);
        } else if !self
            .form
            .paste_text(&paste.text, &self.setup.draft.list_fields())
        {
            return say_notice("nothing is pasted here: this field is chosen, not typed");
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let mut head = self.setup.heading();
        head.push(Paragraph::gap());
        let body = draw_top_lines(buffer, area, look, &lay_out(&head, area.width.into()));
        let fields = self.setup.draft.list_fields();
        let [rows, below] = head_and_body(body, self.form.height(&fields));
        let cursor = self.form.draw(buffer, rows, context, LABEL, &fields);
        let help = self.form.describe_field(Context::Form, &fields, context);
        let mut page = vec![help.with_indent(1, 1), Paragraph::gap()];
        match self.form.has_open_text(&fields) {
            // It would be the cost of what stood there before.
            true => page.push(Paragraph::new(
                Role::Muted,
                "what it costs is said when Enter or Tab takes what is typed",
            )),
            false => page.extend(self.setup.describe_cost()),
        }
        draw_text(buffer, below, look, &page);
        match &self.debates {
            Some(debates) => debates.draw(area, buffer, context),
            None => cursor,
        }
    }

    fn describe_status(&self) -> String {
        let status = match self.is_beginning {
            true => "beginning",
            false if self.begins_when_planned => "begins once its cost is known",
            false => self.setup.describe_status(),
        };
        let keys = self.form.describe_keys(&self.setup.draft.list_fields());
        match status {
            "" => keys.to_owned(),
            status => format!("{keys}; {status}"),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        match self.debates {
            Some(_) => Vec::new(),
            None => self.form.list_hints(&self.setup.draft.list_fields()),
        }
    }

    fn hint_word(&self, action: Action) -> Option<&'static str> {
        let fields = self.setup.draft.list_fields();
        self.form.hint_word(action, &fields)
    }
}
