//! Side of a comparison: a session, and its content for each row. Pure.

use crate::debate_text::{is_private, reply_marks, texts};
use elenchus_game::debate::event::{Fields, Outcome, Record};
use elenchus_game::debate::state::State;
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{JudgingId, SessionId, TurnId};
use elenchus_records::workspace::WorkspaceError;
use elenchus_text::{Paragraph, Role, format_grouped_count, format_noun_count, outline_value};
use std::sync::Arc;

/// A session on one side.
#[derive(Debug, Clone)]
pub struct DiffSide {
    pub session: SessionId,
    /// Name given by the person.
    pub name: Option<String>,
    /// What whoever compares it calls it here, in place of what it is to the other.
    pub title: Option<String>,
    pub state: Arc<State>,
    /// It was not read yet, or cannot be: why.
    pub missing: Option<String>,
}

/// Subject of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Entries retrieved from long-term memory.
    Memory,
    Turn(TurnId),
    Round(u32),
    Debate,
    Lesson,
}

impl DiffSide {
    /// A session that the screen reads itself.
    pub fn from_id(session: &SessionId) -> Self {
        Self {
            session: session.clone(),
            name: None,
            title: None,
            state: Arc::default(),
            missing: Some("reading the session".to_owned()),
        }
    }

    /// A session that was read, with what the person calls it.
    pub fn from_state(
        session: &SessionId,
        state: impl Into<Arc<State>>,
        name: Option<String>,
    ) -> Self {
        Self {
            session: session.clone(),
            name,
            title: None,
            state: state.into(),
            missing: None,
        }
    }

    /// Returns the side under a title of its own.
    #[must_use]
    pub fn with_title(self, title: String) -> Self {
        Self {
            title: Some(title),
            ..self
        }
    }

    /// Takes the session as it was read with the person's name for it, or why it was not.
    pub(super) fn set_session(
        &mut self,
        read: Result<(&Arc<State>, Option<&str>), &WorkspaceError>,
    ) {
        match read {
            Ok((state, name)) => {
                self.name = name.map(str::to_owned);
                self.state = Arc::clone(state);
                self.missing = None;
            }
            Err(why) => self.missing = Some(why.to_string()),
        }
    }

    /// Returns the game that it plays.
    pub fn describe_game(&self) -> Paragraph {
        let Some(protocol) = self.state.protocol() else {
            return Paragraph::gap();
        };
        let line = Paragraph::new(Role::Text, protocol.name.clone()).with_run(
            Role::Muted,
            format!(
                " · {}",
                format_grouped_count(protocol.rounds as usize, "round")
            ),
        );
        match self.state.first_event() {
            Some(created) if created.is_simulated() => {
                line.with_run(Role::Simulated, " · simulated")
            }
            Some(_) | None => line,
        }
    }

    /// Returns what it reads of memory, and what it teaches.
    pub fn describe_memory(&self) -> Paragraph {
        let Some(creation) = self.state.first_event() else {
            return Paragraph::gap();
        };
        let read = match (creation.memory.reads, self.count_retrieved()) {
            (false, _) => "reads no memory".to_owned(),
            (true, None) => "reads memory".to_owned(),
            (true, Some(entries)) => format!("memory: {}", format_noun_count(entries, "entry")),
        };
        let writes = match (creation.memory.writes, self.state.lesson()) {
            (false, _) => "writes none",
            (true, None) => "no lesson",
            (true, Some(_)) => "a lesson written",
        };
        Paragraph::new(Role::Muted, format!("{read} · {writes}"))
    }

    /// Returns how many entries of memory its seats were shown together; `None` where it was not asked.
    pub(super) fn count_retrieved(&self) -> Option<usize> {
        let mut retrievals = self.state.retrievals().peekable();
        retrievals.peek()?;
        Some(retrievals.map(|retrieved| retrieved.entries.len()).sum())
    }

    /// Takes something that happened; says whether it fits.
    pub(super) fn apply_record(&mut self, record: &Record) -> bool {
        self.missing.is_some() || Arc::make_mut(&mut self.state).apply_event(record).is_ok()
    }

    /// Returns what this side says on a row; `None` where it has nothing there.
    pub fn subject_text(&self, subject: &Subject) -> Option<String> {
        match subject {
            Subject::Memory => {
                self.count_retrieved()?;
                let retrievals = self.state.retrievals();
                let entries = retrievals.flat_map(|retrieved| &retrieved.entries);
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
                let turn_state = self.state.turns().get(turn)?;
                let Some(attempt) = turn_state.chosen_attempt() else {
                    return Some("refused by the provider's filter".to_owned());
                };
                Some(match &attempt.fields {
                    Some(Fields::Read(fields)) => describe_fields(fields),
                    Some(Fields::Unparsed { .. }) | None => attempt.reply.text.clone(),
                })
            }
            Subject::Lesson => {
                let lessons = self.state.lessons();
                let texts: Vec<&str> = lessons.map(|lesson| lesson.reply.text.as_str()).collect();
                (!texts.is_empty()).then(|| texts.join("\n\n"))
            }
            Subject::Round(_) | Subject::Debate => {
                let findings = self.list_findings(subject);
                (!findings.is_empty()).then(String::new)
            }
        }
    }

    /// Says whether what it says on a row is private reasoning.
    pub fn is_private(&self, subject: &Subject) -> bool {
        let Subject::Turn(turn) = subject else {
            return false;
        };
        is_private(&self.state, turn)
    }

    /// Returns what a reader should know of how a turn's text came about, as one line.
    pub(super) fn marks_line(&self, subject: &Subject) -> Option<Paragraph> {
        let Subject::Turn(turn) = subject else {
            return None;
        };
        let turn_state = self.state.turns().get(turn)?;
        let attempt = turn_state.chosen_attempt()?;
        let mut marks = reply_marks(turn_state, turn_state.chosen_index, attempt);
        let unusual = texts::unusual_end(&attempt.reply);
        marks.extend(unusual.map(|text| (Role::Warning, text)));
        let (first, others) = marks.split_first()?;
        let line = Paragraph::new(first.0, first.1.clone());
        Some(others.iter().fold(line, |line, (role, text)| {
            line.with_run(Role::Muted, " · ")
                .with_run(*role, text.clone())
        }))
    }

    /// Returns what judgements of a row are about.
    pub fn find_target(&self, subject: &Subject) -> Option<Target> {
        match subject {
            Subject::Turn(turn) => Some(Target::Attempt(self.state.chosen_attempt(turn)?.0)),
            Subject::Round(round) => Some(Target::Round(*round)),
            Subject::Debate => Some(Target::Debate),
            Subject::Memory | Subject::Lesson => None,
        }
    }

    /// Returns what its own rules found on a row, in the order of the game.
    pub fn list_findings(&self, subject: &Subject) -> Vec<(JudgingId, Outcome)> {
        let (Some(target), Some(protocol)) = (self.find_target(subject), self.state.protocol())
        else {
            return Vec::new();
        };
        let rules = protocol.judging.iter();
        rules
            .filter_map(|rule| Some((rule.id.clone(), self.state.combined_outcome(rule, &target)?)))
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
fn describe_fields(fields: &serde_json::Value) -> String {
    let lines: Vec<String> = outline_value(fields)
        .into_iter()
        .map(|line| format!("{}{}", " ".repeat(line.indent), line.text))
        .collect();
    lines.join("\n")
}
