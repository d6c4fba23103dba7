//! Theme files: precedence, refusals, and reloading.

use elenchus::tui::theme::{
    ActiveTheme, Depth, GlyphSet, MAX_THEME_BYTES, Role, ThemeFiles, Themes, parse_built_in,
};
use elenchus_records::workspace::{FolderWatch, Listens, WatchedChanges};
use ratatui::style::{Color, Modifier};
use std::sync::mpsc;
use std::time::Duration;

/// Long enough for any machine; a watch that works never waits for it.
const PATIENCE: Duration = Duration::from_secs(30);

fn with(files: &[(&str, &str)]) -> Themes {
    let mut themes = parse_built_in();
    for (name, text) in files {
        themes.add_theme(name, &format!("{name}.toml"), Ok((*text).to_owned()));
    }
    themes
}

fn fault(text: &str) -> String {
    with(&[("mine", text)])
        .resolve_theme("mine")
        .unwrap_err()
        .to_string()
}

#[test]
fn every_built_in_theme_can_be_worn() {
    let names: Vec<String> = parse_built_in()
        .list_themes()
        .into_iter()
        .map(|listed| listed.name)
        .collect();
    assert_eq!(
        names,
        ["ansi", "colour-blind", "dark", "high-contrast", "light"]
    );
    for listed in parse_built_in().list_themes() {
        assert_ne!(listed.description, Ok(String::new()), "{}", listed.name);
        assert!(listed.description.is_ok(), "{:?}", listed.description);
    }
}

#[test]
fn an_heir_keeps_what_it_does_not_say_and_its_palette_recolours_what_it_inherits() {
    let themes = with(&[(
        "mine",
        "inherits = \"dark\"\n[palette]\ngreen = \"#010203\"\n[roles]\nunsafe = { attr = [] }\n",
    )]);
    let look = themes
        .resolve_theme("mine")
        .unwrap()
        .resolve_look(Depth::TrueColour, GlyphSet::Unicode);
    assert_eq!(look.style(Role::Safe).fg, Some(Color::Rgb(1, 2, 3)));
    assert_eq!(look.tag(Role::Safe), "S");
    assert_eq!(look.style(Role::Unsafe).add_modifier, Modifier::empty());
    assert_eq!(look.tag(Role::Unsafe), "U");
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_with_what_is_allowed() {
    assert_eq!(
        fault("inherits = \"dark\"\n\n[roles]\nsafe = { fgg = \"#000000\" }\n"),
        "mine.toml:4: a role has no 'fgg'; it may have fg, bg, ansi, ansi_bg, attr and tag"
    );
    assert_eq!(
        fault("inherit = \"dark\"\n"),
        "mine.toml:1: a theme has no 'inherit'; it may have description, inherits, [palette] and \
         [roles.<role>]"
    );
    assert_eq!(
        fault("[palette]\nsky = \"blue\"\n"),
        "mine.toml:2: 'blue' is no colour; write it as \"#rrggbb\""
    );
    assert_eq!(
        fault("[palette]\nsky = \"#0000ff\"\n[roles.safe]\nfg = \"sly\"\n"),
        "mine.toml:4: there is no colour 'sly'; write \"#rrggbb\", \"default\", or a name of the \
         palette: sky"
    );
    assert_eq!(
        fault("[roles.safe]\nattr = [\"bold\", \"blink\"]\n"),
        "mine.toml:2: attr is a list of bold, dim, italic, underlined, reversed, crossed-out"
    );
    assert_eq!(
        fault("[roles.safe]\ntag = \"a tag that is long\"\n"),
        "mine.toml:2: a tag is at most 8 letters or signs of ASCII"
    );
    assert!(
        fault("[roles.saef]\n")
            .starts_with("mine.toml:1: there is no role 'saef'; there are text,")
    );
    assert!(
        fault("[roles.safe]\nansi = \"pink\"\n")
            .contains(":2: 'pink' is none of the sixteen colours: default, black,")
    );
    assert!(fault("[roles\n").starts_with("mine.toml:1: "));
    assert!(fault("[roles]\nsafe = 3\n").contains(":2: 'safe' must be a table"));
}

#[test]
fn themes_that_inherit_in_a_circle_are_refused() {
    let themes = with(&[
        ("a", "inherits = \"b\"\n"),
        ("b", "# b\ninherits = \"a\"\n"),
    ]);
    assert_eq!(
        themes.resolve_theme("a").unwrap_err().to_string(),
        "b.toml:2: themes inherit in a circle: a > b > a"
    );
    assert_eq!(
        fault("inherits = \"nothing\"\n"),
        "mine.toml:1: there is no theme 'nothing'; there are ansi, colour-blind, dark, \
         high-contrast, light, mine"
    );
}

#[test]
fn a_wrong_theme_leaves_the_last_good_one_on() {
    let mut worn = ActiveTheme::new(&parse_built_in(), "dark");
    worn.set_theme(&with(&[("dark", "[roles.nobody]\n")]), "dark");
    assert_eq!(worn.theme().unwrap().name, "dark");
    assert!(
        worn.fault()
            .unwrap()
            .to_string()
            .starts_with("dark.toml:1: ")
    );
    worn.reload_theme(&parse_built_in());
    assert_eq!(worn.fault(), None);
}

#[test]
fn the_nearer_folder_wins_and_a_file_that_cannot_be_read_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (far, near) = (folder.path().join("user"), folder.path().join("project"));
    for (place, said) in [(&far, "far"), (&near, "near")] {
        std::fs::create_dir(place).unwrap();
        std::fs::write(
            place.join("dark.toml"),
            format!("description = \"{said}\"\n"),
        )
        .unwrap();
    }
    std::fs::write(
        far.join("long.toml"),
        " ".repeat(MAX_THEME_BYTES as usize + 1),
    )
    .unwrap();
    std::fs::write(far.join("latin.toml"), b"description = \"\xe9\"\n").unwrap();
    std::fs::create_dir(far.join("folder.toml")).unwrap();
    std::fs::write(far.join("README.md"), "no theme").unwrap();

    let files = ThemeFiles::new(vec![far.clone(), near.clone(), folder.path().join("none")]);
    let themes = files.read_themes();
    assert_eq!(themes.resolve_theme("dark").unwrap().description, "near");
    for wrong in ["long", "latin", "folder"] {
        let said = themes.resolve_theme(wrong).unwrap_err().to_string();
        let path = far.join(wrong).with_extension("toml");
        assert!(
            said.starts_with(&format!("cannot read {}: ", path.display())),
            "{said}"
        );
    }
    assert!(themes.resolve_theme("README").is_err());

    std::fs::write(near.join("dark.toml"), "description = \"nearer\"\n").unwrap();
    assert_eq!(
        files
            .read_themes()
            .resolve_theme("dark")
            .unwrap()
            .description,
        "nearer"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn saving_a_theme_is_told_once_it_is_written_and_other_files_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let theme = folder.path().join("mine.toml");
    let (tell, told) = mpsc::channel();
    let folders = [folder.path().to_path_buf(), folder.path().join("none")];
    let folders: Vec<_> = folders
        .into_iter()
        .map(|folder| (folder, WatchedChanges::Saved))
        .collect();
    let tell = move || match tell.send(()) {
        Ok(()) => Listens::Yes,
        Err(_) => Listens::No,
    };
    let watch = FolderWatch::start(move || folders.clone(), ".toml", tell).unwrap();

    std::fs::write(folder.path().join(".mine.toml.swp"), "not a theme").unwrap();
    std::fs::write(&theme, "description = \"one\"\n").unwrap();
    told.recv_timeout(PATIENCE).unwrap();
    // As editors save: another file takes the name.
    let other = folder.path().join("mine.tmp");
    std::fs::write(&other, "description = \"two\"\n").unwrap();
    std::fs::rename(&other, &theme).unwrap();
    told.recv_timeout(PATIENCE).unwrap();

    drop(watch);
    // Its thread is gone, and with it the other end.
    assert_eq!(
        told.recv_timeout(PATIENCE),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
}
