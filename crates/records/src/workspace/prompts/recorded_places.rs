//! Places in recorded sessions at which a prompt asked for something.

use super::name::PromptName;
use crate::library::rubric_template;
use crate::library::template_selection::speaker_templates;
use crate::workspace::error::Result;
use crate::workspace::session::read_session;
use crate::workspace::session_list::newest_sessions;
use elenchus_game::debate::{Chair, JudgingId, SeatId, SessionId, Speak, State, Target, TurnId};
use elenchus_game::prompt;
use elenchus_store::Layout;
use elenchus_text::Content;
use std::fmt;

/// Sessions that are read at most to find some that a prompt was used in.
const MAX_READ: usize = 400;
/// Sessions with such places that are listed.
const MAX_SESSIONS: usize = 40;
/// Characters of a session's id where there is little room.
const SESSION_DIGITS: usize = 6;

/// Something recorded that a prompt asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedFor {
    Turn(TurnId),
    Verdict {
        judging: JudgingId,
        target: Target,
    },
    /// That of a seat which learns for itself, or the one of all.
    Lesson(Option<SeatId>),
    /// The decision of a chair's model whether a guardrail matches.
    GuardDecision(Chair),
    /// The guardrail that a chair's model writes from the lesson.
    Guardrail(Chair),
}

impl fmt::Display for AskedFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskedFor::Turn(turn) => write!(f, "{turn}"),
            AskedFor::Verdict { judging, target } => write!(f, "{judging} on {target}"),
            AskedFor::Lesson(None) => f.write_str("the lesson"),
            AskedFor::Lesson(Some(learner)) => write!(f, "the lesson for {learner}"),
            AskedFor::GuardDecision(chair) => write!(f, "{chair} about guardrails"),
            AskedFor::Guardrail(_) => f.write_str("the guardrail from the lesson"),
        }
    }
}

/// A place where a prompt asked for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptAt {
    pub session: SessionId,
    pub asked: AskedFor,
}

impl PromptAt {
    /// Returns the end of the session's id, as lists show it.
    pub fn short_session(&self) -> &str {
        let id = self.session.as_str();
        let from = id.len().saturating_sub(SESSION_DIGITS);
        id.get(from..).unwrap_or(id)
    }
}

/// A session with what a prompt asked for in it, in the order of the game.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptPlaces {
    pub session: SessionId,
    /// The topic's text.
    pub topic: String,
    pub simulated: bool,
    pub asked: Vec<AskedFor>,
}

impl PromptPlaces {
    /// Returns every place, in the order of the game.
    pub fn list_places(&self) -> impl Iterator<Item = PromptAt> {
        let requests = self.asked.iter().cloned();
        requests.map(|asked| PromptAt {
            session: self.session.clone(),
            asked,
        })
    }

    /// Returns the debate on one line: its topic, masked where content is, and its session.
    pub fn describe_debate(&self, content: Content) -> String {
        let mark = match self.simulated {
            true => "simulated · ",
            false => "",
        };
        let topic = self.topic.lines().next().unwrap_or_default();
        format!("{mark}{} · {}", content.show_or_mask(topic), self.session)
    }
}

/// Names the prompt that asked for something in a session; `None` where nothing did.
pub fn asked_by(state: &State, asked: AskedFor) -> Option<(PromptName, AskedFor)> {
    let protocol = state.protocol()?;
    let template = match &asked {
        AskedFor::Turn(turn) => {
            let stage = protocol.find_stage(&turn.stage)?;
            protocol.template_name(stage, &turn.chair.seat).to_owned()
        }
        AskedFor::Verdict { judging, .. } => {
            rubric_template(protocol.find_judging(judging)?.rubric.as_ref()?)
        }
        AskedFor::Lesson(learner) => {
            let rule = protocol.find_feedback(learner.as_ref())?;
            rule.template_name().to_owned()
        }
        AskedFor::GuardDecision(_) => prompt::DECISION.to_owned(),
        AskedFor::Guardrail(_) => prompt::DERIVATION.to_owned(),
    };
    let name = PromptName {
        protocol: protocol.id.to_string(),
        template,
    };
    Some((name, asked))
}

/// Returns what a template asked models for in a session.
pub fn places_in(state: &State, template: &str) -> Option<PromptPlaces> {
    let created = state.first_event()?;
    let protocol = &created.protocol;
    let mut turns: Vec<&TurnId> = state
        .turns()
        .keys()
        .filter(|turn| is_asked_by(state, turn, template))
        .collect();
    turns.sort_by_key(|turn| (turn.round, protocol.stage_place(&turn.stage)));
    let mut requests: Vec<AskedFor> = turns.into_iter().cloned().map(AskedFor::Turn).collect();
    for (judging, target, slots) in state.verdicts() {
        let rule = protocol.find_judging(judging);
        let rubric = rule.and_then(|rule| rule.rubric.as_ref());
        let is_its = rubric.is_some_and(|rubric| rubric_template(rubric) == template);
        if is_its && slots.values().any(|verdict| verdict.view.is_some()) {
            requests.push(AskedFor::Verdict {
                judging: judging.clone(),
                target: target.clone(),
            });
        }
    }
    for written in state.lessons().filter(|written| written.view.is_some()) {
        let rule = protocol.find_feedback(written.learner.as_ref());
        if rule.is_some_and(|rule| rule.template_name() == template) {
            requests.push(AskedFor::Lesson(written.learner.clone()));
        }
    }
    if template == prompt::DECISION {
        let states = state.guard_states().iter();
        let decided = states.filter(|(_, of)| of.decided.is_ok());
        requests.extend(decided.map(|(chair, _)| AskedFor::GuardDecision(chair.clone())));
    }
    if template == prompt::DERIVATION {
        requests.extend(find_guardrail_writer(state).map(AskedFor::Guardrail));
    }
    Some(PromptPlaces {
        session: created.session.clone(),
        topic: created.topic.text.clone(),
        simulated: created.is_simulated(),
        asked: requests,
    })
}

/// Returns the chair whose model is asked for a guardrail from a session's lesson; `None` where none is derived: the
/// debate holds no prompt for one, its lessons are not for all, or no model sits there.
pub fn find_guardrail_writer(state: &State) -> Option<Chair> {
    let created = state.first_event()?;
    let lesson = state.lesson()?;
    let holds_prompt = created.templates.contains_key(prompt::DERIVATION);
    if !holds_prompt || lesson.learner.is_some() || lesson.reply.is_empty() {
        return None;
    }
    let chair = created.guardrail_writer()?;
    created.player_of(&chair)?.as_model().map(|_| chair)
}

/// Says whether a model was asked for the attempt of a turn that counts by a template: that of its stage and seat, or
/// that of the rule which sent an earlier reply back.
pub fn is_asked_by(state: &State, turn: &TurnId, template: &str) -> bool {
    let asked = state.protocol().zip(state.chosen_attempt(turn));
    asked.is_some_and(|(protocol, (id, attempt))| {
        let speak = Speak {
            turn: turn.clone(),
            attempt: id.attempt,
            retry: attempt.instead_of.map(|sent| sent.rule),
        };
        attempt.view.is_some() && speaker_templates(protocol, &speak).contains(&template)
    })
}

/// Finds sessions in which a prompt was used, the newest first. Blocks while it reads; sessions that
/// cannot be read are left out.
///
/// # Errors
/// When the store cannot be listed.
pub fn find_places(layout: &Layout, name: &PromptName) -> Result<Vec<PromptPlaces>> {
    let mut results = Vec::new();
    for id in newest_sessions(layout, MAX_READ)? {
        let Ok(state) = read_session(&layout.session_path(id.as_str())?) else {
            continue;
        };
        let is_its = state
            .protocol()
            .is_some_and(|protocol| protocol.id == name.protocol);
        let places = is_its.then(|| places_in(&state, &name.template)).flatten();
        results.extend(places.filter(|places| !places.asked.is_empty()));
        if results.len() >= MAX_SESSIONS {
            break;
        }
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debate_is_named_by_the_first_line_of_its_topic_unless_that_is_masked() {
        let places = PromptPlaces {
            session: SessionId::new("01SESSION"),
            topic: "Why locks?\nAnd keys?".to_owned(),
            simulated: true,
            asked: vec![AskedFor::Lesson(None)],
        };
        let shown = places.describe_debate(Content::Shown);
        assert_eq!(shown, "simulated · Why locks? · 01SESSION");
        assert!(!places.describe_debate(Content::Masked).contains("locks"));
        let at = places.list_places().next().unwrap();
        assert_eq!(at.short_session(), "ESSION");
        assert_eq!(at.asked, AskedFor::Lesson(None));
    }
}
