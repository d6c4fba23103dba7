//! The layers of the library, read off its sources: an import that the order does not allow fails.

mod experiments;
mod imports;
mod journals;
mod screens;

use imports::{Module, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each module may import of ours.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let core = [
        "debate", "metrics", "prompt", "judge", "model", "memory", "store", "dataset", "exchange",
    ];
    // Each of these may import those before it, and the core.
    let rooms = [
        "library",
        "workspace",
        "engine",
        "experiments",
        "annotation",
    ];
    let mut allowed = BTreeMap::from([
        ("debate", vec![]),
        ("terminal", vec![]),
        ("model", vec![]),
        ("memory", vec![]),
        ("store", vec![]),
        ("metrics", vec!["debate"]),
        ("dataset", vec!["debate"]),
        ("prompt", vec!["debate"]),
        ("judge", vec!["debate", "prompt"]),
        ("exchange", vec!["debate", "metrics", "memory", "dataset"]),
    ]);
    let mut before = core.to_vec();
    for room in rooms {
        allowed.insert(room, before.clone());
        before.push(room);
    }
    // Of exchange the workbench takes how hostile text is made visible. It never opens the store.
    let mut drawn = vec!["debate", "metrics", "prompt", "exchange", "terminal"];
    drawn.extend(rooms);
    allowed.insert("tui", drawn);
    // It composes the settings types that each module owns, and replaces files whole.
    allowed.insert(
        "config",
        vec!["store", "model", "workspace", "engine", "tui"],
    );
    before.extend(["terminal", "tui", "config"]);
    allowed.insert("cli", before);
    allowed
}

#[test]
fn every_module_imports_only_what_its_layer_allows() {
    let mut faults = Vec::new();
    for (module, may) in allowed() {
        for file in sources(module) {
            let text = std::fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                for used in imports(line) {
                    if used != module && !may.contains(&used.as_str()) {
                        faults.push(format!("{}:{}: {line}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "not allowed:\n{}", faults.join("\n"));
}

#[test]
fn every_module_of_the_library_has_a_place_in_the_layers() {
    let lib = std::fs::read_to_string("src/lib.rs").unwrap();
    let known = allowed();
    for line in lib.lines() {
        if let Some(module) = line.strip_prefix("pub mod ") {
            let module = module.trim_end_matches(';');
            assert!(known.contains_key(module), "{module} has no layer");
        }
    }
}

#[test]
fn only_the_store_names_sled() {
    for module in allowed().keys().filter(|module| **module != "store") {
        for file in sources(module) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                assert!(!line.contains("sled::"), "{}: {line}", file.display());
            }
        }
    }
}

#[test]
fn the_game_does_no_io_and_knows_no_clock() {
    let banned = [
        "std::fs",
        "std::io",
        "std::time",
        "std::env",
        "tokio",
        "async ",
        "tracing",
        "rand::",
    ];
    for module in ["debate", "metrics", "prompt", "judge"] {
        for file in sources(module) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for line in code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
            {
                let line_uses = |word: &&str| line.contains(*word) && line.contains("use ");
                let bad = banned.iter().find(|word| line_uses(word));
                assert!(bad.is_none(), "{}: {line}", file.display());
            }
        }
    }
}

/// Files that import each other in a circle are one thing in several pieces: they lie in one folder.
#[test]
fn no_circle_of_imports_leaves_its_folder() {
    let sources = Sources::read();
    let uses: BTreeMap<&Module, BTreeSet<Module>> = sources
        .modules()
        .map(|module| (module, sources.used_by(module)))
        .collect();
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = uses
        .keys()
        .map(|module| (*module, reachable(module, &uses)))
        .collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let back = others
            .iter()
            .filter(|other| reached[**other].contains(module));
        let circle: BTreeSet<&Module> = back.copied().collect();
        let folders: BTreeSet<&[String]> =
            circle.iter().map(|module| sources.folder(module)).collect();
        // The workbench's core still names types of screens: a place in a debate, comparisons under way.
        let is_known = circle.iter().all(|module| module[0] == "tui");
        if folders.len() > 1 && !is_known {
            circles.insert(circle);
        }
    }
    let told = circles.iter().map(|circle| {
        let files = circle.iter().map(|module| sources.path(module).display());
        files.map(|path| format!("\n  {path}")).collect::<String>()
    });
    let told: Vec<String> = told.collect();
    assert!(
        told.is_empty(),
        "circles across folders:{}",
        told.join("\nand")
    );
}

/// The modules that a module's imports lead to, itself only where a circle leads back.
fn reachable<'a>(
    module: &Module,
    uses: &BTreeMap<&'a Module, BTreeSet<Module>>,
) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        for used in &uses[next] {
            let (used, _) = uses.get_key_value(used).expect("a module of the library");
            if found.insert(*used) {
                open.push(*used);
            }
        }
    }
    found
}

/// The modules that a line of code names after `crate::`.
fn imports(line: &str) -> Vec<String> {
    if line.trim_start().starts_with("//") {
        return Vec::new();
    }
    line.match_indices("crate::")
        .map(|(at, found)| {
            let rest = &line[at + found.len()..];
            rest.chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

fn sources(module: &str) -> Vec<PathBuf> {
    let single = PathBuf::from(format!("src/{module}.rs"));
    if single.is_file() {
        return vec![single];
    }
    let mut found = Vec::new();
    walk(&PathBuf::from(format!("src/{module}")), &mut found);
    assert!(!found.is_empty(), "no sources for {module}");
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}
