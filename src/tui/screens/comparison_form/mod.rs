//! Comparison form: turns, plan and cost of a prompt comparison. Nothing is paid for before it
//! begins.

mod tasks;

use super::prompt_ab::ComparisonReport;
use crate::tui::app::{DrawContext, Effect, Screen, Update, fail, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, Picker};
use crate::tui::widgets::{
    Form, FormEvent, Paragraph, draw_text, head_and_body, lay_out, lines_and_rest,
};
use elenchus_run::drafts::prompt_ab::{AbBegin, AbField, AbSetup, CompareWish};
use elenchus_run::experiments::prompt_ab::{AbPlanned, AbSurvey, AbWish};
use elenchus_terminal::Paste;
use elenchus_text::FormValues;
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
    debates: Option<Dialog<()>>,
    begins: bool,
}

impl ComparisonForm {
    /// A form that looks for debates once it is opened.
    pub fn of(wish: CompareWish) -> Self {
        Self {
            setup: AbSetup::of(wish),
            form: Form::at(AbField::Debates),
            debates: None,
            begins: false,
        }
    }

    /// Returns the comparison that the form sets out; `None` where there are no debates.
    pub fn wanted(&self) -> Option<AbWish> {
        self.setup.draft.wish()
    }

    /// Does what a field leaves to the screen.
    fn answer(&mut self, event: FormEvent) -> Vec<Effect> {
        match event {
            FormEvent::Stays | FormEvent::Write(_) => Vec::new(),
            FormEvent::Changed => plan(self.setup.changed()),
            FormEvent::Press => self.begin(),
            FormEvent::Choose => match self.setup.draft.sources() {
                Some(sources) => {
                    self.debates = Some(Dialog::list(Picker::of(sources), ()));
                    Vec::new()
                }
                None => say(self.setup.empty()),
            },
        }
    }

    fn begin(&mut self) -> Vec<Effect> {
        if self.begins {
            return Vec::new();
        }
        match self.setup.begin() {
            AbBegin::Wait(why) => say(why),
            AbBegin::Fail(why) => fail(why),
            AbBegin::Begin(plan) => {
                self.begins = true;
                vec![Effect::Start(tasks::begin(*plan))]
            }
        }
    }

    fn begun(&mut self, begun: Result<String, String>) -> Vec<Effect> {
        self.begins = false;
        match begun {
            Ok(id) => vec![Effect::Replace(Box::new(ComparisonReport::of(id)))],
            Err(why) => fail(why),
        }
    }
}

/// Has the cost of a comparison worked out.
fn plan(wish: Option<AbWish>) -> Vec<Effect> {
    let task = wish.map(|wish| Effect::Start(tasks::plan(wish)));
    task.into_iter().collect()
}

/// Result of a task of this screen.
pub enum FormMessage {
    Surveyed(Result<AbSurvey, String>),
    Planned(Result<Box<AbPlanned>, String>),
    /// The id of the comparison.
    Begun(Result<String, String>),
}

impl Update for ComparisonForm {
    type Message = FormMessage;

    fn update(&mut self, message: FormMessage) -> Vec<Effect> {
        match message {
            FormMessage::Surveyed(found) => match self.setup.surveyed(found) {
                Ok(wish) => plan(wish),
                Err(why) => fail(why),
            },
            FormMessage::Planned(found) => plan(self.setup.planned(found)),
            FormMessage::Begun(begun) => self.begun(begun),
        }
    }
}

impl Screen for ComparisonForm {
    fn context(&self) -> Context {
        Context::PromptsCompared
    }

    fn opened(&mut self) -> Vec<Effect> {
        let prompt = self.setup.draft.compared.prompt.clone();
        vec![Effect::Start(tasks::survey(prompt))]
    }

    fn is_typing(&self) -> bool {
        self.debates.is_some() || self.form.is_typing()
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let event = self.form.begins(key, &self.setup.draft.fields())?;
        Some(self.answer(event))
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let event = match action {
            Action::Back => return vec![Effect::Leave],
            Action::Interrupt => return vec![Effect::Quit],
            other => self.form.act(other, &mut self.setup.draft),
        };
        self.answer(event)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.debates.is_none() {
            let event = self.form.typed(key, &mut self.setup.draft);
            return self.answer(event);
        }
        match Dialog::answer(&mut self.debates, key) {
            Some(DialogAnswer::Item((), at, _)) => {
                self.setup.draft.choose_source(at);
                plan(self.setup.changed())
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(debates) = &mut self.debates {
            debates.paste(&paste.text);
        } else if !self.form.paste(&paste.text, &self.setup.draft.fields()) {
            let open = key_for(Context::PromptsCompared, Action::Open);
            return say(format!("nothing is pasted here: {open} opens the field"));
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let mut head = self.setup.head();
        head.push(Paragraph::gap());
        let body = lines_and_rest(buffer, area, look, &lay_out(&head, area.width.into()));
        let fields = self.setup.draft.fields();
        let [rows, below] = head_and_body(body, self.form.height(&fields));
        let cursor = self.form.draw(buffer, rows, brush, LABEL, &fields);
        let help = self.form.help(Context::PromptsCompared, &fields, brush);
        let mut page = vec![help.indented(1, 1), Paragraph::gap()];
        page.extend(self.setup.costs());
        draw_text(buffer, below, look, &page);
        match &self.debates {
            Some(debates) => debates.draw(area, buffer, brush),
            None => cursor,
        }
    }

    fn status(&self) -> String {
        let status = match self.begins {
            true => "beginning",
            false => self.setup.status(),
        };
        status.to_owned()
    }

    fn hints(&self) -> Vec<Action> {
        vec![Action::Open, Action::Left, Action::Right, Action::Back]
    }
}
