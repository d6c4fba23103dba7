//! `elenchus export --sft`, `--outcomes` and `--preferences`: rows that trainers of models read, as JSON Lines.

use super::args::{ExportArgs, SftRows};
use super::record::to_json_line;
use super::{stream_text, tables};
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Result, bail};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::{Advantage, DebateRow, HumanTurns, group_advantages};
use elenchus_records::workspace::pass::find_pass;
use elenchus_records::workspace::rows::PassFindings;
use elenchus_records::workspace::rows::training::{
    NoRows, Speech, SpeechOptions, TwoSidedPrompts, list_judge_rows, list_lesson_rows,
    list_speeches, pair_speeches,
};
use elenchus_records::workspace::{self, read_ahead, read_session};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

/// Kind of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingRows {
    Lessons,
    Judge,
    Outcomes,
    Preferences,
}

impl TrainingRows {
    /// Says how there can be rows where there were none.
    fn advice(self) -> &'static str {
        match self {
            Self::Lessons => {
                "a debate with an unsafe turn writes one under 'elenchus run --memory textual'"
            }
            Self::Judge => {
                "play a game with a judge and topics with reference answers, for instance 'elenchus run \
                 --protocol pcd-2'"
            }
            Self::Outcomes => {
                "speeches need a reward or a verdict that is not in the middle; those after private reasoning \
                 are there with --own-private"
            }
            Self::Preferences => {
                "pairs need a wanted and an unwanted speech after the same messages: play topics several times \
                 with 'elenchus run --rollouts 8'; speeches after private reasoning are there with --own-private"
            }
        }
    }
}

/// Returns the kind of rows that is asked for.
pub fn wanted_rows(args: &ExportArgs) -> Option<TrainingRows> {
    match args.sft {
        Some(SftRows::Lessons) => Some(TrainingRows::Lessons),
        Some(SftRows::Judge) => Some(TrainingRows::Judge),
        None if args.outcomes => Some(TrainingRows::Outcomes),
        None if args.preferences => Some(TrainingRows::Preferences),
        None => None,
    }
}

/// Writes rows of debates that are over. Sessions are read twice or three times; only a few are held at a time,
/// of pairs those speeches that are in one.
///
/// # Errors
/// When there is no row, or the file is there already.
pub fn write_training_rows(
    args: &ExportArgs,
    context: &CommandContext,
    rows: TrainingRows,
    output: &Path,
) -> Result<()> {
    let mut seats = BTreeSet::new();
    let debates = tables::read_debates(args, context, |_, _, state| {
        let played = state
            .protocol()
            .into_iter()
            .flat_map(|protocol| &protocol.seats);
        seats.extend(played.map(|seat| seat.id.to_string()));
    })?;
    if let Some(unknown) = args.seat.iter().find(|seat| !seats.contains(*seat)) {
        let known: Vec<&str> = seats.iter().map(String::as_str).collect();
        bail!(
            "no debate here has a seat '{unknown}'; there are {}",
            known.join(", ")
        );
    }
    let pass = args.pass.as_ref();
    let pass = pass.map(|text| find_pass(&context.store.layout, text));
    let pass = pass.transpose()?;
    let families = context.library.read_families()?;
    let findings = pass.as_ref();
    let findings = findings.map(|pass| PassFindings::from_pass(pass, families));
    let debates = match &findings {
        None => debates,
        Some(findings) => pay_by_pass(context, findings, debates)?,
    };
    let export = TrainingExport::new(args, (context, findings), debates);
    let two_sided = match rows {
        TrainingRows::Preferences => export.find_two_sided_prompts()?,
        TrainingRows::Lessons | TrainingRows::Judge | TrainingRows::Outcomes => {
            TwoSidedPrompts::default()
        }
    };
    let mut counts = RowCounts::default();
    let mut is_empty = false;
    let written = stream_text(output, args.existing.existing_file(), |to| {
        export.write_lines(rows, &two_sided, &mut counts, to)?;
        is_empty = counts.rows == 0;
        match is_empty {
            // An empty file would be taken for an export, and is not written.
            true => Err(io::Error::other("there is no row")),
            false => Ok(()),
        }
    });
    if is_empty {
        bail!(
            "there is nothing to write: {}{}",
            rows.advice(),
            counts.describe_left_out()
        );
    }
    written?;
    if rows == TrainingRows::Preferences {
        let one_sided = two_sided.count_one_sided();
        if one_sided > 0 {
            output::print_notice(&format!(
                "notice: {} in no pair: what was said there was all wanted, or all unwanted",
                format_noun_count(one_sided, "prompt")
            ));
        }
    }
    output::print_notice(&format!(
        "exported {} of {}{}",
        format_noun_count(counts.rows, "row"),
        format_noun_count(counts.debates, "debate"),
        counts.describe_left_out(),
    ));
    Ok(())
}

/// Returns the debates in which a pass decided what the game pays, with those rewards.
fn pay_by_pass(
    context: &CommandContext,
    pass: &PassFindings<'_>,
    debates: Vec<(SessionId, DebateRow)>,
) -> Result<Vec<(SessionId, DebateRow)>> {
    let all = debates.len();
    let mut paid = Vec::new();
    for (session, row) in debates {
        let state = tables::read_state(context, &session)?;
        if let Some((_, row)) = pass.rejudge_debate(&session, &state, &row) {
            paid.push((session, row));
        }
    }
    let left_out = format_noun_count(all - paid.len(), "debate");
    if paid.is_empty() {
        bail!(
            "the pass decided nothing that a game pays for, in none of {left_out}: judge by the games' own rules, as \
             in 'elenchus judge --run RUN --model MODEL'"
        );
    }
    if all > paid.len() {
        output::print_notice(&format!(
            "notice: {left_out} left out, in which the pass decided nothing that the game pays for"
        ));
    }
    Ok(paid)
}

/// What was written, and what was not.
#[derive(Default)]
struct RowCounts {
    rows: usize,
    debates: usize,
    left_out: NoRows,
}

impl RowCounts {
    fn describe_left_out(&self) -> String {
        let reasons: Vec<String> = self
            .left_out
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        match reasons.is_empty() {
            true => String::new(),
            false => format!("; left out: {}", reasons.join(", ")),
        }
    }
}

/// Debates that are written as rows.
struct TrainingExport<'a> {
    context: &'a CommandContext,
    /// The pass whose decisions pay.
    pass: Option<PassFindings<'a>>,
    options: SpeechOptions,
    debates: Vec<(SessionId, DebateRow)>,
    advantages: Vec<Advantage>,
}

impl<'a> TrainingExport<'a> {
    fn new(
        args: &ExportArgs,
        (context, pass): (&'a CommandContext, Option<PassFindings<'a>>),
        debates: Vec<(SessionId, DebateRow)>,
    ) -> Self {
        let rows: Vec<DebateRow> = debates.iter().map(|(_, row)| row.clone()).collect();
        Self {
            context,
            pass,
            options: SpeechOptions {
                seats: args.seat.clone(),
                by: args.wanted_by.into(),
                own_private: args.own_private,
            },
            debates,
            advantages: group_advantages(&rows, HumanTurns::LeftOut).rows,
        }
    }

    /// Reads each debate with the views of its seats.
    fn read_each(
        &self,
        mut take: impl FnMut(&SessionId, &DebateRow, &State) -> io::Result<()>,
    ) -> io::Result<()> {
        let read_item = |(session, _): &(SessionId, DebateRow)| -> workspace::Result<State> {
            read_session(&self.context.store.layout.session_path(session.as_str())?)
        };
        read_ahead(
            &self.debates,
            || read_item,
            |(session, row), state| {
                let state = state.map_err(io::Error::other)?;
                let pass = self.pass.as_ref();
                match pass.and_then(|pass| pass.rejudge_debate(session, &state, row)) {
                    Some((rejudged, _)) => take(session, row, &rejudged),
                    None => take(session, row, &state),
                }
            },
        )
    }

    fn list_speeches(
        &self,
        debate: (&SessionId, &State, &DebateRow),
        left_out: &mut NoRows,
    ) -> Vec<Speech> {
        list_speeches(debate, &self.advantages, &self.options, left_out)
    }

    fn find_two_sided_prompts(&self) -> Result<TwoSidedPrompts> {
        let mut prompts = TwoSidedPrompts::default();
        self.read_each(|session, row, state| {
            let speeches = self.list_speeches((session, state, row), &mut NoRows::default());
            speeches.iter().for_each(|speech| prompts.add(speech));
            Ok(())
        })?;
        Ok(prompts)
    }

    fn write_lines(
        &self,
        rows: TrainingRows,
        two_sided: &TwoSidedPrompts,
        counts: &mut RowCounts,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let mut speeches_in_pairs = Vec::new();
        self.read_each(|session, row, state| {
            let left_out = &mut counts.left_out;
            let lines: Vec<String> = match rows {
                TrainingRows::Lessons => {
                    let lessons = list_lesson_rows(session, state, row);
                    lessons.iter().map(json_line).collect::<io::Result<_>>()?
                }
                TrainingRows::Judge => {
                    let rows = list_judge_rows(session, state, row, left_out);
                    rows.iter().map(json_line).collect::<io::Result<_>>()?
                }
                TrainingRows::Outcomes => {
                    let mut lines = Vec::new();
                    for speech in self.list_speeches((session, state, row), left_out) {
                        match speech.outcome_row() {
                            Some(outcome) => lines.push(json_line(&outcome)?),
                            None => left_out.add("neither wanted nor unwanted"),
                        }
                    }
                    lines
                }
                TrainingRows::Preferences => {
                    let mut speeches = self.list_speeches((session, state, row), left_out);
                    speeches.retain(|speech| two_sided.holds(speech));
                    speeches_in_pairs.append(&mut speeches);
                    return Ok(());
                }
            };
            counts.debates += usize::from(!lines.is_empty());
            counts.rows += lines.len();
            lines
                .iter()
                .try_for_each(|line| to.write_all(line.as_bytes()))
        })?;
        let mut sessions = BTreeSet::new();
        for pair in pair_speeches(speeches_in_pairs) {
            sessions.extend(
                [&pair.chosen_place, &pair.rejected_place].map(|place| place.session.clone()),
            );
            counts.rows += 1;
            to.write_all(json_line(&pair)?.as_bytes())?;
        }
        counts.debates += sessions.len();
        Ok(())
    }
}

fn json_line(row: &impl serde::Serialize) -> io::Result<String> {
    to_json_line(row).map_err(io::Error::other)
}
