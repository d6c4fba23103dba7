//! Models that their server does not list: reported before anything is sent.

use super::models::{AskedAt, Seats};
use super::served_models::{ModelList, ServedModels};
use elenchus_game::debate::event::ModelPlayer;
use elenchus_text::safe_text::{Keep, make_visible};
use std::collections::BTreeMap;
use std::fmt;

/// Minimum similarity of a suggested name, from 0 to 1.
const ALIKE: f64 = 0.8;
/// Maximum number of names in a message.
const SHOWN: usize = 8;
/// Tag that Ollama adds to a name without one.
const USUAL_TAG: &str = ":latest";

/// A model that its server does not list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedModel {
    /// As it was named.
    pub model: String,
    /// The name that would be sent.
    pub sent_as: String,
    /// Of the server, without a password.
    pub address: String,
    pub listed_names: Vec<String>,
    /// The listed name that was perhaps meant.
    pub suggestion: Option<String>,
    /// Its name was written into the configuration: the server may know more than it lists.
    pub is_configured: bool,
}

impl fmt::Display for UnlistedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clean = |text: &str| make_visible(text, Keep::Nothing).to_string();
        let names = self.listed_names.iter().take(SHOWN).map(|name| clean(name));
        write!(
            f,
            "the server at {} does not list '{}'; it lists {}",
            self.address,
            clean(&self.sent_as),
            names.collect::<Vec<_>>().join(", ")
        )?;
        if self.listed_names.len() > SHOWN {
            write!(f, " and {} more", self.listed_names.len() - SHOWN)?;
        }
        match &self.suggestion {
            Some(meant) => write!(f, ". Did you mean '{}'?", clean(meant)),
            None => Ok(()),
        }
    }
}

/// Returns the models that are not on their server's list, each once. A server that gives no list has
/// no list to check against, and a list that lacks a name is requested again.
pub async fn find_unlisted_models<'a>(
    players: impl IntoIterator<Item = &'a ModelPlayer>,
    seats: &Seats,
    served: &ServedModels,
) -> Vec<UnlistedModel> {
    let mut lists: BTreeMap<String, Option<ModelList>> = BTreeMap::new();
    let mut missing_models = Vec::new();
    for place in find_model_places(players, seats) {
        let provider = &place.provider;
        if let Some(list) = served.known_list(provider) {
            seats.note_contexts(provider, &list.contexts);
            if contains_name(&list.models, &place.name) {
                continue;
            }
        }
        if !lists.contains_key(provider) {
            lists.insert(provider.clone(), served.fetch_list(provider).await.ok());
        }
        if let Some(Some(list)) = lists.get(provider) {
            seats.note_contexts(provider, &list.contexts);
            missing_models.extend(unlisted_model(place, list));
        }
    }
    missing_models
}

/// Returns the models that are not on a list that is known; contacts nothing.
pub fn unlisted_on_known_lists<'a>(
    players: impl IntoIterator<Item = &'a ModelPlayer>,
    seats: &Seats,
    served: &ServedModels,
) -> Vec<UnlistedModel> {
    let places = find_model_places(players, seats);
    let missing_models = places.filter_map(|place| {
        let list = served.known_list(&place.provider)?;
        seats.note_contexts(&place.provider, &list.contexts);
        unlisted_model(place, &list)
    });
    missing_models.collect()
}

/// Returns where models are asked, each once.
fn find_model_places<'a>(
    players: impl IntoIterator<Item = &'a ModelPlayer>,
    seats: &Seats,
) -> impl Iterator<Item = AskedAt> {
    let places = players.into_iter().filter_map(|it| seats.find_place(it));
    let places = places.map(|place| ((place.provider.clone(), place.name.clone()), place));
    let once: BTreeMap<_, AskedAt> = places.collect();
    once.into_values()
}

fn unlisted_model(place: AskedAt, list: &ModelList) -> Option<UnlistedModel> {
    (!contains_name(&list.models, &place.name)).then(|| UnlistedModel {
        model: place.model,
        address: place.address,
        suggestion: find_nearest(&list.models, &place.name),
        listed_names: list.models.clone(),
        is_configured: place.is_configured,
        sent_as: place.name,
    })
}

fn contains_name(listed: &[String], name: &str) -> bool {
    let bare = |listed: &String| listed.strip_suffix(USUAL_TAG) == Some(name);
    listed.iter().any(|listed| listed == name || bare(listed))
}

fn find_nearest(listed: &[String], name: &str) -> Option<String> {
    let likeness =
        |listed: &String| strsim::jaro_winkler(&listed.to_lowercase(), &name.to_lowercase());
    let alike = listed.iter().map(|listed| (likeness(listed), listed));
    let best = alike.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 >= ALIKE).then(|| best.1.clone())
}
