//! Configuration file: parsing, checks, and merging of one over another.

use super::ConfigError;
use crate::tui::app::WorkbenchSettings;
use crate::tui::keys::{KeyError, KeyOverride};
use crate::tui::screens::{PLACES, default_keys};
use elenchus_memory::MAX_EXAMPLES;
use elenchus_model::{ModelSettings, ProviderSettings, SimSettings};
use elenchus_records::workspace::memory::MemorySettings;
use elenchus_run::engine::{GatePolicy, GraderProgram, TrainingSettings};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;

/// Content of one configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileShape {
    #[serde(default)]
    pub providers: BTreeMap<String, ProviderSettings>,
    #[serde(default)]
    pub models: BTreeMap<String, ModelSettings>,
    #[serde(default)]
    pub sims: BTreeMap<String, SimSettings>,
    #[serde(default)]
    pub defaults: Defaults,
    /// The part of a [`GatePolicy`] that this file sets.
    #[serde(default)]
    pub gate: toml::Table,
    #[serde(default)]
    pub memory: MemorySettings,
    #[serde(default)]
    /// Of the person's own file alone.
    pub training: TrainingSettings,
    /// Programs that grade; of the person's own file alone.
    #[serde(default)]
    pub graders: BTreeMap<String, GraderProgram>,
    #[serde(default)]
    pub workbench: WorkbenchSettings,
    /// Parsed by [`parse_overrides`](crate::tui::keys::parse_overrides), which knows the line of everything.
    #[serde(default)]
    keys: toml::Table,
    #[serde(skip)]
    pub key_changes: Vec<KeyOverride>,
}

/// Defaults of commands.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// The model of every seat without one.
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub protocol: Option<String>,
    #[serde(default)]
    pub concurrency: Option<usize>,
    #[serde(default)]
    pub budget_usd: Option<f64>,
    /// Seconds that calls in flight have to arrive once a command is told to stop.
    #[serde(default)]
    pub stop_grace_s: Option<u32>,
    /// The name under which a person's turns and annotations are recorded.
    #[serde(default)]
    pub name: Option<String>,
}

impl FileShape {
    /// Reads a file and checks each value by itself.
    ///
    /// # Errors
    /// With file and line where that is known.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::parse_text(path, &read_text(path)?)
    }

    /// Reads a file's text, as [`FileShape::read`] does.
    ///
    /// # Errors
    /// As [`FileShape::read`].
    pub(super) fn parse_text(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let mut shape: FileShape = parse_toml(path, text)?;
        let path_text = path.display().to_string();
        check_values(&path_text, &mut shape)?;
        if !shape.keys.is_empty() {
            shape.key_changes =
                crate::tui::keys::parse_overrides(&path_text, text, &default_keys(PLACES))?;
        }
        Ok(shape)
    }

    /// Merges a nearer file over this one, name by name.
    pub fn merge(&mut self, nearer: FileShape) {
        self.providers.extend(nearer.providers);
        self.models.extend(nearer.models);
        self.sims.extend(nearer.sims);
        self.gate.extend(nearer.gate);
        // Of two changes for one action the later wins.
        self.key_changes.extend(nearer.key_changes);
        self.memory = nearer.memory.fill_from(std::mem::take(&mut self.memory));
        self.workbench = nearer.workbench.or(std::mem::take(&mut self.workbench));
        let (far, near) = (std::mem::take(&mut self.defaults), nearer.defaults);
        self.defaults = Defaults {
            model: near.model.or(far.model),
            protocol: near.protocol.or(far.protocol),
            concurrency: near.concurrency.or(far.concurrency),
            budget_usd: near.budget_usd.or(far.budget_usd),
            stop_grace_s: near.stop_grace_s.or(far.stop_grace_s),
            name: near.name.or(far.name),
        };
    }
}

/// Reads a file's text.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read_text(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
        path: path.display().to_string(),
        why: error.to_string(),
    })
}

/// Reads TOML.
///
/// # Errors
/// With the file and the line.
pub(super) fn parse_toml<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| ConfigError::Text {
        path: path.display().to_string(),
        line: error.span().map_or(1, |span| {
            1 + text[..span.start.min(text.len())].matches('\n').count()
        }),
        why: error.message().trim().replace('\n', "; "),
    })
}

impl From<KeyError> for ConfigError {
    fn from(error: KeyError) -> Self {
        let KeyError { file, line, why } = error;
        Self::Text {
            path: file,
            line,
            why,
        }
    }
}

/// Checks each value by itself, and makes a model's first server its provider.
fn check_values(path: &str, shape: &mut FileShape) -> Result<(), ConfigError> {
    let fault = |what: &'static str, name: &str, why: String| ConfigError::Value {
        path: path.to_owned(),
        what,
        name: name.to_owned(),
        why,
    };
    for (name, provider) in &shape.providers {
        provider
            .check_values()
            .map_err(|error| fault("provider", name, error.to_string()))?;
    }
    for (name, model) in &mut shape.models {
        model
            .resolve_provider()
            .and_then(|()| model.check_values())
            .map_err(|error| fault("model", name, error.to_string()))?;
    }
    for (name, sim) in &shape.sims {
        sim.check_values()
            .map_err(|error| fault("simulated model", name, error.to_string()))?;
    }
    (shape.training.check_values())
        .map_err(|(field, why)| fault("value of [training]", field, format!("it {why}")))?;
    for (name, program) in &shape.graders {
        program
            .check_values()
            .map_err(|(field, why)| fault("grader", name, format!("its {field} {why}")))?;
    }
    parse_gate(shape.gate.clone()).map_err(|why| fault("table", "gate", why))?;
    let examples = shape.memory.guardrail_examples;
    if examples.is_some_and(|count| !(1..=MAX_EXAMPLES).contains(&count)) {
        let why = format!("must be from 1 to {MAX_EXAMPLES}");
        return Err(fault("memory setting", "guardrail_examples", why));
    }
    if shape.defaults.concurrency == Some(0) {
        return Err(fault(
            "default",
            "concurrency",
            "must be at least 1".to_owned(),
        ));
    }
    Ok(())
}

/// Parses the table `[gate]`.
///
/// # Errors
/// With a message, when it is invalid.
pub(super) fn parse_gate(table: toml::Table) -> Result<GatePolicy, String> {
    let policy: GatePolicy = table
        .try_into()
        .map_err(|error: toml::de::Error| error.message().trim().replace('\n', "; "))?;
    policy.check_ranges().map_err(|fault| fault.to_string())?;
    Ok(policy)
}
