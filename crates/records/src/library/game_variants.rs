//! Variants of a game that settings make of it: by another template for a seat, or one for a stage that is off by
//! default.

use super::catalogue::{Library, template_names};
use super::game::{GameError, GameParts};
use super::protocol_check::list_edge_values;
use elenchus_game::debate::Protocol;
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use std::collections::BTreeSet;

/// A game as one setting makes it, or two, or as it is by default.
#[derive(Debug, Clone)]
pub struct GameVariant {
    /// The settings with their values; none by default.
    pub chosen: Settings,
    pub protocol: Protocol,
    /// Of every setting.
    pub settings: Settings,
    pub parts: GameParts,
}

impl GameVariant {
    /// Returns the settings as they are written on a command line; empty by default.
    pub fn describe_choice(&self) -> String {
        let chosen = self.chosen.iter();
        let pairs: Vec<String> = chosen
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join(", ")
    }
}

impl Library {
    /// Returns a game by default, then as each value of a setting makes it that brings a template which none before
    /// it has, and as two such settings do together. Rubrics, which any game can use, are not looked at.
    ///
    /// # Errors
    /// When the game by default is wrong, or a file of it cannot be read. A setting with which it is wrong is left
    /// out; `protocols check` names it.
    pub fn read_variants(&self, id: &str) -> Result<Vec<GameVariant>, GameError> {
        let file = self.read_protocol(id)?;
        let default = self.read_default_variant(id)?;
        let mut names: BTreeSet<String> = template_names(&default.protocol);
        let mut variants = vec![default];
        for (name, spec) in file.settings() {
            let values = list_edge_values(spec).into_iter();
            for value in values.filter(|value| *value != spec.default) {
                let chosen = Settings::from([(name.clone(), value)]);
                variants.extend(self.read_new_variant(id, &file, chosen, &mut names));
            }
        }
        for at in 1..variants.len() {
            for other in at + 1..variants.len() {
                let mut chosen = variants[at].chosen.clone();
                chosen.extend(variants[other].chosen.clone());
                let is_pair = chosen.len() > 1;
                let variant = is_pair.then(|| self.read_new_variant(id, &file, chosen, &mut names));
                variants.extend(variant.flatten());
            }
        }
        Ok(variants)
    }

    fn read_default_variant(&self, id: &str) -> Result<GameVariant, GameError> {
        let (protocol, settings, parts) = self.read_unchecked_parts(id)?;
        Ok(GameVariant {
            chosen: Settings::new(),
            protocol,
            settings,
            parts,
        })
    }

    /// Returns the game with these settings; `None` where it cannot be read, or brings no template that is not
    /// among `names`, to which its own are added.
    fn read_new_variant(
        &self,
        id: &str,
        file: &ProtocolFile,
        chosen: Settings,
        names: &mut BTreeSet<String>,
    ) -> Option<GameVariant> {
        let (protocol, settings) = file.resolve_protocol(&chosen).ok()?;
        let variant_names = template_names(&protocol);
        if variant_names.is_subset(names) {
            return None;
        }
        let parts = self.read_parts(id, &protocol).ok()?;
        names.extend(variant_names);
        Some(GameVariant {
            chosen,
            protocol,
            settings,
            parts,
        })
    }

    /// Returns the first variant of a game that uses a template, else the game by default.
    ///
    /// # Errors
    /// As [`Library::read_variants`].
    pub fn read_variant_with(&self, id: &str, template: &str) -> Result<GameVariant, GameError> {
        let has_it = |variant: &GameVariant| variant.parts.templates.contains_key(template);
        // An editor waits for this, and nearly always for a template of the game by default.
        let default = self.read_default_variant(id)?;
        if has_it(&default) {
            return Ok(default);
        }
        let mut variants = self.read_variants(id)?;
        let at = variants.iter().position(has_it).unwrap_or_default();
        Ok(variants.swap_remove(at))
    }
}
