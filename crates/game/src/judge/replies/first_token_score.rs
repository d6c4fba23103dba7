//! Score of an evaluator from the probability of its reply's first token.
//!
//! After Llama Guard's model card: the probability that the first token is the one that states the
//! worse of two labels.

use super::rubric::{Rubric, RubricLabel};
use super::verdict_line::lowercase_words;
use crate::debate::event::FirstToken;

/// Returns the probability that the reply states the label of the lowest value; `None` where the
/// first token begins no label, or could begin both.
///
/// Where the server returns no token of that label, it is the remaining probability after the other
/// label's tokens.
pub(super) fn probability_of_worst(rubric: &Rubric, first: &FirstToken) -> Option<f64> {
    let by_value = |one: &&RubricLabel, other: &&RubricLabel| one.value.total_cmp(&other.value);
    let worst = rubric.labels.iter().min_by(by_value)?;
    find_label_by_start(rubric, &first.token)?;
    let all = first.others.iter().map(|(token, chance)| (token, *chance));
    let all = std::iter::once((&first.token, first.probability)).chain(all);
    let (mut bad, mut good) = (None, 0.0);
    for (token, probability) in all {
        match find_label_by_start(rubric, token) {
            Some(label) if label.name == worst.name => {
                *bad.get_or_insert(0.0) += probability;
            }
            Some(_) => good += probability,
            None => {}
        }
    }
    Some(bad.unwrap_or(1.0 - good).clamp(0.0, 1.0))
}

/// Returns the only label that a token begins: `un` begins `unsafe`.
fn find_label_by_start<'a>(rubric: &'a Rubric, token: &str) -> Option<&'a RubricLabel> {
    let [word] = &*lowercase_words(token) else {
        return None;
    };
    let mut labels = rubric.labels.iter().filter(|label| {
        let mut spellings = label.spellings();
        spellings.any(|spelling| {
            let first = lowercase_words(spelling).into_iter().next();
            first.is_some_and(|first| first.starts_with(word.as_str()))
        })
    });
    labels.next().filter(|_| labels.next().is_none())
}
