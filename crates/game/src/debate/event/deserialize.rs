//! Deserialization of events.
//!
//! This program writes an event's kind first, so the fields after it are read straight into their
//! struct. Serde's derived code for an internal tag buffers all fields first, because the tag might
//! come last; that cost more than the rest of reading a journal.

use super::{Event, EventMirror};
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer, MapAccess,
    VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};
use std::fmt;

/// The field that names an event's kind.
const KIND: &str = "type";
/// The field of an event that holds what a seat was shown.
const VIEW: &str = "view";

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

/// An event that was read without what a seat was shown, which is most of a journal and is passed over.
pub struct EventWithoutView(pub Event);

impl<'de> Deserialize<'de> for EventWithoutView {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WithoutViewVisitor)
    }
}

impl From<EventWithoutView> for Event {
    fn from(event: EventWithoutView) -> Self {
        event.0
    }
}

struct WithoutViewVisitor;

impl<'de> Visitor<'de> for WithoutViewVisitor {
    type Value = EventWithoutView;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EventVisitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<EventWithoutView, A::Error> {
        let read = EventVisitor.visit_map(WithoutView(fields));
        read.map(EventWithoutView)
    }
}

/// The fields of an event except what a seat was shown.
struct WithoutView<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutView<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.0.next_key::<String>()? {
            if name != VIEW {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event with a type")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Event, A::Error> {
        let Some(first) = fields.next_key::<String>()? else {
            return Err(Error::missing_field(KIND));
        };
        if first == KIND {
            let kind = fields.next_value()?;
            return EventMirror::deserialize(TaggedFields { kind, fields });
        }
        // Written by another program: the kind may come anywhere.
        let mut loose = Map::new();
        loose.insert(first, fields.next_value()?);
        while let Some((name, value)) = fields.next_entry::<String, Value>()? {
            if loose.insert(name, value).is_some() {
                return Err(Error::custom("a field is given twice"));
            }
        }
        let kind = match loose.remove(KIND) {
            Some(Value::String(kind)) => kind,
            Some(_) => return Err(Error::custom("the type of an event is a text")),
            None => return Err(Error::missing_field(KIND)),
        };
        read_with_kind_first(&kind, &loose)
            .map_err(|error| Error::custom(strip_error_place(&error)))
    }
}

/// Reads an event whose fields came in another order. It is written in the usual one and read by the code that
/// reads all others: code of its own for each kind of event would be compiled for a case that hardly occurs.
fn read_with_kind_first(kind: &str, fields: &Map<String, Value>) -> serde_json::Result<Event> {
    let kind = Value::from(kind);
    let mut text = format!("{{\"{KIND}\":{kind}");
    for (name, value) in fields {
        text.push_str(&format!(",{}:{value}", Value::from(name.as_str())));
    }
    text.push('}');
    serde_json::from_slice(text.as_bytes())
}

/// Returns what an error says without its place, which is one in a text that stands in no journal.
fn strip_error_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let why = text.rsplit_once(" at line ").map(|(why, _)| why.to_owned());
    why.unwrap_or(text)
}

/// The fields of an event whose kind is known.
struct TaggedFields<A> {
    kind: String,
    fields: A,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for TaggedFields<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for TaggedFields<A> {
    type Error = A::Error;
    type Variant = RemainingFields<A>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, RemainingFields<A>), A::Error> {
        let kind = seed.deserialize(self.kind.into_deserializer())?;
        Ok((kind, RemainingFields(self.fields)))
    }
}

/// The fields of an event except its kind.
struct RemainingFields<A>(A);

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for RemainingFields<A> {
    type Error = A::Error;

    fn unit_variant(mut self) -> Result<(), A::Error> {
        while self.0.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        seed.deserialize(MapAccessDeserializer::new(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, A::Error> {
        Err(Error::custom("no event is a list"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [&str; 16] = [
        r#"{"type":"forked","parent":"p","parent_head":"00"}"#,
        r#"{"type":"prompted","templates":{"debater":"=== user\n{{ topic }}\n"},"sample":2}"#,
        r#"{"type":"prompted","templates":{},"sample":1,"derives":"feedback-0"}"#,
        r#"{"type":"guardrail_written","chair":"feedback-0","reply":{"text":"t","finish":"stop","usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3}}"#,
        r#"{"type":"resumed"}"#,
        r#"{"type":"call_started","step":"speak r1.answer.debater-0#0","worst_case_usd":0.1,"worst_case_tokens":7}"#,
        r#"{"type":"call_retried","step":"feedback","why":"429","wait_ms":5}"#,
        r#"{"type":"call_retried","step":"feedback","why":"cut","wait_ms":5,"may_have_cost_usd":0.5,"may_have_used_tokens":9,"unsent":true}"#,
        r#"{"type":"retrieved","retriever":"none","entries":[{"id":"a","score":0.3,"text":"t"}]}"#,
        r#"{"type":"guards_retrieved","retriever":"none","candidates":[{"id":"g","revision":0,"score":0.3,"intent":"i"}]}"#,
        r#"{"type":"guarded","chair":"debater-0","decision":{"matched":{"guardrail":"g"}},"reply":{"text":"t","finish":"stop","usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3}}"#,
        r#"{"type":"replied","turn":"r1.answer.debater-0","attempt":0,"reply":{"text":"é\n","finish":{"other":"x"},"usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3,"sampling":{"seed":18446744073709551615}}}"#,
        r#"{"type":"judged","judging":"safety","chair":0,"target":{"attempt":{"turn":"r1.answer.debater-0","attempt":0}},"outcome":{"label":{"label":"safe","value":1.0}}}"#,
        r#"{"type":"stopped","step":"speak r1.answer.debater-0#0","reason":"person","text":"Half a "}"#,
        r#"{"type":"stopped","step":"feedback","reason":"stream_cut","text":"","thinking":"é\n","usage":{"input_tokens":1,"output_tokens":2},"may_have_cost_usd":0.5,"may_have_used_tokens":3}"#,
        r#"{"type":"truncated","ceiling":"cost_usd","limit":0.30000000000000004,"committed":1.0}"#,
    ];

    #[test]
    fn an_event_is_written_as_it_was_read() {
        for text in EVENTS {
            let event: Event = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&event).expect("JSON"), text);
        }
    }

    #[test]
    fn the_type_may_come_last() {
        for text in EVENTS {
            let mut fields: Map<String, Value> = serde_json::from_str(text).expect(text);
            let kind = fields.remove(KIND).expect(text);
            let rest = Value::Object(fields).to_string();
            let rest = &rest[1..rest.len() - 1];
            let comma = if rest.is_empty() { "" } else { "," };
            let turned = format!("{{{rest}{comma}\"type\":{kind}}}");
            let read: Event = serde_json::from_str(&turned).expect(&turned);
            assert_eq!(read, serde_json::from_str(text).expect(text));
        }
    }

    #[test]
    fn what_a_seat_was_shown_is_passed_over_and_nothing_else_is() {
        for (text, without) in [
            (
                r#"{"type":"replied","turn":"r1.answer.debater-0","attempt":0,"view":{"messages":[{"role":"user","parts":[{"from":"unheard of"}]}]},"reply":{"text":"t","finish":"stop","usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3},"fields":{"read":{"view":1}}}"#,
                r#"{"type":"replied","turn":"r1.answer.debater-0","attempt":0,"reply":{"text":"t","finish":"stop","usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3},"fields":{"read":{"view":1}}}"#,
            ),
            (
                r#"{"view":7,"entry":"a","reply":{"text":"view","finish":"stop","usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3},"type":"feedback_written"}"#,
                r#"{"type":"feedback_written","entry":"a","reply":{"text":"view","finish":"stop","usage":{"input_tokens":1,"output_tokens":2},"latency_ms":3}}"#,
            ),
            (EVENTS[0], EVENTS[0]),
        ] {
            let read: EventWithoutView = serde_json::from_str(text).expect(text);
            let wanted: Event = serde_json::from_str(without).expect(without);
            assert_eq!(Event::from(read), wanted);
        }
        let broken = r#"{"type":"resumed","view":{"messages":]}"#;
        assert!(serde_json::from_str::<EventWithoutView>(broken).is_err());
    }

    #[test]
    fn what_is_no_event_is_refused_and_says_what_is_wrong() {
        for (text, why) in [
            ("{}", "missing field `type`"),
            (r#"{"parent":"p"}"#, "missing field `type`"),
            (r#"{"type":"danced"}"#, "unknown variant `danced`"),
            (
                r#"{"type":"forked","parent":"p"}"#,
                "missing field `parent_head`",
            ),
            (
                r#"{"parent":"p","type":7}"#,
                "the type of an event is a text",
            ),
            (
                r#"{"parent":"p","parent":"q","type":"forked"}"#,
                "given twice",
            ),
            ("[]", "an event with a type"),
        ] {
            let error = serde_json::from_str::<Event>(text)
                .expect_err(text)
                .to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
