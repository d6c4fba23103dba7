//! Disclosure while one labels: what is hidden is shown on request, once that is on record, and labels that come
//! afterwards are not blind.

use super::LabellingState;
use super::effect::{LabellingEffect, LabellingText, notice_effect, warning_effect};
use super::reads_writes::{LabellingRead, LabellingWrite};
use crate::labelling::view_page;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{AnnotationTarget, Revealing};
use elenchus_text::{Role, prose_paragraphs};
use std::sync::Arc;

impl LabellingState {
    /// Shows what is hidden; where labels of the same session are to come, it is asked for twice.
    ///
    /// What evaluators found comes before why: asked for once more, their reasons are shown.
    pub fn reveal(&mut self, what: Revealing) -> Vec<LabellingEffect> {
        let what = match (what, self.revealed.contains_key(&self.at)) {
            (Revealing::Verdict, true) => Revealing::Reasons,
            (what, _) => what,
        };
        let Some(on) = self.item().map(|item| item.on.clone()) else {
            return Vec::new();
        };
        let items = self.items.iter();
        let open = items.filter(|item| item.on.session == on.session && item.mine.is_none());
        let open = open.count();
        let card = self.card.as_ref();
        let is_known = card.is_some_and(|card| card.saw.contains_key(&on.session));
        if open > 0 && !is_known && self.warned != Some(self.at) {
            self.warned = Some(self.at);
            let labels = match open {
                1 => "1 label that is".to_owned(),
                many => format!("{many} labels that are"),
            };
            return warning_effect(format!(
                "{} again shows it; {labels} to come on this session will not be blind",
                self.keys.reveal
            ));
        }
        vec![LabellingEffect::Write(LabellingWrite::Reveal(on, what))]
    }

    /// Takes in what was hidden; the record that it is shown is durable.
    pub(super) fn handle_reveal_result(
        &mut self,
        on: &AnnotationTarget,
        what: Revealing,
        result: Result<Arc<Vec<String>>, WorkspaceError>,
    ) -> Vec<LabellingEffect> {
        let words = match result {
            Ok(words) => words,
            Err(why) => return warning_effect(why.to_string()),
        };
        if let Some(card) = &mut self.card {
            let saw = &mut Arc::make_mut(card).saw;
            // The writer of annotations records it; here it is only noted.
            let saw = saw.entry(on.session.clone()).or_default();
            saw.extend(what.unblindings());
        }
        match what {
            Revealing::Verdict | Revealing::Reasons => {
                // A hidden repeat is on the same turn as an earlier item.
                let at = match self.is_on(on) {
                    true => Some(self.at),
                    false => self.items.iter().position(|item| item.on == *on),
                };
                self.revealed.extend(at.map(|at| (at, words)));
                let mut effects = vec![LabellingEffect::PageChanged];
                if what == Revealing::Verdict {
                    let text =
                        format!("{} again shows why; that is recorded too", self.keys.reveal);
                    effects.extend(notice_effect(text));
                }
                effects
            }
            Revealing::View if self.is_on(on) => vec![self.build_whole_view(&words)],
            Revealing::View => Vec::new(),
        }
    }

    /// Shows what the seat was shown, without what would unblind.
    pub fn open_view(&self) -> Vec<LabellingEffect> {
        let Some((transcript, Some(at))) = self.transcript() else {
            return notice_effect("no model was shown a debate as a whole");
        };
        let turn = transcript.turns.get(at);
        let Some(turn) = turn.filter(|turn| !turn.saw.is_empty()) else {
            return notice_effect("what the seat was shown is not known here");
        };
        vec![LabellingEffect::ShowText(LabellingText {
            title: "what the seat saw".to_owned(),
            page: view_page(turn, self.content),
            hides: true,
        })]
    }

    /// Shows everything that the seat was shown.
    fn build_whole_view(&self, messages: &[String]) -> LabellingEffect {
        let messages = messages.iter();
        let page = messages
            .map(|message| prose_paragraphs(Role::Text, 0, &self.content.show_or_mask(message)));
        LabellingEffect::ShowText(LabellingText {
            title: "all of what the seat saw".to_owned(),
            page: page.collect(),
            hides: false,
        })
    }

    /// Goes to the next item that others disagree on, or on which an evaluator disagrees with a label that is
    /// not blind any more.
    pub fn next_disagreement(&mut self) -> Vec<LabellingEffect> {
        if self.is_adjudication() {
            return self.go_to_unlabelled_item();
        }
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let unblinded_labels = self.places_after(self.at).filter_map(|at| {
            let item = self.items.get(at)?;
            let label = &item.mine.as_ref()?.label.label;
            card.saw.get(&item.on.session)?;
            Some((at, item.on.clone(), card.book.set.table_side(label)?))
        });
        let unblinded_labels: Vec<_> = unblinded_labels.collect();
        if unblinded_labels.is_empty() {
            return notice_effect(
                "everything you have labelled is blind: disagreements with evaluators are not shown",
            );
        }
        vec![LabellingEffect::Read(LabellingRead::Disagreement(
            unblinded_labels,
        ))]
    }

    /// Goes to where evaluators disagree with the person.
    pub(super) fn handle_disagreement(&mut self, at: Option<usize>) -> Vec<LabellingEffect> {
        match at {
            Some(at) => self.go_to_item(at),
            None => {
                notice_effect("evaluators agree with all your labels that are not blind any more")
            }
        }
    }
}
