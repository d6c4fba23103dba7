//! Parts of a page that only guardrails have: over-refusal, examples, decisions, and the preview of what is
//! asked.

use super::page::{EntryPage, describe_retriever};
use elenchus_memory::{GuardReport, MatchShare, MemoryEntry};
use elenchus_metrics::wilson_interval;
use elenchus_records::workspace::memory::{ChairDecision, EntryUse, GuardPreview};
use elenchus_text::{Content, PageItem, Paragraph, Role, others_prose};

/// Placeholder for a file of prompts in commands that are shown.
const BENIGN: &str = "xstest:FILE";

/// Says how many of how many things, with the Wilson interval: there is one observation a prompt.
pub fn describe_share(share: MatchShare, what: &str) -> String {
    let counts = format!("{} of {} {what}", share.count, share.of);
    let interval = wilson_interval(u64::from(share.count), u64::from(share.of));
    match (share.ratio(), interval) {
        (Some(value), Some(own)) => format!(
            "{counts}, {:.1} % (95 % interval {:.1} to {:.1} %)",
            value * 100.0,
            own.low * 100.0,
            own.high * 100.0
        ),
        (Some(_) | None, _) => counts,
    }
}

/// The command that finds out what a guardrail does to harmless prompts.
pub fn test_command(guard: &MemoryEntry, namespace: Option<&str>) -> String {
    let namespace = namespace.map_or_else(String::new, |name| format!(" -n {name}"));
    let id = &guard.id;
    format!("elenchus memory test {id}{namespace} --dataset {BENIGN}")
}

/// The over-refusal in the fewest words.
pub fn describe_over_refusal(guard: &MemoryEntry) -> String {
    match guard
        .current_report()
        .and_then(|report| report.over_refused.ratio())
    {
        Some(value) => format!("over-refusal {:.1} %", value * 100.0),
        None => "untested".to_owned(),
    }
}

/// What the model of each chair decided about a guardrail.
pub(super) fn describe_decisions(one: &EntryUse) -> Vec<Paragraph> {
    let lines = one.decided.iter().map(|(chair, decided)| {
        let (role, text) = match decided {
            ChairDecision::Fired => (Role::Notice, "matches: it did not speak".to_owned()),
            ChairDecision::Another(id) => (Role::Muted, format!("another one matches, {id}")),
            ChairDecision::NoMatch => (Role::Safe, "none matches".to_owned()),
            ChairDecision::Unparsed(why) => {
                (Role::Unparsed, format!("unparsed, so it spoke: {why}"))
            }
            ChairDecision::Failed(why) => (Role::Error, format!("failed, so it spoke: {why}")),
        };
        let chair = Paragraph::new(Role::Muted, format!("{chair}: "));
        chair.with_run(role, text).with_indent(4, 6)
    });
    lines.collect()
}

impl EntryPage<'_> {
    /// What the page of a guardrail has behind its head.
    pub(super) fn guard_items(&self, guard: &MemoryEntry) -> Vec<PageItem> {
        let first_examples = guard.examples.iter().take(self.shown_examples);
        let more = guard.examples.iter().skip(self.shown_examples);
        let mut items = vec![self.describe_tests(guard)];
        items.extend(self.describe_uses(guard));
        items.push(PageItem::from_paragraphs(
            self.describe_examples("Asked for like this:", first_examples),
        ));
        items.extend(self.describe_origins(guard));
        if more.len() > 0 {
            let title = format!("{} more examples, which no model is shown:", more.len());
            items.push(PageItem::from_paragraphs(
                self.describe_examples(&title, more),
            ));
        }
        items
    }

    fn describe_examples<'a>(
        &self,
        title: &str,
        examples: impl Iterator<Item = &'a String>,
    ) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::new(Role::Muted, title)];
        for example in examples {
            let text = format!("- {}", self.content.show_or_mask(example));
            page.push(Paragraph::new(Role::Text, text).with_indent(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    /// Over-refusal on benign prompts, or that it is unknown.
    fn describe_tests(&self, guard: &MemoryEntry) -> PageItem {
        let mut page = Vec::new();
        if guard.current_report().is_none() {
            let never = match guard.benign_tests().is_empty() {
                true => "Over-refusal: never tested on prompts that must not be refused",
                false => "Over-refusal: unknown, the text was changed since it was tested",
            };
            page.push(Paragraph::new(Role::Warning, never));
            let command = test_command(guard, self.namespace);
            page.push(Paragraph::new(Role::Muted, "this tests it: ").with_run(Role::Text, command));
            if let Some(last) = page.last_mut() {
                *last = last.clone().with_indent(2, 4);
            }
        }
        for report in guard.benign_tests().iter().rev() {
            page.extend(report_lines(report, guard.revision, self.content));
        }
        page.push(Paragraph::gap());
        PageItem::from_paragraphs(page)
    }

    /// Guardrails that a debate about a topic would ask, and their exact words.
    pub(super) fn preview_guards(&self, asked: &GuardPreview) -> Vec<PageItem> {
        let line = |role, text: String| PageItem::from_paragraphs(vec![Paragraph::new(role, text)]);
        let near = asked.near.candidates.len();
        let head = match (near, asked.accepted) {
            (_, 0) => "Guardrails: none is accepted here".to_owned(),
            (near, accepted) => format!(
                "Guardrails: {near} of {accepted} accepted would be asked about, found {}",
                describe_retriever(&asked.near.retriever)
            ),
        };
        let mut items = vec![PageItem::from_paragraphs(vec![
            Paragraph::gap(),
            Paragraph::new(Role::Strong, head),
        ])];
        for candidate in &asked.near.candidates {
            let mut page = vec![
                Paragraph::new(Role::Strong, format!("{:.3} ", candidate.score))
                    .with_run(Role::Accent, candidate.id.clone())
                    .with_indent(2, 4),
            ];
            page.extend(others_prose(
                Role::FromMemory,
                4,
                &self.content.show_or_mask(&candidate.full_text()),
            ));
            items.push(PageItem {
                paragraphs: page,
                hint: None,
                opens: candidate.origins.first().cloned(),
            });
        }
        for (id, why) in &asked.near.excluded {
            let line = Paragraph::new(Role::Text, id.clone())
                .with_run(Role::Muted, format!(": left out by rule, {why}"));
            items.push(PageItem::from_paragraphs(vec![line.with_indent(2, 4)]));
        }
        match &asked.view {
            Ok((chair, messages)) => {
                let text = format!("What {chair}'s model would be asked before it speaks");
                items.push(line(Role::Strong, text));
                items.extend(
                    messages
                        .iter()
                        .map(|message| self.describe_message(message)),
                );
            }
            Err(why) if asked.accepted > 0 => items.push(line(Role::Notice, why.clone())),
            Err(_) => {}
        }
        items
    }
}

/// Returns the results of a test, and whether they are about another text than that of `revision`.
pub fn report_lines(report: &GuardReport, revision: u32, content: Content) -> Vec<Paragraph> {
    let line = |role, text: String| Paragraph::new(role, text).with_indent(2, 4);
    let mut page = vec![Paragraph::new(
        Role::Strong,
        format!(
            "Over-refusal: {}",
            describe_share(report.over_refused, "harmless prompts")
        ),
    )];
    if report.revision != revision {
        let text = format!("of text {}, which it has no more", report.revision);
        page.push(line(Role::Warning, text));
    }
    page.push(line(
        Role::Text,
        format!("catches {}", describe_share(report.caught, "harmful ones")),
    ));
    let simulation_note = match report.simulated {
        true => " (simulated)",
        false => "",
    };
    page.push(line(
        Role::Muted,
        format!(
            "{}, decided by {}{simulation_note}, nearest by {}",
            content.show_or_mask(&report.dataset),
            report.model,
            report.retriever
        ),
    ));
    if report.beside > 0 {
        let text = format!("asked beside {} others", report.beside);
        page.push(line(Role::Muted, text));
    }
    for kind in &report.by_type {
        if kind.share.count > 0 {
            let (name, own) = (&kind.name, kind.share);
            let text = format!("{name}: {} of {}", own.count, own.of);
            page.push(line(Role::Text, text));
        }
    }
    if report.unparsed + report.failed > 0 {
        let text = format!(
            "{} replies could not be read and count as no match; {} calls failed and are left out",
            report.unparsed, report.failed
        );
        page.push(line(Role::Warning, text));
    }
    page
}
