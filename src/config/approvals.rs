//! Approvals of a user: `trust.toml` next to their configuration, and `ELENCHUS_TRUST` for jobs and
//! containers.

use super::config_file::{parse_toml, read_text};
use super::{ConfigError, project_folder};
use elenchus_model::{OriginPattern, Trusted, is_variable_name};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Comment at the top of the file.
const HEADER: &str = include_str!("trust_header.toml");

/// A person's answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approvals {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ApprovedServer>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<ApprovedFolder>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ceilings: Vec<ApprovedCeiling>,
}

/// An address that text may be sent to, with or without a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovedServer {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub approved: bool,
}

/// A project folder that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovedFolder {
    pub path: PathBuf,
}

/// A project's limit on cost that may exceed the user's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovedCeiling {
    pub file: PathBuf,
    pub usd: f64,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub approved: bool,
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_yes(approved: &bool) -> bool {
    *approved
}

impl Approvals {
    /// Reads the file; without a file nothing is approved.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let approvals: Self = parse_toml(path, &read_text(path)?).map_err(|error| match error {
            ConfigError::Text { path, line, why } => ConfigError::Text {
                path,
                line,
                why: format!("{why}; mend the line, or delete the file and approve again"),
            },
            other => other,
        })?;
        for server in &approvals.servers {
            server
                .check_origin(&|_| true)
                .map_err(|why| ConfigError::Value {
                    path: path.display().to_string(),
                    what: "server",
                    name: elenchus_model::bare_address(&server.url),
                    why,
                })?;
        }
        Ok(approvals)
    }

    /// Parses `ELENCHUS_TRUST`: addresses, `URL=VARIABLE`, and folders, separated by commas or
    /// white space.
    pub fn parse_variable(text: &str, current_folder: &Path) -> Result<Self, ConfigError> {
        let mut approvals = Self::default();
        let entries = text.split(|c: char| c == ',' || c.is_whitespace());
        for entry in entries.filter(|entry| !entry.is_empty()) {
            if !entry.contains("://") {
                // Not repeated in the message: the rest may be a key.
                if entry.contains('=') {
                    return Err(ConfigError::TrustVariable {
                        why: "the address before a '=' must begin with http:// or https://"
                            .to_owned(),
                    });
                }
                let path = current_folder.join(entry);
                approvals.folders.push(ApprovedFolder { path });
                continue;
            }
            let (url, key) = match entry.split_once('=') {
                Some((url, key)) => (url, Some(key.to_owned())),
                None => (entry, None),
            };
            let server = ApprovedServer {
                url: url.to_owned(),
                key,
                approved: true,
            };
            let why = server.check_origin(&|_| false).err();
            if let Some(why) = why {
                return Err(ConfigError::TrustVariable { why });
            }
            approvals.servers.push(server);
        }
        Ok(approvals)
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        // Tables of texts, numbers and answers always become TOML.
        let tables = toml::to_string(self).unwrap_or_default();
        format!("{HEADER}{tables}")
    }

    /// Returns the pairs that were approved.
    pub fn approved_pairs(&self, from: &str) -> impl Iterator<Item = Trusted> {
        let approved_servers = self.servers.iter().filter(|server| server.approved);
        approved_servers.filter_map(move |server| {
            Some(Trusted {
                origin: server.url.parse().ok()?,
                key: server.key.clone(),
                from: from.to_owned(),
            })
        })
    }

    /// Returns whether a folder of a project was approved.
    pub(super) fn has_folder(&self, folder: &Path) -> bool {
        let mut folders = self.folders.iter();
        folders.any(|approved| project_folder::is_same_project(folder, &approved.path))
    }

    /// Returns the answer about a server; a yes to one key is none to another.
    pub(super) fn server_answer(&self, origin: &str, key: Option<&str>) -> Option<bool> {
        let mut servers = self.servers.iter();
        servers
            .find(|server| server.url == origin && server.key.as_deref() == key)
            .map(|server| server.approved)
    }

    /// Returns the answer about a project's limit on cost.
    pub fn ceiling_answer(&self, file: &Path, usd: f64) -> Option<bool> {
        // Stored canonical: the folder may be reached by a link the next time.
        let canonical_file = file.canonicalize();
        let file = canonical_file.as_deref().unwrap_or(file);
        let file_ceilings = self.ceilings.iter().filter(|ceiling| ceiling.file == file);
        let mut matching_ceilings = file_ceilings.filter(|ceiling| match ceiling.approved {
            true => usd <= ceiling.usd,
            false => usd >= ceiling.usd,
        });
        matching_ceilings.next().map(|ceiling| ceiling.approved)
    }
}

impl ApprovedServer {
    /// Reads the address and the name of the key's variable; `is_set` knows which variables are.
    ///
    /// # Errors
    /// With a message, when one of them is invalid. A key is never repeated.
    pub fn check_origin(&self, is_set: &dyn Fn(&str) -> bool) -> Result<OriginPattern, String> {
        let origin: OriginPattern = self.url.parse().map_err(|error| format!("{error}"))?;
        match &self.key {
            Some(key) if !is_variable_name(key, is_set) => Err(format!(
                "the text next to {origin} is not the name of a variable; it looks like a key, \
                 which belongs into an environment variable, and here that variable's name"
            )),
            Some(_) | None => Ok(origin),
        }
    }
}
