//! Messages of the session list: what its tasks found and did.

use super::several::told_failures;
use super::{Sessions, tasks};
use crate::debate::SessionId;
use crate::exchange::grouped_count;
use crate::tui::app::{Effect, TakenSession, Ticket, Update, fail};
use crate::tui::keys::{Action, Context};
use crate::tui::screens::rejudging::RejudgeMessage;
use crate::tui::screens::session_lock::show_fork;

use crate::workspace::session_browser::{ChangeCause, ChangeReport, Listing};
use crate::workspace::{SearchEvent, SessionOverview, UnreadableSession};
use std::path::PathBuf;

/// Result of a task of this screen.
pub enum Message {
    Listed(Result<Box<Listing>, String>),
    /// A part of the list that was not in `Listed`.
    Summed(Vec<Result<SessionOverview, UnreadableSession>>),
    /// Reading the list is over.
    ListRead,
    /// The list is to be read again now.
    ListAgain,
    /// Servers that answer, and with which models.
    Servers(String),
    Found(Ticket, SearchEvent),
    SearchOver(Ticket),
    Changed(ChangeReport),
    Forked(SessionId, TakenSession),
    Exported {
        /// The file, or the folder of several.
        to: PathBuf,
        written: usize,
        failed: Vec<(SessionId, String)>,
    },
    Rejudging(RejudgeMessage),
    /// A session was played on; an error says why it did not come to its end.
    Played(SessionId, Result<(), String>),
    PlayOver,
}

impl Update for Sessions {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Listed(Ok(listing)) => {
                self.stock.list(*listing);
                self.stale = true;
            }
            Message::Listed(Err(why)) => return fail(why),
            Message::Summed(batch) => {
                self.stock.read(batch);
                self.stale = true;
            }
            Message::ListRead => {
                self.drop_marks_of_gone();
                if self.reading.end() {
                    return vec![Effect::Start(tasks::read_list_again())];
                }
            }
            Message::ListAgain => return self.read_list(),
            Message::Servers(line) => self.stock.take_servers(line),
            Message::Found(ticket, finding) => {
                if let Some(finds) = self.finds.as_mut().filter(|finds| finds.ticket == ticket) {
                    finds.take(finding);
                }
            }
            Message::SearchOver(ticket) => {
                if let Some(finds) = self.finds.as_mut().filter(|finds| finds.ticket == ticket) {
                    finds.results.end();
                }
            }
            Message::Changed(report) => return self.changed(&report),
            Message::Forked(parent, made) => return show_fork(&parent, made),
            Message::Exported {
                to,
                written,
                failed,
            } => {
                let done = match written {
                    0 => None,
                    1 => Some(format!("written to {}", to.display())),
                    many => Some(format!("{many} sessions written to {}", to.display())),
                };
                return told_failures(done, &failed);
            }
            Message::Rejudging(message) => return self.rejudging.update(message),
            Message::Played(session, end) => {
                if let Some(playing) = &mut self.playing {
                    playing.left(session, end);
                }
            }
            Message::PlayOver => {
                let over = self.playing.take();
                let effects = over.map(|playing| playing.told()).unwrap_or_default();
                return effects.into_iter().chain(self.read_list()).collect();
            }
        }
        Vec::new()
    }
}

impl Sessions {
    fn changed(&mut self, report: &ChangeReport) -> Vec<Effect> {
        self.history.note(report);
        self.stock.take_changes(report);
        self.drop_marks_of_gone();
        self.stale = true;
        let done = report.done.first().map(|change| {
            let what = change.describe(report.done.len());
            let undo = self.keys.hint(Context::Sessions, Action::Undo);
            match (report.cause, undo) {
                (ChangeCause::Undo, _) => format!("{what}: undone"),
                (ChangeCause::Fresh | ChangeCause::Redo, Some(key)) => {
                    format!("{what}, {key} undoes")
                }
                (ChangeCause::Fresh | ChangeCause::Redo, None) => what,
            }
        });
        let failed = report.failed.iter();
        let failed = failed.map(|(change, why)| (change.session().clone(), why.clone()));
        told_failures(done, &failed.collect::<Vec<_>>())
    }

    fn drop_marks_of_gone(&mut self) {
        let stock = &self.stock;
        self.marks.retain(|id| stock.entry(id).is_some());
    }
}

impl super::several::Playing {
    /// Says how playing on ended.
    fn told(self) -> Vec<Effect> {
        let done = match self.done {
            0 => None,
            done => Some(format!(
                "{} played to the end",
                grouped_count(done, "session")
            )),
        };
        told_failures(done, &self.failed)
    }
}
