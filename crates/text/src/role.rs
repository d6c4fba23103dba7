//! Roles: meanings of pieces of the screen. Screens name roles, themes give them looks; no screen
//! names a colour.

use serde::Deserialize;

/// Meaning of a piece of text or a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Text,
    /// Less important: ages, hints, context that is folded.
    Muted,
    /// Names of seats, headings.
    Strong,
    /// Attention: the open step, a match of a filter.
    Accent,
    Border,
    BorderFocused,
    StatusLine,
    /// The key in a hint.
    KeyHint,
    /// The chosen row of a list.
    Selection,
    /// The turn under the cursor, in every pane.
    Cursor,
    /// A match of a search.
    Match,
    Safe,
    Unsafe,
    /// Neither good nor bad.
    Middle,
    Unparsed,
    /// A person's finding, next to the evaluator's.
    HumanLabel,
    Human,
    Simulated,
    Private,
    Thinking,
    /// A reply that is still coming.
    Streaming,
    Notice,
    Warning,
    Error,
    Added,
    Removed,
    /// Origin of a part of a view.
    FromTemplate,
    FromTopic,
    FromDocument,
    FromPeer,
    FromOwn,
    FromPersona,
    FromMemory,
    FromVerdict,
    FromPerson,
    /// Content that is hidden for work in public.
    Masked,
}

impl Role {
    /// Every role, in the order themes list them.
    pub const ALL: [Role; 36] = [
        Role::Text,
        Role::Muted,
        Role::Strong,
        Role::Accent,
        Role::Border,
        Role::BorderFocused,
        Role::StatusLine,
        Role::KeyHint,
        Role::Selection,
        Role::Cursor,
        Role::Match,
        Role::Safe,
        Role::Unsafe,
        Role::Middle,
        Role::Unparsed,
        Role::HumanLabel,
        Role::Human,
        Role::Simulated,
        Role::Private,
        Role::Thinking,
        Role::Streaming,
        Role::Notice,
        Role::Warning,
        Role::Error,
        Role::Added,
        Role::Removed,
        Role::FromTemplate,
        Role::FromTopic,
        Role::FromDocument,
        Role::FromPeer,
        Role::FromOwn,
        Role::FromPersona,
        Role::FromMemory,
        Role::FromVerdict,
        Role::FromPerson,
        Role::Masked,
    ];

    /// Returns the name in theme files.
    pub fn name(self) -> String {
        let variant = format!("{self:?}");
        let mut name = String::with_capacity(variant.len() + 2);
        for (at, c) in variant.char_indices() {
            if at > 0 && c.is_ascii_uppercase() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    #[test]
    fn every_role_is_listed_once_in_its_place_and_read_by_its_name() {
        for (place, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, place);
            let name = role.name();
            let reader: StrDeserializer<'_, Error> = name.as_str().into_deserializer();
            assert_eq!(Role::deserialize(reader), Ok(role), "{name}");
        }
    }
}
