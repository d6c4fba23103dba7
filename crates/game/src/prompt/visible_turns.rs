//! Visible turns and rulings as template values, in this reader's order and screened where the
//! protocol requires it.

use super::template_context::TemplateContext;
use crate::debate::event::{Fields, Outcome};
use crate::debate::ids::{AttemptId, Chair, JudgingId, SeatId, TurnId};
use crate::debate::protocol::{JudgedThing, Sees, StageOrder};
use crate::debate::state::Attempt;
use crate::debate::step::{ShownOrder, Target};
use crate::debate::view::PartSource;
use crate::debate::visibility;
use minijinja::Value;
use serde_json::Value as Json;
use std::collections::{BTreeSet, VecDeque};

/// Text shown to others for an empty reply. The missing answer is part of the debate; without the
/// text the reply would look like a gap in the view.
pub const EMPTY_TURN_TEXT: &str = "(said nothing: the reply was empty)";

impl TemplateContext<'_> {
    /// Returns turns as template values, in the order in which this reader is shown them.
    pub(super) fn turn_values(&self, sees: &Sees, turns: Vec<TurnId>, me: Option<&Chair>) -> Value {
        let places = self.chairs_of_turns(&turns);
        let ordered_turns =
            visibility::order_peer_turns(turns, sees.peer_order, self.created.seed, &self.reader);
        let ordered_turns = self.exchange_sides(self.swap_simultaneous(ordered_turns));
        let values: Vec<Value> = ordered_turns
            .iter()
            .filter_map(|turn| {
                let (id, attempt) = self.state.chosen_attempt(turn)?;
                let verdict = if sees.verdicts && !attempt.is_empty_reply() {
                    self.verdict_value(&id)
                } else {
                    Value::from(())
                };
                let (text, check) = self.screen_turn(sees, &id, attempt);
                let place = places.iter().position(|chair| chair == &turn.chair);
                Some(Value::from_pairs([
                    ("seat", Value::from(turn.chair.seat.as_str())),
                    ("label", Value::from(self.chair_label(&turn.chair))),
                    ("round", Value::from(turn.round)),
                    ("stage", Value::from(turn.stage.as_str())),
                    ("mine", Value::from(me == Some(&turn.chair))),
                    ("place", Value::from(place.map(|at| at + 1))),
                    ("text", self.authored_text(PartSource::Turn(id), &text)),
                    ("verdict", verdict),
                    ("check", check),
                ]))
            })
            .collect();
        Value::from(values)
    }

    /// Returns the chairs of some turns, in the order of their candidates.
    fn chairs_of_turns(&self, turns: &[TurnId]) -> Vec<Chair> {
        let spoke: BTreeSet<&Chair> = turns.iter().map(|turn| &turn.chair).collect();
        let protocol = &self.created.protocol;
        let mut chairs: Vec<Chair> = protocol
            .seats
            .iter()
            .flat_map(|seat| {
                (0..seat.count).map(|index| Chair {
                    seat: seat.id.clone(),
                    index,
                })
            })
            .filter(|chair| spoke.contains(chair))
            .collect();
        if self.order == ShownOrder::Swapped {
            chairs.reverse();
        }
        chairs
    }

    /// Reverses the order of simultaneous turns; a turn that answers another stays after it.
    fn swap_simultaneous(&self, turns: Vec<TurnId>) -> Vec<TurnId> {
        if self.order == ShownOrder::AsSeated {
            return turns;
        }
        let mut out: Vec<TurnId> = Vec::with_capacity(turns.len());
        for group in turns.chunk_by(|a, b| a.round == b.round && a.stage == b.stage) {
            let stage = group
                .first()
                .and_then(|turn| self.created.protocol.find_stage(&turn.stage));
            match stage.map(|stage| stage.order) {
                Some(StageOrder::Simultaneous) => out.extend(group.iter().rev().cloned()),
                Some(StageOrder::Sequential) | None => out.extend(group.iter().cloned()),
            }
        }
        out
    }

    /// Puts the critic's turns of a round in the places of the proposer's, and the other way round; each side's turns
    /// stay in their order, and where one side has more the rest follows. Everybody keeps their name, so that the
    /// places alone change.
    fn exchange_sides(&self, turns: Vec<TurnId>) -> Vec<TurnId> {
        let sides = match self.order {
            ShownOrder::AsSeated => None,
            ShownOrder::Swapped => self.created.protocol.find_sides(),
        };
        let Some(sides) = sides else {
            return turns;
        };
        let mut out = turns;
        for round in out.chunk_by_mut(|a, b| a.round == b.round) {
            let of_side = |seats: &BTreeSet<SeatId>| -> VecDeque<TurnId> {
                let turns = round.iter();
                let turns = turns.filter(|turn| seats.contains(&turn.chair.seat));
                turns.cloned().collect()
            };
            let (mut proposals, mut critiques) =
                (of_side(&sides.proposers), of_side(&sides.critics));
            for place in round.iter_mut() {
                let seat = &place.chair.seat;
                let exchanged = if sides.proposers.contains(seat) {
                    critiques.pop_front().or_else(|| proposals.pop_front())
                } else if sides.critics.contains(seat) {
                    proposals.pop_front().or_else(|| critiques.pop_front())
                } else {
                    None
                };
                if let Some(turn) = exchanged {
                    *place = turn;
                }
            }
        }
        out
    }

    /// Returns a turn's text without the arguments that rest on fabricated citations, and the
    /// findings of the citation check; for an empty reply a note that it was empty.
    fn screen_turn(&self, sees: &Sees, id: &AttemptId, attempt: &Attempt) -> (String, Value) {
        let whole = || attempt.reply.text.clone();
        if attempt.is_empty_reply() {
            return (EMPTY_TURN_TEXT.to_owned(), Value::from(()));
        }
        let Some(judging) = &sees.screened_by else {
            return (whole(), Value::from(()));
        };
        let target = Target::Attempt(id.clone());
        let outcome = self
            .created
            .protocol
            .find_judging(judging)
            .and_then(|rule| self.state.combined_outcome(rule, &target));
        let Some(Outcome::Label(finding)) = outcome else {
            return (whole(), Value::from(()));
        };
        let text = match &attempt.fields {
            Some(Fields::Read(fields)) => drop_discarded_items(fields, &finding.fields),
            Some(Fields::Unparsed { .. }) | None => None,
        };
        let from = PartSource::Ruling {
            judging: judging.clone(),
            target,
        };
        let check = self.authored_text(from, &check_text(&finding.label, &finding.fields));
        (text.unwrap_or_else(whole), check)
    }

    /// Returns the findings about earlier rounds, except those in `told`.
    pub(super) fn ruling_values(
        &self,
        sees: &Sees,
        reader: visibility::ReaderPosition<'_>,
        told: &mut BTreeSet<(JudgingId, u32)>,
    ) -> Value {
        let rules = visibility::find_visible_rulings(&self.created.protocol, sees, reader);
        let values: Vec<Value> = rules
            .into_iter()
            .filter(|(rule, round)| told.insert((rule.id.clone(), *round)))
            .filter_map(|(rule, round)| {
                let target = Target::Round(round);
                let outcome = self.state.combined_outcome(rule, &target)?;
                // Several judges rule together: no single chair is named.
                let by = rule
                    .by
                    .as_ref()
                    .and_then(|seat| self.created.protocol.find_seat(seat));
                let by = by.map_or_else(
                    || rule.id.to_string(),
                    |seat| seat.label.clone().unwrap_or_else(|| seat.id.to_string()),
                );
                let from = PartSource::Ruling {
                    judging: rule.id.clone(),
                    target,
                };
                Some(Value::from_pairs([
                    ("round", Value::from(round)),
                    ("label", Value::from(by)),
                    ("text", self.authored_text(from, &ruling_text(&outcome))),
                ]))
            })
            .collect();
        Value::from(values)
    }

    /// Returns the private reasoning that a reader is shown, oldest first.
    pub(super) fn private_values(
        &self,
        sees: &Sees,
        reader: visibility::ReaderPosition<'_>,
    ) -> Value {
        let turns = visibility::find_private_turns(&self.created.protocol, sees, reader);
        let values: Vec<Value> = turns
            .iter()
            .filter(|seen| !self.state.is_empty_turn(seen))
            .filter_map(|seen| {
                let (id, attempt) = self.state.chosen_attempt(seen)?;
                let text = self.authored_text(PartSource::OwnPrivate(id), &attempt.reply.text);
                Some(Value::from_pairs([
                    ("round", Value::from(seen.round)),
                    ("text", text),
                ]))
            })
            .collect();
        Value::from(values)
    }

    /// Returns the decisions that pay and what each chair was paid, for the author of a lesson: those of the
    /// debate, or of the one whose rewards were taken in their place.
    pub(super) fn reward_values(&self, sees: &Sees, learner: Option<&Chair>) -> (Value, Value) {
        if !sees.rewards {
            let nothing = || Value::from(Vec::<Value>::new());
            return (nothing(), nothing());
        }
        let (of, paid) = match self.state.swapped_rewards() {
            Some(swapped) => (&swapped.from, swapped.paid.clone()),
            None => (&self.created.session, self.state.paid_decisions()),
        };
        let text = |text: String| {
            let from = PartSource::Rewards { of: of.clone() };
            self.table.tag_text(from, text)
        };
        let protocol = &self.created.protocol;
        let decisions = paid.labels.into_iter().map(|(id, label)| {
            let by = protocol.find_judging(&id).and_then(|rule| rule.by.as_ref());
            let by = by.and_then(|seat| protocol.find_seat(seat)?.label.clone());
            Value::from_pairs([
                ("label", Value::from(by.unwrap_or_else(|| id.to_string()))),
                ("judging", Value::from(id.as_str())),
                (
                    "text",
                    text(label.unwrap_or_else(|| "undecided".to_owned())),
                ),
            ])
        });
        let rewards = paid.rewards.into_iter().map(|(chair, reward)| {
            Value::from_pairs([
                ("label", Value::from(self.chair_label(&chair))),
                ("seat", Value::from(chair.seat.as_str())),
                ("mine", Value::from(learner == Some(&chair))),
                ("text", text(reward_text(reward))),
            ])
        });
        (
            Value::from(decisions.collect::<Vec<_>>()),
            Value::from(rewards.collect::<Vec<_>>()),
        )
    }

    /// Returns the label that evaluators gave an attempt, where a template may show it.
    pub(super) fn verdict_value(&self, attempt: &AttemptId) -> Value {
        let protocol = &self.created.protocol;
        let target = Target::Attempt(attempt.clone());
        protocol
            .judging
            .iter()
            .filter(|judging| judging.enabled && judging.of == JudgedThing::Turn)
            // A grader's verdict reveals the reference answer: no view contains it.
            .filter(|judging| judging.has_judge())
            .find_map(|judging| {
                let outcome = self.state.combined_outcome(judging, &target)?;
                let from = PartSource::Verdict {
                    judging: judging.id.clone(),
                    attempt: attempt.clone(),
                };
                Some(self.table.tag_text(from, verdict_text(&outcome)))
            })
            .unwrap_or_else(|| Value::from(()))
    }
}

/// Returns what a chair was paid, as text: a sum of decimals has digits of its own at its end, and nothing has no
/// sign but one.
fn reward_text(reward: f64) -> String {
    let rounded = (reward * 1e6).round() / 1e6;
    format!("{:+}", rounded + 0.0)
}

/// Returns a verdict as text for a seat.
pub(super) fn verdict_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) => finding.label.clone(),
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}

/// Returns a verdict on a round as text for speakers of later rounds.
pub(super) fn ruling_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) if !finding.fields.is_null() => {
            format!("{}\n{}", finding.label, format_json(&finding.fields))
        }
        Outcome::Label(finding) => match &finding.reason {
            Some(reason) => format!("{}: {reason}", finding.label),
            None => finding.label.clone(),
        },
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}

/// Returns the findings of a citation check, one line per citation, as text for a judge.
///
/// Names and quotations are written by debaters: none of them can begin a line of its own, which
/// would look like another finding.
fn check_text(label: &str, fields: &Json) -> String {
    let mut lines = vec![label.to_owned()];
    let items = fields.get("citations").and_then(Json::as_array);
    for item in items.into_iter().flatten() {
        let text = |key: &str| item.get(key).and_then(Json::as_str).unwrap_or_default();
        let number = match item.get("number").and_then(Json::as_u64) {
            Some(number) => format!(" {number}"),
            None => String::new(),
        };
        let place = match item.get("list").and_then(Json::as_str) {
            Some(list) => format!("{}{number}: ", single_line(list)),
            None => String::new(),
        };
        let quote = match text("quote") {
            "" => "no quotation".to_owned(),
            quote => Json::from(quote).to_string(),
        };
        lines.push(format!(
            "{place}{}: {quote} ({})",
            text("status"),
            single_line(text("document"))
        ));
    }
    let discarded_count = discarded_items(fields).count();
    if discarded_count > 0 {
        lines.push(format!("arguments left out for that: {discarded_count}"));
    }
    lines.join("\n")
}

fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the reply as JSON without the arguments that a check discards; `None` if it discards
/// none.
fn drop_discarded_items(fields: &Json, found: &Json) -> Option<String> {
    let mut remaining_fields = fields.clone();
    let mut places: Vec<(&str, usize)> = discarded_items(found).collect();
    if places.is_empty() {
        return None;
    }
    // From the end of each list, so that earlier indices stay valid.
    places.sort_unstable();
    places.dedup();
    for (list, at) in places.into_iter().rev() {
        let items = remaining_fields.get_mut(list).and_then(Json::as_array_mut);
        if let Some(items) = items.filter(|items| at < items.len()) {
            items.remove(at);
        }
    }
    Some(format_json(&remaining_fields))
}

fn discarded_items(found: &Json) -> impl Iterator<Item = (&str, usize)> {
    let items = found.get("discarded").and_then(Json::as_array);
    items.into_iter().flatten().filter_map(|item| {
        let at = item.get("at").and_then(Json::as_u64)?;
        Some((item.get("list")?.as_str()?, usize::try_from(at).ok()?))
    })
}

fn format_json(value: &Json) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::reward_text;

    #[test]
    fn a_reward_is_shown_as_it_is_written_in_the_protocol() {
        assert_eq!(reward_text(0.1 + 0.2), "+0.3");
        assert_eq!(reward_text(-1.0), "-1");
        assert_eq!(reward_text(-0.0), "+0");
        assert_eq!(reward_text(0.3 - 0.1 - 0.2), "+0");
    }
}
