//! Entries of long-term memory: lessons and guardrails.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use super::guardrail::{DerivedBy, GuardAcceptance, GuardReport, GuardText};

/// Names an entry; unique in every store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub String);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The debate that an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryOrigin {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub topic_id: String,
    pub topic_text: String,
    /// What the user said before the topic; empty without a conversation, and in entries of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said_before: String,
    /// The session at the root of the fork tree; the session itself when it is no fork.
    pub root_session: String,
    /// The batch of its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
}

/// Kind of an entry.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    #[default]
    /// A text that debates are shown.
    Lesson,
    /// An intent that is refused before a debater answers, once it is accepted.
    Guardrail,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [EntryKind; 2] = [EntryKind::Lesson, EntryKind::Guardrail];
}

/// A text of an entry, present or past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryVersion {
    pub text: String,
    /// Those of a guardrail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Time of writing, RFC 3339.
    pub at: String,
    /// The journal that holds the text.
    pub journal: String,
}

/// A lesson that became part of an entry that says nearly the same, or a proposal of the same intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedEntry {
    /// Its own id.
    pub id: EntryId,
    /// The debate that taught it; empty when a person wrote it.
    pub session: String,
    pub text: String,
    pub at: String,
}

/// One lesson or guardrail.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(remote = "Self")]
pub struct MemoryEntry {
    pub id: EntryId,
    /// A lesson's text, or the intent of a guardrail.
    pub text: String,
    /// How a guardrail's intent is asked; none for a lesson.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The debates that taught it, first the source of its text; empty when a person wrote it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<EntryOrigin>,
    /// Time of the last change of the text, RFC 3339.
    pub at: String,
    /// The journal that holds the text.
    pub journal: String,
    /// Number of edits; together with the id it identifies one text for good.
    pub revision: u32,
    pub disabled: bool,
    pub deleted: bool,
    /// Earlier texts, oldest first; text `n` is revision `n`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EntryVersion>,
    /// What was merged into it, as it was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedEntry>,
    /// What only a guardrail has.
    #[serde(skip)]
    pub guardrail: Option<Guardrail>,
}

/// What a guardrail has besides its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Guardrail {
    pub status: GuardStatus,
    /// The call that derived it first.
    pub derived: Option<DerivedBy>,
    /// Every benign test, oldest first.
    pub tests: Vec<GuardReport>,
}

/// Status of a guardrail's acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum GuardStatus {
    Proposed,
    Accepted(GuardAcceptance),
    Rejected,
}

impl GuardStatus {
    /// Returns the word that is shown.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Availability of an entry to debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EntryStatus {
    Live,
    /// Kept and listed, and not shown to debates.
    Disabled,
    /// Kept, and neither listed nor shown; it can be brought back.
    Deleted,
}

impl EntryStatus {
    /// Returns the name for display.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl MemoryEntry {
    /// Returns a live lesson without an origin.
    pub fn new(id: &EntryId, text: &str, at: &str, journal: &str) -> Self {
        MemoryEntry {
            id: id.clone(),
            text: text.to_owned(),
            examples: Vec::new(),
            origins: Vec::new(),
            at: at.to_owned(),
            journal: journal.to_owned(),
            revision: 0,
            disabled: false,
            deleted: false,
            earlier: Vec::new(),
            merged: Vec::new(),
            guardrail: None,
        }
    }

    /// Returns what it is.
    pub fn kind(&self) -> EntryKind {
        match self.guardrail {
            None => EntryKind::Lesson,
            Some(_) => EntryKind::Guardrail,
        }
    }

    /// Returns its availability to debates.
    pub fn availability(&self) -> EntryStatus {
        match (self.deleted, self.disabled) {
            (true, _) => EntryStatus::Deleted,
            (false, true) => EntryStatus::Disabled,
            (false, false) => EntryStatus::Live,
        }
    }

    /// Returns the acceptance of a guardrail; none of a lesson.
    pub fn acceptance(&self) -> Option<GuardStatus> {
        self.guardrail.as_ref().map(|guardrail| guardrail.status)
    }

    /// Returns whether debates use it: it is live, and accepted where it is a guardrail.
    pub fn is_active(&self) -> bool {
        let has_acceptance = match self.acceptance() {
            None | Some(GuardStatus::Accepted(_)) => true,
            Some(GuardStatus::Proposed | GuardStatus::Rejected) => false,
        };
        has_acceptance && self.availability() == EntryStatus::Live
    }

    /// Returns its availability as text, and the acceptance of a guardrail.
    pub fn describe_status(&self) -> String {
        let Some(status) = self.acceptance() else {
            return self.availability().name().to_owned();
        };
        let mut words = status.name().to_owned();
        match status {
            GuardStatus::Accepted(GuardAcceptance::Untested) => words.push_str(" untested"),
            GuardStatus::Accepted(GuardAcceptance::Threshold { max_over_refusal }) => {
                words.push_str(&format!(" at {max_over_refusal}"));
            }
            GuardStatus::Accepted(GuardAcceptance::ByHand)
            | GuardStatus::Proposed
            | GuardStatus::Rejected => {}
        }
        for (is, word) in [(self.disabled, ", disabled"), (self.deleted, ", deleted")] {
            words.push_str(if is { word } else { "" });
        }
        words
    }

    /// Returns every benign test of a guardrail, oldest first.
    pub fn benign_tests(&self) -> &[GuardReport] {
        let guardrail = self.guardrail.as_ref();
        guardrail.map_or(&[], |guardrail| &guardrail.tests)
    }

    /// Returns the last benign test of the text that it has now.
    pub fn current_report(&self) -> Option<&GuardReport> {
        let last = self.benign_tests().last()?;
        (last.revision == self.revision).then_some(last)
    }

    /// Returns its text as a person writes it: a guardrail's intent, then an example a line.
    pub fn as_lines(&self) -> String {
        let examples = self.examples.iter();
        let lines: String = examples.map(|example| format!("\n- {example}")).collect();
        format!("{}{lines}", self.text)
    }

    /// Returns whether a debate is among its origins.
    pub fn has_origin(&self, session: &str) -> bool {
        self.origins.iter().any(|origin| origin.session == session)
    }

    /// Returns all its texts, oldest first, the present one last.
    pub fn collect_versions(&self) -> Vec<EntryVersion> {
        let mut versions = self.earlier.clone();
        versions.push(EntryVersion {
            text: self.text.clone(),
            examples: self.examples.clone(),
            at: self.at.clone(),
            journal: self.journal.clone(),
        });
        versions
    }

    /// Returns whether an id is its own, or that of one merged into it.
    pub fn has_id(&self, id: &EntryId) -> bool {
        &self.id == id || self.merged.iter().any(|merged| &merged.id == id)
    }
}

impl Serialize for MemoryEntry {
    /// Writes lessons and guardrails with the fields that each has had from the beginning.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(guardrail) = &self.guardrail else {
            return MemoryEntry::serialize(self, serializer);
        };
        let versions = self.earlier.iter().zip(0..);
        let versions = versions.map(|(version, revision)| GuardrailVersion {
            revision,
            text: GuardText {
                intent: version.text.clone(),
                examples: version.examples.clone(),
            },
            at: &version.at,
        });
        GuardrailFields {
            id: &self.id,
            intent: &self.text,
            examples: &self.examples,
            origins: &self.origins,
            merged: self.merged.iter().map(|merged| &merged.id).collect(),
            standing: guardrail.status,
            revision: self.revision,
            disabled: self.disabled,
            deleted: self.deleted,
            at: &self.at,
            versions: versions.collect(),
            derived: guardrail.derived.as_ref(),
            tests: &guardrail.tests,
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct GuardrailFields<'a> {
    id: &'a EntryId,
    intent: &'a str,
    examples: &'a [String],
    origins: &'a [EntryOrigin],
    merged: Vec<&'a EntryId>,
    standing: GuardStatus,
    revision: u32,
    disabled: bool,
    deleted: bool,
    at: &'a str,
    versions: Vec<GuardrailVersion<'a>>,
    derived: Option<&'a DerivedBy>,
    tests: &'a [GuardReport],
}

#[derive(Serialize)]
struct GuardrailVersion<'a> {
    revision: u32,
    text: GuardText,
    at: &'a str,
}
