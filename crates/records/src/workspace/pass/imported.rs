//! Labels that came with a file, written as the journal of a pass that made no calls.

use super::event::{PassEvent, Rejudged, VerdictAddress};
use super::read::FORMAT;
use super::rules::{PassManifest, PassRules, imported_rubric};
use crate::library::software_name;
use crate::workspace::error::Result;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::Orders;
use elenchus_game::debate::{JudgingId, SessionId, ShownOrder, Target};
use elenchus_store::{Hash, Journals};
use std::path::Path;

/// Name in place of a judge's model.
const FROM_A_FILE: &str = "imported";

/// The labels of one column.
#[derive(Debug, Clone)]
pub struct ImportedPass {
    pub pass: String,
    pub column: String,
    pub file: String,
    pub found: Vec<ImportedVerdict>,
}

/// One label of a column.
#[derive(Debug, Clone)]
pub struct ImportedVerdict {
    pub session: SessionId,
    pub target: Target,
    pub sha256: Hash,
    pub outcome: Outcome,
}

impl ImportedPass {
    /// Writes the journal of the pass; durable when this returns.
    ///
    /// # Errors
    /// When there is such a file, or the disk refuses.
    pub async fn write_pass(self, journals: &Journals, path: &Path, at: &str) -> Result<()> {
        let journal = journals.begin_journal::<PassEvent>(path)?;
        let mut sessions: Vec<SessionId> = Vec::new();
        for found in &self.found {
            if sessions.last() != Some(&found.session) {
                sessions.push(found.session.clone());
            }
        }
        let note = |event: PassEvent| journal.append_without_sync(at, "engine", &event);
        note(PassEvent::Begun(Box::new(PassManifest {
            critiques: Vec::new(),
            orders: Orders::One,
            format: FORMAT,
            pass: self.pass,
            software: software_name(),
            rules: PassRules::Imported {
                column: self.column.clone(),
                file: self.file,
            },
            brought: None,
            judge: None,
            members: Vec::new(),
            sessions,
            template_texts: Default::default(),
            repeat: None,
            ceilings: Default::default(),
        })))?;
        for found in self.found {
            note(PassEvent::Judged(Box::new(Rejudged {
                asked: VerdictAddress {
                    session: found.session,
                    judging: JudgingId::new(self.column.clone()),
                    chair: 0,
                    target: found.target,
                    order: ShownOrder::AsSeated,
                },
                sha256: found.sha256,
                rubric: imported_rubric(&self.column),
                model: FROM_A_FILE.to_owned(),
                attempt: 0,
                outcome: found.outcome,
                view: None,
                reply: None,
            })))?;
        }
        note(PassEvent::Completed {})?;
        Ok(journal.sync().await?)
    }
}
