//! Pending approvals: requests of a project's configuration that the user has to approve first.

use super::config_file::FileShape;
use super::project_folder::quote_for_shell;
use super::{Approvals, SourceFile};
use elenchus_model::{Origin, Trust, mask_variable};
use std::fmt;
use std::path::Path;

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum PendingApproval {
    /// Text, and a key where one is named, would go to an address that is not approved.
    Server { origin: String, key: Option<String> },
    /// Spending would exceed the user's own limit, in US dollars.
    Ceiling { usd: f64, own: f64 },
}

impl PendingApproval {
    /// Returns the command that approves it; `file` is the project's.
    pub fn approval_command(&self, file: &Path) -> String {
        match self {
            Self::Server { origin, key: None } => format!("elenchus trust {origin}"),
            Self::Server {
                origin,
                key: Some(key),
            } => format!("elenchus trust {origin} --key {}", mask_variable(key)),
            Self::Ceiling { usd, .. } => {
                let folder = quote_for_shell(file.parent().unwrap_or(file));
                format!("elenchus trust {folder} --budget-usd {usd}")
            }
        }
    }
}

impl fmt::Display for PendingApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { origin, key } => {
                write!(f, "sends the text of debates")?;
                if let Some(key) = key {
                    write!(f, " and the key in {}", mask_variable(key))?;
                }
                write!(f, " to {origin}")
            }
            Self::Ceiling { usd, own } => {
                write!(f, "raises the limit on cost from your own ${own} to ${usd}")
            }
        }
    }
}

/// Returns the servers on this machine that a project's file names.
pub(super) fn list_loopback_origins(project_source: &SourceFile) -> Vec<Origin> {
    let origins =
        list_addresses(&project_source.shape).filter_map(|(url, _)| Origin::from_url(url).ok());
    origins.filter(Origin::is_loopback).collect()
}

/// Returns the addresses that a file names, each with the variable of its key.
fn list_addresses(shape: &FileShape) -> impl Iterator<Item = (&str, Option<&str>)> {
    let providers = shape.providers.values();
    let places = providers.map(|at| (at.base_url.as_str(), at.api_key_env.as_deref()));
    let model_url = shape.memory.model_url.iter();
    places.chain(model_url.map(|url| (url.as_str(), None)))
}

/// Finds requests of a project's file that are not approved. A cost limit that is not approved is
/// removed from it, so that the user's own applies.
pub(super) fn find_pending(
    project_source: &mut SourceFile,
    own: &FileShape,
    trust: &Trust,
    approvals: &Approvals,
) -> Vec<PendingApproval> {
    let mut waiting = Vec::new();
    for (url, key) in list_addresses(&project_source.shape) {
        // An invalid address, or a key in place of its name, is refused where it is used.
        let Ok(origin) = Origin::from_url(url) else {
            continue;
        };
        if key.is_some_and(|key| mask_variable(key) != key) {
            continue;
        }
        let origin_text = origin.to_string();
        let is_open =
            !trust.allows(&origin, key) && approvals.server_answer(&origin_text, key).is_none();
        let server = PendingApproval::Server {
            origin: origin_text,
            key: key.map(str::to_owned),
        };
        if is_open && !waiting.contains(&server) {
            waiting.push(server);
        }
    }
    let shape = &mut project_source.shape;
    let (project_limit, limit) = (shape.defaults.budget_usd, own.defaults.budget_usd);
    if let (Some(usd), Some(own)) = (project_limit, limit)
        && usd > own
    {
        let answer = approvals.ceiling_answer(&project_source.path, usd);
        if answer != Some(true) {
            shape.defaults.budget_usd = None;
        }
        if answer.is_none() {
            waiting.push(PendingApproval::Ceiling { usd, own });
        }
    }
    waiting
}
