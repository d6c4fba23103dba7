//! Attempts screen: the attempts of one turn side by side, with the replies to it that were stopped and
//! those that are still streaming; one attempt is chosen.

use super::inspect::Inspector;
use crate::tui::app::{
    Broadcast, DrawContext, Effect, Screen, Task, Update, copy_text, say_error, say_notice,
    show_in_pager, show_screen,
};
use crate::tui::components::reply_columns::ReplyColumns;
use crate::tui::components::session_lock::{LockControl, LockMessage, SessionAccess};
use crate::tui::keys::{Action, Context, KeyTable, key_for, spelled};
use crate::tui::theme::Role;
use crate::tui::widgets::{ColumnHead, Paragraph, TextColumns, draw_text};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::state::StoppedReply;
use elenchus_game::debate::step::StepId;
use elenchus_game::debate::{AttemptId, SessionId, State, TurnId};
use elenchus_records::workspace::{Reopen, WorkspaceError};
use elenchus_run::engine::live::ComingReply;
use elenchus_run::engine::live::{CallProgress, LiveCommand, LiveEvent, LiveGroup};
use elenchus_terminal::Paste;
use elenchus_view::OpenedSession;
use elenchus_view::debate_text::{
    AttemptOptions, attempt_paragraphs, attempt_title, coming_reply, stopped_paragraphs,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A column that is narrower than this cannot be read.
const MIN_COLUMN: u16 = 38;
/// Rows for the title and for what can be done.
const HEAD: u16 = 2;
const FOOT: u16 = 1;

/// The screen of a turn's attempts.
pub struct Attempts {
    session: SessionId,
    state: Arc<State>,
    turn: TurnId,
    lock: LockControl,
    coming: BTreeMap<StepId, ComingReply>,
    replies: ReplyColumns,
    /// A fork was offered and not answered.
    is_fork_offered: bool,
}

impl Attempts {
    /// The attempts of a turn, with the cursor on the one that counts.
    pub fn from_turn(
        session: &SessionId,
        state: impl Into<Arc<State>>,
        turn: TurnId,
        hold: SessionAccess,
    ) -> Self {
        let state = state.into();
        let column = state
            .turns()
            .get(&turn)
            .map_or(0, |known| known.chosen_index);
        let mut attempts = Self {
            session: session.clone(),
            lock: LockControl::new(session.clone(), hold),
            state,
            turn,
            coming: BTreeMap::new(),
            replies: ReplyColumns::new(TextColumns::new(MIN_COLUMN)),
            is_fork_offered: false,
        };
        attempts.count_columns();
        attempts.replies.columns.select_column(column);
        attempts
    }

    fn attempt_count(&self) -> usize {
        self.state
            .turns()
            .get(&self.turn)
            .map_or(0, |known| known.attempts.len())
    }

    /// The columns: attempts, then replies that were stopped, then those that are coming.
    fn count_columns(&mut self) {
        let count = self.attempt_count() + self.stopped_replies().len() + self.coming.len();
        self.replies.columns.set_count(count);
    }

    fn stopped_replies(&self) -> Vec<&StoppedReply> {
        self.state.stopped_replies_to(&self.turn).collect()
    }

    /// Returns the stopped reply in a column.
    fn stopped_at(&self, at: usize) -> Option<&StoppedReply> {
        let at = at.checked_sub(self.attempt_count())?;
        self.stopped_replies().get(at).copied()
    }

    fn is_coming(&self, at: usize) -> bool {
        at >= self.attempt_count() + self.stopped_replies().len()
    }

    fn attempt_id(&self, at: usize) -> AttemptId {
        AttemptId {
            turn: self.turn.clone(),
            attempt: u32::try_from(at).unwrap_or(u32::MAX),
        }
    }

    fn apply_record(&mut self, record: &Record) -> Vec<Effect> {
        self.replies.columns.forget_layouts();
        match Arc::make_mut(&mut self.state).apply_event(record) {
            Ok(()) => Vec::new(),
            // The record does not follow the known state: the session is read again.
            Err(_) => vec![Effect::Start(read_again(self.session.clone()))],
        }
    }

    fn handle_live_event(&mut self, update: &LiveEvent) -> Vec<Effect> {
        match update.group() {
            LiveGroup::Record(record) => self.apply_record(record),
            LiveGroup::Call(step, progress) => {
                if step.turn().as_ref() == Some(&self.turn) {
                    self.apply_progress(step, progress);
                }
                Vec::new()
            }
            LiveGroup::Refused { why, .. } => say_error(why),
            LiveGroup::Seat(_) | LiveGroup::Rest(_) | LiveGroup::Notice | LiveGroup::Broke(_) => {
                Vec::new()
            }
        }
    }

    fn apply_progress(&mut self, step: &StepId, progress: CallProgress<'_>) {
        if let CallProgress::Ended = progress {
            self.coming.remove(step);
            self.replies.columns.forget_layouts();
            return;
        }
        let coming = self.coming.entry(step.clone()).or_default();
        coming.apply_progress(progress);
    }

    fn choose_attempt(&mut self) -> Vec<Effect> {
        if self.replies.columns.cursor() >= self.attempt_count() {
            let text = match self.stopped_at(self.replies.columns.cursor()) {
                Some(_) => "this reply was stopped: it is not an attempt and cannot be chosen",
                None => "this reply is still coming: it can be chosen once it is there",
            };
            return say_notice(text);
        }
        let turn = self.state.turns().get(&self.turn);
        if turn.is_some_and(|known| known.chosen_index == self.replies.columns.cursor()) {
            let text = "this attempt counts already: h and l go to the others";
            return say_notice(text);
        }
        let order = LiveCommand::Choose(self.attempt_id(self.replies.columns.cursor()));
        if !self.state.is_seen(&self.turn) {
            return self.lock.give_command(order, Message::Lock);
        }
        if !std::mem::take(&mut self.is_fork_offered) {
            self.is_fork_offered = true;
            return Vec::new();
        }
        let reopen = Reopen::Turn(self.turn.clone());
        self.lock.fork_with_command(reopen, order, Message::Lock)
    }

    fn reply_text(&self, at: usize) -> Option<String> {
        if let Some(stopped_reply) = self.stopped_at(at) {
            return Some(stopped_reply.reply.text.clone());
        }
        let turn = self.state.turns().get(&self.turn)?;
        Some(turn.attempts.get(at)?.reply.text.clone())
    }

    fn column_title(&self, at: usize) -> String {
        if self.is_coming(at) {
            return "coming".to_owned();
        }
        match self.stopped_at(at) {
            Some(_) => "stopped".to_owned(),
            None => attempt_title(&self.state, &self.turn, at),
        }
    }

    /// Returns all attempts and stopped replies as one text, masked where content is.
    fn format_attempts(&self) -> String {
        let mut page = format!("attempts of {}\n", self.turn);
        for at in 0..self.attempt_count() + self.stopped_replies().len() {
            let head = self.column_title(at);
            let text = self.reply_text(at).unwrap_or_default();
            let text = self.replies.show.content.show_or_mask(&text);
            page.push_str(&format!("\n=== {head}\n{text}\n"));
        }
        page
    }

    fn build_page(&self, at: usize, show: AttemptOptions) -> Vec<Paragraph> {
        let reply = at.checked_sub(self.attempt_count() + self.stopped_replies().len());
        let reply = reply.and_then(|at| self.coming.values().nth(at));
        match (reply, self.stopped_at(at)) {
            (Some(reply), _) => {
                let thinking_and_note = (reply.thinking, reply.note.as_deref());
                coming_reply(&reply.text, thinking_and_note, show)
            }
            (None, Some(stopped)) => stopped_paragraphs(&self.state, &self.turn, stopped, show),
            (None, None) => attempt_paragraphs(&self.state, &self.turn, at, show),
        }
    }

    /// Returns the lines above the columns.
    fn build_heading(&self, keys: &KeyTable) -> Vec<Paragraph> {
        let (turn, count, coming) = (&self.turn, self.attempt_count(), self.coming.len());
        let name = self.state.name_of(&turn.chair);
        let mut line = Paragraph::new(Role::Strong, format!("attempts of {turn}"))
            .with_run(Role::Muted, format!(" · {name} · {count} there"));
        if coming > 0 {
            line = line.with_run(Role::Streaming, format!(", {coming} coming"));
        }
        let key = |action| key_for(Context::List, action);
        let how = match (self.replies.show.difference, count) {
            (_, 0 | 1) => format!(
                "{} on the debate screen asks the seat again, one or more times",
                key_for(Context::Debate, Action::Reroll)
            ),
            (true, _) => format!(
                "marked: what differs from the attempt that counts; {} shows plain texts",
                key(Action::Difference)
            ),
            (false, _) => format!(
                "{} chooses · {} marks differences to the attempt that counts",
                key(Action::Open),
                key(Action::Difference)
            ),
        };
        vec![line, Paragraph::new(Role::Muted, spelled(&how, keys))]
    }

    fn build_foot(&self, context: DrawContext<'_>) -> Paragraph {
        let attempt_number = self.replies.columns.cursor() + 1;
        if self.is_fork_offered {
            let text = format!(
                "{} again makes a fork in which attempt {attempt_number} counts; {} does not",
                key_for(Context::List, Action::Open),
                key_for(Context::List, Action::Back)
            );
            return Paragraph::new(Role::Warning, context.spell_keys(&text));
        }
        let turn = self.state.turns().get(&self.turn);
        if self.is_coming(self.replies.columns.cursor()) {
            return Paragraph::new(Role::Streaming, "still coming");
        }
        if self.stopped_at(self.replies.columns.cursor()).is_some() {
            let text = "a stopped reply is kept with what it cost, and is part of nothing";
            return Paragraph::new(Role::Notice, text);
        }
        if turn.is_some_and(|known| known.chosen_index == self.replies.columns.cursor()) {
            return Paragraph::new(
                Role::Safe,
                format!("attempt {attempt_number} is the one that counts"),
            );
        }
        if self.state.is_seen(&self.turn) {
            let text = "others have seen this turn: choosing another attempt makes a fork";
            return Paragraph::new(Role::Notice, text);
        }
        let text = format!("nothing has seen this turn: Enter lets attempt {attempt_number} count");
        Paragraph::new(Role::Notice, text)
    }
}

/// Result of a task of this screen.
pub enum Message {
    /// The session was read again.
    Read(Result<Arc<State>, WorkspaceError>),
    Lock(LockMessage),
}

impl Update for Attempts {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(Ok(state)) => {
                self.state = state;
                self.replies.columns.forget_layouts();
                Vec::new()
            }
            Message::Read(Err(why)) => say_error(why),
            Message::Lock(message) => self.lock.update(message),
        }
    }
}

fn read_again(session: SessionId) -> Task {
    Task::new_blocking("read the session again", move |services| {
        let read = OpenedSession::read(&services.store, &session);
        Message::Read(read.map(|(opened, _)| opened.state))
    })
}

impl Screen for Attempts {
    fn key_context(&self) -> Context {
        Context::List
    }

    fn name(&self) -> String {
        "attempts".to_owned()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        let was_offered = self.is_fork_offered;
        if action != Action::Open {
            self.is_fork_offered = false;
        }
        match action {
            Action::Back if was_offered => {}
            Action::Back => return vec![Effect::Leave],
            Action::Open => return self.choose_attempt(),
            Action::Inspect if self.replies.columns.cursor() < self.attempt_count() => {
                let id = self.attempt_id(self.replies.columns.cursor());
                let inspector = Inspector::from_attempt(&self.session, &self.state, &id);
                return show_screen(inspector);
            }
            Action::Copy => return copy_text(self.reply_text(self.replies.columns.cursor())),
            Action::Pager => return show_in_pager(Some(self.format_attempts())),
            other => {
                self.count_columns();
                self.replies.handle_action(other);
            }
        }
        Vec::new()
    }

    fn handle_paste(&mut self, _paste: &Paste) -> Vec<Effect> {
        let text = format!(
            "nothing is typed here: {} on the debate screen edits the reply",
            key_for(Context::Debate, Action::Edit)
        );
        say_notice(text)
    }

    fn handle_broadcast(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Live(session, update) if *session == self.session => {
                self.handle_live_event(update)
            }
            Broadcast::Live(..) | Broadcast::Run(_) | Broadcast::Annotator(..) => Vec::new(),
        }
    }

    fn refresh(&mut self) -> Vec<Effect> {
        vec![Effect::Start(read_again(self.session.clone()))]
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let rows = [
            Constraint::Length(HEAD),
            Constraint::Fill(1),
            Constraint::Length(FOOT),
        ];
        let [head, body, foot] = Layout::vertical(rows).areas(area);
        let heading = self.build_heading(context.keys);
        draw_text(buffer, head, look, &heading);
        draw_text(buffer, foot, look, &[self.build_foot(context)]);
        self.count_columns();
        let mut replies = std::mem::take(&mut self.replies);
        let head = |at| ColumnHead {
            title: self.column_title(at),
            grows: self.is_coming(at),
        };
        replies.draw(buffer, body, context, head, |at, show| {
            self.build_page(at, show)
        });
        self.replies = replies;
        None
    }

    fn describe_status(&self) -> String {
        let all = self.attempt_count();
        let describe_count = |count: usize, what: &str| match count {
            0 => String::new(),
            count => format!(", {count} {what}"),
        };
        let stopped_words = describe_count(self.stopped_replies().len(), "stopped");
        let coming = describe_count(self.coming.len(), "coming");
        let how = if self.replies.show.difference {
            ", differences to the one that counts"
        } else {
            ""
        };
        format!(
            "attempt {} of {all}{stopped_words}{coming}{how}",
            self.replies.columns.cursor() + 1
        )
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![
            Action::Open,
            Action::Right,
            Action::Difference,
            Action::Down,
            Action::Inspect,
            Action::Private,
            Action::Copy,
            Action::Back,
        ]
    }
}
