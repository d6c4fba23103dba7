//! Kept views: what seats were shown, as the JSON of a journal, in blocks that are packed once they are full.
//!
//! The views of thousands of turns are in memory at once and one is looked at. They repeat one another's
//! words, so a block takes a tenth of the room that it has as text.

use crate::debate::view::View;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec;
use std::sync::Arc;

/// Text of a block that is full. A small debate never fills one, so it packs nothing.
const BLOCK_BYTES: usize = 32 << 10;
/// Level of packing: what is gained by others is a tenth, for several times the work.
const FASTEST: u8 = 1;

/// Place of a view in its state, which reads it: [`State::view_at`](super::State::view_at).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewPlace {
    block: usize,
    from: usize,
    to: usize,
}

/// The views of a state.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct KeptViews {
    packed: Vec<Arc<[u8]>>,
    /// The block that is not full yet.
    open: String,
}

impl KeptViews {
    /// Keeps a view.
    pub(super) fn add_view(&mut self, view: &View) -> ViewPlace {
        let from = self.open.len();
        // A view has no maps with keys that are no texts, and nothing else fails here.
        self.open += &serde_json::to_string(view).unwrap_or_default();
        let place = ViewPlace {
            block: self.packed.len(),
            from,
            to: self.open.len(),
        };
        if self.open.len() >= BLOCK_BYTES {
            self.packed.push(compress_text(&self.open));
            self.open.clear();
        }
        place
    }

    /// Returns a view that was kept.
    pub(super) fn view_at(&self, place: ViewPlace) -> View {
        let block_text = self
            .packed
            .get(place.block)
            .map(|packed| decompress_text(packed));
        let block = block_text.as_deref().unwrap_or(&self.open);
        let json = block.get(place.from..place.to).unwrap_or_default();
        // It was written from a view and reads as that one.
        serde_json::from_str(json).unwrap_or_default()
    }
}

fn compress_text(text: &str) -> Arc<[u8]> {
    compress_to_vec(text.as_bytes(), FASTEST).into()
}

/// Unpacks what was packed here, so it is whole and text.
fn decompress_text(packed: &[u8]) -> String {
    let bytes = decompress_to_vec(packed).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::view::{MessageRole, PartSource, ViewMessage, ViewPart};

    fn view(number: usize) -> View {
        let words = format!("What has been said so far, in round {number}? ");
        let part = ViewPart {
            from: PartSource::Topic,
            text: Some(words.repeat(number % 40)),
            text_hash: None,
        };
        View {
            messages: vec![ViewMessage {
                role: MessageRole::User,
                parts: vec![part],
            }],
            request_sha256: format!("{number:064}"),
        }
    }

    #[test]
    fn every_view_reads_as_it_was_kept_in_whatever_block_it_lies() {
        let mut kept = KeptViews::default();
        let places: Vec<ViewPlace> = (0..400)
            .map(|number| kept.add_view(&view(number)))
            .collect();
        for (number, place) in places.into_iter().enumerate() {
            assert_eq!(kept.view_at(place), view(number));
        }
        let packed: usize = kept.packed.iter().map(|block| block.len()).sum();
        assert!(kept.packed.len() > 5, "{} blocks", kept.packed.len());
        assert!(packed < kept.packed.len() * BLOCK_BYTES / 10, "{packed}");
    }

    #[test]
    fn a_view_larger_than_a_block_has_one_of_its_own() {
        let mut kept = KeptViews::default();
        let mut large = view(1);
        large.messages[0].parts[0].text = Some("ä".repeat(BLOCK_BYTES));
        let places = [
            kept.add_view(&view(2)),
            kept.add_view(&large),
            kept.add_view(&view(3)),
        ];
        let read = places.map(|place| kept.view_at(place));
        assert_eq!(read, [view(2), large, view(3)]);
    }
}
