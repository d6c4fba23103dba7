//! Words of no content, as many as another text has: what teaches nothing, and argues for nothing.

use elenchus_game::debate::seeded_random::seeded_number;

/// Sentences on nothing that a debate is about, one on each line.
const SENTENCES: &str = include_str!("no_content.txt");

/// Returns so many words, from a sentence on that the seed and the place decide.
pub fn write_no_content(count: usize, seed: u64, place: &[&str]) -> String {
    let sentences: Vec<&str> = SENTENCES.lines().collect();
    let draw = seeded_number(seed, place);
    let first = usize::try_from(draw % sentences.len() as u64).unwrap_or_default();
    let words = sentences.iter().cycle().skip(first);
    let words = words.flat_map(|sentence| sentence.split(' '));
    words.take(count).collect::<Vec<_>>().join(" ")
}
