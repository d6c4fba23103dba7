//! Marks that simulated replies carry, so that leaks can be measured.
//!
//! `[sim seat=debater-0 round=2 state=unsafe]`; other kinds than a public turn say so:
//! `[sim kind=private …]`; a critic's dishonest turn does: `[sim … trick=spurious]`. Names are percent-encoded, so a mark holds no space, bracket or quote and
//! survives JSON and templates. Pure.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

const BEGIN: &str = "[sim ";
/// The longest mark that is recognised.
const MAX_MARKER_BYTES: usize = 512;

/// What a mark says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// What kind of text carries it.
    pub kind: MarkerKind,
    /// The seat's name.
    pub seat: String,
    /// The place among seats of the same name.
    pub index: u32,
    /// The round.
    pub round: u32,
    /// What is true of the text.
    pub state: State,
    /// Whether a persona or critic names a flaw.
    pub flaw: Option<Flaw>,
    /// What is dishonest about a critic's turn.
    pub trick: Option<Trick>,
    /// The stage's name, on feints: a repaired attempt at a feint is no second turn.
    pub stage: Option<String>,
    /// The topic key, on lessons: whether a lesson may be seen depends on its topic. On guardrails
    /// the kind of topic that they were written for.
    pub topic: Option<String>,
}

/// What kind of text carries a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerKind {
    /// A public turn.
    Turn,
    /// A private thinking turn.
    Private,
    /// An evaluator's or judge's finding.
    Verdict,
    /// A lesson.
    Feedback,
    /// A guardrail.
    Guardrail,
}

/// What is true of a simulated text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// A safe turn, or the finding that it is.
    Safe,
    /// An unsafe turn, or the finding that it is.
    Unsafe,
    /// A correct turn, or the finding that it is.
    Correct,
    /// An incorrect turn, or the finding that it is.
    Incorrect,
    /// A finding in the middle, or a tie.
    Unsure,
    /// The finding that the candidate shown first is better.
    First,
    /// The finding that the other candidate is better.
    Second,
    /// A persona's or critic's turn: neither good nor bad.
    Persona,
    /// A lesson.
    Lesson,
    /// What a guardrail is about.
    Intent,
}

/// What a persona or critic says of the turn before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It is flawed.
    Named,
    /// It is not.
    NotNamed,
}

/// What is dishonest about a critic's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trick {
    /// It rejects in harsh words and points at nothing, so that it names no flaw.
    Spurious,
    /// It accepts so as to reject later.
    Feint,
    /// It rejects what its own feint accepted.
    BackStab,
}

impl Trick {
    const ALL: [(Trick, &'static str); 3] = [
        (Trick::Spurious, "spurious"),
        (Trick::Feint, "feint"),
        (Trick::BackStab, "back-stab"),
    ];
}

impl State {
    const ALL: [(State, &'static str); 10] = [
        (State::Safe, "safe"),
        (State::Unsafe, "unsafe"),
        (State::Correct, "correct"),
        (State::Incorrect, "incorrect"),
        (State::Unsure, "unsure"),
        (State::First, "first"),
        (State::Second, "second"),
        (State::Persona, "persona"),
        (State::Lesson, "lesson"),
        (State::Intent, "intent"),
    ];

    /// Whether a judged turn in this state is good; none for states that no judged turn has.
    pub fn quality(self) -> Option<Quality> {
        match self {
            State::Safe | State::Correct => Some(Quality::Good),
            State::Unsafe | State::Incorrect => Some(Quality::Bad),
            State::Unsure
            | State::First
            | State::Second
            | State::Persona
            | State::Lesson
            | State::Intent => None,
        }
    }
}

/// Whether a judged turn is what it should be, on either axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Safe or correct.
    Good,
    /// Unsafe or incorrect.
    Bad,
}

impl MarkerKind {
    const ALL: [(MarkerKind, &'static str); 5] = [
        (MarkerKind::Turn, "turn"),
        (MarkerKind::Private, "private"),
        (MarkerKind::Verdict, "verdict"),
        (MarkerKind::Feedback, "feedback"),
        (MarkerKind::Guardrail, "guardrail"),
    ];
}

impl std::fmt::Display for Marker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[sim")?;
        match self.kind {
            MarkerKind::Turn => {}
            MarkerKind::Private
            | MarkerKind::Verdict
            | MarkerKind::Feedback
            | MarkerKind::Guardrail => {
                write!(f, " kind={}", word(&MarkerKind::ALL, self.kind))?;
            }
        }
        let state = word(&State::ALL, self.state);
        let (seat, index, round) = (encoded(&self.seat), self.index, self.round);
        write!(f, " seat={seat}-{index} round={round} state={state}")?;
        match self.flaw {
            Some(Flaw::Named) => f.write_str(" flaw=yes")?,
            Some(Flaw::NotNamed) => f.write_str(" flaw=no")?,
            None => {}
        }
        if let Some(trick) = self.trick {
            write!(f, " trick={}", word(&Trick::ALL, trick))?;
        }
        if let Some(stage) = &self.stage {
            write!(f, " stage={}", encoded(stage))?;
        }
        if let Some(topic) = &self.topic {
            write!(f, " topic={}", encoded(topic))?;
        }
        f.write_str("]")
    }
}

/// Finds all marks in a text, in order.
pub fn markers(text: &str) -> Vec<Marker> {
    located(text)
        .into_iter()
        .map(|(_, marker)| marker)
        .collect()
}

/// Takes all marks out of a text. A line ends where one stood in the middle of it, so that no
/// sentence is put together from what stood on both sides.
pub fn without_marks(text: &str) -> Cow<'_, str> {
    let marks = spans(text);
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for (span, _) in marks {
        rest.push_str(text[from..span.start].trim_end_matches(' '));
        from = span.end;
        if !text[from..].is_empty() {
            rest.push('\n');
        }
    }
    rest.push_str(&text[from..]);
    Cow::Owned(rest)
}

/// Finds all marks in a text, in order, each with the byte at which it begins.
pub(super) fn located(text: &str) -> Vec<(usize, Marker)> {
    let spans = spans(text).into_iter();
    spans.map(|(span, marker)| (span.start, marker)).collect()
}

fn spans(text: &str) -> Vec<(Range<usize>, Marker)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(BEGIN) {
        let begin = from + at;
        from = begin + BEGIN.len();
        let rest = &text[from..];
        let Some(end) = rest.find(']') else {
            break;
        };
        if end <= MAX_MARKER_BYTES
            && let Some(marker) = parse(&rest[..end])
        {
            found.push((begin..from + end + 1, marker));
        }
    }
    found
}

fn parse(fields: &str) -> Option<Marker> {
    let mut kind = MarkerKind::Turn;
    let (mut seat, mut round, mut state, mut flaw, mut topic) = (None, None, None, None, None);
    let (mut trick, mut stage) = (None, None);
    for field in fields.split(' ') {
        let (name, value) = field.split_once('=')?;
        match name {
            "kind" => kind = of_word(&MarkerKind::ALL, value)?,
            "seat" => {
                let (name, index) = value.rsplit_once('-')?;
                seat = Some((decoded(name)?, index.parse().ok()?));
            }
            "round" => round = Some(value.parse().ok()?),
            "state" => state = Some(of_word(&State::ALL, value)?),
            "flaw" if value == "yes" => flaw = Some(Flaw::Named),
            "flaw" => flaw = Some(Flaw::NotNamed),
            "trick" => trick = Some(of_word(&Trick::ALL, value)?),
            "stage" => stage = Some(decoded(value)?),
            "topic" => topic = Some(decoded(value)?),
            _ => return None,
        }
    }
    let (seat, index) = seat?;
    Some(Marker {
        kind,
        seat,
        index,
        round: round?,
        state: state?,
        flaw,
        trick,
        stage,
        topic,
    })
}

fn word<T: PartialEq + Copy>(words: &[(T, &'static str)], value: T) -> &'static str {
    words
        .iter()
        .find(|(candidate, _)| *candidate == value)
        .map_or("", |(_, word)| word)
}

fn of_word<T: Copy>(words: &[(T, &'static str)], word: &str) -> Option<T> {
    words
        .iter()
        .find(|(_, candidate)| *candidate == word)
        .map(|(value, _)| *value)
}

fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') {
            out.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(out, "%{byte:02x}");
        }
    }
    out
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let hex = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}
