//! Gauge results: the readings of a protocol's gauges on one debate.

use super::event::{Fields, Outcome};
use super::protocol::{FieldOf, Gauge, JudgedThing, Judging, Take};
use super::state::{State, field_at_path};
use super::step::Target;
use serde_json::Value;

/// Readings of one gauge.
#[derive(Debug, Clone, PartialEq)]
pub struct GaugeReading<'a> {
    pub gauge: &'a Gauge,
    /// One per turn of the stage, or one for the last verdict of the rule.
    pub values: Vec<f64>,
    /// Replies that could not be parsed or lack the field.
    pub unread: u32,
}

impl GaugeReading<'_> {
    /// Returns whether the debate is flagged for review.
    pub fn is_flagged(&self) -> bool {
        let bound = self.gauge.flag_below;
        bound.is_some_and(|bound| self.values.iter().any(|value| *value < bound))
    }
}

/// A reply or verdict that a gauge reads.
enum GaugeInput<'a> {
    Fields(&'a Value),
    Verdict { label: &'a str, fields: &'a Value },
    Unread,
}

impl State {
    /// Returns the readings of each gauge: from the chosen attempts of its stage, or from the last
    /// finding of its rule. Turns copied from a fork's parent count for the parent.
    pub fn compute_gauge_readings(&self) -> Vec<GaugeReading<'_>> {
        let Some(protocol) = self.protocol() else {
            return Vec::new();
        };
        // A stage or rule that this variant of the game never plays has no readings to miss.
        let is_in_game = |gauge: &&Gauge| {
            let stage = gauge.stage.as_ref().and_then(|id| protocol.find_stage(id));
            let rule = gauge
                .judging
                .as_ref()
                .and_then(|id| protocol.find_judging(id));
            stage.is_some_and(|stage| stage.enabled) || rule.is_some_and(|rule| rule.enabled)
        };
        let gauges = protocol.gauges.iter().filter(is_in_game);
        gauges.map(|gauge| self.compute_reading(gauge)).collect()
    }

    fn compute_reading<'a>(&'a self, gauge: &'a Gauge) -> GaugeReading<'a> {
        let mut reading = GaugeReading {
            gauge,
            values: Vec::new(),
            unread: 0,
        };
        let verdict = self.last_verdict(gauge);
        let inputs: Vec<GaugeInput<'_>> = match &verdict {
            Some(Outcome::Label(finding)) => vec![GaugeInput::Verdict {
                label: &finding.label,
                fields: &finding.fields,
            }],
            Some(Outcome::Unparsed { .. }) => vec![GaugeInput::Unread],
            None => self.collect_turn_inputs(gauge),
        };
        for one in inputs {
            match self.compute_value(gauge, &one) {
                Some(value) => reading.values.push(value),
                None => reading.unread += 1,
            }
        }
        reading
    }

    fn collect_turn_inputs(&self, gauge: &Gauge) -> Vec<GaugeInput<'_>> {
        let Some(stage) = &gauge.stage else {
            return Vec::new();
        };
        let own = self
            .turns
            .iter()
            .filter(|(turn, _)| &turn.stage == stage)
            .filter_map(|(_, state)| state.chosen_attempt())
            .filter(|attempt| !attempt.inherited);
        own.map(|attempt| match &attempt.fields {
            Some(Fields::Read(fields)) => GaugeInput::Fields(fields),
            Some(Fields::Unparsed { .. }) | None => GaugeInput::Unread,
        })
        .collect()
    }

    /// Returns the last finding of the gauge's rule, on the latest round or on the debate; `None`
    /// where it was inherited from the parent of a fork.
    fn last_verdict(&self, gauge: &Gauge) -> Option<Outcome> {
        let rule = self.protocol()?.find_judging(gauge.judging.as_ref()?)?;
        let target = self.concluding_target(rule)?;
        let by_slot = self.verdicts_on(&rule.id, &target)?;
        if by_slot.values().all(|verdict| verdict.inherited) {
            return None;
        }
        self.combined_outcome(rule, &target)
    }

    /// Returns the last finding of a rule on rounds or on the debate.
    pub fn find_conclusion(&self, rule: &Judging) -> Option<Outcome> {
        self.combined_outcome(rule, &self.concluding_target(rule)?)
    }

    fn concluding_target(&self, rule: &Judging) -> Option<Target> {
        match rule.of {
            JudgedThing::Debate => Some(Target::Debate),
            JudgedThing::Round => (1..=self.last_round())
                .rev()
                .map(Target::Round)
                .find(|target| self.verdicts_on(&rule.id, target).is_some()),
            JudgedThing::Turn => None,
        }
    }

    fn compute_value(&self, gauge: &Gauge, input: &GaugeInput<'_>) -> Option<f64> {
        let (label, fields) = match input {
            GaugeInput::Fields(fields) => (None, *fields),
            GaugeInput::Verdict { label, fields } => (Some(*label), *fields),
            GaugeInput::Unread => return None,
        };
        let field_value = match &gauge.field {
            Some(path) => field_at_path(fields, path)?.clone(),
            None => Value::from(label?),
        };
        match gauge.take {
            Take::Number => gauge_number(gauge, fields),
            Take::Above => {
                let above = gauge.above?;
                Some(as_share(gauge_number(gauge, fields)? > above))
            }
            Take::Length => field_value.as_array().map(|items| items.len() as f64),
            Take::Is => gauge
                .equals
                .as_ref()
                .map(|wanted| as_share(&field_value == wanted)),
            Take::SameAs => {
                let other = self.first_field(gauge.same_as.as_ref()?)?;
                Some(as_share(
                    normalized_text(&field_value) == normalized_text(&other),
                ))
            }
        }
    }

    fn first_field(&self, of: &FieldOf) -> Option<Value> {
        let mut turns = self.turns.iter().filter(|(turn, _)| turn.stage == of.stage);
        let (_, first) = turns.next()?;
        match first.chosen_attempt()?.fields.as_ref()? {
            Fields::Read(fields) => field_at_path(fields, &of.field).cloned(),
            Fields::Unparsed { .. } => None,
        }
    }
}

/// Returns the number in a gauge's field, less the number in the field that it takes off.
pub fn gauge_number(gauge: &Gauge, fields: &Value) -> Option<f64> {
    let number = |path: &String| field_at_path(fields, path)?.as_f64();
    let first_number = number(gauge.field.as_ref()?)?;
    match &gauge.minus {
        Some(other) => Some(first_number - number(other)?),
        None => Some(first_number),
    }
}

fn as_share(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// Returns a value as text without case, extra space and punctuation at its ends.
fn normalized_text(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
}
