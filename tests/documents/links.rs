//! Links: every link of the manual to a page, a heading or a file resolves, and every path of the
//! sources that a page names exists.

use super::pages::{Page, pages, root};
use std::path::PathBuf;

/// The words of the first column of a page's first table.
fn words_of_first_table(page: &Page) -> Vec<String> {
    let rows = page
        .text
        .lines()
        .skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    let words = rows.filter_map(|row| row.split('|').nth(1));
    words.map(|word| word.trim().to_owned()).collect()
}

#[test]
fn the_manual_begins_with_ten_words_that_the_page_of_words_has_too() {
    let words = words_of_first_table(&Page::read("docs/README.md"));
    let wanted = [
        "topic", "debate", "seat", "turn", "verdict", "label", "queue", "run", "arm", "fork",
    ];
    assert_eq!(words, wanted);
    let all = Page::read("docs/words.md").text;
    for word in wanted {
        // What a debate is kept as is a session.
        let word = if word == "debate" { "session" } else { word };
        assert!(all.contains(&format!("\n| {word} |")), "{word}");
    }
}

#[test]
fn links_to_pages_headings_and_files_resolve() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for link in links(&page.prose()) {
            if link.contains("://") {
                continue;
            }
            seen += 1;
            if let Some(fault) = fault_of(&page, &link) {
                faults.push(format!("{}: {link}: {fault}", page.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 50, "{seen}");
}

#[test]
fn every_page_is_linked_from_the_readme_and_from_the_list_of_pages() {
    for (list, prefix) in [("README.md", "docs/"), ("docs/README.md", "")] {
        let linked = links(&Page::read(list).prose());
        for page in pages() {
            let Some(name) = page.path.strip_prefix("docs/") else {
                continue;
            };
            let wanted = format!("{prefix}{name}");
            assert!(
                name == "README.md" || linked.contains(&wanted),
                "{list} does not link {wanted}"
            );
        }
    }
}

#[test]
fn every_page_begins_with_a_title_and_a_sentence() {
    for page in pages() {
        let mut lines = page.text.lines();
        let title = lines.next().unwrap();
        assert!(title.starts_with("# "), "{}: {title}", page.path);
        let first = lines.find(|line| !line.is_empty()).unwrap();
        assert!(
            first.contains('.') && !first.starts_with(['#', '-', '|', '`', '<']),
            "{}: {first}",
            page.path
        );
    }
}

#[test]
fn paths_that_pages_name_exist() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for path in named_paths(&page.text) {
            seen += 1;
            if !root().join(&path).exists() {
                faults.push(format!("{}: {path}", page.path));
            }
        }
    }
    assert!(faults.is_empty(), "no such file:\n{}", faults.join("\n"));
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_folder_of_the_sources_is_on_the_page_of_architecture() {
    let page = Page::read("docs/architecture.md").text;
    for folder in ["src", "crates"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() {
                assert!(page.contains(&format!("`{folder}/{name}/`")), "{name}");
            }
        }
    }
}

#[test]
fn tests_that_pages_name_exist() {
    let mut seen = 0;
    for page in pages() {
        for named in codes(&page.text).filter(|code| is_module_of_tests(code)) {
            seen += 1;
            assert!(
                places_of_tests(named)
                    .any(|path| path.is_dir() || path.with_extension("rs").is_file()),
                "{}: there are no tests '{named}'",
                page.path
            );
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Where tests of that name may lie: among those of the program, or in their crate.
fn places_of_tests(named: &str) -> impl Iterator<Item = PathBuf> {
    let (room, rest) = named.split_once("::").unwrap_or((named, ""));
    let rest = rest.replace("::", "/");
    let crates = root().join("crates").join(room);
    [
        root().join("tests").join(room).join(&rest),
        crates.join("src/tests").join(&rest),
        crates.join("tests").join(rest),
    ]
    .into_iter()
}

/// Whether a word in backticks is a module of tests, such as `store::heads`.
fn is_module_of_tests(code: &str) -> bool {
    let room = code.split("::").next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c == '_' || c == ':';
    code.contains("::") && code.chars().all(plain) && root().join("tests").join(room).is_dir()
}

fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Paths of the repository between backticks; those with a word in capitals are patterns.
fn named_paths(text: &str) -> Vec<String> {
    const FOLDERS: [&str; 10] = [
        "src/",
        "crates/",
        "tests/",
        "prompts/",
        "themes/",
        "examples/",
        "xtask/",
        "benches/",
        "docs/",
        ".ci/",
    ];
    codes(text)
        .filter(|code| FOLDERS.iter().any(|folder| code.starts_with(folder)))
        .filter(|code| !code.contains([' ', '*', '<', '…', '{', '\n']))
        .filter(|code| !code.split(['/', '.']).any(in_capitals))
        .map(|code| code.split('#').next().unwrap_or_default().to_owned())
        .collect()
}

fn in_capitals(part: &str) -> bool {
    part.len() > 1 && part != "README" && part.chars().all(|c| c.is_ascii_uppercase())
}

fn links(text: &str) -> Vec<String> {
    text.match_indices("](")
        .filter_map(|(at, _)| text[at + 2..].split(')').next())
        .map(str::to_owned)
        .collect()
}

fn fault_of(page: &Page, link: &str) -> Option<&'static str> {
    let (path, heading) = match link.split_once('#') {
        Some((path, heading)) => (path, Some(heading)),
        None => (link, None),
    };
    let folder = root().join(&page.path).parent().unwrap().to_owned();
    let target = match path {
        "" => root().join(&page.path),
        path => folder.join(path),
    };
    if !target.exists() {
        return Some("there is no such file");
    }
    let heading = heading?;
    let text = std::fs::read_to_string(target).unwrap();
    let there = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| anchor(line) == heading);
    (!there).then_some("the page has no such heading")
}

/// A heading's anchor, as GitHub makes it.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}
