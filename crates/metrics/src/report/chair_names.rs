//! Names of chairs for readers: figures are divided by a seat's id and a number from 0, and a debate calls the same
//! chair as its protocol does.

use super::figure::{Dimension, Figure, FigureKey};
use crate::rows::name_chair;
use elenchus_game::debate::{Chair, Protocol};
use std::collections::BTreeMap;

/// Names of chairs and seats, by the values of figures' keys; `None` where protocols disagree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChairNames(BTreeMap<String, Option<String>>);

impl ChairNames {
    /// No names: keys stay as they are.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds the names that a protocol gives its seats and their chairs.
    pub fn add_protocol(&mut self, protocol: &Protocol) {
        for seat in &protocol.seats {
            let label = seat.label.as_deref().unwrap_or(seat.id.as_str());
            self.add_name(seat.id.to_string(), label.to_owned());
            for index in 0..seat.count {
                let chair = Chair {
                    seat: seat.id.clone(),
                    index,
                };
                let key = name_chair(seat.id.as_str(), index);
                self.add_name(key, protocol.name_of(&chair));
            }
        }
    }

    fn add_name(&mut self, value: String, name: String) {
        let known = self.0.entry(value).or_insert_with(|| Some(name.clone()));
        if known.as_ref() != Some(&name) {
            *known = None;
        }
    }

    /// Returns what the value of a key is called: of a seat its name, of everything else the value.
    pub fn name_of<'a>(&'a self, key: &'a FigureKey) -> &'a str {
        let name = match key.by {
            Dimension::Seat => self.0.get(&key.value).and_then(Option::as_deref),
            _ => None,
        };
        name.unwrap_or(&key.value)
    }

    /// Returns a figure whose keys hold names of seats in place of their ids.
    pub fn name_figure(&self, figure: &Figure) -> Figure {
        let mut named = figure.clone();
        for key in &mut named.keys {
            key.value = self.name_of(key).to_owned();
        }
        named
    }
}
