//! Tree of a session and its forks, with the line and turn where each fork diverges.

use elenchus_game::debate::event::{Event, Record};
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_records::workspace::Result;
use elenchus_records::workspace::SessionOverview;
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::read_records;
use elenchus_records::workspace::turn_of;
use elenchus_store::{Access, Layout, StoreError, open_regular, read_prefix};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A session with its ancestors, their other forks, and all that was forked from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Parents before their children, the older of two forks first; the first one is the root.
    pub branches: Vec<Branch>,
}

/// A session in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub session: SessionId,
    /// Number of forks between it and the root.
    pub depth: usize,
    /// `None` for the root.
    pub parting: Option<Divergence>,
    pub location: SessionLocation,
}

/// Point at which a fork leaves its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    pub parent: SessionId,
    /// Number of lines they share.
    pub lines: u64,
    /// The first turn that the fork has of its own; else the first that the parent has after they
    /// part; `None` where neither has one.
    pub turn: Option<TurnId>,
}

/// A session of the tree, as it is drawn.
#[derive(Debug, Clone)]
pub struct TreeNode {
    pub branch: Branch,
    /// For each ancestor below the root, and then for itself: whether a sibling follows.
    pub follows: Vec<bool>,
}

impl Tree {
    /// Returns every session directly below its parent, as a tree is drawn.
    pub fn list_depth_first(&self) -> Vec<TreeNode> {
        let mut children: BTreeMap<&SessionId, Vec<&Branch>> = BTreeMap::new();
        let session_ids: Vec<&SessionId> =
            self.branches.iter().map(|branch| &branch.session).collect();
        let mut waiting: Vec<(&Branch, Vec<bool>)> = Vec::new();
        for branch in &self.branches {
            match &branch.parting {
                Some(parting) if session_ids.contains(&&parting.parent) => {
                    children.entry(&parting.parent).or_default().push(branch);
                }
                Some(_) | None => waiting.push((branch, Vec::new())),
            }
        }
        waiting.reverse();
        let mut nodes = Vec::with_capacity(self.branches.len());
        while let Some((branch, follows)) = waiting.pop() {
            let below = children.remove(&branch.session).unwrap_or_default();
            for (at, child) in below.iter().enumerate().rev() {
                let mut own = follows.clone();
                own.push(at + 1 < below.len());
                waiting.push((child, own));
            }
            nodes.push(TreeNode {
                branch: branch.clone(),
                follows,
            });
        }
        nodes
    }
}

/// Location of a session of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionLocation {
    Kept,
    /// In the trash.
    Deleted,
    /// Its forks name it, and it is not in this store.
    Missing,
}

/// Sessions of one tree that are looked at, and forks in a row that are drawn.
const MAX_FAMILY: usize = 1_000;

/// Finds the tree that a session belongs to. Blocks while it reads: the journals of the tree, and the
/// beginning of each that the index does not know as it is.
///
/// # Errors
/// When the session cannot be read; relatives that cannot be read are left out.
pub fn read_tree(index: &StoreIndex, id: &SessionId) -> Result<Tree> {
    let layout = index.layout();
    let path = layout.session_path(id.as_str())?;
    let records = read_records(&path)?;
    let root = records.iter().find_map(|record| {
        let Event::Created(created) = &record.event else {
            return None;
        };
        Some(&created.session)
    });
    let first_line = read_prefix(&path, 1)?;
    let own = build_lineage(&records);
    let mut family = BTreeMap::from([(id.clone(), own)]);
    for other in index.session_ids()? {
        let path = layout.session_path(other.as_str())?;
        // Forks begin with their parent's lines, byte for byte.
        let is_relative = || match index.get_current::<SessionOverview>(&path) {
            Some(known) => Some(&known.root) == root,
            None => begins_with(&path, &first_line),
        };
        if family.len() >= MAX_FAMILY || family.contains_key(&other) || !is_relative() {
            continue;
        }
        if let Ok(records) = read_records(&path) {
            family.insert(other.clone(), build_lineage(&records));
        }
    }
    Ok(build_tree(layout, &family))
}

/// Place of a session in a tree, from its own journal.
struct Lineage {
    /// The forks in its past, oldest first.
    forks: Vec<CopiedPast>,
    /// The line, from 0, and turn of every text.
    turns: Vec<(u64, TurnId)>,
}

/// What a fork has of its parent.
struct CopiedPast {
    parent: SessionId,
    lines: u64,
    /// Its lines up to the last that holds no verdict: verdicts that stand together may be later ones of the parent.
    lines_before_verdicts: u64,
}

fn build_lineage(records: &[Record]) -> Lineage {
    let mut lineage = Lineage {
        forks: Vec::new(),
        turns: Vec::new(),
    };
    let mut lines_before_verdicts = 0;
    for (line, record) in (0..).zip(records) {
        if let Event::Forked { parent, .. } = &record.event {
            lineage.forks.push(CopiedPast {
                parent: parent.clone(),
                lines: line,
                lines_before_verdicts,
            });
        }
        if !matches!(record.event, Event::Judged(_)) {
            lines_before_verdicts = line + 1;
        }
        lineage
            .turns
            .extend(turn_of(&record.event).map(|turn| (line, turn)));
    }
    lineage
}

impl Lineage {
    fn first_turn_from(&self, line: u64) -> Option<TurnId> {
        let mut later = self.turns.iter().filter(|(at, _)| *at >= line);
        later.next().map(|(_, turn)| turn.clone())
    }
}

/// Says whether a file begins with these bytes.
fn begins_with(path: &Path, bytes: &[u8]) -> bool {
    let Ok(mut file) = open_regular(path, Access::Read) else {
        return false;
    };
    let mut chunk = [0; CHUNK_BYTES];
    for wanted in bytes.chunks(CHUNK_BYTES) {
        let Some(read) = chunk.get_mut(..wanted.len()) else {
            return false;
        };
        // What differs differs early: the line before is the same, time and id are not.
        if file.read_exact(read).is_err() || read != wanted {
            return false;
        }
    }
    true
}

const CHUNK_BYTES: usize = 512;

fn build_tree(layout: &Layout, family: &BTreeMap<SessionId, Lineage>) -> Tree {
    let mut partings: BTreeMap<SessionId, Option<Divergence>> = BTreeMap::new();
    for (id, lineage) in family {
        // An ancestor that is gone is still known from those who were forked from it.
        let ids = lineage.forks.iter().map(|past| &past.parent).chain([id]);
        for (at, one) in ids.enumerate() {
            let fork = at
                .checked_sub(1)
                .and_then(|before| lineage.forks.get(before));
            let parting = fork.map(|past| Divergence {
                parent: past.parent.clone(),
                lines: past.lines,
                turn: lineage.first_turn_from(past.lines).or_else(|| {
                    let parent = family.get(&past.parent)?;
                    parent.first_turn_from(past.lines_before_verdicts)
                }),
            });
            if one == id || !family.contains_key(one) {
                partings.insert(one.clone(), parting);
            }
        }
    }
    let mut tree = Tree {
        branches: Vec::new(),
    };
    let roots = partings.iter().filter(|(_, parting)| parting.is_none());
    let mut open: Vec<(SessionId, usize)> = roots.map(|(id, _)| (id.clone(), 0)).collect();
    open.reverse();
    while let Some((id, depth)) = open.pop() {
        if tree.branches.len() >= MAX_FAMILY {
            break;
        }
        let children = partings.iter().filter(|(_, parting)| {
            let parting = parting.as_ref();
            parting.is_some_and(|parting| parting.parent == id)
        });
        let children = children.map(|(child, _)| (child.clone(), depth + 1));
        let mut children: Vec<_> = children.collect();
        children.reverse();
        open.extend(children);
        tree.branches.push(Branch {
            location: find_location(layout, &id),
            parting: partings.get(&id).cloned().flatten(),
            session: id,
            depth,
        });
    }
    tree
}

fn find_location(layout: &Layout, id: &SessionId) -> SessionLocation {
    let is_there = |path: Result<PathBuf, StoreError>| path.is_ok_and(|path| path.exists());
    if is_there(layout.session_path(id.as_str())) {
        SessionLocation::Kept
    } else if is_there(layout.trash_path(id.as_str())) {
        SessionLocation::Deleted
    } else {
        SessionLocation::Missing
    }
}
