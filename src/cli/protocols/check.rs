//! `elenchus protocols check`: a protocol with its templates and rubrics, at the ends of each setting.

use super::find::ProtocolSource;
use super::pin;
use crate::cli::common::{Workshop, counted, output};
use crate::debate::protocol::{ProtocolError, ProtocolFile, SettingSpec, SettingValue, Settings};
use crate::library::{Game, GameError};
use anyhow::{Result, bail};

/// Everything that is wrong, each fault once, in the order in which it was found.
#[derive(Debug, Default)]
pub struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, fault: String) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    /// Says whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the first one.
    pub fn first(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }
}

/// Checks a protocol of the library or of a file, and prints what is wrong.
///
/// # Errors
/// When anything is.
pub fn run(shop: &Workshop, named: &str) -> Result<()> {
    let place = ProtocolSource::of(named);
    let file = place.read(shop)?;
    let mut faults = Faults::default();
    let variants = variants(&file);
    let mut default = None;
    for variant in &variants {
        match place.game(shop, variant) {
            Ok(game) => {
                faults_of_templates(&game, &mut faults);
                default.get_or_insert(game);
            }
            Err(error) => add_error(&error, variant, &mut faults),
        }
    }
    if !faults.is_empty() {
        for fault in &faults.0 {
            output::out(&format!("{}\n", output::clean(fault)))?;
        }
        bail!("protocol '{named}' has {}", counted(faults.len(), "fault"));
    }
    if let Some(game) = default {
        output::out(&format!(
            "ok: {} ({}, {}, {}; checked with {} of its {})\n",
            output::clean(&game.protocol.id),
            counted(game.protocol.stages.len(), "stage"),
            counted(game.templates.len(), "template"),
            counted(game.rubrics.len(), "rubric"),
            counted(variants.len(), "choice"),
            counted(file.settings().len(), "setting"),
        ))?;
        output::out(&pin::standing(shop, named, &game)?)?;
    }
    Ok(())
}

/// Checks a protocol of the library as it is by default.
pub fn quick(shop: &Workshop, id: &str) -> Faults {
    let mut faults = Faults::default();
    match shop.library.game(id, &Settings::new()) {
        Ok(game) => faults_of_templates(&game, &mut faults),
        Err(error) => add_error(&error, &Settings::new(), &mut faults),
    }
    faults
}

/// The defaults, then each setting at its ends or at each of its values, one at a time.
fn variants(file: &ProtocolFile) -> Vec<Settings> {
    let mut variants = vec![Settings::new()];
    for (name, spec) in file.settings() {
        for value in ends(spec) {
            if value != spec.default {
                variants.push(Settings::from([(name.clone(), value)]));
            }
        }
    }
    variants
}

fn ends(spec: &SettingSpec) -> Vec<SettingValue> {
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

fn faults_of_templates(game: &Game, faults: &mut Faults) {
    for fault in game.rehearse() {
        faults.add(fault.to_string());
    }
}

fn add_error(error: &GameError, settings: &Settings, faults: &mut Faults) {
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
        if faults.0.contains(&why) {
            continue;
        }
        faults.add(match settings.iter().next() {
            Some((name, value)) => format!("{why} (with {name}={value})"),
            None => why,
        });
    }
}
