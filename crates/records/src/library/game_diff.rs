//! Difference of two games: settings and texts in which they differ, place by place.

use super::game::Game;
use elenchus_game::debate::protocol_diff::{
    Lever, LeverGroup, TextName, TextSlot, find_levers, text_slots,
};
use elenchus_game::prompt::TemplateSampling;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long the shortest difference of two texts is searched; then a longer one will do.
const MAX_SEARCH: Duration = Duration::from_secs(2);
/// Unchanged lines that are shown around a change.
pub const CONTEXT_LINES: usize = 2;

/// Everything in which two games differ.
#[derive(Debug, Serialize)]
pub struct GameDiff {
    pub levers: Vec<Lever>,
    pub texts: Vec<TextPair>,
    /// Groups without a difference.
    pub same: Vec<LeverGroup>,
}

/// Words that are read at the same place of both games and differ.
#[derive(Debug, Serialize)]
pub struct TextPair {
    pub group: LeverGroup,
    pub places: Vec<String>,
    #[serde(skip)]
    a: String,
    #[serde(skip)]
    b: String,
    pub lines_removed: usize,
    pub lines_added: usize,
    /// A unified diff.
    diff: String,
}

impl TextPair {
    /// Returns the difference line by line.
    pub fn line_diff(&self) -> TextDiff<'_, '_, '_, str> {
        diff_lines(&self.a, &self.b)
    }
}

impl GameDiff {
    /// Compares two games.
    pub fn compare(a: &Game, b: &Game) -> Self {
        let texts = differing_texts(a, b);
        let mut levers = find_levers(&a.protocol, &b.protocol);
        levers.extend(sampling_levers(a, b));
        let changed_groups: BTreeSet<LeverGroup> = levers
            .iter()
            .map(|lever| lever.group)
            .chain(texts.iter().map(|text| text.group))
            .collect();
        let same = LeverGroup::ALL.iter().copied();
        Self {
            levers,
            texts,
            same: same
                .filter(|group| !changed_groups.contains(group))
                .collect(),
        }
    }
}

/// Compares the words at places that both games have; where only one has a place, that is a lever.
fn differing_texts(a: &Game, b: &Game) -> Vec<TextPair> {
    let places_of_b = text_slots(&b.protocol);
    let mut pairs: Vec<TextPair> = Vec::new();
    for place in text_slots(&a.protocol) {
        let like = |other: &&TextSlot| other.group == place.group && other.name == place.name;
        let Some(other) = places_of_b.iter().find(like) else {
            continue;
        };
        for ((what, of_a), (_, of_b)) in texts_of(a, &place.words)
            .into_iter()
            .zip(texts_of(b, &other.words))
        {
            if of_a == of_b {
                continue;
            }
            let name = format!("{}{what}", place.name);
            let same_pair = pairs
                .iter_mut()
                .find(|pair| (pair.group, &pair.a, &pair.b) == (place.group, &of_a, &of_b));
            match same_pair {
                Some(pair) => pair.places.push(name),
                None => pairs.push(build_text_pair(place.group, name, of_a, of_b)),
            }
        }
    }
    pairs
}

/// Returns the texts of a side, each with its name.
fn texts_of(game: &Game, words: &TextName) -> Vec<(&'static str, String)> {
    match words {
        TextName::Template(name) => {
            vec![("", game.templates.get(name).cloned().unwrap_or_default())]
        }
        TextName::Rubric(name) => vec![
            (
                ": what is asked",
                game.rubric_template(name).unwrap_or_default().to_owned(),
            ),
            (
                ": how it is read",
                game.rubric_texts.get(name).cloned().unwrap_or_default(),
            ),
        ],
        TextName::List(name) => {
            let items = game.lists.get(name).cloned().unwrap_or_default();
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            vec![("", items.join("\n"))]
        }
    }
}

fn build_text_pair(group: LeverGroup, place: String, a: String, b: String) -> TextPair {
    let diff = diff_lines(&a, &b);
    let count = |tag| {
        diff.iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    let (lines_removed, lines_added) = (count(ChangeTag::Delete), count(ChangeTag::Insert));
    let unified_diff = diff
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .to_string();
    TextPair {
        group,
        places: vec![place],
        lines_removed,
        lines_added,
        diff: unified_diff,
        a,
        b,
    }
}

fn diff_lines<'a>(a: &'a str, b: &'a str) -> TextDiff<'a, 'a, 'a, str> {
    TextDiff::configure().timeout(MAX_SEARCH).diff_lines(a, b)
}

/// Returns the levers that two games' templates set differently, at places that both games have.
fn sampling_levers(a: &Game, b: &Game) -> Vec<Lever> {
    let of_b: BTreeMap<_, _> = text_slots(&b.protocol)
        .into_iter()
        .map(|place| ((place.group, place.name), place.words))
        .collect();
    let mut levers = Vec::new();
    for place in text_slots(&a.protocol) {
        let Some(other) = of_b.get(&(place.group, place.name.clone())) else {
            continue;
        };
        let (in_a, in_b) = (sampling_of(a, &place.words), sampling_of(b, other));
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

fn sampling_of(game: &Game, words: &TextName) -> TemplateSampling {
    match words {
        TextName::Template(name) => game.engine.find_sampling([name.as_str()]),
        TextName::Rubric(name) => {
            let template = game.judge_frame(name).map(|frame| frame.template);
            game.engine.find_sampling(template.as_deref())
        }
        TextName::List(_) => TemplateSampling::default(),
    }
}
