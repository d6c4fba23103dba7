//! Sampling settings that templates set themselves: temperature and token limit.

use crate::cli::common::{Colour, Page};
use crate::debate::protocol_diff::{Lever, LeverGroup, TextName, text_slots};
use crate::library::Game;
use crate::prompt::TemplateSampling;
use std::collections::BTreeMap;

/// Returns the levers that two games' templates set differently, at places that both games have.
pub fn levers(a: &Game, b: &Game) -> Vec<Lever> {
    let of_b: BTreeMap<_, _> = text_slots(&b.protocol)
        .into_iter()
        .map(|place| ((place.group, place.name), place.words))
        .collect();
    let mut levers = Vec::new();
    for place in text_slots(&a.protocol) {
        let Some(other) = of_b.get(&(place.group, place.name.clone())) else {
            continue;
        };
        let (in_a, in_b) = (of(a, &place.words), of(b, other));
        let mut differ = |group, what: &str, a: Option<String>, b: Option<String>| {
            if a != b {
                levers.push(Lever {
                    group,
                    name: format!("{}: {what} by its template", place.name),
                    a,
                    b,
                });
            }
        };
        let degree = |asked: TemplateSampling| asked.temperature.map(|degree| degree.to_string());
        differ(
            LeverGroup::Sampling,
            "temperature",
            degree(in_a),
            degree(in_b),
        );
        let limit = |asked: TemplateSampling| asked.max_tokens.map(|limit| limit.to_string());
        differ(LeverGroup::TokenLimits, "tokens", limit(in_a), limit(in_b));
    }
    levers
}

/// Lists the templates of a game that say how their calls are sampled; nothing where none does.
pub fn listed(game: &Game, width: usize, colour: Colour) -> String {
    let mut page = Page::new(width, colour);
    let mut any = false;
    for name in game.templates.keys() {
        let asked = game.engine.sampling([name.as_str()]);
        let degree = asked
            .temperature
            .map(|degree| format!("temperature {degree}"));
        let limit = asked.max_tokens.map(|max| format!("at most {max} tokens"));
        let said: Vec<String> = degree.into_iter().chain(limit).collect();
        if said.is_empty() {
            continue;
        }
        if !any {
            page.title("Set by templates, over stages and rules");
            any = true;
        }
        page.at(2).line(&format!("{name}: {}", said.join(", ")));
    }
    match any {
        true => page.finish(),
        false => String::new(),
    }
}

fn of(game: &Game, words: &TextName) -> TemplateSampling {
    match words {
        TextName::Template(name) => game.engine.sampling([name.as_str()]),
        TextName::Rubric(name) => {
            let template = game.frame(name).map(|frame| frame.template);
            game.engine.sampling(template.as_deref())
        }
        TextName::List(_) => TemplateSampling::default(),
    }
}
