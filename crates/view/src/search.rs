//! Full-text search over all sessions: turns, verdicts, lessons and notes, regardless of case.

use elenchus_game::debate::{AttemptId, JudgingId, SessionId, State, Target, TurnId, VerdictState};
use elenchus_records::workspace::annotations::{Annotations, read_annotations};
use elenchus_records::workspace::read_session;
use elenchus_records::workspace::{Example, list_examples};
use elenchus_records::workspace::{Result, WorkspaceError};
use elenchus_records::workspace::{UnreadableSession, list_sessions};
use elenchus_store::{Layout, check_head, read_regular};
use std::ops::Range;
use std::thread;
use tokio::sync::mpsc;

/// Hits of one session at most; the rest of it is passed over.
const MAX_HITS_PER_SESSION: usize = 20;
/// Hits at most in all.
pub const MAX_HITS: usize = 1_000;
/// Events that may wait to be read.
const WAITING: usize = 64;
/// Characters before and after a hit that an excerpt shows.
const CHARS_BEFORE: usize = 30;
const CHARS_AFTER: usize = 60;

/// An occurrence of the text: the first one in each text that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    pub session: SessionId,
    pub place: HitLocation,
    /// One line around the text, control characters turned into blanks.
    pub excerpt: String,
    /// Bytes of the excerpt that are the text.
    pub span: Range<usize>,
}

/// Part of a session in which a text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HitLocation {
    Topic,
    /// The attempt that counts.
    Chosen(AttemptId),
    /// An attempt that was passed over.
    Other(AttemptId),
    /// A verdict's reason, or the judge's whole reply.
    Verdict {
        judging: JudgingId,
        target: Target,
    },
    Lesson,
    /// An annotator's note, on an attempt or on the debate.
    Note {
        annotator: String,
        attempt: Option<AttemptId>,
    },
}

/// Event of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchEvent {
    Hit(SearchHit),
    /// A session that could not be looked at.
    Unread(UnreadableSession),
    /// [`MAX_HITS`] were found: there is more, and it is not returned.
    Full,
}

/// A search that goes on in the background; dropping it stops that.
#[derive(Debug)]
pub struct SessionSearch {
    findings: mpsc::Receiver<SearchEvent>,
}

impl SessionSearch {
    /// Begins to look for a text in every session, the newest first, and then in the examples that
    /// come with the program. Texts that a fork
    /// has from its parent are found in the parent alone, as long as that is there.
    ///
    /// # Errors
    /// When the text is empty, the sessions cannot be listed, or the system gives no thread.
    pub fn start(layout: &Layout, text: &str) -> Result<Self> {
        let sought = SearchText::new(text).ok_or_else(|| {
            WorkspaceError::Invalid("the search text is empty; type a word".to_owned())
        })?;
        let ids = list_sessions(layout)?;
        let (channel, findings) = mpsc::channel(WAITING);
        let layout = layout.clone();
        let look = move || {
            // The receiver may have been dropped; ignore the send error.
            let _ = search_sessions(&layout, &ids, &sought, &channel);
        };
        thread::Builder::new()
            .name("search".to_owned())
            .spawn(look)
            .map_err(|error| {
                WorkspaceError::Invalid(format!("the system gives no thread to search on: {error}"))
            })?;
        Ok(Self { findings })
    }

    /// Returns what was found next; `None` when everything was looked at.
    pub async fn next(&mut self) -> Option<SearchEvent> {
        self.findings.recv().await
    }
}

/// The receiver was dropped.
struct ReceiverDropped;

fn search_sessions(
    layout: &Layout,
    ids: &[SessionId],
    sought: &SearchText,
    channel: &mpsc::Sender<SearchEvent>,
) -> Result<(), ReceiverDropped> {
    let mut sender = HitSender { channel, sent: 0 };
    let annotations = read_annotations(layout)
        .map(|read| read.0)
        .unwrap_or_default();
    for id in ids {
        if channel.is_closed() {
            return Err(ReceiverDropped);
        }
        let mut hits = match find_hits_in_journal(layout, id, sought) {
            Ok(hits) => hits,
            Err(error) => {
                sender.send(SearchEvent::Unread(UnreadableSession {
                    session: id.clone(),
                    why: error.to_string(),
                }))?;
                Vec::new()
            }
        };
        hits.extend(find_hits_in_notes(&annotations, id, sought));
        if sender.send_hits(hits)? == Room::None {
            return Ok(());
        }
    }
    let examples = list_examples().into_iter();
    for example in examples.filter(|example| !ids.contains(&example.id)) {
        let mut hits = find_hits_in_example(&example, sought);
        hits.extend(find_hits_in_notes(&annotations, &example.id, sought));
        if sender.send_hits(hits)? == Room::None {
            return Ok(());
        }
    }
    Ok(())
}

/// Sends hits, up to the limit.
struct HitSender<'a> {
    channel: &'a mpsc::Sender<SearchEvent>,
    sent: usize,
}

/// Room for more hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Some,
    None,
}

impl HitSender<'_> {
    fn send(&self, event: SearchEvent) -> Result<(), ReceiverDropped> {
        self.channel
            .blocking_send(event)
            .map_err(|_| ReceiverDropped)
    }

    /// Sends the hits of one session.
    fn send_hits(&mut self, hits: Vec<SearchHit>) -> Result<Room, ReceiverDropped> {
        for hit in hits.into_iter().take(MAX_HITS_PER_SESSION) {
            if self.sent == MAX_HITS {
                self.send(SearchEvent::Full)?;
                return Ok(Room::None);
            }
            self.send(SearchEvent::Hit(hit))?;
            self.sent += 1;
        }
        Ok(Room::Some)
    }
}

/// Looks through an example that is not in the store; one that this version cannot read has nothing.
fn find_hits_in_example(example: &Example, sought: &SearchText) -> Vec<SearchHit> {
    if !sought.can_occur_in(example.bytes) {
        return Vec::new();
    }
    match example.fold_state() {
        Ok(state) => find_hits(&state, &example.id, TextScope::WithInherited, sought),
        Err(_) => Vec::new(),
    }
}

fn find_hits_in_journal(
    layout: &Layout,
    id: &SessionId,
    sought: &SearchText,
) -> Result<Vec<SearchHit>> {
    let path = layout.session_path(id.as_str())?;
    // Looking at the bytes is far cheaper than reading what they say.
    check_head(&path)?;
    if read_regular(&path).is_ok_and(|bytes| !sought.can_occur_in(&bytes)) {
        return Ok(Vec::new());
    }
    let state = read_session(&path)?;
    let parent = state.forked_from().last();
    let parent = parent.and_then(|parent| layout.session_path(parent.as_str()).ok());
    let scope = match parent {
        Some(parent) if parent.exists() => TextScope::Own,
        Some(_) | None => TextScope::WithInherited,
    };
    Ok(find_hits(&state, id, scope, sought))
}

fn find_hits(
    state: &State,
    id: &SessionId,
    scope: TextScope,
    sought: &SearchText,
) -> Vec<SearchHit> {
    let texts = list_texts(state, scope);
    let hits = texts.into_iter().filter_map(|(place, text)| {
        let (excerpt, span) = cut_excerpt(text, sought.find_range(text)?);
        Some(SearchHit {
            session: id.clone(),
            place,
            excerpt,
            span,
        })
    });
    let mut hits: Vec<SearchHit> = hits.collect();
    // A reason is a part of its reply: one of them is enough.
    hits.dedup_by(|next, before| next.place == before.place);
    hits
}

/// Texts of a session that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextScope {
    /// Those that it has from its parent, too.
    WithInherited,
    Own,
}

/// Returns the texts of a session in the order of the game.
fn list_texts(state: &State, scope: TextScope) -> Vec<(HitLocation, &str)> {
    let mut texts = Vec::new();
    let is_shown = |inherited: bool| scope == TextScope::WithInherited || !inherited;
    if let Some(creation) = state.first_event().filter(|_| is_shown(true)) {
        texts.push((HitLocation::Topic, creation.topic.text.as_str()));
    }
    let place = |turn: &TurnId| {
        let stage = state.protocol().map(|game| game.stage_place(&turn.stage));
        (turn.round, stage)
    };
    let mut turns: Vec<_> = state.turns().iter().collect();
    turns.sort_by_key(|(turn, _)| place(turn));
    for (turn, known) in turns {
        for (at, (number, attempt)) in (0..).zip(&known.attempts).enumerate() {
            let id = AttemptId {
                turn: turn.clone(),
                attempt: number,
            };
            if is_shown(attempt.inherited) {
                let place = match at == known.chosen_index {
                    true => HitLocation::Chosen(id),
                    false => HitLocation::Other(id),
                };
                texts.push((place, attempt.reply.text.as_str()));
            }
        }
    }
    for (judging, target, by_slot) in state.verdicts() {
        for verdict in by_slot.values().filter(|found| is_shown(found.inherited)) {
            let place = || HitLocation::Verdict {
                judging: judging.clone(),
                target: target.clone(),
            };
            texts.extend(verdict_reason(verdict).map(|text| (place(), text)));
            texts.extend(verdict_reply(verdict).map(|text| (place(), text)));
        }
    }
    let lessons = state.lessons();
    for lesson in lessons.filter(|_| is_shown(state.is_lesson_inherited())) {
        texts.push((HitLocation::Lesson, lesson.reply.text.as_str()));
    }
    texts
}

fn verdict_reason(verdict: &VerdictState) -> Option<&str> {
    verdict.outcome.as_ref()?.as_finding()?.reason.as_deref()
}

fn verdict_reply(verdict: &VerdictState) -> Option<&str> {
    Some(verdict.reply.as_ref()?.text.as_str())
}

fn find_hits_in_notes<'a>(
    annotations: &'a Annotations,
    id: &'a SessionId,
    sought: &'a SearchText,
) -> impl Iterator<Item = SearchHit> + 'a {
    annotations.session_notes(id).filter_map(|note| {
        let (excerpt, span) = cut_excerpt(&note.text, sought.find_range(&note.text)?);
        Some(SearchHit {
            session: id.clone(),
            place: HitLocation::Note {
                annotator: note.annotator.clone(),
                attempt: note.on.attempt.as_ref().map(|on| on.id.clone()),
            },
            excerpt,
            span,
        })
    })
}

/// The text to find, in lower case.
struct SearchText(Vec<char>);

impl SearchText {
    fn new(text: &str) -> Option<Self> {
        let letters: Vec<char> = text.trim().chars().flat_map(char::to_lowercase).collect();
        (!letters.is_empty()).then_some(Self(letters))
    }

    /// Says whether a journal with these bytes can hold the text at all: plain letters appear in a
    /// journal as they are, anything else may be written in several ways.
    fn can_occur_in(&self, bytes: &[u8]) -> bool {
        let plain = |letter: &char| {
            (letter.is_ascii_graphic() || *letter == ' ') && !matches!(letter, '"' | '\\')
        };
        if !self.0.iter().all(plain) {
            return true;
        }
        let letters: String = self.0.iter().collect();
        let letters = letters.as_bytes();
        let Some(first) = letters.first() else {
            return true;
        };
        bytes.iter().enumerate().any(|(at, byte)| {
            byte.eq_ignore_ascii_case(first)
                && bytes
                    .get(at..at + letters.len())
                    .is_some_and(|found| found.eq_ignore_ascii_case(letters))
        })
    }

    /// Returns the first occurrence of the text.
    fn find_range(&self, text: &str) -> Option<Range<usize>> {
        text.char_indices().find_map(|(start, _)| {
            let mut letters = self.0.iter();
            for (at, letter) in text.get(start..)?.char_indices() {
                for lower in letter.to_lowercase() {
                    match letters.next() {
                        Some(next) if *next == lower => {}
                        Some(_) => return None,
                        None => break,
                    }
                }
                if letters.as_slice().is_empty() {
                    return Some(start..start + at + letter.len_utf8());
                }
            }
            None
        })
    }
}

/// Returns one line around a part of a text, and the bytes of the part in it.
fn cut_excerpt(text: &str, hit: Range<usize>) -> (String, Range<usize>) {
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let before = part(0..hit.start);
    let from = before
        .char_indices()
        .rev()
        .nth(CHARS_BEFORE)
        .map(|(at, letter)| at + letter.len_utf8());
    let mut line = String::new();
    if from.is_some() {
        line.push('…');
    }
    line.extend(part(from.unwrap_or(0)..hit.start).chars().map(plain));
    let start = line.len();
    line.extend(part(hit.clone()).chars().map(plain));
    let span = start..line.len();
    let after = part(hit.end..text.len());
    line.extend(after.chars().take(CHARS_AFTER).map(plain));
    if after.chars().nth(CHARS_AFTER).is_some() {
        line.push('…');
    }
    (line, span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter_in_any_script_and_spans_fit_the_text_as_it_is_written() {
        let found = |text: &str, sought: &str| {
            let range = SearchText::new(sought).unwrap().find_range(text)?;
            Some(text.get(range).unwrap().to_owned())
        };
        assert_eq!(found("the Große Welt", "GROSSE"), None);
        assert_eq!(found("the GrÖße Welt", "größe"), Some("GrÖße".to_owned()));
        assert_eq!(found("İstanbul", "i"), Some("İ".to_owned()));
        assert_eq!(found("aab", "ab"), Some("ab".to_owned()));
        assert_eq!(found("", "a"), None);
    }

    #[test]
    fn an_excerpt_is_one_line_that_holds_the_hit_at_its_span() {
        let text = format!("{}\nné\u{85}edle\n{}", "x".repeat(50), "y".repeat(80));
        let hit = SearchText::new("NÉ\u{85}EDLE")
            .unwrap()
            .find_range(&text)
            .unwrap();
        let (line, span) = cut_excerpt(&text, hit);
        assert_eq!(&line[span], "né edle");
        assert!(line.starts_with("…x") && line.ends_with("y…"), "{line}");
        assert!(!line.chars().any(char::is_control));
        assert_eq!(cut_excerpt("one", 0..3), ("one".to_owned(), 0..3));
    }
}
