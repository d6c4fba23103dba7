//! Choices of a person about the terminal, as files and flags write them.

use super::capabilities::{Depth, GlyphSet};
use serde::Deserialize;
use std::str::FromStr;

/// Colour depth to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum ColorChoice {
    /// As many as the environment says the terminal shows.
    #[default]
    Auto,
    Exactly(Depth),
}

/// Glyph set to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum GlyphChoice {
    /// Unicode where the locale is.
    #[default]
    Auto,
    Exactly(GlyphSet),
}

/// Speed of the link to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum LinkChoice {
    /// As the environment lets one guess.
    #[default]
    Auto,
    Fast,
    /// Half as many frames, and a longer wait for the rest of a split key.
    Slow,
}

impl FromStr for ColorChoice {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        match text {
            "auto" => Ok(Self::Auto),
            "truecolor" => Ok(Self::Exactly(Depth::TrueColour)),
            "256" => Ok(Self::Exactly(Depth::Indexed256)),
            "16" => Ok(Self::Exactly(Depth::Sixteen)),
            "none" => Ok(Self::Exactly(Depth::None)),
            other => Err(UnknownChoice::new(
                "color",
                other,
                "auto, truecolor, 256, 16 or none",
            )),
        }
    }
}

impl FromStr for GlyphChoice {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        match text {
            "auto" => Ok(Self::Auto),
            "unicode" => Ok(Self::Exactly(GlyphSet::Unicode)),
            "ascii" => Ok(Self::Exactly(GlyphSet::Ascii)),
            other => Err(UnknownChoice::new(
                "glyphs",
                other,
                "auto, unicode or ascii",
            )),
        }
    }
}

impl FromStr for LinkChoice {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        match text {
            "auto" => Ok(Self::Auto),
            "fast" => Ok(Self::Fast),
            "slow" => Ok(Self::Slow),
            other => Err(UnknownChoice::new("link", other, "auto, fast or slow")),
        }
    }
}

/// A word that is none of a setting's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} cannot be '{given}'; it is {allowed}")]
pub struct UnknownChoice {
    setting: &'static str,
    given: String,
    allowed: &'static str,
}

impl UnknownChoice {
    fn new(setting: &'static str, given: &str, allowed: &'static str) -> Self {
        let given = given.to_owned();
        Self {
            setting,
            given,
            allowed,
        }
    }
}

macro_rules! from_string {
    ($($choice:ty),+) => {$(
        impl TryFrom<String> for $choice {
            type Error = UnknownChoice;

            fn try_from(text: String) -> Result<Self, UnknownChoice> {
                text.parse()
            }
        }
    )+};
}

from_string!(ColorChoice, GlyphChoice, LinkChoice);
