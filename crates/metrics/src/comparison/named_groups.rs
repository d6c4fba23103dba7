//! Names of groups as a person gives them: the whole name, its number in the list, or its words.

use crate::report::text::visible;
use crate::rows::DebateRow;
use std::collections::BTreeSet;

/// Why a name means no group, or no arm.
#[derive(Debug, thiserror::Error)]
pub enum GroupNameError {
    #[error(
        "--compare: no group is called '{name}'; name one of these by its number or its words:\n{known}"
    )]
    NoGroup { name: String, known: String },
    #[error(
        "--compare: '{name}' fits {count} groups; give the number of one, or words that only one has:\n{known}"
    )]
    SeveralGroups {
        name: String,
        count: usize,
        known: String,
    },
    #[error("no debate of '{0}' was played to its end")]
    NothingPlayed(String),
    #[error(
        "'{protocol}' was played by {count} arms; choose runs of one with --run, or compare arms with \
         --compare:\n{known}"
    )]
    SeveralArms {
        protocol: String,
        count: usize,
        known: String,
    },
}

/// Finds the group of this name, of this number in the list of groups, or the only one whose name has all
/// these words.
///
/// # Errors
/// When it is none, or several have the words.
pub fn group_named(text: &str, names: &[String]) -> Result<String, GroupNameError> {
    if let Some(name) = names.iter().find(|name| *name == text) {
        return Ok(name.clone());
    }
    let number = text.parse::<usize>().ok();
    if let Some(name) = number.and_then(|number| names.get(number.checked_sub(1)?)) {
        return Ok(name.clone());
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let fits = |name: &&String| words.iter().all(|word| name.contains(word));
    let fitting: Vec<&String> = names.iter().filter(fits).collect();
    let known = (1..).zip(names);
    let known = known.map(|(number, name)| format!("{number:>4}  {}", visible(name)));
    let known = known.collect::<Vec<_>>().join("\n");
    let name = visible(text);
    match fitting[..] {
        [name] => Ok(name.clone()),
        [] => Err(GroupNameError::NoGroup { name, known }),
        _ => Err(GroupNameError::SeveralGroups {
            name,
            count: fitting.len(),
            known,
        }),
    }
}

/// Returns the arm that played a protocol.
///
/// # Errors
/// When none did, or several.
pub fn arm_of_protocol(rows: &[DebateRow], protocol: &str) -> Result<String, GroupNameError> {
    let of = rows.iter().filter(|row| row.protocol == protocol);
    let arms: BTreeSet<&str> = of.map(|row| row.arm.as_str()).collect();
    let mut listed = arms.iter();
    match (listed.next(), listed.next()) {
        (Some(arm), None) => Ok((*arm).to_owned()),
        (None, _) => Err(GroupNameError::NothingPlayed(protocol.to_owned())),
        (Some(_), Some(_)) => {
            let known = arms.iter().map(|arm| format!("  {}", visible(arm)));
            Err(GroupNameError::SeveralArms {
                protocol: protocol.to_owned(),
                count: arms.len(),
                known: known.collect::<Vec<_>>().join("\n"),
            })
        }
    }
}
