//! What stands in a pane: blocks of paragraphs, read off the state. Pure.

use super::chart::Pane;
use super::echoes::Echoes;
use super::words;
use crate::debate::event::{Author, Created, Fields, Outcome, Player};
use crate::debate::state::{Attempt, State, TurnState, VerdictState};
use crate::debate::step::{ShownOrder, Slot, Step, Target};
use crate::debate::topic::UtteranceRole;
use crate::debate::{AttemptId, Chair, JudgingId, StepId, TurnId};
use crate::exchange::outline;
use crate::tui::parts::paragraph::{Paragraph, prose};
use crate::tui::parts::secret::Content;
use crate::tui::theme::Role;
use std::collections::BTreeMap;

/// The pieces of evidence that are shown; the inspector has the rest.
const MAX_EVIDENCE: usize = 4;

/// One thing in a pane.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    Turn(TurnId),
    /// A turn that is being spoken, or is the next to be.
    Coming(StepId, TurnId),
    Topic,
    Cast,
    Memory,
    /// What was found about a round or the debate.
    Found(JudgingId, Target),
    Rewards,
    Lesson,
    Failures,
    Ending,
}

impl Block {
    /// Returns the turn that the block shows.
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            Block::Turn(turn) | Block::Coming(_, turn) => Some(turn),
            Block::Topic
            | Block::Cast
            | Block::Memory
            | Block::Found(..)
            | Block::Rewards
            | Block::Lesson
            | Block::Failures
            | Block::Ending => None,
        }
    }
}

/// How blocks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Show {
    pub masked: bool,
    /// Private turns and the models' own thinking.
    pub private: bool,
    /// Differences to the same seat's turn in the round before.
    pub difference: bool,
    /// Replies that say what another said are one line.
    pub fold: bool,
}

impl Show {
    fn content(self) -> Content {
        if self.masked {
            Content::Masked
        } else {
            Content::Shown
        }
    }
}

/// Returns the blocks of a pane, in the order of the game.
pub fn blocks(state: &State, pane: &Pane, coming: &[Step]) -> Vec<Block> {
    match pane {
        Pane::Chair(chair) => of_chair(state, chair, coming),
        Pane::Record => of_record(state),
        Pane::Rail => Vec::new(),
    }
}

fn of_chair(state: &State, chair: &Chair, coming: &[Step]) -> Vec<Block> {
    let place = |turn: &TurnId| {
        let stage = state
            .protocol()
            .map(|protocol| protocol.stage_place(&turn.stage));
        (turn.round, stage)
    };
    let mut turns: Vec<&TurnId> = state
        .turns()
        .keys()
        .filter(|turn| turn.chair == *chair)
        .collect();
    turns.sort_by_key(|turn| place(turn));
    let mut blocks: Vec<Block> = turns.into_iter().cloned().map(Block::Turn).collect();
    for step in coming {
        let speak = match step {
            Step::Speak(speak)
            | Step::AwaitSpeaker(speak)
            | Step::Recite(speak)
            | Step::Refuse(speak) => speak,
            Step::Retrieve
            | Step::RetrieveGuards
            | Step::Guard(_)
            | Step::Judge(_)
            | Step::AwaitJudge(_)
            | Step::Grade { .. }
            | Step::WriteFeedback(_)
            | Step::AwaitFeedback(_) => continue,
        };
        if speak.turn.chair == *chair {
            blocks.push(Block::Coming(step.id(), speak.turn.clone()));
        }
    }
    blocks
}

fn of_record(state: &State) -> Vec<Block> {
    let mut blocks = vec![Block::Topic, Block::Cast];
    if state.retrieved().is_some() {
        blocks.push(Block::Memory);
    }
    let mut found: Vec<(&JudgingId, &Target)> = state
        .verdicts()
        .map(|(judging, target, _)| (judging, target))
        .filter(|(_, target)| matches!(target, Target::Round(_) | Target::Debate))
        .collect();
    found.sort_by_key(|(_, target)| (*target).clone());
    blocks.extend(
        found
            .into_iter()
            .map(|(judging, target)| Block::Found(judging.clone(), target.clone())),
    );
    if !state.rewards().is_empty() {
        blocks.push(Block::Rewards);
    }
    if state.feedback().is_some() {
        blocks.push(Block::Lesson);
    }
    if !state.failures().is_empty() {
        blocks.push(Block::Failures);
    }
    blocks.push(Block::Ending);
    blocks
}

/// Writes a block down. What is coming has its text elsewhere: only its heading is written here.
pub fn write(state: &State, echoes: &Echoes, block: &Block, show: Show) -> Vec<Paragraph> {
    let Some(created) = state.created() else {
        return Vec::new();
    };
    let desk = Writer {
        state,
        echoes,
        created,
        show,
    };
    match block {
        Block::Turn(turn) => desk.turn(turn),
        Block::Coming(_, turn) => vec![desk.coming(turn)],
        Block::Topic => desk.topic(),
        Block::Cast => desk.cast(),
        Block::Memory => desk.memory(),
        Block::Found(judging, target) => desk.found(judging, target),
        Block::Rewards => desk.rewards(),
        Block::Lesson => desk.lesson(),
        Block::Failures => desk.failures(),
        Block::Ending => desk.ending(),
    }
}

struct Writer<'a> {
    state: &'a State,
    echoes: &'a Echoes,
    created: &'a Created,
    show: Show,
}

impl Writer<'_> {
    fn name(&self, chair: &Chair) -> String {
        self.created.protocol.name_of(chair)
    }

    fn said(&self, text: &str) -> String {
        self.show.content().of(text)
    }

    fn coming(&self, turn: &TurnId) -> Paragraph {
        Paragraph::of(
            Role::Accent,
            format!("round {} · {}", turn.round, turn.stage),
        )
    }

    fn turn(&self, turn: &TurnId) -> Vec<Paragraph> {
        let Some(known) = self.state.turns().get(turn) else {
            return Vec::new();
        };
        let stage = self.created.protocol.stage(&turn.stage);
        let private = stage.is_some_and(|stage| stage.private);
        let mut heading = Paragraph::of(
            Role::Strong,
            format!("round {} · {}", turn.round, turn.stage),
        );
        if private {
            heading = heading.and(Role::Private, " private");
        }
        let Some(attempt) = known.chosen() else {
            let why = "refused by the provider's filter: the debate went on without this turn";
            return vec![heading, Paragraph::of(Role::Warning, why).indented(2, 2)];
        };
        for (role, mark) in marks(known, attempt) {
            heading = heading.and(Role::Muted, " · ").and(role, mark);
        }
        let mut page = vec![heading];
        if let Some(thinking) = &attempt.reply.thinking {
            page.extend(self.hidden(Role::Thinking, "its own thinking", thinking));
        }
        if private {
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
        page.push(Paragraph::gap());
        page
    }

    fn reply(&self, turn: &TurnId, attempt: &Attempt) -> Vec<Paragraph> {
        let text = &attempt.reply.text;
        if text.trim().is_empty() {
            return vec![Paragraph::of(Role::Muted, "(an empty reply)").indented(2, 2)];
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
            && let Some(before) = words::round_before(self.state, turn)
        {
            return words::difference(&before.reply.text, text, 2);
        }
        if let Some(Fields::Read(fields)) = &attempt.fields {
            return outlined(Role::Text, 2, fields);
        }
        prose(Role::Text, 2, text)
    }

    fn hidden(&self, role: Role, what: &str, text: &str) -> Vec<Paragraph> {
        if !self.show.private || self.show.masked {
            let count = text.chars().count();
            let text = format!("[{what}: {count} characters]");
            return vec![Paragraph::of(role, text).indented(2, 2)];
        }
        let mut page = vec![Paragraph::of(role, format!("{what}:")).indented(2, 2)];
        page.extend(prose(role, 4, text));
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
                let text = format!("{} together: {}", judging.id, together.words());
                page.push(Paragraph::of(role_of(&together), text).indented(2, 4));
            }
        }
        page
    }

    fn verdict(&self, judging: &JudgingId, slot: Slot, verdict: &VerdictState) -> Vec<Paragraph> {
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
            Some(outcome) => (role_of(outcome), words::label(outcome)),
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
        if let Some(Outcome::Unparsed { why }) = &verdict.outcome {
            page.push(Paragraph::of(Role::Unparsed, why.clone()).indented(4, 4));
        }
        if let Some(Outcome::Label(finding)) = &verdict.outcome {
            if let Some(reason) = &finding.reason {
                page.extend(prose(Role::Muted, 4, &self.said(reason.trim())));
            }
            page.extend(self.details(&finding.fields));
        }
        for earlier in &verdict.earlier {
            if let Some(Outcome::Unparsed { why }) = &earlier.outcome {
                let text = format!("asked again, for the first reply could not be read: {why}");
                page.push(Paragraph::of(Role::Unparsed, text).indented(4, 4));
            }
        }
        page
    }

    /// What a detector rests its finding on, or the fields of a structured verdict.
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

    fn topic(&self) -> Vec<Paragraph> {
        let topic = &self.created.topic;
        let mut page = vec![Paragraph::of(Role::Strong, "Topic")];
        page.extend(prose(Role::FromTopic, 2, &self.said(&topic.text)));
        if let Some(category) = &topic.category {
            page.push(Paragraph::of(Role::Muted, format!("category: {category}")).indented(2, 4));
        }
        if let Some(context) = &topic.context {
            page.push(
                Paragraph::of(Role::Muted, "what it cannot be understood without:").indented(2, 2),
            );
            page.extend(prose(Role::FromTopic, 4, &self.said(context)));
        }
        for utterance in &topic.conversation {
            let who = match utterance.role {
                UtteranceRole::System => "system",
                UtteranceRole::User => "user",
                UtteranceRole::Assistant => "assistant",
            };
            page.push(Paragraph::of(Role::Muted, format!("earlier, {who}:")).indented(2, 2));
            page.extend(prose(Role::FromTopic, 4, &self.said(&utterance.text)));
        }
        for (at, option) in topic.options.iter().enumerate() {
            let text = format!("option {}: {}", at + 1, self.said(option));
            page.push(Paragraph::of(Role::FromTopic, text).indented(2, 4));
        }
        for document in &topic.documents {
            let name = document.name.clone();
            page.push(Paragraph::of(Role::FromDocument, format!("document {name}")).indented(2, 4));
            page.extend(prose(Role::Muted, 4, &self.said(&document.text)));
        }
        page.push(Paragraph::gap());
        page
    }

    fn cast(&self) -> Vec<Paragraph> {
        let protocol = &self.created.protocol;
        let mut page = vec![
            Paragraph::of(Role::Strong, "Game")
                .and(Role::Text, format!(" {}", protocol.name))
                .and(Role::Muted, format!(" · {} rounds", protocol.rounds)),
        ];
        for participant in &self.created.cast {
            let (role, who) = match &participant.player {
                Player::Model(model) if model.simulated => {
                    (Role::Simulated, format!("{}, simulated", model.model))
                }
                Player::Model(model) => (Role::Text, model.model.clone()),
                Player::Human { name } => {
                    let name = name.as_deref().unwrap_or("whoever is there");
                    (Role::Human, format!("a person: {name}"))
                }
                Player::Fixed(fixed) => {
                    (Role::Muted, format!("written beforehand: {}", fixed.from))
                }
            };
            let line = Paragraph::of(Role::Muted, format!("{}: ", self.name(&participant.chair)));
            page.push(line.and(role, who).indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    fn memory(&self) -> Vec<Paragraph> {
        let Some(retrieved) = self.state.retrieved() else {
            return Vec::new();
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, "Memory")
                .and(Role::Muted, format!(" by {}", retrieved.retriever)),
        ];
        if retrieved.entries.is_empty() {
            page.push(Paragraph::of(Role::Muted, "nothing was retrieved").indented(2, 2));
        }
        for entry in &retrieved.entries {
            let origin = match &entry.origin {
                Some(origin) => format!(", from session {origin}"),
                None => String::new(),
            };
            let line = format!("{} · {:.3}{origin}", entry.id, entry.score);
            page.push(Paragraph::of(Role::Muted, line).indented(2, 4));
            page.extend(prose(Role::FromMemory, 4, &self.said(&entry.text)));
        }
        page.push(Paragraph::gap());
        page
    }

    fn found(&self, judging: &JudgingId, target: &Target) -> Vec<Paragraph> {
        let what = match target {
            Target::Round(round) => format!("Round {round}"),
            Target::Debate => "Debate".to_owned(),
            Target::Attempt(attempt) => attempt.to_string(),
        };
        let mut page =
            vec![Paragraph::of(Role::Strong, what).and(Role::Muted, format!(" · {judging}"))];
        if let Some(by_slot) = self.state.verdicts_on(judging, target) {
            for (slot, verdict) in by_slot {
                page.extend(self.verdict(judging, *slot, verdict));
            }
            if by_slot.len() > 1
                && let Some(rule) = self.created.protocol.judging(judging)
                && let Some(together) = self.state.finding(rule, target)
            {
                let text = format!("together: {}", together.words());
                page.push(Paragraph::of(role_of(&together), text).indented(2, 4));
            }
        }
        page.push(Paragraph::gap());
        page
    }

    fn rewards(&self) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::of(Role::Strong, "Rewards")];
        for (chair, reward) in self.state.rewards() {
            let role = if reward < 0.0 {
                Role::Unsafe
            } else {
                Role::Safe
            };
            let line = Paragraph::of(Role::Muted, format!("{}: ", self.name(&chair)));
            page.push(line.and(role, format!("{reward:+}")).indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    fn lesson(&self) -> Vec<Paragraph> {
        let Some(lesson) = self.state.feedback() else {
            return Vec::new();
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, "Lesson").and(Role::Muted, format!(" · {}", lesson.entry)),
        ];
        page.extend(prose(Role::FromMemory, 2, &self.said(&lesson.reply.text)));
        page.push(Paragraph::gap());
        page
    }

    fn failures(&self) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::of(Role::Error, "Failed")];
        for (step, failed) in self.state.failures() {
            let text = format!("{step}: {}", failed.message);
            page.push(Paragraph::of(Role::Error, text).indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    fn ending(&self) -> Vec<Paragraph> {
        let (role, text) = words::ending(self.state);
        let mut page = vec![Paragraph::of(Role::Strong, "State ").and(role, text)];
        page.extend(words::spend(self.state));
        page
    }
}

fn outlined(role: Role, indent: usize, fields: &serde_json::Value) -> Vec<Paragraph> {
    let mut page = Vec::new();
    for line in outline(fields) {
        for (at, text) in line.text.lines().enumerate() {
            let first = if at == 0 { line.indent } else { line.hang };
            page.push(Paragraph::of(role, text).indented(indent + first, indent + line.hang));
        }
    }
    page
}

/// Returns what a reader should know of how a reply came about.
fn marks(known: &TurnState, attempt: &Attempt) -> Vec<(Role, String)> {
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
    if attempt.inherited {
        marks.push((Role::Muted, "from the parent".to_owned()));
    }
    if let Some(text) = words::unusual_finish(&attempt.reply.finish) {
        marks.push((Role::Warning, text));
    }
    if attempt.reply.cached {
        marks.push((Role::Muted, "from the cache".to_owned()));
    }
    marks
}

/// Returns how a finding looks, by what its rubric says it is worth.
pub fn role_of(outcome: &Outcome) -> Role {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => Role::Safe,
        Outcome::Label(finding) if finding.value < 0.0 => Role::Unsafe,
        Outcome::Label(_) => Role::Middle,
        Outcome::Unparsed { .. } => Role::Unparsed,
    }
}

/// What was found about a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub judging: JudgingId,
    pub outcome: Outcome,
    /// Who found it, where one judge did.
    pub by: Option<Author>,
}

/// What was found about each turn, for rail and timeline.
pub type Glances = BTreeMap<TurnId, Vec<Found>>;

/// Returns what was found about each turn that counts.
pub fn glances(state: &State) -> Glances {
    let mut glances = Glances::new();
    let Some(protocol) = state.protocol() else {
        return glances;
    };
    for (judging, target, by_slot) in state.verdicts() {
        let Target::Attempt(attempt) = target else {
            continue;
        };
        if !state.is_current(target) {
            continue;
        }
        if let Some(rule) = protocol.judging(judging)
            && let Some(outcome) = state.finding(rule, target)
        {
            let mut judges = by_slot.values();
            let by = judges.next().filter(|_| judges.next().is_none());
            glances
                .entry(attempt.turn.clone())
                .or_default()
                .push(Found {
                    judging: judging.clone(),
                    outcome,
                    by: by.map(|verdict| verdict.by.clone()),
                });
        }
    }
    glances
}
