//! The places of a game where somebody is given words.

use super::Group;
use crate::debate::Protocol;
use serde::Serialize;

/// Words that somebody is given at a place of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub group: Group,
    /// What people read, the same in every game that has such a place.
    pub name: String,
    pub words: Words,
}

/// Where words stand, by the name that the game calls them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    Template(String),
    /// A rubric: what the judge is asked, and how its reply is read.
    Rubric(String),
    List(String),
}

/// Returns every place of a game where somebody is given words.
pub fn words(protocol: &Protocol) -> Vec<Place> {
    let mut places = Vec::new();
    let mut add = |group: Group, name: String, words: Words| {
        places.push(Place { group, name, words });
    };
    for stage in protocol.stages.iter().filter(|stage| stage.enabled) {
        for seat in &stage.seats {
            let name = match stage.seats.len() {
                1 => stage.id.to_string(),
                _ => format!("{}, {seat}", stage.id),
            };
            let template = protocol.template_name(stage, seat).to_owned();
            add(Group::Prompts, name, Words::Template(template));
        }
        for (at, rule) in stage.retry.iter().enumerate() {
            if let Some(template) = &rule.template {
                let name = format!("{}, asked again by rule {}", stage.id, at + 1);
                add(Group::Prompts, name, Words::Template(template.clone()));
            }
        }
        for (drawn, list) in &stage.draw {
            let name = format!("{}, draws '{drawn}'", stage.id);
            add(Group::Lists, name, Words::List(list.clone()));
        }
    }
    for rule in protocol.judging.iter().filter(|rule| rule.enabled) {
        if let Some(rubric) = &rule.rubric {
            add(
                Group::Judge,
                rule.id.to_string(),
                Words::Rubric(rubric.clone()),
            );
        }
        if let Some(repair) = &rule.repair {
            let name = format!("{}, asked again", rule.id);
            add(Group::Judge, name, Words::Template(repair.template.clone()));
        }
    }
    if let Some(feedback) = &protocol.feedback {
        let template = feedback.template.as_deref().unwrap_or(feedback.by.as_str());
        add(
            Group::Lesson,
            "lesson".to_owned(),
            Words::Template(template.to_owned()),
        );
    }
    places
}
