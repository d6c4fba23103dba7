//! Acts on several sessions: on the marked ones where any are marked, else on the one under the cursor.

use super::line_prompt::{FootPrompt, FootQuestion};
use super::update::Message;
use super::{Sessions, tasks};
use crate::debate::SessionId;
use crate::exchange::grouped_count;
use crate::tui::app::{Effect, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::theme::Role;
use crate::tui::widgets::Moved;
use crate::workspace::ExportAs;
use crate::workspace::session_browser::{ChangeCause, ListLine, SessionChange, SessionEntry};
use ratatui::crossterm::event::KeyEvent;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Sessions that a question names.
const NAMED: usize = 3;
/// Letters of a title in a question.
const MAX_TITLE: usize = 40;

/// Act that waits for a yes.
#[derive(Debug)]
pub(super) enum AskedAct {
    Delete(Vec<SessionId>),
    PlayOn(Vec<SessionId>),
}

/// Sessions that are played on.
#[derive(Debug)]
pub(super) struct Playing {
    stop: CancellationToken,
    sessions: usize,
    pub(super) done: usize,
    pub(super) failed: Vec<(SessionId, String)>,
}

impl Playing {
    pub(super) fn left(&mut self, session: SessionId, end: Result<(), String>) {
        match end {
            Ok(()) => self.done += 1,
            Err(why) => self.failed.push((session, why)),
        }
    }

    /// Returns how far it is, in words.
    pub(super) fn status(&self) -> String {
        let failed = match self.failed.len() {
            0 => String::new(),
            failed => format!(", {failed} not"),
        };
        format!(
            "playing: {} of {} at their end{failed}; {} stops it",
            self.done,
            self.sessions,
            key_for(Context::Sessions, Action::RunToEnd)
        )
    }
}

/// Sessions that an act takes, and those that it leaves out with the reasons.
#[derive(Default)]
struct Chosen {
    taken: Vec<SessionId>,
    left_out: Vec<(SessionId, String)>,
}

impl Sessions {
    /// Returns the sessions that an act is about: the marked ones in the order of the list, those out of
    /// sight last; else the one under the cursor.
    pub(super) fn targets(&self) -> Vec<SessionId> {
        if self.marks.is_empty() {
            return self
                .chosen()
                .map(|entry| entry.id.clone())
                .into_iter()
                .collect();
        }
        let mut rest = self.marks.clone();
        let listed = self.listed().into_iter();
        let mut targets: Vec<SessionId> = listed.filter_map(|id| rest.take(id)).collect();
        targets.extend(rest);
        targets
    }

    /// Returns the sessions that the list or the search shows, in their order.
    fn listed(&self) -> Vec<&SessionId> {
        if let Some(finds) = &self.finds {
            return finds
                .results
                .hits()
                .iter()
                .map(|hit| &hit.session)
                .collect();
        }
        let entry = |line: &ListLine| match line {
            ListLine::Session(line) => self.stock.entries().get(line.at),
            ListLine::Heading { .. } => None,
        };
        let listed = self.view.lines().iter().filter_map(entry);
        listed.map(|entry| &entry.id).collect()
    }

    /// Returns how many are marked and how many of them are out of sight, in words.
    pub(super) fn marked_words(&self) -> Option<String> {
        if self.marks.is_empty() {
            return None;
        }
        let mut hidden = self.marks.clone();
        for id in self.listed() {
            hidden.remove(id);
        }
        match (self.marks.len(), hidden.len()) {
            (marked, 0) => Some(format!("{marked} marked")),
            (marked, hidden) => Some(format!("{marked} marked, {hidden} out of sight")),
        }
    }

    /// Marks or unmarks the session under the cursor, and goes to the next.
    pub(super) fn mark(&mut self) -> Vec<Effect> {
        let Some(id) = self.chosen().map(|entry| entry.id.clone()) else {
            return Vec::new();
        };
        if !self.marks.remove(&id) {
            self.marks.insert(id);
        }
        let moved = match &mut self.finds {
            Some(finds) => finds.rows.act(Action::Down),
            None => self.view.act(Action::Down, &self.stock),
        };
        match moved {
            Moved::Yes | Moved::No => Vec::new(),
        }
    }

    /// Marks every session of the store that the list shows; examples can be marked one by one.
    pub(super) fn mark_all(&mut self) -> Vec<Effect> {
        let is_kept = |id: &&SessionId| {
            let entry = self.stock.entry(id);
            entry.is_some_and(|entry| entry.why_not_changed().is_none())
        };
        let listed = self.listed().into_iter().filter(is_kept);
        let listed: Vec<SessionId> = listed.cloned().collect();
        self.marks.extend(listed);
        Vec::new()
    }

    /// Compares two marked sessions, or the marked one with that under the cursor.
    pub(super) fn compare(&self) -> Vec<Effect> {
        let chosen = self.chosen().map(|entry| &entry.id);
        match (self.targets().as_slice(), chosen) {
            ([left, right], _) => vec![Effect::Compare(left.clone(), right.clone())],
            ([marked], Some(chosen)) if marked != chosen => {
                vec![Effect::Compare(marked.clone(), chosen.clone())]
            }
            ([_], _) if !self.marks.is_empty() => {
                say("this is the marked session; choose another one to compare it with")
            }
            ([_] | [], _) => say("mark the other session first, then compare it with this one"),
            (many, _) => say(format!("{} are marked: two are compared", many.len())),
        }
    }

    fn choose(&self, why_not: impl Fn(&SessionEntry) -> Option<String>) -> Chosen {
        let mut chosen = Chosen::default();
        for id in self.targets() {
            match self.stock.entry(&id).and_then(&why_not) {
                Some(why) => chosen.left_out.push((id, why)),
                None => chosen.taken.push(id),
            }
        }
        chosen
    }

    /// Moves to the trash; asks where there are several.
    pub(super) fn delete(&mut self) -> Vec<Effect> {
        let chosen = self.choose(SessionEntry::why_not_changed);
        match chosen.taken.as_slice() {
            [] => self.nothing_taken(&chosen),
            [_] if chosen.left_out.is_empty() => self.do_delete(chosen.taken),
            several => {
                let question = format!(
                    "Move {} to the trash: {}?{} Undo brings them back.",
                    grouped_count(several.len(), "session"),
                    self.named(several),
                    left_out_words(&chosen.left_out)
                );
                self.ask_first("Delete", &question, AskedAct::Delete(chosen.taken))
            }
        }
    }

    fn do_delete(&self, sessions: Vec<SessionId>) -> Vec<Effect> {
        let changes = sessions.into_iter().map(SessionChange::Deleted);
        change(ChangeCause::Fresh, changes.collect())
    }

    /// Plays on to the end what is not complete, after a yes; stops what is played on.
    pub(super) fn play_on(&mut self) -> Vec<Effect> {
        if let Some(playing) = &self.playing {
            playing.stop.cancel();
            return say("stopping: what was said is kept");
        }
        let chosen = self.choose(SessionEntry::why_not_played_on);
        if chosen.taken.is_empty() {
            return self.nothing_taken(&chosen);
        }
        let question = format!(
            "Play {} to the end: {}?{} Models are asked, as far as each session's ceiling allows.",
            grouped_count(chosen.taken.len(), "session"),
            self.named(&chosen.taken),
            left_out_words(&chosen.left_out)
        );
        self.ask_first("Play to the end", &question, AskedAct::PlayOn(chosen.taken))
    }

    /// Asks for the price of judging again; stops the pass that goes on.
    pub(super) fn rejudge(&mut self) -> Vec<Effect> {
        let chosen = self.choose(SessionEntry::why_not_changed);
        if chosen.taken.is_empty() && !self.rejudging.is_going() {
            return self.nothing_taken(&chosen);
        }
        let mut effects = self.rejudging.press(chosen.taken, Message::Rejudging);
        effects.extend(told_failures(None, &chosen.left_out));
        effects
    }

    fn nothing_taken(&self, chosen: &Chosen) -> Vec<Effect> {
        match chosen.left_out.as_slice() {
            [] => say("choose a session first"),
            left_out => told_failures(None, left_out),
        }
    }

    fn ask_first(&mut self, title: &str, question: &str, act: AskedAct) -> Vec<Effect> {
        self.asking = Some(Dialog::confirm(title, question, act));
        Vec::new()
    }

    /// Takes a key of the answer to a question.
    pub(super) fn answered(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.asking.is_none() {
            return self.rejudging.key(key, Message::Rejudging);
        }
        match Dialog::answer(&mut self.asking, key) {
            Some(DialogAnswer::Yes(AskedAct::Delete(sessions))) => self.do_delete(sessions),
            Some(DialogAnswer::Yes(AskedAct::PlayOn(sessions))) => {
                let stop = CancellationToken::new();
                self.playing = Some(Playing {
                    stop: stop.clone(),
                    sessions: sessions.len(),
                    done: 0,
                    failed: Vec::new(),
                });
                vec![Effect::Start(tasks::play_on(sessions, stop))]
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// Adds a tag, or takes one away with a `-` before it, where that changes anything.
    pub(super) fn tag(&self, text: &str) -> Vec<Effect> {
        match self.stock.tag_changes(self.targets(), text) {
            Ok(changes) => change(ChangeCause::Fresh, changes),
            Err(why) => say(why),
        }
    }

    /// Asks for the file of a session, or for the folder of several.
    pub(super) fn ask_export(&self, form: ExportAs) -> FootPrompt {
        let targets = self.targets();
        let to = match targets.as_slice() {
            [only] => file_of(only, form),
            _ => "elenchus-sessions".to_owned(),
        };
        let question = match targets.len() {
            1 => FootQuestion::Export(form),
            many => FootQuestion::ExportAll(many, form),
        };
        FootPrompt::new(question, &to)
    }

    /// Writes each session to a file.
    pub(super) fn export(&self, form: ExportAs, to: &str) -> Vec<Effect> {
        let to = PathBuf::from(to);
        let targets = self.targets();
        let files = match targets.as_slice() {
            [only] => vec![(only.clone(), to.clone())],
            several => {
                let file = |id: &SessionId| (id.clone(), to.join(file_of(id, form)));
                several.iter().map(file).collect()
            }
        };
        vec![Effect::Start(tasks::export(to, form, files))]
    }

    /// Names the first of several sessions.
    fn named(&self, sessions: &[SessionId]) -> String {
        let title = |id: &SessionId| {
            let title = self.stock.entry(id).map_or("", SessionEntry::title);
            let title = self.content.of(title);
            match title.chars().count() > MAX_TITLE {
                true => format!("'{}…'", title.chars().take(MAX_TITLE).collect::<String>()),
                false => format!("'{title}'"),
            }
        };
        let mut names: Vec<String> = sessions.iter().take(NAMED).map(title).collect();
        match sessions.len().saturating_sub(NAMED) {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        names.join(", ")
    }
}

/// Starts changes, if there are any.
pub(super) fn change(cause: ChangeCause, changes: Vec<SessionChange>) -> Vec<Effect> {
    if changes.is_empty() {
        return Vec::new();
    }
    vec![Effect::Start(tasks::change(cause, changes))]
}

/// Says what was done, and which session failed and why.
pub(super) fn told_failures(done: Option<String>, failed: &[(SessionId, String)]) -> Vec<Effect> {
    let (role, text) = match (done, failed) {
        (None, []) => return Vec::new(),
        (Some(done), []) => (Role::Notice, done),
        (done, [(id, why), rest @ ..]) => {
            let done = done.map_or_else(String::new, |done| format!("{done}; "));
            let first = match rest.len() {
                0 => String::new(),
                more => format!("{} not done, the first ", more + 1),
            };
            (Role::Error, format!("{done}{first}{id}: {why}"))
        }
    };
    vec![Effect::Say(role, text)]
}

fn left_out_words(left_out: &[(SessionId, String)]) -> String {
    let Some((id, why)) = left_out.first() else {
        return String::new();
    };
    match left_out.len() {
        1 => format!(" 1 is left out, {id}: {why}."),
        many => format!(" {many} are left out, the first {id}: {why}."),
    }
}

fn file_of(session: &SessionId, form: ExportAs) -> String {
    match form {
        ExportAs::Parcel => format!("{session}.jsonl"),
        ExportAs::Transcript => format!("elenchus-{session}.txt"),
    }
}
