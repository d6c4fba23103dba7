//! `elenchus prompts log`: versions of a template, with results of the debates played with each.

use super::text::named;
use crate::cli::common::{Page, Workshop, counted, output};
use anyhow::Result;
use elenchus_records::library::short;
use elenchus_records::workspace::StoreIndex;
use elenchus_run::drafts::{PromptVersion, history};

/// Prints the versions of a template, the latest first.
///
/// # Errors
/// When the store cannot be read, or there is no such template and never was.
pub fn run(prompt: &str, shop: &Workshop) -> Result<()> {
    let (index, _) = StoreIndex::read_prompts(&shop.layout);
    let all = history(&index, &shop.library, &named(prompt)?)?;
    index.write();
    let mut page = Page::new(output::width(), shop.colour);
    for version in &all.versions {
        one(&mut page, version);
    }
    output::out(&page.finish())?;
    if all.unread > 0 {
        output::notice(&format!(
            "notice: {} of sessions, tries or kept prompts could not be read; 'elenchus verify' \
             names them",
            counted(all.unread, "file")
        ));
    }
    Ok(())
}

fn one(page: &mut Page, version: &PromptVersion) {
    let mut title = short(&version.hash);
    for label in &version.labels {
        title.push_str(&format!("  [{label}]"));
    }
    if version.is_current {
        title.push_str("  (as it is now)");
    }
    page.bold(&title);
    if let Some(at) = &version.kept_at {
        page.at(2).line(&format!("kept {at}"));
    }
    match &version.first_used {
        None => page
            .at(2)
            .line("no debate of this store was played with it"),
        Some(first) => {
            let simulated = match version.simulated_sessions {
                0 => String::new(),
                simulated => format!(" ({simulated} SIMULATED)"),
            };
            let sessions = match version.sessions {
                0 => "in a session that is deleted by now".to_owned(),
                some => format!("in {}", counted(some, "session")),
            };
            page.at(2)
                .line(&format!("first used {first}, {sessions}{simulated}"));
        }
    }
    if version.tries > 0 {
        page.at(2)
            .line(&format!("{} tried", counted(version.tries, "sample")));
    }
    if version.judged > 0 {
        page.at(2).line(&rate(version.bad, version.judged));
    }
    if version.simulated_judged > 0 {
        let text = rate(version.simulated_bad, version.simulated_judged);
        page.at(2).line(&format!("SIMULATED: {text}"));
    }
}

fn rate(bad: usize, judged: usize) -> String {
    format!(
        "{bad} of {} unsafe ({:.1} %)",
        counted(judged, "judged turn"),
        100.0 * bad as f64 / judged as f64
    )
}
