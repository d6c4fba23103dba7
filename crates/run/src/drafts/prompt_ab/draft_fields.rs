//! Fields of a comparison's draft: how each is filled in, its name and what it means. Pure.

use elenchus_text::FieldKind;

/// A field of the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray)]
pub enum AbField {
    Debates,
    Seat,
    Round,
    Turns,
    Samples,
    Roll,
    Stop,
    Judge,
    Truth,
    Repeats,
    Ceiling,
    Seed,
    Begin,
}

impl AbField {
    pub(super) const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Says whether the prompt of a judge, or of a seat that speaks, has the field: a verdict is asked for alone, and is
    /// right or wrong.
    pub(super) fn is_asked(self, is_of_verdicts: bool) -> bool {
        match self {
            Self::Roll | Self::Judge => !is_of_verdicts,
            Self::Truth => is_of_verdicts,
            Self::Debates
            | Self::Seat
            | Self::Round
            | Self::Turns
            | Self::Samples
            | Self::Stop
            | Self::Repeats
            | Self::Ceiling
            | Self::Seed
            | Self::Begin => true,
        }
    }

    /// Returns how a field of a judge's prompt is filled in, its name and what it means.
    pub(super) fn describe_for_verdicts(self) -> (FieldKind, &'static str, &'static str) {
        let (kind, name, help) = self.describe();
        let (name, help) = match self {
            Self::Debates => (name, "Whose recorded verdicts both prompts are tried on."),
            Self::Seat => (name, "Only verdicts of this seat."),
            Self::Round => (name, "Only verdicts on this round; empty for every one."),
            Self::Turns => (
                "verdicts",
                "Number of verdicts, drawn by the seed; empty for all.",
            ),
            Self::Samples => (
                name,
                "Of each prompt on every verdict; topics count, not samples.",
            ),
            Self::Seed => (name, "Fixes which verdicts are drawn and in which order."),
            Self::Roll
            | Self::Stop
            | Self::Judge
            | Self::Truth
            | Self::Repeats
            | Self::Ceiling
            | Self::Begin => (name, help),
        };
        (kind, name, help)
    }

    /// Returns how a field is filled in, its name and what it means.
    pub(super) fn describe(self) -> (FieldKind, &'static str, &'static str) {
        use FieldKind::{Button, Choice, Count, Listed, Number};
        match self {
            AbField::Debates => (
                Listed,
                "debates",
                "Whose recorded turns both prompts are tried on.",
            ),
            AbField::Seat => (Choice, "seat", "Only turns of this seat."),
            AbField::Round => (
                Count,
                "round",
                "Only turns of this round; empty for every one.",
            ),
            AbField::Turns => (
                Count,
                "turns",
                "Number of turns, drawn by the seed; empty for all.",
            ),
            AbField::Samples => (
                Count,
                "samples",
                "Of each prompt on every turn; topics count, not samples.",
            ),
            AbField::Roll => (
                Choice,
                "how far",
                "A seat without verdicts is compared by what follows it.",
            ),
            AbField::Stop => (
                Choice,
                "ends",
                "A plan that is fixed, or as soon as a confidence sequence settles it.",
            ),
            AbField::Judge => (
                Choice,
                "preference",
                "A model that says which reply is better, asked in both orders.",
            ),
            AbField::Truth => (
                Choice,
                "right by",
                "Where it is known from what a verdict should have been: verdicts without it are left out.",
            ),
            AbField::Repeats => (
                Choice,
                "repeats",
                "Reuse earlier replies to the same request, or send every request again.",
            ),
            AbField::Ceiling => (
                Number,
                "ceiling in US$",
                "It pauses before more is spent; empty for none.",
            ),
            AbField::Seed => (
                Count,
                "seed",
                "Fixes which turns are drawn and in which order.",
            ),
            AbField::Begin => (
                Button,
                "Begin the comparison",
                "begins; it can be stopped and continued",
            ),
        }
    }
}
