//! Conflicts of key bindings: the changes that are refused, and their messages.

use super::action::Action;
use super::chord::key_name;
use super::defaults::{Binding, Chord, Context, DefaultKeys};
use super::key_table::{KeyError, KeyOverride};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Lower-case letters that labels may take where a person annotates: none ends a sequence of a
/// terminal (a split Escape could fire it) and none is a command that holds everywhere.
pub const LABEL_LETTERS: [char; 13] = [
    'a', 'b', 'd', 'e', 'f', 'i', 'o', 'p', 'r', 's', 'v', 'w', 'x',
];

/// Actions that must keep a key, so that every screen can be left.
const ALWAYS: [Action; 2] = [Action::Back, Action::Interrupt];

/// One line of the table with where it was written; nowhere when it came with the program.
pub(super) struct WrittenBinding<'a> {
    pub(super) binding: Binding,
    change: Option<&'a KeyOverride>,
}

/// Refuses changes that cannot all hold.
pub(super) fn refuse(defaults: &DefaultKeys, changes: &[&KeyOverride]) -> Result<(), KeyError> {
    for change in changes {
        refuse_unknown_place(defaults, change)?;
        refuse_unreachable(defaults, change, changes)?;
        for chord in &change.chords {
            refuse_reserved(change, chord)?;
            refuse_label_letter(change, chord)?;
        }
    }
    // The keys as they come collide nowhere (tested): every command reads this table when it starts.
    if changes.is_empty() {
        return Ok(());
    }
    refuse_all_collisions(defaults, changes)
}

fn refuse_all_collisions(defaults: &DefaultKeys, changes: &[&KeyOverride]) -> Result<(), KeyError> {
    let lines = lines(defaults, changes);
    for context in defaults.contexts() {
        refuse_collisions(context, &lines)?;
    }
    Ok(())
}

fn refuse_unknown_place(defaults: &DefaultKeys, change: &KeyOverride) -> Result<(), KeyError> {
    if defaults.actions(change.context).contains(&change.action) {
        return Ok(());
    }
    let is_there = |context: &Context| {
        let mut lines = defaults.bindings().iter();
        lines.any(|one| (one.context, one.action) == (*context, change.action))
    };
    let places: Vec<String> = defaults
        .contexts()
        .into_iter()
        .filter(is_there)
        .map(|context| format!("[keys.{}]", context.name()))
        .collect();
    Err(fault(
        change,
        format!(
            "[keys.{}] has no action '{}'; write it in {}",
            change.context.name(),
            change.action.name(),
            places.join(" or ")
        ),
    ))
}

/// Keys that a multiplexer, a terminal or a desktop around us takes may be one way, not the only one.
fn refuse_unreachable(
    defaults: &DefaultKeys,
    change: &KeyOverride,
    all: &[&KeyOverride],
) -> Result<(), KeyError> {
    if change.chords.is_empty() {
        if ALWAYS.contains(&change.action) && change.context == Context::Everywhere {
            return Err(fault(
                change,
                format!(
                    "'{}' needs a key: without it there is no way out",
                    change.action.name()
                ),
            ));
        }
        return Ok(());
    }
    let elsewhere = lines(defaults, all).into_iter().any(|line| {
        line.binding.action == change.action
            && line.binding.context != change.context
            && change
                .context
                .layers()
                .any(|one| one == line.binding.context)
            && reaches(&line.binding.chord)
    });
    if elsewhere || change.chords.iter().any(reaches) {
        return Ok(());
    }
    Err(fault(
        change,
        format!(
            "multiplexers, terminals and desktops take '{}', so it cannot be the only key of '{}'; \
             add one without Alt that is no function key and none of Ctrl-A, -B, -G, -P, -Q, -S, \
             -W and -\\",
            join(&change.chords),
            change.action.name()
        ),
    ))
}

fn reaches(chord: &Chord) -> bool {
    chord.0.iter().all(|key| match key.code {
        KeyCode::F(_) => false,
        KeyCode::Char('a' | 'b' | 'g' | 'p' | 'q' | 's' | 'w' | '\\') if has_ctrl(key) => false,
        _ => !key.modifiers.contains(KeyModifiers::ALT),
    })
}

fn has_ctrl(key: &KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Keys that the program reads itself, and those that arrive as another key.
fn refuse_reserved(change: &KeyOverride, chord: &Chord) -> Result<(), KeyError> {
    if chord.0.contains(&KeyEvent::from(KeyCode::Char(' '))) {
        return Err(fault(
            change,
            "Space shows what may follow and cannot be taken".to_owned(),
        ));
    }
    if chord.0.len() > 1 && chord.0.iter().any(|key| key.code == KeyCode::Esc) {
        return Err(fault(
            change,
            format!("'{chord}': Esc gives up a chord and cannot be part of one"),
        ));
    }
    let twin = chord.0.iter().find_map(|key| match key.code {
        KeyCode::Char('i') if has_ctrl(key) => Some((key, "Tab")),
        KeyCode::Char('m') if has_ctrl(key) => Some((key, "Enter")),
        KeyCode::Char('h') if has_ctrl(key) => Some((key, "Backspace")),
        KeyCode::Char('[') if has_ctrl(key) => Some((key, "Esc")),
        _ => None,
    });
    match twin {
        Some((key, arrives)) => Err(fault(
            change,
            format!(
                "'{}' arrives from a terminal as {arrives}; write that, or another key",
                key_name(*key)
            ),
        )),
        None => Ok(()),
    }
}

/// Letters of labels come before every key where turns are labelled: a command of theirs would never
/// be reached.
fn refuse_label_letter(change: &KeyOverride, chord: &Chord) -> Result<(), KeyError> {
    let taken = |key: &KeyEvent| {
        LABEL_LETTERS
            .iter()
            .any(|letter| *key == KeyEvent::from(KeyCode::Char(*letter)))
    };
    if change.context == Context::Annotate && chord.0.first().is_some_and(taken) {
        return Err(fault(
            change,
            format!("'{chord}' is a letter of labels where turns are labelled; give another key"),
        ));
    }
    Ok(())
}

/// Refuses the same keys twice in one layer, and keys that are the beginning of others.
fn refuse_collisions(context: Context, lines: &[WrittenBinding<'_>]) -> Result<(), KeyError> {
    let mut holding: Vec<&WrittenBinding<'_>> = Vec::new();
    for layer in context.layers() {
        for line in lines.iter().filter(|line| line.binding.context == layer) {
            let twin = holding
                .iter()
                .find(|other| other.binding.chord == line.binding.chord);
            match twin {
                None => holding.push(line),
                // A nearer context's keys win over it.
                Some(other) if other.binding.context != layer => {}
                Some(other) if other.binding.action == line.binding.action => {}
                Some(other) => {
                    let chord = &line.binding.chord;
                    let what = format!("'{chord}' is both {} and {}", shown(other), shown(line));
                    return Err(collision(other, line, what));
                }
            }
        }
    }
    for short in &holding {
        for long in &holding {
            let (one, other) = (&short.binding.chord.0, &long.binding.chord.0);
            if one.len() < other.len() && other.starts_with(one) {
                let what = format!("{} would hide {}", shown(short), shown(long));
                return Err(collision(short, long, what));
            }
        }
    }
    Ok(())
}

/// Two bindings of which one must go; the error is reported for the later one a person wrote.
fn collision(one: &WrittenBinding<'_>, other: &WrittenBinding<'_>, what: String) -> KeyError {
    let place = match (one.change, other.change) {
        (Some(first), Some(second)) if first.line > second.line => Some(first),
        (first, second) => second.or(first),
    };
    KeyError {
        file: place.map(|change| change.file.clone()).unwrap_or_default(),
        line: place.map_or(0, |change| change.line),
        why: format!("{what}; give one of them another key, or [] for none"),
    }
}

fn shown(line: &WrittenBinding<'_>) -> String {
    let Binding {
        context,
        chord,
        action,
    } = &line.binding;
    let place = match line.change {
        Some(change) => format!("{}:{}", change.file, change.line),
        None => "as it comes".to_owned(),
    };
    format!(
        "{} = '{chord}' in [keys.{}] ({place})",
        action.name(),
        context.name()
    )
}

/// Lays changes over the keys as they come: an action that a change names has the keys of that alone.
pub(super) fn lines<'a>(
    defaults: &DefaultKeys,
    changes: &[&'a KeyOverride],
) -> Vec<WrittenBinding<'a>> {
    let untouched = defaults.bindings().iter().filter(|binding| {
        !changes
            .iter()
            .any(|change| (change.context, change.action) == (binding.context, binding.action))
    });
    let untouched = untouched.cloned().map(|binding| WrittenBinding {
        binding,
        change: None,
    });
    let changed = changes.iter().flat_map(|change| {
        change.chords.iter().map(|chord| WrittenBinding {
            binding: Binding {
                context: change.context,
                chord: chord.clone(),
                action: change.action,
            },
            change: Some(*change),
        })
    });
    untouched.chain(changed).collect()
}

fn join(chords: &[Chord]) -> String {
    let shown: Vec<String> = chords.iter().map(Chord::to_string).collect();
    shown.join("', '")
}

fn fault(change: &KeyOverride, why: String) -> KeyError {
    KeyError {
        file: change.file.clone(),
        line: change.line,
        why,
    }
}
