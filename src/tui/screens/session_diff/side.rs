//! Side of a comparison: a session, and its content for each row. Pure.

use crate::debate::event::{Author, Fields, Outcome, Record};
use crate::debate::state::State;
use crate::debate::step::Target;
use crate::debate::{JudgingId, SessionId, TurnId};
use crate::exchange::outline;
use crate::tui::app::Opened;
use crate::tui::screens::debate::texts;
use crate::tui::theme::Role;
use std::sync::Arc;

/// A session on one side.
#[derive(Debug, Clone)]
pub struct DiffSide {
    pub(crate) session: SessionId,
    /// Name given by the person.
    pub(crate) name: Option<String>,
    pub(crate) state: Arc<State>,
    /// It was not read yet, or cannot be: why.
    pub(crate) missing: Option<String>,
}

/// Subject of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Entries retrieved from long-term memory.
    Memory,
    Turn(TurnId),
    Round(u32),
    Debate,
    Lesson,
}

impl DiffSide {
    /// A session that the screen reads itself.
    pub fn wanted(session: &SessionId) -> Self {
        Self {
            session: session.clone(),
            name: None,
            state: Arc::default(),
            missing: Some("reading the session".to_owned()),
        }
    }

    /// A session that was read, with what the person calls it.
    pub fn read(session: &SessionId, state: impl Into<Arc<State>>, name: Option<String>) -> Self {
        Self {
            session: session.clone(),
            name,
            state: state.into(),
            missing: None,
        }
    }

    /// Takes a session that was read, or why it was not.
    pub(crate) fn opened(&mut self, result: &Result<Arc<Opened>, String>) {
        match result {
            Ok(opened) => {
                self.name = opened.annotations.name(&self.session).map(str::to_owned);
                self.state = Arc::clone(&opened.state);
                self.missing = None;
            }
            Err(why) => self.missing = Some(why.clone()),
        }
    }

    /// Returns the name that is shown.
    pub(crate) fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({})", self.session),
            None => self.session.to_string(),
        }
    }

    /// Takes something that happened; says whether it fits.
    pub(crate) fn happened(&mut self, record: &Record) -> bool {
        self.missing.is_some() || Arc::make_mut(&mut self.state).apply(record).is_ok()
    }

    /// Returns what this side says on a row; `None` where it has nothing there.
    pub(crate) fn text(&self, subject: &Subject) -> Option<String> {
        match subject {
            Subject::Memory => {
                let retrieved = self.state.retrieved()?;
                let entries = retrieved.entries.iter();
                let lines: Vec<String> = entries
                    .map(|entry| format!("{} · {:.3}\n{}", entry.id, entry.score, entry.text))
                    .collect();
                Some(if lines.is_empty() {
                    "nothing was retrieved".to_owned()
                } else {
                    lines.join("\n")
                })
            }
            Subject::Turn(turn) => {
                let known = self.state.turns().get(turn)?;
                let Some(attempt) = known.chosen() else {
                    return Some("refused by the provider's filter".to_owned());
                };
                Some(match &attempt.fields {
                    Some(Fields::Read(fields)) => outlined(fields),
                    Some(Fields::Unparsed { .. }) | None => attempt.reply.text.clone(),
                })
            }
            Subject::Lesson => Some(self.state.feedback()?.reply.text.clone()),
            Subject::Round(_) | Subject::Debate => {
                let found = self.found(subject);
                (!found.is_empty()).then(String::new)
            }
        }
    }

    /// Says whether what it says on a row is private reasoning.
    pub(crate) fn is_private(&self, subject: &Subject) -> bool {
        let Subject::Turn(turn) = subject else {
            return false;
        };
        let protocol = self.state.protocol();
        protocol
            .and_then(|protocol| protocol.stage(&turn.stage))
            .is_some_and(|stage| stage.private)
    }

    /// Returns what a reader should know of how a turn's text came about.
    pub(crate) fn marks(&self, subject: &Subject) -> Vec<(Role, String)> {
        let Subject::Turn(turn) = subject else {
            return Vec::new();
        };
        let Some(known) = self.state.turns().get(turn) else {
            return Vec::new();
        };
        let Some(attempt) = known.chosen() else {
            return Vec::new();
        };
        let mut marks = Vec::new();
        if let Author::Person(name) = &attempt.by {
            marks.push((Role::Human, format!("by {name}")));
        }
        if attempt.edited {
            marks.push((Role::Warning, "edited".to_owned()));
        }
        if known.attempts.len() > 1 {
            let text = format!("attempt {} of {}", known.chosen + 1, known.attempts.len());
            marks.push((Role::Accent, text));
        }
        if let Some(text) = texts::unusual_finish(&attempt.reply.finish) {
            marks.push((Role::Warning, text));
        }
        marks
    }

    /// Returns what judgements of a row are about.
    pub(crate) fn target(&self, subject: &Subject) -> Option<Target> {
        match subject {
            Subject::Turn(turn) => Some(Target::Attempt(self.state.chosen(turn)?.0)),
            Subject::Round(round) => Some(Target::Round(*round)),
            Subject::Debate => Some(Target::Debate),
            Subject::Memory | Subject::Lesson => None,
        }
    }

    /// Returns what its own rules found on a row, in the order of the game.
    pub(crate) fn found(&self, subject: &Subject) -> Vec<(JudgingId, Outcome)> {
        let (Some(target), Some(protocol)) = (self.target(subject), self.state.protocol()) else {
            return Vec::new();
        };
        let rules = protocol.judging.iter();
        rules
            .filter_map(|rule| Some((rule.id.clone(), self.state.finding(rule, &target)?)))
            .collect()
    }

    /// Says whether one of two sessions was forked from the other, or both from a third.
    pub(super) fn is_related(&self, other: &DiffSide) -> bool {
        let line = |side: &DiffSide| {
            let mut line: Vec<SessionId> = side.state.forked_from().to_vec();
            line.push(side.session.clone());
            line
        };
        let others = line(other);
        line(self).iter().any(|session| others.contains(session))
    }
}

/// Returns fields as text, as the debate screen shows them.
fn outlined(fields: &serde_json::Value) -> String {
    let lines: Vec<String> = outline(fields)
        .into_iter()
        .map(|line| format!("{}{}", " ".repeat(line.indent), line.text))
        .collect();
    lines.join("\n")
}
