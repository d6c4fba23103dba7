//! Kinds of journals of a store, with their names.

/// Kind of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JournalKind {
    Session,
    Run,
    Pass,
    /// Two prompts compared.
    Comparison,
    Queue,
    Lessons,
    Guardrails,
    /// Decision log of a guardrail benchmark.
    GuardrailTest,
    /// Annotations of a person, or the record of what they were shown.
    Notes,
    PromptVersions,
    /// Blinded transcript of a session, in a pack.
    Sheet,
    /// For whom a pack is, and what was handed out.
    Pack,
}

impl JournalKind {
    /// Returns what one of them is called, as in "1 run".
    pub fn name(self) -> &'static str {
        match self {
            JournalKind::Session => "session",
            JournalKind::Run => "run",
            JournalKind::Pass => "pass",
            JournalKind::Comparison => "comparison",
            JournalKind::Queue => "queue",
            JournalKind::Lessons => "journal of lessons",
            JournalKind::Guardrails => "journal of guardrails",
            JournalKind::GuardrailTest => "test of guardrails",
            JournalKind::Notes => "annotator's journal",
            JournalKind::PromptVersions => "journal of prompt versions",
            JournalKind::Sheet => "sheet",
            JournalKind::Pack => "record of a pack",
        }
    }

    /// Returns what several are called.
    pub fn plural(self) -> &'static str {
        match self {
            JournalKind::Session => "sessions",
            JournalKind::Run => "runs",
            JournalKind::Pass => "passes",
            JournalKind::Comparison => "comparisons",
            JournalKind::Queue => "queues",
            JournalKind::Lessons => "journals of lessons",
            JournalKind::Guardrails => "journals of guardrails",
            JournalKind::GuardrailTest => "tests of guardrails",
            JournalKind::Notes => "annotators' journals",
            JournalKind::PromptVersions => "journals of prompt versions",
            JournalKind::Sheet => "sheets",
            JournalKind::Pack => "records of packs",
        }
    }
}
