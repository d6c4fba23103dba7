//! What a project's configuration wants that a person has to approve first.

use super::file::FileShape;
use super::project::shell_word;
use super::{Approvals, Source};
use crate::model::{Origin, Trust, shown_variable};
use std::fmt;
use std::path::Path;

/// One thing that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Waiting {
    /// Text, and a key where one is named, would go to an address that nobody approved.
    Server { origin: String, key: Option<String> },
    /// More would be spent than the person's own limit allows, in US dollars.
    Ceiling { usd: f64, own: f64 },
}

impl Waiting {
    /// Returns the command that approves it; `file` is the project's.
    pub fn command(&self, file: &Path) -> String {
        match self {
            Self::Server { origin, key: None } => format!("elenchus trust {origin}"),
            Self::Server {
                origin,
                key: Some(key),
            } => format!("elenchus trust {origin} --key {}", shown_variable(key)),
            Self::Ceiling { usd, .. } => {
                let folder = shell_word(file.parent().unwrap_or(file));
                format!("elenchus trust {folder} --budget-usd {usd}")
            }
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { origin, key } => {
                write!(f, "sends the text of debates")?;
                if let Some(key) = key {
                    write!(f, " and the key in {}", shown_variable(key))?;
                }
                write!(f, " to {origin}")
            }
            Self::Ceiling { usd, own } => {
                write!(f, "raises the limit on cost from your own ${own} to ${usd}")
            }
        }
    }
}

/// Finds what a project's file wants beyond what is approved. A limit that is not approved is taken
/// out of it, so that the person's own holds.
pub(super) fn of(
    theirs: &mut Source,
    own: &FileShape,
    trust: &Trust,
    approvals: &Approvals,
) -> Vec<Waiting> {
    let shape = &mut theirs.shape;
    let providers = shape.providers.values();
    let places = providers.map(|at| (at.base_url.as_str(), at.api_key_env.as_deref()));
    let model_url = shape.memory.model_url.iter();
    let places = places.chain(model_url.map(|url| (url.as_str(), None)));
    let mut waiting = Vec::new();
    for (url, key) in places {
        // What is no address, or a key in the place of its name, is refused where it is used.
        let Ok(origin) = Origin::of(url) else {
            continue;
        };
        if key.is_some_and(|key| shown_variable(key) != key) {
            continue;
        }
        let shown = origin.to_string();
        let is_open = !trust.allows(&origin, key) && approvals.answer(&shown, key).is_none();
        let server = Waiting::Server {
            origin: shown,
            key: key.map(str::to_owned),
        };
        if is_open && !waiting.contains(&server) {
            waiting.push(server);
        }
    }
    let (wanted, limit) = (shape.defaults.budget_usd, own.defaults.budget_usd);
    if let (Some(usd), Some(own)) = (wanted, limit)
        && usd > own
    {
        let answer = approvals.ceiling(&theirs.path, usd);
        if answer != Some(true) {
            shape.defaults.budget_usd = None;
        }
        if answer.is_none() {
            waiting.push(Waiting::Ceiling { usd, own });
        }
    }
    waiting
}
