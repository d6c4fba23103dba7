//! Export of advantages for training, as text, JSON and CSV. Pure.

use super::advantage::Advantages;
use super::report::figure::Advantage;
use super::report::natural_order::natural;
use super::report::table::MIN_TABLE_WIDTH;
use super::report::text::{clip, compact, push_line, push_wrapped, visible};

const SEAT: usize = 14;
const NUMBER: usize = 10;
const COUNT: usize = 8;

/// Renders advantages as text of at most `width` columns ([`MIN_TABLE_WIDTH`] where that is more),
/// a block for each arm and checkpoint; long names are truncated. Sessions are only in JSON and
/// CSV.
pub fn advantages_to_table(advantages: &Advantages, width: usize) -> String {
    let width = width.max(MIN_TABLE_WIDTH);
    let mut out = String::new();
    let mut rows: Vec<&Advantage> = advantages.rows.iter().collect();
    let checkpoint = |row: &Advantage| row.checkpoint.clone().unwrap_or_default();
    rows.sort_by(|a, b| {
        (a.simulated, &a.arm)
            .cmp(&(b.simulated, &b.arm))
            .then_with(|| natural(&checkpoint(a), &checkpoint(b)))
    });
    let mut shown = None;
    for row in rows {
        let block = (row.simulated, row.arm.as_str(), row.checkpoint.as_deref());
        if shown != Some(block) {
            head(&mut out, row, width);
            shown = Some(block);
        }
        line(&mut out, row, width);
    }
    if out.is_empty() {
        out.push_str("no rewards to compare\n");
    } else {
        out.push('\n');
        let text = "advantage: the reward less the mean reward of its seat over the rollouts of its \
             topic, arm and checkpoint";
        push_wrapped(&mut out, text, width);
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
        push_wrapped(&mut out, &text, width);
    }
    if !advantages.left_out.is_empty() {
        let reasons: Vec<String> = advantages
            .left_out
            .iter()
            .map(|(reason, count)| format!("{count} {}", reason.label()))
            .collect();
        push_wrapped(
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
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
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
    ])?;
    for row in &advantages.rows {
        writer.write_record([
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
        ])?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    // Only strings were written, so nothing is replaced.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn head(out: &mut String, row: &Advantage, width: usize) {
    if !out.is_empty() {
        out.push('\n');
    }
    let kind = if row.simulated { "SIMULATED, " } else { "" };
    let mut title = format!("{kind}arm {}", visible(&row.arm));
    if let Some(checkpoint) = &row.checkpoint {
        title.push_str(", checkpoint ");
        title.push_str(&visible(checkpoint));
    }
    push_wrapped(out, &title, width);
    let topic = topic_width(width);
    push_line(
        out,
        &format!(
            "{:<topic$}{:<SEAT$}{:>COUNT$}{:>NUMBER$}{:>NUMBER$}{:>COUNT$}",
            "topic", "seat", "rollout", "reward", "advantage", "group"
        ),
    );
}

fn line(out: &mut String, row: &Advantage, width: usize) {
    let alone = if row.rollouts == 1 { "*" } else { "" };
    let topic = clip(&visible(&row.topic), topic_width(width));
    let seat = clip(&visible(&row.seat), SEAT);
    push_line(
        out,
        &format!(
            "{topic}{seat}{:>COUNT$}{:>NUMBER$}{:>NUMBER$}{:>COUNT$}",
            row.rollout,
            compact(row.reward, 3),
            compact(row.advantage, 3),
            format!("{}{alone}", row.group_size),
        ),
    );
}

fn topic_width(width: usize) -> usize {
    width - SEAT - 2 * COUNT - 2 * NUMBER
}
