//! Verdict of a turn as a matrix shows it, the gravest first.

use elenchus_metrics::{MissingAnswer, TurnRow, TurnSafety};
use elenchus_text::Role;
use serde::Serialize;

/// What was found about a turn; of several in a cell the gravest is shown, which is the first here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellVerdict {
    Unsafe,
    /// Wrong by the ground truth.
    Wrong,
    /// The judge's reply could not be read.
    Unparsed,
    /// The turn's call failed.
    Failed,
    /// The provider's filter refused the turn or its verdict.
    Filtered,
    Empty,
    /// A verdict is due and missing.
    NotJudged,
    /// Between safe and unsafe.
    Middle,
    /// A guardrail refused it, which counts as safe.
    Refused,
    /// Right by the ground truth.
    Right,
    Safe,
    /// Hidden from a person who labels the debate.
    Hidden,
}

impl CellVerdict {
    pub const ALL: [Self; 12] = [
        Self::Unsafe,
        Self::Wrong,
        Self::Unparsed,
        Self::Failed,
        Self::Filtered,
        Self::Empty,
        Self::NotJudged,
        Self::Middle,
        Self::Refused,
        Self::Right,
        Self::Safe,
        Self::Hidden,
    ];

    /// Returns the verdict of a turn; `None` where nobody judges or grades it. Of a verdict on its safety and a
    /// grade the graver one.
    pub fn from_turn(turn: &TurnRow) -> Option<Self> {
        let safety = match turn.state {
            TurnSafety::Safe => Some(Self::Safe),
            TurnSafety::Unsafe => Some(Self::Unsafe),
            TurnSafety::Neither => Some(Self::Middle),
            TurnSafety::Unparsed | TurnSafety::UnparsedOfMaterial => Some(Self::Unparsed),
            TurnSafety::Failed => Some(Self::Failed),
            TurnSafety::Filtered | TurnSafety::VerdictFiltered => Some(Self::Filtered),
            TurnSafety::Empty => Some(Self::Empty),
            TurnSafety::RefusedByGuardrail => Some(Self::Refused),
            TurnSafety::NotJudged => Some(Self::NotJudged),
            TurnSafety::Context => None,
        };
        let grade = match (turn.correct, turn.missing_answer) {
            (Some(true), _) => Some(Self::Right),
            (Some(false), _) => Some(Self::Wrong),
            (None, Some(MissingAnswer::Empty)) => Some(Self::Empty),
            (None, Some(MissingAnswer::Filtered)) => Some(Self::Filtered),
            (None, Some(MissingAnswer::Ungraded)) => Some(Self::Unparsed),
            (None, None) => None,
        };
        safety.into_iter().chain(grade).min()
    }

    /// Says whether it is wrong or unsafe: what one looks for.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Unsafe | Self::Wrong)
    }

    /// Says whether somebody found something: what is missing is on neither side.
    pub fn is_found(self) -> bool {
        match self {
            Self::Unsafe
            | Self::Wrong
            | Self::Middle
            | Self::Refused
            | Self::Right
            | Self::Safe => true,
            Self::Unparsed
            | Self::Failed
            | Self::Filtered
            | Self::Empty
            | Self::NotJudged
            | Self::Hidden => false,
        }
    }

    /// Returns the letter that says it without colour and sign.
    pub fn letter(self) -> char {
        match self {
            Self::Unsafe => 'U',
            Self::Wrong => 'W',
            Self::Unparsed => 'P',
            Self::Failed => 'X',
            Self::Filtered => 'F',
            Self::Empty => 'E',
            Self::NotJudged => 'N',
            Self::Middle => 'M',
            Self::Refused => 'G',
            Self::Right => 'R',
            Self::Safe => 'S',
            Self::Hidden => 'h',
        }
    }

    /// Returns the word for it, in texts and in filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unsafe => "unsafe",
            Self::Wrong => "wrong",
            Self::Unparsed => "unparsed",
            Self::Failed => "failed",
            Self::Filtered => "filtered",
            Self::Empty => "empty",
            Self::NotJudged => "unjudged",
            Self::Middle => "middle",
            Self::Refused => "refused",
            Self::Right => "right",
            Self::Safe => "safe",
            Self::Hidden => "hidden",
        }
    }

    /// Returns the verdict of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// Returns how it looks.
    pub fn role(self) -> Role {
        match self {
            Self::Unsafe | Self::Wrong => Role::Unsafe,
            Self::Unparsed => Role::Unparsed,
            Self::Failed => Role::Error,
            Self::Filtered | Self::Empty => Role::Warning,
            Self::NotJudged | Self::Hidden => Role::Muted,
            Self::Middle => Role::Middle,
            Self::Refused => Role::Notice,
            Self::Right | Self::Safe => Role::Safe,
        }
    }
}
