//! Journal of the person's annotations: opened when something is first written into it.

use super::Tools;
use crate::workspace::annotations::{Annotation, AnnotationId, AnnotationJournal};

/// Writes into the person's margin; durable when this returns.
pub(crate) async fn write_mark(
    tools: &Tools,
    book: &mut Option<AnnotationJournal>,
    mark: Annotation,
) -> Result<AnnotationId, String> {
    let book = opened(tools, book)?;
    book.write(mark).await.map_err(|error| error.to_string())
}

/// Returns the person's margin, opened where it is not yet.
pub(crate) fn opened<'a>(
    tools: &Tools,
    book: &'a mut Option<AnnotationJournal>,
) -> Result<&'a mut AnnotationJournal, String> {
    if book.is_none() {
        let desk = &tools.desk;
        let opened = AnnotationJournal::open(desk, &desk.person);
        *book = Some(opened.map_err(|error| error.to_string())?);
    }
    book.as_mut()
        .ok_or_else(|| "the margin could not be opened".to_owned())
}
