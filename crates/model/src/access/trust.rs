//! Trusted servers: pairs of an origin and the environment variable of a key.
//!
//! Without a pair nothing is sent, and the key is not even read. The source of the address makes no
//! difference: a configuration, a session, or the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::key_variable::mask_variable;
use super::origin::{Origin, OriginError, OriginPattern};
use crate::settings::ProviderSettings;

/// An origin that is trusted with text, and with a key where it names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// The servers.
    pub origin: OriginPattern,
    /// The variable that holds the key; without one no key is sent there.
    pub key: Option<String>,
    /// The file or variable in which a person approved it.
    pub from: String,
}

impl Trusted {
    /// Trusts the server at an address with a key.
    ///
    /// # Errors
    /// When it is not an address.
    pub fn from_url(url: &str, key: Option<&str>, from: &str) -> Result<Self, OriginError> {
        Ok(Self {
            origin: OriginPattern::from(&Origin::from_url(url)?),
            key: key.map(str::to_owned),
            from: from.to_owned(),
        })
    }
}

/// All trusted pairs, and the source of each provider. By default only this machine is trusted, and
/// without a key; what a project alone names there is not.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// In the order of approval.
    pub pairs: Vec<Trusted>,
    /// The configuration file that a provider is from, by the provider's name.
    pub provider_files: BTreeMap<String, PathBuf>,
    /// Servers on this machine that a project's configuration names. Any user of a shared machine may
    /// listen there, so they need a pair as others do.
    pub project_origins: Vec<Origin>,
}

/// A server that is not trusted with what would be sent to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{from} names {origin}, an address that is not trusted with {what}: nothing was sent; for one job ELENCHUS_TRUST={origin}{entry} approves it, and for good: elenchus trust {origin}{flag}",
    flag = key_behind(" --key ", .key),
    entry = key_behind("=", .key)
)]
pub struct Untrusted {
    from: String,
    /// The server's origin.
    pub origin: Origin,
    what: String,
    /// The variable of the key that would be sent.
    key: Option<String>,
}

fn key_behind(before: &str, key: &Option<String>) -> String {
    key.iter().map(|key| format!("{before}{key}")).collect()
}

/// Reason that a server is not contacted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// It was not approved.
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    /// Its address is invalid.
    #[error(transparent)]
    Origin(#[from] OriginError),
}

impl Trust {
    /// Records the file that names these providers; a later call overrides an earlier one.
    pub fn record_source_file<'a>(
        &mut self,
        providers: impl Iterator<Item = &'a String>,
        file: &Path,
    ) {
        let sources = providers.map(|name| (name.clone(), file.to_owned()));
        self.provider_files.extend(sources);
    }

    /// Returns whether a configuration file names a provider.
    pub fn has_provider(&self, provider: &str) -> bool {
        self.provider_files.contains_key(provider)
    }

    /// Returns whether a server may be sent text, and the key of this variable where one is named.
    pub fn allows(&self, origin: &Origin, key: Option<&str>) -> bool {
        (key.is_none() && origin.is_loopback() && !self.project_origins.contains(origin))
            || self.pairs.iter().any(|pair| {
                pair.origin.matches(origin) && (key.is_none() || pair.key.as_deref() == key)
            })
    }

    /// Refuses a provider that is not trusted with what would be sent to it.
    ///
    /// # Errors
    /// Names the source, the address and the variable, and the command that approves them.
    pub fn check_provider(
        &self,
        name: &str,
        settings: &ProviderSettings,
    ) -> Result<(), TrustError> {
        let from = match self.provider_files.get(name) {
            Some(file) => format!("provider '{name}' of {}", file.display()),
            None => format!("provider '{name}'"),
        };
        let mut variables = settings.key_variables().peekable();
        if variables.peek().is_none() {
            return self.check_address(&from, &settings.base_url, None);
        }
        for variable in variables {
            self.check_address(&from, &settings.base_url, Some(variable))?;
        }
        Ok(())
    }

    /// Refuses an address that is not trusted; `from` names its source.
    ///
    /// # Errors
    /// As [`Trust::check_provider`].
    pub fn check_address(
        &self,
        from: &str,
        url: &str,
        key: Option<&str>,
    ) -> Result<(), TrustError> {
        let origin = Origin::from_url(url)?;
        if self.allows(&origin, key) {
            return Ok(());
        }
        let key = key.map(mask_variable);
        Err(TrustError::Untrusted(Untrusted {
            from: from.to_owned(),
            origin,
            what: match key {
                Some(key) => format!("the text of debates and the key in {key}"),
                None => "the text of debates".to_owned(),
            },
            key: key.map(str::to_owned),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trusting(pairs: &[(&str, Option<&str>)]) -> Trust {
        let pairs = pairs.iter().map(|(origin, key)| Trusted {
            origin: origin.parse().unwrap(),
            key: key.map(str::to_owned),
            from: "a test".to_owned(),
        });
        Trust {
            pairs: pairs.collect(),
            ..Trust::default()
        }
    }

    fn allows(trust: &Trust, url: &str, key: Option<&str>) -> bool {
        trust.allows(&Origin::from_url(url).unwrap(), key)
    }

    #[test]
    fn this_machine_is_free_without_a_key_and_must_be_paired_with_one() {
        let nothing = Trust::default();
        assert!(allows(&nothing, "http://127.0.0.1:8000/v1", None));
        assert!(allows(&nothing, "http://[::1]:8000/v1", None));
        assert!(!allows(&nothing, "http://127.0.0.1:8000/v1", Some("KEY")));
        assert!(!allows(&nothing, "http://lab.example", None));
    }

    #[test]
    fn what_a_project_names_on_this_machine_needs_a_pair() {
        let asked = Origin::from_url("http://127.0.0.1:8000").unwrap();
        let mut trust = Trust {
            project_origins: vec![asked],
            ..Trust::default()
        };
        assert!(!allows(&trust, "http://127.1:8000/v1", None));
        assert!(allows(&trust, "http://127.0.0.1:8001/v1", None));
        let url = "http://127.0.0.1:8000";
        trust
            .pairs
            .push(Trusted::from_url(url, None, "a test").unwrap());
        assert!(allows(&trust, "http://127.0.0.1:8000/v1", None));
    }

    #[test]
    fn a_key_goes_only_where_it_was_paired_and_text_wherever_anything_was() {
        let trust = trusting(&[
            ("https://a.example", Some("A_KEY")),
            ("https://b.example", None),
        ]);
        assert!(allows(&trust, "https://a.example/v1", Some("A_KEY")));
        assert!(allows(&trust, "https://a.example/v1", None));
        assert!(!allows(&trust, "https://a.example/v1", Some("B_KEY")));
        assert!(!allows(&trust, "https://b.example/v1", Some("A_KEY")));
        assert!(allows(&trust, "https://b.example/v1", None));
        assert!(!allows(&trust, "http://a.example/v1", None));
    }

    #[test]
    fn a_refusal_says_who_named_what_and_the_command_that_approves_it() {
        let mut trust = Trust::default();
        trust
            .provider_files
            .insert("far".to_owned(), PathBuf::from("/p/config.toml"));
        let settings = ProviderSettings {
            api_key_env: Some("AWS_KEY".to_owned()),
            ..ProviderSettings::from_base_url("https://far.example/v1")
        };
        let text = trust
            .check_provider("far", &settings)
            .unwrap_err()
            .to_string();
        for part in [
            "provider 'far' of /p/config.toml",
            "https://far.example",
            "the key in AWS_KEY",
            "elenchus trust https://far.example --key AWS_KEY",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
