//! Recorded values: what is read seldom and kept for every reply, in the form of a journal.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::marker::PhantomData;
use std::sync::Arc;

/// A value as the JSON of a journal.
///
/// Thousands of replies are in memory at once and one is looked at: the parts of a view, or the tree of a
/// request's settings, take ten times the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded<T> {
    /// `None` for the value that there is by default.
    json: Option<Arc<str>>,
    of: PhantomData<fn() -> T>,
}

impl<T> Recorded<T> {
    /// Returns whether it is what there is by default.
    pub fn is_default(&self) -> bool {
        self.json.is_none()
    }
}

impl<T: DeserializeOwned + Default> Recorded<T> {
    /// Returns the value.
    pub fn decode(&self) -> T {
        let json = self.json.as_deref();
        // It was written from a value of this type and reads as that one.
        json.and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default()
    }
}

impl<T> Default for Recorded<T> {
    fn default() -> Self {
        Self {
            json: None,
            of: PhantomData,
        }
    }
}

impl<T: Serialize + Default + PartialEq> From<&T> for Recorded<T> {
    fn from(value: &T) -> Self {
        let json = (*value != T::default()).then(|| serde_json::to_string(value).ok());
        Self {
            json: json.flatten().map(Arc::from),
            of: PhantomData,
        }
    }
}

impl<T: Serialize + DeserializeOwned + Default> Serialize for Recorded<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.decode().serialize(serializer)
    }
}

impl<'de, T: Serialize + DeserializeOwned + Default + PartialEq> Deserialize<'de> for Recorded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(|value| Self::from(&value))
    }
}
