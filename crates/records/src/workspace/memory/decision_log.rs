//! Decision log of guardrail benchmarks: a benchmark that was stopped continues where it stopped, and no
//! decision is bought twice.

use crate::workspace::error::Result;
use crate::workspace::{Intake, JournalKind, has_fields};
use elenchus_game::debate::{Expense, GuardDecision};
use elenchus_memory::EntryId;
use elenchus_store::{
    Hash, JournalLine, JournalType, Journals, Layout, LazyJournal, SyncPool, TailNotice,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Hex digits that distinguish benchmarks of one writer.
const NAME_DIGITS: usize = 16;

/// Events of a decision log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TrialEvent {
    /// Data set and model of the lines below.
    TrialBegun {
        dataset: String,
        /// SHA-256 of that file, hex.
        sha256: String,
        /// The model that decides, by its name in the configuration.
        model: String,
    },
    /// A model decided about a prompt.
    PromptDecided {
        /// SHA-256 of the exact request, hex.
        request: String,
        /// The prompt's id in its file.
        prompt: String,
        /// The guardrails that it was asked about.
        near: Vec<EntryId>,
        decision: GuardDecision,
        reply: String,
        /// In US dollars; `None` when the model has no price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// Read and written; journals of earlier versions do not say.
        #[serde(default)]
        tokens: u64,
    },
}

/// A decision as it is kept.
pub struct LoggedDecision<'a> {
    pub request: &'a str,
    pub prompt: &'a str,
    pub near: Vec<EntryId>,
    pub decision: GuardDecision,
    pub reply: &'a str,
    pub cost_usd: Option<f64>,
    pub tokens: u64,
}

/// Treatment of earlier decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EarlierDecisions {
    Reuse,
    /// Everything is asked again, once.
    Ignore,
}

/// The journal of tests with one set of prompts by one model.
pub struct DecisionLog {
    journal: Mutex<LazyJournal<TrialEvent>>,
    /// The last decision about each request, with its time.
    decided: Mutex<HashMap<String, (String, GuardDecision)>>,
    notices: Vec<TailNotice>,
}

/// Which test a journal is about.
#[derive(Debug, Clone, Copy)]
pub struct DecisionLogKey<'a> {
    pub namespace: &'a str,
    /// Writer: a person's journal, or a run.
    pub writer: &'a str,
    pub dataset: &'a str,
    /// SHA-256 of that file, hex.
    pub sha256: &'a str,
    pub model: &'a str,
    /// RFC 3339.
    pub at: &'a str,
}

impl DecisionLogKey<'_> {
    fn journal_name(&self) -> String {
        let mut parts = Vec::new();
        for part in [self.sha256, self.model] {
            parts.extend((part.len() as u64).to_be_bytes());
            parts.extend(part.as_bytes());
        }
        format!(
            "{}-{:.NAME_DIGITS$}",
            self.writer,
            Hash::digest(&parts).to_string()
        )
    }
}

impl DecisionLog {
    /// Opens the journal of a test, where there is one. Blocks.
    ///
    /// # Errors
    /// When another process writes to it, or it cannot be read or written.
    pub fn open(layout: &Layout, fsync: &SyncPool, place: &DecisionLogKey<'_>) -> Result<Self> {
        let path = layout.trial_path(place.namespace, &place.journal_name())?;
        let first_event = TrialEvent::TrialBegun {
            dataset: place.dataset.to_owned(),
            sha256: place.sha256.to_owned(),
            model: place.model.to_owned(),
        };
        let journals = Journals::new("guardrails", fsync);
        let journal = LazyJournal::new(journals, path.clone());
        let mut journal = journal.with_first_line(place.at, "engine", first_event);
        let (mut decided, mut notices) = (HashMap::new(), Vec::new());
        if path.exists() {
            notices = journal.open_writer()?.1;
            for line in TrialEvent::read_state(&path)? {
                if let TrialEvent::PromptDecided {
                    request, decision, ..
                } = line.event
                {
                    decided.insert(request, (line.at, decision));
                }
            }
        }
        Ok(Self {
            journal: Mutex::new(journal),
            decided: Mutex::new(decided),
            notices,
        })
    }

    /// Returns what was mended when the journal was opened.
    pub fn notices(&self) -> &[TailNotice] {
        &self.notices
    }

    /// Returns what was decided about a request, named by its SHA-256, at a time (RFC 3339) or later.
    pub fn find_decision(&self, request: &str, since: &str) -> Option<GuardDecision> {
        let decisions = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, decision) = decisions.get(request)?;
        (at.as_str() >= since).then(|| decision.clone())
    }

    /// Keeps a decision, durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn record_decision(&self, at: &str, kept: LoggedDecision<'_>) -> Result<()> {
        let event = TrialEvent::PromptDecided {
            request: kept.request.to_owned(),
            prompt: kept.prompt.to_owned(),
            near: kept.near,
            decision: kept.decision.clone(),
            reply: kept.reply.to_owned(),
            cost_usd: kept.cost_usd,
            tokens: kept.tokens,
        };
        let journal = {
            let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
            journal.open_writer()?.0
        };
        journal.append(at, "engine", &event).await?;
        let mut decisions = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        let decision = (at.to_owned(), kept.decision);
        decisions.insert(kept.request.to_owned(), decision);
        Ok(())
    }
}

impl JournalType for TrialEvent {
    type Event = Self;
    const KIND: &'static str = "guardrail_test";
}

impl JournalKind for TrialEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("test of guardrails", "tests of guardrails");
    const FOLDERS: &'static [&'static str] = &["memory/*/trials"];
    const INTAKE: Intake = Intake::Freely;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "trial_begun", &["dataset", "model"])
    }

    fn fold_journal(_: &Path, lines: Self::State) -> Result<Self::State> {
        Ok(lines)
    }
}

/// Returns what the tests of one writer used. Blocks.
///
/// # Errors
/// When a journal cannot be read; file and line are named.
pub(super) fn trials_expense(layout: &Layout, namespace: &str, writer: &str) -> Result<Expense> {
    let mut sum = Expense::default();
    let begins = format!("{writer}-");
    for path in layout.trial_journals(namespace)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let digits = name.strip_prefix(&begins);
        if digits.is_none_or(|digits| digits.len() != NAME_DIGITS) {
            continue;
        }
        for line in TrialEvent::read_state(&path)? {
            if let TrialEvent::PromptDecided {
                cost_usd, tokens, ..
            } = line.event
            {
                sum = sum.plus(Expense {
                    usd: cost_usd.unwrap_or(0.0),
                    calls: 1,
                    tokens,
                });
            }
        }
    }
    Ok(sum)
}
