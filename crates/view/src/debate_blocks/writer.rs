//! Paragraphs of blocks: turns with their verdicts. Pure.

use super::attempt::is_private;
use super::block::{Block, BlockOptions};
use super::findings::role_of;
use super::notes::Notes;
use super::repeated_texts::Echoes;
use super::texts;
use elenchus_game::debate::event::{Author, Created, Fields, Outcome};
use elenchus_game::debate::state::{Attempt, State, TurnState, VerdictState};
use elenchus_game::debate::step::{ShownOrder, Target, VerdictSlot};
use elenchus_game::debate::{AttemptId, Chair, JudgingId, TurnId, is_blank};
use elenchus_records::workspace::annotations::Note;
use elenchus_text::{Content, Paragraph, Role, others_prose, outline};

/// The pieces of evidence that are shown; the inspector has the rest.
const MAX_EVIDENCE: usize = 4;

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
    pub fn speaker(self, state: &State, turn: &TurnId) -> Option<String> {
        match self {
            Headings::OfOneSpeaker => None,
            Headings::OfAll => Some(state.name_of(&turn.chair)),
        }
    }
}

/// A debate that has begun, whose blocks are written down.
pub struct DebateText<'a> {
    pub state: &'a State,
    pub created: &'a Created,
    pub echoes: &'a Echoes,
    pub notes: &'a Notes,
    pub show: BlockOptions,
    pub headings: Headings,
    /// The key that asks failed steps again, as it is spelled.
    pub retry: &'a str,
}

impl DebateText<'_> {
    /// Writes a block down. Of what is coming only the heading is written.
    pub fn write(&self, block: &Block) -> Vec<Paragraph> {
        match block {
            Block::Turn(turn) => self.turn(turn),
            Block::Coming(_, turn) => vec![self.coming(turn)],
            Block::Failed(step, turn) => self.failed_turn(step, turn),
            Block::Stopped(turn) => self.stopped_turn(turn),
            Block::Topic => self.topic(),
            Block::Cast => self.cast(),
            Block::Memory => self.memory(),
            Block::Guardrails => self.guardrails(),
            Block::Found(judging, target) => self.found(judging, target),
            Block::Rewards => self.rewards(),
            Block::Notes => {
                let mut page = self.notes(self.notes.on_debate(), 2);
                page.push(Paragraph::gap());
                page
            }
            Block::Lesson => self.lesson(),
            Block::Failures => self.failures(),
            Block::Ending => self.ending(),
        }
    }

    pub(super) fn name(&self, chair: &Chair) -> String {
        self.created.protocol.name_of(chair)
    }

    pub(super) fn content(&self) -> Content {
        self.show.content()
    }

    pub(super) fn said(&self, text: &str) -> String {
        self.show.content().of(text)
    }

    /// Heading of a turn that has no text yet.
    pub(super) fn coming(&self, turn: &TurnId) -> Paragraph {
        self.heading(turn, Role::Accent)
    }

    fn heading(&self, turn: &TurnId, role: Role) -> Paragraph {
        let place = format!("round {} · {}", turn.round, turn.stage);
        match self.headings.speaker(self.state, turn) {
            Some(speaker) => {
                let beside = match role {
                    Role::Strong => Role::Muted,
                    role => role,
                };
                Paragraph::of(Role::Strong, speaker).and(beside, format!(" · {place}"))
            }
            None => Paragraph::of(role, place),
        }
    }

    fn turn(&self, turn: &TurnId) -> Vec<Paragraph> {
        let Some(known) = self.state.turns().get(turn) else {
            return Vec::new();
        };
        let private = is_private(self.state, turn);
        let mut heading = self.heading(turn, Role::Strong);
        if private {
            heading = heading.and(Role::Private, " private");
        }
        let Some(attempt) = known.chosen() else {
            let why = "refused by the provider's filter: the debate went on without this turn";
            let mut page = vec![heading, Paragraph::of(Role::Warning, why).indented(2, 2)];
            page.extend(self.stopped_replies_to(turn));
            return page;
        };
        for (role, mark) in marks(known, attempt) {
            heading = heading.and(Role::Muted, " · ").and(role, mark);
        }
        let mut page = vec![heading];
        if let Some(thinking) = &attempt.reply.thinking {
            page.extend(self.hidden(Role::Thinking, "its own thinking", thinking));
        }
        if private && !attempt.is_empty_reply() {
            page.extend(self.hidden(Role::Private, "private reasoning", &attempt.reply.text));
        } else {
            page.extend(self.reply(turn, attempt));
        }
        if let Some(Fields::Unparsed { why }) = &attempt.fields {
            let text = format!("its fields could not be read: {why}");
            page.push(Paragraph::of(Role::Unparsed, text).indented(2, 2));
        }
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(known.chosen).unwrap_or(u32::MAX),
        };
        page.extend(self.verdicts_on(&Target::Attempt(id)));
        page.extend(self.stopped_replies_to(turn));
        page.extend(self.failed_attempts(turn));
        page.extend(self.notes(self.notes.on(turn), 4));
        page.push(Paragraph::gap());
        page
    }

    /// Notes of people, distinct from everything of the game.
    fn notes(&self, notes: &[Note], indent: usize) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for note in notes {
            let on = match &note.on.attempt {
                Some(on) => {
                    let known = self.state.turns().get(&on.id.turn);
                    let of_others = known
                        .is_some_and(|known| usize::try_from(on.id.attempt) != Ok(known.chosen));
                    match of_others {
                        true => format!(" on attempt {}", on.id.attempt + 1),
                        false => String::new(),
                    }
                }
                None => String::new(),
            };
            let who = format!("note by {}{on}: ", note.annotator);
            let text = self.said(note.text.trim());
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            let role = match self.show.content() {
                Content::Shown => Role::Human,
                Content::Masked => Role::Masked,
            };
            let line = Paragraph::of(Role::HumanLabel, who).and(role, first);
            page.push(line.indented(indent, indent + 2));
            page.extend(
                lines.map(|line| Paragraph::of(role, line).indented(indent + 2, indent + 2)),
            );
        }
        page
    }

    fn reply(&self, turn: &TurnId, attempt: &Attempt) -> Vec<Paragraph> {
        let text = &attempt.reply.text;
        if is_blank(text) {
            let placeholder = attempt.reply.empty_placeholder();
            return vec![Paragraph::of(Role::Warning, placeholder).indented(2, 2)];
        }
        if self.show.masked {
            return vec![Paragraph::of(Role::Masked, self.said(text)).indented(2, 2)];
        }
        if self.show.fold
            && let Some(first) = self.echoes.first_of(self.state, turn)
        {
            let text = format!(
                "says the same as {} in round {}",
                self.name(&first.chair),
                first.round
            );
            return vec![Paragraph::of(Role::Muted, text).indented(2, 2)];
        }
        if self.show.difference
            && let Some(before) = texts::round_before(self.state, turn)
        {
            return texts::difference(&before.reply.text, text, 2);
        }
        if let Some(Fields::Read(fields)) = &attempt.fields {
            return outlined(Role::Text, 2, fields);
        }
        others_prose(Role::Text, 2, text)
    }

    pub(super) fn hidden(&self, role: Role, what: &str, text: &str) -> Vec<Paragraph> {
        if !self.show.private || self.show.masked {
            let count = text.chars().count();
            let text = format!("[{what}: {count} characters]");
            return vec![Paragraph::of(role, text).indented(2, 2)];
        }
        let mut page = vec![Paragraph::of(role, format!("{what}:")).indented(2, 2)];
        page.extend(others_prose(role, 4, text));
        page
    }

    fn verdicts_on(&self, target: &Target) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for judging in &self.created.protocol.judging {
            let Some(by_slot) = self.state.verdicts_on(&judging.id, target) else {
                continue;
            };
            for (slot, verdict) in by_slot {
                page.extend(self.verdict(&judging.id, *slot, verdict));
            }
            if by_slot.len() > 1
                && let Some(together) = self.state.finding(judging, target)
            {
                let text = format!("{} together: {}", judging.id, together.describe());
                page.push(Paragraph::of(role_of(&together), text).indented(2, 4));
            }
        }
        if !page.is_empty() && self.state.is_empty_target(target) {
            let text = "an empty reply is not judged: this does not count";
            page.push(Paragraph::of(Role::Warning, text).indented(4, 4));
        }
        for (judging, failed) in self.state.failed_verdicts(target) {
            let what = format!("{judging}: no verdict, its call failed");
            page.push(self.failure(&what, failed).indented(2, 4));
        }
        for stopped in self.state.stopped_verdicts_on(target) {
            page.extend(self.stopped(stopped, None));
        }
        page
    }

    pub(super) fn verdict(
        &self,
        judging: &JudgingId,
        slot: VerdictSlot,
        verdict: &VerdictState,
    ) -> Vec<Paragraph> {
        let Some(rule) = self.created.protocol.judging(judging) else {
            return Vec::new();
        };
        let mut who = match &rule.by {
            Some(seat) => self.name(&Chair {
                seat: seat.clone(),
                index: slot.chair,
            }),
            None if rule.detector.is_some() => format!("{judging}, a rule"),
            None => format!("{judging}, ground truth"),
        };
        match slot.order {
            ShownOrder::AsSeated => {}
            ShownOrder::Swapped => who.push_str(", candidates swapped"),
        }
        let (role, label) = match &verdict.outcome {
            Some(outcome) => (role_of(outcome), texts::label(outcome)),
            None => (
                Role::Warning,
                "none: the provider's filter refused the judge's call".to_owned(),
            ),
        };
        let mut line = Paragraph::of(Role::Muted, format!("{who}: ")).and(role, label);
        if let Author::Person(name) = &verdict.by {
            line = line.and(Role::Human, format!(" by {name}"));
        }
        if verdict.inherited {
            line = line.and(Role::Muted, " (from the parent)");
        }
        let mut page = vec![line.indented(2, 4)];
        if let Some(Outcome::Unparsed { why, .. }) = &verdict.outcome {
            page.push(Paragraph::of(Role::Unparsed, why.clone()).indented(4, 4));
        }
        if let Some(Outcome::Label(finding)) = &verdict.outcome {
            if let Some(reason) = &finding.reason {
                page.extend(others_prose(Role::Muted, 4, &self.said(reason.trim())));
            }
            page.extend(self.details(&finding.fields));
        }
        for earlier in &verdict.earlier {
            if let Some(Outcome::Unparsed { why, .. }) = &earlier.outcome {
                let text = format!("asked again, for the first reply could not be read: {why}");
                page.push(Paragraph::of(Role::Unparsed, text).indented(4, 4));
            }
        }
        page
    }

    /// Grounds of a detector, or the fields of a structured verdict.
    fn details(&self, fields: &serde_json::Value) -> Vec<Paragraph> {
        if fields.is_null() {
            return Vec::new();
        }
        if self.show.masked {
            let text = self.said(&fields.to_string());
            return vec![Paragraph::of(Role::Masked, text).indented(4, 4)];
        }
        let Some(pieces) = fields.get("evidence").and_then(|found| found.as_array()) else {
            return outlined(Role::Muted, 4, fields);
        };
        let mut page = Vec::new();
        for piece in pieces.iter().take(MAX_EVIDENCE) {
            let text = |key: &str| {
                let value = piece.get(key).and_then(|value| value.as_str());
                value.unwrap_or_default().to_owned()
            };
            let line = format!("\"{}\": {}", text("quote"), text("why"));
            page.push(Paragraph::of(Role::Muted, line).indented(4, 6));
        }
        if pieces.len() > MAX_EVIDENCE {
            let more = format!("and {} more", pieces.len() - MAX_EVIDENCE);
            page.push(Paragraph::of(Role::Muted, more).indented(4, 4));
        }
        page
    }
}

fn outlined(role: Role, indent: usize, fields: &serde_json::Value) -> Vec<Paragraph> {
    let mut page = Vec::new();
    for line in outline(fields) {
        for (at, text) in line.text.lines().enumerate() {
            let first = if at == 0 { line.indent } else { line.hang };
            let line = Paragraph::of(role, text).indented(indent + first, indent + line.hang);
            page.push(line.by_others());
        }
    }
    page
}

/// Returns what a reader should know of how a reply came about.
fn marks(known: &TurnState, attempt: &Attempt) -> Vec<(Role, String)> {
    let mut marks = reply_marks(known, attempt);
    if attempt.inherited {
        marks.push((Role::Muted, "from the parent".to_owned()));
    }
    if let Some(text) = texts::unusual_end(&attempt.reply) {
        marks.push((Role::Warning, text));
    }
    if let Some(guardrail) = &attempt.guardrail {
        let guardrail = texts::short_guardrail(guardrail);
        let text = format!("refused by guardrail {guardrail}, not judged");
        marks.push((Role::Notice, text));
    } else if attempt.reply.cached {
        marks.push((Role::Muted, "from the cache".to_owned()));
    }
    marks
}

/// Returns who wrote an attempt, where no model did alone, and which one of several it is.
pub(crate) fn reply_marks(known: &TurnState, attempt: &Attempt) -> Vec<(Role, String)> {
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
    marks
}
