//! Roles: meanings of pieces of the screen. Screens name roles, themes give them looks; no screen
//! names a colour.

use serde::Deserialize;

/// Meaning of a piece of text or a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the name in theme files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    #[test]
    fn every_role_is_read_by_its_name() {
        for role in Role::ALL {
            let name = role.name();
            let reader: StrDeserializer<'_, Error> = name.into_deserializer();
            assert_eq!(Role::deserialize(reader).as_ref(), Ok(role), "{name}");
        }
    }
}
