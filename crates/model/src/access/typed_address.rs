//! Addresses of servers in the short forms that people type.

use super::origin::{Origin, OriginError};

/// The longest address that is read, in bytes.
const MAX_ADDRESS_BYTES: usize = 2_000;
/// Paths that people copy along with the address.
const CALLS: [&str; 3] = ["/chat/completions", "/completions", "/models"];

/// Reason to refuse a typed address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is invalid, or holds a password.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// It may be on another machine, or no address at all.
    #[error(
        "an address begins with http:// or https://; without that it is HOST:PORT of this machine, as in 127.0.0.1:8000"
    )]
    NoScheme,
    /// It has a query or a fragment, which may hold a key.
    #[error(
        "an address of a server holds no '?' and no '#'; the variable of a key is named with --key"
    )]
    Query,
    /// It is longer than anything that is typed.
    #[error("this is no address of a server: it is longer than {MAX_ADDRESS_BYTES} bytes")]
    TooLong,
}

/// Parses a typed address and returns the `base_url` values that it can mean, the likeliest first:
/// `/v1` is added where no version is named.
///
/// # Errors
/// When it can mean none.
pub fn base_url_candidates(text: &str) -> Result<Vec<String>, AddressError> {
    let text = text.trim();
    if text.len() > MAX_ADDRESS_BYTES {
        return Err(AddressError::TooLong);
    }
    let is_port = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let url = match (is_port, text.contains("://")) {
        (true, _) => format!("http://127.0.0.1:{text}"),
        (false, true) => text.to_owned(),
        (false, false) => format!("http://{text}"),
    };
    let origin = Origin::from_url(&url);
    if !text.contains("://") {
        let here = origin.as_ref().is_ok_and(Origin::is_loopback);
        if !(here && (is_port || text.contains(':'))) {
            return Err(AddressError::NoScheme);
        }
    }
    let origin = origin?;
    if url.contains(['?', '#']) {
        return Err(AddressError::Query);
    }
    // The origin was read from it, so this is an address.
    let path = reqwest::Url::parse(&url).map(|url| url.path().to_owned());
    let path = path.unwrap_or_default();
    let mut path = path.trim_end_matches('/');
    for call in CALLS {
        path = path.strip_suffix(call).unwrap_or(path);
    }
    let path = path.trim_end_matches('/');
    let base_url = format!("{origin}{path}");
    let last = path.rsplit('/').next().unwrap_or_default();
    let number = last.strip_prefix('v').unwrap_or_default();
    Ok(match number.starts_with(|c: char| c.is_ascii_digit()) {
        true => vec![base_url],
        false => vec![format!("{base_url}/v1"), base_url],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_people_type_it() {
        for (typed, meant) in [
            ("8000", "http://127.0.0.1:8000/v1"),
            ("localhost:8000", "http://localhost:8000/v1"),
            ("127.0.0.1:8000/", "http://127.0.0.1:8000/v1"),
            ("[::1]:8000/v1", "http://[::1]:8000/v1"),
            (" http://gpu17:8000 ", "http://gpu17:8000/v1"),
            ("http://gpu17:8000/v1/", "http://gpu17:8000/v1"),
            (
                "HTTPS://Lab.Example:443/v1/models",
                "https://lab.example/v1",
            ),
            (
                "https://lab.example/api/v1/chat/completions",
                "https://lab.example/api/v1",
            ),
            (
                "https://lab.example/openai",
                "https://lab.example/openai/v1",
            ),
            ("https://lab.example/v1beta", "https://lab.example/v1beta"),
        ] {
            let read = base_url_candidates(typed).unwrap();
            assert_eq!(read[0], meant, "{typed}");
            // What it was made into means the same.
            assert_eq!(base_url_candidates(&read[0]).unwrap(), [meant]);
        }
        for wrong in [
            "",
            "gpu17:8000",
            "localhost",
            "sk-secret-1",
            "99999",
            "ftp://lab.example",
            "https://ana:secret-1@lab.example",
            "https://lab.example/v1?key=secret-1",
            "http://",
        ] {
            let error = base_url_candidates(wrong).unwrap_err().to_string();
            assert!(!error.contains("secret-1"), "{error}");
        }
    }
}
