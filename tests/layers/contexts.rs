//! Contexts: one a crate, each holding the lower one. What a lower context holds is not held a second time.

use std::path::Path;

/// Contexts, from below, with the types of their fields that say which context it is.
const CONTEXTS: [(&str, &[&str]); 3] = [
    ("StoreContext", &["Layout", "SyncPool", "Clock"]),
    (
        "RunContext",
        &["StoreContext", "Library", "Seats", "LazyEmbedding"],
    ),
    (
        "ExperimentContext",
        &["RunContext", "People", "ExperimentObserver", "StopSignal"],
    ),
];

/// Returns the structs of a source that hold two fields of a context that they are not, each with that context.
fn second_holders(code: &str) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let named: Vec<&str> = words(line).collect();
        let at = named.iter().position(|word| *word == "struct");
        let name = at.and_then(|at| named.get(at + 1));
        let (Some(name), true) = (name, line.ends_with('{')) else {
            continue;
        };
        let fields = lines.by_ref().take_while(|line| *line != "}");
        let types: Vec<&str> = fields.filter_map(field_type).collect();
        let holds = |of: &&&str| types.iter().any(|held| words(held).any(|one| one == **of));
        for (context, parts) in CONTEXTS {
            if context != *name && parts.iter().filter(holds).count() > 1 {
                found.push(((*name).to_owned(), context));
            }
        }
    }
    found
}

/// Returns the type of the field that a line of a struct declares.
fn field_type(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_code = !line.starts_with("//") && !line.starts_with('#');
    let (_, of) = line.split_once(": ")?;
    is_code.then_some(of)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

#[test]
fn what_a_context_holds_is_held_by_no_second_struct() {
    let mut files = Vec::new();
    super::crate_roots()
        .iter()
        .for_each(|root| super::walk(root, &mut files));
    let is_test = |path: &Path| path.iter().any(|part| part == "tests");
    let mut faults = Vec::new();
    for file in files.iter().filter(|path| !is_test(path)) {
        let text = std::fs::read_to_string(file).unwrap();
        for (name, context) in second_holders(&text) {
            let place = file.display();
            faults.push(format!("{place}: {name} repeats fields of {context}"));
        }
    }
    assert!(
        faults.is_empty(),
        "hold the context:\n{}",
        faults.join("\n")
    );
}

#[test]
fn a_struct_that_repeats_two_fields_is_found_however_it_holds_them() {
    let sharing = "pub(crate) struct Tools<'a> {\n    pub library: &'a Library,\n    /// Who sits: a table.\n    seats: Arc<Seats>,\n}\n";
    assert_eq!(
        second_holders(sharing),
        [("Tools".to_owned(), "RunContext")]
    );
    let nested = "pub struct Tools {\n    pub run: RunContext,\n    pub seats: Arc<Seats>,\n}\n";
    assert_eq!(second_holders(nested), []);
    let own = "pub struct StoreContext {\n    pub layout: Layout,\n    pub clock: Clock,\n}\n";
    assert_eq!(second_holders(own), []);
}
