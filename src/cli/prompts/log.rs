//! `elenchus prompts log`: versions of a template, with results of the debates played with each.

use super::text::parse_prompt_name;
use crate::cli::common::{CommandContext, Page, format_noun_count, output};
use anyhow::Result;
use elenchus_records::library::shorten_hash;
use elenchus_records::workspace::StoreIndex;
use elenchus_run::drafts::{PromptVersion, read_history};

/// Prints the versions of a template, the latest first.
///
/// # Errors
/// When the store cannot be read, or there is no such template and never was.
pub fn run(prompt: &str, context: &CommandContext) -> Result<()> {
    let (index, _) = StoreIndex::read_prompts(&context.store.layout);
    let prompt_history = read_history(&index, &context.library, &parse_prompt_name(prompt)?)?;
    index.write_changes();
    let mut page = Page::new(output::width(), context.colour);
    for version in &prompt_history.versions {
        write_version(&mut page, version);
    }
    output::print_text(&page.into_text())?;
    if prompt_history.unread > 0 {
        output::print_notice(&format!(
            "notice: {} of sessions, tries or kept prompts could not be read; 'elenchus verify' \
             names them",
            format_noun_count(prompt_history.unread, "file")
        ));
    }
    Ok(())
}

fn write_version(page: &mut Page, version: &PromptVersion) {
    let mut title = shorten_hash(&version.hash);
    for label in &version.labels {
        title.push_str(&format!("  [{label}]"));
    }
    if version.is_current {
        title.push_str("  (as it is now)");
    }
    if version.is_built_in {
        title.push_str("  (built in)");
    }
    page.add_bold_line(&title);
    if let Some(at) = &version.kept_at {
        page.line_at(2).write_plain(&format!("kept {at}"));
    }
    match &version.first_used {
        None => page
            .line_at(2)
            .write_plain("no debate of this store was played with it"),
        Some(first) => {
            let simulated_note = match version.simulated_sessions {
                0 => String::new(),
                simulated => format!(" ({simulated} SIMULATED)"),
            };
            let sessions = match version.sessions {
                0 => "in a session that is deleted by now".to_owned(),
                some => format!("in {}", format_noun_count(some, "session")),
            };
            page.line_at(2)
                .write_plain(&format!("first used {first}, {sessions}{simulated_note}"));
        }
    }
    if version.tries > 0 {
        page.line_at(2).write_plain(&format!(
            "{} tried",
            format_noun_count(version.tries, "sample")
        ));
    }
    if version.judged > 0 {
        page.line_at(2)
            .write_plain(&describe_unsafe_share(version.bad, version.judged));
    }
    for text in &version.compared {
        page.line_at(2).write_plain(text);
    }
    if version.simulated_judged > 0 {
        let text = describe_unsafe_share(version.simulated_bad, version.simulated_judged);
        page.line_at(2).write_plain(&format!("SIMULATED: {text}"));
    }
}

fn describe_unsafe_share(bad: usize, judged: usize) -> String {
    format!(
        "{bad} of {} unsafe ({:.1} %)",
        format_noun_count(judged, "judged turn"),
        100.0 * bad as f64 / judged as f64
    )
}
