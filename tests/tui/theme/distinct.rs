//! States are distinguishable without colour.

use crate::tui::drawing::look;
use elenchus::tui::theme::{Depth, GlyphSet, Look, Role, parse_built_in};
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;

/// Roles that can stand at the same place.
const TOGETHER: [&[Role]; 7] = [
    &[
        Role::Safe,
        Role::Unsafe,
        Role::Middle,
        Role::Unparsed,
        Role::HumanLabel,
    ],
    &[Role::Text, Role::Added, Role::Removed],
    &[
        Role::FromTemplate,
        Role::FromTopic,
        Role::FromDocument,
        Role::FromPeer,
        Role::FromOwn,
        Role::FromPersona,
        Role::FromMemory,
        Role::FromVerdict,
        Role::FromPerson,
    ],
    &[
        Role::Text,
        Role::Private,
        Role::Thinking,
        Role::Streaming,
        Role::Masked,
        Role::Human,
        Role::Simulated,
    ],
    &[Role::Border, Role::BorderFocused],
    &[
        Role::Text,
        Role::Muted,
        Role::Strong,
        Role::Accent,
        Role::Selection,
        Role::Match,
    ],
    &[Role::Text, Role::Selection, Role::Cursor, Role::Match],
];

fn attributes_and_tag(look: &Look, role: Role) -> (Modifier, String) {
    let mut attributes = look.style(role).add_modifier;
    // A background of its own is as good as reversed.
    if look.style(role).bg.is_some_and(|bg| bg != Color::Reset) {
        attributes |= Modifier::REVERSED;
    }
    (attributes, look.tag(role).to_owned())
}

#[test]
fn without_colours_and_with_sixteen_no_two_roles_of_a_place_look_the_same() {
    for theme in parse_built_in().list_themes() {
        for depth in [Depth::None, Depth::Sixteen] {
            for glyphs in [GlyphSet::Ascii, GlyphSet::Unicode] {
                let look = look(&theme.name, depth, glyphs);
                for roles in TOGETHER {
                    let mut seen = BTreeMap::new();
                    for role in roles {
                        let (attributes, tag) = attributes_and_tag(&look, *role);
                        let before = seen.insert((attributes.bits(), tag), *role);
                        assert_eq!(before, None, "{role:?} in {} at {depth:?}", theme.name);
                    }
                }
            }
        }
    }
}

#[test]
fn without_colours_no_colour_is_ever_sent() {
    for theme in parse_built_in().list_themes() {
        let look = look(&theme.name, Depth::None, GlyphSet::Unicode);
        for &role in Role::ALL {
            let style = look.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
    }
}

#[test]
fn sixteen_colours_are_named_and_the_default_theme_leaves_the_ground_alone() {
    for theme in parse_built_in().list_themes() {
        let look = look(&theme.name, Depth::Sixteen, GlyphSet::Unicode);
        for &role in Role::ALL {
            for colour in [look.style(role).fg, look.style(role).bg]
                .into_iter()
                .flatten()
            {
                let named = !matches!(colour, Color::Rgb(..) | Color::Indexed(_));
                assert!(named, "{} {role:?} {colour:?}", theme.name);
            }
        }
        assert_eq!(look.base_style().bg, None, "{}", theme.name);
    }
    let ansi = look("ansi", Depth::TrueColour, GlyphSet::Unicode);
    assert_eq!((ansi.base_style().fg, ansi.base_style().bg), (None, None));
}

#[test]
fn colours_that_light_or_dark_grounds_swallow_are_not_in_the_default_theme() {
    let look = look("ansi", Depth::Sixteen, GlyphSet::Unicode);
    for &role in Role::ALL {
        let style = look.style(role);
        if style.bg.is_none() {
            let swallowed = [
                Color::Yellow,
                Color::White,
                Color::Gray,
                Color::Black,
                Color::DarkGray,
            ];
            assert!(
                !style.fg.is_some_and(|fg| swallowed.contains(&fg)),
                "{role:?}"
            );
        }
    }
}

#[test]
fn the_colour_blind_theme_never_tells_safe_from_unsafe_by_red_and_green() {
    let look = look("colour-blind", Depth::Sixteen, GlyphSet::Unicode);
    for role in [
        Role::Safe,
        Role::Unsafe,
        Role::Added,
        Role::Removed,
        Role::Error,
    ] {
        let colours = [look.style(role).fg, look.style(role).bg];
        let banned = [
            Some(Color::Red),
            Some(Color::Green),
            Some(Color::LightRed),
            Some(Color::LightGreen),
        ];
        assert!(
            !colours.iter().any(|colour| banned.contains(colour)),
            "{role:?}"
        );
    }
}

#[test]
fn a_colour_of_its_own_takes_the_place_of_dim_and_reversed() {
    let with = look("dark", Depth::TrueColour, GlyphSet::Unicode);
    let without = look("dark", Depth::None, GlyphSet::Unicode);
    assert_eq!(with.style(Role::Selection).add_modifier, Modifier::empty());
    assert_eq!(
        without.style(Role::Selection).add_modifier,
        Modifier::REVERSED
    );
    assert_eq!(with.style(Role::Muted).add_modifier, Modifier::empty());
    assert_eq!(without.style(Role::Muted).add_modifier, Modifier::DIM);
    assert!(matches!(
        look("dark", Depth::Indexed256, GlyphSet::Unicode)
            .style(Role::Safe)
            .fg,
        Some(Color::Indexed(16..))
    ));
}
