//! Edits of a configuration file's text: servers are added and removed.
//!
//! Comments, order and formatting of everything else stay. The result is compared with the intended
//! values before it is returned: a form that is not understood is an error, never a broken file.
//! [`change_file`] alone touches the disk.

mod change_file;
mod meaning;
mod toml_edit;

pub use self::change_file::{ChangeError, ChangeOutcome, change_file};

use self::toml_edit::TomlEditor;
use elenchus_model::{Origin, is_variable_name};
use meaning::ConfigValues;
use thiserror::Error;

/// The most models that are written at once.
pub const MAX_NEW_MODELS: usize = 64;
/// The longest name of a model, in characters.
const MAX_MODEL_NAME_CHARS: usize = 200;
/// The longest name of a provider, in characters.
const MAX_PROVIDER_NAME_CHARS: usize = 48;
/// Number of names that are tried for a provider without one.
const MAX_NAMES_TRIED: usize = 100;

/// A server to be added.
#[derive(Debug, Clone, Default)]
pub struct NewServer {
    /// The provider's name; `None` to derive one from the address.
    pub name: Option<String>,
    /// Such as `http://127.0.0.1:8000/v1`.
    pub base_url: String,
    /// The variable of its key.
    pub api_key_env: Option<String>,
    /// Its models, by the server's names.
    pub models: Vec<String>,
    /// Names of providers in other files or in the environment.
    pub taken_names: Vec<String>,
    pub sharing: Sharing,
}

/// Treatment of a model that other providers serve already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// All serve it together.
    #[default]
    Joins,
    /// A separate model, under another name.
    Apart,
}

/// A configuration text with a server added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedServer {
    pub text: String,
    /// The provider's name in it.
    pub provider: String,
    /// Whether the provider was there already.
    pub was_known: bool,
    pub models: Vec<AddedModel>,
}

/// A model of an added server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedModel {
    /// The name in commands.
    pub key: String,
    /// The name at the server.
    pub name: String,
    /// Its state in the file before.
    pub before: ModelBefore,
}

/// State of a model in a file before a server of it was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelBefore {
    /// Nothing.
    Nothing,
    /// Served by other providers, which stay.
    Others(Vec<String>),
    /// Served by this provider already.
    Everything,
}

/// A configuration text with a server removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedServer {
    pub text: String,
    /// Models without another server, which were removed too.
    pub models: Vec<String>,
    /// Models that other providers still serve.
    pub kept_models: Vec<String>,
}

/// Reason not to change a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    #[error("line {line}: {why}")]
    Text { line: usize, why: String },
    #[error(
        "{what} is written in a form that is changed by hand only (an inline table, or dotted keys); the lines would be:\n{lines}"
    )]
    Form { what: String, lines: String },
    #[error(
        "'{name}' cannot be the name of a provider: take up to {MAX_PROVIDER_NAME_CHARS} letters, digits, '-' and '_'"
    )]
    Name { name: String },
    #[error("the name '{name}' belongs to another provider; give another one with --name")]
    Taken { name: String },
    #[error("{base_url} is there already as the provider '{name}', which keeps its name")]
    OtherName { base_url: String, name: String },
    #[error("no name is left for {base_url}; give one with --name")]
    NoName { base_url: String },
    #[error(
        "the model '{key}' is another one there, and so is '{provider}/{key}'; rename one of them in the file"
    )]
    ModelTaken { key: String, provider: String },
    #[error(
        "a model's name is empty, longer than {MAX_MODEL_NAME_CHARS} characters or holds control characters"
    )]
    ModelName,
    #[error("no models are named")]
    NoModels,
    #[error(
        "{count} models are too many to be written at once, up to {MAX_NEW_MODELS} are; name those that are wanted"
    )]
    TooManyModels { count: usize },
    #[error("there is no provider '{name}' in it")]
    NoSuch { name: String },
}

/// Returns whether a listed name can be written into a configuration.
pub fn is_model_name(name: &str) -> bool {
    let long = name.chars().count() > MAX_MODEL_NAME_CHARS;
    !(name.trim().is_empty() || long || name.chars().any(char::is_control))
}

/// Adds a server and its models to the text of a configuration file. A provider with this address
/// keeps its name; a model that exists under the server's name for it gets one more provider.
///
/// # Errors
/// When the text is not TOML, when names cannot be used, or when the part to be changed has a form
/// that is not understood.
pub fn add_server(text: &str, server: &NewServer) -> Result<AddedServer, WriteError> {
    let old_values = ConfigValues::parse(text)?;
    let mut new_values = old_values.clone();
    let mut editor = TomlEditor::parse(text)?;
    let models = check_models(&server.models)?;
    let known_name = old_values.provider_at(&server.base_url);
    let provider = match (&known_name, &server.name) {
        (Some(known), Some(name)) if known != name => {
            return Err(WriteError::OtherName {
                base_url: server.base_url.clone(),
                name: known.clone(),
            });
        }
        (Some(known_name), _) => known_name.clone(),
        (None, _) => choose_name(&old_values, server)?,
    };
    let lines = format_provider(&provider, server);
    let key = server.api_key_env.as_deref();
    if known_name.is_none() {
        editor.append(&lines);
    } else if key.is_some() && old_values.key_variable(&provider).as_deref() != key {
        let value = quote_toml(key.unwrap_or_default());
        editor
            .set_key(["providers", &provider], "api_key_env", &value, "base_url")
            .ok_or_else(|| form_error(format!("the provider '{provider}'"), &lines))?;
    }
    new_values.insert_provider(&provider, &server.base_url, key);
    let mut added_models = Vec::new();
    for name in models {
        for model in old_values.list_model_places(name, &provider, server.sharing)? {
            write_model(&mut editor, &mut new_values, &model, (&provider, name))?;
            added_models.push(model);
        }
    }
    let text = editor.finish();
    if ConfigValues::parse(&text).as_ref() != Ok(&new_values) {
        return Err(form_error("what would have to change".to_owned(), &lines));
    }
    Ok(AddedServer {
        text,
        provider,
        was_known: known_name.is_some(),
        models: added_models,
    })
}

/// Writes the new parts of a model.
fn write_model(
    editor: &mut TomlEditor<'_>,
    after: &mut ConfigValues,
    model: &AddedModel,
    (provider, name): (&str, &str),
) -> Result<(), WriteError> {
    match &model.before {
        ModelBefore::Nothing => {
            editor.append(&format_model(&model.key, provider, name));
            after.insert_model(&model.key, provider, name);
        }
        ModelBefore::Others(others) => {
            let list: Vec<String> = others.iter().map(|name| quote_toml(name)).collect();
            let lines = format!(
                "  providers = [{}, {}]",
                list.join(", "),
                quote_toml(provider)
            );
            editor
                .add_model_provider(&model.key, provider)
                .ok_or_else(|| form_error(format!("the model '{}'", model.key), &lines))?;
            after.add_model_provider(&model.key, provider);
        }
        ModelBefore::Everything => {}
    }
    Ok(())
}

fn form_error(what: String, lines: &str) -> WriteError {
    WriteError::Form {
        what,
        lines: lines.to_owned(),
    }
}

/// Removes a provider from the text of a configuration file, with the models that it alone serves.
///
/// # Errors
/// When it is not there, when the text is not TOML, or when the part to be changed has a form that
/// is not understood.
pub fn remove_server(text: &str, provider: &str) -> Result<RemovedServer, WriteError> {
    let old_values = ConfigValues::parse(text)?;
    if !old_values.has_provider(provider) {
        return Err(WriteError::NoSuch {
            name: provider.to_owned(),
        });
    }
    let mut new_values = old_values.clone();
    let mut editor = TomlEditor::parse(text)?;
    let (alone, shared) = old_values.split_models(provider);
    let edit_result = (|| {
        editor.remove(["providers", provider])?;
        for model in &alone {
            editor.remove(["models", model])?;
        }
        for model in &shared {
            editor.remove_provider(model, provider)?;
        }
        Some(())
    })();
    new_values.remove_provider(provider);
    let text = editor.finish();
    if edit_result.is_none() || ConfigValues::parse(&text).as_ref() != Ok(&new_values) {
        return Err(WriteError::Form {
            what: format!("the provider '{provider}', or a model of it,"),
            lines: "  (take out its table, and those of its models)".to_owned(),
        });
    }
    Ok(RemovedServer {
        text,
        models: alone,
        kept_models: shared,
    })
}

/// Returns the name of the provider with this address in the text of a configuration file.
pub fn provider_at(text: &str, base_url: &str) -> Option<String> {
    ConfigValues::parse(text).ok()?.provider_at(base_url)
}

/// Returns whether the text of a configuration file has a provider of that name.
pub fn has_provider(text: &str, name: &str) -> bool {
    ConfigValues::parse(text).is_ok_and(|meaning| meaning.has_provider(name))
}

fn check_models(names: &[String]) -> Result<Vec<&str>, WriteError> {
    let mut models: Vec<&str> = Vec::new();
    for name in names {
        if !is_model_name(name) {
            return Err(WriteError::ModelName);
        }
        if !models.contains(&name.as_str()) {
            models.push(name);
        }
        if models.len() > MAX_NEW_MODELS {
            let count = names.len();
            return Err(WriteError::TooManyModels { count });
        }
    }
    match models.is_empty() {
        true => Err(WriteError::NoModels),
        false => Ok(models),
    }
}

fn choose_name(before: &ConfigValues, server: &NewServer) -> Result<String, WriteError> {
    let is_taken = |name: &str| {
        before.has_provider(name) || server.taken_names.iter().any(|taken| taken == name)
    };
    if let Some(name) = &server.name {
        let name = name.clone();
        return match (is_provider_name(&name), is_taken(&name)) {
            (false, _) => Err(WriteError::Name { name }),
            (true, true) => Err(WriteError::Taken { name }),
            (true, false) => Ok(name),
        };
    }
    let first = derive_name(&server.base_url);
    let numbered_names = (2..MAX_NAMES_TRIED).map(|number| format!("{first}-{number}"));
    std::iter::once(first.clone())
        .chain(numbered_names)
        .find(|name| !is_taken(name))
        .ok_or_else(|| WriteError::NoName {
            base_url: server.base_url.clone(),
        })
}

/// Returns a name for an address: `local-8000`, `gpu17-8000`, `api-openai-com`.
fn derive_name(base_url: &str) -> String {
    let Ok(origin) = Origin::from_url(base_url) else {
        return "server".to_owned();
    };
    let origin_text = origin.to_string();
    let authority = origin_text.split_once("://").map_or("", |(_, rest)| rest);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
        Some(_) | None => (authority, None),
    };
    let host = match origin.is_loopback() {
        true => "local".to_owned(),
        false => host.to_owned(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let host: String = host.chars().map(plain).collect();
    // Room for the port and a number.
    let host: String = host
        .trim_matches('-')
        .chars()
        .take(MAX_PROVIDER_NAME_CHARS - 12)
        .collect();
    match port {
        Some(port) => format!("{host}-{port}"),
        None => host,
    }
}

fn format_provider(name: &str, server: &NewServer) -> String {
    let mut lines = format!(
        "[providers.{}]\nbase_url = {}\n",
        format_key(name),
        quote_toml(&server.base_url)
    );
    if let Some(variable) = &server.api_key_env
        && is_variable_name(variable, &|_| true)
    {
        lines.push_str(&format!("api_key_env = {}\n", quote_toml(variable)));
    }
    lines
}

fn format_model(called: &str, provider: &str, name: &str) -> String {
    format!(
        "[models.{}]\nprovider = {}\nname = {}\n",
        format_key(called),
        quote_toml(provider),
        quote_toml(name)
    )
}

/// Returns a text as TOML writes it.
fn quote_toml(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Returns a name as a part of a dotted TOML key.
fn format_key(name: &str) -> String {
    match is_bare_key(name) {
        true => name.to_owned(),
        false => quote_toml(name),
    }
}

fn is_provider_name(name: &str) -> bool {
    is_bare_key(name) && name.len() <= MAX_PROVIDER_NAME_CHARS
}

fn is_bare_key(name: &str) -> bool {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.chars().all(bare)
}
