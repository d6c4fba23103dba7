//! Reports over the rows that were read: one that did not change comes from the store's index.

use anyhow::Result;
use elenchus_metrics::{DebateRow, Report, ReportSettings, compute_report};
use elenchus_records::workspace::{ReportKey, StoreIndex};
use std::fmt::Debug;

/// Rows, and where reports over them are kept.
pub(super) struct Reports<'a> {
    index: &'a StoreIndex,
    pub rows: &'a [DebateRow],
}

impl<'a> Reports<'a> {
    pub(super) fn new(index: &'a StoreIndex, rows: &'a [DebateRow]) -> Self {
        Self { index, rows }
    }

    /// Returns reports over other rows of the same store.
    pub(super) fn with_rows<'r>(&self, rows: &'r [DebateRow]) -> Reports<'r>
    where
        'a: 'r,
    {
        Reports {
            index: self.index,
            rows,
        }
    }

    /// Returns the figures of the rows.
    ///
    /// # Errors
    /// As [`compute_report`].
    pub(super) fn compute_figures(&self, settings: &ReportSettings) -> Result<Report> {
        self.load_or_compute("report", settings, || compute_report(self.rows, settings))
    }

    /// Returns the report of a computation over the rows, which shows nothing and reads nothing else but its
    /// settings.
    ///
    /// # Errors
    /// As the computation.
    pub(super) fn load_or_compute<E: Into<anyhow::Error>>(
        &self,
        computation: &str,
        settings: &impl Debug,
        compute: impl FnOnce() -> Result<Report, E>,
    ) -> Result<Report> {
        let key = ReportKey::from_rows(computation, settings, self.rows);
        self.index.cached_report(key, compute).map_err(Into::into)
    }
}
