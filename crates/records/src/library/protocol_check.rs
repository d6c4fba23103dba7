//! Check of a protocol with its templates and rubrics, at the ends of each setting.

use super::catalogue::Library;
use super::game::{Game, GameError};
use super::game_variants::{describe_choice, list_template_choices};
use super::protocol_source::ProtocolSource;
use elenchus_game::debate::protocol::{
    ProtocolError, ProtocolFile, SettingSpec, SettingValue, Settings,
};

/// Everything that is wrong with a protocol, each fault once, in the order in which it was found.
#[derive(Debug, Default)]
pub struct ProtocolFaults(pub Vec<String>);

/// A protocol that was checked with many choices of its settings.
pub struct CheckedProtocol {
    pub faults: ProtocolFaults,
    /// The game by default, where it can be collected.
    pub game: Option<Game>,
    /// Choices of settings that were tried.
    pub choices: usize,
    pub settings: usize,
}

impl ProtocolSource {
    /// Checks the protocol with the defaults, then with each setting at its ends or at each of its
    /// values, one at a time, and two together where they bring a template that neither brings.
    ///
    /// # Errors
    /// When there is no such protocol, or its text cannot be read. A fault of its content is no error.
    pub fn check_protocol(&self, library: &Library) -> Result<CheckedProtocol, GameError> {
        let file = self.read_protocol(library)?;
        let mut faults = ProtocolFaults::default();
        let mut choices = list_choices(&file);
        let pairs = list_template_choices(&file).into_iter();
        choices.extend(pairs.filter(|chosen| chosen.len() > 1));
        let mut default = None;
        for settings in &choices {
            match self.load_game(library, settings) {
                Ok(game) => {
                    faults.add_template_faults(&game);
                    default.get_or_insert(game);
                }
                Err(error) => faults.add_error(&error, settings),
            }
        }
        Ok(CheckedProtocol {
            faults,
            game: default,
            choices: choices.len(),
            settings: file.settings().len(),
        })
    }
}

impl Library {
    /// Checks a protocol as it is by default.
    pub fn check_default(&self, id: &str) -> ProtocolFaults {
        let mut faults = ProtocolFaults::default();
        match self.load_game(id, &Settings::new()) {
            Ok(game) => faults.add_template_faults(&game),
            Err(error) => faults.add_error(&error, &Settings::new()),
        }
        faults
    }
}

impl ProtocolFaults {
    fn add_fault(&mut self, fault: String) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    fn add_template_faults(&mut self, game: &Game) {
        for fault in game.rehearse_templates() {
            self.add_fault(fault.to_string());
        }
    }

    fn add_error(&mut self, error: &GameError, settings: &Settings) {
        let whys: Vec<String> = match error {
            GameError::Protocol(ProtocolError::Game(faults)) => {
                faults.iter().map(ToString::to_string).collect()
            }
            GameError::Protocol(_)
            | GameError::NoSuchProtocol { .. }
            | GameError::NoSuchRubric { .. }
            | GameError::RubricTemplateAlone { .. }
            | GameError::NoSuchLabelSet { .. }
            | GameError::LabelSet(_)
            | GameError::Rubric(_)
            | GameError::Prompt(_)
            | GameError::MissingFile { .. }
            | GameError::Unreadable { .. }
            | GameError::List { .. }
            | GameError::NoSuchLabel { .. }
            | GameError::OneOrderRubric { .. }
            | GameError::Pin(_)
            | GameError::At { .. } => vec![error.to_string()],
        };
        for why in whys {
            // What is wrong by default is wrong with every setting; say it once, without one.
            if self.0.contains(&why) {
                continue;
            }
            self.add_fault(match settings.is_empty() {
                true => why,
                false => format!("{why} (with {})", describe_choice(settings)),
            });
        }
    }
}

/// The defaults, then each setting at its ends or at each of its values, one at a time.
pub(super) fn list_choices(file: &ProtocolFile) -> Vec<Settings> {
    let mut choices = vec![Settings::new()];
    for (name, spec) in file.settings() {
        for value in list_edge_values(spec) {
            if value != spec.default {
                choices.push(Settings::from([(name.clone(), value)]));
            }
        }
    }
    choices
}

fn list_edge_values(spec: &SettingSpec) -> Vec<SettingValue> {
    if !spec.one_of.is_empty() {
        return spec.one_of.clone();
    }
    let limits = [spec.min, spec.max].into_iter().flatten();
    match spec.default {
        SettingValue::Bool(_) => vec![SettingValue::Bool(false), SettingValue::Bool(true)],
        // Limits of whole numbers that are no whole numbers themselves are reached inside them.
        SettingValue::Integer(_) => {
            let inside = [spec.min.map(f64::ceil), spec.max.map(f64::floor)];
            let whole = inside.into_iter().flatten();
            whole
                .map(|limit| SettingValue::Integer(limit as i64))
                .collect()
        }
        SettingValue::Float(_) => limits.map(SettingValue::Float).collect(),
        SettingValue::Text(_) => Vec::new(),
    }
}
