//! Ceilings of an experiment as one line that a person can change: `usd 0.5, calls 100`. Pure.

use elenchus_game::debate::protocol::Ceilings;

const USD: &str = "usd";
const CALLS: &str = "calls";
const TOKENS: &str = "tokens";

/// Returns the ceilings that there are.
pub fn format_ceilings(ceilings: Ceilings) -> String {
    let usd = ceilings.cost_usd.map(|usd| format!("{USD} {usd}"));
    let calls = ceilings.calls.map(|calls| format!("{CALLS} {calls}"));
    let tokens = ceilings.tokens.map(|tokens| format!("{TOKENS} {tokens}"));
    let there: Vec<String> = usd.into_iter().chain(calls).chain(tokens).collect();
    there.join(", ")
}

/// Reads such a line; `None` where a part of it is none of the ceilings that there are: not every kind of
/// experiment can have each. What it leaves out stays as it was.
pub fn parse_ceilings(line: &str, there: Ceilings) -> Option<Ceilings> {
    let mut ceilings = Ceilings::default();
    for part in line
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (name, number) = part.split_once(char::is_whitespace)?;
        let number = number.trim();
        match name {
            USD => {
                let usd: f64 = number.parse().ok()?;
                let usd = Some(usd).filter(|usd| usd.is_finite() && *usd >= 0.0);
                ceilings.cost_usd = Some(there.cost_usd.and(usd)?);
            }
            CALLS => ceilings.calls = Some(there.calls.and(number.parse().ok())?),
            TOKENS => ceilings.tokens = Some(there.tokens.and(number.parse().ok())?),
            _ => return None,
        }
    }
    Some(ceilings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_is_written_and_what_is_no_ceiling_is_refused() {
        let all = Ceilings {
            cost_usd: Some(0.25),
            calls: Some(7),
            tokens: Some(9_000),
        };
        assert_eq!(format_ceilings(all), "usd 0.25, calls 7, tokens 9000");
        assert_eq!(parse_ceilings(&format_ceilings(all), all), Some(all));
        assert_eq!(
            parse_ceilings(" calls  12 ,", all),
            Some(Ceilings {
                calls: Some(12),
                ..Ceilings::default()
            })
        );
        assert_eq!(parse_ceilings("", all), Some(Ceilings::default()));
        for wrong in [
            "usd",
            "usd -1",
            "usd NaN",
            "usd inf",
            "calls 1.5",
            "calls -3",
            "euros 5",
            "5",
        ] {
            assert_eq!(parse_ceilings(wrong, all), None, "{wrong}");
        }
        let usd = Ceilings::from_usd(Some(1.0));
        assert_eq!(parse_ceilings("usd 2, calls 5", usd), None);
    }
}
