//! How labelled turns were drawn by now, where a queue drew more of what it had considered.

use super::find_queue;
use elenchus_records::workspace::annotations::{AnnotationTarget, Label, QueueDraw};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// How turns were drawn, of queues that drew more of what they had considered after some of it was labelled: those
/// labels state a chance that their turns had before.
#[derive(Debug, Default)]
pub(crate) struct LaterDraws(BTreeMap<String, BTreeMap<AnnotationTarget, QueueDraw>>);

impl LaterDraws {
    /// Reads the queues of some labels. Those that are not here, or cannot be read, leave labels as they are.
    pub(crate) fn read<'a>(layout: &Layout, labels: impl Iterator<Item = &'a Label>) -> Self {
        let drawn_labels = labels.filter_map(|label| Some((label.drawn.as_ref()?, &label.set)));
        let queues: BTreeSet<(&String, &String)> = drawn_labels
            .map(|(drawn, set)| (&drawn.queue, set))
            .collect();
        let draws = queues.into_iter().filter_map(|(name, set)| {
            let queue = find_queue(layout, name).ok()?;
            let is_of_set = queue.definition.set == *set;
            let draws = queue.list_later_draws().filter(|_| is_of_set)?;
            Some((name.clone(), draws))
        });
        Self(draws.collect())
    }

    /// Returns how something was drawn by now; as its label says where no later wave changed that.
    pub(crate) fn find_draw<'a>(
        &'a self,
        drawn: &'a QueueDraw,
        on: &AnnotationTarget,
    ) -> &'a QueueDraw {
        let of_queue = self.0.get(&drawn.queue);
        of_queue.and_then(|draws| draws.get(on)).unwrap_or(drawn)
    }
}
