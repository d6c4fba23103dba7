//! Names of groups as a person gives them: the whole name, its number in the list, or its words.

use crate::report::text_layout::escape_hidden;
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
pub fn find_group(text: &str, names: &[String]) -> Result<String, GroupNameError> {
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
    let numbered_names = (1..).zip(names);
    let name_lines =
        numbered_names.map(|(number, name)| format!("{number:>4}  {}", escape_hidden(name)));
    let name_list = name_lines.collect::<Vec<_>>().join("\n");
    let name = escape_hidden(text);
    match fitting[..] {
        [name] => Ok(name.clone()),
        [] => Err(GroupNameError::NoGroup {
            name,
            known: name_list,
        }),
        _ => Err(GroupNameError::SeveralGroups {
            name,
            count: fitting.len(),
            known: name_list,
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
    let mut arm_names = arms.iter();
    match (arm_names.next(), arm_names.next()) {
        (Some(arm), None) => Ok((*arm).to_owned()),
        (None, _) => Err(GroupNameError::NothingPlayed(protocol.to_owned())),
        (Some(_), Some(_)) => {
            let arm_lines = arms.iter().map(|arm| format!("  {}", escape_hidden(arm)));
            Err(GroupNameError::SeveralArms {
                protocol: protocol.to_owned(),
                count: arms.len(),
                known: arm_lines.collect::<Vec<_>>().join("\n"),
            })
        }
    }
}
