//! Order in which an annotator is shown a queue's items, with hidden repeats, and their progress.

use super::definition::QueueDefinition;
use super::event::{Queue, Wave};
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_records::workspace::annotations::{
    AnnotationTarget, Annotations, LabelKey, LabelRole, QueueDraw,
};
use serde::Serialize;

/// Minimum number of items between an item and its repeat, where the wave is long enough: nearer, a
/// person remembers what they said.
const REPEAT_AFTER: usize = 10;

/// Item of a queue as one annotator is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedItem {
    pub on: AnnotationTarget,
    /// The topic's id.
    pub topic: String,
    pub drawn: QueueDraw,
    /// 0, or 1 for the unannounced repeat.
    pub repeat: u32,
}

impl OrderedItem {
    /// Returns the address of the label on it.
    pub fn label_key(&self, set: &str) -> LabelKey {
        LabelKey {
            on: self.on.clone(),
            set: set.to_owned(),
            repeat: self.repeat,
            role: LabelRole::Annotator,
        }
    }

    /// Says whether an annotator has labelled it for its queue; a label that was given elsewhere is
    /// no part of the sample.
    pub fn is_labelled(&self, annotations: &Annotations, annotator: &str, set: &str) -> bool {
        let place = self.label_key(set);
        annotations
            .unretracted_labels(annotator, &place)
            .any(|label| {
                let draw = label.drawn.as_ref();
                draw.is_some_and(|drawn| drawn.queue == self.drawn.queue)
            })
    }
}

/// Progress of an annotator with a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Progress {
    pub annotator: String,
    pub labelled: usize,
    /// With hidden repeats.
    pub of: usize,
    /// Both without hidden repeats, as the annotator sees them: whoever counts along could tell a repeat.
    #[serde(skip)]
    pub shown_labelled: usize,
    #[serde(skip)]
    pub shown_of: usize,
    /// RFC 3339, UTC; empty where nothing was labelled.
    pub last_at: String,
}

/// Returns the items in an annotator's order. It depends on queue, annotator and seed alone, and a
/// wave that is added later changes nothing of what came before it.
pub fn items_in_order(queue: &Queue, annotator: &str) -> Vec<OrderedItem> {
    let waves = queue.waves.iter();
    waves
        .flat_map(|wave| order_wave(queue, wave, annotator))
        .collect()
}

fn order_wave(queue: &Queue, wave: &Wave, annotator: &str) -> Vec<OrderedItem> {
    let ordered_items = wave.items.iter().filter_map(|item| {
        Some(OrderedItem {
            on: item.on.clone(),
            topic: item.topic.clone(),
            drawn: queue.find_draw(wave, item)?,
            repeat: 0,
        })
    });
    let mut ordered_items: Vec<OrderedItem> = ordered_items.collect();
    let definition = &queue.definition;
    let repeats = choose_repeats(definition, wave, annotator, ordered_items.len());
    // Backwards, so that an insertion does not move items that are still to be repeated.
    for (place, at) in repeats.into_iter().rev() {
        let Some(station) = ordered_items.get(place) else {
            continue;
        };
        let repeat_item = OrderedItem {
            repeat: 1,
            ..station.clone()
        };
        let at = end_of_topic(&ordered_items, at);
        ordered_items.insert(at, repeat_item);
    }
    ordered_items
}

/// Returns the places of repeated items, each with the place of its repeat, sorted.
fn choose_repeats(
    definition: &QueueDefinition,
    wave: &Wave,
    annotator: &str,
    items: usize,
) -> Vec<(usize, usize)> {
    let number = wave.wave.to_string();
    let chance = |what: &str, place: usize| {
        let place = place.to_string();
        let at = ["queue", &definition.queue, annotator, &number, what, &place];
        seeded_number(definition.seed, &at)
    };
    let share = (definition.repeats_percent.clamp(0.0, 100.0)) / 100.0;
    let repeat_count = (items as f64 * share).round() as usize;
    // An item near the end could only be repeated while it is remembered.
    let repeatable_count = items.saturating_sub(REPEAT_AFTER);
    let mut places: Vec<usize> = (0..repeatable_count).collect();
    places.sort_by_cached_key(|place| chance("repeated", *place));
    places.truncate(repeat_count);
    places.sort_unstable();
    let repeat_place = |place: usize| {
        let first = place + REPEAT_AFTER;
        let room = (items - first) as u64 + 1;
        first + (chance("again", place) % room) as usize
    };
    places
        .into_iter()
        .map(|place| (place, repeat_place(place)))
        .collect()
}

/// Moves a place to the end of the topic at that place, so that its question is read once.
fn end_of_topic(ordered_items: &[OrderedItem], at: usize) -> usize {
    let before = at
        .checked_sub(1)
        .and_then(|before| ordered_items.get(before));
    let Some(before) = before else { return at };
    let after = ordered_items.iter().skip(at);
    at + after
        .take_while(|station| station.topic == before.topic)
        .count()
}

/// Counts the items that an annotator has labelled.
pub fn compute_progress(queue: &Queue, annotations: &Annotations, annotator: &str) -> Progress {
    let set = &queue.definition.set;
    let ordered_items = items_in_order(queue, annotator);
    let labelled_items = ordered_items.iter();
    let labelled_items =
        labelled_items.filter(|station| station.is_labelled(annotations, annotator, set));
    let (first, again): (Vec<_>, Vec<_>) = labelled_items.partition(|station| station.repeat == 0);
    let of = ordered_items.iter().filter(|station| station.repeat == 0);
    let at = ordered_items.iter().filter_map(|station| {
        let standing = annotations.find_label(annotator, &station.label_key(set))?;
        Some(standing.at.clone())
    });
    Progress {
        annotator: annotator.to_owned(),
        labelled: first.len() + again.len(),
        of: ordered_items.len(),
        shown_labelled: first.len(),
        shown_of: of.count(),
        last_at: at.max().unwrap_or_default(),
    }
}

/// Says how many minutes are left by the median of what each label took so far; `None` before the
/// first.
pub fn minutes_left(spent_ms: &[u64], left: usize) -> Option<u64> {
    let mut durations = spent_ms.to_vec();
    durations.sort_unstable();
    let median = *durations.get(durations.len() / 2)?;
    let ms = median.saturating_mul(left as u64);
    Some(ms.div_ceil(60_000))
}
