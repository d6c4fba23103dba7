//! `elenchus labels list`: counts of labels by annotator and set.

use super::args::LabelListArgs;
use crate::cli::common::{
    Column, CommandContext, format_noun_count, output, print_missing_journals, print_table,
};
use anyhow::Result;
use elenchus_annotation::import::skipped_set;
use elenchus_metrics::median_seconds;
use elenchus_records::workspace::annotations::{
    Blindness, CurrentLabel, LabelRole, Unblinding, imported_people, read_annotations,
};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// What one person did by one set.
#[derive(Default, Serialize)]
struct LabelTally {
    labels: usize,
    blind: usize,
    drawn: usize,
    repeats: usize,
    settled: usize,
    flagged: usize,
    /// Labels given after the judge's reasons were shown.
    after_reasons: usize,
    /// Durations of the labels, where they are known.
    #[serde(skip)]
    spent_ms: Vec<u64>,
    /// Their median.
    median_seconds: Option<f64>,
    /// Answers that came with a file in which the person skipped them.
    skipped: usize,
    #[serde(rename = "last_at")]
    last: String,
}

/// What one person did by one set, with both names.
type Tallied<'a> = (&'a (&'a str, &'a str), &'a LabelTally);

/// Lists who labelled how much, by which set.
pub fn run(args: &LabelListArgs, context: &CommandContext) -> Result<()> {
    let (annotations, unread) = read_annotations(&context.store.layout)?;
    output::print_notices(unread);
    print_missing_journals(context)?;
    let imports = imported_people(&context.store.layout)?;
    let mut tallies: BTreeMap<(&str, &str), LabelTally> = BTreeMap::new();
    let matching_labels = annotations.labels().filter(|standing| {
        let set = &standing.label.set;
        args.set.as_ref().is_none_or(|wanted| wanted == set)
    });
    for standing in matching_labels {
        let key = (standing.annotator.as_str(), standing.label.set.as_str());
        tallies.entry(key).or_default().count_label(standing);
    }
    for note in annotations.all_notes() {
        let set = skipped_set(&note.text);
        let set_name = set.filter(|set| args.set.as_ref().is_none_or(|wanted| wanted == set));
        if let Some(set) = set_name {
            tallies
                .entry((note.annotator.as_str(), set))
                .or_default()
                .skipped += 1;
        }
    }
    for tally in tallies.values_mut() {
        tally.median_seconds = median_seconds(&tally.spent_ms);
    }
    if args.output.json {
        let lines = tallies.iter().map(|((annotator, set), tally)| {
            let mut line = json!(tally);
            line["annotator"] = json!(annotator);
            line["set"] = json!(set);
            if let Some(import) = imports.get(*annotator) {
                line["imported"] = json!({"at": import.at, "from": import.from});
            }
            line
        });
        return output::print_json_lines(lines);
    }
    if tallies.is_empty() {
        output::print_notice(
            "there are no labels yet; 'elenchus labels sets' lists what can be labelled",
        );
        return Ok(());
    }
    let origin = |annotator: &str| {
        let import = imports.get(annotator).map(ToString::to_string);
        import.unwrap_or_else(|| "here".to_owned())
    };
    let has_imports = tallies
        .keys()
        .any(|(annotator, _)| imports.contains_key(*annotator));
    let mut columns: Vec<Column<'_, Tallied<'_>>> = vec![
        ("ANNOTATOR", &|((annotator, _), _)| (*annotator).to_owned()),
        ("SET", &|((_, set), _)| (*set).to_owned()),
        ("LABELS", &|(_, tally)| tally.labels.to_string()),
        ("BLIND", &|(_, tally)| tally.blind.to_string()),
        ("DRAWN", &|(_, tally)| tally.drawn.to_string()),
    ];
    let repeats = |(_, tally): &Tallied<'_>| tally.repeats.to_string();
    let settled = |(_, tally): &Tallied<'_>| tally.settled.to_string();
    let flagged = |(_, tally): &Tallied<'_>| tally.flagged.to_string();
    // What nobody has done takes no room.
    let has_any = |count: fn(&LabelTally) -> usize| tallies.values().any(|one| count(one) > 0);
    if has_any(|tally| tally.repeats) {
        columns.push(("REPEATS", &repeats));
    }
    if has_any(|tally| tally.settled) {
        columns.push(("SETTLED", &settled));
    }
    if has_any(|tally| tally.flagged) {
        columns.push(("FLAGGED", &flagged));
    }
    let more: [Column<'_, Tallied<'_>>; 2] = [
        ("MEDIAN", &|(_, tally)| {
            let seconds = tally.median_seconds;
            seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1} s"))
        }),
        ("LAST", &|(_, tally)| output::day_part(&tally.last)),
    ];
    columns.extend(more);
    let from = |((annotator, _), _): &Tallied<'_>| origin(annotator);
    if has_imports {
        columns.push(("GIVEN", &from));
    }
    print_table(&tallies, &columns)?;
    for ((annotator, set), tally) in tallies.iter().filter(|(_, tally)| tally.after_reasons > 0) {
        output::print_notice(&output::clean_line(&format!(
            "{annotator} gave {} ({set}) after the judge's reasons were shown: 'validate --after-reasons' counts them \
             by themselves",
            format_noun_count(tally.after_reasons, "label")
        )));
    }
    for ((annotator, set), tally) in tallies.iter().filter(|(_, tally)| tally.skipped > 0) {
        output::print_notice(&output::clean_line(&format!(
            "{annotator} skipped {} of a file ({set}); each is a note beside its answer",
            format_noun_count(tally.skipped, "answer")
        )));
    }
    Ok(())
}

impl LabelTally {
    /// Counts a label; hidden repeats and adjudications are counted separately, for they are no labels of a
    /// sample.
    fn count_label(&mut self, standing: &CurrentLabel) {
        let label = &standing.label;
        match (label.role, label.repeat) {
            (LabelRole::Adjudicator, _) => self.settled += 1,
            (LabelRole::Annotator, 0) => {
                self.labels += 1;
                self.blind += usize::from(label.blind == Blindness::Blind);
                self.drawn += usize::from(label.drawn.is_some());
                self.spent_ms.extend(label.spent_ms);
            }
            (LabelRole::Annotator, _) => self.repeats += 1,
        }
        self.flagged += usize::from(label.flagged);
        let is_after_reasons = match &label.blind {
            Blindness::Unblinded { saw } => saw.contains(&Unblinding::Reasons),
            Blindness::Blind | Blindness::Unknown => false,
        };
        self.after_reasons += usize::from(is_after_reasons);
        if standing.at > self.last {
            self.last.clone_from(&standing.at);
        }
    }
}
