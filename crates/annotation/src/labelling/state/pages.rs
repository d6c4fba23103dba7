//! Pages of labelling: question and turn, the letters that mean something now, and words of progress.

use super::effect::{LabellingEffect, LabellingText};
use super::labels::LabelQuestion;
use super::{AnnotatorNames, LabelProgress, LabellingState, TurnDisplay};
use crate::labelling::OpenedWork;
use crate::labelling::{
    LabellingWork, ParagraphGroups, codebook_sections, conclusion_page, debate_page, label_keys,
    others_page, question_page, turn_heading, turn_page,
};
use crate::queue::minutes_left;
use elenchus_game::judge::LabelTarget;
use elenchus_records::workspace::annotations::Blindness;
use elenchus_records::workspace::{FollowUp, LabelSet};
use elenchus_text::word_diff::compare_inline;
use elenchus_text::{Paragraph, Role, format_noun_count};

/// What can be done when everything is labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Compare evaluators with the labels.
    Validate,
    /// Somebody else labels the same queue.
    OtherAnnotator,
    /// Settle what annotators disagree on.
    Adjudicate,
}

/// The letters that mean something now.
#[derive(Debug, Clone, PartialEq)]
pub struct LetterChoices {
    pub choices: Vec<LetterChoice>,
    /// Meaning of the ends of a scale.
    pub scale: Option<Paragraph>,
    /// What is labelled so far; `None` while a category or a strength is asked for.
    pub so_far: Option<Paragraph>,
}

/// A letter, and what it means; the question that letters answer has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetterChoice {
    pub letter: Option<char>,
    pub role: Role,
    pub name: String,
}

impl LetterChoice {
    fn new(letter: char, name: &str) -> Self {
        Self {
            letter: Some(letter),
            role: Role::Text,
            name: name.to_owned(),
        }
    }
}

impl LabellingState {
    /// Returns why there is nothing to label.
    pub fn empty_text(&self) -> &str {
        &self.empty
    }

    /// Returns the question with the turns before, and the turn with what belongs to it.
    pub fn build_pages(&self) -> [ParagraphGroups; 2] {
        [self.build_question_page(), self.turn_pages()]
    }

    fn build_question_page(&self) -> ParagraphGroups {
        let Some(item) = self.item() else {
            return Vec::new();
        };
        match self.transcripts.get(&item.on.session) {
            None => vec![vec![Paragraph::new(Role::Notice, "reading the session")]],
            Some(Err(why)) => vec![vec![Paragraph::new(Role::Error, why.to_string())]],
            Some(Ok(transcript)) => {
                let on = (item.on.attempt.as_ref(), self.label_target());
                question_page(transcript, on, self.shows.before, self.content)
            }
        }
    }

    fn turn_pages(&self) -> ParagraphGroups {
        let Some(item) = self.item() else {
            return Vec::new();
        };
        let mut page = ParagraphGroups::new();
        if self.is_adjudication() {
            let is_named = self.shows.names == AnnotatorNames::Shown;
            page.push(others_page(&item.others, is_named));
        }
        match self.transcript() {
            Some((_, Some(_))) => page.extend(self.turn_text()),
            Some((transcript, None)) => page.extend(match self.label_target() {
                LabelTarget::Conclusion => conclusion_page(transcript, self.content),
                LabelTarget::Turn
                | LabelTarget::Proposal
                | LabelTarget::Critique
                | LabelTarget::Debate => debate_page(transcript, self.content),
            }),
            None if self.transcripts.contains_key(&item.on.session) => {
                let text = "the session does not hold this turn in these words any more";
                page.push(vec![Paragraph::new(Role::Error, text)]);
            }
            None => {}
        }
        if let Some(words) = self.revealed.get(&self.at) {
            let words = words.iter();
            let words = words.map(|word| Paragraph::new(Role::FromVerdict, word.clone()));
            page.push([Paragraph::gap()].into_iter().chain(words).collect());
        }
        page
    }

    fn turn_text(&self) -> ParagraphGroups {
        let Some(turn) = self.turn() else {
            return Vec::new();
        };
        let text = self.content.show_or_mask(&turn.text);
        let woven = match (self.shows.turn, self.previous_turn()) {
            (TurnDisplay::Difference, Some(before)) => compare_inline(
                &self.content.show_or_mask(&before.text),
                &text,
                self.marking,
            ),
            (TurnDisplay::Difference, None) | (TurnDisplay::Whole, _) => None,
        };
        match woven {
            Some(paragraphs) => paragraphs.into_iter().map(|line| vec![line]).collect(),
            None => turn_page(&text),
        }
    }

    /// Names the turn on the screen.
    pub fn turn_title(&self) -> String {
        if self.transcript().is_none() {
            return "turn".to_owned();
        }
        let Some(turn) = self.turn() else {
            return match self.label_target() {
                LabelTarget::Conclusion => "conclusion".to_owned(),
                LabelTarget::Turn
                | LabelTarget::Proposal
                | LabelTarget::Critique
                | LabelTarget::Debate => "debate".to_owned(),
            };
        };
        let heading = turn_heading(turn).runs;
        let mut title: String = heading.into_iter().map(|(_, text)| text).collect();
        if self.shows.turn == TurnDisplay::Difference
            && let Some(before) = self.previous_turn()
        {
            title.push_str(&format!(", against round {}", before.turn_id().round));
        }
        title
    }

    /// Returns the text of the turn on the screen; of a debate as a whole its topic, of a conclusion its answer.
    pub fn current_text(&self) -> Option<String> {
        let (transcript, at) = self.transcript()?;
        match at {
            Some(at) => transcript.turns.get(at).map(|turn| turn.text.clone()),
            None => match &transcript.conclusion {
                Some(conclusion) => Some(conclusion.answer.clone()),
                None => Some(transcript.topic.clone()),
            },
        }
    }

    /// Returns what the label set is about.
    fn label_target(&self) -> LabelTarget {
        let card = self.card.as_ref();
        card.map(|card| card.book.set.of).unwrap_or_default()
    }

    /// Shows the codebook.
    pub fn open_codebook(&self) -> Vec<LabellingEffect> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let book = &card.book;
        let mut page = vec![label_keys(&book.set)];
        page.extend(codebook_sections(&book.codebook));
        vec![LabellingEffect::ShowText(LabellingText {
            title: format!("codebook of '{}'", book.set.id),
            page,
            hides: false,
        })]
    }

    /// Returns the person's earlier words of their own, the most frequent first, in one line.
    pub fn earlier_words(&self) -> String {
        let card = self.card.as_ref();
        card.map(|card| card.words.join(", ")).unwrap_or_default()
    }

    /// Returns the position, in one line. How the item was drawn is not in it.
    pub fn build_heading(&self) -> Paragraph {
        let Some(card) = &self.card else {
            return Paragraph::gap();
        };
        let name = match &self.work {
            LabellingWork::Queue(name) => name.clone(),
            LabellingWork::Disputes(name) => format!("{name}: to be settled"),
            LabellingWork::One { .. } => "one turn".to_owned(),
        };
        let of = self.len();
        // A hidden repeat has no number of its own: whoever counts along could tell it.
        let labelled = match self.count_open_items() {
            0 => of,
            open => (self.items.len() - open).min(of.saturating_sub(1)),
        };
        let head = Paragraph::new(Role::Strong, name)
            .with_run(Role::Muted, format!("  {}  ", card.book.set.id))
            .with_run(Role::Text, format!("{} of {of}", of.min(self.at + 1)))
            .with_run(Role::Muted, format!("  {labelled} labelled"))
            .with_run(Role::Muted, "  as ")
            .with_run(Role::Text, card.annotator.clone())
            .with_run(Role::Muted, self.describe_own_part(card))
            .with_run(Role::Muted, "  ");
        match self.session().and_then(|session| card.saw.get(session)) {
            Some(_) => head.with_run(Role::Warning, "not blind"),
            None => head.with_run(Role::Safe, "blind"),
        }
    }

    /// Says of somebody who settles a dispute that they are one of those who disagree.
    fn describe_own_part(&self, card: &OpenedWork) -> String {
        let others = self.item().map_or(&[][..], |item| &item.others);
        match others.iter().any(|label| label.annotator == card.annotator) {
            true => ", one of those who disagree".to_owned(),
            false => String::new(),
        }
    }

    /// Returns how many items are left, as they are counted in public; 0 when nothing is.
    fn count_left(&self) -> usize {
        let open = self.count_open_items();
        let labelled = self.items.len() - open;
        match open {
            0 => 0,
            _ => self.len().saturating_sub(labelled).max(1),
        }
    }

    /// Says that everything is labelled, and how many labels are not among those that validation counts.
    pub fn describe_end(&self) -> Paragraph {
        let done = Paragraph::new(
            Role::Strong,
            format!("Done: all {} are labelled.", self.len()),
        );
        let mine = self.items.iter().filter_map(|item| item.mine.as_ref());
        let unblinded = mine.filter(|mine| match mine.label.blind {
            Blindness::Blind => false,
            Blindness::Unblinded { .. } | Blindness::Unknown => true,
        });
        match unblinded.count() {
            0 => done,
            count => done.with_run(
                Role::Warning,
                format!(
                    " {count} not blind, or not known to be: validation leaves them out unless it is told otherwise."
                ),
            ),
        }
    }

    /// Says what comes next when everything is labelled, each with the mark of the key that leads there.
    pub fn list_next_steps(&self) -> Vec<(NextStep, String)> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let validate = "how far evaluators agree with these labels";
        let mut steps = vec![(NextStep::Validate, validate.to_owned())];
        if let LabellingWork::Queue(_) = self.work {
            let others = match card.other_annotators {
                0 => "a second annotator labels the same queue: nobody else has yet".to_owned(),
                1 => "another annotator: one beside you has labelled of it".to_owned(),
                many => format!("another annotator: {many} beside you have labelled of it"),
            };
            steps.push((NextStep::OtherAnnotator, others));
            if card.open_disputes > 0 {
                let items = format_noun_count(card.open_disputes, "item");
                let text = format!("settle {items} that annotators label differently");
                steps.push((NextStep::Adjudicate, text));
            }
        }
        steps
    }

    /// Returns how far the work is, in a few words.
    pub fn describe_progress(&self) -> String {
        if self.is_asking() {
            return "Esc leaves it unlabelled".to_owned();
        }
        if self.is_saving() {
            return "saving".to_owned();
        }
        if self.items.is_empty() {
            return String::new();
        }
        if let LabellingWork::One { set, .. } = &self.work {
            return format!("by '{set}'");
        }
        let left = self.count_left();
        match (left, minutes_left(&self.spent_ms, left)) {
            (0, _) if self.progress == LabelProgress::Labelling => "nothing is left".to_owned(),
            (0, _) => "done".to_owned(),
            (left, None) => format!("{left} left"),
            (left, Some(0 | 1)) => format!("{left} left, about a minute"),
            (left, Some(minutes)) => format!("{left} left, about {minutes} minutes"),
        }
    }

    /// Returns the letters that mean something now, and what was said with them so far.
    pub fn letter_choices(&self) -> Option<LetterChoices> {
        let set = &self.card.as_ref()?.book.set;
        Some(match &self.asking {
            Some(asking) => follow_up_choices(set, asking),
            None => self.label_choices(set),
        })
    }

    fn label_choices(&self, set: &LabelSet) -> LetterChoices {
        let mine = self.item().and_then(|item| item.mine.as_ref());
        let current_label = mine.map(|mine| mine.label.label.as_str());
        let labels = set.labels.iter().map(|label| match current_label {
            Some(chosen) if chosen == label.name => LetterChoice {
                role: Role::Selection,
                ..LetterChoice::new(label.key, &format!("[{}]", label.name))
            },
            Some(_) | None => LetterChoice::new(label.key, &label.name),
        });
        let free = set.free.iter();
        let free = free.map(|free| LetterChoice::new(free.key, "words of your own"));
        LetterChoices {
            choices: labels.chain(free).collect(),
            scale: None,
            so_far: Some(self.describe_label_so_far()),
        }
    }

    fn describe_label_so_far(&self) -> Paragraph {
        let mine = self.item().and_then(|item| item.mine.as_ref());
        match (mine, self.pending.get(&self.at)) {
            (Some(mine), _) => Paragraph::new(Role::Muted, "labelled: ")
                .with_run(Role::HumanLabel, mine.describe()),
            (None, Some(pending)) => {
                let mut text = "not labelled yet; with the label goes".to_owned();
                if pending.flagged {
                    text.push_str(" a flag");
                }
                if let Some(note) = &pending.note {
                    text.push_str(&format!(" the note: {note}"));
                }
                Paragraph::new(Role::Muted, text)
            }
            (None, None) => Paragraph::new(Role::Muted, "not labelled"),
        }
    }
}

/// Returns the letters that answer a question after a label.
fn follow_up_choices(set: &LabelSet, asking: &LabelQuestion) -> LetterChoices {
    let question = match (&asking.category, asking.now) {
        (_, FollowUp::Category) => format!("{}: which category?", asking.label),
        (None, FollowUp::Strength) => format!("{}: how strong?", asking.label),
        (Some(category), FollowUp::Strength) => {
            format!("{}, {category}: how strong?", asking.label)
        }
    };
    let mut choices = vec![LetterChoice {
        letter: None,
        role: Role::Strong,
        name: question,
    }];
    let mut scale = None;
    match asking.now {
        FollowUp::Category => {
            let all = set.category_keys().into_iter();
            choices.extend(all.map(|(key, it)| LetterChoice::new(key, &it.name)));
        }
        FollowUp::Strength => {
            let keys = set.strength_keys().into_iter();
            choices.extend(keys.map(|(key, value)| LetterChoice::new(key, &value.to_string())));
            scale = set.strength.as_ref().map(|scale| {
                let text = format!(
                    "1: {}; {}: {}",
                    scale.lowest_means, scale.highest, scale.highest_means
                );
                Paragraph::new(Role::Muted, text)
            });
        }
    }
    LetterChoices {
        choices,
        scale,
        so_far: None,
    }
}
