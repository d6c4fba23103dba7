//! The layers, read off manifests and sources where the compiler cannot hold them: which crates a crate uses,
//! the order of rooms inside of a crate, and circles of files.

mod contexts;
mod experiments;
mod imports;
mod manifests;
mod screens;

use imports::{Module, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Rooms of a crate from below: each may use those before it.
const ROOMS: [(&str, &[&str]); 4] = [
    ("crates/game/src", &["debate", "prompt", "judge"]),
    ("crates/records/src", &["exchange", "library", "workspace"]),
    ("crates/run/src", &["engine", "experiments", "drafts"]),
    ("src", &["tui", "config", "cli"]),
];

/// Folders of the roots of all crates.
fn crate_roots() -> Vec<PathBuf> {
    let crates = std::fs::read_dir("crates").unwrap();
    let mut roots: Vec<PathBuf> = crates.map(|one| one.unwrap().path().join("src")).collect();
    roots.push(PathBuf::from("src"));
    roots.sort();
    roots
}

/// Says which uses of a crate lead from a room to one that comes after it.
fn upward(src: &Path, rooms: &[&str]) -> Vec<String> {
    let sources = Sources::read(src);
    let place = |module: &Module| {
        let room = module.first()?;
        rooms.iter().position(|name| name == room)
    };
    let mut faults = Vec::new();
    for module in sources.modules() {
        let Some(from) = place(module) else {
            assert!(module.is_empty(), "{} has no place", module.join("::"));
            continue;
        };
        let uses = sources.used_by(module).into_iter();
        let wrong = uses.filter(|used| place(used).is_some_and(|at| at > from));
        let mut wrong: Vec<Module> = wrong.collect();
        // Methods of a type lie in its room: a use of them has no import.
        let extended = sources.extended_by(module).into_iter();
        wrong.extend(extended.filter(|of| place(of) != Some(from)));
        let told = wrong.iter().map(|used| {
            let path = sources.path(module).display();
            format!("{path} names {}", used.join("::"))
        });
        faults.extend(told);
    }
    faults
}

#[test]
fn rooms_of_a_crate_use_only_those_before_them() {
    for (src, rooms) in ROOMS {
        let faults = upward(Path::new(src), rooms);
        assert!(faults.is_empty(), "not allowed:\n{}", faults.join("\n"));
    }
}

/// Screens show what is handed to them; whoever reads and writes is asked by a task.
#[test]
fn the_workbench_never_names_the_store() {
    let mut files = Vec::new();
    walk(Path::new("src/tui"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("elenchus_store"), "{}", file.display());
    }
}

#[test]
fn an_upward_use_and_a_method_for_a_type_of_another_room_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("lib.rs", "pub mod low;\npub mod high;\n");
    write("low/mod.rs", "pub struct Low;\n");
    write(
        "high/mod.rs",
        "use crate::low::Low;\npub fn high(_: Low) {}\n",
    );
    let rooms = ["low", "high"];
    assert_eq!(upward(folder.path(), &rooms), [""; 0]);
    write("low/mod.rs", "use crate::high::high;\npub struct Low;\n");
    assert_eq!(upward(folder.path(), &rooms).len(), 1);
    write("low/mod.rs", "pub struct Low;\n");
    write("high/mod.rs", "use crate::low::Low;\n\nimpl Low {}\n");
    assert_eq!(upward(folder.path(), &rooms).len(), 1);
}

/// Files that import each other in a circle are one thing in several pieces: they lie in one folder.
#[test]
fn no_circle_of_imports_leaves_its_folder() {
    let circles: Vec<String> = crate_roots()
        .iter()
        .flat_map(|root| circles(root))
        .collect();
    assert!(
        circles.is_empty(),
        "circles across folders:{}",
        circles.join("\nand")
    );
}

fn circles(src: &Path) -> Vec<String> {
    let sources = Sources::read(src);
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
        let is_known = circle
            .iter()
            .all(|module| module.first().is_some_and(|room| room == "tui"));
        if folders.len() > 1 && !is_known {
            circles.insert(circle);
        }
    }
    let told = circles.iter().map(|circle| {
        let files = circle.iter().map(|module| sources.path(module).display());
        files.map(|path| format!("\n  {path}")).collect::<String>()
    });
    told.collect()
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
            let (used, _) = uses.get_key_value(used).expect("a module of the crate");
            if found.insert(*used) {
                open.push(*used);
            }
        }
    }
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
