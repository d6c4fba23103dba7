//! Pages of the manual and their code blocks.
//!
//! HTML comments, which no reader sees, say what a test needs to know:
//!
//! - `<!-- file: NAME -->` above a block: the block is that file of the working folder.
//! - `<!-- needs … -->` above a block: its commands are not run; their arguments must parse.
//! - `<!-- ends with N -->` above a block: the exit code of its last command.
//! - `<!-- screen: NAME -->` above a block: a picture of the workbench, made by `screens`.

use std::path::PathBuf;

/// A page, named by its path from the root of the repository.
pub struct Page {
    pub path: String,
    pub text: String,
}

/// A fenced block of code.
#[derive(Debug)]
pub struct Block {
    pub language: String,
    pub text: String,
    /// The line of its fence, from 1.
    pub line: usize,
    /// What the HTML comment directly above it says.
    pub comment: Option<String>,
}

/// Reads every page: README.md, CHANGELOG.md and docs/*.md.
pub fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned()];
    let mut docs: Vec<String> = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    docs.sort();
    paths.extend(docs);
    paths.iter().map(|path| Page::read(path)).collect()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Finds the block of a language that contains these words, on any page.
pub fn block_with(language: &str, words: &str) -> String {
    pages()
        .iter()
        .flat_map(Page::blocks)
        // A picture of a screen is no text to be used.
        .find(|block| {
            block.language == language && block.text.contains(words) && !block.text.contains('┏')
        })
        .map(|block| block.text)
        .unwrap_or_else(|| panic!("no page has a {language} block with '{words}'"))
}

/// Finds the text of a file that a page gives under this name.
pub fn file(name: &str) -> String {
    let given = pages().into_iter().find_map(|page| {
        page.blocks().into_iter().find_map(|block| {
            let comment = block.comment.as_deref().unwrap_or_default();
            (comment.strip_prefix("file: ") == Some(name)).then_some(block.text)
        })
    });
    given.unwrap_or_else(|| {
        let path = root().join("examples/files").join(name);
        std::fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("no page gives the file {name}, no example: {error}"))
    })
}

impl Page {
    pub fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(root().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        Self {
            path: path.to_owned(),
            text,
        }
    }

    /// The page without its code blocks and comments.
    pub fn prose(&self) -> String {
        let mut prose = String::new();
        let mut fenced = false;
        for line in self.text.lines() {
            if line.starts_with("```") {
                fenced = !fenced;
            } else if !fenced && !line.starts_with("<!--") {
                prose.push_str(line);
                prose.push('\n');
            }
        }
        prose
    }

    /// Reads the blocks in their order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut comment = None;
        let mut lines = self.text.lines().enumerate();
        while let Some((at, line)) = lines.next() {
            assert!(
                !(line.starts_with(' ') && line.trim_start().starts_with("```")),
                "{}:{}: an indented block is not read by the tests",
                self.path,
                at + 1
            );
            if let Some(language) = line.strip_prefix("```") {
                let inside = lines.by_ref().map(|(_, line)| line);
                let text = until(inside, |line| line == "```");
                blocks.push(Block {
                    language: language.to_owned(),
                    text,
                    line: at + 1,
                    comment: comment.take(),
                });
            } else if let Some(said) = line.strip_prefix("<!-- ") {
                let said = said.strip_suffix(" -->");
                // What no reader sees cannot be followed.
                let said = said.unwrap_or_else(|| {
                    panic!("{}:{}: a comment of several lines", self.path, at + 1)
                });
                comment = Some(said.to_owned());
            } else if !line.is_empty() {
                comment = None;
            }
        }
        blocks
    }
}

fn until<'a>(lines: impl Iterator<Item = &'a str>, ends: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for line in lines.take_while(|line| !ends(line)) {
        text.push_str(line);
        text.push('\n');
    }
    text
}
