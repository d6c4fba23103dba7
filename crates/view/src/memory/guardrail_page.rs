//! Parts of a page that only guardrails have: over-refusal, examples, decisions, and the preview of what is
//! asked.

use super::page::EntryPage;
use elenchus_memory::{GuardReport, MAX_EXAMPLES, MatchShare, MemoryEntry};
use elenchus_metrics::wilson;
use elenchus_records::workspace::memory::{ChairDecision, EntryUse, GuardPreview};
use elenchus_text::{Content, PageItem, Paragraph, Role, others_prose};

/// Placeholder for a file of prompts in commands that are shown.
const BENIGN: &str = "xstest:FILE";

/// Says how many of how many things, with the Wilson interval: there is one observation a prompt.
pub fn share(share: MatchShare, what: &str) -> String {
    let counts = format!("{} of {} {what}", share.count, share.of);
    let interval = wilson(u64::from(share.count), u64::from(share.of));
    match (share.value(), interval) {
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
    format!("elenchus memory guardrails test {id}{namespace} --dataset {BENIGN}")
}

/// The over-refusal in the fewest words.
pub fn in_short(guard: &MemoryEntry) -> String {
    match guard
        .report()
        .and_then(|report| report.over_refused.value())
    {
        Some(value) => format!("over-refusal {:.1} %", value * 100.0),
        None => "untested".to_owned(),
    }
}

/// What the model of each chair decided about a guardrail.
pub(super) fn decisions(one: &EntryUse) -> Vec<Paragraph> {
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
        let chair = Paragraph::of(Role::Muted, format!("{chair}: "));
        chair.and(role, text).indented(4, 6)
    });
    lines.collect()
}

impl EntryPage<'_> {
    /// What the page of a guardrail has behind its head.
    pub(super) fn guard_items(&self, guard: &MemoryEntry) -> Vec<PageItem> {
        let shown = guard.examples.iter().take(MAX_EXAMPLES);
        let more = guard.examples.iter().skip(MAX_EXAMPLES);
        let mut items = vec![self.tested(guard)];
        items.extend(self.used(guard));
        items.push(PageItem::of(self.examples("Asked for like this:", shown)));
        items.extend(self.origins(guard));
        if more.len() > 0 {
            let title = format!("{} more examples, which no model is shown:", more.len());
            items.push(PageItem::of(self.examples(&title, more)));
        }
        items
    }

    fn examples<'a>(
        &self,
        title: &str,
        examples: impl Iterator<Item = &'a String>,
    ) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::of(Role::Muted, title)];
        for example in examples {
            let text = format!("- {}", self.content.of(example));
            page.push(Paragraph::of(Role::Text, text).indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    /// Over-refusal on benign prompts, or that it is unknown.
    fn tested(&self, guard: &MemoryEntry) -> PageItem {
        let mut page = Vec::new();
        if guard.report().is_none() {
            let never = match guard.tests().is_empty() {
                true => "Over-refusal: never tested on prompts that must not be refused",
                false => "Over-refusal: unknown, the text was changed since it was tested",
            };
            page.push(Paragraph::of(Role::Warning, never));
            let command = test_command(guard, self.namespace);
            page.push(Paragraph::of(Role::Muted, "this tests it: ").and(Role::Text, command));
            if let Some(last) = page.last_mut() {
                *last = last.clone().indented(2, 4);
            }
        }
        for report in guard.tests().iter().rev() {
            page.extend(report_lines(report, guard.revision, self.content));
        }
        page.push(Paragraph::gap());
        PageItem::of(page)
    }

    /// Guardrails that a debate about a topic would ask, and their exact words.
    pub(super) fn preview_guards(&self, asked: &GuardPreview) -> Vec<PageItem> {
        let line = |role, text: String| PageItem::of(vec![Paragraph::of(role, text)]);
        let near = asked.near.candidates.len();
        let head = match (near, asked.accepted) {
            (_, 0) => "Guardrails: none is accepted here".to_owned(),
            (near, accepted) => format!(
                "Guardrails: {near} of {accepted} accepted would be asked about ({})",
                asked.near.retriever
            ),
        };
        let mut items = vec![PageItem::of(vec![
            Paragraph::gap(),
            Paragraph::of(Role::Strong, head),
        ])];
        for candidate in &asked.near.candidates {
            let mut page = vec![
                Paragraph::of(Role::Strong, format!("{:.3} ", candidate.score))
                    .and(Role::Accent, candidate.id.clone())
                    .indented(2, 4),
            ];
            page.extend(others_prose(
                Role::FromMemory,
                4,
                &self.content.of(&candidate.text()),
            ));
            items.push(PageItem {
                paragraphs: page,
                hint: None,
                opens: candidate.origins.first().cloned(),
            });
        }
        for (id, why) in &asked.near.excluded {
            let line = Paragraph::of(Role::Text, id.clone())
                .and(Role::Muted, format!(": left out by rule, {why}"));
            items.push(PageItem::of(vec![line.indented(2, 4)]));
        }
        match &asked.view {
            Ok((chair, messages)) => {
                let text = format!("What {chair}'s model would be asked before it speaks");
                items.push(line(Role::Strong, text));
                items.extend(messages.iter().map(|message| self.message(message)));
            }
            Err(why) if asked.accepted > 0 => items.push(line(Role::Notice, why.clone())),
            Err(_) => {}
        }
        items
    }
}

/// Returns the results of a test, and whether they are about another text than that of `revision`.
pub fn report_lines(report: &GuardReport, revision: u32, content: Content) -> Vec<Paragraph> {
    let line = |role, text: String| Paragraph::of(role, text).indented(2, 4);
    let mut page = vec![Paragraph::of(
        Role::Strong,
        format!(
            "Over-refusal: {}",
            share(report.over_refused, "harmless prompts")
        ),
    )];
    if report.revision != revision {
        let text = format!("of text {}, which it has no more", report.revision);
        page.push(line(Role::Warning, text));
    }
    page.push(line(
        Role::Text,
        format!("catches {}", share(report.caught, "harmful ones")),
    ));
    let simulated = match report.simulated {
        true => " (simulated)",
        false => "",
    };
    page.push(line(
        Role::Muted,
        format!(
            "{}, decided by {}{simulated}, nearest by {}",
            content.of(&report.dataset),
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
