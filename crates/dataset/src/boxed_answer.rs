//! Boxed answer of a MATH solution: the content of its last box.

/// Number of boxes that are tried, from the end.
const MAX_BOXES: usize = 64;

/// Returns the content of the last `\boxed{…}` or `\fbox{…}` with matching braces, without
/// surrounding blanks.
///
/// A few solutions of the release write `$\boxed 7$`: then the box reaches to the dollar sign.
pub(super) fn last_box(text: &str) -> Option<&str> {
    let mut end = text.len();
    for _ in 0..MAX_BOXES {
        let before = text.get(..end)?;
        let (name, after) = ["\\boxed", "\\fbox"]
            .iter()
            .filter_map(|name| {
                let at = before.rfind(name)?;
                Some((at, at + name.len()))
            })
            .max()?;
        let rest = text.get(after..)?;
        let content = match rest.trim_start().strip_prefix('{') {
            Some(inner) => find_braced_text(inner),
            None => find_bare_text(rest),
        };
        if let Some(inner) = content {
            return Some(inner.trim());
        }
        end = name;
    }
    None
}

/// Returns the text before the brace that closes one opened just before `inner`.
fn find_braced_text(inner: &str) -> Option<&str> {
    let (mut depth, mut escaped) = (1_usize, false);
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' if depth == 1 => return inner.get(..at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the text between a blank and the end of the formula.
fn find_bare_text(rest: &str) -> Option<&str> {
    let (inner, _) = rest.strip_prefix(' ')?.split_once('$')?;
    Some(inner)
}
