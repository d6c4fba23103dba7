//! Conflicts of key bindings: the changes that are refused, and their messages.

use super::action::Action;
use super::chord::key_name;
use super::defaults::{Binding, Chord, Context, DefaultKeys, MOVED};
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
pub(super) fn check_changes(
    defaults: &DefaultKeys,
    changes: &[&KeyOverride],
) -> Result<(), KeyError> {
    for change in changes {
        check_place(defaults, change)?;
        check_some_key_arrives(defaults, change, changes)?;
        for chord in &change.chords {
            check_reserved_keys(change, chord)?;
            check_label_letter(change, chord)?;
        }
    }
    // The keys as they come collide nowhere (tested): every command reads this table when it starts.
    if changes.is_empty() {
        return Ok(());
    }
    check_all_collisions(defaults, changes)
}

fn check_all_collisions(defaults: &DefaultKeys, changes: &[&KeyOverride]) -> Result<(), KeyError> {
    let lines = apply_changes(defaults, changes);
    for context in defaults.list_contexts() {
        check_collisions(context, &lines)?;
    }
    Ok(())
}

fn check_place(defaults: &DefaultKeys, change: &KeyOverride) -> Result<(), KeyError> {
    if defaults
        .list_actions(change.context)
        .contains(&change.action)
    {
        return Ok(());
    }
    let is_there = |context: &Context| {
        let mut lines = defaults.bindings().iter();
        lines.any(|one| (one.context, one.action) == (*context, change.action))
    };
    let places: Vec<String> = defaults
        .list_contexts()
        .into_iter()
        .filter(is_there)
        .map(|context| format!("[keys.{}]", context.name()))
        .collect();
    Err(fault_in_change(
        change,
        format!(
            "[keys.{}] has no action '{}'; write it in {}",
            change.context.name(),
            change.action.name(),
            places.join(" or ")
        ),
    ))
}

/// An action may have no key, but for those that always lead out.
fn check_way_out(change: &KeyOverride) -> Result<(), KeyError> {
    match ALWAYS.contains(&change.action) && change.context == Context::Everywhere {
        false => Ok(()),
        true => Err(fault_in_change(
            change,
            format!(
                "'{}' needs a key: without it there is no way out",
                change.action.name()
            ),
        )),
    }
}

/// Keys that a multiplexer, a terminal or a desktop around us takes may be one way, not the only one.
fn check_some_key_arrives(
    defaults: &DefaultKeys,
    change: &KeyOverride,
    all: &[&KeyOverride],
) -> Result<(), KeyError> {
    if change.chords.is_empty() {
        return check_way_out(change);
    }
    let elsewhere = apply_changes(defaults, all).into_iter().any(|line| {
        line.binding.action == change.action
            && line.binding.context != change.context
            && change
                .context
                .layers()
                .any(|one| one == line.binding.context)
            && arrives_at_program(&line.binding.chord)
    });
    if elsewhere || change.chords.iter().any(arrives_at_program) {
        return Ok(());
    }
    Err(fault_in_change(
        change,
        format!(
            "multiplexers, terminals and desktops take '{}', so it cannot be the only key of '{}'; \
             add one without Alt that is no function key and none of Ctrl-A, -B, -G, -P, -Q, -S, \
             -W and -\\",
            join_chords(&change.chords),
            change.action.name()
        ),
    ))
}

fn arrives_at_program(chord: &Chord) -> bool {
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
fn check_reserved_keys(change: &KeyOverride, chord: &Chord) -> Result<(), KeyError> {
    if chord.0.contains(&KeyEvent::from(KeyCode::Char(' '))) {
        return Err(fault_in_change(
            change,
            "Space shows what may follow and cannot be taken".to_owned(),
        ));
    }
    if chord.0.len() > 1 && chord.0.iter().any(|key| key.code == KeyCode::Esc) {
        return Err(fault_in_change(
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
        Some((key, arrives)) => Err(fault_in_change(
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
fn check_label_letter(change: &KeyOverride, chord: &Chord) -> Result<(), KeyError> {
    let is_letter = |key: &KeyEvent| {
        LABEL_LETTERS
            .iter()
            .any(|letter| *key == KeyEvent::from(KeyCode::Char(*letter)))
    };
    if change.context == Context::Annotate && chord.0.first().is_some_and(is_letter) {
        return Err(fault_in_change(
            change,
            format!("'{chord}' is a letter of labels where turns are labelled; give another key"),
        ));
    }
    Ok(())
}

/// Refuses the same keys twice in one layer, and keys that are the beginning of others.
fn check_collisions(context: Context, lines: &[WrittenBinding<'_>]) -> Result<(), KeyError> {
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
                    let what = format!(
                        "'{chord}' is both {} and {}",
                        describe_binding(other),
                        describe_binding(line)
                    );
                    return Err(collision_error(other, line, what));
                }
            }
        }
    }
    for short in &holding {
        for long in &holding {
            let (one, other) = (&short.binding.chord.0, &long.binding.chord.0);
            if one.len() < other.len() && other.starts_with(one) {
                let what = format!(
                    "{} would hide {}",
                    describe_binding(short),
                    describe_binding(long)
                );
                return Err(collision_error(short, long, what));
            }
        }
    }
    Ok(())
}

/// Two bindings of which one must go; the error is reported for the later one a person wrote.
fn collision_error(one: &WrittenBinding<'_>, other: &WrittenBinding<'_>, what: String) -> KeyError {
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

fn describe_binding(line: &WrittenBinding<'_>) -> String {
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
pub(super) fn apply_changes<'a>(
    defaults: &DefaultKeys,
    changes: &[&'a KeyOverride],
) -> Vec<WrittenBinding<'a>> {
    let default_bindings = defaults.bindings().iter().filter(|binding| {
        !changes
            .iter()
            .any(|change| (change.context, change.action) == (binding.context, binding.action))
    });
    let default_bindings = default_bindings.cloned().map(|binding| WrittenBinding {
        binding: give_way(binding, changes),
        change: None,
    });
    let overrides = changes.iter().flat_map(|change| {
        change.chords.iter().map(|chord| WrittenBinding {
            binding: Binding {
                context: change.context,
                chord: chord.clone(),
                action: change.action,
            },
            change: Some(*change),
        })
    });
    default_bindings.chain(overrides).collect()
}

/// Returns a default binding by its key of earlier versions, where a change takes the present one.
fn give_way(binding: Binding, changes: &[&KeyOverride]) -> Binding {
    let is_taken = changes.iter().any(|change| {
        change.context == binding.context
            && change.action != binding.action
            && change.chords.contains(&binding.chord)
    });
    let mut moved = MOVED.iter();
    let earlier =
        moved.find(|(context, action, _)| (*context, *action) == (binding.context, binding.action));
    match earlier.and_then(|(_, _, earlier)| earlier.parse().ok()) {
        Some(chord) if is_taken => Binding { chord, ..binding },
        Some(_) | None => binding,
    }
}

fn join_chords(chords: &[Chord]) -> String {
    let texts: Vec<String> = chords.iter().map(Chord::to_string).collect();
    texts.join("', '")
}

fn fault_in_change(change: &KeyOverride, why: String) -> KeyError {
    KeyError {
        file: change.file.clone(),
        line: change.line,
        why,
    }
}
