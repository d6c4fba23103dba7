//! Names of environment variables that hold keys, and their distinction from keys that were pasted
//! in place of a name. Never shows what looks like a key.

/// Replacement for a name that looks like a key.
const HIDDEN: &str = "[hidden: it looks like a key]";
/// Keys are longer than most names.
const SHORTEST_KEY_CHARS: usize = 20;
/// No service makes shorter keys of small letters and digits alone.
const SHORTEST_PLAIN_KEY_CHARS: usize = 30;

/// Prefixes of well-known services' keys, in lower case.
const KEY_BEGINNINGS: [&str; 12] = [
    "akia",
    "asia",
    "aiza",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat",
    "gsk_",
    "hf_",
    "r8_",
    "sk_",
    "xox",
];

/// End of the message about a key in place of a variable's name.
pub(crate) const KEY_IN_PLACE_OF_NAME: &str = "holds what looks like a key, not the name of a variable; put the \
                                  key into an environment variable, and that variable's name here";

/// Returns whether a text can be the name of a variable: letters, digits and underscores, and no
/// variable-shaped key unless `is_set` knows a variable of that name.
pub fn is_variable_name(text: &str, is_set: &dyn Fn(&str) -> bool) -> bool {
    has_variable_form(text) && (!looks_like_a_key(text) || is_set(text))
}

/// Returns the name, or a placeholder where it looks like a key.
pub fn mask_variable(name: &str) -> &str {
    if has_variable_form(name) && !looks_like_a_key(name) {
        name
    } else {
        HIDDEN
    }
}

fn has_variable_form(text: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(begins) && text.chars().all(|c| begins(c) || c.is_ascii_digit())
}

/// Random letters mix cases and digits, which names do not; those of hexadecimal keys have no words.
fn looks_like_a_key(name: &str) -> bool {
    let any = |is: fn(&u8) -> bool| name.bytes().any(|byte| is(&byte));
    let (lower, digit) = (u8::is_ascii_lowercase, u8::is_ascii_digit);
    let is_mixed = any(lower) && any(u8::is_ascii_uppercase) && any(digit);
    let is_plain = any(digit) && any(lower) && !name.contains('_');
    let lowercase = name.to_ascii_lowercase();
    let has_known_prefix = KEY_BEGINNINGS
        .iter()
        .any(|begin| lowercase.starts_with(begin));
    (has_known_prefix && any(digit) && name.len() >= SHORTEST_KEY_CHARS)
        || (is_mixed && name.len() >= SHORTEST_KEY_CHARS)
        || (is_plain && name.len() >= SHORTEST_PLAIN_KEY_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_key_is_no_name_and_is_not_shown() {
        let nothing = |_: &str| false;
        for key in [
            "sk-proj-abc123",
            "hf_AbCdEfGhIjKlMnOpQr12",
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_abcdefghijklmnop0123",
            "sk_live_abcdefghijk12345",
            "0123456789abcdef0123456789abcdef",
            "d123456789abcdef0123456789abcdef",
            "MY-KEY",
            "two words",
            "",
        ] {
            assert!(!is_variable_name(key, &nothing), "{key}");
            assert_eq!(mask_variable(key), HIDDEN, "{key}");
        }
        for name in ["OPENAI_API_KEY", "_k", "hf_token", "Key2", "LAB_KEY_2026"] {
            assert!(is_variable_name(name, &nothing), "{name}");
            assert_eq!(mask_variable(name), name);
        }
    }

    #[test]
    fn an_odd_name_that_is_set_is_a_name() {
        let odd = "hf_AbCdEfGhIjKlMnOpQr12";
        assert!(is_variable_name(odd, &|name| name == odd));
        assert!(!is_variable_name("sk-x", &|_| true));
    }
}
