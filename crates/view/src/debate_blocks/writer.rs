//! Paragraphs of blocks: turns with their verdicts. Pure.

use super::attempt::is_private;
use super::block::{Block, BlockOptions};
use super::findings::role_of;
use super::notes::Notes;
use super::repeated_texts::RepeatedTexts;
use super::texts;
use elenchus_game::debate::event::{Author, Created, Fields, Outcome};
use elenchus_game::debate::state::{Attempt, State, TurnState, VerdictState};
use elenchus_game::debate::step::{ShownOrder, Target, VerdictSlot};
use elenchus_game::debate::{AttemptId, Chair, JudgingId, TurnId, is_blank};
use elenchus_records::workspace::annotations::Note;
use elenchus_text::{Content, Paragraph, Role, others_prose, outline_value};

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
    pub fn speaker_name(self, state: &State, turn: &TurnId) -> Option<String> {
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
    pub repeated_texts: &'a RepeatedTexts,
    pub notes: &'a Notes,
    pub show: BlockOptions,
    pub headings: Headings,
    /// The key that asks failed steps again, as it is spelled.
    pub retry: &'a str,
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
        let place = format!("round {} · {}", turn.round, turn.stage);
        match self.headings.speaker_name(self.state, turn) {
            Some(speaker) => {
                let place_role = match role {
                    Role::Strong => Role::Muted,
                    role => role,
                };
                Paragraph::new(Role::Strong, speaker).with_run(place_role, format!(" · {place}"))
            }
            None => Paragraph::new(role, place),
        }
    }

    fn describe_turn(&self, turn: &TurnId) -> Vec<Paragraph> {
        let Some(turn_state) = self.state.turns().get(turn) else {
            return Vec::new();
        };
        let private = is_private(self.state, turn);
        let mut heading = self.turn_heading(turn, Role::Strong);
        if private {
            heading = heading.with_run(Role::Private, " private");
        }
        let Some(attempt) = turn_state.chosen_attempt() else {
            let why = "refused by the provider's filter: the debate went on without this turn";
            let mut page = vec![
                heading,
                Paragraph::new(Role::Warning, why).with_indent(2, 2),
            ];
            page.extend(self.describe_stopped_replies(turn));
            return page;
        };
        for (role, mark) in list_marks(turn_state, attempt) {
            heading = heading.with_run(Role::Muted, " · ").with_run(role, mark);
        }
        let mut page = vec![heading];
        if let Some(thinking) = &attempt.reply.thinking {
            page.extend(self.describe_hidden_text(Role::Thinking, "its own thinking", thinking));
        }
        if private && !attempt.is_empty_reply() {
            page.extend(self.describe_hidden_text(
                Role::Private,
                "private reasoning",
                &attempt.reply.text,
            ));
        } else {
            page.extend(self.describe_reply(turn, attempt));
        }
        if let Some(Fields::Unparsed { why }) = &attempt.fields {
            let text = format!("its fields could not be read: {why}");
            page.push(Paragraph::new(Role::Unparsed, text).with_indent(2, 2));
        }
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(turn_state.chosen_index).unwrap_or(u32::MAX),
        };
        page.extend(self.describe_verdicts(&Target::Attempt(id)));
        page.extend(self.describe_stopped_replies(turn));
        page.extend(self.describe_failed_attempts(turn));
        page.extend(self.describe_notes(self.notes.turn_notes(turn), 4));
        page.push(Paragraph::gap());
        page
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

    pub(super) fn describe_hidden_text(
        &self,
        role: Role,
        what: &str,
        text: &str,
    ) -> Vec<Paragraph> {
        if !self.show.private || self.show.masked {
            let count = text.chars().count();
            let text = format!("[{what}: {count} characters]");
            return vec![Paragraph::new(role, text).with_indent(2, 2)];
        }
        let mut page = vec![Paragraph::new(role, format!("{what}:")).with_indent(2, 2)];
        page.extend(others_prose(role, 4, text));
        page
    }

    fn describe_verdicts(&self, target: &Target) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for judging in &self.created.protocol.judging {
            let Some(by_slot) = self.state.verdicts_on(&judging.id, target) else {
                continue;
            };
            for (slot, verdict) in by_slot {
                page.extend(self.describe_verdict(&judging.id, *slot, verdict));
            }
            if by_slot.len() > 1
                && let Some(together) = self.state.combined_outcome(judging, target)
            {
                let text = format!("{} together: {}", judging.id, together.describe());
                page.push(Paragraph::new(role_of(&together), text).with_indent(2, 4));
            }
        }
        if !page.is_empty() && self.state.is_empty_target(target) {
            let text = "an empty reply is not judged: this does not count";
            page.push(Paragraph::new(Role::Warning, text).with_indent(4, 4));
        }
        for (judging, failed) in self.state.failed_verdicts(target) {
            let what = format!("{judging}: no verdict, its call failed");
            page.push(self.describe_failure(&what, failed).with_indent(2, 4));
        }
        for stopped in self.state.stopped_verdicts_on(target) {
            page.extend(self.describe_stopped_reply(stopped, None));
        }
        page
    }

    pub(super) fn describe_verdict(
        &self,
        judging: &JudgingId,
        slot: VerdictSlot,
        verdict: &VerdictState,
    ) -> Vec<Paragraph> {
        let Some(rule) = self.created.protocol.find_judging(judging) else {
            return Vec::new();
        };
        let mut who = match &rule.by {
            Some(seat) => self.chair_name(&Chair {
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
            Some(outcome) => (role_of(outcome), texts::finding_label(outcome)),
            None => (
                Role::Warning,
                "none: the provider's filter refused the judge's call".to_owned(),
            ),
        };
        let mut line = Paragraph::new(Role::Muted, format!("{who}: ")).with_run(role, label);
        if let Author::Person(name) = &verdict.by {
            line = line.with_run(Role::Human, format!(" by {name}"));
        }
        if verdict.inherited {
            line = line.with_run(Role::Muted, " (from the parent)");
        }
        let mut page = vec![line.with_indent(2, 4)];
        if let Some(Outcome::Unparsed { why, .. }) = &verdict.outcome {
            page.push(Paragraph::new(Role::Unparsed, why.clone()).with_indent(4, 4));
        }
        if let Some(Outcome::Label(finding)) = &verdict.outcome {
            if let Some(reason) = &finding.reason {
                page.extend(others_prose(
                    Role::Muted,
                    4,
                    &self.display_text(reason.trim()),
                ));
            }
            page.extend(self.describe_details(&finding.fields));
        }
        for earlier in &verdict.earlier {
            if let Some(Outcome::Unparsed { why, .. }) = &earlier.outcome {
                let text = format!("asked again, for the first reply could not be read: {why}");
                page.push(Paragraph::new(Role::Unparsed, text).with_indent(4, 4));
            }
        }
        page
    }

    /// Grounds of a detector, or the fields of a structured verdict.
    fn describe_details(&self, fields: &serde_json::Value) -> Vec<Paragraph> {
        if fields.is_null() {
            return Vec::new();
        }
        if self.show.masked {
            let text = self.display_text(&fields.to_string());
            return vec![Paragraph::new(Role::Masked, text).with_indent(4, 4)];
        }
        let Some(pieces) = fields.get("evidence").and_then(|found| found.as_array()) else {
            return describe_fields(Role::Muted, 4, fields);
        };
        let mut page = Vec::new();
        for piece in pieces.iter().take(MAX_EVIDENCE) {
            let text = |key: &str| {
                let value = piece.get(key).and_then(|value| value.as_str());
                value.unwrap_or_default().to_owned()
            };
            let line = format!("\"{}\": {}", text("quote"), text("why"));
            page.push(Paragraph::new(Role::Muted, line).with_indent(4, 6));
        }
        if pieces.len() > MAX_EVIDENCE {
            let more = format!("and {} more", pieces.len() - MAX_EVIDENCE);
            page.push(Paragraph::new(Role::Muted, more).with_indent(4, 4));
        }
        page
    }
}

fn describe_fields(role: Role, indent: usize, fields: &serde_json::Value) -> Vec<Paragraph> {
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

/// Returns what a reader should know of how a reply came about.
fn list_marks(turn_state: &TurnState, attempt: &Attempt) -> Vec<(Role, String)> {
    let mut marks = reply_marks(turn_state, attempt);
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
pub(crate) fn reply_marks(turn_state: &TurnState, attempt: &Attempt) -> Vec<(Role, String)> {
    let mut marks = Vec::new();
    if let Author::Person(name) = &attempt.by {
        marks.push((Role::Human, format!("by {name}")));
    }
    if attempt.edited {
        marks.push((Role::Warning, "edited".to_owned()));
    }
    if turn_state.attempts.len() > 1 {
        let text = format!(
            "attempt {} of {}",
            turn_state.chosen_index + 1,
            turn_state.attempts.len()
        );
        marks.push((Role::Accent, text));
    }
    marks
}
