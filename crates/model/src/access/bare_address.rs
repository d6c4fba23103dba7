//! Addresses of servers without user, password and query.

/// Returns an address without the user, password, query and fragment that it may hold.
pub fn bare_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    // Queries may hold keys as well.
    let path = path.split(['?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_bared_of_user_password_and_query() {
        let cases = [
            ("https://ana:secret@host:8000/v1", "https://host:8000/v1"),
            ("https://host/v1?key=secret", "https://host/v1"),
            ("https://host/a@b", "https://host/a@b"),
            ("https://a:b@c@host", "https://host"),
            ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ];
        for (url, shown) in cases {
            assert_eq!(bare_address(url), shown);
        }
    }
}
