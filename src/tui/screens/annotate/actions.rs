//! Actions of the labelling screen.

use super::labelling::done_text;
use super::over::{Over, TypedLine};
use super::{Annotate, AnnotatePane, Below, LabelProgress, Names, TurnDisplay, tasks};
use crate::annotation::labelling::{EarlierTurns, LabellingWork};
use crate::annotation::queue::minutes_left;
use crate::tui::app::{Command, Effect, say, warn};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::widgets::LineInput;
use crate::workspace::Draft;
use crate::workspace::annotations::{AnnotationTarget, Revealing};

impl Annotate {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if self.over.is_some() {
            return self.answer_over(action);
        }
        if self.work.is_none() {
            return self.choose(action);
        }
        if action == Action::Back && self.asking.take().is_some() {
            return say("not labelled");
        }
        if self.posts.is_empty() {
            return match action {
                Action::Back => self.leave(),
                _ => Vec::new(),
            };
        }
        self.asking = None;
        if action == Action::Open && self.progress != LabelProgress::Labelling {
            self.progress = LabelProgress::Labelling;
            return say("letters change labels again");
        }
        let is_closed = self.progress == LabelProgress::Done;
        if is_closed && !matches!(action, Action::Back | Action::Undo | Action::Interrupt) {
            return say(done_text());
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::NextTurn => self.step(1),
            Action::PreviousTurn => self.step(-1),
            Action::NextUnlabelled => self.next_unlabelled(self.at),
            Action::NextDisagreement => self.next_dispute(),
            Action::SaidBefore => {
                self.shows.before = match self.shows.before {
                    EarlierTurns::Folded => EarlierTurns::Unfolded,
                    EarlierTurns::Unfolded => EarlierTurns::Folded,
                };
                self.turn_page();
                self.focus = match self.shows.before {
                    EarlierTurns::Folded => AnnotatePane::Turn,
                    EarlierTurns::Unfolded => AnnotatePane::Question,
                };
                Vec::new()
            }
            Action::Difference => self.difference(),
            Action::Codebook => self.open_codebook(),
            Action::Inspect => self.open_saw(),
            Action::Note => {
                let note = self.pending_here().note.unwrap_or_default();
                self.over = Some(Over::Line(TypedLine::Note, LineInput::new(&note)));
                Vec::new()
            }
            Action::Flag => self.flag(),
            Action::Reveal => self.reveal(Revealing::Verdict),
            Action::Names => self.name_annotators(),
            Action::NextSet => self.next_set(),
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = match self.focus {
                    AnnotatePane::Question => AnnotatePane::Turn,
                    AnnotatePane::Turn => AnnotatePane::Question,
                };
                Vec::new()
            }
            Action::Copy => match self.text_here() {
                Some(text) => vec![Effect::Do(Command::Copy(text))],
                None => Vec::new(),
            },
            Action::Pager => match self.text_here() {
                Some(text) => vec![Effect::Do(Command::Page(text))],
                None => Vec::new(),
            },
            action => self.scroll(action),
        }
    }

    fn leave(&mut self) -> Vec<Effect> {
        match self.below {
            Below::Another if self.choice.is_read() => self.back_to_queues(),
            Below::Another => vec![Effect::Leave],
            // A key torn apart by a slow link must not end the work.
            Below::Nothing => say(format!(
                "{} leaves; every label that was given is kept",
                key_for(Context::Annotate, Action::Quit)
            )),
        }
    }

    fn step(&mut self, by: isize) -> Vec<Effect> {
        let last = self.posts.len().saturating_sub(1);
        let to = self.at.saturating_add_signed(by).min(last);
        if to == self.at {
            let text = if by < 0 {
                "this is the first"
            } else {
                "this is the last"
            };
            return say(text);
        }
        self.go(to)
    }

    /// Goes to the next that is not labelled, from the beginning again where there is none behind.
    pub(super) fn next_unlabelled(&mut self, from: usize) -> Vec<Effect> {
        let count = self.posts.len();
        let behind = (from + 1..count).chain(0..count.min(from + 1));
        let mut open = behind.filter(|at| {
            let post = self.posts.get(*at);
            post.is_some_and(|post| !Self::is_labelled(post))
        });
        match open.next() {
            Some(at) if at != self.at => self.go(at),
            Some(_) => say("this is the only one left"),
            None => say("everything is labelled"),
        }
    }

    fn next_dispute(&mut self) -> Vec<Effect> {
        if self.settles() {
            return self.next_unlabelled(self.at);
        }
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let count = self.posts.len();
        let behind = (self.at + 1..count).chain(0..count.min(self.at + 1));
        let known = behind.filter_map(|at| {
            let post = self.posts.get(at)?;
            let label = &post.mine.as_ref()?.label.label;
            card.saw.get(&post.on.session)?;
            Some((at, post.on.clone(), card.book.set.counts(label)?))
        });
        let known: Vec<_> = known.collect();
        if known.is_empty() {
            return say(
                "everything you have labelled is blind: disagreements with evaluators are not shown",
            );
        }
        vec![Effect::Start(tasks::find_disagreement(known))]
    }

    /// Goes to where evaluators disagree with the person.
    pub(super) fn disagrees(&mut self, at: Option<usize>) -> Vec<Effect> {
        match at {
            Some(at) => self.go(at),
            None => say("evaluators agree with all your labels that are not blind any more"),
        }
    }

    fn difference(&mut self) -> Vec<Effect> {
        let before = self.sheet().and_then(|(sheet, at)| sheet.before(at?));
        if before.is_none() {
            return say("the same seat has said nothing before");
        }
        self.shows.turn = match self.shows.turn {
            TurnDisplay::Whole => TurnDisplay::Difference,
            TurnDisplay::Difference => TurnDisplay::Whole,
        };
        self.turn_page();
        Vec::new()
    }

    fn flag(&mut self) -> Vec<Effect> {
        let mut pending = self.pending_here();
        pending.flagged = !pending.flagged;
        let words = match pending.flagged {
            true => "flagged",
            false => "no longer flagged",
        };
        self.keep_along(pending, words)
    }

    /// Keeps a note or a flag: with the label that is there, or with the one that comes.
    pub(super) fn keep_along(&mut self, pending: super::LabelExtras, words: &str) -> Vec<Effect> {
        let note = pending.note.clone().unwrap_or_default();
        self.pending.insert(self.at, pending);
        let labelled = self.post().is_some_and(Self::is_labelled);
        let mut effects = match labelled {
            true => self.give_again(),
            // A lost connection must not lose what was typed.
            false => self.draft(self.at, note).into_iter().collect(),
        };
        let text = match labelled {
            true => words.to_owned(),
            false => format!("{words}: kept with the label, once it is given"),
        };
        self.turn_page();
        if effects
            .iter()
            .all(|effect| !matches!(effect, Effect::Say(..)))
        {
            effects.extend(say(text));
        }
        effects
    }

    /// Draft of a note until its label is given.
    pub(super) fn draft_place(&self, at: usize) -> Option<String> {
        let (post, card) = (self.posts.get(at)?, self.card.as_ref()?);
        let turn = post.on.attempt.as_ref().map(|on| on.id.to_string());
        Some(format!(
            "note of {} with a label of {} on {} {} {}",
            card.annotator,
            card.book.set.id,
            post.on.session,
            turn.unwrap_or_default(),
            post.repeat
        ))
    }

    /// Keeps a note until its label comes; an empty one is forgotten.
    pub(super) fn draft(&self, at: usize, text: String) -> Option<Effect> {
        let place = self.draft_place(at)?;
        Some(Effect::Do(Command::Draft(Draft { place, text })))
    }

    /// Shows what is hidden; before a label, or where labels of the same session are to come, it is
    /// asked for twice.
    pub(super) fn reveal(&mut self, what: Revealing) -> Vec<Effect> {
        let Some(post) = self.post() else {
            return Vec::new();
        };
        let on = post.on.clone();
        let open = self
            .posts
            .iter()
            .filter(|other| other.on.session == on.session && !Self::is_labelled(other));
        let open = open.count();
        let known = self
            .card
            .as_ref()
            .is_some_and(|card| card.saw.contains_key(&on.session));
        if open > 0 && !known && self.warned != Some(self.at) {
            self.warned = Some(self.at);
            let labels = match open {
                1 => "1 label that is".to_owned(),
                many => format!("{many} labels that are"),
            };
            return warn(format!(
                "{} again shows it; {labels} to come on this session will not be blind",
                key_for(Context::Annotate, Action::Reveal)
            ));
        }
        vec![Effect::Start(tasks::reveal(on, what))]
    }

    fn name_annotators(&mut self) -> Vec<Effect> {
        if !self.settles() {
            return say("annotators do not see each other's labels here");
        }
        self.shows.names = match self.shows.names {
            Names::Hidden => Names::Shown,
            Names::Shown => Names::Hidden,
        };
        self.turn_page();
        Vec::new()
    }

    /// Labels the one thing by the next set.
    fn next_set(&mut self) -> Vec<Effect> {
        let (Some(LabellingWork::One { on, set }), Some(card)) = (&self.work, &self.card) else {
            return say("a queue is labelled by one set");
        };
        let at = card.sets.iter().position(|name| name == set);
        let next = at.map_or(0, |at| at + 1) % card.sets.len().max(1);
        let Some(set) = card.sets.get(next).cloned() else {
            return Vec::new();
        };
        let work = LabellingWork::One {
            on: on.clone(),
            set,
        };
        self.work = Some(work.clone());
        self.sheets.clear();
        vec![Effect::Start(tasks::open(work))]
    }

    fn text_here(&self) -> Option<String> {
        let (sheet, at) = self.sheet()?;
        match at {
            Some(at) => sheet.turns.get(at).map(|turn| turn.text.clone()),
            None => Some(sheet.topic.clone()),
        }
    }

    fn scroll(&mut self, action: Action) -> Vec<Effect> {
        match self.focus {
            AnnotatePane::Question => self.question.act(action),
            AnnotatePane::Turn => self.turn.act(action),
        };
        Vec::new()
    }

    /// Status message of the screen.
    pub(super) fn status_text(&self) -> String {
        if self.asking.is_some() {
            return "Esc leaves it unlabelled".to_owned();
        }
        if self.saving.is_some() {
            return "saving".to_owned();
        }
        if self.work.is_none() {
            return self.choice.status();
        }
        if self.posts.is_empty() {
            return String::new();
        }
        if let Some(LabellingWork::One { set, .. }) = &self.work {
            return format!("by '{set}'");
        }
        let left = self.left();
        match (left, minutes_left(&self.spent_ms, left)) {
            (0, _) if self.progress == LabelProgress::Labelling => "nothing is left".to_owned(),
            (0, _) => "done".to_owned(),
            (left, None) => format!("{left} left"),
            (left, Some(0 | 1)) => format!("{left} left, about a minute"),
            (left, Some(minutes)) => format!("{left} left, about {minutes} minutes"),
        }
    }

    pub(super) fn useful(&self) -> Vec<Action> {
        if self.work.is_none() {
            return self.choice.hints();
        }
        if self.progress == LabelProgress::Done {
            return vec![Action::Open, Action::Back];
        }
        if self.asking.is_some() {
            return vec![Action::Back];
        }
        vec![
            Action::Help,
            Action::Codebook,
            Action::SaidBefore,
            Action::Undo,
            Action::NextTurn,
            Action::Note,
            Action::Difference,
        ]
    }

    /// Takes in content that was revealed.
    pub(super) fn take_revealed(
        &mut self,
        on: &AnnotationTarget,
        words: std::sync::Arc<Vec<String>>,
    ) {
        if let Some(at) = self.posts.iter().position(|post| post.on == *on) {
            self.revealed.insert(at, words);
        }
    }
}
