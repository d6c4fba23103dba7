//! List of queues: which is labelled or settled, who labels, and drawing another one.
//!
//! | file | content |
//! |---|---|
//! | `queue_form` | what a new queue is drawn from |
//! | `tasks` | what is read and drawn in the background |

mod queue_form;
mod tasks;

use super::annotate::Annotate;
use super::places::Place;
use crate::tui::app::{Command, DrawContext, Effect, Screen, Ticket, Update, fail, say, show};
use crate::tui::keys::{Action, Context, ScreenKeys, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, ListCursor, Moved, Paragraph, StyledLine, draw_text, fill, frame, head_and_body,
};
use elenchus_annotation::labelling::{LabellingWork, QueueLine, QueueList};
use elenchus_annotation::queue::QueueForecast;
use elenchus_terminal::Paste;
use queue_form::{FormOutcome, QueueForm};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "4",
        name: "labelling",
        action: "show-queues",
        label: "queues to be labelled",
        help: "Go to the queues of turns to be labelled.",
        own: &[],
    },
    context: Context::Queues,
    open: || show(Queues::default()),
};

/// The screen that lists the queues.
#[derive(Default)]
pub(super) struct Queues {
    list: Option<QueueList>,
    /// Reason why the list could not be read.
    fault: Option<String>,
    rows: ListCursor,
    /// Who labels: one of the people, or a name that is typed.
    people: Option<Dialog<()>>,
    form: Option<QueueForm>,
    ticket: Ticket,
    /// The last reading of the list.
    reading: Ticket,
}

impl Queues {
    fn line(&self) -> Option<&QueueLine> {
        self.list.as_ref()?.queues.get(self.rows.chosen()?)
    }

    /// Returns what is said where no queue is listed.
    fn empty_text(&self) -> String {
        match (&self.fault, &self.list) {
            (Some(why), _) => why.clone(),
            (None, None) => "reading what is to be labelled".to_owned(),
            (None, Some(_)) => no_queue(),
        }
    }

    /// Labels a queue, or settles its disputes.
    fn label(&self, work: impl FnOnce(String) -> LabellingWork) -> Vec<Effect> {
        match self.line() {
            Some(line) => Annotate::show(work(line.queue.clone())),
            None => say(no_queue()),
        }
    }

    fn draw_another(&mut self) -> Vec<Effect> {
        let Some(list) = &self.list else {
            return say("the queues are being read");
        };
        self.form = Some(QueueForm::new(list));
        self.after_form(FormOutcome::Changed)
    }

    fn after_form(&mut self, outcome: FormOutcome) -> Vec<Effect> {
        let Some(form) = &mut self.form else {
            return Vec::new();
        };
        match outcome {
            FormOutcome::Nothing => Vec::new(),
            FormOutcome::Changed => {
                self.ticket.0 += 1;
                form.asked();
                let draft = form.draft.clone();
                vec![Effect::Start(tasks::forecast(self.ticket, draft))]
            }
            FormOutcome::Draw => vec![Effect::Start(tasks::draw(form.draft.clone()))],
            FormOutcome::Closes => {
                self.form = None;
                Vec::new()
            }
        }
    }

    fn ask_who(&mut self) {
        let Some(list) = &self.list else {
            return;
        };
        let items = list.people.iter().map(|name| PickItem {
            label: name.clone(),
            aside: match *name == list.annotator {
                true => "labels now".to_owned(),
                false => String::new(),
            },
            ..PickItem::default()
        });
        let typed = "labels under this name from now on".to_owned();
        let pick = Picker::new("Who is labelling?", items.collect()).or_as_typed(typed);
        self.people = Some(Dialog::list(pick, ()));
    }

    /// Labels as a person of the list, or under a name that was typed.
    fn label_as(&mut self, at: usize, typed: String) -> Vec<Effect> {
        let list = self.list.as_ref();
        let person = list.and_then(|list| list.people.get(at)).cloned();
        let person = person.unwrap_or(typed);
        // Tasks begin before what is done with them: the list is told whose it is.
        vec![
            self.list_queues(Some(person.clone())),
            Effect::Do(Command::LabelAs(person)),
        ]
    }

    /// Reads the list; what was asked for before is not awaited any more.
    fn list_queues(&mut self, person: Option<String>) -> Effect {
        self.reading.0 += 1;
        Effect::Start(tasks::list_queues(self.reading, person))
    }

    fn take_queues(&mut self, queues: Result<QueueList, String>) {
        self.fault = match queues {
            Ok(list) => {
                let chosen = self.line().map(|line| line.queue.clone());
                let place = |line: &QueueLine| Some(&line.queue) == chosen.as_ref();
                let at = list.queues.iter().position(place);
                self.rows = ListCursor::new(list.queues.len());
                self.rows.choose(at.unwrap_or(0));
                self.list = Some(list);
                None
            }
            Err(why) => Some(why),
        };
    }
}

fn no_queue() -> String {
    let draw = key_for(Context::Queues, Action::DrawQueue);
    format!("there is no queue: {draw} draws one")
}

/// Result of a task of this screen.
pub(super) enum Message {
    Queues(Ticket, Result<QueueList, String>),
    Forecast(Ticket, Result<QueueForecast, String>),
    /// The queue that was drawn, by name.
    Drawn(Result<String, String>),
}

impl Update for Queues {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Queues(reading, queues) if reading == self.reading => {
                self.take_queues(queues);
                Vec::new()
            }
            // The list of who labelled before may come after that of who labels now.
            Message::Queues(..) => Vec::new(),
            Message::Forecast(ticket, forecast) => {
                let form = self.form.as_mut().filter(|_| ticket == self.ticket);
                if let Some(form) = form {
                    form.forecast = Some(forecast);
                }
                Vec::new()
            }
            Message::Drawn(Ok(queue)) => {
                self.form = None;
                let mut effects = vec![self.list_queues(None)];
                effects.extend(say(format!("queue '{queue}' is drawn")));
                effects
            }
            Message::Drawn(Err(why)) => fail(why),
        }
    }
}

impl Screen for Queues {
    fn context(&self) -> Context {
        Context::Queues
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![self.list_queues(None)]
    }

    fn is_typing(&self) -> bool {
        self.people.is_some() || self.form.as_ref().is_some_and(QueueForm::is_typing)
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let form = self.form.as_mut()?;
        form.begins_typing(key).then(Vec::new)
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            let outcome = form.act(action);
            return self.after_form(outcome);
        }
        if self.rows.act(action) == Moved::Yes {
            return Vec::new();
        }
        match action {
            Action::Back => vec![Effect::Leave],
            Action::Open => self.label(LabellingWork::Queue),
            Action::Adjudicate => self.label(LabellingWork::Disputes),
            Action::DrawQueue => self.draw_another(),
            Action::LabelAs => {
                self.ask_who();
                Vec::new()
            }
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            let outcome = form.key(key);
            return self.after_form(outcome);
        }
        match Dialog::answer(&mut self.people, key) {
            Some(DialogAnswer::Item((), at, typed)) => self.label_as(at, typed),
            Some(_) | None => Vec::new(),
        }
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            form.paste(&paste.text);
        }
        if let Some(people) = &mut self.people {
            people.paste(&paste.text);
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
        let inner = frame(area, buffer, look, "queues", Focus::Focused);
        match &self.list {
            Some(list) if !list.queues.is_empty() => {
                let who = Paragraph::of(Role::Muted, "labelling as ")
                    .and(Role::Strong, list.annotator.clone());
                let [head, body] = head_and_body(inner, 1);
                draw_text(buffer, head, look, &[who]);
                brush.rows.note(self.rows, body);
                self.rows.draw(buffer, body, look, |at, _| {
                    let line = list.queues.get(at).map(QueueLine::describe);
                    StyledLine::of(Role::Text, line.unwrap_or_default())
                });
            }
            Some(_) | None => {
                let text = brush.spelled(&self.empty_text());
                draw_text(buffer, inner, look, &[Paragraph::of(Role::Notice, text)]);
            }
        }
        if let Some(form) = &self.form {
            fill(area, buffer, look);
            return form.draw(buffer, area, brush);
        }
        self.people.as_ref()?.draw(area, buffer, brush)
    }

    fn status(&self) -> String {
        match (&self.list, &self.form) {
            (None, _) => "reading the queues".to_owned(),
            (Some(_), Some(form)) => form.status(),
            (Some(list), None) => format!("labelling as {}", list.annotator),
        }
    }

    fn hints(&self) -> Vec<Action> {
        match &self.form {
            Some(_) => vec![Action::Open, Action::FocusNext, Action::Right, Action::Back],
            None => vec![
                Action::Open,
                Action::DrawQueue,
                Action::Adjudicate,
                Action::LabelAs,
                Action::Back,
            ],
        }
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.opened()
    }
}
