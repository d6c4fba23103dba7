//! Definitions of figures, as the page of figures states them: one source for page and screens. Pure.

use super::figure::Measure;

/// The page that defines every figure.
const PAGE: &str = include_str!("../../../../docs/figures.md");

impl Measure {
    /// Returns how the page of figures defines it, as plain text; the row of a table may define several. `None` where
    /// the page has no row for it.
    pub fn definition(self) -> Option<String> {
        PAGE.lines()
            .filter_map(split_row)
            .find(|(names, _)| names.split("; ").any(|name| is_named(name, self.label())))
            .map(|(_, definition)| strip_marks(definition))
    }
}

/// Splits a row of a table of two columns.
fn split_row(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("| ")?
        .strip_suffix(" |")?
        .split_once(" | ")
}

/// Says whether a name of the page, which may have its source's abbreviation behind it, is a label.
fn is_named(name: &str, label: &str) -> bool {
    let rest = name.strip_prefix(label);
    rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with(" (") && rest.ends_with(')')))
}

/// Returns text without the marks of the page: code, emphasis, escapes and the targets of links.
fn strip_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '\\', '[', ']']) {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match after.strip_prefix('(') {
            Some(target) if rest[at..].starts_with(']') => {
                target.split_once(')').map_or(target, |(_, rest)| rest)
            }
            _ => after,
        };
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_definition() {
        let lacks_one =
            |measure: &&Measure| measure.definition().is_none_or(|text| text.is_empty());
        let missing: Vec<&str> = Measure::ALL
            .iter()
            .filter(lacks_one)
            .map(|one| one.label())
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn definitions_are_plain_text() {
        assert_eq!(
            Measure::ErrorRate.definition().as_deref(),
            Some("unsafe turns / judged turns")
        );
        assert_eq!(
            Measure::AgreementRate.definition().as_deref(),
            Some(
                "pairs unsafe, then safe / judged pairs of one chair in consecutive rounds; n/a with one round"
            )
        );
        assert_eq!(
            strip_marks("P(reject \\| correct): see [the page](memory.md#guardrails), `x` and *y*"),
            "P(reject | correct): see the page, x and y"
        );
    }
}
