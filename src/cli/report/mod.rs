//! `elenchus report`: runs, sweeps, golden sets, passes and sessions as one page to send.

mod args;

use super::common::{CommandContext, format_noun_count, output, resolve_session};
use anyhow::{Result, anyhow};
pub(crate) use args::ReportArgs;
use elenchus_annotation::refuse_hidden_verdicts;
use elenchus_html::{
    PageError, PageOptions, PageRequest, PageSource, Subject, build_page, find_subject,
    format_page_command, list_page_sessions, write_page,
};
use elenchus_records::workspace::{LAST, StoreIndex};
use elenchus_store::replace_private;
use std::path::Path;

/// Standard output instead of a file.
const STANDARD_OUTPUT: &str = "-";

/// Writes the page.
///
/// # Errors
/// When something that is named cannot be read, or the page cannot be written.
pub fn run(args: &ReportArgs, context: &CommandContext) -> Result<()> {
    let subjects = args.subject.iter().map(|text| match text.as_str() {
        LAST => Ok(Subject::Session(resolve_session(context, text)?)),
        text => Ok(find_subject(&context.store.layout, text)?),
    });
    let date = args.date.clone();
    let request = PageRequest {
        subjects: subjects.collect::<Result<_>>()?,
        date: date.unwrap_or_else(|| output::day_part(&context.store.clock.now())),
        options: PageOptions {
            blind: args.blind,
            views: args.views,
            private: args.private,
            labels: args.labels,
            memory: args.memory,
            prompts: args.prompts,
            max_bytes: args.max_size,
        },
    };
    let index = context.read_index(StoreIndex::read_rows);
    let source = PageSource {
        index: &index,
        library: &context.library,
    };
    if !args.blind {
        let sessions = list_page_sessions(source, &request.subjects)?;
        refuse_hidden_verdicts(&context.store, &sessions)?;
    }
    let page = build_page(source, &request);
    // Whatever becomes of the page: reading it took long.
    index.write_changes();
    let written = write_page(&page?, args.max_size).map_err(advise_on_size)?;
    for cut in &written.cuts {
        output::print_notice(&format!("notice: {cut}; --max-size allows more"));
    }
    if args.blind {
        // It names what labels must not tell: who writes the page keeps it.
        output::print_notice(&format!("written by: {}", format_page_command(&request)));
    }
    if args.output == Path::new(STANDARD_OUTPUT) {
        return output::print_text(&written.html);
    }
    replace_private(&args.output, written.html.as_bytes())?;
    output::print_notice(&format!(
        "wrote {}: {}, {} bytes",
        args.output.display(),
        format_noun_count(written.debates, "debate"),
        written.html.len()
    ));
    Ok(())
}

/// Says which option allows a larger page.
fn advise_on_size(error: PageError) -> anyhow::Error {
    match error {
        PageError::Needs(..) => anyhow!("{error}; allow more with --max-size"),
        PageError::Template(_) => error.into(),
    }
}
