//! What of a run's plan its debates depend on, by which two plans are the same.

use super::event::{DatasetPlace, Manifest, Shard};
use elenchus_game::debate::RunId;
use elenchus_game::debate::event::{Participant, Player};
use elenchus_store::Hash;
use serde_json::Value;

/// Beginnings of the names of what a model costs: the same debates are played at any price.
const PRICES: &str = "price_";

impl Manifest {
    /// Returns the manifest without what its debates do not depend on: its id, what it may use up, what its models
    /// cost, which version of the program began it, and where its data set lies.
    pub fn to_comparable(&self) -> Self {
        let casts = self.casts.iter();
        let casts = casts.map(|cast| cast.iter().map(without_prices).collect());
        Self {
            run: RunId::new(""),
            software: String::new(),
            ceilings: Default::default(),
            unpinned: Default::default(),
            memory_read: None,
            repeat: None,
            shard: self.shard.map(|shard| Shard { all: None, ..shard }),
            casts: casts.collect(),
            dataset: DatasetPlace {
                path: self.dataset.name(),
                ..self.dataset.clone()
            },
            ..self.clone()
        }
    }

    /// Returns a hash that all shards of one plan have in common.
    pub fn plan_hash(&self) -> Hash {
        let plan = Self {
            shard: None,
            items: 0,
            ..self.to_comparable()
        };
        // Manifests are written as JSON: they can be.
        Hash::digest(&serde_json::to_vec(&plan).unwrap_or_default())
    }
}

fn without_prices(participant: &Participant) -> Participant {
    let mut participant = participant.clone();
    match &mut participant.player {
        Player::Model(model) => remove_prices(&mut model.settings),
        Player::Human { .. } | Player::Fixed(_) => {}
    }
    participant
}

fn remove_prices(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.starts_with(PRICES));
            fields.values_mut().for_each(remove_prices);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_prices),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
