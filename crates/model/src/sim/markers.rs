//! Marks in simulated replies: machine-readable ground truth that views carry along, so that leaks
//! can be measured. Pure.
//!
//! `[sim seat=debater-0 round=2 state=unsafe]`; texts other than public turns name their kind,
//! `[sim kind=private …]`; a critic's dishonest turn its trick, `[sim … trick=spurious]`. Names are
//! percent-encoded, so a mark holds no space, bracket or quote and survives JSON and templates.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

const BEGIN: &str = "[sim ";
/// The longest mark that is recognised.
const MAX_MARKER_BYTES: usize = 512;

/// A mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The kind of text that carries it.
    pub kind: MarkerKind,
    /// The seat's name.
    pub seat: String,
    /// The index among seats of the same name.
    pub index: u32,
    /// The round.
    pub round: u32,
    /// The ground truth about the text.
    pub state: SimState,
    /// Whether a persona or critic names a flaw.
    pub flaw: Option<Flaw>,
    /// What is dishonest about a critic's turn.
    pub trick: Option<Trick>,
    /// The stage's name, on feints: a repaired attempt at a feint is no second turn.
    pub stage: Option<String>,
    /// The topic key, on lessons: whether a lesson may be seen depends on its topic. On guardrails
    /// the kind of topic that they were written for.
    pub topic: Option<String>,
    /// On lessons: the author saw the rewards of another debate in place of this one's.
    pub others_rewards: bool,
}

/// Kind of text that carries a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
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

/// Ground truth about a simulated text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SimState {
    /// A safe turn, or the finding that it is.
    Safe,
    /// An unsafe turn, or the finding that it is.
    Unsafe,
    /// A correct turn, or the finding that it is.
    Correct,
    /// An incorrect turn, or the finding that it is.
    Incorrect,
    /// A turn that refuses instead of answering, or the finding that it does.
    Refused,
    /// The finding that a turn does not refuse.
    Complied,
    /// The finding that a critic's turn is not what a detector looks for.
    Fair,
    /// The finding that a critic's turn is what a detector looks for.
    Foul,
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
    /// A guardrail's intent.
    Intent,
}

/// Verdict of a persona or critic on the turn before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It is flawed.
    Named,
    /// It is not.
    NotNamed,
}

/// What is dishonest about a critic's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Trick {
    /// It rejects in harsh words and points at nothing, so that it names no flaw.
    Spurious,
    /// It accepts so as to reject later.
    Feint,
    /// It rejects what its own feint accepted.
    BackStab,
}

impl SimState {
    /// Returns whether a judged turn in this state is good; `None` for states of other texts.
    pub fn quality(self) -> Option<Quality> {
        match self {
            SimState::Safe | SimState::Correct => Some(Quality::Good),
            SimState::Unsafe | SimState::Incorrect | SimState::Refused => Some(Quality::Bad),
            SimState::Complied
            | SimState::Fair
            | SimState::Foul
            | SimState::Unsure
            | SimState::First
            | SimState::Second
            | SimState::Persona
            | SimState::Lesson
            | SimState::Intent => None,
        }
    }
}

/// Quality of a judged turn, on either axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Safe or correct.
    Good,
    /// Unsafe or incorrect.
    Bad,
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
                write!(f, " kind={}", <&str>::from(self.kind))?;
            }
        }
        let state = <&str>::from(self.state);
        let (seat, index, round) = (percent_encode(&self.seat), self.index, self.round);
        write!(f, " seat={seat}-{index} round={round} state={state}")?;
        match self.flaw {
            Some(Flaw::Named) => f.write_str(" flaw=yes")?,
            Some(Flaw::NotNamed) => f.write_str(" flaw=no")?,
            None => {}
        }
        if let Some(trick) = self.trick {
            write!(f, " trick={}", <&str>::from(trick))?;
        }
        if let Some(stage) = &self.stage {
            write!(f, " stage={}", percent_encode(stage))?;
        }
        if let Some(topic) = &self.topic {
            write!(f, " topic={}", percent_encode(topic))?;
        }
        if self.others_rewards {
            f.write_str(" rewards=others")?;
        }
        f.write_str("]")
    }
}

/// Finds all marks in a text, in order.
pub fn find_markers(text: &str) -> Vec<Marker> {
    locate_marks(text)
        .into_iter()
        .map(|(_, marker)| marker)
        .collect()
}

/// Removes all marks from a text. A mark in the middle of a line is replaced by a line end, so that
/// the texts on both sides do not become one sentence.
pub fn remove_markers(text: &str) -> Cow<'_, str> {
    let marks = find_marker_spans(text);
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
pub(super) fn locate_marks(text: &str) -> Vec<(usize, Marker)> {
    let spans = find_marker_spans(text).into_iter();
    spans.map(|(span, marker)| (span.start, marker)).collect()
}

fn find_marker_spans(text: &str) -> Vec<(Range<usize>, Marker)> {
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(BEGIN) {
        let begin = from + at;
        from = begin + BEGIN.len();
        let rest = &text[from..];
        let Some(end) = rest.find(']') else {
            break;
        };
        if end <= MAX_MARKER_BYTES
            && let Some(marker) = parse_marker(&rest[..end])
        {
            spans.push((begin..from + end + 1, marker));
        }
    }
    spans
}

fn parse_marker(fields: &str) -> Option<Marker> {
    let mut kind = MarkerKind::Turn;
    let (mut seat, mut round, mut state, mut flaw, mut topic) = (None, None, None, None, None);
    let (mut trick, mut stage) = (None, None);
    let mut others_rewards = false;
    for field in fields.split(' ') {
        let (name, value) = field.split_once('=')?;
        match name {
            "kind" => kind = value.parse().ok()?,
            "seat" => {
                let (name, index) = value.rsplit_once('-')?;
                seat = Some((percent_decode(name)?, index.parse().ok()?));
            }
            "round" => round = Some(value.parse().ok()?),
            "state" => state = Some(value.parse().ok()?),
            "flaw" if value == "yes" => flaw = Some(Flaw::Named),
            "flaw" => flaw = Some(Flaw::NotNamed),
            "trick" => trick = Some(value.parse().ok()?),
            "stage" => stage = Some(percent_decode(value)?),
            "topic" => topic = Some(percent_decode(value)?),
            "rewards" if value == "others" => others_rewards = true,
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
        others_rewards,
    })
}

fn percent_encode(name: &str) -> String {
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

fn percent_decode(text: &str) -> Option<String> {
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
