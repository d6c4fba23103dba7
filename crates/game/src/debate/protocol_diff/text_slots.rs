//! Text slots of a protocol: the positions of its templates and rubrics.

use super::LeverGroup;
use crate::debate::Protocol;
use serde::Serialize;

/// A position of a protocol that takes a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextSlot {
    pub group: LeverGroup,
    /// Name for people, the same in every game that has such a slot.
    pub name: String,
    pub words: TextName,
}

/// Name of a text in the game's files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextName {
    Template(String),
    /// A rubric: the judge's question, and the parsing of its reply.
    Rubric(String),
    List(String),
}

/// Returns every text slot of a protocol.
pub fn text_slots(protocol: &Protocol) -> Vec<TextSlot> {
    let mut slots = Vec::new();
    let mut add = |group: LeverGroup, name: String, words: TextName| {
        slots.push(TextSlot { group, name, words });
    };
    for stage in protocol.stages.iter().filter(|stage| stage.enabled) {
        for seat in &stage.seats {
            let name = match stage.seats.len() {
                1 => stage.id.to_string(),
                _ => format!("{}, {seat}", stage.id),
            };
            let template = protocol.template_name(stage, seat).to_owned();
            add(LeverGroup::Prompts, name, TextName::Template(template));
        }
        for (at, rule) in stage.retry.iter().enumerate() {
            if let Some(template) = &rule.template {
                let name = format!("{}, asked again by rule {}", stage.id, at + 1);
                add(
                    LeverGroup::Prompts,
                    name,
                    TextName::Template(template.clone()),
                );
            }
        }
        for (drawn, list) in &stage.draw {
            let name = format!("{}, draws '{drawn}'", stage.id);
            add(LeverGroup::Lists, name, TextName::List(list.clone()));
        }
    }
    for rule in protocol.judging.iter().filter(|rule| rule.enabled) {
        if let Some(rubric) = &rule.rubric {
            add(
                LeverGroup::Judge,
                rule.id.to_string(),
                TextName::Rubric(rubric.clone()),
            );
        }
        if let Some(repair) = &rule.repair {
            let name = format!("{}, asked again", rule.id);
            add(
                LeverGroup::Judge,
                name,
                TextName::Template(repair.template.clone()),
            );
        }
    }
    for feedback in &protocol.feedback {
        let name = match &feedback.learner {
            None => "lesson".to_owned(),
            Some(learner) => format!("lesson for {learner}"),
        };
        add(
            LeverGroup::Lesson,
            name,
            TextName::Template(feedback.template_name().to_owned()),
        );
    }
    slots
}
