//! Results of tasks, as the labelling screen takes them in.

use super::over::Over;
use super::{Annotate, LabelExtras, LabelProgress};
use crate::annotation::BlindedTranscript;
use crate::annotation::labelling::{LabellingCard, LabellingWork, QueueList};
use crate::annotation::queue::QueueForecast;
use crate::debate::SessionId;
use crate::tui::app::{Effect, Ticket, Update, say, warn};
use crate::workspace::Draft;
use crate::workspace::annotations::{
    AnnotationId, AnnotationTarget, CurrentLabel, Revealing, Unblinding,
};
use std::sync::Arc;

/// Result of a task of this screen.
pub enum Message {
    Queues(Ticket, Result<QueueList, String>),
    Forecast(Ticket, Result<QueueForecast, String>),
    /// The queue that was drawn, by name.
    Drawn(Result<String, String>),
    Opened(LabellingWork, Result<Arc<LabellingCard>, String>),
    Sheet(SessionId, Result<Arc<BlindedTranscript>, String>),
    /// A label is durable.
    Given(Ticket, Result<Box<CurrentLabel>, String>),
    /// The label was retracted; with the mark that restores it, and the label now in force.
    TakenBack(
        Ticket,
        Result<(AnnotationId, Option<Box<CurrentLabel>>), String>,
    ),
    /// The first on which the person and evaluators disagree.
    Disagrees(Option<usize>),
    /// Revealed content; the record that it was shown is durable.
    Revealed(
        AnnotationTarget,
        Revealing,
        Result<Arc<Vec<String>>, String>,
    ),
    /// A note of an earlier time on an item.
    NoteFound(usize, Draft),
}

impl Update for Annotate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Queues(reading, queues) => self.take_queues(reading, queues),
            Message::Forecast(ticket, forecast) => self.take_forecast(ticket, forecast),
            Message::Drawn(queue) => self.take_drawn(queue),
            Message::Opened(work, card) if Some(&work) == self.work.as_ref() => {
                self.take_work(&work, &card)
            }
            Message::Opened(..) => Vec::new(),
            Message::Sheet(session, sheet) => self.take_sheet(&session, &sheet),
            Message::Given(ticket, result) => self.given(ticket, &result),
            Message::TakenBack(ticket, result) => self.taken_back(ticket, &result),
            Message::Revealed(on, what, result) => self.shown(&on, what, &result),
            Message::Disagrees(at) => self.disagrees(at),
            Message::NoteFound(at, draft) => self.note_found(at, draft),
        }
    }
}

impl Annotate {
    /// A note of an earlier time whose label never came.
    fn note_found(&mut self, at: usize, draft: Draft) -> Vec<Effect> {
        self.pending.entry(at).or_insert(LabelExtras {
            note: Some(draft.text),
            flagged: false,
        });
        Vec::new()
    }

    fn take_work(
        &mut self,
        work: &LabellingWork,
        card: &Result<Arc<LabellingCard>, String>,
    ) -> Vec<Effect> {
        let card = match card {
            Ok(card) => card,
            Err(why) => {
                self.empty.clone_from(why);
                return Vec::new();
            }
        };
        self.posts.clone_from(&card.items);
        self.spent_ms.clone_from(&card.spent_ms);
        self.undo = Self::history(&self.posts);
        self.card = Some(Arc::clone(card));
        let first = card.sheet.iter();
        self.sheets
            .extend(first.map(|sheet| (sheet.session.clone(), Ok(Arc::clone(sheet)))));
        if self.posts.is_empty() {
            self.empty = match work {
                LabellingWork::Disputes(_) => {
                    "annotators disagree on nothing here, or fewer than two have labelled"
                        .to_owned()
                }
                LabellingWork::Queue(_) | LabellingWork::One { .. } => {
                    "nothing is to be labelled".to_owned()
                }
            };
            return Vec::new();
        }
        self.empty.clear();
        // The work resumes at the first item without a label.
        let open = self.posts.iter().position(|post| !Self::is_labelled(post));
        let mut effects = self.go(open.unwrap_or(0));
        let mut words = card.notices.clone();
        if open.is_none() && !matches!(work, LabellingWork::One { .. }) {
            self.progress = LabelProgress::Done;
            words.push("everything is labelled".to_owned());
        }
        if !words.is_empty() {
            effects.extend(say(words.join("; ")));
        }
        effects
    }

    fn take_sheet(
        &mut self,
        session: &SessionId,
        sheet: &Result<Arc<BlindedTranscript>, String>,
    ) -> Vec<Effect> {
        self.sheets.insert(session.clone(), sheet.clone());
        let here = self.post().is_some_and(|post| post.on.session == *session);
        if !here {
            return Vec::new();
        }
        self.turn_page();
        // The time of what was still being read begins when it is there.
        if self.wanted.take_if(|wanted| wanted == session).is_some() {
            self.shown_at = None;
        }
        Vec::new()
    }

    fn shown(
        &mut self,
        on: &AnnotationTarget,
        what: Revealing,
        result: &Result<Arc<Vec<String>>, String>,
    ) -> Vec<Effect> {
        let words = match result {
            Ok(words) => words,
            Err(why) => return warn(why.clone()),
        };
        if let Some(card) = &mut self.card {
            let saw = &mut Arc::make_mut(card).saw;
            // The writer of annotations records it; here it is only noted.
            let saw = saw.entry(on.session.clone()).or_default();
            saw.insert(Unblinding::Verdict);
        }
        match what {
            Revealing::Verdict => {
                self.take_revealed(on, Arc::clone(words));
                self.turn_page();
            }
            Revealing::View => {
                if self.post().is_some_and(|post| post.on == *on) {
                    self.over = Some(Over::whole_view(words, self.content));
                }
            }
        }
        Vec::new()
    }
}
