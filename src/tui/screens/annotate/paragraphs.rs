//! Paragraphs of the labelling screen: question and turn.

use super::{Annotate, EarlierTurns, Names, TurnDisplay};
use crate::annotation::{BlindedTranscript, BlindedTurn};
use crate::tui::theme::Role;
use crate::tui::widgets::{Marking, Paragraph, prose, woven};
use crate::workspace::annotations::CurrentLabel;

/// Pieces of a text that are laid out together: a long turn is scrolled through by them.
type ParagraphGroups = Vec<Vec<Paragraph>>;

impl Annotate {
    /// Question, and the turns before.
    pub(super) fn question_page(&self) -> ParagraphGroups {
        let Some(post) = self.post() else {
            return Vec::new();
        };
        let sheet = match self.sheets.get(&post.on.session) {
            None => return vec![vec![Paragraph::of(Role::Notice, "reading the session")]],
            Some(Err(why)) => return vec![vec![Paragraph::of(Role::Error, why.clone())]],
            Some(Ok(sheet)) => sheet,
        };
        let mut items: ParagraphGroups = Vec::new();
        for (who, text) in &sheet.conversation {
            items.push(self.said(who, Role::Muted, text));
        }
        let topic = prose(Role::FromTopic, 0, &self.content.of(&sheet.topic));
        items.push(topic);
        if let Some(context) = &sheet.context {
            items.push(self.said("with it", Role::FromDocument, context));
        }
        for (name, text) in &sheet.documents {
            items.push(self.said(name, Role::FromDocument, text));
        }
        for option in &sheet.options {
            items.push(self.said("option", Role::FromTopic, option));
        }
        let before = self.before(sheet);
        match (before.len(), self.shows.before) {
            (0, _) => {}
            (count, EarlierTurns::Folded) => {
                let turns = match count {
                    1 => "1 turn".to_owned(),
                    many => format!("{many} turns"),
                };
                items.push(vec![
                    Paragraph::gap(),
                    Paragraph::of(Role::Muted, format!("{turns} before, folded")),
                ]);
            }
            (_, EarlierTurns::Unfolded) => {
                for turn in before {
                    items.push(vec![Paragraph::gap(), heading(turn)]);
                    items.extend(lines(Role::FromPeer, &self.content.of(&turn.text)));
                }
            }
        }
        items
    }

    fn before<'a>(&self, sheet: &'a BlindedTranscript) -> &'a [BlindedTurn] {
        let on = self.post().and_then(|post| post.on.attempt.as_ref());
        match on.map(|on| sheet.find(on)) {
            Some(Some(at)) => {
                let before = sheet.turns.get(at).map_or(0, |turn| turn.before);
                sheet.turns.get(..before).unwrap_or_default()
            }
            Some(None) => &[],
            // A debate as a whole is read from its first turn, next to the question.
            None => &[],
        }
    }

    fn said(&self, who: &str, role: Role, text: &str) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::of(Role::Strong, who.to_owned())];
        page.extend(prose(role, 2, &self.content.of(text)));
        page
    }

    /// The turn, and what belongs to it.
    pub(super) fn turn_page_items(&self) -> ParagraphGroups {
        let Some(post) = self.post() else {
            return Vec::new();
        };
        let mut items: ParagraphGroups = Vec::new();
        if self.settles() {
            items.push(self.others(&post.others));
        }
        match self.sheet() {
            Some((sheet, Some(at))) => items.extend(self.turn_text(sheet, at)),
            Some((sheet, None)) => {
                for turn in &sheet.turns {
                    items.push(vec![heading(turn)]);
                    items.extend(lines(Role::Text, &self.content.of(&turn.text)));
                    items.push(vec![Paragraph::gap()]);
                }
            }
            None if self.sheets.contains_key(&post.on.session) => {
                let text = "the session does not hold this turn in these words any more";
                items.push(vec![Paragraph::of(Role::Error, text)]);
            }
            None => {}
        }
        if let Some(words) = self.revealed.get(&self.at) {
            let mut page = vec![Paragraph::gap()];
            let words = words.iter();
            page.extend(words.map(|word| Paragraph::of(Role::FromVerdict, word.clone())));
            items.push(page);
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
            None if text.trim().is_empty() => {
                vec![vec![Paragraph::of(Role::Notice, "nothing was said")]]
            }
            None => lines(Role::Text, &text),
        }
    }

    /// Labels of annotators, named or not.
    fn others(&self, others: &[CurrentLabel]) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for (at, standing) in others.iter().enumerate() {
            let who = match self.shows.names {
                Names::Shown => standing.annotator.clone(),
                Names::Hidden => format!("annotator {}", at + 1),
            };
            page.push(
                Paragraph::of(Role::Muted, format!("{who}: "))
                    .and(Role::HumanLabel, described(standing)),
            );
        }
        page.push(Paragraph::gap());
        page
    }
}

/// A label in words, with what came with it.
pub(super) fn described(standing: &CurrentLabel) -> String {
    let label = &standing.label;
    let mut text = label.label.clone();
    if let Some(category) = &label.category {
        text.push_str(&format!(", {category}"));
    }
    if let Some(strength) = label.strength {
        text.push_str(&format!(", strength {strength}"));
    }
    if label.flagged {
        text.push_str(", flagged");
    }
    if let Some(note) = &label.note {
        text.push_str(&format!(" ({note})"));
    }
    text
}

/// Heading of a turn: seat and round.
pub(super) fn heading(turn: &BlindedTurn) -> Paragraph {
    Paragraph::of(
        Role::Strong,
        format!("{}, round {}", turn.who, turn.turn().round),
    )
}

fn lines(role: Role, text: &str) -> ParagraphGroups {
    prose(role, 0, text)
        .into_iter()
        .map(|line| vec![line])
        .collect()
}

impl Annotate {
    /// Differences are marked as this terminal can show them.
    pub(super) fn mark_by(&mut self, marking: Marking) {
        if self.marking != marking {
            self.marking = marking;
            self.turn_page();
        }
    }
}
