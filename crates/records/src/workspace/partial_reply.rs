//! Words of a reply that is still coming, as its side file keeps them.

use super::error::Result;
use elenchus_game::debate::event::{Event, StopReason, Stopped, Usage};
use elenchus_game::debate::{State, StepId};
use elenchus_store::{PartialFile, partial_files, read_partial, remove_partial};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The words of a reply so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartialReply {
    /// Public text.
    pub text: String,
    /// Private reasoning.
    pub thinking: String,
    /// As reported by the server.
    pub usage: Option<Usage>,
    /// Cost of that usage; `None` where the model has no prices.
    pub cost_usd: Option<f64>,
}

impl PartialReply {
    /// Returns whether no word has come.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.thinking.trim().is_empty()
    }

    /// Returns the event that keeps the words. The reported usage counts, else the worst case.
    pub fn into_stopped_event(
        self,
        step: StepId,
        reason: StopReason,
        worst_case: WorstCaseUse,
    ) -> Event {
        let (usd, tokens) = match self.usage {
            Some(usage) => {
                let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
                (self.cost_usd, tokens)
            }
            None => (worst_case.usd, worst_case.tokens),
        };
        Event::Stopped(Box::new(Stopped {
            step,
            reason,
            text: self.text,
            thinking: Some(self.thinking).filter(|text| !text.is_empty()),
            usage: self.usage,
            may_have_cost_usd: usd,
            may_have_used_tokens: Some(tokens).filter(|tokens| *tokens > 0),
        }))
    }
}

/// The most that a call can use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstCaseUse {
    /// In US dollars; `None` where the model has no prices.
    pub usd: Option<f64>,
    pub tokens: u64,
}

/// A line of a side file: what came since the line before.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PartialLine {
    /// In the first line: the step of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<StepId>,
    /// The words of the lines before are void, or repeated in this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    anew: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    thinking: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
}

/// Side file of a call that this process makes.
#[derive(Debug)]
pub struct PartialWriter {
    step: StepId,
    file: PartialFile,
    /// What the file holds.
    saved: PartialReply,
}

impl PartialWriter {
    pub(super) fn from_call(journal: &Path, call: u64, step: &StepId) -> Option<Self> {
        Some(Self {
            step: step.clone(),
            file: PartialFile::from_call(journal, call)?,
            saved: PartialReply::default(),
        })
    }

    /// Brings the file to the words so far, in one write; none where it has them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&mut self, now: &PartialReply) -> Result<()> {
        if *now == self.saved || (now.is_empty() && !self.file.has_content()) {
            return Ok(());
        }
        let new = |now: &str, saved: &str| now.strip_prefix(saved).map(str::to_owned);
        let additions =
            new(&now.text, &self.saved.text).zip(new(&now.thinking, &self.saved.thinking));
        let anew = additions.is_none();
        let (text, thinking) =
            additions.unwrap_or_else(|| (now.text.clone(), now.thinking.clone()));
        let line = PartialLine {
            step: (!self.file.has_content()).then(|| self.step.clone()),
            anew,
            text,
            thinking,
            usage: now.usage,
            cost_usd: now.cost_usd,
        };
        // Texts and numbers can always be serialised.
        let line = serde_json::to_vec(&line).unwrap_or_default();
        self.file.append_line(line)?;
        self.saved.clone_from(now);
        Ok(())
    }

    /// Removes the file: the outcome of the call is in the journal.
    pub fn remove_file(&mut self) {
        self.file.remove();
    }
}

/// A reply that was coming when the process that asked for it ended.
#[derive(Debug)]
pub(super) struct KilledReply {
    /// `None` where the journal has the call's outcome, or there is no word.
    pub event: Option<Event>,
    pub path: PathBuf,
}

/// Reads what an earlier process left of its calls. The caller holds the session's lock.
pub(super) fn killed_replies(journal: &Path, state: &State) -> Vec<KilledReply> {
    let files = partial_files(journal).into_iter();
    files
        .map(|(call, path)| KilledReply {
            event: read_words(&path)
                .and_then(|(step, words)| build_stopped_event(state, call, step, words)),
            path,
        })
        .collect()
}

impl KilledReply {
    /// Removes the side file.
    pub fn remove_file(&self) {
        remove_partial(&self.path);
    }
}

fn read_words(path: &Path) -> Option<(StepId, PartialReply)> {
    let bytes = read_partial(path).ok()?;
    let mut step = None;
    let mut words = PartialReply::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        // A line that cannot be read ends what is known.
        let Ok(line) = serde_json::from_slice::<PartialLine>(line) else {
            break;
        };
        step = step.or(line.step);
        if line.anew {
            words = PartialReply::default();
        }
        words.text.push_str(&line.text);
        words.thinking.push_str(&line.thinking);
        if line.usage.is_some() {
            (words.usage, words.cost_usd) = (line.usage, line.cost_usd);
        }
    }
    Some((step?, words))
}

fn build_stopped_event(
    state: &State,
    call: u64,
    step: StepId,
    words: PartialReply,
) -> Option<Event> {
    let open = state.open_call(&step).filter(|open| open.event == call)?;
    let is_known = |reply: &Stopped| {
        let thinking = reply.thinking.as_deref().unwrap_or_default();
        reply.step == step
            && reply.text.starts_with(&words.text)
            && thinking.starts_with(&words.thinking)
    };
    // The end of a try is recorded before its words are taken out of the side file.
    if words.is_empty() || (state.stopped_replies().iter()).any(|known| is_known(&known.reply)) {
        return None;
    }
    let worst_case = WorstCaseUse {
        usd: open.worst_case_usd,
        tokens: open.worst_case_tokens,
    };
    Some(words.into_stopped_event(step, StopReason::Killed, worst_case))
}
