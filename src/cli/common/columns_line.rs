//! Line that says how the columns of a file are read.

use super::join_first_names;

/// Columns that are listed; the rest is counted.
const MAX_LISTED_COLUMNS: usize = 30;
/// The longest name of a column that is shown whole.
const MAX_COLUMN_CHARS: usize = 60;

/// Says what each column was taken for, and which are not read. `of` names the file, after a blank.
pub(crate) fn format_columns<'a>(
    of: &str,
    read: impl Iterator<Item = (&'a str, &'a str)>,
    unread: impl Iterator<Item = &'a str>,
) -> String {
    let read: Vec<String> = read
        .map(|(column, field)| format!("{} = {field}", short_name(column)))
        .collect();
    // Excel leaves columns without a name.
    let unread = unread.filter(|column| !column.is_empty());
    let unread: Vec<String> = unread.map(short_name).collect();
    let mut line = format!(
        "columns{of}: {}",
        join_first_names(&read, MAX_LISTED_COLUMNS)
    );
    if !unread.is_empty() {
        let unread = join_first_names(&unread, MAX_LISTED_COLUMNS);
        line += &format!("; not read: {unread}");
    }
    line
}

fn short_name(column: &str) -> String {
    let mut chars = column.chars();
    let short: String = chars.by_ref().take(MAX_COLUMN_CHARS).collect();
    match chars.next() {
        Some(_) => short + "…",
        None => short,
    }
}
