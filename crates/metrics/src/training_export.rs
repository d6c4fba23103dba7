//! Export of advantages for training, as text, JSON and CSV. Pure.

use super::advantage::Advantages;
use super::report::figure::Advantage;
use super::report::grid::{Grid, NameWidth, csv_text};
use super::report::natural_order::compare_naturally;
use super::report::table::MIN_TABLE_WIDTH;
use super::report::text_layout::{escape_hidden, format_compact, push_paragraph};

const NUMBER: usize = 10;
const COUNT: usize = 8;

/// Renders advantages as text of at most `width` columns ([`MIN_TABLE_WIDTH`] where that is more),
/// a block for each arm and checkpoint; sessions are only in JSON and CSV.
pub fn advantages_to_table(advantages: &Advantages, width: usize) -> String {
    let width = width.max(MIN_TABLE_WIDTH);
    let mut out = String::new();
    let mut rows: Vec<&Advantage> = advantages.rows.iter().collect();
    let checkpoint = |row: &Advantage| row.checkpoint.clone().unwrap_or_default();
    rows.sort_by(|a, b| {
        (a.simulated, &a.arm)
            .cmp(&(b.simulated, &b.arm))
            .then_with(|| compare_naturally(&checkpoint(a), &checkpoint(b)))
    });
    let block = |row: &Advantage| (row.simulated, row.arm.clone(), row.checkpoint.clone());
    for rows in rows.chunk_by(|a, b| block(a) == block(b)) {
        if !out.is_empty() {
            out.push('\n');
        }
        if let Some(first) = rows.first() {
            push_paragraph(&mut out, &block_title(first), width);
        }
        let mut grid = Grid::new("topic, seat", NameWidth::Rest)
            .with_column("rollout", COUNT)
            .with_column("reward", NUMBER)
            .with_column("advantage", NUMBER)
            .with_column("group", COUNT);
        for row in rows {
            let alone = if row.rollouts == 1 { "*" } else { "" };
            grid.add_row(
                format!(
                    "{}, {}",
                    escape_hidden(&row.topic),
                    escape_hidden(&row.seat)
                ),
                vec![
                    row.rollout.to_string(),
                    format_compact(row.reward, 3),
                    format_compact(row.advantage, 3),
                    format!("{}{alone}", row.group_size),
                ],
            );
        }
        out.push_str(&grid.to_text(width));
    }
    if out.is_empty() {
        out.push_str("no rewards to compare\n");
    } else {
        out.push('\n');
        let text = "advantage: the reward less the mean reward of its seat over the rollouts of its \
             topic, arm and checkpoint";
        push_paragraph(&mut out, text, width);
    }
    if advantages.groups_of_one > 0 {
        let text = format!(
            "! {} of {} one rollout only (marked *): an advantage of 0 there says nothing",
            advantages.groups_of_one,
            match advantages.groups {
                1 => "1 group has".to_owned(),
                groups => format!("{groups} groups have"),
            }
        );
        push_paragraph(&mut out, &text, width);
    }
    if !advantages.left_out.is_empty() {
        let reasons: Vec<String> = advantages
            .left_out
            .iter()
            .map(|(reason, count)| format!("{count} {}", reason.label()))
            .collect();
        push_paragraph(
            &mut out,
            &format!("left out: {}", reasons.join(", ")),
            width,
        );
    }
    out
}

/// Renders advantages as JSON, indented.
pub fn advantages_to_json(advantages: &Advantages) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(advantages).map(|json| json + "\n")
}

/// Renders advantages as CSV, one row per reward.
pub fn advantages_to_csv(advantages: &Advantages) -> Result<String, csv::Error> {
    let head = [
        "simulated",
        "topic",
        "arm",
        "checkpoint",
        "seat",
        "rollout",
        "session",
        "reward",
        "advantage",
        "group_size",
        "rollouts",
    ];
    let rows = advantages.rows.iter().map(|row| {
        vec![
            row.simulated.to_string(),
            row.topic.clone(),
            row.arm.clone(),
            row.checkpoint.clone().unwrap_or_default(),
            row.seat.clone(),
            row.rollout.to_string(),
            row.session.clone(),
            row.reward.to_string(),
            row.advantage.to_string(),
            row.group_size.to_string(),
            row.rollouts.to_string(),
        ]
    });
    csv_text([head.map(str::to_owned).to_vec()].into_iter().chain(rows))
}

fn block_title(row: &Advantage) -> String {
    let kind = if row.simulated { "SIMULATED, " } else { "" };
    let mut title = format!("{kind}arm {}", escape_hidden(&row.arm));
    if let Some(checkpoint) = &row.checkpoint {
        title.push_str(", checkpoint ");
        title.push_str(&escape_hidden(checkpoint));
    }
    title
}
