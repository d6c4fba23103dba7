//! Task of the comparison: what passes found on both sessions.

use super::Message;
use crate::debate::SessionId;
use crate::tui::app::Task;
use crate::workspace::pass::read_passes as read;

pub(super) fn read_passes(sessions: Vec<SessionId>) -> Task {
    Task::blocking("read passes", move |services| {
        let layout = &services.tools.desk.layout;
        let found = sessions.iter().filter_map(|id| read(layout, id).ok());
        Message::PassesRead(found.flatten().collect())
    })
}
