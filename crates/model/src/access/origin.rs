//! Origins of servers (scheme, host and port), and patterns of them.
//!
//! Parsed by the HTTP client's own parser, so that no odd spelling makes the two disagree about
//! where a request goes.

use std::fmt;
use std::str::FromStr;

/// The longest port, in characters.
const MAX_PORT_CHARS: usize = 5;

/// An address that cannot be trusted as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no address of a server: {why}")]
pub struct OriginError {
    text: String,
    why: &'static str,
}

/// Origin of a server: its scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    scheme: Scheme,
    /// As the HTTP client reads it: in small letters, numbers of IP addresses in their usual form.
    host: String,
    port: u16,
    is_loopback: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scheme {
    Http,
    Https,
}

/// A pattern of origins: `*` matches any letters and digits within one part of the host (parts are
/// separated by dots), or digits of the port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OriginPattern {
    scheme: Scheme,
    host: String,
    port: String,
}

impl Origin {
    /// Parses the origin of an address; its path does not matter.
    ///
    /// # Errors
    /// When it is not an address, or holds a user or password.
    pub fn from_url(url: &str) -> Result<Self, OriginError> {
        let fault = |why| OriginError::new(url, why);
        let address = reqwest::Url::parse(url).map_err(|_| fault(NO_ADDRESS))?;
        let scheme = Scheme::from_name(address.scheme()).ok_or_else(|| fault(NO_SCHEME))?;
        if !address.username().is_empty() || address.password().is_some() {
            return Err(fault(USER));
        }
        let host = address.host_str().unwrap_or_default();
        let port = address.port_or_known_default();
        let port = port.filter(|_| is_host(host, Wildcards::Refused));
        Ok(Self {
            scheme,
            host: host.to_owned(),
            port: port.ok_or_else(|| fault(NO_HOST))?,
            is_loopback: is_loopback(url),
        })
    }

    /// Returns whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Returns whether the connection is not encrypted.
    pub fn is_plain(&self) -> bool {
        self.scheme == Scheme::Http
    }
}

impl OriginPattern {
    /// Returns whether an origin matches.
    pub fn matches(&self, origin: &Origin) -> bool {
        self.scheme == origin.scheme
            && matches_wildcard(self.host.as_bytes(), origin.host.as_bytes())
            && matches_wildcard(self.port.as_bytes(), origin.port.to_string().as_bytes())
    }
}

impl From<&Origin> for OriginPattern {
    fn from(origin: &Origin) -> Self {
        Self {
            scheme: origin.scheme,
            host: origin.host.clone(),
            port: origin.port.to_string(),
        }
    }
}

impl FromStr for OriginPattern {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let fault = |why| OriginError::new(text, why);
        let (scheme, rest) = text.split_once("://").ok_or_else(|| fault(NO_SCHEME))?;
        let scheme =
            Scheme::from_name(&scheme.to_ascii_lowercase()).ok_or_else(|| fault(NO_SCHEME))?;
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(fault(USER));
        }
        if path.contains(['*', '?', '#', '\\']) || authority.contains(['%', ' ', '\t']) {
            return Err(fault(NO_ADDRESS));
        }
        let bracket = authority.rfind(']').map_or(0, |end| end + 1);
        let (host, port) = match authority[bracket..].find(':') {
            Some(at) => (&authority[..bracket + at], &authority[bracket + at + 1..]),
            None => (authority, ""),
        };
        let port = scheme.parse_port(port).ok_or_else(|| fault(NO_PORT))?;
        // The client's own reading of the host: small letters, IP addresses in their usual form.
        let host_url = reqwest::Url::parse(&format!("{scheme}://{host}/"));
        let normal_host = host_url
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let host = normal_host.filter(|host| is_host(host, Wildcards::Allowed));
        Ok(Self {
            scheme,
            host: host.ok_or_else(|| fault(NO_HOST))?,
            port,
        })
    }
}

const NO_ADDRESS: &str = "write it as in https://lab.example or http://gpu*:8000";
const NO_SCHEME: &str = "it must begin with http:// or https://";
const NO_HOST: &str = "its host must be a name or an IP address; a '*' may replace a part of a \
                       name, not for all of it";
const NO_PORT: &str = "its port must be a number from 1 to 65535; a '*' may replace digits of it";
const USER: &str = "it must hold no user or password; name the variable that holds the key instead";

impl OriginError {
    fn new(text: &str, why: &'static str) -> Self {
        // An invalid address may be a key in the wrong place, and so may the text in place of a
        // port.
        let bare = crate::bare_address(text);
        let host = bare.split_once("://").map(|(scheme, rest)| {
            let end = rest.find(['/', ':', '?', '#']).unwrap_or(rest.len());
            format!("{scheme}://{}", &rest[..end])
        });
        Self {
            text: host.unwrap_or_else(|| "what was given".to_owned()),
            why,
        }
    }
}

impl Scheme {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "http" => Some(Self::Http),
            "https" => Some(Self::Https),
            _ => None,
        }
    }

    fn default_port(self) -> &'static str {
        match self {
            Self::Http => "80",
            Self::Https => "443",
        }
    }

    /// Returns the port that a pattern names, or the usual one.
    fn parse_port(self, text: &str) -> Option<String> {
        match text {
            "" => Some(self.default_port().to_owned()),
            stars if stars.contains('*') => {
                let digits = stars
                    .bytes()
                    .all(|byte| byte == b'*' || byte.is_ascii_digit());
                (digits && stars.len() <= MAX_PORT_CHARS).then(|| stars.to_owned())
            }
            number => match number.parse::<u16>() {
                Ok(0) | Err(_) => None,
                Ok(number) => Some(number.to_string()),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wildcards {
    Refused,
    Allowed,
}

/// Other characters are refused: they occur in no host name, and some mean something to a shell.
fn is_host(host: &str, stars: Wildcards) -> bool {
    let inside = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if let Some(inside) = inside {
        return inside.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let fits = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '.' | '-' | '_')
            || (c == '*' && stars == Wildcards::Allowed)
    };
    host.chars().all(fits) && host.contains(|c: char| c.is_ascii_alphanumeric())
}

/// Returns whether a pattern matches a text; `*` matches no dot.
fn matches_wildcard(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => {
            let part = text.iter().take_while(|byte| **byte != b'.').count();
            (0..=part).any(|taken| matches_wildcard(rest, &text[taken..]))
        }
        Some((byte, rest)) => text.first() == Some(byte) && matches_wildcard(rest, &text[1..]),
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Https => "https",
        })
    }
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.port != self.scheme.default_port() {
            write!(f, ":{}", self.port)?;
        }
        Ok(())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        OriginPattern::from(self).fmt(f)
    }
}

/// Returns whether an address is on this machine.
pub fn is_loopback(base_url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(base_url) else {
        return false;
    };
    let Some(host) = url.host_str() else {
        return false;
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> OriginPattern {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn an_origin_is_scheme_host_and_port_however_they_are_spelled() {
        for (url, shown) in [
            ("https://Lab.Example/v1", "https://lab.example"),
            ("https://lab.example:443", "https://lab.example"),
            ("http://lab.example:0443/v1", "http://lab.example:443"),
            ("http://0x7f.1:8000/v1", "http://127.0.0.1:8000"),
            ("http://[::1]:80/", "http://[::1]"),
            ("http://evil.example\\good.example/", "http://evil.example"),
        ] {
            let origin = Origin::from_url(url).unwrap();
            assert_eq!(origin.to_string(), shown);
            assert!(pattern(shown).matches(&origin), "{shown}");
        }
        for url in [
            "lab.example",
            "ftp://lab.example",
            "https://ana:secret@lab.example",
            "https://good.example@evil.example",
            "http://",
            "http://a$(id).example",
            "http://a*b.example",
        ] {
            let error = Origin::from_url(url).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_star_stands_inside_one_part_of_the_host_or_for_digits_of_the_port() {
        let cases = [
            ("http://gpu*:8000", "http://gpu17:8000/v1", true),
            ("http://gpu*:8000", "http://gpu17:8001/v1", false),
            ("http://gpu*:8000", "https://gpu17:8000/v1", false),
            ("http://gpu*:8000", "http://gpu1.evil.example:8000", false),
            ("http://GPU*:8000/v1", "http://gpu17:8000", true),
            ("https://*.lab.example", "https://a.lab.example/v1", true),
            ("https://*.lab.example", "https://a.b.lab.example", false),
            ("https://*.lab.example", "https://lab.example", false),
            ("https://*.lab.example", "https://evil-lab.example", false),
            ("http://localhost:*", "http://localhost:1234", true),
            ("http://localhost:80*", "http://localhost:8000", true),
            ("http://localhost:80*", "http://localhost:9000", false),
            ("http://10.0.0.*:8000", "http://10.0.0.7:8000", true),
        ];
        for (allowed, url, is_one) in cases {
            let origin = Origin::from_url(url).unwrap();
            assert_eq!(pattern(allowed).matches(&origin), is_one, "{allowed} {url}");
        }
    }

    #[test]
    fn a_pattern_that_would_trust_anybody_is_refused() {
        for text in [
            "*",
            "http://*",
            "https://*:443",
            "http://*.*:80",
            "*://lab.example",
            "http*://lab.example",
            "http://user@lab.example",
            "http://%2a/",
            "http://\u{ff0a}/",
            "http://lab.example:",
            "http://lab.example:x",
            "http://lab.example:70000",
            "http://lab.example:0",
            "http://[::*]:80",
            "http://lab example",
            "http://lab.example/*",
        ] {
            // A port left empty is the usual one.
            let read = text.parse::<OriginPattern>();
            assert_eq!(read.is_ok(), text == "http://lab.example:", "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_of_a_pattern_is_read_as_the_same_pattern(text in "https?://[a-z*.0-9-]{1,12}(:[0-9*]{1,5})?") {
            if let Ok(read) = text.parse::<OriginPattern>() {
                prop_assert_eq!(pattern(&read.to_string()), read);
            }
        }

        #[test]
        fn no_address_panics(text in ".{0,40}") {
            let _ = Origin::from_url(&text);
            let _ = text.parse::<OriginPattern>();
        }
    }
}
