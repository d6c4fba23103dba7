//! Results of commands, as the labelling screen takes them in.

use super::over::Over;
use super::{Annotate, LabelExtras, LabelProgress, annotate, say};
use crate::annotation::BlindedTranscript;
use crate::debate::SessionId;
use crate::tui::app::Draft;
use crate::tui::app::{AnnotateCard, AnnotateDeed, AnnotateTold, Effect, Revealing, Told, Work};
use crate::tui::theme::Role;
use crate::workspace::annotations::AnnotationTarget;
use std::sync::Arc;

impl Annotate {
    pub(super) fn hear(&mut self, told: &Told) -> Vec<Effect> {
        // Nothing else that comes is about labels.
        let Told::Annotate(told) = told else {
            return Vec::new();
        };
        match told {
            AnnotateTold::Opened(work, card) if Some(work) == self.work.as_ref() => {
                self.opened(work, card)
            }
            AnnotateTold::Sheet(session, sheet) => self.take_sheet(session, sheet),
            AnnotateTold::Given(ticket, result) => self.given(*ticket, result),
            AnnotateTold::TakenBack(ticket, result) => self.taken_back(*ticket, result),
            AnnotateTold::Revealed(on, what, result) => self.shown(on, *what, result),
            AnnotateTold::Disagrees(at) => self.disagrees(*at),
            AnnotateTold::Opened(..) | AnnotateTold::Annotations(_) => Vec::new(),
        }
    }

    /// A note of an earlier time whose label never came.
    pub(super) fn note_found(&mut self, at: usize, draft: Draft) -> Vec<Effect> {
        self.pending.entry(at).or_insert(LabelExtras {
            note: Some(draft.text),
            flagged: false,
        });
        Vec::new()
    }

    fn opened(&mut self, work: &Work, card: &Result<Arc<AnnotateCard>, String>) -> Vec<Effect> {
        let card = match card {
            Ok(card) => card,
            Err(why) => {
                self.empty.clone_from(why);
                return Vec::new();
            }
        };
        self.posts.clone_from(&card.posts);
        self.spent_ms.clone_from(&card.spent_ms);
        self.undo = Self::history(&self.posts);
        self.card = Some(Arc::clone(card));
        let first = card.sheet.iter();
        self.sheets
            .extend(first.map(|sheet| (sheet.session.clone(), Ok(Arc::clone(sheet)))));
        if self.posts.is_empty() {
            self.empty = match work {
                Work::Disputes(_) => {
                    "annotators disagree on nothing here, or fewer than two have labelled"
                        .to_owned()
                }
                Work::Queue(_) | Work::One { .. } => "nothing is to be labelled".to_owned(),
            };
            return Vec::new();
        }
        self.empty.clear();
        // The work resumes at the first item without a label.
        let open = self.posts.iter().position(|post| !Self::is_labelled(post));
        let mut effects = self.go(open.unwrap_or(0));
        let mut words = card.notices.clone();
        if open.is_none() && !matches!(work, Work::One { .. }) {
            self.progress = LabelProgress::Done;
            words.push("everything is labelled".to_owned());
        }
        if !words.is_empty() {
            effects.extend(say(Role::Notice, words.join("; ")));
        }
        effects
    }

    fn take_sheet(
        &mut self,
        session: &SessionId,
        sheet: &Result<Arc<BlindedTranscript>, String>,
    ) -> Vec<Effect> {
        self.sheets.insert(session.clone(), sheet.clone());
        let here = self.post().is_some_and(|post| post.on.session == *session);
        if !here {
            return Vec::new();
        }
        self.turn_page();
        match self.wanted.take_if(|wanted| wanted == session) {
            Some(_) => vec![annotate(AnnotateDeed::Shown)],
            None => Vec::new(),
        }
    }

    fn shown(
        &mut self,
        on: &AnnotationTarget,
        what: Revealing,
        result: &Result<Arc<Vec<String>>, String>,
    ) -> Vec<Effect> {
        let words = match result {
            Ok(words) => words,
            Err(why) => return say(Role::Warning, why.clone()),
        };
        if let Some(card) = &mut self.card {
            let saw = &mut Arc::make_mut(card).saw;
            // The writer of annotations records it; here it is only noted.
            let saw = saw.entry(on.session.clone()).or_default();
            saw.insert(crate::workspace::annotations::Unblinding::Verdict);
        }
        match what {
            Revealing::Verdict => {
                self.take_revealed(on, Arc::clone(words));
                self.turn_page();
            }
            Revealing::View => {
                if self.post().is_some_and(|post| post.on == *on) {
                    self.over = Some(Over::whole_view(words, self.content));
                }
            }
        }
        Vec::new()
    }
}
