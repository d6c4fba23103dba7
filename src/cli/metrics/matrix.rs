//! `elenchus metrics --matrix`: verdicts of debates as a table, or as JSON with the address of each turn.

use super::args::MetricsArgs;
use super::clean_json_lines;
use crate::cli::common::output;
use anyhow::Result;
use elenchus_metrics::DebateRow;
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::rows::topic_texts;
use elenchus_view::matrix::{
    Matrix, MatrixArrangement, MatrixDebate, MatrixFilter, MatrixLayout, TopicSample,
};

/// Returns the matrix of the debates that were read.
///
/// # Errors
/// When it cannot be written as JSON.
pub(super) fn format_matrix(
    args: &MetricsArgs,
    rows: &[DebateRow],
    index: &StoreIndex,
) -> Result<String> {
    let topics = topic_texts(index, rows);
    let debates = rows.iter().map(|row| {
        let topic = topics.get(&row.topic.key);
        MatrixDebate::from_row(row, topic.map(String::as_str))
    });
    let debates: Vec<MatrixDebate> = debates.collect();
    let columns = args.matrix.flatten().map(MatrixLayout::from);
    let sample = args.sample.map(|topics| TopicSample {
        topics: usize::try_from(topics).unwrap_or(usize::MAX),
        seed: args.seed.seed,
    });
    let arrangement = MatrixArrangement {
        layout: columns.unwrap_or_else(|| MatrixLayout::suited_to(&debates)),
        filter: MatrixFilter::default().with_sample(sample),
        ..MatrixArrangement::default()
    };
    let matrix = Matrix::from_debates(&debates, &arrangement);
    Ok(match args.format.json {
        true => clean_json_lines(&serde_json::to_string_pretty(&matrix)?),
        false => output::clean_lines(&matrix.to_text(output::width())),
    })
}
