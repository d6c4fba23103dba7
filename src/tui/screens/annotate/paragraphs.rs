//! Paragraphs of the labelling screen: question and turn.

use super::{Annotate, Names, TurnDisplay};
use crate::annotation::BlindedTranscript;
use crate::annotation::labelling::{
    ParagraphGroups, debate_page, others_page, question_page, turn_page,
};
use crate::tui::theme::Role;
use crate::tui::widgets::{Marking, Paragraph, woven};

impl Annotate {
    /// Question, and the turns before.
    pub(super) fn question_page(&self) -> ParagraphGroups {
        let Some(post) = self.post() else {
            return Vec::new();
        };
        match self.sheets.get(&post.on.session) {
            None => vec![vec![Paragraph::of(Role::Notice, "reading the session")]],
            Some(Err(why)) => vec![vec![Paragraph::of(Role::Error, why.clone())]],
            Some(Ok(sheet)) => {
                let on = post.on.attempt.as_ref();
                question_page(sheet, on, self.shows.before, self.content)
            }
        }
    }

    /// The turn, and what belongs to it.
    pub(super) fn turn_page_items(&self) -> ParagraphGroups {
        let Some(post) = self.post() else {
            return Vec::new();
        };
        let mut items = ParagraphGroups::new();
        if self.settles() {
            items.push(others_page(&post.others, self.shows.names == Names::Shown));
        }
        match self.sheet() {
            Some((sheet, Some(at))) => items.extend(self.turn_text(sheet, at)),
            Some((sheet, None)) => items.extend(debate_page(sheet, self.content)),
            None if self.sheets.contains_key(&post.on.session) => {
                let text = "the session does not hold this turn in these words any more";
                items.push(vec![Paragraph::of(Role::Error, text)]);
            }
            None => {}
        }
        if let Some(words) = self.revealed.get(&self.at) {
            let words = words.iter();
            let words = words.map(|word| Paragraph::of(Role::FromVerdict, word.clone()));
            items.push([Paragraph::gap()].into_iter().chain(words).collect());
        }
        items
    }

    fn turn_text(&self, sheet: &BlindedTranscript, at: usize) -> ParagraphGroups {
        let Some(turn) = sheet.turns.get(at) else {
            return Vec::new();
        };
        let text = self.content.of(&turn.text);
        let before = sheet.before(at).map(|before| self.content.of(&before.text));
        let woven = match (self.shows.turn, before) {
            (TurnDisplay::Difference, Some(before)) => woven(&before, &text, self.marking),
            (TurnDisplay::Difference, None) | (TurnDisplay::Whole, _) => None,
        };
        match woven {
            Some(paragraphs) => paragraphs.into_iter().map(|line| vec![line]).collect(),
            None => turn_page(&text),
        }
    }

    /// Differences are marked as this terminal can show them.
    pub(super) fn mark_by(&mut self, marking: Marking) {
        if self.marking != marking {
            self.marking = marking;
            self.turn_page();
        }
    }
}
