//! Results of a search over all sessions, as far as they were found. Pure.

use super::known_sessions::KnownSessions;
use crate::{HitLocation, SearchEvent, SearchHit};
use elenchus_game::debate::{AttemptId, SessionId, Target, TurnId};
use elenchus_text::{Content, Keep, Paragraph, Role, make_visible};
use std::collections::BTreeSet;

/// Places that hold a text, and what is known of the rest.
#[derive(Debug, Clone, Default)]
pub struct SearchResults {
    hits: Vec<SearchHit>,
    /// Number of sessions that could not be looked at.
    unread: usize,
    /// The sessions hold more places than are listed.
    more: bool,
    over: bool,
}

impl SearchResults {
    /// Takes an event of the search.
    pub fn add_event(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Hit(hit) => self.hits.push(hit),
            SearchEvent::Full => self.more = true,
            SearchEvent::Unread(_) => self.unread += 1,
        }
    }

    /// Takes note that everything was looked at.
    pub fn finish(&mut self) {
        self.over = true;
    }

    /// Says whether everything was looked at.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns the places, in the order in which they were found.
    pub fn hits(&self) -> &[SearchHit] {
        &self.hits
    }

    /// Returns the progress of the search in words.
    pub fn describe_progress(&self) -> String {
        let sessions: BTreeSet<&SessionId> = self.hits.iter().map(|hit| &hit.session).collect();
        let most = if self.more { "the first " } else { "" };
        let places_text = match (self.hits.len(), sessions.len()) {
            (0, _) => "nowhere".to_owned(),
            (1, _) => "in 1 place".to_owned(),
            (places, 1) => format!("in {most}{places} places of 1 session"),
            (places, sessions) => format!("in {most}{places} places of {sessions} sessions"),
        };
        let unread = match self.unread {
            0 => String::new(),
            1 => "; 1 session could not be read".to_owned(),
            count => format!("; {count} sessions could not be read"),
        };
        match (self.over, self.hits.is_empty()) {
            (true, _) => format!("{places_text}{unread}"),
            (false, true) => format!("looking{unread}"),
            (false, false) => format!("{places_text} so far{unread}"),
        }
    }
}

impl HitLocation {
    /// Returns the attempt that the text is in, or on; `None` where it is the debate's as a whole.
    pub fn attempt(&self) -> Option<&AttemptId> {
        match self {
            HitLocation::Chosen(attempt) | HitLocation::Other(attempt) => Some(attempt),
            HitLocation::Verdict { target, .. } => match target {
                Target::Attempt(attempt) => Some(attempt),
                Target::Round(_) | Target::Debate => None,
            },
            HitLocation::Note { attempt, .. } => attempt.as_ref(),
            HitLocation::Topic | HitLocation::Lesson => None,
        }
    }

    /// Returns the place in words.
    fn describe(&self) -> String {
        match self {
            HitLocation::Topic => "topic".to_owned(),
            HitLocation::Chosen(attempt) => turn_words(&attempt.turn),
            HitLocation::Other(attempt) => {
                let turn = turn_words(&attempt.turn);
                format!("{turn}, an attempt that was passed over")
            }
            HitLocation::Verdict { judging, target } => match target {
                Target::Attempt(attempt) => {
                    format!("verdict '{judging}' on {}", turn_words(&attempt.turn))
                }
                Target::Round(round) => format!("verdict '{judging}' on round {round}"),
                Target::Debate => format!("verdict '{judging}' on the debate"),
            },
            HitLocation::Lesson => "lesson".to_owned(),
            HitLocation::Note { annotator, attempt } => match attempt {
                Some(attempt) => format!("note of {annotator} on {}", turn_words(&attempt.turn)),
                None => format!("note of {annotator} on the debate"),
            },
        }
    }
}

fn turn_words(turn: &TurnId) -> String {
    let (seat, number) = (&turn.chair.seat, turn.chair.index + 1);
    format!("round {}, {}, {seat} {number}", turn.round, turn.stage)
}

impl SearchHit {
    /// Returns the place in words, with the title of its session.
    pub fn describe(&self, known: &KnownSessions, content: Content) -> String {
        let place = self.place.describe();
        match known.find_entry(&self.session) {
            Some(entry) => format!("{place} - {}", content.show_or_mask(entry.title())),
            None => format!("{place} - {}", self.session),
        }
    }

    /// Returns what was found, with what is around it.
    pub fn excerpt_paragraph(&self, content: Content) -> Paragraph {
        let visible_part = |range| {
            let text = self.excerpt.get(range).unwrap_or_default();
            make_visible(text, Keep::Nothing).into_owned()
        };
        match content {
            Content::Masked => Paragraph::new(Role::Masked, content.show_or_mask(&self.excerpt)),
            Content::Shown => Paragraph::new(Role::Text, visible_part(0..self.span.start))
                .with_run(Role::Match, visible_part(self.span.clone()))
                .with_run(Role::Text, visible_part(self.span.end..self.excerpt.len())),
        }
    }
}
