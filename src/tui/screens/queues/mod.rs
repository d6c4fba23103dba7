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
use crate::tui::app::{
    Command, DrawContext, Effect, Screen, Ticket, Update, say_error, say_notice, show_screen,
};
use crate::tui::keys::{Action, Context, ScreenKeys, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, ListCursor, Moved, Paragraph, StyledLine, draw_frame, draw_text, fill_area,
    head_and_body,
};
use elenchus_annotation::labelling::{LabellingWork, QueueLine, QueueList};
use elenchus_annotation::queue::{ForecastPopulation, QueueChoices, QueueForecast};
use elenchus_records::workspace::WorkspaceError;
use elenchus_terminal::Paste;
use queue_form::{Drawing, FormOutcome, QueueForm};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

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
    open: || show_screen(Queues::default()),
};

/// The screen that lists the queues.
#[derive(Default)]
pub(super) struct Queues {
    list: Option<QueueList>,
    /// Reason why the list could not be read.
    fault: Option<String>,
    rows: ListCursor,
    /// What is asked over the list.
    dialog: Option<Dialog<Question>>,
    form: Option<QueueForm>,
    /// The last form that was opened, and the last change in it.
    ticket: Ticket,
    /// The change that is being counted: one count at a time.
    counted: Option<Ticket>,
    /// A queue that was drawn, for the cursor to stand on.
    drawn: Option<String>,
    /// The last reading of the list.
    reading: Ticket,
}

/// What is asked over the list of queues.
enum Question {
    /// Who labels: one of the people, or a name that is typed.
    Annotator,
    /// Whether this queue is to be removed.
    Remove(String),
}

impl Queues {
    fn selected_queue(&self) -> Option<&QueueLine> {
        self.list.as_ref()?.queues.get(self.rows.selected_row()?)
    }

    /// Returns what is said where no queue is listed.
    fn empty_text(&self) -> String {
        match (&self.fault, &self.list) {
            (Some(why), _) => why.clone(),
            (None, None) => "reading what is to be labelled".to_owned(),
            (None, Some(_)) => no_queue_text(),
        }
    }

    /// Labels a queue, or settles its disputes.
    fn label_queue(&self, work: impl FnOnce(String) -> LabellingWork) -> Vec<Effect> {
        match self.selected_queue() {
            Some(line) => Annotate::show_work(work(line.queue.clone())),
            None => say_notice(no_queue_text()),
        }
    }

    fn draw_another(&mut self) -> Vec<Effect> {
        let Some(list) = &self.list else {
            return say_notice("the queues are being read");
        };
        self.form = Some(QueueForm::new(list));
        // What there is says which kind of debates is drawn from; it is counted then.
        vec![Effect::Start(tasks::read_choices())]
    }

    fn handle_form_outcome(&mut self, outcome: FormOutcome) -> Vec<Effect> {
        let Some(form) = &mut self.form else {
            return Vec::new();
        };
        match outcome {
            FormOutcome::Nothing => Vec::new(),
            FormOutcome::Changed => {
                self.ticket.0 += 1;
                form.clear_forecast();
                self.start_count()
            }
            FormOutcome::Refused => {
                form.drawing = Drawing::No;
                form.explain_refusal()
            }
            FormOutcome::DrawLater => {
                form.drawing = Drawing::Asked;
                Vec::new()
            }
            FormOutcome::Draw => {
                form.drawing = Drawing::Begun;
                vec![Effect::Start(tasks::draw_queue(form.draft.clone()))]
            }
            FormOutcome::Closes => {
                self.form = None;
                Vec::new()
            }
        }
    }

    /// Counts what the form would draw, where that is not being done already.
    fn start_count(&mut self) -> Vec<Effect> {
        let Some(form) = self.form.as_ref().filter(|_| self.counted.is_none()) else {
            return Vec::new();
        };
        self.counted = Some(self.ticket);
        let (draft, known) = (form.draft_as_typed(), form.population.clone());
        vec![Effect::Start(tasks::forecast_draw(
            self.ticket,
            draft,
            known,
        ))]
    }

    fn ask_annotator(&mut self) {
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
        let hint = "labels under this name from now on".to_owned();
        let pick = Picker::new("Who is labelling?", items.collect()).with_typed_row(hint);
        self.dialog = Some(Dialog::new_list(pick, Question::Annotator));
    }

    fn ask_removal(&mut self) -> Vec<Effect> {
        let Some(line) = self.selected_queue() else {
            return say_notice(no_queue_text());
        };
        let question = format!(
            "Remove the queue '{}'? It is listed no more and cannot be brought back; labels that were given stay, and \
             count as before.",
            line.queue
        );
        let removed = Question::Remove(line.queue.clone());
        self.dialog = Some(Dialog::new_confirm("Remove", &question, removed));
        Vec::new()
    }

    /// Labels as a person of the list, or under a name that was typed.
    fn choose_annotator(&mut self, at: usize, typed: String) -> Vec<Effect> {
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

    fn take_queues(&mut self, queues: Result<QueueList, WorkspaceError>) {
        self.fault = match queues {
            Ok(list) => {
                let drawn = self.drawn.take();
                let queue = drawn.or_else(|| self.selected_queue().map(|line| line.queue.clone()));
                let is_selected = |line: &QueueLine| Some(&line.queue) == queue.as_ref();
                let at = list.queues.iter().position(is_selected);
                self.rows = ListCursor::new(list.queues.len());
                self.rows.select_row(at.unwrap_or(0));
                self.list = Some(list);
                None
            }
            Err(why) => Some(why.to_string()),
        };
    }
}

fn no_queue_text() -> String {
    let draw = key_for(Context::Queues, Action::DrawQueue);
    format!("there is no queue: {draw} draws one")
}

/// Result of a task of this screen.
pub(super) enum Message {
    Queues(Ticket, Result<QueueList, WorkspaceError>),
    /// What there is to draw from.
    Choices(Result<Box<QueueChoices>, WorkspaceError>),
    /// What would be drawn, and from what.
    Forecast(
        Ticket,
        Result<QueueForecast, WorkspaceError>,
        Option<Arc<ForecastPopulation>>,
    ),
    /// The queue that was drawn, by name.
    Drawn(Result<String, WorkspaceError>),
    /// The queue that was removed, by name.
    Removed(Result<String, WorkspaceError>),
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
            Message::Forecast(ticket, forecast, population) => {
                self.counted = None;
                if let Some(form) = &mut self.form {
                    form.population = population;
                }
                // What changed while it was counted is counted now.
                if ticket != self.ticket {
                    return self.start_count();
                }
                let Some(form) = &mut self.form else {
                    return Vec::new();
                };
                form.forecast = Some(forecast);
                match form.drawing {
                    Drawing::Asked => {
                        let outcome = form.press();
                        self.handle_form_outcome(outcome)
                    }
                    Drawing::No | Drawing::Begun => Vec::new(),
                }
            }
            Message::Choices(Ok(choices)) => {
                let Some(form) = &mut self.form else {
                    return Vec::new();
                };
                form.draft.take_choices(*choices);
                self.handle_form_outcome(FormOutcome::Changed)
            }
            Message::Choices(Err(why)) => {
                if let Some(form) = &mut self.form {
                    form.draft.take_choices(QueueChoices::default());
                }
                let mut effects = self.handle_form_outcome(FormOutcome::Changed);
                effects.extend(say_error(why));
                effects
            }
            Message::Removed(Ok(queue)) => {
                let mut effects = vec![self.list_queues(None)];
                effects.extend(say_notice(format!(
                    "queue '{queue}' is removed; its labels stay"
                )));
                effects
            }
            Message::Removed(Err(why)) => say_error(why),
            Message::Drawn(Ok(queue)) => {
                self.form = None;
                self.drawn = Some(queue.clone());
                let mut effects = vec![self.list_queues(None)];
                effects.extend(say_notice(format!("queue '{queue}' is drawn")));
                effects
            }
            Message::Drawn(Err(why)) => {
                if let Some(form) = &mut self.form {
                    form.drawing = Drawing::No;
                }
                say_error(why)
            }
        }
    }
}

impl Screen for Queues {
    fn key_context(&self) -> Context {
        match self.form {
            Some(_) => Context::Form,
            None => Context::Queues,
        }
    }

    fn place_context(&self) -> Option<Context> {
        Some(Context::Queues)
    }

    fn name(&self) -> String {
        Context::Queues.name().to_owned()
    }

    fn is_form(&self) -> bool {
        self.form.as_ref().is_some_and(QueueForm::has_keys)
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![self.list_queues(None)]
    }

    fn is_typing(&self) -> bool {
        self.dialog.is_some() || self.form.as_ref().is_some_and(QueueForm::is_typing)
    }

    fn intercept_key(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let outcome = self.form.as_mut()?.start_typing(key)?;
        Some(self.handle_form_outcome(outcome))
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            let outcome = form.handle_action(action);
            return self.handle_form_outcome(outcome);
        }
        if self.rows.handle_action(action) == Moved::Yes {
            return Vec::new();
        }
        match action {
            Action::Back => vec![Effect::Leave],
            Action::Open => self.label_queue(LabellingWork::Queue),
            Action::Adjudicate => self.label_queue(LabellingWork::Disputes),
            Action::DrawQueue => self.draw_another(),
            Action::LabelAs => {
                self.ask_annotator();
                Vec::new()
            }
            Action::RemoveQueue => self.ask_removal(),
            _ => Vec::new(),
        }
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            let outcome = form.handle_key(key);
            return self.handle_form_outcome(outcome);
        }
        match Dialog::answer_key(&mut self.dialog, key) {
            Some(DialogAnswer::Item(_, at, typed)) => self.choose_annotator(at, typed),
            Some(DialogAnswer::Yes(Question::Remove(queue))) => {
                vec![Effect::Start(tasks::remove_queue(queue))]
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(form) = &mut self.form {
            let outcome = form.paste_text(&paste.text);
            return self.handle_form_outcome(outcome);
        }
        if let Some(dialog) = &mut self.dialog {
            dialog.paste_text(&paste.text);
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
        let inner = draw_frame(area, buffer, look, "queues", Focus::Focused);
        match &self.list {
            Some(list) if !list.queues.is_empty() => {
                let who = Paragraph::new(Role::Muted, "labelling as ")
                    .with_run(Role::Strong, list.annotator.clone());
                let [head, body] = head_and_body(inner, 1);
                draw_text(buffer, head, look, &[who]);
                context.rows.note_rows(self.rows, body);
                self.rows.draw(buffer, body, look, |at, _| {
                    let line = list.queues.get(at).map(QueueLine::describe);
                    StyledLine::from_text(Role::Text, line.unwrap_or_default())
                });
            }
            Some(_) | None => {
                let text = context.spell_keys(&self.empty_text());
                draw_text(buffer, inner, look, &[Paragraph::new(Role::Notice, text)]);
            }
        }
        if let Some(form) = &self.form {
            fill_area(area, buffer, look);
            // Rows of the list below are out of sight.
            context.rows.clear();
            return form.draw(buffer, area, context);
        }
        self.dialog.as_ref()?.draw(area, buffer, context)
    }

    fn describe_status(&self) -> String {
        match (&self.list, &self.form) {
            (None, _) => "reading the queues".to_owned(),
            (Some(_), Some(form)) => form.describe_status(),
            (Some(list), None) => format!("labelling as {}", list.annotator),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        match &self.form {
            Some(form) => form.list_hints(),
            None if self.dialog.is_some() => Vec::new(),
            None => vec![
                Action::Open,
                Action::DrawQueue,
                Action::Adjudicate,
                Action::LabelAs,
                Action::RemoveQueue,
                Action::Back,
            ],
        }
    }

    fn hint_word(&self, action: Action) -> Option<&'static str> {
        self.form.as_ref()?.hint_word(action)
    }

    fn handle_return(&mut self) -> Vec<Effect> {
        self.handle_open()
    }
}
