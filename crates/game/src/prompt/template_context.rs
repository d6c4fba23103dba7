//! Template context: the values of a debate that a template can use, each tagged with its source.

use super::fence;
use super::judge_prompt::FenceMode;
use super::tagged_values::ValueTable;
use crate::debate::event::Created;
use crate::debate::ids::{Chair, SeatId, TurnId};
use crate::debate::protocol::{Sees, SettingValue, Stage, Style};
use crate::debate::state::State;
use crate::debate::step::ShownOrder;
use crate::debate::view::{PartSource, ViewPart};
use crate::debate::{ListItem, draw_item};
use minijinja::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A reader and a state of the debate, with the order of peers and the fences for this reader.
pub(super) struct TemplateContext<'a> {
    pub state: &'a State,
    pub created: &'a Created,
    pub table: ValueTable,
    pub fence: FenceMode,
    /// Seed of the marks.
    pub nonce: String,
    /// Order in which two candidates are shown.
    pub order: ShownOrder,
    /// The reader's name, on which the shuffled order of peers depends.
    pub reader: String,
}

pub(super) type Values = BTreeMap<&'static str, Value>;

impl TemplateContext<'_> {
    /// Returns the values of every template: the topic and its context.
    pub(super) fn common_values(&self, sees: &Sees, round: u32, style: Style) -> Values {
        let first_event = self.created;
        let topic = &first_event.topic;
        let mut values = Values::new();
        let if_shown = |value: Value| if sees.topic { value } else { Value::from(()) };
        values.insert(
            "topic",
            if_shown(self.authored_text(PartSource::Topic, &topic.text)),
        );
        let context = topic.context.as_ref().map_or_else(
            || Value::from(()),
            |context| self.authored_text(PartSource::Context, context),
        );
        values.insert("context", if_shown(context));
        let conversation: Vec<Value> = topic
            .conversation
            .iter()
            .enumerate()
            .filter(|_| sees.topic)
            .map(|(at, utterance)| {
                Value::from_pairs([
                    ("role", Value::from(utterance.role.as_str())),
                    (
                        "text",
                        self.authored_text(PartSource::Conversation(at), &utterance.text),
                    ),
                ])
            })
            .collect();
        values.insert("conversation", Value::from(conversation));
        values.insert("options", self.option_values(sees));
        values.insert("round", Value::from(round));
        values.insert("rounds", Value::from(first_event.protocol.rounds));
        values.insert(
            "style",
            Value::from(match style {
                Style::Single => "single",
                Style::Dialogue => "dialogue",
            }),
        );
        let settings = first_event.settings.iter().map(|(name, value)| {
            let value = match value {
                SettingValue::Bool(value) => Value::from(*value),
                SettingValue::Integer(value) => Value::from(*value),
                SettingValue::Float(value) => Value::from(*value),
                SettingValue::Text(value) => Value::from(value.clone()),
            };
            (name.clone(), value)
        });
        values.insert("settings", Value::from_pairs(settings));
        values
    }

    /// Returns the reference answer and its other spellings, for whom a grader asks.
    pub(super) fn reference_values(&self) -> Values {
        let reference = self.created.topic.reference.as_ref();
        let tag = |text: &String| self.authored_text(PartSource::Reference, text);
        let answer = reference.map_or_else(|| Value::from(()), |one| tag(&one.answer));
        let aliases = reference.map_or(&[][..], |one| &one.aliases[..]);
        let aliases: Vec<Value> = aliases.iter().map(tag).collect();
        Values::from([("reference", answer), ("aliases", Value::from(aliases))])
    }

    /// Returns the documents that are new to a reader who has seen `already` of them.
    pub(super) fn document_values(
        &self,
        sees: &Sees,
        round: u32,
        already: usize,
    ) -> (Value, usize) {
        let documents = &self.created.topic.documents;
        let until = sees.documents.count_visible(documents.len(), round);
        let new = documents
            .iter()
            .enumerate()
            .take(until)
            .skip(already)
            .map(|(at, document)| {
                Value::from_pairs([
                    ("name", Value::from(document.name.clone())),
                    (
                        "text",
                        self.authored_text(PartSource::Document(at), &document.text),
                    ),
                ])
            })
            .collect::<Vec<_>>();
        (Value::from(new), until.max(already))
    }

    /// Returns the entries retrieved from long-term memory that a seat is shown, fenced for judges: a lesson was
    /// written about a debate whose participants may have meant to address them.
    pub(super) fn memory_values(&self, sees: &Sees, seat: &SeatId) -> Value {
        let entries = self
            .state
            .retrieved_for(seat)
            .filter(|_| sees.memory)
            .map_or(&[][..], |retrieved| &retrieved.entries);
        let values: Vec<Value> = entries
            .iter()
            .map(|entry| {
                let text = self.authored_text(PartSource::Memory(entry.id.clone()), &entry.text);
                Value::from_pairs([("text", text)])
            })
            .collect();
        Value::from(values)
    }

    /// Returns the options of the topic.
    fn option_values(&self, sees: &Sees) -> Value {
        let options = self.created.topic.options.iter().enumerate();
        let values: Vec<Value> = options
            .filter(|_| sees.options)
            .map(|(at, option)| self.authored_text(PartSource::Option(at), option))
            .collect();
        Value::from(values)
    }

    /// Returns the position that a chair is assigned.
    pub(super) fn stance_value(&self, chair: &Chair) -> Value {
        let assigned_option = self.created.stance_of(chair);
        let option = assigned_option.and_then(|at| Some((at, self.created.topic.options.get(at)?)));
        option.map_or_else(
            || Value::from(()),
            |(at, option)| self.authored_text(PartSource::Option(at), option),
        )
    }

    /// Returns text by a person, model or file as a value, fenced for judges: a topic or document
    /// can address a judge as well as a turn can.
    pub(super) fn authored_text(&self, from: PartSource, text: &str) -> Value {
        let part = |from: PartSource, text: String| ViewPart::new(from, text);
        match self.fence {
            FenceMode::Open => self.table.tag_text(from, text),
            FenceMode::ChatRole => self.table.tag_text(from, fence::break_tokens(text)),
            FenceMode::Marks => {
                let nonce = fence_nonce(&self.nonce, text);
                self.table.tag_parts(vec![
                    part(
                        PartSource::Fence,
                        format!("{}\n", fence::opening_mark(&nonce)),
                    ),
                    part(from, fence::break_tokens(text).into_owned()),
                    part(
                        PartSource::Fence,
                        format!("\n{}", fence::closing_mark(&nonce)),
                    ),
                ])
            }
        }
    }

    /// Returns a chair's name for readers, numbered where there are several.
    pub(super) fn chair_label(&self, chair: &Chair) -> String {
        self.created.protocol.name_of(chair)
    }

    /// Returns the reader's own seat.
    pub(super) fn reader_value(&self, chair: &Chair) -> Value {
        let count = self
            .created
            .protocol
            .find_seat(&chair.seat)
            .map_or(1, |seat| seat.count);
        Value::from_pairs([
            ("seat", Value::from(chair.seat.as_str())),
            ("label", Value::from(self.chair_label(chair))),
            ("number", Value::from(chair.index + 1)),
            ("count", Value::from(count)),
        ])
    }

    /// Returns the persona of a chair.
    pub(super) fn persona_value(&self, chair: &Chair) -> Value {
        self.created.persona_of(chair).map_or_else(
            || Value::from(()),
            |persona| self.table.tag_text(PartSource::Persona, persona),
        )
    }

    /// Returns the values drawn for a turn: a text, or the parts of an item by their names.
    pub(super) fn draw_values(&self, stage: &Stage, turn: &TurnId) -> Value {
        let drawn_values = stage.draw.iter().filter_map(|(name, list)| {
            let items = self.created.lists.get(list)?;
            let value = match draw_item(items, self.created.seed, turn, name)? {
                ListItem::Text(text) => self.tag_drawn(name.clone(), text),
                ListItem::Parts(parts) => Value::from_pairs(parts.iter().map(|(part, text)| {
                    let value = self.tag_drawn(format!("{name}.{part}"), text);
                    (part.clone(), value)
                })),
            };
            Some((name.clone(), value))
        });
        Value::from_pairs(drawn_values)
    }

    fn tag_drawn(&self, name: String, text: &str) -> Value {
        self.table.tag_text(PartSource::Draw(name), text)
    }
}

/// Derives the mark around a text from the text itself: no author can include the hash of their own
/// text in it, even with knowledge of the program and its seed.
pub(super) fn fence_nonce(base: &str, text: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update((base.len() as u64).to_le_bytes());
    hasher.update(base);
    hasher.update(text);
    let digest = hasher.finalize();
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
