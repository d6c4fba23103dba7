//! Seeded random draws: each derives from the session's seed and a path, so it can be repeated.

use sha2::{Digest, Sha256};

/// Returns a number that depends on the seed and the path alone (FIGURES 10), uniform over `u64`.
pub fn seeded_number(seed: u64, place: &[&str]) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(seed.to_le_bytes());
    for part in place {
        // The length keeps ("ab", "c") apart from ("a", "bc").
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finalize();
    let mut first = [0u8; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}

/// Shuffles items by the seed and the path alone.
pub fn shuffle<T>(items: &mut [T], seed: u64, place: &[&str]) {
    for last in (1..items.len()).rev() {
        let step = last.to_string();
        let mut deeper: Vec<&str> = place.to_vec();
        deeper.push(&step);
        let pick = (seeded_number(seed, &deeper) % (last as u64 + 1)) as usize;
        items.swap(last, pick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_give_equal_draws_and_other_places_others() {
        assert_eq!(seeded_number(7, &["a", "b"]), seeded_number(7, &["a", "b"]));
        assert_ne!(seeded_number(7, &["a", "b"]), seeded_number(8, &["a", "b"]));
        assert_ne!(seeded_number(7, &["ab", ""]), seeded_number(7, &["a", "b"]));
    }

    #[test]
    fn a_shuffle_keeps_every_item_and_reaches_every_order() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let mut items = [1, 2, 3];
            shuffle(&mut items, seed, &["peers"]);
            let mut sorted = items;
            sorted.sort_unstable();
            assert_eq!(sorted, [1, 2, 3]);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }
}
