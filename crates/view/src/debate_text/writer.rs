//! Paragraphs of blocks: turns with their verdicts. Pure.

use super::attempt::is_private;
use super::block::{Block, BlockOptions};
use super::notes::Notes;
use super::repeated_texts::RepeatedTexts;
use super::speakers::speaker_title;
use super::texts;
use elenchus_game::debate::event::{Author, Created, Fields, Reply};
use elenchus_game::debate::state::{Attempt, State, TurnState};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, Chair, TurnId, is_blank};
use elenchus_records::workspace::annotations::Note;
use elenchus_text::{Content, Paragraph, Role, others_prose, outline_value};
use serde_json::Value;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What counts, in short: other screens have the rest.
    Screen,
    /// All there is, with whole names: every attempt, the addresses of turns, the versions of models.
    Page,
    /// The same for others to read: without the words of whoever was shown the reference answer, which may quote it.
    SentPage,
}

/// Whom the headings of turns name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Headings {
    /// Nobody: all turns are one speaker's.
    #[default]
    OfOneSpeaker,
    /// Whoever speaks.
    OfAll,
}

impl Headings {
    /// Returns the name before a heading.
    pub fn speaker_name(self, state: &State, turn: &TurnId) -> Option<String> {
        match self {
            Headings::OfOneSpeaker => None,
            Headings::OfAll => Some(speaker_title(state, &turn.chair)),
        }
    }
}

/// A debate that has begun, whose blocks are written down.
pub struct DebateText<'a> {
    pub state: &'a State,
    pub created: &'a Created,
    pub repeated_texts: &'a RepeatedTexts,
    pub notes: &'a Notes,
    pub show: BlockOptions,
    pub headings: Headings,
    pub extent: Extent,
    /// What asks failed steps again, a key or a command as it is spelled; empty where nothing does.
    pub retry: &'a str,
    /// What shows private texts, as it is spelled; empty where that is said elsewhere.
    pub reveal: &'a str,
}

/// A turn, or one attempt of it, for two columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnColumns {
    /// The heading, what was said, and what became of the call.
    pub said: Vec<Paragraph>,
    /// Verdicts on it.
    pub found: Vec<Paragraph>,
}

impl TurnColumns {
    fn from_said(said: Vec<Paragraph>) -> Self {
        Self {
            said,
            found: Vec::new(),
        }
    }
}

impl DebateText<'_> {
    /// Writes a block down. Of what is coming only the heading is written.
    pub fn describe_block(&self, block: &Block) -> Vec<Paragraph> {
        match block {
            Block::Turn(turn) => self.describe_turn(turn),
            Block::Coming(_, turn) => vec![self.describe_coming_turn(turn)],
            Block::Failed(step, turn) => self.describe_failed_turn(step, turn),
            Block::Stopped(turn) => self.describe_stopped_turn(turn),
            Block::Topic => self.describe_topic(),
            Block::Cast => self.describe_cast(),
            Block::Memory => self.describe_memory(),
            Block::Guardrails => self.describe_guardrails(),
            Block::Found(judging, target) => self.describe_findings(judging, target),
            Block::Rewards => self.describe_rewards(),
            Block::Notes => {
                let mut page = self.describe_notes(self.notes.debate_notes(), 2);
                page.push(Paragraph::gap());
                page
            }
            Block::Lesson => self.describe_lesson(),
            Block::Failures => self.describe_failures(),
            Block::Ending => self.describe_ending(),
        }
    }

    pub(super) fn chair_name(&self, chair: &Chair) -> String {
        self.created.protocol.name_of(chair)
    }

    pub(super) fn is_page(&self) -> bool {
        match self.extent {
            Extent::Screen => false,
            Extent::Page | Extent::SentPage => true,
        }
    }

    /// Returns the id of a guardrail, as much of it as there is room for.
    pub(super) fn guardrail_name(&self, id: &str) -> String {
        match self.extent {
            Extent::Screen => texts::short_guardrail(id),
            Extent::Page | Extent::SentPage => id.to_owned(),
        }
    }

    pub(super) fn content(&self) -> Content {
        self.show.content()
    }

    pub(super) fn display_text(&self, text: &str) -> String {
        self.show.content().show_or_mask(text)
    }

    /// Heading of a turn that has no text yet.
    pub(super) fn describe_coming_turn(&self, turn: &TurnId) -> Paragraph {
        self.turn_heading(turn, Role::Accent)
    }

    fn turn_heading(&self, turn: &TurnId, role: Role) -> Paragraph {
        let mut place = format!("round {} · {}", turn.round, turn.stage);
        if self.is_page() {
            place.push_str(&format!(" · {turn}"));
        }
        let heading = match self.headings.speaker_name(self.state, turn) {
            Some(speaker) => {
                let place_role = match role {
                    Role::Strong => Role::Muted,
                    role => role,
                };
                Paragraph::new(Role::Strong, speaker).with_run(place_role, format!(" · {place}"))
            }
            None => Paragraph::new(role, place),
        };
        match self.extent {
            Extent::Screen => heading,
            Extent::Page | Extent::SentPage => heading.with_indent(0, 2),
        }
    }

    fn describe_turn(&self, turn: &TurnId) -> Vec<Paragraph> {
        let columns = self.describe_turn_columns(turn).into_iter();
        let mut page: Vec<Paragraph> = columns
            .flat_map(|column| column.said.into_iter().chain(column.found))
            .collect();
        if !page.is_empty() {
            page.push(Paragraph::gap());
        }
        page
    }

    /// Writes a turn for two columns, what was said beside what was found about it: one pair for each attempt that
    /// is shown, in the order in which they are read. Empty where the turn was not spoken.
    pub fn describe_turn_columns(&self, turn: &TurnId) -> Vec<TurnColumns> {
        let Some(turn_state) = self.state.turns().get(turn) else {
            return Vec::new();
        };
        let mut heading = self.turn_heading(turn, Role::Strong);
        if is_private(self.state, turn) {
            heading = heading.with_run(Role::Private, " private");
        }
        let mut columns = Vec::new();
        let is_said = turn_state.chosen_attempt().is_some();
        if is_said && (!self.is_page() || turn_state.attempts.len() == 1) {
            columns.push(self.describe_attempt(turn, turn_state, turn_state.chosen_index, heading));
        } else {
            columns.push(TurnColumns::from_said(vec![heading]));
            for at in 0..turn_state.attempts.len() {
                let heading = match at == turn_state.chosen_index {
                    true => Paragraph::new(Role::Strong, "counts"),
                    false => Paragraph::new(Role::Muted, "does not count"),
                };
                columns.push(self.describe_attempt(
                    turn,
                    turn_state,
                    at,
                    heading.with_indent(2, 4),
                ));
            }
        }
        let mut after = Vec::new();
        if turn_state.filtered {
            let why = match is_said {
                true => "asked again, and refused by the provider's filter",
                false => "refused by the provider's filter: the debate went on without this turn",
            };
            after.push(Paragraph::new(Role::Warning, why).with_indent(2, 2));
        }
        after.extend(self.describe_stopped_replies(turn));
        after.extend(self.describe_failed_attempts(turn));
        let labels = self.notes.labels().describe_turn(self.state, turn);
        after.extend(labels.into_iter().map(|text| {
            Paragraph::new(Role::Muted, "people: ")
                .with_run(Role::HumanLabel, text)
                .with_indent(2, 4)
        }));
        after.extend(self.describe_notes(self.notes.turn_notes(turn), 4));
        columns.push(TurnColumns::from_said(after));
        columns
    }

    /// Writes how an attempt came about behind its heading, what it says and what was found about it.
    fn describe_attempt(
        &self,
        turn: &TurnId,
        turn_state: &TurnState,
        at: usize,
        heading: Paragraph,
    ) -> TurnColumns {
        let Some(attempt) = turn_state.attempts.get(at) else {
            return TurnColumns::from_said(vec![heading]);
        };
        let marks = self.list_marks(turn_state, at, attempt).into_iter();
        let mut said = vec![marks.fold(heading, |line, (role, mark)| {
            line.with_run(Role::Muted, " · ").with_run(role, mark)
        })];
        said.extend(self.describe_disagreement(&attempt.reply, 2));
        if let Some(thinking) = &attempt.reply.thinking {
            said.extend(self.describe_hidden_text(Role::Thinking, "its own thinking", thinking));
        }
        if is_private(self.state, turn) && !attempt.is_empty_reply() {
            said.extend(self.describe_hidden_text(
                Role::Private,
                "private reasoning",
                &attempt.reply.text,
            ));
        } else {
            said.extend(self.describe_reply(turn, attempt));
        }
        if let Some(Fields::Unparsed { why }) = &attempt.fields {
            let text = format!("its fields could not be read: {why}");
            said.push(Paragraph::new(Role::Unparsed, text).with_indent(2, 2));
        }
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(at).unwrap_or(u32::MAX),
        };
        TurnColumns {
            said,
            found: self.describe_verdicts(&Target::Attempt(id)),
        }
    }

    /// Writes that a server claims usage which cannot be.
    pub(super) fn describe_disagreement(&self, reply: &Reply, indent: usize) -> Option<Paragraph> {
        let claims = reply
            .usage
            .describe_disagreement()
            .filter(|_| self.is_page())?;
        Some(Paragraph::new(Role::Warning, claims).with_indent(indent, indent + 2))
    }

    /// Notes of people, distinct from everything of the game.
    fn describe_notes(&self, notes: &[Note], indent: usize) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for note in notes {
            let on = match &note.on.attempt {
                Some(on) => {
                    let turn_state = self.state.turns().get(&on.id.turn);
                    let of_others = turn_state.is_some_and(|known| {
                        usize::try_from(on.id.attempt) != Ok(known.chosen_index)
                    });
                    match of_others {
                        true => format!(" on attempt {}", on.id.attempt + 1),
                        false => String::new(),
                    }
                }
                None => String::new(),
            };
            let who = format!("note by {}{on}: ", note.annotator);
            let text = self.display_text(note.text.trim());
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            let role = match self.show.content() {
                Content::Shown => Role::Human,
                Content::Masked => Role::Masked,
            };
            let line = Paragraph::new(Role::HumanLabel, who).with_run(role, first);
            page.push(line.with_indent(indent, indent + 2));
            page.extend(
                lines.map(|line| Paragraph::new(role, line).with_indent(indent + 2, indent + 2)),
            );
        }
        page
    }

    /// Returns what a reader should know of how a reply came about.
    fn list_marks(
        &self,
        turn_state: &TurnState,
        at: usize,
        attempt: &Attempt,
    ) -> Vec<(Role, String)> {
        let mut marks = reply_marks(turn_state, at, attempt);
        if attempt.inherited {
            marks.push((Role::Muted, "from the parent".to_owned()));
        }
        if let Some(text) = texts::unusual_end(&attempt.reply) {
            marks.push((Role::Warning, text));
        }
        if let Some(guardrail) = &attempt.guardrail {
            let guardrail = self.guardrail_name(guardrail);
            let text = format!("refused by guardrail {guardrail}, not judged");
            marks.push((Role::Notice, text));
            return marks;
        }
        match (attempt.reply.cached, &attempt.view) {
            (true, Some(_)) => marks.push((Role::Muted, "from the cache".to_owned())),
            // No prompt was shown, so no model was called.
            (true, None) => marks.push((Role::Muted, "written beforehand".to_owned())),
            (false, _) => {}
        }
        marks
    }

    fn describe_reply(&self, turn: &TurnId, attempt: &Attempt) -> Vec<Paragraph> {
        let text = &attempt.reply.text;
        if is_blank(text) {
            let placeholder = attempt.reply.empty_placeholder();
            return vec![Paragraph::new(Role::Warning, placeholder).with_indent(2, 2)];
        }
        if self.show.masked {
            return vec![Paragraph::new(Role::Masked, self.display_text(text)).with_indent(2, 2)];
        }
        if self.show.fold
            && let Some(first) = self.repeated_texts.find_first_turn(self.state, turn)
        {
            let text = format!(
                "says the same as {} in round {}",
                self.chair_name(&first.chair),
                first.round
            );
            return vec![Paragraph::new(Role::Muted, text).with_indent(2, 2)];
        }
        if self.show.difference
            && let Some(before) = texts::previous_attempt(self.state, turn)
        {
            return texts::describe_difference(&before.reply.text, text, 2);
        }
        if let Some(Fields::Read(fields)) = &attempt.fields {
            return describe_fields(Role::Text, 2, fields);
        }
        others_prose(Role::Text, 2, text)
    }

    pub(crate) fn describe_hidden_text(
        &self,
        role: Role,
        what: &str,
        text: &str,
    ) -> Vec<Paragraph> {
        if !self.show.private || self.show.masked {
            let count = text.chars().count();
            let how = match self.reveal {
                "" => String::new(),
                reveal => format!("; {reveal} shows it"),
            };
            let text = format!("[{what}: {count} characters{how}]");
            return vec![Paragraph::new(role, text).with_indent(2, 2)];
        }
        let mut page = vec![Paragraph::new(role, format!("{what}:")).with_indent(2, 2)];
        page.extend(others_prose(role, 4, text));
        page
    }
}

pub(super) fn describe_fields(role: Role, indent: usize, fields: &Value) -> Vec<Paragraph> {
    let mut page = Vec::new();
    for line in outline_value(fields) {
        for (at, text) in line.text.lines().enumerate() {
            let first = if at == 0 { line.indent } else { line.hang };
            let line = Paragraph::new(role, text).with_indent(indent + first, indent + line.hang);
            page.push(line.mark_as_others());
        }
    }
    page
}

/// Returns who wrote an attempt, where no model did alone, and which one of several it is.
pub(crate) fn reply_marks(
    turn_state: &TurnState,
    at: usize,
    attempt: &Attempt,
) -> Vec<(Role, String)> {
    let mut marks = Vec::new();
    match &attempt.by {
        Author::Person(name) => marks.push((Role::Human, format!("by {name}"))),
        Author::Engine if attempt.by_person && !attempt.edited => {
            marks.push((Role::Human, "chosen by a person".to_owned()));
        }
        Author::Engine => {}
    }
    if attempt.edited {
        marks.push((Role::Warning, "edited".to_owned()));
    }
    if turn_state.attempts.len() > 1 {
        let text = format!("attempt {} of {}", at + 1, turn_state.attempts.len());
        marks.push((Role::Accent, text));
    }
    marks
}
