//! Table of the corrected rates of each arm.

use super::rate_correction::{ArmRate, CorrectedRate};
use super::report::EvaluatorReport;
use super::sample_size::MoreLabels;
use super::table::{NextLabels, SectionText};
use crate::report::arm_names::{ArmNames, condense_arm};
use crate::report::text_layout::{escape_hidden, format_count, push_line, wrap_text};

/// Writes the corrected rates of each arm.
pub(super) fn arms_lines(out: &mut String, evaluator: &EvaluatorReport, context: SectionText<'_>) {
    let width = context.width;
    let positive = escape_hidden(&evaluator.positive);
    out.push_str(&format!("\nwhat it means for the rate of {positive}\n"));
    match &evaluator.error {
        Ok(error) => {
            let text = format!(
                "over all labels: sensitivity {:.1} %, specificity {:.1} %",
                100.0 * error.sensitivity(),
                100.0 * error.specificity()
            );
            push_lines(out, 0, &text, width);
        }
        Err(why) => push_lines(
            out,
            0,
            &format!("the evaluator's error is not known: {why}"),
            width,
        ),
    }
    for difference in &evaluator.differences {
        push_lines(out, 0, &format!("! {}", difference.describe()), width);
    }
    let arms = evaluator.arms.iter().map(|arm| arm.arm.as_str());
    let names = ArmNames::from_arms(arms);
    for arm in &evaluator.arms {
        let name = match names.count() {
            1 => condense_arm(&arm.arm),
            _ => names.name_of(&arm.arm).to_owned(),
        };
        push_lines(out, 0, &escape_hidden(&name), context.width);
        arm_lines(out, arm, evaluator, context);
    }
}

fn arm_lines(
    out: &mut String,
    arm: &ArmRate,
    evaluator: &EvaluatorReport,
    context: SectionText<'_>,
) {
    let width = context.width;
    let observed_text = match arm.observed {
        Some(rate) => format!("{:.1} %", 100.0 * rate),
        None => "n/a".to_owned(),
    };
    let mut text = format!(
        "observed {observed_text} of {} over {}; {} with gold over {}",
        format_count(arm.turns, "turn"),
        format_count(arm.topics, "topic"),
        arm.labels,
        format_count(arm.labelled_topics, "topic")
    );
    if arm.unread > 0 {
        text.push_str(&format!("; {} without a verdict left out", arm.unread));
    }
    push_lines(out, 2, &text, width);
    match &arm.corrected {
        Ok(rate) => {
            let text = format!("corrected {}, by difference", rate_text(rate));
            push_lines(out, 2, &text, width);
            match &arm.by_error {
                Ok(rate) => {
                    let rate = rate_text(rate);
                    let text = format!("by the evaluator's error (Rogan, Gladen) {rate}");
                    push_lines(out, 2, &text, width);
                }
                Err(why) => {
                    let text = format!(
                        "by the evaluator's error (Rogan, Gladen) n/a: {}",
                        escape_hidden(why)
                    );
                    push_lines(out, 2, &text, width);
                }
            }
        }
        Err(why) => push_lines(
            out,
            2,
            &format!("not corrected: {}", escape_hidden(why)),
            width,
        ),
    }
    for note in &arm.notes {
        push_lines(out, 2, &format!("! {note}"), width);
    }
    if let Some(floor) = &arm.floor {
        let text = format!(
            "agreement and conversions show {} when nothing changes",
            rate_text(floor)
        );
        push_lines(out, 2, &text, width);
    }
    match &arm.more {
        None => {}
        Some(MoreLabels::AllLabelled) => {
            let text = "every turn is labelled: only more topics make the interval narrower";
            push_lines(out, 2, text, width);
        }
        Some(MoreLabels::Topics { left }) => {
            let text = format!(
                "labels alone do not halve the interval: with every turn labelled {:.0} % of its \
                 width remain; more topics would",
                100.0 * left
            );
            push_lines(out, 2, &text, width);
        }
        Some(MoreLabels::Labels { strata }) => {
            let name = |positive: bool| match positive {
                true => escape_hidden(&evaluator.positive),
                false => escape_hidden(&evaluator.negative),
            };
            let added_labels: Vec<String> = strata
                .iter()
                .map(|one| format!("{} called {}", one.add, name(one.positive)))
                .collect();
            let total: usize = strata.iter().map(|one| one.add).sum();
            let text = format!(
                "about {total} more labels halve the interval: {}",
                added_labels.join(", ")
            );
            push_lines(out, 2, &text, width);
            let next = (context.command)(context.section, evaluator, arm);
            let command = match next {
                NextLabels::Label(command) => {
                    let left = match context.section.basis.find_waiting() {
                        Some((_, count)) => format!(" ({count} left)"),
                        None => String::new(),
                    };
                    let text = format!("label first what is drawn already{left}:");
                    push_lines(out, 2, &text, width);
                    command
                }
                NextLabels::Draw(command) => {
                    push_lines(out, 2, "this draws them:", width);
                    command
                }
                NextLabels::NewQueue(name) => {
                    // As a queue of its own, from all turns: separate draws cannot be weighted together.
                    let text = "the queue of these labels cannot go on here, so this draws a new one \
                                from all turns:";
                    push_lines(out, 2, text, width);
                    let labels_per_stratum = strata.iter().map(|one| one.labelled + one.add);
                    let simulated = match context.section.simulated {
                        true => " --simulated",
                        false => "",
                    };
                    format!(
                        "elenchus labels queue {name} --set {}{simulated} --strata arm,verdict --per-stratum {}",
                        context.set,
                        labels_per_stratum.max().unwrap_or(0)
                    )
                }
            };
            let command = format!("  {}", escape_hidden(&command));
            push_line(out, &command);
        }
    }
}

fn rate_text(rate: &CorrectedRate) -> String {
    let mut text = format!("{:.1} %", 100.0 * rate.value);
    match rate.interval {
        Some(interval) => text.push_str(&format!(
            " ({:.1} to {:.1})",
            100.0 * interval.low,
            100.0 * interval.high
        )),
        None => text.push_str(" (no interval)"),
    }
    if let Some(raw) = rate.truncated_from {
        text.push_str(&format!(", cut off from {:.1} %", 100.0 * raw));
    }
    text
}

fn push_lines(out: &mut String, indent: usize, text: &str, width: usize) {
    for (at, line) in wrap_text(text, width - indent - 2).iter().enumerate() {
        let indent = if at == 0 { indent } else { indent + 2 };
        push_line(out, &format!("{}{line}", " ".repeat(indent)));
    }
}
