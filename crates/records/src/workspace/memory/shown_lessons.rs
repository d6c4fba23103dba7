//! Checks that memory can have an effect: lessons that no seat is shown, and a memory that holds nothing and is
//! taught nothing, would name an arm that was played as without memory.

use super::MemoryKind;
use super::book::lesson_namespaces;
use super::journals::read_with_index;
use crate::workspace::error::{Result, reject};
use elenchus_game::debate::Protocol;
use elenchus_game::debate::event::MemoryUse;
use elenchus_memory::{EntryKind, EntryStatus, MemoryEntry};
use elenchus_store::Layout;

/// The setting by which a game that is no debate writes lessons.
const TEACH: &str = "teach";
/// The setting by which sides of a judged game learn.
const LEARN: &str = "learn";

/// Refuses to look lessons up for a game that shows them to no seat.
///
/// # Errors
/// When no seat of the game sees memory.
pub fn check_memory_is_seen(protocol: &Protocol) -> Result<()> {
    if protocol.shows_memory() {
        return Ok(());
    }
    let id = &protocol.id;
    if let Some(learn) = protocol.settings.get(LEARN) {
        let sides: Vec<String> = learn.one_of.iter().map(ToString::to_string).collect();
        return reject(format!(
            "no seat of protocol '{id}' sees memory unless a side learns from its rewards: leave 'textual' out of \
             the memory, or choose who does with --set {LEARN}=… ({})",
            sides.join(", ")
        ));
    }
    reject(format!(
        "no seat of protocol '{id}' sees memory, so lessons would be looked up and never shown: \
         leave 'textual' out of the memory, or add 'memory = true' to 'sees' of a stage in a \
         protocol.toml of your own ('elenchus protocols show {id} --raw' prints this one)"
    ))
}

/// Returns the command of a run that teaches: of the game itself where its lessons are seen by nobody else.
fn fill_command(protocol: &Protocol, namespace: &str) -> String {
    let game = match protocol.learners().next() {
        Some(_) => format!("{} --set learn=…", protocol.id),
        None => "sred".to_owned(),
    };
    format!(
        "'elenchus run --protocol {game} --dataset FILE --memory textual --memory-namespace {namespace}'"
    )
}

/// Acceptance of proposed guardrails while a run plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepting {
    BetweenBatches,
    Never,
}

/// Refuses a memory that could show or refuse nothing from the first debate to the last, at a time (RFC 3339)
/// or as of the snapshot that is asked for. Blocks.
///
/// # Errors
/// When memory holds no lesson that a debate may be shown and none is taught, when no guardrail is accepted
/// and none will be, or when a journal of memory cannot be read.
pub fn check_memory_has_effect(
    layout: &Layout,
    protocol: &Protocol,
    memory: &MemoryUse,
    accepting: Accepting,
    now: &str,
) -> Result<()> {
    if memory.given.is_some() || memory.given_guards.is_some() {
        return Ok(());
    }
    let as_of = memory.as_of.as_deref().unwrap_or(now);
    let holds = |kind, namespace: &str, is_usable: fn(&MemoryEntry) -> bool| -> Result<bool> {
        let mut read = read_with_index(layout, kind, namespace)?;
        read.cut_off("", as_of, None);
        Ok(read.fold_entries().entries.iter().any(is_usable))
    };
    let teaches = memory.writes && !protocol.feedback.is_empty();
    let namespaces = lesson_namespaces(protocol, &memory.namespace);
    let is_usable = |entry: &MemoryEntry| entry.availability() == EntryStatus::Live;
    let has_lesson = || -> Result<bool> {
        namespaces.iter().try_fold(false, |found, namespace| {
            Ok(found || holds(EntryKind::Lesson, namespace, is_usable)?)
        })
    };
    // The beginning of a curve is a memory that holds nothing.
    let is_used = memory.reads || memory.continuous.is_some();
    if is_used && !teaches && memory.first != Some(0) && !has_lesson()? {
        let namespace = namespaces.join("' and '");
        let kind = match memory.reads {
            true => MemoryKind::Textual.name(),
            false => MemoryKind::Continuous.name(),
        };
        let why = match protocol.feedback.is_empty() {
            false => "a snapshot is only read".to_owned(),
            true => describe_untaught(protocol),
        };
        return reject(format!(
            "memory '{namespace}' holds no lesson that a debate could be shown, and {why}: every debate \
             would be played as without memory. Leave '{kind}' out of --memory, name another with \
             --memory-namespace ('elenchus memory list' shows what is there), or fill it first: \
             {}",
            fill_command(protocol, &memory.namespace)
        ));
    }
    let namespace = &memory.namespace;
    if memory.guards
        && accepting == Accepting::Never
        && !holds(EntryKind::Guardrail, namespace, MemoryEntry::is_active)?
    {
        return reject(format!(
            "memory '{namespace}' has no accepted guardrail, and none will be accepted while this is played: \
             nothing could be refused. Leave 'guardrails' out of --memory, accept some first \
             ('elenchus memory accept'), or let the run accept what it proposes: \
             --accept-guardrails 0.02 --benign xstest:FILE"
        ));
    }
    Ok(())
}

/// Says that a game teaches nothing, with the setting that has it teach where there is one.
fn describe_untaught(protocol: &Protocol) -> String {
    let id = &protocol.id;
    match protocol.settings.contains_key(TEACH) {
        true => format!("protocol '{id}' teaches none unless --set {TEACH}=true has it do so"),
        false => format!("protocol '{id}' teaches none"),
    }
}
