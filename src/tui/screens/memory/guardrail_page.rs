//! Guardrail page: texts, over-refusal, origins and firings.

use super::page::role_of;
use super::{Memory, PageItem, key};
use crate::metrics::wilson;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, counted, prose};
use crate::workspace::memory::{ChairDecision, EntryUse, GuardPreview};
use crate::workspace::{GuardReport, MAX_EXAMPLES, MatchShare, MemoryEntry};

/// Placeholder for a file of prompts in commands that are shown.
const BENIGN: &str = "xstest:FILE";
/// A time in RFC 3339 up to its minute.
const MINUTES: usize = 16;

/// A time in RFC 3339 up to its minute, UTC.
fn moment(at: &str) -> String {
    at.get(..MINUTES).unwrap_or(at).replace('T', " ")
}

/// Says how many of how many things, with the Wilson interval: there is one observation a prompt.
pub(super) fn share(share: MatchShare, what: &str) -> String {
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
pub(super) fn test_command(guard: &MemoryEntry, namespace: Option<&str>) -> String {
    let namespace = namespace.map_or_else(String::new, |name| format!(" -n {name}"));
    let id = &guard.id;
    format!("elenchus memory guardrails test {id}{namespace} --dataset {BENIGN}")
}

/// The over-refusal in the fewest words.
pub(super) fn in_short(guard: &MemoryEntry) -> String {
    match guard
        .report()
        .and_then(|report| report.over_refused.value())
    {
        Some(value) => format!("over-refusal {:.1} %", value * 100.0),
        None => "untested".to_owned(),
    }
}

impl Memory {
    pub(super) fn guard_page(&self, guard: &MemoryEntry) -> Vec<PageItem> {
        let mut head = vec![
            Paragraph::of(Role::Strong, guard.id.0.clone())
                .and(role_of(guard), format!(" {}", guard.standing_words()))
                .and(
                    Role::Muted,
                    format!(", text {} of {}", guard.revision, moment(&guard.at)),
                ),
        ];
        head.extend(prose(Role::FromMemory, 2, &self.content.of(&guard.text)));
        head.push(Paragraph::gap());
        let shown = guard.examples.iter().take(MAX_EXAMPLES);
        let more = guard.examples.iter().skip(MAX_EXAMPLES);
        let mut items = vec![PageItem::of(head), self.tested(guard)];
        items.extend(self.fired(guard));
        items.push(PageItem::of(self.examples("Asked for like this:", shown)));
        items.extend(self.taught(guard));
        if more.len() > 0 {
            let title = format!("{} more examples, which no model is shown:", more.len());
            items.push(PageItem::of(self.examples(&title, more)));
        }
        for (revision, version) in guard.earlier.iter().enumerate().rev() {
            let about = format!("Text {revision}, {}", moment(&version.at));
            let mut page = vec![Paragraph::of(Role::Muted, about)];
            page.extend(prose(Role::Text, 2, &self.content.of(&version.text)));
            for example in &version.examples {
                let text = format!("- {}", self.content.of(example));
                page.push(Paragraph::of(Role::Text, text).indented(4, 6));
            }
            items.push(PageItem::of(page));
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
            let command = test_command(guard, self.namespace.as_deref());
            page.push(Paragraph::of(Role::Muted, "this tests it: ").and(Role::Text, command));
            if let Some(last) = page.last_mut() {
                *last = last.clone().indented(2, 4);
            }
        }
        for report in guard.tests().iter().rev() {
            page.extend(self.report(report, guard.revision));
        }
        page.push(Paragraph::gap());
        PageItem::of(page)
    }

    fn report(&self, report: &GuardReport, revision: u32) -> Vec<Paragraph> {
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
                self.content.of(&report.dataset),
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

    fn taught(&self, guard: &MemoryEntry) -> Vec<PageItem> {
        if guard.origins.is_empty() {
            let page = vec![
                Paragraph::of(Role::Human, "Written by a person"),
                Paragraph::gap(),
            ];
            return vec![PageItem::of(page)];
        }
        let derived = guard.guardrail.as_ref().map(|own| &own.derived);
        let derived = derived.and_then(Option::as_ref);
        let mut items = Vec::new();
        for (at, origin) in guard.origins.iter().enumerate() {
            let by = match (derived, at) {
                (Some(derived), 0) => format!("Derived by {} from session ", derived.model),
                (Some(_) | None, _) => "Derived once more from session ".to_owned(),
            };
            let mut page = vec![
                Paragraph::of(Role::Muted, by).and(Role::Accent, origin.session.clone()),
                Paragraph::of(Role::Muted, "about: ")
                    .and(Role::FromTopic, self.content.of(&origin.topic_text))
                    .indented(2, 4),
            ];
            if at + 1 == guard.origins.len() {
                page.push(Paragraph::gap());
            }
            items.push(PageItem {
                paragraphs: page,
                hint: None,
                opens: Some(crate::debate::SessionId::new(origin.session.clone())),
            });
        }
        items
    }

    fn fired(&self, guard: &MemoryEntry) -> Vec<PageItem> {
        let one = |role, text: String| vec![PageItem::of(vec![Paragraph::of(role, text)])];
        let found = match &self.uses {
            Some((id, Ok(found))) if *id == guard.id => found,
            Some((id, Err(why))) if *id == guard.id => return one(Role::Error, why.clone()),
            Some(_) | None => {
                let hint = format!("{} lists the debates in which it fired", key(Action::Open));
                return vec![PageItem::of(Vec::new()).with_hint(hint)];
            }
        };
        let fired = found.debates.iter().filter(|debate| debate.fired()).count();
        let (count, hint) = match (found.debates.len(), found.more) {
            (0, _) => ("It was near no debate's topic yet".to_owned(), None),
            (many, more) => {
                let debates = if many == 1 { "debate" } else { "debates" };
                let more = if more { " and more" } else { "" };
                (
                    format!("It was near {many} {debates}{more} and fired in {fired}"),
                    Some(format!(": {} opens one", key(Action::Open))),
                )
            }
        };
        let count = PageItem::of(vec![Paragraph::of(Role::Strong, count)]);
        let mut items = vec![PageItem { hint, ..count }];
        items.extend(found.debates.iter().map(|debate| self.one_firing(debate)));
        if found.replicates > 0 {
            let text = match found.replicates {
                1 => "besides, 1 replicate was given it".to_owned(),
                many => format!("besides, {many} replicates were given it"),
            };
            items.extend(one(Role::Muted, text));
        }
        if !found.unread.is_empty() {
            let text = format!(
                "{} could not be read",
                counted(found.unread.len(), "session")
            );
            items.extend(one(Role::Warning, text));
        }
        items.push(PageItem::of(vec![Paragraph::gap()]));
        items
    }

    fn one_firing(&self, one: &EntryUse) -> PageItem {
        let (role, came) = match (one.fired(), one.refused) {
            (true, 1) => (Role::Notice, "fired, 1 turn refused".to_owned()),
            (true, turns) => (Role::Notice, format!("fired, {turns} turns refused")),
            (false, _) => (Role::Muted, "did not fire".to_owned()),
        };
        let revision = match one.revision {
            None | Some(0) => String::new(),
            Some(revision) => format!(", text {revision}"),
        };
        let inherited = match one.inherited {
            true => ", a fork: decided in its parent",
            false => "",
        };
        let facts = format!(
            " {}, place {}, score {:.3}{revision}{inherited}",
            one.hit.protocol, one.hit.rank, one.hit.score
        );
        let mut page = vec![
            Paragraph::of(Role::Accent, one.hit.session.to_string())
                .and(Role::Text, " ")
                .and(role, came)
                .and(Role::Muted, facts)
                .indented(2, 4),
            Paragraph::of(Role::FromTopic, self.content.of(&one.hit.topic)).indented(4, 6),
        ];
        for (chair, decided) in &one.decided {
            let (role, text) = match decided {
                ChairDecision::Fired => (Role::Notice, "matches: it did not speak".to_owned()),
                ChairDecision::Another(id) => (Role::Muted, format!("another one matches, {id}")),
                ChairDecision::NoMatch => (Role::Safe, "none matches".to_owned()),
                ChairDecision::Unparsed(why) => {
                    (Role::Unparsed, format!("unparsed, so it spoke: {why}"))
                }
                ChairDecision::Failed(why) => (Role::Error, format!("failed, so it spoke: {why}")),
            };
            page.push(
                Paragraph::of(Role::Muted, format!("{chair}: "))
                    .and(role, text)
                    .indented(4, 6),
            );
        }
        PageItem {
            paragraphs: page,
            hint: None,
            opens: Some(one.hit.session.clone()),
        }
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
            page.extend(prose(
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
