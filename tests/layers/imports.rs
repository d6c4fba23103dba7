//! Imports of one crate, read as text: which file uses what another file of it defines. Re-exports are
//! followed to the file that holds the definition, so a room's public face hides nothing. What is compiled for
//! tests alone is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names of modules from the crate's root.
pub type Module = Vec<String>;

/// One file of the library.
struct Source {
    path: PathBuf,
    /// Without comments, and without the tests at its end.
    code: String,
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    /// Names that `use` brings in, by the names that they have here.
    imported: BTreeMap<String, Vec<String>>,
}

/// All files of a crate by their modules.
pub struct Sources(BTreeMap<Module, Source>);

impl Sources {
    /// Reads the crate whose root lies in a folder.
    pub fn read(src: &Path) -> Self {
        let mut files = Vec::new();
        super::walk(src, &mut files);
        let named = |path: &PathBuf| {
            let inside = path.strip_prefix(src).unwrap().with_extension("");
            let mut module: Module = inside
                .iter()
                .map(|part| part.to_str().unwrap().to_owned())
                .collect();
            module.pop_if(|last| last == "mod" || last == "lib");
            module
        };
        let library = files.into_iter().filter(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let inside = path.strip_prefix(src).unwrap();
            let is_test = name == "tests" || name.ends_with("_tests");
            !is_test && !inside.iter().any(|part| part == "tests") && name != "main"
        });
        Self(
            library
                .map(|path| (named(&path), Source::read(path)))
                .collect(),
        )
    }

    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.0.keys()
    }

    pub fn path(&self, module: &Module) -> &Path {
        &self.0[module].path
    }

    /// Returns the folder that a module's file lies in; a `mod.rs` lies in its own.
    pub fn folder<'a>(&self, module: &'a Module) -> &'a [String] {
        match self.path(module).ends_with("mod.rs") || module.is_empty() {
            true => module,
            false => &module[..module.len() - 1],
        }
    }

    /// Returns the modules of types that a module gives methods to.
    pub fn extended_by(&self, module: &Module) -> BTreeSet<Module> {
        let lines = self.0[module].code.lines();
        let inherent = lines.filter(|line| line.starts_with("impl") && !line.contains(" for "));
        let types = inherent.filter_map(|line| {
            let words = words(line.split('{').next().unwrap_or_default());
            words.into_iter().find(|word| {
                let is_type = word.starts_with(|c: char| c.is_ascii_uppercase());
                is_type && word.len() > 1
            })
        });
        let defined = types.filter_map(|name| {
            let source = &self.0[module];
            match source.items.contains(&name) {
                true => Some(module.clone()),
                false => self.defining(module, &[name]),
            }
        });
        defined.collect()
    }

    /// Returns the modules whose definitions a module uses. A re-export alone is no use.
    pub fn used_by(&self, module: &Module) -> BTreeSet<Module> {
        let source = &self.0[module];
        let mut used = BTreeSet::new();
        for (is_public, path) in use_paths(&source.code) {
            if !is_public {
                used.extend(self.defining(module, &path));
            }
        }
        for path in inline_paths(&source.code) {
            used.extend(self.defining(module, &path));
        }
        used.remove(module);
        used
    }

    /// Returns the module that defines what a path means in `module`; none for other crates.
    fn defining(&self, module: &Module, path: &[String]) -> Option<Module> {
        self.resolve(&self.absolute(module, path)?, 0)
    }

    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let first = path.first()?.as_str();
        let ups = path.iter().take_while(|name| *name == "super").count();
        let (mut whole, rest) = match first {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => (
                module[..module.len().checked_sub(ups)?].to_vec(),
                &path[ups..],
            ),
            _ if self.0[module].children.contains(first) => (module.clone(), path),
            _ => {
                let import = self.0[module].imported.get(first)?;
                if import[0] == first {
                    return None;
                }
                (self.absolute(module, import)?, &path[1..])
            }
        };
        whole.extend_from_slice(rest);
        Some(whole)
    }

    fn resolve(&self, path: &[String], depth: usize) -> Option<Module> {
        const DEEPEST: usize = 20;
        let mut at = Vec::new();
        for (index, name) in path.iter().enumerate() {
            let source = self.0.get(&at)?;
            let is_last = index + 1 == path.len();
            if is_last && source.items.contains(name) {
                return Some(at);
            }
            if let Some(import) = source.imported.get(name).filter(|_| depth < DEEPEST) {
                let is_itself = import.len() == 1 && import[0] == *name;
                if let Some(mut whole) = self.absolute(&at, import).filter(|_| !is_itself) {
                    whole.extend_from_slice(&path[index + 1..]);
                    if whole != path {
                        return self.resolve(&whole, depth + 1);
                    }
                }
            }
            if !source.children.contains(name) {
                return Some(at);
            }
            at.push(name.clone());
        }
        Some(at)
    }
}

impl Source {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
        let code: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let mut source = Self {
            path,
            children: BTreeSet::new(),
            items: BTreeSet::new(),
            imported: BTreeMap::new(),
            code: code.join("\n"),
        };
        for line in &code {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            let kinds = ["struct", "enum", "trait", "fn", "const", "static", "type"];
            if line.starts_with(|c: char| c.is_alphabetic()) {
                // `const fn` holds two of these words, and the name follows the last.
                if let Some(first) = words.iter().position(|word| kinds.contains(word)) {
                    let named = words[first..].iter().find(|word| !kinds.contains(word));
                    source.items.extend(named.map(|name| (*name).to_owned()));
                }
                if let Some(name) = line
                    .strip_suffix(';')
                    .and_then(|line| line.rsplit_once("mod "))
                {
                    source.children.insert(name.1.to_owned());
                }
            }
        }
        for (_, path) in use_trees(&source.code) {
            let (path, name) = path;
            source.imported.insert(name, path);
        }
        source
    }
}

/// The paths that the `use` declarations of a file name, with whether each is re-exported.
fn use_paths(code: &str) -> Vec<(bool, Vec<String>)> {
    let paths = use_trees(code).into_iter();
    paths
        .map(|(is_public, (path, _))| (is_public, path))
        .collect()
}

/// A path, and the name that it has here.
type Import = (Vec<String>, String);

fn use_trees(code: &str) -> Vec<(bool, Import)> {
    let mut found = Vec::new();
    let mut rest = code;
    let mut is_line_start = true;
    while !rest.is_empty() {
        let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let line = &rest[..line_end];
        let head = line.trim_start();
        let (is_public, tree) = match head.strip_prefix("pub") {
            Some(after) => {
                let after = after.strip_prefix('(').map_or(after, |inside| {
                    inside.split_once(')').map_or(inside, |(_, after)| after)
                });
                (true, after.trim_start().strip_prefix("use "))
            }
            None => (false, head.strip_prefix("use ")),
        };
        match tree.filter(|_| is_line_start) {
            Some(tree) => {
                let from = tree.as_ptr() as usize - rest.as_ptr() as usize;
                let end = from + rest[from..].find(';').unwrap_or(0);
                let words = words(&rest[from..end]);
                let mut imports = Vec::new();
                expand(&words, &mut 0, &[], &mut imports);
                found.extend(imports.into_iter().map(|import| (is_public, import)));
                rest = &rest[end..];
                is_line_start = false;
            }
            None => {
                rest = &rest[line_end..];
                is_line_start = true;
            }
        }
        if !is_line_start {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            is_line_start = true;
        }
    }
    found
}

/// Names, braces and commas of a `use` tree.
fn words(tree: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    for c in tree.chars() {
        let is_name = c.is_alphanumeric() || c == '_';
        match (is_name, is_inside) {
            (true, true) => words.last_mut().unwrap().push(c),
            (true, false) => words.push(c.to_string()),
            (false, _) if "{},*".contains(c) => words.push(c.to_string()),
            (false, _) => {}
        }
        is_inside = is_name;
    }
    words
}

fn expand(words: &[String], at: &mut usize, before: &[String], found: &mut Vec<Import>) {
    let mut path = before.to_vec();
    while let Some(word) = words.get(*at) {
        match word.as_str() {
            "{" => {
                *at += 1;
                while words.get(*at).is_some_and(|word| word != "}") {
                    expand(words, at, &path, found);
                    if words.get(*at).is_some_and(|word| word == ",") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            "," | "}" => break,
            "as" => {
                found.push((path, words[*at + 1].clone()));
                *at += 2;
                return;
            }
            "self" if !path.is_empty() => *at += 1,
            _ => {
                path.push(word.clone());
                *at += 1;
            }
        }
    }
    if let Some(name) = path.last().cloned() {
        found.push((path, name));
    }
}

/// Paths from `crate` or `super` outside of `use` declarations.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in code
        .lines()
        .filter(|line| !line.contains("use ") && !line.contains("pub(in "))
    {
        for start in ["crate::", "super::"] {
            for (at, _) in line.match_indices(start) {
                let before = line[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                    continue;
                }
                let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
                let path: String = line[at..].chars().take_while(|c| is_path(*c)).collect();
                let names = path.split("::").filter(|name| !name.is_empty());
                found.push(names.map(str::to_owned).collect());
            }
        }
    }
    found
}
