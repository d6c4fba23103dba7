//! Values of a configuration file, for a comparison before and after a change of its text.

use super::{AddedModel, ModelBefore, Sharing, WriteError};
use elenchus_run::engine::seats::{FIXED, HUMAN, RECORDED, SAID, SIM};
use toml::{Table, Value};

/// Prefix of a person's name on a seat.
const PERSON: &str = "human:";

/// A file's values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ConfigValues(Table);

impl ConfigValues {
    /// Parses a text.
    ///
    /// # Errors
    /// With the line, when it is not TOML.
    pub fn parse(text: &str) -> Result<Self, WriteError> {
        let table: Table = toml::from_str(text).map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            WriteError::Text {
                line: 1 + text[..at].matches('\n').count(),
                why: error.message().trim().replace('\n', "; "),
            }
        })?;
        Ok(Self(table).remove_empty_tables())
    }

    /// Removes empty tables, which mean the same as absent ones.
    fn remove_empty_tables(mut self) -> Self {
        self.0
            .retain(|_, value| value.as_table().is_none_or(|table| !table.is_empty()));
        self
    }

    /// Returns the entries of a table, such as `providers`.
    fn table_entries(&self, table: &str) -> impl Iterator<Item = (&String, &Table)> {
        let table = self.0.get(table).and_then(Value::as_table);
        let entries = table.into_iter().flatten();
        entries.filter_map(|(name, entry)| Some((name, entry.as_table()?)))
    }

    fn find_entry(&self, table: &str, name: &str) -> Option<&Table> {
        self.0.get(table)?.get(name)?.as_table()
    }

    fn entry_mut(&mut self, table: &str, name: &str) -> Option<&mut Table> {
        let place = self.0.entry(table).or_insert_with(|| Table::new().into());
        let entry = place.as_table_mut()?.entry(name);
        entry.or_insert_with(|| Table::new().into()).as_table_mut()
    }

    pub fn has_provider(&self, name: &str) -> bool {
        let providers = self.0.get("providers").and_then(Value::as_table);
        providers.is_some_and(|providers| providers.contains_key(name))
    }

    /// Returns the provider with this address; this machine has several names.
    pub fn provider_at(&self, base_url: &str) -> Option<String> {
        let is_there = |entry: &Table| {
            let url = entry.get("base_url").and_then(Value::as_str);
            url.is_some_and(|url| normalize_address(url) == normalize_address(base_url))
        };
        let mut providers = self.table_entries("providers");
        providers
            .find(|(_, entry)| is_there(entry))
            .map(|(name, _)| name.clone())
    }

    /// Returns the variable of a provider's key.
    pub fn key_variable(&self, provider: &str) -> Option<String> {
        let key = self.find_entry("providers", provider)?.get("api_key_env")?;
        key.as_str().map(str::to_owned)
    }

    /// Returns the names of a server's model: all names that mean it, or a new one.
    ///
    /// # Errors
    /// When all names that it could have belong to other models.
    pub(super) fn list_model_places(
        &self,
        name: &str,
        provider: &str,
        sharing: Sharing,
    ) -> Result<Vec<AddedModel>, WriteError> {
        let same_name_entries = self
            .table_entries("models")
            .filter(|(_, entry)| entry.get("name").and_then(Value::as_str) == Some(name));
        let known_models: Vec<AddedModel> = same_name_entries
            .map(|(key, entry)| {
                let other_providers = list_providers(entry);
                AddedModel {
                    key: key.clone(),
                    name: name.to_owned(),
                    before: match other_providers.iter().any(|other| other == provider) {
                        true => ModelBefore::Everything,
                        false => ModelBefore::Others(other_providers),
                    },
                }
            })
            .filter(|model: &AddedModel| match sharing {
                Sharing::Joins => true,
                // A model with other providers is not this server's alone.
                Sharing::Apart => self.is_alone(&model.key, provider),
            })
            .collect();
        if !known_models.is_empty() {
            return Ok(known_models);
        }
        let of_server = format!("{provider}/{name}");
        let free = [name, &of_server]
            .into_iter()
            .find(|key| !self.is_taken(key));
        let key = free.ok_or_else(|| WriteError::ModelTaken {
            key: name.to_owned(),
            provider: provider.to_owned(),
        })?;
        Ok(vec![AddedModel {
            key: key.to_owned(),
            name: name.to_owned(),
            before: ModelBefore::Nothing,
        }])
    }

    /// Returns whether one provider alone serves a model.
    fn is_alone(&self, key: &str, provider: &str) -> bool {
        let mut entries = self.table_entries("models");
        let entry = entries.find(|(known, _)| *known == key);
        entry.is_some_and(|(_, entry)| list_providers(entry) == [provider])
    }

    /// Returns whether a name has another meaning in commands: no server may replace the simulated
    /// model, a person or a recording.
    fn is_taken(&self, key: &str) -> bool {
        let is_prefix = |word: &&str| key.starts_with(*word);
        let is_used_in = |table: &str| {
            let table = self.0.get(table).and_then(Value::as_table);
            table.is_some_and(|table| table.contains_key(key))
        };
        matches!(key, SIM | HUMAN)
            || [RECORDED, FIXED, SAID, PERSON].iter().any(is_prefix)
            || is_used_in("models")
            || is_used_in("sims")
    }

    /// Returns the models that a provider serves alone, and those with other providers too.
    pub fn split_models(&self, provider: &str) -> (Vec<String>, Vec<String>) {
        let model_providers = self
            .table_entries("models")
            .map(|(key, entry)| (key, list_providers(entry)));
        let of_it = model_providers.filter(|(_, at)| at.iter().any(|name| name == provider));
        let (alone, shared): (Vec<_>, Vec<_>) =
            of_it.partition(|(_, at)| at.iter().all(|name| name == provider));
        let keys = |models: Vec<(&String, Vec<String>)>| {
            models.into_iter().map(|(key, _)| key.clone()).collect()
        };
        (keys(alone), keys(shared))
    }

    pub(super) fn insert_provider(&mut self, name: &str, base_url: &str, key: Option<&str>) {
        let is_new = !self.has_provider(name);
        let Some(entry) = self.entry_mut("providers", name) else {
            return;
        };
        if is_new {
            entry.insert("base_url".to_owned(), base_url.into());
        }
        if let Some(key) = key {
            entry.insert("api_key_env".to_owned(), key.into());
        }
    }

    pub(super) fn insert_model(&mut self, key: &str, provider: &str, name: &str) {
        if let Some(entry) = self.entry_mut("models", key) {
            entry.insert("provider".to_owned(), provider.into());
            entry.insert("name".to_owned(), name.into());
        }
    }

    pub(super) fn add_model_provider(&mut self, model: &str, provider: &str) {
        if let Some(entry) = self.entry_mut("models", model) {
            let mut providers = list_providers(entry);
            providers.push(provider.to_owned());
            entry.remove("provider");
            entry.insert("providers".to_owned(), providers.into());
        }
    }

    /// Removes a provider, with the models that it alone serves.
    pub(super) fn remove_provider(&mut self, provider: &str) {
        let (alone, shared) = self.split_models(provider);
        for model in shared {
            if let Some(entry) = self.entry_mut("models", &model) {
                let mut providers = list_providers(entry);
                providers.retain(|name| name != provider);
                entry.insert("providers".to_owned(), providers.into());
            }
        }
        let mut remove_entry = |table: &str, name: &str| {
            if let Some(table) = self.0.get_mut(table).and_then(Value::as_table_mut) {
                table.remove(name);
            }
        };
        alone.iter().for_each(|model| remove_entry("models", model));
        remove_entry("providers", provider);
        self.0
            .retain(|_, value| value.as_table().is_none_or(|table| !table.is_empty()));
    }
}

/// Returns the normal form of an address.
fn normalize_address(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let is_host_end = |rest: &str| rest.is_empty() || rest.starts_with([':', '/']);
    match url.strip_prefix("http://localhost") {
        Some(rest) if is_host_end(rest) => format!("http://127.0.0.1{rest}"),
        Some(_) | None => url.to_owned(),
    }
}

fn list_providers(model: &Table) -> Vec<String> {
    let single = model.get("provider").into_iter();
    let list = model.get("providers").and_then(Value::as_array);
    let names = single.chain(list.into_iter().flatten());
    names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}
