//! A page cut to a limit: debates go first, the last ones before the first; then the verdicts at a glance, then the
//! folded figures. What was cut stands on the page. Pure.

use crate::page::HtmlPage;
use crate::template::PageTemplate;
use elenchus_text::format_noun_count;
use thiserror::Error;

/// A page as it is written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPage {
    pub html: String,
    /// Debates that stand on it.
    pub debates: usize,
    /// What was cut, in sentences.
    pub cuts: Vec<String>,
}

/// Reason why there is no page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PageError {
    /// How many bytes are allowed is chosen elsewhere: who asks says how.
    #[error("the page has {0} bytes without a single debate, and may have {1}")]
    Needs(usize, usize),
    /// The template does not fit the data: a fault of ours.
    #[error("the page could not be written: {0}; please report this")]
    Template(String),
}

impl From<minijinja::Error> for PageError {
    fn from(error: minijinja::Error) -> Self {
        Self::Template(format!("{error:#}"))
    }
}

/// Writes a page of at most `max_bytes` bytes.
///
/// # Errors
/// When it is larger even without what can be cut.
pub fn write_page(page: &HtmlPage, max_bytes: usize) -> Result<WrittenPage, PageError> {
    let template = PageTemplate::compile()?;
    let mut debates = Vec::new();
    let mut used_bytes = 0;
    for debate in &page.debates {
        let html = template.write_debate(debate)?;
        used_bytes += html.len();
        if used_bytes > max_bytes {
            break;
        }
        debates.push(html);
    }
    let all_debates = page.debates.len() + page.unread_debates;
    let mut around = HtmlPage {
        debates: Vec::new(),
        ..page.clone()
    };
    let mut cut_parts = Vec::new();
    loop {
        let missing = all_debates - debates.len();
        let cuts = describe_cuts(page.blind, missing, &cut_parts, max_bytes);
        let html = template.write_page(&around, &debates, &cuts)?;
        let Some(excess) = html.len().checked_sub(max_bytes).filter(|over| *over > 0) else {
            return Ok(WrittenPage {
                html,
                debates: debates.len(),
                cuts,
            });
        };
        if drop_last(&mut debates, excess) {
            continue;
        }
        if around.matrix.take().is_some() {
            cut_parts.push("the verdicts at a glance");
        } else if !around.tables.is_empty() {
            around.tables.clear();
            cut_parts.push("the table of all figures");
        } else if !around.hashes.is_empty() {
            around.hashes.clear();
            cut_parts.push("the list of journals");
        } else {
            return Err(PageError::Needs(html.len(), max_bytes));
        }
    }
}

/// Drops debates from the end until enough bytes are gone; says whether any was dropped.
fn drop_last(debates: &mut Vec<String>, mut excess: usize) -> bool {
    let mut has_dropped = false;
    while excess > 0 {
        let Some(debate) = debates.pop() else {
            return has_dropped;
        };
        has_dropped = true;
        excess = excess.saturating_sub(debate.len());
    }
    has_dropped
}

fn describe_cuts(
    is_blind: bool,
    missing_debates: usize,
    parts: &[&str],
    max_bytes: usize,
) -> Vec<String> {
    let mut cuts = Vec::new();
    let limit = format!("the page may have {max_bytes} bytes");
    if missing_debates > 0 {
        cuts.push(format!(
            "{} not here, the last in order: {limit}{}",
            match missing_debates {
                1 => "1 debate is".to_owned(),
                many => format!("{} are", format_noun_count(many, "debate")),
            },
            match is_blind {
                true => "",
                false => "; figures count them",
            }
        ));
    }
    let parts = parts.iter();
    cuts.extend(parts.map(|part| format!("{part} is not here: {limit}")));
    cuts
}
