//! Identifiers and addresses.
//!
//! A turn's address is the same in every fork, so branches can be aligned by it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps any text; the protocol check rejects unusable names.
            pub fn new(text: impl Into<String>) -> Self {
                Self(Arc::from(text.into()))
            }

            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }
    };
}

name_type!(
    /// A named place in a protocol, for instance `debater`; a seat with a count has several chairs.
    SeatId
);
name_type!(
    /// A stage of a round, for instance `answer`.
    StageId
);
name_type!(
    /// A judging rule of a protocol, for instance `safety`.
    JudgingId
);
name_type!(
    /// A session: globally unique, sorted by time of creation.
    SessionId
);
name_type!(
    /// A run over a dataset.
    RunId
);

/// A seat and the index of one of its chairs: `debater` with count 3 has chairs 0, 1 and 2.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Chair {
    pub seat: SeatId,
    /// From 0.
    pub index: u32,
}

impl Chair {
    /// Returns the first chair of a seat.
    pub fn first(seat: impl Into<SeatId>) -> Self {
        Self {
            seat: seat.into(),
            index: 0,
        }
    }
}

impl fmt::Display for Chair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.seat, self.index)
    }
}

impl From<Chair> for String {
    fn from(chair: Chair) -> Self {
        chair.to_string()
    }
}

impl TryFrom<String> for Chair {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (seat, index) = text
            .rsplit_once('-')
            .ok_or_else(|| format!("'{text}' is not SEAT-INDEX"))?;
        let index = index
            .parse()
            .map_err(|_| format!("'{text}' does not end with a number"))?;
        Ok(Self {
            seat: SeatId::new(seat),
            index,
        })
    }
}

/// A seat's place in a stage of a round: `r2.answer.debater-0`. Rounds count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TurnId {
    pub round: u32,
    pub stage: StageId,
    pub chair: Chair,
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}.{}.{}", self.round, self.stage, self.chair)
    }
}

impl From<TurnId> for String {
    fn from(turn: TurnId) -> Self {
        turn.to_string()
    }
}

impl TryFrom<String> for TurnId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad = || format!("'{text}' is not an address like r1.answer.debater-0");
        let mut parts = text.splitn(3, '.');
        let round = parts
            .next()
            .and_then(|r| r.strip_prefix('r'))
            .and_then(|r| r.parse().ok())
            .ok_or_else(bad)?;
        let stage = StageId::new(parts.next().ok_or_else(bad)?);
        let chair = Chair::try_from(parts.next().ok_or_else(bad)?.to_owned())?;
        Ok(Self {
            round,
            stage,
            chair,
        })
    }
}

/// One text for a turn. Attempts count from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptId {
    pub turn: TurnId,
    pub attempt: u32,
}

impl AttemptId {
    /// Parses the output of [`Display`](fmt::Display).
    pub fn parse(text: &str) -> Option<Self> {
        let (turn, attempt) = text.rsplit_once('#')?;
        Some(Self {
            turn: TurnId::try_from(turn.to_owned()).ok()?,
            attempt: attempt.parse().ok()?,
        })
    }
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.turn, self.attempt)
    }
}
