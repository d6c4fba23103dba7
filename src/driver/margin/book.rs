//! One person's margin while they write in it, and everybody's to read.

use super::super::clock::Clock;
use super::super::error::DriverError;
use super::event::{Mark, MarkId};
use super::state::Margins;
use crate::store::{Fsync, Layout};

/// A person's margin. It holds the journal's lock from the first mark on.
#[derive(Debug)]
pub struct MarginBook {
    margins: Margins,
}

/// An annotator's journal that could not be read, or not to its end.
#[derive(Debug)]
pub struct UnreadMargin {
    pub annotator: String,
    pub error: DriverError,
}

/// Reads every annotator's margin, without locks. What cannot be read is returned beside the rest.
/// Blocks while it reads.
///
/// # Errors
/// When the annotators cannot be listed.
pub fn read_margins(layout: &Layout) -> Result<(Margins, Vec<UnreadMargin>), DriverError> {
    let _ = layout;
    todo!()
}

impl MarginBook {
    /// Opens a person's margin. Blocks for a read and a sync.
    ///
    /// # Errors
    /// [`StoreError::Locked`](crate::store::StoreError::Locked) when another process of the same
    /// person writes in it, naming it; when the journal cannot be read or the name is none.
    pub fn open(
        layout: &Layout,
        fsync: &Fsync,
        clock: Clock,
        person: &str,
        holder: &str,
    ) -> Result<Self, DriverError> {
        let _ = (layout, fsync, clock, person, holder);
        todo!()
    }

    /// Writes something in the margin; durable when this returns. The id undoes it, by
    /// [`Mark::Retract`].
    ///
    /// # Errors
    /// When nothing of that id is there to retract, a text is empty or too long, or the disk refuses.
    pub async fn write(&mut self, mark: Mark) -> Result<MarkId, DriverError> {
        let _ = mark;
        todo!()
    }

    /// Returns what stands in this margin.
    pub fn margins(&self) -> &Margins {
        &self.margins
    }
}
