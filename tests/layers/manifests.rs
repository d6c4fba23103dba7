//! Manifests: what each crate depends on. The compiler holds what they say; here stands what they may say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The folder of each crate, by the name that the page of architecture gives it.
fn manifests() -> BTreeMap<String, Table> {
    let crates = std::fs::read_dir("crates").unwrap();
    let read = crates.map(|one| {
        let path = one.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(path.join("Cargo.toml")).unwrap();
        (name, text.parse().unwrap())
    });
    read.collect()
}

fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let all = manifest.get("dependencies").and_then(Value::as_table);
    all.into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}

/// The crates that the page of architecture says each may use.
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let page = std::fs::read_to_string("docs/architecture.md").unwrap();
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `crates/")?.split('|');
        let name = cells.next()?.trim().strip_suffix("/`")?.to_owned();
        let uses = cells
            .next_back()
            .filter(|cell| cell.is_empty())
            .and(cells.next_back())?;
        let uses = uses.split(',').map(|name| name.trim().to_owned());
        Some((name, uses.filter(|name| name != "–").collect()))
    });
    rows.collect()
}

#[test]
fn crates_use_each_other_as_the_page_of_architecture_says() {
    let named = |manifest: &Table| -> BTreeSet<String> {
        let all = dependencies(manifest).into_iter();
        all.filter_map(|name| Some(name.strip_prefix("elenchus-")?.to_owned()))
            .collect()
    };
    let used: BTreeMap<_, _> = manifests()
        .iter()
        .map(|(name, manifest)| (name.clone(), named(manifest)))
        .collect();
    assert_eq!(used, drawn());
}

/// One library for one job, in one place: who names it here is the only one.
#[test]
fn libraries_that_belong_to_one_crate_are_named_by_that_crate_alone() {
    for (library, owners) in [
        ("sled", &["store"][..]),
        ("fastembed", &["memory"]),
        ("ort", &["memory"]),
        ("async-openai", &["model"]),
        ("reqwest", &["model"]),
        // Prompts, and pages to send, which escape what they print.
        ("minijinja", &["game", "html"]),
    ] {
        for (name, manifest) in manifests() {
            let names = dependencies(&manifest).contains(library);
            assert_eq!(
                names,
                owners.contains(&name.as_str()),
                "{name} and {library}"
            );
        }
    }
}

/// Their results depend on what they are given alone.
#[test]
fn pure_crates_have_no_tasks_logs_or_chance() {
    for name in ["game", "metrics", "text", "plot"] {
        let manifest = &manifests()[name];
        for banned in ["tokio", "tracing", "rand", "futures-util"] {
            assert!(!dependencies(manifest).contains(banned), "{name}: {banned}");
        }
    }
}

/// Where cargo builds no tests of a library, a test among its sources would never run.
#[test]
fn libraries_without_tests_of_their_own_hold_none() {
    let mut seen = 0;
    for folder in ["", "tests/support", "crates/dataset", "crates/terminal"] {
        let text = std::fs::read_to_string(Path::new(folder).join("Cargo.toml")).unwrap();
        let manifest: Table = text.parse().unwrap();
        let is_tested = manifest["lib"].get("test").and_then(Value::as_bool);
        assert_eq!(is_tested, Some(false), "{folder}");
        let src = match folder {
            "tests/support" => PathBuf::from(folder),
            folder => Path::new(folder).join("src"),
        };
        let mut files = Vec::new();
        super::walk(&src, &mut files);
        for file in files {
            seen += 1;
            let code = std::fs::read_to_string(&file).unwrap();
            let is_test = ["#[test]", "#[tokio::test", "#[cfg(test)]"];
            let found = is_test.iter().find(|word| code.contains(**word));
            assert!(found.is_none(), "{}: {found:?}", file.display());
        }
    }
    assert!(seen > 300, "{seen}");
}

/// A crate has unit tests or one binary of tests beside it: both would build it twice for its tests alone.
#[test]
fn a_crate_has_unit_tests_or_tests_beside_it() {
    for (name, manifest) in manifests() {
        let is_tested = manifest["lib"].get("test").and_then(Value::as_bool) != Some(false);
        let beside = Path::new("crates").join(&name).join("tests").is_dir();
        assert!(is_tested != beside, "{name}");
    }
}
