//! What a person in a seat reads before they write: what the seat's view shows of the debate, without the words of
//! templates around it, and where it begins that the seat was not shown for its turn before. Pure.

use super::text::ViewOptions;
use super::{OriginKind, Origins, PartOrigin};
use elenchus_game::debate::step::Step;
use elenchus_game::debate::view::{PartSource, ViewMessage};
use elenchus_game::debate::{Chair, State, TurnId};
use elenchus_text::{Paragraph, Role, others_prose};
use std::collections::BTreeSet;

/// Parts of a view that say something about the debate, in its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeatReading {
    parts: Vec<ReadPart>,
}

#[derive(Debug, Clone, PartialEq)]
struct ReadPart {
    heading: String,
    origin: PartOrigin,
    text: String,
    /// The turn that it is, where the seat was not shown it for its turn before and did not speak it.
    new_turn: Option<TurnId>,
}

impl SeatReading {
    /// Takes what an open step's view shows. Whose turns they are is left out for a judge, who may not know.
    pub fn from_messages(state: &State, step: &Step, messages: &[ViewMessage]) -> Self {
        let reader = step.chair();
        let origins = Origins::from_state(state, reader.cloned());
        let names_speakers = !matches!(step, Step::Judge(_) | Step::AwaitJudge(_));
        let seen = reader.map_or_else(BTreeSet::new, |chair| turns_seen_before(state, chair));
        let mut parts: Vec<ReadPart> = Vec::new();
        let mut before: Option<&PartSource> = None;
        for part in messages.iter().flat_map(|message| &message.parts) {
            let origin = origins.part_origin(&part.from);
            let (Some(text), true) = (&part.text, is_about_debate(origin.kind)) else {
                continue;
            };
            match parts.last_mut() {
                // A turn in several pieces is one.
                Some(last) if before == Some(&part.from) => last.text.push_str(text),
                Some(_) | None => parts.push(ReadPart {
                    heading: describe_source(&part.from, state, reader, &origin, names_speakers),
                    origin,
                    text: text.clone(),
                    new_turn: turn_of(&part.from)
                        .filter(|turn| Some(&turn.chair) != reader && !seen.contains(*turn))
                        .cloned(),
                }),
            }
            before = Some(&part.from);
        }
        Self { parts }
    }

    /// Says whether the view shows nothing of the debate.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns how many turns there are that the seat was not shown for its turn before.
    pub fn count_new_turns(&self) -> usize {
        let new = self.parts.iter().filter_map(|part| part.new_turn.as_ref());
        new.collect::<BTreeSet<_>>().len()
    }

    /// Returns everything as paragraphs, and which of them is the first of what is new; the first of all where
    /// nothing is.
    pub fn to_paragraphs(&self, show: ViewOptions) -> (Vec<Paragraph>, usize) {
        let mut page = Vec::new();
        let mut first_new = None;
        for part in &self.parts {
            if part.new_turn.is_some() {
                first_new.get_or_insert(page.len());
            }
            page.push(Paragraph::new(Role::Strong, part.heading.clone()));
            let text = part.origin.visible_text(Some(&part.text), show);
            page.extend(others_prose(part.origin.kind.role(), 2, &text));
            page.push(Paragraph::gap());
        }
        page.pop();
        (page, first_new.unwrap_or(0))
    }
}

/// Returns the turns that a chair was shown for its last turn.
fn turns_seen_before(state: &State, chair: &Chair) -> BTreeSet<TurnId> {
    let mut own = state
        .turns()
        .iter()
        .filter(|(turn, _)| turn.chair == *chair);
    let attempt = own
        .next_back()
        .and_then(|(_, turn_state)| turn_state.chosen_attempt());
    let view = attempt.and_then(|attempt| attempt.view);
    let messages = view.map(|place| state.view_at(place).messages);
    let parts = messages.into_iter().flatten();
    let sources = parts.flat_map(|message| message.parts);
    sources
        .filter_map(|part| turn_of(&part.from).cloned())
        .collect()
}

fn turn_of(source: &PartSource) -> Option<&TurnId> {
    match source {
        PartSource::Turn(id) => Some(&id.turn),
        _ => None,
    }
}

/// Says whether parts of a kind are about the debate, and no words of a template or marks around them.
fn is_about_debate(kind: OriginKind) -> bool {
    match kind {
        OriginKind::Template | OriginKind::Draw | OriginKind::Fence => false,
        OriginKind::Persona
        | OriginKind::Topic
        | OriginKind::Context
        | OriginKind::Conversation
        | OriginKind::Options
        | OriginKind::Document
        | OriginKind::Memory
        | OriginKind::Peer
        | OriginKind::Own
        | OriginKind::Private
        | OriginKind::Verdict
        | OriginKind::Person => true,
    }
}

/// Names a part for somebody who sits in the seat.
fn describe_source(
    source: &PartSource,
    state: &State,
    reader: Option<&Chair>,
    origin: &PartOrigin,
    names_speakers: bool,
) -> String {
    match source {
        PartSource::Turn(id) if Some(&id.turn.chair) == reader => {
            format!("you · round {} · {}", id.turn.round, id.turn.stage)
        }
        PartSource::Turn(id) if names_speakers => format!(
            "{} · round {} · {}",
            state.name_of(&id.turn.chair),
            id.turn.round,
            id.turn.stage
        ),
        PartSource::Turn(_) => "what was said".to_owned(),
        PartSource::OwnPrivate(id) => {
            format!("your own reasoning · round {}", id.turn.round)
        }
        PartSource::Verdict { judging, .. } => format!("{judging} on it"),
        PartSource::Topic => "Topic".to_owned(),
        _ => origin.words.clone(),
    }
}
