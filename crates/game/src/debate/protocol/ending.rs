//! End of a debate in a protocol: the lesson, stop rules and ceilings.

use super::sees::Sees;
use super::yes;
use crate::debate::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};

/// A lesson that is written after a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    pub by: SeatId,
    /// The seat that learns for itself: it alone is shown these lessons, and is shown no others.
    /// `None`: whoever sees memory is shown them.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub learner: Option<SeatId>,
    /// Off where an experiment writes no lesson: a resolved protocol then has neither the rule nor the seat.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub enabled: bool,
    #[serde(default, skip_serializing_if = "FeedbackWhen::is_on_labels")]
    pub when: FeedbackWhen,
    /// Written when any verdict of this rule has one of `labels`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    pub sees: Sees,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// When a lesson is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackWhen {
    /// When a verdict has one of the labels.
    #[default]
    Labels,
    /// After every debate that writes to memory.
    Always,
}

impl FeedbackWhen {
    fn is_on_labels(&self) -> bool {
        *self == FeedbackWhen::Labels
    }
}

impl Feedback {
    /// Returns the name of the template that asks for the lesson.
    pub fn template_name(&self) -> &str {
        self.template.as_deref().unwrap_or(self.by.as_str())
    }
}

fn is_yes(value: &bool) -> bool {
    *value
}

/// The rules for lessons of a protocol, as `[feedback]` or as several `[[feedback]]`. A single rule is written
/// as earlier versions read it.
pub(super) mod rules {
    use super::Feedback;
    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
    use serde::de::{MapAccess, SeqAccess, Visitor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::fmt;

    struct OneOrMany;

    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<Feedback>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table [feedback] or several [[feedback]]")
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Vec<Feedback>, A::Error> {
            Ok(vec![Feedback::deserialize(MapAccessDeserializer::new(
                fields,
            ))?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, rules: A) -> Result<Vec<Feedback>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(rules))
        }
    }

    pub fn serialize<S: Serializer>(rules: &[Feedback], serializer: S) -> Result<S::Ok, S::Error> {
        match rules {
            [only] if only.learner.is_none() => only.serialize(serializer),
            rules => rules.serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Feedback>, D::Error> {
        deserializer.deserialize_any(OneOrMany)
    }
}

/// Ends the debate after a round. All conditions that are given must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRule {
    /// A judging rule of this round, or …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// … a stage with structured replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    /// The field of the verdict or reply, as a dotted path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// Labels, one of which every verdict of the rule in this round must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// Hard limits of a debate. A debate that reaches one is `DEBATE_TRUNCATED`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceilings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Ceilings {
    /// Returns a ceiling in US dollars alone.
    pub fn from_usd(cost_usd: Option<f64>) -> Self {
        Self {
            cost_usd,
            ..Self::default()
        }
    }

    /// Returns the share that a part has, counted from 1: those of all parts add up to the whole.
    #[must_use]
    pub fn share_of(self, part: u32, of: u32) -> Self {
        let share = |all: u64| {
            let up_to = |part: u32| {
                let up_to = u128::from(all) * u128::from(part) / u128::from(of.max(1));
                u64::try_from(up_to).unwrap_or(u64::MAX)
            };
            up_to(part).saturating_sub(up_to(part.saturating_sub(1)))
        };
        Self {
            cost_usd: self.cost_usd.map(|usd| usd / f64::from(of.max(1))),
            calls: self.calls.map(share),
            tokens: self.tokens.map(share),
        }
    }

    /// Returns the ceilings of two together: what one of them has no limit on has none.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost_usd: (self.cost_usd.zip(other.cost_usd)).map(|(one, other)| one + other),
            calls: (self.calls.zip(other.calls)).map(|(one, other)| one.saturating_add(other)),
            tokens: (self.tokens.zip(other.tokens)).map(|(one, other)| one.saturating_add(other)),
        }
    }

    /// Returns these with those in their place that are given.
    #[must_use]
    pub fn with_overrides(self, given: Ceilings) -> Self {
        Self {
            cost_usd: given.cost_usd.or(self.cost_usd),
            calls: given.calls.or(self.calls),
            tokens: given.tokens.or(self.tokens),
        }
    }
}

/// Ceilings of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingKind {
    CostUsd,
    Calls,
    Tokens,
}

impl CeilingKind {
    /// Returns what it limits, in a word.
    pub fn name(self) -> &'static str {
        match self {
            CeilingKind::CostUsd => "cost",
            CeilingKind::Calls => "calls",
            CeilingKind::Tokens => "tokens",
        }
    }
}
