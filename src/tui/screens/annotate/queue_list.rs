//! List of annotation queues: which is labelled or settled, who labels, and drawing another one.

use super::queue_form::{FormOutcome, QueueForm};
use super::{Annotate, LabelProgress, tasks};
use crate::annotation::labelling::{LabellingWork, QueueLine, QueueList};
use crate::annotation::queue::QueueForecast;
use crate::tui::app::{Command, DrawContext, Effect, Ticket, fail, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, ListCursor, Moved, Paragraph, StyledLine, draw_text, fill, frame, head_and_body,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Choosing of a queue.
#[derive(Default)]
pub(super) struct QueueChoice {
    list: Option<QueueList>,
    rows: ListCursor,
    over: ListOver,
    ticket: Ticket,
    /// The last reading of the list.
    reading: Ticket,
}

/// What lies over the list.
#[derive(Default)]
enum ListOver {
    #[default]
    Nothing,
    /// Who labels: one of the people, or a name that is typed.
    People(Dialog<()>),
    Form(Box<QueueForm>),
}

impl QueueChoice {
    /// Says whether the list was shown.
    pub(super) fn is_read(&self) -> bool {
        self.list.is_some()
    }

    pub(super) fn is_typing(&self) -> bool {
        match &self.over {
            ListOver::Nothing => false,
            ListOver::People(_) => true,
            ListOver::Form(form) => form.is_typing(),
        }
    }

    /// Types into a field of the form; `None` leaves the key to the table.
    pub(super) fn begins_typing(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        match &mut self.over {
            ListOver::Form(form) => form.begins_typing(key).then(Vec::new),
            ListOver::Nothing | ListOver::People(_) => None,
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.over {
            ListOver::Nothing => {}
            ListOver::People(dialog) => dialog.paste(text),
            ListOver::Form(form) => form.paste(text),
        }
    }

    pub(super) fn status(&self) -> String {
        match (&self.list, &self.over) {
            (None, _) => "reading the queues".to_owned(),
            (Some(_), ListOver::Form(form)) => form.status(),
            (Some(list), _) => format!("labelling as {}", list.annotator),
        }
    }

    pub(super) fn hints(&self) -> Vec<Action> {
        match &self.over {
            ListOver::Form(_) => vec![Action::Open, Action::FocusNext, Action::Right, Action::Back],
            ListOver::Nothing | ListOver::People(_) => vec![
                Action::Open,
                Action::DrawQueue,
                Action::Adjudicate,
                Action::LabelAs,
                Action::Back,
            ],
        }
    }

    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
        empty: &str,
    ) -> Option<Position> {
        let look = brush.look;
        let inner = frame(area, buffer, look, "queues", Focus::Focused);
        let queues = self.list.iter().flat_map(|list| &list.queues);
        let queues: Vec<&QueueLine> = queues.collect();
        match &self.list {
            Some(list) if !queues.is_empty() => {
                let who = StyledLine {
                    indent: 0,
                    runs: vec![
                        (Role::Muted, "labelling as ".to_owned()),
                        (Role::Strong, list.annotator.clone()),
                    ],
                };
                let [head, body] = head_and_body(inner, 1);
                who.put(buffer, head, look);
                brush.rows.note(self.rows, body);
                self.rows.draw(buffer, body, look, |at, _| {
                    let line = queues.get(at).map(|line| line.describe());
                    StyledLine::of(Role::Text, line.unwrap_or_default())
                });
            }
            Some(_) | None => {
                let text = brush.spelled(empty);
                draw_text(buffer, inner, look, &[Paragraph::of(Role::Notice, text)]);
            }
        }
        match &self.over {
            ListOver::Nothing => None,
            ListOver::People(dialog) => dialog.draw(area, buffer, brush),
            ListOver::Form(form) => {
                fill(area, buffer, look);
                form.draw(buffer, area, brush)
            }
        }
    }

    fn line(&self) -> Option<&QueueLine> {
        self.list.as_ref()?.queues.get(self.rows.chosen()?)
    }
}

impl Annotate {
    /// Answers an action while a queue is being chosen.
    pub(super) fn choose(&mut self, action: Action) -> Vec<Effect> {
        if let ListOver::Form(form) = &mut self.choice.over {
            let outcome = form.act(action);
            return self.after_form(outcome);
        }
        if self.choice.rows.act(action) == Moved::Yes {
            return Vec::new();
        }
        let queue = self.choice.line().map(|line| line.queue.clone());
        match (action, queue) {
            (Action::Back, _) => vec![Effect::Leave],
            (Action::Open, Some(queue)) => self.begin(LabellingWork::Queue(queue)),
            (Action::Adjudicate, Some(queue)) => self.begin(LabellingWork::Disputes(queue)),
            (Action::Open | Action::Adjudicate, None) => say(no_queue()),
            (Action::DrawQueue, _) => {
                let Some(list) = &self.choice.list else {
                    return say("the queues are being read");
                };
                self.choice.over = ListOver::Form(Box::new(QueueForm::new(list)));
                self.after_form(FormOutcome::Changed)
            }
            (Action::LabelAs, _) => {
                self.ask_who();
                Vec::new()
            }
            (Action::Interrupt, _) => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    /// Takes a key that is typed over the list.
    pub(super) fn queue_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match std::mem::take(&mut self.choice.over) {
            ListOver::Nothing => Vec::new(),
            ListOver::People(people) => {
                let mut people = Some(people);
                let answer = Dialog::answer(&mut people, key);
                if let Some(people) = people {
                    self.choice.over = ListOver::People(people);
                }
                let Some(DialogAnswer::Item((), at, typed)) = answer else {
                    return Vec::new();
                };
                let list = self.choice.list.as_ref();
                let person = list.and_then(|list| list.people.get(at)).cloned();
                let person = person.unwrap_or(typed);
                // Tasks begin before what is done with them: the list is told whose it is.
                vec![
                    self.list_queues(Some(person.clone())),
                    Effect::Do(Command::LabelAs(person)),
                ]
            }
            ListOver::Form(mut form) => {
                let outcome = form.key(key);
                self.choice.over = ListOver::Form(form);
                self.after_form(outcome)
            }
        }
    }

    fn after_form(&mut self, outcome: FormOutcome) -> Vec<Effect> {
        let ListOver::Form(form) = &mut self.choice.over else {
            return Vec::new();
        };
        match outcome {
            FormOutcome::Nothing => Vec::new(),
            FormOutcome::Changed => {
                self.choice.ticket.0 += 1;
                form.asked();
                let draft = form.draft.clone();
                vec![Effect::Start(tasks::forecast(self.choice.ticket, draft))]
            }
            FormOutcome::Draw => vec![Effect::Start(tasks::draw(form.draft.clone()))],
            FormOutcome::Closes => {
                self.choice.over = ListOver::Nothing;
                Vec::new()
            }
        }
    }

    fn ask_who(&mut self) {
        let Some(list) = &self.choice.list else {
            return;
        };
        let items = list.people.iter().map(|name| PickItem {
            label: name.clone(),
            detail: String::new(),
            aside: match *name == list.annotator {
                true => "labels now".to_owned(),
                false => String::new(),
            },
        });
        let typed = "labels under this name from now on".to_owned();
        let pick = Picker::new("Who is labelling?", items.collect()).or_as_typed(typed);
        self.choice.over = ListOver::People(Dialog::list(pick, ()));
    }

    fn begin(&mut self, work: LabellingWork) -> Vec<Effect> {
        self.work = Some(work.clone());
        self.progress = LabelProgress::Labelling;
        self.empty = "reading what is to be labelled".to_owned();
        vec![Effect::Start(tasks::open(work))]
    }

    /// Leaves a queue for the list that it was chosen from.
    pub(super) fn back_to_queues(&mut self) -> Vec<Effect> {
        let choice = std::mem::take(&mut self.choice);
        *self = Self::over(None, self.below);
        self.choice = choice;
        self.opened_queues()
    }

    pub(super) fn opened_queues(&mut self) -> Vec<Effect> {
        vec![self.list_queues(None)]
    }

    /// Reads the list; what was asked for before is not awaited any more.
    fn list_queues(&mut self, person: Option<String>) -> Effect {
        self.choice.reading.0 += 1;
        Effect::Start(tasks::list_queues(self.choice.reading, person))
    }

    pub(super) fn take_queues(
        &mut self,
        reading: Ticket,
        queues: Result<QueueList, String>,
    ) -> Vec<Effect> {
        if reading != self.choice.reading {
            // The list of who labelled before may come after that of who labels now.
            return Vec::new();
        }
        match queues {
            Ok(list) => {
                let chosen = self.choice.line().map(|line| line.queue.clone());
                let place = |line: &QueueLine| Some(&line.queue) == chosen.as_ref();
                let at = list.queues.iter().position(place);
                self.choice.rows = ListCursor::new(list.queues.len());
                self.choice.rows.choose(at.unwrap_or(0));
                self.choice.list = Some(list);
                if self.work.is_none() {
                    self.empty = no_queue();
                }
            }
            Err(why) => self.empty = why,
        }
        Vec::new()
    }

    pub(super) fn take_forecast(
        &mut self,
        ticket: Ticket,
        forecast: Result<QueueForecast, String>,
    ) -> Vec<Effect> {
        if let ListOver::Form(form) = &mut self.choice.over
            && ticket == self.choice.ticket
        {
            form.forecast = Some(forecast);
        }
        Vec::new()
    }

    pub(super) fn take_drawn(&mut self, queue: Result<String, String>) -> Vec<Effect> {
        match queue {
            Ok(queue) => {
                self.choice.over = ListOver::Nothing;
                let mut effects = self.opened_queues();
                let text = format!("queue '{queue}' is drawn");
                effects.extend(say(text));
                effects
            }
            Err(why) => fail(why),
        }
    }
}

fn no_queue() -> String {
    let draw = key_for(Context::Queues, Action::DrawQueue);
    format!("there is no queue: {draw} draws one")
}
