//! Families of sessions: each fork below its parent, where both are listed. Pure.

use super::arrangement::SessionLine;
use super::known_sessions::SessionEntry;
use elenchus_game::debate::SessionId;
use std::collections::HashMap;

/// Puts sessions, which are in order, below their parents; a family stands where its first member stands.
/// Forks of those that `is_folded` names are only counted.
pub(super) fn arrange_families(
    entries: &[SessionEntry],
    members: &[usize],
    is_folded: impl Fn(&SessionId) -> bool,
) -> Vec<SessionLine> {
    let find_entry = |at: &usize| Some((*at, entries.get(*at)?));
    let (members, listed): (Vec<usize>, Vec<&SessionEntry>) =
        members.iter().filter_map(find_entry).unzip();
    // Below, every place is one in `listed`, and the other lists are as long.
    let ids = listed.iter().map(|entry| &entry.id);
    let places: HashMap<&SessionId, usize> = ids.enumerate().map(|(at, id)| (id, at)).collect();
    let parents: Vec<Option<usize>> = listed
        .iter()
        .map(|entry| places.get(entry.parent()?).copied())
        .collect();
    // Children come in the order in which the first of their own family comes.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); listed.len()];
    let mut roots = Vec::new();
    let mut is_placed = vec![false; listed.len()];
    for member in 0..listed.len() {
        let mut next = Some(member);
        while let Some(at) = next.filter(|at| !std::mem::replace(&mut is_placed[*at], true)) {
            match parents[at] {
                Some(parent) => children[parent].push(at),
                None => roots.push(at),
            }
            next = parents[at];
        }
    }
    let mut lines = Vec::with_capacity(listed.len());
    let mut is_drawn = vec![false; listed.len()];
    // Journals that name each other as parents have no root: they come last.
    for root in roots.into_iter().chain(0..listed.len()) {
        let mut waiting = vec![(root, 0)];
        while let Some((at, depth)) = waiting.pop() {
            if std::mem::replace(&mut is_drawn[at], true) {
                continue;
            }
            let folded_count = match is_folded(&listed[at].id) {
                true => fold_family(at, &children, &mut is_drawn),
                false => {
                    let below = children[at].iter().rev();
                    waiting.extend(below.map(|child| (*child, depth + 1)));
                    0
                }
            };
            lines.push(SessionLine {
                at: members[at],
                depth,
                folded: folded_count,
            });
        }
    }
    lines
}

/// Counts everything below a session as drawn.
fn fold_family(at: usize, children: &[Vec<usize>], is_drawn: &mut [bool]) -> usize {
    let mut waiting = children[at].clone();
    let mut count = 0;
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut is_drawn[at], true) {
            count += 1;
            waiting.extend(&children[at]);
        }
    }
    count
}
