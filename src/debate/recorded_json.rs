//! Recorded JSON: what is kept of a request as it was sent, without a form of our own.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;

/// JSON that is kept as its text: a tree of values takes ten times the room, for every reply of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedJson(Option<Arc<str>>);

impl RecordedJson {
    /// Returns whether there is none.
    pub fn is_null(&self) -> bool {
        self.0.is_none()
    }

    /// Returns it as a value.
    pub fn value(&self) -> Value {
        let text = self.0.as_deref();
        // It was written from a value and reads as that one.
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }
}

impl From<Value> for RecordedJson {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::Null => None,
            value => Some(value.to_string().into()),
        })
    }
}

impl Serialize for RecordedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RecordedJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}
