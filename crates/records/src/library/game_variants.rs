//! Variants of a game that settings make of it: by another template for a seat, or one for a stage that is off by
//! default.

use super::catalogue::{Library, guardrail_names, template_names};
use super::game::{GameError, GameParts};
use super::protocol_check::list_choices;
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
        describe_choice(&self.chosen)
    }
}

/// Writes chosen settings as on a command line.
pub(super) fn describe_choice(chosen: &Settings) -> String {
    let pairs = chosen.iter();
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join(", ")
}

/// Returns the settings that bring a template into a game which none before them brings: none of them, one at a time,
/// or two of these together.
pub(super) fn list_template_choices(file: &ProtocolFile) -> Vec<Settings> {
    let mut known_names: BTreeSet<String> = BTreeSet::new();
    let mut brings_template = |chosen: &Settings| {
        // What cannot be resolved is named by the check of the protocol.
        let Ok((protocol, _)) = file.resolve_protocol(chosen) else {
            return false;
        };
        let names = template_names(&protocol);
        let is_new = !names.is_subset(&known_names);
        known_names.extend(names);
        is_new
    };
    let mut choices = list_choices(file);
    choices.retain(&mut brings_template);
    let mut pairs = Vec::new();
    for (at, one) in choices.iter().enumerate() {
        for other in &choices[at + 1..] {
            let both: Settings = one.clone().into_iter().chain(other.clone()).collect();
            // Two values of one setting are no pair, nor is one beside the defaults.
            if both.len() == 2 && brings_template(&both) {
                pairs.push(both);
            }
        }
    }
    choices.extend(pairs);
    choices
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
        let mut variants = vec![self.read_default_variant(id)?];
        let choices = list_template_choices(&file).into_iter();
        let choices = choices.filter(|chosen| !chosen.is_empty());
        variants.extend(choices.filter_map(|chosen| self.read_variant(id, &file, chosen)));
        Ok(variants)
    }

    fn read_default_variant(&self, id: &str) -> Result<GameVariant, GameError> {
        let (protocol, settings, parts) = self.read_unchecked_parts(id)?;
        let parts = self.add_guardrail_templates(id, &protocol, parts)?;
        Ok(GameVariant {
            chosen: Settings::new(),
            protocol,
            settings,
            parts,
        })
    }

    /// Returns the game with these settings; `None` where it cannot be read.
    fn read_variant(&self, id: &str, file: &ProtocolFile, chosen: Settings) -> Option<GameVariant> {
        let (protocol, settings) = file.resolve_protocol(&chosen).ok()?;
        let parts = self.read_parts(id, &protocol).ok()?;
        let parts = self.add_guardrail_templates(id, &protocol, parts).ok()?;
        Some(GameVariant {
            chosen,
            protocol,
            settings,
            parts,
        })
    }

    /// Adds what is asked about guardrails, which the memory of a debate brings into its game.
    fn add_guardrail_templates(
        &self,
        id: &str,
        protocol: &Protocol,
        mut parts: GameParts,
    ) -> Result<GameParts, GameError> {
        let names: Vec<&str> = guardrail_names(protocol).collect();
        let templates = self.guardrail_templates(id)?.into_iter();
        for template in templates.filter(|template| names.contains(&template.name)) {
            let name = template.name.to_owned();
            parts.templates.insert(name.clone(), template.text);
            parts.files.insert(name, template.file);
        }
        Ok(parts)
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
