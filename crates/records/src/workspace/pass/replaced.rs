//! Critiques that a pass puts in place of those that were played: the judge is asked about the same proposal once
//! for each, so that what differs is the critique alone.

use crate::workspace::no_content::write_no_content;
use crate::workspace::rows::last_grade;
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::{Detector, Judging};
use elenchus_game::debate::{JudgingId, State, TurnId, visibility};
use elenchus_model::sim::{Flaw, Marker, MarkerKind, SimState, Trick};
use serde::{Deserialize, Serialize};

/// Rubric of a model that finds whether a turn accepts or rejects.
const STANCE_RUBRIC: &str = "critic-stance";
/// Seat of critics, where no rule says whose turns are critiques.
const CRITIC: &str = "critic";
/// Parts a rule's id from the critique that its judge is shown.
const PARTS: char = '.';

/// A critique that takes the place of the one that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacedCritique {
    pub name: String,
    pub text: CritiqueText,
}

/// Text of a critique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CritiqueText {
    /// The one that was played, without what followed it.
    Played,
    /// The same about every proposal, whatever it is worth: it names no error. A harsh one is what a simulated
    /// judge takes for a spurious critique.
    Fixed {
        text: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        harsh: bool,
    },
    /// What an honest critic says, by the ground truth.
    Honest { correct: String, incorrect: String },
    /// Words without content, as many as those that were played have.
    EqualLength,
}

impl ReplacedCritique {
    /// Returns the rule under which its judge is asked.
    pub fn rule_id(&self, rule: &JudgingId) -> JudgingId {
        JudgingId::new(format!("{rule}{PARTS}{}", self.name))
    }

    /// Says whether a verdict was found with this critique.
    pub fn is_of(&self, verdict: &JudgingId) -> bool {
        let name = verdict.as_str().rsplit_once(PARTS);
        name.is_some_and(|(_, name)| name == self.name)
    }
}

/// Exchange of a proposal and its critique, as a pass has it judged.
pub struct FrozenExchange {
    pub rule: Judging,
    pub critique: TurnId,
    /// What else was said in public by the critic, or after the critique: it answered one that is not there.
    left_out: Vec<TurnId>,
}

impl FrozenExchange {
    /// Finds the critique of a debate and the rule that decides it.
    ///
    /// # Errors
    /// Says what the debate lacks.
    pub fn find(state: &State) -> Result<Self, &'static str> {
        let created = state.first_event().ok_or("it has not begun")?;
        let rule = created
            .protocol
            .find_decision_rule()
            .ok_or("no judge decides it as a whole, so no critique sways one")?;
        let is_critique = critique_test(created);
        let mut turns: Vec<&TurnId> = state.turns().keys().collect();
        let protocol = &created.protocol;
        turns.retain(|turn| {
            let stage = protocol.find_stage(&turn.stage);
            stage.is_some_and(|stage| !stage.private)
        });
        turns.sort_by_key(|turn| (turn.round, protocol.stage_place(&turn.stage)));
        let place = turns.iter().position(|turn| {
            let attempt = state.chosen_attempt(turn);
            is_critique(turn) && attempt.is_some_and(|(_, attempt)| !attempt.is_empty_reply())
        });
        let place = place.ok_or("nobody said anything in it that is a critique")?;
        let critique = turns[place].clone();
        let is_left_out = |(at, turn): &(usize, &&TurnId)| {
            *at > place || (*at < place && turn.chair.seat == critique.chair.seat)
        };
        let left_out = turns.iter().enumerate().filter(is_left_out);
        Ok(Self {
            rule: rule.clone(),
            left_out: left_out.map(|(_, turn)| (*turn).clone()).collect(),
            critique,
        })
    }

    /// Returns the debate with another critique, judged under a rule of its own; `None` where the ground truth
    /// that an honest one needs is not known.
    pub fn replace_critique(&self, state: &State, replaced: &ReplacedCritique) -> Option<State> {
        let created = state.first_event()?;
        let (_, played) = state.chosen_attempt(&self.critique)?;
        let judge = self.rule.by.as_ref().and_then(|seat| {
            let mut cast = created.cast.iter();
            cast.find(|one| one.chair.seat == *seat)
        });
        let is_simulated = judge.is_some_and(|judge| judge.player.is_simulated());
        let (text, mark) = match &replaced.text {
            CritiqueText::Played => (None, None),
            CritiqueText::Fixed { text, harsh } => {
                let trick = harsh.then_some(Trick::Spurious);
                (Some(text.clone()), Some((None, trick)))
            }
            CritiqueText::Honest { correct, incorrect } => {
                let is_correct = last_grade(state, created)?;
                let (text, flaw) = match is_correct {
                    true => (correct, Flaw::NotNamed),
                    false => (incorrect, Flaw::Named),
                };
                (Some(text.clone()), Some((Some(flaw), None)))
            }
            CritiqueText::EqualLength => {
                let words = played.reply.text.split_whitespace().count();
                (
                    Some(write_no_content(
                        words,
                        created.seed,
                        &["no content", &created.topic.id],
                    )),
                    Some((None, None)),
                )
            }
        };
        let mark = mark.filter(|_| is_simulated);
        let text = text.map(|text| match mark {
            // A simulated judge reads marks; no other is shown one.
            Some((flaw, trick)) => format!("{text} {}", self.build_mark(flaw, trick)),
            None => text,
        });
        let mut changed = state.clone();
        if let Some(text) = text {
            changed = changed.with_turn_text(&self.critique, text);
        }
        for turn in &self.left_out {
            changed = changed.without_turn(turn);
        }
        let mut created = created.clone();
        let rules = &mut created.protocol.judging;
        rules.retain(|rule| rule.id == self.rule.id);
        for rule in rules {
            rule.id = replaced.rule_id(&self.rule.id);
        }
        Some(changed.with_first_event(created))
    }

    fn build_mark(&self, flaw: Option<Flaw>, trick: Option<Trick>) -> Marker {
        Marker {
            kind: MarkerKind::Turn,
            seat: self.critique.chair.seat.to_string(),
            index: self.critique.chair.index,
            round: self.critique.round,
            state: SimState::Persona,
            flaw,
            trick,
            stage: None,
            topic: None,
            others_rewards: false,
        }
    }
}

/// Returns which turns are critiques: those of which a rule finds whether they accept or reject, enabled or not, else
/// those of the seat `critic`.
fn critique_test(created: &Created) -> impl Fn(&TurnId) -> bool {
    let protocol = &created.protocol;
    let stance = protocol.judging.iter().find(|rule| {
        rule.detector == Some(Detector::Stance) || rule.rubric.as_deref() == Some(STANCE_RUBRIC)
    });
    move |turn| match stance {
        Some(rule) => visibility::is_target(protocol, rule, turn),
        None => turn.chair.seat.as_str() == CRITIC,
    }
}
